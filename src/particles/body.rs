//! Rigid bodies: particles on a lattice -> mass, centre and inertia; velocities -> poses.
//!
//! A particle is a box of side `l` for mass and inertia, a sphere of diameter `l` for contacts. In the plane bodies are one metre thick and
//! turn about z only: the inertia keeps one entry, the quaternion one angle. Knows nothing of constraints.

use crate::vector::{in_dimension, in_space};
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};

/// Which ways a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// Moves and turns.
    #[default]
    Free,
    /// Turns about its centre of mass, which stays.
    Pinned,
    /// Neither: a wall of another shape.
    Fixed,
}

/// One rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Body<const D: usize> {
    /// The body's name in its scene.
    pub name: String,
    /// Which ways it moves.
    pub motion: Motion,
    /// Mass, kg (of a metre's thickness in the plane).
    pub mass: f64,
    /// The inertia about the centre of mass in the body's frame, kg m^2.
    pub inertia: DMat3,
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Orientation.
    pub turn: DQuat,
    /// Velocity of the centre of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity, 1/s.
    pub spin: DVec3,
    /// Its particles relative to the centre of mass, in the body's frame, m.
    pub shape: Vec<DVec3>,
}

/// Mass, centre of mass and inertia of particles as boxes of side `l`.
///
/// ```text
/// I = sum m (|d|^2 1 - d d^T + l^2/6 1)
/// ```
/// # Shapes and units
/// Points in m, `density` in kg/m^3; the inertia is about the centre. In the plane `d` has no third part and only `I_zz` is used.
/// # Requires
/// At least one point.
/// # Source
/// Miyamoto and Koshizuka, section 4.1; an n x n block has `I = M (n l)^2 / 6` exactly.
#[must_use]
pub fn mass_properties<const D: usize>(
    points: &[[f64; D]],
    spacing: f64,
    density: f64,
) -> (f64, DVec3, DMat3) {
    let each = density * spacing.powi(D as i32);
    let centre = points.iter().map(in_space).sum::<DVec3>() / points.len() as f64;
    let mut inertia = DMat3::ZERO;
    for p in points {
        let d = in_space(p) - centre;
        let outer = DMat3::from_cols(d * d.x, d * d.y, d * d.z);
        inertia +=
            (DMat3::from_diagonal(DVec3::splat(d.length_squared() + spacing * spacing / 6.0))
                - outer)
                * each;
    }
    (each * points.len() as f64, centre, inertia)
}

impl<const D: usize> Body<D> {
    /// The inverse mass: 0 for a body whose centre stays.
    #[must_use]
    pub fn inverse_mass(&self) -> f64 {
        if self.motion == Motion::Free {
            1.0 / self.mass
        } else {
            0.0
        }
    }

    /// The inertia in the world's frame.
    #[must_use]
    pub fn world_inertia(&self) -> DMat3 {
        let r = DMat3::from_quat(self.turn);
        r * self.inertia * r.transpose()
    }

    /// The inverse inertia in the world's frame; only its zz part in the plane, 0 for a fixed body.
    #[must_use]
    pub fn inverse_inertia(&self) -> DMat3 {
        if self.motion == Motion::Fixed {
            return DMat3::ZERO;
        }
        if D == 2 {
            return DMat3::from_diagonal(DVec3::new(0.0, 0.0, 1.0 / self.inertia.z_axis.z));
        }
        let r = DMat3::from_quat(self.turn);
        r * self.inertia.inverse() * r.transpose()
    }

    /// Where its particles are, m.
    pub fn points(&self) -> impl Iterator<Item = [f64; D]> + '_ {
        let r = DMat3::from_quat(self.turn);
        self.shape
            .iter()
            .map(move |d| in_dimension(self.centre + r * *d))
    }

    /// Moves and turns by one step of `h` seconds: `dq = (cos(h|w|/2), sin(h|w|/2) w/|w|)`, `q <- dq q`, normalised.
    pub fn advance(&mut self, h: f64) {
        if self.motion == Motion::Free {
            self.centre += self.velocity * h;
        }
        let rate = self.spin.length();
        if rate > 0.0 && self.motion != Motion::Fixed {
            self.turn =
                (DQuat::from_axis_angle(self.spin / rate, h * rate) * self.turn).normalize();
        }
    }

    /// Kinetic energy, J.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let moving = if self.motion == Motion::Free {
            0.5 * self.mass * self.velocity.length_squared()
        } else {
            0.0
        };
        moving
            + if self.motion == Motion::Fixed {
                0.0
            } else {
                0.5 * self.spin.dot(self.angular_momentum())
            }
    }

    /// Angular momentum about its own centre, kg m^2/s.
    #[must_use]
    pub fn angular_momentum(&self) -> DVec3 {
        if D == 2 {
            DVec3::new(0.0, 0.0, self.inertia.z_axis.z * self.spin.z)
        } else {
            self.world_inertia() * self.spin
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An n x n block has `I = M (n l)^2 / 6`, a cube of particles the same about each axis.
    #[test]
    fn blocks_have_the_inertia_of_solid_boxes() {
        for n in [1, 2, 5] {
            let l = 0.03;
            let side = f64::from(n) * l;
            let plane: Vec<[f64; 2]> = (0..n * n)
                .map(|k| [f64::from(k % n) * l, f64::from(k / n) * l])
                .collect();
            let (mass, _, inertia) = mass_properties(&plane, l, 700.0);
            let want = mass * side * side / 6.0;
            assert!(
                (inertia.z_axis.z / want - 1.0).abs() < 1e-12,
                "square of {n}: {} against {want}",
                inertia.z_axis.z
            );
            let cube: Vec<[f64; 3]> = (0..n * n * n)
                .map(|k| {
                    [
                        f64::from(k % n) * l,
                        f64::from(k / n % n) * l,
                        f64::from(k / n / n) * l,
                    ]
                })
                .collect();
            let (mass, _, inertia) = mass_properties(&cube, l, 700.0);
            let want = DMat3::from_diagonal(DVec3::splat(mass * side * side / 6.0));
            let off = (inertia - want)
                .to_cols_array()
                .iter()
                .fold(0.0_f64, |a, x| a.max(x.abs()));
            assert!(off < 1e-12 * want.x_axis.x, "cube of {n}: off by {off}");
        }
    }

    /// A body that turns at a constant rate comes back after a whole turn, and a body at rest keeps its quaternion to the bit.
    #[test]
    fn quaternions_turn_at_the_given_rate() {
        let mut body: Body<3> = Body {
            name: String::new(),
            motion: Motion::Free,
            mass: 1.0,
            inertia: DMat3::IDENTITY,
            centre: DVec3::ZERO,
            turn: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            spin: DVec3::new(1.0, 2.0, 2.0) / 3.0 * std::f64::consts::TAU,
            shape: vec![DVec3::X],
        };
        for _ in 0..1000 {
            body.advance(1e-3);
        }
        let end: [f64; 3] = body.points().next().unwrap();
        assert!(
            (DVec3::from(end) - DVec3::X).length() < 1e-10,
            "one turn in a second: {end:?}"
        );
        let before = body.turn;
        body.spin = DVec3::ZERO;
        body.advance(1.0);
        assert_eq!(before, body.turn, "no spin, no change");
    }
}
