//! Scene files of liquids (TOML) -> [`LiquidScene`], checked. Errors name the line and the key.
//!
//! ```text
//! name = "course"   dimension = 2   cells = 64   duration = 2
//! open = { without = { of = { box = { low = [0.1, 0.1], high = [0.9, 0.9] } }, these = [{ ball = { centre = [0.5, 0.4], radius = 0.1 } }] } }
//! [[liquid]]
//! shape = { box = { low = [0.1, 0.5], high = [0.3, 0.9] } }
//! velocity = [1, 0]
//! ```
//! y is up; lengths in m in a square or cube that begins at the origin, whose outermost cells are solid.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::LiquidSettings;
use super::region::{Axis, Region, array};
use crate::grid::Shape;
use crate::scene_file::{Checks, SceneFile};
use crate::scenes::{Jet, Motion, Scene};

/// A liquid at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiquidInScene {
    /// Where it is; what isn't open holds none.
    pub shape: Region,
    /// Its velocity, m/s. Default rest.
    #[serde(default)]
    pub velocity: Vec<f64>,
}

/// A container that swings along an axis: displacement `amplitude sin(2 pi t / period)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionInScene {
    /// Which axis.
    pub axis: Axis,
    /// Largest displacement, m.
    pub amplitude: f64,
    /// Time of a swing, s.
    pub period: f64,
}

/// Another size of the same scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Cells a side.
    pub cells: usize,
}

/// A liquid in a container, and how it is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiquidScene {
    /// A short name.
    pub name: String,
    /// A title to show.
    #[serde(default)]
    pub title: String,
    /// What to look at.
    #[serde(default)]
    pub about: String,
    /// 2 or 3.
    pub dimension: usize,
    /// Side of the square or cube, m. Default 1.
    #[serde(default)]
    pub side: Option<f64>,
    /// Sides of a rectangle or box, m, in place of `side`; the cells' own side divides each of them.
    #[serde(default)]
    pub extent: Option<Vec<f64>>,
    /// Cells a side; of a rectangle or box along the longest.
    #[serde(default = "cells")]
    pub cells: usize,
    /// How long it runs, s. Default 1.
    #[serde(default = "one")]
    pub duration: f64,
    /// Time between frames, s. Default 0.01.
    #[serde(default = "frame")]
    pub frame: f64,
    /// Acceleration along y, m/s². Default that of the earth, downward.
    #[serde(default = "earth")]
    pub gravity: f64,
    /// Particles a cell at the start. Default 8 in the plane, 1 in space, where each stands for all of its ball.
    #[serde(default)]
    pub particles: Option<usize>,
    /// Whether volume that particles lose or gain as they crowd and scatter is made up for. Default: it is.
    #[serde(default = "kept")]
    pub keep_volume: bool,
    /// Where liquid may be.
    pub open: Region,
    /// Liquids.
    pub liquid: Vec<LiquidInScene>,
    /// How the container moves.
    #[serde(default)]
    pub motion: Option<MotionInScene>,
    /// Solver, walls and tolerances; `--set` changes them.
    #[serde(default)]
    pub settings: LiquidSettings,
    /// Other sizes by name.
    #[serde(default)]
    pub sizes: BTreeMap<String, Size>,
}

fn one() -> f64 {
    1.0
}

fn cells() -> usize {
    64
}

fn frame() -> f64 {
    0.01
}

fn earth() -> f64 {
    -9.81
}

fn kept() -> bool {
    true
}

/// The most cells that a scene may have.
const MOST_CELLS: f64 = 2e7;

/// The most frames that a scene may have.
const MOST_FRAMES: f64 = 1e6;

impl SceneFile for LiquidScene {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self, c: &mut Checks) {
        let d = self.dimension;
        c.that(d == 2 || d == 3, "dimension", d, "2 or 3");
        c.positive("side", self.side());
        if let Some(extent) = &self.extent {
            c.vector("extent", extent, d);
            c.that(
                self.side.is_none(),
                "side",
                self.side(),
                "left out beside `extent`",
            );
            for side in extent {
                c.positive("extent", *side);
            }
            let sizes = self.sizes.values().map(|size| size.cells);
            for cells in std::iter::once(self.cells).chain(sizes) {
                let counts = self.aspect().into_iter().map(|part| part * cells as f64);
                let is_whole = |n: f64| (n - n.round()).abs() < 1e-6;
                c.that(
                    counts.into_iter().all(is_whole),
                    "cells",
                    cells,
                    "such that their side divides every side of `extent`",
                );
            }
        }
        let most = MOST_CELLS.powf(1.0 / d.max(1) as f64).floor();
        c.within("cells", self.cells as f64, 8.0..=most);
        c.positive("duration", self.duration);
        c.positive("frame", self.frame);
        let frames = self.duration / self.frame;
        c.that(
            frames <= MOST_FRAMES,
            "frame",
            self.frame,
            "such that there are at most a million frames",
        );
        c.within("gravity", self.gravity, -1e6..=1e6);
        if let Some(particles) = self.particles {
            c.within("particles", particles as f64, 1.0..=64.0);
        }
        self.open.check(c, "open", d);
        c.that(
            !self.liquid.is_empty(),
            "liquid",
            "none",
            "at least one liquid",
        );
        for (k, liquid) in self.liquid.iter().enumerate() {
            liquid.shape.check(c, &format!("liquid[{k}].shape"), d);
            c.optional(format_args!("liquid[{k}].velocity"), &liquid.velocity, d);
        }
        if let Some(motion) = &self.motion {
            let axis = motion.axis.index();
            c.that(axis < d, "motion.axis", "z", "x or y in the plane");
            c.within("motion.amplitude", motion.amplitude, 0.0..=self.side());
            c.positive("motion.period", motion.period);
        }
        self.settings.check(c, "settings.");
        for (name, size) in &self.sizes {
            c.names_a_folder("sizes", name);
            c.within(
                format_args!("sizes.{name}.cells"),
                size.cells as f64,
                8.0..=most,
            );
        }
        if c.is_sound() {
            let fits = match d {
                2 => self.scene::<2>().fits(self.cells),
                _ => self.scene::<3>().fits(self.cells),
            };
            let range = "closed: it reaches into the outermost cells of the grid, which are solid (also while it swings)";
            c.that(fits, "open", format!("open at {} cells", self.cells), range);
        }
    }

    fn sized(&self, size: &str) -> Option<Self> {
        let found = self.sizes.get(size)?;
        Some(Self {
            cells: found.cells,
            ..self.clone()
        })
    }
}

