//! Rigid motions of the plane, mirrored or not.

use super::Point;
use super::point::sin_cos;

/// A rigid motion: mirror in the x axis first (if asked), then rotate, then translate.
///
/// ```text
/// x_in_chip = R(angle) * M * x_in_part + translation,   M = diag(1, -1) if mirror
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Rotation in rad, counter-clockwise.
    pub angle: f64,
    /// Mirrors in the x axis before it rotates.
    pub mirror: bool,
    /// Where the origin goes, m.
    pub translation: Point,
}

impl Default for Motion {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Motion {
    /// Leaves everything where it is.
    pub const IDENTITY: Self = Self {
        angle: 0.0,
        mirror: false,
        translation: Point::new(0.0, 0.0),
    };

    /// A rotation about the origin, then a translation.
    pub fn new(angle: f64, translation: Point) -> Self {
        Self {
            angle,
            mirror: false,
            translation,
        }
    }

    /// Where a point goes.
    pub fn apply(&self, p: Point) -> Point {
        self.rotate(p) + self.translation
    }

    /// Where points go, to the same bits as [`Motion::apply`]; the angle's sine and cosine are computed once.
    pub fn to_apply(&self) -> impl Fn(Point) -> Point + use<> {
        let (rotate, translation) = (self.to_rotate(), self.translation);
        move |p| rotate(p) + translation
    }

    /// Where a vector goes: as `apply` without the translation.
    pub fn rotate(&self, v: Point) -> Point {
        self.to_rotate()(v)
    }

    fn to_rotate(self) -> impl Fn(Point) -> Point {
        let (s, c) = sin_cos(self.angle);
        move |v| {
            let y = if self.mirror { -v.y } else { v.y };
            Point::new(c * v.x - s * y, s * v.x + c * y)
        }
    }

    /// The direction (rad) that a direction in the part's frame has after the motion.
    pub fn turn(&self, direction: f64) -> f64 {
        if self.mirror {
            self.angle - direction
        } else {
            self.angle + direction
        }
    }

    /// First `inner`, then `self`.
    pub fn after(&self, inner: &Self) -> Self {
        Self {
            angle: self.turn(inner.angle),
            mirror: self.mirror != inner.mirror,
            translation: self.apply(inner.translation),
        }
    }

    /// The motion that undoes this one.
    pub fn inverse(&self) -> Self {
        let angle = if self.mirror { self.angle } else { -self.angle };
        let back = Self {
            angle,
            mirror: self.mirror,
            translation: Point::default(),
        };
        Self {
            translation: -back.rotate(self.translation),
            ..back
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn motions_compose_and_invert() {
        let a = Motion {
            angle: 0.3,
            mirror: true,
            translation: Point::new(1.0, 2.0),
        };
        let b = Motion {
            angle: -1.1,
            mirror: true,
            translation: Point::new(-0.5, 0.25),
        };
        let p = Point::new(0.7, -0.4);
        let direct = a.apply(b.apply(p));
        assert!(
            (a.after(&b).apply(p) - direct).norm() < 1e-15,
            "composition acts as its parts in turn"
        );
        assert!(
            (a.inverse().apply(a.apply(p)) - p).norm() < 1e-15,
            "a motion and its inverse cancel"
        );
    }
}
