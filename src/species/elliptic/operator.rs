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

/// The assembled problem of a region, parted into what is inside and what is on mouths.
pub struct Parted {
    /// Inside.
    inner: SparseColMat<usize, f64>,
    /// Inside by mouths.
    to_mouths: Mat<f64>,
    /// Mouths by inside: row, column, value.
    from_mouths: Vec<(usize, usize, f64)>,
    /// Mouths.
    mouths: Mat<f64>,
    /// Unknown of every node: inside from 0 on, mouths behind them.
    place: Vec<usize>,
    numbering: Numbering,
    order: usize,
}

impl Parted {
    /// Assembles the problem over `diffusivity`.
    ///
    /// # Shapes and units
    /// - `taylor`: `h^2/210` of the Taylor-Aris dispersion between floor and ceiling, m^2, or 0
    pub fn new(
        region: &Region,
        psi: &Psi,
        cubic: &Cubic,
        order: usize,
        diffusivity: f64,
        taylor: f64,
    ) -> Option<Self> {
        let numbering = Numbering::new(region, psi, order);
        let mut place = vec![usize::MAX; numbering.count];
        let mut n_mouths = 0;
        for nodes in &numbering.mouths {
            for &(n, _) in nodes {
                if place[n as usize] != usize::MAX {
                    // Two mouths share a corner: neither can be closed alone.
                    return None;
                }
                place[n as usize] = n_mouths;
                n_mouths += 1;
            }
        }
        let n_inner = numbering.count - n_mouths;
        let mut next = 0;
        for at in &mut place {
            if *at == usize::MAX {
                *at = next;
                next += 1;
            } else {
                *at += n_inner;
            }
        }
        let mut triplets = Vec::new();
        let mut to_mouths = Mat::<f64>::zeros(n_inner, n_mouths);
        let mut from_mouths = Vec::new();
        let mut mouths = Mat::<f64>::zeros(n_mouths, n_mouths);
        each_cell(psi, cubic, order, diffusivity, taylor, &mut |c, matrix| {
            let cell = &numbering.cells[c];
            let n = cell.len();
            for i in 0..n {
                let row = place[cell[i] as usize];
                for j in 0..n {
                    let (column, value) = (place[cell[j] as usize], matrix[i * n + j]);
                    match (row < n_inner, column < n_inner) {
                        (true, true) => triplets.push(Triplet::new(row, column, value)),
                        (true, false) => to_mouths[(row, column - n_inner)] += value,
                        (false, true) => from_mouths.push((row - n_inner, column, value)),
                        (false, false) => mouths[(row - n_inner, column - n_inner)] += value,
                    }
                }
            }
        });
        let inner = SparseColMat::try_new_from_triplets(n_inner, n_inner, &triplets).ok()?;
        Some(Self {
            inner,
            to_mouths,
            from_mouths,
            mouths,
            place,
            numbering,
            order,
        })
    }

    /// Eliminates what is inside: `A_mm - A_mi A_ii^-1 A_im`, over D, mouth after mouth counter-clockwise.
    pub fn condense(&self) -> Option<Mat<f64>> {
        let n = self.mouths.nrows();
        let x = self.inner.sp_lu().ok()?.solve(&self.to_mouths);
        let mut out = self.mouths.clone();
        for &(row, k, value) in &self.from_mouths {
            for j in 0..n {
                out[(row, j)] -= value * x[(k, j)];
            }
        }
        let is_finite = (0..n).all(|j| (0..n).all(|i| out[(i, j)].is_finite()));
        is_finite.then_some(out)
    }

    /// Values at the quadratic nodes of the region, in [`Psi`]'s order, from those on its mouths.
    pub fn inside(&self, psi: &Psi, on_mouths: &[f64]) -> Option<Vec<f64>> {
        let n_inner = self.inner.nrows();
        let given = Mat::from_fn(on_mouths.len(), 1, |i, _| on_mouths[i]);
        let rhs = -(&self.to_mouths * &given);
        let x = self.inner.sp_lu().ok()?.solve(&rhs);
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
        for (cell, corners) in self.numbering.cells.iter().zip(&psi.cells) {
            let values: Vec<f64> = cell
                .iter()
                .map(|&n| {
                    let at = self.place[n as usize];
                    if at < n_inner {
                        x[(at, 0)]
                    } else {
                        on_mouths[at - n_inner]
                    }
                })
                .collect();
            for (k, phi) in corners.iter().zip(&basis) {
                out[*k as usize] = phi.iter().zip(&values).map(|(a, b)| a * b).sum();
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
    for (c, corners) in psi.cells.iter().enumerate() {
        let nodes = corners.map(|k| [psi.at[k as usize].x, psi.at[k as usize].y]);
        matrix.fill(0.0);
        for ((l, weight), ((values, slopes), of_psi)) in
            rule.points.iter().zip(&rule.weights).zip(&basis)
        {
            let point = cell_point::<2>(&nodes, l);
            let dx = weight * point.det_jacobian;
            let g = gradients(slopes, &point.p1_gradients);
            let d = gradients(of_psi, &point.p1_gradients)
                .iter()
                .zip(&cubic.0[c])
                .fold([0.0; 2], |d, (g, s)| [d[0] + g[0] * s, d[1] + g[1] * s]);
            let u = [d[1] / diffusivity, -d[0] / diffusivity];
            let along: Vec<f64> = g.iter().map(|g| u[0] * g[0] + u[1] * g[1]).collect();
            for i in 0..n {
                let (v, gi, ai) = (
                    dx * values[i],
                    [dx * g[i][0], dx * g[i][1]],
                    dx * taylor * along[i],
                );
                for j in 0..n {
                    matrix[i * n + j] += (v + ai) * along[j] + gi[0] * g[j][0] + gi[1] * g[j][1];
                }
            }
        }
        then(c, &matrix);
    }
}
