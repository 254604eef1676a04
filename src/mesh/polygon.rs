//! A polygon becomes a meshed component: a grid where one fits, else Delaunay triangles in layers.

use super::grid::grid;
use super::partition::partition;
use super::plane::{PlaneMouth, PlanePolygon};
use super::{BlockMesh, ComponentMesh, MeshError, P2Mesh, delaunay, layers};
use crate::geometry::Point;

/// A polygon's mesh before it is cut into blocks.
struct Meshed {
    mesh: P2Mesh,
    /// Block of each cell and how many there are, where the method brings its own.
    blocks: Option<(Vec<u32>, usize)>,
    /// Outward direction of each socket, rad.
    angles: Vec<f64>,
    /// Unit of each socket's cells.
    scales: Vec<f64>,
}

fn meshed(resolution: u32, corners: &[Point], sockets: &[usize]) -> Result<Meshed, MeshError> {
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
    let (mesh, blocks) = match grid(corners, sockets, resolution)? {
        Some(made) => (made.mesh, Some((made.block_of_cell, made.n_blocks))),
        None => (delaunay::delaunay(corners, sockets, resolution)?, None),
    };
    Ok(Meshed {
        mesh,
        blocks,
        angles,
        scales,
    })
}

/// Meshes a polygon as a whole.
///
/// # Shapes and units
/// - as for [`polygon`]
/// # Errors
/// As for [`polygon`].
pub fn plane_polygon(
    resolution: u32,
    corners: &[Point],
    sockets: &[usize],
) -> Result<PlanePolygon, MeshError> {
    let m = meshed(resolution, corners, sockets)?;
    let mouths = m
        .mesh
        .sockets
        .iter()
        .zip(m.angles.iter().zip(&m.scales))
        .map(|(nodes, (&angle, &scale))| PlaneMouth {
            nodes: nodes.clone(),
            angle,
            scale,
        })
        .collect();
    Ok(PlanePolygon {
        mesh: BlockMesh {
            nodes: m.mesh.nodes.iter().map(|p| [p.x, p.y]).collect(),
            n_vertices: m.mesh.n_vertices,
            cells: m.mesh.cells.iter().flatten().copied().collect(),
            on_wall: m.mesh.on_wall,
            walls: m.mesh.walls,
        },
        mouths,
    })
}

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
    let m = meshed(resolution, corners, sockets)?;
    let (block_of_cell, n_blocks) = m.blocks.unwrap_or_else(|| layers::layers(&m.mesh));
    Ok(partition(
        &m.mesh,
        &block_of_cell,
        n_blocks,
        &m.angles,
        &m.scales,
    ))
}
