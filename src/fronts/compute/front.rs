//! One front: children added up and eliminated, block column by block column.
//!
//! ```text
//! F_ee     added up, factorised                                          L D L^T, see pivot
//! F_eb     by panels of columns: added up, X = L^-1 P F_eb, H = -D^-1 X   side by side
//! F_bb     by block columns: added up, S = F_bb + H^T X, below the diagonal  side by side
//! ```
//! Each block is added up just before it is used, while it is in a processor's cache. Blocks have fixed sizes, so a value never
//! depends on the number of threads.

use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, MatMut, Par};
use stokeslet_base::parallel;
use stokeslet_base::vectors::clear_upper_halves;

use super::inside::{Inside, Way, Whole};
use super::lower::{Lower, Triangle};
use crate::panels;
use crate::pivot::Pivot;
use crate::plan::{Image, NOWHERE};
use crate::tree::{ScaledRange, ranges};

/// Columns that one task works on.
pub const WIDTH: usize = 256;

/// A symmetric matrix and where its unknowns lie in a front.
pub struct Part<'a> {
    matrix: Triangle<'a>,
    /// Ranges that don't cross from the boundary to the eliminated unknowns, with their first unknown in the matrix.
    ranges: Vec<(usize, ScaledRange)>,
}

impl<'a> Part<'a> {
    /// A matrix on unknowns that lie at `images` of a front with `b` unknowns that stay.
    pub fn new(matrix: Triangle<'a>, images: &[Image], b: usize) -> Self {
        let b = b as u32;
        let mut found = Vec::new();
        let mut at = 0;
        for range in ranges(images.iter().copied()) {
            if range.start != NOWHERE {
                let inside = b.clamp(range.start, range.start + range.len) - range.start;
                for (start, len) in [(0, inside), (inside, range.len - inside)] {
                    if len > 0 {
                        let part = ScaledRange {
                            start: range.start + start,
                            len,
                            factor: range.factor,
                        };
                        found.push((at + start as usize, part));
                    }
                }
            }
            at += range.len as usize;
        }
        Self {
            matrix,
            ranges: found,
        }
    }

    /// Adds its entries of a window of the front, of which those above the front's diagonal may be left out.
    ///
    /// # Shapes and units
    /// - `rows`, `columns`: first and past the last
    fn add(&self, mut to: MatMut<'_, f64>, rows: [usize; 2], columns: [usize; 2]) {
        for &(from_column, column) in &self.ranges {
            let Some((skipped, first, n)) = clip(column, columns) else {
                continue;
            };
            let from_column = from_column + skipped;
            for &(from_row, row) in &self.ranges {
                let Some((skipped, top, m)) = clip(row, rows) else {
                    continue;
                };
                if top + m <= first {
                    continue;
                }
                let window = to
                    .as_mut()
                    .submatrix_mut(top - rows[0], first - columns[0], m, n);
                let factor = row.factor * column.factor;
                add_window(
                    self.matrix,
                    [from_row + skipped, from_column],
                    factor,
                    window,
                );
            }
        }
    }
}

/// The part of a range inside a window: how many are left out before it, its first unknown and how many it has.
fn clip(range: ScaledRange, [low, high]: [usize; 2]) -> Option<(usize, usize, usize)> {
    let (start, end) = (range.start as usize, (range.start + range.len) as usize);
    let (first, last) = (start.max(low), end.min(high));
    (first < last).then(|| (first - start, first, last - first))
}

/// `to += factor * s[i.., j..]`, read from the lower triangle; where the window of `s` meets its diagonal, what lies above is left
/// out.
fn add_window(s: Triangle<'_>, [i, j]: [usize; 2], factor: f64, mut to: MatMut<'_, f64>) {
    const TILE: usize = 16;
    let (m, n) = (to.nrows(), to.ncols());
    if i + m <= j {
        for left in (0..n).step_by(TILE) {
            let width = TILE.min(n - left);
            let mut tile = to.as_mut().subcols_mut(left, width);
            for k in 0..m {
                let from = &s.column(i + k, j + left)[..width];
                for (c, f) in from.iter().enumerate() {
                    tile[(k, c)] += factor * f;
                }
            }
        }
        return;
    }
    for (k, column) in to.col_iter_mut().enumerate() {
        let above = (j + k).saturating_sub(i);
        if above >= m {
            break;
        }
        let from = &s.column(j + k, i + above)[..m - above];
        let Some(column) = column.try_as_col_major_mut() else {
            continue;
        };
        let to = &mut column.as_slice_mut()[above..];
        if factor == 1.0 {
            to.iter_mut().zip(from).for_each(|(t, f)| *t += f);
        } else {
            to.iter_mut().zip(from).for_each(|(t, f)| *t += factor * f);
        }
    }
}

