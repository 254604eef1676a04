//! Linear multigrid in error form that carries lower bounds down: the cycles of FMG and of the monotone V.
//!
//! ```text
//! V(m):  sweeps for A p = b, p >= bound;   r = b - A p;   b' = R r;   p' = 0;   bound' = from (bound - p);
//!        V(m - 1);   p += P p';   sweeps
//! ```

use super::edges::Edges;
use crate::linear::{Matrix, Order};
use crate::mg::{Cholesky, Hierarchy};

/// When bounds are enforced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clamp {
    /// Cell by cell inside the sweep.
    Inside,
    /// After both colours, as \[001\] prints it; its fixed point is not the solution.
    After,
    /// After both colours, on edges that cross the wall, of the finest level only (\[001\] section 3.1).
    Edges,
    /// Not at all: walls hold the liquid.
    Never,
}

impl Clamp {
    /// Whether cells have bounds.
    pub fn is_in_cells(self) -> bool {
        matches!(self, Clamp::Inside | Clamp::After)
    }
}

/// What is restricted from cells that sit on their bound and are pushed against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncate {
    /// Nothing: the coarse grid can't move them.
    Bound,
    /// Their residual all the same, as \[001\] prints it.
    Never,
}

/// Which fine bounds a coarse bound respects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Those of its children (\[001\] (19)).
    Children,
    /// Those of every cell that it is interpolated to: the correction never breaks a bound.
    Touching,
}

/// How sweeps go through the unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// First to last.
    Forward,
    /// Cells whose coordinates add up to an even number, then the others.
    RedBlack,
}

/// How the cycles go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Before, and as many after.
    pub sweeps: usize,
    /// Their order before the correction.
    pub before: Visit,
    /// Their order after it.
    pub after: Visit,
    /// When bounds are enforced.
    pub clamp: Clamp,
    /// What is restricted from bounded cells.
    pub truncate: Truncate,
    /// What coarse bounds respect.
    pub reach: Reach,
    /// Coarse levels that carry bounds.
    pub bounded_levels: usize,
}

/// The coarsest system is solved exactly up to this many unknowns, by many sweeps above.
const EXACT: usize = 600;

/// Vectors of one level.
pub struct Work {
    /// Right hand side.
    pub b: Vec<f64>,
    /// Iterate.
    pub p: Vec<f64>,
    /// Residual.
    pub r: Vec<f64>,
    /// Lower bounds; minus infinity where there is none. Empty: nowhere on this level, which then costs nothing.
    pub bound: Vec<f64>,
}

/// A hierarchy whose cycles respect bounds.
pub struct Bounded<'a, const D: usize> {
    hierarchy: &'a Hierarchy<'a, f64, D>,
    style: Style,
    coarsest: Cholesky,
    /// Even unknowns, then odd ones, of every level; empty where no sweep asks for them.
    colours: Vec<Vec<u32>>,
    /// Where [`Clamp::Edges`] holds pressures.
    pub edges: Edges,
    /// One a level.
    pub work: Vec<Work>,
}

impl<'a, const D: usize> Bounded<'a, D> {
    /// Ready to cycle.
    pub fn new(hierarchy: &'a Hierarchy<'a, f64, D>, style: Style) -> Self {
        let work = hierarchy
            .levels
            .iter()
            .map(|level| {
                let zero = vec![0.0; level.matrix.n()];
                Work {
                    b: zero.clone(),
                    p: zero.clone(),
                    r: zero,
                    bound: Vec::new(),
                }
            })
            .collect();
        let last: &Matrix<f64> = &hierarchy.levels[hierarchy.levels.len() - 1].matrix;
        let colours = hierarchy.levels.iter().map(|level| {
            if [style.before, style.after].contains(&Visit::RedBlack) {
                level.places.colours()
            } else {
                Vec::new()
            }
        });
        Self {
            hierarchy,
            style,
            colours: colours.collect(),
            edges: Edges::default(),
            // Lattices whose sides can't be halved to 4 end with more cells; sweeps serve there.
            coarsest: Cholesky::new(&if last.n() <= EXACT {
                last.clone()
            } else {
                last.kept(&vec![false; last.n()]).0
            }),
            work,
        }
    }

    fn sweep(&mut self, l: usize, visit: Visit) {
        let sweeper = &self.hierarchy.levels[l].sweeper;
        let order = match visit {
            Visit::Forward => Order::Forward,
            Visit::RedBlack => Order::Listed(&self.colours[l]),
        };
        let work = &mut self.work[l];
        if self.style.clamp == Clamp::Inside && !work.bound.is_empty() {
            sweeper.bounded(order, &work.b, &work.bound, &mut work.p);
            return;
        }
        sweeper.plain(order, &work.b, &mut work.p);
        for (p, bound) in work.p.iter_mut().zip(&work.bound) {
            *p = p.max(*bound);
        }
        if self.style.clamp == Clamp::Edges && l == 0 {
            self.edges.project(&mut work.p);
        }
    }

