//! Coefficients become values: fields on nodes, samples at points and along lines, port results, wall shear.

mod fields;
mod line;
mod sample;

pub use fields::Fields;
pub use line::{Line, LinePoint};
pub use sample::{Sample, Sampler};
