//! The pressure of a liquid in two halves, one that frees it of divergence and one that minds the walls: the methods of [003].
//!
//! ```text
//! flags, velocities --project(method, settings)--> Projected { velocities, SplitLog { status, counts, residuals, detached } }
//!
//!              first half: pressure solve           second half: walls              in turn until
//!  OrigPS      walls closed                         -                               once
//!  OrigPSSep   walls closed                         some opened afterwards          once: divergence stays where they opened
//!  IOPSepBC    walls closed but for the opened      -                               max |div u| is small
//!  IOP         walls as if they were air            closed faces get 0              max |div u| is small
//!  ADMM        walls as if they were air            closed faces get 0, with dual   max |u - v| (Vel) or max |div u| (Div) is small
//!  LCP         complementarity, of `liquid/lcp`     -                               for comparison
//! ```
//! Everything is in cell units (side of a cell 1, the time step is taken into the pressure), walls are stairs along faces, the
//! surface is at the centres of the first cells of air: no ghost fluid, no cut cells.
//!
//! Guarantees: counts and fields are bitwise equal for any number of threads; non-convergence is a status with its history.
//! Knows nothing of particles and time: those are in `scenes/eckert`. Start reading at [`METHODS`], then `alternate.rs`.
//!
//! Source, by the tag `[003]`: Eckert, "Flexible Boundary Conditions for Fluid Solvers Based on Proximal Operators", master's thesis,
//! TU Munich, 2014.

mod alternate;
mod complement;
mod detach;
mod pressure;
mod project;
mod registry;
mod settings;
mod system;
mod walled;
mod wetted;

pub use detach::{Detached, detached_by_pressure, detached_by_velocity};
pub use project::{Memory, Projected, SplitError, SplitLog, Unconverged, project};
pub use registry::{METHODS, Method, MethodEntry, Residual, WallKind, method};
pub use settings::{Classify, Inner, Marking, Settings, StopOn, Warm, Warning};
pub use system::{Move, System};
pub use wetted::{Face, WallFace, Wetted};
