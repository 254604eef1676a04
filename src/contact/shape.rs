//! Level sets of simple bodies, and the relaxation of a contact point on them.
//!
//! A [`Shape`] lives in its body's own frame; its distance is negative inside. [`relax`] moves an attachment `X` towards the nearest
//! surface point of the particle `Z` until the spring between them lies in the friction cone. Knows nothing of motion.

use crate::real::{R3, Real, V3, add, dot, fixed, norm, scale, sub};
use serde::{Deserialize, Serialize};

/// A level set in its own frame, negative inside.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// The half space `normal . p < offset`; the normal has length 1.
    Plane {
        /// Unit normal, out of the solid.
        normal: V3,
        /// Distance of the plane from the origin along the normal, m.
        offset: f64,
    },
    /// A ball about the origin.
    Ball {
        /// Radius, m.
        radius: f64,
    },
    /// A box about the origin, along the axes.
    Cuboid {
        /// Half of each side, m.
        half: V3,
    },
    /// A torus about the origin, its axis along z.
    Torus {
        /// Radius of the ring, m.
        major: f64,
        /// Radius of the tube, m.
        minor: f64,
    },
    /// The space below z = 0 outside a ball about the origin: a bowl.
    Bowl {
        /// Inner radius, m.
        radius: f64,
    },
}

impl Shape {
    /// Distance of `p` from the surface, negative inside (of the bowl: exact on its inner side only).
    pub fn phi<T: Real>(&self, p: R3<T>) -> T {
        let c = T::constant;
        match self {
            Shape::Plane { normal, offset } => dot(fixed(normal), p) - c(*offset),
            Shape::Ball { radius } => norm(p) - c(*radius),
            Shape::Torus { major, minor } => {
                let ring = (p[0] * p[0] + p[1] * p[1]).sqrt() - c(*major);
                (ring * ring + p[2] * p[2]).sqrt() - c(*minor)
            }
            Shape::Bowl { radius } => {
                let wall = c(*radius) - norm(p);
                if wall.value() > p[2].value() {
                    wall
                } else {
                    p[2]
                }
            }
            Shape::Cuboid { half } => {
                let q: R3<T> = [0, 1, 2].map(|i| p[i].abs() - c(half[i]));
                let i = largest(&q);
                if q[i].value() <= 0.0 {
                    return q[i];
                }
                norm(q.map(|x| if x.value() > 0.0 { x } else { c(0.0) }))
            }
        }
    }

    /// Gradient of [`Self::phi`], of length 1; at its kinks that of the branch that `phi` takes.
    pub fn normal<T: Real>(&self, p: R3<T>) -> R3<T> {
        let c = T::constant;
        let zero = c(0.0);
        match self {
            Shape::Plane { normal, .. } => fixed(normal),
            Shape::Ball { .. } => along(p),
            Shape::Torus { major, .. } => {
                let rho = (p[0] * p[0] + p[1] * p[1]).sqrt();
                if rho.value() == 0.0 {
                    return [zero, zero, c(1.0)];
                }
                let ring = rho - c(*major);
                along([p[0] * ring / rho, p[1] * ring / rho, p[2]])
            }
            Shape::Bowl { radius } => {
                if *radius - norm(p).value() > p[2].value() {
                    along(p).map(|x| -x)
                } else {
                    [zero, zero, c(1.0)]
                }
            }
            Shape::Cuboid { half } => {
                let q: R3<T> = [0, 1, 2].map(|i| p[i].abs() - c(half[i]));
                let sign = |i: usize| c(if p[i].value() < 0.0 { -1.0 } else { 1.0 });
                let i = largest(&q);
                let mut n = [zero; 3];
                if q[i].value() <= 0.0 {
                    n[i] = sign(i);
                    return n;
                }
                for j in 0..3 {
                    if q[j].value() > 0.0 {
                        n[j] = q[j] * sign(j);
                    }
                }
                along(n)
            }
        }
    }

    /// Half the sides of a box about the origin that holds the body; infinite for a half space or a bowl.
    pub fn half_extent(&self) -> V3 {
        match self {
            Shape::Plane { .. } | Shape::Bowl { .. } => V3::repeat(f64::INFINITY),
            Shape::Ball { radius } => V3::repeat(*radius),
            Shape::Cuboid { half } => *half,
            Shape::Torus { major, minor } => V3::new(major + minor, major + minor, *minor),
        }
    }
}

fn largest<T: Real>(q: &R3<T>) -> usize {
    let (mut i, mut best) = (0, q[0].value());
    for (j, x) in q.iter().enumerate().skip(1) {
        if x.value() > best {
            (i, best) = (j, x.value());
        }
    }
    i
}

fn along<T: Real>(p: R3<T>) -> R3<T> {
    let n = norm(p);
    if n.value() == 0.0 {
        return [T::constant(0.0), T::constant(0.0), T::constant(1.0)];
    }
    p.map(|x| x / n)
}

/// A point relaxed on a level set.
pub struct Relaxed<T> {
    /// The relaxed attachment.
    pub y: R3<T>,
    /// Whether the attachment held: then `y` is the attachment, bit for bit.
    pub stuck: bool,
    /// Whether the particle is inside; outside it feels no force.
    pub active: bool,
}

/// The nearest surface point of `z` along the normal at `z`.
pub fn nearest<T: Real>(shape: &Shape, z: R3<T>) -> R3<T> {
    sub(z, scale(shape.phi(z), shape.normal(z)))
}

