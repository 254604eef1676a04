//! A factorised square symmetric block: `L D L^T` where signs allow it, else LU or `L B L^T` with pivoting.
//!
//! ```text
//! velocities: K > 0    P A P^T = [ K  C^T ]     C K^-1 C^T + M > 0, so any order of pivots exists;
//! pressures: -M <= 0             [ C  -M  ]     K first: no pivot is small that needn't be
//! ```
//! Such a *quasi-definite* block is known by its diagonal and proved by the signs of its pivots. It costs half of an LU and needs no
//! search, so it is all matrix products. Whether no digits were lost is checked by a bound, not assumed. Blocks of other signs
//! (ends of pipes, ties) are pivoted: by LU where they are small, several times faster there, else symmetrically.
//!
//! # Source
//! Vanderbei, "Symmetric quasidefinite matrices", SIAM J. Optim. 5 (1995); Higham, "Accuracy and Stability of Numerical Algorithms",
//! 2002, theorem 10.3: the error of `L D L^T` is below `n eps |L| |D| |L|^T`, largest on the diagonal.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::{lblt::factor as symmetric, ldlt::factor as definite};
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_unit_upper_triangular_in_place,
    solve_upper_triangular_in_place,
};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, Col, ColRef, Mat, MatMut, MatRef, Par};
use stokeslet_base::parallel;
use stokeslet_base::vectors::clear_upper_halves;

use super::compute::mirror;
use super::panels;

/// From this size on a block is tried as a quasi-definite one.
const QUASI_DEFINITE: usize = 64;

/// From this size on any block is factorised as the symmetric one that it is.
const SYMMETRIC: usize = 192;

/// Columns eliminated at a time.
const WIDTH: usize = 192;

/// Most that `|L| |D| |L|^T` may exceed the block.
const GROWTH: f64 = 1e4;

/// `P A = L U` or `P A P^T = L B L^T`.
#[derive(Debug)]
pub struct Pivot {
    factors: Mat<f64>,
    forward: Vec<usize>,
    middle: Middle,
    /// Operations that it took, those of an attempt that was given up too.
    flops: u64,
}

/// What stands between `L` and the other factor.
#[derive(Debug)]
enum Middle {
    /// Nothing: the other factor is `U`.
    Upper,
    /// Reciprocals of a diagonal.
    Diagonal(Vec<f64>),
    /// Diagonal and subdiagonal of `B`, whose blocks are of size one and two.
    Blocks(Col<f64>, Col<f64>),
}

impl Pivot {
    /// Factorises a symmetric block, of which the lower triangle is read; `None` where a pivot is zero or not finite.
    pub fn new(mut block: Mat<f64>) -> Option<Self> {
        let n = block.nrows();
        let is_tried = n >= QUASI_DEFINITE;
        if is_tried && let Some(done) = Self::quasi_definite(&block) {
            return Some(done);
        }
        let mut done = if n < SYMMETRIC {
            mirror(&mut block);
            Self::lu(block)?
        } else {
            Self::symmetric(block)?
        };
        done.flops += u64::from(is_tried) * symmetric_flops(n);
        Some(done)
    }

    /// Floating-point operations of the factorisation, lower terms left out.
    pub fn flops(&self) -> u64 {
        self.flops
    }

    /// `L D L^T` with the positive diagonal first; `None` where signs or growth say that it must be pivoted.
    fn quasi_definite(block: &Mat<f64>) -> Option<Self> {
        let n = block.nrows();
        let (mut forward, others): (Vec<usize>, Vec<usize>) =
            (0..n).partition(|&i| block[(i, i)] > 0.0);
        let n_positive = forward.len();
        forward.extend(others);
        let mut factors = Mat::zeros(n, n);
        let mut largest = 0.0_f64;
        for (j, &q) in forward.iter().enumerate() {
            let to = &mut factors.col_as_slice_mut(j)[j..];
            for (to, &p) in to.iter_mut().zip(&forward[j..]) {
                *to = block[(p.max(q), p.min(q))];
                largest = largest.max(to.abs());
            }
        }
        eliminate(factors.as_mut())?;
        let mut sums = vec![0.0; n];
        for j in 0..n {
            let column = &factors.col_as_slice(j)[j..];
            let d = column[0];
            if !d.is_finite() || d == 0.0 || (d > 0.0) != (j < n_positive) {
                return None;
            }
            let d = d.abs();
            sums[j] += d;
            let below = sums[j + 1..].iter_mut().zip(&column[1..]);
            below.for_each(|(sum, l)| *sum += d * l * l);
        }
        let within = sums.iter().all(|&sum| sum <= GROWTH * largest);
        let reciprocal = (0..n).map(|j| 1.0 / factors[(j, j)]).collect();
        within.then_some(Self {
            factors,
            forward,
            middle: Middle::Diagonal(reciprocal),
            flops: symmetric_flops(n),
        })
    }

