//! What each kind of rule measures.

use rustc_hash::FxHashMap;

use super::walls::{Between, Scene, Wall, pairs};
use super::{Rule, RuleKind, Violation};
use crate::shape::{Hole, Shape, Strip};
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::contains;

/// Values this near to their limit keep it: rounding of coordinates, m or relative.
const ROUNDING: f64 = 1e-10;
/// Squares of the grid that the largest circle inside a polygon is looked for on, along its longer side.
const GRID: usize = 16;
/// How often the grid is made finer about its best point.
const REFINEMENTS: usize = 6;
/// Corners that turn by less, rad, are none.
const STRAIGHT: f64 = 1e-6;

/// What several rules ask for.
#[derive(Default)]
pub(super) struct Cache {
    walls: Option<Vec<Wall>>,
    /// Diameters of the largest circles inside polygons, by their corners.
    spans: FxHashMap<Vec<u64>, f64>,
}

/// What breaks a rule in the parts of one depth, the one `at`. What belongs to no part is looked at where `is_strictest`.
pub(super) fn violations(
    scene: &Scene<'_>,
    (index, rule): (usize, &Rule),
    limit: f64,
    at: &Depth,
    cache: &mut Cache,
) -> Vec<Violation> {
    let mut collect = Collect {
        scene,
        index,
        rule,
        limit,
        at,
        out: Vec::new(),
    };
    match rule.kind {
        RuleKind::MinWidth => collect.widths(limit, cache, |width| width),
        RuleKind::AspectMax => {
            if let Some(depth) = at.depth {
                // Height over width is too much where the width is below this.
                collect.widths(depth / limit, cache, |width| depth / width);
            }
        }
        RuleKind::MinGap => collect.gaps(cache),
        RuleKind::MinRadius => collect.radii(),
        RuleKind::InnerRadius if at.is_strictest => collect.corners(),
        RuleKind::PortSpacing if at.is_strictest => collect.ports(),
        RuleKind::InnerRadius | RuleKind::PortSpacing => {}
        RuleKind::MaxSpan => collect.spans(limit, cache, |span| span),
        RuleKind::AspectMin => {
            if let Some(depth) = at.depth {
                collect.spans(depth / limit, cache, |span| depth / span);
            }
        }
        RuleKind::DepthMin | RuleKind::DepthMax => collect.depth(),
    }
    collect.out
}

/// A depth of some parts of a chip.
pub(super) struct Depth {
    /// m; none of a chip without.
    pub depth: Option<f64>,
    /// By part: whether it is as deep.
    pub is_here: Vec<bool>,
    /// Whether no other depth of the chip has a greater limit.
    pub is_strictest: bool,
}

struct Collect<'a> {
    scene: &'a Scene<'a>,
    index: usize,
    rule: &'a Rule,
    limit: f64,
    at: &'a Depth,
    out: Vec<Violation>,
}

