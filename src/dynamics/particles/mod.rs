//! Marker particles: where they start, how they move, what surface they have, and how they trade velocities with a grid.
//!
//! Guarantees: one source of random numbers ([`hash_unit`], an integer hash of an index), so counts repeat exactly; sums over
//! particles are taken in an order fixed by their cells and indices, so results don't depend on the number of threads.
//! Knows nothing of pressure.

mod cell_list;
mod motion;
mod seeding;
mod surface;
mod transfer;

pub use cell_list::CellList;
pub use motion::{move_out_of_solid, move_particles};
pub use seeding::{Seeding, hash_unit, seed};
pub use surface::{distance_to_particles, extend_into_solid, particle_radius};
pub use transfer::{grid_to_particles, particles_to_grid};
