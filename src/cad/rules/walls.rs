//! Pieces of walls, straight or of arcs, and pairs of them that see each other.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use rustc_hash::FxHashSet;

use crate::chip::Chip;
use crate::outline::{Outlines, circle};
use crate::shape::SocketRef;
use stokeslet_base::geometry::Point;

/// Arcs are cut into pieces that turn by no more, rad: where a piece looks to is told by its chord.
const MAX_TURN: f64 = std::f64::consts::PI / 24.0;
/// Walls at a smaller angle than this (its cosine) see each other.
const FACING: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A chip and which of its parts lie on the drawing.
pub(super) struct Scene<'a> {
    pub chip: &'a Chip,
    pub outlines: &'a Outlines<'a>,
    pub drawn: &'a [bool],
}

/// A piece of a wall, from `a` to `b`; the fluid is on its left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub part: usize,
    pub a: Point,
    pub b: Point,
    /// Centre and radius, m, where it isn't straight; it turns by at most [`MAX_TURN`].
    pub arc: Option<(Point, f64)>,
}

impl Wall {
    fn direction(&self) -> Point {
        (self.b - self.a).normalized()
    }

    /// The nearest point of the wall.
    fn project(&self, p: Point) -> Point {
        let along = self.b - self.a;
        match self.arc {
            None => {
                let t = ((p - self.a).dot(along) / along.dot(along)).clamp(0.0, 1.0);
                self.a + along * t
            }
            Some((centre, radius)) => {
                let on_circle = centre + (p - centre).normalized() * radius;
                if self.spans(on_circle) {
                    on_circle
                } else if (p - self.a).norm() < (p - self.b).norm() {
                    self.a
                } else {
                    self.b
                }
            }
        }
    }

    /// Whether a point of its line or circle is between its ends.
    fn spans(&self, p: Point) -> bool {
        let along = self.b - self.a;
        let t = (p - self.a).dot(along) / along.dot(along);
        let is_near_side = self
            .arc
            .is_none_or(|(centre, _)| (p - centre).dot(self.a - centre) > 0.0);
        (0.0..=1.0).contains(&t) && is_near_side
    }

    /// The box around it, wider by `by` on each side, m.
    fn envelope(&self, by: f64) -> AABB<[f64; 2]> {
        let (a, b) = (self.a, self.b);
        // How far an arc leaves its chord: chord²/(8 r) to leading order, at most twice that.
        let by = by
            + self
                .arc
                .map_or(0.0, |(_, r)| (b - a).dot(b - a) / (4.0 * r));
        AABB::from_corners(
            [a.x.min(b.x) - by, a.y.min(b.y) - by],
            [a.x.max(b.x) + by, a.y.max(b.y) + by],
        )
    }
}

impl Scene<'_> {
    /// The walls of all parts that are drawn: no sockets that meet others, no ports.
    pub fn walls(&self) -> Vec<Wall> {
        let joints = self.chip.connections.iter().flat_map(|c| [c.a, c.b]);
        let ports = self.chip.ports.iter().map(|port| port.socket);
        let open: FxHashSet<SocketRef> = joints.chain(ports).collect();
        let mut out = Vec::new();
        for part in (0..self.chip.parts.len()).filter(|&part| self.drawn[part]) {
            self.walls_of(part, &open, &mut out);
        }
        out
    }

    fn walls_of(&self, part: usize, open: &FxHashSet<SocketRef>, out: &mut Vec<Wall>) {
        let outline = &self.outlines.parts[part];
        let loops = [&outline.edges].into_iter().chain(&outline.holes);
        let all = loops.flat_map(|edges| {
            let ends = edges.iter().cycle().skip(1).map(|next| next.from);
            edges.iter().zip(ends)
        });
        for (edge, end) in all {
            let is_open = edge
                .socket
                .is_some_and(|socket| open.contains(&SocketRef { part, socket }));
            if is_open {
                continue;
            }
            let wall = |a, b, arc| Wall { part, a, b, arc };
            if edge.turn == 0.0 {
                out.push(wall(edge.from, end, None));
                continue;
            }
            let (centre, radius) = circle(edge.from, end, edge.turn);
            let n = (edge.turn.abs() / MAX_TURN).ceil().max(1.0);
            let first = (edge.from - centre).angle();
            let at = |k: f64| match k {
                0.0 => edge.from,
                _ if k == n => end,
                _ => centre + Point::unit(first + edge.turn * (k / n)) * radius,
            };
            for k in 0..n as usize {
                let (a, b) = (at(k as f64), at(k as f64 + 1.0));
                out.push(wall(a, b, Some((centre, radius))));
            }
        }
    }
}

/// What is between two walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// Fluid: a width.
    Fluid,
    /// None: a gap.
    Solid,
}

/// Two walls that see each other, nearer than a limit.
pub(super) struct Pair {
    pub parts: (usize, usize),
    pub distance: f64,
    pub segment: (Point, Point),
}

