//! Fronts over a vector: forward and back substitution for many copies at once, as matrix-matrix products.
//!
//! A [`Tree`] says how the unknowns of one piece follow from its boundary: slab = [boundary | eliminated, node by node]. Its
//! copies lie one after the other. Nodes of one level and kind, of all copies, are gathered into the columns of one product.

use faer::Mat;
use rayon::prelude::*;

use super::compute::{Inside, Values};
use super::plan::{Image, KindId, NOWHERE};

/// Consecutive unknowns of a slab that a front's boundary reads, with one factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// First place; [`NOWHERE`]: zeros.
    pub start: u32,
    /// How many.
    pub len: u32,
    /// Of all of them.
    pub factor: f64,
}

/// Images as runs.
pub fn runs(images: impl IntoIterator<Item = Image>) -> Vec<Run> {
    let mut out: Vec<Run> = Vec::new();
    for image in images {
        match out.last_mut() {
            Some(last)
                if last.factor == image.factor
                    && (if last.start == NOWHERE {
                        image.to == NOWHERE
                    } else {
                        image.to == last.start + last.len
                    }) =>
            {
                last.len += 1;
            }
            _ => out.push(Run {
                start: image.to,
                len: 1,
                factor: image.factor,
            }),
        }
    }
    out
}

/// One front of a tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its kind.
    pub kind: KindId,
    /// Where its boundary lies in the slab.
    pub boundary: Vec<Run>,
    /// Where its eliminated unknowns begin in the slab.
    pub eliminated: u32,
    /// Distance from the root: a node reads only what nodes of smaller depth (or the boundary) hold.
    pub depth: u32,
}

/// How the unknowns of a piece follow from its boundary.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Unknowns of the boundary; they come first in a slab.
    pub n_boundary: usize,
    /// Unknowns of a slab.
    pub n: usize,
    nodes: Vec<Node>,
    /// By depth: nodes of one kind.
    levels: Vec<Vec<(KindId, Vec<u32>)>>,
}

/// Finds a front by the number that a tree has for its kind: those of a tree that is kept for many chips are not a plan's.
pub type Fronts<'a> = dyn Fn(KindId) -> &'a Inside + Sync + 'a;

/// Columns of one product.
const COLUMNS: usize = 128;

impl Tree {
    /// Sorts the nodes by depth and kind; those that eliminate nothing are dropped.
    pub fn new(
        n_boundary: usize,
        n: usize,
        mut nodes: Vec<Node>,
        eliminates: impl Fn(KindId) -> bool,
    ) -> Self {
        nodes.retain(|node| eliminates(node.kind));
        let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
        order.sort_by_key(|&k| (nodes[k as usize].depth, nodes[k as usize].kind, k));
        let mut levels: Vec<Vec<(KindId, Vec<u32>)>> = Vec::new();
        let mut last = None;
        for k in order {
            let node = &nodes[k as usize];
            if last != Some(node.depth) {
                levels.push(Vec::new());
                last = Some(node.depth);
            }
            let level = levels.last_mut().expect("one was just pushed");
            match level.last_mut() {
                Some((kind, members)) if *kind == node.kind => members.push(k),
                _ => level.push((node.kind, vec![k])),
            }
        }
        Self {
            n_boundary,
            n,
            nodes,
            levels,
        }
    }

    /// Bytes that it holds, about.
    pub fn bytes(&self) -> u64 {
        let runs: usize = self.nodes.iter().map(|n| n.boundary.len()).sum();
        (self.nodes.len() * (size_of::<Node>() + 4) + runs * size_of::<Run>()) as u64
    }

