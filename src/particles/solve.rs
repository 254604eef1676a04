//! A step's rows -> impulses and velocities, by the chosen solver, with a status that tells when it didn't get there.
//!
//! The residual is the minimum map in m/s, `max |min(w_i, K_ii x_i)|`, for the solvers with conjugate gradients, and the largest correction of
//! a sweep for Gauss-Seidel (the same number on the last row swept). Start reading at `solve`.

use crate::constraints::System;
use crate::product::{Velocities, long_dot};
use crate::settings::{Settings, Solver};
use crate::sweep::{Relaxation, Unknowns};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// The residual is below the tolerance.
    Converged,
    /// The allowed sweeps or products are used up; the result is usable, its residual is told.
    IterationLimit,
    /// As [`Status::Converged`], but the active set had cycled and sweeps had to break it.
    ConvergedAfterCycling,
    /// As [`Status::IterationLimit`], and the active set had cycled.
    LimitAfterCycling,
}

impl Status {
    /// Whether the residual is below the tolerance.
    #[must_use]
    pub fn converged(self) -> bool {
        matches!(self, Status::Converged | Status::ConvergedAfterCycling)
    }
}

/// What a solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solved {
    /// Sweeps and products with the matrix; one costs about as much as the other.
    pub iterations: u32,
    /// Active sets tried.
    pub sets: u32,
    pub residual: f64,
    pub status: Status,
}

/// What is to be solved: rows, velocities before any impulse, the speed that the tolerance is a fraction of.
pub(crate) struct Problem<'a, const D: usize> {
    pub system: &'a System<D>,
    pub velocity: &'a [[f64; D]],
    pub bodies: &'a [([f64; D], DVec3)],
    pub friction: f64,
    pub scale: f64,
}

/// Solves a step's rows from a guess of the impulses.
///
/// Friction has no quadratic form, so with friction every solver sweeps.
pub(crate) fn solve<const D: usize>(
    problem: &Problem<'_, D>,
    guess: &[f64],
    settings: &Settings,
) -> (Unknowns<D>, Solved) {
    let mut unknowns = Unknowns::new(problem.system, problem.velocity, problem.bodies, guess);
    let solver = if problem.friction > 0.0 {
        Solver::GaussSeidel
    } else {
        settings.solver
    };
    let solved = match solver {
        Solver::GaussSeidel => sweeps(problem, &mut unknowns, settings),
        Solver::ActiveSet | Solver::Subspace => {
            let mut search = Search::new(problem, guess.to_vec(), settings);
            let solved = if solver == Solver::ActiveSet {
                search.active_set()
            } else {
                search.subspace()
            };
            let Search { x, velocities, .. } = search;
            unknowns = Unknowns::new(
                problem.system,
                problem.velocity,
                problem.bodies,
                &vec![0.0; x.len()],
            );
            unknowns.shift(&velocities);
            for (k, x) in x.iter().enumerate() {
                unknowns.impulse.set(k, [*x]);
            }
            solved
        }
    };
    (unknowns, solved)
}

fn sweeps<const D: usize>(
    problem: &Problem<'_, D>,
    unknowns: &mut Unknowns<D>,
    settings: &Settings,
) -> Solved {
    let relaxation = Relaxation {
        factor: settings.over_relaxation,
        friction: problem.friction,
    };
    let goal = settings.tolerance * problem.scale;
    let mut residual = f64::INFINITY;
    for k in 1..=settings.max_iterations {
        residual = unknowns.sweep(problem.system, relaxation);
        if residual <= goal {
            return Solved {
                iterations: k,
                sets: 0,
                residual,
                status: Status::Converged,
            };
        }
    }
    Solved {
        iterations: settings.max_iterations,
        sets: 0,
        residual,
        status: Status::IterationLimit,
    }
}

/// Curvature over the diagonal's, below which a direction counts as flat. Settled tanks of 100,000 particles stay above 1e-6.
const LEAST_CURVATURE: f64 = 1e-11;

/// Impulses `x`, their velocities and rates, and the work spent.
struct Search<'a, const D: usize> {
    problem: &'a Problem<'a, D>,
    settings: &'a Settings,
    goal: f64,
    x: Vec<f64>,
    /// `M^-1 J^T x`.
    velocities: Velocities<D>,
    /// `w = K x + q`.
    w: Vec<f64>,
    /// `q = J u* + s`.
    q: Vec<f64>,
    inverse_diagonal: Vec<f64>,
    work: u32,
    buffer: Velocities<D>,
}

