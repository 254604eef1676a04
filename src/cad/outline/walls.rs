//! The walls of a whole chip: loops walked from part to part, through the sockets that meet.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::arc::MOST_TURN;
use super::part::{self, Edge, PartOutline, area};
use crate::chip::{Chip, lay_out};
use crate::design::{Design, Overlay, OverlayLayer};
use crate::edits::{Drawing, dimension_notes};
use crate::library::Library;
use crate::shape::SocketRef;
use stokeslet_base::geometry::{Motion, Point};

/// A closed wall with the ports in it: counter-clockwise round an island, clockwise round what an island encloses.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// Each ends where the next starts. `socket` is the port, index into [`Outlines::ports`].
    pub edges: Vec<Edge>,
    /// The part that each edge is a wall of.
    pub parts: Vec<usize>,
}

impl Loop {
    /// Area enclosed, m²: negative for holes.
    pub fn area(&self) -> f64 {
        area(&self.edges)
    }
}

/// Where a chip opens to the outside.
#[derive(Clone, Debug, PartialEq)]
pub struct PortLine {
    /// Its name in the design.
    pub name: String,
    /// Ends of its socket, m; the chip lies to the left of the way from the first to the second.
    pub ends: (Point, Point),
}

/// A chip's walls: part by part, and united.
#[derive(Clone, Debug)]
pub struct Outlines<'a> {
    /// What they are the walls of.
    pub chip: &'a Chip,
    /// Every part's outline in the chip's frame. Corners of sockets that meet are the same point.
    pub parts: Vec<PartOutline>,
    /// The united outline: islands and the holes in them.
    pub loops: Vec<Loop>,
    /// The ports, in the design's order.
    pub ports: Vec<PortLine>,
    /// The library's kind of each component by name, for formats that tell it; empty where nobody said.
    pub kinds: BTreeMap<String, String>,
    /// Control layer and notes, for formats that have layers; empty where nobody said.
    pub overlays: Vec<Overlay>,
    /// What is as wide as the chip's channels unless it says otherwise, m.
    pub(super) usual_width: f64,
}

impl<'a> Outlines<'a> {
    /// The walls of a checked chip.
    ///
    /// # Accuracy and cost
    /// Linear in the number of corners. Where two sockets meet, the corners are those of the part that was placed first.
    pub fn new(chip: &'a Chip) -> Self {
        let own = chip
            .parts
            .iter()
            .map(|p| part::outline(&p.shape, MOST_TURN));
        let mut parts: Vec<PartOutline> = own
            .zip(&chip.parts)
            .map(|(outline, part)| outline.moved(&part.motion))
            .collect();
        share_corners(chip, &mut parts);
        let loops = walk(chip, &parts);
        let edges = edges_of_sockets(&parts);
        let ports = chip.ports.iter().filter_map(|port| {
            let (part, edge) = *edges.get(&port.socket)?;
            let outline = &parts[part];
            Some(PortLine {
                name: port.name.clone(),
                ends: (outline.edges[edge].from, outline.end(edge)),
            })
        });
        let ports = ports.collect();
        Self {
            chip,
            parts,
            loops,
            ports,
            kinds: BTreeMap::new(),
            overlays: Vec::new(),
            usual_width: 0.0,
        }
    }

    /// With what files tell of the design besides its walls: kinds of components, control layer and notes, dimensions.
    #[must_use]
    pub fn with_design(mut self, design: &Design, library: &Library) -> Self {
        self.overlays = design.overlays.clone();
        if design.components.iter().any(|c| !c.dimensions.is_empty()) {
            let layout = lay_out(design, library);
            let notes = dimension_notes(&Drawing::new(design, &layout, library));
            self.overlays.extend(notes);
        }
        self.usual_width = design.width.0;
        let components = design.components.iter();
        self.kinds = components
            .map(|c| (c.name.value.clone(), c.kind.value.clone()))
            .collect();
        self
    }

