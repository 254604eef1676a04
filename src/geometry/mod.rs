//! Planar shapes and rigid motions; no physics, no components.

mod motion;
pub mod outline;
mod point;

pub use motion::Motion;
pub use point::Point;
