//! A design and the library become a placed, connected chip; a chip becomes blocks.

mod chip_types;

pub use chip_types::{Chip, Condition, Connection, DepthModel, Mouth, Part, Port, Shape, SocketRef, Strip};
