//! Which points one thread sums onto nodes, and the nodes that only some of the points reach.

use std::ops::Range;

use super::Grid;

/// Points of a share at least, where there is more than one.
const SHARE: usize = 96;

/// Shares at most.
const SHARES: usize = 64;

/// Points whose sums onto nodes are made by one thread.
pub(super) struct Share {
    pub(super) points: Vec<u32>,
    /// First node of each row of three around each of them, in the numbering of the reach.
    pub(super) rows: Vec<[u32; 9]>,
    /// From the first node that they reach to the last.
    pub(super) nodes: Range<usize>,
}

/// Some of the points, shared out, and the nodes that they reach, which are numbered among themselves in the order of the grid: rows of three stay
/// rows.
#[derive(Default)]
pub(crate) struct Reach {
    pub(super) shares: Vec<Share>,
    /// The grid's number of each node.
    pub(crate) nodes: Vec<u32>,
}

impl Grid {
    /// The points that add something to nodes, shared out.
    fn shares(&self, adds: impl Fn(usize) -> bool) -> Vec<Share> {
        let points = self.order.iter().copied().filter(|p| adds(*p as usize));
        let points: Vec<u32> = points.collect();
        // Neighbours in a slab of cells have most nodes in common: less than a slab a share costs more than it brings.
        let slab = |p: u32| self.base[p as usize][self.slab_axis];
        let next = points.windows(2).filter(|p| slab(p[0]) != slab(p[1]));
        let slabs = 1 + next.count();
        let most = (points.len() / SHARE).min(slabs).clamp(1, SHARES);
        let many = 1 << most.ilog2();
        let share = |k: usize| {
            let of = |k: usize| k * points.len() / many;
            let points = points[of(k)..of(k + 1)].to_vec();
            let rows: Vec<[u32; 9]> = points.iter().map(|p| self.rows[*p as usize]).collect();
            let (start, end) = rows.iter().fold((u32::MAX, 0), |(start, end), rows| {
                (start.min(rows[0]), end.max(rows[8] + 3))
            });
            Share {
                points,
                rows,
                nodes: start.min(end) as usize..end as usize,
            }
        };
        (0..many).map(share).collect()
    }

    /// All points, and all nodes: as a reach, so that there is one way of summing.
    pub(super) fn everything(&self) -> Reach {
        Reach {
            shares: self.shares(|_| true),
            nodes: (0..self.n_nodes as u32).collect(),
        }
    }

    /// Of the points that add something: their shares, and the nodes that they reach.
    pub(crate) fn reach(&self, adds: impl Fn(usize) -> bool) -> Reach {
        let mut shares = self.shares(adds);
        let mut number = vec![0; self.n_nodes];
        for &first in shares.iter().flat_map(|share| &share.rows).flatten() {
            number[first as usize..first as usize + 3].fill(1);
        }
        let mut nodes = Vec::new();
        for (node, number) in number.iter_mut().enumerate() {
            if *number == 1 {
                *number = nodes.len() as u32;
                nodes.push(node as u32);
            }
        }
        for share in &mut shares {
            for first in share.rows.iter_mut().flatten() {
                *first = number[*first as usize];
            }
            if !share.nodes.is_empty() {
                let [start, last] = [share.nodes.start, share.nodes.end - 1];
                share.nodes = number[start] as usize..number[last] as usize + 1;
            }
        }
        Reach { shares, nodes }
    }
}
