//! Text to [`Design`] and back: versioned, every mistake reported with its place, comments survive a rewrite.

mod schema;
mod value;

pub use schema::{Attachment, Bend, Channel, Component, Connection, Design, Placement, Port, PortCondition, Spanned};
pub use value::{Dimension, Value};
