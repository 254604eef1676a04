//! The pressure of a liquid in two halves, one that frees it of divergence and one that minds the walls: the methods of \[003\].
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
//! Found by running it (`benches/splitting.rs`):
//! - conjugate gradients of the thesis are plain in the plane (321 iterations to 1e-12 at 96²; ours 259; MIC(0) takes a sixth at 1e-3) and
//!   preconditioned in space (20 at 96³; ours with MIC(0) 9.5 at 32³, 16.4 at 64³);
//! - what arrives at walls has to be kept until the method has looked at it: set to 0 before, liquid hangs at the ceiling for 20
//!   steps more (IOPSepBC at 96²: to t = 117 instead of 98; the thesis has it off at 100);
//! - counts of ADMM and IOP grow with the side, so those of 96³ are not to be had at 32³: 17 and 8 times OrigPS at 32³, 28 and 13 times
//!   at 64³, printed 49 and 29 times at 96³;
//! - complementarity takes 1.6 times the iterations of OrigPS at 32³ and at 96³ if both are asked for the same divergence; four times
//!   as many is what a tolerance of 1e-6 beside one of 1e-3 costs. Looser first policies save a fifth of that in space and cost more
//!   in the plane; first policies from the step before or from what arrives at walls save nothing.
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
