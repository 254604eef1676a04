//! Pieces that share unknowns, eliminated in groups: a junction with the ends of its pipes becomes one front.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::plan::{Child, Image, KindId, NOWHERE, Plan};
use super::tree::{Node, Run, Tree, runs};

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
    /// Where its boundary lies in the top slab.
    pub boundary: Vec<Run>,
}

/// All groups: one slab of shared unknowns, those of the network and the given ones first.
#[derive(Debug, Default)]
pub struct Top {
    /// How the free unknowns follow from the others.
    pub tree: Tree,
    /// One a group.
    pub roots: Vec<Root>,
    /// Place in the slab of each shared unknown, or [`NOWHERE`].
    pub position: Vec<u32>,
}

/// Joins elements that share free unknowns until none is shared; then what `bridges` connect.
///
/// # Shapes and units
/// - `bridges`: elements on unknowns from number `bridged` on, each held by one element and one bridge (the two ends of a coupling
///   of low rank, the first half of a bridge's boundary at one end); all of them are free
/// # Accuracy and cost
/// A hub with its satellites (the usual junction) is one front. Other groups are joined pair by pair, smallest result first,
/// disjoint pairs in rounds, so that chains of copies become copies (as cyclic reduction would have it). What is left of the
/// groups, a network with a handful of unknowns a bridge, is joined the same way: two groups and all bridges between them.
pub fn group(
    plan: &mut Plan,
    elements: &[Element],
    bridges: &[Element],
    bridged: u32,
    class: &[Class],
) -> Top {
    let mut position = vec![NOWHERE; class.len()];
    let mut n = 0_u32;
    for (gid, _) in class
        .iter()
        .enumerate()
        .filter(|c| matches!(c.1, Class::Given | Class::Kept))
    {
        position[gid] = n;
        n += 1;
    }
    let n_boundary = n as usize;
    let mut joints = Vec::new();
    let mut inside = class.to_vec();
    for class in inside.iter_mut().skip(bridged as usize) {
        *class = Class::Kept;
    }
    let mut groups = Vec::new();
    for members in components(elements, &inside) {
        let live = members
            .into_iter()
            .map(|e| Live {
                element: elements[e as usize].clone(),
                joint: None,
            })
            .collect();
        groups.push(reduce(plan, live, &inside, &mut joints));
    }
    let roots: Vec<Element> = across(plan, groups, bridges.to_vec(), class, &mut joints)
        .into_iter()
        .map(|root| root.element)
        .collect();
    let mut firsts = Vec::with_capacity(joints.len());
    for joint in &joints {
        firsts.push(n);
        for &gid in &joint.eliminated {
            position[gid as usize] = n;
            n += 1;
        }
    }
    // Parents come after their children.
    let mut depth = vec![0_u32; joints.len()];
    for k in (0..joints.len()).rev() {
        joints[k]
            .children
            .iter()
            .for_each(|&c| depth[c as usize] = depth[k] + 1);
    }
    let place = |boundary: &[Image]| -> Vec<Run> {
        let placed: Vec<Image> = boundary
            .iter()
            .map(|i| Image {
                to: position[i.to as usize],
                factor: i.factor,
            })
            .collect();
        runs(&placed)
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
        .map(|r| Root {
            kind: r.kind,
            boundary: place(&r.boundary),
        })
        .collect();
    Top {
        tree,
        roots,
        position,
    }
}

/// An element on its way up, and the joint that made it.
struct Live {
    element: Element,
    joint: Option<u32>,
}

/// A join that was planned.
struct Joint {
    kind: KindId,
    boundary: Vec<Image>,
    eliminated: Vec<u32>,
    children: Vec<u32>,
}

/// Elements that hang together through free unknowns, each component and the whole in ascending order.
fn components(elements: &[Element], class: &[Class]) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..elements.len() as u32).collect();
    fn root(parent: &mut [u32], mut at: u32) -> u32 {
        while parent[at as usize] != at {
            parent[at as usize] = parent[parent[at as usize] as usize];
            at = parent[at as usize];
        }
        at
    }
    let mut holder = vec![NOWHERE; class.len()];
    for (e, element) in elements.iter().enumerate() {
        for image in free(element, class) {
            let first = &mut holder[image as usize];
            if *first == NOWHERE {
                *first = e as u32;
            } else {
                let (a, b) = (root(&mut parent, *first), root(&mut parent, e as u32));
                parent[a.max(b) as usize] = a.min(b);
            }
        }
    }
    let mut number: FxHashMap<u32, usize> = FxHashMap::default();
    let mut found: Vec<Vec<u32>> = Vec::new();
    for e in 0..elements.len() as u32 {
        let r = root(&mut parent, e);
        let k = *number.entry(r).or_insert_with(|| {
            found.push(Vec::new());
            found.len() - 1
        });
        found[k].push(e);
    }
    found
}

