//! The coarsest system, solved exactly.

use crate::linear::{Matrix, Real};

/// A dense Cholesky factor, kept in double precision.
#[derive(Clone, Debug)]
pub struct Cholesky {
    n: usize,
    /// Lower triangle by rows.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factorises; pivots that vanish (floating parts) are set to infinity, which sets their unknowns to 0.
    ///
    /// # Accuracy and cost
    /// `n^3 / 6` multiplications; meant for a few hundred unknowns.
    pub fn new<T: Real>(a: &Matrix<T>) -> Self {
        let n = a.n();
        let mut lower = vec![0.0; n * n];
        for i in 0..n {
            lower[i * n + i] = a.diagonal[i].wide();
            let (columns, values) = a.row(i);
            for (c, v) in columns.iter().zip(values) {
                if (*c as usize) < i {
                    lower[i * n + *c as usize] = v.wide();
                }
            }
        }
        for i in 0..n {
            for j in 0..=i {
                let mut sum = lower[i * n + j];
                for k in 0..j {
                    sum -= lower[i * n + k] * lower[j * n + k];
                }
                lower[i * n + j] = if i != j {
                    sum / lower[j * n + j]
                } else if sum > 1e-11 * a.diagonal[i].wide() {
                    sum.sqrt()
                } else {
                    f64::INFINITY
                };
            }
        }
        Self { n, lower }
    }

    /// `x = A⁻¹ g`.
    pub fn solve<T: Real>(&self, g: &[T], x: &mut [T]) {
        let n = self.n;
        let mut y = vec![0.0; n];
        for i in 0..n {
            let mut sum = g[i].wide();
            for (l, y) in self.lower[i * n..i * n + i].iter().zip(&y) {
                sum -= l * y;
            }
            y[i] = sum / self.lower[i * n + i];
        }
        for i in (0..n).rev() {
            let v = y[i] / self.lower[i * n + i];
            y[i] = v;
            for (l, y) in self.lower[i * n..i * n + i].iter().zip(&mut y) {
                *y -= l * v;
            }
            x[i] = T::of(v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Builder;

    #[test]
    fn a_small_system_is_solved() {
        let mut builder = Builder::new(3);
        builder.entry(1, -1.0);
        builder.end_row(4.0);
        builder.entry(0, -1.0);
        builder.entry(2, -2.0);
        builder.end_row(5.0);
        builder.entry(1, -2.0);
        builder.end_row(6.0);
        let a = builder.finish();
        let mut x = [0.0f64; 3];
        Cholesky::new(&a).solve(&[2.0, 3.0, 14.0], &mut x);
        for (x, want) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - want).abs() < 1e-12, "{x} for {want}");
        }
    }
}
