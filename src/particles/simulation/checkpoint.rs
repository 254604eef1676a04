//! Checkpoints: everything that the next step depends on, as JSON, with every number to its last bit.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Inner, Simulation, StartError};
use crate::constraints::PairKey;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::vector::{in_dimension, in_space};
use crate::world::World;

impl Simulation {
    /// Everything that the next step depends on.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        either!(&self.inner, world => checkpoint(world))
    }

    /// A simulation that goes on from a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError`] when the checkpoint doesn't fit its own scene.
    pub fn resume(checkpoint: &Checkpoint) -> Result<Simulation, CheckpointError> {
        if checkpoint.version != Checkpoint::VERSION {
            return Err(CheckpointError::Version {
                found: checkpoint.version,
            });
        }
        let mut simulation = Simulation::new(&checkpoint.scene, &checkpoint.settings)?;
        either!(&mut simulation.inner, world => restore(world, checkpoint)?);
        Ok(simulation)
    }
}

/// The state of a body in a checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyState {
    centre: DVec3,
    turn: DQuat,
    velocity: DVec3,
    spin: DVec3,
}

/// Everything that the next step depends on: scene, settings, state. Written as JSON, with every number to its last bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    version: u32,
    scene: Scene,
    settings: Settings,
    steps: u64,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    pressure: Vec<f64>,
    smoothed: Vec<f64>,
    virial: Vec<f64>,
    compression: Vec<f64>,
    impulses: Vec<(PairKey, f64)>,
    bodies: Vec<BodyState>,
}

/// Why a checkpoint can't be used.
#[derive(Debug, Error)]
pub enum CheckpointError {
    /// It isn't one, or can't be read or written.
    #[error("the checkpoint can't be read or written")]
    Text(#[from] serde_json::Error),
    /// It is of another version of this program.
    #[error(
        "the checkpoint is of version {found}, this program's is {}",
        Checkpoint::VERSION
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// Its scene or settings are out of range.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Its lists don't fit its scene, or hold something that isn't finite.
    #[error(
        "the checkpoint's list `{name}` holds {found} finite numbers, its scene needs {needed}"
    )]
    Length {
        /// The list.
        name: &'static str,
        /// Finite numbers in it.
        found: usize,
        /// How many the scene needs.
        needed: usize,
    },
}

impl Checkpoint {
    /// The version written.
    pub const VERSION: u32 = 1;

    /// Writes it.
    ///
    /// # Errors
    /// [`CheckpointError::Text`] with the writer's error.
    pub fn save(&self, to: &mut impl std::io::Write) -> Result<(), CheckpointError> {
        Ok(serde_json::to_writer(to, self)?)
    }

    /// Reads one.
    ///
    /// # Errors
    /// [`CheckpointError::Text`].
    pub fn load(from: impl std::io::Read) -> Result<Checkpoint, CheckpointError> {
        Ok(serde_json::from_reader(from)?)
    }
}

fn checkpoint<const D: usize>(world: &World<D>) -> Checkpoint {
    let state = |b: &crate::body::Body<D>| BodyState {
        centre: b.centre,
        turn: b.turn,
        velocity: b.velocity,
        spin: b.spin,
    };
    Checkpoint {
        version: Checkpoint::VERSION,
        scene: world.scene.clone(),
        settings: world.settings.clone(),
        steps: world.steps,
        positions: world.positions.iter().flatten().copied().collect(),
        velocities: world.velocities.iter().flatten().copied().collect(),
        pressure: world.pressure.clone(),
        smoothed: world.smoothed.clone(),
        virial: world.virial.clone(),
        compression: world.compression.clone(),
        impulses: world.impulses.clone(),
        bodies: world.bodies.iter().map(state).collect(),
    }
}

fn restore<const D: usize>(world: &mut World<D>, from: &Checkpoint) -> Result<(), CheckpointError> {
    let n = world.positions.len();
    let lists = [
        ("positions", &from.positions, n * D),
        ("velocities", &from.velocities, n * D),
        ("pressure", &from.pressure, n),
        ("smoothed", &from.smoothed, n),
        ("virial", &from.virial, n),
        ("compression", &from.compression, n),
    ];
    for (name, list, needed) in lists {
        let found = list.iter().filter(|x| x.is_finite()).count();
        if found != needed || list.len() != needed {
            return Err(CheckpointError::Length {
                name,
                found,
                needed,
            });
        }
    }
    let finite = |b: &BodyState| {
        b.centre.is_finite() && b.turn.is_finite() && b.velocity.is_finite() && b.spin.is_finite()
    };
    let found = from.bodies.iter().filter(|b| finite(b)).count();
    if found != world.bodies.len() || from.bodies.len() != found {
        return Err(CheckpointError::Length {
            name: "bodies",
            found,
            needed: world.bodies.len(),
        });
    }
    let vectors = |list: &[f64]| {
        list.chunks_exact(D)
            .map(|c| std::array::from_fn(|k| c[k]))
            .collect()
    };
    world.positions = vectors(&from.positions);
    world.velocities = vectors(&from.velocities);
    world.pressure.clone_from(&from.pressure);
    world.smoothed.clone_from(&from.smoothed);
    world.virial.clone_from(&from.virial);
    world.compression.clone_from(&from.compression);
    world.impulses.clone_from(&from.impulses);
    world.impulses.sort_unstable_by_key(|p| p.0);
    world.steps = from.steps;
    for (body, state) in world.bodies.iter_mut().zip(&from.bodies) {
        body.centre = in_space(&in_dimension::<D>(state.centre));
        body.turn = state.turn;
        body.velocity = in_space(&in_dimension::<D>(state.velocity));
        body.spin = state.spin;
    }
    Ok(())
}
