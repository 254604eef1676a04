//! Design and settings become a solution; holds what outlives a solve.

pub mod advice;
mod arms;
mod batch;
pub mod conductances;
mod eliminated;
mod estimate;
mod flow;
pub mod measure;
pub mod memory;
mod method;
mod nearby;
pub mod progress;
mod readout;
mod refinement;
mod settings;
mod solution;
mod solve;
mod solver;
mod space;
pub mod study;
mod system;
mod unknowns;

pub use crate::mesh::Corners;
pub use arms::with_arms;
pub use batch::{Crashed, side_by_side};
pub use eliminated::Fronts;
pub use estimate::{ErrorEstimate, PortError, SETTLED, estimate_errors, solve_with_errors};
pub use method::{Eliminated, Job, Method, check_conditions, eliminate};
pub use nearby::Nearby;
pub use progress::{Progress, Stage, silent};
pub use refinement::manufactured_study;
pub use settings::{DepthSettings, SolveSettings, WantedResults};
pub use solution::{
    AssembledSystem, BlockCounts, Conductance, PortKind, PortResult, Solution, SolveError,
    SolveReport, Timings, Unknown, UnknownKind, WallShear,
};
pub use solve::solve;
pub use solver::Solver;
pub use study::Row;
pub use system::assembled_system;
pub use unknowns::about_unknowns;
