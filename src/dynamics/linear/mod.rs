//! Sparse symmetric systems: storage, products, sweeps, conjugate gradients with incomplete factors.
//!
//! Knows neither grids nor liquids. Matrices are symmetric with a positive diagonal, which is stored apart from the rest:
//! every method here wants it by itself.

use stokeslet_base::parallel;

mod blocks;
mod incomplete;
mod matrix;
mod pcg;
mod real;
mod sweep;

pub use blocks::Blocks;
pub use incomplete::Incomplete;
pub use matrix::{Builder, Matrix};
pub use pcg::{Ended, Identity, Jacobi, PcgLog, Precondition, conjugate_gradients};
pub use real::Real;
pub use sweep::{Order, Sweeper};

/// Vectors shorter than this are not worth a second thread: waking it takes as long as some ten thousand entries.
const SPLIT: usize = 98_304;

/// Nor are matrices with fewer entries.
const SPLIT_ENTRIES: usize = 400_000;

/// The larger of two absolute values; NaN if one is.
fn larger<T: Real>(m: T, a: T) -> T {
    if a > m || a.is_no_number() { a } else { m }
}

/// The largest absolute value; NaN if there is one.
pub fn inf_norm<T: Real>(v: &[T]) -> T {
    let of = |v: &[T]| v.iter().fold(T::ZERO, |m, x| larger(m, x.magnitude()));
    if v.len() < SPLIT {
        of(v)
    } else {
        let chunks: Vec<&[T]> = v.chunks(SPLIT / 4).collect();
        let found = parallel::each(&chunks, 1, |v| of(v));
        found.into_iter().fold(T::ZERO, larger)
    }
}

/// Works on pairs of entries; in parallel where that pays.
pub fn together<T: Real>(x: &mut [T], y: &[T], work: impl Fn(&mut T, &T) + Sync) {
    parallel::pieces_mut(x, SPLIT / 2, |first, x| {
        x.iter_mut().zip(&y[first..]).for_each(|(x, y)| work(x, y));
    });
}

/// The scalar product, summed in blocks so that rounding grows slowly and the order is fixed.
pub fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let block = |(a, b): (&[T], &[T])| {
        let mut lanes = [T::ZERO; 4];
        let (mut whole_a, mut whole_b) = (a.chunks_exact(4), b.chunks_exact(4));
        for (a, b) in (&mut whole_a).zip(&mut whole_b) {
            for k in 0..4 {
                lanes[k] += a[k] * b[k];
            }
        }
        for (a, b) in whole_a.remainder().iter().zip(whole_b.remainder()) {
            lanes[0] += *a * *b;
        }
        (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
    };
    let add = |total: T, v: T| total + v;
    if a.len() < SPLIT {
        a.chunks(1024)
            .zip(b.chunks(1024))
            .map(block)
            .fold(T::ZERO, add)
    } else {
        let blocks: Vec<_> = a.chunks(1024).zip(b.chunks(1024)).collect();
        let sums = parallel::each(&blocks, 4, |both| block(*both));
        sums.into_iter().fold(T::ZERO, add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_pass_on_what_is_no_number() {
        assert!(inf_norm(&[1.0, f64::NAN, 2.0]).is_nan());
        assert_eq!(inf_norm(&[1.0, -3.0, 2.0]), 3.0);
    }

    #[test]
    fn scalar_products_of_any_length_are_right() {
        for n in [0, 1, 5, 1023, 1024, 3001] {
            let a: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(dot(&a, &vec![1.0; n as usize]), f64::from(n * (n - 1) / 2));
        }
    }
}
