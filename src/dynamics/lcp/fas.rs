//! FAS-MG: the full approximation scheme on the minimum map itself.
//!
//! ```text
//! N(q)_i = min((A q + b)_i, A_ii q_i)   i in S;   (A q + b)_i   otherwise
//! V(h):    2 projected sweeps;  r = f - N(q);  q0 = R q;  f' = N'(q0) + R r;
//!          q' = V(2h) from q0;  q += P (q' - q0);  2 projected sweeps
//!
//! full(h): f' and q0 of every level, down to the coarsest; from there up:  q += P (q' - q0);  V of this level
//! ```
//! The paper writes `min(A q + b, q)`. `A q + b` is a divergence and `q` a pressure: on coarse levels, where `f` is not 0, that
//! compares what can't be compared, and 2 to 5 % of the solves never converge ([`Scaling::Literal`] shows it).

use std::borrow::Cow;

use super::anderson::Anderson;
use super::inner::Inner;
use super::policy::Policy;
use super::{Lcp, LcpSolver, Status, Trace};
use crate::linear::{Order, inf_norm};
use crate::mg::{Hierarchy, Level, Recipe, Weights};

/// Cycles before it gives up.
const LIMIT: usize = 1000;
/// Sweeps on the coarsest level.
const COARSEST_SWEEPS: usize = 200;
/// The guard looks back this many cycles ...
const GUARD_CYCLES: usize = 10;
/// ... and wants the residual to have fallen by this factor.
const GUARD_FACTOR: f64 = 10.0;

/// What the two branches of the minimum map are compared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// `min(A q + b, A_ii q)`: both are divergences.
    Diagonal,
    /// `min(A q + b, q)`, as printed.
    Literal,
}

/// Which coarse unknowns are in `S`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoarseS {
    /// Those with any child in `S`.
    AnyChild,
    /// Those with all children in `S`.
    AllChildren,
}

/// How levels are gone through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// Down and up again.
    V,
    /// Down, then up with a V-cycle on every level: \[001\]'s full cycles.
    Full,
}

/// Full approximation scheme multigrid.
///
/// # Accuracy and cost
/// 5 to 7 cycles to 1e-6 on average over a scene of up to 256 cells a side in the plane and 64 in space, up to 14 in single problems
/// (the first of the sphere at 256); each about as long as 3 iterations of conjugate gradients with an incomplete factor. 3 to 6 full
/// cycles with twice the sweeps.
/// # Source
/// \[000\] algorithms 5 and 6, with the scaling above; full cycles: \[001\] algorithm 1, which writes them for corrections.
#[derive(Debug)]
pub struct Fas {
    /// Its name.
    pub name: &'static str,
    /// Interpolation and coarse matrices.
    pub recipe: Recipe,
    /// Scaling of the minimum map.
    pub scaling: Scaling,
    /// On coarse levels.
    pub coarse_s: CoarseS,
    /// Whether to hand over to policy iteration when cycles stop helping. Variants that are to show their own counts don't.
    pub guarded: bool,
    /// How many cycles [`Anderson`] remembers; 0: cycles are taken as they are.
    pub mixing: usize,
    /// How levels are gone through.
    pub cycles: Cycles,
    /// Sweeps before a correction, and as many after it.
    pub sweeps: usize,
    /// Whether a solve starts from the pressures of the one before.
    pub warm: bool,
    /// Cells and pressures of the last solve, ascending.
    pub known: Vec<(u32, f64)>,
}

impl Fas {
    /// The pressures of the last solve where its cells are liquid still; 0 elsewhere.
    fn first_guess(&self, cells: &[u32], q: &mut [f64]) {
        let mut known = self.known.iter().peekable();
        for (cell, q) in cells.iter().zip(q) {
            while known.next_if(|(k, _)| k < cell).is_some() {}
            if let Some((_, p)) = known.next_if(|(k, _)| k == cell) {
                *q = *p;
            }
        }
    }

