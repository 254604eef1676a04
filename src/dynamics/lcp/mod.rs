//! Linear complementarity problems and everyone who solves them: one trait ([`LcpSolver`]), one table ([`SOLVERS`]).
//!
//! ```text
//! Lcp --solver(name)--> Solution { pressure, SolveLog { status, counts, residual history } }
//! ```
//! Residuals are the infinity norm of `min(A p + b, p)`, unscaled, and tolerances are absolute ([`TOLERANCE`]). Ending above the
//! tolerance is a status, never a silent field. To add a solver, write a file and a row in `registry.rs`: the conformance suite
//! (`tests/liquid_conformance.rs`) finds it there.

mod anderson;
mod bounded;
mod edges;
mod fas;
mod fmg;
mod inner;
mod mprgp;
mod newton;
mod penalty;
mod pgs;
mod policy;
mod problem;
mod registry;
mod solver;
mod unbounded;

pub use problem::Lcp;
pub use registry::{Entry, Purpose, SOLVERS, entry, solver};
pub use solver::{
    LcpError, LcpSolver, NotConverged, Solution, SolveLog, Status, TOLERANCE, Trace, Watch,
};
