//! The matrix of one canonical block, sparse.

use crate::fem::lagrange::{cell_point, n_nodes};
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
    let rule = quadrature::simplex::<D>(6);
    let n = n_nodes::<D>();
    let pressure_at = D * mesh.nodes.len();
    let mut triplets: Vec<(u32, u32, f64, f64)> = Vec::new();
    for c in 0..mesh.n_cells() {
        let cell = mesh.cell(c);
        let nodes = mesh.cell_nodes(c);
        let size = D * n + D + 1;
        let (mut stokes, mut mass) = (vec![0.0; size * size], vec![0.0; size * size]);
        for (l, w) in rule.points.iter().zip(&rule.weights) {
            let p = cell_point::<D>(&nodes, l);
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
        let number = |k: usize| {
            if k < D * n {
                D * cell[k / D] as usize + k % D
            } else {
                pressure_at + cell[k - D * n] as usize
            }
        };
        for i in 0..size {
            for j in 0..size {
                if i < D * n || j < D * n {
                    triplets.push((
                        number(i) as u32,
                        number(j) as u32,
                        stokes[i * size + j],
                        mass[i * size + j],
                    ));
                }
            }
        }
    }
    compress(
        triplets,
        pressure_at + mesh.n_vertices,
        mesh.nodes.len(),
        mesh.n_vertices,
    )
}

fn compress(
    mut triplets: Vec<(u32, u32, f64, f64)>,
    n: usize,
    n_nodes: usize,
    n_vertices: usize,
) -> BlockMatrix {
    triplets.sort_by_key(|t| (t.0, t.1)); // stable: sums are in the order of cells
    let mut out = BlockMatrix {
        n_nodes,
        n_vertices,
        row_ptr: vec![0; n + 1],
        col_idx: Vec::new(),
        stokes: Vec::new(),
        mass: Vec::new(),
    };
    let mut last = None;
    for (i, j, s, m) in triplets {
        if last == Some((i, j)) {
            *out.stokes.last_mut().expect("one entry is there") += s;
            *out.mass.last_mut().expect("one entry is there") += m;
        } else {
            out.col_idx.push(j);
            out.stokes.push(s);
            out.mass.push(m);
            last = Some((i, j));
        }
        out.row_ptr[i as usize + 1] = out.col_idx.len() as u32;
    }
    for i in 0..n {
        out.row_ptr[i + 1] = out.row_ptr[i + 1].max(out.row_ptr[i]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{arc, straight};

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
