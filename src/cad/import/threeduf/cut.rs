//! The union of a drawing, cut into pipes and polygons that meet in sockets.
//!
//! ```text
//!         |  |                    A stretch of a channel that nothing else touches, at least a width long, is a pipe. What is
//!   ------+  +-------+---.        left of the union are polygons; an edge that runs straight across a channel where a pipe
//!   pipe |poly| pipe  |poly( )    begins, or where a port's hole does, is a socket.
//!   ------+--+-------+---'
//! ```

use std::collections::{BTreeMap, BTreeSet};

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::float::overlay::FloatOverlay;

use super::super::graph::error;
use super::super::ring::{Corner, OpenEdge, Stretch, split};
use super::outline::{chords, circle};
use super::read::{Drawing, Duct};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, Severity};
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{bounds, first_crossing, signed_area};

/// Shapes nearer than this part of a channel's width touch it.
const TOUCH: f64 = 1e-3;
/// Pipes begin this many widths beside what touches their channel, so that sockets don't end in its corners.
const MARGIN: f64 = 0.25;
/// What is cut away is wider than what is cut by this part of the width: nothing of it stays.
const OVER: f64 = 1e-6;
/// Corners nearer than this part of the width are one.
const SAME_PLACE: f64 = 1e-7;
/// Sockets are found within this part of the width.
const NEAR: f64 = 1e-4;
/// Enclosed walls and leftovers smaller than this many widths squared are what the union's rounding leaves.
const SPECK: f64 = 1e-6;

/// Where a channel is cut: a socket of the pipe that begins or ends there, and of what it meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Socket {
    pub middle: Point,
    /// Along the channel, a unit vector.
    pub axis: Point,
    pub width: f64,
    /// The port that opens here.
    pub hole: Option<usize>,
}

/// A straight piece of a channel between two sockets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pipe {
    /// Index of its sockets, in the direction of the channel.
    pub sockets: [usize; 2],
}

/// A piece of any shape.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    /// Counter-clockwise, m.
    pub corners: Vec<Point>,
    /// A socket and the corner that its edge starts from.
    pub sockets: Vec<(usize, usize)>,
    /// A cut that another piece shares, and the corner that its edge starts from.
    pub cuts: Vec<(usize, usize)>,
}

/// A drawing in pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    pub sockets: Vec<Socket>,
    pub pipes: Vec<Pipe>,
    pub blobs: Vec<Blob>,
}

type Contour = Vec<[f64; 2]>;

/// Cuts a drawing; walls that are enclosed and can't be cut free, and walls that cross, are reported.
pub(super) fn cut(drawing: &Drawing, out: &mut Reporter) -> Pieces {
    let shapes: Vec<Contour> = drawing
        .ducts
        .iter()
        .map(outline_of)
        .chain(drawing.blocks.iter().cloned())
        .map(contour)
        .collect();
    let mut pieces = Pieces::default();
    let mut away: Vec<Contour> = drawing
        .holes
        .iter()
        .map(|hole| contour(circle(hole.centre, hole.radius)))
        .collect();
    let boxes: Vec<(Point, Point)> = shapes.iter().map(box_of).collect();
    for (k, duct) in drawing.ducts.iter().enumerate() {
        stretches(drawing, k, &shapes, &boxes, &mut pieces, &mut away);
        let over = duct.width * OVER;
        away.extend(
            on_duct(drawing, duct)
                .into_iter()
                .map(|(_, [a, b])| band(duct, a, b, over)),
        );
    }
    let rest = FloatOverlay::<[f64; 2], i64>::from_subj_and_clip(&shapes, &away)
        .overlay(OverlayRule::Difference, FillRule::NonZero);
    let mut n_cuts = 0;
    for shape in &rest {
        if blob(drawing, shape, &mut pieces, &mut n_cuts).is_none() {
            let place = shape.first().and_then(|c| c.first()).copied();
            let [x, y] = place.unwrap_or_default();
            let message = format!(
                "near {:.4} mm, {:.4} mm the drawing encloses a wall that can't be cut free, or its walls cross",
                x * 1e3,
                -y * 1e3
            );
            let help = "its islands are left out; a channel at least a width long beside it helps";
            out.report(Diagnostic {
                severity: Severity::Warning,
                ..error("D314", None, message, help)
            });
        }
    }
    pieces
}

