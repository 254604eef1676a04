//! Straight pieces of walls, and pairs of them that see each other.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};
use rustc_hash::FxHashSet;

use crate::chip::Chip;
use crate::outline::{Outlines, flatten};
use crate::shape::SocketRef;
use stokeslet_base::geometry::Point;

/// How far chords may be from their arcs, m.
const SAGITTA: f64 = 50e-9;
/// Walls at a smaller angle than this (its cosine) see each other.
const FACING: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// A chip and which of its parts lie on the drawing.
pub(super) struct Scene<'a> {
    pub chip: &'a Chip,
    pub outlines: &'a Outlines<'a>,
    pub drawn: &'a [bool],
}

/// A straight piece of a wall; the fluid is on its left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wall {
    pub part: usize,
    pub a: Point,
    pub b: Point,
}

impl Wall {
    fn direction(&self) -> Point {
        (self.b - self.a).normalized()
    }
}

impl Scene<'_> {
    /// The walls of all parts that are drawn: no mouths that meet others, no ports.
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
        for (k, edge) in outline.edges.iter().enumerate() {
            let is_open = edge
                .socket
                .is_some_and(|socket| open.contains(&SocketRef { part, socket }));
            if is_open {
                continue;
            }
            let end = outline.end(k);
            let mut points = vec![edge.from];
            points.extend(flatten(edge.from, end, edge.turn, SAGITTA));
            points.push(end);
            for pair in points.windows(2).filter(|pair| pair[0] != pair[1]) {
                out.push(Wall {
                    part,
                    a: pair[0],
                    b: pair[1],
                });
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
    let envelope = |wall: &Wall, by: f64| {
        let (a, b) = (wall.a, wall.b);
        AABB::from_corners(
            [a.x.min(b.x) - by, a.y.min(b.y) - by],
            [a.x.max(b.x) + by, a.y.max(b.y) + by],
        )
    };
    let boxes = walls.iter().enumerate();
    let boxes =
        boxes.map(|(k, wall)| GeomWithData::new(Rectangle::from_aabb(envelope(wall, 0.0)), k));
    let tree = RTree::bulk_load(boxes.collect());
    let mut found: Vec<Pair> = Vec::new();
    for (k, wall) in walls.iter().enumerate() {
        let mut near: Vec<usize> = tree
            .locate_in_envelope_intersecting(envelope(wall, limit))
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

/// The nearest points of two segments that don't cross; in the middle of where parallel ones lie beside each other.
fn nearest_points(one: &Wall, other: &Wall) -> (Point, Point) {
    let project = |p: Point, wall: &Wall| {
        let along = wall.b - wall.a;
        let t = ((p - wall.a).dot(along) / along.dot(along)).clamp(0.0, 1.0);
        wall.a + along * t
    };
    let candidates = [
        (one.a, project(one.a, other)),
        (one.b, project(one.b, other)),
        (project(other.a, one), other.a),
        (project(other.b, one), other.b),
    ];
    let length = |pair: &(Point, Point)| (pair.1 - pair.0).norm();
    let least = candidates.iter().map(length).fold(f64::INFINITY, f64::min);
    // Parallel walls have two nearest pairs or more: the middle of them.
    let mut sum = (Point::default(), Point::default());
    let mut n = 0.0;
    for pair in candidates
        .iter()
        .filter(|pair| length(pair) <= least * (1.0 + 1e-9))
    {
        sum = (sum.0 + pair.0, sum.1 + pair.1);
        n += 1.0;
    }
    (sum.0 * (1.0 / n), sum.1 * (1.0 / n))
}
