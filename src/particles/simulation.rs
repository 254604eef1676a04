//! What callers hold: a scene being stepped, in either dimension; snapshots of it and checkpoints.
//!
//! Guarantees: a step that fails leaves the state of the step before; a simulation loaded from a checkpoint goes on to the bit as the one saved.

use crate::body::Motion;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::solve::Status;
use crate::vector::in_space;
use crate::world::World;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use stokeslet_dynamics::scene_file::{SceneError, SceneFile, WrongValue};
use thiserror::Error;

pub use checkpoint::{Checkpoint, CheckpointError};

/// What a step did, and the state that it left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepLog {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time after it, s.
    pub time: f64,
    /// Sweeps and products with the matrix of constraints.
    pub iterations: u32,
    /// Active sets tried; 0 for sweeps.
    pub sets: u32,
    /// Largest violation left, m/s.
    pub residual: f64,
    /// The speed that the tolerance is a fraction of, m/s.
    pub scale: f64,
    /// How the solve ended.
    pub status: Status,
    /// Largest `(n_i - n0)/n0` before the move; 0 when no particle is compressed.
    pub compression: f64,
    /// Deepest penetration of a fluid particle, in spacings, before the move.
    pub fluid_depth: f64,
    /// Deepest penetration of a body into a body or a wall, in spacings, before the move.
    pub body_depth: f64,
    /// `max |u| h / l`; over 0.5 particles may penetrate walls by a third of a spacing, over 1 by more.
    pub courant: f64,
    /// Kinetic energy of fluid and bodies after the step, J.
    pub kinetic: f64,
    /// Potential energy after the step, J; gravity's alone, without shaking.
    pub potential: f64,
    /// Momentum, kg m/s.
    pub momentum: [f64; 3],
    /// Angular momentum about the origin, kg m^2/s; only z in the plane.
    pub angular_momentum: [f64; 3],
    /// Number of contacts.
    pub contacts: usize,
    /// Particles and free bodies outside every tank before the move; over the rim of an open tank, or through its walls.
    pub escaped: usize,
}

/// The head of [`StepLog::row`].
pub const HEAD: &str = "step,time_s,kinetic_J,potential_J,energy_J,compression,fluid_depth_l,body_depth_l,courant,residual_m_s,iterations,sets,contacts,escaped,status";

impl StepLog {
    /// As a line of CSV, without its end.
    #[must_use]
    pub fn row(&self) -> String {
        let status = match self.status.converged() {
            true => "converged",
            false => "limit",
        };
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{status}",
            self.step,
            self.time,
            self.kinetic,
            self.potential,
            self.energy(),
            self.compression,
            self.fluid_depth,
            self.body_depth,
            self.courant,
            self.residual,
            self.iterations,
            self.sets,
            self.contacts,
            self.escaped
        )
    }

    /// Kinetic and potential energy, J.
    #[must_use]
    pub fn energy(&self) -> f64 {
        self.kinetic + self.potential
    }

    /// What in a step that succeeded should make one doubt it; none if all is well.
    #[must_use]
    pub fn doubts(&self) -> Vec<Doubt> {
        let mut out = Vec::new();
        if !self.status.converged() {
            out.push(Doubt::NotConverged {
                residual: self.residual,
                scale: self.scale,
            });
        }
        if self.courant > 1.0 {
            out.push(Doubt::TooFast {
                courant: self.courant,
            });
        }
        if self.escaped > 0 {
            out.push(Doubt::Escaped {
                count: self.escaped,
            });
        }
        if self.compression > 0.05 {
            out.push(Doubt::Compressed {
                compression: self.compression,
            });
        }
        if self.fluid_depth.max(self.body_depth) > 0.5 {
            out.push(Doubt::Deep {
                depth: self.fluid_depth.max(self.body_depth),
            });
        }
        out
    }
}

/// A reason to doubt a step.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum Doubt {
    /// The solver stopped before its tolerance.
    #[error(
        "constraints are violated by {residual:.2e} m/s, steps change speeds by {scale:.2e} m/s"
    )]
    NotConverged {
        /// Largest violation, m/s.
        residual: f64,
        /// The speed to compare it with, m/s.
        scale: f64,
    },
    /// Something moves more than a spacing a step.
    #[error("something moves {courant:.2} spacings a step")]
    TooFast {
        /// `max |u| h / l`.
        courant: f64,
    },
    /// Particles or bodies are outside every tank.
    #[error("{count} particles and bodies are outside every tank")]
    Escaped {
        /// How many.
        count: usize,
    },
    /// Somewhere the fluid is compressed by over 5 %.
    #[error("a particle's number density is {compression:.3} of itself too high")]
    Compressed {
        /// Largest `(n_i - n0)/n0`.
        compression: f64,
    },
    /// Something penetrates by over half a spacing.
    #[error("a contact is {depth:.2} spacings deep")]
    Deep {
        /// Spacings.
        depth: f64,
    },
}

