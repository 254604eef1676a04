//! Fronts over a vector: forward and back substitution for many copies at once, as matrix-matrix products.
//!
//! A [`Tree`] says how the unknowns of one piece follow from its boundary: local vector = [boundary | eliminated, node by node].
//! Its copies lie one after the other. Nodes of one level and kind, of all copies, are gathered into the columns of one product.

use std::ops::Range;

use faer::Mat;
use stokeslet_base::parallel;

use super::compute::{Inside, Values};
use super::plan::{Image, KindId, NOWHERE};

/// Consecutive unknowns of a local vector that a front's boundary reads, with one factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledRange {
    /// First place; [`NOWHERE`]: zeros.
    pub start: u32,
    /// How many.
    pub len: u32,
    /// Factor of all of them.
    pub factor: f64,
}

/// Images as ranges.
pub fn ranges(images: impl IntoIterator<Item = Image>) -> Vec<ScaledRange> {
    let mut out: Vec<ScaledRange> = Vec::new();
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
            _ => out.push(ScaledRange {
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
    /// Where its boundary lies in the local vector.
    pub boundary: Vec<ScaledRange>,
    /// Where its eliminated unknowns begin in the local vector.
    pub eliminated: u32,
    /// Distance from the root: a node reads only what nodes of smaller depth (or the boundary) hold.
    pub depth: u32,
}

/// How the unknowns of a piece follow from its boundary.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Unknowns of the boundary; they come first in a local vector.
    pub n_boundary: usize,
    /// Unknowns of a local vector.
    pub n: usize,
    nodes: Vec<Node>,
    /// By depth: nodes of one kind.
    levels: Vec<Vec<(KindId, Vec<u32>)>>,
}

/// Finds a front by the number that a tree has for its kind: those of a tree that is kept for many chips are not a plan's.
pub type Fronts<'a> = dyn Fn(KindId) -> &'a Inside + Sync + 'a;

/// Columns of one product.
const COLUMNS: usize = 128;

/// From so many multiplications on the products of a level are done side by side.
const SIDE_BY_SIDE: usize = 1 << 18;

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
        let ranges: usize = self.nodes.iter().map(|n| n.boundary.len()).sum();
        (self.nodes.len() * (size_of::<Node>() + 4) + ranges * size_of::<ScaledRange>()) as u64
    }

    /// Kinds that back-substitution reads.
    pub fn kinds(&self) -> impl Iterator<Item = KindId> + '_ {
        self.levels.iter().flatten().map(|g| g.0)
    }

    /// Fills the eliminated unknowns of every local vector from its boundary.
    ///
    /// # Shapes and units
    /// - `local`: any number of local vectors one after the other, boundaries filled in
    /// - `loads`: what [`Self::forward`] left, where there were loads
    pub fn back(&self, values: &Values, local: &mut [f64], loads: Option<&[f64]>) {
        self.back_by(&|kind| values.inside(kind), local, loads);
    }

    /// As [`Self::back`], with fronts found by the tree's own numbers.
    pub fn back_by(&self, fronts: &Fronts<'_>, local: &mut [f64], loads: Option<&[f64]>) {
        let copies = local.len() / self.n.max(1);
        for level in &self.levels {
            let groups: Vec<Group<'_>> = level
                .iter()
                .map(|(kind, members)| Group {
                    front: fronts(*kind),
                    members,
                    copies,
                })
                .collect();
            let blocks: Vec<(&Group<'_>, Range<usize>)> = groups
                .iter()
                .flat_map(|group| blocks(group.columns()).map(move |columns| (group, columns)))
                .collect();
            let substitute = |(group, columns): &(&Group<'_>, Range<usize>)| {
                let mut x = Mat::zeros(group.front.n_boundary(), columns.len());
                for (k, c) in columns.clone().enumerate() {
                    let (m, copy) = group.at(c);
                    let local_vector = &local[copy * self.n..][..self.n];
                    let boundary = &self.nodes[m as usize].boundary;
                    gather(boundary, local_vector, x.col_as_slice_mut(k));
                }
                group.front.substitute(&x, group.columns())
            };
            let work: usize = groups.iter().map(Group::multiplications).sum();
            let made: Vec<Mat<f64>> = if blocks.len() < 2 || work < SIDE_BY_SIDE {
                blocks.iter().map(substitute).collect()
            } else {
                parallel::each(&blocks, 1, substitute)
            };
            for ((group, columns), made) in blocks.iter().zip(&made) {
                for (k, c) in columns.clone().enumerate() {
                    let (m, copy) = group.at(c);
                    let first = copy * self.n + self.nodes[m as usize].eliminated as usize;
                    let from = made.col_as_slice(k);
                    let to = &mut local[first..first + from.len()];
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
    /// - `local`: loads on all unknowns, any number of local vectors
    pub fn forward(&self, values: &Values, local: &mut [f64]) {
        self.forward_by(&|kind| values.inside(kind), local);
    }

    /// As [`Self::forward`], with fronts found by the tree's own numbers.
    pub fn forward_by(&self, fronts: &Fronts<'_>, local: &mut [f64]) {
        for (kind, members) in self.levels.iter().rev().flatten() {
            let front = fronts(*kind);
            let n_eliminated = front.n_eliminated();
            let copies = local.len() / self.n.max(1);
            let loaded: Vec<(u32, usize)> = (0..copies)
                .flat_map(|c| members.iter().map(move |&m| (m, c * self.n)))
                .filter(|&(m, base)| {
                    let first = base + self.nodes[m as usize].eliminated as usize;
                    local[first..first + n_eliminated].iter().any(|&b| b != 0.0)
                })
                .collect();
            let blocks: Vec<Range<usize>> = blocks(loaded.len()).collect();
            let carry = |columns: &Range<usize>| {
                let mut b = Mat::zeros(n_eliminated, columns.len());
                for (k, &(m, base)) in loaded[columns.clone()].iter().enumerate() {
                    let first = base + self.nodes[m as usize].eliminated as usize;
                    b.col_as_slice_mut(k)
                        .copy_from_slice(&local[first..first + n_eliminated]);
                }
                front.carry(&b)
            };
            let carried = parallel::each(&blocks, 1, carry);
            for (block, (y, carried)) in carried.iter().enumerate() {
                for k in 0..y.ncols() {
                    let (m, base) = loaded[block * COLUMNS + k];
                    let node = &self.nodes[m as usize];
                    let local_vector = &mut local[base..base + self.n];
                    let first = node.eliminated as usize;
                    local_vector[first..first + n_eliminated].copy_from_slice(y.col_as_slice(k));
                    scatter(&node.boundary, carried.col_as_slice(k), local_vector);
                }
            }
        }
    }
}

/// So many columns in blocks of at most [`COLUMNS`].
fn blocks(columns: usize) -> impl Iterator<Item = Range<usize>> {
    let ends = (0..columns.div_ceil(COLUMNS)).map(|k| k * COLUMNS);
    ends.map(move |from| from..(from + COLUMNS).min(columns))
}

/// Nodes of one level and kind, in all copies.
struct Group<'a> {
    front: &'a Inside,
    members: &'a [u32],
    copies: usize,
}

impl Group<'_> {
    fn columns(&self) -> usize {
        self.members.len() * self.copies
    }

    /// Node and copy of a column. Copies in the outer place: one copy's nodes lie near each other.
    fn at(&self, column: usize) -> (u32, usize) {
        let n = self.members.len();
        (self.members[column % n], column / n)
    }

    /// Multiplications of its products, at most.
    fn multiplications(&self) -> usize {
        self.columns() * self.front.n_boundary() * self.front.n_eliminated()
    }
}

/// Reads ranges of `from` into `to`.
pub fn gather(ranges: &[ScaledRange], from: &[f64], to: &mut [f64]) {
    let mut at = 0;
    for range in ranges {
        let len = range.len as usize;
        let to = &mut to[at..at + len];
        if range.start == NOWHERE {
            to.fill(0.0);
        } else {
            let from = &from[range.start as usize..range.start as usize + len];
            if range.factor == 1.0 {
                to.copy_from_slice(from);
            } else {
                to.iter_mut()
                    .zip(from)
                    .for_each(|(t, f)| *t = range.factor * f);
            }
        }
        at += len;
    }
}

/// Adds `from` to the ranges of `to`: the transpose of [`gather`].
pub fn scatter(ranges: &[ScaledRange], from: &[f64], to: &mut [f64]) {
    let mut at = 0;
    for range in ranges {
        let len = range.len as usize;
        if range.start != NOWHERE {
            let to = &mut to[range.start as usize..range.start as usize + len];
            to.iter_mut()
                .zip(&from[at..at + len])
                .for_each(|(t, f)| *t += range.factor * f);
        }
        at += len;
    }
}

#[cfg(test)]
mod tests;
