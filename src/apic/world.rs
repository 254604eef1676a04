//! A scene being stepped, in one dimension or the other: the loop, and the state between steps.
//!
//! ```text
//! move particles -> reseed -> scatter, fold, fill: v -> forces, fill -> project, fill: v~ -> gather
//! ```
//! Positions are advanced first, so that velocities at the end of a step have no divergence. The pressure takes the density as constant:
//! with the faces' masses instead, quiet pools boil.
//!
//! Source: \[004\] sections 3.2.4, 3.2.5.

mod motion;
mod reseed;

use stokeslet_base::parallel;
use thiserror::Error;

use crate::field::Field;
use crate::grid::{Faces, Grid};
use crate::particles::{Particles, Sorted};
use crate::project::{Domain, Limits, Pressure, PressureError};
use crate::scene::{Scene, array};
use crate::seeding::seed;
use crate::settings::Settings;
use crate::sides::{Sides, fill, fold};
use crate::solid::{Solid, Surface, distance};
use crate::transfer::{
    Gathered, Sums, Transfer, gather, gradient, mls, moments, scatter, velocities, xpic,
};

/// Particles are put in the order of their cells every so many steps: neighbours in space should be neighbours in memory.
const SORT_EVERY: u64 = 16;

/// Masses up to this part of a full cell's count as none.
const LEAST_MASS: f64 = 1e-12;

/// Why a step could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum StepError {
    /// A velocity isn't a finite number.
    #[error("step {step}: a velocity is not a finite number; a shorter `step_over_cell` may help")]
    NotFinite {
        /// The step that failed.
        step: u64,
    },
    /// No particle is left.
    #[error("step {step}: no particle is left; `reseed = true` would replace those that leave")]
    Empty {
        /// The step that failed.
        step: u64,
    },
    /// The pressure.
    #[error("step {step}: {source}")]
    Pressure {
        /// The step that failed.
        step: u64,
        /// Why.
        source: PressureError,
    },
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Changes {
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
}

/// A running scene.
pub struct World<const D: usize> {
    /// What is run.
    pub scene: Scene,
    /// With which choices.
    pub settings: Settings,
    /// Where faces are.
    pub grid: Grid<D>,
    /// The ends of the domain.
    pub sides: Sides<D>,
    /// Bodies, if any.
    pub solid: Option<Solid<D>>,
    /// The flow of the start.
    pub field: Field<D>,
    /// Particles.
    pub particles: Particles<D>,
    /// Velocities from the particles, before forces and pressure: `v`.
    pub before: Faces<D>,
    /// Velocities at the end of the step: `v~`.
    pub after: Faces<D>,
    /// Masses of faces, folded.
    pub mass: Faces<D>,
    /// Pressure times `dt / (rho dx)` of the last step by cell, m/s; the first guess of the next.
    pub pressure: Vec<f64>,
    /// Steps made.
    pub steps: u64,
    /// The next particle's name.
    pub(crate) next_id: u32,
    /// The next hashed number.
    pub(crate) seed: u32,
    equation: Pressure<D>,
    phase: usize,
}

impl<const D: usize> World<D> {
    /// Fills a checked scene.
    #[must_use]
    pub fn new(scene: &Scene, settings: &Settings) -> Self {
        let (grid, sides) = (scene.grid::<D>(), scene.ends::<D>());
        let x = seed(&grid, &sides, scene.seeding);
        Self::with_positions(scene, settings, x)
    }

