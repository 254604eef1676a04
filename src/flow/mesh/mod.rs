//! Canonical shapes become canonical meshes, cut into blocks.
//!
//! ```text
//! strip   --slices across the flow-------------------------> ComponentMesh
//! polygon --sizes near gaps, posts and sharp corners, rectilinear grid or constrained Delaunay, symmetric ones by halves--> P2Mesh --layers--> partition --> ComponentMesh
//! either, neither listed nor cut ------------------------------------------------------> PlanePart --dissect--> tree of cells
//! PlanePart of a shape that differs little --its nodes moved--> PlanePart with the same cells, for derivatives
//! plane mesh --layers through the depth, prisms cut in three--> tetrahedra
//! ```
//! Everything is in the component's own frame, in units of its narrowest channel's cell size, so that equal shapes have
//! equal meshes to the last bit. Knows nothing of components, placements or physics.

mod block;
mod component;
mod delaunay;
pub mod dissect;
mod domain;
mod extrude;
mod gaps;
pub mod grading;
mod grid;
mod grid_lines;
mod image;
mod layers;
mod p2;
mod partition;
mod pattern;
mod plane;
mod polygon;
mod quality;
pub mod separators;
mod socket_rank;
mod strip;
mod symmetry;

pub use block::{BlockKind, BlockMesh, INTERIOR, Place};
pub use component::{BlockPlacement, ComponentMesh, Line, LineNode, SocketAlias};
pub use domain::Domain;
pub use extrude::{ExtrudeError, Extruded, TETRAHEDRON_FACETS, Top, extrude};
pub use grading::Corners;
pub use image::{image, lies_near};
pub use p2::P2Mesh;
pub use partition::snap;
pub use pattern::{Placement, SliceCounts, Step};
pub use plane::{
    PlanePart, PlanePolygon, PlaneSlice, PlaneSocket, PlaneStrip, plane_arc, plane_arc_like,
    plane_polygon, plane_straight, plane_straight_like,
};
pub use polygon::polygon;
pub use quality::{Quality, quality};
pub use socket_rank::socket_rank;
pub use strip::{arc, line_number, straight};

use stokeslet_cad::shape::gaps::SMALLEST_GAP;
use thiserror::Error;

/// Why a shape can't be meshed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// A polygon whose boundary meets itself.
    #[error("its outline meets itself near ({x:.6}, {y:.6}) cells from its origin")]
    NotSimple {
        /// Cells along x.
        x: f64,
        /// Cells along y.
        y: f64,
    },
    /// Two walls of a polygon with next to nothing between them.
    #[error(
        "two of its walls are only {gap:.2e} of its narrowest socket's width apart; gaps below {SMALLEST_GAP:e} of it can't be solved"
    )]
    Gap {
        /// Distance over the width of the narrowest socket.
        gap: f64,
    },
    /// Nothing to flow through.
    #[error("it has no socket")]
    NoSocket,
    /// More cells than can be numbered or afforded.
    #[error("it would need about {cells:.0} cells; the limit is {limit:.0}")]
    TooManyCells {
        /// Estimate.
        cells: f64,
        /// Limit.
        limit: f64,
    },
    /// The Delaunay refinement gave up.
    #[error(
        "refining its triangulation did not finish: its outline has features far smaller than a cell"
    )]
    Refinement,
    /// A connection or a port names a socket that isn't there.
    #[error("it has no socket number {socket}")]
    UnknownSocket {
        /// The number.
        socket: usize,
    },
    /// Its plane mesh can't be extruded through the depth.
    #[error(transparent)]
    Extrude(#[from] ExtrudeError),
    /// A dimension that is not positive and finite.
    #[error("one of its dimensions is not positive and finite")]
    Dimension,
}
