//! Incomplete Cholesky factors on the pattern of the matrix.

use super::{Matrix, Precondition};

/// `(E + L) E⁻¹ (E + Lᵀ)` with `L` the strict lower triangle of `A` itself and new pivots `E`.
///
/// # Source
/// \[000\] section 5.1 uses ILU; for a symmetric matrix whose rows' neighbours are not neighbours of each other (5- and 7-point
/// stencils) IC(0) is the same. The modified pivots are those of Bridson's notes, as in the simulator of \[000\].
#[derive(Debug)]
pub struct Incomplete<'a> {
    matrix: &'a Matrix<f64>,
    /// 1 / e_i.
    inverse: Vec<f64>,
    /// Where a row's entries pass the diagonal.
    middle: Vec<u32>,
}

impl<'a> Incomplete<'a> {
    /// IC(0): entries that would fill in are dropped.
    pub fn plain(matrix: &'a Matrix<f64>) -> Self {
        Self::new(matrix, 0.0, 0.0)
    }

    /// MIC(0): a share 0.97 of what would fill in is taken off the diagonal; pivots below a quarter of the diagonal are replaced
    /// by it.
    pub fn modified(matrix: &'a Matrix<f64>) -> Self {
        Self::new(matrix, 0.97, 0.25)
    }

    fn new(matrix: &'a Matrix<f64>, share: f64, guard: f64) -> Self {
        let n = matrix.n();
        let mut inverse = vec![0.0; n];
        let mut middle = vec![0u32; n];
        // Sums of the entries right of the diagonal.
        let mut right = vec![0.0; n];
        for i in 0..n {
            let (columns, values) = matrix.row(i);
            let split = columns.partition_point(|c| (*c as usize) < i);
            middle[i] = matrix.starts[i] + split as u32;
            right[i] = values[split..].iter().sum();
            let mut pivot = matrix.diagonal[i];
            for (c, v) in columns[..split].iter().zip(values) {
                let j = *c as usize;
                pivot -= (v * v + share * v * (right[j] - v)) * inverse[j];
            }
            let least = (guard * matrix.diagonal[i]).max(1e-12 * matrix.diagonal[i]);
            inverse[i] = 1.0
                / if pivot < least {
                    matrix.diagonal[i]
                } else {
                    pivot
                };
        }
        Self {
            matrix,
            inverse,
            middle,
        }
    }
}

impl Precondition for Incomplete<'_> {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        let a = self.matrix;
        for i in 0..a.n() {
            let (from, to) = (a.starts[i] as usize, self.middle[i] as usize);
            let mut sum = r[i];
            for (c, v) in a.columns[from..to].iter().zip(&a.values[from..to]) {
                sum -= v * z[*c as usize];
            }
            z[i] = sum * self.inverse[i];
        }
        for i in (0..a.n()).rev() {
            let (from, to) = (self.middle[i] as usize, a.starts[i + 1] as usize);
            let mut sum = 0.0;
            for (c, v) in a.columns[from..to].iter().zip(&a.values[from..to]) {
                sum += v * z[*c as usize];
            }
            z[i] -= sum * self.inverse[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::tests::chain;
    use super::*;

    #[test]
    fn without_fill_the_factor_is_the_inverse() {
        // A tridiagonal matrix has no fill, so IC(0) solves it exactly.
        let a = chain(20);
        let x: Vec<f64> = (0..20).map(|i| f64::from(i).sin()).collect();
        let mut b = vec![0.0; 20];
        a.times(&x, &mut b);
        let mut z = vec![0.0; 20];
        Incomplete::plain(&a).apply(&b, &mut z);
        for (x, z) in x.iter().zip(&z) {
            assert!((x - z).abs() < 1e-12);
        }
    }
}
