//! Groups tied by bridges become one: the pair that leaves the smallest front first, disjoint pairs in rounds.
//!
//! Of pairs that leave equal fronts the one made of fewer groups goes first: chains of copies become copies of longer chains
//! and not one that grows link by link, and what changed in one group is met again in few joins.
//!
//! Who is tied to whom is kept from round to round, and only groups that changed, or whose neighbours did, choose again: a round
//! costs what it joins, not what is left.

use std::collections::BTreeMap;

use super::join::{Joiner, Live};
use super::{Class, Element, Watch, free};
use crate::FrontError;
use crate::plan::NOWHERE;

/// Two groups, the lower number first; a group and itself where a bridge comes back to it.
type Pair = (u32, u32);

/// Joins of one round between two questions whether to stop.
const PATIENCE: usize = 64;

/// Joins groups until no bridge is left.
///
/// # Shapes and units
/// - `bridges`: the first half of a bridge's boundary is held by one group, the second by the same or another one
/// # Errors
/// [`FrontError::Cancelled`].
pub(super) fn across(
    joiner: &mut Joiner<'_>,
    groups: Vec<Live>,
    bridges: Vec<Element>,
    class: &[Class],
    watch: Watch<'_>,
) -> Result<Vec<Live>, FrontError> {
    let mut ties = Ties::new(&groups, &bridges, class.len());
    let mut groups: Vec<Option<Live>> = groups.into_iter().map(Some).collect();
    let mut bridges: Vec<Option<Element>> = bridges.into_iter().map(Some).collect();
    let (all, mut done) = (bridges.len(), 0);
    let mut goes = vec![false; class.len()];
    let mut changed: Vec<u32> = (0..groups.len() as u32).collect();
    while !changed.is_empty() {
        ties.choose(&changed, &groups);
        let pairs = ties.mutual(&changed);
        let mut next = Vec::new();
        for (k, &(a, b)) in pairs.iter().enumerate() {
            if k.is_multiple_of(PATIENCE) && (watch.is_cancelled)() {
                return Err(FrontError::Cancelled);
            }
            let mut parts: Vec<Live> = Vec::new();
            parts.extend(groups[a as usize].take());
            parts.extend(groups[b as usize].take());
            parts.sort_by_key(|l| std::cmp::Reverse(l.size()));
            let between: Vec<Element> = ties
                .merge((a, b))
                .into_iter()
                .filter_map(|bridge| bridges[bridge as usize].take())
                .collect();
            done += between.len();
            let going: Vec<u32> = between.iter().flat_map(|e| free(e, class)).collect();
            going.iter().for_each(|&g| goes[g as usize] = true);
            parts.extend(between.into_iter().map(Live::new));
            groups[a as usize] = Some(joiner.join(parts, class, |g| goes[g as usize]));
            going.iter().for_each(|&g| goes[g as usize] = false);
            next.push(a);
            next.extend(ties.neighbours(a));
        }
        next.sort_unstable();
        next.dedup();
        changed = next;
        (watch.progress)(done, all);
    }
    Ok(groups.into_iter().flatten().collect())
}

/// What a pair of groups shares.
#[derive(Default)]
struct Tie {
    /// Unknowns of all bridges between them.
    unknowns: usize,
    /// By number.
    bridges: Vec<u32>,
}

/// Which groups are tied, and whom each would join.
struct Ties {
    /// By group: its neighbours; itself where a bridge comes back to it. Both sides list a tie, bridges stand at the lower one's.
    of: Vec<BTreeMap<u32, Tie>>,
    /// By group: how many it was made of.
    members: Vec<u32>,
    /// By group: the best pair that it is in, after the size of the front that is left of it and how many it is made of.
    best: Vec<Option<(usize, u32, Pair)>>,
}

impl Ties {
    fn new(groups: &[Live], bridges: &[Element], n: usize) -> Self {
        let mut holder = vec![NOWHERE; n];
        for (k, group) in groups.iter().enumerate() {
            for image in &group.element.boundary {
                if image.to != NOWHERE {
                    holder[image.to as usize] = k as u32;
                }
            }
        }
        let mut of: Vec<BTreeMap<u32, Tie>> = Vec::new();
        of.resize_with(groups.len(), BTreeMap::new);
        for (k, bridge) in bridges.iter().enumerate() {
            let at = |i: usize| holder[bridge.boundary[i].to as usize];
            let (first, second) = (at(0), at(bridge.boundary.len() / 2));
            let (a, b) = (first.min(second), first.max(second));
            let tie = of[a as usize].entry(b).or_default();
            tie.unknowns += bridge.boundary.len();
            tie.bridges.push(k as u32);
            if a != b {
                of[b as usize].entry(a).or_default().unknowns += bridge.boundary.len();
            }
        }
        Self {
            of,
            members: vec![1; groups.len()],
            best: vec![None; groups.len()],
        }
    }

    /// Lets these groups choose whom to join.
    fn choose(&mut self, groups_to_ask: &[u32], groups: &[Option<Live>]) {
        let size = |k: u32| groups[k as usize].as_ref().map_or(0, Live::size);
        for &k in groups_to_ask {
            let ties = self.of[k as usize].iter();
            self.best[k as usize] = ties
                .map(|(&other, tie)| {
                    let (mut whole, mut members) = (size(k), self.members[k as usize]);
                    if other != k {
                        whole += size(other);
                        members += self.members[other as usize];
                    }
                    let left = whole.saturating_sub(tie.unknowns);
                    (left, members, (k.min(other), k.max(other)))
                })
                .min();
        }
    }

    /// Pairs that chose each other, one of them just now; in ascending order.
    fn mutual(&self, changed: &[u32]) -> Vec<Pair> {
        let chosen = |k: u32| self.best[k as usize].map(|best| best.2);
        let mut pairs: Vec<Pair> = changed
            .iter()
            .filter_map(|&k| chosen(k))
            .filter(|&(a, b)| chosen(a) == chosen(b))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Makes a pair one group with the number of the first; returns the bridges that were between them, in ascending order.
    fn merge(&mut self, (a, b): Pair) -> Vec<u32> {
        let mut between = Vec::new();
        for (k, other) in [(a, b), (a, a), (b, b)] {
            let tie = self.of[k as usize].remove(&other);
            between.extend(tie.into_iter().flat_map(|t| t.bridges));
        }
        between.sort_unstable();
        self.best[b as usize] = None;
        if a == b {
            return between;
        }
        self.members[a as usize] += self.members[b as usize];
        self.of[b as usize].remove(&a);
        for (other, tie) in std::mem::take(&mut self.of[b as usize]) {
            let back = self.of[other as usize].remove(&b).unwrap_or_default();
            // The lower of two lists the bridges, and who is lower may change.
            let mut bridges = tie.bridges;
            bridges.extend(back.bridges);
            let low = a.min(other);
            for (k, to) in [(a, other), (other, a)] {
                let kept = self.of[k as usize].entry(to).or_default();
                kept.unknowns += tie.unknowns;
                if k == low {
                    kept.bridges.append(&mut bridges);
                }
            }
        }
        between
    }

    fn neighbours(&self, k: u32) -> impl Iterator<Item = u32> + '_ {
        self.of[k as usize].keys().copied()
    }
}