/// The relaxation of the attachment `x` of a particle at `z` on a level set.
///
/// ```text
/// W = Z - phi(Z) n(Z)      r = mu |phi(Z)|
/// |X - W| <= r : Y = X                          (stick)
/// else         : K = W + r (X - W) / |X - W|,   Y = K - phi(K) n(K)
/// ```
/// # Shapes and units
/// `x` on the surface, `z` anywhere, both in the shape's frame, m; `mu` >= 0.
/// # Accuracy and cost
/// On a plane the cone holds to rounding, on a ball it is never exceeded; on concave sides by up to 2 %. Two distances.
/// # Source
/// Ding 2019, section 2.2.1, (2.2).
pub fn relax<T: Real>(shape: &Shape, x: &V3, z: R3<T>, mu: f64) -> Relaxed<T> {
    let phi = shape.phi(z);
    let active = phi.value() < 0.0;
    let w = sub(z, scale(phi, shape.normal(z)));
    let d = sub(fixed(x), w);
    let length = norm(d);
    let radius = T::constant(mu) * phi.abs();
    if length.value() <= radius.value() * (1.0 + 1e-13) {
        return Relaxed {
            y: fixed(x),
            stuck: mu > 0.0,
            active,
        };
    }
    let k = add(w, scale(radius / length, d));
    let y = if matches!(shape, Shape::Plane { .. }) {
        k
    } else {
        nearest(shape, k)
    };
    Relaxed {
        y,
        stuck: false,
        active,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::{slopes, values, variable};
    use crate::testing::{Random, assert_small};

    fn shapes() -> [Shape; 4] {
        [
            Shape::Plane {
                normal: V3::new(1.0, 2.0, 2.0) / 3.0,
                offset: 0.1,
            },
            Shape::Ball { radius: 1.0 },
            Shape::Cuboid {
                half: V3::new(1.0, 0.7, 0.8),
            },
            Shape::Torus {
                major: 1.0,
                minor: 0.4,
            },
        ]
    }

    /// A particle `depth` below a random surface point and an attachment nearby.
    fn case(shape: &Shape, random: &mut Random, depth: f64) -> (V3, V3) {
        loop {
            let p = random.vector() * 1.5;
            let on: V3 = values(nearest::<f64>(shape, p.into()));
            let n = values(shape.normal::<f64>(on.into()));
            let z = on - n * depth;
            let x = values(nearest::<f64>(
                shape,
                (on + random.vector() * 3.0 * depth).into(),
            ));
            let flat = (values(shape.normal::<f64>(x.into()))
                - values(shape.normal::<f64>(z.into())))
            .norm()
                < 0.2;
            if flat && (shape.phi::<f64>(z.into()) + depth).abs() < 1e-9 {
                return (x, z);
            }
        }
    }

    #[test]
    fn relaxed_points_lie_on_the_surface_and_in_the_cone() {
        for shape in shapes() {
            let mut random = Random::new(7);
            for i in 0..2000 {
                let mu = [0.05, 0.3, 1.0][i % 3];
                let depth = if matches!(shape, Shape::Torus { .. }) {
                    0.003
                } else {
                    0.01
                };
                let (x, z) = case(&shape, &mut random, depth);
                let relaxed = relax::<f64>(&shape, &x, z.into(), mu);
                let y = V3::from(relaxed.y);
                assert_small(
                    shape.phi::<f64>(relaxed.y),
                    0.01,
                    1e-12,
                    "Y is projected on the surface",
                );
                let n = values(shape.normal::<f64>(relaxed.y));
                let normal = (y - z).dot(&n);
                let tangential = ((y - z) - n * normal).norm();
                let concave = matches!(shape, Shape::Torus { .. });
                let limit = if concave { 1.02 } else { 1.0 + 1e-9 };
                assert!(
                    tangential <= mu * normal * limit,
                    "cone: {tangential} > {mu} * {normal} on {shape:?}"
                );
                assert!(
                    relaxed.stuck || tangential >= mu * normal * 0.98,
                    "no over-relaxation: {tangential} < {mu} * {normal} on {shape:?}"
                );
                let again = V3::from(relax::<f64>(&shape, &y, z.into(), mu).y);
                // The prototype: .08 (d/R)^2 of the depth.
                let limit = match shape {
                    Shape::Ball { radius } => 0.8 * (depth / radius).powi(2),
                    Shape::Torus { minor, .. } => 0.8 * (depth / minor).powi(2),
                    _ => 1e-13,
                };
                assert_small(
                    (again - y).norm(),
                    depth,
                    limit,
                    "P(Y, Z) = Y up to (d/R)^2 of the depth",
                );
                if relaxed.stuck {
                    assert_eq!(y, x, "a sticking attachment keeps its bits");
                }
            }
        }
    }

    #[test]
    fn derivatives_are_those_of_finite_differences() {
        for shape in shapes() {
            let mut random = Random::new(11);
            for _ in 0..300 {
                let (x, z) = case(&shape, &mut random, 0.02);
                let exact = slopes(relax(&shape, &x, variable(&z), 0.3).y);
                let step = 1e-6;
                for j in 0..3 {
                    let mut e = V3::zeros();
                    e[j] = step;
                    let (a, b) = (
                        relax::<f64>(&shape, &x, (z + e).into(), 0.3),
                        relax::<f64>(&shape, &x, (z - e).into(), 0.3),
                    );
                    if a.stuck != b.stuck {
                        continue;
                    }
                    let slope = (V3::from(a.y) - V3::from(b.y)) / (2.0 * step);
                    assert_small(
                        (slope - exact.column(j)).norm(),
                        1.0,
                        1e-6,
                        "dual numbers differentiate the same branch",
                    );
                }
            }
        }
    }
}
