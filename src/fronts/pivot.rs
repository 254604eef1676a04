//! A factorised square block: LU with partial pivoting, both factors in one matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::factor;
use faer::linalg::triangular_solve::{
    solve_unit_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::reborrow::ReborrowMut;
use faer::{Mat, MatMut, Par};

/// `P A = L U`.
#[derive(Debug)]
pub struct Pivot {
    factors: Mat<f64>,
    forward: Vec<usize>,
}

impl Pivot {
    /// Factorises a block in its own memory; `None` where a diagonal entry of U is zero or not finite.
    pub fn new(mut block: Mat<f64>) -> Option<Self> {
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
        })
    }

    /// `P rhs`: what [`Self::solve_permuted`] takes.
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

    /// `P rhs` becomes `A^-1 rhs`, with no memory of its own.
    pub fn solve_permuted(&self, mut rhs: MatMut<'_, f64>) {
        let factors = self.factors.as_ref();
        solve_unit_lower_triangular_in_place(factors, rhs.rb_mut(), Par::Seq);
        solve_upper_triangular_in_place(factors, rhs, Par::Seq);
    }

    /// `A^-1 rhs`.
    pub fn solve(&self, rhs: &Mat<f64>) -> Mat<f64> {
        let mut out = self.permuted(rhs);
        self.solve_permuted(out.as_mut());
        out
    }
}
