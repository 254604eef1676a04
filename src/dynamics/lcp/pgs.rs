//! Projected Gauss-Seidel and its relaxed form: references, slow on large problems.

use super::{Lcp, LcpSolver, Status, Trace};
use crate::linear::{Order, Sweeper};

/// Sweeps before it gives up.
const LIMIT: usize = 200_000;

/// Sweeps `p_i <- max(0, p_i - omega (A p + b)_i / A_ii)`, clamped in `S` only.
///
/// # Accuracy and cost
/// Converges for symmetric positive definite `A` and `0 < omega < 2`; sweeps grow like the square of the cells across.
/// # Source
/// \[000\] algorithm 5.
#[derive(Debug)]
pub struct Pgs {
    /// Its name.
    pub name: &'static str,
    /// 1 is plain; more goes faster until it doesn't.
    pub omega: f64,
}

impl<const D: usize> LcpSolver<D> for Pgs {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let g: Vec<f64> = problem.b.iter().map(|b| -b).collect();
        let bound = problem.lower_bounds();
        let sweeper = Sweeper::new(&problem.matrix);
        let mut p = vec![0.0; problem.n()];
        trace.log.outer = 1;
        for _ in 0..=LIMIT {
            if let Some(end) = trace.record(problem.residual(&p)) {
                return (p, end);
            }
            sweeper.relaxed(Order::Forward, self.omega, &g, &bound, &mut p);
            trace.log.inner += 1;
        }
        (p, Status::MaxIterations)
    }
}
