//! Flows that are known: velocities to start with and to compare with, and the force that keeps a flow on course.
//!
//! Derivatives are those of second-order jets (a value with its gradient and second derivatives), not differences.

use std::ops::{Add, Mul, Neg, Sub};

use serde::{Deserialize, Serialize};

/// A flow in closed form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Flow {
    /// Nothing moves.
    #[default]
    Rest,
    /// The same velocity everywhere.
    Uniform,
    /// `(-sin(a x) cos(a y), cos(a x) sin(a y))`: a solution by itself.
    TaylorGreen,
    /// The thesis's "Square": two stream functions in the unit square, one growing with time; needs its force.
    Square,
    /// The thesis's "Circle": around the unit disc in a square of side 4; needs its force.
    Circle,
}

/// A flow with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field<const D: usize> {
    /// Which.
    pub flow: Flow,
    /// Velocity of [`Flow::Uniform`], m/s.
    pub velocity: Vec<f64>,
    /// `a` of [`Flow::TaylorGreen`], 1/m.
    pub wave: f64,
}

/// A flow at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known<const D: usize> {
    /// Velocity, m/s.
    pub v: [f64; D],
    /// `grad[a][k]`: derivative of component `a` along axis `k`, 1/s.
    pub grad: [[f64; D]; D],
    /// `v_t + (v . grad) v + grad p / rho`, m/s²: the force that makes it a solution.
    pub force: [f64; D],
}

/// A function of two variables near a point: value, gradient, second derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jet {
    f: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Jet {
    fn constant(f: f64) -> Self {
        Self {
            f,
            x: 0.0,
            y: 0.0,
            xx: 0.0,
            xy: 0.0,
            yy: 0.0,
        }
    }

    /// The coordinates of a point.
    fn point(x: f64, y: f64) -> (Self, Self) {
        let (mut a, mut b) = (Self::constant(x), Self::constant(y));
        a.x = 1.0;
        b.y = 1.0;
        (a, b)
    }
}

impl Add for Jet {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self {
            f: self.f + o.f,
            x: self.x + o.x,
            y: self.y + o.y,
            xx: self.xx + o.xx,
            xy: self.xy + o.xy,
            yy: self.yy + o.yy,
        }
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Self::constant(-1.0) * self
    }
}

impl Sub for Jet {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for Jet {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Self {
            f: self.f * o.f,
            x: self.x * o.f + self.f * o.x,
            y: self.y * o.f + self.f * o.y,
            xx: self.xx * o.f + 2.0 * self.x * o.x + self.f * o.xx,
            xy: self.xy * o.f + self.x * o.y + self.y * o.x + self.f * o.xy,
            yy: self.yy * o.f + 2.0 * self.y * o.y + self.f * o.yy,
        }
    }
}

impl Add<f64> for Jet {
    type Output = Self;
    fn add(self, o: f64) -> Self {
        self + Self::constant(o)
    }
}

impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, o: f64) -> Self {
        self * Self::constant(o)
    }
}

/// The stream functions of "Square": `f(x) f(y)` and `g(x) f(y)`.
fn square(x: Jet, y: Jet) -> (Jet, Jet) {
    let f = |s: Jet| s * (-s + 1.0) * (s * s - s + -1.0);
    let g = |s: Jet| s * (-s + 1.0) * (s + 1.0) * (s * s * 3.0 + -7.0);
    (f(x) * f(y), g(x) * f(y))
}

/// The stream function of "Circle": 0 with its second derivative across on the walls and on the unit circle.
fn circle(x: Jet, y: Jet) -> Jet {
    let (a, b) = (x * x, y * y);
    let (a2, b2) = (a * a, b * b);
    let (a3, b3) = (a2 * a, b2 * b);
    let inner = a3 * b2 * 1775.0
        + a2 * b3 * 1775.0
        + a3 * b * -14585.0
        + a2 * b2 * -31229.0
        + a * b3 * -14585.0
        + a3 * 36100.0
        + a2 * b * 158_486.0
        + a * b2 * 158_486.0
        + b3 * 36100.0
        + a2 * -248_104.0
        + a * b * -538_625.0
        + b2 * -248_104.0
        + a * 384_500.0
        + b * 384_500.0
        + -213_392.0;
    (b + -4.0) * (a + -4.0) * (a + b + -1.0) * inner * (1.0 / 177_500_000.0)
}

