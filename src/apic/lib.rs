//! Incompressible flow on particles and staggered (MAC) grids: PIC, FLIP, XPIC and APIC transfers in two and three dimensions, and the
//! Fourier analysis that says what each of them loses.
//!
//! ```text
//! Scene --Simulation--> move -> reseed -> particles to faces -> forces -> pressure -> faces to particles --> StepLog, Snapshot
//! kernel, transfer, places in a cell --fourier--> how much of every wave survives
//! ```
//!
//! | module | turns what into what | may use |
//! | --- | --- | --- |
//! | [`kernel`] | a place into nodes and weights | |
//! | [`grid`] | rectangles of cells into faces, ghosts included | |
//! | [`sides`] | what is in ghosts into what is inside, and back | `grid` |
//! | [`solid`] | bodies into open fractions and valid faces | `grid` |
//! | [`transfer`] | particles into velocities of faces, and back: **the methods** | `kernel`, `grid`, `sides` |
//! | [`project`] | velocities into those without divergence | `grid`, `sides`, `solid` |
//! | [`field`] | known flows into velocities, gradients, forces | |
//! | [`scene`], [`settings`], [`scenes`] | files into what is run | |
//! | [`world`] | a scene into the next step's state | all above |
//! | [`simulation`], [`measure`] | either dimension's world into logs, snapshots, checkpoints, energies, errors | `world` |
//! | [`fourier`] | transfers into eigenvalues and pictures of them | `world` |
//! | [`table`] | runs into rows beside what the thesis prints | all above |
//! | [`export`], [`picture`] | snapshots into files and pictures | `simulation` |
//! | `stepped` | all that into what lists and windows know of it | all above |
//!
//! Everything is generic over the dimension and bitwise equal for any number of threads. Nothing here prints, reads a clock or touches
//! files.
//!
//! # What is used of `stokeslet-dynamics`, and what isn't
//! Its lattices, open fractions of cut faces, shapes, matrices, multigrid, conjugate gradients, hashed numbers and charts are used as they
//! are; its multigrid learnt one rule more (`mg::Sides::Closed`: nothing is beyond the lattice, as at walls and periodic ends). Its `Mac`
//! grid and its `Geometry` are not: they are a cube from 0 to 1 whose outermost cells are walls, and ghosts, periodic ends and inflow
//! would touch all of the liquids' code for what is a page here.
//!
//! # To change X, open Y
//!
//! | I want to | open |
//! | --- | --- |
//! | add a transfer | [`transfer::Transfer`], its arm in `world.rs` (`grid_to_particles`) |
//! | add a condition at ends | [`sides::Condition`] (`mirror`, `across`), `project.rs` (`links`), [`scene::SideKind`] |
//! | add a known flow | [`field::Flow`] |
//! | add a scene | a file in `scenes/` and its row in `scenes.rs` |
//! | add a row to a table | `tables/` |
//!
//! Source: Ding, "Coupling, Conservation, and Performance in Numerical Simulations", PhD thesis, UC Riverside, 2019, chapter 3 and
//! appendix A, cited as \[004\].

pub mod export;
pub mod field;
pub mod fourier;
pub mod grid;
pub mod kernel;
pub mod measure;
pub mod particles;
pub mod picture;
pub mod project;
pub mod scene;
pub mod scenes;
pub mod seeding;
pub mod settings;
pub mod sides;
pub mod simulation;
pub mod solid;
mod stepped;
pub mod table;
pub mod transfer;
pub mod world;

pub use scene::Scene;
pub use settings::Settings;
pub use simulation::{CheckpointError, Simulation, Snapshot, StartError, StepLog};
pub use stokeslet_dynamics::scene_file::{SceneError, SceneFile};
pub use world::StepError;
