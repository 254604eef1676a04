//! Scene files (TOML) -> [`Scene`], checked: the domain, its ends, bodies, what flows at the start. Errors name the line and the key.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stokeslet_dynamics::grid::{Lattice, Shape};

use crate::field::{Field, Flow};
use crate::grid::{GHOST, Grid};
use crate::seeding::Seeding;
use crate::sides::{Condition, Patch, Sides};
use crate::solid::Surface;

/// What an end of the domain, or a part of it, is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SideKind {
    /// A wall that nothing is held back by.
    #[default]
    Slip,
    /// A wall that holds liquid.
    NoSlip,
    /// The opposite end continues it.
    Periodic,
    /// Liquid enters with a given velocity.
    Inflow,
    /// Pressure 0.
    Free,
}

/// An end of the domain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideInScene {
    /// What it is.
    pub kind: SideKind,
    /// Velocity of inflow and of walls without slip, m/s. Default rest.
    #[serde(default)]
    pub velocity: Vec<f64>,
}

/// A part of an end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatchInScene {
    /// The end: `x_low`, `x_high`, `y_low` and so on.
    pub side: String,
    /// Least coordinates along the end, m; the one across it doesn't count.
    pub low: Vec<f64>,
    /// Greatest coordinates, m.
    pub high: Vec<f64>,
    /// What it is.
    pub kind: SideKind,
    /// As of an end.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Until when, s; the end's own condition holds afterwards. Default for ever.
    #[serde(default)]
    pub until: Option<f64>,
}

/// A body: a ball or a box. They don't move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyInScene {
    /// A ball's centre, m.
    #[serde(default)]
    pub centre: Vec<f64>,
    /// A ball's radius, m.
    #[serde(default)]
    pub radius: Option<f64>,
    /// A box's lower corner, m.
    #[serde(default)]
    pub low: Vec<f64>,
    /// A box's upper corner, m.
    #[serde(default)]
    pub high: Vec<f64>,
}

/// A push at the start: `v += velocity exp(-|x - centre|² / width²)` on particles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kick {
    /// Where, m.
    pub centre: Vec<f64>,
    /// How wide, m.
    pub width: f64,
    /// How much, m/s.
    pub velocity: Vec<f64>,
}

/// What fills the domain at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// Which flow.
    pub flow: Flow,
    /// Velocity of a uniform flow, m/s.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Waves of Taylor and Green: `a` in `sin(a x)`, 1/m. Default 1.
    #[serde(default = "one")]
    pub wave: f64,
    /// A push on top.
    #[serde(default)]
    pub kick: Option<Kick>,
}

impl Default for Start {
    fn default() -> Self {
        Self {
            flow: Flow::Rest,
            velocity: Vec::new(),
            wave: one(),
            kick: None,
        }
    }
}

/// Another size of the same scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Cells along each axis.
    pub cells: Vec<usize>,
    /// Duration, s. Default the scene's.
    #[serde(default)]
    pub duration: Option<f64>,
}

/// A flow to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// A short name.
    pub name: String,
    /// A title to show.
    #[serde(default)]
    pub title: String,
    /// What to look at.
    #[serde(default)]
    pub about: String,
    /// Lower corner, m; as many numbers as dimensions, 2 or 3.
    pub low: Vec<f64>,
    /// Upper corner, m.
    pub high: Vec<f64>,
    /// Cells along each axis, at least 4; they must come out as squares or cubes.
    pub cells: Vec<usize>,
    /// Time step over the side of a cell, s/m: finer grids take shorter steps.
    pub step_over_cell: f64,
    /// How long it runs, s.
    pub duration: f64,
    /// Density, kg/m³. Default 1.
    #[serde(default = "one")]
    pub density: f64,
    /// Gravity, m/s². Default none.
    #[serde(default)]
    pub gravity: Vec<f64>,
    /// How particles are spread.
    #[serde(default)]
    pub seeding: Seeding,
    /// Whether cells that run empty are filled and crowded ones thinned out. Default no.
    #[serde(default)]
    pub reseed: bool,
    /// How liquid sees bodies: whether it sticks. Default no.
    #[serde(default)]
    pub bodies_hold: bool,
    /// Whether the force acts that keeps the flow of the start on its course.
    #[serde(default)]
    pub forced: bool,
    /// What flows at the start.
    #[serde(default)]
    pub start: Start,
    /// Ends by name: `x_low`, `x_high`, `y_low` and so on. Default slip.
    #[serde(default)]
    pub sides: BTreeMap<String, SideInScene>,
    /// Parts of ends.
    #[serde(default)]
    pub patch: Vec<PatchInScene>,
    /// Bodies.
    #[serde(default)]
    pub body: Vec<BodyInScene>,
    /// Other sizes by name; the built-in scenes have `paper`.
    #[serde(default)]
    pub sizes: BTreeMap<String, Size>,
}

