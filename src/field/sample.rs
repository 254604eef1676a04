//! Fields at a point: which cell holds it, and what the velocity and pressure are there.
//!
//! Knows nodes and cells only. Points outside the flow give `None`; points on walls and on edges between cells are inside.

use rstar::primitives::{GeomWithData, Rectangle};
use rstar::{AABB, RTree};

use super::Fields;
use crate::geometry::Point;

/// How far outside a cell, in barycentric coordinates, a point still counts as inside: some thousand roundings, and far less
/// than anyone can see.
const EDGE_TOLERANCE: f64 = 1e-9;

/// Velocity and pressure at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// m/s.
    pub velocity: Point,
    /// Pa.
    pub pressure: f64,
    /// Part of the chip (index into `Chip::parts`).
    pub part: u32,
}

type CellBox = GeomWithData<Rectangle<[f64; 2]>, u32>;

/// Finds the cell of a point and evaluates the fields there. Building it costs about a microsecond a cell; asking, a few.
pub struct Sampler<'a> {
    fields: &'a Fields,
    boxes: RTree<CellBox>,
}

impl<'a> Sampler<'a> {
    /// Indexes the cells by their bounding boxes.
    pub fn new(fields: &'a Fields) -> Self {
        let boxes = (0..fields.cells.len())
            .map(|c| cell_box(fields, c))
            .collect();
        Self {
            fields,
            boxes: RTree::bulk_load(boxes),
        }
    }

    /// The fields at `p` (m, chip frame), or `None` outside the flow.
    ///
    /// Velocity is quadratic and pressure linear in the cell's reference coordinates. Where cells meet, the one that holds
    /// the point best is used; the fields are continuous, so it does not matter which.
    pub fn at(&self, p: Point) -> Option<Sample> {
        let (cell, l) = self
            .boxes
            .locate_all_at_point([p.x, p.y])
            .filter_map(|b| {
                Some((
                    b.data as usize,
                    barycentric(&corners(self.fields, b.data as usize), p)?,
                ))
            })
            .max_by(|(a, la), (b, lb)| least(la).total_cmp(&least(lb)).then(b.cmp(a)))?;
        if least(&l) < -EDGE_TOLERANCE {
            return None;
        }
        let nodes = self.fields.cells[cell];
        let velocity = quadratic_basis(l)
            .iter()
            .zip(nodes)
            .fold(Point::default(), |sum, (&phi, n)| {
                sum + self.fields.velocity[n as usize] * phi
            });
        let pressure = (0..3)
            .map(|k| l[k] * self.fields.pressure[nodes[k] as usize])
            .sum();
        Some(Sample {
            velocity,
            pressure,
            part: self.fields.part.get(cell).copied().unwrap_or_default(),
        })
    }
}

fn least(l: &[f64; 3]) -> f64 {
    l[0].min(l[1]).min(l[2])
}

/// The six nodes of a cell, m.
fn corners(fields: &Fields, cell: usize) -> [Point; 6] {
    fields.cells[cell].map(|n| fields.nodes[n as usize])
}

/// A box around the cell. A quadratic edge lies in the hull of its ends and its Bezier control point `2 m - (a + b) / 2`.
fn cell_box(fields: &Fields, cell: usize) -> CellBox {
    let x = corners(fields, cell);
    let (mut low, mut high) = (x[0], x[0]);
    let mut cover = |p: Point| {
        low = Point::new(low.x.min(p.x), low.y.min(p.y));
        high = Point::new(high.x.max(p.x), high.y.max(p.y));
    };
    for k in 0..3 {
        cover(x[k]);
        cover(x[k + 3] * 2.0 - (x[k] + x[(k + 1) % 3]) * 0.5);
    }
    let margin = EDGE_TOLERANCE * ((high.x - low.x) + (high.y - low.y));
    let rectangle = Rectangle::from_aabb(AABB::from_corners(
        [low.x - margin, low.y - margin],
        [high.x + margin, high.y + margin],
    ));
    CellBox::new(rectangle, cell as u32)
}

/// Quadratic Lagrange basis at barycentric coordinates: three vertices, then the middles of edges 01, 12, 20.
pub(crate) fn quadratic_basis(l: [f64; 3]) -> [f64; 6] {
    [
        l[0] * (2.0 * l[0] - 1.0),
        l[1] * (2.0 * l[1] - 1.0),
        l[2] * (2.0 * l[2] - 1.0),
        4.0 * l[0] * l[1],
        4.0 * l[1] * l[2],
        4.0 * l[2] * l[0],
    ]
}

/// Barycentric coordinates of `p` in the quadratic cell with nodes `x`, by Newton's method from the straight cell's answer.
///
/// A straight cell is done after the first step. `None` where the iteration leaves the neighbourhood of the cell or meets a
/// singular Jacobian, which only happens for points that are not in it.
pub(crate) fn barycentric(x: &[Point; 6], p: Point) -> Option<[f64; 3]> {
    let size = (x[1] - x[0]).norm() + (x[2] - x[0]).norm();
    let (mut xi, mut eta) = affine_inverse(x[1] - x[0], x[2] - x[0], p - x[0])?;
    for _ in 0..20 {
        let l = [1.0 - xi - eta, xi, eta];
        let basis = quadratic_basis(l);
        let here = (0..6).fold(Point::default(), |sum, k| sum + x[k] * basis[k]);
        let off = p - here;
        if off.norm() <= 1e-14 * size {
            return Some(l);
        }
        // d/dxi and d/deta of the basis, with l0 = 1 - xi - eta.
        let d_xi = x[0] * (1.0 - 4.0 * l[0])
            + x[1] * (4.0 * l[1] - 1.0)
            + x[3] * (4.0 * (l[0] - l[1]))
            + x[4] * (4.0 * l[2])
            + x[5] * (-4.0 * l[2]);
        let d_eta = x[0] * (1.0 - 4.0 * l[0])
            + x[2] * (4.0 * l[2] - 1.0)
            + x[3] * (-4.0 * l[1])
            + x[4] * (4.0 * l[1])
            + x[5] * (4.0 * (l[0] - l[2]));
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
    fn quarter_ring() -> Fields {
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
        Fields {
            velocity: nodes
                .iter()
                .map(|p| Point::new(1.0 + p.y, p.x - 2.0 * p.y))
                .collect(),
            pressure: nodes.iter().map(|p| 3.0 * p.x).collect(),
            cells: vec![[0, 1, 2, 4, 5, 8], [0, 2, 3, 8, 6, 7]],
            part: vec![0, 7],
            walls: vec![(0, 1), (1, 2)],
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
            Sampler::new(&Fields::default())
                .at(Point::default())
                .is_none()
        );
    }
}
