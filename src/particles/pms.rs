//! The paper's comparator for 5.6, the passively moving solid: bodies are fluid while pressures are solved, and made rigid afterwards.
//!
//! The fluid on the far side of a body feels nothing of a push in the same step; that is what the paper's method cures.

use crate::body::Motion;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::simulation::{StartError, StepError};
use crate::solve::Status;
use crate::vector::in_space;
use crate::world::World;
use glam::DVec3;
use stokeslet_dynamics::scene_file::{SceneFile, WrongValue};
use thiserror::Error;

/// One solve with bodies as fluid.
#[derive(Clone, Debug, PartialEq)]
pub struct PassivelyMoving {
    /// Velocity and angular velocity of each body after its particles are made rigid.
    pub bodies: Vec<([f64; 3], [f64; 3])>,
    /// Positions of the fluid proper, m.
    pub fluid: Vec<[f64; 3]>,
    /// Its velocities, m/s.
    pub velocity: Vec<[f64; 3]>,
    /// Its pressures, Pa.
    pub pressure: Vec<f64>,
    /// How the solve ended.
    pub status: Status,
}

/// Why there is no such solve.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PmsError {
    /// The scene.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The settings.
    #[error(transparent)]
    Settings(#[from] WrongValue),
    /// The solve.
    #[error(transparent)]
    Step(#[from] StepError),
}

/// Solves the first step of a scene with bodies as fluid of the fluid's density.
///
/// ```text
/// v = mean u (pinned: 0)      omega = I^-1 sum r x u      over a body's particles
/// ```
/// # Errors
/// [`PmsError`].
/// # Source
/// Koshizuka, Nobe and Oka 1998, as Miyamoto and Koshizuka use it in 5.6.
pub fn first_step(scene: &Scene, settings: &Settings) -> Result<PassivelyMoving, PmsError> {
    scene.validate().map_err(StartError::from)?;
    settings.validate()?;
    if scene.dimension == 2 {
        solve::<2>(scene, settings)
    } else {
        solve::<3>(scene, settings)
    }
}

fn solve<const D: usize>(scene: &Scene, settings: &Settings) -> Result<PassivelyMoving, PmsError> {
    let mut world = World::<D>::new(scene, settings);
    let n = world.positions.len();
    let bodies = std::mem::take(&mut world.bodies);
    for body in &bodies {
        for p in body.points() {
            let u = body.velocity + body.spin.cross(in_space(&p) - body.centre);
            world.positions.push(p);
            world.velocities.push(crate::vector::in_dimension(u));
        }
    }
    let all = world.positions.len();
    for list in [
        &mut world.pressure,
        &mut world.smoothed,
        &mut world.virial,
        &mut world.compression,
    ] {
        list.resize(all, 0.0);
    }
    let log = world.constrain()?;
    let mut first = n;
    let mut rigid = Vec::new();
    for body in &bodies {
        let (mut mean, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        let count = body.shape.len() as f64;
        for k in first..first + body.shape.len() {
            let u = in_space(&world.velocities[k]);
            mean += u / count;
            moment += body.mass / count * (in_space(&world.positions[k]) - body.centre).cross(u);
        }
        first += body.shape.len();
        let v = if body.motion == Motion::Free {
            mean
        } else {
            DVec3::ZERO
        };
        rigid.push((v.to_array(), (body.inverse_inertia() * moment).to_array()));
    }
    let space = |list: &[[f64; D]]| list[..n].iter().map(|x| in_space(x).to_array()).collect();
    Ok(PassivelyMoving {
        bodies: rigid,
        fluid: space(&world.positions),
        velocity: space(&world.velocities),
        pressure: world.pressure[..n].to_vec(),
        status: log.status,
    })
}
