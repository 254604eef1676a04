//! Chip and settings into a solution: the flow of the whole chip, its fields, and files for other programs.
//!
//! ```text
//! Chip --canonical--> shapes --mesh--> meshes --stokes--> pieces on fronts, loads --session--> unknowns --field--> Solution --export--> files
//! ```
//! | module | turns what into what | may use |
//! | --- | --- | --- |
//! | [`fem`] | reference elements and quadrature in any dimension, no physics | |
//! | [`mesh`] | canonical shapes into canonical meshes: slices, grids, Delaunay; their dissection; their extrusion through the depth | `fem` |
//! | [`canonical`] | a chip into canonical shapes and where their copies lie | `mesh` |
//! | [`stokes`] | parts into pieces on fronts, port data into loads, residuals (all signs are fixed there) | `mesh`, `canonical` |
//! | [`field`] | unknowns into values: fields, samples, ports, conductance, shear of walls and floors | `stokes` |
//! | [`session`] | chip and settings into a [`session::Solution`]; batches, progress | all above |
//! | [`quantities`] | the table of what a flow is shown, written and read as: a row a quantity | `field` |
//! | [`kinds`] | a chip into its kinds of parts, as the method sees them | `canonical`, `field` |
//! | [`walls`] | fields into shear stress along every wall | `field` |
//! | [`probe`] | a solved flow into readings at points and profiles along lines | `session` |
//! | [`trace`] | a solved flow into streamlines | `probe` |
//! | [`export`] | solutions into other people's files: one file a format | `session`, `field` |
//!
//! Nothing here prints or starts threads of its own (work is put on the pool of whoever calls).

pub mod canonical;
pub mod export;
pub mod fem;
pub mod field;
pub mod kinds;
pub mod mesh;
pub mod probe;
pub mod quantities;
pub mod session;
pub mod stokes;
pub mod trace;
pub mod walls;
