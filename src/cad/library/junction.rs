//! Channels that meet in a point become the outline of their junction: any number of sockets, any directions, any widths.
//!
//! ```text
//!            | up |                 Neighbouring channels' walls meet in a corner. Every channel is cut back, at a right
//!            |    |                 angle, to the furthest of its two corners: that cut is its socket. A fan of equal
//!      ______L____R______           channels at right angles gives the bare square of the crossing.
//!      left              right
//!      __________________
//! ```

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use thiserror::Error;

use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::{first_crossing, signed_area};

/// Two directions closer than this (rad) are one.
const MIN_GAP: f64 = 1e-3;
/// Corners further from the node than this many of the wider width are cut off, where the gap is wide.
const MITRE_LIMIT: f64 = 2.0;
/// Gaps narrower than this always end in the corner where the walls meet.
const WIDE_GAP: f64 = 2.0 * PI / 3.0;
/// A socket at least this many of its widths from the node needs no extra wall.
const MIN_REACH: f64 = 0.2;
/// Extra length of wall, in widths, where a socket would be too near the node, or a wall edge too short to mesh.
const EXTRA_REACH: f64 = 0.25;
/// Wall edges shorter than this many widths are too short to mesh.
const SHORT_EDGE: f64 = 0.05;
/// Lengths that differ by less than this part of the width are equal.
const EQUAL: f64 = 1e-11;

/// Why sockets make no junction.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum JunctionError {
    /// Fewer than two sockets.
    #[error("a junction needs at least 2 sockets, got {sockets}")]
    TooFew {
        /// How many there are.
        sockets: usize,
    },
    /// A direction or width that is no number, or a width that isn't positive.
    #[error(
        "socket {socket} has direction {direction} rad and width {width} m; both must be finite, the width positive"
    )]
    BadSocket {
        /// Its index.
        socket: usize,
        /// Its direction, rad.
        direction: f64,
        /// Its width, m.
        width: f64,
    },
    /// Two sockets in one direction.
    #[error("sockets {first} and {second} overlap: their directions are {degrees:.3} deg apart")]
    Overlap {
        /// Index of one.
        first: usize,
        /// Index of the other.
        second: usize,
        /// Between their directions, degrees.
        degrees: f64,
    },
    /// The outline crosses itself.
    #[error("the walls between the sockets fold over each other")]
    Folds,
}

impl JunctionError {
    /// What is wrong, sockets by their names.
    pub fn of_sockets(&self, name: &dyn Fn(usize) -> String) -> String {
        match *self {
            Self::BadSocket {
                socket,
                direction,
                width,
            } => format!(
                "socket `{}` has direction {direction} rad and width {width} m; both must be finite, the width positive",
                name(socket)
            ),
            Self::Overlap {
                first,
                second,
                degrees,
            } => format!(
                "sockets `{}` and `{}` overlap: their directions are {degrees:.3} deg apart",
                name(first),
                name(second)
            ),
            Self::TooFew { .. } | Self::Folds => self.to_string(),
        }
    }
}

/// The outline of a junction about its node, which lies at the origin.
#[derive(Clone, Debug, PartialEq)]
pub struct JunctionOutline {
    /// Counter-clockwise, m.
    pub corners: Vec<Point>,
    /// Socket i is the edge from `corners[sockets[i]]` to the next corner.
    pub sockets: Vec<usize>,
    /// How far from the node socket i lies along its direction, m.
    pub reaches: Vec<f64>,
}

/// What lies between one socket and its neighbour to the left.
struct Gap {
    /// Corners of the wall, from the socket to its neighbour: one, or two where it is cut off or steps.
    corners: Vec<Point>,
    /// Distance along the socket's direction at which its left wall begins, m.
    left: f64,
    /// Distance along the neighbour's direction at which its right wall begins, m.
    right: f64,
}

