//! The matrix of one canonical block, sparse.

use std::sync::OnceLock;

use crate::fem::lagrange::{
    cell_point, edges, facet_vertices, n_nodes, opposite_vertex, p2, p2_gradient,
};
use crate::fem::quadrature;
use crate::mesh::BlockMesh;

/// Canonical block matrix: unknowns are `D` velocities a node, node by node, then the pressures of the vertices.
///
/// Compressed rows; `stokes` is the matrix without drag, `mass` what unit drag adds at the same places.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    /// Velocity nodes.
    pub n_nodes: usize,
    /// Pressure nodes.
    pub n_vertices: usize,
    /// Start of each row.
    pub row_ptr: Vec<u32>,
    /// Column of each entry.
    pub col_idx: Vec<u32>,
    /// Value without drag.
    pub stokes: Vec<f64>,
    /// Value of unit drag.
    pub mass: Vec<f64>,
}

impl BlockMatrix {
    /// Number of rows.
    pub fn n(&self) -> usize {
        self.row_ptr.len() - 1
    }

    /// Entries of a row: (column, value), with drag `drag`.
    pub fn row(&self, i: usize, drag: f64) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.row_ptr[i] as usize..self.row_ptr[i + 1] as usize;
        range.map(move |k| {
            (
                self.col_idx[k] as usize,
                self.stokes[k] + drag * self.mass[k],
            )
        })
    }

    /// `y = M x`.
    pub fn multiply(&self, x: &[f64], drag: f64) -> Vec<f64> {
        (0..self.n())
            .map(|i| self.row(i, drag).map(|(j, v)| v * x[j]).sum())
            .collect()
    }
}

/// Integrates the Stokes form over a block in its own frame, with unit viscosity.
///
/// # Shapes and units
/// - lengths in cells; returns `D n_nodes + n_vertices` rows, symmetric
/// # Accuracy and cost
/// Exact on straight-sided cells; on curved ones the quadrature is exact to degree 6 in reference coordinates.
/// # Source
/// Ding 2019, equations 4.1 to 4.4; signs as in [`crate::stokes`].
pub fn block_matrix<const D: usize>(mesh: &BlockMesh<D>) -> BlockMatrix {
    let reference = Reference::get::<D>();
    let n = n_nodes::<D>();
    let size = D * n + D + 1;
    let mut out = pattern(mesh);
    let (mut stokes, mut mass) = (vec![0.0; size * size], vec![0.0; size * size]);
    for c in 0..mesh.n_cells() {
        let cell = mesh.cell(c);
        let nodes = mesh.cell_nodes(c);
        stokes.fill(0.0);
        mass.fill(0.0);
        if is_straight::<D>(&nodes) {
            reference.add::<D>(&nodes, &mut stokes, &mut mass);
        } else {
            integrate(&nodes, &mut stokes, &mut mass);
        }
        out.add(mesh, cell, &stokes, &mass);
    }
    out
}

/// Leaves out of the continuity equation what flows through facets of curved walls that slip: `B += (q, u . n)` over them.
///
/// Nodes of such a wall move along the circle, but the quadratic facet between them is none: something of the order of its distance to
/// the circle would flow through it, and ports wouldn't balance. With this term `(q, div u)` is `-(grad q, u)` there, as if nothing did; its
/// transpose in the momentum rows is the pressure on that facet. On straight facets nothing flows through, and nothing is added.
///
/// # Accuracy and cost
/// Exact to degree 6 in reference coordinates, as the cells' own integrals are, so that the divergence theorem holds to rounding.
pub fn add_wall_flux<const D: usize>(
    matrix: &mut BlockMatrix,
    mesh: &BlockMesh<D>,
    facets: &[(u32, u8)],
) {
    let n = n_nodes::<D>();
    let size = D * n + D + 1;
    let (mut flux, none) = (vec![0.0; size * size], vec![0.0; size * size]);
    let rule = match D {
        2 => quadrature::simplex::<1>(6),
        _ => quadrature::simplex::<2>(6),
    };
    for &(cell, facet) in facets {
        let nodes = mesh.cell_nodes(cell as usize);
        if is_straight::<D>(&nodes) {
            continue;
        }
        flux.fill(0.0);
        let vertices = facet_vertices::<D>(facet as usize);
        let opposite = opposite_vertex::<D>(facet as usize);
        for (on_facet, w) in rule.points.iter().zip(&rule.weights) {
            let mut l = vec![0.0; D + 1];
            for (&v, &at) in vertices.iter().zip(on_facet) {
                l[v] = at;
            }
            let p = cell_point::<D>(&nodes, &l);
            // Nanson: area vectors go with det J times the gradient of the coordinate that is constant on the facet.
            let inward = p.p1_gradients[opposite];
            for &v in &vertices {
                for i in 0..n {
                    for (a, inward) in inward.iter().enumerate() {
                        let value = -w * p.det_jacobian * inward * l[v] * p.values[i];
                        flux[(D * i + a) * size + D * n + v] += value;
                        flux[(D * n + v) * size + D * i + a] += value;
                    }
                }
            }
        }
        matrix.add(mesh, mesh.cell(cell as usize), &flux, &none);
    }
}

