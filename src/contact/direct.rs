//! Sparse LU of the rigid and elastic part of a step's matrix, as a preconditioner.
//!
//! One thread factors, so the bits don't depend on how many there are.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::lu::{LuRef, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par};
use stokeslet_base::vectors::clear_upper_halves;

/// The factors of a square sparse matrix.
pub(crate) struct Factors {
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
}

impl Factors {
    /// Factors the `n x n` matrix of `entries` (row, column, value; repeated ones add up). None if it is singular.
    pub(crate) fn new(n: usize, entries: &[(usize, usize, f64)]) -> Option<Factors> {
        let triplets: Vec<Triplet<usize, usize, f64>> = entries
            .iter()
            .map(|&(i, j, v)| Triplet::new(i, j, v))
            .collect();
        let a = SparseColMat::try_new_from_triplets(n, n, &triplets).ok()?;
        let symbolic = factorize_symbolic_lu(a.symbolic(), Default::default()).ok()?;
        let mut numeric = NumericLu::new();
        let mut memory = MemBuffer::try_new(
            symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default()),
        )
        .ok()?;
        symbolic
            .factorize_numeric_lu(
                &mut numeric,
                a.as_ref(),
                Par::Seq,
                MemStack::new(&mut memory),
                Default::default(),
            )
            .ok()?;
        clear_upper_halves();
        Some(Factors { symbolic, numeric })
    }

    /// Overwrites `b` with the solution.
    pub(crate) fn solve_in_place(&self, b: &mut [f64]) {
        let n = b.len();
        let lu = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        let mut memory = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        lu.solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, 1),
            Par::Seq,
            MemStack::new(&mut memory),
        );
        clear_upper_halves();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

    #[test]
    fn factors_solve_their_system() {
        let mut random = Random::new(37);
        for n in [3, 40, 400] {
            let mut entries = Vec::new();
            for i in 0..n {
                entries.push((i, i, 4.0));
                for _ in 0..5 {
                    entries.push((
                        i,
                        (random.number() * n as f64) as usize,
                        random.number() - 0.5,
                    ));
                }
            }
            let x: Vec<f64> = (0..n).map(|_| random.number()).collect();
            let mut b = vec![0.0; n];
            for &(i, j, v) in &entries {
                b[i] += v * x[j];
            }
            Factors::new(n, &entries).unwrap().solve_in_place(&mut b);
            let error = x
                .iter()
                .zip(&b)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            assert_small(error, 1.0, 1e-12, "A (A^-1 b) = b");
        }
    }
}