    /// `r = b - A p`, truncated.
    pub fn residual(&mut self, l: usize) {
        let work = &mut self.work[l];
        let b = &work.b;
        self.hierarchy.levels[l]
            .matrix
            .map_rows(&work.p, &mut work.r, |i, ap| b[i] - ap);
        self.truncate(l);
    }

    fn truncate(&mut self, l: usize) {
        if self.style.truncate == Truncate::Bound {
            let Work { p, r, bound, .. } = &mut self.work[l];
            for ((r, p), bound) in r.iter_mut().zip(p).zip(bound) {
                if *p <= *bound && *r < 0.0 {
                    *r = 0.0;
                }
            }
        }
    }

    /// Bounds of the next coarser level, from `bound - p` of this one.
    fn restrict_bounds(&mut self, l: usize) {
        let Some(transfer) = &self.hierarchy.levels[l].transfer else {
            return;
        };
        let (above, below) = self.work.split_at_mut(l + 1);
        let (work, next) = (&above[l], &mut below[0]);
        next.bound.clear();
        if l >= self.style.bounded_levels || work.bound.is_empty() {
            return;
        }
        next.bound.resize(next.p.len(), f64::NEG_INFINITY);
        for i in 0..work.p.len() {
            let bound = work.bound[i] - work.p[i];
            if bound == f64::NEG_INFINITY {
                continue;
            }
            match self.style.reach {
                Reach::Children => {
                    if let Some(b) = next.bound.get_mut(transfer.parent[i] as usize) {
                        *b = b.max(bound);
                    }
                }
                Reach::Touching => {
                    for k in transfer.row(i).0 {
                        next.bound[*k as usize] = next.bound[*k as usize].max(bound);
                    }
                }
            }
        }
    }

    fn solve_coarsest(&mut self, l: usize) {
        if l > 0 && self.hierarchy.levels[l].matrix.n() <= EXACT {
            let work = &mut self.work[l];
            self.coarsest.solve(&work.b, &mut work.p);
            // Levels that carry bounds all the way down.
            for (p, bound) in work.p.iter_mut().zip(&work.bound) {
                *p = p.max(*bound);
            }
            if !work.bound.is_empty() {
                for _ in 0..20 {
                    self.sweep(l, Visit::Forward);
                }
            }
        } else {
            // Also a problem that has no coarse levels at all: there the bounds are the problem's own.
            for _ in 0..200 {
                self.sweep(l, Visit::Forward);
            }
        }
    }

    /// A V-cycle from level `l` down and back.
    pub fn v_cycle(&mut self, l: usize) {
        let Some(transfer) = &self.hierarchy.levels[l].transfer else {
            self.solve_coarsest(l);
            return;
        };
        for _ in 0..self.style.sweeps {
            self.sweep(l, self.style.before);
        }
        self.residual(l);
        self.restrict_bounds(l);
        let (above, below) = self.work.split_at_mut(l + 1);
        let (work, next) = (&mut above[l], &mut below[0]);
        transfer.restrict(Hierarchy::<f64, D>::scale(), &work.r, &mut next.b);
        next.p.fill(0.0);
        self.v_cycle(l + 1);
        let (above, below) = self.work.split_at_mut(l + 1);
        transfer.prolong_add(&below[0].p, &mut above[l].p);
        for _ in 0..self.style.sweeps {
            self.sweep(l, self.style.after);
        }
    }

    /// A full cycle in error form: `p` of the finest level is the correction afterwards.
    ///
    /// # Requires
    /// On the finest level `b` is the residual of the iterate that is to be corrected and `bound` what is left of its bounds.
    /// # Source
    /// \[001\] algorithm 3.
    pub fn full_cycle(&mut self) {
        let last = self.work.len() - 1;
        let mut residuals = Vec::with_capacity(last);
        self.work[0].p.fill(0.0);
        for l in 0..=last {
            let work = &mut self.work[l];
            residuals.push(work.b.clone());
            let Some(transfer) = &self.hierarchy.levels[l].transfer else {
                break;
            };
            work.r.copy_from_slice(&work.b);
            self.truncate(l);
            self.restrict_bounds(l);
            let (above, below) = self.work.split_at_mut(l + 1);
            transfer.restrict(Hierarchy::<f64, D>::scale(), &above[l].r, &mut below[0].b);
            below[0].p.fill(0.0);
        }
        let bounds: Vec<Vec<f64>> = self.work.iter().map(|w| w.bound.clone()).collect();
        self.solve_coarsest(last);
        for l in (0..last).rev() {
            let Some(transfer) = &self.hierarchy.levels[l].transfer else {
                continue;
            };
            let (above, below) = self.work.split_at_mut(l + 1);
            let work = &mut above[l];
            work.p.fill(0.0);
            transfer.prolong_add(&below[0].p, &mut work.p);
            work.b.copy_from_slice(&residuals[l]);
            work.bound.clone_from(&bounds[l]);
            self.v_cycle(l);
        }
    }
}
