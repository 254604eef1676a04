//! One step of the world in `D` dimensions: forces, rows, solve, move.

use crate::body::{Body, Motion};
use crate::cells::CellList;
use crate::constraints::{
    FLUID_BODY, FLUID_WALL, Input, NO_FLUID, PairKey, System, body_velocities,
};
use crate::fill::{array, fill};
use crate::kernel::{Kernel, Lattice};
use crate::scene::{Scene, Top};
use crate::settings::{Gyroscope, Settings, Start};
use crate::simulation::{Pull, StepError, StepLog, Touching};
use crate::solve::{Problem, Solved, solve};
use crate::sweep::Unknowns;
use crate::vector::{dot, in_dimension, in_space, length, minus, plus};
use glam::DVec3;

/// The inside of a tank, as far as a particle may be.
#[derive(Clone)]
struct Inside<const D: usize> {
    low: [f64; D],
    high: [f64; D],
}

/// Everything that the next step depends on, and what was found in the last one.
#[derive(Clone)]
pub(crate) struct World<const D: usize> {
    pub scene: Scene,
    pub settings: Settings,
    pub kernel: Kernel,
    pub lattice: Lattice,
    pub walls: Vec<[f64; D]>,
    wall_cells: CellList,
    inside: Vec<Inside<D>>,
    pub steps: u64,
    pub positions: Vec<[f64; D]>,
    pub velocities: Vec<[f64; D]>,
    pub bodies: Vec<Body<D>>,
    pub pressure: Vec<f64>,
    pub smoothed: Vec<f64>,
    pub virial: Vec<f64>,
    pub compression: Vec<f64>,
    pub impulses: Vec<(PairKey, f64)>,
    pub touching: Vec<Touching>,
    pub pull: Option<Pull>,
}

impl<const D: usize> World<D> {
    pub(crate) fn new(scene: &Scene, settings: &Settings) -> World<D> {
        let filled = fill::<D>(scene);
        let l = scene.spacing;
        let kernel = Kernel {
            radius: scene.radius * l,
        };
        let n = filled.fluid.len();
        let inside = scene.tank.iter().map(|tank| {
            let low: [f64; D] = array::<D>(&tank.min).map(|x| (scene.metres(x) / l).round() * l);
            let size: [f64; D] =
                array::<D>(&tank.size).map(|x| (scene.metres(x) / l).round().max(1.0) * l);
            let mut high = plus(&plus(&low, 1.0, &size), 0.5 * l, &[1.0; D]);
            if tank.top == Top::Open {
                high[D - 1] = f64::INFINITY;
            }
            Inside {
                low: plus(&low, -0.5 * l, &[1.0; D]),
                high,
            }
        });
        World {
            kernel,
            lattice: Lattice::new::<D>(scene.radius),
            wall_cells: CellList::new(&filled.walls, kernel.radius),
            inside: inside.collect(),
            walls: filled.walls,
            steps: 0,
            positions: filled.fluid,
            velocities: filled.velocities,
            bodies: filled.bodies,
            pressure: vec![0.0; n],
            smoothed: vec![0.0; n],
            virial: vec![0.0; n],
            compression: vec![0.0; n],
            impulses: Vec::new(),
            touching: Vec::new(),
            pull: None,
            scene: scene.clone(),
            settings: settings.clone(),
        }
    }

    pub(crate) fn time(&self) -> f64 {
        self.steps as f64 * self.scene.step
    }

    /// Mass of a fluid particle, kg.
    pub(crate) fn particle_mass(&self) -> f64 {
        self.scene.fluid_density * self.scene.spacing.powi(D as i32)
    }

    /// Pressure of a unit impulse of a fluid row.
    fn pressure_of_impulse(&self) -> f64 {
        1.0 / (self.scene.step
            * self.lattice.gradient.abs()
            * self.scene.spacing.powi(D as i32 - 1))
    }