    /// FMG*: full cycles of \[001\], on Galerkin matrices and on the complementarity problem of every level.
    ///
    /// Full cycles of corrections, whose coarse grids know bounds but no minimum map, take up to 19 cycles or stall where many
    /// cells let go at once ([`super::fmg`]).
    pub fn star() -> Self {
        Self {
            name: "fmg-star",
            recipe: Recipe {
                weights: Weights::Trilinear,
                ..Recipe::default()
            },
            guarded: false,
            cycles: Cycles::Full,
            sweeps: 4,
            ..Self::default()
        }
    }
}

impl Default for Fas {
    fn default() -> Self {
        Self {
            name: "fas-mg",
            recipe: Recipe::default(),
            scaling: Scaling::Diagonal,
            coarse_s: CoarseS::AnyChild,
            guarded: true,
            mixing: 0,
            cycles: Cycles::V,
            sweeps: 2,
            warm: false,
            known: Vec::new(),
        }
    }
}

struct Work {
    s: Vec<bool>,
    b: Vec<f64>,
    /// Empty: 0, on the finest level.
    f: Vec<f64>,
    q: Vec<f64>,
    /// The iterate that came from the finer level, where there is one.
    start: Vec<f64>,
    r: Vec<f64>,
    /// f - b.
    g: Vec<f64>,
    bound: Vec<f64>,
}

struct FasSolve<'a, const D: usize> {
    hierarchy: &'a Hierarchy<'a, f64, D>,
    scaling: Scaling,
    sweeps: usize,
    tolerance: f64,
    work: Vec<Work>,
}

impl<const D: usize> FasSolve<'_, D> {
    /// `r = f - N(q)`.
    fn residual(level: &Level<'_, f64, D>, scaling: Scaling, work: &mut Work) {
        let (a, q, g, s) = (&level.matrix, &work.q, &work.g, &work.s);
        let f = &work.f;
        a.map_rows(q, &mut work.r, |i, aq| {
            let linear = g[i] - aq;
            if s[i] {
                let scale = match scaling {
                    Scaling::Diagonal => a.diagonal[i],
                    Scaling::Literal => 1.0,
                };
                linear.max(f.get(i).copied().unwrap_or(0.0) - scale * q[i])
            } else {
                linear
            }
        });
    }

    /// Right hand side and bounds of the sweeps, from `f` and `b`.
    fn prepare(level: &Level<'_, f64, D>, scaling: Scaling, work: &mut Work) {
        for i in 0..work.b.len() {
            let f = work.f.get(i).copied().unwrap_or(0.0);
            work.g[i] = f - work.b[i];
            work.bound[i] = match scaling {
                _ if !work.s[i] => f64::NEG_INFINITY,
                Scaling::Diagonal => f / level.matrix.diagonal[i],
                Scaling::Literal => f,
            };
        }
    }

    fn sweep(&mut self, l: usize) {
        let work = &mut self.work[l];
        let sweeper = &self.hierarchy.levels[l].sweeper;
        sweeper.bounded(Order::Forward, &work.g, &work.bound, &mut work.q);
    }

    fn v_cycle(&mut self, l: usize) {
        if l == self.last() {
            self.solve_coarsest();
            return;
        }
        (0..self.sweeps).for_each(|_| self.sweep(l));
        self.restrict(l);
        self.v_cycle(l + 1);
        self.correct(l);
        (0..self.sweeps).for_each(|_| self.sweep(l));
    }

    fn full_cycle(&mut self) {
        let last = self.last();
        (0..last).for_each(|l| self.restrict(l));
        self.solve_coarsest();
        for l in (0..last).rev() {
            self.correct(l);
            self.v_cycle(l);
        }
    }

    fn last(&self) -> usize {
        self.hierarchy.levels.len() - 1
    }

    fn solve_coarsest(&mut self) {
        let last = self.last();
        for sweep in 0..COARSEST_SWEEPS {
            self.sweep(last);
            if sweep % 10 == 9 {
                let work = &mut self.work[last];
                Self::residual(&self.hierarchy.levels[last], self.scaling, work);
                if inf_norm(&work.r) < 1e-3 * self.tolerance {
                    break;
                }
            }
        }
    }

    /// The problem of level `l + 1` and the iterate that it starts from.
    fn restrict(&mut self, l: usize) {
        let level = &self.hierarchy.levels[l];
        let Some(transfer) = &level.transfer else {
            return;
        };
        let (above, below) = self.work.split_at_mut(l + 1);
        let (work, next) = (&mut above[l], &mut below[0]);
        Self::residual(level, self.scaling, work);
        let scale = Hierarchy::<f64, D>::scale();
        let coarse = &self.hierarchy.levels[l + 1];
        transfer.restrict(scale, &work.q, &mut next.q);
        next.start.copy_from_slice(&next.q);
        // f' = N'(q0) + R r: minus the residual at f = 0, plus the restricted one.
        next.f.fill(0.0);
        Self::prepare(coarse, self.scaling, next);
        Self::residual(coarse, self.scaling, next);
        transfer.restrict(scale, &work.r, &mut next.f);
        for (f, r) in next.f.iter_mut().zip(&next.r) {
            *f -= r;
        }
        Self::prepare(coarse, self.scaling, next);
    }

    /// What level `l + 1` changed.
    fn correct(&mut self, l: usize) {
        let Some(transfer) = &self.hierarchy.levels[l].transfer else {
            return;
        };
        let (above, below) = self.work.split_at_mut(l + 1);
        let (work, next) = (&mut above[l], &mut below[0]);
        for (r, (q, start)) in next.r.iter_mut().zip(next.q.iter().zip(&next.start)) {
            *r = q - start;
        }
        transfer.prolong_add(&next.r, &mut work.q);
    }
}