impl<'a, const D: usize> Search<'a, D> {
    fn new(problem: &'a Problem<'a, D>, x: Vec<f64>, settings: &'a Settings) -> Search<'a, D> {
        let system = problem.system;
        let n = system.n_rows();
        let star = Velocities {
            fluid: problem.velocity.to_vec(),
            bodies: problem.bodies.to_vec(),
        };
        let mut q = vec![0.0; n];
        star.rates(system, &mut q);
        for (k, q) in q.iter_mut().enumerate() {
            *q += if k < system.n_fluid() {
                system.target[k]
            } else {
                system.contacts[k - system.n_fluid()].target
            };
        }
        let inverse_diagonal = (0..n)
            .map(|k| system.diagonal_of(k))
            .map(|d| if d > 0.0 { 1.0 / d } else { 0.0 })
            .collect();
        let mut search = Search {
            problem,
            settings,
            goal: settings.tolerance * problem.scale,
            x,
            velocities: Velocities::new(system),
            w: vec![0.0; n],
            q,
            inverse_diagonal,
            work: 0,
            buffer: Velocities::new(system),
        };
        search.refresh();
        search
    }

    /// Velocities and rates anew from the impulses.
    fn refresh(&mut self) {
        self.velocities.push(self.problem.system, &self.x);
        self.rates_of_velocities();
        self.work += 1;
    }

    fn rates_of_velocities(&mut self) {
        self.velocities.rates(self.problem.system, &mut self.w);
        for (w, q) in self.w.iter_mut().zip(&self.q) {
            *w += q;
        }
    }

    /// The minimum map's largest part, m/s.
    fn residual(&self) -> f64 {
        let map =
            |((w, x), d): ((&f64, &f64), &f64)| if *d > 0.0 { w.min(x / d).abs() } else { 0.0 };
        self.w
            .iter()
            .zip(&self.x)
            .zip(&self.inverse_diagonal)
            .map(map)
            .fold(0.0, f64::max)
    }

    /// `1/2 x.(w + q)`, which the solution makes least over `x >= 0`.
    fn objective(&self) -> f64 {
        let parallel = self.problem.system.parallel;
        0.5 * (long_dot(parallel, &self.x, &self.w) + long_dot(parallel, &self.x, &self.q))
    }

    /// Rows whose impulse the minimum map leaves free.
    fn free(&self) -> Vec<bool> {
        let rows = self.x.iter().zip(&self.w).zip(&self.inverse_diagonal);
        rows.map(|((x, w), d)| *d > 0.0 && x - w * d > 0.0)
            .collect()
    }

    fn solved(&self, sets: u32, cycled: bool) -> Solved {
        let residual = self.residual();
        let status = match (residual <= self.goal, cycled) {
            (true, false) => Status::Converged,
            (true, true) => Status::ConvergedAfterCycling,
            (false, false) => Status::IterationLimit,
            (false, true) => Status::LimitAfterCycling,
        };
        Solved {
            iterations: self.work,
            sets,
            residual,
            status,
        }
    }

    /// Preconditioned conjugate gradients for the change `d` of the free impulses with `(K d)_free = -w_free`.
    ///
    /// Stops at `drop` of the first residual, and when the work is used up. The impulses don't change.
    fn gradients(&mut self, free: &[bool], drop: f64) -> Vec<f64> {
        let system = self.problem.system;
        let parallel = system.parallel;
        let n = self.x.len();
        let mut r: Vec<f64> = self
            .w
            .iter()
            .zip(free)
            .map(|(w, f)| if *f { -w } else { 0.0 })
            .collect();
        let mut d = vec![0.0; n];
        let largest = |r: &[f64]| r.iter().fold(0.0_f64, |a, x| a.max(x.abs()));
        let goal = (drop * largest(&r)).max(0.3 * self.goal);
        let mut z: Vec<f64> = r
            .iter()
            .zip(&self.inverse_diagonal)
            .map(|(r, d)| r * d)
            .collect();
        let mut p = z.clone();
        let mut rho = long_dot(parallel, &r, &z);
        let mut product = vec![0.0; n];
        while largest(&r) > goal && self.work < self.settings.max_iterations && rho > 0.0 {
            self.buffer.push(system, &p);
            self.buffer.rates(system, &mut product);
            self.work += 1;
            let curvature = long_dot(parallel, &p, &product);
            // Rows that depend on each other make K singular, and a free set may ask of them what can't be: along such a direction there is no
            // curvature and the step would be endless.
            let weight: f64 = p
                .iter()
                .zip(&self.inverse_diagonal)
                .filter(|(_, d)| **d > 0.0)
                .map(|(p, d)| p * p / d)
                .sum();
            if curvature.is_nan() || curvature <= LEAST_CURVATURE * weight {
                break;
            }
            let alpha = rho / curvature;
            for k in 0..n {
                d[k] += alpha * p[k];
                if free[k] {
                    r[k] -= alpha * product[k];
                    z[k] = r[k] * self.inverse_diagonal[k];
                }
            }
            let next = long_dot(parallel, &r, &z);
            let beta = next / rho;
            rho = next;
            for k in 0..n {
                p[k] = z[k] + beta * p[k];
            }
        }
        d
    }

    /// Plain projected sweeps from the present impulses.
    fn sweeps(&mut self, count: u32) {
        let problem = self.problem;
        let mut unknowns = Unknowns::new(
            problem.system,
            problem.velocity,
            problem.bodies,
            &vec![0.0; self.x.len()],
        );
        unknowns.shift(&self.velocities);
        for (k, x) in self.x.iter().enumerate() {
            unknowns.impulse.set(k, [*x]);
        }
        for _ in 0..count {
            unknowns.sweep(
                problem.system,
                Relaxation {
                    factor: 1.0,
                    friction: 0.0,
                },
            );
        }
        self.work += count;
        self.x = unknowns.impulse.to_vec().into_flattened();
        self.refresh();
    }

    /// Primal-dual active set: the free rows are solved as equations, the rest has no impulse, and rows change sides by their sign.
    ///
    /// When the residual hasn't halved in five sets it may cycle: sweeps follow, twice as many each time.
    fn active_set(&mut self) -> Solved {
        let (mut sets, mut cycled) = (0, false);
        let (mut mark, mut since, mut rescue) = (self.residual(), 0, 5);
        let (mut best, mut best_x) = (mark, self.x.clone());
        while self.residual() > self.goal && self.work < self.settings.max_iterations {
            let free = self.free();
            for (x, free) in self.x.iter_mut().zip(&free) {
                if !free {
                    *x = 0.0;
                }
            }
            self.refresh();
            let d = self.gradients(&free, 0.1);
            for (x, d) in self.x.iter_mut().zip(&d) {
                *x += d;
            }
            self.refresh();
            sets += 1;
            let residual = self.residual();
            if residual < best {
                best = residual;
                best_x.clone_from(&self.x);
            }
            since += 1;
            if residual < 0.5 * mark {
                mark = residual;
                since = 0;
            }
            let wild = residual.is_nan() || residual > 100.0 * mark;
            if wild || (since >= 5 && residual > self.goal) {
                cycled = true;
                self.x.clone_from(&best_x);
                self.clip();
                self.sweeps(rescue);
                rescue = (2 * rescue).min(160);
                mark = self.residual();
                since = 0;
                if mark < best {
                    best = mark;
                    best_x.clone_from(&self.x);
                }
            }
        }
        let last = self.residual();
        if last.is_nan() || last > best {
            self.x = best_x;
            self.refresh();
        }
        self.clip();
        self.solved(sets, cycled)
    }

    /// No impulse pulls, whatever the residual says.
    fn clip(&mut self) {
        if self.x.iter().any(|x| *x < 0.0) {
            for x in &mut self.x {
                *x = x.max(0.0);
            }
            self.refresh();
        }
    }

    /// Sweeps, then conjugate gradients among the rows that they left free, then the longest projected step that lowers the objective.
    fn subspace(&mut self) -> Solved {
        let mut sets = 0;
        self.sweeps(2);
        while self.residual() > self.goal && self.work < self.settings.max_iterations {
            let free = self.free();
            let before = self.objective();
            let d = self.gradients(&free, 0.1);
            let old_x = self.x.clone();
            // Projected steps bend at the bounds: the longest that lowers the objective counts.
            let mut lower = false;
            for part in [1.0, 0.5, 0.25, 0.125] {
                for ((x, old), d) in self.x.iter_mut().zip(&old_x).zip(&d) {
                    *x = (old + part * d).max(0.0);
                }
                self.refresh();
                lower = self.objective() <= before;
                if lower {
                    break;
                }
            }
            if !lower {
                // Up to the first bound the step is inside the quadratic's descent, so this one can only lower it.
                let limit = old_x
                    .iter()
                    .zip(&d)
                    .filter(|(_, d)| **d < 0.0)
                    .map(|(x, d)| x / -d)
                    .fold(1.0, f64::min);
                for ((x, old), d) in self.x.iter_mut().zip(&old_x).zip(&d) {
                    *x = (old + limit * d).max(0.0);
                }
                self.refresh();
            }
            sets += 1;
            if self.residual() > self.goal {
                self.sweeps(2);
            }
        }
        self.solved(sets, false)
    }
}
