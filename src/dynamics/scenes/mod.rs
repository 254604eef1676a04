//! What can be simulated, and the loop that does it.
//!
//! ```text
//! Scene --Simulation::new--> Simulation --frame (any solver)--> FrameLog { substeps, SolveLogs, divergence, volume }
//! ```

mod catalogue;
pub mod eckert;
pub mod file;
mod scene;
mod simulation;

pub use catalogue::{AnyScene, SCENES, SceneEntry, scene_file, scene2, scene3};
pub use scene::{Jet, Motion, Scene};
pub use simulation::{FrameLog, Simulation, SimulationError, Step};
