//! A definition with its parameters filled in.

use crate::shape::{Connection, Part, SocketRef};

/// The leaves, inner connections and outer sockets of one component, in the component's frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Realisation {
    /// Leaves; names are paths below the component (`bend3`, `left/pipe1`), empty for a component that is one leaf.
    pub parts: Vec<Part>,
    /// Between the leaves.
    pub connections: Vec<Connection>,
    /// The component's own sockets by name.
    pub sockets: Vec<(String, SocketRef)>,
}
