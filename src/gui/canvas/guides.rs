//! Alignment guides: thin lines where what is dragged lines up with what stays. Pure.
//!
//! Edges line up with edges, middles with middles, sockets with sockets. A guide spans everything that lies on it.

use super::scene::Bounds;
use stokeslet_base::geometry::Point;

/// What of an item can line up; the same of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Edge,
    Middle,
    Socket,
}

/// A line across an item, along `y` where `coordinate` is an x and the other way round.
#[derive(Clone, Copy, Debug)]
struct Line {
    kind: Kind,
    coordinate: f64,
    from: f64,
    to: f64,
}

/// What lines up: a box and the middles of sockets.
#[derive(Clone, Debug, Default)]
pub struct Features {
    /// Round an item, or round all that is dragged.
    pub bounds: Option<Bounds>,
    /// Middles of its sockets, m.
    pub sockets: Vec<Point>,
}

impl Features {
    /// Lines at which it could line up, along y where `along_y`.
    fn lines(&self, along_y: bool) -> impl Iterator<Item = Line> {
        let split = move |p: Point| if along_y { (p.x, p.y) } else { (p.y, p.x) };
        let of_box = self.bounds.into_iter().flat_map(move |b| {
            let ((low, from), (high, to)) = (split(b.low), split(b.high));
            let line = move |kind, coordinate| Line {
                kind,
                coordinate,
                from,
                to,
            };
            [
                line(Kind::Edge, low),
                line(Kind::Middle, 0.5 * (low + high)),
                line(Kind::Edge, high),
            ]
        });
        let sockets = self.sockets.iter().map(move |&p| {
            let (coordinate, along) = split(p);
            Line {
                kind: Kind::Socket,
                coordinate,
                from: along,
                to: along,
            }
        });
        of_box.chain(sockets)
    }
}

/// Where `own` lines up with any of the others to within `tolerance`, m: lines from end to end of all that lies on them.
pub fn guides(own: &Features, others: &[Features], tolerance: f64) -> Vec<[Point; 2]> {
    let mut found = Vec::new();
    for along_y in [true, false] {
        let mut lines: Vec<Line> = Vec::new();
        for mine in own.lines(along_y) {
            let is_near = |at: f64| (at - mine.coordinate).abs() <= tolerance;
            let theirs = others.iter().flat_map(|other| other.lines(along_y));
            let on_it = theirs.filter(|l| l.kind == mine.kind && is_near(l.coordinate));
            let span = on_it.fold(None, |span: Option<(f64, f64)>, l| {
                let (from, to) = span.unwrap_or((mine.from, mine.to));
                Some((from.min(l.from), to.max(l.to)))
            });
            let Some((from, to)) = span else {
                continue;
            };
            // A socket on the middle of its item lines up twice.
            match lines.iter_mut().find(|l| is_near(l.coordinate)) {
                Some(known) => (known.from, known.to) = (known.from.min(from), known.to.max(to)),
                None => lines.push(Line { from, to, ..mine }),
            }
        }
        let point = |at, along| {
            if along_y {
                Point::new(at, along)
            } else {
                Point::new(along, at)
            }
        };
        found.extend(
            lines
                .iter()
                .map(|l| [point(l.coordinate, l.from), point(l.coordinate, l.to)]),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(x: f64, y: f64, w: f64, h: f64) -> Features {
        Features {
            bounds: Some(Bounds::of(Point::new(x, y), Point::new(x + w, y + h))),
            sockets: vec![Point::new(x, y + 0.5 * h)],
        }
    }

    #[test]
    fn edges_middles_and_sockets_line_up_with_their_like() {
        let own = item(0.0, 0.0, 4.0, 2.0);
        // Its left edge is at the middle of the one above, its right edge is our right edge.
        let above = item(-4.0, 5.0, 8.0, 3.0);
        assert_eq!(
            guides(&own, std::slice::from_ref(&above), 1e-6),
            [[Point::new(4.0, 0.0), Point::new(4.0, 8.0)]]
        );
        // To the right, as high and at the same height: both edges, and middle and socket on one line.
        let beside = item(10.0, 0.0, 1.0, 2.0);
        let found = guides(&own, &[above, beside], 1e-6);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[2], [Point::new(0.0, 1.0), Point::new(11.0, 1.0)]);
        assert!(guides(&own, &[item(10.0, 0.3, 1.0, 2.0)], 1e-6).is_empty());
        assert_eq!(guides(&own, &[item(10.0, 0.3, 1.0, 2.0)], 0.4).len(), 3);
    }
}
