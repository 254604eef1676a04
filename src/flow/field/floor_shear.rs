//! Shear stress on floor and ceiling, where the flow in the plane is an average over the depth.

use stokeslet_base::geometry::Point;
use stokeslet_base::parallel;
use stokeslet_cad::chip::Chip;

use super::Field;
use crate::fem::lagrange::{p2, p2_gradient};
use crate::fem::quadrature::simplex;

/// Shear stress on floor and ceiling, Pa.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FloorShear {
    /// Mean by area.
    pub mean: f64,
    /// Greatest, at a node.
    pub max: f64,
    /// Where it is greatest, m.
    pub max_at: Point,
}

/// What floor and ceiling of each part make of a speed: `6 mu / depth`, Pa s/m. Empty where the model has no floor (`planar`), and where the depth is
/// solved, whose floor is a wall as all others.
#[derive(Clone, Debug)]
pub struct Floors(Vec<f64>);

impl Floors {
    /// Those of a chip.
    pub fn of(chip: &Chip) -> Self {
        let viscosity = chip.plane_viscosity();
        // Half of the drag on a column of liquid, over the column's area: each of the two has its half.
        let half_drag = |part: usize| {
            let depth = chip.depth_of(part).unwrap_or(0.0); // averaged chips have one, or there is no drag
            0.5 * chip.drag_of(part) * viscosity * depth
        };
        match chip.model.is_averaged() {
            true => Self((0..chip.parts.len()).map(half_drag).collect()),
            false => Self(Vec::new()),
        }
    }

    /// Of velocities that are averages over the depth.
    ///
    /// # Accuracy
    /// That of the velocity, and of the parabola over the depth that the model takes its profile for. The mean is exact for the velocity found where cells
    /// have straight edges and it doesn't turn in them.
    pub fn shear(&self, fields: &Field<2>) -> Option<FloorShear> {
        if self.0.is_empty() {
            return None;
        }
        let rule = simplex::<2>(2);
        let points = rule.points.iter().zip(&rule.weights);
        let points: Vec<_> = points
            .map(|(l, w)| (p2::<2>(l), p2_gradient::<2>(l), w))
            .collect();
        // Integral of the stress, area, greatest stress and its node, of some cells.
        let of_cells = |first: usize, cells: &[[u32; 6]]| {
            let (mut integral, mut area, mut greatest) = (0.0, 0.0, (0.0, 0));
            for (cell, part) in cells.iter().zip(&fields.part[first..]) {
                let per_speed = self.0[*part as usize];
                let at = cell.map(|n| fields.nodes[n as usize]);
                let velocity = cell.map(|n| fields.velocity[n as usize]);
                for (n, v) in cell.iter().zip(&velocity) {
                    let stress = per_speed * v.norm();
                    if stress > greatest.0 {
                        greatest = (stress, *n);
                    }
                }
                for (values, gradients, weight) in &points {
                    let mut u = Point::default();
                    let mut j = [Point::default(); 2];
                    for k in 0..6 {
                        u = u + velocity[k] * values[k];
                        j = [
                            j[0] + at[k] * gradients[k][0],
                            j[1] + at[k] * gradients[k][1],
                        ];
                    }
                    let piece = *weight * (j[0].x * j[1].y - j[0].y * j[1].x);
                    integral += piece * per_speed * u.norm();
                    area += piece;
                }
            }
            (integral, area, greatest)
        };
        // Pieces of a fixed size, added in order: the same bits for any number of threads.
        const CELLS: usize = 4096;
        let pieces: Vec<_> = fields.cells.chunks(CELLS).enumerate().collect();
        let pieces = parallel::each(&pieces, 1, |&(k, cells)| of_cells(k * CELLS, cells));
        let (mut integral, mut area, mut greatest) = (0.0, 0.0, (0.0, 0));
        for (i, a, g) in pieces {
            (integral, area) = (integral + i, area + a);
            greatest = if g.0 > greatest.0 { g } else { greatest };
        }
        (area > 0.0).then(|| FloorShear {
            mean: integral / area,
            max: greatest.0,
            max_at: fields.nodes[greatest.1 as usize],
        })
    }
}
