//! Which format a JSON file has.

use serde_json::Value;

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
