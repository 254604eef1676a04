//! Gauss-Seidel sweeps, plain and projected, in several orders.

use super::{Matrix, Real};

/// In which order unknowns are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// First to last.
    Forward,
    /// Last to first; after [`Order::Forward`] the pair is symmetric.
    Backward,
    /// Cells whose coordinates add up to an even number, then the others.
    RedBlack,
}

/// Sweeps over one system.
#[derive(Debug)]
pub struct Sweeper<'a, T> {
    /// The matrix.
    pub matrix: &'a Matrix<T>,
    /// One over its diagonal.
    pub inverse: &'a [T],
    /// Even unknowns before odd ones, for [`Order::RedBlack`]; empty if that order is never asked for.
    pub colours: &'a [u32],
}

impl<T: Real> Sweeper<'_, T> {
    fn visit(&self, order: Order, mut relax: impl FnMut(usize)) {
        match order {
            Order::Forward => (0..self.matrix.n()).for_each(relax),
            Order::Backward => (0..self.matrix.n()).rev().for_each(relax),
            Order::RedBlack => {
                for i in self.colours {
                    relax(*i as usize);
                }
            }
        }
    }

    /// One sweep for `A x = g`.
    pub fn plain(&self, order: Order, g: &[T], x: &mut [T]) {
        let a = self.matrix;
        self.visit(order, |i| {
            x[i] = (g[i] - a.off_diagonal(i, x)) * self.inverse[i];
        });
    }

    /// One sweep for `A x = g`; where `bound` is finite, `x` is kept above it.
    pub fn bounded(&self, order: Order, g: &[T], bound: &[T], x: &mut [T]) {
        let a = self.matrix;
        self.visit(order, |i| {
            x[i] = ((g[i] - a.off_diagonal(i, x)) * self.inverse[i]).larger(bound[i]);
        });
    }

    /// One sweep with relaxation: a share `omega` of every unknown's change is made, then it is kept above its bound.
    pub fn relaxed(&self, order: Order, omega: T, g: &[T], bound: &[T], x: &mut [T]) {
        let a = self.matrix;
        self.visit(order, |i| {
            let want = (g[i] - a.off_diagonal(i, x)) * self.inverse[i];
            x[i] = (x[i] + omega * (want - x[i])).larger(bound[i]);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::tests::chain;
    use super::*;

    #[test]
    fn sweeps_of_every_order_converge_to_the_same_solution() {
        let a = chain(6);
        let colours = [0, 2, 4, 1, 3, 5];
        let sweeper = Sweeper {
            matrix: &a,
            inverse: &a.inverse_diagonal(),
            colours: &colours,
        };
        for order in [Order::Forward, Order::Backward, Order::RedBlack] {
            let mut x = vec![0.0; 6];
            for _ in 0..600 {
                sweeper.plain(order, &[1.0; 6], &mut x);
            }
            for (i, x) in x.iter().enumerate() {
                let want = (0..=i).map(|k| 6.0 - k as f64).sum::<f64>();
                assert!((x - want).abs() < 1e-9, "{order:?}: {x} for {want}");
            }
        }
    }

    #[test]
    fn bounds_hold_after_every_sweep() {
        let a = chain(4);
        let sweeper = Sweeper {
            matrix: &a,
            inverse: &a.inverse_diagonal(),
            colours: &[],
        };
        let mut x = vec![0.0; 4];
        let bound = [f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY, -0.5];
        for _ in 0..200 {
            sweeper.bounded(Order::Forward, &[-1.0; 4], &bound, &mut x);
        }
        assert!((x[1], x[3]) == (0.0, -0.5) && x[0] < -0.4, "{x:?}");
    }
}