fn contour(points: Vec<Point>) -> Contour {
    // Unions by winding number: all the same way round.
    let mut points = points;
    if signed_area(&points) < 0.0 {
        points.reverse();
    }
    points.into_iter().map(|p| [p.x, p.y]).collect()
}

fn box_of(contour: &Contour) -> (Point, Point) {
    let points: Vec<Point> = contour.iter().map(|&[x, y]| Point::new(x, y)).collect();
    bounds(&points)
}

/// Everything that a channel draws.
fn outline_of(duct: &Duct) -> Vec<Point> {
    let (axis, half) = (duct.axis(), duct.width / 2.0);
    let side = axis.left() * half;
    if !duct.is_round {
        return vec![
            duct.from - side,
            duct.to - side,
            duct.to + side,
            duct.from + side,
        ];
    }
    let n = chords(half, std::f64::consts::PI, duct.width);
    let cap = |centre: Point, begin: f64| {
        (0..=n).map(move |k| {
            let angle = begin + std::f64::consts::PI * k as f64 / n as f64;
            centre + Point::unit(angle) * half
        })
    };
    let along = axis.angle();
    let quarter = std::f64::consts::FRAC_PI_2;
    // Corners of both ends exactly where a flat channel has them.
    let mut out: Vec<Point> = cap(duct.to, along - quarter).collect();
    out.extend(cap(duct.from, along + quarter));
    let m = out.len();
    out[0] = duct.to - side;
    out[n] = duct.to + side;
    out[n + 1] = duct.from + side;
    out[m - 1] = duct.from - side;
    out
}

/// A piece of a channel from one length to another, wider by `over` on either side.
fn band(duct: &Duct, from: f64, to: f64, over: f64) -> Contour {
    let axis = duct.axis();
    let side = axis.left() * (duct.width / 2.0 + over);
    let (a, b) = (duct.from + axis * from, duct.from + axis * to);
    contour(vec![a - side, b - side, b + side, a + side])
}

/// The ports whose middle lies on a channel, with where their holes begin and end along it.
fn on_duct(drawing: &Drawing, duct: &Duct) -> Vec<(usize, [f64; 2])> {
    let (axis, length) = (duct.axis(), duct.length());
    let mut out = Vec::new();
    for (k, hole) in drawing.holes.iter().enumerate() {
        let from = hole.centre - duct.from;
        let (along, across) = (axis.dot(from), axis.cross(from));
        let reach = [along - hole.radius, along + hole.radius];
        if across.abs() <= duct.width / 2.0 && reach[1] > 0.0 && reach[0] < length {
            out.push((k, reach));
        }
    }
    out
}

/// Finds the pipes of a channel; adds their sockets, those of its ports, and what they cut away.
fn stretches(
    drawing: &Drawing,
    k: usize,
    shapes: &[Contour],
    boxes: &[(Point, Point)],
    pieces: &mut Pieces,
    away: &mut Vec<Contour>,
) {
    let duct = &drawing.ducts[k];
    let (axis, length, width) = (duct.axis(), duct.length(), duct.width);
    let own = band(duct, 0.0, length, TOUCH * width);
    let (low, high) = box_of(&own);
    // Where anything else touches, with room beside it; then ports, whose edges are cuts themselves.
    let margin = MARGIN * width;
    let mut taken = vec![
        [f64::NEG_INFINITY, margin],
        [length - margin, f64::INFINITY],
    ];
    for (other, shape) in shapes.iter().enumerate() {
        let (a, b) = boxes[other];
        if other == k || a.x > high.x || b.x < low.x || a.y > high.y || b.y < low.y {
            continue;
        }
        let shared = FloatOverlay::<[f64; 2], i64>::from_subj_and_clip(
            std::slice::from_ref(&own),
            std::slice::from_ref(shape),
        )
        .overlay(OverlayRule::Intersect, FillRule::NonZero);
        for contour in shared.iter().filter_map(|shape| shape.first()) {
            let along = |p: &[f64; 2]| axis.dot(Point::new(p[0], p[1]) - duct.from);
            let from = contour.iter().map(along).fold(f64::INFINITY, f64::min);
            let to = contour.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
            taken.push([from - margin, to + margin]);
        }
    }
    let on = on_duct(drawing, duct);
    for (hole, other) in drawing.holes.iter().enumerate() {
        if on.iter().any(|(k, _)| *k == hole) {
            continue;
        }
        // A hole beside the channel bites into it, where it reaches it.
        let from = other.centre - duct.from;
        let (along, across) = (axis.dot(from), axis.cross(from));
        if across.abs() < other.radius + width / 2.0 {
            taken.push([along - other.radius - margin, along + other.radius + margin]);
        }
    }
    taken.extend(on.iter().map(|(_, reach)| *reach));
    taken.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut ends: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut at = f64::NEG_INFINITY;
    for [from, to] in taken {
        if from - at >= width && at.is_finite() && from.is_finite() {
            let sockets = [at, from].map(|s| {
                let edge = on.iter().find_map(|(hole, reach)| {
                    let side = (0..2).find(|&side| reach[side] == s)?;
                    Some((*hole, side))
                });
                if let Some(edge) = edge {
                    ends.insert(edge, pieces.sockets.len());
                }
                pieces.sockets.push(Socket {
                    middle: duct.from + axis * s,
                    axis,
                    width,
                    hole: edge.map(|(hole, _)| hole),
                });
                pieces.sockets.len() - 1
            });
            pieces.pipes.push(Pipe { sockets });
            away.push(band(duct, at, from, OVER * width));
        }
        at = at.max(to);
    }
    // Ports where no pipe begins open a polygon.
    for (hole, reach) in on {
        for (side, s) in reach.into_iter().enumerate() {
            if !ends.contains_key(&(hole, side)) && s > 0.0 && s < length {
                pieces.sockets.push(Socket {
                    middle: duct.from + axis * s,
                    axis,
                    width,
                    hole: Some(hole),
                });
            }
        }
    }
}

