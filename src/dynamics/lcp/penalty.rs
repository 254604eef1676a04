//! The penalty method: pressures below 0 are held there by very stiff springs.

use std::borrow::Cow;

use super::inner::{Inner, solve_linear};
use super::{Lcp, LcpSolver, Status, TOLERANCE, Trace};

/// Stiffness: 1000 over the tolerance (\[000\] section 6.1).
const STIFFNESS: f64 = 1e3 / TOLERANCE;
const LIMIT: usize = 100;
const SLACK: f64 = 1.0001;

/// `(A + rho Pi(p)) p = -b` with `Pi_ii = 1` where `i` is in `S` and `p_i < 0`.
///
/// # Accuracy and cost
/// Pressures of cells that left the wall come out at about `-b / rho` (1e-7 or less) and are set to 0 at the end.
/// # Source
/// \[000\] algorithm 3.
#[derive(Debug)]
pub struct Penalty {
    /// Its name.
    pub name: &'static str,
    /// The linear solver.
    pub inner: Inner,
    /// Cells that were held at the end of the last solve, ascending.
    pub held: Vec<u32>,
}

impl Penalty {
    /// Without a history.
    pub fn new(name: &'static str, inner: Inner) -> Self {
        Self {
            name,
            inner,
            held: Vec::new(),
        }
    }
}

impl<const D: usize> LcpSolver<D> for Penalty {
    fn name(&self) -> &'static str {
        self.name
    }

    fn memory(&self) -> Vec<u32> {
        self.held.clone()
    }

    fn recall(&mut self, memory: Vec<u32>) {
        self.held = memory;
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let n = problem.n();
        let g: Vec<f64> = problem.b.iter().map(|b| -b).collect();
        let mut held: Vec<bool> = (0..n)
            .map(|i| problem.in_s[i] && self.held.binary_search(&problem.places.of[i]).is_ok())
            .collect();
        let mut p = vec![0.0; n];
        let mut matrix = problem.matrix.clone();
        let end = 'outer: {
            for _ in 0..LIMIT {
                matrix.diagonal.copy_from_slice(&problem.matrix.diagonal);
                for (diagonal, held) in matrix.diagonal.iter_mut().zip(&held) {
                    *diagonal += if *held { STIFFNESS } else { 0.0 };
                }
                let places = || Cow::Borrowed(&problem.places);
                if let Some(end) = solve_linear(self.inner, &matrix, places, &g, &mut p, trace) {
                    break 'outer end;
                }
                if let Some(end) = trace.record(problem.residual(&p) / SLACK) {
                    break 'outer end;
                }
                let mut changed = false;
                for i in (0..n).filter(|i| problem.in_s[*i]) {
                    changed |= held[i] != (p[i] < 0.0);
                    held[i] = p[i] < 0.0;
                }
                if !changed {
                    break 'outer Status::Stagnated;
                }
            }
            Status::MaxIterations
        };
        self.held = (0..n)
            .filter(|i| held[*i])
            .map(|i| problem.places.of[i])
            .collect();
        for i in (0..n).filter(|i| problem.in_s[*i]) {
            p[i] = p[i].max(0.0);
        }
        (p, end)
    }
}