fn free<'a>(element: &'a Element, class: &'a [Class]) -> impl Iterator<Item = u32> + 'a {
    element
        .boundary
        .iter()
        .map(|i| i.to)
        .filter(|&g| g != NOWHERE && class[g as usize] == Class::Free)
}

/// Joins a component's elements to one.
fn reduce(plan: &mut Plan, mut live: Vec<Live>, class: &[Class], joints: &mut Vec<Joint>) -> Live {
    while live.len() > 1 {
        let shared = shared_counts(&live, class);
        let hub = (0..live.len()).find(|&h| {
            (0..live.len()).all(|e| e == h || shared[e].keys().all(|&o| o as usize == h))
        });
        if let Some(hub) = hub {
            let hub = live.remove(hub);
            let mut all = vec![hub];
            all.append(&mut live);
            live.push(join(plan, all, &[], class, joints));
            break;
        }
        live = round(plan, live, &shared, class, joints);
    }
    let last = live.pop().expect("a component has at least one element");
    // What no other element shares (the free unknowns of ports) goes last.
    if free(&last.element, class).next().is_some() {
        join(plan, vec![last], &[], class, joints)
    } else {
        last
    }
}

/// Joins groups across bridges, the pair with the smallest result first, disjoint pairs in rounds, until no bridge is left.
fn across(
    plan: &mut Plan,
    groups: Vec<Live>,
    mut bridges: Vec<Element>,
    class: &[Class],
    joints: &mut Vec<Joint>,
) -> Vec<Live> {
    let mut groups: Vec<Option<Live>> = groups.into_iter().map(Some).collect();
    while !bridges.is_empty() {
        let ends = ends(&groups, &bridges, class);
        let pairs = best_pairs(&groups, &bridges, &ends);
        let mut pair_of = vec![NOWHERE; groups.len()];
        for (p, &(a, b)) in pairs.iter().enumerate() {
            pair_of[a as usize] = p as u32;
            pair_of[b as usize] = p as u32;
        }
        let mut between: Vec<Vec<Element>> = vec![Vec::new(); pairs.len()];
        let mut left = Vec::new();
        for (bridge, (a, b)) in bridges.into_iter().zip(ends) {
            let p = pair_of[a as usize];
            if p != NOWHERE && p == pair_of[b as usize] {
                between[p as usize].push(bridge);
            } else {
                left.push(bridge);
            }
        }
        for (&(a, b), between) in pairs.iter().zip(between) {
            let mut parts: Vec<Live> = Vec::new();
            parts.extend(groups[a as usize].take());
            parts.extend(groups[b as usize].take());
            parts.sort_by_key(|l| std::cmp::Reverse(l.element.boundary.len()));
            let mut goes: Vec<u32> = between.iter().flat_map(|e| free(e, class)).collect();
            goes.sort_unstable();
            let mut stay: Vec<u32> = parts
                .iter()
                .flat_map(|l| free(&l.element, class))
                .filter(|g| goes.binary_search(g).is_err())
                .collect();
            stay.sort_unstable();
            parts.extend(between.into_iter().map(|element| Live {
                element,
                joint: None,
            }));
            groups[a as usize] = Some(join(plan, parts, &stay, class, joints));
        }
        bridges = left;
    }
    groups.into_iter().flatten().collect()
}

