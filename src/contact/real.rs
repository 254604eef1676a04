//! Numbers that carry three derivatives, and vectors of them.
//!
//! Every relaxation is written once over [`Real`]: with `f64` it gives the relaxed point, with [`Dual`] the same point (same bits,
//! same branches) and its derivatives by forward differentiation. Knows nothing of surfaces.

use nalgebra::{Matrix3, Vector3};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Vector in space.
pub type V3 = Vector3<f64>;
/// Matrix of space.
pub type M3 = Matrix3<f64>;

/// A number that relaxations are written over.
pub trait Real:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The constant `v`, with no derivative.
    fn constant(v: f64) -> Self;
    /// The value, without derivatives.
    fn value(self) -> f64;
    /// Square root; at 0 its derivative is taken as 0.
    fn sqrt(self) -> Self;
    /// Absolute value; at 0 its derivative is that of the identity.
    fn abs(self) -> Self {
        if self.value() < 0.0 { -self } else { self }
    }
}

impl Real for f64 {
    fn constant(v: f64) -> f64 {
        v
    }
    fn value(self) -> f64 {
        self
    }
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
}

/// A value and its derivatives with respect to three inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// Value.
    pub v: f64,
    /// Derivatives.
    pub d: [f64; 3],
}

impl Dual {
    fn map(self, v: f64, slope: f64) -> Dual {
        Dual {
            v,
            d: self.d.map(|d| slope * d),
        }
    }
    fn join(self, other: Dual, v: f64, a: f64, b: f64) -> Dual {
        Dual {
            v,
            d: [0, 1, 2].map(|i| a * self.d[i] + b * other.d[i]),
        }
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, o: Dual) -> Dual {
        self.join(o, self.v + o.v, 1.0, 1.0)
    }
}
impl Sub for Dual {
    type Output = Dual;
    fn sub(self, o: Dual) -> Dual {
        self.join(o, self.v - o.v, 1.0, -1.0)
    }
}
impl Mul for Dual {
    type Output = Dual;
    fn mul(self, o: Dual) -> Dual {
        self.join(o, self.v * o.v, o.v, self.v)
    }
}
impl Div for Dual {
    type Output = Dual;
    fn div(self, o: Dual) -> Dual {
        let v = self.v / o.v;
        self.join(o, v, 1.0 / o.v, -v / o.v)
    }
}
impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        self.map(-self.v, -1.0)
    }
}
impl Real for Dual {
    fn constant(v: f64) -> Dual {
        Dual { v, d: [0.0; 3] }
    }
    fn value(self) -> f64 {
        self.v
    }
    fn sqrt(self) -> Dual {
        let root = self.v.sqrt();
        self.map(root, if root > 0.0 { 0.5 / root } else { 0.0 })
    }
}

/// A vector of numbers that may carry derivatives.
pub type R3<T> = [T; 3];

/// The constant vector `p`.
pub fn fixed<T: Real>(p: &V3) -> R3<T> {
    [T::constant(p.x), T::constant(p.y), T::constant(p.z)]
}
/// The vector `p` as the input that derivatives are taken with respect to.
pub fn variable(p: &V3) -> R3<Dual> {
    [0, 1, 2].map(|i| {
        let mut d = [0.0; 3];
        d[i] = 1.0;
        Dual { v: p[i], d }
    })
}
/// Values of `a`.
pub fn values<T: Real>(a: R3<T>) -> V3 {
    V3::new(a[0].value(), a[1].value(), a[2].value())
}
/// Derivatives of `a`: entry (i, j) is that of `a[i]` with respect to input j.
pub fn slopes(a: R3<Dual>) -> M3 {
    M3::from_fn(|i, j| a[i].d[j])
}
pub(crate) fn add<T: Real>(a: R3<T>, b: R3<T>) -> R3<T> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub(crate) fn sub<T: Real>(a: R3<T>, b: R3<T>) -> R3<T> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub(crate) fn scale<T: Real>(s: T, a: R3<T>) -> R3<T> {
    [s * a[0], s * a[1], s * a[2]]
}
pub(crate) fn dot<T: Real>(a: R3<T>, b: R3<T>) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub(crate) fn cross<T: Real>(a: R3<T>, b: R3<T>) -> R3<T> {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
pub(crate) fn norm<T: Real>(a: R3<T>) -> T {
    dot(a, a).sqrt()
}
pub(crate) fn unit<T: Real>(a: R3<T>) -> R3<T> {
    let n = norm(a);
    [a[0] / n, a[1] / n, a[2] / n]
}

/// The matrix of `a x`.
pub(crate) fn skew(a: &V3) -> M3 {
    M3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// Left Jacobian of the rotation exp(theta): `exp((theta + d)^) = exp((J d)^) exp(theta^)` to first order.
pub(crate) fn left_jacobian(theta: &V3) -> M3 {
    let t2 = theta.norm_squared();
    let (a, b) = if t2 < 1e-8 {
        (0.5 - t2 / 24.0, 1.0 / 6.0 - t2 / 120.0)
    } else {
        let t = t2.sqrt();
        ((1.0 - t.cos()) / t2, (t - t.sin()) / (t2 * t))
    };
    let k = skew(theta);
    M3::identity() + k * a + k * k * b
}
