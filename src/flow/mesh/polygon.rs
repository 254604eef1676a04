//! A polygon becomes a meshed component: a grid where one fits, no gap or sharp corner asks for smaller cells and no post is in the way, else
//! Delaunay triangles in layers.

use super::gaps::Sizes;
use super::grading::{Corners, graded_points};
use super::grid::grid;
use super::partition::partition;
use super::{ComponentMesh, Domain, MeshError, P2Mesh, delaunay, layers};

/// A polygon's mesh, not yet cut.
pub struct Meshed {
    /// The mesh.
    pub mesh: P2Mesh,
    /// Outward direction of each socket, rad.
    pub angles: Vec<f64>,
    /// Cell size at each socket, in cells of the component.
    pub scales: Vec<f64>,
    /// The strip of each cell and the number of strips, where the mesh is a grid.
    strips: Option<(Vec<u32>, usize)>,
}

/// Meshes a polygon and cuts it into blocks; arguments and errors as in `mesh`.
pub fn polygon(
    resolution: u32,
    domain: &Domain<'_>,
    grading: Corners,
) -> Result<ComponentMesh, MeshError> {
    let made = mesh(resolution, domain, grading)?;
    let (blocks, n_blocks) = made.strips.unwrap_or_else(|| layers::layers(&made.mesh));
    Ok(partition(
        &made.mesh,
        &blocks,
        n_blocks,
        &made.angles,
        &made.scales,
    ))
}

/// The outward direction of each socket, rad, and the size of its cells in those of the component.
pub fn angles_and_scales(domain: &Domain<'_>, resolution: u32) -> impl Iterator<Item = (f64, f64)> {
    let corners = domain.corners;
    domain.sockets.iter().map(move |&k| {
        let edge = corners[(k + 1) % corners.len()] - corners[k];
        let angle = (-edge.left()).angle();
        (angle, edge.norm() / f64::from(resolution))
    })
}

/// Meshes a polygon.
///
/// # Shapes and units
/// - `domain` in cell sizes of its narrowest socket
/// # Errors
/// [`MeshError`]: no socket, an outline that meets itself or nearly does, more cells than can be afforded.
pub fn mesh(resolution: u32, domain: &Domain<'_>, grading: Corners) -> Result<Meshed, MeshError> {
    let &Domain {
        corners, sockets, ..
    } = domain;
    if sockets.is_empty() {
        return Err(MeshError::NoSocket);
    }
    if !domain.is_finite() {
        return Err(MeshError::Dimension);
    }
    let (angles, scales) = angles_and_scales(domain, resolution).unzip();
    let sizes = Sizes::new(domain, resolution, graded_points(domain, grading))?;
    let gridded = match sizes.is_uniform() && domain.holes.is_empty() {
        true => grid(corners, sockets, resolution)?,
        false => None,
    };
    let (mesh, strips) = match gridded {
        Some(made) => (made.mesh, Some((made.block_of_cell, made.n_blocks))),
        None => (delaunay::delaunay(domain, resolution, &sizes)?, None),
    };
    Ok(Meshed {
        mesh,
        angles,
        scales,
        strips,
    })
}
