//! Networks of MMFT become designs: nodes as junctions where they lie, channels straight between them, pumps as ports.
//!
//! A pump sits on a channel of no resistance; that channel vanishes, and its inner node becomes a port of the pump's pressure or flow
//! rate. Channels whose `length` isn't the distance of their nodes, or that rise, become links. Channels keep
//! their heights; where these differ, junctions are as deep as their deepest channel and the full model becomes the shallow one.

mod emit;
mod laws;
mod read;

pub use laws::{Law, Laws, laws};

use super::parchmint::Imported;
use super::placeable::report_misplaced;
use crate::design::Design;
use crate::library::Library;
use stokeslet_base::diagnostic::{Diagnostic, Reporter};

/// Reads an MMFT file (network and simulation in one) and makes a design of it.
///
/// - `text`: JSON in SI units with `network` and `simulation`
/// - `name`: of the design
///
/// # Accuracy and cost
/// Coordinates and widths are those of the file. Linear in nodes and channels, n^2 where channels have lengths of their own.
pub fn mmft(text: &str, name: &str) -> (Option<Imported>, Vec<Diagnostic>) {
    let mut out = Reporter::default();
    let network = read::read(text, &mut out);
    let imported = network.and_then(|network| emit::emit(&network, name, &mut out));
    if let Some(imported) = &imported {
        report_misplaced(&imported.design, &Library::embedded(), &mut out);
    }
    (imported.filter(|_| !out.has_errors()), out.diagnostics)
}

/// What one-dimensional laws say of an MMFT file: flow rates into its ports, in the order of the design's.
///
/// # Errors
/// The diagnostics of [`mmft()`], where it can't be read.
pub fn mmft_laws(text: &str) -> Result<Laws, Vec<Diagnostic>> {
    let mut out = Reporter::default();
    let network = read::read(text, &mut out);
    match network.filter(|_| !out.has_errors()) {
        Some(network) => Ok(laws(&network)),
        None => Err(out.diagnostics),
    }
}

/// Chooses the model by the file's law: plane flow for `Poiseuille`, else three dimensions.
fn with_model(mut design: Design, is_plane: bool) -> Design {
    use crate::design::DepthModel;
    design.model = if is_plane {
        DepthModel::Planar
    } else {
        DepthModel::Full
    };
    design
}
