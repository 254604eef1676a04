//! The thesis's own method, beside the fronts: a chip cut into block rows, eliminated by cyclic reduction, then by separators in
//! COLAMD order, every essentially different operation done once.
//!
//! ```text
//! Chip --blocks--> BlockModel --assemble--> BlockSystem --elimination--> factors --rows: substitute, refine, measure--> Solution
//! ```
//! | module | turns what into what | may use |
//! | --- | --- | --- |
//! | [`elimination`] | a symmetric system of block rows into its solution; knows no physics, meshes or chips | |
//! | [`blocks`] | a chip into blocks and rows | |
//! | [`assemble`], [`boundary`], [`residual`] | blocks into matrices, port data into loads, solutions into residuals | `blocks`, `elimination` |
//! | [`fields`], [`ports`], [`wall_shear`] | rows into values | `residual` |
//! | [`BlockRows`] | the method, behind [`stokeslet_flow::session::Method`] | all above |
//!
//! Two-dimensional chips only. It discretises as the fronts do (same meshes, same local matrices), so the two agree to rounding:
//! another road to the same numbers, to test them and to measure what fronts bring.
//!
//! # Source
//! Ding, "Coupling, Conservation, and Performance in Numerical Simulations", PhD thesis, UC Riverside, 2019, chapter 4.

pub mod assemble;
pub mod blocks;
pub mod boundary;
pub mod elimination;
pub mod fields;
pub mod ports;
pub mod residual;
mod rows;
pub mod wall_shear;

pub use rows::{BlockRows, CONNECTIONS, EVEN_SPLIT, Ownership};
