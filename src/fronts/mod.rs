//! Fronts: the elimination as it is used, kinds of pieces eliminated once, copies for nothing.

pub mod compute;
pub mod group;
pub mod lowrank;
pub mod network;
pub mod pivot;
pub mod plan;
pub mod tree;
#[cfg(test)]
mod trial;

pub use compute::{FrontError, Inside, Known, Leaves, Run, Schur, Values, Wanted, schur_key};
pub use group::{Class, Element, Top, group};
pub use network::{Exchange, Network};
pub use plan::{Child, Counters, Image, KindId, NOWHERE, Plan, Recipe};
pub use tree::{Node, Tree};
