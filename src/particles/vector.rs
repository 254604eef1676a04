//! Short vectors of `D` numbers as plain arrays, so that the plane and space are one code.

use glam::DVec3;

/// The scalar product.
#[inline]
pub(crate) fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for k in 0..D {
        sum += a[k] * b[k];
    }
    sum
}

/// `a + s b`.
#[inline]
pub(crate) fn plus<const D: usize>(a: &[f64; D], s: f64, b: &[f64; D]) -> [f64; D] {
    let mut out = *a;
    for k in 0..D {
        out[k] += s * b[k];
    }
    out
}

/// `a - b`.
#[inline]
pub(crate) fn minus<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    plus(a, -1.0, b)
}

/// `s a`.
#[inline]
pub(crate) fn times<const D: usize>(s: f64, a: &[f64; D]) -> [f64; D] {
    a.map(|x| s * x)
}

/// The Euclidean length.
#[inline]
pub(crate) fn length<const D: usize>(a: &[f64; D]) -> f64 {
    dot(a, a).sqrt()
}

/// The vector in space; a vector of the plane has no third part.
#[inline]
pub(crate) fn in_space<const D: usize>(a: &[f64; D]) -> DVec3 {
    DVec3::new(a[0], a[1], if D == 3 { a[2] } else { 0.0 })
}

/// The first `D` parts of a vector in space.
#[inline]
pub(crate) fn in_dimension<const D: usize>(a: DVec3) -> [f64; D] {
    let all = a.to_array();
    std::array::from_fn(|k| all[k])
}
