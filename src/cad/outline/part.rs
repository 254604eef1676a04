//! The outline of one part: walls and sockets in order, in the part's own frame and in the chip's.

use std::f64::consts::FRAC_PI_2;

use super::arc::{MOST_TURN, segment_area};
use crate::shape::{Hole, Shape, Strip};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::geometry::{Motion, Point};

/// Lengths are compared in picometres when kinds are told apart, angles in as many parts of a radian.
const SAME: f64 = 1e-12;

/// A straight edge or an arc, from a corner to the next edge's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// Where it starts, m.
    pub from: Point,
    /// How far it turns, rad: positive to the left, 0 where it is straight, at most a quarter turn.
    pub turn: f64,
    /// The socket that it is, if it is one.
    pub socket: Option<usize>,
}

/// The edges round one part, counter-clockwise.
#[derive(Clone, Debug, PartialEq)]
pub struct PartOutline {
    /// Each ends where the next starts.
    pub edges: Vec<Edge>,
    /// The walls of its posts, each clockwise and closed as `edges` is.
    pub holes: Vec<Vec<Edge>>,
}

/// The outline of a shape in its own frame; arcs in pieces of at most `most_turn`, rad.
pub fn outline(shape: &Shape, most_turn: f64) -> PartOutline {
    let line = |from: Point, socket: Option<usize>| Edge {
        from,
        turn: 0.0,
        socket,
    };
    let edges = match *shape {
        Shape::Polygon {
            ref corners,
            ref sockets,
            ..
        } => {
            let socket = |k: usize| sockets.iter().position(|&s| s == k);
            let numbered = corners.iter().enumerate();
            numbered.map(|(k, &p)| line(p, socket(k))).collect()
        }
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => vec![
            line(Point::new(0.0, -width_start / 2.0), None),
            line(Point::new(length, -width_end / 2.0), Some(1)),
            line(Point::new(length, width_end / 2.0), None),
            line(Point::new(0.0, width_start / 2.0), Some(0)),
        ],
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let pieces = ((angle / most_turn.min(MOST_TURN) - 1e-9).ceil() as usize).max(1);
            let turn = angle / pieces as f64;
            let on = |k: usize, r: f64| {
                Point::new(0.0, radius) + Point::unit(turn * k as f64 - FRAC_PI_2) * r
            };
            let (outer, inner) = (radius + width / 2.0, radius - width / 2.0);
            let piece = |from: Point, turn: f64| Edge {
                from,
                turn,
                socket: None,
            };
            let there = (0..pieces).map(|k| piece(on(k, outer), turn));
            let back = (1..=pieces).rev().map(|k| piece(on(k, inner), -turn));
            there
                .chain([line(on(pieces, outer), Some(1))])
                .chain(back)
                .chain([line(on(0, inner), Some(0))])
                .collect()
        }
    };
    let most_turn = most_turn.min(MOST_TURN);
    let holes = shape.holes().iter().map(|hole| around(hole, most_turn));
    PartOutline {
        edges,
        holes: holes.collect(),
    }
}

/// The wall of a post, clockwise.
fn around(hole: &Hole, most_turn: f64) -> Vec<Edge> {
    let edge = |from: Point, turn: f64| Edge {
        from,
        turn,
        socket: None,
    };
    match hole {
        Hole::Circle { .. } => {
            let pieces = (std::f64::consts::TAU / most_turn - 1e-9).ceil();
            let turn = -std::f64::consts::TAU / pieces;
            let corners = hole.chords(pieces as usize);
            corners.into_iter().map(|p| edge(p, turn)).collect()
        }
        Hole::Polygon(corners) => corners.iter().map(|&p| edge(p, 0.0)).collect(),
    }
}

impl PartOutline {
    /// Corner where edge `k` ends, m.
    pub fn end(&self, k: usize) -> Point {
        self.edges[(k + 1) % self.edges.len()].from
    }

