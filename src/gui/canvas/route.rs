//! The middle line of a channel that is being drawn: legs along its sockets, else at multiples of 45 degrees. Pure.

use std::f64::consts::{FRAC_PI_4, PI};

use super::grid::Grid;
use crate::command::ChannelEnd;
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::Bend;
use stokeslet_cad::shape::Socket;

/// The least length of a leg, channel widths.
const SHORTEST: f64 = 1.0;
/// Straight in front of a socket before a channel turns, channel widths.
const AHEAD: f64 = 2.0;

/// A channel that is being drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Where it starts.
    pub from: ChannelEnd,
    /// There, m.
    pub start: Point,
    /// Along what it starts from, rad: the direction of a socket, the run of a pipe. Of no use in empty space.
    pub axis: f64,
    /// Across, m.
    pub width: f64,
    /// Way-points so far, m.
    pub via: Vec<Point>,
}

impl Draft {
    /// The last point that is fixed.
    pub fn last(&self) -> Point {
        self.via.last().copied().unwrap_or(self.start)
    }

    /// The direction that the first leg has to have, towards `pointer`'s side of a pipe.
    pub fn heading(&self, pointer: Point) -> Point {
        let axis = Point::unit(self.axis);
        match self.from {
            ChannelEnd::OnPipe { .. } => {
                let towards = self.via.first().copied().unwrap_or(pointer) - self.start;
                if axis.cross(towards) < 0.0 {
                    -axis.left()
                } else {
                    axis.left()
                }
            }
            ChannelEnd::Socket(_) | ChannelEnd::Free(_) => axis,
        }
    }

    /// Where the next leg ends when the pointer is there; `free` of directions, but for the first leg's.
    pub fn next(&self, pointer: Point, free: bool, grid: Option<Grid>) -> Point {
        let last = self.last();
        let towards = pointer - last;
        if self.via.is_empty() && !self.starts_free() {
            let heading = self.heading(pointer);
            let length = heading.dot(towards).max(SHORTEST * self.width);
            return along(last, heading, length, grid, SHORTEST * self.width);
        }
        if free || towards.norm() == 0.0 {
            return grid.map_or(pointer, |grid| grid.snap(pointer));
        }
        // From empty space the first leg may go anywhere.
        let before = match self.via.is_empty() {
            true => towards.normalized(),
            false => self.last_leg(),
        };
        let turned = before.angle();
        let is_first = self.via.is_empty();
        let directions = (0..8).flat_map(|k| {
            let angle = f64::from(k) * FRAC_PI_4;
            let relative = if is_first { angle } else { turned + angle };
            [Point::unit(angle), Point::unit(relative)]
        });
        // Back over the last leg is no way to go.
        let best = directions
            .filter(|d| is_first || d.dot(before) > -0.8)
            .max_by(|a, b| a.dot(towards).total_cmp(&b.dot(towards)))
            .unwrap_or(before);
        let least = SHORTEST * self.width;
        along(last, best, best.dot(towards).max(least), grid, least)
    }

    fn starts_free(&self) -> bool {
        matches!(self.from, ChannelEnd::Free(_))
    }

    /// The direction of the last leg that is fixed.
    fn last_leg(&self) -> Point {
        let n = self.via.len();
        let before = if n >= 2 { self.via[n - 2] } else { self.start };
        (self.last() - before).normalized()
    }

    /// Way-points that lead from the last one to a socket, so that the channel arrives straight.
    pub fn finish(&self, to: &Socket) -> Vec<Point> {
        let out = Point::unit(to.direction);
        let last = self.last();
        let d = to.middle - last;
        let (ahead, room) = (-out.dot(d), AHEAD * self.width);
        let small = 1e-6 * self.width;
        let is_on_axis = out.cross(d).abs() <= small && ahead > small;
        if !self.via.is_empty() || self.starts_free() {
            if is_on_axis {
                return Vec::new();
            }
            let foot = if ahead >= SHORTEST * self.width {
                ahead
            } else {
                room
            };
            return vec![to.middle + out * foot];
        }
        let heading = self.heading(to.middle);
        if is_on_axis && heading.dot(out) < -1.0 + 1e-12 {
            return Vec::new();
        }
        // Where the first leg, made longer, meets the socket's axis.
        let cross = heading.cross(out);
        if cross.abs() > 1e-6 {
            let (a, b) = (d.cross(out) / cross, d.cross(heading) / cross);
            let least = SHORTEST * self.width;
            if a >= least && b >= least && heading.dot(out) < 0.8 {
                return vec![last + heading * a];
            }
        }
        let forward = heading.dot(d);
        let (a, b) = if heading.dot(out) > 0.5 {
            // Both look the same way: round the farther one.
            let farther = forward.max(0.0);
            (farther + room, farther + room - forward)
        } else if heading.dot(out) < -0.5 && forward > 2.0 * room {
            (forward / 2.0, forward / 2.0)
        } else {
            (room, room)
        };
        vec![last + heading * a, to.middle + out * b]
    }
}

