//! Coefficients become values: fields on nodes, samples at points and along lines, port results, wall shear.

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
pub mod wall_shear;
pub mod wall_shear3;

pub use fields::Fields;
pub use index::{FieldIndex, Located};
pub use line::{Line, LinePoint};
pub use nodal::Nodal;
pub use sample::{Sample, Sampler, barycentric};
pub use solid::Solid;