/// Velocity and gradient of a stream function: `v = (-S_y, S_x)`.
fn of_stream(s: Jet) -> ([f64; 2], [[f64; 2]; 2]) {
    ([-s.y, s.x], [[-s.xy, -s.yy], [s.xx, s.xy]])
}

impl<const D: usize> Field<D> {
    /// Whether it solves the equations (with its force), so that errors can be measured.
    #[must_use]
    pub fn is_solution(&self) -> bool {
        matches!(self.flow, Flow::TaylorGreen | Flow::Square | Flow::Circle)
    }

    /// The flow at a point.
    ///
    /// # Shapes and units
    /// - `x` m, `time` s, `density` kg/m³; in three dimensions nothing depends on the third coordinate
    /// # Source
    /// \[004\] section 3.5.1; "Square" in the reading `phi_1 + t phi_2`.
    #[must_use]
    pub fn at(&self, x: [f64; D], time: f64, density: f64) -> Known<D> {
        let (jx, jy) = Jet::point(x[0], x[1]);
        let (v, grad, rate, pressure) = match self.flow {
            Flow::Rest => ([0.0; 2], [[0.0; 2]; 2], [0.0; 2], [0.0; 2]),
            Flow::Uniform => {
                let v = std::array::from_fn(|k| self.velocity.get(k).copied().unwrap_or(0.0));
                return Known {
                    v,
                    grad: [[0.0; D]; D],
                    force: [0.0; D],
                };
            }
            Flow::TaylorGreen => {
                let a = self.wave;
                let ((sx, cx), (sy, cy)) = ((a * x[0]).sin_cos(), (a * x[1]).sin_cos());
                let v = [-sx * cy, cx * sy];
                let grad = [[-a * cx * cy, a * sx * sy], [-a * sx * sy, a * cx * cy]];
                // Its own pressure balances (v . grad) v exactly.
                let own = advected(v, grad);
                (v, grad, [0.0; 2], own.map(|g| -g * density))
            }
            Flow::Square => {
                let (one, two) = square(jx, jy);
                let (v, grad) = of_stream(one + two * time);
                let (rate, _) = of_stream(two);
                let p = jx * jy * (-jx + 1.0) * (-jy + 1.0) * (jx - jx * jy + jy * jy + time);
                (v, grad, rate, [p.x, p.y])
            }
            Flow::Circle => {
                let (v, grad) = of_stream(circle(jx, jy));
                (v, grad, [0.0; 2], [1.0 - x[1], -x[0] + 2.0 * x[1]])
            }
        };
        let own = advected(v, grad);
        let in_space = |v: [f64; 2]| std::array::from_fn(|k| v.get(k).copied().unwrap_or(0.0));
        Known {
            v: in_space(v),
            grad: std::array::from_fn(|a| grad.get(a).map_or([0.0; D], |g| in_space(*g))),
            force: in_space(std::array::from_fn(|a| {
                rate[a] + own[a] + pressure[a] / density
            })),
        }
    }
}

/// `(v . grad) v`.
fn advected(v: [f64; 2], grad: [[f64; 2]; 2]) -> [f64; 2] {
    grad.map(|g| g[0] * v[0] + g[1] * v[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(flow: Flow) -> Field<2> {
        Field {
            flow,
            velocity: Vec::new(),
            wave: 2.0,
        }
    }

    #[test]
    fn walls_and_the_circle_are_streamlines_without_shear() {
        let field = field(Flow::Circle);
        for k in 0..12 {
            let (s, c) = (0.5 * f64::from(k)).sin_cos();
            let known = field.at([c, s], 0.0, 3.0);
            assert!((known.v[0] * c + known.v[1] * s).abs() < 1e-12);
        }
        for y in [-1.3, 0.2, 1.9] {
            assert!(field.at([2.0, y], 0.0, 3.0).v[0].abs() < 1e-12);
            assert!(field.at([2.0, y], 0.0, 3.0).grad[1][0].abs() < 1e-12);
        }
        let square = Field::<2> {
            flow: Flow::Square,
            ..Field::default()
        };
        for y in [0.1, 0.7] {
            assert!(square.at([1.0, y], 0.5, 3.0).v[0].abs() < 1e-14);
            assert!(square.at([0.0, y], 0.5, 3.0).grad[1][0].abs() < 1e-14);
        }
    }
}