    /// Fills a checked scene with particles at these places (in the domain, m); those in bodies are left out.
    ///
    /// # Shapes and units
    /// - `x`: spread evenly; the domain's mass is shared by all of them
    #[must_use]
    pub fn with_positions(scene: &Scene, settings: &Settings, x: Vec<[f64; D]>) -> Self {
        let (grid, sides) = (scene.grid::<D>(), scene.ends::<D>());
        let shapes = scene.shapes::<D>();
        let field = scene.field::<D>();
        let mass = scene.density * grid.dx.powi(D as i32) * grid.cells.len() as f64
            / x.len().max(1) as f64;
        let mut particles = Particles::new();
        let kick = scene.start.kick.as_ref();
        for x in x.into_iter().filter(|x| distance(&shapes, *x) >= 0.0) {
            let known = field.at(x, 0.0, scene.density);
            let mut v = known.v;
            if let Some(kick) = kick {
                let centre: [f64; D] = array(&kick.centre);
                let d: f64 = (0..D).map(|k| (x[k] - centre[k]).powi(2)).sum();
                let share = (-d / (kick.width * kick.width)).exp();
                for (v, by) in v.iter_mut().zip(&kick.velocity) {
                    *v += by * share;
                }
            }
            let in_cells = grid.in_cells(x);
            let b = std::array::from_fn(|axis| {
                if settings.transfer == Transfer::Apic {
                    moments(settings.kernel, in_cells, axis, known.grad[axis], grid.dx)
                } else {
                    [0.0; D]
                }
            });
            let id = particles.len() as u32;
            particles.push(x, v, b, mass, id);
        }
        let solid = Solid::new(&grid, shapes, scene.surface());
        let equation = Pressure::new(&Domain {
            grid: &grid,
            sides: &sides,
            solid: solid.as_ref(),
            time: 0.0,
        });
        let phase = sides.phase(0.0);
        let mut world = Self {
            scene: scene.clone(),
            settings: settings.clone(),
            before: grid.zeros(),
            after: grid.zeros(),
            mass: grid.zeros(),
            pressure: vec![0.0; grid.cells.len()],
            steps: 0,
            next_id: particles.len() as u32,
            // Seeding used small numbers.
            seed: 1 << 30,
            grid,
            sides,
            solid,
            field,
            particles,
            equation,
            phase,
        };
        world.start();
        world
    }

    /// The first transfer: its velocities, not projected, move FLIP's and XPIC's particles in the first step.
    fn start(&mut self) {
        self.particles_to_grid(0.0);
        self.after = self.before.clone();
        if !self.settings.transfer.moves_by_itself() {
            let carry = self.on_particles(&self.before, |g| g.v);
            self.particles.carry = carry;
        }
    }

    /// Takes other (checked) settings from the next step on; affine parts that weren't kept, or were of another kernel, are those of
    /// the faces now.
    pub(crate) fn set_settings(&mut self, settings: &Settings) {
        let of = |s: &Settings| (s.transfer, s.kernel);
        let is_other = of(settings) != of(&self.settings);
        self.settings = settings.clone();
        if is_other && settings.transfer == Transfer::Apic {
            self.particles.b = self.on_particles(&self.after, |g| g.b);
        }
    }

