//! A region's elliptic problem, eliminated on to its sockets.
//!
//! ```text
//! int v u.grad c + D grad c.grad v = int over sockets of v D dc/dn          u = curl psi, psi in P3
//! ```
//! Continuous Galerkin without stabilisation: `curl psi` is exactly divergence free and tangential to walls, so the advection is skew but for
//! sockets. What leaves by a socket is the reaction `q B c - A c` of its nodes, never the integral of a gradient: reactions of a region add up to nothing.

use faer::{Mat, MatRef};
use stokeslet_fronts::algebra::{Entry, SparseCholesky};

use super::dissection::{Block, Fronts, eliminate};
use super::element::{Element, Numbering};
use crate::network::{Network, Region};
use crate::psi::Psi;
use stokeslet_base::geometry::Point;
use stokeslet_flow::fem::lagrange::cell_point;
use stokeslet_flow::fem::quadrature::simplex;

/// Order of the stream function: the parabola's flow is a cubic.
pub const PSI: usize = 3;

/// A cubic stream function: its values at the nodes of every cell, m^2/s.
#[derive(Clone, Debug, Default)]
pub struct Cubic(pub Vec<Vec<f64>>);

/// Solves for the cubic stream function whose walls and islands have the constants of the quadratic one.
pub fn cubic(net: &Network, region: &Region, psi: &Psi) -> Option<Cubic> {
    let numbering = Numbering::new(region, psi, PSI);
    let element = Element::new(PSI);
    let mut value = vec![0.0; numbering.count];
    let mut given = vec![false; numbering.count];
    for &(n, s) in &numbering.walls {
        value[n as usize] = s;
        given[n as usize] = true;
    }
    for ((socket, nodes), ends) in region
        .sockets
        .iter()
        .zip(&numbering.sockets)
        .zip(&psi.sockets)
    {
        let profile = net.profile(socket.width);
        for &(n, t) in nodes {
            value[n as usize] = ends[0] + socket.outflow * profile.flow(t.clamp(0.0, 1.0));
            given[n as usize] = true;
        }
    }
    // Corners belong to walls, whose constants are exact.
    for &(n, s) in &numbering.walls {
        value[n as usize] = s;
    }
    let mut unknown = vec![usize::MAX; numbering.count];
    let mut count = 0;
    for k in (0..numbering.count).filter(|&k| !given[k]) {
        unknown[k] = count;
        count += 1;
    }
    let scale = net.largest;
    let mut rhs = Mat::<f64>::zeros(count, 1);
    let mut triplets = Vec::new();
    let rule = simplex::<2>(2 * PSI);
    let basis: Vec<_> = rule.points.iter().map(|l| element.at(l)).collect();
    for (cell, corners) in numbering.cells.iter().zip(&psi.cells) {
        let n = cell.len();
        let nodes = corners.map(|k| [psi.at[k as usize].x, psi.at[k as usize].y]);
        let mut matrix = vec![0.0; n * n];
        let mut load = vec![0.0; n];
        for ((l, weight), (_, slopes)) in rule.points.iter().zip(&rule.weights).zip(&basis) {
            let point = cell_point::<2>(&nodes, l);
            let dx = weight * point.det_jacobian;
            let g = gradients(slopes, &point.p1_gradients);
            let u = corners
                .iter()
                .zip(&point.values)
                .fold([0.0; 2], |u, (&k, phi)| {
                    let v = psi.velocity[k as usize];
                    [u[0] + phi * v.x, u[1] + phi * v.y]
                });
            for i in 0..n {
                load[i] += dx * (u[0] * g[i][1] - u[1] * g[i][0]);
                for j in 0..n {
                    matrix[i * n + j] += dx * (g[i][0] * g[j][0] + g[i][1] * g[j][1]);
                }
            }
        }
        for i in 0..n {
            let row = unknown[cell[i] as usize];
            if row == usize::MAX {
                continue;
            }
            rhs[(row, 0)] += load[i] / scale;
            for j in 0..n {
                let column = unknown[cell[j] as usize];
                if column == usize::MAX {
                    rhs[(row, 0)] -= matrix[i * n + j] * value[cell[j] as usize] / scale;
                } else if row >= column {
                    triplets.push(Entry::new(row, column, matrix[i * n + j]));
                }
            }
        }
    }
    if count > 0 {
        let x = SparseCholesky::new(count, &triplets)?.solve(&rhs);
        for k in (0..numbering.count).filter(|&k| unknown[k] != usize::MAX) {
            value[k] = x[(unknown[k], 0)] * scale;
        }
    }
    value.iter().all(|v| v.is_finite()).then_some(())?;
    let of = |cell: &Vec<u32>| cell.iter().map(|&n| value[n as usize]).collect();
    Some(Cubic(numbering.cells.iter().map(of).collect()))
}

