//! Ownership by the thesis's rule: every block is a row, and each connection is split evenly between its two blocks.
//!
//! Walking counter-clockwise about a block, the half of a connection that is met first is the block's own, the other half its
//! neighbour's; the middle node is the *parent*'s. A block that takes a whole side of a connection is *full* there:
//! - at a partial connection (one side full, several blocks on the other) the full block is the parent;
//! - a block with two full connections is the parent of one and the child of the other: along a strip, of the one at its start;
//! - a node that two edge-on blocks share (a triple junction) is given by the connection between those two.
//!
//! Where a cell would still couple two blocks that don't touch (spurious connectivity), its block takes the offending nodes.
//!
//! Kept to measure the thesis's method against [`super::connections`]. One departure: the line of a port, where no block lies
//! beyond, is a row of its own, since the velocities at a pressure port are normal to it, which need not be an axis of its block.
//!
//! Source: Ding 2019, sections 4.3.4 and 4.3.7.

use std::collections::BTreeSet;

use super::connections::interior_unknowns;
use super::intern::Interner;
use super::layout::NodeUnknowns;
use super::lines::Lines;
use super::model::{Block, CanonicalBlock, Row, RowClass};
use super::parts::{Meets, Meshed};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_flow::mesh::INTERIOR;

/// A node of a line as a block holds it.
#[derive(Clone, Copy)]
struct Holder {
    block: u32,
    node: u32,
}

/// Everything that the rule reads.
struct Split<'a> {
    lines: &'a Lines,
    parts: &'a [Meshed],
    kinds: &'a [CanonicalBlock],
    blocks: &'a [Block],
    /// Who holds each node of each line.
    holders: Vec<Vec<Vec<Holder>>>,
    /// Middle of each block in its part's canonical frame.
    middles: Vec<Point>,
}

/// What the rule gives, beside the blocks' incidences.
pub struct EvenSplit {
    /// One a block, then one a port.
    pub rows: Vec<Row>,
    /// Pairs of separators far apart.
    pub far_pairs: Vec<(u32, u32)>,
    row_of_line: Vec<Option<u32>>,
}

impl EvenSplit {
    /// The row of a port's line.
    pub fn row_of_port_line(&self, line: u32) -> u32 {
        self.row_of_line[line as usize].expect("ports' lines are rows of their own")
    }
}

/// A line's node under the number of the line that keeps it.
type LineNodeAt = (u32, u32);

/// One row a block (and one a port), by the thesis's rule; sets the blocks' incidences.
pub fn own_by_halves(
    chip: &Chip,
    (lines, parts, kinds): (&Lines, &[Meshed], &[CanonicalBlock]),
    blocks: &mut [Block],
    slots: &[Vec<(u32, bool)>],
    interner: &mut Interner,
    resolution: u32,
) -> EvenSplit {
    let places = node_places(lines, kinds, blocks, slots);
    let mut holders: Vec<Vec<Vec<Holder>>> = lines
        .drafts
        .iter()
        .map(|d| vec![Vec::new(); d.nodes.len()])
        .collect();
    let mut touches: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); lines.drafts.len()];
    for (b, places) in places.iter().enumerate() {
        for (node, place) in places.iter().enumerate() {
            if let Some((line, index)) = *place {
                holders[line as usize][index as usize].push(Holder {
                    block: b as u32,
                    node: node as u32,
                });
            }
        }
        slots[b]
            .iter()
            .for_each(|&(line, _)| _ = touches[line as usize].insert(b as u32));
    }
    let middles = (0..blocks.len())
        .map(|b| middle(parts, kinds, &blocks[b]))
        .collect();
    let split = Split {
        lines,
        parts,
        kinds,
        blocks,
        holders,
        middles,
    };
    let unknowns: Vec<Vec<NodeUnknowns>> = (0..lines.drafts.len() as u32)
        .map(|line| lines.unknowns(chip, line))
        .collect();
    let own_row: Vec<bool> = lines
        .drafts
        .iter()
        .map(|d| matches!(d.meets, Meets::Port(_)))
        .collect();
    let mut owner: Vec<Vec<u32>> = (0..lines.drafts.len() as u32)
        .map(|line| split.owners(line, &touches[line as usize]))
        .collect();
    split.take_spurious(&places, &own_row, &mut owner);

    // Rows: blocks in order, then pressure ports; a block's row lists its nodes in the block's own order.
    let mut rows = Vec::new();
    let mut index_in_row: Vec<Vec<u32>> = owner.iter().map(|nodes| vec![0; nodes.len()]).collect();
    let separators = separators(parts);
    for (b, block) in blocks.iter().enumerate() {
        let mut nodes = Vec::new();
        for (node, place) in places[b].iter().enumerate() {
            match *place {
                None => nodes.push(interior_unknowns(kinds, block.kind, node as u32)),
                Some((line, index))
                    if !own_row[line as usize]
                        && owner[line as usize][index as usize] == b as u32 =>
                {
                    index_in_row[line as usize][index as usize] = nodes.len() as u32;
                    nodes.push(NodeUnknowns {
                        owned: true,
                        ..unknowns[line as usize][index as usize]
                    });
                }
                Some(_) => {}
            }
        }
        let class = if separators[b] {
            RowClass::Separator
        } else {
            RowClass::Inner
        };
        rows.push(Row {
            layout: interner.layout(nodes),
            frame: block.frame,
            first_node: 0,
            class,
        });
    }
    let mut row_of_line = vec![None; lines.drafts.len()];
    for line in (0..lines.drafts.len()).filter(|&l| own_row[l]) {
        row_of_line[line] = Some(rows.len() as u32);
        let layout = interner.layout(unknowns[line].clone());
        rows.push(Row {
            layout,
            frame: lines.drafts[line].frame,
            first_node: 0,
            // After the component's blocks: at a flow-rate port it holds pressures alone, which need a neighbour's velocities
            // for a pivot.
            class: RowClass::Last,
        });
    }
    let mut incidences = Vec::with_capacity(blocks.len());
    for (b, block) in blocks.iter().enumerate() {
        let mut by_row: std::collections::BTreeMap<u32, Vec<(u32, u32)>> =
            std::collections::BTreeMap::new();
        let mut own = 0;
        for (node, place) in places[b].iter().enumerate() {
            let (row, index) = match *place {
                None => (b as u32, None),
                Some((line, index)) => match row_of_line[line as usize] {
                    Some(row) => (row, Some(index)),
                    None => (
                        owner[line as usize][index as usize],
                        Some(index_in_row[line as usize][index as usize]),
                    ),
                },
            };
            // Interior nodes stand among the line's nodes of the row, in the order in which both were listed above.
            let index = index.unwrap_or(own);
            own += u32::from(row == b as u32);
            by_row.entry(row).or_default().push((node as u32, index));
        }
        let found = by_row.into_iter().map(|(row, nodes)| {
            interner.incidence(kinds, block.kind, &block.frame, &rows, row, nodes)
        });
        incidences.push(found.collect());
    }
    for (block, found) in blocks.iter_mut().zip(incidences) {
        block.incidences = found;
    }
    EvenSplit {
        rows,
        far_pairs: far_pairs(parts, &separators, resolution),
        row_of_line,
    }
}