/// Why a step could not be made. The state is that of the step before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// A fluid particle's velocity isn't a finite number.
    #[error("step {step}: a velocity of the fluid is not a finite number")]
    FluidNotFinite {
        /// The step that failed.
        step: u64,
    },
    /// A body's velocity isn't a finite number.
    #[error("step {step}: the velocity of body {body} is not a finite number")]
    BodyNotFinite {
        /// The step that failed.
        step: u64,
        /// The body, from 0.
        body: usize,
    },
}

/// Why a simulation could not start.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StartError {
    /// The scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The settings.
    #[error("setting {0}")]
    Settings(#[from] WrongValue),
    /// Nothing moves.
    #[error("the scene has neither fluid nor bodies")]
    Empty,
}

/// A hand that holds a body by a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Which body, from 0.
    pub body: usize,
    /// The point held, relative to the centre of mass in the body's own frame, m.
    pub grip: [f64; 3],
    /// Where the hand is, m.
    pub target: [f64; 3],
}

/// A contact of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touching {
    /// Where, m.
    pub point: [f64; 3],
    /// Unit normal towards the first party.
    pub normal: [f64; 3],
    /// Impulse, N s.
    pub impulse: f64,
    /// Depth, m; negative for a gap within the margin.
    pub depth: f64,
}

/// A body in a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodySnapshot {
    /// Its name.
    pub name: String,
    /// Which ways it moves.
    pub motion: Motion,
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: [f64; 3],
    /// Orientation as (w, x, y, z).
    pub turn: [f64; 4],
    /// Orientation in the plane, rad, in (-pi, pi]; 0 in space.
    pub angle: f64,
    /// Velocity, m/s.
    pub velocity: [f64; 3],
    /// Angular velocity, 1/s.
    pub spin: [f64; 3],
    /// Its particles, m.
    pub particles: Vec<[f64; 3]>,
}

/// The state at an instant, for drawing, measuring and writing. In the plane all third parts are 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// 2 or 3.
    pub dimension: u32,
    /// Spacing, m.
    pub spacing: f64,
    /// Steps made.
    pub steps: u64,
    /// Time, s.
    pub time: f64,
    /// Positions of the fluid, m.
    pub fluid: Vec<[f64; 3]>,
    /// Velocities of the fluid, m/s.
    pub velocity: Vec<[f64; 3]>,
    /// Raw pressures of the last solve, Pa; noisy.
    pub pressure: Vec<f64>,
    /// Pressures smoothed by the paper's (42), for display, Pa.
    pub smoothed: Vec<f64>,
    /// Pressures by the virial, for numbers, Pa: `C/(2d) sum_j (p_i + p_j) w'(r_ij) r_ij`.
    pub virial: Vec<f64>,
    /// `(n_i - n0)/n0` before the last move.
    pub compression: Vec<f64>,
    /// Particles of walls, m.
    pub walls: Vec<[f64; 3]>,
    /// Bodies.
    pub bodies: Vec<BodySnapshot>,
    /// Contacts of the last step; none after a checkpoint is loaded.
    pub contacts: Vec<Touching>,
}

#[derive(Clone)]
enum Inner {
    Plane(Box<World<2>>),
    Space(Box<World<3>>),
}

macro_rules! either {
    ($inner:expr, $world:ident => $do:expr) => {
        match $inner {
            Inner::Plane($world) => $do,
            Inner::Space($world) => $do,
        }
    };
}

mod checkpoint;

/// A scene being stepped.
#[derive(Clone)]
pub struct Simulation {
    inner: Inner,
}

impl Simulation {
    /// Fills a scene.
    ///
    /// # Errors
    /// [`StartError`] when a value of the scene or the settings is out of range, or nothing moves.
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Simulation, StartError> {
        scene.validate()?;
        settings.validate()?;
        let inner = if scene.dimension == 2 {
            Inner::Plane(Box::new(World::new(scene, settings)))
        } else {
            Inner::Space(Box::new(World::new(scene, settings)))
        };
        let simulation = Simulation { inner };
        let moving = simulation.n_fluid() > 0 || simulation.n_bodies() > 0;
        if moving {
            Ok(simulation)
        } else {
            Err(StartError::Empty)
        }
    }