/// `S` and `b` on every level.
fn levels<const D: usize>(
    hierarchy: &Hierarchy<'_, f64, D>,
    problem: &Lcp<D>,
    coarse_s: CoarseS,
) -> Vec<Work> {
    let mut all: Vec<Work> = Vec::new();
    for (l, level) in hierarchy.levels.iter().enumerate() {
        let n = level.matrix.n();
        let (mut s, mut b) = (problem.in_s.clone(), problem.b.clone());
        if l > 0
            && let (Some(fine), Some(transfer)) = (all.last(), &hierarchy.levels[l - 1].transfer)
        {
            s = vec![coarse_s == CoarseS::AllChildren; n];
            for (i, parent) in transfer.parent.iter().enumerate() {
                if let Some(s) = s.get_mut(*parent as usize) {
                    match coarse_s {
                        CoarseS::AnyChild => *s |= fine.s[i],
                        CoarseS::AllChildren => *s &= fine.s[i],
                    }
                }
            }
            b = vec![0.0; n];
            transfer.restrict(Hierarchy::<f64, D>::scale(), &fine.b, &mut b);
        }
        let zero = || vec![0.0; n];
        let coarse = || if l > 0 { zero() } else { Vec::new() };
        all.push(Work {
            s,
            b,
            f: coarse(),
            q: zero(),
            start: coarse(),
            r: zero(),
            g: zero(),
            bound: zero(),
        });
    }
    all
}

impl<const D: usize> LcpSolver<D> for Fas {
    fn name(&self) -> &'static str {
        self.name
    }

    fn memory(&self) -> Vec<u32> {
        let of = |(cell, p): &(u32, f64)| {
            let bits = p.to_bits();
            [*cell, (bits >> 32) as u32, bits as u32]
        };
        self.known.iter().flat_map(of).collect()
    }

    fn recall(&mut self, memory: Vec<u32>) {
        let of = |m: &[u32; 3]| {
            let bits = u64::from(m[1]) << 32 | u64::from(m[2]);
            (m[0], f64::from_bits(bits))
        };
        self.known = memory.as_chunks::<3>().0.iter().map(of).collect();
    }

    fn run(&mut self, problem: &Lcp<D>, trace: &mut Trace<'_>) -> (Vec<f64>, Status) {
        let (p, status) = self.iterate(problem, trace);
        if self.warm {
            let cells = problem.places.of.iter().copied();
            self.known = cells.zip(p.iter().copied()).collect();
        }
        (p, status)
    }
}

