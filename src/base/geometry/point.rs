//! A point or a vector of the plane.

use std::ops::{Add, Mul, Neg, Sub};

/// A point or a vector of the plane; metres unless its name says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Along the first axis.
    pub x: f64,
    /// Along the second axis.
    pub y: f64,
}

impl Point {
    /// The point (x, y).
    pub const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The unit vector at `angle` radians from the x axis.
    pub fn unit(angle: f64) -> Self {
        let (s, c) = sin_cos(angle);
        Self::new(c, s)
    }

    /// Scalar product.
    pub fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// z component of the vector product; positive where `other` lies to the left of `self`.
    pub fn cross(self, other: Self) -> f64 {
        self.x * other.y - self.y * other.x
    }

    /// Euclidean length.
    pub fn norm(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// Angle from the x axis, in (-pi, pi].
    pub fn angle(self) -> f64 {
        self.y.atan2(self.x)
    }

    /// Way to the nearest point of the segment from `a` to `b`.
    pub fn distance_to_segment(self, a: Self, b: Self) -> f64 {
        let along = b - a;
        let squared = along.dot(along);
        let t = if squared > 0.0 {
            ((self - a).dot(along) / squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        (self - (a + along * t)).norm()
    }

    /// Turned by a quarter to the left.
    pub fn left(self) -> Self {
        Self::new(-self.y, self.x)
    }

    /// The same direction with length one; the zero vector stays what it is.
    pub fn normalized(self) -> Self {
        let n = self.norm();
        if n > 0.0 { self * (1.0 / n) } else { self }
    }
}

/// Sine and cosine that are exact at multiples of a quarter turn.
pub fn sin_cos(angle: f64) -> (f64, f64) {
    let quarters = angle / std::f64::consts::FRAC_PI_2;
    let near = quarters.round();
    if (quarters - near).abs() < 1e-13 {
        return match near.rem_euclid(4.0) as u8 {
            0 => (0.0, 1.0),
            1 => (1.0, 0.0),
            2 => (0.0, -1.0),
            _ => (-1.0, 0.0),
        };
    }
    angle.sin_cos()
}

impl Add for Point {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y)
    }
}

impl Sub for Point {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y)
    }
}

impl Mul<f64> for Point {
    type Output = Self;
    fn mul(self, k: f64) -> Self {
        Self::new(self.x * k, self.y * k)
    }
}

impl Neg for Point {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

impl From<[f64; 2]> for Point {
    fn from([x, y]: [f64; 2]) -> Self {
        Self { x, y }
    }
}

impl From<Point> for [f64; 2] {
    fn from(p: Point) -> Self {
        [p.x, p.y]
    }
}
