//! The FLIP loop of \[003\] in cell units.
//!
//! ```text
//! step (dt = 0.5):
//!   1  particles along u (midpoint rule), not into solid
//!   2  flags: a cell that is not solid is liquid where it holds a particle
//!   3  velocities from particles, continued by 2 cells; gravity
//!   4  liquid is at rest at walls (or keeps what arrives there), then any method of liquid/splitting
//!   5  velocities continued by 4 cells; at walls none into them, none at all if liquid sticks
//!   6  particles take the change
//! ```

use super::{FlowSettings, Reach, Tank, Unmet, WallStart};
use crate::grid::{CellFlag, Lattice, Mac, Shape, extrapolate, trace};
use crate::lcp::{Status, Watch};
use crate::particles::{CellList, Seeding, grid_to_particles, particles_to_grid, seed};
use crate::splitting::{
    Memory, Method, Settings, SplitError, SplitLog, Unconverged, WallKind, Wetted, project,
};
use stokeslet_base::parallel;
use thiserror::Error;

/// The axis that gravity acts along.
const UP: usize = 1;
/// Layers that velocities are continued by, before and after the pressure solve.
const LAYERS: [usize; 2] = [2, 4];

/// What a pressure solve was given.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot<const D: usize> {
    /// Which step.
    pub step: usize,
    /// Cells.
    pub flags: Vec<CellFlag>,
    /// Velocities before the solve.
    pub velocity: Mac<D>,
}

/// What a step did.
#[derive(Clone, Debug)]
pub struct TankStep {
    /// Its number, from 1: t of the thesis.
    pub step: usize,
    /// What the method did.
    pub log: SplitLog,
    /// Cells of liquid, before the solve.
    pub volume: usize,
    /// Those of them that hold at least half the particles that cells start with: drops and films that one particle makes of a cell
    /// don't count.
    pub filled: usize,
    /// Where they are.
    pub reach: Reach,
    /// The largest velocity on faces of liquid after the solve, cells per time.
    pub max_speed: f64,
}

/// Why a step could not be finished.
#[derive(Debug, Error)]
pub enum FlowError<const D: usize> {
    /// The velocities can't be freed of divergence by anyone.
    #[error("step {step} can't be solved")]
    Problem {
        /// Which step.
        step: usize,
        /// What is wrong.
        #[source]
        source: SplitError,
    },
    /// The method gave up.
    #[error("step {step}")]
    Unconverged {
        /// Which step.
        step: usize,
        /// How it ended.
        #[source]
        source: Unconverged<D>,
    },
}

