//! What came out, for people: tables beside the papers', charts, pictures, particles for other programs, checkpoints.
//!
//! Everything is made in memory; whoever calls writes files.

pub mod chart;
pub mod checkpoint;
pub mod compare;
pub mod figures;
pub mod frames;
pub mod measure;
pub mod npz;
pub mod paper;
pub mod picture;
pub mod shaded;
pub mod splitting;
pub mod still;
pub mod surface;
pub mod table;
pub mod vtk;
pub mod vtu;
