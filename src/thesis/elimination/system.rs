//! What the elimination is given: block rows, who couples with whom, and a source of the matrices.

use faer::Mat;

use super::id::MatRef;
use stokeslet_base::fingerprint::Fingerprint;

/// When a row may be eliminated; earlier stages first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stage {
    /// Coupled only within one block: condensed before all else.
    Condense,
    /// Part of a component: cyclic reduction where it has at most two neighbours of its stage, else after those.
    Component,
    /// Part of a component, after all rows of the stage before.
    ComponentLast,
    /// Bounds components.
    Separator,
}

/// A symmetric block system; matrices are leaves, named by number, assembled only when needed.
#[derive(Clone, Debug, Default)]
pub struct BlockSystem {
    /// Unknowns of each row.
    pub sizes: Vec<u32>,
    /// Stage of each row.
    pub stages: Vec<Stage>,
    /// Connected part of the system that each row lies in.
    pub connected_components: Vec<u32>,
    /// Connected components whose matrix has a null vector (one each).
    pub singular_connected_components: Vec<bool>,
    /// (row, column, leaf) with row <= column; a leaf reference may be transposed. Diagonal blocks are symmetric.
    pub couplings: Vec<(u32, u32, LeafRef)>,
    /// Pairs of separators whose coupling, once all between them is eliminated, may have low rank.
    pub far_pairs: Vec<(u32, u32)>,
}

/// A leaf by number, perhaps transposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeafRef {
    /// Its number.
    pub leaf: u32,
    /// Whether the coupling is its transpose.
    pub transposed: bool,
}

/// Where the matrices of leaves come from.
pub trait Leaves: Sync {
    /// How many there are.
    fn n_leaves(&self) -> usize;
    /// Rows and columns of a leaf.
    fn shape(&self, leaf: u32) -> (u32, u32);
    /// Its key: equal keys, equal matrices, in this and any other system.
    fn fingerprint(&self, leaf: u32) -> Fingerprint;
    /// Its values.
    fn assemble(&self, leaf: u32) -> Mat<f64>;
}

/// One row's elimination: `x_row = inverse * b_row - sum over neighbours of weights * x_neighbour`.
#[derive(Clone, Debug)]
pub struct Step {
    /// The row.
    pub row: u32,
    /// Inverse of its diagonal block.
    pub inverse: MatRef,
    /// Rows eliminated later that it couples with, and `inverse * A(row, neighbour)`.
    pub neighbours: Vec<(u32, MatRef)>,
}
