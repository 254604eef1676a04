//! Bodies made of simple ones, as signed distances.

/// A region of space; the distance is negative inside.
///
/// # Example
/// ```
/// use stokeslet_dynamics::grid::Shape;
/// let ring = Shape::ball([0.0, 0.0], 1.0).without(Shape::ball([0.0, 0.0], 0.5));
/// assert!((ring.distance([0.6, 0.0]) + 0.1).abs() < 1e-15);
/// assert!(ring.distance([0.0, 0.0]) > 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Shape<const D: usize> {
    /// A disc or ball.
    Ball {
        /// Its centre.
        centre: [f64; D],
        /// Its radius.
        radius: f64,
    },
    /// A rectangle or box along the axes.
    Cuboid {
        /// The lower corner.
        low: [f64; D],
        /// The upper corner.
        high: [f64; D],
    },
    /// Everything below a plane: `normal . x < offset`.
    Below {
        /// Unit vector.
        normal: [f64; D],
        /// Distance of the plane from the origin along the normal.
        offset: f64,
    },
    /// An endless cylinder along an axis (in two dimensions a strip).
    Cylinder {
        /// A point on its axis.
        centre: [f64; D],
        /// The direction it is endless in.
        axis: usize,
        /// Its radius.
        radius: f64,
    },
    /// A body turned about a point in the plane of the first two axes.
    Turned {
        /// Stays where it is.
        centre: [f64; D],
        /// Counterclockwise, rad.
        angle: f64,
        /// The body before.
        shape: Box<Shape<D>>,
    },
    /// A body moved.
    Moved {
        /// By how much.
        by: [f64; D],
        /// The body before.
        shape: Box<Shape<D>>,
    },
    /// A body grown by a distance.
    Dilated {
        /// By how much.
        by: f64,
        /// The body before.
        shape: Box<Shape<D>>,
    },
    /// A body made larger about the origin.
    Scaled {
        /// By which factor.
        by: f64,
        /// The body before.
        shape: Box<Shape<D>>,
    },
    /// What is in any of them.
    Union(Vec<Shape<D>>),
    /// What is in all of them.
    Intersection(Vec<Shape<D>>),
    /// What is not in it.
    Complement(Box<Shape<D>>),
}

impl<const D: usize> Shape<D> {
    /// A disc or ball.
    pub fn ball(centre: [f64; D], radius: f64) -> Self {
        Shape::Ball { centre, radius }
    }

    /// A rectangle or box.
    pub fn cuboid(low: [f64; D], high: [f64; D]) -> Self {
        Shape::Cuboid { low, high }
    }

    /// A shell of some thickness inside a ball.
    pub fn shell(centre: [f64; D], radius: f64, thickness: f64) -> Self {
        Shape::ball(centre, radius).without(Shape::ball(centre, radius - thickness))
    }

    /// What is in this and not in the other.
    pub fn without(self, other: Self) -> Self {
        Shape::Intersection(vec![self, Shape::Complement(Box::new(other))])
    }

    /// Moved by a vector.
    pub fn moved(self, by: [f64; D]) -> Self {
        Shape::Moved {
            by,
            shape: Box::new(self),
        }
    }

    /// Signed distance, negative inside.
    ///
    /// # Accuracy and cost
    /// Exact for primitives; for unions and intersections exact in sign and a lower bound in size.
    pub fn distance(&self, x: [f64; D]) -> f64 {
        match self {
            Shape::Ball { centre, radius } => {
                (0..D)
                    .map(|a| (x[a] - centre[a]).powi(2))
                    .sum::<f64>()
                    .sqrt()
                    - radius
            }
            Shape::Cuboid { low, high } => {
                let mut outside = 0.0;
                let mut inside = f64::NEG_INFINITY;
                for a in 0..D {
                    let d = (low[a] - x[a]).max(x[a] - high[a]);
                    outside += d.max(0.0).powi(2);
                    inside = inside.max(d);
                }
                outside.sqrt() + inside.min(0.0)
            }
            Shape::Below { normal, offset } => {
                (0..D).map(|a| normal[a] * x[a]).sum::<f64>() - offset
            }
            Shape::Cylinder {
                centre,
                axis,
                radius,
            } => {
                let square: f64 = (0..D)
                    .filter(|a| a != axis)
                    .map(|a| (x[a] - centre[a]).powi(2))
                    .sum();
                square.sqrt() - radius
            }
            Shape::Turned {
                centre,
                angle,
                shape,
            } => {
                let (sin, cos) = angle.sin_cos();
                let (dx, dy) = (x[0] - centre[0], x[1] - centre[1]);
                let mut back = x;
                back[0] = centre[0] + cos * dx + sin * dy;
                back[1] = centre[1] - sin * dx + cos * dy;
                shape.distance(back)
            }
            Shape::Moved { by, shape } => shape.distance(std::array::from_fn(|a| x[a] - by[a])),
            Shape::Dilated { by, shape } => shape.distance(x) - by,
            Shape::Scaled { by, shape } => by * shape.distance(x.map(|x| x / by)),
            Shape::Union(shapes) => shapes
                .iter()
                .map(|s| s.distance(x))
                .fold(f64::INFINITY, f64::min),
            Shape::Intersection(shapes) => shapes
                .iter()
                .map(|s| s.distance(x))
                .fold(f64::NEG_INFINITY, f64::max),
            Shape::Complement(shape) => -shape.distance(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scaled_body_is_as_far_away_as_it_is_large() {
        let ball = Shape::ball([1.0, 0.0], 0.5);
        let scaled = Shape::Scaled {
            by: 4.0,
            shape: Box::new(ball),
        };
        assert_eq!(scaled.distance([4.0, 0.0]), -2.0);
        assert_eq!(scaled.distance([8.0, 0.0]), 2.0);
    }

    #[test]
    fn a_box_has_exact_distances_on_every_side() {
        let b = Shape::cuboid([0.0, 0.0], [2.0, 1.0]);
        for (x, want) in [
            ([1.0, 0.25], -0.25),
            ([3.0, 0.5], 1.0),
            ([5.0, 5.0], 5.0),
            ([0.1, 0.5], -0.1),
        ] {
            assert!((b.distance(x) - want).abs() < 1e-15, "{x:?}");
        }
    }

    #[test]
    fn turning_by_a_right_angle_swaps_the_sides_of_a_box() {
        let turned = Shape::Turned {
            centre: [0.0, 0.0],
            angle: std::f64::consts::FRAC_PI_2,
            shape: Box::new(Shape::cuboid([-2.0, -1.0], [2.0, 1.0])),
        };
        assert!((turned.distance([0.0, 3.0]) - 1.0).abs() < 1e-14);
        assert!((turned.distance([1.5, 0.0]) - 0.5).abs() < 1e-14);
    }

    #[test]
    fn complements_moves_and_dilations_compose() {
        let ball = Shape::ball([0.0; 3], 1.0).moved([1.0, 0.0, 0.0]);
        assert!((ball.distance([3.0, 0.0, 0.0]) - 1.0).abs() < 1e-15);
        let grown = Shape::Dilated {
            by: 0.5,
            shape: Box::new(ball.clone()),
        };
        assert!((grown.distance([3.0, 0.0, 0.0]) - 0.5).abs() < 1e-15);
        assert!((Shape::Complement(Box::new(ball)).distance([3.0, 0.0, 0.0]) + 1.0).abs() < 1e-15);
    }
}
