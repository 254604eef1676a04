//! Scene files (TOML) -> [`Scene`], checked: what fills the world, and its physics. Errors name the line and the key.
//!
//! Lengths are metres or spacings (`unit`). Everything starts on one lattice of the spacing `l` whose first centres are at `l/2`: an edge of
//! length L holds `round(L/l)` particles. The last axis is up. Knows nothing of solvers. The lattice itself is filled in `fill`.

use crate::body::Motion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use stokeslet_dynamics::scene_file::{Checks, SceneFile};

/// What a length in the file means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Metres.
    #[default]
    Metre,
    /// Spacings of the lattice.
    Spacing,
}

/// A box along the axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cuboid {
    /// Its least corner; snapped to the lattice.
    pub min: Vec<f64>,
    /// Its edges.
    pub size: Vec<f64>,
}

/// A disc or a ball: the lattice points no farther than the radius from its centre, one at the centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    /// Its centre; not snapped.
    pub centre: Vec<f64>,
    /// Its radius.
    pub radius: f64,
}

/// A tank of wall particles around an empty inside; open above unless it has a lid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tank {
    /// Least corner of the inside.
    pub min: Vec<f64>,
    /// Edges of the inside; the last is the height of the walls.
    pub size: Vec<f64>,
    /// Layers of wall particles. Default 3, which covers a kernel of 2.1 to 3 spacings.
    #[serde(default = "three")]
    pub layers: u32,
    /// Whether walls close it above.
    #[serde(default)]
    pub top: Top,
}

/// The upper end of a tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Top {
    /// Nothing.
    #[default]
    Open,
    /// Walls.
    Lid,
}

/// A wall of any shape.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wall {
    /// Its boxes.
    #[serde(default)]
    pub boxes: Vec<Cuboid>,
    /// Its balls.
    #[serde(default)]
    pub balls: Vec<Ball>,
}

/// A region filled with fluid where no wall, body or earlier fluid is closer than a spacing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// Its boxes.
    #[serde(default)]
    pub boxes: Vec<Cuboid>,
    /// Its balls.
    #[serde(default)]
    pub balls: Vec<Ball>,
    /// Velocity at the start, m/s. Default rest.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Gradient of the velocity at the start, by rows, 1/s: `u = velocity + gradient x`. Default none.
    #[serde(default)]
    pub gradient: Vec<Vec<f64>>,
}

/// A rigid body filled with particles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyInScene {
    /// Its name. Default `body` and its number.
    #[serde(default)]
    pub name: String,
    /// Its boxes.
    #[serde(default)]
    pub boxes: Vec<Cuboid>,
    /// Its balls.
    #[serde(default)]
    pub balls: Vec<Ball>,
    /// Density, kg/m^3.
    pub density: f64,
    /// Which ways it moves. Default free.
    #[serde(default)]
    pub motion: Motion,
    /// Shift after filling, so not snapped.
    #[serde(default)]
    pub offset: Vec<f64>,
    /// Turn about its centre of mass: one angle in the plane; axis times angle in space; rad.
    #[serde(default)]
    pub turn: Vec<f64>,
    /// Velocity at the start, m/s.
    #[serde(default)]
    pub velocity: Vec<f64>,
    /// Angular velocity at the start: one number in the plane, three in space, 1/s.
    #[serde(default)]
    pub spin: Vec<f64>,
    /// Copies, each shifted from the one before.
    #[serde(default)]
    pub copies: Option<Copies>,
}

/// Several bodies of one shape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// How many in all.
    pub count: u32,
    /// The shift from one to the next; not snapped.
    pub shift: Vec<f64>,
}

/// A shaking of the whole tank, as an acceleration in its frame: `amplitude sin(2 pi frequency t)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shake {
    /// Amplitude, m/s^2.
    pub amplitude: Vec<f64>,
    /// Frequency, Hz.
    pub frequency: f64,
}

/// Another size of the same scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// Spacing, m.
    pub spacing: f64,
    /// Time step, s.
    pub step: f64,
    /// Duration, s. Default the scene's.
    pub duration: Option<f64>,
}

/// What fills the world at the start, and its physics.
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
    /// 2 (one metre thick) or 3.
    pub dimension: u32,
    /// What lengths mean, except `spacing` and those with units of their own.
    #[serde(default)]
    pub unit: Unit,
    /// Spacing `l` of the particles, m.
    pub spacing: f64,
    /// Effective radius of the kernel in spacings. Default 2.1.
    #[serde(default = "radius")]
    pub radius: f64,
    /// Time step, s.
    pub step: f64,
    /// How long the example runs, s.
    pub duration: f64,
    /// Gravity, m/s^2.
    #[serde(default)]
    pub gravity: Vec<f64>,
    /// Density of the fluid, kg/m^3. Default 1000.
    #[serde(default = "water")]
    pub fluid_density: f64,
    /// Kinematic viscosity, m^2/s. Default 0.
    #[serde(default)]
    pub viscosity: f64,
    /// Restitution of contacts between bodies and with walls. Default 0; over 0.5 resting bodies gain energy.
    #[serde(default)]
    pub restitution: f64,
    /// Coulomb's coefficient of the same contacts. Default 0, as in the paper.
    #[serde(default)]
    pub friction: f64,
    /// Shaking.
    #[serde(default)]
    pub shake: Option<Shake>,
    /// Tanks.
    #[serde(default)]
    pub tank: Vec<Tank>,
    /// Other walls.
    #[serde(default)]
    pub wall: Vec<Wall>,
    /// Fluids.
    #[serde(default)]
    pub fluid: Vec<Fluid>,
    /// Bodies.
    #[serde(default)]
    pub body: Vec<BodyInScene>,
    /// Other sizes by name; the built-in scenes have `paper`.
    #[serde(default)]
    pub sizes: BTreeMap<String, Size>,
}