/// All pairs of walls nearer than `limit` that see each other; of each pair of parts the nearest.
pub(super) fn pairs(walls: &[Wall], limit: f64, between: Between) -> Vec<Pair> {
    let boxes = walls.iter().enumerate();
    let boxes =
        boxes.map(|(k, wall)| GeomWithData::new(Rectangle::from_aabb(wall.envelope(0.0)), k));
    let tree = RTree::bulk_load(boxes.collect());
    let mut found: Vec<Pair> = Vec::new();
    for (k, wall) in walls.iter().enumerate() {
        let mut near: Vec<usize> = tree
            .locate_in_envelope_intersecting(wall.envelope(limit))
            .map(|entry| entry.data)
            .filter(|&other| other > k)
            .collect();
        near.sort_unstable();
        for other in near {
            let theirs = &walls[other];
            if between == Between::Fluid && theirs.part != wall.part {
                continue;
            }
            if let Some((distance, segment)) = facing(wall, theirs, between)
                && distance < limit
            {
                let parts = (wall.part.min(theirs.part), wall.part.max(theirs.part));
                found.push(Pair {
                    parts,
                    distance,
                    segment,
                });
            }
        }
    }
    found.sort_by(|a, b| {
        a.parts
            .cmp(&b.parts)
            .then(a.distance.total_cmp(&b.distance))
    });
    found.dedup_by_key(|pair| pair.parts);
    found
}

/// Pairs of straight walls that lie on each other for some way, with fluid on both sides: walls of no thickness; one of each pair of
/// parts. `size`: what is taken for no way at all, m.
pub(super) fn touching(walls: &[Wall], size: f64) -> Vec<Pair> {
    let boxes = walls.iter().enumerate();
    let boxes =
        boxes.map(|(k, wall)| GeomWithData::new(Rectangle::from_aabb(wall.envelope(0.0)), k));
    let tree = RTree::bulk_load(boxes.collect());
    let mut found: Vec<Pair> = Vec::new();
    for (k, wall) in walls.iter().enumerate().filter(|w| w.1.arc.is_none()) {
        for other in tree.locate_in_envelope_intersecting(wall.envelope(size)) {
            let theirs = &walls[other.data];
            let d = wall.direction();
            if other.data <= k || theirs.arc.is_some() || d.dot(theirs.direction()) > -1.0 + 1e-9 {
                continue;
            }
            let at = |p: Point| (p - wall.a).dot(d);
            let (low, high) = (
                at(theirs.b).max(0.0),
                at(theirs.a).min((wall.b - wall.a).norm()),
            );
            let aside = (theirs.a - wall.a).cross(d).abs();
            if aside < 1e-3 * size && high - low > size {
                let parts = (wall.part.min(theirs.part), wall.part.max(theirs.part));
                let middle = wall.a + d * ((low + high) / 2.0);
                found.push(Pair {
                    parts,
                    distance: 0.0,
                    segment: (middle, middle),
                });
            }
        }
    }
    found.sort_by_key(|pair| pair.parts);
    found.dedup_by_key(|pair| pair.parts);
    found
}

/// The shortest way between two walls, where they see each other across what is between.
fn facing(one: &Wall, other: &Wall, between: Between) -> Option<(f64, (Point, Point))> {
    let (d, e) = (one.direction(), other.direction());
    if d.dot(e) > -FACING {
        return None;
    }
    let (p, q) = nearest_points(one, other);
    let way = q - p;
    let distance = way.norm();
    let size = (one.b - one.a).norm().min((other.b - other.a).norm());
    if distance <= 1e-9 * size {
        return None;
    }
    // Fluid is to the left of each: the way goes to the left of both across fluid, to the right of both across solid.
    let side = match between {
        Between::Fluid => 1.0,
        Between::Solid => -1.0,
    };
    let sees = |direction: Point, way: Point| side * direction.cross(way) > 0.5 * distance;
    (sees(d, way) && sees(e, way * -1.0)).then_some((distance, (p, q)))
}

/// The nearest points of two walls that don't cross; in the middle of where parallel ones lie beside each other.
///
/// # Accuracy and cost
/// To rounding: the nearest pair has an end of one, or lies on the normal of both, which passes through the centres of arcs.
fn nearest_points(one: &Wall, other: &Wall) -> (Point, Point) {
    let mut candidates = vec![
        (one.a, other.project(one.a)),
        (one.b, other.project(one.b)),
        (one.project(other.a), other.a),
        (one.project(other.b), other.b),
    ];
    let normal = match (one.arc, other.arc) {
        (None, None) => None,
        (Some((centre, _)), None) => Some(other.direction().left()).zip(Some(centre)),
        (None, Some((centre, _))) => Some(one.direction().left()).zip(Some(centre)),
        (Some((a, _)), Some((b, _))) => Some((b - a).normalized()).zip(Some(a)),
    };
    if let Some((normal, through)) = normal {
        let on = |wall: &Wall| match wall.arc {
            Some((centre, radius)) => vec![centre + normal * radius, centre - normal * radius],
            None => vec![through + normal * (wall.a - through).dot(normal)],
        };
        for p in on(one).into_iter().filter(|&p| one.spans(p)) {
            for q in on(other).into_iter().filter(|&q| other.spans(q)) {
                candidates.push((p, q));
            }
        }
    }
    let length = |pair: &(Point, Point)| (pair.1 - pair.0).norm();
    let least = candidates.iter().map(length).fold(f64::INFINITY, f64::min);
    // Parallel walls have two nearest pairs or more: the middle of them.
    let mut sum = Point::default();
    let mut n = 0.0;
    for pair in candidates
        .iter()
        .filter(|pair| length(pair) <= least * (1.0 + 1e-9))
    {
        sum = sum + pair.0;
        n += 1.0;
    }
    let p = one.project(sum * (1.0 / n));
    (p, other.project(p))
}
