//! What acts on material points in the derivative: their stiffness, and blocks of what they touch.

use crate::grid::{OnPoints, Stiffness};
use crate::loops::{Work, each};
use crate::material::M9;
use crate::real::V3;

use super::derivative::{Block, Precision, Side};
use super::{Slot, vec3};

/// Blocks of contacts of material points (one a block, at its first slot), by their points, of which one may touch several things.
pub(super) struct PointContacts {
    /// Where the blocks of each point begin, and where all end.
    first: Vec<u32>,
    pub(super) blocks: Vec<Block>,
}

impl PointContacts {
    /// Of `n_points` points, each block with its point.
    pub(super) fn new(n_points: usize, mut of_points: Vec<(u32, Block)>) -> PointContacts {
        of_points.sort_by_key(|(point, _)| *point);
        let mut first = vec![0; n_points + 1];
        for (point, _) in &of_points {
            first[*point as usize + 1] += 1;
        }
        for p in 0..n_points {
            first[p + 1] += first[p];
        }
        let blocks = of_points.into_iter().map(|(_, block)| block).collect();
        PointContacts { first, blocks }
    }

    /// Those of point `p`.
    fn of(&self, p: usize) -> &[Block] {
        &self.blocks[self.first[p] as usize..self.first[p + 1] as usize]
    }

    /// Whether point `p` touches anything.
    pub(super) fn has(&self, p: usize) -> bool {
        !self.of(p).is_empty()
    }
}

/// Contacts of points in a product with the velocities `z`.
pub(super) struct PointForces<'a> {
    pub(super) contacts: &'a PointContacts,
    pub(super) z: &'a [f64],
    pub(super) side: Side,
}

impl OnPoints for PointForces<'_> {
    fn acts_on(&self, p: usize) -> bool {
        self.contacts.has(p)
    }
    fn force(&self, p: usize, velocity: &V3, others: &mut Vec<(usize, V3)>) -> V3 {
        let velocity = |slot| match slot {
            Slot::Dof(at) => vec3(self.z, at),
            Slot::Point(_) => *velocity,
            Slot::Pinned => V3::zeros(),
        };
        let mut own = V3::zeros();
        for block in self.contacts.of(p) {
            for (row, slot) in block.slots.iter().enumerate() {
                let force = block.force(row, self.side, velocity);
                match *slot {
                    Slot::Dof(at) => others.push((at, force)),
                    Slot::Point(_) => own += force,
                    Slot::Pinned => {}
                }
            }
        }
        own
    }
}

/// The stiffness of the points.
pub(super) enum PointStiffness {
    /// Of every point; nothing of sand that came apart.
    Double(Vec<M9>),
    /// Of those that have any.
    Single(Stiffness),
}

impl PointStiffness {
    /// Of the derivatives of stresses by gradients of those points that didn't come apart.
    pub(super) fn new(
        precision: Precision,
        is_apart: &[bool],
        of: impl Fn(usize) -> M9 + Sync + Send,
    ) -> PointStiffness {
        match precision {
            Precision::Single => PointStiffness::Single(Stiffness::new(is_apart, of)),
            Precision::Double => {
                let of = |p: usize| if is_apart[p] { M9::zeros() } else { of(p) };
                PointStiffness::Double(each(Work::Heavy, is_apart.len(), of))
            }
        }
    }
}
