//! Scene files (TOML) -> [`Scene`], checked: what fills the world, and its physics. Errors name the line and the key.
//!
//! Lengths are metres or spacings (`unit`). Everything starts on one lattice of the spacing `l` whose first centres are at `l/2`: an edge of
//! length L holds `round(L/l)` particles. The last axis is up. Knows nothing of solvers. The lattice itself is filled in `fill`.

use crate::body::Motion;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

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

/// Why a scene can't be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SceneError {
    /// The text isn't a scene: syntax, an unknown or a missing key, a wrong type.
    #[error("{message}")]
    Text {
        /// Line, from 1.
        line: usize,
        /// The reader's message with the line drawn.
        message: String,
    },
    /// A value outside its range.
    #[error("line {line}: `{key}` is {value}, but must be {range}")]
    Value {
        /// Line of the key in the text, from 1; 0 for a scene that wasn't read from text.
        line: usize,
        /// The key, as `body[2].density`.
        key: String,
        /// Its value.
        value: String,
        /// What it may be.
        range: &'static str,
    },
    /// No such size.
    #[error("the scene has no size `{0}`")]
    UnknownSize(String),
}

/// The most particles that a scene may have.
pub const MOST_PARTICLES: f64 = 2e7;

struct Checks {
    dimension: usize,
    fault: Option<(String, String, &'static str)>,
}

impl Checks {
    fn number(
        &mut self,
        key: impl FnOnce() -> String,
        value: f64,
        good: bool,
        range: &'static str,
    ) {
        if self.fault.is_none() && !(good && value.is_finite()) {
            self.fault = Some((key(), value.to_string(), range));
        }
    }

    fn vector(
        &mut self,
        key: impl FnOnce() -> String,
        value: &[f64],
        n: usize,
        range: &'static str,
    ) {
        if self.fault.is_none() && (value.len() != n || value.iter().any(|x| !x.is_finite())) {
            self.fault = Some((key(), format!("{value:?}"), range));
        }
    }

    fn optional(
        &mut self,
        key: impl FnOnce() -> String,
        value: &[f64],
        n: usize,
        range: &'static str,
    ) {
        if !value.is_empty() {
            self.vector(key, value, n, range);
        }
    }