    /// Sockets where two depths meet: the ends of each, m, the part to the left of the way from the first to the second, and the one to
    /// its right.
    pub fn steps(&self) -> Vec<([Point; 2], [usize; 2])> {
        let chip = self.chip;
        let edges = edges_of_sockets(&self.parts);
        let joints = chip.connections.iter().filter(|c| !chip.is_free(c));
        let steps = joints.filter(|c| chip.depth_of(c.a.part) != chip.depth_of(c.b.part));
        let steps = steps.filter_map(|c| {
            let (part, edge) = *edges.get(&c.a)?;
            let outline = &self.parts[part];
            let ends = [outline.edges[edge].from, outline.end(edge)];
            Some((ends, [c.a.part, c.b.part]))
        });
        steps.collect()
    }

    /// Area of the chip in the plane, m²; exact for arcs.
    pub fn area(&self) -> f64 {
        self.loops.iter().map(Loop::area).sum()
    }

    /// Number of separate pieces of fluid, and of what they enclose.
    pub fn islands_and_holes(&self) -> (usize, usize) {
        let islands = self.loops.iter().filter(|l| l.area() > 0.0).count();
        (islands, self.loops.len() - islands)
    }

    /// Smallest and largest coordinates of walls and control layer, m: sheets of both are as large.
    pub fn sheet(&self) -> (Point, Point) {
        let control = self.overlays.iter();
        let control = control.filter(|o| o.layer == OverlayLayer::Control);
        control.fold(self.bounds(), |(low, high), overlay| {
            let (a, b) = overlay.shape.bounds(self.usual_width);
            let low = Point::new(low.x.min(a.x), low.y.min(a.y));
            (low, Point::new(high.x.max(b.x), high.y.max(b.y)))
        })
    }

    /// Smallest and largest coordinates of the walls, m; arcs included.
    pub fn bounds(&self) -> (Point, Point) {
        let far = f64::INFINITY;
        let mut low = Point::new(far, far);
        let mut high = Point::new(-far, -far);
        let mut meet = |p: Point| {
            low = Point::new(low.x.min(p.x), low.y.min(p.y));
            high = Point::new(high.x.max(p.x), high.y.max(p.y));
        };
        for walls in &self.loops {
            let n = walls.edges.len();
            for (k, edge) in walls.edges.iter().enumerate() {
                meet(edge.from);
                let end = walls.edges[(k + 1) % n].from;
                arc_extremes(edge.from, end, edge.turn).for_each(&mut meet);
            }
        }
        if low.x > high.x {
            (Point::default(), Point::default())
        } else {
            (low, high)
        }
    }
}

/// Points of an arc where it runs along an axis.
fn arc_extremes(a: Point, b: Point, turn: f64) -> impl Iterator<Item = Point> {
    let round = turn != 0.0;
    let (r, side) = if round {
        (super::arc::radius(a, b, turn), turn.signum())
    } else {
        (0.0, 1.0)
    };
    let centre =
        (a + b) * 0.5 + (b - a).left().normalized() * (side * r * (turn.abs() / 2.0).cos());
    let first = (a - centre).angle();
    let quarter = std::f64::consts::FRAC_PI_2;
    (-4..=4).filter_map(move |k| {
        let at = f64::from(k) * quarter;
        let along = (at - first) * side;
        (round && along > 0.0 && along < turn.abs()).then(|| centre + Point::unit(at) * r)
    })
}

/// Which edge of which part each socket is.
fn edges_of_sockets(parts: &[PartOutline]) -> FxHashMap<SocketRef, (usize, usize)> {
    let mut found = FxHashMap::default();
    for (part, outline) in parts.iter().enumerate() {
        for (k, edge) in outline.edges.iter().enumerate() {
            if let Some(socket) = edge.socket {
                found.insert(SocketRef { part, socket }, (part, k));
            }
        }
    }
    found
}