/// An edge is straight whose middle is off the middle by this part of the cell's size at most: thousands of roundings, which a
/// mesh that was moved and mirrored has, and far less than the flattest arc. At 1e-14, cells of junctions that lie askew were
/// integrated as if they were curved.
const STRAIGHT: f64 = 1e-12;

/// Whether all edge middles lie in the middle: then the map from the reference simplex is affine.
fn is_straight<const D: usize>(nodes: &[[f64; D]]) -> bool {
    let size: f64 = (0..D).map(|k| (nodes[1][k] - nodes[0][k]).abs()).sum();
    edges::<D>().iter().enumerate().all(|(e, &(a, b))| {
        (0..D).all(|k| {
            (nodes[D + 1 + e][k] - 0.5 * (nodes[a][k] + nodes[b][k])).abs() <= STRAIGHT * size
        })
    })
}

/// A cell's matrices by quadrature.
fn integrate<const D: usize>(nodes: &[[f64; D]], stokes: &mut [f64], mass: &mut [f64]) {
    let rule = quadrature::simplex::<D>(6);
    let n = n_nodes::<D>();
    let size = D * n + D + 1;
    for (l, w) in rule.points.iter().zip(&rule.weights) {
        let p = cell_point::<D>(nodes, l);
        let w = w * p.det_jacobian;
        for i in 0..n {
            for j in 0..n {
                let (gi, gj) = (&p.gradients[i], &p.gradients[j]);
                let trace: f64 = (0..D).map(|k| gi[k] * gj[k]).sum();
                for a in 0..D {
                    for b in 0..D {
                        // (grad u + grad u^T) : grad w for u = phi_j e_b, w = phi_i e_a
                        let value = gi[b] * gj[a] + if a == b { trace } else { 0.0 };
                        stokes[(D * i + a) * size + D * j + b] += w * value;
                    }
                    mass[(D * i + a) * size + D * j + a] += w * p.values[i] * p.values[j];
                }
            }
            for (v, &q) in l.iter().enumerate() {
                for a in 0..D {
                    let value = -w * q * p.gradients[i][a];
                    stokes[(D * i + a) * size + D * n + v] += value;
                    stokes[(D * n + v) * size + D * i + a] += value;
                }
            }
        }
    }
}

/// Integrals over the reference simplex: with these a straight cell needs no quadrature.
struct Reference {
    /// `[i][j][k][l]`: of d phi_i / d xi_k times d phi_j / d xi_l.
    stiffness: Vec<f64>,
    /// `[i][v][k]`: of l_v times d phi_i / d xi_k.
    divergence: Vec<f64>,
    /// `[i][j]`: of phi_i phi_j.
    mass: Vec<f64>,
}

