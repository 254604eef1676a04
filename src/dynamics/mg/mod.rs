//! Multigrid for systems whose unknowns sit in cells: interpolation, coarse matrices, cycles.
//!
//! ```text
//! matrix, places --transfer--> P --galerkin or direct--> coarse matrix --> ... until a side has 4 cells --> Hierarchy
//! ```
//! The rules that decide the iteration counts (found by experiment; section 0 of the specification of this family):
//! - a coarse cell is an unknown if at least one of its `2^D` children is;
//! - in a row of `P`, a coarse cell that is no unknown is left out; if its centre lies in solid, its weight goes to the others in
//!   proportion (one-sided: nothing flows there), if it is air the weight is lost (the pressure is 0 there);
//! - on the finest level, rows of `P` beside a free surface are damped ([`Surfaces::Damped`]): without it bubbles of a cell or two
//!   cost FAS-MG half as many cycles again;
//! - `R = Pᵀ / 2^D`, so that the coarse matrix is symmetric and right hand sides keep their size.
//!
//! Knows nothing of complementarity: which coarse unknowns are bounded is the business of the solvers.

mod cycle;
mod dense;
mod direct;
mod galerkin;
mod hierarchy;
mod transfer;

pub use cycle::{Cycle, Multigrid};
pub use dense::Cholesky;
pub use direct::{Air, Bubbles, Geometry, LEAST_THETA, discretise, theta};
pub use galerkin::{galerkin, galerkin_entries};
pub use hierarchy::{Coarse, Hierarchy, Level, Recipe};
pub use transfer::{Places, Sides, Surfaces, Transfer, Weights};
