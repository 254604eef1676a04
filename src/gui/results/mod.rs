//! Solutions become pictures and numbers, away from the frame.
//!
//! ```text
//! Chip --worker (thread, table of operations)--> Solved --painting (thread: raster, arrows, mesh)--> one image of the canvas
//!                                                  |   --tracing (thread: flow::trace)----------> curves
//!                                                  |   --estimating (thread: two coarser solves)---> errors
//!                                                  +-- flow::probe --------------------------------> numbers
//! ResultView (what the user chose) --layer--> the above on the canvas, with a legend
//! ```
//! Start at [`Solved`], then [`FieldLayer`]. What is stale is shown until there is something newer, and says so.

pub mod before;
pub mod colour;
mod curves;
pub mod estimating;
mod layer;
pub(crate) mod legend;
pub mod newest;
pub mod painting;
pub mod raster;
pub mod solved;
mod strokes;
pub mod worker;

use std::sync::Arc;
use std::time::Duration;

use stokeslet_base::geometry::Point;
use stokeslet_flow::quantities::{self, FieldQuantity};
use stokeslet_flow::session::Stage;

use crate::species::Dissolved;
use crate::species::section::Section;
pub use estimating::Estimate;
pub use layer::FieldLayer;
pub use solved::{Reuse, Solved};
pub use worker::{Event, Job, Worker};

/// What colours show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// What every flow has.
    Flow(&'static FieldQuantity),
    /// Concentration of one of the design's species, counted from 0.
    Species(u8),
    /// Time since the fluid entered, s.
    Age,
}

impl Quantity {
    /// Magnitude of the velocity.
    pub const SPEED: Self = Quantity::Flow(&quantities::SPEED);
    /// Pressure.
    pub const PRESSURE: Self = Quantity::Flow(&quantities::PRESSURE);
    /// Wall shear stress.
    pub const WALL_SHEAR: Self = Quantity::Flow(&quantities::WALL_SHEAR);

    /// Those that every flow has; others come with the design's species ([`crate::species::quantities`]).
    pub fn of_flow() -> impl Iterator<Item = Self> {
        quantities::ALL.into_iter().map(Quantity::Flow)
    }

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Quantity::Flow(quantity) => quantity.title,
            Quantity::Species(_) => "concentration",
            Quantity::Age => "age of the fluid",
        }
    }

    /// Whether it is of what is dissolved, not of the flow alone.
    pub fn is_dissolved(self) -> bool {
        matches!(self, Quantity::Species(_) | Quantity::Age)
    }

    /// Whether it lives on walls, not in the flow.
    pub fn is_on_walls(self) -> bool {
        matches!(self, Quantity::Flow(quantity) if quantity.is_on_walls())
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
    /// What the ruler measured, m.
    pub rulers: Vec<[Point; 2]>,
    /// Whether tracers flow.
    pub plays: bool,
    /// How fast, over the usual.
    pub pace: f64,
}

impl Default for ResultView {
    fn default() -> Self {
        Self {
            colour: Some(Quantity::SPEED),
            range: None,
            probes: Vec::new(),
            lines: Vec::new(),
            seeds: Vec::new(),
            rulers: Vec::new(),
            plays: false,
            pace: 1.0,
        }
    }
}

/// The newest results.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The newest solved chip, perhaps of an older revision than the document.
    pub solved: Option<Arc<Solved>>,
    /// What is known of the errors of a solution, perhaps of an older one.
    pub estimate: Option<Arc<Estimate>>,
    /// Why the newest solve has no result.
    pub failure: Option<String>,
    /// The newest species that were followed, perhaps on an older flow.
    pub dissolved: Option<Arc<Dissolved>>,
    /// Why the newest species weren't.
    pub not_dissolved: Option<String>,
    /// The section under the pointer, as long as it is over the flow; the last one after that.
    pub section: Option<Arc<Section>>,
}

impl Results {
    /// What is seen while colours show a quantity: species lie on the flow that they were followed on, which may be older than the newest.
    pub fn seen_by(&self, colour: Option<Quantity>) -> Option<&Arc<Solved>> {
        match (&self.dissolved, colour) {
            (Some(dissolved), Some(quantity)) if quantity.is_dissolved() => Some(&dissolved.solved),
            _ => self.solved.as_ref(),
        }
    }
}

/// What the solver is doing.
#[derive(Clone, Debug, Default)]
pub struct WorkerStatus {
    /// The solve under way: stage, part of the whole that is done, time since its start, its resolution.
    pub running: Option<(Stage, f64, Duration, u32)>,
    /// The export under way: part of it that is done.
    pub exporting: Option<f64>,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use stokeslet_base::cancel::CancelToken;
    use stokeslet_base::geometry::Motion;
    use stokeslet_base::table::Table;
    use stokeslet_cad::chip::{Chip, Condition, Port};
    use stokeslet_cad::design::DepthModel;
    use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};
    use stokeslet_flow::session::{SolveSettings, silent, solve};

    /// 1 mm x 0.1 mm along x about y = 0, 1 mPa s, 100 Pa to 0 Pa.
    pub fn channel() -> Chip {
        let pipe = Strip::Straight {
            length: 1e-3,
            width_start: 1e-4,
            width_end: 1e-4,
        };
        let port = |name: &str, socket, p| Port {
            name: name.into(),
            socket: SocketRef { part: 0, socket },
            condition: Condition::Pressure(p),
        };
        Chip {
            name: "channel".into(),
            viscosity: 1e-3,
            model: DepthModel::Planar,
            depth: None,
            parts: vec![Part {
                name: "pipe".into(),
                shape: Shape::Strip(pipe),
                motion: Motion::IDENTITY,
                walls: Default::default(),
                depth: None,
            }],
            connections: vec![],
            ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
        }
    }

    /// A design of `designs/`, placed.
    pub fn example(name: &str) -> Chip {
        let path = format!("{}/../../designs/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read(path).unwrap();
        let (design, _) = stokeslet_cad::design::parse(&text, name);
        let library = stokeslet_cad::library::Library::embedded();
        stokeslet_cad::chip::place(&design.unwrap(), &library)
            .0
            .unwrap()
    }

    pub fn solved(chip: &Chip, resolution: u32) -> Arc<Solved> {
        let settings = SolveSettings {
            resolution,
            ..SolveSettings::default()
        };
        let table = Table::default();
        let solution = solve(chip, &settings, &table, &silent, &CancelToken::new()).unwrap();
        Arc::new(Solved::new(1, Arc::new(chip.clone()), solution, resolution))
    }

    pub fn solved_example(name: &str, resolution: u32) -> Arc<Solved> {
        solved(&example(name), resolution)
    }
}