    fn lu(mut block: Mat<f64>) -> Option<Self> {
        let n = block.nrows();
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        let scratch = factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default());
        factor::lu_in_place(
            block.as_mut(),
            &mut forward,
            &mut inverse,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        clear_upper_halves();
        let regular = (0..n).all(|i| block[(i, i)] != 0.0 && block[(i, i)].is_finite());
        regular.then_some(Self {
            factors: block,
            forward,
            middle: Middle::Upper,
            flops: 2 * symmetric_flops(n),
        })
    }

    fn symmetric(mut block: Mat<f64>) -> Option<Self> {
        let n = block.nrows();
        let (mut forward, mut inverse) = (vec![0; n], vec![0; n]);
        let mut below = Col::<f64>::zeros(n);
        let scratch =
            symmetric::cholesky_in_place_scratch::<usize, f64>(n, Par::Seq, Default::default());
        symmetric::cholesky_in_place(
            block.as_mut(),
            below.as_mut().as_diagonal_mut(),
            &mut forward,
            &mut inverse,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        );
        clear_upper_halves();
        let diagonal = Col::from_fn(n, |i| block[(i, i)]);
        is_regular(&diagonal, &below).then_some(Self {
            factors: block,
            forward,
            middle: Middle::Blocks(diagonal, below),
            flops: symmetric_flops(n),
        })
    }

    /// Whether only half of a solve is needed to eliminate.
    pub fn is_symmetric(&self) -> bool {
        !matches!(self.middle, Middle::Upper)
    }

    /// `P rhs`: what the solves take.
    pub fn permuted(&self, rhs: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(rhs.nrows(), rhs.ncols());
        self.permute(rhs, out.as_mut());
        out
    }

    /// The same into `out`.
    pub fn permute(&self, rhs: &Mat<f64>, out: MatMut<'_, f64>) {
        for (j, to) in out.col_iter_mut().enumerate() {
            let from = rhs.col_as_slice(j);
            to.iter_mut()
                .zip(&self.forward)
                .for_each(|(t, &i)| *t = from[i]);
        }
    }

    /// `P^T x`.
    fn back(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(x.nrows(), x.ncols());
        for j in 0..x.ncols() {
            let from = x.col_as_slice(j);
            let to = out.col_as_slice_mut(j);
            from.iter()
                .zip(&self.forward)
                .for_each(|(f, &i)| to[i] = *f);
        }
        out
    }

    /// LU only: `P rhs` becomes `A^-1 rhs`, with no memory of its own.
    pub fn solve_permuted(&self, mut rhs: MatMut<'_, f64>) {
        let factors = self.factors.as_ref();
        solve_unit_lower_triangular_in_place(factors, rhs.rb_mut(), Par::Seq);
        solve_upper_triangular_in_place(factors, rhs, Par::Seq);
        clear_upper_halves();
    }

    /// `x` becomes `L^-1 x`.
    pub fn lower(&self, x: MatMut<'_, f64>) {
        solve_unit_lower_triangular_in_place(self.factors.as_ref(), x, Par::Seq);
        clear_upper_halves();
    }

    /// Symmetric only: `x` becomes `-B^-1 x`.
    pub fn middle(&self, x: MatMut<'_, f64>) {
        for mut x in x.col_iter_mut() {
            match &self.middle {
                Middle::Upper => {}
                Middle::Diagonal(reciprocal) => {
                    x.iter_mut().zip(reciprocal).for_each(|(x, d)| *x *= -d);
                }
                Middle::Blocks(diagonal, below) => {
                    divide(diagonal.as_ref(), below.as_ref(), x.rb_mut());
                    x.iter_mut().for_each(|x| *x = -*x);
                }
            }
        }
    }

    /// Symmetric only: `-B h`, what [`Self::middle`] made `h` of.
    pub fn before_middle(&self, h: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = h.to_owned();
        match &self.middle {
            Middle::Upper => {}
            Middle::Diagonal(_) => {
                let diagonal: Vec<f64> = (0..h.nrows()).map(|i| -self.factors[(i, i)]).collect();
                for j in 0..h.ncols() {
                    let column = out.col_as_slice_mut(j).iter_mut();
                    column.zip(&diagonal).for_each(|(x, d)| *x *= d);
                }
            }
            Middle::Blocks(diagonal, below) => {
                for j in 0..h.ncols() {
                    let from = h.col(j);
                    for (i, to) in out.col_as_slice_mut(j).iter_mut().enumerate() {
                        let next = (i + 1 < h.nrows()).then(|| below[i] * from[i + 1]);
                        let last = i.checked_sub(1).map(|k| below[k] * from[k]);
                        *to = -(diagonal[i] * from[i] + next.unwrap_or(0.0) + last.unwrap_or(0.0));
                    }
                }
            }
        }
        out
    }