/// Makes polygons of a piece of the union; `None` where they can't be made simple.
fn blob(
    drawing: &Drawing,
    shape: &[Contour],
    pieces: &mut Pieces,
    n_cuts: &mut usize,
) -> Option<()> {
    let points: Vec<Vec<Point>> = shape
        .iter()
        .map(|c| c.iter().map(|&[x, y]| Point::new(x, y)).collect())
        .collect();
    let (low, high) = bounds(points.first()?);
    // The narrowest channel that reaches it sets what is small.
    let near = |duct: &&Duct| {
        let (a, b) = bounds(&[duct.from, duct.to]);
        let w = duct.width;
        a.x - w <= high.x && b.x + w >= low.x && a.y - w <= high.y && b.y + w >= low.y
    };
    let ducts: Vec<Duct> = drawing.ducts.iter().filter(near).copied().collect();
    let width = ducts.iter().map(|d| d.width).fold(f64::INFINITY, f64::min);
    let width = if width.is_finite() {
        width
    } else {
        (high - low).norm()
    };
    let is_speck = |c: &[Point]| signed_area(c).abs() <= SPECK * width * width;
    if is_speck(&points[0]) {
        return Some(());
    }
    let mut contours: Vec<Vec<Corner>> = points
        .iter()
        .filter(|c| !is_speck(c))
        .map(|c| corners(c, width))
        .collect();
    let reaches = |socket: &Socket| {
        let (p, w) = (socket.middle, socket.width);
        p.x + w >= low.x && p.x - w <= high.x && p.y + w >= low.y && p.y - w <= high.y
    };
    let all = pieces.sockets.iter().enumerate();
    for (k, socket) in all.filter(|(_, socket)| reaches(socket)) {
        for walls in &mut contours {
            fix(k, socket, walls);
        }
    }
    let simple = if contours.len() == 1 {
        contours
    } else {
        let stretches: Vec<Stretch> = ducts
            .iter()
            .map(|duct| Stretch {
                start: duct.from,
                axis: duct.axis(),
                reach: [0.0, duct.length()],
                width: duct.width,
            })
            .collect();
        split(&contours, &stretches, width)?
    };
    let first_cut = *n_cuts;
    for mut walls in simple {
        drop_straight(&mut walls, width);
        let mut blob = Blob {
            corners: walls.iter().map(|corner| corner.at).collect(),
            sockets: Vec::new(),
            cuts: Vec::new(),
        };
        for (k, corner) in walls.iter().enumerate() {
            match corner.open {
                Some(OpenEdge::Socket(socket)) => blob.sockets.push((socket, k)),
                Some(OpenEdge::Cut(cut)) => {
                    blob.cuts.push((first_cut + cut, k));
                    *n_cuts = (*n_cuts).max(first_cut + cut + 1);
                }
                None => {}
            }
        }
        if signed_area(&blob.corners) <= 0.0 || first_crossing(&blob.corners).is_some() {
            return None;
        }
        pieces.blobs.push(blob);
    }
    Some(())
}

