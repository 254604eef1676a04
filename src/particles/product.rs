//! Products with the constraint matrix `K = J M^-1 J^T`, and sums, the same to the bit for any number of threads.
//!
//! The matrix is never formed: a product goes through velocities, `x -> M^-1 J^T x -> J (...)`. Fluid rows gather in both directions since
//! `v_ji = -v_ij`; only contacts and rows that push bodies scatter, in order.

use crate::constraints::{NO_FLUID, System};
use crate::vector::{dot, plus, times};
use glam::DVec3;
use stokeslet_base::parallel;

/// Changes of velocity.
#[derive(Clone)]
pub(crate) struct Velocities<const D: usize> {
    pub fluid: Vec<[f64; D]>,
    pub bodies: Vec<([f64; D], DVec3)>,
}

/// Numbers that one task sums before the sums are added in order.
const CHUNK: usize = 4096;

/// The scalar product of long vectors: chunks of fixed length, added in order.
pub(crate) fn long_dot(parallel: bool, a: &[f64], b: &[f64]) -> f64 {
    let sum = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    if parallel {
        let chunks: Vec<_> = a.chunks(CHUNK).zip(b.chunks(CHUNK)).collect();
        parallel::each(&chunks, 1, |both| sum(*both)).iter().sum()
    } else {
        a.chunks(CHUNK).zip(b.chunks(CHUNK)).map(sum).sum()
    }
}

/// `out[k] = each(k)`, by all threads when there is enough to do.
pub(crate) fn fill_with<T: Send>(parallel: bool, out: &mut [T], each: impl Fn(usize) -> T + Sync) {
    if parallel {
        parallel::each_mut(out, CHUNK / 4, |k, x| *x = each(k));
    } else {
        for (k, x) in out.iter_mut().enumerate() {
            *x = each(k);
        }
    }
}

impl<const D: usize> Velocities<D> {
    /// No velocity.
    pub(crate) fn new(system: &System<D>) -> Velocities<D> {
        Velocities {
            fluid: vec![[0.0; D]; system.n_fluid()],
            bodies: vec![([0.0; D], DVec3::ZERO); system.centres.len()],
        }
    }

    /// Sets the velocities to `M^-1 J^T x`.
    pub(crate) fn push(&mut self, system: &System<D>, x: &[f64]) {
        let n = system.n_fluid();
        let m = system.inverse_mass;
        fill_with(system.parallel, &mut self.fluid, |s| {
            let mut sum = times(x[s], &system.own[s]);
            for (j, g) in system.entries(s) {
                sum = plus(&sum, -x[j], g);
            }
            times(m, &sum)
        });
        self.bodies.fill(([0.0; D], DVec3::ZERO));
        for s in system.rows_with_terms.iter().map(|s| *s as usize) {
            for term in system.fluid_terms(s) {
                let body = &mut self.bodies[term.body as usize];
                body.0 = plus(&body.0, x[s], &term.moved);
                body.1 += x[s] * term.turned;
            }
        }
        for (c, x) in system.contacts.iter().zip(&x[n..]) {
            if c.fluid != NO_FLUID {
                let v = &mut self.fluid[c.fluid as usize];
                *v = plus(v, x * m, &c.normal);
            }
            for term in system.terms_of(c) {
                let body = &mut self.bodies[term.body as usize];
                body.0 = plus(&body.0, *x, &term.moved);
                body.1 += *x * term.turned;
            }
        }
    }

