//! A region's elliptic problem, eliminated on to its mouths.
//!
//! ```text
//! int v u.grad c + D grad c.grad v + t/D (u.grad c)(u.grad v) = int over mouths of v D dc/dn          u = curl psi, psi in P3
//! ```
//! Continuous Galerkin without stabilisation: `curl psi` is exactly divergence free and tangential to walls, so the advection is skew but for
//! mouths. What leaves by a mouth is the reaction `q B c - A c` of its nodes, never the integral of a gradient: reactions of a region add up to nothing.

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};

use super::dissection::{Block, Eliminated, eliminate};
use super::element::{Element, Numbering};
use crate::network::{Network, Region};
use crate::psi::Psi;
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
    for ((mouth, nodes), ends) in region.mouths.iter().zip(&numbering.mouths).zip(&psi.mouths) {
        let profile = net.profile(mouth.width);
        for &(n, t) in nodes {
            value[n as usize] = ends[0] + mouth.outflow * profile.flow(t.clamp(0.0, 1.0));
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
                    triplets.push(Triplet::new(row, column, matrix[i * n + j]));
                }
            }
        }
    }
    if count > 0 {
        let a = SparseColMat::<usize, f64>::try_new_from_triplets(count, count, &triplets).ok()?;
        let x = a.sp_cholesky(Side::Lower).ok()?.solve(&rhs);
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

/// The assembled problem of a region: a block a cell, unknowns inside first, those on mouths behind them.
pub struct Assembled {
    blocks: Vec<Block>,
    inner: usize,
    count: usize,
    order: usize,
}

impl Assembled {
    /// Assembles the problem over `diffusivity`.
    ///
    /// # Shapes and units
    /// - `taylor`: `h^2/210` of the Taylor-Aris dispersion between floor and ceiling, m^2, or 0
    /// # Errors
    /// `None` where two mouths share a corner: neither can be closed alone.
    pub fn new(
        region: &Region,
        psi: &Psi,
        cubic: &Cubic,
        order: usize,
        diffusivity: f64,
        taylor: f64,
    ) -> Option<Self> {
        let numbering = Numbering::new(region, psi, order);
        const INSIDE: u32 = u32::MAX;
        let mut unknown = vec![INSIDE; numbering.count];
        let on_mouths: usize = numbering.mouths.iter().map(Vec::len).sum();
        let inner = numbering.count.checked_sub(on_mouths)?;
        let nodes_of_mouths = numbering.mouths.iter().flatten();
        for (next, &(n, _)) in (inner as u32..).zip(nodes_of_mouths) {
            if unknown[n as usize] != INSIDE {
                return None;
            }
            unknown[n as usize] = next;
        }
        let free = unknown.iter_mut().filter(|at| **at == INSIDE);
        for (next, at) in (0u32..).zip(free) {
            *at = next;
        }
        let mut blocks = Vec::with_capacity(numbering.cells.len());
        each_cell(psi, cubic, order, diffusivity, taylor, &mut |c, matrix| {
            let nodes = &numbering.cells[c];
            let corners = psi.cells[c].map(|k| psi.at[k as usize]);
            blocks.push(Block {
                unknowns: nodes.iter().map(|&n| unknown[n as usize]).collect(),
                values: Mat::from_fn(nodes.len(), nodes.len(), |i, j| matrix[i * nodes.len() + j]),
                at: (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0),
            });
        });
        Some(Self {
            blocks,
            inner,
            count: numbering.count,
            order,
        })
    }

    fn eliminated(&self) -> Option<Eliminated> {
        eliminate(&self.blocks, &vec![0.0; self.count], self.inner)
    }

    /// Eliminates what is inside: a matrix on the mouths, over D, mouth after mouth counter-clockwise.
    pub fn condense(&self) -> Option<Mat<f64>> {
        Some(self.eliminated()?.kept)
    }

    /// Values at the quadratic nodes of the region, in [`Psi`]'s order, from those on its mouths.
    pub fn inside(&self, psi: &Psi, on_mouths: &[f64]) -> Option<Vec<f64>> {
        let x = self.eliminated()?.solve(on_mouths)?;
        let element = Element::new(self.order);
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
        for (block, corners) in self.blocks.iter().zip(&psi.cells) {
            let values = block.unknowns.iter().map(|&k| x[k as usize]);
            for (k, phi) in corners.iter().zip(&basis) {
                out[*k as usize] = phi.iter().zip(values.clone()).map(|(a, b)| a * b).sum();
            }
        }
        Some(out)
    }
}

/// Assembles cell by cell: `then` gets the cell and its matrix, row after row, over D.
fn each_cell(
    psi: &Psi,
    cubic: &Cubic,
    order: usize,
    diffusivity: f64,
    taylor: f64,
    then: &mut dyn FnMut(usize, &[f64]),
) {
    let (element, flow) = (Element::new(order), Element::new(PSI));
    // Exact for the advection: in the reference frame it is a polynomial, whatever the cell's shape.
    let rule = simplex::<2>(2 * order + PSI - 2);
    let basis: Vec<_> = rule
        .points
        .iter()
        .map(|l| (element.at(l), flow.at(l).1))
        .collect();
    let n = element.lattice.len();
    let mut matrix = vec![0.0; n * n];
    // By function: derivatives along x and y, and along the velocity; apart, so that rows are added up by vectors.
    let [mut gx, mut gy, mut along] = [(); 3].map(|()| vec![0.0; n]);
    for (c, corners) in psi.cells.iter().enumerate() {
        let nodes = corners.map(|k| [psi.at[k as usize].x, psi.at[k as usize].y]);
        matrix.fill(0.0);
        for ((l, weight), ((values, slopes), of_psi)) in
            rule.points.iter().zip(&rule.weights).zip(&basis)
        {
            let point = cell_point::<2>(&nodes, l);
            let dx = weight * point.det_jacobian;
            let to = &point.p1_gradients;
            let gradient = |s: &[f64; 3]| -> [f64; 2] {
                std::array::from_fn(|k| s[0] * to[0][k] + s[1] * to[1][k] + s[2] * to[2][k])
            };
            let d = of_psi.iter().zip(&cubic.0[c]).fold([0.0; 2], |d, (s, v)| {
                let g = gradient(s);
                [d[0] + g[0] * v, d[1] + g[1] * v]
            });
            let u = [d[1] / diffusivity, -d[0] / diffusivity];
            for (i, s) in slopes.iter().enumerate() {
                let g = gradient(s);
                (gx[i], gy[i]) = (g[0], g[1]);
                along[i] = u[0] * g[0] + u[1] * g[1];
            }
            for (i, row) in matrix.chunks_exact_mut(n).enumerate() {
                let by_along = dx * (values[i] + taylor * along[i]);
                let (by_x, by_y) = (dx * gx[i], dx * gy[i]);
                let of_columns = along.iter().zip(&gx).zip(&gy);
                for (entry, ((along, gx), gy)) in row.iter_mut().zip(of_columns) {
                    *entry += by_along * along + by_x * gx + by_y * gy;
                }
            }
        }
        then(c, &matrix);
    }
}
