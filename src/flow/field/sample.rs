//! Fields at a point: which cell holds it, and what the velocity and pressure are there.
//!
//! Knows nodes and cells only. Points outside the flow give `None`; points on walls and on edges between cells are inside.

use super::{Field, FieldIndex};
use stokeslet_base::geometry::Point;

/// Velocity and pressure at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// m/s.
    pub velocity: Point,
    /// Derivatives of the velocity in the cell that holds the point, 1/s: row i, column k is that of component i along axis k.
    pub gradient: [[f64; 2]; 2],
    /// Pa.
    pub pressure: f64,
    /// Part of the chip (index into `Chip::parts`).
    pub part: u32,
}

/// Finds the cell of a point and evaluates the fields there. Building it costs about 0.1 µs a cell; asking, less than one.
pub struct Sampler<'a> {
    fields: &'a Field<2>,
    index: FieldIndex,
}

impl<'a> Sampler<'a> {
    /// Indexes the cells.
    pub fn new(fields: &'a Field<2>) -> Self {
        let index = FieldIndex::new(fields);
        Self { fields, index }
    }

    /// The fields at `p` (m, chip frame), or `None` outside the flow.
    ///
    /// Velocity is quadratic and pressure linear in the cell's reference coordinates. Where cells meet, either is used; the
    /// fields are continuous, so it does not matter which.
    pub fn at(&self, p: Point) -> Option<Sample> {
        self.index.at(self.fields, p)
    }

    /// Where the cells are.
    pub fn index(&self) -> &FieldIndex {
        &self.index
    }
}

/// Quadratic Lagrange basis at barycentric coordinates: three vertices, then the middles of edges 01, 12, 20.
pub fn quadratic_basis(l: [f64; 3]) -> [f64; 6] {
    [
        l[0] * (2.0 * l[0] - 1.0),
        l[1] * (2.0 * l[1] - 1.0),
        l[2] * (2.0 * l[2] - 1.0),
        4.0 * l[0] * l[1],
        4.0 * l[1] * l[2],
        4.0 * l[2] * l[0],
    ]
}

/// Derivatives of the quadratic basis with respect to `l[1]` and `l[2]`, where `l[0] = 1 - l[1] - l[2]`; the same order.
pub fn quadratic_derivatives(l: [f64; 3]) -> [[f64; 2]; 6] {
    [
        [1.0 - 4.0 * l[0], 1.0 - 4.0 * l[0]],
        [4.0 * l[1] - 1.0, 0.0],
        [0.0, 4.0 * l[2] - 1.0],
        [4.0 * (l[0] - l[1]), -4.0 * l[1]],
        [4.0 * l[2], 4.0 * l[1]],
        [-4.0 * l[2], 4.0 * (l[0] - l[2])],
    ]
}

/// Barycentric coordinates of `p` in the quadratic cell with nodes `x`, by Newton's method from the straight cell's answer.
///
/// A straight cell is done after the first step. `None` where the iteration leaves the neighbourhood of the cell or meets a
/// singular Jacobian, which only happens for points that are not in it.
pub fn barycentric(x: &[Point; 6], p: Point) -> Option<[f64; 3]> {
    // Squares: roots would take a quarter of the time.
    let square = |v: Point| v.dot(v);
    let enough = 1e-28 * (square(x[1] - x[0]) + square(x[2] - x[0]));
    let (mut xi, mut eta) = affine_inverse(x[1] - x[0], x[2] - x[0], p - x[0])?;
    for _ in 0..20 {
        let l = [1.0 - xi - eta, xi, eta];
        let basis = quadratic_basis(l);
        let here = (0..6).fold(Point::default(), |sum, k| sum + x[k] * basis[k]);
        let off = p - here;
        if square(off) <= enough {
            return Some(l);
        }
        let derivatives = quadratic_derivatives(l);
        let along =
            |k: usize| (0..6).fold(Point::default(), |sum, n| sum + x[n] * derivatives[n][k]);
        let (d_xi, d_eta) = (along(0), along(1));
        let (step_xi, step_eta) = affine_inverse(d_xi, d_eta, off)?;
        xi += step_xi;
        eta += step_eta;
        if !(xi.abs() < 10.0 && eta.abs() < 10.0) {
            return None;
        }
        if step_xi.abs() + step_eta.abs() < 1e-14 {
            break;
        }
    }
    Some([1.0 - xi - eta, xi, eta])
}

