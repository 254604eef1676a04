//! Coefficients become values: fields on nodes, samples at points and along lines, port results, wall shear.

pub mod build;
mod fields;
pub mod ports;
pub mod wall_shear;

pub use fields::Fields;
