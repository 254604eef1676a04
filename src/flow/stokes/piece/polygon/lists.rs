//! The unknowns of every front of a dissected polygon: those that stay and those that go, in the order in which its children list
//! them. Fronts of one height are listed side by side; only then are they named, one after the other.

use std::sync::Arc;

use stokeslet_base::parallel;

use super::Prepared;
use super::scratch::{Scratch, Scratches};
use super::unknowns::{Mirrored, Unknowns, factor};
use crate::mesh::dissect::{Dissection, DissectionNode};
use crate::stokes::section::NONE;
use stokeslet_fronts::{Child, Image, KindId, Shape};

/// The unknowns of a front.
#[derive(Default)]
pub(super) struct List {
    pub boundary: Vec<u32>,
    pub eliminated: Vec<u32>,
    /// How its children's unknowns lie in it, where it is a join.
    pub shape: Option<Shape>,
}

/// Unknowns and, by front, the axes that it is mirrored along.
pub(super) type Context<'a> = (&'a Unknowns, &'a dyn Fn(usize) -> Mirrored);

/// The unknowns of all fronts; `None` where somebody asked to stop.
pub(super) fn lists(
    tree: &Dissection,
    leaves: &[Option<Prepared>],
    unknowns: &Unknowns,
    scratches: &Scratches,
    mirrored: &(impl Fn(usize) -> Mirrored + Sync),
    is_cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<List>> {
    let of_leaf = |leaf: &Option<Prepared>| {
        let Some(leaf) = leaf else {
            return List::default();
        };
        let (boundary, eliminated) = leaf.order.split_at(leaf.n_boundary);
        List {
            boundary: boundary.to_vec(),
            eliminated: eliminated.to_vec(),
            shape: None,
        }
    };
    let mut lists: Vec<List> = parallel::each(leaves, 16, of_leaf);
    for level in joins_by_height(tree) {
        let take = || scratches.take();
        let listed = parallel::map_with(level.len(), 1, take, |scratch, k| {
            let (t, children) = level[k];
            let context: Context<'_> = (unknowns, mirrored);
            (!is_cancelled()).then(|| list(&lists, t as usize, &children, context, scratch))
        });
        for (&(t, _), list) in level.iter().zip(listed) {
            lists[t as usize] = list?;
        }
    }
    Some(lists)
}

/// A join: its number and its children's.
type Join = (u32, [u32; 2]);

/// Each level needs only those before it.
fn joins_by_height(tree: &Dissection) -> Vec<Vec<Join>> {
    let mut height = vec![0_usize; tree.nodes.len()];
    let mut levels: Vec<Vec<Join>> = Vec::new();
    for (t, node) in tree.nodes.iter().enumerate() {
        if let DissectionNode::Join { children } = node {
            let below = children.map(|c| height[c as usize]);
            height[t] = 1 + below[0].max(below[1]);
            levels.resize_with(levels.len().max(height[t]), Vec::new);
            levels[height[t] - 1].push((t as u32, *children));
        }
    }
    levels
}

/// Two fronts joined: their unknowns in the order in which they list them.
fn list(
    lists: &[List],
    t: usize,
    children: &[u32; 2],
    (unknowns, mirrored): Context<'_>,
    Scratch { unknown: local, .. }: &mut Scratch,
) -> List {
    let (mut boundary, mut eliminated) = (Vec::new(), Vec::new());
    for &c in children {
        for &u in &lists[c as usize].boundary {
            if local[u as usize] == NONE {
                let goes = unknowns.at[u as usize] == t as u32;
                let list = if goes { &mut eliminated } else { &mut boundary };
                local[u as usize] = list.len() as u32;
                list.push(u);
            }
        }
    }
    let n_boundary = boundary.len() as u32;
    for &u in &eliminated {
        local[u as usize] += n_boundary;
    }
    let mut shape = Shape::new(n_boundary, eliminated.len() as u32);
    for &c in children {
        let across = between(mirrored(t), mirrored(c as usize));
        for &u in &lists[c as usize].boundary {
            shape.image(image(unknowns, across, u, local));
        }
        shape.end_of_child();
    }
    for &u in boundary.iter().chain(&eliminated) {
        local[u as usize] = NONE;
    }
    List {
        boundary,
        eliminated,
        shape: Some(shape),
    }
}

/// The axes that one of two fronts is mirrored along and the other isn't.
fn between(one: Mirrored, other: Mirrored) -> Mirrored {
    [0, 1].map(|axis| one[axis] != other[axis])
}

fn image(unknowns: &Unknowns, across: Mirrored, u: u32, local: &[u32]) -> Image {
    Image {
        to: local[u as usize],
        factor: factor(across != [false; 2] && unknowns.turns(across, u)),
    }
}

/// A listed join's children, image by image, for a plan that has no such front yet.
pub(super) fn join(
    lists: &[List],
    t: usize,
    children: &[u32; 2],
    kinds: &[KindId; 2],
    (unknowns, mirrored): Context<'_>,
    Scratch { unknown: local, .. }: &mut Scratch,
) -> Vec<Child> {
    let own = || lists[t].boundary.iter().chain(&lists[t].eliminated);
    for (k, &u) in own().enumerate() {
        local[u as usize] = k as u32;
    }
    let child = |(&c, &kind): (&u32, &KindId)| {
        let across = between(mirrored(t), mirrored(c as usize));
        let images = lists[c as usize].boundary.iter();
        let images = images.map(|&u| image(unknowns, across, u, local));
        Child {
            kind,
            images: images.collect::<Arc<[Image]>>(),
        }
    };
    let made = children.iter().zip(kinds).map(child).collect();
    own().for_each(|&u| local[u as usize] = NONE);
    made
}
