//! The outline of any shape as corners, for pictures and for finding overlaps.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::shape::{Hole, Part, Shape, Strip};
use stokeslet_base::geometry::Point;

/// The outer corners of a shape in its own frame, counter-clockwise, m: its posts are [`Shape::holes`]. Arcs become chords, `chords_per_turn` of them for a whole circle.
pub fn boundary(shape: &Shape, chords_per_turn: usize) -> Vec<Point> {
    match *shape {
        Shape::Polygon { ref corners, .. } => corners.clone(),
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => vec![
            Point::new(0.0, -width_start / 2.0),
            Point::new(length, -width_end / 2.0),
            Point::new(length, width_end / 2.0),
            Point::new(0.0, width_start / 2.0),
        ],
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let chords = ((angle / TAU * chords_per_turn as f64).ceil() as usize).clamp(2, 100_000);
            let centre = Point::new(0.0, radius);
            let at = |r: f64, k: usize| {
                centre + Point::unit(angle * k as f64 / chords as f64 - TAU / 4.0) * r
            };
            let outer = (0..=chords).map(|k| at(radius + width / 2.0, k));
            let inner = (0..=chords).rev().map(|k| at(radius - width / 2.0, k));
            outer.chain(inner).collect()
        }
    }
}

/// An edge of a part in the component's frame, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Its start.
    pub from: Point,
    /// Its end.
    pub to: Point,
    /// For edges that aren't straight.
    pub arc: Option<Arc>,
    /// Which socket of its part it is.
    pub socket: Option<usize>,
}

/// How an edge goes round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    /// m
    pub radius: f64,
    /// Whether it turns left.
    pub left: bool,
    /// Whether it turns by more than half a turn.
    pub large: bool,
}

/// The edges of a part, in order round it; those of its posts are [`hole_edges`].
pub(super) fn edges(part: &Part) -> Vec<Edge> {
    let at = |p: Point| part.motion.apply(p);
    let line = |from: Point, to: Point, socket: Option<usize>| Edge {
        from: at(from),
        to: at(to),
        arc: None,
        socket,
    };
    match &part.shape {
        Shape::Polygon {
            corners, sockets, ..
        } => (0..corners.len())
            .map(|k| {
                line(
                    corners[k],
                    corners[(k + 1) % corners.len()],
                    sockets.iter().position(|&s| s == k),
                )
            })
            .collect(),
        Shape::Strip(Strip::Straight { .. }) => {
            let c = boundary(&part.shape, 4);
            vec![
                line(c[0], c[1], None),
                line(c[1], c[2], Some(1)),
                line(c[2], c[3], None),
                line(c[3], c[0], Some(0)),
            ]
        }
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let along = |r: f64, turned: f64| {
                Point::new(0.0, *radius) + Point::unit(turned - FRAC_PI_2) * r
            };
            let (outer, inner) = (radius + width / 2.0, radius - width / 2.0);
            let large = *angle > PI;
            let left = !part.motion.mirror;
            let (a, b, c, d) = (
                along(outer, 0.0),
                along(outer, *angle),
                along(inner, *angle),
                along(inner, 0.0),
            );
            vec![
                Edge {
                    arc: Some(Arc {
                        radius: outer,
                        left,
                        large,
                    }),
                    ..line(a, b, None)
                },
                line(b, c, Some(1)),
                Edge {
                    arc: Some(Arc {
                        radius: inner,
                        left: !left,
                        large,
                    }),
                    ..line(c, d, None)
                },
                line(d, a, Some(0)),
            ]
        }
    }
}

/// The edges of each post of a part, clockwise round it seen from a part that isn't mirrored.
pub(super) fn hole_edges(part: &Part) -> Vec<Vec<Edge>> {
    let straight = |from: Point, to: Point| Edge {
        from,
        to,
        arc: None,
        socket: None,
    };
    let of = |hole: &Hole| match hole.moved(&part.motion) {
        Hole::Circle { centre, radius } => {
            let ends = [-1.0, 1.0].map(|s| centre + Point::new(s * radius, 0.0));
            let arc = Some(Arc {
                radius,
                left: false,
                large: false,
            });
            let half = |from: Point, to: Point| Edge {
                arc,
                ..straight(from, to)
            };
            vec![half(ends[0], ends[1]), half(ends[1], ends[0])]
        }
        Hole::Polygon(corners) => {
            let next = corners.iter().cycle().skip(1);
            let edges = corners.iter().zip(next);
            edges.map(|(&a, &b)| straight(a, b)).collect()
        }
    };
    part.shape.holes().iter().map(of).collect()
}
