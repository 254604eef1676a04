//! A factorised square block: LU with partial pivoting, both factors in one matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::perm::PermRef;
use faer::{Conj, Mat, MatMut, Par};

/// `P A = L U`.
#[derive(Debug)]
pub struct Pivot {
    factors: Mat<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
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
            inverse,
        })
    }

    /// `rhs` becomes `A^-1 rhs`.
    pub fn solve_in_place(&self, rhs: MatMut<'_, f64>) {
        let n = self.factors.nrows();
        let scratch = solve::solve_in_place_scratch::<usize, f64>(n, rhs.ncols(), Par::Seq);
        solve::solve_in_place_with_conj(
            self.factors.as_ref(),
            self.factors.as_ref(),
            PermRef::new_checked(&self.forward, &self.inverse, n),
            Conj::No,
            rhs,
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
        );
    }
}
