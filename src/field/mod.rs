//! Coefficients become values: fields on nodes, samples at points and along lines, port results, wall shear.

mod fields;

pub use fields::Fields;