/// Gradients of basis functions from their derivatives by barycentric coordinates.
fn gradients(slopes: &[[f64; 3]], of_l: &[[f64; 2]]) -> Vec<[f64; 2]> {
    slopes
        .iter()
        .map(|s| std::array::from_fn(|k| s[0] * of_l[0][k] + s[1] * of_l[1][k] + s[2] * of_l[2][k]))
        .collect()
}

/// The assembled problem of a region: a block a cell, unknowns inside first, those on sockets behind them.
pub struct Assembled {
    blocks: Vec<Block>,
    inner: usize,
    count: usize,
    order: usize,
}

impl Assembled {
    /// Assembles the problem over `diffusivity`.
    ///
    /// # Errors
    /// `None` where two sockets share a corner: neither can be closed alone.
    pub fn new(
        region: &Region,
        psi: &Psi,
        cubic: &Cubic,
        integrals: &Integrals,
        diffusivity: f64,
    ) -> Option<Self> {
        let order = integrals.element.order;
        let numbering = Numbering::new(region, psi, order);
        const INSIDE: u32 = u32::MAX;
        let mut unknown = vec![INSIDE; numbering.count];
        let on_sockets: usize = numbering.sockets.iter().map(Vec::len).sum();
        let inner = numbering.count.checked_sub(on_sockets)?;
        let nodes_of_sockets = numbering.sockets.iter().flatten();
        for (next, &(n, _)) in (inner as u32..).zip(nodes_of_sockets) {
            if unknown[n as usize] != INSIDE {
                return None;
            }
            unknown[n as usize] = next;
        }
        let free = unknown.iter_mut().filter(|at| **at == INSIDE);
        for (next, at) in (0u32..).zip(free) {
            *at = next;
        }
        let cells = numbering.cells.iter().zip(&psi.cells).zip(&cubic.0);
        let blocks = cells.map(|((nodes, corners), flow)| {
            let at = corners.map(|k| psi.at[k as usize]);
            Block {
                unknowns: nodes.iter().map(|&n| unknown[n as usize]).collect(),
                values: integrals.of_cell(&at, flow, diffusivity),
                at: (at[0] + at[1] + at[2]) * (1.0 / 3.0),
            }
        });
        Some(Self {
            blocks: blocks.collect(),
            inner,
            count: numbering.count,
            order,
        })
    }

    /// Eliminates what is inside.
    pub fn condense(self) -> Option<Condensed> {
        let eliminated = eliminate(&self.blocks, &vec![0.0; self.count], self.inner)?;
        let cells = self.blocks.into_iter().map(|block| block.unknowns);
        Some(Condensed {
            inside: Some(Inside {
                fronts: eliminated.fronts,
                cells: cells.collect(),
                order: self.order,
            }),
            matrix: eliminated.kept,
        })
    }
}

/// A region eliminated on to its sockets.
#[derive(Debug)]
pub struct Condensed {
    /// Over D, socket after socket counter-clockwise.
    pub matrix: Mat<f64>,
    inside: Option<Inside>,
}

/// What values inside a region are found with.
#[derive(Debug)]
struct Inside {
    fronts: Fronts,
    /// Unknowns of every cell.
    cells: Vec<Vec<u32>>,
    order: usize,
}

impl Condensed {
    /// How many numbers are kept for what is inside.
    pub fn numbers(&self) -> usize {
        let inside = self.inside.as_ref();
        inside.map_or(0, |inside| inside.fronts.numbers())
    }

