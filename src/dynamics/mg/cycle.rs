//! Linear V-cycles, as a solver and as a preconditioner.

use super::{Cholesky, Hierarchy};
use crate::linear::{Order, Precondition, Real};

/// Sweeps before and after the coarse correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// How many before, and as many after.
    pub sweeps: usize,
    /// Their order before.
    pub before: Order<'static>,
    /// Their order after.
    pub after: Order<'static>,
}

impl Cycle {
    /// V(2,2), all sweeps forward (\[000\] section 6.1).
    pub const PAPER: Self = Self {
        sweeps: 2,
        before: Order::Forward,
        after: Order::Forward,
    };
    /// V(2,2) that is symmetric, so that conjugate gradients may use it.
    pub const SYMMETRIC: Self = Self {
        sweeps: 2,
        before: Order::Forward,
        after: Order::Backward,
    };
}

/// The coarsest system is solved exactly up to this many unknowns, by many sweeps above.
const EXACT: usize = 600;
const COARSEST_SWEEPS: usize = 100;

/// Vectors of one level.
#[derive(Debug)]
struct Work<T> {
    g: Vec<T>,
    x: Vec<T>,
    r: Vec<T>,
}

/// A hierarchy with the vectors its cycles need.
#[derive(Debug)]
pub struct Multigrid<'a, T: Real, const D: usize> {
    hierarchy: &'a Hierarchy<'a, T, D>,
    cycle: Cycle,
    work: Vec<Work<T>>,
    coarsest: Option<Cholesky>,
}

impl<'a, T: Real, const D: usize> Multigrid<'a, T, D> {
    /// Ready to cycle.
    pub fn new(hierarchy: &'a Hierarchy<'a, T, D>, cycle: Cycle) -> Self {
        let work = hierarchy
            .levels
            .iter()
            .map(|level| {
                let n = level.matrix.n();
                Work {
                    g: vec![T::ZERO; n],
                    x: vec![T::ZERO; n],
                    r: vec![T::ZERO; n],
                }
            })
            .collect();
        let coarsest = hierarchy
            .levels
            .last()
            .filter(|l| l.matrix.n() <= EXACT)
            .map(|l| Cholesky::new(&l.matrix));
        Self {
            hierarchy,
            cycle,
            work,
            coarsest,
        }
    }

    /// One V-cycle for `A x = g` from the given `x`.
    pub fn cycle(&mut self, g: &[T], x: &mut [T]) {
        self.work[0].g.copy_from_slice(g);
        self.work[0].x.copy_from_slice(x);
        self.descend(0);
        x.copy_from_slice(&self.work[0].x);
    }

    fn descend(&mut self, l: usize) {
        let level = &self.hierarchy.levels[l];
        let sweeper = &level.sweeper;
        let Some(transfer) = &level.transfer else {
            let work = &mut self.work[l];
            if let Some(factor) = &self.coarsest {
                factor.solve(&work.g, &mut work.x);
            } else {
                for _ in 0..COARSEST_SWEEPS {
                    sweeper.plain(Order::Forward, &work.g, &mut work.x);
                    sweeper.plain(Order::Backward, &work.g, &mut work.x);
                }
            }
            return;
        };
        for _ in 0..self.cycle.sweeps {
            let work = &mut self.work[l];
            sweeper.plain(self.cycle.before, &work.g, &mut work.x);
        }
        let (above, below) = self.work.split_at_mut(l + 1);
        let (work, next) = (&mut above[l], &mut below[0]);
        let g = &work.g;
        level
            .matrix
            .map_rows(&work.x, &mut work.r, |i, ax| g[i] - ax);
        transfer.restrict(Hierarchy::<T, D>::scale(), &work.r, &mut next.g);
        next.x.fill(T::ZERO);
        self.descend(l + 1);
        let (above, below) = self.work.split_at_mut(l + 1);
        let work = &mut above[l];
        transfer.prolong_add(&below[0].x, &mut work.x);
        for _ in 0..self.cycle.sweeps {
            sweeper.plain(self.cycle.after, &work.g, &mut work.x);
        }
    }
}

impl<T: Real, const D: usize> Precondition for Multigrid<'_, T, D> {
    /// One cycle from 0, in the hierarchy's own numbers.
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        for (g, r) in self.work[0].g.iter_mut().zip(r) {
            *g = T::of(*r);
        }
        self.work[0].x.fill(T::ZERO);
        self.descend(0);
        for (z, x) in z.iter_mut().zip(&self.work[0].x) {
            *z = x.wide();
        }
    }
}
