//! Shear stress on the walls.

use stokeslet_base::parallel;

use super::closed::closed_facets;
use super::nodal::{PatchFrame, mesh_values};
use crate::fem::lagrange::{CellPoint, cell_point};
use crate::session::WallShear;
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::system::System;
use stokeslet_base::geometry::Point;
use stokeslet_cad::shape::WallKind;

/// Least, mean and greatest wall shear stress `|t . mu (grad u + grad u^T) n|` over all walls and closed sockets that hold the fluid (on those
/// that slip there is none), Pa; of no use where it was
/// cancelled.
///
/// Sampled at the two Gauss points of every wall edge: the velocity gradient is linear there, so the mean is exact, and the
/// corners, where it may be infinite, are never touched.
pub fn wall_shear(
    system: &System<2>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    is_cancelled: IsCancelled<'_>,
) -> WallShear {
    let samples: Vec<Vec<WallSample>> = parallel::each(&system.leaves, 1, |leaf| {
        wall_samples(&leaf.mesh, &leaf.walls()[0])
    });
    let parts = parallel::map(system.instances.len(), 1, |k| {
        let instance = &system.instances[k];
        if is_cancelled() {
            return (NO_WALL, 0.0);
        }
        let local_vector = &state.local[local_vectors.first[k]..][..system.piece_of(instance).n];
        let mut out = NO_WALL;
        let mut length = 0.0;
        let (mut of_leaf, mut x) = (Vec::new(), Vec::new());
        let closed = closed_facets(system, local_vectors, k, &[WallKind::NoSlip]);
        for (k, patch) in local_vectors.patches_of(instance.piece).iter().enumerate() {
            let samples = &samples[system.leaf_number(instance.piece, patch)];
            let leaf = system.leaf(instance.piece, patch);
            let on_sockets = closed.get(k).map(|facets| wall_samples(&leaf.mesh, facets));
            let on_sockets = on_sockets.unwrap_or_default();
            if samples.is_empty() && on_sockets.is_empty() {
                continue;
            }
            let frame = PatchFrame::new(instance, patch);
            mesh_values(leaf, patch, local_vector, &mut of_leaf, &mut x);
            let scale = system.viscosity / frame.unit / instance.depth.sqrt();
            let place = |p: [f64; 2]| {
                let at = frame.point(p);
                Point::new(at[0], at[1])
            };
            for s in samples.iter().chain(&on_sockets) {
                let shear = (scale * s.rate(&leaf.mesh, &x)).abs();
                let weight = s.length * frame.unit;
                out.mean += weight * shear;
                length += weight;
                if shear < out.min {
                    (out.min, out.min_at) = (shear, place(s.point.position));
                }
                if shear > out.max {
                    (out.max, out.max_at) = (shear, place(s.point.position));
                }
            }
        }
        (out, length)
    });
    let mut out = NO_WALL;
    let mut length = 0.0;
    for (part, l) in parts {
        out.mean += part.mean;
        length += l;
        if part.min < out.min {
            (out.min, out.min_at) = (part.min, part.min_at);
        }
        if part.max > out.max {
            (out.max, out.max_at) = (part.max, part.max_at);
        }
    }
    if length > 0.0 {
        WallShear {
            mean: out.mean / length,
            ..out
        }
    } else {
        WallShear::default()
    }
}

/// The shear of no wall at all: what samples are merged into.
pub const NO_WALL: WallShear = WallShear {
    min: f64::INFINITY,
    mean: 0.0,
    max: 0.0,
    min_at: Point::new(0.0, 0.0),
    max_at: Point::new(0.0, 0.0),
};

impl WallSample {
    /// Rate of shear along the wall, in cells.
    pub fn rate(&self, mesh: &crate::mesh::BlockMesh<2>, x: &[f64]) -> f64 {
        let mut gradient = [[0.0; 2]; 2]; // gradient[i][j] = d u_i / d x_j, per cell
        for (g, &n) in self.point.gradients.iter().zip(mesh.cell(self.cell)) {
            for (i, row) in gradient.iter_mut().enumerate() {
                for (j, entry) in row.iter_mut().enumerate() {
                    *entry += x[2 * n as usize + i] * g[j];
                }
            }
        }
        let rate = |a: Point, b: Point| {
            a.x * (gradient[0][0] * b.x + gradient[0][1] * b.y)
                + a.y * (gradient[1][0] * b.x + gradient[1][1] * b.y)
        };
        rate(self.tangent, self.normal) + rate(self.normal, self.tangent)
    }
}

/// A Gauss point of a wall edge, in canonical coordinates.
pub struct WallSample {
    cell: usize,
    /// Where it is, with the gradients there.
    pub point: CellPoint<2>,
    tangent: Point,
    normal: Point,
    /// Length of wall that it stands for, cells.
    pub length: f64,
}

/// The Gauss points of edges of a mesh, (cell, edge).
pub fn wall_samples(mesh: &crate::mesh::BlockMesh<2>, walls: &[(u32, u8)]) -> Vec<WallSample> {
    let mut samples = Vec::new();
    for &(cell, k) in walls {
        let nodes = mesh.cell_nodes(cell as usize);
        let (a, b) = (k as usize, (k as usize + 1) % 3);
        for (s, weight) in crate::fem::quadrature::gauss_legendre(2) {
            let mut l = [0.0; 3];
            (l[a], l[b]) = (1.0 - s, s);
            // Derivative of the edge's quadratic map: 4 (m - a) (1 - s) ... in the usual three-node form.
            let (pa, pb, pm) = (nodes[a], nodes[b], nodes[3 + k as usize]);
            let d = |i: usize| {
                (4.0 * s - 3.0) * pa[i] + (4.0 * s - 1.0) * pb[i] + (4.0 - 8.0 * s) * pm[i]
            };
            let along = Point::new(d(0), d(1));
            let tangent = along.normalized();
            samples.push(WallSample {
                cell: cell as usize,
                point: cell_point::<2>(&nodes, &l),
                tangent,
                normal: -tangent.left(),
                length: weight * along.norm(),
            });
        }
    }
    samples
}
