//! Gauss-Seidel sweeps, plain and projected, in several orders.

use std::ops::Range;

use super::{Blocks, Matrix, Real};

/// In which order unknowns are visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// First to last; of large systems even blocks before odd ones.
    Forward,
    /// The reverse of [`Order::Forward`]: the pair is symmetric.
    Backward,
    /// As listed.
    Listed(&'a [u32]),
}

/// Sweeps over one system: its rows divided by their diagonal.
///
/// ```text
/// x_i <- g_i / A_ii - before_i x_(i-1) - after_i x_(i+1) - sum of values x_columns
/// ```
/// Along a row of cells every unknown waits for the one before. The two neighbours in memory are therefore kept apart from the
/// others: all else is summed up before `x_(i-1)` is needed, and the wait is one product and one difference.
#[derive(Clone, Debug)]
pub struct Sweeper<T> {
    /// One over the diagonal.
    inverse: Vec<T>,
    before: Vec<T>,
    after: Vec<T>,
    /// Where the other entries of rows begin; one more than rows.
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<T>,
    blocks: Blocks,
}

impl<T: Real> Sweeper<T> {
    /// Sweeps over a matrix.
    pub fn new(a: &Matrix<T>) -> Self {
        let n = a.n();
        let mut sweeper = Self {
            inverse: a.diagonal.iter().map(|d| T::ONE / *d).collect(),
            before: vec![T::ZERO; n],
            after: vec![T::ZERO; n],
            starts: Vec::with_capacity(n + 1),
            columns: Vec::with_capacity(a.columns.len()),
            values: Vec::with_capacity(a.columns.len()),
            blocks: Blocks::of(a),
        };
        sweeper.starts.push(0);
        for i in 0..n {
            let (columns, values) = a.row(i);
            for (c, v) in columns.iter().zip(values) {
                let value = *v * sweeper.inverse[i];
                if *c as usize + 1 == i {
                    sweeper.before[i] = value;
                } else if *c as usize == i + 1 {
                    sweeper.after[i] = value;
                } else {
                    sweeper.columns.push(*c);
                    sweeper.values.push(value);
                }
            }
            sweeper.starts.push(sweeper.columns.len() as u32);
        }
        sweeper
    }

    /// What row `i` takes from all unknowns but itself and the neighbours in memory; `x` begins with unknown `low`.
    #[inline(always)]
    fn others(&self, i: usize, low: usize, x: &[T]) -> T {
        let (from, to) = (self.starts[i] as usize, self.starts[i + 1] as usize);
        let (columns, values) = (&self.columns[from..to], &self.values[from..to]);
        let at = |c: u32| x[(c as usize).wrapping_sub(low)];
        let mut sums = [T::ZERO; 2];
        let (pairs, value_pairs) = (columns.chunks_exact(2), values.chunks_exact(2));
        if let ([c], [v]) = (pairs.remainder(), value_pairs.remainder()) {
            sums[0] += *v * at(*c);
        }
        for (c, v) in pairs.zip(value_pairs) {
            sums[0] += v[0] * at(c[0]);
            sums[1] += v[1] * at(c[1]);
        }
        sums[0] + sums[1]
    }

    /// Visits rows first to last.
    #[inline]
    fn up(
        &self,
        rows: Range<usize>,
        low: usize,
        g: &[T],
        x: &mut [T],
        relax: impl Fn(usize, T, T) -> T,
    ) {
        let mut last = match rows.start.checked_sub(low + 1) {
            Some(k) => x[k],
            None => T::ZERO,
        };
        for i in rows {
            let k = i.wrapping_sub(low);
            let next = x.get(k.wrapping_add(1)).map_or(T::ZERO, |x| *x);
            let rest = g[i] * self.inverse[i] - self.others(i, low, x) - self.after[i] * next;
            last = relax(i, rest - self.before[i] * last, x[k]);
            x[k] = last;
        }
    }

    /// Visits rows last to first.
    #[inline]
    fn down(
        &self,
        rows: Range<usize>,
        low: usize,
        g: &[T],
        x: &mut [T],
        relax: impl Fn(usize, T, T) -> T,
    ) {
        let mut last = x.get(rows.end.wrapping_sub(low)).map_or(T::ZERO, |x| *x);
        for i in rows.rev() {
            let k = i.wrapping_sub(low);
            let next = k.checked_sub(1).map_or(T::ZERO, |k| x[k]);
            let rest = g[i] * self.inverse[i] - self.others(i, low, x) - self.before[i] * next;
            last = relax(i, rest - self.after[i] * last, x[k]);
            x[k] = last;
        }
    }

