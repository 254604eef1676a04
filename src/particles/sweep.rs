//! Projected Gauss-Seidel over all rows: each row in turn takes the impulse that satisfies it, never a pulling one.
//!
//! Fluid rows go by colour: blocks of one colour share no velocity, so the result is the same to the bit for any number of threads. Rows that
//! push bodies, and contacts, follow in order. Velocities are relaxed atomics: plain loads and stores that the compiler knows to be shared.

use crate::constraints::{NO_FLUID, System};
use crate::vector::{dot, length, plus, times};
use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Vectors that blocks of one colour change, each its own.
pub(crate) struct Shared<const D: usize>(Vec<[AtomicU64; D]>);

impl<const D: usize> Shared<D> {
    pub(crate) fn new(values: impl Iterator<Item = [f64; D]>) -> Shared<D> {
        Shared(
            values
                .map(|v| v.map(|x| AtomicU64::new(x.to_bits())))
                .collect(),
        )
    }

    #[inline]
    pub(crate) fn get(&self, k: usize) -> [f64; D] {
        let all = &self.0[k];
        std::array::from_fn(|c| f64::from_bits(all[c].load(Relaxed)))
    }

    #[inline]
    pub(crate) fn set(&self, k: usize, v: [f64; D]) {
        for (mine, x) in self.0[k].iter().zip(v) {
            mine.store(x.to_bits(), Relaxed);
        }
    }

    #[inline]
    fn add(&self, k: usize, s: f64, v: &[f64; D]) {
        for (mine, x) in self.0[k].iter().zip(v) {
            mine.store(
                (f64::from_bits(mine.load(Relaxed)) + s * x).to_bits(),
                Relaxed,
            );
        }
    }

    pub(crate) fn to_vec(&self) -> Vec<[f64; D]> {
        (0..self.0.len()).map(|k| self.get(k)).collect()
    }
}

/// Velocities and impulses while a step is solved.
pub(crate) struct Unknowns<const D: usize> {
    /// Velocities of fluid particles, sorted.
    pub velocity: Shared<D>,
    /// Velocities of bodies.
    pub bodies: Vec<([f64; D], DVec3)>,
    /// Impulses of fluid rows, then of contacts.
    pub impulse: Shared<1>,
    /// Friction impulses of contacts.
    pub friction: Vec<[f64; D]>,
}

/// How the rows of a sweep are corrected.
#[derive(Clone, Copy)]
pub(crate) struct Relaxation {
    /// Factor of the correction.
    pub factor: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
}

impl<const D: usize> Unknowns<D> {
    /// Velocities before any impulse, then pushed by the first guess.
    pub(crate) fn new(
        system: &System<D>,
        velocity: &[[f64; D]],
        bodies: &[([f64; D], DVec3)],
        guess: &[f64],
    ) -> Unknowns<D> {
        let unknowns = Unknowns {
            velocity: Shared::new(velocity.iter().copied()),
            bodies: bodies.to_vec(),
            impulse: Shared::new(guess.iter().map(|x| [*x])),
            friction: vec![[0.0; D]; system.contacts.len()],
        };
        if guess.iter().all(|x| *x == 0.0) {
            return unknowns;
        }
        let mut moved = crate::product::Velocities::new(system);
        moved.push(system, guess);
        let mut unknowns = unknowns;
        unknowns.shift(&moved);
        unknowns
    }

    /// Adds velocities.
    pub(crate) fn shift(&mut self, by: &crate::product::Velocities<D>) {
        for (s, v) in by.fluid.iter().enumerate() {
            self.velocity.add(s, 1.0, v);
        }
        for (mine, more) in self.bodies.iter_mut().zip(&by.bodies) {
            mine.0 = plus(&mine.0, 1.0, &more.0);
            mine.1 += more.1;
        }
    }

    #[inline]
    fn fluid_rate(&self, system: &System<D>, s: usize) -> f64 {
        let mut w = system.target[s] + dot(&system.own[s], &self.velocity.get(s));
        for (j, g) in system.entries(s) {
            w += dot(g, &self.velocity.get(j));
        }
        w
    }

    #[inline]
    fn push_fluid(&self, system: &System<D>, s: usize, change: f64) {
        let change = change * system.inverse_mass;
        self.velocity.add(s, change, &system.own[s]);
        for (j, g) in system.entries(s) {
            self.velocity.add(j, change, g);
        }
    }

    /// Sweeps the rows of a block that push no body; the largest correction, m/s.
    fn sweep_block(&self, system: &System<D>, block: &[std::ops::Range<u32>], factor: f64) -> f64 {
        let mut most = 0.0_f64;
        for range in block {
            for s in range.start as usize..range.end as usize {
                if system.term_start[s] != system.term_start[s + 1] || system.diagonal[s] == 0.0 {
                    continue;
                }
                let [old] = self.impulse.get(s);
                let w = self.fluid_rate(system, s);
                let new = (old - factor * w / system.diagonal[s]).max(0.0);
                if new != old {
                    most = most.max((new - old).abs() * system.diagonal[s]);
                    self.impulse.set(s, [new]);
                    self.push_fluid(system, s, new - old);
                }
            }
        }
        most
    }