    fn acceleration(&self) -> [f64; D] {
        let mut g: [f64; D] = array(&self.scene.gravity);
        if let Some(shake) = &self.scene.shake {
            let swing = (std::f64::consts::TAU * shake.frequency * self.time()).sin();
            g = plus(&g, swing, &array(&shake.amplitude));
        }
        g
    }

    /// The rows of the present positions, without targets of contacts.
    pub(crate) fn rows(&self) -> System<D> {
        System::new(&Input {
            kernel: self.kernel,
            lattice: self.lattice,
            spacing: self.scene.spacing,
            step: self.scene.step,
            fluid_density: self.scene.fluid_density,
            settings: &self.settings,
            positions: &self.positions,
            bodies: &self.bodies,
            walls: &self.walls,
            wall_cells: &self.wall_cells,
        })
    }

    /// Velocities of bodies after forces and before impulses.
    fn pushed_bodies(&self, g: &[f64; D]) -> Vec<Body<D>> {
        let h = self.scene.step;
        let mut bodies = self.bodies.clone();
        for body in &mut bodies {
            if body.motion == Motion::Free {
                body.velocity += h * in_space(g);
            }
            if D == 3 && self.settings.gyroscope == Gyroscope::Explicit {
                body.spin -= h
                    * (body.inverse_inertia() * body.spin.cross(body.world_inertia() * body.spin));
            }
        }
        if let Some((pull, body)) = self
            .pull
            .as_ref()
            .and_then(|p| bodies.get_mut(p.body).map(|b| (p, b)))
        {
            let arm = body.turn * DVec3::from(pull.grip);
            // The grip approaches its target in about ten steps, at least .05 s: fast enough to follow a hand, slow enough to be gentle.
            let wanted = (DVec3::from(pull.target) - body.centre - arm) / (10.0 * h).max(0.05);
            let change = wanted - body.velocity - body.spin.cross(arm);
            let size = change.length();
            if size > 0.0 {
                let n = change / size;
                let angular = arm.cross(n);
                let inverse = body.inverse_mass() + angular.dot(body.inverse_inertia() * angular);
                if inverse > 0.0 {
                    let impulse = change / inverse;
                    body.velocity += impulse * body.inverse_mass();
                    body.spin += body.inverse_inertia() * arm.cross(impulse);
                }
            }
        }
        bodies
    }

    /// Velocities of fluid (sorted) after forces and before impulses.
    fn pushed_fluid(&self, system: &System<D>, g: &[f64; D]) -> Vec<[f64; D]> {
        let h = self.scene.step;
        let sorted: Vec<[f64; D]> = system
            .particle
            .iter()
            .map(|i| self.velocities[*i as usize])
            .collect();
        let l = self.scene.spacing;
        let nu = h * self.scene.viscosity * 2.0 * D as f64
            / (self.lattice.density * self.lattice.spread * l * l);
        (0..sorted.len())
            .map(|s| {
                let mut u = plus(&sorted[s], h, g);
                if nu > 0.0 {
                    u = plus(&u, -nu * system.wall_weight[s], &sorted[s]);
                    for (j, g) in system.entries(s) {
                        let weight = self.kernel.weight(self.distance(g));
                        u = plus(&u, nu * weight, &minus(&sorted[j], &sorted[s]));
                    }
                }
                u
            })
            .collect()
    }

    /// The distance of a neighbour, from its entry `-l w'(r) e`.
    fn distance(&self, entry: &[f64; D]) -> f64 {
        let re = self.kernel.radius;
        re * (1.0 - length(entry) / self.scene.spacing * re / 2.0)
    }

    fn guess(&self, system: &System<D>) -> Vec<f64> {
        if self.settings.start == Start::Cold {
            return vec![0.0; system.n_rows()];
        }
        let unit = 1.0 / self.pressure_of_impulse();
        let fluid = system
            .particle
            .iter()
            .map(|i| unit * self.pressure[*i as usize]);
        let known = |key: &PairKey| {
            self.impulses
                .binary_search_by_key(key, |p| p.0)
                .map_or(0.0, |k| self.impulses[k].1)
        };
        fluid
            .chain(system.contacts.iter().map(|c| known(&c.key)))
            .collect()
    }