    /// Time, s.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.steps as f64 * self.scene.step()
    }

    /// The pressure equation of the ends as they are now.
    #[must_use]
    pub fn equation(&self) -> &Pressure<D> {
        &self.equation
    }

    /// Where the pressure is sought.
    fn domain(&self, time: f64) -> Domain<'_, D> {
        Domain {
            grid: &self.grid,
            sides: &self.sides,
            solid: self.solid.as_ref(),
            time,
        }
    }

    /// Takes the ends as they are at a time.
    pub(crate) fn set_phase(&mut self, time: f64) {
        let phase = self.sides.phase(time);
        if phase != self.phase {
            self.phase = phase;
            self.equation = Pressure::new(&self.domain(time));
        }
    }

    /// Makes one step.
    ///
    /// # Errors
    /// [`StepError`]; particles may have moved, so the simulation can't be gone on with.
    /// # Accuracy and cost
    /// First order in time. Linear in particles and cells; the bits don't depend on the number of threads.
    pub fn step(&mut self) -> Result<Changes, StepError> {
        let (step, dt) = (self.steps + 1, self.scene.step());
        let time = step as f64 * dt;
        let mut changes = Changes {
            left: self.advance_particles(dt, time),
            ..Changes::default()
        };
        self.set_phase(time);
        if self.scene.reseed {
            self.reseed(time, &mut changes);
        }
        if self.particles.is_empty() {
            return Err(StepError::Empty { step });
        }
        if step.is_multiple_of(SORT_EVERY) {
            self.sort();
        }
        self.particles_to_grid(time);
        self.evolve(dt, time, step, &mut changes)?;
        self.grid_to_particles(time);
        self.steps = step;
        Ok(changes)
    }

    /// A step in which nothing moves and nothing pushes: to the grid, through the pressure, and back.
    ///
    /// # Errors
    /// [`StepError`].
    pub fn respond(&mut self) -> Result<(), StepError> {
        self.particles_to_grid(0.0);
        self.evolve(0.0, 0.0, 1, &mut Changes::default())?;
        self.grid_to_particles(0.0);
        Ok(())
    }

    fn sort(&mut self) {
        let keys = self.cells_of_particles();
        let sorted = Sorted::new(self.grid.cells.len(), &keys);
        self.particles.select(&sorted.order);
    }

    pub(crate) fn cells_of_particles(&self) -> Vec<u32> {
        let of = |x: &[f64; D]| self.grid.cell_of(*x) as u32;
        let x = &self.particles.x;
        parallel::fill(x.len(), 4096, |p| of(&x[p]))
    }

    /// `particles -> before`.
    pub(crate) fn particles_to_grid(&mut self, time: f64) {
        let (grid, particles) = (&self.grid, &self.particles);
        let kernel = self.settings.kernel;
        let is_affine = self.settings.transfer == Transfer::Apic;
        let mut sums = scatter(grid, kernel, &particles.x, &particles.mass, &|p, axis| {
            let c = if is_affine {
                let x = grid.in_cells(particles.x[p]);
                gradient(kernel, x, axis, particles.b[p][axis], grid.dx)
            } else {
                [0.0; D]
            };
            (particles.v[p][axis], c)
        });
        fold(
            grid,
            &self.sides,
            time,
            &mut sums.mass,
            &mut sums.momentum,
            1.0,
        );
        let mut v = self.velocities(&sums, &self.after);
        fill(grid, &self.sides, time, &mut v, 1.0);
        self.before = v;
        self.mass = sums.mass;
    }

    /// Momentum over mass; faces inside of bodies that hold liquid are at rest.
    fn velocities(&self, sums: &Sums<D>, instead: &Faces<D>) -> Faces<D> {
        let full = self.scene.density * self.grid.dx.powi(D as i32);
        let mut v = velocities(sums, LEAST_MASS * full, instead);
        self.hold(&mut v);
        v
    }

    /// Faces inside of bodies that hold liquid are at rest.
    fn hold(&self, v: &mut Faces<D>) {
        if let Some(solid) = self.solid.as_ref().filter(|s| s.surface == Surface::NoSlip) {
            for (v, valid) in v.iter_mut().zip(&solid.valid) {
                for (v, valid) in v.iter_mut().zip(valid) {
                    if !valid {
                        *v = 0.0;
                    }
                }
            }
        }
    }

    /// `before -> after`.
    fn evolve(
        &mut self,
        dt: f64,
        time: f64,
        step: u64,
        changes: &mut Changes,
    ) -> Result<(), StepError> {
        let (grid, scene, field) = (self.grid, &self.scene, &self.field);
        let gravity: [f64; D] = array(&scene.gravity);
        let mut u = self.before.clone();
        let is_pushed = scene.forced || gravity.iter().any(|g| *g != 0.0);
        if is_pushed {
            for (axis, u) in u.iter_mut().enumerate() {
                grid.faces(axis).for_each(u, |_, c, u| {
                    if grid.is_inside(axis, c) {
                        let mut a = gravity[axis];
                        if scene.forced {
                            a += field.at(grid.face(axis, c), time, scene.density).force[axis];
                        }
                        *u += dt * a;
                    }
                });
            }
            fill(&grid, &self.sides, time, &mut u, 1.0);
            self.hold(&mut u);
        }
        if u.iter().flatten().any(|u| !u.is_finite()) {
            return Err(StepError::NotFinite { step });
        }
        let limits = Limits {
            tolerance: self.settings.tolerance,
            iterations: self.settings.max_iterations,
        };
        let domain = Domain {
            grid: &grid,
            sides: &self.sides,
            solid: self.solid.as_ref(),
            time,
        };
        let solved = self
            .equation
            .project(&domain, &mut u, &mut self.pressure, limits)
            .map_err(|source| StepError::Pressure { step, source })?;
        fill(&grid, &self.sides, time, &mut u, 1.0);
        self.hold(&mut u);
        if u.iter().flatten().any(|u| !u.is_finite()) {
            return Err(StepError::NotFinite { step });
        }
        changes.iterations = solved.iterations;
        changes.residual = solved.residual;
        self.after = u;
        Ok(())
    }

    /// The grid's value at a particle: the plain transfer, or a fit to valid faces beside bodies that liquid slides along.
    #[inline]
    pub(crate) fn value(&self, field: &Faces<D>, x: [f64; D]) -> Gathered<D> {
        let kernel = self.settings.kernel;
        match self.solid.as_ref().filter(|s| s.surface == Surface::Slip) {
            Some(solid) if solid.near[self.grid.cell_of(x)] => {
                mls::fit(&self.grid, kernel, field, &solid.valid, x)
            }
            _ => gather(&self.grid, kernel, field, x),
        }
    }

    /// A part of [`World::value`] for every particle.
    pub(crate) fn on_particles<T: Send>(
        &self,
        field: &Faces<D>,
        of: impl Fn(Gathered<D>) -> T + Sync,
    ) -> Vec<T> {
        let x = &self.particles.x;
        parallel::map(x.len(), 1024, |p| of(self.value(field, x[p])))
    }

    /// `after -> particles`.
    pub(crate) fn grid_to_particles(&mut self, time: f64) {
        match self.settings.transfer {
            Transfer::Pic => {
                let v = self.on_particles(&self.after, |g| g.v);
                self.particles.carry.clone_from(&v);
                self.particles.v = v;
            }
            Transfer::Apic => {
                let found = self.on_particles(&self.after, |g| g);
                let to = &mut self.particles;
                to.v = found.iter().map(|g| g.v).collect();
                to.b = found.iter().map(|g| g.b).collect();
                to.carry.clone_from(&to.v);
            }
            Transfer::Flip => {
                let change = difference(&self.after, &self.before);
                let change = self.on_particles(&change, |g| g.v);
                let carry = self.on_particles(&self.after, |g| g.v);
                let share = self.settings.flip_share;
                let to = &mut self.particles;
                for ((v, change), pic) in to.v.iter_mut().zip(&change).zip(&carry) {
                    for k in 0..D {
                        v[k] = share * (v[k] + change[k]) + (1.0 - share) * pic[k];
                    }
                }
                to.carry = carry;
            }
            Transfer::Xpic => {
                let trips = xpic::Trips {
                    grid: &self.grid,
                    sides: &self.sides,
                    time,
                    kernel: self.settings.kernel,
                    x: &self.particles.x,
                    mass: &self.particles.mass,
                    to_particles: &|field| self.on_particles(field, |g| g.v),
                    to_velocity: &|sums, instead| self.velocities(sums, instead),
                };
                let mut kept = xpic::filtered(&trips, &self.before, self.settings.order);
                for axis in 0..D {
                    let (after, before) = (&self.after[axis], &self.before[axis]);
                    for (i, kept) in kept[axis].iter_mut().enumerate() {
                        *kept += after[i] - before[i];
                    }
                }
                let v = self.on_particles(&kept, |g| g.v);
                let carry = self.on_particles(&self.after, |g| g.v);
                self.particles.v = v;
                self.particles.carry = carry;
            }
        }
    }
}

/// `a - b`.
fn difference<const D: usize>(a: &Faces<D>, b: &Faces<D>) -> Faces<D> {
    std::array::from_fn(|axis| a[axis].iter().zip(&b[axis]).map(|(a, b)| a - b).collect())
}

#[cfg(test)]
mod tests;
