//! The shear stress along every wall: what [`crate::session::Solution::wall_shear`] sums up.

mod chain;
mod files;

pub use chain::{WallPoint, along_walls};
pub use files::{files, write_csv, write_vtp};

use stokeslet_base::parallel;

use crate::field::Field;
use stokeslet_base::geometry::Point;

/// The two Gauss points of an edge.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_1, 0.788_675_134_594_812_9];

/// Part of the walls whose stress colours span.
const SPANNED: f64 = 0.99;

/// Shear stress on the edges of walls, Pa.
#[derive(Clone, Debug, Default)]
pub struct WallStress {
    /// At the two Gauss points of each edge of [`Field::walls`], where it is most exact.
    pub at_gauss: Vec<[f64; 2]>,
    /// At the ends of each edge of [`Field::walls`], drawn on from the Gauss points: in corners the field itself has no limit.
    pub at_ends: Vec<[f32; 2]>,
    /// Least and greatest at the Gauss points.
    pub range: [f64; 2],
}

/// `|t . mu (grad u + grad u^T) n|` at two points of every wall edge.
pub fn wall_stress(fields: &Field<2>, viscosity: f64) -> WallStress {
    let at_gauss = parallel::each(&fields.walls, 1 << 10, |&(cell, edge)| {
        GAUSS.map(|s| (viscosity * rate(fields, cell as usize, edge as usize, s)).abs())
    });
    let (low, high) = at_gauss
        .iter()
        .flatten()
        .filter(|v| v.is_finite())
        .fold((f64::INFINITY, 0.0_f64), |(a, b), &v| (a.min(v), b.max(v)));
    let to_end = GAUSS[0] / (GAUSS[1] - GAUSS[0]);
    let at_ends = at_gauss
        .iter()
        .map(|[a, b]| {
            let more = (b - a) * to_end;
            [(a - more).max(0.0) as f32, (b + more).max(0.0) as f32]
        })
        .collect();
    WallStress {
        at_gauss,
        at_ends,
        range: if low <= high { [low, high] } else { [0.0, 0.0] },
    }
}

impl WallStress {
    /// What colours span, Pa: 0 to the stress that 99 % of the walls stay below. In sharp corners it grows without bound as cells
    /// get finer.
    pub fn spanned(&self) -> [f64; 2] {
        let mut all: Vec<f32> = self.at_ends.iter().flatten().copied().collect();
        let last = all.len().saturating_sub(1);
        if all.is_empty() {
            return [0.0, 0.0];
        }
        let at = (SPANNED * last as f64) as usize;
        let (_, &mut top, _) = all.select_nth_unstable_by(at, f32::total_cmp);
        [0.0, f64::from(top)]
    }

    /// At every node: on walls the mean of the edges there, elsewhere not a number.
    pub fn at_nodes(&self, fields: &Field<2>) -> Vec<f64> {
        let mut sums = vec![(0.0, 0_u32); fields.nodes.len()];
        for (&(cell, edge), ends) in fields.walls.iter().zip(&self.at_ends) {
            let [a, b] = ends.map(f64::from);
            let (nodes, k) = (fields.cells[cell as usize], edge as usize);
            for (node, value) in [
                (nodes[k], a),
                (nodes[k + 3], 0.5 * (a + b)),
                (nodes[(k + 1) % 3], b),
            ] {
                let (sum, n) = &mut sums[node as usize];
                (*sum, *n) = (*sum + value, *n + 1);
            }
        }
        // 0 / 0 where no wall is.
        sums.into_iter()
            .map(|(sum, n)| sum / f64::from(n))
            .collect()
    }
}

/// Rate of shear along the wall at `s` of an edge, 1/s.
fn rate(fields: &Field<2>, cell: usize, edge: usize, s: f64) -> f64 {
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
            let summary = solved.solution.wall_shear.unwrap();
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
