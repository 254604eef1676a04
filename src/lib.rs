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
//! # Crates
//! One crate a layer, each a folder of `src` with a `lib.rs` that maps it. A dependency that points up doesn't compile; `tests/layers.rs`
//! holds this table against the manifests.
//!
//! | crate | turns what into what | uses | knows nothing of |
//! | --- | --- | --- | --- |
//! | `stokeslet` | arguments into an exit code: `src/main.rs`, one file a subcommand in `src/cli/`; this facade for Rust users | all | |
//! | `python` | texts of designs into numpy arrays: the module of a wheel, tested by `.ci/python` | `base`, `cad`, `flow`, `study` | the command line |
//! | `web` | the window into a page of a browser (`src/web/build`); empty elsewhere | `flow`, `gui` | files, threads |
//! | `gui` | a document and what a user does into commands, pictures and files (feature `gui`) | `base`, `cad`, `flow`, `species`, `study`, `dynamics` | solvers' insides |
//! | `thesis` | a chip into its solution by the thesis's block rows: the second method behind [`session::Method`] | `base`, `cad`, `flow`, `fronts` (its algebra) | windows, files |
//! | `study` | a design with variables into many solutions: sweeps, derivatives, fits | `base`, `cad`, `flow`, `fronts` (its algebra), `species` | windows, the command line |
//! | `species` | a solved flow into dissolved species: concentrations, mixing, ages | `base`, `cad`, `flow`, `fronts` (its algebra) | windows, files, eliminations |
//! | `flow` | a chip into its solution, and that into other people's files | `base`, `cad`, `fronts` | components, windows, `thesis` |
//! | `cad` | text into a placed, checked chip | `base` | solvers |
//! | `fronts` | a symmetric system in pieces into its solution: **the method, explained there** | `base` | physics, meshes, chips |
//! | `apic` | flow on particles and staggered grids by PIC, FLIP, XPIC and APIC transfers, and their spectra (feature `dynamics`, as the next three) | `base`, `dynamics` | chips, windows, files |
//! | `particles` | particle fluids with rigid bodies, from scenes into snapshots | `base`, `dynamics` | chips, windows, files |
//! | `contact` | bodies, meshes and material points with friction, from scenes into snapshots | `base`, `dynamics` | chips, windows, files |
//! | `dynamics` | liquids that separate from walls, from scenes into frames; scene files, tables and pictures of its siblings | `base` | chips, windows, files |
//! | `base` | what all of these use: units, diagnostics, geometry, keys, cancelling, the table of results, loops on threads | | all of the above |
//!
//! Both features are on by default; `cargo build --no-default-features` builds the solver and its command line without window, X11 and
//! siblings.
//!
//! Absences, each worth keeping: `fronts` and `thesis::elimination` know no Stokes, meshes or chips; `flow::fem` no physics; `flow::mesh` no
//! components; `cad` no solver. Below the program nothing prints or starts threads of its own but the window (work is put on the
//! pool of whoever calls). Plans never see a float; shapes are recognised by integers; equal content has equal keys, so a result may
//! be shared by anything that asks for the same thing.
//!
//! # To change X, open Y
//!
//! | I want to | open |
//! | --- | --- |
//! | add a component | a file in `components/<family>/` (see its README); no Rust |
//! | add a unit | `base/units/table.rs` |
//! | add a key to design files | its row in `cad/design/keys.rs`; `cad/design/schema.rs`, `cad/design/sections.rs`, `cad/design/print.rs` |
//! | add a check of designs | `cad/chip/check.rs`, its code in the table of `cad/chip/place.rs` |
//! | add a condition at ports | [`chip::Condition`], `flow/stokes/boundary/mod.rs` (`classes`: which unknowns), `flow/stokes/boundary/socket.rs` (data); for block rows `thesis/blocks/lines.rs`, `thesis/boundary.rs` |
//! | add a kind of wall | [`shape::WallKind`], `flow/stokes/boundary/` (what each node may do there); its name is its word in designs |
//! | add a kind of post | [`shape::Hole`], its checks in `cad/library/posts.rs`, its vertices and curved edges in `flow/mesh/domain.rs`; forces on posts are `flow/field/drag.rs` |
//! | mesh a kind of shape better | `flow/mesh/`: one file a method, chosen in `flow/mesh/polygon.rs` |
//! | change what is done about sharp inner corners | `flow/mesh/grading.rs` (sizes of cells around them), `flow/session/arms.rs` (corners between parts) |
//! | change the unknowns across a channel | `flow/stokes/section.rs` |
//! | change what happens where two depths meet | `flow/stokes/section.rs` (`of_depths`), `flow/stokes/system.rs`; who refuses several depths asks `cad/chip/placed.rs` |
//! | change where a part's unknowns are eliminated | `flow/mesh/dissect.rs` (the cuts), `flow/mesh/separators.rs` (what goes where), `flow/stokes/piece/` (the fronts) |
//! | factorise or decompose a small matrix, or a sparse positive definite one | `fronts/algebra.rs` (compiled once for all crates) |
//! | change what is eliminated together, what is left to the network | `fronts/group/`, `flow/session/flow/ends.rs` (which pipes are parted) |
//! | change what is kept of a part for other chips | `flow/stokes/piece/canonical.rs`, its key in `flow/stokes/system.rs` (`make`) |
//! | change what is said of errors | `flow/session/estimate.rs`; gates on residual and balance: `flow/session/flow.rs`, `flow/session/measure.rs` |
//! | change the tables of a run | `cli/results_table.rs` (CSV), `cli/report.rs` (terminal) |
//! | ask an eliminated chip again | `flow/session/eliminated.rs` |
//! | change what counts as the same front | `fronts/plan.rs`, `flow/stokes/piece/leaf.rs` (`key`) |
//! | change how a front is factorised | `fronts/pivot.rs`, `fronts/compute.rs` |
//! | change block rows: owners, order, names | `thesis/blocks/connections.rs`, `thesis/elimination/order.rs`, `thesis/elimination/plan.rs` |
//! | change what three dimensions do otherwise | `flow/session/space.rs`, `flow/stokes/piece/space.rs` |
//! | add a quantity of the flow (shown, written and read like any other) | `flow/quantities.rs`: a function and a row |
//! | add an export format of results | a file in `flow/export/` and its row in `flow/export/mod.rs` |
//! | add a rule of fabrication | `cad/rules/process.rs` (its kind), `cad/rules/measure.rs`; a process is a file in `components/processes/` |
//! | read another program's files | a file in `cad/import/`, its row in `cad/import/format.rs` |
//! | draw netlists otherwise | `cad/drawing/`, mapped in its `mod.rs` |
//! | add a format of outlines | a file in `cad/outline/` and its row in `cad/outline/format.rs` |
//! | change how loops are shared out to threads | `base/parallel.rs`; those of contact's steps are in `contact/loops.rs` |
//! | see where the time of a solve goes | `solve --profile`; a stage or task of yours is a span of [`profile::Recorder`] |
//! | add a command of the window | `gui/command.rs`; what it does is in `gui/app/`, what it means for a design in `cad/edits/` |
//! | change what runs behind the window, on threads or between a page's frames | `gui/background.rs`; where a page's files come from and go to: `gui/files/memory.rs`, `flow/export/page.rs` |
//! | change what is drawn over the chip and not solved | `cad/design/overlays.rs`, `cad/edits/overlays.rs`, `gui/canvas/overlays.rs`; each format of `cad/outline/` writes it |
//! | add a panel | its row in `gui/panels/table.rs` |
//! | add a tool of the canvas, a way to see results | `gui/canvas/tools/`, `gui/results/` |
//! | change what a drag or a drawn channel means for a design | `cad/edits/`: one file an intention |
//! | change streamlines, stress along walls, readings at points, profiles | `flow/trace/`, `flow/walls/`, `flow/probe/`; what the command line writes of them: `cli/traces.rs` |
//! | ask many chips at once in the window | `gui/studies/` (asking, hearing), `gui/panels/study/`; variables have `gui/panels/variables.rs` |
//! | change how expressions of designs are read | `cad/design/variables/` |
//! | change what a study does, or takes from a solution | `study/plan.rs`, `study/run.rs`; `study/output.rs` |
//! | add a solver or a scene of liquids | a row in `dynamics/lcp/registry.rs`; a row in `dynamics/scenes/catalogue.rs` and a file in `dynamics/scenes/files/`; the window lists them by itself |
//! | add a shape or a setting to liquids' scene files | `dynamics/scenes/file/`, mapped in its `mod.rs` |
//! | add a splitting method or a tank | a row in `dynamics/splitting/registry.rs` or `dynamics/scenes/eckert/tank.rs`; the window lists them too |
//! | change what the window shows of liquids and of what else is stepped | `gui/liquids/`, mapped in its `mod.rs`; [`dynamics`] knows nothing of it |
//! | change what the window shows of dissolved species | `gui/species/`, mapped in its `mod.rs`; its panel is `gui/panels/species.rs` |
//! | change how dissolved species are followed | `species/lib.rs` maps it; their section of designs is `cad/design/species.rs`, their files are made in `cli/species.rs` |
//! | add a method of elimination | a type with [`session::Method`], its row in [`METHODS`] |
//! | add a sibling that is stepped frame by frame | a crate whose simulation is a [`dynamics::stepped::Sibling`] (as `contact/stepped.rs`), in `Cargo.toml`; its row in [`SYSTEMS`], its subcommand in `cli/args.rs` and `cli/mod.rs`; the window lists it by itself |
//! | add a subcommand | a file in `cli/` and its arm in `cli/args.rs` |
//!
//! # The method in one page
//! A chip is made of few shapes, most of them copies. Every shape is meshed once, in its own frame and in units of its own cell
//! size ([`mesh`]), and eliminated once on to its sockets, by a tree of dense fronts: lengths double in pipes, junctions and chambers are
//! dissected. Fronts are named by what they depend on, so equal ones, inside a part, between parts, between solves, are one.
//! Unknowns on sockets are kept in frames that turn and scale with the part: copies have equal matrices whatever their place,
//! direction, size and viscosity ([`stokes`]). Long pipes pass on a handful of numbers, so they fall into two ends, and a junction with
//! the ends at it is one more front, once a kind. What remains is a sparse network with a few unknowns a pipe. Substitution runs
//! through all copies of a part at once, as matrix products, and only where fields are wanted. The residual of the whole, computed
//! from the sparse canonical matrices and never from a front, is refined below 1e-10 or the solve fails. [`fronts`] explains it all, with
//! measured ranks and costs.
//!
//! Source: Ding, "Coupling, Conservation, and Performance in Numerical Simulations", PhD thesis, UC Riverside, 2019, chapter 4, whose
//! block rows are kept beside it ([`thesis`], `solve --method thesis`): another road to the same numbers, for
//! tests and for comparison. Chiefly new: whole parts eliminated before they meet, ends of low rank, the network, fronts by content.
//!
//! # Example
//! ```
//! use stokeslet::{chip, design, library::Library, session::Solver};
//!
//! let text = r#"
//! format = 1
//! fluid = { viscosity = "1 mPa s" }
//! chip = { model = "planar", width = "100 um", depth = "50 um" }
//! components = { p = { kind = "pipe", at = ["0 mm", "0 mm"], parameters = { length = "1 mm" } } }
//! ports = { in = { at = "p.a", pressure = "1 mbar" }, out = { at = "p.b", pressure = "0 Pa" } }
//! "#;
//! let (design, mistakes) = design::parse(text, "channel");
//! assert!(mistakes.is_empty());
//! let (chip, mistakes) = chip::place(&design.expect("no mistakes"), &Library::embedded());
//! assert!(mistakes.is_empty());
//! let chip = chip.expect("no mistakes");
//! let solution = Solver::new(&chip).resolution(16).solve()?;
//! // w^3 d dp / (12 mu L) = 0.4167 uL/s
//! assert!((solution.ports[0].flow_rate / 4.166_666_667e-10 - 1.0).abs() < 1e-9);
//! # Ok::<(), stokeslet::session::SolveError>(())
//! ```