/// Makes corners of sockets that meet the same point, to the last bit.
fn share_corners(chip: &Chip, parts: &mut [PartOutline]) {
    let edges = edges_of_sockets(parts);
    let mut first = Vec::with_capacity(parts.len());
    let mut n_corners = 0;
    for outline in parts.iter() {
        first.push(n_corners);
        n_corners += outline.edges.len();
    }
    let mut parents: Vec<usize> = (0..n_corners).collect();
    fn root(parents: &mut [usize], mut k: usize) -> usize {
        while parents[k] != k {
            parents[k] = parents[parents[k]];
            k = parents[k];
        }
        k
    }
    for joint in chip.connections.iter().filter(|c| !chip.is_free(c)) {
        let (Some(&(a, i)), Some(&(b, j))) = (edges.get(&joint.a), edges.get(&joint.b)) else {
            continue;
        };
        let next = |part: usize, k: usize| first[part] + (k + 1) % parts[part].edges.len();
        for (p, q) in [(first[a] + i, next(b, j)), (next(a, i), first[b] + j)] {
            let (p, q) = (root(&mut parents, p), root(&mut parents, q));
            parents[p.max(q)] = p.min(q);
        }
    }
    let corners: Vec<Point> = parts
        .iter()
        .flat_map(|outline| outline.edges.iter().map(|e| e.from))
        .collect();
    for (part, outline) in parts.iter_mut().enumerate() {
        for (k, edge) in outline.edges.iter_mut().enumerate() {
            edge.from = corners[root(&mut parents, first[part] + k)];
        }
    }
}

/// Follows the walls: at a socket that meets another, on along the wall of the part behind it.
fn walk(chip: &Chip, parts: &[PartOutline]) -> Vec<Loop> {
    let edges = edges_of_sockets(parts);
    let mut behind: FxHashMap<(usize, usize), (usize, usize)> = FxHashMap::default();
    for joint in chip.connections.iter().filter(|c| !chip.is_free(c)) {
        let (Some(&a), Some(&b)) = (edges.get(&joint.a), edges.get(&joint.b)) else {
            continue;
        };
        behind.insert(a, b);
        behind.insert(b, a);
    }
    let ports: FxHashMap<(usize, usize), usize> = chip
        .ports
        .iter()
        .enumerate()
        .filter_map(|(k, port)| Some((*edges.get(&port.socket)?, k)))
        .collect();
    let next = |(part, k): (usize, usize)| (part, (k + 1) % parts[part].edges.len());
    let mut walked: FxHashSet<(usize, usize)> = FxHashSet::default();
    let mut loops = Vec::new();
    for (part, outline) in parts.iter().enumerate() {
        for k in 0..outline.edges.len() {
            let mut at = (part, k);
            if behind.contains_key(&at) {
                continue;
            }
            let (mut around, mut parts_of) = (Vec::new(), Vec::new());
            while walked.insert(at) {
                let edge = parts[at.0].edges[at.1];
                parts_of.push(at.0);
                around.push(Edge {
                    socket: ports.get(&at).copied(),
                    ..edge
                });
                at = next(at);
                // Where several sockets end in one corner, all of them are passed.
                while let Some(&other) = behind.get(&at) {
                    at = next(other);
                }
            }
            if !around.is_empty() {
                loops.push(Loop {
                    edges: around,
                    parts: parts_of,
                });
            }
        }
    }
    // No other part reaches a post: its wall is closed as it is.
    for (k, part) in parts.iter().enumerate() {
        loops.extend(part.holes.iter().map(|edges| Loop {
            edges: edges.clone(),
            parts: vec![k; edges.len()],
        }));
    }
    loops
}

/// Whether a motion turns by whole quarters, and by how many.
pub(super) fn quarters(motion: &Motion) -> (i64, f64) {
    let turns = motion.angle / std::f64::consts::FRAC_PI_2;
    let near = turns.round();
    let rest = motion.angle - near * std::f64::consts::FRAC_PI_2;
    let rest = if rest.abs() < 1e-12 { 0.0 } else { rest };
    ((near as i64).rem_euclid(4), rest)
}
