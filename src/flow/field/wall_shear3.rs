//! Shear stress on the walls of tetrahedra: one block's mesh and nodal velocities become weighted samples.
//!
//! ```text
//! shear = |(I - n n^T) (grad u + grad u^T) n|   per viscosity, at the quadrature points of every wall facet
//! ```
//! The samples know one canonical mesh in cells: copies multiply by `mu / unit` and areas by `unit^2`.

use stokeslet_base::parallel;

use super::closed::closed_facets;
use super::nodal::{PatchFrame, mesh_values};
use crate::fem::lagrange::cell_point;
use crate::fem::quadrature;
use crate::mesh::{BlockMesh, TETRAHEDRON_FACETS};
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::system::System;
use stokeslet_cad::shape::WallKind;

/// A place on a wall, with all that the shear there depends on but the velocity. Made once for all copies of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct WallPoint {
    /// Cell of the mesh.
    pub cell: u32,
    /// Where it lies, cells.
    pub position: [f64; 3],
    /// Unit normal, out of the fluid.
    pub normal: [f64; 3],
    /// Area of wall that it stands for, square cells.
    pub area: f64,
    /// Gradients of the cell's ten P2 basis functions, per cell.
    gradients: Vec<[f64; 3]>,
}

/// One value of wall shear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShearSample {
    /// Where.
    pub position: [f64; 3],
    /// Area of wall that it stands for.
    pub area: f64,
    /// Magnitude of the tangential traction.
    pub shear: f64,
}

/// Least, mean and greatest wall shear.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ShearRange {
    /// Least magnitude.
    pub min: f64,
    /// Mean magnitude by area.
    pub mean: f64,
    /// Greatest magnitude.
    pub max: f64,
    /// Where it is least.
    pub min_at: [f64; 3],
    /// Where it is greatest.
    pub max_at: [f64; 3],
    /// Area of all walls.
    pub area: f64,
}

/// The points of facets of a mesh, (cell, facet): some a facet, in their order.
///
/// They lie inside the facets: edges where walls meet, where the shear of a corner may be infinite, are never touched.
/// # Accuracy and cost
/// On straight cells the traction is linear, so areas and the mean traction vector are exact; the mean of its magnitude is as
/// good as the rule (degree 2) for a smooth function.
pub fn wall_points(mesh: &BlockMesh<3>, walls: &[(u32, u8)]) -> Vec<WallPoint> {
    let rule = quadrature::simplex::<2>(2);
    let mut points = Vec::with_capacity(walls.len() * rule.weights.len());
    for &(cell, facet) in walls {
        let nodes = mesh.cell_nodes(cell as usize);
        for (on_facet, weight) in rule.points.iter().zip(&rule.weights) {
            let mut l = [0.0; 4];
            for (&v, &at) in TETRAHEDRON_FACETS[facet as usize].iter().zip(on_facet) {
                l[v] = at;
            }
            let point = cell_point::<3>(&nodes, &l);
            // Nanson: area vectors go with det J times the gradient of the coordinate that is constant on the facet.
            let inward = point.p1_gradients[facet as usize];
            let size = norm(inward);
            points.push(WallPoint {
                cell,
                position: point.position,
                normal: inward.map(|x| -x / size),
                area: weight * point.det_jacobian * size,
                gradients: point.gradients,
            });
        }
    }
    points
}

impl WallPoint {
    /// Magnitude of the tangential traction at unit viscosity, velocity per cell; `velocity` gives a node's.
    pub fn shear(&self, mesh: &BlockMesh<3>, velocity: impl Fn(u32) -> [f64; 3]) -> f64 {
        let mut gradient = [[0.0; 3]; 3]; // gradient[i][j] = d u_i / d x_j
        for (g, &node) in self.gradients.iter().zip(mesh.cell(self.cell as usize)) {
            let u = velocity(node);
            for (row, u) in gradient.iter_mut().zip(u) {
                for (entry, g) in row.iter_mut().zip(g) {
                    *entry += u * g;
                }
            }
        }
        let n = self.normal;
        let traction: [f64; 3] = std::array::from_fn(|i| {
            (0..3)
                .map(|j| (gradient[i][j] + gradient[j][i]) * n[j])
                .sum()
        });
        let along: f64 = (0..3).map(|i| traction[i] * n[i]).sum();
        norm(std::array::from_fn(|i| traction[i] - along * n[i]))
    }
}

