//! Elements that share free unknowns become one: a hub with its satellites at once, others pair by pair.

use rustc_hash::FxHashMap;

use super::join::{Joiner, Live};
use super::{Class, Element, free};
use crate::plan::NOWHERE;

/// Elements that hang together through free unknowns, each component and the whole in ascending order.
pub(super) fn components(elements: &[Element], class: &[Class]) -> Vec<Vec<u32>> {
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

/// Joins a component's elements to one.
pub(super) fn reduce(
    joiner: &mut Joiner<'_>,
    mut live: Vec<Live>,
    class: &[Class],
    holders: &mut Holders,
) -> Live {
    while live.len() > 1 {
        let shared = holders.shared_counts(&live, class);
        let hub = (0..live.len()).find(|&h| {
            (0..live.len()).all(|e| e == h || shared[e].keys().all(|&o| o as usize == h))
        });
        if let Some(hub) = hub {
            let hub = live.remove(hub);
            let mut all = vec![hub];
            all.append(&mut live);
            return joiner.join(all, class, |_| true);
        }
        live = round(joiner, live, &shared, class);
    }
    // What no other element shares (the free unknowns of ports) goes last.
    let last = live.pop().expect("a component has at least one element");
    joiner.finish(last, class)
}

/// Who holds which unknown; [`NOWHERE`] and empty between uses.
pub(super) struct Holders {
    /// By shared unknown: the last of its `links`.
    last: Vec<u32>,
    /// An element that holds an unknown, and the link before.
    links: Vec<(u32, u32)>,
}

impl Holders {
    /// For `n` shared unknowns.
    pub fn new(n: usize) -> Self {
        Self {
            last: vec![NOWHERE; n],
            links: Vec::new(),
        }
    }

    /// For every element: how many free unknowns it shares with which others.
    fn shared_counts(&mut self, live: &[Live], class: &[Class]) -> Vec<FxHashMap<u32, u32>> {
        let mut counts = vec![FxHashMap::default(); live.len()];
        for (e, l) in live.iter().enumerate() {
            let e = e as u32;
            for g in free(&l.element, class) {
                let first = self.last[g as usize];
                if first != NOWHERE && self.links[first as usize].0 == e {
                    continue;
                }
                let mut at = first;
                while at != NOWHERE {
                    let (other, before) = self.links[at as usize];
                    *counts[e as usize].entry(other).or_insert(0) += 1;
                    *counts[other as usize].entry(e).or_insert(0) += 1;
                    at = before;
                }
                self.last[g as usize] = self.links.len() as u32;
                self.links.push((e, first));
            }
        }
        for g in live.iter().flat_map(|l| free(&l.element, class)) {
            self.last[g as usize] = NOWHERE;
        }
        self.links.clear();
        counts
    }
}

/// Joins every pair whose members are each other's best partner.
fn round(
    joiner: &mut Joiner<'_>,
    live: Vec<Live>,
    shared: &[FxHashMap<u32, u32>],
    class: &[Class],
) -> Vec<Live> {
    let size = |e: usize| live[e].size() as u32;
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
    let pairs: Vec<Option<u32>> = (0..live.len())
        .map(|a| best[a].filter(|&b| best[b as usize] == Some(a as u32)))
        .collect();
    let mut slots: Vec<Option<Live>> = live.into_iter().map(Some).collect();
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
                let pair = if first.size() >= second.size() {
                    vec![first, second]
                } else {
                    vec![second, first]
                };
                out.push(joiner.join(pair, class, |g| holders.get(&g) == held.get(&g)));
            }
        }
    }
    out
}
