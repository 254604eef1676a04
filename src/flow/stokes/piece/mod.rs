//! A canonical part as fronts: which unknowns it has, how they are eliminated on to its sockets, and where its cells lie.
//!
//! ```text
//! local vector of a copy = [ boundary: unknowns on its sockets | eliminated, front by front ]
//! strip:    lines and interiors of slices; fronts by doubling, lengths that are powers of two first
//! polygon:  nested dissection down to leaves of a few cells
//! ```
//! Everything is in the part's canonical frame and unit, so a piece is made once for all its copies.

mod canonical;
mod leaf;
mod polygon;
mod space;
mod strip;

pub use canonical::{Canonical, Layout, Names};
pub use leaf::{LANES, Leaf, LeafMatrices};
pub use space::{Extrusion, Flat, Layers, SpaceMesh};

use std::sync::Arc;

use thiserror::Error;

use crate::mesh::{MeshError, PlanePart};
use crate::stokes::boundary::SlipEdges;
use crate::stokes::section::Section;
use stokeslet_base::fingerprint::Fingerprint;
use stokeslet_base::geometry::Point;
use stokeslet_fronts::tree::ScaledRange;
use stokeslet_fronts::{Image, KindId, Plan, Recipe, Tree};

/// Leaves of all pieces and the plan that they belong to.
pub struct Workshop<'a, const D: usize> {
    /// Kinds of fronts.
    pub plan: Plan,
    /// Matrices of its leaves.
    pub leaves: Vec<Leaf<D>>,
    /// Unknowns of every socket.
    pub section: &'a Section,
    /// Makes plane meshes into meshes of the chip's dimension.
    pub extrusion: &'a dyn Extrusion<D>,
    /// Asked now and then: true stops the planning.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Why a part can't be made a piece.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PieceError {
    /// Its mesh can't be made.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Somebody asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl<const D: usize> Workshop<'_, D> {
    fn go_on(&self) -> Result<(), PieceError> {
        if (self.is_cancelled)() {
            Err(PieceError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// The kind of a leaf with this key and (boundary, eliminated) unknowns, and its number among the leaves; made if it is new.
    fn leaf(
        &mut self,
        key: Fingerprint,
        [n_boundary, n_eliminated]: [u32; 2],
        make: impl FnOnce() -> Leaf<D>,
    ) -> (KindId, u32) {
        let number = self.leaves.len() as u32;
        let kind = self.plan.leaf(key, n_boundary, n_eliminated, number);
        match self.plan.kinds[kind as usize].recipe {
            Recipe::Leaf(known) if known != number => (kind, known),
            _ => {
                self.leaves.push(make());
                (kind, number)
            }
        }
    }
}

/// One leaf in its place in a piece.
#[derive(Clone, Debug)]
pub struct Patch {
    /// Number of the leaf.
    pub leaf: u32,
    /// Where its unknowns lie in the local vector.
    pub unknowns: Vec<ScaledRange>,
    /// Number in the piece of each node of its mesh.
    pub nodes: Vec<u32>,
    /// Rotation, rad.
    pub angle: f64,
    /// Its unit in units of the piece.
    pub scale: f64,
    /// Where its mesh's origin lies, in units of the piece.
    pub origin: Point,
}

/// A canonical part, eliminated on to its sockets.
#[derive(Debug)]
pub struct Piece {
    /// The front on its boundary.
    pub root: KindId,
    /// Unknowns of the boundary.
    pub n_boundary: usize,
    /// Unknowns of a local vector.
    pub n: usize,
    /// By socket: for each unknown of the section, the boundary unknown that it is: `x_boundary[to] = factor * x_socket`;
    /// [`crate::stokes::section::NONE`] where the piece's walls hold the fluid.
    pub sockets: Vec<Vec<Image>>,
    /// Boundary unknowns that are zero: where walls of different directions meet in a socket's end.
    pub rests: Vec<u32>,
    /// By socket: for each node of the section (across, then level), its number in the piece.
    pub socket_nodes: Vec<Vec<u32>>,
    /// Nodes on its sockets; they are numbered first.
    pub n_boundary_nodes: usize,
    /// All nodes.
    pub n_nodes: usize,
    /// Unit of each socket in units of the piece.
    pub socket_scales: Vec<f64>,
    /// Whether its two ends are so far apart that their coupling may have low rank.
    pub is_long: bool,
    /// Leaves of its tree.
    pub n_leaves: u64,
    /// How its inside is laid out.
    body: Body,
}

#[derive(Debug)]
enum Body {
    Strip(Box<strip::StripBody>),
    Polygon {
        tree: Arc<Tree>,
        patches: Arc<[Patch]>,
    },
}

impl Piece {
    /// Plans the fronts of a part.
    ///
    /// # Shapes and units
    /// - `slip`: which of its walls slip
    /// - `drag`: of the depth model at the part's unit, 12 (unit / depth)^2 or 0
    /// - `size`: of the part's cells in the unit that all pieces share, where they share one
    /// # Errors
    /// [`PieceError`]: its plane mesh can't be extruded.
    pub fn new<const D: usize>(
        part: &PlanePart,
        slip: &SlipEdges,
        [drag, size]: [f64; 2],
        shop: &mut Workshop<'_, D>,
    ) -> Result<Self, PieceError> {
        match part {
            PlanePart::Strip(strip) => {
                let slips = match slip {
                    SlipEdges::Strip(slips) => *slips,
                    SlipEdges::None | SlipEdges::Polygon(_) => [false; 2],
                };
                strip::piece(strip, slips, [drag, size], shop)
            }
            PlanePart::Polygon(polygon) => {
                let edges: &[_] = match slip {
                    SlipEdges::Polygon(edges) => edges,
                    SlipEdges::None | SlipEdges::Strip(_) => &[],
                };
                polygon::piece(polygon, edges, [drag, size], shop)
            }
        }
    }

    /// How its unknowns follow from its boundary. Costs time like its length; port results don't need it.
    pub fn tree(&self, plan: &Plan) -> Arc<Tree> {
        match &self.body {
            Body::Strip(body) => Arc::new(body.tree(self, plan)),
            Body::Polygon { tree, .. } => tree.clone(),
        }
    }

    /// Every leaf in its place.
    pub fn patches(&self) -> Arc<[Patch]> {
        match &self.body {
            Body::Strip(body) => body.patches().collect(),
            Body::Polygon { patches, .. } => patches.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
