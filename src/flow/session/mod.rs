//! Design and settings become a solution; holds what outlives a solve.

mod batch;
mod conductances;
mod eliminated;
mod flow;
mod measure;
pub mod memory;
pub mod progress;
mod refinement;
mod rows;
mod settings;
mod solution;
mod solve;
mod space;
pub mod study;
mod system;

pub use batch::{Crashed, side_by_side};
pub use eliminated::{Eliminated, eliminate};
pub use progress::{Progress, Stage, silent};
pub use refinement::manufactured_study;
pub use rows::Solver;
pub use settings::{DepthSettings, Method, Ownership, SolveSettings, WantedResults};
pub use solution::{
    AssembledSystem, BlockCounts, Conductance, PortKind, PortResult, Solution, SolveError,
    SolveReport, Timings, Unknown, UnknownKind, WallShear,
};
pub use solve::solve;
pub use study::Row;
pub use system::assembled_system;