impl Reference {
    /// Made once: a leaf has few cells, and these integrals cost as much as some of them.
    fn get<const D: usize>() -> &'static Self {
        static MADE: [OnceLock<Reference>; 4] = [const { OnceLock::new() }; 4];
        MADE[D].get_or_init(Self::integrated::<D>)
    }

    fn integrated<const D: usize>() -> Self {
        let rule = quadrature::simplex::<D>(6);
        let n = n_nodes::<D>();
        let mut out = Self {
            stiffness: vec![0.0; n * n * D * D],
            divergence: vec![0.0; n * (D + 1) * D],
            mass: vec![0.0; n * n],
        };
        for (l, w) in rule.points.iter().zip(&rule.weights) {
            let values = p2::<D>(l);
            let gradients = p2_gradient::<D>(l);
            for i in 0..n {
                for j in 0..n {
                    for (k, gi) in gradients[i].iter().enumerate() {
                        for (m, gj) in gradients[j].iter().enumerate() {
                            out.stiffness[((i * n + j) * D + k) * D + m] += w * gi * gj;
                        }
                    }
                    out.mass[i * n + j] += w * values[i] * values[j];
                }
                for (v, q) in l[..=D].iter().enumerate() {
                    for (k, g) in gradients[i].iter().enumerate() {
                        out.divergence[(i * (D + 1) + v) * D + k] += w * q * g;
                    }
                }
            }
        }
        out
    }

    /// The matrices of a straight cell, into zeros.
    fn add<const D: usize>(&self, nodes: &[[f64; D]], stokes: &mut [f64], mass: &mut [f64]) {
        let n = n_nodes::<D>();
        let size = D * n + D + 1;
        let middle = vec![1.0 / (D as f64 + 1.0); D + 1];
        let at = cell_point::<D>(nodes, &middle);
        let det = at.det_jacobian;
        // d xi_k / d x_a: xi_k is the barycentric coordinate of vertex k + 1.
        let inverse: [[f64; D]; D] = std::array::from_fn(|k| at.p1_gradients[k + 1]);
        for i in 0..n {
            for j in 0..=i {
                let g = &self.stiffness[(i * n + j) * D * D..][..D * D];
                // t[a][b]: integral of d phi_i / d x_a times d phi_j / d x_b.
                let (mut half, mut t) = ([[0.0; D]; D], [[0.0; D]; D]);
                for (half, g) in half.iter_mut().zip(g.chunks_exact(D)) {
                    for (g, column) in g.iter().zip(&inverse) {
                        (0..D).for_each(|b| half[b] += det * g * column[b]);
                    }
                }
                for (row, half) in inverse.iter().zip(&half) {
                    for (t, r) in t.iter_mut().zip(row) {
                        (0..D).for_each(|b| t[b] += r * half[b]);
                    }
                }
                let trace: f64 = (0..D).map(|k| t[k][k]).sum();
                let drag = det * self.mass[i * n + j];
                for a in 0..D {
                    for b in 0..D {
                        let value = t[b][a] + if a == b { trace } else { 0.0 };
                        // Symmetric: the blocks (i, j) and (j, i) are each other's transposes.
                        stokes[(D * i + a) * size + D * j + b] = value;
                        stokes[(D * j + b) * size + D * i + a] = value;
                    }
                    mass[(D * i + a) * size + D * j + a] = drag;
                    mass[(D * j + a) * size + D * i + a] = drag;
                }
            }
            for v in 0..=D {
                let g = &self.divergence[(i * (D + 1) + v) * D..][..D];
                for a in 0..D {
                    let value: f64 = -det * (0..D).map(|k| g[k] * inverse[k][a]).sum::<f64>();
                    stokes[(D * i + a) * size + D * n + v] = value;
                    stokes[(D * n + v) * size + D * i + a] = value;
                }
            }
        }
    }
}

/// The empty matrix of a mesh: a node's rows couple with all nodes and vertices of its cells, a pressure's with their velocities.
fn pattern<const D: usize>(mesh: &BlockMesh<D>) -> BlockMatrix {
    let n = mesh.nodes.len();
    let mut near: Vec<Vec<u32>> = vec![Vec::new(); n];
    for c in 0..mesh.n_cells() {
        let cell = mesh.cell(c);
        for &i in cell {
            near[i as usize].extend_from_slice(cell);
        }
    }
    let pressure_at = (D * n) as u32;
    let mut out = BlockMatrix {
        n_nodes: n,
        n_vertices: mesh.n_vertices,
        row_ptr: vec![0],
        col_idx: Vec::new(),
        stokes: Vec::new(),
        mass: Vec::new(),
    };
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    let velocities = |list: &[u32], out: &mut BlockMatrix| {
        for &j in list {
            out.col_idx.extend((0..D as u32).map(|k| D as u32 * j + k));
        }
    };
    for list in &near {
        // Vertices come first among the nodes.
        let n_vertices = list.partition_point(|&j| (j as usize) < mesh.n_vertices);
        for _ in 0..D {
            velocities(list, &mut out);
            out.col_idx
                .extend(list[..n_vertices].iter().map(|v| pressure_at + v));
            out.row_ptr.push(out.col_idx.len() as u32);
        }
    }
    for list in &near[..mesh.n_vertices] {
        velocities(list, &mut out);
        out.row_ptr.push(out.col_idx.len() as u32);
    }
    out.stokes = vec![0.0; out.col_idx.len()];
    out.mass = vec![0.0; out.col_idx.len()];
    out
}

