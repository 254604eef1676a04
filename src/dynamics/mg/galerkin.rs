//! The coarse matrix that interpolation makes of the fine one.

use stokeslet_base::parallel;

use super::Transfer;
use crate::linear::{Matrix, Real};

/// `scale Pᵀ A P`.
///
/// # Accuracy and cost
/// Exact up to rounding, symmetric where `A` is to rounding; about `nnz(P)` times the entries of a row of `A P` operations. Rows
/// are found independently, in a fixed order.
/// # Source
/// \[000\] (5.24).
pub fn galerkin<T: Real>(a: &Matrix<T>, p: &Transfer<T>, scale: T) -> Matrix<T> {
    let n = p.back_starts.len() - 1;
    let chunk = n.div_ceil(16).max(256);
    // As large as the systems: not made anew for every chunk.
    let sums = || (Sums::new(a.n()), Sums::new(n));
    let chunks = parallel::map_with(n.div_ceil(chunk), 1, sums, |(fine, coarse), k| {
        let mut rows = Rows::default();
        for k in k * chunk..((k + 1) * chunk).min(n) {
            coarse_row(a, p, scale, k, fine, coarse);
            coarse.touched.sort_unstable();
            let before = rows.columns.len();
            for c in coarse.touched.iter().filter(|c| **c as usize != k) {
                rows.columns.push(*c);
                rows.values.push(coarse.value(*c));
            }
            rows.lengths.push((rows.columns.len() - before) as u32);
            rows.diagonal.push(coarse.value(k as u32));
        }
        rows
    });
    let nnz = chunks.iter().map(|c| c.columns.len()).sum();
    let mut matrix = Matrix {
        diagonal: Vec::with_capacity(n),
        starts: Vec::with_capacity(n + 1),
        columns: Vec::with_capacity(nnz),
        values: Vec::with_capacity(nnz),
    };
    matrix.starts.push(0);
    let mut at = 0;
    for rows in chunks {
        for length in rows.lengths {
            at += length;
            matrix.starts.push(at);
        }
        matrix.diagonal.extend(rows.diagonal);
        matrix.columns.extend(rows.columns);
        matrix.values.extend(rows.values);
    }
    matrix
}

/// Some rows of the coarse matrix.
#[derive(Default)]
struct Rows<T> {
    lengths: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<T>,
    diagonal: Vec<T>,
}

/// A sparse row being summed up.
struct Sums<T> {
    /// One a column: its value, and the row that it was last touched by. Side by side: they are read together.
    entries: Vec<(T, u32)>,
    touched: Vec<u32>,
    row: u32,
}

impl<T: Real> Sums<T> {
    fn new(n: usize) -> Self {
        Self {
            entries: vec![(T::ZERO, u32::MAX); n],
            touched: Vec::new(),
            row: 0,
        }
    }

    fn begin(&mut self, row: usize) {
        self.row = row as u32;
        self.touched.clear();
    }

    #[inline(always)]
    fn add(&mut self, at: u32, value: T) {
        let (sum, row) = &mut self.entries[at as usize];
        if *row == self.row {
            *sum += value;
        } else {
            (*sum, *row) = (value, self.row);
            self.touched.push(at);
        }
    }

    fn value(&self, at: u32) -> T {
        self.entries[at as usize].0
    }
}

/// Row `k`: first `Pᵀ A`, a few hundred fine entries that meet each other often, then times `P`.
fn coarse_row<T: Real>(
    a: &Matrix<T>,
    p: &Transfer<T>,
    scale: T,
    k: usize,
    fine: &mut Sums<T>,
    coarse: &mut Sums<T>,
) {
    fine.begin(k);
    let (rows, weights) = p.column(k);
    for (i, w) in rows.iter().zip(weights) {
        let factor = scale * *w;
        fine.add(*i, factor * a.diagonal[*i as usize]);
        let (columns, values) = a.row(*i as usize);
        for (c, v) in columns.iter().zip(values) {
            fine.add(*c, factor * *v);
        }
    }
    coarse.begin(k);
    for j in &fine.touched {
        let value = fine.value(*j);
        let (columns, weights) = p.row(*j as usize);
        for (c, w) in columns.iter().zip(weights) {
            coarse.add(*c, value * *w);
        }
    }
}

/// How many entries the coarse matrix would have.
pub fn galerkin_entries<T: Real>(a: &Matrix<T>, p: &Transfer<T>) -> usize {
    galerkin(a, p, T::ONE).nnz()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Lattice;
    use crate::linear::Builder;
    use crate::mg::{Places, Sides, Weights};

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
