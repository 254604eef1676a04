//! Complementarity on edges: pressures are held where grid edges cross the wall, not at the cells behind it.

use super::Lcp;
use crate::grid::centre_value;

/// An edge between the centres of two unknowns' cells, one in open space and one in the wall.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [usize; 2],
    /// How much either end counts at the wall; they add up to 1.
    weights: [f64; 2],
    /// The pressure there may not be less.
    bound: f64,
}

impl Edge {
    fn pressure(&self, p: &[f64]) -> f64 {
        self.weights[0] * p[self.ends[0]] + self.weights[1] * p[self.ends[1]]
    }
}

/// The edges that cross walls which the liquid may leave.
#[derive(Clone, Debug, Default)]
pub struct Edges(Vec<Edge>);

impl Edges {
    /// The edges of a problem; none where its walls hold the liquid.
    pub fn of<const D: usize>(problem: &Lcp<D>) -> Self {
        let places = &problem.places;
        let Some(solid) = &places.solid else {
            return Self::default();
        };
        let unknown = places.unknowns();
        let distance = |i: usize| {
            centre_value(
                &places.cells,
                solid,
                places.cells.coordinates(places.of[i] as usize),
            )
        };
        let mut edges = Vec::new();
        for i in 0..problem.n() {
            let here = distance(i);
            for a in 0..D {
                // The outermost cells are no unknowns: there is always a next one.
                let k = unknown[places.of[i] as usize + places.cells.stride(a)] as usize;
                if k >= problem.n() || !(problem.in_s[i] || problem.in_s[k]) {
                    continue;
                }
                let there = distance(k);
                if (here < 0.0) != (there < 0.0) {
                    let s = here / (here - there);
                    edges.push(Edge {
                        ends: [i, k],
                        weights: [1.0 - s, s],
                        bound: 0.0,
                    });
                }
            }
        }
        Self(edges)
    }

    /// Bounds a correction of `p` from now on, so that the sum is not negative; of the pressure itself with `None`.
    pub fn correct(&mut self, p: Option<&[f64]>) {
        for edge in &mut self.0 {
            edge.bound = p.map_or(0.0, |p| -edge.pressure(p));
        }
    }

    /// Lifts pressures that are too low at the wall by the smallest change of both ends, edge by edge.
    pub fn project(&self, p: &mut [f64]) {
        for edge in &self.0 {
            let short = edge.bound - edge.pressure(p);
            if short > 0.0 {
                let [v, w] = edge.weights;
                let by = short / (v * v + w * w);
                p[edge.ends[0]] += by * v;
                p[edge.ends[1]] += by * w;
            }
        }
    }

    /// What is not yet solved: the residual of unknowns on no edge that lets go, and pressures below zero at the wall (times the
    /// diagonal, so that both are in 1/s).
    pub fn residual<const D: usize>(&self, problem: &Lcp<D>, p: &[f64]) -> f64 {
        let largest = p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
        let mut lets_go = vec![false; problem.n()];
        let mut residual: f64 = 0.0;
        for edge in &self.0 {
            let pressure = edge.pressure(p);
            if pressure <= 1e-9 * largest {
                for end in edge.ends {
                    lets_go[end] = true;
                    residual = residual.max(-pressure * problem.matrix.diagonal[end]);
                }
            }
        }
        let held = problem
            .matrix
            .largest(p, |i, ap| if lets_go[i] { 0.0 } else { ap + problem.b[i] });
        residual.max(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pressure_below_zero_at_the_wall_is_lifted_by_the_smallest_change() {
        let edges = Edges(vec![Edge {
            ends: [0, 1],
            weights: [0.75, 0.25],
            bound: 0.0,
        }]);
        let before = [1.0, -11.0];
        let mut p = before;
        edges.project(&mut p);
        assert!(edges.0[0].pressure(&p).abs() < 1e-15);
        // Along the constraint's normal: no shorter way leads there.
        let change = [p[0] - before[0], p[1] - before[1]];
        assert!((change[0] - 3.0 * change[1]).abs() < 1e-14 && change[1] > 0.0);
        let kept = p;
        edges.project(&mut p);
        assert_eq!(p, kept, "what is enough stays");
        let mut high = [1.0, -2.9];
        edges.project(&mut high);
        assert_eq!(high, [1.0, -2.9]);
    }
}
