//! Where the walls of an outline come near each other across the fluid.
//!
//! A gap is where the fluid between two walls is much narrower than the way along the outline from one side to the other: the
//! legs of a corner or the chords of a round one are none.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use stokeslet_base::geometry::Point;

/// The way along the outline between the sides of a gap, over the way across: less is a corner or a bend of the wall.
const DETOUR: f64 = 2.0;
/// The smallest gap that can be solved, over the width of the narrowest socket.
pub const SMALLEST_GAP: f64 = 1e-3;

/// A place on a wall from which another is seen across the fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// The place.
    pub at: Point,
    /// Way to the other wall, in the unit of the corners.
    pub width: f64,
    /// The wall and the other, by the corners they begin at.
    pub walls: [usize; 2],
}

/// The gaps narrower than `reach` of a simple polygon, sampled about twice a width along each wall.
///
/// # Shapes and units
/// - `corners` counter-clockwise; `sockets`: the edges that are no walls; `reach` in the unit of the corners
/// # Accuracy and cost
/// Widths to rounding; places below a thousandth of `reach` are sampled as if they were that wide. n log n where walls are apart.
pub fn gaps(corners: &[Point], sockets: &[usize], reach: f64) -> Vec<Gap> {
    let outline = Outline::new(corners, sockets);
    let mut out = Vec::new();
    for &wall in &outline.walls {
        for other in outline.near(wall, reach) {
            outline.gaps([wall, other], reach, &mut out);
        }
    }
    out
}

/// An outline, and what is asked of it often.
struct Outline<'a> {
    corners: &'a [Point],
    /// Edges that are walls.
    walls: Vec<usize>,
    tree: RTree<GeomWithData<Rectangle<[f64; 2]>, usize>>,
    /// Way along the outline from corner 0 to each, and around.
    way: Vec<f64>,
}

impl<'a> Outline<'a> {
    fn new(corners: &'a [Point], sockets: &[usize]) -> Self {
        let n = corners.len();
        let end = |k: usize| corners[(k + 1) % n];
        let walls: Vec<usize> = (0..n).filter(|k| !sockets.contains(k)).collect();
        let boxes = walls.iter().map(|&k| {
            let (a, b) = (corners[k], end(k));
            GeomWithData::new(Rectangle::from_corners([a.x, a.y], [b.x, b.y]), k)
        });
        let tree = RTree::bulk_load(boxes.collect());
        let mut way = vec![0.0];
        way.extend((0..n).scan(0.0, |sum, k| {
            *sum += (end(k) - corners[k]).norm();
            Some(*sum)
        }));
        Self {
            corners,
            walls,
            tree,
            way,
        }
    }

    fn ends(&self, edge: usize) -> (Point, Point) {
        (
            self.corners[edge],
            self.corners[(edge + 1) % self.corners.len()],
        )
    }

    fn direction(&self, edge: usize) -> Point {
        let (a, b) = self.ends(edge);
        (b - a).normalized()
    }

    /// Walls that share no corner with a wall and may be nearer than `reach`, in ascending order.
    fn near(&self, wall: usize, reach: f64) -> Vec<usize> {
        let n = self.corners.len();
        let (a, b) = self.ends(wall);
        let around = AABB::from_corners(
            [a.x.min(b.x) - reach, a.y.min(b.y) - reach],
            [a.x.max(b.x) + reach, a.y.max(b.y) + reach],
        );
        let found = self.tree.locate_in_envelope_intersecting(around);
        let mut near: Vec<usize> = found
            .map(|entry| entry.data)
            .filter(|&k| k != wall && k != (wall + 1) % n && wall != (k + 1) % n)
            .collect();
        near.sort_unstable();
        near
    }

    /// Appends places on the first wall, near enough to each other, from which the second is seen across a gap below `reach`.
    fn gaps(&self, walls: [usize; 2], reach: f64, out: &mut Vec<Gap>) {
        let [wall, other] = walls;
        let (a, b) = self.ends(wall);
        let length = (b - a).norm();
        let on = |t: f64| a + (b - a) * t;
        let (from, to) = self.ends(other);
        let mut stops: Vec<f64> = [from, to]
            .iter()
            .map(|&p| ((p - a).dot(b - a) / (length * length)).clamp(0.0, 1.0))
            .chain([0.0, 1.0])
            .collect();
        stops.sort_unstable_by(f64::total_cmp);
        stops.dedup();
        let mut pieces: Vec<(f64, f64)> = stops.windows(2).map(|w| (w[0], w[1])).rev().collect();
        let distance = |t: f64| (self.nearest(other, on(t)).0 - on(t)).norm();
        while let Some((t0, t1)) = pieces.pop() {
            let middle = (t0 + t1) / 2.0;
            let half = (t1 - t0) * length / 2.0;
            let gap = distance(middle);
            // The distance changes by no more than the way along the wall.
            if gap - half >= reach {
                continue;
            }
            let smallest = gap.max(1e-3 * reach);
            if half > smallest / 2.0 {
                pieces.extend([(middle, t1), (t0, middle)]);
                continue;
            }
            for t in [t0, middle, t1] {
                let width = distance(t);
                if width < reach && self.is_gap(wall, t, other) {
                    let at = on(t);
                    out.push(Gap { at, width, walls });
                }
            }
        }
    }

