//! What callers hold: a scene being stepped, in either dimension; logs, snapshots and checkpoints.
//!
//! A simulation loaded from a checkpoint goes on to the bit as the one saved.

use stokeslet_dynamics::scene_file::{SceneError, SceneFile, WrongValue};
use thiserror::Error;

use crate::measure;
use crate::scene::Scene;
use crate::settings::Settings;
use crate::world::{StepError, World};

mod checkpoint;

pub use checkpoint::CheckpointError;

/// What a step did, and the state that it left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepLog {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time after it, s.
    pub time: f64,
    /// Particles after it.
    pub particles: usize,
    /// Particles that left by a free end.
    pub left: usize,
    /// Particles added to empty cells.
    pub added: usize,
    /// Particles taken from crowded cells.
    pub thinned: usize,
    /// Momentum that thinning took away, over that of all particles.
    pub momentum_lost: f64,
    /// Iterations of the pressure solver.
    pub iterations: usize,
    /// Net outflow left in a cell, m/s.
    pub residual: f64,
    /// Mean square of the faces' velocities, m²/s².
    pub energy: f64,
    /// Mean square of the vorticity, each component twice, 1/s².
    pub enstrophy: f64,
    /// Kinetic energy on faces, J.
    pub grid_energy: f64,
    /// Kinetic energy of particles, J.
    pub particle_energy: f64,
    /// Largest velocity component, m/s.
    pub fastest: f64,
    /// How many cells a step moves the fastest.
    pub courant: f64,
}

/// The head of [`StepLog::row`].
pub const HEAD: &str = "step,time_s,particles,left,added,thinned,momentum_lost,iterations,residual_m_s,energy_m2_s2,enstrophy_1_s2,grid_J,particles_J,fastest_m_s,courant";

impl StepLog {
    /// As a line of CSV, without its end.
    #[must_use]
    pub fn row(&self) -> String {
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}",
            self.step,
            self.time,
            self.particles,
            self.left,
            self.added,
            self.thinned,
            self.momentum_lost,
            self.iterations,
            self.residual,
            self.energy,
            self.enstrophy,
            self.grid_energy,
            self.particle_energy,
            self.fastest,
            self.courant
        )
    }
}

/// Why a simulation could not be started.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StartError {
    /// The scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The settings.
    #[error("setting {0}")]
    Settings(#[from] WrongValue),
    /// Bodies fill the domain.
    #[error("bodies fill the whole domain: there is no particle")]
    Empty,
}

/// What is to be seen of a running scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// 2 or 3.
    pub dimension: usize,
    /// Time, s.
    pub time: f64,
    /// Corners of the domain, m.
    pub bounds: [[f64; 3]; 2],
    /// Side of a cell, m.
    pub dx: f64,
    /// Cells along each axis; 1 along what isn't there.
    pub cells: [usize; 3],
    /// Particles: positions, m.
    pub x: Vec<[f64; 3]>,
    /// Particles: velocities, m/s.
    pub v: Vec<[f64; 3]>,
    /// Particles: names.
    pub id: Vec<u32>,
    /// By cell, x fastest: velocity at its centre, m/s.
    pub velocity: Vec<[f64; 3]>,
    /// By cell: vorticity, 1/s; only z in the plane. 0 where a body is so near that it can't be had from faces of liquid.
    pub vorticity: Vec<[f64; 3]>,
    /// By cell: pressure, Pa.
    pub pressure: Vec<f64>,
    /// By cell: the share of its corners that is in a body.
    pub body: Vec<f64>,
}

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

/// A scene being stepped.
pub struct Simulation {
    inner: Inner,
}

impl Simulation {
    /// Fills a scene.
    ///
    /// # Errors
    /// [`StartError`] when a value of the scene or the settings is out of range, or there is no room for liquid.
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Self, StartError> {
        scene.validate()?;
        settings.validate()?;
        let inner = match scene.dimension() {
            2 => Inner::Plane(Box::new(World::new(scene, settings))),
            _ => Inner::Space(Box::new(World::new(scene, settings))),
        };
        if either!(&inner, world => world.particles.is_empty()) {
            return Err(StartError::Empty);
        }
        Ok(Self { inner })
    }