    /// Symmetric only: `P^T L^-T x`.
    pub fn upper(&self, mut x: Mat<f64>) -> Mat<f64> {
        solve_unit_upper_triangular_in_place(self.factors.transpose(), x.as_mut(), Par::Seq);
        clear_upper_halves();
        self.back(&x)
    }

    /// `A^-1 rhs`.
    pub fn solve(&self, rhs: &Mat<f64>) -> Mat<f64> {
        let mut out = self.permuted(rhs);
        if self.is_symmetric() {
            self.lower(out.as_mut());
            self.middle(out.as_mut());
            self.upper(out * faer::Scale(-1.0))
        } else {
            self.solve_permuted(out.as_mut());
            out
        }
    }
}

/// Operations for one triangle of `n` x `n`: half of an LU.
fn symmetric_flops(n: usize) -> u64 {
    (n as u64).pow(3) / 3
}

/// Lower triangle of `A` becomes `L` of `A = L D L^T`, with `D` on the diagonal; `None` where a pivot is zero.
fn eliminate(mut a: MatMut<'_, f64>) -> Option<()> {
    let n = a.nrows();
    for first in (0..n).step_by(WIDTH) {
        let width = WIDTH.min(n - first);
        let rest = a.rb_mut().submatrix_mut(first, first, n - first, n - first);
        let (mut top, _, mut left, mut square) = rest.split_at_mut(width, width);
        let scratch =
            definite::cholesky_in_place_scratch::<f64>(width, Par::Seq, Default::default());
        definite::cholesky_in_place(
            top.rb_mut(),
            Default::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Default::default(),
        )
        .ok()?;
        clear_upper_halves();
        let top = top.rb();
        let mut scaled = Mat::zeros(left.nrows(), width);
        let rows = panels::rows(left.rb_mut(), WIDTH).into_iter();
        let rows = rows.zip(panels::rows(scaled.as_mut(), WIDTH)).collect();
        parallel::map_owned(rows, |(mut rows, mut scaled)| {
            solve_unit_lower_triangular_in_place(top, rows.rb_mut().transpose_mut(), Par::Seq);
            clear_upper_halves();
            scaled.copy_from(&rows);
            for (k, column) in rows.col_iter_mut().enumerate() {
                let d = 1.0 / top[(k, k)];
                column.iter_mut().for_each(|x| *x *= d);
            }
        });
        let (left, scaled) = (left.rb(), scaled.as_ref());
        let chunks = panels::columns(square.rb_mut(), WIDTH)
            .into_iter()
            .enumerate();
        parallel::map_owned(chunks.collect(), |(k, chunk)| {
            let (above, n) = (k * WIDTH, chunk.ncols());
            let (_, chunk) = chunk.split_at_row_mut(above);
            let (diagonal, below) = chunk.split_at_row_mut(n);
            let left = left.subrows(above, left.nrows() - above);
            let right = scaled.subrows(above, n).transpose();
            triangular::matmul(
                diagonal,
                BlockStructure::TriangularLower,
                Accum::Add,
                left.subrows(0, n),
                BlockStructure::Rectangular,
                right,
                BlockStructure::Rectangular,
                -1.0,
                Par::Seq,
            );
            let left = left.subrows(n, left.nrows() - n);
            matmul(below, Accum::Add, left, right, -1.0, Par::Seq);
            clear_upper_halves();
        });
    }
    Some(())
}

/// Whether every block of `B` has an inverse.
fn is_regular(diagonal: &Col<f64>, below: &Col<f64>) -> bool {
    let n = diagonal.nrows();
    let mut i = 0;
    while i < n {
        let two = below[i] != 0.0 && i + 1 < n;
        let determinant = if two {
            diagonal[i] * diagonal[i + 1] - below[i] * below[i]
        } else {
            diagonal[i]
        };
        if determinant == 0.0 || !determinant.is_finite() {
            return false;
        }
        i += 1 + usize::from(two);
    }
    true
}