    /// One sweep over all rows; the largest correction of a row, m/s.
    pub(crate) fn sweep(&mut self, system: &System<D>, relaxation: Relaxation) -> f64 {
        let factor = relaxation.factor;
        let mut most = 0.0_f64;
        for colour in &system.colours {
            let this = &*self;
            let largest = if system.parallel {
                colour
                    .par_chunks(16)
                    .map(|blocks| {
                        blocks
                            .iter()
                            .map(|b| this.sweep_block(system, b, factor))
                            .fold(0.0, f64::max)
                    })
                    .reduce(|| 0.0, f64::max)
            } else {
                colour
                    .iter()
                    .map(|b| this.sweep_block(system, b, factor))
                    .fold(0.0, f64::max)
            };
            most = most.max(largest);
        }
        for s in system.rows_with_terms.iter().map(|s| *s as usize) {
            if system.diagonal[s] == 0.0 {
                continue;
            }
            let mut w = self.fluid_rate(system, s);
            for term in system.fluid_terms(s) {
                let (v, spin) = &self.bodies[term.body as usize];
                w += dot(&term.linear, v) + term.angular.dot(*spin);
            }
            let [old] = self.impulse.get(s);
            let new = (old - factor * w / system.diagonal[s]).max(0.0);
            if new != old {
                let change = new - old;
                most = most.max(change.abs() * system.diagonal[s]);
                self.impulse.set(s, [new]);
                self.push_fluid(system, s, change);
                for term in system.fluid_terms(s) {
                    let body = &mut self.bodies[term.body as usize];
                    body.0 = plus(&body.0, change, &term.moved);
                    body.1 += change * term.turned;
                }
            }
        }
        most.max(self.sweep_contacts(system, relaxation)) / factor
    }

    fn sweep_contacts(&mut self, system: &System<D>, relaxation: Relaxation) -> f64 {
        let n = system.n_fluid();
        let mut most = 0.0_f64;
        for (k, c) in system.contacts.iter().enumerate() {
            let terms = system.terms_of(c);
            let mut w = c.target;
            if c.fluid != NO_FLUID {
                w += dot(&c.normal, &self.velocity.get(c.fluid as usize));
            }
            for term in terms {
                let (v, spin) = &self.bodies[term.body as usize];
                w += dot(&term.linear, v) + term.angular.dot(*spin);
            }
            let [old] = self.impulse.get(n + k);
            let new = (old - relaxation.factor * w / c.diagonal).max(0.0);
            if new != old {
                let change = new - old;
                most = most.max(change.abs() * c.diagonal);
                self.impulse.set(n + k, [new]);
                if c.fluid != NO_FLUID {
                    self.velocity
                        .add(c.fluid as usize, change * system.inverse_mass, &c.normal);
                }
                for term in terms {
                    let body = &mut self.bodies[term.body as usize];
                    body.0 = plus(&body.0, change, &term.moved);
                    body.1 += change * term.turned;
                }
            }
            if relaxation.friction > 0.0 && c.fluid == NO_FLUID {
                self.rub(system, k, relaxation.friction * new);
            }
        }
        most
    }

    /// Stops the sliding of a contact as far as Coulomb's disc allows.
    fn rub(&mut self, system: &System<D>, k: usize, most: f64) {
        let c = &system.contacts[k];
        let mut slide = [0.0; D];
        for term in system.terms_of(c) {
            let (v, spin) = &self.bodies[term.body as usize];
            let sign = dot(&term.linear, &c.normal).signum();
            let at: [f64; D] = crate::vector::in_dimension(spin.cross(system.arm(c, term.body)));
            slide = plus(&slide, sign, &plus(v, 1.0, &at));
        }
        slide = plus(&slide, -dot(&slide, &c.normal), &c.normal);
        let wanted = plus(&self.friction[k], -1.0 / c.sideways, &slide);
        let size = length(&wanted);
        let new = if size > most {
            times(most / size, &wanted)
        } else {
            wanted
        };
        let change = plus(&new, -1.0, &self.friction[k]);
        self.friction[k] = new;
        for term in system.terms_of(c) {
            let sign = dot(&term.linear, &c.normal).signum();
            let arm = system.arm(c, term.body);
            let (mass, inertia) = &system.inverses[term.body as usize];
            let body = &mut self.bodies[term.body as usize];
            body.0 = plus(&body.0, sign * mass, &change);
            body.1 += *inertia * arm.cross(crate::vector::in_space(&change)) * sign;
        }
    }
}