/// Each block's nodes as nodes of lines, or `None` inside.
fn node_places(
    lines: &Lines,
    kinds: &[CanonicalBlock],
    blocks: &[Block],
    slots: &[Vec<(u32, bool)>],
) -> Vec<Vec<Option<LineNodeAt>>> {
    let place = |b: usize, block: &Block| {
        let places = &kinds[block.kind as usize].block.places;
        let at = |p: &stokeslet_flow::mesh::Place| {
            let &(line, backwards) = slots[b]
                .get(p.slot as usize)
                .filter(|_| p.slot != INTERIOR)?;
            let n = lines.drafts[line as usize].nodes.len() as u32;
            Some(lines.resolve((line, if backwards { n - 1 - p.index } else { p.index })))
        };
        places.iter().map(at).collect()
    };
    blocks
        .iter()
        .enumerate()
        .map(|(b, block)| place(b, block))
        .collect()
}

fn middle(parts: &[Meshed], kinds: &[CanonicalBlock], block: &Block) -> Point {
    let nodes = &kinds[block.kind as usize].block.mesh.nodes;
    let sum = nodes
        .iter()
        .fold(Point::default(), |sum, &n| sum + block.to_chip(n));
    parts[block.part as usize]
        .chip_from_canonical
        .inverse()
        .apply(sum * (1.0 / nodes.len() as f64))
}

