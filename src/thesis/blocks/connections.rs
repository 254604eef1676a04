//! Ownership by connections: every line is a block row of its own, and blocks keep their interiors.
//!
//! A block couples only the lines that it touches, so no connectivity is spurious; a line's neighbours keep their own pressures,
//! so its pivot is regular; and interiors, eliminated first, are condensed once per kind of block. Beyond the thesis (see
//! [`super::even_split`] for its rule): at r = 8 a pipe's rows have 39 unknowns instead of 69, and separators cost a fifth.

use std::collections::BTreeMap;

use super::intern::Interner;
use super::layout::{NodeUnknowns, Velocity};
use super::lines::Lines;
use super::model::{Block, CanonicalBlock, Incidence, Row, RowClass};
use stokeslet_cad::chip::Chip;
use stokeslet_flow::mesh::INTERIOR;

/// Rows of all lines, then of all interiors; and the rows that each of `blocks` touches.
pub fn own_by_connection(
    chip: &Chip,
    lines: &Lines,
    kinds: &[CanonicalBlock],
    blocks: &mut [Block],
    slots: &[Vec<(u32, bool)>],
    interner: &mut Interner,
) -> Vec<Row> {
    let mut rows: Vec<Row> = (0..lines.drafts.len() as u32)
        .map(|line| {
            let draft = &lines.drafts[line as usize];
            Row {
                layout: interner.layout(lines.unknowns(chip, line)),
                frame: draft.frame,
                first_node: 0,
                class: draft.class,
            }
        })
        .collect();
    let is_shared: Vec<bool> = (0..lines.drafts.len() as u32)
        .map(|line| lines.is_shared(line))
        .collect();
    for (block, slots) in blocks.iter_mut().zip(slots) {
        let mut found: Vec<Incidence> = if slots.iter().any(|&(line, _)| is_shared[line as usize]) {
            shared(lines, kinds, block, slots, &rows, interner)
        } else {
            let plain = slots.iter().enumerate();
            plain
                .map(|(slot, &(line, backwards))| {
                    interner.slot_incidence(
                        kinds,
                        (block.kind, slot as u16, backwards),
                        &block.frame,
                        &rows,
                        line,
                    )
                })
                .collect()
        };
        let inside = kinds[block.kind as usize].block.nodes_in(INTERIOR);
        if !inside.is_empty() {
            let unknowns = inside
                .iter()
                .map(|&(n, _)| interior_unknowns(kinds, block.kind, n));
            let layout = interner.layout(unknowns.collect());
            rows.push(Row {
                layout,
                frame: block.frame,
                first_node: 0,
                class: RowClass::Interior,
            });
            let row = rows.len() as u32 - 1;
            found.push(interner.slot_incidence(
                kinds,
                (block.kind, INTERIOR, false),
                &block.frame,
                &rows,
                row,
            ));
        }
        found.sort_by_key(|i| i.row);
        block.incidences = found;
    }
    rows
}

/// Unknowns of a node that lies on no line.
pub fn interior_unknowns(kinds: &[CanonicalBlock], kind: u32, node: u32) -> NodeUnknowns {
    let mesh = &kinds[kind as usize].block.mesh;
    let velocity = if mesh.on_wall[node as usize] {
        Velocity::Given
    } else {
        Velocity::Both
    };
    NodeUnknowns {
        velocity,
        pressure: (node as usize) < mesh.n_vertices,
        owned: true,
    }
}

/// The rows of a block some of whose nodes belong to another row than their line's.
fn shared(
    lines: &Lines,
    kinds: &[CanonicalBlock],
    block: &Block,
    slots: &[(u32, bool)],
    rows: &[Row],
    interner: &mut Interner,
) -> Vec<Incidence> {
    let mut by_row: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for (slot, &(line, backwards)) in slots.iter().enumerate() {
        let n = lines.drafts[line as usize].nodes.len() as u32;
        for (node, i) in kinds[block.kind as usize].block.nodes_in(slot as u16) {
            let (owner, index) = lines.resolve((line, if backwards { n - 1 - i } else { i }));
            by_row.entry(owner).or_default().push((node, index));
        }
    }
    by_row
        .into_iter()
        .map(|(row, nodes)| interner.incidence(kinds, block.kind, &block.frame, rows, row, nodes))
        .collect()
}
