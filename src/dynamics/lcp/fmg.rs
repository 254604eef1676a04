//! FMG: full multigrid cycles with bounds, of \[001\]; as printed, repaired, and as it should be.
//!
//! Two repairs are needed before it converges to 1e-6: bounds are enforced inside the sweep ([`Clamp::Inside`]), and cells that
//! sit on their bound restrict no residual that pushes them on ([`Truncate::Bound`]). As printed it stalls.

use std::borrow::Cow;

use super::bounded::{Bounded, Clamp, Reach, Style, Truncate, Visit};
use super::edges::Edges;
use super::{Lcp, LcpSolver, Status, Trace};
use crate::mg::{Coarse, Hierarchy, Recipe, Sides, Surfaces, Weights};

/// Full cycles before it gives up.
const LIMIT: usize = 500;
/// A residual that hasn't halved in so many cycles has stagnated.
const STALL: usize = 60;

/// Which cycles are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Full cycles until the tolerance is met.
    UntilConverged,
    /// So many full cycles, then so many V-cycles, whatever the residual (\[001\] runs 3 and 4).
    Fixed(usize, usize),
    /// V-cycles until the tolerance is met.
    VUntilConverged,
}

/// Multigrid with bounds.
#[derive(Debug)]
pub struct Fmg {
    /// Its name.
    pub name: &'static str,
    /// Interpolation and coarse matrices.
    pub recipe: Recipe,
    /// Its cycles.
    pub style: Style,
    /// Which of them.
    pub schedule: Schedule,
}

impl Fmg {
    /// \[001\] with both repairs.
    pub fn repaired() -> Self {
        Self {
            name: "fmg",
            recipe: Recipe {
                weights: Weights::Trilinear,
                sides: Sides::OneSided,
                surfaces: Surfaces::Plain,
                coarse: Coarse::Direct,
            },
            style: Style {
                sweeps: 4,
                before: Visit::RedBlack,
                after: Visit::RedBlack,
                clamp: Clamp::Inside,
                truncate: Truncate::Bound,
                reach: Reach::Children,
                bounded_levels: 3,
            },
            schedule: Schedule::UntilConverged,
        }
    }

    /// \[001\] as printed.
    pub fn literal() -> Self {
        let mut fmg = Self::repaired();
        fmg.name = "fmg-literal";
        fmg.style.clamp = Clamp::After;
        fmg.style.truncate = Truncate::Never;
        fmg
    }

    /// \[001\] as printed, with its fixed schedule.
    pub fn cm11() -> Self {
        Self {
            name: "cm11",
            schedule: Schedule::Fixed(3, 4),
            ..Self::literal()
        }
    }

    /// The same, with pressures held where edges cross the wall instead of in cells behind it.
    pub fn cm11_edges() -> Self {
        let mut fmg = Self::cm11();
        fmg.name = "cm11-edges";
        fmg.style.clamp = Clamp::Edges;
        fmg
    }

    /// The same with walls that hold the liquid: no bounds at all.
    pub fn cm11_hold() -> Self {
        let mut fmg = Self::cm11();
        fmg.name = "cm11-hold";
        fmg.style.clamp = Clamp::Never;
        fmg
    }

    /// Repaired, on Galerkin matrices.
    pub fn galerkin() -> Self {
        let mut fmg = Self::repaired();
        fmg.name = "fmg-galerkin";
        fmg.recipe.coarse = Coarse::Galerkin;
        fmg
    }

    /// The monotone V-cycle: bounds reach as far as interpolation, on all levels.
    pub fn monotone() -> Self {
        Self {
            name: "monotone-v",
            recipe: Recipe::default(),
            style: Style {
                sweeps: 2,
                before: Visit::Forward,
                after: Visit::Forward,
                clamp: Clamp::Inside,
                truncate: Truncate::Bound,
                reach: Reach::Touching,
                bounded_levels: usize::MAX,
            },
            schedule: Schedule::VUntilConverged,
        }
    }

    /// Bounds of the pressures; empty where there are none.
    fn bounds<const D: usize>(&self, problem: &Lcp<D>) -> Vec<f64> {
        if self.style.clamp.is_in_cells() && problem.in_s.contains(&true) {
            problem.lower_bounds()
        } else {
            Vec::new()
        }
    }

    fn full<const D: usize>(&self, problem: &Lcp<D>, bounded: &mut Bounded<'_, D>, p: &mut [f64]) {
        let finest = &mut bounded.work[0];
        problem
            .matrix
            .map_rows(p, &mut finest.b, |i, ap| -problem.b[i] - ap);
        finest.bound = self.bounds(problem);
        for (bound, p) in finest.bound.iter_mut().zip(p.iter()) {
            *bound -= p;
        }
        bounded.edges.correct(Some(p));
        bounded.full_cycle();
        for (p, e) in p.iter_mut().zip(&bounded.work[0].p) {
            *p += e;
        }
    }

    fn v<const D: usize>(&self, problem: &Lcp<D>, bounded: &mut Bounded<'_, D>, p: &mut [f64]) {
        let finest = &mut bounded.work[0];
        for (b, of) in finest.b.iter_mut().zip(&problem.b) {
            *b = -of;
        }
        finest.bound = self.bounds(problem);
        bounded.edges.correct(None);
        finest.p.copy_from_slice(p);
        bounded.v_cycle(0);
        p.copy_from_slice(&bounded.work[0].p);
    }
}

impl<const D: usize> LcpSolver<D> for Fmg {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let hierarchy = trace.setup(|| {
            Hierarchy::new(
                Cow::Borrowed(&problem.matrix),
                Cow::Borrowed(&problem.places),
                problem.geometry.as_ref(),
                self.recipe,
            )
        });
        let mut bounded = Bounded::new(&hierarchy, self.style);
        if self.style.clamp == Clamp::Edges {
            bounded.edges = Edges::of(problem);
        }
        let mut p = vec![0.0; problem.n()];
        let measure = |bounded: &Bounded<'_, D>, p: &[f64]| match self.style.clamp {
            Clamp::Edges => bounded.edges.residual(problem, p),
            Clamp::Inside | Clamp::After => problem.residual(p),
            Clamp::Never => problem.matrix.largest(p, |i, ap| ap + problem.b[i]),
        };
        let mut residual = measure(&bounded, &p);
        trace.log.outer = 1;
        let limit = match self.schedule {
            Schedule::Fixed(full, v) => full + v,
            _ => LIMIT,
        };
        for cycle in 0..=limit {
            let end = trace.record(residual);
            match (self.schedule, end) {
                (Schedule::Fixed(..), Some(Status::Converged)) if cycle < limit => {}
                (_, Some(end)) => return (p, end),
                _ => {}
            }
            let history = &trace.log.history;
            if cycle >= STALL && 2.0 * history[cycle] > history[cycle - STALL] {
                return (p, Status::Stagnated);
            }
            if cycle == limit {
                break;
            }
            match self.schedule {
                Schedule::VUntilConverged => self.v(problem, &mut bounded, &mut p),
                Schedule::Fixed(full, _) if cycle >= full => {
                    self.v(problem, &mut bounded, &mut p);
                }
                _ => self.full(problem, &mut bounded, &mut p),
            }
            trace.log.inner += 1;
            residual = measure(&bounded, &p);
        }
        match self.schedule {
            Schedule::Fixed(..) => (p, Status::Scheduled),
            _ => (p, Status::MaxIterations),
        }
    }
}
