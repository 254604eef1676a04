//! Design and settings become a solution; holds what outlives a solve.

mod batch;
mod cancel;
mod progress;
mod settings;
mod solution;
mod study;

pub use batch::{Crashed, side_by_side};
pub use cancel::CancelToken;
pub use progress::{Progress, Stage, silent};
pub use settings::{Caching, Ownership, SolveSettings};
pub use solution::{
    AssembledSystem, BlockCounts, Conductance, PortKind, PortResult, Solution, SolveError, SolveReport, Timings, Unknown,
    UnknownKind, WallShear,
};
pub use study::Row;
