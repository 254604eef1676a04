//! Incompressible liquids that separate from walls: the sibling solvers, beside the chip's and independent of it.
//!
//! A liquid in a container sticks to its walls if the pressure is found from a linear system: `u . n = 0` holds it there. Here the
//! pressure only pushes, `0 <= p  perp  u . n >= 0`, which makes each pressure solve a linear complementarity problem. The
//! literature's methods for it are all here, behind one trait, with what beats them.
//!
//! ```text
//! Scene --scenes--> Simulation --pressure--> Lcp --lcp: any solver by name--> Solution { p, SolveLog }
//!                       ^                                                          |
//!                       +-------------- velocities without divergence <--pressure--+
//! ```
//!
//! | module | turns what into what | may use |
//! | --- | --- | --- |
//! | [`awake`] | threads that would sleep between light loops into ones that don't | |
//! | [`grid`] | lattices, staggered velocities, level sets of bodies, open fractions | |
//! | [`linear`] | sparse symmetric systems into solutions: sweeps, conjugate gradients | |
//! | [`particles`] | particles into level sets and velocities, and back | `grid` |
//! | [`mg`] | a system on cells into a hierarchy, and its cycles | `grid`, `linear` |
//! | [`lcp`] | a complementarity problem into a solution: **one trait, one table of solvers** | `mg`, `linear` |
//! | [`pressure`] | velocities and level sets into a problem, its solution into velocities | `lcp`, `mg`, `grid` |
//! | [`splitting`] | flags and velocities into velocities that mind divergence and walls in turn (\[003\]) | `lcp`, `mg`, `pressure` |
//! | [`scenes`] | the papers' scenes, and the loop | all above |
//! | [`report`] | runs into tables beside the papers', charts, pictures, checkpoints | all above |
//! | [`scene_file`] | text into the scenes of the systems beside this one (`apic`, `particles`, `contact`), with what is wrong in them | |
//! | [`stepped`] | those systems into runs that anyone can list, step, draw and keep, without knowing which it is | `scene_file`, `report` |
//!
//! Everything is generic over the dimension (2 and 3) and bitwise equal for any number of threads. Nothing here prints, reads a
//! clock or touches files.
//!
//! Papers, by the tags used throughout:
//! - `[000]` Lai, "Fast and Scalable Solvers for the Fluid Pressure Equations with Separating Solid Boundary Conditions", 2021
//! - `[001]` Chentanez and Mueller, "A Multigrid Fluid Pressure Solver Handling Separating Solid Boundary Conditions", 2011
//! - `[003]` Eckert, "Flexible Boundary Conditions for Fluid Solvers Based on Proximal Operators", 2014
//!
//! # To change X, open Y
//!
//! | I want to | open |
//! | --- | --- |
//! | add a solver | a file in `lcp/` and its row in `lcp/registry.rs` |
//! | add a splitting method | an arm in `splitting/project.rs` and its row in `splitting/registry.rs` |
//! | add a scene | a function and a row in `scenes/catalogue.rs` |
//! | change who may leave the wall | [`pressure::Separation`] |
//! | change interpolation at walls | `mg/transfer.rs` |
//! | change a step of the loop | `scenes/simulation.rs` |
//! | add a table of \[000\] or \[001\] | a row in `report/paper.rs` |
//! | change how scene files are read, or what is said of mistakes in them | `scene_file.rs` |
//! | add a table of \[003\] | a function and a row in `scenes/eckert/tables/`, its picture in `report/splitting.rs` |

pub mod awake;
pub mod grid;
pub mod lcp;
pub mod linear;
pub mod mg;
pub mod particles;
pub mod pressure;
pub mod report;
pub mod scene_file;
pub mod scenes;
pub mod splitting;
pub mod stepped;
