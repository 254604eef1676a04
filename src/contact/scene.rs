//! Scene files: what stands where, of what, and what is expected of it. TOML in, a checked [`Scene`] out.
//!
//! ```text
//! name = "slide"            time_step = 0.001     duration = 1.5      friction = 0.1     stiffness = 1e3
//! [[plane]]                 normal = [0, 0, 1]    offset = 0
//! [[body]]                  name = "cube"  kind = "rigid"  mass = 0.04  position = [0, 0, 0.05]
//! shape = { box = { sides = [0.1, 0.1, 0.1] } }
//! [[expect]]                body = "cube"  quantity = "travel"  at = 0.6  least = 0.01  most = 0.02
//! ```
//! Lengths in m, masses in kg, times in s, angles in radians. Knows how scenes are written, not how they run.

use crate::model::{Coupling, Kind};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A scene that can't be used.
#[derive(Debug, Error)]
pub enum SceneError {
    /// The text isn't a scene.
    #[error("the scene can't be read: {0}")]
    Syntax(#[from] toml::de::Error),
    /// A value is out of its range.
    #[error("{place}: {what}, but it is {value}")]
    Value {
        /// The table and key, by the names of the file.
        place: String,
        /// What the value must be.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// Two things have one name, or one is named that isn't there.
    #[error("{place}: {what} `{name}`")]
    Name {
        /// The table and key.
        place: String,
        /// What is wrong with the name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A body's shape and kind don't go together.
    #[error("body `{body}`: {why}")]
    Shape {
        /// The body.
        body: String,
        /// Why not.
        why: &'static str,
    },
}

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
    /// Velocity at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity at the start, rad/s.
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
    /// Bodies whose masses follow by the same factor (others keep theirs).
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
    /// Way from the start, m; along `direction` if there is one.
    Travel,
    /// Way down from the start, m.
    Drop,
    /// Speed, m/s.
    Speed,
    /// Angular speed of a rigid body, rad/s.
    Spin,
    /// Height above z = 0, m.
    Height,
    /// Way sideways from the start, m.
    Sideways,
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
    /// Direction of a travel.
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
}

fn unit() -> f64 {
    1.0
}
fn earth() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

impl Scene {
    /// Reads and checks a scene.
    ///
    /// # Errors
    /// [`SceneError::Syntax`] with line and column; the others with the table and key.
    /// # Example
    /// ```
    /// let text = "name='a' \n about='b' \n time_step=0.01 \n duration=-1 \n friction=0.3 \n stiffness=1e3";
    /// let error = stokeslet_contact::Scene::parse(text).unwrap_err();
    /// assert_eq!(error.to_string(), "duration: must be positive, but it is -1");
    /// ```
    pub fn parse(text: &str) -> Result<Scene, SceneError> {
        let scene: Scene = toml::from_str(text)?;
        scene.validate()?;
        Ok(scene)
    }

    /// Checks every value.
    ///
    /// # Errors
    /// The first value that can't be, by its place.
    pub fn validate(&self) -> Result<(), SceneError> {
        let positive = |place: &str, value: f64| {
            if value > 0.0 && value.is_finite() {
                Ok(())
            } else {
                Err(SceneError::Value {
                    place: place.to_owned(),
                    what: "must be positive",
                    value,
                })
            }
        };
        let finite = |place: String, list: &[f64]| {
            list.iter().find(|x| !x.is_finite()).map_or(Ok(()), |x| {
                Err(SceneError::Value {
                    place,
                    what: "must be a finite number",
                    value: *x,
                })
            })
        };
        for (place, value) in [
            ("time_step", self.time_step),
            ("duration", self.duration),
            ("stiffness", self.stiffness),
            ("tolerance", self.tolerance),
        ] {
            positive(place, value)?;
        }
        if self.friction < 0.0 || !self.friction.is_finite() {
            return Err(SceneError::Value {
                place: "friction".to_owned(),
                what: "must not be negative",
                value: self.friction,
            });
        }
        finite("gravity".to_owned(), &self.gravity)?;
        let mut names: Vec<&str> = Vec::new();
        for plane in &self.plane {
            let place = format!("plane `{}`", plane.name);
            finite(format!("{place}, normal"), &plane.normal)?;
            finite(format!("{place}, offset"), &[plane.offset])?;
            positive(
                &format!("{place}, length of normal"),
                plane.normal.iter().map(|x| x * x).sum::<f64>().sqrt(),
            )?;
            names.push(&plane.name);
        }
        for b in &self.body {
            let place = |key: &str| format!("body `{}`, {key}", b.name);
            if names.contains(&b.name.as_str()) {
                return Err(SceneError::Name {
                    place: "body".to_owned(),
                    what: "a second thing is named",
                    name: b.name.clone(),
                });
            }
            names.push(&b.name);
            if b.kind != Kind::Fixed {
                positive(&place("mass"), b.mass)?;
            }
            for (key, list) in [
                ("position", b.position),
                ("rotation", b.rotation),
                ("velocity", b.velocity),
                ("angular_velocity", b.angular_velocity),
            ] {
                finite(place(key), &list)?;
            }
            for (key, value) in [("young", b.young), ("sand", b.sand)] {
                if let Some(value) = value {
                    positive(&place(key), value)?;
                }
            }
            if let Some(value) = b.poisson
                && !(0.0..0.5).contains(&value)
            {
                return Err(SceneError::Value {
                    place: place("poisson"),
                    what: "must be at least 0 and below 0.5",
                    value,
                });
            }
            b.check_shape(&positive)?;
            if b.kind == Kind::Points {
                positive("grid_spacing", self.grid_spacing.unwrap_or(0.0))?;
            }
        }
        let known = |place: &str, name: &str| {
            if names.contains(&name) {
                Ok(())
            } else {
                Err(SceneError::Name {
                    place: place.to_owned(),
                    what: "nothing is named",
                    name: name.to_owned(),
                })
            }
        };
        for e in &self.expect {
            known("expect, body", &e.body)?;
        }
        if let Some(w) = &self.wedge {
            positive("wedge, threshold", w.threshold)?;
            positive("wedge, settle", w.settle)?;
            known("wedge, body", &w.body)?;
            known("wedge, wall", &w.wall)?;
            for name in w.ball.iter().chain(&w.also) {
                known("wedge", name)?;
            }
        }
        Ok(())
    }
}

impl BodySpec {
    fn check_shape(
        &self,
        positive: &dyn Fn(&str, f64) -> Result<(), SceneError>,
    ) -> Result<(), SceneError> {
        let place = |key: &str| format!("body `{}`, {key}", self.name);
        let wrong = |why| {
            Err(SceneError::Shape {
                body: self.name.clone(),
                why,
            })
        };
        let counts = |list: &[usize], least: usize| {
            let bad = list.iter().find(|&&n| n < least || n > 2000);
            bad.map_or(Ok(()), |&n| {
                Err(SceneError::Value {
                    place: place("cells"),
                    what: "must be from 1 (a torus: 3) to 2000",
                    value: n as f64,
                })
            })
        };
        match &self.shape {
            ShapeSpec::Box { sides, cells } => {
                for s in sides {
                    positive(&place("sides"), *s)?;
                }
                counts(cells, 1)?;
                if self.kind == Kind::Cloth {
                    return wrong("a cloth is a sheet");
                }
            }
            ShapeSpec::Ball {
                radius,
                level,
                shells,
                spacing,
            } => {
                positive(&place("radius"), *radius)?;
                positive(&place("spacing"), spacing.unwrap_or(1.0))?;
                counts(&[*shells], 1)?;
                if *level > 6 {
                    return Err(SceneError::Value {
                        place: place("level"),
                        what: "must be at most 6",
                        value: f64::from(*level),
                    });
                }
                if self.kind == Kind::Cloth {
                    return wrong("a cloth is a sheet");
                }
            }
            ShapeSpec::Torus {
                major,
                minor,
                cells,
            } => {
                positive(&place("major"), *major)?;
                positive(&place("minor"), *minor)?;
                positive(&place("major - minor"), major - minor)?;
                counts(cells, 3)?;
                if matches!(self.kind, Kind::Cloth | Kind::Points) {
                    return wrong("a torus is rigid, deformable or fixed");
                }
            }
            ShapeSpec::Sheet { side, cells } => {
                positive(&place("side"), *side)?;
                counts(&[*cells], 1)?;
                if self.kind != Kind::Cloth {
                    return wrong("a sheet is a cloth");
                }
            }
            ShapeSpec::Cone {
                radius,
                height,
                spacing,
            } => {
                positive(&place("radius"), *radius)?;
                positive(&place("height"), *height)?;
                positive(&place("spacing"), *spacing)?;
                if self.kind != Kind::Points {
                    return wrong("a cone is made of points");
                }
            }
            ShapeSpec::Bowl { radius } => {
                positive(&place("radius"), *radius)?;
                if self.kind != Kind::Fixed {
                    return wrong("a bowl is fixed");
                }
            }
        }
        Ok(())
    }
}
