//! Plane meshes in the chip's dimension: as they are, or extruded through the depth.

use crate::mesh::BlockMesh;

/// A mesh and where it comes from in the plane.
#[derive(Clone, Debug)]
pub struct SpaceMesh<const D: usize> {
    /// The mesh.
    pub mesh: BlockMesh<D>,
    /// Plane node and level of every node.
    pub place: Vec<(u32, u32)>,
    /// Plane cell of every cell.
    pub plane_cell: Vec<u32>,
    /// Node at (plane node, level): plane node * levels + level.
    pub node_at: Vec<u32>,
    /// Levels.
    pub n_levels: u32,
}

impl<const D: usize> SpaceMesh<D> {
    /// The node at a plane node and level.
    pub fn node(&self, plane: u32, level: u32) -> u32 {
        self.node_at[(plane * self.n_levels + level) as usize]
    }
}

/// Makes a plane mesh one of the chip's dimension.
pub trait Lift<const D: usize>: Sync {
    /// The lifted mesh; `mouths` are the nodes along each mouth, in order.
    fn lift(&self, plane: &BlockMesh<2>, mouths: &[&[u32]]) -> SpaceMesh<D>;
}

/// Two dimensions: nothing to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flat;

impl Lift<2> for Flat {
    fn lift(&self, plane: &BlockMesh<2>, _mouths: &[&[u32]]) -> SpaceMesh<2> {
        let n = plane.nodes.len() as u32;
        SpaceMesh {
            mesh: plane.clone(),
            place: (0..n).map(|k| (k, 0)).collect(),
            plane_cell: (0..plane.n_cells() as u32).collect(),
            node_at: (0..n).collect(),
            n_levels: 1,
        }
    }
}