/// Samples of wall shear on all walls of one block, at unit viscosity.
///
/// # Shapes and units
/// - `velocity`: one a node of the mesh, in the mesh's frame; shear is in velocity per cell
pub fn wall_shear(mesh: &BlockMesh<3>, velocity: &[[f64; 3]]) -> Vec<ShearSample> {
    wall_points(mesh, &mesh.walls)
        .iter()
        .map(|point| ShearSample {
            position: point.position,
            area: point.area,
            shear: point.shear(mesh, |n| velocity[n as usize]),
        })
        .collect()
}

/// Least, mean and greatest of samples; the first of equals. All zero without samples.
pub fn range(samples: impl IntoIterator<Item = ShearSample>) -> ShearRange {
    let mut out = ShearRange {
        min: f64::INFINITY,
        max: f64::NEG_INFINITY,
        ..ShearRange::default()
    };
    for s in samples {
        out.area += s.area;
        out.mean += s.area * s.shear;
        if s.shear < out.min {
            (out.min, out.min_at) = (s.shear, s.position);
        }
        if s.shear > out.max {
            (out.max, out.max_at) = (s.shear, s.position);
        }
    }
    if out.area > 0.0 {
        ShearRange {
            mean: out.mean / out.area,
            ..out
        }
    } else {
        ShearRange::default()
    }
}

/// Least, mean and greatest wall shear over the pieces of a chip, on walls that hold the fluid, Pa, places in m; of no use where it was cancelled.
pub fn wall_shear_of_solids(
    system: &System<3>,
    local_vectors: &LocalVectors,
    state: &ChipVector,
    is_cancelled: IsCancelled<'_>,
) -> ShearRange {
    let points: Vec<Vec<WallPoint>> = parallel::each(&system.leaves, 1, |leaf| {
        wall_points(&leaf.mesh, &leaf.walls()[0])
    });
    let parts = parallel::map(system.instances.len(), 1, |k| {
        let instance = &system.instances[k];
        if is_cancelled() {
            return ShearRange::default();
        }
        let local_vector = &state.local[local_vectors.first[k]..][..system.piece_of(instance).n];
        let (mut of_leaf, mut x) = (Vec::new(), Vec::new());
        let mut ranges = Vec::new();
        let closed = closed_facets(system, local_vectors, k, &[WallKind::NoSlip]);
        for (k, patch) in local_vectors.patches_of(instance.piece).iter().enumerate() {
            let points = &points[system.leaf_number(instance.piece, patch)];
            let leaf = system.leaf(instance.piece, patch);
            let on_sockets = closed.get(k).map(|facets| wall_points(&leaf.mesh, facets));
            let on_sockets = on_sockets.unwrap_or_default();
            if points.is_empty() && on_sockets.is_empty() {
                continue;
            }
            let frame = PatchFrame::new(instance, patch);
            mesh_values(leaf, patch, local_vector, &mut of_leaf, &mut x);
            let velocity = |n: u32| std::array::from_fn(|c| x[3 * n as usize + c]);
            ranges.push(range(points.iter().chain(&on_sockets).map(|point| {
                ShearSample {
                    position: frame.point(point.position),
                    area: point.area * frame.unit * frame.unit,
                    shear: system.viscosity / frame.unit * point.shear(&leaf.mesh, velocity),
                }
            })));
        }
        joined(ranges)
    });
    joined(parts)
}

/// The range of several; those without walls don't count.
fn joined(parts: impl IntoIterator<Item = ShearRange>) -> ShearRange {
    let mut out = ShearRange::default();
    for part in parts.into_iter().filter(|p| p.area > 0.0) {
        if out.area == 0.0 {
            out = part;
            continue;
        }
        out.mean = (out.mean * out.area + part.mean * part.area) / (out.area + part.area);
        out.area += part.area;
        if part.min < out.min {
            (out.min, out.min_at) = (part.min, part.min_at);
        }
        if part.max > out.max {
            (out.max, out.max_at) = (part.max, part.max_at);
        }
    }
    out
}

