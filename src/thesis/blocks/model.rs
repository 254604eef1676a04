//! The cut chip: kinds of blocks, blocks, rows, and how they see each other.

use std::sync::Arc;

use super::frame::{BlockFrame, Relative};
use super::layout::Layout;
use stokeslet_base::fingerprint::Fingerprint;
use stokeslet_base::geometry::Point;
use stokeslet_flow::mesh::{BlockKind, MeshError};
use stokeslet_flow::session::BlockCounts;

/// When a row may be eliminated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RowClass {
    /// Inside one block: first, condensing it.
    Interior,
    /// Between the blocks of one component.
    Inner,
    /// After the component's other rows: at a polygon's sockets, whose corners two of them share.
    Last,
    /// Bounds components from each other: last.
    Separator,
}

/// A block row of the system.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index into [`BlockModel::layouts`].
    pub layout: u32,
    /// Its own axes and unit.
    pub frame: BlockFrame,
    /// Number of its first owned node in the chip.
    pub first_node: u32,
    /// When it may be eliminated.
    pub class: RowClass,
}

/// How a kind of block sees a row.
#[derive(Clone, Debug)]
pub struct Side {
    /// Index into [`BlockModel::kinds`].
    pub kind: u32,
    /// The row's layout.
    pub layout: u32,
    /// (node of the block, node of the row).
    pub nodes: Vec<(u32, u32)>,
    /// How the row lies relative to the block.
    pub relative: Relative,
    /// Key.
    pub fingerprint: Fingerprint,
}

/// A block touches a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Incidence {
    /// Index into [`BlockModel::rows`].
    pub row: u32,
    /// Index into [`BlockModel::sides`].
    pub side: u32,
}

/// A canonical block and its key.
#[derive(Clone, Debug)]
pub struct CanonicalBlock {
    /// Mesh and places.
    pub block: Arc<BlockKind<2>>,
    /// Key of the mesh.
    pub fingerprint: Fingerprint,
}

/// A copy of a canonical block in the chip.
#[derive(Clone, Debug)]
pub struct Block {
    /// Index into [`BlockModel::kinds`].
    pub kind: u32,
    /// Index into `Chip::parts`.
    pub part: u32,
    /// Orientation and unit.
    pub frame: BlockFrame,
    /// Where its origin lies in the chip, m.
    pub origin: Point,
    /// The rows it touches, by row.
    pub incidences: Vec<Incidence>,
}

impl Block {
    /// A point of the block's mesh in the chip, m.
    pub fn to_chip(&self, p: [f64; 2]) -> Point {
        self.origin + self.frame.to_chip(Point::new(p[0], p[1]) * self.frame.unit)
    }
}

/// Where a port lies among the blocks.
#[derive(Clone, Debug)]
pub struct PortPlace {
    /// Row of the port's line.
    pub row: u32,
    /// Outward unit vector in the chip.
    pub outward: Point,
    /// Middle of the socket, m.
    pub middle: Point,
    /// Across, m.
    pub width: f64,
}

/// A chip cut into blocks and rows.
#[derive(Clone, Debug)]
pub struct BlockModel {
    /// Cells across a channel.
    pub resolution: u32,
    /// Drag of the depth model at unit length 1 m: 12 / depth^2, or 0; 1/m^2.
    pub drag: f64,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// Canonical blocks.
    pub kinds: Vec<CanonicalBlock>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// Distinct layouts.
    pub layouts: Vec<Layout>,
    /// Block rows.
    pub rows: Vec<Row>,
    /// Distinct sides.
    pub sides: Vec<Side>,
    /// Pairs of separators at the two ends of a strip at least one and a half widths long.
    pub far_pairs: Vec<(u32, u32)>,
    /// In the chip's order of ports.
    pub ports: Vec<PortPlace>,
    /// Geometry blocks by kind.
    pub counts: BlockCounts,
    /// Unknowns of the system.
    pub n_unknowns: usize,
    /// Nodes of the chip.
    pub n_nodes: usize,
}

/// A part that can't be meshed.
#[derive(Clone, Debug, PartialEq)]
pub struct CutError {
    /// Index into `Chip::parts`.
    pub part: usize,
    /// Why.
    pub error: MeshError,
}
