//! Stokes flow on blocks: canonical block matrices, boundary data, residuals. All signs are fixed here.
//!
//! ```text
//! div sigma + f = drag u,   sigma = mu (grad u + grad u^T) - p I,   div u = -l,   drag = 12 mu / depth^2 or 0
//!
//! [A B^T] [u]   [f]      A = 2 mu (eps(u), eps(v)) + drag (u, v)
//! [B  0 ] [p] = [g]      B = -(q, div u),   g = (q, l)
//! ```
//! `mu` is the liquid's viscosity but in the shallow model, where in the plane it is 1.1916 times that
//! ([`stokeslet_cad::design::DepthModel::Shallow`]) and the drag keeps the liquid's: sigma, and with it pressures, wall shear and
//! dissipation, are of the equations that are solved. Pressure is the physical pressure in Pa; flow rates are positive into the chip.
//!
//! What holds on walls and ports, and which unknowns that leaves, is in [`boundary`] alone.
//!
//! # Canonical coordinates
//! In a frame with unit of length `s` and rotation `R`, the unknowns are `R^T u` (m/s) and `s p / mu` (m/s). Then the matrices
//! are free of size, direction and viscosity: `A` has entries of order one and `B` of order one cell size, which is one.
//! Momentum rows are divided by `mu` and continuity rows by `s` (Ding 2019, section 4.3.9, in two dimensions).

pub mod boundary;
pub mod duct;
pub mod local;
pub mod local_vectors;
pub mod manufactured;
pub mod manufactured3;
pub mod manufactured_data;
pub mod piece;
pub mod section;
pub mod system;

pub use boundary::socket;
