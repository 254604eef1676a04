//! Policy iteration: guess which cells have left the wall, solve the rest, look again.

use std::borrow::Cow;

use super::inner::{Inner, solve_linear};
use super::{Lcp, LcpSolver, Status, Trace};
use crate::mg::Places;

/// Outer iterations before it gives up; monotone after the first, so a handful is usual.
const LIMIT: usize = 100;
/// The inner tolerance may be met to the last digit; the outer test must not be stricter.
const SLACK: f64 = 1.0001;

/// Howard's algorithm on `min(A p + b, p) = 0`.
///
/// Unknowns that left the wall are no unknowns of the linear system at all: hierarchies and factors never see them. The first
/// policy is the last one of the solve before, by cell.
/// # Accuracy and cost
/// Converges monotonically after the first step because `A` is an M-matrix; 1 to 3 linear systems.
/// # Source
/// \[000\] algorithm 2; the decision `(A p + b)_i <= A_ii p_i` is scaled, which changes nothing in the limit.
#[derive(Debug)]
pub struct Policy {
    /// Its name.
    pub name: &'static str,
    /// The linear solver.
    pub inner: Inner,
    /// Cells that had left the wall at the end of the last solve, ascending.
    pub detached: Vec<u32>,
}

impl Policy {
    /// Without a history.
    pub fn new(name: &'static str, inner: Inner) -> Self {
        Self {
            name,
            inner,
            detached: Vec::new(),
        }
    }

    /// Goes on from `p` until it ends; `attached[i]` tells whether unknown `i` is kept.
    pub fn iterate<const D: usize>(
        &mut self,
        problem: &Lcp<D>,
        trace: &mut Trace<'_>,
        mut p: Vec<f64>,
        mut attached: Vec<bool>,
    ) -> (Vec<f64>, Status) {
        let n = problem.n();
        let mut y = vec![0.0; n];
        let end = 'outer: {
            for _ in 0..LIMIT {
                if let Some(end) = self.evaluate(problem, trace, &attached, &mut p) {
                    break 'outer end;
                }
                problem
                    .matrix
                    .map_rows(&p, &mut y, |i, ap| ap + problem.b[i]);
                let residual = (0..n)
                    .map(|i| {
                        if problem.in_s[i] {
                            y[i].min(p[i])
                        } else {
                            y[i]
                        }
                        .abs()
                    })
                    .fold(0.0, f64::max);
                if let Some(end) = trace.record(residual / SLACK) {
                    break 'outer end;
                }
                let mut changed = false;
                for i in (0..n).filter(|i| problem.in_s[*i]) {
                    let stays = y[i] <= problem.matrix.diagonal[i] * p[i];
                    changed |= stays != attached[i];
                    attached[i] = stays;
                }
                if !changed {
                    break 'outer Status::Stagnated;
                }
            }
            Status::MaxIterations
        };
        self.detached = (0..n)
            .filter(|i| !attached[*i])
            .map(|i| problem.places.of[i])
            .collect();
        (p, end)
    }

    /// Solves the linear system of a policy.
    fn evaluate<const D: usize>(
        &self,
        problem: &Lcp<D>,
        trace: &mut Trace<'_>,
        attached: &[bool],
        p: &mut [f64],
    ) -> Option<Status> {
        let kept = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..attached.len())
                .filter(|i| attached[*i])
                .map(of)
                .collect()
        };
        let (matrix, _) = problem.matrix.kept(attached);
        let g = kept(&|i| -problem.b[i]);
        let mut x = kept(&|i| p[i]);
        let places = || {
            Cow::Owned(Places {
                cells: problem.places.cells,
                of: (0..attached.len())
                    .filter(|i| attached[*i])
                    .map(|i| problem.places.of[i])
                    .collect(),
                solid: problem.places.solid.clone(),
            })
        };
        let failed = solve_linear(self.inner, &matrix, places, &g, &mut x, trace);
        let mut next = x.iter();
        for (p, attached) in p.iter_mut().zip(attached) {
            *p = if *attached {
                next.next().copied().unwrap_or(0.0)
            } else {
                0.0
            };
        }
        failed
    }
}

impl<const D: usize> LcpSolver<D> for Policy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn memory(&self) -> Vec<u32> {
        self.detached.clone()
    }

    fn recall(&mut self, memory: Vec<u32>) {
        self.detached = memory;
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let attached = (0..problem.n())
            .map(|i| {
                !problem.in_s[i] || self.detached.binary_search(&problem.places.of[i]).is_err()
            })
            .collect();
        self.iterate(problem, trace, vec![0.0; problem.n()], attached)
    }
}
