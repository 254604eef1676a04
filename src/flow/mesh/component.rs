//! A component's mesh: few kinds of blocks, many placements, and the lines where blocks meet.

use std::sync::Arc;

use super::BlockKind;
use stokeslet_base::geometry::Point;

/// One node of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineNode {
    /// Carries pressure too.
    pub vertex: bool,
    /// Lies on a wall.
    pub wall: bool,
}

/// A line where blocks (or a block and another component) meet.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its nodes; along a socket counter-clockwise about the component, alike for all copies elsewhere.
    pub nodes: Arc<Vec<LineNode>>,
    /// Direction of its own x axis in the component's frame, rad; at a socket this is outward.
    pub angle: f64,
    /// Its unit of length in units of the component (1 but in tapers).
    pub scale: f64,
    /// The socket it is, if it is one.
    pub socket: Option<usize>,
}

/// A block placed in a component: rotated, scaled, moved.
#[derive(Clone, Debug)]
pub struct BlockPlacement {
    /// Index into [`ComponentMesh::kinds`].
    pub kind: usize,
    /// Rotation, rad.
    pub angle: f64,
    /// Its unit of length in units of the component.
    pub scale: f64,
    /// Where its origin lies, in units of the component.
    pub origin: Point,
    /// The line in each slot, and whether the slot counts it backwards.
    pub lines: Vec<(u32, bool)>,
}

/// Two names of one node: a corner where two sockets touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SocketAlias {
    /// (socket, index along it) that keeps the node.
    pub keeps: (usize, usize),
    /// (socket, index along it) that is the same node.
    pub same: (usize, usize),
}

/// A meshed component in its own frame, in units of its narrowest channel's cell size.
#[derive(Clone, Debug)]
pub struct ComponentMesh {
    /// Canonical blocks.
    pub kinds: Vec<BlockKind<2>>,
    /// All blocks.
    pub blocks: Vec<BlockPlacement>,
    /// Sockets' lines first, in the order of sockets; then the inner ones.
    pub lines: Vec<Line>,
    /// Corners where sockets touch.
    pub aliases: Vec<SocketAlias>,
}