    /// Gives the memory for what is inside back.
    pub fn forget_inside(&mut self) {
        self.inside = None;
    }

    /// Whether [`Self::inside`] can be asked.
    pub fn knows_inside(&self) -> bool {
        self.inside.is_some()
    }

    /// Values at the quadratic nodes of the region, in [`Psi`]'s order, from those on its sockets.
    pub fn inside(&self, psi: &Psi, on_sockets: &[f64]) -> Option<Vec<f64>> {
        let inside = self.inside.as_ref()?;
        let x = inside.fronts.solve(on_sockets)?;
        let element = Element::new(inside.order);
        const AT: [[f64; 3]; 6] = [
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [0.5, 0.5, 0.0],
            [0.0, 0.5, 0.5],
            [0.5, 0.0, 0.5],
        ];
        let basis: Vec<Vec<f64>> = AT.iter().map(|l| element.at(l).0).collect();
        let mut out = vec![0.0; psi.nodes.len()];
        for (unknowns, corners) in inside.cells.iter().zip(&psi.cells) {
            let values = unknowns.iter().map(|&k| x[k as usize]);
            for (k, phi) in corners.iter().zip(&basis) {
                out[*k as usize] = phi.iter().zip(values.clone()).map(|(a, b)| a * b).sum();
            }
        }
        Some(out)
    }
}

/// How far the middle of a cell's edge may be from that of its ends, over the edge, before the cell counts as curved.
const STRAIGHT: f64 = 1e-10;

/// Integrals of one order over the reference triangle, from which a straight cell's matrix is a sum. All matrices column after column.
pub struct Integrals {
    element: Element,
    /// By node of the stream function: `int v (psi_eta c_xi - psi_xi c_eta)`. The map to a cell drops out, curved or not.
    advection: Vec<Vec<f64>>,
    /// `int v_xi c_xi`, `int v_xi c_eta + v_eta c_xi`, `int v_eta c_eta`.
    stiffness: [Vec<f64>; 3],
    /// For curved cells: points with their weights, and derivatives of the basis by barycentric coordinates.
    rule: Vec<(Vec<f64>, f64, Vec<[f64; 3]>)>,
}

impl Integrals {
    /// Those of an order.
    pub fn new(order: usize) -> Self {
        let (element, flow) = (Element::new(order), Element::new(PSI));
        // Exact for the advection, which is a polynomial on the reference triangle.
        let rule = simplex::<2>(2 * order + PSI - 2);
        let n = element.lattice.len();
        let zero = || vec![0.0; n * n];
        let mut advection: Vec<Vec<f64>> = flow.lattice.iter().map(|_| zero()).collect();
        let mut stiffness = [(); 3].map(|()| zero());
        let by_xi = |s: &[f64; 3]| [s[1] - s[0], s[2] - s[0]];
        let mut points = Vec::new();
        for (l, &weight) in rule.points.iter().zip(&rule.weights) {
            let (values, slopes) = element.at(l);
            let of_psi = flow.at(l).1;
            for (j, column) in slopes.iter().map(by_xi).enumerate() {
                for (i, row) in slopes.iter().map(by_xi).enumerate() {
                    let at = j * n + i;
                    stiffness[0][at] += weight * row[0] * column[0];
                    stiffness[1][at] += weight * (row[0] * column[1] + row[1] * column[0]);
                    stiffness[2][at] += weight * row[1] * column[1];
                    for (matrix, psi) in advection.iter_mut().zip(of_psi.iter().map(by_xi)) {
                        let along = psi[1] * column[0] - psi[0] * column[1];
                        matrix[at] += weight * values[i] * along;
                    }
                }
            }
            points.push((l.to_vec(), weight, slopes));
        }
        Self {
            element,
            advection,
            stiffness,
            rule: points,
        }
    }

