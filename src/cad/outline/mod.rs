//! A placed chip's walls as outlines, arcs as arcs, and as files that workshops read: no mesh, no solve.
//!
//! ```text
//!                       +-- parts: what each part looks like, in its own frame --> DXF blocks, GDSII cells
//! Chip --> Outlines ----+
//!                       +-- loops: the walls of the whole chip, united ----------> flat DXF, mask, STL
//! ```
//! Parts of a checked chip meet in whole sockets and nowhere else, so their union is what is left when sockets that meet
//! are taken away: [`Loop`]s are walked from wall to wall, without arithmetic on shapes, and arcs stay arcs. The corners
//! of a socket are one point for both parts that meet there.
//!
//! Start at [`Format`], the table of formats: a new one is a file here and a row there. Knows no solver and touches no file.

pub(crate) mod arc;
mod dxf;
mod error;
mod format;
mod gds;
mod joined;
mod mask;
mod number;
mod parchmint;
mod part;
mod stl;
#[cfg(test)]
mod tests;
mod triangulate;
mod walls;

pub(crate) use arc::circle;
pub use arc::flatten;
pub use error::OutlineError;
pub use format::{Format, Polarity, Settings, Solid, write};
pub use part::{Edge, PartOutline, outline};
pub use walls::{Loop, Outlines, PortLine};
