//! The stream function of a flow in the plane: constant along walls, and what flows between two places is the difference there.
//!
//! ```text
//! u = (d psi / dy, -d psi / dx)         psi(Q) - psi(P) = what crosses any line from P to Q from its left to its right
//! ```
//! # Method
//! Velocities of these elements conserve volume in the mean over the cells around each vertex only, so integrals of the velocity along
//! lines depend on the line. These don't: with the linear basis functions `q` of the vertices `a` and `b` of an edge of a cell,
//! ```text
//! F_ab = int_cell u . (q_a grad q_b - q_b grad q_a)          from the weak form: sum over b of F_ab = -int u . grad q_a = 0
//!      = mean of psi over the cell - mean of psi over the edge,    the cell to the left of a -> b, where u = curl psi
//! ```
//! The second line is an integration by parts: these are Whitney's edge functions, whose rotation is constant. So means over cells follow
//! from cell to cell, on any way the same, and the constants of walls from the cells along them. At a node psi is the mean of the
//! cell there, plus what the cell's own velocity makes of the way from all its points to the node; averaged over the cells
//! around it.
//!
//! # Source
//! - Bossavit, "Whitney forms: a class of finite elements for three-dimensional computations in electromagnetism", IEE Proc. A 135 (1988).
//! - Hughes, Engel, Mazzei, Larson, "The continuous Galerkin method is locally conservative", J. Comput. Phys. 163 (2000): fluxes of a
//!   weak form that balance vertex by vertex.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use super::{Depths, Field};
use crate::fem::lagrange::{cell_point, p2};
use crate::fem::quadrature;
use stokeslet_base::geometry::Point;

const NONE: u32 = u32::MAX;

/// Middles of edges that are this near to straight, in lengths of the edge, are on it.
const STRAIGHT: f64 = 1e-10;

/// The stream function at every node, m^2/s; times the chip's depth it is a flow rate, whatever its parts' own depths are. In each
/// connected part of the flow it is zero on the wall where it is least. `None` where the fields are a cut through a flow in space,
/// which has none.
///
/// # Accuracy and cost
/// Differences between walls are the flows between them as exactly as volume is conserved; in between as exact as velocities are,
/// times a length. About 0.5 µs a cell.
pub fn stream_function(fields: &Field<2>) -> Option<Vec<f64>> {
    let ratios = match &fields.depths {
        Depths::Even => &[][..],
        Depths::OfParts(ratios) => ratios,
        Depths::Cut => return None,
    };
    let ratio = |c: usize| {
        let part = fields.part.get(c).copied().unwrap_or_default();
        ratios.get(part as usize).copied().unwrap_or(1.0)
    };
    let straight = StraightCell::new();
    let cells: Vec<CellFlow> = parallel::map(fields.cells.len(), 1024, |c| {
        straight.flow(fields, c).times(ratio(c))
    });
    let across = neighbours(&fields.cells);
    let mut is_wall = vec![[false; 3]; cells.len()];
    for &(c, edge) in &fields.walls {
        is_wall[c as usize][edge as usize] = true;
    }
    Some(spread(fields, &cells, &across, &is_wall))
}

/// By cell and edge: the cell on the other side and the edge's number there, or [`NONE`].
fn neighbours(cells: &[[u32; 6]]) -> Vec<[(u32, u8); 3]> {
    let mut first: FxHashMap<(u32, u32), (u32, u8)> = FxHashMap::default();
    let mut across = vec![[(NONE, 0); 3]; cells.len()];
    for (c, nodes) in cells.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (nodes[k], nodes[(k + 1) % 3]);
            let key = (a.min(b), a.max(b));
            match first.remove(&key) {
                Some((other, j)) => {
                    across[c][k] = (other, j);
                    across[other as usize][j as usize] = (c as u32, k as u8);
                }
                None => {
                    first.insert(key, (c as u32, k as u8));
                }
            }
        }
    }
    across
}

