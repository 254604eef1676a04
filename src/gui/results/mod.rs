//! Solutions become pictures and numbers, away from the frame.

use std::sync::Arc;
use std::time::Duration;

use crate::chip::Chip;
use crate::geometry::Point;
use crate::session::{Solution, Stage};

/// What colours show.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub enum Quantity {
    /// Magnitude of the velocity, m/s.
    Speed,
    /// Pressure, Pa.
    Pressure,
    /// Wall shear stress, Pa.
    WallShear,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Quantity; 3] = [Quantity::Speed, Quantity::Pressure, Quantity::WallShear];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Quantity::Speed => "speed",
            Quantity::Pressure => "pressure",
            Quantity::WallShear => "wall shear",
        }
    }
}

/// How results are shown: what the user chose, not what was computed.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultView {
    /// What colours show.
    pub colour: Option<Quantity>,
    /// Ends of the colour scale, SI; `None` for those of the field.
    pub range: Option<[f64; 2]>,
    /// Kept point probes, m.
    pub probes: Vec<Point>,
    /// Lines of profiles, m.
    pub lines: Vec<[Point; 2]>,
    /// Seeds of streamlines, m.
    pub seeds: Vec<Point>,
}

impl Default for ResultView {
    fn default() -> Self {
        Self {
            colour: Some(Quantity::Speed),
            range: None,
            probes: Vec::new(),
            lines: Vec::new(),
            seeds: Vec::new(),
        }
    }
}

/// A solved chip with all that the window needs of it.
#[derive(Debug)]
pub struct Solved {
    /// Of the document that was solved.
    pub revision: u64,
    /// What was solved.
    pub chip: Arc<Chip>,
    /// Its solution.
    pub solution: Arc<Solution>,
    /// Cell edges across a channel.
    pub resolution: u32,
    /// From the request to the result.
    pub seconds: f64,
}

/// The newest results.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The newest solved chip, perhaps of an older revision than the document.
    pub solved: Option<Arc<Solved>>,
    /// Why the newest solve has no result.
    pub failure: Option<String>,
}

/// What the solver is doing.
#[derive(Clone, Debug, Default)]
pub struct WorkerStatus {
    /// Of the solve under way: stage, part of the whole that is done, time since its start, its resolution.
    pub running: Option<(Stage, f64, Duration, u32)>,
}