impl LiquidScene {
    /// How the container swings, if it does.
    pub fn motion(&self) -> Option<Motion> {
        self.motion.as_ref().map(|motion| Motion {
            axis: motion.axis.index(),
            amplitude: motion.amplitude,
            period: motion.period,
        })
    }

    /// The longest side, m.
    pub fn side(&self) -> f64 {
        match &self.extent {
            Some(extent) => extent.iter().copied().fold(0.0, f64::max),
            None => self.side.unwrap_or(1.0),
        }
    }

    /// All sides in parts of the longest.
    pub fn aspect(&self) -> Vec<f64> {
        match &self.extent {
            Some(extent) => extent.iter().map(|side| side / self.side()).collect(),
            None => vec![1.0; self.dimension],
        }
    }

    /// Frames that the duration needs.
    pub fn frames(&self) -> usize {
        (self.duration / self.frame - 1e-6).ceil().max(1.0) as usize
    }

    /// What the loop of scenes runs.
    pub fn scene<const D: usize>(&self) -> Scene<D> {
        let shapes: Vec<Shape<D>> = self.liquid.iter().map(|l| l.shape.shape()).collect();
        let velocity = |k: usize| array(&self.liquid[k].velocity);
        let is_one = shapes.len() == 1;
        let jets = shapes.iter().enumerate().map(|(k, shape)| Jet {
            liquid: shape.clone(),
            velocity: velocity(k),
        });
        Scene {
            name: "own",
            side: self.side(),
            aspect: array(&self.aspect()),
            open: self.open.shape(),
            velocity: if is_one { velocity(0) } else { [0.0; D] },
            jets: match is_one {
                true => Vec::new(),
                false => jets.collect(),
            },
            liquid: match &shapes[..] {
                [one] => one.clone(),
                _ => Shape::Union(shapes),
            },
            particles: self.particles.unwrap_or(if D == 2 { 8 } else { 1 }),
            motion: self.motion(),
            gravity: self.gravity,
            frame: self.frame,
            keeps_volume: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = 'a'\ndimension = 2\ncells = 32\nopen = { box = { low = [0.1, 0.1], high = [0.9, 0.9] } }\n\n[[liquid]]\nshape = { ball = { centre = [0.5, 0.5], radius = 0.2 } }\n";

    #[test]
    fn mistakes_are_named_with_their_lines() {
        let whole = LiquidScene::parse(TEXT).expect("a scene");
        assert_eq!(LiquidScene::parse(&whole.print()), Ok(whole));
        for (from, to, says) in [
            ("cells = 32", "cells = 4", "line 3: `cells` is 4"),
            (
                "0.9, 0.9]",
                "0.99, 0.9]",
                "line 4: `open` is open at 32 cells",
            ),
            (
                "[0.5, 0.5]",
                "[0.5]",
                "line 7: `liquid[0].shape.ball.centre`",
            ),
            (
                "radius = 0.2",
                "radius = -1",
                "line 7: `liquid[0].shape.ball.radius` is -1",
            ),
            ("dimension = 2", "dimension = 4", "line 2: `dimension` is 4"),
            (
                "cells = 32",
                "settings = { flip = 2 }",
                "line 3: `settings.flip` is 2",
            ),
            (
                "cells = 32",
                "settings = { solver = 'gauss' }",
                "line 3: `settings.solver`",
            ),
            ("cells = 32", "gravitas = 1", "gravitas"),
            ("ball", "bal", "bal"),
        ] {
            let wrong = TEXT.replacen(from, to, 1);
            assert_ne!(wrong, TEXT, "{from}");
            let error = LiquidScene::parse(&wrong).map_err(|e| e.to_string());
            let told = error.expect_err(to);
            assert!(told.contains(says), "{to}: {told}");
        }
    }
}
