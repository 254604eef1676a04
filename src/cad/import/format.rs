//! Which format a JSON file has, and reading it whatever it is.

use serde_json::Value;
use stokeslet_base::diagnostic::Diagnostic;

use super::{Imported, Options};
use crate::design;
use crate::library::Library;

/// A format that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Nodes, channels, inlets and outlets: [`super::network`].
    Network,
    /// [`super::parchmint()`].
    ParchMint,
    /// [`super::mmft()`].
    Mmft,
    /// [`super::threeduf()`].
    Drawing,
}

/// The format of a file by its keys; what isn't recognised is a plain network, whose reader says what is wrong with it.
pub fn format_of(text: &str) -> Format {
    let Ok(Value::Object(root)) = serde_json::from_str::<Value>(text) else {
        return Format::Network;
    };
    let has = |key: &str| root.contains_key(key);
    let is_in = |node: &Value, key: &str| {
        let node = node.get("nodes").and_then(|nodes| nodes.get(0));
        node.is_some_and(|node| node.get(key).is_some())
    };
    if has("network") || has("simulation") || is_in(&Value::Object(root.clone()), "x") {
        Format::Mmft
    } else if super::threeduf::is_drawing(&root) {
        Format::Drawing
    } else if has("components") || has("connections") || has("layers") {
        Format::ParchMint
    } else {
        Format::Network
    }
}

/// Reads a file of any of the formats and makes a design of it, called `name`.
///
/// The design can be placed where no diagnostic is an error. Codes are those of the module of imports; spans are bytes of `text`.
pub fn read(
    text: &str,
    name: &str,
    library: &Library,
    options: &Options,
) -> (Option<Imported>, Vec<Diagnostic>) {
    match format_of(text) {
        Format::ParchMint => super::parchmint(text, name, library, options),
        Format::Drawing => super::threeduf(text, name, library, options),
        Format::Mmft => super::mmft(text, name),
        Format::Network => {
            let (network, diagnostics) = super::network(text, name);
            let imported = network.map(|design| Imported {
                text: design::print(&design),
                design,
                dialect: "a plain network",
                path_length: None,
            });
            (imported, diagnostics)
        }
    }
}
