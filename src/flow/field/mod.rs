//! Coefficients become values: fields on nodes, samples at points and along lines, port results, shear of walls and floors, the stream function.

mod closed;
pub mod dissipation;
pub mod drag;
pub mod floor_shear;
pub mod index;
mod line;
pub mod nodal;
pub mod ports;
mod quadratic;
mod sample;
mod space;
pub mod stream;
pub mod wall_shear;
pub mod wall_shear3;

pub use index::{FieldIndex, Located};
pub use line::{Line, LinePoint};
pub use quadratic::{Depths, Dimension, Field, In, SolvedDepth};
pub use sample::{Sample, Sampler, barycentric};
