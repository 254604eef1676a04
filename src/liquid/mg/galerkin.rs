//! The coarse matrix that interpolation makes of the fine one.

use rayon::prelude::*;

use super::Transfer;
use crate::liquid::linear::{Builder, Matrix, Real};

/// `scale Pᵀ A P`.
///
/// # Accuracy and cost
/// Exact up to rounding, symmetric where `A` is to rounding; about `nnz(P)` times the entries of a row of `A P` operations. Rows
/// are found independently, in a fixed order.
/// # Source
/// [000] (5.24).
pub fn galerkin<T: Real>(a: &Matrix<T>, p: &Transfer<T>, scale: T) -> Matrix<T> {
    let n = p.back_starts.len() - 1;
    let chunk = n.div_ceil(16).max(256);
    let chunks: Vec<Vec<Row<T>>> = (0..n)
        .collect::<Vec<_>>()
        .par_chunks(chunk)
        .map(|rows| {
            let mut sums = vec![T::ZERO; n];
            let mut seen = vec![u32::MAX; n];
            rows.iter()
                .map(|k| coarse_row(a, p, scale, *k, &mut sums, &mut seen))
                .collect()
        })
        .collect();
    let mut builder = Builder::new(n);
    for (row, diagonal) in chunks.into_iter().flatten() {
        for (c, v) in row {
            builder.entry(c as usize, v);
        }
        builder.end_row(diagonal);
    }
    builder.finish()
}

/// Entries off the diagonal, and the one on it.
type Row<T> = (Vec<(u32, T)>, T);

fn coarse_row<T: Real>(
    a: &Matrix<T>,
    p: &Transfer<T>,
    scale: T,
    k: usize,
    sums: &mut [T],
    seen: &mut [u32],
) -> Row<T> {
    let mut touched: Vec<u32> = Vec::with_capacity(64);
    let mut add = |j: usize, factor: T| {
        let (columns, weights) = p.row(j);
        for (c, w) in columns.iter().zip(weights) {
            let at = *c as usize;
            if seen[at] == k as u32 {
                sums[at] += factor * *w;
            } else {
                seen[at] = k as u32;
                sums[at] = factor * *w;
                touched.push(*c);
            }
        }
    };
    let (rows, weights) = p.column(k);
    for (i, w) in rows.iter().zip(weights) {
        let i = *i as usize;
        let factor = scale * *w;
        add(i, factor * a.diagonal[i]);
        let (columns, values) = a.row(i);
        for (c, v) in columns.iter().zip(values) {
            add(*c as usize, factor * *v);
        }
    }
    touched.sort_unstable();
    let row = touched
        .iter()
        .filter(|c| **c as usize != k)
        .map(|c| (*c, sums[*c as usize]))
        .collect();
    (row, sums[k])
}

/// How many entries the coarse matrix would have.
pub fn galerkin_entries<T: Real>(a: &Matrix<T>, p: &Transfer<T>) -> usize {
    galerkin(a, p, T::ONE).nnz()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liquid::grid::Lattice;
    use crate::liquid::mg::{Places, Sides, Weights};

    fn laplacian(cells: Lattice<3>) -> Matrix<f64> {
        let mut builder = Builder::new(cells.len());
        for i in 0..cells.len() {
            let c = cells.coordinates(i);
            for a in (0..3).rev() {
                if let Some(o) = cells.neighbour(c, a, false) {
                    builder.entry(cells.index(o), -1.0);
                }
            }
            for a in 0..3 {
                if let Some(o) = cells.neighbour(c, a, true) {
                    builder.entry(cells.index(o), -1.0);
                }
            }
            builder.end_row(6.0);
        }
        builder.finish()
    }

    fn coarse(n: usize, weights: Weights) -> (Matrix<f64>, Transfer<f64>, Matrix<f64>) {
        let places = |n: usize| Places {
            cells: Lattice::<3>::cube(n),
            of: (0..(n * n * n) as u32).collect(),
            solid: None,
        };
        let p = Transfer::new(&places(n), &places(n / 2), 0, weights, Sides::OneSided);
        let a = laplacian(Lattice::cube(n));
        let c = galerkin(&a, &p, 0.125);
        (a, p, c)
    }

    #[test]
    fn barycentric_coarse_matrices_are_sparser() {
        // The 7-point Laplacian on the full cube; the paper's 1168/2104 and 858,304/2,000,376 are of an operator it doesn't state.
        assert_eq!(coarse(8, Weights::Barycentric).2.nnz(), 1192);
        assert_eq!(coarse(8, Weights::Trilinear).2.nnz(), 2200);
        assert_eq!(coarse(64, Weights::Barycentric).2.nnz(), 1_014_904);
    }

    #[test]
    fn the_product_is_what_it_says_and_symmetric() {
        let (a, p, c) = coarse(8, Weights::Trilinear);
        assert!(c.asymmetry() < 1e-14);
        let x: Vec<f64> = (0..64).map(|i| f64::from(i * i % 17)).collect();
        let (mut fine, mut image) = (vec![0.0; 512], vec![0.0; 512]);
        p.prolong_add(&x, &mut fine);
        a.times(&fine, &mut image);
        let (mut want, mut got) = (vec![0.0; 64], vec![0.0; 64]);
        p.restrict(0.125, &image, &mut want);
        c.times(&x, &mut got);
        for (want, got) in want.iter().zip(&got) {
            assert!((want - got).abs() < 1e-11);
        }
    }
}