fn norm([x, y, z]: [f64; 3]) -> f64 {
    x.hypot(y).hypot(z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ComponentMesh, MeshError, Top, arc, extrude, socket_rank, straight};

    fn extruded(
        strip: Result<ComponentMesh, MeshError>,
        layers: usize,
        depth: f64,
    ) -> BlockMesh<3> {
        let kind = strip.expect("a plain strip").kinds.remove(0);
        let socket = |slot| kind.nodes_in(slot).iter().map(|&(n, _)| n).collect();
        let rank = socket_rank(&kind.mesh, &[socket(0), socket(1)]).expect("even sockets");
        extrude(&kind.mesh, &rank, layers, depth, Top::Wall)
            .expect("a plain slice")
            .mesh
    }

    #[test]
    fn poiseuille_between_the_floor_and_the_ceiling_shears_only_them() {
        let mesh = extruded(straight(4, 2.0, 4.0, 4.0), 2, 3.0);
        // u = z (3 - z): 3 at floor and ceiling; on the sides du_x/dy = 0.
        let velocity: Vec<[f64; 3]> = mesh
            .nodes
            .iter()
            .map(|p| [p[2] * (3.0 - p[2]), 0.0, 0.0])
            .collect();
        let samples = wall_shear(&mesh, &velocity);
        assert_eq!(samples.len(), 4 * mesh.walls.len());
        for s in &samples {
            let side = (s.position[1].abs() - 2.0).abs() < 1e-12;
            let want = if side { 0.0 } else { 3.0 };
            assert!((s.shear - want).abs() < 1e-12, "{s:?}");
        }
        let r = range(samples);
        assert!(
            (r.area - (2.0 * 4.0 + 2.0 * 3.0)).abs() < 1e-12,
            "4 x 1 twice, 3 x 1 twice"
        );
        assert!((r.mean - 3.0 * 8.0 / 14.0).abs() < 1e-12);
        assert!((r.max - 3.0).abs() < 1e-12 && r.min < 1e-12);
        assert!(r.max_at[2] < 1e-12 || r.max_at[2] > 3.0 - 1e-12);
        assert!((r.min_at[1].abs() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn shear_is_tangential_on_curved_walls() {
        let mesh = extruded(arc(6, 9.0, 1.0), 2, 2.0);
        // Plain shear u = (y, 0, 0): on a vertical wall with normal (n_x, n_y) it is |n_x^2 - n_y^2|, on the floor nothing.
        let velocity: Vec<[f64; 3]> = mesh.nodes.iter().map(|p| [p[1], 0.0, 0.0]).collect();
        let points = wall_points(&mesh, &mesh.walls);
        let mut sides = 0.0;
        for point in &points {
            let shear = point.shear(&mesh, |n| velocity[n as usize]);
            if point.normal[2].abs() > 0.5 {
                assert!(shear < 1e-12 && (point.normal[2].abs() - 1.0).abs() < 1e-12);
                continue;
            }
            sides += point.area;
            // The arc turns about (0, 9).
            let (x, y) = (point.position[0], point.position[1] - 9.0);
            let cos_2 = (x * x - y * y) / (x * x + y * y);
            assert!(
                (shear - cos_2.abs()).abs() < 1e-3,
                "{shear} against {cos_2}"
            );
            let outward = (point.normal[0] * x + point.normal[1] * y) / x.hypot(y);
            let want = if x.hypot(y) > 9.0 { 1.0 } else { -1.0 };
            assert!((outward - want).abs() < 1e-4, "out of the fluid");
        }
        // Inner and outer arcs of one wedge of ten, to the accuracy of a quadratic edge.
        let want = 2.0 * (6.0 + 12.0) / 10.0;
        assert!((sides / want - 1.0).abs() < 1e-4, "{sides} against {want}");
        let turn: Vec<[f64; 3]> = mesh.nodes.iter().map(|p| [-p[1], p[0], 0.0]).collect();
        assert!(range(wall_shear(&mesh, &turn)).max < 1e-11, "rigid motion");
    }

    #[test]
    fn no_walls_no_shear() {
        assert_eq!(range([]), ShearRange::default());
    }
}
