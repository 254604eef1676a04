//! Preconditioned conjugate gradients.

use super::{Matrix, dot, inf_norm, together};

/// An approximate inverse, symmetric and positive definite.
pub trait Precondition {
    /// `z` from `r`.
    fn apply(&mut self, r: &[f64], z: &mut [f64]);
}

/// No preconditioner.
#[derive(Debug)]
pub struct Identity;

impl Precondition for Identity {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
    }
}

/// Division by the diagonal.
#[derive(Debug)]
pub struct Jacobi<'a>(pub &'a Matrix<f64>);

impl Precondition for Jacobi<'_> {
    fn apply(&mut self, r: &[f64], z: &mut [f64]) {
        for ((z, r), d) in z.iter_mut().zip(r).zip(&self.0.diagonal) {
            *z = r / d;
        }
    }
}

/// Why iterations ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Whoever was asked after each iteration was content.
    Content,
    /// The limit was reached.
    Limit,
    /// A direction without curvature or a residual that is no number: the matrix is not positive definite.
    Breakdown,
}

/// What a run of conjugate gradients did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PcgLog {
    /// Iterations made.
    pub iterations: usize,
    /// Why they ended.
    pub ended: Ended,
    /// Infinity norm of the last residual.
    pub residual: f64,
}

/// Solves `A x = g` from the given `x`.
///
/// # Shapes and units
/// - `content`: asked with the residual `g - A x` at the start and after every iteration; true ends the run
/// # Accuracy and cost
/// The residual is the recurrence's; it drifts from the true one by about `eps` times the largest iterate. One product and one
/// preconditioner an iteration.
/// # Source
/// \[000\] section 3.7 and 5.1.
pub fn conjugate_gradients(
    a: &Matrix<f64>,
    g: &[f64],
    x: &mut [f64],
    preconditioner: &mut dyn Precondition,
    limit: usize,
    content: &mut dyn FnMut(&[f64]) -> bool,
) -> PcgLog {
    let n = a.n();
    let mut r = vec![0.0; n];
    a.map_rows(x, &mut r, |i, ax| g[i] - ax);
    let mut z = vec![0.0; n];
    let mut direction = vec![0.0; n];
    let mut ad = vec![0.0; n];
    let mut rho = 0.0;
    let mut iterations = 0;
    let ended = loop {
        if content(&r) {
            break Ended::Content;
        }
        if iterations == limit {
            break Ended::Limit;
        }
        preconditioner.apply(&r, &mut z);
        let new = dot(&r, &z);
        let beta = if iterations == 0 { 0.0 } else { new / rho };
        rho = new;
        together(&mut direction, &z, |d, z| *d = *z + beta * *d);
        a.times(&direction, &mut ad);
        let curvature = dot(&direction, &ad);
        // Also false for what is no number.
        if !(curvature > 0.0 && rho.is_finite()) {
            break Ended::Breakdown;
        }
        let step = rho / curvature;
        together(x, &direction, |x, d| *x += step * d);
        together(&mut r, &ad, |r, ad| *r -= step * ad);
        iterations += 1;
    };
    PcgLog {
        iterations,
        ended,
        residual: inf_norm(&r),
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::tests::chain;
    use super::*;
    use crate::linear::Incomplete;

    #[test]
    fn a_chain_is_solved_in_as_many_iterations_as_it_has_links() {
        let a = chain(12);
        let mut x = vec![0.0; 12];
        let run = conjugate_gradients(&a, &[1.0; 12], &mut x, &mut Identity, 100, &mut |r| {
            inf_norm(r) < 1e-10
        });
        assert_eq!((run.iterations, run.ended), (12, Ended::Content));
        assert!((x[11] - 78.0).abs() < 1e-8);
        x.fill(0.0);
        let run = conjugate_gradients(
            &a,
            &[1.0; 12],
            &mut x,
            &mut Incomplete::plain(&a),
            100,
            &mut |r| inf_norm(r) < 1e-10,
        );
        assert_eq!(run.iterations, 1, "the factor is exact");
    }

    #[test]
    fn an_indefinite_matrix_is_reported() {
        let mut a = chain(3);
        a.diagonal[1] = -2.0;
        let run = conjugate_gradients(
            &a,
            &[0.0, 1.0, 0.0],
            &mut [0.0; 3],
            &mut Identity,
            9,
            &mut |_| false,
        );
        assert_eq!(run.ended, Ended::Breakdown);
    }
}
