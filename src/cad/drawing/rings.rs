//! Around a component: from its sockets, whatever side they are on, to columns below and above it, without a crossing.
//!
//! ```text
//!      |  |          columns above, in their order
//!   ...|..|...       fan: what has to go sideways takes a track (left edge algorithm)
//!   :  |  +--:--+    rings: a channel that leaves on another side goes around at a distance of its own,
//!   :  |  [] :  |    outside of all that it passes
//!   :..|.....:..|
//!      |     +--+
//! ```
//! Sockets and columns have the same cyclic order, so each way goes round in one direction, and those that pass a socket go
//! outside of the way that begins there: distances are longest chains of that relation.

use std::f64::consts::{FRAC_PI_2, TAU};

use stokeslet_base::geometry::Point;

/// Distances that ways keep, m.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spacing {
    /// The widest channel.
    pub width: f64,
    /// Between walls.
    pub gap: f64,
}

impl Spacing {
    /// From one track to the next.
    pub fn pitch(self) -> f64 {
        self.width + self.gap
    }

    /// Straight run before the first bend.
    pub fn straight(self) -> f64 {
        2.0 * self.width
    }

    /// Shortest step sideways: two bends, and walls that stay apart.
    pub fn jog(self) -> f64 {
        self.pitch() + self.width
    }

    /// From the box to the `k`-th ring, counted from 1.
    fn ring(self, k: usize) -> f64 {
        self.straight() + self.width + (k as f64 - 1.0) * self.pitch()
    }
}

/// A socket: where it is and where it looks (rad).
pub(super) type Facing = (Point, f64);

/// One way to turn a component: its box and its sockets in the order of the columns, counter-clockwise from the left below.
#[derive(Clone, Debug)]
pub(super) struct Pose<T> {
    /// What the caller knows it by.
    pub tag: T,
    pub low: Point,
    pub high: Point,
    pub sockets: Vec<Facing>,
}

/// The ways around a component, in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// From each socket to where its column begins; then it goes on straight down, or up.
    pub points: Vec<Vec<Point>>,
    /// What component and rings take.
    pub low: Point,
    pub high: Point,
    /// Sides that channels go around; fewer is better.
    cost: usize,
}

/// The pose with the fewest detours and its ways; `None` where none can be without a crossing.
///
/// - `n_below`: how many of the sockets have columns below
pub(super) fn arrange<T>(
    poses: impl IntoIterator<Item = Pose<T>>,
    n_below: usize,
    spacing: Spacing,
) -> Option<(T, Ways)> {
    let mut best: Option<(T, Ways)> = None;
    for pose in poses {
        let Some(ways) = ways(&pose, n_below, spacing) else {
            continue;
        };
        if best.as_ref().is_none_or(|(_, b)| ways.cost < b.cost) {
            best = Some((pose.tag, ways));
        }
    }
    best
}

/// Where a socket's axis leaves the box around the component: side (below, right, above, left) and part of that side, counter-clockwise.
struct Exit {
    at: Point,
    is_slanted: bool,
    side: i64,
    part: f64,
}

fn exit((at, direction): Facing, low: Point, high: Point, pad: f64) -> Option<Exit> {
    let quarter = (direction / FRAC_PI_2).round();
    let is_slanted = (direction - quarter * FRAC_PI_2).abs() > 1e-9;
    let axis = if is_slanted {
        Point::unit(direction)
    } else {
        Point::unit((quarter * FRAC_PI_2).rem_euclid(TAU))
    };
    // Slanted ones leave a larger box, so that they bend away from the component.
    let pad = if is_slanted { pad } else { 0.0 };
    let (low, high) = (low - Point::new(pad, pad), high + Point::new(pad, pad));
    let reach = |from: f64, step: f64, low: f64, high: f64| {
        if step > 1e-12 {
            (high - from) / step
        } else if step < -1e-12 {
            (low - from) / step
        } else {
            f64::INFINITY
        }
    };
    let (x, y) = (
        reach(at.x, axis.x, low.x, high.x),
        reach(at.y, axis.y, low.y, high.y),
    );
    let out = at + axis * x.min(y).max(0.0);
    let side = match (x < y, axis) {
        (true, axis) if axis.x > 0.0 => 1,
        (true, _) => 3,
        (false, axis) if axis.y > 0.0 => 2,
        _ => 0,
    };
    let size = high - low;
    let part = match side {
        0 => (out.x - low.x) / size.x,
        1 => (out.y - low.y) / size.y,
        2 => (high.x - out.x) / size.x,
        _ => (high.y - out.y) / size.y,
    };
    // A corner belongs to the side that it was reached on.
    let part = part.clamp(1e-6, 1.0 - 1e-6);
    part.is_finite().then_some(Exit {
        at: out,
        is_slanted,
        side,
        part,
    })
}