    /// Solves the constraints at the present positions and moves nothing: the velocities and pressures after, and the log so far.
    pub(crate) fn constrain(&mut self) -> Result<StepLog, StepError> {
        let h = self.scene.step;
        let g = self.acceleration();
        let mut system = self.rows();
        let velocity = self.pushed_fluid(&system, &g);
        let bodies = self.pushed_bodies(&g);
        let body_velocity = body_velocities(&bodies);
        system.aim(
            &velocity,
            &body_velocity,
            self.scene.restitution,
            self.settings.contact_alpha,
            h,
        );
        let fastest = velocity.iter().map(length).fold(0.0, f64::max);
        let fastest = body_velocity
            .iter()
            .map(|b| length(&b.0))
            .fold(fastest, f64::max);
        let problem = Problem {
            system: &system,
            velocity: &velocity,
            bodies: &body_velocity,
            friction: self.scene.friction,
            scale: (length(&g) * h).max(1e-3 * fastest),
        };
        let (unknowns, solved) = solve(&problem, &self.guess(&system), &self.settings);
        self.check(&unknowns)?;
        self.keep(&system, &unknowns, bodies);
        Ok(self.log(&system, solved, problem.scale))
    }

    /// Nothing that isn't a number gets into the state.
    fn check(&self, unknowns: &Unknowns<D>) -> Result<(), StepError> {
        let step = self.steps + 1;
        if unknowns
            .velocity
            .to_vec()
            .iter()
            .flatten()
            .any(|x| !x.is_finite())
        {
            return Err(StepError::FluidNotFinite { step });
        }
        if let Some(body) = unknowns
            .bodies
            .iter()
            .position(|b| !(in_space(&b.0) + b.1).is_finite())
        {
            return Err(StepError::BodyNotFinite { step, body });
        }
        Ok(())
    }

    fn keep(&mut self, system: &System<D>, unknowns: &Unknowns<D>, bodies: Vec<Body<D>>) {
        let n = system.n_fluid();
        let velocity = unknowns.velocity.to_vec();
        let impulse = unknowns.impulse.to_vec().into_flattened();
        self.bodies = bodies;
        for (body, (v, spin)) in self.bodies.iter_mut().zip(&unknowns.bodies) {
            body.velocity = in_space(v);
            body.spin = *spin;
        }
        let unit = self.pressure_of_impulse();
        let p: Vec<f64> = impulse[..n].iter().map(|x| x * unit).collect();
        let re = self.kernel.radius;
        for (s, i) in system.particle.iter().enumerate() {
            let i = *i as usize;
            self.velocities[i] = velocity[s];
            self.pressure[i] = p[s];
            self.compression[i] = system.density[s] / self.lattice.density - 1.0;
            let middle = re.powi(6);
            let (mut sum, mut weights, mut virial) = (middle * p[s], middle, 0.0);
            for (j, g) in system.entries(s) {
                let other = p[j];
                let r = self.distance(g);
                let weight = (re * re - r * r).powi(3);
                sum += weight * other;
                weights += weight;
                virial -= (p[s] + other) * length(g) / self.scene.spacing * r;
            }
            self.smoothed[i] = sum / weights;
            self.virial[i] = self.lattice.gradient / (2.0 * D as f64) * virial;
        }
        self.impulses = system
            .contacts
            .iter()
            .zip(&impulse[n..])
            .map(|(c, x)| (c.key, *x))
            .collect();
        self.impulses.sort_unstable_by_key(|p| p.0);
        self.touching = system
            .contacts
            .iter()
            .zip(&impulse[n..])
            .map(|(c, x)| Touching {
                point: in_space(&c.point).to_array(),
                normal: in_space(&c.normal).to_array(),
                impulse: *x,
                depth: c.depth,
            })
            .collect();
    }

