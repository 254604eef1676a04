//! Values and gradients between the samples of a lattice: multilinear in any dimension.

use super::Lattice;

/// The samples around a point: their values, the first axis fastest, and the weight of the upper side per axis.
#[inline(always)]
fn around<const D: usize>(
    lattice: &Lattice<D>,
    values: &[f64],
    x: [f64; D],
) -> ([f64; MOST], [f64; D]) {
    let (mut base, mut stride) = (0, 1);
    let mut t = [0.0; D];
    let mut step = [0; D];
    for a in 0..D {
        let n = lattice.n[a];
        let inside = x[a].max(0.0).min((n - 1) as f64);
        let low = (inside as usize).min(n.saturating_sub(2));
        t[a] = inside - low as f64;
        base += low * stride;
        step[a] = if n > 1 { stride } else { 0 };
        stride *= n;
    }
    let mut corners = [0.0; MOST];
    for (k, pair) in corners.chunks_exact_mut(2).enumerate().take(1 << (D - 1)) {
        let mut at = base;
        for (a, step) in step[1..].iter().enumerate() {
            at += step * (k >> a & 1);
        }
        pair[0] = values[at];
        pair[1] = values[at + step[0]];
    }
    (corners, t)
}

/// At most this many samples are around a point.
const MOST: usize = 8;

/// What is left of `2 count` values after the first axis left is interpolated.
#[inline]
fn halve(values: &mut [f64; MOST], count: usize, t: f64) {
    for k in 0..count {
        let (low, high) = (values[2 * k], values[2 * k + 1]);
        values[k] = low + t * (high - low);
    }
}

/// The multilinear interpolant at a point.
///
/// # Shapes and units
/// - `values`: one a sample of `lattice`
/// - `x`: in units of the spacing, 0 at the first sample; points outside are moved to the nearest point of the lattice
/// # Accuracy and cost
/// Exact for multilinear functions, second order otherwise; `2^D` reads.
#[inline]
pub fn sample<const D: usize>(lattice: &Lattice<D>, values: &[f64], x: [f64; D]) -> f64 {
    let (mut v, t) = around(lattice, values, x);
    for (a, t) in t.iter().enumerate() {
        halve(&mut v, 1 << (D - 1 - a), *t);
    }
    v[0]
}

/// The gradient of [`sample`]'s interpolant, per spacing of the lattice.
pub fn gradient<const D: usize>(lattice: &Lattice<D>, values: &[f64], x: [f64; D]) -> [f64; D] {
    let (corners, t) = around(lattice, values, x);
    std::array::from_fn(|along| {
        let mut v = corners;
        for (a, t) in t.iter().enumerate() {
            let count = 1 << (D - 1 - a);
            if a == along {
                for k in 0..count {
                    v[k] = v[2 * k + 1] - v[2 * k];
                }
            } else {
                halve(&mut v, count, *t);
            }
        }
        v[0]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_functions_and_their_gradients_are_exact() {
        let lattice = Lattice::new([5, 4, 6]);
        let f = |x: [f64; 3]| 1.0 + 2.0 * x[0] - 3.0 * x[1] + 0.5 * x[2];
        let values: Vec<f64> = (0..lattice.len())
            .map(|i| f(lattice.coordinates(i).map(|c| c as f64)))
            .collect();
        for x in [[0.0, 0.0, 0.0], [3.7, 2.2, 4.9], [4.0, 3.0, 5.0]] {
            assert!((sample(&lattice, &values, x) - f(x)).abs() < 1e-13);
            let g = gradient(&lattice, &values, x);
            assert!((g[0] - 2.0).abs() + (g[1] + 3.0).abs() + (g[2] - 0.5).abs() < 1e-13);
        }
    }

    #[test]
    fn points_outside_take_the_nearest_value() {
        let lattice = Lattice::new([3, 3]);
        let values: Vec<f64> = (0..9).map(f64::from).collect();
        assert_eq!(sample(&lattice, &values, [-4.0, 9.0]), 6.0);
    }
}
