//! ParchMint netlists become designs: every component real geometry, every connection a link as long as its path.
//!
//! The files are netlists, whatever places they give: components are laid beside each other on the drawing, and connections are links
//! (joints without a place). Nothing is scaled, moved or widened in silence: what is assumed or left out is a warning with the place in the
//! file and a comment in the design.

mod emit;
mod entity;
mod layout;
mod read;

pub use read::Dialect;

use super::placeable::report_misplaced;
use crate::design::{Design, PortCondition};
use crate::library::Library;
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// What the importer may be told.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Width of connections where the file gives none, m; default 400 um.
    pub width: Option<f64>,
    /// What holds at ports, by the file's names; else the first of each island has 1 kPa and the others 0 Pa.
    pub drive: Vec<(String, PortCondition)>,
    /// Valves that are closed, by the file's names.
    pub close: Vec<String>,
}

/// A design made of another program's file.
#[derive(Clone, Debug)]
pub struct Imported {
    /// What was made.
    pub design: Design,
    /// The same as a file, with comments that say where it came from and what was assumed.
    pub text: String,
    /// The dialect that the file was read as, for people.
    pub dialect: &'static str,
    /// Metres of links that stand for connections of the file, all together; where every path was told.
    pub path_length: Option<f64>,
}

/// Reads a ParchMint file and makes a design of it.
///
/// - `text`: version 1.2, or v1 with or without `params.lambda`
/// - `name`: of the design
///
/// The design can be placed where no diagnostic is an error (codes D320 to D329, see the module of imports).
/// # Accuracy and cost
/// Lengths are those of the file, converted once. Linear in components and connections; 500 connections take well under a second.
pub fn parchmint(
    text: &str,
    name: &str,
    library: &Library,
    options: &Options,
) -> (Option<Imported>, Vec<Diagnostic>) {
    let mut out = Reporter::default();
    let netlist = read::read(text, &options.close, &mut out);
    let imported =
        netlist.and_then(|netlist| emit::emit(&netlist, name, library, options, &mut out));
    if let Some(imported) = &imported {
        report_misplaced(&imported.design, library, &mut out);
    }
    (imported.filter(|_| !out.has_errors()), out.diagnostics)
}
