//! Everything around the canvas.

pub mod method;
pub mod profiles;
pub mod results;
