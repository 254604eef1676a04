//! A design and the library become a placed, connected chip.

mod assembly;
mod channel;
mod check;
mod connect;
mod drawn;
mod fault;
mod layout;
mod links;
mod overlap;
mod place;
mod placed;
mod sheets;
mod transform;
mod unresisted;

pub use assembly::{facing, normalise, socket_after};
pub use channel::channel_parts;
pub use channel::{DIRECTION_TOLERANCE, PLACE_TOLERANCE};
pub use drawn::{drawn, is_drawn};
pub use layout::{LaidSocket, Layout, SocketUse};
pub use place::{MAX_PARTS, Realise, lay_out, place, place_with};
pub use placed::{Chip, Condition, Port};
