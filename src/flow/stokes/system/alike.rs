//! Whether the meshes of two chips are images of each other: the same cells, a little deformed.

use rustc_hash::FxHashMap;

use super::{Instance, System};
use crate::stokes::piece::{Leaf, Patch};

/// Nodes lie no further from each other than this, in cells: a thousandth of a part of a hundred cells.
const NEAR: f64 = 0.1;
/// Directions of unknowns and of parts differ by no more than this.
const TURN: f64 = 0.01;

impl<const D: usize> System<D> {
    /// Whether every unknown of `other` is one of this chip, of the same number, in a cell that is a little moved or deformed. Then what
    /// solves one nearly solves the other, and their difference is smooth in whatever moves one into the other.
    ///
    /// It says no where it can't tell: where the same part is described in another way, as the mirror image of another one.
    pub fn is_image_of(&self, other: &Self) -> bool {
        let is_same = self.section == other.section
            && self.class == other.class
            && self.datums == other.datums
            && self.connected_components == other.connected_components
            && self.instances.len() == other.instances.len()
            && self.ports.len() == other.ports.len()
            && self.aliases.len() == other.aliases.len();
        let aliases = self.aliases.iter().zip(&other.aliases);
        let ports = self.ports.iter().zip(&other.ports);
        if !is_same
            || !aliases.clone().all(|(a, b)| (a.0, a.1) == (b.0, b.1))
            || !ports.clone().all(|(a, b)| a.interface == b.interface)
        {
            return false;
        }
        let mut known: FxHashMap<(u32, u32), bool> = FxHashMap::default();
        let pairs = self.instances.iter().zip(&other.instances);
        pairs.into_iter().all(|(a, b)| {
            lie_alike(a, b)
                && *known
                    .entry((a.piece, b.piece))
                    .or_insert_with(|| self.piece_is_image(a, other, b))
        })
    }

    fn piece_is_image(&self, here: &Instance, other: &Self, there: &Instance) -> bool {
        let (a, b) = (self.piece_of(here), other.piece_of(there));
        if (a.n, a.n_boundary, a.n_nodes) != (b.n, b.n_boundary, b.n_nodes) {
            return false;
        }
        let [a, b] = [(self, here), (other, there)]
            .map(|(system, i)| system.pieces[i.piece as usize].layout());
        let patches = a.patches.iter().zip(b.patches.iter());
        // Copies of a leaf need one look.
        let mut known: FxHashMap<(usize, usize), bool> = FxHashMap::default();
        a.patches.len() == b.patches.len()
            && a.is_pressure == b.is_pressure
            && patches.into_iter().all(|(p, q)| {
                let numbers = [
                    self.leaf_number(here.piece, p),
                    other.leaf_number(there.piece, q),
                ];
                patches_lie_alike(p, q)
                    && *known.entry(numbers.into()).or_insert_with(|| {
                        leaves_are_images(&self.leaves[numbers[0]], &other.leaves[numbers[1]])
                    })
            })
    }
}

fn lie_alike(a: &Instance, b: &Instance) -> bool {
    let images = a.boundary.iter().zip(&b.boundary);
    a.motion.mirror == b.motion.mirror
        && is_near_angle(a.motion.turn(0.0), b.motion.turn(0.0))
        && a.interfaces == b.interfaces
        && a.boundary.len() == b.boundary.len()
        && images
            .into_iter()
            .all(|(a, b)| a.to == b.to && a.factor * b.factor >= 0.0)
}

fn is_near_angle(a: f64, b: f64) -> bool {
    let away = a - b;
    away.cos() > 0.0 && away.sin().abs() < TURN
}

fn patches_lie_alike(a: &Patch, b: &Patch) -> bool {
    let ranges = a.unknowns.iter().zip(&b.unknowns);
    a.nodes == b.nodes
        && is_near_angle(a.angle, b.angle)
        && a.unknowns.len() == b.unknowns.len()
        && ranges
            .into_iter()
            .all(|(a, b)| (a.start, a.len) == (b.start, b.len))
}

fn leaves_are_images<const D: usize>(a: &Leaf<D>, b: &Leaf<D>) -> bool {
    let moves = a.moves.iter().zip(&b.moves);
    let nodes = a.mesh.nodes.iter().zip(&b.mesh.nodes);
    a.mesh.cells == b.mesh.cells
        && a.mesh.nodes.len() == b.mesh.nodes.len()
        && a.moves.len() == b.moves.len()
        && moves.into_iter().all(|(a, b)| {
            let each = a.iter().zip(b);
            a.len() == b.len()
                && each
                    .into_iter()
                    .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < TURN)
        })
        && nodes.into_iter().all(|(a, b)| {
            let each = a.iter().zip(b);
            each.into_iter().all(|(x, y)| (x - y).abs() < NEAR)
        })
}