    /// Sets `out` to `J v`.
    pub(crate) fn rates(&self, system: &System<D>, out: &mut [f64]) {
        let n = system.n_fluid();
        let (fluid, contacts) = out.split_at_mut(n);
        fill_with(system.parallel, fluid, |s| {
            let mut w = dot(&system.own[s], &self.fluid[s]);
            for (j, g) in system.entries(s) {
                w += dot(g, &self.fluid[j]);
            }
            for term in system.fluid_terms(s) {
                let (v, spin) = &self.bodies[term.body as usize];
                w += dot(&term.linear, v) + term.angular.dot(*spin);
            }
            w
        });
        for (c, out) in system.contacts.iter().zip(contacts) {
            let mut w = if c.fluid == NO_FLUID {
                0.0
            } else {
                dot(&c.normal, &self.fluid[c.fluid as usize])
            };
            for term in system.terms_of(c) {
                let (v, spin) = &self.bodies[term.body as usize];
                w += dot(&term.linear, v) + term.angular.dot(*spin);
            }
            *out = w;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;
    use crate::settings::{Coupling, Settings};
    use crate::world::World;

    /// The constraint matrix is symmetric to rounding with either coupling, bodies, walls and contacts included, and has the told diagonal.
    #[test]
    fn the_matrix_is_symmetric_and_has_its_diagonal() {
        for coupling in [Coupling::Contacts, Coupling::Sums] {
            let scene = scenes::find("stack").unwrap().scene();
            let mut world = World::<2>::new(
                &scene,
                &Settings {
                    coupling,
                    ..Settings::default()
                },
            );
            for _ in 0..5 {
                world.step().unwrap();
            }
            let system = world.rows();
            let n = system.n_rows();
            let wave =
                |rate: f64| -> Vec<f64> { (0..n).map(|k| (rate * k as f64).sin()).collect() };
            let multiply = |x: &[f64]| {
                let mut velocities = Velocities::new(&system);
                velocities.push(&system, x);
                let mut out = vec![0.0; n];
                velocities.rates(&system, &mut out);
                out
            };
            let (x, y) = (wave(1.3), wave(0.7));
            let (kx, ky) = (multiply(&x), multiply(&y));
            let (one, other) = (long_dot(false, &y, &kx), long_dot(false, &x, &ky));
            let scale = (long_dot(false, &kx, &kx) * long_dot(false, &y, &y)).sqrt();
            assert!(
                (one - other).abs() < 1e-14 * scale,
                "{one} against {other}, {coupling:?}"
            );
            assert!(long_dot(false, &x, &kx) > 0.0, "a push costs energy");
            let first_contact = system.n_fluid();
            for row in [
                0,
                77,
                system.n_fluid() - 1,
                first_contact,
                first_contact + 30,
                n - 1,
            ] {
                let mut unit = vec![0.0; n];
                unit[row] = 1.0;
                let got = multiply(&unit)[row];
                assert!(
                    (got / system.diagonal_of(row) - 1.0).abs() < 1e-12,
                    "row {row}: {got}, {coupling:?}"
                );
            }
        }
    }

    /// On the lattice, pressures whose sign changes from particle to particle push nobody: the matrix is nearly singular along what no
    /// coarse grid can show, so what multigrid takes over is not what is slow.
    #[test]
    fn pressures_of_alternating_sign_push_nobody() {
        let scene = scenes::find("hydrostatic").unwrap().scene();
        let world = World::<2>::new(&scene, &Settings::default());
        let (system, l) = (world.rows(), scene.spacing);
        let cell =
            |s: usize| world.positions[system.particle[s] as usize].map(|x| (x / l).floor() as i32);
        let inside = |s: usize| {
            cell(s)
                .iter()
                .zip([25, 13])
                .all(|(k, n)| (3..n - 3).contains(k))
        };
        let pushed = |sign: &dyn Fn([i32; 2]) -> bool| {
            let mut x = vec![0.0; system.n_rows()];
            for (s, x) in x.iter_mut().enumerate().take(system.n_fluid()) {
                *x = if sign(cell(s)) { -1.0 } else { 1.0 };
            }
            let mut velocities = Velocities::new(&system);
            velocities.push(&system, &x);
            let fastest = (0..system.n_fluid())
                .filter(|s| inside(*s))
                .map(|s| crate::vector::length(&velocities.fluid[s]));
            fastest.fold(0.0, f64::max)
        };
        let alone = pushed(&|[i, j]| (i, j) == (12, 6));
        for sign in [
            (&|[i, _]: [i32; 2]| i % 2 == 0) as &dyn Fn([i32; 2]) -> bool,
            &|[i, j]| (i + j) % 2 == 0,
        ] {
            assert!(pushed(sign) < 1e-12 * alone, "{} of {alone}", pushed(sign));
        }
    }
}
