//! Frictional contact between rigid bodies, deformable meshes and material points, in one implicit step.
//!
//! A particle that has sunk into an object is pulled back by a spring to an attachment on its surface. The attachment holds (static
//! friction) or slides until the spring lies in Coulomb's cone (dynamic friction); it lasts from step to step in the object's own
//! frame, so a pile at rest never creeps. Everything that touches is solved together, friction too, by a Newton method for systems
//! that aren't symmetric.
//!
//! ```text
//! text --scene--> Scene --assemble--> model + state --step--> state, StepLog --snapshot--> Snapshot --export--> PLY, VTU
//!                                        |                      ^
//!      particles, objects --contact--> pairs --system (krylov, direct)--> g, direction --newton
//! ```
//!
//! | module | turns what into what | may use |
//! | --- | --- | --- |
//! | [`real`] | numbers into numbers with derivatives | |
//! | [`shape`], [`mesh`], [`walk`] | an attachment and a particle into the relaxed attachment | `real` |
//! | [`mesh_file`], [`closed`] | STL, OBJ and PLY files into solids: moments, points and cells inside | `real`, `generate` |
//! | [`material`] | a deformation gradient into a stress | `real` |
//! | `loops` | many into results in order, on threads where it pays | |
//! | `grid` | material points into a grid and back | `material`, `loops` |
//! | `broad` | places into the particles that may reach an object | `model`, `mesh`, `loops` |
//! | [`contact`] | places into pairs that touch, with forces and derivatives | `walk`, `mesh`, `shape`, `model`, `broad`, `loops` |
//! | [`krylov`], `direct` | a linear system into its solution | `loops` |
//! | `system` | a change of velocities into a residual, its derivative, a direction | `contact`, `grid`, `material`, `krylov`, `direct`, `loops` |
//! | [`newton`] | a system into its solution, with a status | `system` |
//! | [`scene`], [`scenes`], `assemble` | TOML into bodies | `generate`, `stokeslet-dynamics` |
//! | [`simulation`] | a scene into steps, logs, checkpoints | all above |
//! | [`snapshot`], [`mod@export`], [`table`] | a run into pictures' data, files, rows beside the paper's | `simulation` |
//! | `stepped` | all that into what lists and windows know of it | all above |
//!
//! Nothing here prints, reads a clock, touches files or starts threads: loops over many points run on the caller's pool, with the
//! same bits for any number of threads.
//!
//! Of others: `rstar` finds the triangles near a particle, `nalgebra` has the small matrices, `faer` the sparse LU of vertices, `wide` and `pulp` the
//! registers. A GMRES that stops inside a cycle with its residual known and vectors of either precision is `krylov`'s own.
//!
//! Paper: Ding, "Coupling, Conservation, and Performance in Numerical Simulations", 2019, chapter 2.
//!
//! # To change X, open Y
//!
//! | I want to | open |
//! | --- | --- |
//! | add a level set | an arm in `shape.rs`, one in `scene.rs` and `assemble.rs` |
//! | add a material | an arm in `material.rs` |
//! | change how stiff a particle's contacts are | `assemble.rs`, `stiffness_of` |
//! | change how friction relaxes on meshes | `walk.rs` |
//! | change the linear solver | `system/linear.rs`, [`Preconditioner`]; what GMRES multiplies with on the grid is in `grid/single.rs` |
//! | read another format of meshes | an arm in `mesh_file.rs` |
//! | add a scene | a file in `scenes/` and its line in `scenes.rs` |
//! | change what another size of a scene sets | `scene/size.rs` |
//! | add an export | a file in `export/` |
//! | change what a step does that stalls | `simulation/advance.rs` |
//! | change how a hand holds a body | `simulation/hand.rs` |
//! | change when bodies come in | `scene/arrival.rs`, `simulation/arrive.rs` |
//!
//! # Example
//! ```
//! use stokeslet_contact::{Settings, Simulation, SolveStatus, scene::Quantity, scenes};
//! let scene = scenes::find("plane_r_slide").unwrap().scene();
//! let mut simulation = Simulation::new(&scene, &Settings::default())?;
//! while simulation.time() < 0.1 {
//!     let log = simulation.step();
//!     assert_eq!(log.solve.status, SolveStatus::Converged);
//! }
//! let travel = simulation.quantity("cube", Quantity::Travel, None).unwrap();
//! assert!((travel - 0.0105).abs() < 2e-4, "{travel}");
//! # Ok::<(), stokeslet_contact::StartError>(())
//! ```

mod assemble;
mod broad;
pub mod closed;
pub mod contact;
mod direct;
pub mod export;
pub mod generate;
mod grid;
pub mod krylov;
mod loops;
pub mod material;
pub mod mesh;
pub mod mesh_file;
pub mod model;
pub mod newton;
pub mod real;
pub mod scene;
pub mod scenes;
pub mod shape;
pub mod simulation;
pub mod snapshot;
pub mod state;
mod stepped;
mod system;
pub mod table;
#[cfg(test)]
mod testing;
pub mod walk;

pub use model::{Coupling, Kind};
pub use newton::{NewtonSettings, Preconditioner, SolveLog, SolveStatus};
pub use scene::Scene;
pub use simulation::{Checkpoint, Settings, Simulation, StartError, StepLog};
pub use snapshot::Snapshot;
pub use stokeslet_dynamics::scene_file::{SceneError, SceneFile};
