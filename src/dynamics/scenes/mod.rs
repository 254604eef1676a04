//! What can be simulated, and the loop that does it.
//!
//! ```text
//! Scene --Simulation::new--> Simulation --frame (any solver)--> Frame { substeps, SolveLogs, divergence, volume }
//! ```

mod catalogue;
pub mod eckert;
mod scene;
mod simulation;

pub use catalogue::{AnyScene, SCENES, SceneEntry, scene2, scene3};
pub use scene::{Motion, Scene};
pub use simulation::{Frame, Simulation, SimulationError, Step};
