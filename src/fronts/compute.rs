//! Values of fronts: dense partial factorisations, children before parents, on the pool of whoever calls.
//!
//! ```text
//! F = sum of children = [ F_bb F_be ]      W = -F_ee^-1 F_eb           x_e = W x_b + F_ee^-1 b_e
//!                       [ F_eb F_ee ]      S = F_bb + F_be W           (symmetric)
//! ```
//! Large fronts are cut into panels of fixed width, so a value never depends on the number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use faer::linalg::matmul::matmul;
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use thiserror::Error;

use super::pivot::Pivot;
use super::plan::{Child, Image, KindId, NOWHERE, Plan, Recipe};
use super::tree::{self, runs};
use crate::fingerprint::{Fingerprint, Hasher};
use crate::profile::{Recorder, Work};

/// What is left of a front on its boundary: `n_boundary` x `n_boundary`, symmetric.
pub type Schur = Mat<f64>;

/// What substitution needs of a front.
#[derive(Debug)]
pub struct Inside {
    /// `n_eliminated` x `n_boundary`: the eliminated unknowns for unit boundary unknowns. Of large fronts formed only where
    /// many copies are substituted.
    weights: OnceLock<Mat<f64>>,
    /// `-B^-1 L^-1 P F_eb` of large fronts: half way to the weights.
    half: Option<Mat<f64>>,
    /// Factors of the eliminated block, for loads on it.
    pivot: Option<Pivot>,
    n_eliminated: usize,
    n_boundary: usize,
}

impl Inside {
    /// Unknowns that it eliminates.
    pub fn n_eliminated(&self) -> usize {
        self.n_eliminated
    }

    /// Unknowns of its boundary.
    pub fn n_boundary(&self) -> usize {
        self.n_boundary
    }

    /// The weights, formed now if they weren't before.
    fn weights(&self) -> &Mat<f64> {
        self.weights
            .get_or_init(|| match (&self.half, &self.pivot) {
                (Some(half), Some(pivot)) => pivot.upper(half.clone()),
                _ => Mat::zeros(self.n_eliminated, self.n_boundary),
            })
    }

    /// `W x`; `copies`: columns that there are in all, of which these may be a few. The way depends on that number alone, never
    /// on what was formed before: the bits must not.
    pub fn substitute(&self, x: &Mat<f64>, copies: usize) -> Mat<f64> {
        if let (Some(half), Some(pivot)) = (&self.half, &self.pivot)
            && 4 * copies < self.n_eliminated
        {
            return pivot.upper(half * x);
        }
        let weights = self.weights();
        let mut out = Mat::zeros(self.n_eliminated, x.ncols());
        matmul(out.as_mut(), Accum::Replace, weights, x, 1.0, Par::Seq);
        out
    }

    /// `(F_ee^-1 b, W^T b)` for loads `b` on the eliminated unknowns.
    pub fn carry(&self, b: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
        let Some(pivot) = &self.pivot else {
            return (b.clone(), Mat::zeros(self.n_boundary, b.ncols()));
        };
        let carried = match &self.half {
            Some(half) => {
                let mut reduced = pivot.permuted(b);
                pivot.lower(reduced.as_mut());
                half.transpose() * &reduced
            }
            None => self.weights().transpose() * b,
        };
        (pivot.solve(b), carried)
    }

    /// Bytes that it holds, or will.
    pub fn bytes(&self) -> u64 {
        let (e, b) = (self.n_eliminated as u64, self.n_boundary as u64);
        8 * (e * b * if self.half.is_some() { 2 } else { 1 } + e * e)
    }
}

/// Where the matrices of leaves come from.
pub trait Leaves: Sync {
    /// The matrix of a leaf over its boundary, then its eliminated unknowns; symmetric.
    fn assemble(&self, leaf: u32) -> Mat<f64>;
}

