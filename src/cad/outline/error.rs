//! Why a chip has no file of some format.

use thiserror::Error;

/// Why a chip can't be written in some format.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum OutlineError {
    /// A solid of a chip without a depth.
    #[error("a solid needs the chip's depth: give `depth` under [chip], or --depth")]
    NeedsDepth,
    /// Coordinates that the format's integers can't hold.
    #[error(
        "`{part}` reaches {reach_mm:.1} mm from the origin; on a grid of {grid_nm} nm GDSII goes to {limit_mm:.1} mm: choose a coarser --grid"
    )]
    TooFar {
        /// The part.
        part: String,
        /// Largest coordinate, mm.
        reach_mm: f64,
        /// Database unit, nm.
        grid_nm: f64,
        /// Largest coordinate that fits, mm.
        limit_mm: f64,
    },
    /// A polygon with more corners than readers of the format take.
    #[error("`{part}` has {corners} corners; GDSII takes {limit} a polygon")]
    TooManyCorners {
        /// The part.
        part: String,
        /// How many.
        corners: usize,
        /// How many fit.
        limit: usize,
    },
    /// Walls that cross, so that inside and outside can't be told apart.
    #[error(
        "walls cross near ({x_mm:.6} mm, {y_mm:.6} mm): arcs as chords come too close; choose a finer --tolerance"
    )]
    WallsCross {
        /// Where, mm.
        x_mm: f64,
        /// Where, mm.
        y_mm: f64,
    },
    /// A mask of a control layer that isn't there.
    #[error(
        "the design has no shapes on its control layer: add some under [control] (texts are not part of masks)"
    )]
    NoControl,
    /// A setting out of its range.
    #[error("{name} must be {range}, not {value}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What it may be.
        range: &'static str,
        /// What it is.
        value: String,
    },
    /// More points than make sense.
    #[error("{points:.1e} points would be needed; choose a coarser --tolerance")]
    TooManyPoints {
        /// About how many.
        points: f64,
    },
}
