//! A symmetric block system becomes its solution, every essentially different operation done once.
//!
//! ```text
//! BlockSystem --Planner (integers only)--> operations, steps --run (work-stealing, frees at last use)--> factors
//!                                                                            | right-hand sides
//!                                                                            v
//!                                     forward and back substitution (planned too, equal vectors once) --> solution
//! ```
//! Reading order: [`system`] (what comes in), [`id`] (what is "the same matrix"), [`plan`] (one elimination step as
//! operations), [`order`] (which row next), [`run`], [`substitution`].
//!
//! Knows no physics, no meshes and no chips: any symmetric block-structured system can be solved by it. Planning never sees a
//! float; the one thing that it learns from numbers are ranks ([`order`], stage 5), which are integers.

pub mod id;
pub mod order;
pub mod plan;
pub mod run;
pub mod substitution;
pub mod system;

pub use order::{Elimination, EliminationError, eliminate};
pub use plan::Counters;
pub use run::RunSettings;
pub use system::{BlockSystem, Leaves, Stage};
