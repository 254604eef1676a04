//! Helpers of the tests: a fixed random source and assertions that say why.

use crate::real::V3;

/// Random numbers from an integer hash of an index.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
    /// Uniform in (0, 1).
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(1);
        crate::generate::hashed(self.0)
    }
    /// Uniform in the cube (-1, 1).
    pub(crate) fn vector(&mut self) -> V3 {
        V3::new(
            2.0 * self.number() - 1.0,
            2.0 * self.number() - 1.0,
            2.0 * self.number() - 1.0,
        )
    }
}

#[track_caller]
pub(crate) fn assert_small(value: f64, scale: f64, rel: f64, why: &str) {
    assert!(
        value.abs() <= rel * scale,
        "{value:e} > {rel:e} * {scale:e}: {why}"
    );
}

/// A scene with bodies of every kind, which touch each other.
pub(crate) const MIXED: &str = r#"
name = "mixed"
about = "A rigid ball among soft boxes, points and a cloth."
time_step = 0.005
duration = 1
friction = 0.4
stiffness = 300
grid_spacing = 0.05
plane = [{ normal = [0.1, 0, 1] }]
[[body]]
name = "soft"
kind = "deformable"
mass = 0.05
young = 2e3
shape = { box = { sides = [0.3, 0.3, 0.1], cells = [2, 2, 1] } }
position = [0, 0, 0.05]
[[body]]
name = "ball"
kind = "rigid"
mass = 0.03
shape = { ball = { radius = 0.1, level = 2 } }
position = [0.01, 0.02, 0.198]
angular_velocity = [3, 2, 1]
velocity = [0.5, 0, 0]
[[body]]
name = "second"
kind = "deformable"
mass = 0.01
young = 2e3
shape = { ball = { radius = 0.08, level = 1, shells = 1 } }
position = [-0.11, 0.02, 0.172]
velocity = [0.2, 0.1, 0]
[[body]]
name = "goo"
kind = "points"
mass = 0.02
shape = { box = { sides = [0.1, 0.1, 0.1], cells = [4, 4, 4] } }
position = [0.03, 0.0, 0.335]
velocity = [0.3, 0, -0.2]
[[body]]
name = "sheet"
kind = "cloth"
mass = 0.02
shape = { sheet = { side = 0.5, cells = 6 } }
position = [0.0, 0.0, 0.293]
surface = "level_set"
"#;
