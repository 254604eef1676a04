//! How much two polygons can share at most, without intersecting them.
//!
//! Polygons that meet in an edge are the rule on a chip, and a line between them shows that they share nothing.

use super::Point;

/// Polygons with more corners offer no lines of their own: looking at every edge costs time like the square of their number.
const MOST_EDGES: usize = 16;

/// A box along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates, m.
    pub low: Point,
    /// Largest coordinates, m.
    pub high: Point,
}

impl Bounds {
    /// What two boxes share; its sides are negative where they are apart.
    fn shared(&self, other: &Self) -> (Point, Point) {
        let low = Point::new(self.low.x.max(other.low.x), self.low.y.max(other.low.y));
        let high = Point::new(self.high.x.min(other.high.x), self.high.y.min(other.high.y));
        (low, high - low)
    }
}

/// Whether a line along one of the edges of two polygons, or the sides of their boxes, show that they share at most `allowed`, m².
///
/// `false` says nothing. What two polygons share lies in the box that their boxes share and, for any direction, between
/// the foremost corner of one and the hindmost of the other.
/// # Shapes and units
/// - `a`, `b`: corners of simple polygons, either way round, and their boxes, m
pub fn share_at_most(
    (a, box_a): (&[Point], &Bounds),
    (b, box_b): (&[Point], &Bounds),
    allowed: f64,
) -> bool {
    let (origin, sides) = box_a.shared(box_b);
    if sides.x <= 0.0 || sides.y <= 0.0 || sides.x * sides.y <= allowed {
        return true;
    }
    let diagonal = sides.norm();
    let parts = |(p, q): (Point, Point)| {
        let across = (q - p).left().normalized();
        let extent = |corners: &[Point]| {
            let heights = corners.iter().map(|&corner| across.dot(corner - origin));
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| {
                (low.min(h), high.max(h))
            })
        };
        let ((low_a, high_a), (low_b, high_b)) = (extent(a), extent(b));
        let thickness = (high_a - low_b).min(high_b - low_a);
        // An edge of length zero has no direction.
        across != Point::default() && thickness * diagonal <= allowed
    };
    let mut edges = [a, b]
        .into_iter()
        .filter(|corners| corners.len() <= MOST_EDGES)
        .flat_map(edges);
    edges.any(parts)
}

fn edges(corners: &[Point]) -> impl Iterator<Item = (Point, Point)> {
    let next = corners.iter().cycle().skip(1);
    corners.iter().copied().zip(next.copied())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Motion;
    use crate::geometry::outline::bounds;

    fn decide(a: &[Point], b: &[Point], allowed: f64) -> bool {
        let around = |corners: &[Point]| {
            let (low, high) = bounds(corners);
            Bounds { low, high }
        };
        share_at_most((a, &around(a)), (b, &around(b)), allowed)
    }

    fn rectangle(motion: &Motion, length: f64) -> Vec<Point> {
        [(0.0, -0.5), (length, -0.5), (length, 0.5), (0.0, 0.5)]
            .map(|(x, y)| motion.apply(Point::new(x, y)))
            .to_vec()
    }

    #[test]
    fn neighbours_in_any_direction_share_nothing_until_they_are_pushed_together() {
        for k in 0..100 {
            let angle = 0.1 * f64::from(k);
            let start = Motion::new(angle, Point::new(3.0, -2.0));
            let a = rectangle(&start, 4.0);
            for (shift, apart) in [(0.0, true), (-1e-9, true), (-1e-3, false), (1e-3, true)] {
                let next = Motion {
                    translation: start.apply(Point::new(4.0 + shift, 0.0)),
                    ..start
                };
                let b = rectangle(&next, 2.0);
                assert_eq!(decide(&a, &b, 1e-6), apart, "{angle} rad, {shift}");
                let reversed: Vec<Point> = b.iter().rev().copied().collect();
                assert_eq!(decide(&reversed, &a, 1e-6), apart, "{angle} rad, {shift}");
            }
        }
    }

    #[test]
    fn a_corner_given_twice_hides_no_overlap() {
        let a = rectangle(&Motion::new(0.3, Point::default()), 2.0);
        let twice: Vec<Point> = a.iter().flat_map(|&p| [p, p]).collect();
        assert!(!decide(&a, &twice, 1e-6));
    }

    #[test]
    fn a_crossing_a_piece_inside_and_a_piece_in_a_notch_are_left_to_be_looked_at() {
        let here = Motion::IDENTITY;
        let long = rectangle(&Motion::new(0.3, Point::new(-1.0, -1.0)), 5.0);
        assert!(!decide(&rectangle(&here, 4.0), &long, 1e-6));
        let inside = Motion::new(0.0, Point::new(1.0, 0.0));
        let small: Vec<Point> = rectangle(&inside, 1.0).iter().map(|&p| p * 0.5).collect();
        assert!(!decide(&rectangle(&here, 4.0), &small, 1e-6));
        let notched = [(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)];
        let notched = notched.map(|(x, y)| Point::new(x, y)).to_vec();
        let wedge = [(1.5, 3.0), (2.5, 3.0), (2.0, 5.0)].map(|(x, y)| Point::new(x, y));
        assert!(decide(
            &notched,
            &wedge.map(|p| p + Point::new(0.0, 1.5)),
            1e-6
        ));
        assert!(!decide(
            &notched,
            &wedge.map(|p| p - Point::new(0.0, 2.5)),
            1e-6
        ));
    }
}
