//! The minimum-map Newton method.

use super::{Lcp, LcpSolver, Status, Trace};
use crate::linear::{Identity, conjugate_gradients, dot};

/// Newton steps before it gives up.
const LIMIT: usize = 200;
const LIMIT_CG: usize = 100_000;
const LINE_SEARCHES: usize = 100;
/// Step reduction, sufficient decrease, and the square of the least step.
const ALPHA: f64 = 0.5;
const BETA: f64 = 1e-4;
const GAMMA: f64 = 1e-6;

/// Newton's method on `H(x) = min(A x + b, x)`, its systems solved by plain conjugate gradients, with a projected line search.
///
/// # Source
/// Andersen, Niebe, Erleben, as described in \[000\] section 6.3; iterations are those of conjugate gradients and of line searches.
#[derive(Debug)]
pub struct MinimumMapNewton;

impl<const D: usize> LcpSolver<D> for MinimumMapNewton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let n = problem.n();
        let mut x = vec![0.0; n];
        let mut map = problem.minimum_map(&x);
        for _ in 0..LIMIT {
            let worst = crate::linear::inf_norm(&map);
            if let Some(end) = trace.record(worst) {
                return (x, end);
            }
            trace.log.outer += 1;
            // Where the map is A x + b the step solves for it; elsewhere it goes to the bound.
            let mut y = vec![0.0; n];
            problem
                .matrix
                .map_rows(&x, &mut y, |i, ax| ax + problem.b[i]);
            let active: Vec<bool> = (0..n).map(|i| !problem.in_s[i] || y[i] < x[i]).collect();
            let mut step: Vec<f64> = (0..n)
                .map(|i| if active[i] { 0.0 } else { -x[i] })
                .collect();
            let (matrix, _) = problem.matrix.kept(&active);
            let mut moved = vec![0.0; n];
            problem.matrix.times(&step, &mut moved);
            let g: Vec<f64> = (0..n)
                .filter(|i| active[*i])
                .map(|i| -y[i] - moved[i])
                .collect();
            let mut d = vec![0.0; g.len()];
            let size = dot(&map, &map).sqrt();
            let enough = (0.01 * size).min(trace.tolerance);
            let run = conjugate_gradients(&matrix, &g, &mut d, &mut Identity, LIMIT_CG, &mut |r| {
                dot(r, r).sqrt() <= enough || trace.cancelled()
            });
            trace.log.inner += run.iterations;
            let mut next = d.iter();
            for (step, active) in step.iter_mut().zip(&active) {
                if *active {
                    *step = next.next().copied().unwrap_or(0.0);
                }
            }
            // f = |H|^2 / 2 has slope -|H|^2 along the Newton step.
            let f = 0.5 * size * size;
            let mut tau = 1.0;
            let mut candidate = x.clone();
            for _ in 0..LINE_SEARCHES {
                trace.log.line_searches += 1;
                for i in 0..n {
                    candidate[i] = x[i] + tau * step[i];
                    if problem.in_s[i] {
                        candidate[i] = candidate[i].max(0.0);
                    }
                }
                map = problem.minimum_map(&candidate);
                let new = 0.5 * dot(&map, &map);
                if new <= f - BETA * tau * 2.0 * f || tau * tau < GAMMA {
                    break;
                }
                tau *= ALPHA;
            }
            x = candidate;
        }
        (x, Status::MaxIterations)
    }
}
