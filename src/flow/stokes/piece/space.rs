//! Plane meshes in the chip's dimension: as they are, or extruded through the depth.

use crate::mesh::{BlockMesh, MeshError, Top, extrude, socket_rank};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};

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
pub trait Extrusion<const D: usize>: Sync {
    /// The unit of length of all extruded meshes, m, where they share one; else each keeps the unit of its plane mesh.
    ///
    /// In the plane, matrices don't depend on the size of what they are made of; in space they do, as the depth is the same
    /// for all.
    fn unit(&self) -> Option<f64>;

    /// All that an extruded mesh depends on besides the plane mesh and its size in the shared unit.
    fn key(&self) -> Fingerprint;

    /// The extruded mesh.
    ///
    /// # Shapes and units
    /// - `sockets`: the nodes along each socket, in order
    /// - `size`: of a cell of the plane mesh in the shared unit; without one nothing depends on it
    /// # Errors
    /// [`MeshError`].
    fn extrude(
        &self,
        plane: &BlockMesh<2>,
        sockets: &[&[u32]],
        size: f64,
    ) -> Result<SpaceMesh<D>, MeshError>;
}

/// Two dimensions: nothing to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flat;

impl Extrusion<2> for Flat {
    fn unit(&self) -> Option<f64> {
        None
    }

    fn key(&self) -> Fingerprint {
        Hasher::new(Domain::Plane).finish()
    }

    fn extrude(
        &self,
        plane: &BlockMesh<2>,
        _sockets: &[&[u32]],
        _size: f64,
    ) -> Result<SpaceMesh<2>, MeshError> {
        let n = plane.nodes.len() as u32;
        Ok(SpaceMesh {
            mesh: plane.clone(),
            place: (0..n).map(|k| (k, 0)).collect(),
            plane_cell: (0..plane.n_cells() as u32).collect(),
            node_at: (0..n).collect(),
            n_levels: 1,
        })
    }
}

/// Three dimensions: layers through the depth, prisms cut into tetrahedra.
#[derive(Clone, Copy, Debug)]
pub struct Layers {
    /// Unit of length of all pieces, m.
    pub unit: f64,
    /// How many.
    pub layers: u32,
    /// Depth of all layers, m: half the channel's under [`Top::Symmetry`].
    pub depth: f64,
    /// What bounds the last level.
    pub top: Top,
}

/// Most tetrahedra of one piece's mesh.
const MAX_CELLS: f64 = 1e8;

impl Extrusion<3> for Layers {
    fn unit(&self) -> Option<f64> {
        Some(self.unit)
    }

    fn key(&self) -> Fingerprint {
        Hasher::new(Domain::Space)
            .word(u64::from(self.layers))
            .word(u64::from(self.top == Top::Symmetry))
            .float(self.depth / self.unit)
            .finish()
    }

    fn extrude(
        &self,
        plane: &BlockMesh<2>,
        sockets: &[&[u32]],
        size: f64,
    ) -> Result<SpaceMesh<3>, MeshError> {
        let cells = 3.0 * plane.n_cells() as f64 * f64::from(self.layers);
        if cells > MAX_CELLS {
            let limit = MAX_CELLS;
            return Err(MeshError::TooManyCells { cells, limit });
        }
        // Ranks of the mesh as it is: they tell copies apart by order only, whatever their size.
        let sockets: Vec<Vec<u32>> = sockets.iter().map(|m| m.to_vec()).collect();
        let rank = socket_rank(plane, &sockets)?;
        let mut sized = plane.clone();
        for node in &mut sized.nodes {
            *node = node.map(|x| x * size);
        }
        let layers = self.layers as usize;
        let made = extrude(&sized, &rank, layers, self.depth / self.unit, self.top)?;
        let n_plane = plane.n_cells();
        Ok(SpaceMesh {
            // Three tetrahedra a prism, layer by layer.
            plane_cell: (0..made.mesh.n_cells())
                .map(|c| (c / 3 % n_plane) as u32)
                .collect(),
            mesh: made.mesh,
            place: made.node,
            node_at: made.number,
            n_levels: 2 * self.layers + 1,
        })
    }
}
