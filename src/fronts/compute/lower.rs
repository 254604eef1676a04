//! Symmetric matrices of which the lower triangle is kept, in block columns: half the memory of the square, written once and by
//! several threads.
//!
//! ```text
//! block 0: |#.          column j lies in block j / WIDTH, which holds rows from the block's first column down;
//!          |##|#.       what a block holds above the diagonal is arbitrary
//!          |##|##|#.
//! ```

use faer::Mat;

use super::front::WIDTH;

/// Lower triangle of an `n` x `n` symmetric matrix.
#[derive(Debug)]
pub struct Lower {
    n: usize,
    blocks: Vec<Mat<f64>>,
}

impl Lower {
    /// The triangle of these block columns, each [`WIDTH`] wide but for the last.
    pub fn new(n: usize, blocks: Vec<Mat<f64>>) -> Self {
        Self { n, blocks }
    }

    /// Both triangles.
    pub fn whole(mut self) -> Mat<f64> {
        if self.blocks.len() == 1
            && let Some(mut only) = self.blocks.pop()
        {
            mirror(&mut only);
            return only;
        }
        let mut out = Mat::zeros(self.n, self.n);
        for (k, block) in self.blocks.iter().enumerate() {
            for j in 0..block.ncols() {
                let column = k * WIDTH + j;
                out.col_as_slice_mut(column)[column..].copy_from_slice(&block.col_as_slice(j)[j..]);
            }
        }
        mirror(&mut out);
        out
    }
}

/// A symmetric matrix whose lower triangle can be read.
#[derive(Clone, Copy)]
pub enum Triangle<'a> {
    /// The triangle of a square.
    Whole(&'a Mat<f64>),
    /// The triangle of block columns.
    Lower(&'a Lower),
}

impl<'a> Triangle<'a> {
    /// Column `j` from row `i` on, where `i >= j`.
    pub fn column(self, j: usize, i: usize) -> &'a [f64] {
        match self {
            Self::Whole(m) => &m.col_as_slice(j)[i..],
            Self::Lower(m) => {
                let block = j / WIDTH;
                &m.blocks[block].col_as_slice(j - block * WIDTH)[i - block * WIDTH..]
            }
        }
    }
}

/// Copies the lower triangle to the upper one, tile by tile.
pub fn mirror(m: &mut Mat<f64>) {
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
