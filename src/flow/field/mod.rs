//! Coefficients become values: fields on nodes, samples at points and along lines, port results, wall shear, the stream function.

mod closed;
pub mod dissipation;
pub mod drag;
mod fields;
pub mod index;
mod line;
pub mod nodal;
pub mod ports;
mod sample;
mod solid;
pub mod stream;
pub mod wall_shear;
pub mod wall_shear3;

pub use fields::{Depths, Fields};
pub use index::{FieldIndex, Located};
pub use line::{Line, LinePoint};
pub use nodal::Nodal;
pub use sample::{Sample, Sampler, barycentric};
pub use solid::Solid;