impl BlockMatrix {
    /// Adds a cell's matrices.
    fn add<const D: usize>(
        &mut self,
        mesh: &BlockMesh<D>,
        cell: &[u32],
        stokes: &[f64],
        mass: &[f64],
    ) {
        let n = n_nodes::<D>();
        let size = D * n + D + 1;
        let pressure_at = D * mesh.nodes.len();
        for (i, &node) in cell.iter().enumerate() {
            let first = self.row_ptr[D * node as usize] as usize;
            let end = self.row_ptr[D * node as usize + 1] as usize;
            let length = end - first;
            let columns = &self.col_idx[first..end];
            let place = |column: u32| {
                columns
                    .binary_search(&column)
                    .expect("the pattern holds its cells")
            };
            for (j, &other) in cell.iter().enumerate() {
                let at = first + place(D as u32 * other);
                for a in 0..D {
                    for b in 0..D {
                        let from = (D * i + a) * size + D * j + b;
                        self.stokes[at + a * length + b] += stokes[from];
                        self.mass[at + a * length + b] += mass[from];
                    }
                }
            }
            for (v, &vertex) in cell[..=D].iter().enumerate() {
                let at = first + place(pressure_at as u32 + vertex);
                for a in 0..D {
                    self.stokes[at + a * length] += stokes[(D * i + a) * size + D * n + v];
                }
            }
        }
        for (v, &vertex) in cell[..=D].iter().enumerate() {
            let row = pressure_at + vertex as usize;
            let (first, end) = (self.row_ptr[row] as usize, self.row_ptr[row + 1] as usize);
            for (j, &other) in cell.iter().enumerate() {
                let at = self.col_idx[first..end]
                    .binary_search(&(D as u32 * other))
                    .expect("the pattern holds its cells");
                for b in 0..D {
                    self.stokes[first + at + b] += stokes[(D * n + v) * size + D * j + b];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{arc, straight};

    #[test]
    fn straight_cells_need_no_quadrature() {
        fn both<const D: usize>(nodes: &[[f64; D]]) -> f64 {
            let size = D * n_nodes::<D>() + D + 1;
            let zero = || (vec![0.0; size * size], vec![0.0; size * size]);
            let ((mut s, mut m), (mut t, mut k)) = (zero(), zero());
            Reference::get::<D>().add(nodes, &mut s, &mut m);
            integrate(nodes, &mut t, &mut k);
            let pairs = s.iter().zip(&t).chain(m.iter().zip(&k));
            pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        }
        let plane = [[0.1, 0.2], [1.3, 0.1], [0.4, 0.9]];
        let solid = [
            [0.0, 0.1, 0.0],
            [1.1, 0.0, 0.2],
            [0.3, 0.9, 0.1],
            [0.2, 0.3, 1.2],
        ];
        fn whole<const D: usize>(vertices: &[[f64; D]]) -> Vec<[f64; D]> {
            let middle = |&(a, b): &(usize, usize)| {
                std::array::from_fn(|k| 0.5 * (vertices[a][k] + vertices[b][k]))
            };
            let middles = edges::<D>().iter().map(middle);
            vertices.iter().copied().chain(middles).collect()
        }
        let (plane, solid) = (whole(&plane), whole(&solid));
        assert!(is_straight(&plane) && is_straight(&solid));
        assert!(both(&plane) < 1e-14 && both(&solid) < 1e-14);
    }

    #[test]
    fn rounding_bends_no_cell() {
        for k in 0..100 {
            let (s, c) = (0.063 * f64::from(k)).sin_cos();
            let moved =
                |[x, y]: [f64; 2]| [c * x - s * y + 31.7, s * x + c * y - 17.3].map(|v| v + 0.1);
            let [a, b, d] = [[0.1, 0.2], [0.6, 0.15], [0.3, 0.7]];
            let middle = |p: [f64; 2], q: [f64; 2]| [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1])];
            let mut nodes = [a, b, d, middle(a, b), middle(b, d), middle(d, a)].map(moved);
            assert!(is_straight::<2>(&nodes), "turned by {k}");
            nodes[4][0] += 1e-9;
            assert!(!is_straight::<2>(&nodes), "bent is bent");
        }
    }

    #[test]
    fn block_matrices_are_symmetric_and_rigid_motions_cost_nothing() {
        for mesh in [
            straight(4, 3.3, 4.0, 4.0),
            straight(5, 8.0, 5.0, 9.0),
            arc(4, 6.0, 1.0),
        ] {
            let mesh = mesh.expect("plain strips mesh");
            for kind in &mesh.kinds {
                let m = block_matrix::<2>(&kind.mesh);
                for i in 0..m.n() {
                    for (j, v) in m.row(i, 0.7) {
                        let back: f64 = m.row(j, 0.7).filter(|e| e.0 == i).map(|e| e.1).sum();
                        assert!((v - back).abs() < 1e-13, "entry ({i}, {j})");
                    }
                }
                // Translation along x, then rotation about the origin: no stress, no divergence.
                let nodes = &kind.mesh.nodes;
                for motion in [|_: [f64; 2]| [1.0, 0.0], |p: [f64; 2]| [-p[1], p[0]]] {
                    let mut x: Vec<f64> = nodes.iter().flat_map(|&p| motion(p)).collect();
                    x.resize(m.n(), 0.0);
                    assert!(
                        m.multiply(&x, 0.0).iter().all(|y| y.abs() < 1e-12),
                        "a rigid motion is free of stress"
                    );
                }
            }
        }
    }
}