/// The sum of `parts`, whose first `b` unknowns stay and whose other `e` go; `None` where the pivot block is singular.
pub fn eliminate(parts: &[Part<'_>], b: usize, e: usize) -> Option<(Lower, Inside)> {
    let sum = |rows: [usize; 2], columns: [usize; 2]| {
        let mut out = Mat::zeros(rows[1] - rows[0], columns[1] - columns[0]);
        parts
            .iter()
            .for_each(|p| p.add(out.as_mut(), rows, columns));
        out
    };
    let whole = |way| Inside::new([b, e], Way::Whole(Box::new(way)));
    if e == 0 {
        let blocks = each_block(b, |columns| finite(sum([columns[0], b], columns)))?;
        return Some((Lower::new(b, blocks), whole(Whole::default())));
    }
    let pivot = Pivot::new(sum([b, b + e], [b, b + e]))?;
    // H or, by LU, the weights.
    let mut made = Mat::zeros(e, b);
    let panels = panels::columns(made.as_mut(), WIDTH)
        .into_iter()
        .enumerate();
    parallel::map_owned(panels.collect(), |(k, mut made)| {
        let first = k * WIDTH;
        let coupling = sum([b, b + e], [first, first + made.ncols()]);
        pivot.permute(&coupling, made.as_mut());
        if pivot.is_symmetric() {
            pivot.lower(made.as_mut());
            pivot.middle(made);
        } else {
            pivot.solve_permuted(made.as_mut());
            made *= faer::Scale(-1.0);
        }
    });
    let blocks = each_block(b, |columns| {
        let [first, last] = columns;
        let mut block = sum([first, b], columns);
        let n = last - first;
        let (mut diagonal, below) = block.as_mut().split_at_row_mut(n);
        // S = F_bb + H^T X, symmetric; X = -D H again rather than kept beside H
        let here = if pivot.is_symmetric() {
            pivot.before_middle(made.as_ref().subcols(first, n))
        } else {
            sum([b, b + e], columns)
        };
        triangular::matmul(
            diagonal.as_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            made.as_ref().subcols(first, n).transpose(),
            BlockStructure::Rectangular,
            &here,
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
        let after = made.as_ref().subcols(last, b - last).transpose();
        matmul(below, Accum::Add, after, &here, 1.0, Par::Seq);
        clear_upper_halves();
        finite(block)
    })?;
    // What isn't finite in H is in S too, since each of its columns meets itself on the diagonal.
    let inside = if pivot.is_symmetric() {
        Whole::half_way(made, pivot)
    } else {
        Whole::of_weights(made, pivot)
    };
    Some((Lower::new(b, blocks), whole(inside)))
}

/// Sums side by side: one after the other each would wait for the last.
fn is_finite(m: &Mat<f64>) -> bool {
    (0..m.ncols()).all(|j| {
        let mut sums = [0.0; 16];
        let chunks = m.col_as_slice(j).chunks(sums.len());
        chunks.for_each(|chunk| sums.iter_mut().zip(chunk).for_each(|(s, x)| *s += x));
        sums.iter().sum::<f64>().is_finite()
    })
}

fn finite(m: Mat<f64>) -> Option<Mat<f64>> {
    is_finite(&m).then_some(m)
}

/// The block columns of an `n` x `n` matrix, side by side.
pub fn each_block(
    n: usize,
    work: impl Fn([usize; 2]) -> Option<Mat<f64>> + Sync,
) -> Option<Vec<Mat<f64>>> {
    let block = |k: usize| work([k * WIDTH, ((k + 1) * WIDTH).min(n)]);
    match n.div_ceil(WIDTH) {
        0 => Some(vec![Mat::zeros(0, 0)]),
        1 => Some(vec![block(0)?]),
        n => parallel::map_owned((0..n).collect(), block)
            .into_iter()
            .collect(),
    }
}