/// How far around a box a socket's axis leaves it, in sides, counter-clockwise from its lower left corner.
pub(super) fn turn_of(socket: Facing, low: Point, high: Point, pad: f64) -> f64 {
    exit(socket, low, high, pad).map_or(0.0, |exit| exit.side as f64 + exit.part)
}

/// How many sides each socket of one run of columns is away from the columns' side, negative clockwise before it; in order.
fn lifts(exits: &[Exit], base: i64, start: i64) -> Option<Vec<i64>> {
    let mut out: Vec<i64> = Vec::new();
    for (k, exit) in exits.iter().enumerate() {
        let side = (exit.side - base).rem_euclid(4);
        let lift = match out.last() {
            None => side + 4 * start,
            Some(&before) => {
                let mut lift = side - 8;
                while lift < before || lift == before && exit.part <= exits[k - 1].part {
                    lift += 4;
                }
                lift
            }
        };
        if lift.abs() > 3 {
            return None;
        }
        out.push(lift);
    }
    Some(out)
}

fn ways<T>(pose: &Pose<T>, n_below: usize, spacing: Spacing) -> Option<Ways> {
    let exits: Vec<Exit> = pose
        .sockets
        .iter()
        .map(|&socket| exit(socket, pose.low, pose.high, spacing.width))
        .collect::<Option<_>>()?;
    let (below, above) = exits.split_at(n_below);
    let mut best: Option<Ways> = None;
    for first in [-1, 0] {
        for second in [-1, 0] {
            let (Some(a), Some(b)) = (lifts(below, 0, first), lifts(above, 2, second)) else {
                continue;
            };
            // Sides counted on around the component; the second run comes after the first, and before it comes again.
            let lift: Vec<i64> = a.iter().copied().chain(b).collect();
            let turn: Vec<f64> = exits
                .iter()
                .enumerate()
                .map(|(k, exit)| {
                    let base = if k < n_below { 0 } else { 2 };
                    (lift[k] + base) as f64 + exit.part
                })
                .collect();
            let n = turn.len();
            let in_order = (1..n).all(|k| turn[k] > turn[k - 1]);
            if n > 0 && (!in_order || turn[n - 1] >= turn[0] + 4.0) {
                continue;
            }
            let Some(rings) = rings(&lift, &turn, n_below) else {
                continue;
            };
            let cost = lift.iter().map(|l| l.unsigned_abs() as usize).sum();
            if best.as_ref().is_none_or(|b| cost < b.cost) {
                best = Some(drawn(pose, &exits, &lift, &rings, n_below, spacing, cost));
            }
        }
    }
    best
}

/// The ring of every way, 0 for those that go straight to their column; `None` where they would wind around each other.
fn rings(lift: &[i64], turn: &[f64], n_below: usize) -> Option<Vec<usize>> {
    let n = lift.len();
    let passes = |i: usize, j: usize| {
        let base = if i < n_below { 0.0 } else { 2.0 };
        let (from, to) = match lift[i] {
            0 => return false,
            l if l < 0 => (turn[i], base),
            _ => (base + 1.0, turn[i]),
        };
        (-2..=2).any(|lap| {
            let at = turn[j] + 4.0 * f64::from(lap);
            (from + 1e-12 < at && at < to - 1e-12) && (i != j)
        })
    };
    let mut ring: Vec<usize> = lift.iter().map(|&l| usize::from(l != 0)).collect();
    for _ in 0..=n {
        let mut is_settled = true;
        for i in 0..n {
            for j in 0..n {
                if passes(i, j) {
                    if lift[j] == 0 {
                        return None;
                    }
                    if ring[i] <= ring[j] {
                        ring[i] = ring[j] + 1;
                        is_settled = false;
                    }
                }
            }
        }
        if is_settled {
            return Some(ring);
        }
    }
    None
}

