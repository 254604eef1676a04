//! Reference elements and quadrature on simplices of any dimension: mesh cells in, local integrals' ingredients out.
//!
//! Knows no physics, no components and no global numbering. Start with [`lagrange`].

pub mod lagrange;
pub mod quadrature;
