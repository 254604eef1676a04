//! Everything around the canvas.