    /// The nearest point of an edge and where along it that is, 0 to 1.
    fn nearest(&self, edge: usize, p: Point) -> (Point, f64) {
        let (a, b) = self.ends(edge);
        let along = b - a;
        let t = ((p - a).dot(along) / along.dot(along)).clamp(0.0, 1.0);
        (a + along * t, t)
    }

    /// Whether the way from a place on a wall to the nearest of another crosses a gap.
    fn is_gap(&self, wall: usize, t: f64, other: usize) -> bool {
        let (a, b) = self.ends(wall);
        let p = a + (b - a) * t;
        let (q, u) = self.nearest(other, p);
        let way = q - p;
        let distance = way.norm();
        let around = self.way.last().copied().unwrap_or(0.0);
        let length = |edge: usize, t: f64| {
            let (a, b) = self.ends(edge);
            self.way[edge] + (b - a).norm() * t
        };
        let along = (length(wall, t) - length(other, u)).abs();
        along.min(around - along) >= DETOUR * distance
            && self.looks(wall, t, way, 0.5)
            && self.looks(other, u, way * -1.0, 1e-6)
    }

    /// Whether a direction leaves a wall into the fluid; at re-entrant corners the fluid is to the left of either wall.
    /// `least`: sine of the angle to the wall from which on that counts.
    fn looks(&self, wall: usize, t: f64, way: Point, least: f64) -> bool {
        let n = self.corners.len();
        let leaves = |edge: usize, least: f64| self.direction(edge).cross(way) > least * way.norm();
        let next = match t {
            0.0 => Some((wall + n - 1) % n),
            1.0 => Some((wall + 1) % n),
            _ => None,
        };
        let Some(next) = next else {
            return leaves(wall, least);
        };
        let (first, second) = if t == 0.0 { (next, wall) } else { (wall, next) };
        let is_reentrant = self.direction(first).cross(self.direction(second)) < -1e-9;
        if is_reentrant {
            leaves(wall, 1e-6) || leaves(next, 1e-6)
        } else {
            leaves(wall, least)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(corners: &[(f64, f64)]) -> Vec<Point> {
        corners.iter().map(|&(x, y)| Point::new(x, y)).collect()
    }

    #[test]
    fn bends_chamfers_jogs_and_round_corners_are_no_gaps() {
        let jog = [
            (0.0, 0.0),
            (20.0, 0.0),
            (20.0, 0.01),
            (40.0, 0.01),
            (40.0, 8.0),
            (0.0, 8.0),
        ];
        let chamfer = [
            (0.0, 0.0),
            (11.5, 0.0),
            (12.0, 0.5),
            (12.0, 12.0),
            (4.0, 12.0),
            (4.0, 8.0),
            (0.0, 8.0),
        ];
        for (corners, sockets) in [(&jog[..], [3, 5]), (&chamfer[..], [3, 6])] {
            assert_eq!(gaps(&points(corners), &sockets, 4.0), []);
        }
        // A half turn of 24 chords about a radius of 8 between straight legs, 16 wide.
        let mut round = vec![Point::new(-20.0, -8.0)];
        round.extend((0..=24).map(|k| {
            let angle = std::f64::consts::PI * (f64::from(k) / 24.0 - 0.5);
            Point::unit(angle) * 8.0
        }));
        round.push(Point::new(-20.0, 8.0));
        let socket = round.len() - 1;
        assert_eq!(gaps(&round, &[socket], 4.0), []);
    }

    #[test]
    fn tips_that_face_each_other_leave_a_gap() {
        let jaws = points(&[
            (0.0, 0.0),
            (18.0, 0.0),
            (20.0, 3.8),
            (22.0, 0.0),
            (40.0, 0.0),
            (40.0, 8.0),
            (22.0, 8.0),
            (20.0, 4.2),
            (18.0, 8.0),
            (0.0, 8.0),
        ]);
        for tip in [jaws[2], jaws[7]] {
            let found = gaps(&jaws, &[4, 9], 4.0);
            let of_tip = found.iter().filter(|gap| gap.at == tip);
            let least = of_tip.map(|gap| gap.width).fold(f64::INFINITY, f64::min);
            assert!((least - 0.4).abs() < 1e-12, "{least}");
        }
    }
}
