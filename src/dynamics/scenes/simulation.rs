//! The loop: particles move, velocities are carried, the pressure makes them free of divergence.
//!
//! ```text
//! substep dt = min(dx / max |u|, rest of the frame):
//!   1  particles along u, then out of walls
//!   2  liquid's level set from particles, continued into walls
//!   3  u carried along itself (at faces of liquid), gravity
//!   4  pressure problem, any solver, u -= dt grad p        where volume is kept: div u = (1 - V / V_0) / time
//!   5  u continued by 10 cells, then what points into walls is taken off
//! ```

use std::sync::Arc;

use stokeslet_base::parallel;
use thiserror::Error;

use super::Scene;
use crate::grid::{Lattice, Mac, advect, centre_value, extrapolate, sample};
use crate::lcp::{LcpError, LcpSolver, NotConverged, SolveLog, Watch};
use crate::linear::inf_norm;
use crate::particles::{
    CellList, Seeding, distance_to_particles, extend_into_solid, move_out_of_solid, move_particles,
    particle_radius, seed,
};
use crate::pressure::{Assembled, Separation, Walls, assemble, constrain, divergence, project};

/// Layers of cells that velocities are continued by.
const LAYERS: usize = 10;
/// Lost or gained volume is made up for within about this time, s ...
const VOLUME_TIME: f64 = 0.03;
/// ... but no faster than by this part of the liquid a second.
const MOST_GROWTH: f64 = 0.5;
/// Cells of a task.
const SHARE: usize = 1 << 15;
/// The axis that gravity acts along.
const UP: usize = 1;

/// Why a frame could not be finished.
#[derive(Debug, Error)]
pub enum SimulationError {
    /// The pressure problem isn't one.
    #[error("the pressure problem of frame {frame} can't be solved")]
    Problem {
        /// Which frame.
        frame: usize,
        /// What is wrong with it.
        #[source]
        source: LcpError,
    },
    /// The solver gave up.
    #[error("frame {frame}")]
    NotConverged {
        /// Which frame.
        frame: usize,
        /// How it ended.
        #[source]
        source: NotConverged,
    },
}

/// A pressure problem on its way to the solver, for observers.
#[derive(Debug)]
pub struct Step<'a, const D: usize> {
    /// Which frame it belongs to.
    pub frame: usize,
    /// Which substep of the frame.
    pub substep: usize,
    /// Time step, s.
    pub dt: f64,
    /// The problem.
    pub assembled: &'a Assembled<D>,
}

/// What a frame took and what came out.
#[derive(Clone, Debug)]
pub struct FrameLog {
    /// Its number, from 0.
    pub frame: usize,
    /// One log a pressure solve.
    pub solves: Vec<SolveLog>,
    /// Unknowns of the last problem.
    pub unknowns: usize,
    /// Unknowns of it that may leave the wall.
    pub at_wall: usize,
    /// Cells that have left the wall in the last solve.
    pub detached: usize,
    /// Parts of the liquid without air in the last problem.
    pub pockets: usize,
    /// The largest violation of continuity after any projection: |div u| at cells held, -div u at cells that left, 1/s.
    pub divergence: f64,
    /// Volume of the liquid's level set in open space.
    pub volume: f64,
    /// The largest velocity component, m/s.
    pub max_speed: f64,
}

/// A scene under way.
#[derive(Clone, Debug)]
pub struct Simulation<const D: usize> {
    /// What is simulated.
    pub scene: Scene<D>,
    /// What walls do.
    pub separation: Separation,
    /// Velocities.
    pub mac: Mac<D>,
    /// Particles.
    pub x: Vec<[f64; D]>,
    /// Time, s.
    pub time: f64,
    /// Frames done.
    pub frames: usize,
    walls: Walls<D>,
    /// Volume at the start, where it is kept.
    kept_volume: Option<f64>,
}