    fn shapes(&mut self, place: &str, boxes: &[Cuboid], balls: &[Ball]) {
        let d = self.dimension;
        if boxes.is_empty() && balls.is_empty() && self.fault.is_none() {
            self.fault = Some((
                format!("{place}.boxes"),
                "empty".into(),
                "at least one box or ball",
            ));
        }
        for (k, b) in boxes.iter().enumerate() {
            self.vector(
                || format!("{place}.boxes[{k}].min"),
                &b.min,
                d,
                "one finite number for each axis",
            );
            self.vector(
                || format!("{place}.boxes[{k}].size"),
                &b.size,
                d,
                "one finite number for each axis",
            );
            for s in &b.size {
                self.number(
                    || format!("{place}.boxes[{k}].size"),
                    *s,
                    *s > 0.0,
                    "positive",
                );
            }
        }
        for (k, b) in balls.iter().enumerate() {
            self.vector(
                || format!("{place}.balls[{k}].centre"),
                &b.centre,
                d,
                "one finite number for each axis",
            );
            self.number(
                || format!("{place}.balls[{k}].radius"),
                b.radius,
                b.radius > 0.0,
                "positive",
            );
        }
    }
}

impl Scene {
    /// Reads a scene.
    ///
    /// # Errors
    /// [`SceneError::Text`] for what the reader refuses (unknown keys too), [`SceneError::Value`] for values outside their range; both with the line.
    pub fn parse(text: &str) -> Result<Scene, SceneError> {
        let scene: Scene = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                1 + text[..span.start.min(text.len())].matches('\n').count()
            });
            SceneError::Text {
                line,
                message: error.to_string(),
            }
        })?;
        scene.validate().map_err(|error| match error {
            SceneError::Value {
                key, value, range, ..
            } => SceneError::Value {
                line: line_of(text, &key),
                key,
                value,
                range,
            },
            other => other,
        })?;
        Ok(scene)
    }

    /// The scene as text that [`Scene::parse`] reads back as the same scene.
    ///
    /// # Panics
    /// Never for scenes: all their keys are text and their numbers finite.
    #[must_use]
    pub fn print(&self) -> String {
        toml::to_string_pretty(self).expect("a scene holds only what TOML can say")
    }

    /// The same scene at another of its sizes.
    ///
    /// # Errors
    /// [`SceneError::UnknownSize`].
    pub fn at_size(&self, size: &str) -> Result<Scene, SceneError> {
        let Some(found) = self.sizes.get(size) else {
            return Err(SceneError::UnknownSize(size.to_owned()));
        };
        let mut scene = self.clone();
        scene.spacing = found.spacing;
        scene.step = found.step;
        scene.duration = found.duration.unwrap_or(self.duration);
        Ok(scene)
    }

    /// A length of the file in metres.
    #[must_use]
    pub fn metres(&self, length: f64) -> f64 {
        if self.unit == Unit::Spacing {
            length * self.spacing
        } else {
            length
        }
    }

    /// Checks every value.
    ///
    /// # Errors
    /// The first [`SceneError::Value`], with line 0.
    pub fn validate(&self) -> Result<(), SceneError> {
        let d = self.dimension as usize;
        let turn = if d == 2 { 1 } else { 3 };
        let mut c = Checks {
            dimension: d,
            fault: None,
        };
        let axes = "one finite number for each axis";
        c.number(|| "dimension".into(), d as f64, d == 2 || d == 3, "2 or 3");
        c.number(
            || "spacing".into(),
            self.spacing,
            self.spacing > 0.0,
            "positive",
        );
        c.number(
            || "radius".into(),
            self.radius,
            (1.2..=5.0).contains(&self.radius),
            "from 1.2 to 5 spacings",
        );
        c.number(|| "step".into(), self.step, self.step > 0.0, "positive");
        c.number(
            || "duration".into(),
            self.duration,
            self.duration > 0.0,
            "positive",
        );
        c.optional(|| "gravity".into(), &self.gravity, d, axes);
        c.number(
            || "fluid_density".into(),
            self.fluid_density,
            self.fluid_density > 0.0,
            "positive",
        );
        let stable = 0.1 * self.spacing * self.spacing / self.step;
        c.number(
            || "viscosity".into(),
            self.viscosity,
            (0.0..=stable).contains(&self.viscosity),
            "from 0 to 0.1 spacing^2 / step, since viscosity is explicit",
        );
        c.number(
            || "restitution".into(),
            self.restitution,
            (0.0..=1.0).contains(&self.restitution),
            "from 0 to 1",
        );
        c.number(
            || "friction".into(),
            self.friction,
            (0.0..=10.0).contains(&self.friction),
            "from 0 to 10",
        );
        if let Some(shake) = &self.shake {
            c.vector(|| "shake.amplitude".into(), &shake.amplitude, d, axes);
            c.number(
                || "shake.frequency".into(),
                shake.frequency,
                shake.frequency >= 0.0,
                "at least 0",
            );
        }
        for (i, tank) in self.tank.iter().enumerate() {
            c.vector(|| format!("tank[{i}].min"), &tank.min, d, axes);
            c.vector(|| format!("tank[{i}].size"), &tank.size, d, axes);
            for s in &tank.size {
                c.number(|| format!("tank[{i}].size"), *s, *s > 0.0, "positive");
            }
            c.number(
                || format!("tank[{i}].layers"),
                f64::from(tank.layers),
                (1..=10).contains(&tank.layers),
                "from 1 to 10",
            );
        }
        for (i, wall) in self.wall.iter().enumerate() {
            c.shapes(&format!("wall[{i}]"), &wall.boxes, &wall.balls);
        }
        for (i, fluid) in self.fluid.iter().enumerate() {
            c.shapes(&format!("fluid[{i}]"), &fluid.boxes, &fluid.balls);
            c.optional(|| format!("fluid[{i}].velocity"), &fluid.velocity, d, axes);
            for row in &fluid.gradient {
                c.vector(
                    || format!("fluid[{i}].gradient"),
                    row,
                    d,
                    "a square of finite numbers",
                );
            }
            let rows = fluid.gradient.len();
            c.number(
                || format!("fluid[{i}].gradient"),
                rows as f64,
                rows == 0 || rows == d,
                "a row for each axis",
            );
        }
        for (i, body) in self.body.iter().enumerate() {
            c.shapes(&format!("body[{i}]"), &body.boxes, &body.balls);
            c.number(
                || format!("body[{i}].density"),
                body.density,
                body.density > 0.0,
                "positive",
            );
            c.optional(|| format!("body[{i}].offset"), &body.offset, d, axes);
            c.optional(|| format!("body[{i}].velocity"), &body.velocity, d, axes);
            c.optional(
                || format!("body[{i}].turn"),
                &body.turn,
                turn,
                "one number in the plane, three in space",
            );
            c.optional(
                || format!("body[{i}].spin"),
                &body.spin,
                turn,
                "one number in the plane, three in space",
            );
            if let Some(copies) = &body.copies {
                let count = f64::from(copies.count);
                c.number(
                    || format!("body[{i}].copies"),
                    count,
                    (1..=100_000).contains(&copies.count),
                    "from 1 to 100000",
                );
                c.vector(|| format!("body[{i}].copies"), &copies.shift, d, axes);
            }
        }
        for (name, size) in &self.sizes {
            c.number(
                || format!("sizes.{name}.spacing"),
                size.spacing,
                size.spacing > 0.0,
                "positive",
            );
            c.number(
                || format!("sizes.{name}.step"),
                size.step,
                size.step > 0.0,
                "positive",
            );
        }
        if c.fault.is_none() {
            let many = self.count_at_most();
            c.number(
                || "spacing".into(),
                many,
                many <= MOST_PARTICLES,
                "such that there are at most 20 million particles",
            );
        }
        match c.fault {
            Some((key, value, range)) => Err(SceneError::Value {
                line: 0,
                key,
                value,
                range,
            }),
            None => Ok(()),
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

/// The line on which a key as `body[2].density` stands, from 1; the line of its table when it has none of its own.
fn line_of(text: &str, key: &str) -> usize {
    let (table, name) = key.split_once('.').unwrap_or(("", key));
    let last = name.split(['.', '[']).next().unwrap_or(name);
    let (table, index) = match table.split_once('[') {
        Some((t, rest)) => (t, rest.trim_end_matches(']').parse().unwrap_or(0)),
        None => (table, 0),
    };
    let (mut inside, mut seen, mut head) = (table.is_empty(), 0_usize, 1);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            let title = line
                .trim_start_matches('[')
                .split(']')
                .next()
                .unwrap_or("")
                .trim();
            if title == table {
                inside = seen == index;
                seen += 1;
                if inside {
                    head = number + 1;
                }
            } else {
                let inner = title
                    .strip_prefix(table)
                    .is_some_and(|rest| rest.starts_with('.'));
                inside = inside && inner;
                if inside && title.rsplit('.').next() == Some(last) {
                    return number + 1;
                }
            }
        } else if inside && line.split('=').next().map(str::trim) == Some(last) {
            return number + 1;
        }
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("spacing = 0.1", "spacing = 1e-7", 3, "spacing"),
        ];
        for (old, new, line, key) in cases {
            match Scene::parse(&GOOD.replace(old, new)) {
                Err(SceneError::Value {
                    line: l, key: k, ..
                }) => assert_eq!((l, k.as_str()), (line, key), "{new}"),
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