    /// Makes one step without measuring anything.
    ///
    /// # Errors
    /// As [`Simulation::step`].
    pub fn advance(&mut self) -> Result<(), StepError> {
        either!(&mut self.inner, world => world.step().map(|_| ()))
    }

    /// Makes one step.
    ///
    /// # Errors
    /// [`StepError`]; the simulation can't be gone on with then.
    pub fn step(&mut self) -> Result<StepLog, StepError> {
        either!(&mut self.inner, world => {
            let changes = world.step()?;
            let fastest = measure::fastest(world);
            Ok(StepLog {
                step: world.steps,
                time: world.time(),
                particles: world.particles.len(),
                left: changes.left,
                added: changes.added,
                thinned: changes.thinned,
                momentum_lost: changes.momentum_lost,
                iterations: changes.iterations,
                residual: changes.residual,
                energy: measure::energy(world, &world.after),
                enstrophy: measure::enstrophy(world, &world.after),
                grid_energy: measure::grid_energy(world),
                particle_energy: measure::particle_energy(world),
                fastest,
                courant: fastest * world.scene.step_over_cell,
            })
        })
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

    /// Changes the settings from the next step on. Particles go on as they are: they keep their velocities, and what only the new
    /// transfer keeps (affine parts, the velocities that FLIP's particles move with) starts as it is after its first step.
    ///
    /// # Errors
    /// A setting out of its range; then nothing changes.
    pub fn set_settings(&mut self, settings: &Settings) -> Result<(), WrongValue> {
        settings.validate()?;
        either!(&mut self.inner, world => world.set_settings(settings));
        Ok(())
    }

    /// Errors against the known flow, if the scene has one.
    #[must_use]
    pub fn errors(&self) -> Option<measure::Errors> {
        either!(&self.inner, world => world.field.is_solution().then(|| measure::errors(world)))
    }

    /// The world, in the plane.
    #[must_use]
    pub fn plane(&self) -> Option<&World<2>> {
        match &self.inner {
            Inner::Plane(world) => Some(world),
            Inner::Space(_) => None,
        }
    }

    /// The world, in space.
    #[must_use]
    pub fn space(&self) -> Option<&World<3>> {
        match &self.inner {
            Inner::Plane(_) => None,
            Inner::Space(world) => Some(world),
        }
    }

    /// What is to be seen now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        either!(&self.inner, world => snapshot(world))
    }
}

fn in_space<const D: usize>(v: [f64; D]) -> [f64; 3] {
    std::array::from_fn(|k| v.get(k).copied().unwrap_or(0.0))
}

fn snapshot<const D: usize>(world: &World<D>) -> Snapshot {
    let grid = &world.grid;
    let (u, cells) = (&world.after, grid.cells);
    let centre = |c: [usize; D]| -> [f64; 3] {
        in_space(std::array::from_fn::<f64, D, _>(|axis| {
            let at = grid.lower_face(axis, c);
            0.5 * (u[axis][at] + u[axis][at + grid.faces(axis).stride(axis)])
        }))
    };
    let nodes = cells.nodes();
    let body = |c: [usize; D]| {
        world.solid.as_ref().map_or(0.0, |s| {
            let inside = (0..1usize << D)
                .filter(|corner| {
                    let node = std::array::from_fn(|k| c[k] + (corner >> k & 1));
                    s.distance[nodes.index(node)] < 0.0
                })
                .count();
            inside as f64 / (1usize << D) as f64
        })
    };
    let curl = |_: usize, c: [usize; D]| match &world.solid {
        Some(solid) if !measure::reads_liquid(solid, grid, c) => [0.0; 3],
        _ => measure::curl(grid, u, c),
    };
    let to_pascal = world.scene.density * grid.dx / world.scene.step();
    Snapshot {
        dimension: D,
        time: world.time(),
        bounds: [in_space(grid.low), in_space(grid.high())],
        dx: grid.dx,
        cells: std::array::from_fn(|k| cells.n.get(k).copied().unwrap_or(1)),
        x: world.particles.x.iter().map(|x| in_space(*x)).collect(),
        v: world.particles.v.iter().map(|v| in_space(*v)).collect(),
        id: world.particles.id.clone(),
        velocity: cells.map(|_, c| centre(c)),
        vorticity: cells.map(curl),
        pressure: world.pressure.iter().map(|p| p * to_pascal).collect(),
        body: cells.map(|_, c| body(c)),
    }
}
