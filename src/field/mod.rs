//! Coefficients become values: fields on nodes, samples at points and along lines, port results, wall shear.

pub mod build;
mod fields;
pub(crate) mod index;
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
pub(crate) use sample::barycentric;
pub use sample::{Sample, Sampler};
pub use solid::Solid;
