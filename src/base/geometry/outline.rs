//! Polygons as lists of corners: area, orientation, whether they are simple.

use super::Point;

/// Area enclosed by a polygon, m²; positive where it runs counter-clockwise.
pub fn signed_area(corners: &[Point]) -> f64 {
    let Some(&origin) = corners.first() else {
        return 0.0;
    };
    let twice: f64 = (1..corners.len().saturating_sub(1))
        .map(|i| (corners[i] - origin).cross(corners[i + 1] - origin))
        .sum();
    twice / 2.0
}

/// Smallest and largest coordinates of some points, m; both the origin where there are none.
pub fn bounds(points: &[Point]) -> (Point, Point) {
    let Some(&first) = points.first() else {
        return (Point::default(), Point::default());
    };
    points.iter().fold((first, first), |(low, high), p| {
        (
            Point::new(low.x.min(p.x), low.y.min(p.y)),
            Point::new(high.x.max(p.x), high.y.max(p.y)),
        )
    })
}

/// Whether a point lies inside a polygon (even-odd rule; undefined on the boundary).
pub fn contains(corners: &[Point], p: Point) -> bool {
    let mut inside = false;
    for (k, a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        if (a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x {
            inside = !inside;
        }
    }
    inside
}

/// Two edges of a polygon that touch or cross although they aren't neighbours, or that fold back on each other although they are;
/// `None` for a simple polygon. Edge k runs from corner k to the next.
///
/// Compares all pairs: n² / 2 orientation tests for n corners.
pub fn first_crossing(corners: &[Point]) -> Option<(usize, usize)> {
    let n = corners.len();
    let edge = |k: usize| (corners[k], corners[(k + 1) % n]);
    for i in 0..n {
        let (a, b) = edge(i);
        let (low, high) = bounds(&[a, b]);
        for j in i + 1..n {
            let (c, d) = edge(j);
            if c.x.min(d.x) > high.x
                || c.x.max(d.x) < low.x
                || c.y.min(d.y) > high.y
                || c.y.max(d.y) < low.y
            {
                continue;
            }
            let folds = if j == i + 1 {
                folds_back(a, b, d)
            } else if i == 0 && j == n - 1 {
                folds_back(c, d, b)
            } else {
                segments_meet(a, b, c, d)
            };
            if folds {
                return Some((i, j));
            }
        }
    }
    None
}

/// Whether the path a, b, c turns by exactly half a turn at b.
fn folds_back(a: Point, b: Point, c: Point) -> bool {
    (b - a).cross(c - b) == 0.0 && (b - a).dot(c - b) < 0.0
}

/// Whether the closed segments ab and cd have a point in common.
fn segments_meet(a: Point, b: Point, c: Point, d: Point) -> bool {
    let side = |p: Point, q: Point, r: Point| (q - p).cross(r - p);
    let within = |p: Point, q: Point, r: Point| {
        r.x >= p.x.min(q.x) && r.x <= p.x.max(q.x) && r.y >= p.y.min(q.y) && r.y <= p.y.max(q.y)
    };
    let (abc, abd, cda, cdb) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    if abc * abd < 0.0 && cda * cdb < 0.0 {
        return true;
    }
    (abc == 0.0 && within(a, b, c))
        || (abd == 0.0 && within(a, b, d))
        || (cda == 0.0 && within(c, d, a))
        || (cdb == 0.0 && within(c, d, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[(f64, f64)]) -> Vec<Point> {
        list.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    #[test]
    fn a_square_is_simple_and_its_area_has_the_sign_of_its_turn() {
        let mut square = points(&[(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)]);
        assert_eq!(first_crossing(&square), None);
        assert_eq!(signed_area(&square), 4.0);
        square.reverse();
        assert_eq!(signed_area(&square), -4.0);
    }

    #[test]
    fn a_bow_tie_a_pinch_and_a_spike_are_not_simple() {
        assert!(
            first_crossing(&points(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)])).is_some()
        );
        assert!(
            first_crossing(&points(&[
                (0.0, 0.0),
                (2.0, 0.0),
                (2.0, 1.0),
                (1.0, 0.0),
                (0.0, 1.0)
            ]))
            .is_some()
        );
        assert!(
            first_crossing(&points(&[(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, 1.0)])).is_some()
        );
    }
}
