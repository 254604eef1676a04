//! A piece with its own plan and leaves, kept in the table by content: made once for all copies in all chips.
//!
//! Kinds and leaves have numbers of their own in it; a chip's plan adopts them under its own names
//! ([`Plan::adopt`]). What substitution walks through is laid out when it is first asked for.

use std::sync::{Arc, OnceLock};

use super::{Extrusion, Leaf, Patch, Piece, PieceError, Workshop};
use crate::mesh::PlanePart;
use crate::stokes::boundary::SlipEdges;
use crate::stokes::section::Section;
use stokeslet_base::table::Caching;
use stokeslet_fronts::plan::FrontKind;
use stokeslet_fronts::{Plan, Recipe, Tree};

/// A piece and all that belongs to it whatever chip it is in.
pub struct Canonical<const D: usize> {
    /// How it is eliminated on to its sockets.
    pub piece: Piece,
    plan: Plan,
    leaves: Vec<Arc<Leaf<D>>>,
    layout: OnceLock<Arc<Layout>>,
}

/// A piece's local vector: how it is filled, and where leaves lie in it.
pub struct Layout {
    /// How its unknowns follow from its boundary; kinds have the piece's own numbers.
    pub tree: Arc<Tree>,
    /// Leaves in their places, with the piece's own numbers.
    pub patches: Arc<[Patch]>,
    /// Which unknowns of the local vector are pressures.
    pub is_pressure: Vec<bool>,
}

/// What a chip's plan calls a piece's kinds, and where the chip has its leaves.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By the piece's own number.
    pub kinds: Vec<u32>,
    /// By the piece's own number.
    pub leaves: Vec<u32>,
}

impl<const D: usize> Canonical<D> {
    /// Plans a part's fronts; arguments as of [`Piece::new`].
    ///
    /// # Errors
    /// [`PieceError`].
    pub fn new(
        (part, slip): (&PlanePart, &SlipEdges),
        numbers: [f64; 2],
        section: &Section,
        extrusion: &dyn Extrusion<D>,
        caching: Caching,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, PieceError> {
        let mut shop = Workshop {
            plan: Plan::new(caching),
            leaves: Vec::new(),
            section,
            extrusion,
            is_cancelled,
        };
        let piece = Piece::new(part, slip, numbers, &mut shop)?;
        Ok(Self {
            piece,
            plan: shop.plan,
            leaves: shop.leaves.into_iter().map(Arc::new).collect(),
            layout: OnceLock::new(),
        })
    }

    /// Puts its kinds into a chip's plan and its leaves, where they are new there, among the chip's.
    pub fn adopt(&self, plan: &mut Plan, leaves: &mut Vec<Arc<Leaf<D>>>) -> Names {
        let kinds = plan.adopt(&self.plan.kinds, |own| {
            leaves.push(self.leaves[own as usize].clone());
            leaves.len() as u32 - 1
        });
        let mut found: Vec<Option<u32>> = vec![None; self.leaves.len()];
        for (own, &name) in self.plan.kinds.iter().zip(&kinds) {
            if let (Recipe::Leaf(own), Recipe::Leaf(there)) =
                (&own.recipe, &plan.kinds[name as usize].recipe)
            {
                found[*own as usize] = Some(*there);
            }
        }
        // No front is made of a leaf as it lies where its front is that of its mirror image: only patches name it.
        let mut as_it_lies = |leaf: &Arc<Leaf<D>>| {
            leaves.push(leaf.clone());
            leaves.len() as u32 - 1
        };
        let named = found.into_iter().zip(&self.leaves);
        let leaves = named
            .map(|(known, leaf)| known.unwrap_or_else(|| as_it_lies(leaf)))
            .collect();
        Names { kinds, leaves }
    }

    /// Its local vector. The first call costs time and memory like its length; port results don't need it.
    pub fn layout(&self) -> Arc<Layout> {
        let made = self.layout.get_or_init(|| {
            let patches = self.piece.patches();
            let mut is_pressure = vec![false; self.piece.n];
            for patch in patches.iter() {
                let flags = &self.leaves[patch.leaf as usize].is_pressure;
                let places = patch.unknowns.iter().flat_map(|r| r.start..r.start + r.len);
                places
                    .zip(flags)
                    .for_each(|(at, &flag)| is_pressure[at as usize] = flag);
            }
            Arc::new(Layout {
                tree: self.piece.tree(&self.plan),
                patches,
                is_pressure,
            })
        });
        made.clone()
    }

    /// Bytes that it holds, or will once its leaves are assembled and its local vector is laid out; about.
    pub fn bytes(&self) -> u64 {
        self.plan_bytes() + self.layout_bytes()
    }

    /// Bytes of its plan and of its leaves, once they are assembled; about.
    pub fn plan_bytes(&self) -> u64 {
        let leaves: u64 = self.leaves.iter().map(|l| l.bytes()).sum();
        let kinds: u64 = self.plan.kinds.iter().map(kind_bytes).sum();
        leaves + kinds
    }

    /// Bytes of its local vector's layout, about.
    pub fn layout_bytes(&self) -> u64 {
        // A leaf's patch and the two nodes of the tree that come with it.
        let nodes = self.piece.n_nodes as u64 / self.piece.n_leaves.max(1);
        let a_leaf = 600 + 8 * nodes;
        self.piece.n_leaves * a_leaf + self.piece.n as u64
    }
}

fn kind_bytes(kind: &FrontKind) -> u64 {
    let images = match &kind.recipe {
        Recipe::Join(children) => children.iter().map(|c| 16 * c.images.len() as u64).sum(),
        Recipe::Leaf(_) | Recipe::Given => 0,
    };
    200 + images
}