/// [`FlowError`] in either dimension.
#[derive(Debug, Error)]
pub enum TankError {
    /// In the plane.
    #[error(transparent)]
    Plane(#[from] FlowError<2>),
    /// In space.
    #[error(transparent)]
    Space(#[from] FlowError<3>),
}

/// A tank under way.
#[derive(Clone, Debug)]
pub struct TankFlow<const D: usize> {
    /// How the loop runs.
    pub settings: FlowSettings,
    /// Cells: solid, air, liquid.
    pub flags: Vec<CellFlag>,
    /// Velocities.
    pub mac: Mac<D>,
    /// Particles, in cells.
    pub x: Vec<[f64; D]>,
    /// Their velocities.
    pub v: Vec<[f64; D]>,
    /// Steps done.
    pub steps: usize,
    /// What pushes besides gravity, cells per time²: 0 unless the tank is shaken and seen from itself.
    pub push: [f64; D],
    memory: Memory<D>,
}

impl<const D: usize> TankFlow<D> {
    /// The tank at its start, `n` cells a side, the solid layer included.
    pub fn new(tank: &Tank<D>, n: usize, settings: FlowSettings) -> Self {
        Self::on(tank, Lattice::cube(n), settings)
    }

    /// The tank at its start on these cells; the longest side is 1.
    pub fn on(tank: &Tank<D>, cells: Lattice<D>, settings: FlowSettings) -> Self {
        let n = cells.n.into_iter().max().unwrap_or(1);
        let mac = Mac::new(cells, 1.0);
        let is_in = |shape: &Shape<D>, c: [usize; D]| {
            shape.distance(mac.centre(c).map(|x| x / n as f64)) < 0.0
        };
        let flags: Vec<CellFlag> = (0..cells.len())
            .map(|i| {
                let c = cells.coordinates(i);
                if cells.is_outermost(c) || is_in(&tank.solid, c) {
                    CellFlag::Solid
                } else if is_in(&tank.liquid, c) {
                    CellFlag::Fluid
                } else {
                    CellFlag::Air
                }
            })
            .collect();
        let how = Seeding::Jittered(settings.particles, settings.jitter);
        let x = seed(&cells, 1.0, how, &|x| {
            flags[cells.index(cell_of(&cells, x))] == CellFlag::Fluid
        });
        Self {
            settings,
            v: vec![[0.0; D]; x.len()],
            flags,
            mac,
            x,
            steps: 0,
            push: [0.0; D],
            memory: Memory::default(),
        }
    }

    /// What moves at the start, by places and velocities in cells; without it all is at rest.
    pub fn set_velocity(&mut self, velocity_at: &dyn Fn([f64; D]) -> [f64; D]) {
        for (x, v) in self.x.iter().zip(&mut self.v) {
            *v = velocity_at(*x);
        }
        // The first step moves particles by the grid's velocities.
        for axis in 0..D {
            let faces = self.mac.cells.faces(axis);
            self.mac.u[axis] = (0..faces.len())
                .map(|i| velocity_at(self.mac.face(axis, faces.coordinates(i)))[axis])
                .collect();
        }
    }

    /// Says of cells whether they are liquid: those that hold a particle are.
    pub fn flag(&mut self) {
        let cells = self.mac.cells;
        for flag in &mut self.flags {
            if *flag == CellFlag::Fluid {
                *flag = CellFlag::Air;
            }
        }
        for x in &self.x {
            let flag = &mut self.flags[cells.index(cell_of(&cells, *x))];
            if *flag == CellFlag::Air {
                *flag = CellFlag::Fluid;
            }
        }
    }

    /// Everything of a step before the pressure solve.
    pub fn advance(&mut self) -> Snapshot<D> {
        let cells = self.mac.cells;
        let dt = self.settings.dt;
        let (mac, flags) = (&self.mac, &self.flags);
        parallel::each_mut(&mut self.x, 512, |_, x| *x = moved(mac, flags, *x, dt));
        self.flag();
        let list = CellList::new(cells, 1.0, &self.x);
        let (mut mac, mut valid) = particles_to_grid(&self.mac, &self.x, &self.v, &list);
        for (axis, (u, valid)) in mac.u.iter_mut().zip(&mut valid).enumerate() {
            extrapolate(&cells.faces(axis), u, valid, LAYERS[0]);
        }
        self.mac = mac;
        let mut velocity = self.mac.clone();
        let side = cells.n.into_iter().max().unwrap_or(1) as f64;
        velocity.accelerate(UP, -self.settings.gravity * side * dt);
        for (axis, push) in self.push.into_iter().enumerate() {
            velocity.accelerate(axis, push * dt);
        }
        if self.settings.walls == WallStart::Zeroed {
            for (axis, face) in walls(&cells, &self.flags).map(|(axis, face, _)| (axis, face)) {
                velocity.u[axis][face] = 0.0;
            }
        }
        Snapshot {
            step: self.steps + 1,
            flags: self.flags.clone(),
            velocity,
        }
    }

    /// Cells that hold at least half the particles that cells start with.
    fn filled(&self) -> usize {
        let mut held = vec![0usize; self.mac.cells.len()];
        for x in &self.x {
            held[self.mac.cells.index(cell_of(&self.mac.cells, *x))] += 1;
        }
        let seeded = self.settings.particles.pow(D as u32);
        held.iter().filter(|n| **n * 2 >= seeded).count()
    }

    /// The rest of a step, with velocities that are free of divergence; `before` are those that particles gave.
    pub fn finish(&mut self, projected: Mac<D>, kind: WallKind) {
        let cells = self.mac.cells;
        let mut after = projected;
        let is = |cell: usize, flag| self.flags[cell] == flag;
        for axis in 0..D {
            let faces = cells.faces(axis);
            let stride = cells.stride(axis);
            let mut valid: Vec<bool> = (0..faces.len())
                .map(|i| {
                    let c = faces.coordinates(i);
                    let inside = c[axis] > 0 && c[axis] < cells.n[axis];
                    inside && {
                        let high = cells.index(c);
                        let low = high - stride;
                        (is(low, CellFlag::Fluid) || is(high, CellFlag::Fluid))
                            && !is(low, CellFlag::Solid)
                            && !is(high, CellFlag::Solid)
                    }
                })
                .collect();
            let kept = after.u[axis].clone();
            extrapolate(&faces, &mut after.u[axis], &mut valid, LAYERS[1]);
            for (_, face, wall) in walls(&cells, &self.flags).filter(|w| w.0 == axis) {
                let u = &mut after.u[axis][face];
                *u = match (wall, kind) {
                    (Wall::Wet(_), _) => kept[face],
                    (Wall::Dry(away), WallKind::Separating) if away * *u > 0.0 => *u,
                    _ => 0.0,
                };
            }
        }
        grid_to_particles(&self.mac, &after, self.settings.flip, &self.x, &mut self.v);
        self.mac = after;
        self.steps += 1;
    }

    /// One step with any method.
    ///
    /// # Errors
    /// [`FlowError`]; the state is then that of the middle of a step.
    pub fn step(
        &mut self,
        method: Method,
        settings: &Settings,
        watch: Watch<'_>,
        observe: &mut dyn FnMut(&Snapshot<D>),
    ) -> Result<TankStep, FlowError<D>> {
        let snapshot = self.advance();
        observe(&snapshot);
        let step = snapshot.step;
        let (flags, velocity) = (&snapshot.flags, &snapshot.velocity);
        let problem = |source| FlowError::Problem { step, source };
        let projected =
            project(flags, velocity, method, settings, &mut self.memory, watch).map_err(problem)?;
        let (velocity, log) = match (projected.converged(), self.settings.unmet) {
            (Ok(done), _) => done,
            (Err(source), Unmet::GoOn) if source.log.solve.status != Status::Cancelled => {
                (*source.best, *source.log)
            }
            (Err(source), _) => return Err(FlowError::Unconverged { step, source }),
        };
        let wetted = Wetted::new(velocity.cells, flags).map_err(problem)?;
        let done = TankStep {
            step,
            volume: wetted.n(),
            filled: self.filled(),
            reach: Reach::of(&velocity.cells, flags),
            max_speed: wetted.max_speed(&velocity),
            log,
        };
        self.finish(velocity, method.walls());
        Ok(done)
    }
}

/// The cell that a point is in; the nearest one for points outside.
fn cell_of<const D: usize>(cells: &Lattice<D>, x: [f64; D]) -> [usize; D] {
    std::array::from_fn(|a| (x[a].max(0.0) as usize).min(cells.n[a] - 1))
}

/// A particle's place after a step. Where that is solid, it moves along the axes that keep it out, one after the other.
fn moved<const D: usize>(mac: &Mac<D>, flags: &[CellFlag], x: [f64; D], dt: f64) -> [f64; D] {
    let is_solid = |x: [f64; D]| flags[mac.cells.index(cell_of(&mac.cells, x))] == CellFlag::Solid;
    let to = trace(mac, x, dt);
    if !is_solid(to) {
        return to;
    }
    let mut at = x;
    for axis in 0..D {
        let mut next = at;
        next[axis] = to[axis];
        if is_solid(next) {
            // Up to the wall of its own cell, as far as it may go for certain.
            let low = at[axis].floor();
            next[axis] = to[axis].clamp(low + 1e-3, low + 1.0 - 1e-3);
        }
        if !is_solid(next) {
            at = next;
        }
    }
    at
}

/// What is at a wall face, with the direction away from the wall.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Wall {
    /// Liquid.
    Wet(f64),
    /// Air.
    Dry(f64),
}

/// Faces between solid and not: axis, index, what is there. Faces at the edge of the grid lie between solid cells.
fn walls<'a, const D: usize>(
    cells: &'a Lattice<D>,
    flags: &'a [CellFlag],
) -> impl Iterator<Item = (usize, usize, Wall)> + 'a {
    (0..flags.len())
        .filter(|i| flags[*i] == CellFlag::Solid)
        .flat_map(move |i| {
            let c = cells.coordinates(i);
            (0..2 * D).filter_map(move |side| {
                let (axis, up) = (side / 2, side % 2 == 1);
                let other = cells.neighbour(c, axis, up)?;
                let away = if up { 1.0 } else { -1.0 };
                let wall = match flags[cells.index(other)] {
                    CellFlag::Solid => return None,
                    CellFlag::Fluid => Wall::Wet(away),
                    CellFlag::Air => Wall::Dry(away),
                };
                Some((
                    axis,
                    cells.faces(axis).index(if up { other } else { c }),
                    wall,
                ))
            })
        })
}
