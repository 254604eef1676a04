//! Planar shapes and rigid motions; no physics, no components.

mod motion;
pub mod outline;
mod point;
pub mod quantise;
pub mod separate;

pub use motion::Motion;
pub use point::{Point, sin_cos};
