//! Frictional contact between rigid bodies, deformable meshes and material points.

mod assemble;
pub mod contact;
pub mod export;
pub mod generate;
mod grid;
pub mod krylov;
pub mod material;
pub mod mesh;
pub mod model;
pub mod newton;
pub mod real;
pub mod scene;
pub mod scenes;
pub mod shape;
pub mod simulation;
pub mod snapshot;
pub mod state;
mod system;
pub mod table;
#[cfg(test)]
mod testing;
pub mod walk;

pub use model::{Coupling, Kind};
pub use newton::{NewtonSettings, Preconditioner, SolveLog, SolveStatus};
pub use scene::{Scene, SceneError};
pub use simulation::{Checkpoint, Settings, Simulation, StartError, StepLog};
pub use snapshot::Snapshot;
