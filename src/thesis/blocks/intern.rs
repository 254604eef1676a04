//! Layouts and sides by content: equal ones are one.

use rustc_hash::FxHashMap;

use super::frame::{BlockFrame, Relative};
use super::layout::{Layout, NodeUnknowns};
use super::model::{CanonicalBlock, Incidence, Row, Side};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};

/// Distinct layouts and sides.
#[derive(Default)]
pub struct Interner {
    /// By number.
    pub layouts: Vec<Layout>,
    /// By number.
    pub sides: Vec<Side>,
    layout_numbers: FxHashMap<Fingerprint, u32>,
    side_numbers: FxHashMap<Fingerprint, u32>,
    plain: FxHashMap<(u32, u16, bool, u32, Relative), u32>,
}

impl Interner {
    /// The number of the layout of these nodes.
    pub fn layout(&mut self, nodes: Vec<NodeUnknowns>) -> u32 {
        let layout = Layout::new(nodes);
        *self
            .layout_numbers
            .entry(layout.fingerprint)
            .or_insert_with(|| {
                self.layouts.push(layout);
                self.layouts.len() as u32 - 1
            })
    }

    /// A block of kind `kind` touches a row with its nodes `nodes`: (node of the block, node of the row).
    pub fn incidence(
        &mut self,
        kinds: &[CanonicalBlock],
        kind: u32,
        frame: &BlockFrame,
        rows: &[Row],
        row: u32,
        nodes: Vec<(u32, u32)>,
    ) -> Incidence {
        let r = &rows[row as usize];
        let side = self.side(kinds, kind, r.layout, Relative::new(frame, &r.frame), nodes);
        Incidence { row, side }
    }

    /// As [`Self::incidence`] for all nodes in a slot of the block, known by the slot alone.
    pub fn slot_incidence(
        &mut self,
        kinds: &[CanonicalBlock],
        (kind, slot, backwards): (u32, u16, bool),
        frame: &BlockFrame,
        rows: &[Row],
        row: u32,
    ) -> Incidence {
        let r = &rows[row as usize];
        let relative = Relative::new(frame, &r.frame);
        let key = (kind, slot, backwards, r.layout, relative);
        let side = match self.plain.get(&key) {
            Some(&side) => side,
            None => {
                let n = self.layouts[r.layout as usize].nodes.len() as u32;
                let count = |i: u32| if backwards { n - 1 - i } else { i };
                let nodes = kinds[kind as usize]
                    .block
                    .nodes_in(slot)
                    .into_iter()
                    .map(|(node, i)| (node, count(i)));
                let side = self.side(kinds, kind, r.layout, relative, nodes.collect());
                self.plain.insert(key, side);
                side
            }
        };
        Incidence { row, side }
    }

    fn side(
        &mut self,
        kinds: &[CanonicalBlock],
        kind: u32,
        layout: u32,
        relative: Relative,
        nodes: Vec<(u32, u32)>,
    ) -> u32 {
        let mut key = Hasher::new(Domain::BlockSide)
            .key(kinds[kind as usize].fingerprint)
            .key(self.layouts[layout as usize].fingerprint);
        for word in relative.words() {
            key = key.int(word);
        }
        for &(a, b) in &nodes {
            key = key.word(u64::from(a) << 32 | u64::from(b));
        }
        let fingerprint = key.finish();
        *self.side_numbers.entry(fingerprint).or_insert_with(|| {
            self.sides.push(Side {
                kind,
                layout,
                nodes,
                relative,
                fingerprint,
            });
            self.sides.len() as u32 - 1
        })
    }
}