/// A contour as walls, corners that lie on the one before dropped.
fn corners(contour: &[Point], width: f64) -> Vec<Corner> {
    let near = SAME_PLACE * width;
    let mut kept: Vec<Point> = Vec::new();
    for &p in contour {
        if kept.last().is_none_or(|q| (p - *q).norm() > near) {
            kept.push(p);
        }
    }
    while kept.len() > 1 && (kept[0] - kept[kept.len() - 1]).norm() <= near {
        kept.pop();
    }
    kept.into_iter()
        .map(|at| Corner {
            at,
            fixed: false,
            open: None,
        })
        .collect()
}

/// Marks the edge of a socket and puts its corners in their exact places.
fn fix(index: usize, socket: &Socket, walls: &mut [Corner]) {
    let side = socket.axis.left() * (socket.width / 2.0);
    let ends = [socket.middle - side, socket.middle + side];
    let near = |p: Point, q: Point| (p - q).norm() <= NEAR * socket.width;
    let n = walls.len();
    let found = (0..n).find_map(|k| {
        let (a, b) = (walls[k].at, walls[(k + 1) % n].at);
        let forth = near(a, ends[0]) && near(b, ends[1]);
        let back = near(a, ends[1]) && near(b, ends[0]);
        (walls[k].open.is_none() && (forth || back)).then_some((k, back))
    });
    let Some((k, is_back)) = found else { return };
    let [a, b] = if is_back { [ends[1], ends[0]] } else { ends };
    walls[k] = Corner {
        at: a,
        fixed: true,
        open: Some(OpenEdge::Socket(index)),
    };
    let second = &mut walls[(k + 1) % n];
    (second.at, second.fixed) = (b, true);
}

/// Drops corners on straight walls.
fn drop_straight(corners: &mut Vec<Corner>, width: f64) {
    let mut k = 0;
    while k < corners.len() && corners.len() > 3 {
        let n = corners.len();
        let (before, corner, after) = (
            corners[(k + n - 1) % n].at,
            corners[k].at,
            corners[(k + 1) % n].at,
        );
        let (to, from) = (corner - before, after - corner);
        let is_straight = to.cross(from).abs() <= SAME_PLACE * width * to.norm().max(from.norm());
        if !corners[k].fixed && is_straight {
            corners.remove(k);
            k = k.saturating_sub(1);
        } else {
            k += 1;
        }
    }
}

impl Pieces {
    /// Pieces that hang together: pipes by their index, then polygons; and the ports that open to each group.
    pub fn islands(&self) -> Vec<(Vec<usize>, BTreeSet<usize>)> {
        let n_pipes = self.pipes.len();
        let n = n_pipes + self.blobs.len();
        let mut of_socket: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut of_cut: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (k, pipe) in self.pipes.iter().enumerate() {
            for socket in pipe.sockets {
                of_socket.entry(socket).or_default().push(k);
            }
        }
        for (k, blob) in self.blobs.iter().enumerate() {
            for (socket, _) in &blob.sockets {
                of_socket.entry(*socket).or_default().push(n_pipes + k);
            }
            for (cut, _) in &blob.cuts {
                of_cut.entry(*cut).or_default().push(n_pipes + k);
            }
        }
        let mut group: Vec<usize> = (0..n).collect();
        fn root(group: &mut [usize], mut k: usize) -> usize {
            while group[k] != k {
                group[k] = group[group[k]];
                k = group[k];
            }
            k
        }
        // Two channels that end at one port are joined by the hole only, which isn't solved.
        let inner = of_socket
            .iter()
            .filter(|(socket, _)| self.sockets[**socket].hole.is_none())
            .map(|(_, list)| list);
        for list in inner.chain(of_cut.values()) {
            for pair in list.windows(2) {
                let (a, b) = (root(&mut group, pair[0]), root(&mut group, pair[1]));
                group[a.max(b)] = a.min(b);
            }
        }
        let mut islands: BTreeMap<usize, (Vec<usize>, BTreeSet<usize>)> = BTreeMap::new();
        for k in 0..n {
            let at = root(&mut group, k);
            islands.entry(at).or_default().0.push(k);
        }
        for (socket, list) in &of_socket {
            if let Some(hole) = self.sockets[*socket].hole {
                for &k in list {
                    let at = root(&mut group, k);
                    islands.entry(at).or_default().1.insert(hole);
                }
            }
        }
        islands.into_values().collect()
    }
}
