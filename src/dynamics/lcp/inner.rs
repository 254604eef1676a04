//! The linear systems inside policy and penalty iterations.

use std::borrow::Cow;

use super::unbounded::Factor;
use super::{Status, Trace};
use crate::linear::{Ended, Matrix, Precondition, conjugate_gradients, inf_norm};
use crate::mg::{Cycle, Hierarchy, Multigrid, Places, Recipe};

/// Iterations of one linear system before it gives up.
const LIMIT_PCG: usize = 20_000;
const LIMIT_CYCLES: usize = 300;

/// How linear systems are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner {
    /// Conjugate gradients with an incomplete factor.
    Pcg(Factor),
    /// V(2,2)-cycles.
    Multigrid,
    /// Conjugate gradients with one symmetric V(2,2) in single precision.
    MultigridPcg,
}

/// Solves `A x = g` from the given `x` until the infinity norm of the residual is below the tolerance; counts in the log.
pub fn solve_linear<'a, const D: usize>(
    inner: Inner,
    matrix: &'a Matrix<f64>,
    places: impl FnOnce() -> Cow<'a, Places<D>>,
    g: &[f64],
    x: &mut [f64],
    trace: &mut Trace<'_>,
) -> Option<Status> {
    trace.log.outer += 1;
    match inner {
        Inner::Pcg(factor) => {
            let mut factor = trace.setup(|| factor.of(matrix));
            preconditioned(matrix, g, x, &mut factor, trace)
        }
        Inner::MultigridPcg => {
            let hierarchy = trace.setup(|| {
                Hierarchy::<f32, D>::new(
                    Cow::Owned(matrix.cast()),
                    places(),
                    None,
                    Recipe::default(),
                )
            });
            let mut cycle = Multigrid::new(&hierarchy, Cycle::SYMMETRIC);
            preconditioned(matrix, g, x, &mut cycle, trace)
        }
        Inner::Multigrid => {
            let hierarchy = trace.setup(|| {
                Hierarchy::<f64, D>::new(Cow::Borrowed(matrix), places(), None, Recipe::default())
            });
            let mut cycle = Multigrid::new(&hierarchy, Cycle::PAPER);
            let mut r = vec![0.0; g.len()];
            for _ in 0..LIMIT_CYCLES {
                matrix.map_rows(x, &mut r, |i, ax| g[i] - ax);
                if inf_norm(&r) <= trace.tolerance {
                    return None;
                }
                if trace.cancelled() {
                    return Some(Status::Cancelled);
                }
                cycle.cycle(g, x);
                trace.log.inner += 1;
            }
            Some(Status::MaxIterations)
        }
    }
}

fn preconditioned(
    matrix: &Matrix<f64>,
    g: &[f64],
    x: &mut [f64],
    preconditioner: &mut dyn Precondition,
    trace: &mut Trace<'_>,
) -> Option<Status> {
    let mut cancelled = false;
    let run = conjugate_gradients(matrix, g, x, preconditioner, LIMIT_PCG, &mut |r| {
        cancelled = trace.cancelled();
        cancelled || inf_norm(r) <= trace.tolerance
    });
    trace.log.inner += run.iterations;
    match run.ended {
        _ if cancelled => Some(Status::Cancelled),
        Ended::Content => None,
        Ended::Limit => Some(Status::MaxIterations),
        Ended::Breakdown => Some(Status::Stagnated),
    }
}