    /// Makes one step.
    ///
    /// # Errors
    /// [`StepError`] when a velocity isn't finite; the state stays that of the step before.
    /// # Accuracy and cost
    /// Linear in particles times sweeps; about 30 ns a particle and sweep in the plane. Bitwise equal for any number of threads.
    /// # Source
    /// Miyamoto and Koshizuka, figure 1.
    pub fn step(&mut self) -> Result<StepLog, StepError> {
        either!(&mut self.inner, world => world.step())
    }

    /// Solves the constraints of a step without moving anything: velocities and pressures as the paper shows them in 5.6.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn constrain(&mut self) -> Result<StepLog, StepError> {
        either!(&mut self.inner, world => world.constrain())
    }

    /// Time, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        either!(&self.inner, world => world.time())
    }

    /// Steps made.
    #[must_use]
    pub fn steps(&self) -> u64 {
        either!(&self.inner, world => world.steps)
    }

    /// Number of fluid particles.
    #[must_use]
    pub fn n_fluid(&self) -> usize {
        either!(&self.inner, world => world.positions.len())
    }

    /// Number of bodies.
    #[must_use]
    pub fn n_bodies(&self) -> usize {
        either!(&self.inner, world => world.bodies.len())
    }

    /// The scene.
    #[must_use]
    pub fn scene(&self) -> &Scene {
        either!(&self.inner, world => &world.scene)
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        either!(&self.inner, world => &world.settings)
    }

    /// Changes the settings from the next step on.
    ///
    /// # Errors
    /// A setting out of its range; then nothing changes.
    pub fn set_settings(&mut self, settings: &Settings) -> Result<(), WrongValue> {
        settings.validate()?;
        either!(&mut self.inner, world => world.settings = settings.clone());
        Ok(())
    }

    /// Holds a body by a point, or lets go. Holding works until it is changed; it isn't kept in checkpoints.
    pub fn set_pull(&mut self, pull: Option<Pull>) {
        let usable = |p: &Pull| p.grip.iter().chain(&p.target).all(|x| x.is_finite());
        either!(&mut self.inner, world => world.pull = pull.filter(usable));
    }

    /// The hand that holds a body now.
    #[must_use]
    pub fn pull(&self) -> Option<Pull> {
        either!(&self.inner, world => world.pull)
    }

    /// The body whose particle is within a spacing of a point, and the point in the body's frame: what a mouse has caught.
    #[must_use]
    pub fn body_at(&self, point: [f64; 3]) -> Option<(usize, [f64; 3])> {
        fn find<const D: usize>(world: &World<D>, p: DVec3) -> Option<(usize, [f64; 3])> {
            let hit = |q: [f64; D]| (in_space(&q) - p).length() < world.scene.spacing;
            let at = world.bodies.iter().position(|b| b.points().any(hit))?;
            let body = &world.bodies[at];
            Some((at, (body.turn.conjugate() * (p - body.centre)).to_array()))
        }
        either!(&self.inner, world => find(world, DVec3::from(point)))
    }

    /// The state, copied.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        either!(&self.inner, world => snapshot(world))
    }
}

fn all_in_space<const D: usize>(list: &[[f64; D]]) -> Vec<[f64; 3]> {
    list.iter().map(|x| in_space(x).to_array()).collect()
}

fn snapshot<const D: usize>(world: &World<D>) -> Snapshot {
    let bodies = world.bodies.iter().map(|b| BodySnapshot {
        name: b.name.clone(),
        motion: b.motion,
        mass: b.mass,
        centre: b.centre.to_array(),
        turn: [b.turn.w, b.turn.x, b.turn.y, b.turn.z],
        angle: if D == 2 {
            2.0 * (b.turn.z * b.turn.w.signum()).atan2(b.turn.w.abs())
        } else {
            0.0
        },
        velocity: b.velocity.to_array(),
        spin: b.spin.to_array(),
        particles: b.points().map(|p| in_space(&p).to_array()).collect(),
    });
    Snapshot {
        dimension: D as u32,
        spacing: world.scene.spacing,
        steps: world.steps,
        time: world.time(),
        fluid: all_in_space(&world.positions),
        velocity: all_in_space(&world.velocities),
        pressure: world.pressure.clone(),
        smoothed: world.smoothed.clone(),
        virial: world.virial.clone(),
        compression: world.compression.clone(),
        walls: all_in_space(&world.walls),
        bodies: bodies.collect(),
        contacts: world.touching.clone(),
    }
}
