//! Stokeslet designs microfluidic chips and solves the real Stokes flow of the whole chip.
//!
//! This page is the architecture: what turns into what, where it lives, and what to open to change a thing.
//!
//! ```text
//! design file --parse--> Design --place--> Chip --cut--> BlockModel --system--> matrix blocks by name
//!                                 ^         |  (each shape meshed once)                  | plan: integers only
//!                         component library |                                           v run: on a work-stealing pool
//!                                           |                                     Elimination (factors)
//!                                           |                                           | substitute, refine
//!                 pictures, tables, VTU <-- Solution <-- ports, fields, wall shear <-- rows of unknowns
//! ```
//!
//! # Modules
//! Each level may use those below it, never those above.
//!
//! | level | module | turns what into what |
//! | --- | --- | --- |
//! | 5 | `main`, `cli` (the program) | arguments into an exit code: one file a subcommand |
//! | 4 | [`session`] | chip and settings into a [`session::Solution`]; batches, progress, cancelling |
//! | 3 | [`stokes`] | block meshes and boundary data into matrices, loads, residuals (all signs are fixed there) |
//! | 3 | [`field`] | unknowns into values: fields, samples, ports, conductance, wall shear |
//! | 3 | [`export`], [`import`] | solutions and designs into other people's files, and back: one file a format |
//! | 2 | [`chip`] | design and library into a placed, checked [`chip::Chip`]; [`chip::blocks`] cuts it into blocks and rows |
//! | 2 | [`mesh`] | canonical shapes into canonical meshes and blocks: slices, grids, Delaunay layers |
//! | 2 | [`fem`] | reference elements and quadrature in any dimension, no physics |
//! | 2 | [`elimination`] | a symmetric block system into its solution, no physics, no meshes |
//! | 1 | [`design`] | text into a [`design::Design`] and back; comments survive |
//! | 1 | [`library`] | component definitions and parameters into shapes and sockets |
//! | 1 | [`geometry`] | points, rigid motions, quantisation, outlines |
//! | 0 | [`units`], [`diagnostic`], [`fingerprint`] | quantities, users' mistakes as values, 128-bit keys of content |
//! | 0 | [`profile`] | spans of work into tables and traces; enters no result |
//!
//! Absences, each worth keeping: `elimination` knows no Stokes, meshes or chips; `fem` no physics; `mesh` no components;
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
//! | add a boundary condition | [`chip::Condition`], `chip/blocks/lines.rs` (which unknowns), `stokes/boundary.rs` (data) |
//! | mesh a kind of shape better | `mesh/`: one file a method, chosen in `mesh/polygon.rs` |
//! | change who owns an unknown | `chip/blocks/connections.rs`, or the thesis's rule in `chip/blocks/even_split.rs` |
//! | change what three dimensions do otherwise | `session/space.rs`, `stokes/piece/space.rs` |
//! | change the elimination order | `elimination/order.rs` |
//! | change what counts as the same matrix | `elimination/plan.rs`, `stokes/assemble.rs` |
//! | add an export format | a file in `export/` and its row in `export/mod.rs` |
//! | see where the time of a solve goes | `solve --profile`; a stage or task of yours is a span of [`profile::Recorder`] |
//! | add a subcommand | a file in `cli/` and its arm in `cli/args.rs` |
//!
//! # The method in one page
//! A chip is made of few shapes, most of them copies. Every shape is meshed once, in its own frame and in units of its own cell
//! size, and cut into blocks: slices of a pipe, strips or layers of a junction ([`mesh`]). Unknowns are kept in frames that turn
//! and scale with the blocks, so copies have equal matrices whatever their place, direction, size and viscosity ([`stokes`]).
//! Rows of the block system are the interiors of blocks and the lines where blocks meet ([`chip::blocks`]); matrix blocks are
//! named by what they depend on. The elimination is planned on names: condensation, cyclic reduction along pipes, junctions,
//! separators, each essentially different operation once ([`elimination`]). Long pipes pass on a handful of numbers, so their
//! ends are coupled through low-rank factors, and what remains is a small network in COLAMD order. The planned operations run on
//! all cores; substitution gives the unknowns, and the residual of the whole, computed from the sparse canonical matrices and
//! never from the elimination's own, is refined below 1e-10 or the solve fails.
//!
//! Source: Ding, "Coupling, Conservation, and Performance in Numerical Simulations", PhD thesis, UC Riverside, 2019, chapter 4.
//! Where this differs, the item says so; chiefly rows are interiors and connections rather than blocks that split their
//! connections evenly (that rule is kept as [`session::Ownership::EvenSplit`]), and the low-rank stage is new.
//!
//! # Example
//! ```
//! use stokeslet::{chip, design, elimination::Table, library::Library, session};
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
//!     &chip.expect("no mistakes"), &settings, &Table::default(), &session::progress::silent, &session::CancelToken::new(),
//! )?;
//! // w^3 d dp / (12 mu L) = 0.4167 uL/s
//! assert!((solution.ports[0].flow_rate / 4.166_666_667e-10 - 1.0).abs() < 1e-9);
//! # Ok::<(), session::SolveError>(())
//! ```

pub mod chip;
pub mod design;
pub mod diagnostic;
pub mod elimination;
pub mod export;
pub mod fem;
pub mod field;
pub mod fingerprint;
pub mod fronts;
pub mod geometry;
pub mod import;
pub mod library;
pub mod mesh;
pub mod profile;
pub mod session;
pub mod stokes;
pub mod units;
