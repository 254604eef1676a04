//! The window: a document and what a user does become commands, pictures and files.
//!
//! ```text
//!  pointer, keys, menus --views read--> ViewContext (document, layout, selection, results, settings)
//!        |                                ^
//!        v                                |
//!   Vec<Command> --app.rs--> Document (text, undo) --> Layout (placed, checked) --> Worker (solve, rasterise) --> Results
//!        |                       ^ cad::edits: intentions into changes of the text     stale work is cancelled and dropped
//!        +--> files/: open, save, autosave, export, pictures
//! ```
//! A frame has four steps: drain what the workers say, draw (views push [`Command`]s), apply the commands, schedule work. Views
//! never change the document; whatever changes it is a [`Command`], so menus, shortcuts, the palette of commands, tests and
//! undo all speak of the same things. Nothing in a frame waits: what takes over some milliseconds is work for another thread.
//!
//! | module | turns what into what |
//! | --- | --- |
//! | [`app`] | events and commands into the next state: the loop itself |
//! | [`command`] | the list of everything that can be done, with labels |
//! | `keys` | which keys ask for which commands |
//! | [`document`], [`history`] | text and edits into a design, its layout, and the way back |
//! | [`canvas`] | the chip view: `scene` what to show (pure), `paint` how, `tools` what pointers do |
//! | [`liquids`] | the other workspace: scenes into frames that are seen while solvers are chosen; **mapped there** |
//! | [`results`] | solutions into pictures and numbers: rasters, arrows, streamlines, probes; the worker that solves |
//! | [`studies`] | the design and a question (sweep, goals, what each 1 % does) into answers: **mapped there** |
//! | [`species`] | a solved flow and what is dissolved in it into concentrations, sections, tracers that flow; **mapped there** |
//! | [`panels`] | everything around the canvas: read-only state in, commands out |
//! | `background` | threads that compute and give way to the one that draws |
//! | [`files`] | dialogs, recent files, autosave, settings, exports: what touches the disk |
//! | [`words`] | labels and reasons into sentences |
//!
//! Undo keeps whole texts of the design, so undoing gives the same bytes, comments and all.

pub mod app;
mod background;
pub mod canvas;
pub mod command;
pub mod context;
pub mod document;
pub mod files;
pub mod history;
mod keys;
pub mod liquids;
pub mod panels;
pub mod results;
pub mod species;
pub mod studies;
pub mod words;

#[cfg(not(target_arch = "wasm32"))]
pub use app::run;
pub use app::{App, Start};
pub use command::Command;
pub use context::{Selection, Tool, ViewContext, Workspace};
pub use document::Document;