impl<const D: usize> Simulation<D> {
    /// The scene at its start, with `n` cells along its longest side.
    pub fn new(scene: Scene<D>, n: usize, separation: Separation) -> Self {
        let cells = scene.lattice(n);
        let dx = scene.side / n as f64;
        let mut mac = Mac::new(cells, dx);
        for a in 0..D {
            if scene.jets.is_empty() {
                mac.u[a].fill(scene.velocity[a]);
            } else {
                mac.u[a] = cells
                    .faces(a)
                    .map(|_, c| scene.velocity_at(mac.face(a, c))[a]);
            }
        }
        let walls = walls_at(&scene, &cells, dx, 0.0);
        // In space a particle stands for all of its ball, in the plane there are enough of them.
        let margin = if D == 3 {
            particle_radius::<D>(dx)
        } else {
            0.0
        };
        let nodes = cells.nodes();
        let x = seed(&cells, dx, Seeding::Hashed(scene.particles), &|x| {
            scene.liquid.distance(x) <= -margin
                && sample(&nodes, &walls.distance, x.map(|x| x / dx)) >= 0.0
        });
        let mut simulation = Self {
            scene,
            separation,
            mac,
            x,
            time: 0.0,
            frames: 0,
            walls,
            kept_volume: None,
        };
        if simulation.scene.keeps_volume {
            simulation.kept_volume = Some(simulation.volume(&simulation.liquid()));
        }
        simulation
    }

    /// The walls as they are now.
    pub fn walls(&self) -> &Walls<D> {
        &self.walls
    }

    /// Goes on from saved particles and velocities.
    ///
    /// # Requires
    /// `u` of the extents of this simulation's grid.
    pub fn restore(&mut self, frames: usize, time: f64, x: Vec<[f64; D]>, u: [Vec<f64>; D]) {
        for (now, u) in self.mac.u.iter().zip(&u) {
            assert_eq!(now.len(), u.len(), "velocities of the same grid");
        }
        self.frames = frames;
        self.time = time;
        self.x = x;
        self.mac.u = u;
        self.walls = walls_at(&self.scene, &self.mac.cells, self.mac.dx, time);
    }

    /// The liquid's level set at cell centres, not continued into walls.
    pub fn liquid(&self) -> Vec<f64> {
        let list = CellList::new(self.mac.cells, self.mac.dx, &self.x);
        distance_to_particles(&self.mac.cells, self.mac.dx, &self.x, &list)
    }

