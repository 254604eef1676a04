//! Design and settings become a solution; holds what outlives a solve.

mod settings;
mod solution;

pub use settings::{Caching, Ownership, SolveSettings};
pub use solution::{
    AssembledSystem, BlockCounts, Conductance, PortKind, PortResult, Solution, SolveError, SolveReport, Timings, Unknown,
    UnknownKind, WallShear,
};