    /// The matrix of a cell over D: its six nodes, its stream function (m^2/s).
    fn of_cell(&self, at: &[Point; 6], flow: &[f64], diffusivity: f64) -> Mat<f64> {
        let n = self.element.lattice.len();
        let mut sum = vec![0.0; n * n];
        let mut add = |factor: f64, matrix: &[f64]| {
            sum.iter_mut()
                .zip(matrix)
                .for_each(|(s, x)| *s += factor * x);
        };
        for (psi, matrix) in flow.iter().zip(&self.advection) {
            add(psi / diffusivity, matrix);
        }
        let is_straight = [(0, 1, 3), (1, 2, 4), (2, 0, 5)]
            .into_iter()
            .all(|(a, b, m)| {
                let edge = at[b] - at[a];
                (at[m] - at[a] - edge * 0.5).norm() <= STRAIGHT * edge.norm()
            });
        if is_straight {
            let [along_xi, along_eta] = [at[1] - at[0], at[2] - at[0]];
            let area = along_xi.cross(along_eta);
            let factors = [
                along_eta.dot(along_eta),
                -along_xi.dot(along_eta),
                along_xi.dot(along_xi),
            ];
            for (factor, matrix) in factors.iter().zip(&self.stiffness) {
                add(factor / area, matrix);
            }
        } else {
            add(1.0, &self.stiffness_of_curved(at));
        }
        MatRef::from_column_major_slice(&sum, n, n).to_owned()
    }

    /// `int grad v.grad c` over a cell with curved edges.
    fn stiffness_of_curved(&self, at: &[Point; 6]) -> Vec<f64> {
        let n = self.element.lattice.len();
        let nodes = at.map(|p| [p.x, p.y]);
        let mut out = vec![0.0; n * n];
        for (l, weight, slopes) in &self.rule {
            let point = cell_point::<2>(&nodes, l);
            let dx = weight * point.det_jacobian;
            let gradients = gradients(slopes, &point.p1_gradients);
            for (column, [x, y]) in out.chunks_exact_mut(n).zip(&gradients) {
                for (entry, g) in column.iter_mut().zip(&gradients) {
                    *entry += dx * (g[0] * x + g[1] * y);
                }
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cell's matrix by quadrature in space, from the weak form itself.
    fn by_quadrature(at: &[Point; 6], flow: &[f64], diffusivity: f64, order: usize) -> Mat<f64> {
        let (element, of_flow) = (Element::new(order), Element::new(PSI));
        let nodes = at.map(|p| [p.x, p.y]);
        let n = element.lattice.len();
        let mut out = Mat::zeros(n, n);
        let rule = simplex::<2>(2 * order + PSI - 2);
        for (l, weight) in rule.points.iter().zip(&rule.weights) {
            let point = cell_point::<2>(&nodes, l);
            let (values, slopes) = element.at(l);
            let c = gradients(&slopes, &point.p1_gradients);
            let of_psi = gradients(&of_flow.at(l).1, &point.p1_gradients);
            let d = of_psi.iter().zip(flow).fold([0.0; 2], |d, (g, psi)| {
                [d[0] + g[0] * psi, d[1] + g[1] * psi]
            });
            let u = [d[1] / diffusivity, -d[0] / diffusivity];
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let advection = values[i] * (u[0] * c[j][0] + u[1] * c[j][1]);
                let diffusion = c[i][0] * c[j][0] + c[i][1] * c[j][1];
                out[(i, j)] += weight * point.det_jacobian * (advection + diffusion);
            }
        }
        out
    }

    #[test]
    fn a_cells_matrix_is_that_of_quadrature_in_space() {
        let corners = [(0.1, 0.2), (1.3, 0.1), (0.4, 1.7)].map(|(x, y)| Point::new(x, y));
        let middle = |a: usize, b: usize| (corners[a] + corners[b]) * 0.5;
        let [a, b, c] = corners;
        let straight = [a, b, c, middle(0, 1), middle(1, 2), middle(2, 0)];
        let mut curved = straight;
        curved[4] = curved[4] + Point::new(0.1, 0.05);
        let flow: Vec<f64> = (0..10).map(|k| (1.0 + f64::from(k)).sin()).collect();
        for (order, at) in (1..=4).flat_map(|k| [(k, straight), (k, curved)]) {
            let found = Integrals::new(order).of_cell(&at, &flow, 0.03);
            let want = by_quadrature(&at, &flow, 0.03, order);
            let off = (&found - &want).norm_max() / want.norm_max();
            assert!(off < 1e-13, "order {order}: {off:e}");
        }
    }
}