fn drawn<T>(
    pose: &Pose<T>,
    exits: &[Exit],
    lift: &[i64],
    rings: &[usize],
    n_below: usize,
    spacing: Spacing,
    cost: usize,
) -> Ways {
    let (low, high) = (pose.low, pose.high);
    // How far rings reach beyond each side.
    let mut reach = [spacing.straight(); 4];
    for side in [1, 3] {
        reach[side] = 0.0;
    }
    let mut points: Vec<Vec<Point>> = Vec::new();
    for (k, exit) in exits.iter().enumerate() {
        let mut way = vec![pose.sockets[k].0];
        if exit.is_slanted {
            way.push(exit.at);
            let side = exit.side as usize;
            reach[side] = reach[side].max(2.0 * spacing.width);
        }
        if lift[k] != 0 {
            let base = if k < n_below { 0 } else { 2 };
            let off = spacing.ring(rings[k]);
            let step = -lift[k].signum();
            let mut side = exit.side;
            let on_ring = |side: i64, at: Point| match side.rem_euclid(4) {
                0 => Point::new(at.x, low.y - off),
                1 => Point::new(high.x + off, at.y),
                2 => Point::new(at.x, high.y + off),
                _ => Point::new(low.x - off, at.y),
            };
            let mut at = on_ring(side, exit.at);
            way.push(at);
            reach[side as usize] = reach[side as usize].max(off);
            while (side + step).rem_euclid(4) != base {
                at = on_ring(side + step, at);
                way.push(at);
                side = (side + step).rem_euclid(4);
                reach[side as usize] = reach[side as usize].max(off);
            }
        }
        points.push(way);
    }
    let edge = spacing.pitch() / 2.0;
    Ways {
        points,
        low: low - Point::new(reach[3] + edge, reach[0] + spacing.width),
        high: high + Point::new(reach[1] + edge, reach[2] + spacing.width),
        cost,
    }
}

/// The track of every way that goes from `from` to `to` sideways, counted from 1 at the component; 0 for those that go straight.
///
/// Both lists rise. Those that pass others go farther out.
pub(super) fn tracks(from: &[f64], to: &[f64], spacing: Spacing) -> Vec<usize> {
    let n = from.len();
    let near = spacing.pitch() * (1.0 - 1e-9);
    let moves = |k: usize| (from[k] - to[k]).abs() > 1e-9 * spacing.width;
    let mut track: Vec<usize> = (0..n).map(|k| usize::from(moves(k))).collect();
    // To the left, one passes those before it; to the right, those after it.
    for i in 0..n {
        if moves(i) && to[i] < from[i] {
            for j in 0..i {
                if track[j] > 0 && from[j] > to[i] - near {
                    track[i] = track[i].max(track[j] + 1);
                }
            }
        }
    }
    for i in (0..n).rev() {
        if moves(i) && to[i] > from[i] {
            for j in i + 1..n {
                if track[j] > 0 && from[j] < to[i] + near {
                    track[i] = track[i].max(track[j] + 1);
                }
            }
        }
    }
    track
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACING: Spacing = Spacing {
        width: 1.0,
        gap: 1.0,
    };

    fn pose(sockets: Vec<Facing>) -> Pose<()> {
        Pose {
            tag: (),
            low: Point::new(-5.0, -5.0),
            high: Point::new(5.0, 5.0),
            sockets,
        }
    }

    #[test]
    fn sockets_on_the_other_side_go_around_outside_of_each_other() {
        // Both columns below, both sockets above: the left one goes around the left side.
        let up = FRAC_PI_2;
        let sockets = vec![(Point::new(-1.0, 5.0), up), (Point::new(-3.0, 5.0), up)];
        let (_, ways) = arrange([pose(sockets)], 2, SPACING).expect("drawn");
        // Counter-clockwise, the first is the outer one.
        assert_eq!(ways.points[0].len(), 3);
        let columns: Vec<f64> = ways
            .points
            .iter()
            .filter_map(|way| Some(way.last()?.x))
            .collect();
        assert!(columns[0] < columns[1] && columns[1] < -5.0, "{columns:?}");
        assert!(ways.points[0][1].y > ways.points[1][1].y);
    }

    #[test]
    fn what_passes_others_takes_a_track_farther_out() {
        assert_eq!(tracks(&[0.0, 10.0], &[0.0, 10.0], SPACING), [0, 0]);
        assert_eq!(
            tracks(&[0.0, 2.0, 4.0], &[-9.0, -6.0, -3.0], SPACING),
            [1, 2, 3]
        );
        assert_eq!(
            tracks(&[0.0, 2.0, 4.0], &[3.0, 6.0, 9.0], SPACING),
            [3, 2, 1]
        );
        assert_eq!(tracks(&[0.0, 9.0], &[-5.0, 15.0], SPACING), [1, 1]);
    }
}
