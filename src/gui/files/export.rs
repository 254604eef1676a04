//! Results and pictures into files.

/// What a picture of the canvas is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureFormat {
    /// Pixels, as seen.
    Png,
    /// Shapes, sharp at any size.
    Svg,
}
