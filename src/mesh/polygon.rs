//! A polygon becomes a meshed component: a grid where one fits, else Delaunay triangles in layers.

use super::grid::grid;
use super::partition::partition;
use super::{ComponentMesh, MeshError, delaunay, layers};
use crate::geometry::Point;

/// Meshes a polygon and cuts it into blocks.
///
/// # Shapes and units
/// - `corners` counter-clockwise, in cell sizes of the narrowest socket; socket k is the edge after corner `sockets[k]`
/// # Errors
/// [`MeshError`]: no socket, an outline that meets itself, more cells than can be afforded.
pub fn polygon(
    resolution: u32,
    corners: &[Point],
    sockets: &[usize],
) -> Result<ComponentMesh, MeshError> {
    if sockets.is_empty() {
        return Err(MeshError::NoSocket);
    }
    if !corners.iter().all(|p| p.x.is_finite() && p.y.is_finite()) {
        return Err(MeshError::Dimension);
    }
    let edge = |&k: &usize| corners[(k + 1) % corners.len()] - corners[k];
    let angles: Vec<f64> = sockets.iter().map(|k| (-edge(k).left()).angle()).collect();
    let scales: Vec<f64> = sockets
        .iter()
        .map(|k| edge(k).norm() / f64::from(resolution))
        .collect();
    if let Some(made) = grid(corners, sockets, resolution)? {
        return Ok(partition(
            &made.mesh,
            &made.block_of_cell,
            made.n_blocks,
            &angles,
            &scales,
        ));
    }
    let mesh = delaunay::delaunay(corners, sockets, resolution)?;
    let (block_of_cell, n_blocks) = layers::layers(&mesh);
    Ok(partition(&mesh, &block_of_cell, n_blocks, &angles, &scales))
}
