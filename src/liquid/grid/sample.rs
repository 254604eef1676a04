//! Values and gradients between the samples of a lattice: multilinear in any dimension.

use super::Lattice;

/// Where a point falls: the lower corner's coordinates and the weight of the upper side, per axis.
fn split<const D: usize>(lattice: &Lattice<D>, x: [f64; D]) -> ([usize; D], [f64; D]) {
    let mut low = [0; D];
    let mut t = [0.0; D];
    for a in 0..D {
        let last = lattice.n[a].saturating_sub(2);
        let clamped = x[a].clamp(0.0, (lattice.n[a] - 1) as f64);
        low[a] = (clamped as usize).min(last);
        t[a] = (clamped - low[a] as f64).min(1.0);
    }
    (low, t)
}

/// The multilinear interpolant at a point.
///
/// # Shapes and units
/// - `values`: one a sample of `lattice`
/// - `x`: in units of the spacing, 0 at the first sample; points outside are moved to the nearest point of the lattice
/// # Accuracy and cost
/// Exact for multilinear functions, second order otherwise; `2^D` reads.
pub fn sample<const D: usize>(lattice: &Lattice<D>, values: &[f64], x: [f64; D]) -> f64 {
    let (low, t) = split(lattice, x);
    let base = lattice.index(low);
    let mut sum = 0.0;
    for corner in 0..1usize << D {
        let mut weight = 1.0;
        let mut at = base;
        for (a, t) in t.iter().enumerate() {
            if corner >> a & 1 == 1 {
                weight *= t;
                at += lattice.stride(a) * usize::from(lattice.n[a] > 1);
            } else {
                weight *= 1.0 - t;
            }
        }
        sum += weight * values[at];
    }
    sum
}

/// The gradient of [`sample`]'s interpolant, per spacing of the lattice.
pub fn gradient<const D: usize>(lattice: &Lattice<D>, values: &[f64], x: [f64; D]) -> [f64; D] {
    let (low, t) = split(lattice, x);
    let base = lattice.index(low);
    let mut sum = [0.0; D];
    for corner in 0..1usize << D {
        let mut at = base;
        for a in 0..D {
            at += lattice.stride(a) * (corner >> a & 1) * usize::from(lattice.n[a] > 1);
        }
        for (along, sum) in sum.iter_mut().enumerate() {
            let mut weight = 1.0;
            for (a, t) in t.iter().enumerate() {
                let up = corner >> a & 1 == 1;
                weight *= match (a == along, up) {
                    (true, true) => 1.0,
                    (true, false) => -1.0,
                    (false, true) => *t,
                    (false, false) => 1.0 - t,
                };
            }
            *sum += weight * values[at];
        }
    }
    sum
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