/// Values that outlive a run, by key.
pub trait Known: Sync {
    /// A Schur complement of an earlier run.
    fn schur(&self, key: Fingerprint) -> Option<Arc<Schur>>;
    /// Keeps one for later runs.
    fn keep_schur(&self, key: Fingerprint, schur: &Arc<Schur>);
    /// What substitution needs, of an earlier run.
    fn inside(&self, key: Fingerprint) -> Option<Arc<Inside>>;
    /// Keeps that for later runs.
    fn keep_inside(&self, key: Fingerprint, inside: &Arc<Inside>);
}

/// What is asked of a computation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Kinds whose Schur complements are read afterwards. Others go as soon as their parents have them.
    pub schurs: &'a [KindId],
    /// Kinds that are substituted.
    pub insides: &'a [KindId],
    /// Whether all that these are made of is substituted too.
    pub deep: bool,
}

/// Why fronts can't be computed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FrontError {
    /// The eliminated block of this kind is singular.
    #[error("front {kind} has a singular pivot block")]
    Singular {
        /// Its number.
        kind: KindId,
    },
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

/// How fronts are computed.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// Assembles leaves.
    pub leaves: &'a dyn Leaves,
    /// Results of earlier runs.
    pub known: &'a dyn Known,
    /// Asked between fronts: true stops the run.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then: fronts done, fronts to do.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
    /// Told of every front that is asked for and computed.
    pub recorder: &'a Recorder,
}

/// Values by kind.
#[derive(Debug, Default)]
pub struct Values {
    schurs: Vec<Option<Arc<Schur>>>,
    insides: Vec<Option<Arc<Inside>>>,
}

impl Values {
    /// What is left of a kind on its boundary.
    ///
    /// # Panics
    /// Where it wasn't asked for: a bug of the caller.
    pub fn schur(&self, kind: KindId) -> &Schur {
        self.schurs[kind as usize]
            .as_ref()
            .expect("Schur complements are computed before they are read")
    }

    /// What substitution needs of a kind.
    ///
    /// # Panics
    /// Where it wasn't asked for: a bug of the caller.
    pub fn inside(&self, kind: KindId) -> &Inside {
        self.insides[kind as usize]
            .as_ref()
            .expect("fronts are computed before they are substituted")
    }

    /// Puts in the value of a given kind.
    pub fn set(&mut self, kind: KindId, schur: Arc<Schur>) {
        if self.schurs.len() <= kind as usize {
            self.schurs.resize(kind as usize + 1, None);
        }
        self.schurs[kind as usize] = Some(schur);
    }

    /// Computes what is wanted and not known.
    ///
    /// # Errors
    /// [`FrontError`].
    /// # Accuracy and cost
    /// LU with partial pivoting inside a block; [`super::Counters::flops`]. The same bits for any number of threads and for
    /// known or unknown results.
    pub fn compute(
        &mut self,
        plan: &Plan,
        wanted: Wanted<'_>,
        run: Run<'_>,
    ) -> Result<(), FrontError> {
        faer::set_global_parallelism(Par::Seq); // parallel over fronts and panels, never inside a kernel
        self.schurs.resize(plan.kinds.len(), None);
        self.insides.resize_with(plan.kinds.len(), || None);
        let mut missing = self.missing(plan, wanted, run.known);
        let all: usize = missing.levels.iter().map(Vec::len).sum();
        let done = AtomicUsize::new(0);
        for level in std::mem::take(&mut missing.levels) {
            let made: Result<Vec<_>, FrontError> = level
                .par_iter()
                .map(|&kind| {
                    if (run.is_cancelled)() {
                        return Err(FrontError::Cancelled);
                    }
                    let _span = run
                        .recorder
                        .span("eliminate", name(plan, kind), work(plan, kind));
                    let (schur, inside) = self.front(plan, kind, run.leaves)?;
                    let (schur, inside) = (Arc::new(schur), Arc::new(inside));
                    let key = plan.kinds[kind as usize].key;
                    run.known.keep_inside(inside_key(key), &inside);
                    // Spans of strips are doubled again in the next design: kept where they are no larger than their factors.
                    let kind_of = &plan.kinds[kind as usize];
                    let is_small = kind_of.n_boundary <= 2 * kind_of.n_eliminated;
                    if missing.is_read[kind as usize] || is_small {
                        run.known.keep_schur(schur_key(key), &schur);
                    }
                    let done = done.fetch_add(1, Ordering::Relaxed);
                    if done.is_multiple_of(16) {
                        (run.progress)(done, all);
                    }
                    Ok((kind, schur, inside))
                })
                .collect();
            for (kind, schur, inside) in made? {
                let k = kind as usize;
                if missing.is_read[k] || missing.parents[k] > 0 {
                    self.schurs[k] = Some(schur);
                }
                self.insides[k] = Some(inside);
            }
            for &kind in &level {
                for child in children(plan, kind) {
                    let c = child.kind as usize;
                    missing.parents[c] -= 1;
                    if missing.parents[c] == 0 && !missing.is_read[c] {
                        self.schurs[c] = None;
                    }
                }
            }
        }
        (run.progress)(all, all);
        if (run.is_cancelled)() {
            return Err(FrontError::Cancelled);
        }
        Ok(())
    }

