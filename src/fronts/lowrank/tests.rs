use super::*;
use crate::trial::Random;

#[test]
fn a_sum_of_three_products_has_rank_three_and_comes_back() {
    let a = Mat::from_fn(50, 3, |i, k| {
        ((i + 1) as f64 * (k + 2) as f64).sin() * 10_f64.powi(-4 * k as i32)
    });
    let b = Mat::from_fn(40, 3, |i, k| ((i + 3) as f64 * (k + 1) as f64).cos());
    let m = &a * b.transpose();
    let (u, v) = factor(&m, 1.0, 1e-13, 20).expect("rank three is below twenty");
    assert_eq!(u.ncols(), 3);
    assert!((&m - &u * v.transpose()).norm_l2() < 1e-13);
    assert!(factor(&m, 1.0, 1e-13, 2).is_none());
    assert_eq!(factor(&m, 1.0, 1e-6, 20).expect("two matter").0.ncols(), 2);
}

/// Singular values `exp(-k / steps)`, as in a pipe.
fn decaying(m: usize, n: usize, steps: f64) -> Mat<f64> {
    let mut random = Random::new((m + n) as u64);
    let mut orthonormal_of = |rows| {
        let columns = m.min(n);
        orthonormal(Mat::from_fn(rows, columns, |_, _| random.next()))
    };
    let (left, right) = (orthonormal_of(m), orthonormal_of(n));
    let scaled = Mat::from_fn(m, m.min(n), |i, k| {
        left[(i, k)] * (-(k as f64) / steps).exp()
    });
    scaled * right.transpose()
}

#[test]
fn what_is_dropped_is_below_the_tolerance_also_where_many_are_kept() {
    for (m, n) in [(120, 120), (90, 150), (150, 90)] {
        for (steps, tolerance) in [(0.5, 1e-13), (1.0, 1e-13), (2.0, 1e-13), (2.0, 1e-6)] {
            let coupling = decaying(m, n, steps);
            let (u, v) = factor(&coupling, 1.0, tolerance, m.min(n)).expect("any rank will do");
            // exp(-k / steps) > tolerance
            let expected = (-steps * f64::ln(tolerance)).ceil() as usize;
            assert!(
                u.ncols().abs_diff(expected) <= 1,
                "{m} x {n}, {steps}: rank {} for {expected}",
                u.ncols()
            );
            let off = (&coupling - &u * v.transpose()).norm_l2();
            // Dropped ones sum up to tolerance / sqrt(1 - exp(-2 / steps)).
            assert!(
                off < 2.0 * tolerance,
                "{m} x {n}, {steps}: {off:.1e} dropped"
            );
        }
    }
}

#[test]
fn full_and_empty_couplings() {
    let mut random = Random::new(2);
    let full = Mat::from_fn(60, 60, |_, _| random.next());
    assert!(factor(&full, 1.0, 1e-13, 20).is_none(), "rank sixty");
    let (u, v) = factor(&full, 1.0, 1e-13, 60).expect("sixty are allowed");
    assert_eq!(u.ncols(), 60);
    assert!((&full - &u * v.transpose()).norm_l2() < 1e-11);
    let (u, v) = factor(&Mat::zeros(30, 40), 1.0, 1e-13, 10).expect("rank zero");
    assert_eq!((u.nrows(), u.ncols(), v.nrows(), v.ncols()), (30, 0, 40, 0));
}

#[test]
fn the_tolerance_is_relative_to_the_scale() {
    let coupling = decaying(60, 60, 1.0);
    let rank = |scale| factor(&coupling, scale, 1e-10, 60).expect("any").0.ncols();
    // Ten powers of e further down at exp(-10).
    assert_eq!(rank(1.0), rank(f64::exp(10.0)) + 10);
}
