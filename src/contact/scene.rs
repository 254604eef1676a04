//! Scene files: what stands where, of what, and what is expected of it. TOML in, a checked [`Scene`] out.
//!
//! ```text
//! name = "slide"            time_step = 0.001     duration = 1.5      friction = 0.1     stiffness = 1e3
//! [[plane]]                 normal = [0, 0, 1]    offset = 0
//! [[body]]                  name = "cube"  kind = "rigid"  mass = 0.04  position = [0, 0, 0.05]
//! shape = { box = { sides = [0.1, 0.1, 0.1] } }
//! [view]                    from = [0.6, 0.3]  least = [-0.1, -0.1, 0]  most = [0.4, 0.1, 0.2]
//! [[expect]]                body = "cube"  quantity = "travel"  since = 0.1  at = 0.6  least = 0.01  most = 0.02
//! [sizes.fine]              shapes = { cube = { box = { sides = [0.1, 0.1, 0.1], cells = [8, 8, 8] } } }
//! ```
//! Lengths in m, masses in kg, times in s, angles in radians. Knows how scenes are written, not how they run.

use crate::model::{Coupling, Kind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use stokeslet_dynamics::scene_file::{Checks, SceneFile};

mod arrival;
mod check_shape;
mod mesh;
mod size;

pub use arrival::Again;
pub use mesh::{MeshError, MeshSpec};
pub use size::Size;

/// A half space that never moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneSpec {
    /// Name. Default `plane`.
    #[serde(default = "plane_name")]
    pub name: String,
    /// Normal out of the solid; any length.
    pub normal: [f64; 3],
    /// Distance from the origin along the normal, m.
    #[serde(default)]
    pub offset: f64,
}

fn plane_name() -> String {
    "plane".to_owned()
}

/// A body's outline and how finely it is cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeSpec {
    /// A box about its centre.
    Box {
        /// Sides, m.
        sides: [f64; 3],
        /// Cells a side, or material points a side. Default 1 each.
        #[serde(default = "one_cell")]
        cells: [usize; 3],
    },
    /// A ball.
    Ball {
        /// Radius, m.
        radius: f64,
        /// Surface of `10 4^level + 2` vertices. Default 3 (642).
        #[serde(default = "three")]
        level: u32,
        /// Shells of a deformable ball. Default 2.
        #[serde(default = "two")]
        shells: usize,
        /// Spacing of material points, m. Default a tenth of the radius.
        #[serde(default)]
        spacing: Option<f64>,
    },
    /// A torus about z.
    Torus {
        /// Radius of the ring, m.
        major: f64,
        /// Radius of the tube, m.
        minor: f64,
        /// Vertices around the ring and around the tube. Default 24, 12.
        #[serde(default = "torus_cells")]
        cells: [usize; 2],
    },
    /// A square sheet, across z.
    Sheet {
        /// Side, m.
        side: f64,
        /// Cells a side.
        cells: usize,
    },
    /// A cone of material points, its axis along z, its base below the centre by half its height.
    Cone {
        /// Radius of the base, m.
        radius: f64,
        /// Height, m.
        height: f64,
        /// Spacing of material points, m.
        spacing: f64,
    },
    /// A bowl: space below the centre outside a ball about it (fixed bodies only).
    Bowl {
        /// Inner radius, m.
        radius: f64,
    },
    /// A closed mesh of triangles.
    Mesh(MeshSpec),
}

fn one_cell() -> [usize; 3] {
    [1; 3]
}
fn three() -> u32 {
    3
}
fn two() -> usize {
    2
}
fn torus_cells() -> [usize; 2] {
    [24, 12]
}

/// How a rigid or fixed body is touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurfaceSpec {
    /// Its triangles, found by continuous collision detection.
    #[default]
    Mesh,
    /// Its exact level set.
    LevelSet,
    /// Others pass through it; its own vertices still touch others.
    None,
}