fn three() -> u32 {
    3
}

fn radius() -> f64 {
    2.1
}

fn water() -> f64 {
    1000.0
}

/// The most particles that a scene may have.
pub const MOST_PARTICLES: f64 = 2e7;

/// The farthest that anything starts from the origin, in spacings: lattices there still have whole numbers for their points.
const FARTHEST: f64 = 1e9;

/// `d` coordinates that aren't `farthest` away.
fn point(c: &mut Checks, key: impl Display, at: &[f64], (d, farthest): (usize, f64)) {
    c.vector(&key, at, d);
    for x in at {
        c.within(&key, *x, -farthest..=farthest);
    }
}

fn shapes(
    c: &mut Checks,
    place: impl Display,
    boxes: &[Cuboid],
    balls: &[Ball],
    (d, farthest): (usize, f64),
) {
    let some = !boxes.is_empty() || !balls.is_empty();
    let range = "at least one box or ball";
    c.that(some, format_args!("{place}.boxes"), "empty", range);
    for (k, b) in boxes.iter().enumerate() {
        let key = format_args!("{place}.boxes[{k}].min");
        point(c, key, &b.min, (d, farthest));
        sizes(c, format_args!("{place}.boxes[{k}].size"), &b.size, d);
    }
    for (k, b) in balls.iter().enumerate() {
        let key = format_args!("{place}.balls[{k}].centre");
        point(c, key, &b.centre, (d, farthest));
        c.positive(format_args!("{place}.balls[{k}].radius"), b.radius);
    }
}

/// Edges of a box.
fn sizes(c: &mut Checks, key: impl Display, edges: &[f64], d: usize) {
    c.vector(&key, edges, d);
    for edge in edges {
        c.positive(&key, *edge);
    }
}

impl SceneFile for Scene {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn check(&self, c: &mut Checks) {
        let d = self.dimension as usize;
        let turn = if d == 2 { 1 } else { 3 };
        let farthest = match self.unit {
            Unit::Spacing => FARTHEST,
            Unit::Metre => FARTHEST * self.spacing,
        };
        let here = (d, farthest);
        c.that(d == 2 || d == 3, "dimension", d, "2 or 3");
        c.positive("spacing", self.spacing);
        c.within("radius", self.radius, 1.2..=5.0);
        c.positive("step", self.step);
        c.positive("duration", self.duration);
        c.optional("gravity", &self.gravity, d);
        c.positive("fluid_density", self.fluid_density);
        let stable = 0.1 * self.spacing * self.spacing / self.step;
        c.that(
            (0.0..=stable).contains(&self.viscosity),
            "viscosity",
            self.viscosity,
            "from 0 to 0.1 spacing^2 / step, since viscosity is explicit",
        );
        c.within("restitution", self.restitution, 0.0..=1.0);
        c.within("friction", self.friction, 0.0..=10.0);
        if let Some(shake) = &self.shake {
            c.vector("shake.amplitude", &shake.amplitude, d);
            c.within("shake.frequency", shake.frequency, 0.0..=f64::INFINITY);
        }
        for (i, tank) in self.tank.iter().enumerate() {
            point(c, format_args!("tank[{i}].min"), &tank.min, here);
            sizes(c, format_args!("tank[{i}].size"), &tank.size, d);
            let layers = f64::from(tank.layers);
            c.within(format_args!("tank[{i}].layers"), layers, 1.0..=10.0);
        }
        for (i, wall) in self.wall.iter().enumerate() {
            shapes(c, format_args!("wall[{i}]"), &wall.boxes, &wall.balls, here);
        }
        for (i, fluid) in self.fluid.iter().enumerate() {
            shapes(
                c,
                format_args!("fluid[{i}]"),
                &fluid.boxes,
                &fluid.balls,
                here,
            );
            c.optional(format_args!("fluid[{i}].velocity"), &fluid.velocity, d);
            for row in &fluid.gradient {
                c.vector(format_args!("fluid[{i}].gradient"), row, d);
            }
            let rows = fluid.gradient.len();
            c.that(
                rows == 0 || rows == d,
                format_args!("fluid[{i}].gradient"),
                rows,
                "a row for each axis",
            );
        }
        for (i, body) in self.body.iter().enumerate() {
            shapes(c, format_args!("body[{i}]"), &body.boxes, &body.balls, here);
            c.positive(format_args!("body[{i}].density"), body.density);
            c.optional(format_args!("body[{i}].offset"), &body.offset, d);
            c.optional(format_args!("body[{i}].velocity"), &body.velocity, d);
            c.optional(format_args!("body[{i}].turn"), &body.turn, turn);
            c.optional(format_args!("body[{i}].spin"), &body.spin, turn);
            if let Some(copies) = &body.copies {
                let count = f64::from(copies.count);
                c.within(format_args!("body[{i}].copies.count"), count, 1.0..=1e5);
                c.vector(format_args!("body[{i}].copies.shift"), &copies.shift, d);
            }
        }
        for (name, size) in &self.sizes {
            c.positive(format_args!("sizes.{name}.spacing"), size.spacing);
            c.positive(format_args!("sizes.{name}.step"), size.step);
        }
        if c.is_sound() {
            let many = self.count_at_most();
            let range = "such that there are at most 20 million particles";
            c.that(many <= MOST_PARTICLES, "spacing", self.spacing, range);
        }
    }