    /// What is still to compute, from the wanted kinds down.
    fn missing(&mut self, plan: &Plan, wanted: Wanted<'_>, known: &dyn Known) -> Missing {
        let n = plan.kinds.len();
        let mut is_read = vec![false; n];
        wanted
            .schurs
            .iter()
            .for_each(|&k| is_read[k as usize] = true);
        let mut schur_needed = is_read.clone();
        let mut inside_needed = vec![false; n];
        wanted
            .insides
            .iter()
            .for_each(|&k| inside_needed[k as usize] = true);
        let mut compute = vec![false; n];
        let mut parents = vec![0_u32; n];
        for k in (0..n).rev() {
            let key = plan.kinds[k].key;
            if matches!(plan.kinds[k].recipe, Recipe::Given) {
                is_read[k] = true; // not ours to drop
                continue;
            }
            if schur_needed[k] && self.schurs[k].is_none() {
                self.schurs[k] = known.schur(schur_key(key));
                compute[k] |= self.schurs[k].is_none();
            }
            if inside_needed[k] && self.insides[k].is_none() {
                self.insides[k] = known.inside(inside_key(key));
                compute[k] |= self.insides[k].is_none();
            }
            for child in children(plan, k as KindId) {
                let c = child.kind as usize;
                schur_needed[c] |= compute[k];
                parents[c] += u32::from(compute[k]);
                inside_needed[c] |= wanted.deep && inside_needed[k];
            }
        }
        let mut height = vec![0_usize; n];
        let mut levels: Vec<Vec<KindId>> = Vec::new();
        for k in (0..n).filter(|&k| compute[k]) {
            let below = children(plan, k as KindId)
                .iter()
                .filter(|c| compute[c.kind as usize]);
            height[k] = below
                .map(|c| height[c.kind as usize] + 1)
                .max()
                .unwrap_or(0);
            if levels.len() <= height[k] {
                levels.resize(height[k] + 1, Vec::new());
            }
            levels[height[k]].push(k as KindId);
        }
        // The largest first, so that the pool doesn't wait for one that came last.
        for level in &mut levels {
            level.sort_by_key(|&k| (std::cmp::Reverse(plan.kinds[k as usize].flops()), k));
        }
        Missing {
            levels,
            is_read,
            parents,
        }
    }

    fn front(
        &self,
        plan: &Plan,
        id: KindId,
        leaves: &dyn Leaves,
    ) -> Result<(Schur, Inside), FrontError> {
        let kind = &plan.kinds[id as usize];
        let (b, e) = (kind.n_boundary as usize, kind.n_eliminated as usize);
        let mut parts = Parts::zeros(b, e);
        match &kind.recipe {
            Recipe::Leaf(leaf) => {
                let images: Vec<Image> = (0..(b + e) as u32).map(Image::plain).collect();
                parts.add(&leaves.assemble(*leaf), &images);
            }
            Recipe::Join(children) => {
                for child in children {
                    parts.add(self.schur(child.kind), &child.images);
                }
            }
            Recipe::Given => unreachable!("given fronts are put in before anything needs them"),
        }
        parts.eliminate().ok_or(FrontError::Singular { kind: id })
    }
}

