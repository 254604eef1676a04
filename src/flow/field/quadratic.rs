//! The solution as nodal values of quadratic simplices, in the chip's frame and SI units: one type in the plane and in space.

use std::fmt::Debug;

use crate::fem::lagrange::n_nodes;
use crate::mesh::Top;
use stokeslet_base::geometry::Point;

/// What nodes, cells and depths of a field are in `D` dimensions.
pub trait Dimension<const D: usize> {
    /// A position, m, or a velocity, m/s.
    type Point: Copy + Debug + Default + PartialEq + Send + Sync + From<[f64; D]> + Into<[f64; D]>;
    /// The nodes of a cell.
    type Cell: bytemuck::Pod + Debug + PartialEq + Send + Sync + AsRef<[u32]>;
    /// How deep the flow is.
    type Depth: Clone + Debug + Default + PartialEq + Send + Sync;
}

/// The plane, `In<2>`, and space, `In<3>`.
#[derive(Clone, Copy, Debug)]
pub struct In<const D: usize>;

impl Dimension<2> for In<2> {
    type Point = Point;
    /// Three vertices counter-clockwise, then the middles of edges 01, 12, 20 (VTK's quadratic triangle). Edges on arcs are curved: their
    /// middle node lies on the arc.
    type Cell = [u32; 6];
    type Depth = Depths;
}

impl Dimension<3> for In<3> {
    /// z is the height over the floor.
    type Point = [f64; 3];
    /// Four vertices, then the middles of edges 01, 12, 20, 03, 13, 23 (VTK's quadratic tetrahedron).
    type Cell = [u32; 10];
    type Depth = SolvedDepth;
}

/// Velocity and pressure at the nodes of all cells.
#[derive(Clone, Debug, Default)]
pub struct Field<const D: usize>
where
    In<D>: Dimension<D>,
{
    /// Positions of the P2 nodes (vertices and edge middles), m.
    pub nodes: Vec<<In<D> as Dimension<D>>::Point>,
    /// Nodes of every cell.
    pub cells: Vec<<In<D> as Dimension<D>>::Cell>,
    /// Velocity at every node, m/s.
    pub velocity: Vec<<In<D> as Dimension<D>>::Point>,
    /// Pressure at every node, Pa; at edge middles the mean of the edge's ends (pressure is P1).
    pub pressure: Vec<f64>,
    /// Part of the chip (index into `Chip::parts`) that every cell belongs to.
    pub part: Vec<u32>,
    /// Facets of cells on walls: (cell, facet). Facet k of a triangle is the edge from vertex k to vertex k+1, of a tetrahedron it lies
    /// opposite vertex k.
    pub walls: Vec<(u32, u8)>,
    /// How deep the flow is that these are of.
    pub depths: <In<D> as Dimension<D>>::Depth,
}

impl<const D: usize> Field<D>
where
    In<D>: Dimension<D>,
{
    /// Whether there is one value a node and one part a cell, and cells name nodes that exist.
    pub fn is_consistent(&self) -> bool {
        let n = self.nodes.len();
        let exists = |&node: &u32| (node as usize) < n;
        self.velocity.len() == n
            && self.pressure.len() == n
            && self.cells.len() == self.part.len()
            && self
                .cells
                .iter()
                .all(|cell| cell.as_ref().iter().all(exists))
    }
}

/// How deep a flow in the plane is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Depths {
    /// As deep everywhere.
    #[default]
    Even,
    /// Every part's depth over the chip's: velocities times these conserve volume.
    OfParts(Vec<f64>),
    /// These are a cut through a flow in space: velocities in it alone conserve nothing.
    Cut,
}

/// How much of the depth of a flow in space was solved.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvedDepth {
    /// Depth of the channels, m.
    pub depth: f64,
    /// What bounds the solved part above: under [`Top::Symmetry`] it is the lower half.
    pub top: Top,
}

impl Default for SolvedDepth {
    fn default() -> Self {
        Self {
            depth: 0.0,
            top: Top::Wall,
        }
    }
}

/// Cells from the nodes of all, one cell after the other; in place, but where more memory was set aside than whole cells fill.
pub(super) fn cells_of<const D: usize>(flat: Vec<u32>) -> Vec<<In<D> as Dimension<D>>::Cell>
where
    In<D>: Dimension<D>,
{
    debug_assert_eq!(flat.len() % n_nodes::<D>(), 0);
    bytemuck::try_cast_vec(flat)
        .unwrap_or_else(|(_, flat): (_, Vec<u32>)| bytemuck::pod_collect_to_vec(&flat))
}