    fn sized(&self, size: &str) -> Option<Scene> {
        let found = self.sizes.get(size)?;
        Some(Scene {
            spacing: found.spacing,
            step: found.step,
            duration: found.duration.unwrap_or(self.duration),
            ..self.clone()
        })
    }
}

impl Scene {
    /// A length of the file in metres.
    #[must_use]
    pub fn metres(&self, length: f64) -> f64 {
        if self.unit == Unit::Spacing {
            length * self.spacing
        } else {
            length
        }
    }

    /// An upper bound of the number of particles, before anything is filled.
    fn count_at_most(&self) -> f64 {
        let cells = |size: &[f64], more: f64| -> f64 {
            size.iter()
                .map(|s| (self.metres(*s) / self.spacing).round().max(1.0) + more)
                .product()
        };
        let shapes = |boxes: &[Cuboid], balls: &[Ball]| -> f64 {
            boxes.iter().map(|b| cells(&b.size, 0.0)).sum::<f64>()
                + balls
                    .iter()
                    .map(|b| cells(&vec![2.0 * b.radius; self.dimension as usize], 1.0))
                    .sum::<f64>()
        };
        self.tank
            .iter()
            .map(|t| cells(&t.size, 2.0 * f64::from(t.layers)) - cells(&t.size, 0.0))
            .sum::<f64>()
            + self
                .wall
                .iter()
                .map(|w| shapes(&w.boxes, &w.balls))
                .sum::<f64>()
            + self
                .fluid
                .iter()
                .map(|f| shapes(&f.boxes, &f.balls))
                .sum::<f64>()
            + self
                .body
                .iter()
                .map(|b| {
                    shapes(&b.boxes, &b.balls)
                        * b.copies.as_ref().map_or(1.0, |c| f64::from(c.count))
                })
                .sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_dynamics::scene_file::SceneError;

    const GOOD: &str = "name = 'a'\ndimension = 2\nspacing = 0.1\nstep = 0.01\nduration = 1\n\n[[fluid]]\nboxes = [{ min = [0, 0], size = [1, 1] }]\n\n[[body]]\ndensity = 500\nballs = [{ centre = [3, 0], radius = 0.5 }]\n";

    /// Unknown keys, wrong values and syntax errors are all named with their lines.
    #[test]
    fn errors_name_the_line_and_the_key() {
        assert!(Scene::parse(GOOD).is_ok(), "{:?}", Scene::parse(GOOD));
        let cases = [
            ("spacing = 0.1", "spacing = -0.1", 3, "spacing"),
            ("density = 500", "density = 0", 11, "body[0].density"),
            (
                "radius = 0.5",
                "radius = nan",
                12,
                "body[0].balls[0].radius",
            ),
            ("size = [1, 1]", "size = [1]", 8, "fluid[0].boxes[0].size"),
            (
                "min = [0, 0]",
                "min = [1e18, 0]",
                8,
                "fluid[0].boxes[0].min",
            ),
            (
                "centre = [3, 0]",
                "centre = [3, -2e8]",
                12,
                "body[0].balls[0].centre",
            ),
            ("spacing = 0.1", "spacing = 1e-7", 3, "spacing"),
        ];
        for (old, new, line, key) in cases {
            match Scene::parse(&GOOD.replace(old, new)) {
                Err(SceneError::Value { line: l, wrong }) => {
                    assert_eq!((l, wrong.key.as_str()), (line, key), "{new}");
                }
                other => panic!("{new}: {other:?}"),
            }
        }
        match Scene::parse(&GOOD.replace("density", "densty")) {
            Err(SceneError::Text { line, message }) => {
                assert!(line == 11 || line == 10, "{line}");
                assert!(message.contains("densty"), "{message}");
            }
            other => panic!("{other:?}"),
        }
        assert!(
            matches!(
                Scene::parse("name = "),
                Err(SceneError::Text { line: 1, .. })
            ),
            "syntax"
        );
    }

    /// Printing and reading again gives the same scene.
    #[test]
    fn scenes_print_as_they_are_read() {
        let scene = Scene::parse(GOOD).unwrap();
        assert_eq!(Scene::parse(&scene.print()).unwrap(), scene);
    }
}