/// The two groups that each bridge connects, the lower first.
fn ends(groups: &[Option<Live>], bridges: &[Element], class: &[Class]) -> Vec<(u32, u32)> {
    let mut holder = vec![NOWHERE; class.len()];
    for (k, group) in groups.iter().enumerate() {
        for image in group.iter().flat_map(|g| &g.element.boundary) {
            if image.to != NOWHERE {
                holder[image.to as usize] = k as u32;
            }
        }
    }
    bridges
        .iter()
        .map(|b| {
            let at = |i: usize| holder[b.boundary[i].to as usize];
            let (first, second) = (at(0), at(b.boundary.len() / 2));
            (first.min(second), first.max(second))
        })
        .collect()
}

/// Pairs of groups each of which is the other's best: the smallest front would be left of them.
fn best_pairs(
    groups: &[Option<Live>],
    bridges: &[Element],
    ends: &[(u32, u32)],
) -> Vec<(u32, u32)> {
    let size = |k: u32| {
        let group = groups[k as usize].as_ref();
        group.map_or(0, |g| g.element.boundary.len())
    };
    let mut gone: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for (bridge, &pair) in bridges.iter().zip(ends) {
        *gone.entry(pair).or_insert(0) += bridge.boundary.len();
    }
    let mut best: Vec<Option<(usize, u32, u32)>> = vec![None; groups.len()];
    for (&(a, b), &gone) in &gone {
        let whole = if a == b { size(a) } else { size(a) + size(b) };
        let cost = (whole.saturating_sub(gone), a, b);
        for k in [a, b] {
            let at = &mut best[k as usize];
            *at = Some(at.map_or(cost, |known| known.min(cost)));
        }
    }
    let is_best = |k: u32, pair: (u32, u32)| best[k as usize].is_some_and(|x| (x.1, x.2) == pair);
    gone.into_keys()
        .filter(|&(a, b)| is_best(a, (a, b)) && is_best(b, (a, b)))
        .collect()
}

/// For every element: how many free unknowns it shares with which others.
fn shared_counts(live: &[Live], class: &[Class]) -> Vec<FxHashMap<u32, u32>> {
    let mut number: FxHashMap<u32, usize> = FxHashMap::default();
    let mut holders: Vec<Vec<u32>> = Vec::new();
    for (e, l) in live.iter().enumerate() {
        for g in free(&l.element, class) {
            let k = *number.entry(g).or_insert(holders.len());
            if k == holders.len() {
                holders.push(Vec::new());
            }
            let list = &mut holders[k];
            if list.last() != Some(&(e as u32)) {
                list.push(e as u32);
            }
        }
    }
    let mut counts = vec![FxHashMap::default(); live.len()];
    for list in &holders {
        for &a in list {
            for &b in list.iter().filter(|&&b| b != a) {
                *counts[a as usize].entry(b).or_insert(0) += 1;
            }
        }
    }
    counts
}