/// A body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodySpec {
    /// Name, unique in the scene.
    pub name: String,
    /// Rigid, deformable, cloth, points or fixed.
    pub kind: Kind,
    /// Outline.
    pub shape: ShapeSpec,
    /// Mass, kg. Needed of all that moves.
    #[serde(default)]
    pub mass: f64,
    /// Centre, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation vector, radians.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Velocity where it comes in, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity where it comes in, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// How a rigid or fixed body is touched.
    #[serde(default)]
    pub surface: SurfaceSpec,
    /// Young's modulus, Pa. Default 1e6 (deformable), 1e3 (points), 35.37e6 (sand).
    #[serde(default)]
    pub young: Option<f64>,
    /// Poisson's ratio. Default 0.45 (deformable), 0.3 (points).
    #[serde(default)]
    pub poisson: Option<f64>,
    /// Angle of friction, degrees: makes the points sand.
    #[serde(default)]
    pub sand: Option<f64>,
    /// Whether a deformable body or cloth touches itself. Default false.
    #[serde(default)]
    pub self_contact: bool,
    /// Whether the corners of a cloth are fixed. Default true.
    #[serde(default = "yes")]
    pub corners_fixed: bool,
    /// Time at which it comes in, s; it isn't there before. Default 0.
    #[serde(default)]
    pub from: f64,
    /// Comes in more than once; the bodies after the first are called `sand 2`, `sand 3`, ...
    #[serde(default)]
    pub again: Option<Again>,
    /// Material points that share the grid of these others, and so press and rub on each other. Those that come [again](Self::again) join the
    /// first.
    #[serde(default)]
    pub joins: Option<String>,
}

fn yes() -> bool {
    true
}

/// A start in two parts: the bodies settle in their wedge without weight and friction, then their masses are set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wedge {
    /// Friction at which the bodies would just hold.
    pub threshold: f64,
    /// The body that is pressed against a wall, whose normal force is measured.
    pub body: String,
    /// The ball between the body and the other wall; it carries half of its weight here. None: the body alone, held on two sides.
    #[serde(default)]
    pub ball: Option<String>,
    /// The wall, by the name of its plane.
    pub wall: String,
    /// Time to settle, s. Default 0.5.
    #[serde(default = "half")]
    pub settle: f64,
    /// Bodies whose masses follow by the same factor (others keep theirs), also where they come in later; they too start where the scene puts them.
    #[serde(default)]
    pub also: Vec<String>,
}

fn half() -> f64 {
    0.5
}

/// What is measured of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Way from where it came in, m; along `direction` if there is one.
    Travel,
    /// Way down from where it came in, m.
    Drop,
    /// Speed, m/s.
    Speed,
    /// Angular speed of a rigid body, rad/s.
    Spin,
    /// Height above z = 0, m.
    Height,
    /// Way sideways from where it came in, m.
    Sideways,
    /// Angle that a rigid body has turned by since it came in, rad, below pi; about `direction` if there is one.
    Turn,
}

impl Quantity {
    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Travel | Quantity::Drop | Quantity::Height | Quantity::Sideways => "m",
            Quantity::Speed => "m/s",
            Quantity::Spin => "rad/s",
            Quantity::Turn => "rad",
        }
    }
}

/// What is expected of a body at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The body.
    pub body: String,
    /// What of it.
    pub quantity: Quantity,
    /// When, s.
    pub at: f64,
    /// What is measured is the change from this time on, s. Default: the quantity itself.
    #[serde(default)]
    pub since: Option<f64>,
    /// Direction of a travel, axis of a turn.
    #[serde(default)]
    pub direction: Option<[f64; 3]>,
    /// Not less than this.
    #[serde(default)]
    pub least: Option<f64>,
    /// Not more than this.
    #[serde(default)]
    pub most: Option<f64>,
    /// Where the numbers come from.
    pub why: String,
}

/// Where scenes are seen from that don't say it: turned about z and tilted down, radians.
pub const FROM: [f64; 2] = [0.6, 0.3];

/// What pictures show, and from where; by default the surroundings of the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Turned about z and tilted down, radians. Default [`FROM`].
    #[serde(default = "from")]
    pub from: [f64; 2],
    /// Least corner of the box that is shown, m.
    pub least: [f64; 3],
    /// Greatest corner, m.
    pub most: [f64; 3],
}

fn from() -> [f64; 2] {
    FROM
}

