//! Incompressible particle fluids, rigid bodies and their contacts, solved as one set of constraints on velocities.
//!
//! The method of Miyamoto and Koshizuka: every fluid particle asks that its number density stay, every contact that it not close; both ask it of
//! velocities and answer with impulses that only push. So one solver does them all, strongly coupled.
//! ```text
//! scene      TOML -> Scene                      scenes     the built-in ones
//! fill       Scene -> particles                 settings   numerical choices
//! cells      points -> neighbours               kernel     distances -> number density
//! constraints  positions -> rows                body       particles -> mass, poses
//! sweep      projected Gauss-Seidel             product    products with the matrix of rows
//! solve      rows -> impulses                   world      one step
//! simulation what callers hold: steps, snapshots, checkpoints
//! measure    snapshots -> numbers               table      the paper's figures beside ours
//! export     snapshots -> VTU, PLY              pms        the paper's comparator
//! stepped    what lists and windows know of it
//! ```
//! Guarantees: the same result to the bit for any number of threads, and after a checkpoint; no impulse pulls; a step that fails leaves the
//! last good state. Nothing here prints, reads a clock or starts a thread: work goes to the caller's pool. Start at [`Simulation`].
//!
//! Which solver: sweeps (the default, warm, over-relaxed) for play; [`Solver::Subspace`] for deep tanks and large ratios of mass, where sweeps slow
//! down (1,000 to 1 stands with about 120 products a step; `tests/studies.rs`: `ratios_of_mass`); [`Solver::ActiveSet`] is sometimes least work in
//! tanks, but lets that stack fall.
//!
//! Limits: no negative pressure, no surface tension; viscosity acts in the fluid and at walls, not on bodies; with friction every solver sweeps;
//! work a particle still grows with depth, since conjugate gradients have only the diagonal as preconditioner; a fluid settles denser than
//! its lattice, so levels sink by 2 % in the first second. A coarse grid doesn't help, as measured in a settled tank
//! (`benches/siblings/README.md`): on a lattice, pressures of alternating sign push nobody, and no coarse grid can show them.
//! ```
//! use stokeslet_particles::{Settings, Simulation, scenes};
//! let scene = scenes::find("hydrostatic").unwrap().scene();
//! let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
//! let log = simulation.step().unwrap();
//! assert!(log.residual.is_finite() && simulation.snapshot().fluid.len() == 25 * 13);
//! ```

pub mod body;
pub mod cells;
mod constraints;
pub mod export;
mod fill;
pub mod kernel;
pub mod measure;
pub mod pms;
mod product;
pub mod scene;
pub mod scenes;
pub mod settings;
pub mod simulation;
pub mod solve;
mod stepped;
mod sweep;
pub mod table;
mod vector;
mod world;

pub use scene::Scene;
pub use settings::{Coupling, Settings, Solver, Start};
pub use simulation::{Simulation, Snapshot, StepError, StepLog};
pub use solve::Status;
pub use stokeslet_dynamics::scene_file::{SceneError, SceneFile};
