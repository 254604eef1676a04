//! Fields along a straight line.

use super::{Sample, Sampler};
use stokeslet_base::geometry::Point;

/// A line to sample: `n` points at equal distances, both ends among them, and one more wherever it crosses a wall between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// First point, m.
    pub from: Point,
    /// Last point, m.
    pub to: Point,
    /// Points at equal distances; at least 2.
    pub n: usize,
}

/// One point of a sampled line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePoint {
    /// From the line's first point, m.
    pub distance: f64,
    /// Where, m.
    pub at: Point,
    /// The fields there; `None` outside the flow.
    pub sample: Option<Sample>,
}

impl Line {
    /// The fields at each point of the line, in order.
    pub fn sample(&self, sampler: &Sampler<'_>) -> Vec<LinePoint> {
        self.sample_by(|at| sampler.at(at))
    }

    /// The same by any way to know the fields; `None` outside the flow.
    pub fn sample_by(&self, fields: impl Fn(Point) -> Option<Sample>) -> Vec<LinePoint> {
        let along = self.to - self.from;
        let gaps = self.n.saturating_sub(1).max(1) as f64;
        let point = |t: f64| {
            let at = self.from + along * t;
            LinePoint {
                distance: along.norm() * t,
                at,
                sample: fields(at),
            }
        };
        let mut out: Vec<LinePoint> = Vec::with_capacity(self.n + 2);
        for k in 0..self.n {
            let next = point(k as f64 / gaps);
            if let Some(last) = out.last()
                && last.sample.is_some() != next.sample.is_some()
            {
                let ends = [(k as f64 - 1.0) / gaps, k as f64 / gaps];
                out.extend(on_wall(&point, ends));
            }
            out.push(next);
        }
        out
    }
}

/// Halvings between a point in the flow and one outside: to rounding.
const HALVINGS: usize = 50;

/// The last place in the flow between two places of a line, one in it and one outside: on the wall that it crosses there. `None` where that is
/// one of the two. A line that touches a corner between two places in the flow isn't seen to leave it.
fn on_wall(point: &impl Fn(f64) -> LinePoint, ends: [f64; 2]) -> Option<LinePoint> {
    let is_in = |t: f64| point(t).sample.is_some();
    let [from, to] = ends;
    let start = if is_in(from) { from } else { to };
    let (mut inside, mut outside) = if start == from {
        (from, to)
    } else {
        (to, from)
    };
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        *if is_in(middle) {
            &mut inside
        } else {
            &mut outside
        } = middle;
    }
    let is_new = (inside - start).abs() > 1e-6 * (to - from);
    is_new.then(|| point(inside))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;

    #[test]
    fn a_line_that_leaves_the_flow_says_so_point_by_point() {
        let nodes = [
            (0.0, 0.0),
            (1.0, 0.0),
            (0.0, 1.0),
            (0.5, 0.0),
            (0.5, 0.5),
            (0.0, 0.5),
        ]
        .map(|(x, y)| Point::new(x, y));
        let fields = Field::<2> {
            velocity: nodes.to_vec(),
            pressure: nodes.iter().map(|p| p.x).collect(),
            nodes: nodes.to_vec(),
            cells: vec![[0, 1, 2, 3, 4, 5]],
            part: vec![0],
            walls: Vec::new(),
            depths: Default::default(),
        };
        let line = Line {
            from: Point::new(0.0, 0.25),
            to: Point::new(1.5, 0.25),
            n: 3,
        };
        let points = line.sample(&Sampler::new(&fields));
        let inside: Vec<bool> = points.iter().map(|p| p.sample.is_some()).collect();
        assert_eq!(
            inside,
            [true, true, false],
            "on the left wall, on the slanted wall, outside"
        );
        let crossing = Line { n: 2, ..line }.sample(&Sampler::new(&fields));
        assert_eq!(crossing.len(), 3, "and where it leaves the flow");
        assert!((crossing[1].at.x - 0.75).abs() < 1e-8);
        assert!(crossing[1].sample.is_some() && crossing[2].sample.is_none());
        assert_eq!(points[1].distance, 0.75);
        assert!(
            (points[1].sample.unwrap().pressure - 0.75).abs() < 1e-15,
            "pressure is x here"
        );
    }
}
