//! Planar shapes and rigid motions; no physics, no components.

mod motion;
pub mod outline;
mod point;
pub mod quantise;

pub use motion::Motion;
pub use point::{Point, sin_cos};
