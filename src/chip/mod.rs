//! A design and the library become a placed, connected chip; a chip becomes blocks.

mod assembly;
pub mod blocks;
pub mod canonical;
mod channel;
mod check;
mod chip_types;
mod connect;
mod fault;
mod layout;
mod overlap;
mod place;
mod transform;

pub(crate) use assembly::{facing, mouth_after};
pub use chip_types::{
    Chip, Condition, Connection, DepthModel, Mouth, Part, Port, Shape, SocketRef, Strip,
};
pub use layout::{LaidSocket, Layout, SocketUse};
pub use place::{MAX_PARTS, Realise, lay_out, place, place_with};
