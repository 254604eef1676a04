//! Which format a JSON file has.

use serde_json::Value;

/// A format that can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Nodes, channels, inlets and outlets: [`super::network`].
    Network,
    /// [`super::parchmint()`].
    ParchMint,
}

/// The format of a file by its keys; what isn't recognised is a plain network, whose reader says what is wrong with it.
pub fn format_of(text: &str) -> Format {
    let Ok(Value::Object(root)) = serde_json::from_str::<Value>(text) else {
        return Format::Network;
    };
    let has = |key: &str| root.contains_key(key);
    if has("components") || has("connections") || has("layers") {
        Format::ParchMint
    } else {
        Format::Network
    }
}
