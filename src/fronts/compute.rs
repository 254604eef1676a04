//! Values of fronts: dense partial factorisations, children before parents, on the pool of whoever calls.
//!
//! ```text
//! F = sum of children = [ F_bb F_be ]      W = -F_ee^-1 F_eb           x_e = W x_b + F_ee^-1 b_e
//!                       [ F_eb F_ee ]      S = F_bb + F_be W           (symmetric)
//! ```
//! Large fronts are cut into panels of fixed width, so a value never depends on the number of threads.

use std::sync::Arc;

use faer::linalg::matmul::matmul;
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, Par};
use rayon::prelude::*;
use thiserror::Error;

use super::pivot::Pivot;
use super::plan::{Image, KindId, NOWHERE, Plan, Recipe};
use super::tree::{self, runs};
use crate::fingerprint::{Fingerprint, Hasher};
use crate::profile::{Recorder, Work};

/// A front's value.
#[derive(Debug)]
pub struct Front {
    /// `n_boundary` x `n_boundary`, symmetric: what is left on the boundary.
    pub schur: Mat<f64>,
    /// `n_eliminated` x `n_boundary`: the eliminated unknowns for unit boundary unknowns.
    pub weights: Mat<f64>,
    /// Factors of the eliminated block, for loads on it.
    pub pivot: Option<Pivot>,
}

impl Front {
    /// Bytes that it holds.
    pub fn bytes(&self) -> u64 {
        let (b, e) = (self.weights.ncols() as u64, self.weights.nrows() as u64);
        8 * (self.schur.nrows() as u64 * self.schur.ncols() as u64 + e * b + e * e)
    }
}

/// Where the matrices of leaves come from.
pub trait Leaves: Sync {
    /// The matrix of a leaf over its boundary, then its eliminated unknowns; symmetric.
    fn assemble(&self, leaf: u32) -> Mat<f64>;
}

/// Values that outlive a run.
pub trait Known: Sync {
    /// A value of an earlier run.
    fn get(&self, key: Fingerprint) -> Option<Arc<Front>>;
    /// Keeps a value for later runs.
    fn keep(&self, key: Fingerprint, front: &Arc<Front>);
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
    /// Told of every front that is asked for and computed.
    pub recorder: &'a Recorder,
}

/// Values by kind.
#[derive(Debug, Default)]
pub struct Values {
    fronts: Vec<Option<Arc<Front>>>,
}

impl Values {
    /// The value of a kind.
    ///
    /// # Panics
    /// Where it wasn't computed: a bug of the caller.
    pub fn get(&self, kind: KindId) -> &Arc<Front> {
        self.fronts[kind as usize]
            .as_ref()
            .expect("fronts are computed before they are read")
    }

    /// Puts in the value of a given kind.
    pub fn set(&mut self, kind: KindId, front: Arc<Front>) {
        if self.fronts.len() <= kind as usize {
            self.fronts.resize(kind as usize + 1, None);
        }
        self.fronts[kind as usize] = Some(front);
    }

    /// Computes the `wanted` kinds and what they need; `deep`: also all that they are made of, for back-substitution.
    ///
    /// # Errors
    /// [`FrontError`].
    /// # Accuracy and cost
    /// LU with partial pivoting inside a block; [`super::Counters::flops`]. The same bits for any number of threads and for
    /// known or unknown results.
    pub fn compute(
        &mut self,
        plan: &Plan,
        wanted: &[KindId],
        deep: bool,
        run: Run<'_>,
    ) -> Result<(), FrontError> {
        faer::set_global_parallelism(Par::Seq); // parallel over fronts and panels, never inside a kernel
        self.fronts.resize(plan.kinds.len(), None);
        for level in self.missing(plan, wanted, deep, run.known) {
            let made: Result<Vec<_>, FrontError> = level
                .par_iter()
                .map(|&kind| {
                    if (run.is_cancelled)() {
                        return Err(FrontError::Cancelled);
                    }
                    let _span = run
                        .recorder
                        .span("eliminate", name(plan, kind), work(plan, kind));
                    let front = Arc::new(self.front(plan, kind, run.leaves)?);
                    run.known.keep(value_key(plan, kind), &front);
                    Ok((kind, front))
                })
                .collect();
            for (kind, front) in made? {
                self.fronts[kind as usize] = Some(front);
            }
        }
        Ok(())
    }