/// The row of the paper's table 2.1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperRow {
    /// Name of the row.
    pub row: String,
    /// Time step, s.
    pub time_step: f64,
    /// Seconds a frame on the paper's machine.
    pub seconds_per_frame: f64,
    /// Particles, where printed.
    #[serde(default)]
    pub particles: Option<String>,
    /// Grid, where printed.
    #[serde(default)]
    pub grid: Option<String>,
    /// How this scene differs from the paper's, if it does.
    #[serde(default)]
    pub differs: Option<String>,
}

/// A scene.
///
/// ```
/// use stokeslet_contact::{Scene, SceneFile};
/// let text = "name='a' \n about='b' \n time_step=0.01 \n duration=-1 \n friction=0.3 \n stiffness=1e3";
/// let error = Scene::parse(text).unwrap_err();
/// assert_eq!(error.to_string(), "line 4: `duration` is -1, but must be positive");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scene {
    /// Name.
    pub name: String,
    /// What to look at.
    pub about: String,
    /// Time step, s.
    pub time_step: f64,
    /// Length of the run, s.
    pub duration: f64,
    /// Coefficient of friction between everything.
    pub friction: f64,
    /// Stiffness of the penalty, N/m a particle.
    pub stiffness: f64,
    /// Whether a vertex has its part of that by the area of its triangles over the mean of its body's, so that a surface presses evenly where its
    /// triangles are of many sizes (section 7 of the specification, P9). Default false, as in the paper.
    #[serde(default)]
    pub stiffness_by_area: bool,
    /// Newton tolerance as table 2.1 has it. Default 1.
    #[serde(default = "unit")]
    pub tolerance: f64,
    /// Gravity, m/s^2. Default downward along z.
    #[serde(default = "earth")]
    pub gravity: [f64; 3],
    /// How contact enters the step.
    #[serde(default)]
    pub coupling: Coupling,
    /// Grid spacing of the material points, m. Needed if there are any.
    #[serde(default)]
    pub grid_spacing: Option<f64>,
    /// Half spaces.
    #[serde(default)]
    pub plane: Vec<PlaneSpec>,
    /// Bodies.
    #[serde(default)]
    pub body: Vec<BodySpec>,
    /// A start in two parts.
    #[serde(default)]
    pub wedge: Option<Wedge>,
    /// What is expected.
    #[serde(default)]
    pub expect: Vec<Expect>,
    /// The paper's row.
    #[serde(default)]
    pub paper: Option<PaperRow>,
    /// What pictures show.
    #[serde(default)]
    pub view: Option<View>,
    /// Other sizes by name; large built-in scenes have `paper`.
    #[serde(default)]
    pub sizes: BTreeMap<String, Size>,
}

fn unit() -> f64 {
    1.0
}
fn earth() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// A name that must be one of the scene's.
fn known(c: &mut Checks, names: &[&str], key: impl Display, name: &str) {
    let range = "the name of a body or plane";
    c.that(names.contains(&name), key, format_args!("{name:?}"), range);
}

impl SceneFile for Scene {
    fn name(&self) -> &str {
        &self.name
    }

    fn title(&self) -> &str {
        &self.about
    }

