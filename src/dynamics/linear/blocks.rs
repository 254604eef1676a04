//! Rows in blocks that only touch the next ones, so that every other block can be worked on at once.

use stokeslet_base::parallel;

use super::{Matrix, Real, SPLIT_ENTRIES};

/// Blocks of fewer rows are not worth a task.
const SMALLEST: usize = 4096;

/// Consecutive rows of a symmetric matrix, cut so that no row of a block touches any but its own and the two neighbouring blocks.
///
/// Even blocks don't touch each other, nor do odd ones: a sweep over all even blocks and then over all odd ones is a Gauss-Seidel
/// sweep in another order, and its result doesn't depend on how many threads share the work. On the cells of a lattice, blocks are
/// slabs across the last axis.
/// # Example
/// ```
/// use stokeslet_dynamics::linear::{Blocks, Builder};
/// let mut chain = Builder::new(3);
/// for i in 0..3 {
///     for other in [i - 1, i + 1].into_iter().filter(|k| (0..3).contains(k)) {
///         chain.entry(other as usize, -1.0);
///     }
///     chain.end_row(2.0);
/// }
/// assert_eq!(Blocks::of(&chain.finish()).len(), 1, "too small to share");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// Where blocks begin; one more than blocks.
    starts: Vec<u32>,
    /// The lowest and one past the highest unknown that the rows of a block touch.
    reach: Vec<(u32, u32)>,
}

impl Blocks {
    /// Cuts the rows of a matrix, as small as is worth a task; one block where a second thread is not worth it.
    pub fn of<T: Real>(matrix: &Matrix<T>) -> Self {
        let is_shared = matrix.nnz() >= SPLIT_ENTRIES;
        Self::at_least(matrix, if is_shared { SMALLEST } else { matrix.n() })
    }

    /// Cuts into blocks of at least `smallest` rows.
    fn at_least<T: Real>(matrix: &Matrix<T>, smallest: usize) -> Self {
        let n = matrix.n();
        let mut starts = vec![0u32];
        let mut reach = Vec::new();
        let mut begin = 0;
        // No block may end before this: all that the rows of the block before touch.
        let mut least = 0;
        while begin < n {
            let mut end = (begin + smallest.max(1)).max(least).min(n);
            // What would be left is no block by itself.
            if n - end < smallest {
                end = n;
            }
            let (mut low, mut high) = (begin as u32, end as u32);
            for i in begin..end {
                let columns = matrix.row(i).0;
                if let (Some(first), Some(last)) = (columns.first(), columns.last()) {
                    low = low.min(*first);
                    high = high.max(last + 1);
                }
            }
            reach.push((low, high));
            starts.push(end as u32);
            least = high as usize;
            begin = end;
        }
        Self { starts, reach }
    }

    /// How many blocks.
    pub fn len(&self) -> usize {
        self.reach.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reach.is_empty()
    }

    /// Works on every block of one parity: even ones (`odd` false) or odd ones.
    ///
    /// # Shapes and units
    /// - `work(rows, low, x)` may change the unknowns of `rows`; `x` holds all that those rows touch, from unknown `low` on
    pub fn in_parallel<T: Real>(
        &self,
        odd: bool,
        x: &mut [T],
        work: impl Fn(std::ops::Range<usize>, usize, &mut [T]) + Sync,
    ) {
        let mut own: Vec<(usize, &mut [T])> = Vec::new();
        let mut others: Vec<&[T]> = Vec::new();
        let mut rest = x;
        for k in 0..self.len() {
            let (part, after) = rest.split_at_mut((self.starts[k + 1] - self.starts[k]) as usize);
            rest = after;
            if (k % 2 == 1) == odd {
                own.push((k, part));
            } else {
                others.push(part);
            }
        }
        parallel::map_owned(own, |(k, part)| {
            let (begin, end) = (self.starts[k] as usize, self.starts[k + 1] as usize);
            let (low, high) = (self.reach[k].0 as usize, self.reach[k].1 as usize);
            let mut local: Vec<T> = Vec::with_capacity(high - low);
            if low < begin {
                let before = others[(k - 1) / 2];
                local.extend_from_slice(&before[before.len() - (begin - low)..]);
            }
            local.extend_from_slice(part);
            if high > end {
                local.extend_from_slice(&others[k.div_ceil(2)][..high - end]);
            }
            work(begin..end, low, &mut local);
            part.copy_from_slice(&local[begin - low..end - low]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::tests::chain;
    use super::*;

    #[test]
    fn blocks_cover_all_rows_and_touch_only_their_neighbours() {
        // A chain whose rows are joined over 7 unknowns as well.
        let mut builder = super::super::Builder::new(100);
        for i in 0..100usize {
            for other in [i.wrapping_sub(7), i.wrapping_sub(1), i + 1, i + 7] {
                if other < 100 {
                    builder.entry(other, -1.0);
                }
            }
            builder.end_row(4.0);
        }
        for (matrix, smallest) in [(builder.finish(), 3), (chain(100), 9)] {
            let blocks = Blocks::at_least(&matrix, smallest);
            assert!(blocks.len() > 8);
            assert_eq!((blocks.starts[0], blocks.starts[blocks.len()]), (0, 100));
            for k in 0..blocks.len() {
                let allowed =
                    blocks.starts[k.saturating_sub(1)]..blocks.starts[(k + 2).min(blocks.len())];
                for i in blocks.starts[k]..blocks.starts[k + 1] {
                    assert!(matrix.row(i as usize).0.iter().all(|c| allowed.contains(c)));
                }
            }
        }
    }

    #[test]
    fn every_block_sees_what_its_rows_touch() {
        let a = chain(50);
        let blocks = Blocks::at_least(&a, 6);
        let mut x: Vec<f64> = (0..50).map(f64::from).collect();
        for odd in [false, true] {
            blocks.in_parallel(odd, &mut x, |rows, low, x| {
                for i in rows {
                    for c in a.row(i).0 {
                        assert_eq!(x[*c as usize - low] % 100.0, f64::from(*c));
                    }
                    x[i - low] += 100.0;
                }
            });
        }
        let want: Vec<f64> = (0..50).map(|i| f64::from(i) + 100.0).collect();
        assert_eq!(x, want);
    }
}
