//! Alignment guides: thin lines where what is dragged lines up with what stays. Pure.
//!
//! Edges line up with edges, middles with middles, sockets with sockets. A guide spans everything that lies on it.

use super::scene::Bounds;
use stokeslet_base::geometry::Point;

/// What of an item a line is of; only lines of one kind line up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    Edge,
    Middle,
    Socket,
}

/// A line across an item, along `y` where `coordinate` is an x and the other way round.
#[derive(Clone, Copy, Debug)]
struct Line {
    kind: LineKind,
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
    /// The same elsewhere.
    #[must_use]
    pub fn moved(&self, by: Point) -> Self {
        let there = |b: Bounds| Bounds::of(b.low + by, b.high + by);
        Self {
            bounds: self.bounds.map(there),
            sockets: self.sockets.iter().map(|&p| p + by).collect(),
        }
    }

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
                line(LineKind::Edge, low),
                line(LineKind::Middle, 0.5 * (low + high)),
                line(LineKind::Edge, high),
            ]
        });
        let sockets = self.sockets.iter().map(move |&p| {
            let (coordinate, along) = split(p);
            Line {
                kind: LineKind::Socket,
                coordinate,
                from: along,
                to: along,
            }
        });
        of_box.chain(sockets)
    }
}

/// Lines of all that stays while something is dragged, in the order of their coordinates: few of a large chip are near.
#[derive(Clone, Debug, Default)]
pub struct Others {
    /// Along y and along x.
    lines: [Vec<Line>; 2],
}

impl Others {
    /// Lines of some features.
    pub fn new<'a>(features: impl IntoIterator<Item = &'a Features>) -> Self {
        let mut lines = [Vec::new(), Vec::new()];
        for other in features {
            lines[0].extend(other.lines(true));
            lines[1].extend(other.lines(false));
        }
        for lines in &mut lines {
            lines.sort_by(|a, b| a.coordinate.total_cmp(&b.coordinate));
        }
        Self { lines }
    }

    /// Those within `tolerance` of a coordinate.
    fn near(&self, along_y: bool, at: f64, tolerance: f64) -> &[Line] {
        let lines = &self.lines[usize::from(!along_y)];
        let from = lines.partition_point(|l| l.coordinate < at - tolerance);
        let upto = lines.partition_point(|l| l.coordinate <= at + tolerance);
        &lines[from..upto]
    }
}

/// Where `own` lines up with any of the others that are in sight to within `tolerance`, m: lines from end to end of all that lies on them.
pub fn guides(own: &Features, others: &Others, seen: Bounds, tolerance: f64) -> Vec<[Point; 2]> {
    let mut found = Vec::new();
    for along_y in [true, false] {
        let [low, high] = match along_y {
            true => [seen.low.y, seen.high.y],
            false => [seen.low.x, seen.high.x],
        };
        let mut lines: Vec<Line> = Vec::new();
        for mine in own.lines(along_y) {
            let is_near = |at: f64| (at - mine.coordinate).abs() <= tolerance;
            let theirs = others.near(along_y, mine.coordinate, tolerance).iter();
            let in_sight = theirs.filter(|l| l.from <= high && low <= l.to);
            let on_it = in_sight.filter(|l| l.kind == mine.kind);
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

    fn lined_up(own: &Features, others: &[Features], tolerance: f64) -> Vec<[Point; 2]> {
        let seen = Bounds::of(Point::new(-1e3, -1e3), Point::new(1e3, 1e3));
        guides(own, &Others::new(others), seen, tolerance)
    }

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
            lined_up(&own, std::slice::from_ref(&above), 1e-6),
            [[Point::new(4.0, 0.0), Point::new(4.0, 8.0)]]
        );
        // To the right, as high and at the same height: both edges, and middle and socket on one line.
        let beside = item(10.0, 0.0, 1.0, 2.0);
        let found = lined_up(&own, &[above.clone(), beside], 1e-6);
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(found[2], [Point::new(0.0, 1.0), Point::new(11.0, 1.0)]);
        assert!(lined_up(&own, &[item(10.0, 0.3, 1.0, 2.0)], 1e-6).is_empty());
        assert_eq!(lined_up(&own, &[item(10.0, 0.3, 1.0, 2.0)], 0.4).len(), 3);
        // Nobody sees the one above.
        let seen = Bounds::of(Point::new(-9.0, -9.0), Point::new(9.0, 4.0));
        assert!(guides(&own, &Others::new([&above]), seen, 1e-6).is_empty());
    }
}