    fn log(&self, system: &System<D>, solved: Solved, scale: f64) -> StepLog {
        let h = self.scene.step;
        let l = self.scene.spacing;
        let g: DVec3 = in_space(&array::<D>(&self.scene.gravity));
        let m = self.particle_mass();
        let mut log = StepLog {
            step: self.steps + 1,
            time: (self.steps + 1) as f64 * h,
            iterations: solved.iterations,
            sets: solved.sets,
            residual: solved.residual,
            scale,
            status: solved.status,
            compression: self.compression.iter().copied().fold(0.0, f64::max),
            fluid_depth: 0.0,
            body_depth: 0.0,
            courant: 0.0,
            kinetic: self.bodies.iter().map(Body::kinetic_energy).sum(),
            potential: 0.0,
            momentum: [0.0; 3],
            angular_momentum: [0.0; 3],
            contacts: system.contacts.len(),
            escaped: self.escaped(),
        };
        for c in &system.contacts {
            let depth = if c.fluid == NO_FLUID {
                &mut log.body_depth
            } else {
                &mut log.fluid_depth
            };
            debug_assert!(
                (c.key.kind == FLUID_WALL || c.key.kind == FLUID_BODY) == (c.fluid != NO_FLUID)
            );
            *depth = depth.max(c.depth / l);
        }
        let (mut momentum, mut angular) = (DVec3::ZERO, DVec3::ZERO);
        let mut fastest = 0.0_f64;
        for (x, u) in self.positions.iter().zip(&self.velocities) {
            log.kinetic += 0.5 * m * dot(u, u);
            log.potential -= m * g.dot(in_space(x));
            momentum += m * in_space(u);
            angular += m * in_space(x).cross(in_space(u));
            fastest = fastest.max(length(u));
        }
        for b in self.bodies.iter().filter(|b| b.motion == Motion::Free) {
            log.potential -= b.mass * g.dot(b.centre);
            momentum += b.mass * b.velocity;
            angular += b.mass * b.centre.cross(b.velocity);
            fastest = fastest.max(b.velocity.length());
        }
        for b in self.bodies.iter().filter(|b| b.motion != Motion::Fixed) {
            angular += b.angular_momentum();
        }
        log.courant = fastest * h / l;
        log.momentum = momentum.to_array();
        log.angular_momentum = angular.to_array();
        log
    }

    /// Particles and centres of free bodies outside every tank; none where there is no tank.
    fn escaped(&self) -> usize {
        if self.inside.is_empty() {
            return 0;
        }
        let outside = |x: &[f64; D]| {
            !self
                .inside
                .iter()
                .any(|t| (0..D).all(|k| x[k] > t.low[k] && x[k] < t.high[k]))
        };
        let free = self.bodies.iter().filter(|b| b.motion == Motion::Free);
        self.positions.iter().filter(|x| outside(x)).count()
            + free.filter(|b| outside(&in_dimension(b.centre))).count()
    }

    /// One whole step.
    pub(crate) fn step(&mut self) -> Result<StepLog, StepError> {
        let mut log = self.constrain()?;
        let h = self.scene.step;
        // Energies of one instant: the potential moves with the positions.
        let g: [f64; D] = array(&self.scene.gravity);
        let bodies = self.bodies.iter().filter(|b| b.motion == Motion::Free);
        log.potential -= h * bodies
            .map(|b| b.mass * in_space(&g).dot(b.velocity))
            .sum::<f64>();
        log.potential -=
            h * self.particle_mass() * self.velocities.iter().map(|u| dot(&g, u)).sum::<f64>();
        for (x, u) in self.positions.iter_mut().zip(&self.velocities) {
            *x = plus(x, h, u);
        }
        for body in &mut self.bodies {
            body.advance(h);
        }
        self.steps += 1;
        Ok(log)
    }
}
