//! MPRGP: conjugate gradients on the face of the bounds, with finite identification of it.

use std::borrow::Cow;

use super::{Lcp, LcpSolver, Status, Trace};
use crate::linear::{Precondition, dot, inf_norm};
use crate::mg::{Cycle, Hierarchy, Multigrid, Recipe};

/// Products with `A` before it gives up.
const LIMIT: usize = 5000;
/// How much of the gradient may be at the bounds before they are released.
const PROPORTION: f64 = 1.0;
/// Length of gradient steps in units of the diagonal; at most 2 over the norm of the scaled matrix, which is below 2.
const STEP: f64 = 1.0;

/// Modified proportioning with reduced gradient projections, preconditioned by a V-cycle on the free unknowns.
///
/// Gradients are measured in units of the diagonal, since surface cells have diagonals up to 100 times those of others.
/// # Accuracy and cost
/// Monotone decrease of `p A p / 2 + b p`; iterations are products with `A`.
/// # Source
/// Dostal and Schoeberl 2005, cited by \[001\].
#[derive(Debug)]
pub struct Mprgp;

impl<const D: usize> LcpSolver<D> for Mprgp {
    fn name(&self) -> &'static str {
        "mprgp"
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let n = problem.n();
        let a = &problem.matrix;
        let hierarchy = trace.setup(|| {
            Hierarchy::<f32, D>::new(
                Cow::Owned(a.cast()),
                Cow::Borrowed(&problem.places),
                None,
                Recipe::default(),
            )
        });
        let mut cycle = Multigrid::new(&hierarchy, Cycle::SYMMETRIC);
        let mut x = vec![0.0; n];
        let mut g = problem.b.clone();
        let mut z = vec![0.0; n];
        let mut face = vec![0.0; n];
        let mut ad = vec![0.0; n];
        let at_bound = |x: &[f64], i: usize| problem.in_s[i] && x[i] <= 0.0;
        // The preconditioner of the face: only free unknowns in, only free unknowns out.
        let mut precondition = |x: &[f64], g: &[f64], z: &mut [f64]| {
            for i in 0..n {
                face[i] = if at_bound(x, i) { 0.0 } else { g[i] };
            }
            cycle.apply(&face, z);
            for (i, z) in z.iter_mut().enumerate() {
                if at_bound(x, i) {
                    *z = 0.0;
                }
            }
        };
        precondition(&x, &g, &mut z);
        let mut d = z.clone();
        trace.log.outer = 1;
        for _ in 0..LIMIT {
            let map: Vec<f64> = (0..n)
                .map(|i| {
                    if problem.in_s[i] {
                        g[i].min(x[i])
                    } else {
                        g[i]
                    }
                })
                .collect();
            if let Some(end) = trace.record(inf_norm(&map)) {
                return (x, end);
            }
            trace.log.inner += 1;
            let (mut free, mut chopped) = (0.0, 0.0);
            for i in 0..n {
                let diagonal = a.diagonal[i];
                if at_bound(&x, i) {
                    chopped += g[i].min(0.0).powi(2) / diagonal;
                } else {
                    let reduced = if problem.in_s[i] {
                        g[i].min(x[i] * diagonal / STEP)
                    } else {
                        g[i]
                    };
                    free += reduced * g[i] / diagonal;
                }
            }
            if chopped > PROPORTION * PROPORTION * free {
                // Release: a step along the chopped gradient.
                for i in 0..n {
                    d[i] = if at_bound(&x, i) {
                        g[i].min(0.0) / a.diagonal[i]
                    } else {
                        0.0
                    };
                }
                a.times(&d, &mut ad);
                let length = dot(&g, &d) / dot(&d, &ad);
                for i in 0..n {
                    x[i] -= length * d[i];
                    g[i] -= length * ad[i];
                }
                precondition(&x, &g, &mut z);
                d.copy_from_slice(&z);
                continue;
            }
            a.times(&d, &mut ad);
            let curvature = dot(&d, &ad);
            if curvature <= 0.0 {
                return (x, Status::Stagnated);
            }
            let wanted = dot(&g, &d) / curvature;
            let allowed = (0..n)
                .filter(|i| problem.in_s[*i] && d[*i] > 0.0)
                .map(|i| x[i] / d[i])
                .fold(f64::INFINITY, f64::min);
            let length = wanted.min(allowed);
            for i in 0..n {
                x[i] -= length * d[i];
                g[i] -= length * ad[i];
            }
            if wanted <= allowed {
                precondition(&x, &g, &mut z);
                let beta = dot(&z, &ad) / curvature;
                for (d, z) in d.iter_mut().zip(&z) {
                    *d = z - beta * *d;
                }
            } else {
                // Expand: a projected gradient step puts more cells on their bounds.
                for i in 0..n {
                    if at_bound(&x, i) {
                        x[i] = 0.0;
                        continue;
                    }
                    x[i] -= STEP * g[i] / a.diagonal[i];
                    if problem.in_s[i] {
                        x[i] = x[i].max(0.0);
                    }
                }
                a.map_rows(&x, &mut g, |i, ax| ax + problem.b[i]);
                precondition(&x, &g, &mut z);
                d.copy_from_slice(&z);
            }
        }
        (x, Status::MaxIterations)
    }
}