    /// The outline after a motion; still counter-clockwise where the motion mirrors.
    pub fn moved(&self, motion: &Motion) -> Self {
        let place = motion.to_apply();
        let moved = |edges: &Vec<Edge>| -> Vec<Edge> {
            let n = edges.len();
            let placed = |k: usize, from: Point| Edge {
                from: place(from),
                ..edges[k]
            };
            if motion.mirror {
                // Backwards, each from its end: what the mirror makes of left, walking back makes good.
                let back = (0..n).rev();
                back.map(|k| placed(k, edges[(k + 1) % n].from)).collect()
            } else {
                (0..n).map(|k| placed(k, edges[k].from)).collect()
            }
        };
        Self {
            edges: moved(&self.edges),
            holes: self.holes.iter().map(moved).collect(),
        }
    }

    /// Area of the fluid, m²: exact for arcs.
    pub fn area(&self) -> f64 {
        let loops = [&self.edges].into_iter().chain(&self.holes);
        loops.map(|edges| area(edges)).sum()
    }
}

/// Corners of a rectangle along the axes by two that are opposite, counter-clockwise.
pub(super) fn rectangle([a, b]: [Point; 2]) -> [Point; 4] {
    let (low, high) = (
        Point::new(a.x.min(b.x), a.y.min(b.y)),
        Point::new(a.x.max(b.x), a.y.max(b.y)),
    );
    [
        low,
        Point::new(high.x, low.y),
        high,
        Point::new(low.x, high.y),
    ]
}

/// Area that a loop of edges encloses, m²; positive where it runs counter-clockwise.
pub(super) fn area(edges: &[Edge]) -> f64 {
    let Some(origin) = edges.first().map(|e| e.from) else {
        return 0.0;
    };
    let n = edges.len();
    (0..n)
        .map(|k| {
            let (a, b) = (edges[k].from, edges[(k + 1) % n].from);
            0.5 * (a - origin).cross(b - origin) + segment_area(a, b, edges[k].turn)
        })
        .sum()
}

/// What a shape is called in files; equal for equal shapes only.
pub(super) fn kind_name(shape: &Shape) -> String {
    let key = kind(shape);
    let word = match shape {
        Shape::Polygon { .. } => "polygon",
        Shape::Strip(Strip::Arc { .. }) => "arc",
        Shape::Strip(Strip::Straight {
            width_start,
            width_end,
            ..
        }) if width_start == width_end => "pipe",
        Shape::Strip(Strip::Straight { .. }) => "taper",
    };
    format!("{word}_{:08x}", key.0 as u32)
}

/// A key of the shape, equal where shapes agree to a picometre.
pub(super) fn kind(shape: &Shape) -> Fingerprint {
    let steps = |x: f64| (x / SAME).round() as i64;
    match shape {
        Shape::Polygon {
            corners,
            sockets,
            holes,
        } => {
            let corners = corners
                .iter()
                .fold(Hasher::new(Domain::OutlinePolygon), |h, p| {
                    h.int(steps(p.x)).int(steps(p.y))
                });
            let sockets = sockets.iter().fold(corners, |h, &s| h.word(s as u64));
            let holes = holes.iter().fold(sockets, |h, hole| match hole {
                Hole::Circle { centre, radius } => {
                    let h = h.word(1 << 40).int(steps(centre.x)).int(steps(centre.y));
                    h.int(steps(*radius))
                }
                Hole::Polygon(corners) => corners
                    .iter()
                    .fold(h.word(2 << 40 | corners.len() as u64), |h, p| {
                        h.int(steps(p.x)).int(steps(p.y))
                    }),
            });
            holes.finish()
        }
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => [length, width_start, width_end]
            .iter()
            .fold(Hasher::new(Domain::OutlineStraight), |h, &&x| {
                h.int(steps(x))
            })
            .finish(),
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => [radius, angle, width]
            .iter()
            .fold(Hasher::new(Domain::OutlineArc), |h, &&x| h.int(steps(x)))
            .finish(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_has_its_area_whichever_way_it_lies() {
        let (radius, angle, width) = (3e-4, 5.1, 1e-4);
        let shape = Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        });
        for mirror in [false, true] {
            let motion = Motion {
                angle: 0.4,
                mirror,
                translation: Point::new(1e-3, -2e-3),
            };
            let outline = outline(&shape, MOST_TURN).moved(&motion);
            let want = radius * angle * width;
            assert!((outline.area() / want - 1.0).abs() < 1e-11, "{mirror}");
            assert_eq!(
                outline.edges.len(),
                10,
                "four pieces a side and two sockets"
            );
        }
    }
}