impl Collect<'_> {
    fn drawn(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.scene.chip.parts.len())
            .filter(|&part| self.scene.drawn[part] && self.at.is_here[part])
    }

    fn name(&self, part: usize) -> String {
        self.scene.chip.parts[part].name.clone()
    }

    fn push(
        &mut self,
        value: f64,
        bounds: (Point, Point),
        segment: Option<(Point, Point)>,
        parts: Vec<String>,
    ) {
        let at = segment.map_or((bounds.0 + bounds.1) * 0.5, |(a, b)| (a + b) * 0.5);
        self.out.push(Violation {
            rule: self.index,
            kind: self.rule.kind,
            value,
            limit: self.limit,
            severity: self.rule.severity,
            at,
            bounds,
            segment,
            parts,
        });
    }

    /// The box of a part, m.
    fn bounds(&self, part: usize) -> (Point, Point) {
        let edges = &self.scene.outlines.parts[part].edges;
        around(edges.iter().map(|edge| edge.from))
    }

    /// Widths below a limit: of strips as they are, in polygons between walls that see each other.
    fn widths(&mut self, limit: f64, cache: &mut Cache, value: impl Fn(f64) -> f64) {
        let too_narrow = |width: f64| width < limit - ROUNDING;
        let mut polygons: Vec<Wall> = Vec::new();
        let walls = cache.walls.get_or_insert_with(|| self.scene.walls());
        let is_polygon =
            |part: usize| matches!(self.scene.chip.parts[part].shape, Shape::Polygon { .. });
        polygons.extend(
            walls
                .iter()
                .filter(|wall| is_polygon(wall.part) && self.at.is_here[wall.part]),
        );
        let parts: Vec<usize> = self.drawn().collect();
        for part in parts {
            let shape = &self.scene.chip.parts[part];
            let (width, middle, across) = match shape.shape {
                Shape::Strip(Strip::Straight {
                    length,
                    width_start,
                    width_end,
                }) => {
                    let x = if width_start == width_end {
                        length / 2.0
                    } else if width_start < width_end {
                        0.0
                    } else {
                        length
                    };
                    (
                        width_start.min(width_end),
                        Point::new(x, 0.0),
                        Point::new(0.0, 1.0),
                    )
                }
                Shape::Strip(Strip::Arc {
                    radius,
                    angle,
                    width,
                }) => {
                    let out = Point::unit(angle / 2.0 - std::f64::consts::FRAC_PI_2);
                    (width, Point::new(0.0, radius) + out * radius, out)
                }
                Shape::Polygon { .. } => continue,
            };
            if too_narrow(width) {
                let ends = [-0.5, 0.5].map(|t| shape.motion.apply(middle + across * (t * width)));
                let names = vec![self.name(part)];
                self.push(
                    value(width),
                    self.bounds(part),
                    Some((ends[0], ends[1])),
                    names,
                );
            }
        }
        for pair in pairs(&polygons, limit, Between::Fluid) {
            if too_narrow(pair.distance) {
                let names = vec![self.name(pair.parts.0)];
                let bounds = around([pair.segment.0, pair.segment.1]);
                self.push(value(pair.distance), bounds, Some(pair.segment), names);
            }
        }
    }

    fn gaps(&mut self, cache: &mut Cache) {
        let walls = cache.walls.get_or_insert_with(|| self.scene.walls());
        for pair in pairs(walls, self.limit, Between::Solid) {
            let (a, b) = pair.parts;
            let is_here = self.at.is_here[a] || self.at.is_here[b];
            if is_here && pair.distance < self.limit - ROUNDING {
                let mut names = vec![self.name(a)];
                if a != b {
                    names.push(self.name(b));
                }
                let bounds = around([pair.segment.0, pair.segment.1]);
                self.push(pair.distance, bounds, Some(pair.segment), names);
            }
        }
    }

    fn radii(&mut self) {
        let parts: Vec<usize> = self.drawn().collect();
        for part in parts {
            if let Shape::Strip(Strip::Arc { radius, .. }) = self.scene.chip.parts[part].shape
                && radius < self.limit - ROUNDING
            {
                let names = vec![self.name(part)];
                self.push(radius, self.bounds(part), None, names);
            }
        }
    }

    /// Corners of the united outline that are convex seen from the fluid, and arcs that turn as tightly.
    fn corners(&mut self) {
        let outlines = self.scene.outlines;
        for around_loop in &outlines.loops {
            let edges = &around_loop.edges;
            let n = edges.len();
            for k in 0..n {
                let (edge, next) = (edges[k], edges[(k + 1) % n]);
                let (a, b, c) = (edge.from, next.from, edges[(k + 2) % n].from);
                if edge.socket.is_some() {
                    continue;
                }
                let chord = |from: Point, to: Point| (to - from).angle();
                let at = (b, b);
                if edge.turn > STRAIGHT {
                    let radius = (b - a).norm() / (2.0 * (edge.turn / 2.0).sin());
                    if radius < self.limit - ROUNDING {
                        self.push(radius, around([a, b]), None, vec!["the outline".to_owned()]);
                    }
                }
                if next.socket.is_some() {
                    continue;
                }
                // Tangents where the two edges meet.
                let turn = chord(b, c) - next.turn / 2.0 - chord(a, b) - edge.turn / 2.0;
                let turn = turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round();
                if turn > STRAIGHT && self.limit > ROUNDING {
                    self.push(0.0, at, None, vec!["the outline".to_owned()]);
                }
            }
        }
    }

    fn spans(&mut self, limit: f64, cache: &mut Cache, value: impl Fn(f64) -> f64) {
        let parts: Vec<usize> = self.drawn().collect();
        for part in parts {
            let span = match &self.scene.chip.parts[part].shape {
                Shape::Strip(Strip::Straight {
                    width_start,
                    width_end,
                    ..
                }) => width_start.max(*width_end),
                Shape::Strip(Strip::Arc { width, .. }) => *width,
                Shape::Polygon {
                    corners,
                    sockets,
                    holes,
                } => {
                    let of_hole = |hole: &Hole| {
                        let middle = hole.middle();
                        [middle.x, middle.y, hole.area()].map(f64::to_bits)
                    };
                    let key = corners
                        .iter()
                        .flat_map(|p| [p.x.to_bits(), p.y.to_bits()])
                        .chain(holes.iter().flat_map(of_hole))
                        .collect();
                    *cache
                        .spans
                        .entry(key)
                        .or_insert_with(|| widest_circle(corners, sockets, holes))
                }
            };
            if span > limit + ROUNDING {
                let names = vec![self.name(part)];
                self.push(value(span), self.bounds(part), None, names);
            }
        }
    }

    fn ports(&mut self) {
        let ports = &self.scene.outlines.ports;
        let middles: Vec<Point> = ports.iter().map(|p| (p.ends.0 + p.ends.1) * 0.5).collect();
        let drawn: Vec<bool> = self
            .scene
            .chip
            .ports
            .iter()
            .map(|p| self.scene.drawn[p.socket.part])
            .collect();
        for a in 0..ports.len() {
            for b in (a + 1)..ports.len() {
                let distance = (middles[b] - middles[a]).norm();
                if drawn.get(a) == Some(&true)
                    && drawn.get(b) == Some(&true)
                    && distance < self.limit - ROUNDING
                {
                    let names = vec![ports[a].name.clone(), ports[b].name.clone()];
                    let segment = (middles[a], middles[b]);
                    self.push(
                        distance,
                        around([segment.0, segment.1]),
                        Some(segment),
                        names,
                    );
                }
            }
        }
    }

    fn depth(&mut self) {
        let Some(depth) = self.at.depth else {
            return;
        };
        let is_broken = match self.rule.kind {
            RuleKind::DepthMin => depth < self.limit - ROUNDING,
            _ => depth > self.limit + ROUNDING,
        };
        if !is_broken {
            return;
        }
        if self.at.is_here.iter().all(|&is_here| is_here) {
            let edges = self.scene.outlines.loops.iter().flat_map(|l| &l.edges);
            let bounds = around(edges.map(|edge| edge.from));
            self.push(depth, bounds, None, vec!["the chip".to_owned()]);
            return;
        }
        let parts: Vec<usize> = self.drawn().collect();
        for part in parts {
            let names = vec![self.name(part)];
            self.push(depth, self.bounds(part), None, names);
        }
    }
}