/// The outline of the junction of channels that meet at the origin.
///
/// # Shapes and units
/// - `sockets`: direction away from the node (rad) and width (m) of each channel, in any order
/// - returns corners, edges and reaches; edges and reaches in the order of `sockets`
/// # Errors
/// [`JunctionError`]
/// # Accuracy and cost
/// Exact to rounding; at right angles the coordinates are exactly half the widths.
/// # Example
/// ```
/// use stokeslet_cad::library::junction_outline;
/// use std::f64::consts::PI;
/// let tee = junction_outline(&[(PI, 2.0), (0.0, 2.0), (PI / 2.0, 2.0)])?;
/// assert_eq!((tee.corners.len(), tee.reaches), (4, vec![1.0; 3]));
/// # Ok::<(), stokeslet_cad::library::JunctionError>(())
/// ```
pub fn junction_outline(sockets: &[(f64, f64)]) -> Result<JunctionOutline, JunctionError> {
    let n = sockets.len();
    if n < 2 {
        return Err(JunctionError::TooFew { sockets: n });
    }
    for (socket, &(direction, width)) in sockets.iter().enumerate() {
        if !(direction.is_finite() && width.is_finite() && width > 0.0) {
            return Err(JunctionError::BadSocket {
                socket,
                direction,
                width,
            });
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| turn(sockets[a].0).total_cmp(&turn(sockets[b].0)));

    let mut gaps = Vec::with_capacity(n);
    for k in 0..n {
        let (i, j) = (order[k], order[(k + 1) % n]);
        let lap = if k + 1 == n { TAU } else { 0.0 };
        let phi = snap(turn(sockets[j].0) - turn(sockets[i].0) + lap);
        if !(MIN_GAP..=TAU - MIN_GAP).contains(&phi) {
            let degrees = phi.min(TAU - phi).abs().to_degrees();
            return Err(JunctionError::Overlap {
                first: i,
                second: j,
                degrees,
            });
        }
        gaps.push(gap(sockets[i], sockets[j], phi));
    }

    let previous = |k: usize| (k + n - 1) % n;
    let mut reaches = vec![0.0; n];
    for k in 0..n {
        reaches[order[k]] = reach(gaps[k].left, gaps[previous(k)].right, sockets[order[k]].1);
    }

    let mut corners: Vec<Point> = Vec::with_capacity(4 * n);
    let push = |corners: &mut Vec<Point>, p: Point| {
        if corners.last() != Some(&p) {
            corners.push(p);
        }
    };
    let mut edges = vec![0; n];
    for k in 0..n {
        let i = order[k];
        let (direction, width) = sockets[i];
        let (along, half) = (Point::unit(direction), width / 2.0);
        // A corner that is itself the socket's end stands in for it, so that neighbours share one point bit for bit.
        let end = |wall_start: f64, corner: Option<&Point>, side: f64| match corner {
            Some(&corner) if (wall_start - reaches[i]).abs() <= EQUAL * width => corner,
            _ => along.left() * (side * half) + along * reaches[i],
        };
        let (before, after) = (&gaps[previous(k)], &gaps[k]);
        push(&mut corners, end(before.right, before.corners.last(), -1.0));
        edges[i] = corners.len() - 1;
        push(&mut corners, end(after.left, after.corners.first(), 1.0));
        for &corner in &after.corners {
            push(&mut corners, corner);
        }
    }
    if corners.first() == corners.last() {
        corners.pop();
    }
    if signed_area(&corners) <= 0.0 || first_crossing(&corners).is_some() {
        return Err(JunctionError::Folds);
    }
    Ok(JunctionOutline {
        corners,
        sockets: edges,
        reaches,
    })
}

/// The direction in [0, 2 pi), quarter turns exact.
fn turn(direction: f64) -> f64 {
    let turned = snap(direction.rem_euclid(TAU));
    if turned >= TAU { 0.0 } else { turned }
}

/// A multiple of a quarter turn where the angle is one up to rounding.
fn snap(angle: f64) -> f64 {
    let near = (angle / FRAC_PI_2).round() * FRAC_PI_2;
    if (angle - near).abs() < 1e-12 {
        near
    } else {
        angle
    }
}

/// The wall between a socket and its neighbour `phi` to its left.
fn gap((direction_i, width_i): (f64, f64), (direction_j, width_j): (f64, f64), phi: f64) -> Gap {
    let (d_i, d_j) = (Point::unit(direction_i), Point::unit(direction_j));
    let (h_i, h_j) = (width_i / 2.0, width_j / 2.0);
    let (cos, sin) = (Point::unit(phi).x, Point::unit(phi).y);
    let equal = (h_i - h_j).abs() <= EQUAL * h_i;
    if equal && sin == 0.0 {
        return Gap {
            corners: Vec::new(),
            left: 0.0,
            right: 0.0,
        };
    }
    // The walls h_i n_i + t d_i and -h_j n_j + s d_j meet at these t and s; near half a turn the first form cancels.
    let (t, s) = if equal && sin.abs() < 0.1 {
        let t = h_i * ((PI - phi) / 2.0).tan();
        (t, t)
    } else {
        ((h_j + h_i * cos) / sin, (h_i + h_j * cos) / sin)
    };
    let corner = d_i.left() * h_i + d_i * t;
    if phi < WIDE_GAP || (t.is_finite() && corner.norm() <= MITRE_LIMIT * width_i.max(width_j)) {
        return Gap {
            corners: vec![corner],
            left: t,
            right: s,
        };
    }
    Gap {
        corners: vec![d_i.left() * h_i, -d_j.left() * h_j],
        left: 0.0,
        right: 0.0,
    }
}

/// How far from the node a channel is cut whose walls begin at `left` and `right`, m.
fn reach(left: f64, right: f64, width: f64) -> f64 {
    let furthest = left.max(right).max(0.0);
    let edge = (left - right).abs();
    let too_short = edge > EQUAL * width && edge < SHORT_EDGE * width;
    if furthest < MIN_REACH * width || too_short {
        furthest + EXTRA_REACH * width
    } else {
        furthest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_angles_give_exact_squares() {
        let w = 1e-4;
        for directions in [
            vec![0.0, PI, FRAC_PI_2],
            vec![0.0, FRAC_PI_2, PI, -FRAC_PI_2],
            vec![PI, FRAC_PI_2],
        ] {
            let sockets: Vec<_> = directions.iter().map(|&d| (d, w)).collect();
            let outline = junction_outline(&sockets).unwrap();
            assert_eq!(outline.corners.len(), 4);
            for p in &outline.corners {
                assert!(
                    p.x.abs() == w / 2.0 && p.y.abs() == w / 2.0,
                    "{p:?} is a corner of the square"
                );
            }
        }
    }

    #[test]
    fn sockets_lie_across_their_directions_at_their_reach() {
        let fans: [&[(f64, f64)]; 6] = [
            &[(0.1, 1.0), (2.2, 1.5), (4.0, 0.7)],
            &[(0.0, 1.0), (PI - 0.01, 1.0)],
            &[(0.0, 1.0), (PI, 2.0)],
            &[(0.3, 1.0), (0.9, 1.0)],
            &[
                (0.0, 1.0),
                (1.0, 1.0),
                (2.0, 1.0),
                (3.0, 1.0),
                (4.0, 1.0),
                (5.2, 1.0),
            ],
            &[(0.0, 1.0), (3.0, 5.0)],
        ];
        for sockets in fans {
            let outline = junction_outline(sockets).unwrap();
            for (k, &(direction, width)) in sockets.iter().enumerate() {
                let a = outline.corners[outline.sockets[k]];
                let b = outline.corners[(outline.sockets[k] + 1) % outline.corners.len()];
                let d = Point::unit(direction);
                assert!(
                    ((b - a) - d.left() * width).norm() < 1e-12,
                    "socket {k} of {sockets:?} is perpendicular"
                );
                assert!(
                    ((a + b) * 0.5 - d * outline.reaches[k]).norm() < 1e-12,
                    "socket {k} is at its reach"
                );
            }
        }
    }

    #[test]
    fn impossible_fans_are_refused() {
        assert!(matches!(
            junction_outline(&[(0.0, 1.0)]),
            Err(JunctionError::TooFew { sockets: 1 })
        ));
        assert!(matches!(
            junction_outline(&[(0.0, 1.0), (TAU, 1.0)]),
            Err(JunctionError::Overlap { .. })
        ));
        assert!(matches!(
            junction_outline(&[(0.0, 1.0), (f64::NAN, 1.0)]),
            Err(JunctionError::BadSocket { socket: 1, .. })
        ));
        assert!(matches!(
            junction_outline(&[(0.0, 0.0), (1.0, 1.0)]),
            Err(JunctionError::BadSocket { socket: 0, .. })
        ));
    }
}
