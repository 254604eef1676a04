//! Staggered grids and what lives on them: lattices, velocities on faces, level sets on nodes, open fractions of faces.
//!
//! ```text
//!   node --- face(y) --- node          cells are indexed from 0, x fastest; cell c spans [c, c + 1] dx
//!    |                    |            nodes sit at c dx, cell centres at (c + 1/2) dx
//! face(x)    centre    face(x)         face (axis, c) sits below cell c along its axis
//!    |                    |
//!   node --- face(y) --- node
//! ```
//! Guarantees: everything is generic over the dimension `D` (2 or 3) and gives bitwise equal results for any number of threads.
//! Knows nothing of pressure, particles or solvers.

mod advect;
mod cutcell;
mod extrapolate;
mod flags;
mod lattice;
mod levelset;
mod mac;
mod sample;
mod shape;

pub use advect::{advect, trace};
pub use cutcell::open_fractions;
pub use extrapolate::extrapolate;
pub use flags::{CellFlag, flags_of};
pub use lattice::Lattice;
pub use levelset::{centre_value, corner_is_solid, nodal_distance};
pub use mac::Mac;
pub use sample::{gradient, sample};
pub use shape::Shape;
