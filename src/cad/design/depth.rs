//! How the depth of a chip enters the equations.

/// How the depth of the chip enters the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthModel {
    /// Two-dimensional flow per unit depth, as in the thesis.
    Planar,
    /// Depth-averaged: the walls above and below add the drag 12 mu u / depth^2.
    Shallow,
    /// Three-dimensional: the chip extruded by its depth, walls above and below.
    Full,
}

impl DepthModel {
    /// Its name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DepthModel::Planar => "planar",
            DepthModel::Shallow => "shallow",
            DepthModel::Full => "full",
        }
    }

    /// Whether it needs the chip's depth.
    pub fn needs_depth(self) -> bool {
        self != DepthModel::Planar
    }
}
