//! A design and the library become a placed, connected chip; a chip becomes blocks.

pub mod blocks;
pub mod canonical;
mod chip_types;
mod transform;

pub use chip_types::{Chip, Condition, Connection, DepthModel, Mouth, Part, Port, Shape, SocketRef, Strip};