/// A point at about this length, on the grid where the direction allows it.
fn along(from: Point, direction: Point, length: f64, grid: Option<Grid>, least: f64) -> Point {
    let end = from + direction * length;
    let Some(grid) = grid else {
        return end;
    };
    let snapped = grid.snap(end);
    // On a horizontal or vertical leg one coordinate is given, on any other x decides.
    let end = if direction.x.abs() < 1e-9 {
        Point::new(from.x, snapped.y)
    } else if direction.y.abs() < 1e-9 {
        Point::new(snapped.x, from.y)
    } else {
        let t = (snapped.x - from.x) / direction.x;
        if t <= 0.0 {
            return end;
        }
        Point::new(snapped.x, from.y + t * direction.y)
    };
    if direction.dot(end - from) < least * 0.5 {
        from + direction * least
    } else {
        end
    }
}

/// Length of a middle line, m; round bends are shorter than their corners.
pub fn length(points: &[Point], bend: Bend) -> f64 {
    let legs: f64 = points.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
    let Bend::Round(radius) = bend else {
        return legs;
    };
    let saved: f64 = points
        .windows(3)
        .map(|p| {
            let turn = turn_at(p[0], p[1], p[2]).abs();
            radius.0 * (2.0 * (turn / 2.0).tan() - turn)
        })
        .sum();
    legs - saved
}

/// By how much a path turns, rad; positive to the left.
fn turn_at(a: Point, b: Point, c: Point) -> f64 {
    let (u, v) = (b - a, c - b);
    u.cross(v).atan2(u.dot(v))
}

