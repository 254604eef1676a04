//! Couplings of low rank: what a long pipe passes from one end to the other is a handful of numbers.

use faer::Mat;

use crate::algebra::{Svd, thin_svd};

/// `coupling = u v^T` to the tolerance, or `None` where its rank is above `most`.
///
/// # Shapes and units
/// - `coupling`: m x n; `u`: m x rank, `v`: n x rank, both scaled by the roots of the singular values
/// # Accuracy and cost
/// Singular values below `tolerance * scale` are dropped. Randomised range finder with fixed pseudo-random numbers, doubled
/// until its remainder is below the tolerance (checked, not assumed), then one small singular value decomposition: O(m n rank).
/// # Source
/// Halko, Martinsson, Tropp, "Finding structure with randomness", SIAM Review 53 (2011), algorithms 4.2 and 5.1.
pub fn factor(
    coupling: &Mat<f64>,
    scale: f64,
    tolerance: f64,
    most: usize,
) -> Option<(Mat<f64>, Mat<f64>)> {
    let (m, n) = (coupling.nrows(), coupling.ncols());
    let limit = tolerance * scale;
    let mut width = 16.min(n).min(m);
    loop {
        // Two passes: the second sharpens the small directions that a single product leaves in rounding.
        let first = orthonormal(coupling * samples(n, width));
        let range = orthonormal(coupling * (coupling.transpose() * &first));
        let small = range.transpose() * coupling;
        let rest = coupling - &range * &small;
        let done = rest.norm_l2() <= limit || width >= m.min(n);
        if done {
            let Svd { u, values: s, v } = thin_svd(small.as_ref())?;
            let rank = (0..s.len()).take_while(|&k| s[k] > limit).count();
            if rank > most {
                return None;
            }
            let left = &range * &u;
            let u = Mat::from_fn(m, rank, |i, k| left[(i, k)] * s[k].sqrt());
            let v = Mat::from_fn(n, rank, |i, k| v[(i, k)] * s[k].sqrt());
            return Some((u, v));
        }
        if width > 2 * most {
            return None;
        }
        width = (2 * width).min(m).min(n);
    }
}

/// Orthonormal columns that span those of `m`.
fn orthonormal(m: Mat<f64>) -> Mat<f64> {
    m.qr().compute_thin_Q()
}

/// Fixed pseudo-random numbers in [-1, 1]: the same on any machine.
fn samples(rows: usize, columns: usize) -> Mat<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    Mat::from_fn(rows, columns, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}

#[cfg(test)]
mod tests;
