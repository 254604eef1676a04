//! A canonical block's mesh, and which of its nodes lie on which connection.

use crate::fem::lagrange::n_nodes;

/// P2 mesh of one canonical block, in cell sizes; `D` is the dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMesh<const D: usize> {
    /// Positions; the vertices (which also carry pressure) come first.
    pub nodes: Vec<[f64; D]>,
    /// How many of the nodes are vertices.
    pub n_vertices: usize,
    /// [`n_nodes`] nodes a cell, one cell after the other.
    pub cells: Vec<u32>,
    /// Whether the node lies on a wall.
    pub on_wall: Vec<bool>,
    /// Wall facets: (cell, local facet); facet k of a triangle runs from vertex k to vertex k+1, facet k of a tetrahedron lies
    /// opposite vertex k.
    pub walls: Vec<(u32, u8)>,
}

impl<const D: usize> BlockMesh<D> {
    /// What it takes in memory.
    pub fn bytes(&self) -> u64 {
        let nodes = size_of_val(&*self.nodes) + self.on_wall.len();
        (nodes + size_of_val(&*self.cells) + size_of_val(&*self.walls)) as u64
    }

    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        self.cells.len() / n_nodes::<D>()
    }

    /// Nodes of one cell.
    pub fn cell(&self, cell: usize) -> &[u32] {
        let n = n_nodes::<D>();
        &self.cells[cell * n..(cell + 1) * n]
    }

    /// Positions of one cell's nodes.
    pub fn cell_nodes(&self, cell: usize) -> Vec<[f64; D]> {
        self.cell(cell)
            .iter()
            .map(|&n| self.nodes[n as usize])
            .collect()
    }
}

/// Slot number of nodes that lie on no connection.
pub const INTERIOR: u16 = u16::MAX;

/// Where a block's node lies: on the line in `slot` as its `index`-th node, or in the interior as the `index`-th there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Slot of the block, or [`INTERIOR`].
    pub slot: u16,
    /// Position in that line or interior.
    pub index: u32,
}

/// A canonical block: its mesh and the places of its nodes. All copies share one.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockKind<const D: usize> {
    /// The mesh.
    pub mesh: BlockMesh<D>,
    /// One a node.
    pub places: Vec<Place>,
    /// Number of lines that the block touches.
    pub n_slots: usize,
}

impl<const D: usize> BlockKind<D> {
    /// (local node, index) of all nodes in a slot (or [`INTERIOR`]), by index.
    pub fn nodes_in(&self, slot: u16) -> Vec<(u32, u32)> {
        let mut found: Vec<(u32, u32)> = self
            .places
            .iter()
            .enumerate()
            .filter(|(_, p)| p.slot == slot)
            .map(|(n, p)| (n as u32, p.index))
            .collect();
        found.sort_by_key(|&(_, index)| index);
        found
    }
}