    /// Runs one frame.
    ///
    /// # Shapes and units
    /// - `observe`: sees every pressure problem before the solver does
    /// # Errors
    /// [`SimulationError`]; the state is then that of the middle of a frame.
    pub fn frame(
        &mut self,
        solver: &mut dyn LcpSolver<D>,
        watch: Watch<'_>,
        observe: &mut dyn FnMut(&Step<'_, D>),
    ) -> Result<FrameLog, SimulationError> {
        let mut log = FrameLog {
            frame: self.frames,
            solves: Vec::new(),
            unknowns: 0,
            at_wall: 0,
            detached: 0,
            pockets: 0,
            divergence: 0.0,
            volume: 0.0,
            max_speed: 0.0,
        };
        let mut rest = self.scene.frame;
        while rest > 0.0 {
            let dt = self.step_length(rest);
            rest = if dt < rest { rest - dt } else { 0.0 };
            self.substep(dt, solver, watch, observe, &mut log)?;
        }
        log.max_speed = self.mac.max_component();
        log.volume = self.volume(&self.liquid());
        self.frames += 1;
        Ok(log)
    }

    /// The pressure problem that the next frame begins with; the simulation stays where it is.
    pub fn next_problem(&self) -> Assembled<D> {
        let dt = self.step_length(self.scene.frame);
        self.clone().carry(dt)
    }

    /// No faster than a cell a step, s.
    fn step_length(&self, rest: f64) -> f64 {
        (self.mac.dx / self.mac.max_component().max(1e-12)).min(rest)
    }

    /// Steps 1 to 3: everything moves, and the pressure problem of the step.
    fn carry(&mut self, dt: f64) -> Assembled<D> {
        let (cells, dx) = (self.mac.cells, self.mac.dx);
        move_particles(&self.mac, &mut self.x, dt);
        self.time += dt;
        if self.scene.motion.is_some() {
            self.walls = walls_at(&self.scene, &cells, dx, self.time);
        }
        move_out_of_solid(&cells, dx, &self.walls.distance, &mut self.x);
        let mut liquid = self.liquid();
        let growth = self.kept_volume.map_or(0.0, |kept| {
            let rate = (1.0 - self.volume(&liquid) / kept) / VOLUME_TIME;
            rate.clamp(-MOST_GROWTH, MOST_GROWTH)
        });
        extend_into_solid(&cells, dx, &self.walls.distance, &mut liquid);
        let is_wanted = |axis: usize, _: usize, c: [usize; D]| {
            let high = cells.index(c);
            c[axis] > 0
                && c[axis] < cells.n[axis]
                && (liquid[high] < 0.0 || liquid[high - cells.stride(axis)] < 0.0)
        };
        self.mac.u = advect(&self.mac, dt, &is_wanted);
        self.mac.accelerate(UP, self.scene.gravity * dt);
        let mut assembled = assemble(
            &self.mac,
            &self.walls,
            Arc::new(liquid),
            dt,
            self.separation,
        );
        assembled.grow(growth);
        assembled
    }

    fn substep(
        &mut self,
        dt: f64,
        solver: &mut dyn LcpSolver<D>,
        watch: Watch<'_>,
        observe: &mut dyn FnMut(&Step<'_, D>),
        log: &mut FrameLog,
    ) -> Result<(), SimulationError> {
        let cells = self.mac.cells;
        let assembled = self.carry(dt);
        observe(&Step {
            frame: log.frame,
            substep: log.solves.len(),
            dt,
            assembled: &assembled,
        });
        let frame = log.frame;
        let lcp = &assembled.lcp;
        let (p, solved) = solver
            .solve(lcp, watch)
            .map_err(|source| SimulationError::Problem { frame, source })?
            .converged()
            .map_err(|source| SimulationError::NotConverged { frame, source })?;
        if let Some(geometry) = &lcp.geometry {
            let mut valid = project(&mut self.mac, geometry, &lcp.places.of, &p);
            let left = divergence(&self.mac, &self.walls, &lcp.places.of);
            let mut left = assembled.beyond(left);
            let detached = |i: usize| lcp.in_s[i] && p[i] <= 0.0;
            for (i, left) in left.iter_mut().enumerate() {
                if detached(i) {
                    *left = left.min(0.0);
                }
            }
            log.divergence = log.divergence.max(inf_norm(&left));
            log.detached = (0..p.len()).filter(|i| detached(*i)).count();
            let axes = self.mac.u.iter_mut().zip(&mut valid).enumerate().collect();
            parallel::map_owned(axes, |(axis, (u, valid))| {
                extrapolate(&cells.faces(axis), u, valid, LAYERS);
            });
            constrain(&mut self.mac, &self.walls, &valid, self.separation);
        }
        log.unknowns = lcp.n();
        log.at_wall = lcp.in_s.iter().filter(|s| **s).count();
        log.pockets = assembled.pockets.len();
        log.solves.push(solved);
        Ok(())
    }

    /// Volume of a level set in open space: cells at either surface count as far as it cuts them.
    fn volume(&self, liquid: &[f64]) -> f64 {
        let (cells, dx) = (self.mac.cells, self.mac.dx);
        let inside = |distance: f64| (0.5 + distance / dx).clamp(0.0, 1.0);
        let part = |i: usize, phi: f64| match inside(-phi) {
            0.0 => 0.0,
            wet => {
                wet * inside(centre_value(
                    &cells,
                    &self.walls.distance,
                    cells.coordinates(i),
                ))
            }
        };
        let share = |k: usize| -> f64 {
            let cells = k * SHARE..liquid.len().min((k + 1) * SHARE);
            cells.map(|i| part(i, liquid[i])).sum()
        };
        let sums = parallel::map(liquid.len().div_ceil(SHARE), 1, share);
        sums.iter().sum::<f64>() * dx.powi(D as i32)
    }
}

fn walls_at<const D: usize>(scene: &Scene<D>, cells: &Lattice<D>, dx: f64, time: f64) -> Walls<D> {
    let (mut by, mut velocity) = ([0.0; D], [0.0; D]);
    if let Some(motion) = &scene.motion {
        by[motion.axis] = motion.displacement(time);
        velocity[motion.axis] = motion.speed(time);
    }
    let distance = |x: [f64; D]| -scene.open.distance(std::array::from_fn(|a| x[a] - by[a]));
    Walls::new(cells, dx, &distance, velocity)
}