/// A column divided by a block diagonal matrix with blocks of size one and two.
fn divide(diagonal: ColRef<'_, f64>, below: ColRef<'_, f64>, mut x: faer::ColMut<'_, f64>) {
    let n = diagonal.nrows();
    let mut i = 0;
    while i < n {
        if below[i] != 0.0 && i + 1 < n {
            let (a, b, c) = (diagonal[i], below[i], diagonal[i + 1]);
            // Scaled by the off-diagonal entry, which is the largest where a block of two was chosen.
            let (p, q) = (a / b, c / b);
            let scale = 1.0 / ((p * q - 1.0) * b);
            let (u, v) = (x[i], x[i + 1]);
            x[i] = (q * u - v) * scale;
            x[i + 1] = (p * v - u) * scale;
            i += 2;
        } else {
            x[i] /= diagonal[i];
            i += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_factorisations_solve() {
        for n in [7, SYMMETRIC + 30] {
            let mut random = randoms(1);
            let m = Mat::from_fn(n, n, |_, _| random());
            // A saddle point: zeros on half of the diagonal.
            let a = Mat::from_fn(n, n, |i, j| {
                if i == j && i % 2 == 0 {
                    0.0
                } else {
                    m[(i, j)] + m[(j, i)]
                }
            });
            let x = Mat::from_fn(n, 3, |i, j| (i + 2 * j) as f64 / n as f64);
            let pivot = Pivot::new(a.clone()).expect("a regular matrix");
            assert_eq!(pivot.is_symmetric(), n >= SYMMETRIC);
            assert!((pivot.solve(&(&a * &x)) - &x).norm_max() < 1e-9);
        }
    }

    fn randoms(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        }
    }

    /// Two velocities to a pressure, mixed; `weakest`: the least entry of the velocities' diagonal matrix.
    fn stokes_like(n: usize, weakest: f64) -> Mat<f64> {
        let mut random = randoms(n as u64);
        let m = Mat::from_fn(n, n, |_, _| random());
        let is_pressure = |i: usize| i.is_multiple_of(3);
        Mat::from_fn(n, n, |i, j| match (is_pressure(i), is_pressure(j)) {
            (true, true) => 0.0,
            (false, false) if i == j => {
                if i == 1 {
                    weakest
                } else {
                    2.0
                }
            }
            (false, false) => 0.0,
            _ => m[(i.max(j), i.min(j))],
        })
    }

    #[test]
    fn quasi_definite_blocks_need_no_search() {
        for n in [QUASI_DEFINITE, WIDTH, WIDTH + 1, 2 * WIDTH + 70, 700] {
            let a = stokes_like(n, 2.0);
            // What lies above the diagonal isn't read.
            let lower = Mat::from_fn(n, n, |i, j| if i < j { f64::NAN } else { a[(i, j)] });
            let pivot = Pivot::new(lower).expect("a regular matrix");
            assert!(matches!(pivot.middle, Middle::Diagonal(_)), "{n}");
            let x = Mat::from_fn(n, 3, |i, j| (i + 2 * j) as f64 / n as f64);
            let off = (pivot.solve(&(&a * &x)) - &x).norm_max();
            assert!(off < 1e-10, "{n}: {off:.1e}");
        }
    }

    #[test]
    fn blocks_whose_digits_would_be_lost_are_pivoted() {
        for n in [QUASI_DEFINITE + 6, SYMMETRIC + 6] {
            let a = stokes_like(n, 1e-12);
            let pivot = Pivot::new(a.clone()).expect("a regular matrix");
            assert!(!matches!(pivot.middle, Middle::Diagonal(_)), "{n}");
            let x = Mat::from_fn(n, 3, |i, j| (i + 2 * j) as f64 / n as f64);
            let off = (pivot.solve(&(&a * &x)) - &x).norm_max();
            assert!(off < 1e-10, "{n}: {off:.1e}");
        }
    }

    #[test]
    fn operations_are_those_of_the_way_that_was_taken() {
        let n = QUASI_DEFINITE + 6;
        let half = (n as u64).pow(3) / 3;
        let flops = |weakest| Pivot::new(stokes_like(n, weakest)).map(|pivot| pivot.flops());
        assert_eq!(flops(2.0), Some(half), "half of an LU");
        assert_eq!(flops(1e-12), Some(3 * half), "that, given up, and an LU");
    }

    /// Factors are the same bits for any number of threads.
    #[test]
    fn panels_side_by_side_change_no_bit() {
        let a = stokes_like(3 * WIDTH + 11, 2.0);
        let made = [1, 2, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("threads can be started");
            let pivot = pool.install(|| Pivot::new(a.clone())).expect("regular");
            let n = a.nrows();
            let below = |j: usize| pivot.factors.col_as_slice(j)[j..].iter();
            (0..n)
                .flat_map(below)
                .map(|f| f.to_bits())
                .collect::<Vec<_>>()
        });
        assert!(made[0] == made[1] && made[0] == made[2]);
    }

    #[test]
    fn a_singular_block_is_none() {
        for n in [5, SYMMETRIC + 1] {
            assert!(Pivot::new(Mat::zeros(n, n)).is_none());
        }
    }
}
