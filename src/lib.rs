//! Stokeslet designs microfluidic chips and solves the real Stokes flow of the whole chip.

pub mod chip;
pub mod design;
pub mod diagnostic;
pub mod elimination;
pub mod export;
pub mod fem;
pub mod field;
pub mod fingerprint;
pub mod geometry;
pub mod import;
pub mod library;
pub mod mesh;
pub mod session;
pub mod stokes;
pub mod units;
