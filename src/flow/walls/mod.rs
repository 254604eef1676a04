//! The shear stress along every wall, for colours: what [`crate::session::Solution::wall_shear`] sums up.

use rayon::prelude::*;

use crate::field::Fields;
use stokeslet_base::geometry::Point;

/// The two Gauss points of an edge.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// Shear stress on the edges of walls, Pa.
#[derive(Clone, Debug, Default)]
pub struct WallStress {
    /// At the ends of each edge of [`Fields::walls`], drawn on from the Gauss points: in corners the field itself has no limit.
    pub at_ends: Vec<[f32; 2]>,
    /// Least and greatest at the Gauss points.
    pub range: [f64; 2],
}

/// `|t . mu (grad u + grad u^T) n|` at two points of every wall edge.
pub fn wall_stress(fields: &Fields, viscosity: f64) -> WallStress {
    let at_gauss: Vec<[f64; 2]> = fields
        .walls
        .par_iter()
        .with_min_len(1 << 10)
        .map(|&(cell, edge)| {
            GAUSS.map(|s| (viscosity * rate(fields, cell as usize, edge as usize, s)).abs())
        })
        .collect();
    let (low, high) = at_gauss
        .iter()
        .flatten()
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, 0.0_f64), |(a, b), &v| (a.min(v), b.max(v)));
    let to_end = GAUSS[0] / (GAUSS[1] - GAUSS[0]);
    WallStress {
        at_ends: at_gauss
            .iter()
            .map(|[a, b]| {
                let more = (b - a) * to_end;
                [(a - more).max(0.0) as f32, (b + more).max(0.0) as f32]
            })
            .collect(),
        range: if low <= high { [low, high] } else { [0.0, 0.0] },
    }
}

/// Rate of shear along the wall at `s` of an edge, 1/s.
fn rate(fields: &Fields, cell: usize, edge: usize, s: f64) -> f64 {
    let mut l = [0.0; 3];
    (l[edge], l[(edge + 1) % 3]) = (1.0 - s, s);
    let nodes = fields.cells[cell];
    let [d_xi, d_eta] = slopes(&l);
    let along = |d: &[f64; 6], values: &[Point]| {
        nodes.iter().zip(d).fold(Point::default(), |sum, (&n, &g)| {
            sum + values[n as usize] * g
        })
    };
    let (x_xi, x_eta) = (along(&d_xi, &fields.nodes), along(&d_eta, &fields.nodes));
    let (u_xi, u_eta) = (
        along(&d_xi, &fields.velocity),
        along(&d_eta, &fields.velocity),
    );
    let det = x_xi.cross(x_eta);
    // Derivatives in x and y by the chain rule.
    let u_x = (u_xi * x_eta.y - u_eta * x_xi.y) * (1.0 / det);
    let u_y = (u_eta * x_xi.x - u_xi * x_eta.x) * (1.0 / det);
    // Along edge 01 xi grows, along 12 eta grows and xi falls, along 20 eta falls.
    let tangent = match edge {
        0 => x_xi,
        1 => x_eta - x_xi,
        _ => -x_eta,
    }
    .normalized();
    let normal = tangent.left();
    let derivative = |by: Point| u_x * by.x + u_y * by.y;
    tangent.dot(derivative(normal)) + normal.dot(derivative(tangent))
}

/// Derivatives of the quadratic basis in xi and eta, with l0 = 1 - xi - eta.
fn slopes(l: &[f64; 3]) -> [[f64; 6]; 2] {
    [
        [
            1.0 - 4.0 * l[0],
            4.0 * l[1] - 1.0,
            0.0,
            4.0 * (l[0] - l[1]),
            4.0 * l[2],
            -4.0 * l[2],
        ],
        [
            1.0 - 4.0 * l[0],
            0.0,
            4.0 * l[2] - 1.0,
            -4.0 * l[1],
            4.0 * l[1],
            4.0 * (l[0] - l[2]),
        ],
    ]
}

#[cfg(test)]
mod tests {
    use super::wall_stress;
    use crate::probe::testing::{channel, solved, solved_example};

    #[test]
    fn a_straight_channel_has_one_stress_along_both_walls() {
        let solved = solved(&channel(), 4);
        let want = 100.0 / 1e-3 * 1e-4 / 2.0;
        let stress = wall_stress(&solved.solution.fields, solved.chip.plane_viscosity());
        assert_eq!(stress.at_ends.len(), solved.solution.fields.walls.len());
        assert!(stress.at_ends.len() >= 20, "both walls are there");
        for ends in &stress.at_ends {
            for &got in ends {
                assert!(
                    (f64::from(got) / want - 1.0).abs() < 1e-6,
                    "{got} against w dp / 2 L = {want}"
                );
            }
        }
    }

    #[test]
    fn least_and_greatest_are_those_of_the_summary() {
        for name in ["y-mixer", "spiral-delay"] {
            let solved = solved_example(name, 4);
            let stress = wall_stress(&solved.solution.fields, solved.chip.plane_viscosity());
            let summary = solved.solution.wall_shear;
            assert!(
                (stress.range[1] / summary.max - 1.0).abs() < 1e-6,
                "{name}: {:?} against {summary:?}",
                stress.range
            );
            assert!(
                (stress.range[0] - summary.min).abs() < 1e-6 * summary.max,
                "{name}: {:?} against {summary:?}",
                stress.range
            );
        }
    }
}