/// Kinds still to compute.
struct Missing {
    /// By height: those of one level need only those of the levels before.
    levels: Vec<Vec<KindId>>,
    /// Whether the Schur complement is read afterwards.
    is_read: Vec<bool>,
    /// How many that are still to compute read the Schur complement.
    parents: Vec<u32>,
}

fn children(plan: &Plan, kind: KindId) -> &[Child] {
    match &plan.kinds[kind as usize].recipe {
        Recipe::Join(children) => children,
        Recipe::Leaf(_) | Recipe::Given => &[],
    }
}

/// What a profile calls a front.
fn name(plan: &Plan, kind: KindId) -> &'static str {
    match plan.kinds[kind as usize].recipe {
        Recipe::Leaf(_) => "leaf front",
        _ => "joined front",
    }
}

fn work(plan: &Plan, kind: KindId) -> Work {
    let kind = &plan.kinds[kind as usize];
    Work {
        flops: kind.flops(),
        bytes: kind.bytes(),
        size: (kind.n_eliminated, kind.n_boundary),
    }
}

/// A table's key of a Schur complement.
pub fn schur_key(kind: Fingerprint) -> Fingerprint {
    Hasher::new(54).key(kind).finish()
}

/// A table's key of what substitution needs.
fn inside_key(kind: Fingerprint) -> Fingerprint {
    Hasher::new(55).key(kind).finish()
}

/// Columns that one task works on.
const PANEL: usize = 384;

/// Below this a triangle is computed as the square that holds it.
const TRIANGLE: usize = 96;

/// A front before its elimination; of the boundary only the lower triangle is kept.
struct Parts {
    boundary: Mat<f64>,
    coupling: Mat<f64>,
    eliminated: Mat<f64>,
}

impl Parts {
    fn zeros(b: usize, e: usize) -> Self {
        Self {
            boundary: Mat::zeros(b, b),
            coupling: Mat::zeros(e, b),
            eliminated: Mat::zeros(e, e),
        }
    }

    /// Adds a symmetric matrix on unknowns that lie at `images`.
    fn add(&mut self, s: &Mat<f64>, images: &[Image]) {
        let b = self.boundary.nrows() as u32;
        // Runs that don't cross from the boundary to the eliminated unknowns, with their first unknown in `s`.
        let mut found: Vec<(usize, tree::Run)> = Vec::new();
        let mut at = 0;
        for run in runs(images) {
            if run.start != NOWHERE {
                let inside = b.clamp(run.start, run.start + run.len) - run.start;
                for (start, len) in [(0, inside), (inside, run.len - inside)] {
                    if len > 0 {
                        let part = tree::Run {
                            start: run.start + start,
                            len,
                            factor: run.factor,
                        };
                        found.push((at + start as usize, part));
                    }
                }
            }
            at += run.len as usize;
        }
        for &(from_column, column) in &found {
            for k in 0..column.len {
                let from = s.col_as_slice(from_column + k as usize);
                let j = column.start + k;
                for &(from_row, row) in &found {
                    let len = row.len as usize;
                    let (to, first) = match (j < b, row.start < b) {
                        (true, true) if row.start + row.len <= j => continue,
                        (true, true) => (self.boundary.col_as_slice_mut(j as usize), row.start),
                        (true, false) => {
                            (self.coupling.col_as_slice_mut(j as usize), row.start - b)
                        }
                        (false, true) => continue,
                        (false, false) => {
                            let column = (j - b) as usize;
                            (self.eliminated.col_as_slice_mut(column), row.start - b)
                        }
                    };
                    let to = &mut to[first as usize..first as usize + len];
                    let from = &from[from_row..from_row + len];
                    let factor = row.factor * column.factor;
                    if factor == 1.0 {
                        to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
                    } else {
                        to.iter_mut().zip(from).for_each(|(t, f)| *t += factor * f);
                    }
                }
            }
        }
    }

