//! Drawings of 3DuF become designs: the flow layer united, cut at its ports, split into pipes and polygons.
//!
//! ```text
//! JSON --read--> channels, other shapes, ports --cut--> pipes, polygons, sockets --emit--> Design
//! ```
//! A drawing says where fluid is, hardly ever what is joined to what: connectivity is what touches. A stretch of one channel
//! that nothing else touches becomes a pipe; the rest of the union becomes polygons with sockets where pipes begin. A port is a hole:
//! its channels end at its edge, the hole itself isn't solved.

mod cut;
mod emit;
mod outline;
mod read;

pub(super) use read::is_drawing;

use super::placeable::report_misplaced;
use super::{Imported, Options};
use crate::library::Library;
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Reads a drawing of 3DuF and makes a design of its flow layer.
///
/// - `options`: `width` and `close` don't matter here
///
/// The design can be placed where no diagnostic is an error (codes D301, D313, D320, D321, D324, D326, D329, see the module of imports).
/// # Accuracy and cost
/// Walls are those of the union of what is drawn: areas agree to 1e-6 with it, holes of ports left out; arcs have a sagitta of a 200th of
/// their width. Channels times channels in the worst case; 100 take some milliseconds.
pub fn threeduf(
    text: &str,
    name: &str,
    library: &Library,
    options: &Options,
) -> (Option<Imported>, Vec<Diagnostic>) {
    let mut out = Reporter::default();
    let imported = read::read(text, &mut out).and_then(|drawing| {
        let pieces = cut::cut(&drawing, &mut out);
        emit::emit(&drawing, &pieces, name, options, &mut out)
    });
    if let Some(imported) = &imported {
        report_misplaced(&imported.design, library, &mut out);
    }
    (imported.filter(|_| !out.has_errors()), out.diagnostics)
}
