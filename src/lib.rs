//! Stokeslet designs microfluidic chips and solves the real Stokes flow of the whole chip.
//!
//! This page is the architecture: what turns into what, where it lives, and what to open to change a thing.
//!
//! ```text
//! design file --parse--> Design --place--> Chip --canonical shapes--> pieces and what they share
//!                                 ^         |  (each shape meshed once)      | plan: kinds of fronts, named by content
//!                         component library |                                v compute: each kind once, on a work-stealing pool
//!                                           |                          groups of junctions and pipe ends, a small network
//!                                           |                                | substitute all copies at once, refine
//!                 pictures, tables, VTU <-- Solution <-- ports, fields, wall shear <-- unknowns of every copy
//! ```
//!
//! # Modules
//! Each level may use those below it, never those above.
//!
//! | level | module | turns what into what |
//! | --- | --- | --- |
//! | 5 | `main`, `cli` (the program) | arguments into an exit code: one file a subcommand |
//! | 5 | [`gui`] | a document and what a user does into commands, pictures and files: **mapped there** |
//! | 4 | [`session`] | chip and settings into a [`session::Solution`]; batches, progress, cancelling |
//! | 3 | [`stokes`] | parts into pieces on fronts, port data into loads, residuals (all signs are fixed there) |
//! | 3 | [`field`] | unknowns into values: fields, samples, ports, conductance, wall shear |
//! | 3 | [`export`], [`import`] | solutions and designs into other people's files, and back: one file a format |
//! | 2 | [`chip`] | design and library into a placed, checked [`chip::Chip`]; [`chip::blocks`] cuts it into blocks and rows |
//! | 2 | [`outline`] | a chip's walls into other people's files, arcs as arcs: no mesh, no solve |
//! | 2 | [`mesh`] | canonical shapes into canonical meshes: slices, grids, Delaunay; their dissection; their extrusion through the depth |
//! | 2 | [`fem`] | reference elements and quadrature in any dimension, no physics |
//! | 2 | [`fronts`] | a symmetric system in pieces into its solution, no physics, no meshes: **the method, explained there** |
//! | 2 | [`liquid`] | liquids that come off the wall: scenes into frames, pressure problems into solutions; **mapped there** |
//! | 2 | [`elimination`] | a symmetric system of block rows into its solution: the thesis's method; and the table of results |
//! | 1 | [`design`] | text into a [`design::Design`] and back; comments survive |
//! | 1 | [`library`] | component definitions and parameters into shapes and sockets |
//! | 1 | [`geometry`] | points, rigid motions, quantisation, outlines |
//! | 0 | [`units`], [`diagnostic`], [`fingerprint`] | quantities, users' mistakes as values, 128-bit keys of content |
//! | 0 | [`profile`] | spans of work into tables and traces; enters no result |
//!
//! Absences, each worth keeping: `fronts` and `elimination` know no Stokes, meshes or chips; `fem` no physics; `mesh` no components;
//! `library` no solver. Below level 4 nothing prints or starts threads of its own (work is put on the pool of whoever calls).
//! Plans never see a float; shapes are recognised by integers; equal content has equal keys, so a result may be shared by
//! anything that asks for the same thing.
//!
//! # To change X, open Y
//!
//! | I want to | open |
//! | --- | --- |
//! | add a component | a file in `components/<family>/` (see its README); no Rust |
//! | add a unit | `units/table.rs` |
//! | add a key to design files | `design/schema.rs`, `design/sections.rs`, `design/print.rs` |
//! | add a check of designs | `chip/check.rs`, its code in the table of `chip/place.rs` |
//! | add a boundary condition | [`chip::Condition`], `stokes/system.rs` (`classify`: which unknowns), `stokes/mouth.rs` (data); for block rows `chip/blocks/lines.rs`, `stokes/boundary.rs` |
//! | mesh a kind of shape better | `mesh/`: one file a method, chosen in `mesh/polygon.rs` |
//! | change the unknowns across a channel | `stokes/section.rs` |
//! | change where a part's unknowns are eliminated | `mesh/dissect.rs` (the cuts), `mesh/separators.rs` (what goes where), `stokes/piece/` (the fronts) |
//! | change what is eliminated together, what is left to the network | `fronts/group/`, `session/flow/ends.rs` (which pipes are parted) |
//! | change what is kept of a part for other chips | `stokes/piece/canonical.rs`, its key in `stokes/system.rs` (`make`) |
//! | ask an eliminated chip again | `session/eliminated.rs` |
//! | change what counts as the same front | `fronts/plan.rs`, `stokes/piece/leaf.rs` (`key`) |
//! | change how a front is factorised | `fronts/pivot.rs`, `fronts/compute.rs` |
//! | change block rows: owners, order, names | `chip/blocks/connections.rs`, `elimination/order.rs`, `elimination/plan.rs` |
//! | change what three dimensions do otherwise | `session/space.rs`, `stokes/piece/space.rs` |
//! | add an export format | a file in `export/` and its row in `export/mod.rs` |
//! | add a format of outlines | a file in `cad/outline/` and its row in `cad/outline/format.rs` |
//! | see where the time of a solve goes | `solve --profile`; a stage or task of yours is a span of [`profile::Recorder`] |
//! | add a command of the window | `gui/command.rs`; what it does is in `gui/app/`, what it means for a design in `gui/edits/` |
//! | add a panel, a tool of the canvas, a way to see results | `gui/panels/`, `gui/canvas/tools/`, `gui/results/` |
//! | add a solver or a scene of liquids | a row in `liquid/lcp/registry.rs` or `liquid/scenes/catalogue.rs`; the window lists them by itself |
//! | add a splitting method or a tank | a row in `liquid/splitting/registry.rs` or `liquid/scenes/eckert/tank.rs`; the window lists them too |
//! | change what the window shows of liquids | `gui/liquids/`, mapped in its `mod.rs`; [`liquid`] knows nothing of it |
//! | add a subcommand | a file in `cli/` and its arm in `cli/args.rs` |
//!
//! # The method in one page
//! A chip is made of few shapes, most of them copies. Every shape is meshed once, in its own frame and in units of its own cell
//! size ([`mesh`]), and eliminated once on to its mouths, by a tree of dense fronts: lengths double in pipes, junctions and chambers are
//! dissected. Fronts are named by what they depend on, so equal ones, inside a part, between parts, between solves, are one.
//! Unknowns on mouths are kept in frames that turn and scale with the part: copies have equal matrices whatever their place,
//! direction, size and viscosity ([`stokes`]). Long pipes pass on a handful of numbers, so they fall into two ends, and a junction with
//! the ends at it is one more front, once a kind. What remains is a sparse network with a few unknowns a pipe. Substitution runs
//! through all copies of a part at once, as matrix products, and only where fields are wanted. The residual of the whole, computed
//! from the sparse canonical matrices and never from a front, is refined below 1e-10 or the solve fails. [`fronts`] explains it all, with
//! measured ranks and costs.
//!
//! Source: Ding, "Coupling, Conservation, and Performance in Numerical Simulations", PhD thesis, UC Riverside, 2019, chapter 4, whose
//! block rows are kept beside it ([`elimination`], [`session::Method::Rows`]): another road to the same numbers, for
//! tests and for comparison. Chiefly new: whole parts eliminated before they meet, ends of low rank, the network, fronts by content.
//!
//! # Example
//! ```
//! use stokeslet::{cancel::CancelToken, chip, design, library::Library, session, table::Table};
//!
//! let text = r#"
//! format = 1
//! fluid = { viscosity = "1 mPa s" }
//! chip = { width = "100 um", depth = "50 um" }
//! components = { p = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "1 mm" } } }
//! ports = { in = { at = "p.a", pressure = "1 mbar" }, out = { at = "p.b", pressure = "0 Pa" } }
//! "#;
//! let (design, mistakes) = design::parse(text, "channel");
//! assert!(mistakes.is_empty());
//! let (chip, mistakes) = chip::place(&design.expect("no mistakes"), &Library::embedded());
//! assert!(mistakes.is_empty());
//! let settings = session::SolveSettings::default();
//! let solution = session::solve(
//!     &chip.expect("no mistakes"), &settings, &Table::default(), &session::progress::silent, &CancelToken::new(),
//! )?;
//! // w^3 d dp / (12 mu L) = 0.4167 uL/s
//! assert!((solution.ports[0].flow_rate / 4.166_666_667e-10 - 1.0).abs() < 1e-9);
//! # Ok::<(), session::SolveError>(())
//! ```

pub use stokeslet_base::{cancel, diagnostic, fingerprint, geometry, profile, table, units};
pub use stokeslet_cad::{chip, design, import, library, outline, shape};
#[cfg(feature = "dynamics")]
pub use stokeslet_dynamics as dynamics;
pub use stokeslet_flow::{
    blocks, canonical, elimination, export, fem, field, mesh, session, stokes,
};
pub use stokeslet_fronts as fronts;