pub use stokeslet_base::{cancel, diagnostic, fingerprint, geometry, profile, table, units};
pub use stokeslet_cad::{chip, design, drawing, edits, import, library, outline, rules, shape};
pub use stokeslet_flow::{
    canonical, export, fem, field, kinds, mesh, probe, quantities, session, stokes, trace, walls,
};
pub use stokeslet_fronts as fronts;
pub use stokeslet_species as species;
pub use stokeslet_study as study;
pub use stokeslet_thesis as thesis;
#[cfg(feature = "dynamics")]
pub use {
    stokeslet_apic as apic, stokeslet_contact as contact, stokeslet_dynamics as dynamics,
    stokeslet_particles as particles,
};

/// The methods that a chip can be eliminated by, the usual one first; their names are those of `solve --method`.
pub static METHODS: [&dyn session::Method; 3] =
    [&session::Fronts, &thesis::EVEN_SPLIT, &thesis::CONNECTIONS];

/// The systems whose scenes are stepped frame by frame, by command line and window alike.
#[cfg(feature = "dynamics")]
pub static SYSTEMS: [&dyn dynamics::stepped::System; 4] = [
    &dynamics::stepped::Of::<particles::Simulation>::ROW,
    &dynamics::stepped::Of::<contact::Simulation>::ROW,
    &dynamics::stepped::Of::<apic::Simulation>::ROW,
    &dynamics::stepped::Of::<dynamics::scenes::file::LiquidRun>::ROW,
];

/// The system of a name.
#[cfg(feature = "dynamics")]
pub fn system(name: &str) -> Option<&'static dyn dynamics::stepped::System> {
    SYSTEMS.into_iter().find(|system| system.name() == name)
}
