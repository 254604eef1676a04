//! Way-points of a user, shifted so that a channel still leaves along its sockets: every run stays on its own line.
//!
//! ```text
//!   from o----+            from moved up      o--------+
//!             |      --->                              |       the run between keeps its line,
//!             +----o to                       +--------+ ...   the first and last lie on their sockets' axes
//! ```

use super::sockets::same_socket;
use crate::shape::Socket;
use stokeslet_base::geometry::Point;

/// Lines that turn by less than this (sine) cross too far away to mean anything.
const PARALLEL: f64 = 1e-3;

/// The corners where neighbouring runs' lines cross; `None` where two of them are parallel or there is no run to keep.
///
/// Without `to` the last of `via` is where the channel ends, and stays that; that of a single run goes sideways with its begin, so that no dog-leg comes to be
/// before its port.
pub(super) fn keep_lines(from: &Socket, to: Option<&Socket>, via: &[Point]) -> Option<Vec<Point>> {
    let lines = lines(from, to, via);
    let mut kept = Vec::with_capacity(via.len());
    for pair in lines.windows(2) {
        kept.push(crossing(pair[0], pair[1])?);
    }
    match to {
        Some(to) if via.is_empty() && !same_socket(from, to) => None,
        Some(_) => Some(kept),
        None if lines.len() < 2 => Some(vec![beside(from, *via.last()?)?]),
        None => {
            kept.push(*via.last()?);
            Some(kept)
        }
    }
}

/// The place on a socket's axis beside a point; `None` behind the socket.
fn beside(from: &Socket, at: Point) -> Option<Point> {
    let along = Point::unit(from.direction);
    let far = (at - from.middle).dot(along);
    (far > 0.0).then(|| from.middle + along * far)
}

/// A point and a direction of every run, of length one.
type Line = (Point, Point);

fn lines(from: &Socket, to: Option<&Socket>, via: &[Point]) -> Vec<Line> {
    let mut lines = vec![(from.middle, Point::unit(from.direction))];
    lines.extend(via.windows(2).map(|v| (v[0], (v[1] - v[0]).normalized())));
    lines.extend(to.map(|to| (to.middle, Point::unit(to.direction))));
    lines
}

/// Where two lines cross.
pub(super) fn crossing(a: Line, b: Line) -> Option<Point> {
    let sine = a.1.cross(b.1);
    if sine.abs() < PARALLEL {
        return None;
    }
    let along = (b.0 - a.0).cross(b.1) / sine;
    Some(a.0 + a.1 * along)
}

/// As [`keep_lines`], with one way-point put elsewhere: its two runs go through there, as far as the sockets let them.
pub(super) fn keep_directions(
    from: &Socket,
    to: Option<&Socket>,
    via: &[Point],
    index: usize,
    at: Point,
) -> Option<Vec<Point>> {
    let mut lines = lines(from, to, via);
    let last = lines.len() - 1;
    for run in [index, index + 1] {
        let is_free = run > 0 && (run < last || run == last && to.is_none());
        if is_free && run <= last {
            lines[run].0 = at;
        }
    }
    let mut kept = Vec::with_capacity(via.len());
    for pair in lines.windows(2) {
        kept.push(crossing(pair[0], pair[1])?);
    }
    if to.is_none() {
        // The end moves along with its run.
        let end = *via.last()?;
        let (on, along) = lines[last];
        let end = if index + 1 == via.len() { at } else { end };
        kept.push(on + along * along.dot(end - on));
    }
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(x: f64, y: f64, direction: f64) -> Socket {
        Socket {
            middle: Point::new(x, y),
            direction,
            width: 1.0,
        }
    }

    #[test]
    fn the_run_between_keeps_its_line_when_an_end_moves() {
        let (from, to) = (
            socket(0.0, 1.0, 0.0),
            socket(10.0, 5.0, std::f64::consts::PI),
        );
        let via = [Point::new(4.0, 0.0), Point::new(4.0, 5.0)];
        let kept = keep_lines(&from, Some(&to), &via).unwrap();
        for (got, want) in kept
            .iter()
            .zip([Point::new(4.0, 1.0), Point::new(4.0, 5.0)])
        {
            assert!((*got - want).norm() < 1e-12, "{kept:?}");
        }
    }

    #[test]
    fn a_free_end_stays_where_it_is() {
        let via = [Point::new(4.0, 0.0), Point::new(4.0, 5.0)];
        let kept = keep_lines(&socket(0.0, 1.0, 0.0), None, &via).unwrap();
        assert_eq!(kept, [Point::new(4.0, 1.0), Point::new(4.0, 5.0)]);
    }

    #[test]
    fn the_end_of_a_single_run_goes_sideways_with_it() {
        let via = [Point::new(4.0, 0.0)];
        let kept = keep_lines(&socket(0.0, 1.0, 0.0), None, &via).unwrap();
        assert_eq!(kept, [Point::new(4.0, 1.0)]);
        let beyond = keep_lines(&socket(5.0, 1.0, 0.0), None, &via);
        assert!(beyond.is_none(), "{beyond:?}");
    }

    #[test]
    fn a_dragged_corner_takes_both_its_runs_along() {
        let (from, to) = (
            socket(0.0, 0.0, 0.0),
            socket(10.0, 5.0, std::f64::consts::PI),
        );
        let via = [Point::new(4.0, 0.0), Point::new(4.0, 5.0)];
        let at = Point::new(6.0, 2.0);
        let kept = keep_directions(&from, Some(&to), &via, 0, at).unwrap();
        assert_eq!(
            kept,
            [Point::new(6.0, 0.0), Point::new(6.0, 5.0)],
            "the run between goes through there; the first stays on its socket's axis"
        );
    }
}
