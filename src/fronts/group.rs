//! Pieces that share unknowns, eliminated in groups: a junction with the ends of its pipes becomes one front.

mod across;
mod join;
mod within;

use across::across;
use join::{Joiner, Joint, Live};
use within::{Holders, components, reduce};

use super::FrontError;
use super::plan::{Image, KindId, NOWHERE, Plan};
use super::tree::{Node, ScaledRange, Tree, ranges};

/// What becomes of an unknown that pieces share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Eliminated with the group that holds it.
    Free,
    /// Its value is given: it stays, known.
    Given,
    /// Left to the network.
    Kept,
    /// Zero: on a wall.
    Zero,
}

/// A piece: a front on shared unknowns.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its kind.
    pub kind: KindId,
    /// One a boundary unknown: which shared unknown it is.
    pub boundary: Vec<Image>,
}

/// What is left of a group: a front on kept and given unknowns.
#[derive(Clone, Debug)]
pub struct Root {
    /// Its kind.
    pub kind: KindId,
    /// Where its boundary lies in the top vector.
    pub boundary: Vec<ScaledRange>,
}

/// All groups: one vector of shared unknowns (the top vector), those of the network and the given ones first.
#[derive(Debug, Default)]
pub struct Top {
    /// How the free unknowns follow from the others.
    pub tree: Tree,
    /// One a group.
    pub roots: Vec<Root>,
    /// Place in the top vector of each shared unknown, or [`NOWHERE`].
    pub position: Vec<u32>,
}

/// Who follows the planning, and may stop it.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked now and then: true stops it.
    pub is_cancelled: &'a (dyn Fn() -> bool + Sync),
    /// Told now and then: done, to do.
    pub progress: &'a (dyn Fn(usize, usize) + Sync),
}

impl Watch<'_> {
    /// Nobody follows.
    pub const NOBODY: Watch<'static> = Watch {
        is_cancelled: &|| false,
        progress: &|_, _| {},
    };
}

/// Joins elements that share free unknowns until none is shared; then what `bridges` connect.
///
/// # Shapes and units
/// - `bridges`: elements on unknowns from number `bridged` on, each held by one element and one bridge (the two ends of a coupling
///   of low rank, the first half of a bridge's boundary at one end); all of them are free
/// # Errors
/// [`FrontError::Cancelled`].
/// # Accuracy and cost
/// A hub with its satellites (the usual junction) is one front. Other groups are joined pair by pair, smallest result first,
/// disjoint pairs in rounds, so that chains of copies become copies (as cyclic reduction would have it). What is left of the
/// groups, a network with a handful of unknowns a bridge, is joined the same way: two groups and all bridges between them.
/// Time grows like the boundaries of all joins together.
pub fn group(
    plan: &mut Plan,
    elements: &[Element],
    bridges: &[Element],
    bridged: u32,
    class: &[Class],
    watch: Watch<'_>,
) -> Result<Top, FrontError> {
    let mut inside = class.to_vec();
    for class in inside.iter_mut().skip(bridged as usize) {
        *class = Class::Kept;
    }
    let mut joiner = Joiner::new(plan, class.len());
    let mut holders = Holders::new(class.len());
    let mut groups = Vec::new();
    for members in components(elements, &inside) {
        if groups.len().is_multiple_of(64) && (watch.is_cancelled)() {
            return Err(FrontError::Cancelled);
        }
        let live = members.into_iter();
        let live = live
            .map(|e| Live::new(elements[e as usize].clone()))
            .collect();
        groups.push(reduce(&mut joiner, live, &inside, &mut holders));
    }
    let roots = across(&mut joiner, groups, bridges.to_vec(), class, watch)?;
    let joints = joiner.joints;
    Ok(top(plan, class, &joints, &roots))
}

/// Lays out the vector of all shared unknowns: kept and given ones, then joint by joint.
fn top(plan: &Plan, class: &[Class], joints: &[Joint], roots: &[Live]) -> Top {
    let mut position = vec![NOWHERE; class.len()];
    let mut n = 0_u32;
    for (place, _) in position
        .iter_mut()
        .zip(class)
        .filter(|c| matches!(c.1, Class::Given | Class::Kept))
    {
        *place = n;
        n += 1;
    }
    let n_boundary = n as usize;
    let mut firsts = Vec::with_capacity(joints.len());
    for joint in joints {
        firsts.push(n);
        for &gid in &joint.eliminated {
            position[gid as usize] = n;
            n += 1;
        }
    }
    // Parents come after their children.
    let mut depth = vec![0_u32; joints.len()];
    for (k, joint) in joints.iter().enumerate().rev() {
        for &c in &joint.children {
            depth[c as usize] = depth[k] + 1;
        }
    }
    let place = |boundary: &[Image]| -> Vec<ScaledRange> {
        ranges(boundary.iter().map(|i| Image {
            to: position.get(i.to as usize).copied().unwrap_or(NOWHERE),
            factor: i.factor,
        }))
    };
    let nodes = joints.iter().enumerate().map(|(k, joint)| Node {
        kind: joint.kind,
        boundary: place(&joint.boundary),
        eliminated: firsts[k],
        depth: depth[k],
    });
    let tree = Tree::new(n_boundary, n as usize, nodes.collect(), |kind| {
        plan.kinds[kind as usize].n_eliminated > 0
    });
    let roots = roots
        .iter()
        .map(|root| Root {
            kind: root.element.kind,
            boundary: place(&root.element.boundary),
        })
        .collect();
    Top {
        tree,
        roots,
        position,
    }
}

fn free<'a>(element: &'a Element, class: &'a [Class]) -> impl Iterator<Item = u32> + 'a {
    element
        .boundary
        .iter()
        .map(|i| i.to)
        .filter(|&g| g != NOWHERE && class[g as usize] == Class::Free)
}

#[cfg(test)]
mod tests;
