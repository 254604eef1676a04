//! A factorised square block: LU with partial pivoting, or for large symmetric ones half of that, `L B L^T`.
//!
//! Small blocks are left to LU, which is several times faster there; large ones save half of the factorisation and of the
//! solves, since substitution on the other side is needed only where fronts are substituted.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::lblt::factor as symmetric;
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_unit_upper_triangular_in_place,
    solve_upper_triangular_in_place,
};
use faer::reborrow::ReborrowMut;
use faer::{Col, ColRef, Mat, MatMut, Par};

/// From this size on a block is factorised as the symmetric one that it is.
const SYMMETRIC: usize = 192;

/// `P A = L U` or `P A P^T = L B L^T`.
#[derive(Debug)]
pub struct Pivot {
    factors: Mat<f64>,
    forward: Vec<usize>,
    /// Diagonal and subdiagonal of `B`, whose blocks are of size one and two; none for LU.
    blocks: Option<(Col<f64>, Col<f64>)>,
}

impl Pivot {
    /// Factorises a symmetric block in its own memory; `None` where a pivot is zero or not finite.
    pub fn new(block: Mat<f64>) -> Option<Self> {
        if block.nrows() < SYMMETRIC {
            Self::lu(block)
        } else {
            Self::symmetric(block)
        }
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
        let regular = (0..n).all(|i| block[(i, i)] != 0.0 && block[(i, i)].is_finite());
        regular.then_some(Self {
            factors: block,
            forward,
            blocks: None,
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
        let diagonal = Col::from_fn(n, |i| block[(i, i)]);
        let pivot = Self {
            factors: block,
            forward,
            blocks: Some((diagonal, below)),
        };
        pivot.is_regular().then_some(pivot)
    }

    /// Whether every block of `B` has an inverse.
    fn is_regular(&self) -> bool {
        let Some((diagonal, below)) = &self.blocks else {
            return true;
        };
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

    /// Whether only half of a solve is needed to eliminate.
    pub fn is_symmetric(&self) -> bool {
        self.blocks.is_some()
    }

    /// `P rhs`: what the solves take.
    pub fn permuted(&self, rhs: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(rhs.nrows(), rhs.ncols());
        for j in 0..rhs.ncols() {
            let from = rhs.col_as_slice(j);
            let to = out.col_as_slice_mut(j);
            to.iter_mut()
                .zip(&self.forward)
                .for_each(|(t, &i)| *t = from[i]);
        }
        out
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
    }

    /// `x` becomes `L^-1 x`.
    pub fn lower(&self, x: MatMut<'_, f64>) {
        solve_unit_lower_triangular_in_place(self.factors.as_ref(), x, Par::Seq);
    }

    /// Symmetric only: `x` becomes `B^-1 x`.
    pub fn middle(&self, x: MatMut<'_, f64>) {
        let Some((diagonal, below)) = &self.blocks else {
            return;
        };
        for column in x.col_iter_mut() {
            divide(diagonal.as_ref(), below.as_ref(), column);
        }
    }

    /// Symmetric only: `P^T L^-T x`.
    pub fn upper(&self, mut x: Mat<f64>) -> Mat<f64> {
        solve_unit_upper_triangular_in_place(self.factors.transpose(), x.as_mut(), Par::Seq);
        self.back(&x)
    }

    /// `A^-1 rhs`.
    pub fn solve(&self, rhs: &Mat<f64>) -> Mat<f64> {
        let mut out = self.permuted(rhs);
        if self.is_symmetric() {
            self.lower(out.as_mut());
            self.middle(out.as_mut());
            self.upper(out)
        } else {
            self.solve_permuted(out.as_mut());
            out
        }
    }
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
            let mut state = 1_u64;
            let mut random = || {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
            };
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

    #[test]
    fn a_singular_block_is_none() {
        for n in [5, SYMMETRIC + 1] {
            assert!(Pivot::new(Mat::zeros(n, n)).is_none());
        }
    }
}
