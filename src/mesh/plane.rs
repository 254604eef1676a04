//! What the fronts need of a canonical shape: slices of strips described, not listed; polygons as one mesh.

use super::strip::{Slices, Step};
use super::{BlockKind, BlockMesh, INTERIOR};

/// A canonical shape's mesh in its own frame, in cells.
#[derive(Clone, Debug)]
pub enum PlanePart {
    /// Slices across the flow.
    Strip(PlaneStrip),
    /// Anything else.
    Polygon(PlanePolygon),
}

/// `n_whole` copies of one slice, then perhaps one of another length. Nothing here costs time like their number.
#[derive(Clone, Debug)]
pub struct PlaneStrip {
    /// In the frame of its own first cross-section.
    pub slice: PlaneSlice,
    /// Where a pipe's length is no multiple of a cell.
    pub last: Option<PlaneSlice>,
    /// How many of the first kind.
    pub n_whole: u64,
    /// Where each lies.
    pub step: Step,
}

/// A slice and its nodes by place.
#[derive(Clone, Debug)]
pub struct PlaneSlice {
    /// In cells of its own.
    pub mesh: BlockMesh<2>,
    /// First cross-section, from -y to +y.
    pub left: Vec<u32>,
    /// Second cross-section, from -y to +y.
    pub right: Vec<u32>,
    /// Between them.
    pub interior: Vec<u32>,
}

/// A polygon's mesh.
#[derive(Clone, Debug)]
pub struct PlanePolygon {
    /// In cells of its narrowest mouth.
    pub mesh: BlockMesh<2>,
    /// In the order of sockets.
    pub mouths: Vec<PlaneMouth>,
}

/// Nodes along a mouth.
#[derive(Clone, Debug)]
pub struct PlaneMouth {
    /// Counter-clockwise about the part.
    pub nodes: Vec<u32>,
    /// Outward, rad.
    pub angle: f64,
    /// Unit of its cells in cells of the part.
    pub scale: f64,
}

impl From<BlockKind<2>> for PlaneSlice {
    fn from(kind: BlockKind<2>) -> Self {
        let list = |slot| kind.nodes_in(slot).into_iter().map(|n| n.0).collect();
        Self {
            left: list(0),
            right: list(1),
            interior: list(INTERIOR),
            mesh: kind.mesh,
        }
    }
}

impl From<Slices> for PlaneStrip {
    fn from(s: Slices) -> Self {
        Self {
            slice: s.kind.into(),
            last: s.last.map(PlaneSlice::from),
            n_whole: s.n_whole,
            step: s.step,
        }
    }
}