impl Fas {
    fn iterate<const D: usize>(
        &self,
        problem: &Lcp<D>,
        trace: &mut Trace<'_>,
    ) -> (Vec<f64>, Status) {
        let hierarchy = trace.setup(|| {
            Hierarchy::new(
                Cow::Borrowed(&problem.matrix),
                Cow::Borrowed(&problem.places),
                problem.geometry.as_ref(),
                self.recipe,
            )
        });
        let mut run = FasSolve {
            work: levels(&hierarchy, problem, self.coarse_s),
            hierarchy: &hierarchy,
            scaling: self.scaling,
            sweeps: self.sweeps,
            tolerance: trace.tolerance,
        };
        FasSolve::prepare(&hierarchy.levels[0], self.scaling, &mut run.work[0]);
        // Only coarser levels are prepared again.
        run.work[0].b = Vec::new();
        if self.warm {
            self.first_guess(&problem.places.of, &mut run.work[0].q);
        }
        let mut mixing = (self.mixing > 0).then(|| Anderson::new(self.mixing));
        let mut residual = problem.residual(&run.work[0].q);
        trace.log.outer = 1;
        for cycle in 0..=LIMIT {
            if let Some(end) = trace.record(residual) {
                return (run.work.swap_remove(0).q, end);
            }
            let history = &trace.log.history;
            if self.guarded
                && cycle >= GUARD_CYCLES
                && history[cycle] * GUARD_FACTOR > history[cycle - GUARD_CYCLES]
            {
                trace.log.fallback = Some("pi-mgpcg");
                let p = run.work.swap_remove(0).q;
                let attached = (0..p.len())
                    .map(|i| !problem.in_s[i] || p[i] > 0.0)
                    .collect();
                let mut policy = Policy::new("pi-mgpcg", Inner::MultigridPcg);
                return policy.iterate(problem, trace, p, attached);
            }
            if cycle < LIMIT {
                let before = mixing.is_some().then(|| run.work[0].q.clone());
                match self.cycles {
                    Cycles::V => run.v_cycle(0),
                    Cycles::Full => run.full_cycle(),
                }
                trace.log.inner += 1;
                let q = &mut run.work[0].q;
                residual = match (&mut mixing, before) {
                    (Some(mixing), Some(before)) => mixing.advance(problem, before, q),
                    _ => problem.residual(q),
                };
            }
        }
        (run.work.swap_remove(0).q, Status::MaxIterations)
    }
}

#[cfg(test)]
mod tests {
    use crate::lcp::{LcpSolver, Watch, solver};
    use crate::pressure::Separation;
    use crate::scenes::{Simulation, scene2};

    #[test]
    fn a_warm_solve_starts_where_the_last_one_ended() {
        let scene = scene2("circle").expect("a scene");
        let problem = Simulation::new(scene, 32, Separation::Cut)
            .next_problem()
            .lcp;
        let solve = |solver: &mut dyn LcpSolver<2>| {
            let solution = solver.solve(&problem, Watch::SILENT).expect("numbers");
            (solution.log.inner, solution.best().to_vec())
        };
        let new = || solver::<2>("fas-warm").expect("a name");
        let mut warm = new();
        let (cold, p) = solve(&mut *warm);
        assert!(cold > 3, "{cold}");
        assert_eq!(solve(&mut *warm), (0, p.clone()));
        let mut other = new();
        other.recall(warm.memory());
        assert_eq!(solve(&mut *other), (0, p.clone()), "through a checkpoint");
        warm.forget();
        assert_eq!(solve(&mut *warm), (cold, p));
    }
}