    /// Kinds still to compute, by height: those of one level need only those of the levels before.
    fn missing(
        &mut self,
        plan: &Plan,
        wanted: &[KindId],
        deep: bool,
        known: &dyn Known,
    ) -> Vec<Vec<KindId>> {
        let n = plan.kinds.len();
        let (mut needed, mut visited, mut compute) =
            (vec![false; n], vec![false; n], vec![false; n]);
        wanted.iter().for_each(|&k| needed[k as usize] = true);
        for k in (0..n).rev().filter(|_| true) {
            if !needed[k] && !visited[k] {
                continue;
            }
            if self.fronts[k].is_none() {
                self.fronts[k] = known.get(value_key(plan, k as KindId));
                compute[k] = self.fronts[k].is_none();
            }
            if let Recipe::Join(children) = &plan.kinds[k].recipe
                && (compute[k] || deep)
            {
                children
                    .iter()
                    .for_each(|c| visited[c.kind as usize] = true);
            }
        }
        let mut height = vec![0_usize; n];
        let mut levels: Vec<Vec<KindId>> = Vec::new();
        for k in (0..n).filter(|&k| compute[k]) {
            if let Recipe::Join(children) = &plan.kinds[k].recipe {
                let below = children.iter().filter(|c| compute[c.kind as usize]);
                height[k] = below
                    .map(|c| height[c.kind as usize] + 1)
                    .max()
                    .unwrap_or(0);
            }
            if levels.len() <= height[k] {
                levels.resize(height[k] + 1, Vec::new());
            }
            levels[height[k]].push(k as KindId);
        }
        // The largest first, so that the pool doesn't wait for one that came last.
        for level in &mut levels {
            level.sort_by_key(|&k| (std::cmp::Reverse(plan.kinds[k as usize].flops()), k));
        }
        levels
    }

    fn front(&self, plan: &Plan, id: KindId, leaves: &dyn Leaves) -> Result<Front, FrontError> {
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
                    parts.add(&self.get(child.kind).schur, &child.images);
                }
            }
            Recipe::Given => unreachable!("given fronts are put in before anything needs them"),
        }
        parts.eliminate().ok_or(FrontError::Singular { kind: id })
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

/// A table's key of a kind's value.
fn value_key(plan: &Plan, kind: KindId) -> Fingerprint {
    Hasher::new(54).key(plan.kinds[kind as usize].key).finish()
}

/// Columns that one task works on.
const PANEL: usize = 192;

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
    fn eliminate(self) -> Option<Front> {
        let (b, e) = (self.boundary.nrows(), self.eliminated.nrows());
        let mut schur = self.boundary;
        if e == 0 {
            mirror(&mut schur);
            return Some(Front {
                schur,
                weights: Mat::zeros(0, b),
                pivot: None,
            });
        }
        let pivot = Pivot::new(self.eliminated)?;
        let coupling = self.coupling;
        let mut weights = coupling.clone();
        panels(weights.as_mut(), 0, &|mut panel, _| {
            pivot.solve_in_place(panel.rb_mut());
            panel *= faer::Scale(-1.0);
        });
        // Only the lower triangle, a panel of columns at a time.
        panels(schur.as_mut(), 0, &|panel, first| {
            let (rows, columns) = (panel.nrows(), panel.ncols());
            let below = panel.submatrix_mut(first, 0, rows - first, columns);
            matmul(
                below,
                Accum::Add,
                coupling.submatrix(0, first, e, rows - first).transpose(),
                weights.submatrix(0, first, e, columns),
                1.0,
                Par::Seq,
            );
        });
        mirror(&mut schur);
        let finite = |m: &Mat<f64>| {
            (0..m.ncols()).all(|j| m.col_as_slice(j).iter().sum::<f64>().is_finite())
        };
        (finite(&schur) && finite(&weights)).then_some(Front {
            schur,
            weights,
            pivot: Some(pivot),
        })
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

/// Calls `work` on panels of columns of a fixed width, each with its first column, side by side.
fn panels(m: MatMut<'_, f64>, first: usize, work: &(dyn Fn(MatMut<'_, f64>, usize) + Sync)) {
    let n = m.ncols();
    if n <= PANEL {
        return work(m, first);
    }
    let half = n.div_ceil(PANEL) / 2 * PANEL;
    let (left, right) = m.split_at_col_mut(half);
    rayon::join(
        || panels(left, first, work),
        || panels(right, first + half, work),
    );
}

#[cfg(test)]
mod tests;