impl Split<'_> {
    /// The owner of each node of a line.
    fn owners(&self, line: u32, touching: &BTreeSet<u32>) -> Vec<u32> {
        let draft = &self.lines.drafts[line as usize];
        let holders = &self.holders[line as usize];
        let (near, far): (Vec<u32>, Vec<u32>) = match draft.meets {
            // Between blocks of one component: the lowest is the near side.
            Meets::Itself => {
                let lowest = touching.first().copied();
                (
                    lowest.into_iter().collect(),
                    touching.iter().copied().skip(1).collect(),
                )
            }
            _ => touching
                .iter()
                .partition(|&&b| self.blocks[b as usize].part as usize == draft.part),
        };
        let order = self.order(line, &near, &far);
        let n = order.len();
        let parent = self.parent(line, &near, &far);
        let mut owner = vec![0; n];
        for (k, &i) in order.iter().enumerate() {
            let side = if 2 * k + 1 < n {
                &near
            } else if 2 * k + 1 > n {
                &far
            } else {
                parent
            };
            let held = &holders[i];
            let on_side: Vec<Holder> = held
                .iter()
                .copied()
                .filter(|h| side.contains(&h.block))
                .collect();
            let choice = if on_side.is_empty() {
                held.clone()
            } else {
                on_side
            };
            owner[i] = choice
                .iter()
                .copied()
                .reduce(|b, c| self.of_two(b, c))
                .map_or(0, |h| h.block);
        }
        owner
    }

    /// Nodes of a line, counter-clockwise about its near side.
    fn order(&self, line: u32, near: &[u32], far: &[u32]) -> Vec<usize> {
        let holders = &self.holders[line as usize];
        let mut order: Vec<usize> = (0..holders.len()).collect();
        // Lines of strips and sockets are counted so already.
        if let (Meets::Itself, [a, b, ..]) = (
            self.lines.drafts[line as usize].meets,
            [near, far].concat().as_slice(),
        ) {
            let along = (self.middles[*b as usize] - self.middles[*a as usize]).left();
            let at = |i: usize| {
                holders[i]
                    .first()
                    .map_or(0.0, |h| self.position(*h).dot(along))
            };
            order.sort_by(|&i, &j| at(i).total_cmp(&at(j)));
        }
        order
    }

    fn parent<'b>(&self, line: u32, near: &'b Vec<u32>, far: &'b Vec<u32>) -> &'b Vec<u32> {
        match (
            near.len(),
            far.len(),
            self.lines.drafts[line as usize].meets,
        ) {
            (_, 0, _) => near,
            (1, 1, Meets::Itself) => far, // a strip's slice is the parent at its start
            (1, 1, Meets::Part(_, socket)) if socket == 0 && !self.starts_here(line) => far,
            (1, _, _) => near,
            (_, 1, _) => far,
            _ => near,
        }
    }

    /// Whether the line is the first socket of its own part.
    fn starts_here(&self, line: u32) -> bool {
        self.lines.of_part[self.lines.drafts[line as usize].part]
            .first()
            .is_some_and(|l| l.is_some_and(|(n, _)| n == line))
    }

    fn position(&self, h: Holder) -> Point {
        let block = &self.blocks[h.block as usize];
        let p = self.kinds[block.kind as usize].block.mesh.nodes[h.node as usize];
        self.parts[block.part as usize]
            .chip_from_canonical
            .inverse()
            .apply(block.to_chip(p))
    }

    /// Which of two edge-on blocks owns a node that both hold: walking along the connection between them, the half that the
    /// first block meets first is its own.
    fn of_two(&self, b: Holder, c: Holder) -> Holder {
        let (at_b, at_c) = (
            self.middles[b.block as usize],
            self.middles[c.block as usize],
        );
        let along = (at_c - at_b).left();
        if (self.position(b) - (at_b + at_c) * 0.5).dot(along) > 0.0 {
            c
        } else {
            b
        }
    }

    /// Gives a block the nodes through which one of its cells couples two blocks that don't touch.
    fn take_spurious(
        &self,
        places: &[Vec<Option<LineNodeAt>>],
        own_row: &[bool],
        owner: &mut [Vec<u32>],
    ) {
        let mut near: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); self.blocks.len()];
        for held in self.holders.iter().flatten().filter(|h| h.len() > 1) {
            for a in held {
                held.iter()
                    .for_each(|b| _ = near[a.block as usize].insert(b.block));
            }
        }
        // A taken node may offend in the next block; each pass settles most, and three settle every design.
        for _ in 0..8 {
            let mut changed = false;
            for (b, block) in self.blocks.iter().enumerate() {
                let mesh = &self.kinds[block.kind as usize].block.mesh;
                for c in 0..mesh.n_cells() {
                    let of = |owner: &[Vec<u32>], n: u32| {
                        let (line, index) = places[b][n as usize]?;
                        (!own_row[line as usize]).then(|| owner[line as usize][index as usize])
                    };
                    let owners: BTreeSet<u32> = mesh
                        .cell(c)
                        .iter()
                        .filter_map(|&n| of(owner, n))
                        .filter(|&o| o != b as u32)
                        .collect();
                    let Some(&first) = owners.first() else {
                        continue;
                    };
                    for &n in mesh.cell(c) {
                        if let (Some(other), Some((line, index))) =
                            (of(owner, n), places[b][n as usize])
                            && other != b as u32
                            && other != first
                            && !near[first as usize].contains(&other)
                        {
                            owner[line as usize][index as usize] = b as u32;
                            changed = true;
                        }
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// Whether each block is a strip's outermost slice at a connection.
fn separators(parts: &[Meshed]) -> Vec<bool> {
    let mut flags = Vec::new();
    for p in parts {
        let n = p.mesh.blocks.len();
        let joined = |s: usize| p.is_strip && matches!(p.sockets[s], Meets::Part(..));
        flags
            .extend((0..n).map(|k| p.is_strip && (k == 0 && joined(0) || k == n - 1 && joined(1))));
    }
    flags
}

fn far_pairs(parts: &[Meshed], separators: &[bool], resolution: u32) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let mut first = 0;
    for p in parts {
        let n = p.mesh.blocks.len();
        let (a, b) = (first, first + n - 1);
        first += n;
        if p.is_strip
            && separators[a]
            && separators[b]
            && (n as f64) >= 1.5 * f64::from(resolution) + 2.0
        {
            pairs.push((a as u32, b as u32));
        }
    }
    pairs
}

#[cfg(test)]
mod tests;
