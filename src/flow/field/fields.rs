//! The solution as nodal values of quadratic triangles, in the chip's frame and SI units.

use stokeslet_base::geometry::Point;

/// Velocity and pressure at the nodes of all cells.
#[derive(Clone, Debug, Default)]
pub struct Fields {
    /// Positions of the P2 nodes (vertices and edge middles), m.
    pub nodes: Vec<Point>,
    /// Six nodes a cell: three vertices counter-clockwise, then the middles of edges 01, 12, 20 (VTK's quadratic triangle).
    /// Edges on arcs are curved: their middle node lies on the arc.
    pub cells: Vec<[u32; 6]>,
    /// Velocity at every node, m/s.
    pub velocity: Vec<Point>,
    /// Pressure at every node, Pa; at edge middles the mean of the edge's ends (pressure is P1).
    pub pressure: Vec<f64>,
    /// Part of the chip (index into `Chip::parts`) that every cell belongs to.
    pub part: Vec<u32>,
    /// Edges of cells on walls: (cell, edge 0..3), edge k being from vertex k to vertex k+1.
    pub walls: Vec<(u32, u8)>,
    /// How deep the flow is that these are of.
    pub depths: Depths,
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