/// The middle line with its round bends as chords, for drawing.
pub fn rounded(points: &[Point], bend: Bend) -> Vec<Point> {
    let Bend::Round(radius) = bend else {
        return points.to_vec();
    };
    let n = points.len();
    let mut path = Vec::new();
    for (k, &p) in points.iter().enumerate() {
        if k == 0 || k + 1 == n {
            path.push(p);
            continue;
        }
        let turn = turn_at(points[k - 1], p, points[k + 1]);
        let reach = radius.0 * (turn.abs() / 2.0).tan();
        if turn.abs() < 1e-6 || turn.abs() > PI - 1e-3 {
            path.push(p);
            continue;
        }
        let before = (p - points[k - 1]).normalized();
        let start = p - before * reach;
        let centre = start + before.left() * (radius.0 * turn.signum());
        let chords = (turn.abs() / 0.1).ceil() as usize;
        let from_centre = start - centre;
        path.extend((0..=chords).map(|i| {
            let e = Point::unit(turn * i as f64 / chords as f64);
            let turned = Point::new(
                e.x * from_centre.x - e.y * from_centre.y,
                e.y * from_centre.x + e.x * from_centre.y,
            );
            centre + turned
        }));
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::units::Metre;

    const W: f64 = 1e-4;
    const GRID: Grid = Grid {
        minor: 1e-5,
        major: 5e-5,
    };

    fn draft(axis: f64, via: &[(f64, f64)]) -> Draft {
        Draft {
            from: ChannelEnd::Socket("p.b".into()),
            start: Point::default(),
            axis,
            width: W,
            via: via.iter().map(|&(x, y)| Point::new(x, y)).collect(),
        }
    }

    fn socket(x: f64, y: f64, direction: f64) -> Socket {
        Socket {
            middle: Point::new(x, y),
            direction,
            width: W,
        }
    }

    /// Every leg has a length, the first leaves along the start, the last arrives against the socket, none folds back.
    fn check(draft: &Draft, to: &Socket) -> Vec<Point> {
        let extra = draft.finish(to);
        let mut points = vec![draft.start];
        points.extend(draft.via.iter().chain(&extra).copied());
        points.push(to.middle);
        for pair in points.windows(2) {
            assert!((pair[1] - pair[0]).norm() > 0.5 * W, "{points:?}");
        }
        let first = (points[1] - points[0]).normalized();
        assert!(
            (first - draft.heading(points[1])).norm() < 1e-9,
            "{points:?}"
        );
        let n = points.len();
        let last = (points[n - 1] - points[n - 2]).normalized();
        assert!(
            (last + Point::unit(to.direction)).norm() < 1e-9,
            "{points:?}"
        );
        for p in points.windows(3) {
            let turn = turn_at(p[0], p[1], p[2]).abs();
            assert!(turn < 151f64.to_radians(), "{points:?} folds back");
        }
        extra
    }

    #[test]
    fn the_first_leg_leaves_along_its_socket_whatever_the_pointer_does() {
        let draft = draft(0.0, &[]);
        let at = |x: f64, y: f64| draft.next(Point::new(x, y), false, Some(GRID));
        assert_eq!(at(5.03e-4, 3e-4), Point::new(5e-4, 0.0));
        assert_eq!(at(-5e-4, 3e-4), Point::new(W, 0.0), "never backwards");
    }

    #[test]
    fn later_legs_go_at_multiples_of_45_degrees_unless_freed() {
        let draft = draft(0.0, &[(5e-4, 0.0)]);
        let at = |x: f64, y: f64, free| draft.next(Point::new(x, y), free, Some(GRID));
        assert_eq!(at(5.2e-4, 4.01e-4, false), Point::new(5e-4, 4e-4));
        let slant = at(9.1e-4, 4.0e-4, false) - Point::new(5e-4, 0.0);
        assert!((slant.x - slant.y).abs() < 1e-12, "{slant:?}");
        assert_eq!(at(9.1e-4, 2.0e-4, true), Point::new(9.1e-4, 2e-4));
        let back = at(1e-4, 1e-6, false) - Point::new(5e-4, 0.0);
        assert!(
            back.x > -back.y.abs() * 1.1,
            "not over the last leg: {back:?}"
        );
    }

    #[test]
    fn channels_arrive_straight_at_any_socket() {
        let straight = check(&draft(0.0, &[]), &socket(1e-3, 0.0, PI));
        assert!(straight.is_empty());
        let corner = check(&draft(0.0, &[]), &socket(1e-3, 1e-3, -PI / 2.0));
        assert_eq!(corner, [Point::new(1e-3, 0.0)]);
        assert_eq!(check(&draft(0.0, &[]), &socket(2e-3, 1e-3, PI)).len(), 2);
        assert_eq!(check(&draft(0.0, &[]), &socket(-1e-3, 1e-3, 0.0)).len(), 2);
        assert_eq!(check(&draft(0.0, &[]), &socket(1e-3, 1e-3, 0.0)).len(), 2);
        check(&draft(0.0, &[(5e-4, 0.0)]), &socket(1e-3, 1e-3, PI));
        check(&draft(0.0, &[(5e-4, 0.0)]), &socket(1e-3, 0.0, PI));
        check(&draft(0.0, &[(5e-4, 0.0)]), &socket(5e-4, 1e-3, -PI / 2.0));
        check(&draft(PI / 2.0, &[]), &socket(2e-3, 5e-4, PI));
    }

    #[test]
    fn round_bends_are_shorter_and_touch_both_legs() {
        let points = [(0.0, 0.0), (1e-3, 0.0), (1e-3, 1e-3)].map(|(x, y)| Point::new(x, y));
        let bend = Bend::Round(Metre(2.0 * W));
        let want = 2e-3 - 2.0 * W * (2.0 - PI / 2.0);
        assert!((length(&points, bend) - want).abs() < 1e-12);
        assert_eq!(length(&points, Bend::Mitred), 2e-3);
        let path = rounded(&points, bend);
        let chords: f64 = path.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
        assert!((chords - want).abs() < 2e-7, "{chords} {want}");
        assert!((path[1] - Point::new(8e-4, 0.0)).norm() < 1e-12);
    }
}
