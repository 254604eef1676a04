//! Fields along a straight line.

use super::{Sample, Sampler};
use stokeslet_base::geometry::Point;

/// A line to sample: `n` points at equal distances, both ends among them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// First point, m.
    pub from: Point,
    /// Last point, m.
    pub to: Point,
    /// Points; at least 2.
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
        let along = self.to - self.from;
        let gaps = self.n.saturating_sub(1).max(1) as f64;
        (0..self.n)
            .map(|k| {
                let t = k as f64 / gaps;
                let at = self.from + along * t;
                LinePoint {
                    distance: along.norm() * t,
                    at,
                    sample: sampler.at(at),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Fields;

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
        let fields = Fields {
            velocity: nodes.to_vec(),
            pressure: nodes.iter().map(|p| p.x).collect(),
            nodes: nodes.to_vec(),
            cells: vec![[0, 1, 2, 3, 4, 5]],
            part: vec![0],
            walls: Vec::new(),
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
        assert_eq!(points[1].distance, 0.75);
        assert!(
            (points[1].sample.unwrap().pressure - 0.75).abs() < 1e-15,
            "pressure is x here"
        );
    }
}