/// Values at the nodes, from cell to cell in every connected part of the flow.
fn spread(
    fields: &Field<2>,
    cells: &[CellFlow],
    across: &[[(u32, u8); 3]],
    is_wall: &[[bool; 3]],
) -> Vec<f64> {
    let mut mean = vec![f64::NAN; cells.len()];
    let mut on_wall = vec![f64::NAN; fields.nodes.len()];
    let mut sums = vec![(0.0, 0_u32); fields.nodes.len()];
    for start in 0..cells.len() {
        if !mean[start].is_nan() {
            continue;
        }
        mean[start] = 0.0;
        let mut members = VecDeque::from([start]);
        let mut reached = Vec::new();
        let mut least = f64::INFINITY;
        while let Some(c) = members.pop_front() {
            reached.push(c);
            for k in 0..3 {
                let on_edge = mean[c] - cells[c].flux[k];
                if is_wall[c][k] {
                    least = least.min(on_edge);
                    let nodes = fields.cells[c];
                    for n in [nodes[k], nodes[(k + 1) % 3], nodes[3 + k]] {
                        on_wall[n as usize] = on_edge;
                    }
                }
                let (other, j) = across[c][k];
                if other != NONE && mean[other as usize].is_nan() {
                    mean[other as usize] = on_edge + cells[other as usize].flux[j as usize];
                    members.push_back(other as usize);
                }
            }
        }
        let least = if least.is_finite() { least } else { 0.0 };
        for c in reached {
            for (&n, beyond) in fields.cells[c].iter().zip(&cells[c].beyond_mean) {
                let n = n as usize;
                let value = mean[c] + beyond;
                let (sum, count) = &mut sums[n];
                if on_wall[n].is_nan() {
                    (*sum, *count) = (*sum + (value - least), *count + 1);
                } else {
                    (*sum, *count) = (on_wall[n] - least, 1);
                }
            }
        }
    }
    let value = |&(sum, count): &(f64, u32)| sum / f64::from(count.max(1));
    sums.iter().map(value).collect()
}

/// What the velocity in one cell says of the stream function there.
#[derive(Clone, Copy, Debug, Default)]
struct CellFlow {
    /// By edge: the mean over the cell less that over the edge.
    flux: [f64; 3],
    /// By node: the value less the mean over the cell.
    beyond_mean: [f64; 6],
}

/// Barycentric coordinates of a cell's nodes.
const NODES: [[f64; 3]; 6] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
];

impl CellFlow {
    /// By quadrature, exact for straight cells.
    fn new(x: &[Point; 6], velocity: &[Point; 6]) -> Self {
        let places = x.map(|p| [p.x, p.y]);
        let at = |l: &[f64; 3]| {
            let mut place = (Point::default(), Point::default());
            for (k, phi) in p2::<2>(l).iter().enumerate() {
                place.0 = place.0 + x[k] * *phi;
                place.1 = place.1 + velocity[k] * *phi;
            }
            place
        };
        let rule = quadrature::simplex::<2>(6);
        let (mut flux, mut beyond_mean, mut area) = ([0.0; 3], [0.0; 6], 0.0);
        for (l, w) in rule.points.iter().zip(&rule.weights) {
            let p = cell_point::<2>(&places, l);
            let weight = w * p.det_jacobian;
            area += weight;
            let l = [l[0], l[1], l[2]];
            let (here, u) = at(&l);
            for (k, flux) in flux.iter_mut().enumerate() {
                let j = (k + 1) % 3;
                let along = |v: usize| u.x * p.p1_gradients[v][0] + u.y * p.p1_gradients[v][1];
                *flux += weight * (l[k] * along(j) - l[j] * along(k));
            }
            // Along the straight way in reference coordinates: positions and velocities are quadratic there, so Simpson's rule is exact.
            for (beyond, to) in beyond_mean.iter_mut().zip(&NODES) {
                let half = std::array::from_fn(|i| 0.5 * (l[i] + to[i]));
                let ((middle, v), (end, z)) = (at(&half), at(to));
                let start_slope = middle * 4.0 - here * 3.0 - end;
                let end_slope = here + end * 3.0 - middle * 4.0;
                let crossed = u.cross(start_slope) + v.cross(end - here) * 4.0 + z.cross(end_slope);
                *beyond += weight * crossed / 6.0;
            }
        }
        Self {
            flux,
            beyond_mean: beyond_mean.map(|sum| sum / area),
        }
    }

    fn add(&mut self, other: &Self, factor: f64) {
        for (sum, x) in self.flux.iter_mut().zip(other.flux) {
            *sum += factor * x;
        }
        for (sum, x) in self.beyond_mean.iter_mut().zip(other.beyond_mean) {
            *sum += factor * x;
        }
    }