fn one() -> f64 {
    1.0
}

/// Names of ends, by axis.
const ENDS: [[&str; 2]; 3] = [
    ["x_low", "x_high"],
    ["y_low", "y_high"],
    ["z_low", "z_high"],
];

/// The most cells that a scene may have.
pub const MOST_CELLS: usize = 20_000_000;

mod check;

impl Scene {
    /// 2 or 3.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.low.len()
    }

    /// Side of a cell, m.
    #[must_use]
    pub fn dx(&self) -> f64 {
        (self.high[0] - self.low[0]) / self.cells[0] as f64
    }

    /// Time step, s.
    #[must_use]
    pub fn step(&self) -> f64 {
        self.step_over_cell * self.dx()
    }

    /// Steps that the duration needs.
    #[must_use]
    pub fn steps(&self) -> usize {
        (self.duration / self.step() - 1e-6).ceil().max(1.0) as usize
    }

    /// The grid of a checked scene.
    #[must_use]
    pub fn grid<const D: usize>(&self) -> Grid<D> {
        Grid {
            cells: Lattice::new(array(&self.cells)),
            low: array(&self.low),
            dx: self.dx(),
        }
    }

    /// The flow of the start.
    #[must_use]
    pub fn field<const D: usize>(&self) -> Field<D> {
        Field {
            flow: self.start.flow,
            velocity: self.start.velocity.clone(),
            wave: self.start.wave,
        }
    }

    /// The ends of a checked scene.
    #[must_use]
    pub fn ends<const D: usize>(&self) -> Sides<D> {
        let mut sides = Sides::all(Condition::Slip);
        for (ends, names) in sides.ends.iter_mut().zip(ENDS) {
            for (end, name) in ends.iter_mut().zip(names) {
                if let Some(side) = self.sides.get(name) {
                    *end = condition(side.kind, &side.velocity);
                }
            }
        }
        for patch in &self.patch {
            if let Some((dim, end)) = end_of(&patch.side) {
                sides.patches.push(Patch {
                    dim,
                    end,
                    low: array(&patch.low),
                    high: array(&patch.high),
                    condition: condition(patch.kind, &patch.velocity),
                    until: patch.until.unwrap_or(f64::INFINITY),
                });
            }
        }
        sides
    }

    /// The bodies of a checked scene.
    #[must_use]
    pub fn shapes<const D: usize>(&self) -> Vec<Shape<D>> {
        let shape = |body: &BodyInScene| match body.radius {
            Some(radius) => Shape::ball(array(&body.centre), radius),
            None => Shape::cuboid(array(&body.low), array(&body.high)),
        };
        self.body.iter().map(shape).collect()
    }

    /// How liquid sees them.
    #[must_use]
    pub fn surface(&self) -> Surface {
        if self.bodies_hold {
            Surface::NoSlip
        } else {
            Surface::Slip
        }
    }
}

fn condition<const D: usize>(kind: SideKind, velocity: &[f64]) -> Condition<D> {
    match kind {
        SideKind::Slip => Condition::Slip,
        SideKind::NoSlip => Condition::NoSlip(array(velocity)),
        SideKind::Periodic => Condition::Periodic,
        SideKind::Inflow => Condition::Inflow(array(velocity)),
        SideKind::Free => Condition::Free,
    }
}

/// Numbers as an array; missing ones are 0.
pub(crate) fn array<T: Copy + Default, const D: usize>(values: &[T]) -> [T; D] {
    std::array::from_fn(|k| values.get(k).copied().unwrap_or_default())
}

/// Axis and end of a name.
fn end_of(name: &str) -> Option<(usize, usize)> {
    (0..3)
        .flat_map(|dim| (0..2).map(move |end| (dim, end)))
        .find(|(dim, end)| ENDS[*dim][*end] == name)
}

/// Fewest cells along an axis: mirror images of ghosts must be inside, and periodic neighbours two different cells.
const FEWEST: usize = GHOST + 1;