/// (s, t) with `a s + b t = p`, or `None` where `a` and `b` are parallel.
fn affine_inverse(a: Point, b: Point, p: Point) -> Option<(f64, f64)> {
    let det = a.cross(b);
    let answer = (p.cross(b) / det, a.cross(p) / det);
    (answer.0.is_finite() && answer.1.is_finite()).then_some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter ring between radii 1 and 2 in two cells with curved edges; fields are linear in x and y.
    fn quarter_ring() -> Field<2> {
        let on = |r: f64, degrees: f64| Point::unit(degrees.to_radians()) * r;
        let middle = on(1.5, 45.0);
        let nodes = vec![
            on(1.0, 0.0),
            on(2.0, 0.0),
            on(2.0, 90.0),
            on(1.0, 90.0),
            on(1.5, 0.0),
            on(2.0, 45.0),
            on(1.5, 90.0),
            on(1.0, 45.0),
            middle,
        ];
        Field::<2> {
            velocity: nodes
                .iter()
                .map(|p| Point::new(1.0 + p.y, p.x - 2.0 * p.y))
                .collect(),
            pressure: nodes.iter().map(|p| 3.0 * p.x).collect(),
            cells: vec![[0, 1, 2, 4, 5, 8], [0, 2, 3, 8, 6, 7]],
            part: vec![0, 7],
            walls: vec![(0, 1), (1, 2)],
            depths: Default::default(),
            nodes,
        }
    }

    #[test]
    fn isoparametric_cells_reproduce_linear_velocity_at_any_point() {
        let fields = quarter_ring();
        let sampler = Sampler::new(&fields);
        for (r, degrees) in [
            (1.5, 45.0),
            (1.2, 10.0),
            (1.9, 80.0),
            (1.98, 45.0),
            (1.03, 45.0),
            (1.0, 0.0),
            (2.0, 90.0),
        ] {
            let p = Point::unit(f64::to_radians(degrees)) * r;
            let sample = sampler.at(p).unwrap();
            let want = Point::new(1.0 + p.y, p.x - 2.0 * p.y);
            assert!(
                (sample.velocity - want).norm() < 1e-12,
                "a linear field lies in the isoparametric space; r {r}, angle {degrees}: {sample:?}"
            );
        }
    }

    #[test]
    fn points_beyond_the_curved_wall_are_outside() {
        let fields = quarter_ring();
        let sampler = Sampler::new(&fields);
        // The chord between the ends of the outer wall passes at radius 1.41: 1.9 is inside only because the edge is curved.
        assert!(
            sampler.at(Point::unit(0.7) * 1.9).is_some(),
            "between chord and arc is inside"
        );
        assert!(
            sampler.at(Point::unit(0.7) * 0.9).is_none(),
            "inside the inner radius is outside the flow"
        );
        assert!(
            sampler.at(Point::unit(0.7) * 2.2).is_none(),
            "beyond the outer radius"
        );
        assert!(
            sampler.at(Point::new(f64::NAN, 0.0)).is_none(),
            "no number, no cell"
        );
    }

    #[test]
    fn the_part_is_that_of_the_cell() {
        let fields = quarter_ring();
        let sampler = Sampler::new(&fields);
        assert_eq!(sampler.at(Point::unit(0.2) * 1.7).unwrap().part, 0);
        assert_eq!(sampler.at(Point::unit(1.4) * 1.3).unwrap().part, 7);
    }

    #[test]
    fn no_cells_hold_no_point() {
        assert!(
            Sampler::new(&Field::<2>::default())
                .at(Point::default())
                .is_none()
        );
    }
}