/// Joins every pair whose members are each other's best partner.
fn round(
    plan: &mut Plan,
    live: Vec<Live>,
    shared: &[FxHashMap<u32, u32>],
    class: &[Class],
    joints: &mut Vec<Joint>,
) -> Vec<Live> {
    let size = |e: usize| live[e].element.boundary.len() as u32;
    let cost = |a: usize, b: u32, s: u32| {
        let (low, high) = (b.min(a as u32), b.max(a as u32));
        // Along a chain of equals neighbours (0, 1), (2, 3), ... prefer each other.
        (
            (size(a) + size(b as usize)).saturating_sub(2 * s),
            low % 2,
            low,
            high,
        )
    };
    let best: Vec<Option<u32>> = shared
        .iter()
        .enumerate()
        .map(|(a, others)| {
            others
                .iter()
                .min_by_key(|&(&b, &s)| cost(a, b, s))
                .map(|(&b, _)| b)
        })
        .collect();
    let mut slots: Vec<Option<Live>> = Vec::with_capacity(live.len());
    let pairs: Vec<Option<u32>> = (0..live.len())
        .map(|a| best[a].filter(|&b| best[b as usize] == Some(a as u32)))
        .collect();
    slots.extend(live.into_iter().map(Some));
    // An unknown that a third element shares stays.
    let mut holders: FxHashMap<u32, u32> = FxHashMap::default();
    for l in slots.iter().flatten() {
        for g in free(&l.element, class) {
            *holders.entry(g).or_insert(0) += 1;
        }
    }
    let mut out = Vec::new();
    for a in 0..slots.len() {
        let Some(first) = slots[a].take() else {
            continue;
        };
        let second = pairs[a].and_then(|b| slots[b as usize].take());
        match second {
            None => out.push(first),
            Some(second) => {
                let mut held: FxHashMap<u32, u32> = FxHashMap::default();
                for l in [&first, &second] {
                    for g in free(&l.element, class) {
                        *held.entry(g).or_insert(0) += 1;
                    }
                }
                let mut stay: Vec<u32> = held
                    .into_iter()
                    .filter(|(g, n)| holders[g] > *n)
                    .map(|(g, _)| g)
                    .collect();
                stay.sort_unstable();
                let pair = if first.element.boundary.len() >= second.element.boundary.len() {
                    vec![first, second]
                } else {
                    vec![second, first]
                };
                out.push(join(plan, pair, &stay, class, joints));
            }
        }
    }
    out
}

/// One front of these elements, eliminating all their free unknowns but those that `stay` (sorted).
///
/// Unknowns are numbered as the first element lists them, satellites in the order in which they meet it: copies are alike.
fn join(
    plan: &mut Plan,
    mut parts: Vec<Live>,
    stay: &[u32],
    class: &[Class],
    joints: &mut Vec<Joint>,
) -> Live {
    let order: FxHashMap<u32, usize> = parts[0]
        .element
        .boundary
        .iter()
        .enumerate()
        .map(|(k, i)| (i.to, k))
        .collect();
    parts[1..].sort_by_key(|l| {
        l.element
            .boundary
            .iter()
            .filter_map(|i| order.get(&i.to).copied())
            .min()
    });
    let goes = |g: u32| class[g as usize] == Class::Free && stay.binary_search(&g).is_err();
    let (mut boundary, mut eliminated) = (Vec::new(), Vec::new());
    let mut local: FxHashMap<u32, u32> = FxHashMap::default();
    for image in parts.iter().flat_map(|l| &l.element.boundary) {
        let g = image.to;
        if g == NOWHERE || class[g as usize] == Class::Zero || local.contains_key(&g) {
            continue;
        }
        let list = if goes(g) {
            &mut eliminated
        } else {
            &mut boundary
        };
        local.insert(g, list.len() as u32);
        list.push(g);
    }
    let n_boundary = boundary.len() as u32;
    let children = parts
        .iter()
        .map(|l| {
            let images: Vec<Image> = l
                .element
                .boundary
                .iter()
                .map(|i| match local.get(&i.to) {
                    None => Image::plain(NOWHERE),
                    Some(&k) => Image {
                        to: if goes(i.to) { n_boundary + k } else { k },
                        factor: i.factor,
                    },
                })
                .collect();
            Child {
                kind: l.element.kind,
                images: Arc::from(images),
            }
        })
        .collect();
    plan.counters.asked += 1;
    let kind = plan.join(children, n_boundary, eliminated.len() as u32);
    let boundary: Vec<Image> = boundary.into_iter().map(Image::plain).collect();
    joints.push(Joint {
        kind,
        boundary: boundary.clone(),
        eliminated,
        children: parts.iter().filter_map(|l| l.joint).collect(),
    });
    Live {
        element: Element { kind, boundary },
        joint: Some(joints.len() as u32 - 1),
    }
}

#[cfg(test)]
mod tests;
