//! "No LCP": the pressure of walls that liquid sticks to, by preconditioned conjugate gradients.

use super::{Lcp, LcpSolver, Status, Trace};
use crate::linear::{Ended, Incomplete, conjugate_gradients, inf_norm};

/// Iterations before it gives up.
const LIMIT: usize = 20_000;

/// Which incomplete factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// MIC(0).
    Modified,
    /// IC(0).
    Plain,
}

impl Factor {
    /// The factors of a matrix.
    pub fn of(self, matrix: &crate::linear::Matrix<f64>) -> Incomplete<'_> {
        match self {
            Factor::Modified => Incomplete::modified(matrix),
            Factor::Plain => Incomplete::plain(matrix),
        }
    }
}

/// Solves `A p + b = 0` and ignores `S`.
///
/// # Source
/// \[000\] section 3.7 and the column "No LCP" of its tables.
#[derive(Debug)]
pub struct Unbounded {
    /// Its name.
    pub name: &'static str,
    /// Its preconditioner.
    pub factor: Factor,
}

impl<const D: usize> LcpSolver<D> for Unbounded {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let g: Vec<f64> = problem.b.iter().map(|b| -b).collect();
        let mut p = vec![0.0; problem.n()];
        let mut factor = trace.setup(|| self.factor.of(&problem.matrix));
        let mut end = None;
        let run = conjugate_gradients(&problem.matrix, &g, &mut p, &mut factor, LIMIT, &mut |r| {
            end = trace.record(inf_norm(r));
            end.is_some()
        });
        trace.log.outer = 1;
        trace.log.inner = run.iterations;
        let status = match run.ended {
            Ended::Content => end.unwrap_or(Status::Converged),
            Ended::Limit => Status::MaxIterations,
            Ended::Breakdown => Status::Stagnated,
        };
        (p, status)
    }
}