    /// Kinds that back-substitution reads.
    pub fn kinds(&self) -> impl Iterator<Item = KindId> + '_ {
        self.levels.iter().flatten().map(|g| g.0)
    }

    /// Fills the eliminated unknowns of every slab from its boundary.
    ///
    /// # Shapes and units
    /// - `slabs`: any number of slabs one after the other, boundaries filled in
    /// - `loads`: what [`Self::forward`] left, where there were loads
    pub fn back(&self, values: &Values, slabs: &mut [f64], loads: Option<&[f64]>) {
        self.back_by(&|kind| values.inside(kind), slabs, loads);
    }

    /// As [`Self::back`], with fronts found by the tree's own numbers.
    pub fn back_by(&self, fronts: &Fronts<'_>, slabs: &mut [f64], loads: Option<&[f64]>) {
        for (kind, members) in self.levels.iter().flatten() {
            let front = fronts(*kind);
            let copies = slabs.len() / self.n.max(1);
            let columns = members.len() * copies;
            // Copies in the outer place: one copy's nodes lie near each other.
            let at = |c: usize| {
                (
                    &self.nodes[members[c % members.len()] as usize],
                    c / members.len() * self.n,
                )
            };
            let blocks: Vec<Mat<f64>> = each_block(columns, |from, to| {
                let mut x = Mat::zeros(front.n_boundary(), to - from);
                for c in from..to {
                    let (node, base) = at(c);
                    gather(
                        &node.boundary,
                        &slabs[base..base + self.n],
                        x.col_as_slice_mut(c - from),
                    );
                }
                front.substitute(&x, columns)
            });
            for (block, made) in blocks.iter().enumerate() {
                for k in 0..made.ncols() {
                    let (node, base) = at(block * COLUMNS + k);
                    let first = base + node.eliminated as usize;
                    let from = made.col_as_slice(k);
                    let to = &mut slabs[first..first + from.len()];
                    match loads {
                        Some(loads) => {
                            let y = &loads[first..first + from.len()];
                            to.iter_mut()
                                .zip(from)
                                .zip(y)
                                .for_each(|((t, f), y)| *t = f + y);
                        }
                        None => to.copy_from_slice(from),
                    }
                }
            }
        }
    }

    /// Carries loads on eliminated unknowns to the boundary, leaving in their place what [`Self::back`] adds.
    ///
    /// # Shapes and units
    /// - `slabs`: loads on all unknowns, any number of slabs
    pub fn forward(&self, values: &Values, slabs: &mut [f64]) {
        self.forward_by(&|kind| values.inside(kind), slabs);
    }

    /// As [`Self::forward`], with fronts found by the tree's own numbers.
    pub fn forward_by(&self, fronts: &Fronts<'_>, slabs: &mut [f64]) {
        for (kind, members) in self.levels.iter().rev().flatten() {
            let front = fronts(*kind);
            let n_eliminated = front.n_eliminated();
            let copies = slabs.len() / self.n.max(1);
            let loaded: Vec<(u32, usize)> = (0..copies)
                .flat_map(|c| members.iter().map(move |&m| (m, c * self.n)))
                .filter(|&(m, base)| {
                    let first = base + self.nodes[m as usize].eliminated as usize;
                    slabs[first..first + n_eliminated].iter().any(|&b| b != 0.0)
                })
                .collect();
            let blocks: Vec<(Mat<f64>, Mat<f64>)> = each_block(loaded.len(), |from, to| {
                let mut b = Mat::zeros(n_eliminated, to - from);
                for (k, &(m, base)) in loaded[from..to].iter().enumerate() {
                    let first = base + self.nodes[m as usize].eliminated as usize;
                    b.col_as_slice_mut(k)
                        .copy_from_slice(&slabs[first..first + n_eliminated]);
                }
                front.carry(&b)
            });
            for (block, (y, carried)) in blocks.iter().enumerate() {
                for k in 0..y.ncols() {
                    let (m, base) = loaded[block * COLUMNS + k];
                    let node = &self.nodes[m as usize];
                    let slab = &mut slabs[base..base + self.n];
                    let first = node.eliminated as usize;
                    slab[first..first + n_eliminated].copy_from_slice(y.col_as_slice(k));
                    scatter(&node.boundary, carried.col_as_slice(k), slab);
                }
            }
        }
    }
}

/// Blocks of at most [`COLUMNS`] columns, side by side where there are several.
fn each_block<T: Send>(columns: usize, work: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let n = columns.div_ceil(COLUMNS);
    let block = |k: usize| work(k * COLUMNS, ((k + 1) * COLUMNS).min(columns));
    if n < 4 {
        (0..n).map(block).collect()
    } else {
        (0..n).into_par_iter().map(block).collect()
    }
}

/// Reads runs of `from` into `to`.
pub fn gather(runs: &[Run], from: &[f64], to: &mut [f64]) {
    let mut at = 0;
    for run in runs {
        let len = run.len as usize;
        let to = &mut to[at..at + len];
        if run.start == NOWHERE {
            to.fill(0.0);
        } else {
            let from = &from[run.start as usize..run.start as usize + len];
            if run.factor == 1.0 {
                to.copy_from_slice(from);
            } else {
                to.iter_mut()
                    .zip(from)
                    .for_each(|(t, f)| *t = run.factor * f);
            }
        }
        at += len;
    }
}

/// Adds `from` to the runs of `to`: the transpose of [`gather`].
pub fn scatter(runs: &[Run], from: &[f64], to: &mut [f64]) {
    let mut at = 0;
    for run in runs {
        let len = run.len as usize;
        if run.start != NOWHERE {
            let to = &mut to[run.start as usize..run.start as usize + len];
            to.iter_mut()
                .zip(&from[at..at + len])
                .for_each(|(t, f)| *t += run.factor * f);
        }
        at += len;
    }
}

#[cfg(test)]
mod tests;