    fn times(self, factor: f64) -> Self {
        Self {
            flux: self.flux.map(|x| x * factor),
            beyond_mean: self.beyond_mean.map(|x| x * factor),
        }
    }
}

/// What unit velocities at the nodes of the reference cell make: any straight cell is that one, by Piola's transform of its velocities.
struct StraightCell {
    /// By node and component.
    units: [[CellFlow; 2]; 6],
}

impl StraightCell {
    fn new() -> Self {
        let x = NODES.map(|l| Point::new(l[1], l[2]));
        let unit = |node: usize, c: usize| {
            let mut velocity = [Point::default(); 6];
            velocity[node] = [Point::new(1.0, 0.0), Point::new(0.0, 1.0)][c];
            CellFlow::new(&x, &velocity)
        };
        Self {
            units: std::array::from_fn(|node| [unit(node, 0), unit(node, 1)]),
        }
    }

    fn flow(&self, fields: &Field<2>, c: usize) -> CellFlow {
        let nodes = fields.cells[c];
        let x = nodes.map(|n| fields.nodes[n as usize]);
        let velocity = nodes.map(|n| fields.velocity[n as usize]);
        let is_bent = |k: usize| {
            let (a, b) = (x[k], x[(k + 1) % 3]);
            (x[3 + k] - (a + b) * 0.5).norm() > STRAIGHT * (b - a).norm()
        };
        if (0..3).any(is_bent) {
            return CellFlow::new(&x, &velocity);
        }
        let (e, f) = (x[1] - x[0], x[2] - x[0]);
        let mut out = CellFlow::default();
        for (u, [along, across]) in velocity.iter().zip(&self.units) {
            out.add(along, u.cross(f));
            out.add(across, e.cross(*u));
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell with straight or bent edges in the flow of `psi`'s curl, and psi at its nodes.
    fn cell(bend: f64, psi: fn(Point) -> f64, u: fn(Point) -> Point) -> (Field<2>, Vec<f64>) {
        let v = [
            Point::new(0.2, 0.1),
            Point::new(1.4, 0.3),
            Point::new(0.5, 1.2),
        ];
        let middle = |a: Point, b: Point| (a + b) * 0.5 + (b - a).left() * bend;
        let mut nodes = v.to_vec();
        nodes.extend([middle(v[0], v[1]), middle(v[1], v[2]), middle(v[2], v[0])]);
        let fields = Field::<2> {
            velocity: nodes.iter().map(|&p| u(p)).collect(),
            pressure: vec![0.0; 6],
            cells: vec![[0, 1, 2, 3, 4, 5]],
            part: vec![0],
            ..Field::<2>::default()
        };
        let values = nodes.iter().map(|&p| psi(p)).collect();
        (Field::<2> { nodes, ..fields }, values)
    }

    #[test]
    fn a_cubic_is_found_again_in_straight_cells_and_a_linear_one_in_bent_ones() {
        let cubic = |p: Point| p.x.powi(3) - 2.0 * p.x * p.y * p.y + p.y;
        let its_flow =
            |p: Point| Point::new(1.0 - 4.0 * p.x * p.y, 2.0 * p.y * p.y - 3.0 * p.x * p.x);
        let linear = |p: Point| 3.0 * p.y - 2.0 * p.x;
        let (straight, cubic) = cell(0.0, cubic, its_flow);
        let (bent, linear) = cell(0.07, linear, |_| Point::new(3.0, 2.0));
        for (fields, want) in [(straight, cubic), (bent, linear)] {
            let got = stream_function(&fields).expect("a flow in the plane");
            for (a, b) in got.iter().zip(&want) {
                let off = (a - got[0]) - (b - want[0]);
                assert!(off.abs() < 1e-13, "{off:e}: {got:?} {want:?}");
            }
        }
    }

    #[test]
    fn depths_weigh_and_cuts_have_none() {
        let (mut fields, _) = cell(0.0, |p| p.y, |_| Point::new(1.0, 0.0));
        let of = |fields: &Field<2>| stream_function(fields).expect("a flow in the plane");
        let even = of(&fields);
        fields.depths = Depths::OfParts(vec![2.5]);
        for (a, b) in of(&fields).iter().zip(&even) {
            assert!((a - 2.5 * b).abs() < 1e-14);
        }
        fields.depths = Depths::Cut;
        assert_eq!(stream_function(&fields), None);
    }
}