    fn check(&self, c: &mut Checks) {
        c.positive("time_step", self.time_step);
        c.positive("duration", self.duration);
        c.positive("stiffness", self.stiffness);
        c.positive("tolerance", self.tolerance);
        c.within("friction", self.friction, 0.0..=f64::INFINITY);
        c.vector("gravity", &self.gravity, 3);
        if let Some(view) = &self.view {
            c.vector("view.from", &view.from, 2);
            c.vector("view.least", &view.least, 3);
            c.vector("view.most", &view.most, 3);
            let is_box = (0..3).all(|k| view.least[k] < view.most[k]);
            let most = format_args!("{:?}", view.most);
            c.that(is_box, "view.most", most, "greater than `view.least`");
        }
        let copies: Vec<String> = self.body.iter().flat_map(BodySpec::copies).collect();
        let mut names: Vec<&str> = copies.iter().map(String::as_str).collect();
        for (k, plane) in self.plane.iter().enumerate() {
            c.vector(format_args!("plane[{k}].normal"), &plane.normal, 3);
            c.vector(format_args!("plane[{k}].offset"), &[plane.offset], 1);
            let length = plane.normal.iter().map(|x| x * x).sum::<f64>();
            c.that(
                length > 0.0,
                format_args!("plane[{k}].normal"),
                format_args!("{:?}", plane.normal),
                "longer than 0",
            );
            names.push(&plane.name);
        }
        for (k, b) in self.body.iter().enumerate() {
            c.that(
                !names.contains(&b.name.as_str()),
                format_args!("body[{k}].name"),
                format_args!("{:?}", b.name),
                "a name that nothing else has",
            );
            names.push(&b.name);
            if b.kind != Kind::Fixed {
                c.positive(format_args!("body[{k}].mass"), b.mass);
            }
            for (key, list) in [
                ("position", b.position),
                ("rotation", b.rotation),
                ("velocity", b.velocity),
                ("angular_velocity", b.angular_velocity),
            ] {
                c.vector(format_args!("body[{k}].{key}"), &list, 3);
            }
            for (key, value) in [("young", b.young), ("sand", b.sand)] {
                c.positive(format_args!("body[{k}].{key}"), value.unwrap_or(1.0));
            }
            let poisson = b.poisson.unwrap_or(0.0);
            c.that(
                (0.0..0.5).contains(&poisson),
                format_args!("body[{k}].poisson"),
                poisson,
                "at least 0 and below 0.5",
            );
            b.check_shape(c, &format!("body[{k}].shape"), Some(&format!("body[{k}]")));
            self.check_arrival(c, k);
            if b.kind == Kind::Points {
                c.positive("grid_spacing", self.grid_spacing.unwrap_or(0.0));
            }
        }
        for (k, expect) in self.expect.iter().enumerate() {
            known(c, &names, format_args!("expect[{k}].body"), &expect.body);
            self.check_presence(c, k, expect);
            c.within(
                format_args!("expect[{k}].at"),
                expect.at,
                0.0..=f64::INFINITY,
            );
            if let Some(direction) = &expect.direction {
                c.vector(format_args!("expect[{k}].direction"), direction, 3);
                c.that(
                    direction.iter().any(|x| *x != 0.0),
                    format_args!("expect[{k}].direction"),
                    format_args!("{direction:?}"),
                    "longer than 0",
                );
            }
        }
        if let Some(w) = &self.wedge {
            c.positive("wedge.threshold", w.threshold);
            c.positive("wedge.settle", w.settle);
            known(c, &names, "wedge.body", &w.body);
            let weighs = |b: &BodySpec| b.name == w.body && b.kind != Kind::Fixed;
            c.that(
                self.body.iter().any(weighs),
                "wedge.body",
                format_args!("{:?}", w.body),
                "a body that moves",
            );
            let heavy = self.gravity.iter().any(|g| *g != 0.0);
            let range = "other than 0 for a wedge, whose masses follow from it";
            c.that(heavy, "gravity", format_args!("{:?}", self.gravity), range);
            known(c, &names, "wedge.wall", &w.wall);
            for name in w.ball.iter().chain(&w.also) {
                known(c, &names, "wedge", name);
            }
            let is_late = |b: &BodySpec| b.again.is_some() || b.from > 0.0 && w.is_settled(&b.name);
            let late = self.body.iter().find(|b| is_late(b) && w.names(&b.name));
            let (name, range) = (
                late.map(|b| &b.name),
                "bodies that come in once, those that settle at the start",
            );
            c.that(late.is_none(), "wedge", format_args!("{name:?}"), range);
        }
        for (name, size) in &self.sizes {
            self.check_size(c, name, size);
        }
    }

    fn sized(&self, size: &str) -> Option<Scene> {
        self.sizes.get(size).map(|found| self.resized(found))
    }
}

impl Wedge {
    fn names(&self, name: &str) -> bool {
        self.is_settled(name) || self.also.iter().any(|n| n == name)
    }

    /// Whether a body has to be there when the wedge settles.
    fn is_settled(&self, name: &str) -> bool {
        let pair = [&self.body, &self.wall].into_iter();
        pair.chain(&self.ball).any(|n| n == name)
    }
}