/// The box around points; at the origin around none.
fn around(points: impl IntoIterator<Item = Point>) -> (Point, Point) {
    let mut points = points.into_iter();
    let first = points.next().unwrap_or_default();
    points.fold((first, first), |(low, high), p| {
        (
            Point::new(low.x.min(p.x), low.y.min(p.y)),
            Point::new(high.x.max(p.x), high.y.max(p.y)),
        )
    })
}

/// Diameter of the largest circle about a point of a polygon that reaches no wall, no post and no corner, m; sockets are no walls.
///
/// # Accuracy and cost
/// A grid about the best point so far, six times finer by four: 1e-3 of the polygon's size at worst.
fn widest_circle(corners: &[Point], sockets: &[usize], holes: &[Hole]) -> f64 {
    let n = corners.len();
    // A socket is where the fluid goes on, but its ends are walls of whatever is there.
    let walls: Vec<(Point, Point)> = (0..n)
        .map(|k| match sockets.contains(&k) {
            true => (corners[k], corners[k]),
            false => (corners[k], corners[(k + 1) % n]),
        })
        .collect();
    let (mut low, mut high) = around(corners.iter().copied());
    let reach = |p: Point| {
        let posts = holes.iter().map(|hole| match hole.contains(p) {
            true => 0.0,
            false => hole.distance_to(p, p),
        });
        let nearest = posts.fold(f64::INFINITY, f64::min);
        walls.iter().fold(nearest, |least, &(a, b)| {
            let along = b - a;
            let t = (p - a).dot(along) / along.dot(along);
            let t = if t.is_finite() {
                t.clamp(0.0, 1.0)
            } else {
                0.0
            };
            least.min((a + along * t - p).norm())
        })
    };
    let mut best = (0.0, (low + high) * 0.5);
    for _ in 0..REFINEMENTS {
        let step = (high - low) * (1.0 / GRID as f64);
        for i in 0..=GRID {
            for j in 0..=GRID {
                let p = low + Point::new(step.x * i as f64, step.y * j as f64);
                if contains(corners, p) {
                    let r = reach(p);
                    if r.is_finite() && r > best.0 {
                        best = (r, p);
                    }
                }
            }
        }
        let half = (high - low) * 0.125;
        (low, high) = (best.1 - half, best.1 + half);
    }
    2.0 * best.0
}