    /// Eliminates; `None` where the pivot block is singular.
    fn eliminate(self) -> Option<(Schur, Inside)> {
        let (b, e) = (self.boundary.nrows(), self.eliminated.nrows());
        let mut schur = self.boundary;
        let mut inside = Inside {
            weights: OnceLock::new(),
            half: None,
            pivot: None,
            n_eliminated: e,
            n_boundary: b,
        };
        if e > 0 {
            let pivot = Pivot::new(self.eliminated)?;
            let coupling = self.coupling;
            let mut solved = pivot.permuted(&coupling);
            if pivot.is_symmetric() {
                panels(solved.as_mut(), &|panel| pivot.lower(panel));
                let mut half = solved.clone();
                panels(half.as_mut(), &|mut panel| {
                    pivot.middle(panel.rb_mut());
                    panel *= faer::Scale(-1.0);
                });
                add_lower(schur.as_mut(), solved.as_ref(), half.as_ref());
                inside.half = Some(half);
            } else {
                panels(solved.as_mut(), &|mut panel| {
                    pivot.solve_permuted(panel.rb_mut());
                    panel *= faer::Scale(-1.0);
                });
                add_lower(schur.as_mut(), coupling.as_ref(), solved.as_ref());
                inside.weights = OnceLock::from(solved);
            }
            inside.pivot = Some(pivot);
        }
        mirror(&mut schur);
        let known = inside.half.as_ref().or(inside.weights.get());
        let finite = |m: &Mat<f64>| {
            (0..m.ncols()).all(|j| m.col_as_slice(j).iter().sum::<f64>().is_finite())
        };
        (finite(&schur) && known.is_none_or(finite)).then_some((schur, inside))
    }
}

/// Lower triangle of `c += a^T b`, which is symmetric: squares off the diagonal as large products, triangles again so.
fn add_lower(c: MatMut<'_, f64>, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    let n = c.nrows();
    if n <= TRIANGLE {
        return matmul(c, Accum::Add, a.transpose(), b, 1.0, Par::Seq);
    }
    let half = n / 2;
    let (upper, _, square, lower) = c.split_at_mut(half, half);
    let (a_upper, a_lower) = a.split_at_col(half);
    let (b_upper, b_lower) = b.split_at_col(half);
    let triangles = || {
        add_lower(upper, a_upper, b_upper);
        add_lower(lower, a_lower, b_lower);
    };
    let square = || {
        matmul(
            square,
            Accum::Add,
            a_lower.transpose(),
            b_upper,
            1.0,
            Par::Seq,
        )
    };
    if n > PANEL {
        rayon::join(square, triangles);
    } else {
        square();
        triangles();
    }
}

/// Copies the lower triangle to the upper one, tile by tile.
fn mirror(m: &mut Mat<f64>) {
    const TILE: usize = 32;
    let n = m.nrows();
    for first in (0..n).step_by(TILE) {
        for left in (0..=first).step_by(TILE) {
            for j in left..(left + TILE).min(n) {
                for i in first.max(j + 1)..(first + TILE).min(n) {
                    m[(j, i)] = m[(i, j)];
                }
            }
        }
    }
}

/// Calls `work` on panels of columns of a fixed width, side by side.
fn panels(m: MatMut<'_, f64>, work: &(dyn Fn(MatMut<'_, f64>) + Sync)) {
    let n = m.ncols();
    if n <= PANEL {
        return work(m);
    }
    let half = n.div_ceil(PANEL) / 2 * PANEL;
    let (left, right) = m.split_at_col_mut(half);
    rayon::join(|| panels(left, work), || panels(right, work));
}

#[cfg(test)]
mod tests;