    /// Gives every unknown the value `relax(i, what its equation asks for, old value)`.
    #[inline]
    fn visit(&self, order: Order, g: &[T], x: &mut [T], relax: impl Fn(usize, T, T) -> T + Sync) {
        let n = self.inverse.len();
        match order {
            Order::Forward if self.blocks.len() < 2 => self.up(0..n, 0, g, x, relax),
            Order::Backward if self.blocks.len() < 2 => self.down(0..n, 0, g, x, relax),
            Order::Forward => {
                for odd in [false, true] {
                    self.blocks.in_parallel(odd, x, |rows, low, x| {
                        self.up(rows, low, g, x, &relax);
                    });
                }
            }
            Order::Backward => {
                for odd in [true, false] {
                    self.blocks.in_parallel(odd, x, |rows, low, x| {
                        self.down(rows, low, g, x, &relax);
                    });
                }
            }
            Order::Listed(list) => {
                for i in list {
                    let i = *i as usize;
                    self.up(i..i + 1, 0, g, x, &relax);
                }
            }
        }
    }

    /// One sweep for `A x = g`.
    pub fn plain(&self, order: Order, g: &[T], x: &mut [T]) {
        self.visit(order, g, x, |_, want, _| want);
    }

    /// One sweep for `A x = g`; where `bound` is finite, `x` is kept above it.
    pub fn bounded(&self, order: Order, g: &[T], bound: &[T], x: &mut [T]) {
        self.visit(order, g, x, |i, want, _| want.larger(bound[i]));
    }

    /// One sweep with relaxation: a share `omega` of every unknown's change is made, then it is kept above its bound.
    pub fn relaxed(&self, order: Order, omega: T, g: &[T], bound: &[T], x: &mut [T]) {
        self.visit(order, g, x, |i, want, old| {
            (old + omega * (want - old)).larger(bound[i])
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
        let sweeper = Sweeper::new(&a);
        for order in [Order::Forward, Order::Backward, Order::Listed(&colours)] {
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
        let sweeper = Sweeper::new(&a);
        let mut x = vec![0.0; 4];
        let bound = [f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY, -0.5];
        for _ in 0..200 {
            sweeper.bounded(Order::Forward, &[-1.0; 4], &bound, &mut x);
        }
        assert!((x[1], x[3]) == (0.0, -0.5) && x[0] < -0.4, "{x:?}");
    }

    #[test]
    fn sweeps_in_blocks_are_sweeps_in_another_order_on_any_number_of_threads() {
        let n = 150_000;
        let a = chain(n);
        let sweeper = Sweeper::new(&a);
        assert!(sweeper.blocks.len() > 3);
        let g = vec![1.0; n];
        let swept = |threads: usize, order| {
            let mut x: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap()
                .install(|| sweeper.plain(order, &g, &mut x));
            x
        };
        for order in [Order::Forward, Order::Backward] {
            assert_eq!(swept(1, order), swept(3, order));
        }
        // The adjoint of the forward sweep's error propagation is the backward one's, in the energy product.
        let zero = vec![0.0; n];
        let propagate = |order, x: &[f64]| {
            let mut x = x.to_vec();
            sweeper.plain(order, &zero, &mut x);
            x
        };
        let u: Vec<f64> = (0..n).map(|i| (i as f64 * 0.7).sin()).collect();
        let v: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).cos()).collect();
        let energy = |x: &[f64], y: &[f64]| {
            let mut ay = vec![0.0; n];
            a.times(y, &mut ay);
            super::super::dot(x, &ay)
        };
        let (left, right) = (
            energy(&propagate(Order::Forward, &u), &v),
            energy(&u, &propagate(Order::Backward, &v)),
        );
        assert!((left - right).abs() < 1e-10 * left.abs(), "{left} {right}");
    }

    #[test]
    fn a_sweep_is_the_definition_row_by_row() {
        // Neighbours in memory and others, in rows of different lengths.
        let mut builder = super::super::Builder::new(30);
        for i in 0..30usize {
            for other in [i.wrapping_sub(6), i.wrapping_sub(1), i + 1, i + 6] {
                if other < 30 && other / 5 != i / 5 + 7 && (i + other) % 11 != 0 {
                    builder.entry(other, -1.0 - ((i + other) % 3) as f64);
                }
            }
            builder.end_row(20.0 + i as f64);
        }
        let a = builder.finish();
        let g: Vec<f64> = (0..30).map(|i| f64::from(i).cos()).collect();
        let start: Vec<f64> = (0..30).map(|i| f64::from(i).sin()).collect();
        for (order, rows) in [
            (Order::Forward, (0..30).collect::<Vec<_>>()),
            (Order::Backward, (0..30).rev().collect()),
        ] {
            let mut want = start.clone();
            for i in rows {
                want[i] = (g[i] - a.off_diagonal(i, &want)) / a.diagonal[i];
            }
            let mut x = start.clone();
            Sweeper::new(&a).plain(order, &g, &mut x);
            for (x, want) in x.iter().zip(&want) {
                assert!((x - want).abs() < 1e-15, "{order:?}: {x} for {want}");
            }
        }
    }
}
