//! The parts of a chip by kind, as the method sees them: copies of one canonical shape are one.

use rustc_hash::FxHashMap;

use crate::canonical::{CanonicalShape, canonicalise};
use crate::export::readable::figures;
use crate::field::Field;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;

/// One canonical shape of the chip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartKind {
    /// What it is: `pipe, 3.00 widths`.
    pub name: String,
    /// Parts that are copies of it.
    pub copies: usize,
    /// Cells of its mesh.
    pub cells: usize,
    /// The first part of the kind, by name.
    pub first: String,
}

/// All kinds, and where parts meet.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    /// In the order of their first parts.
    pub kinds: Vec<PartKind>,
    /// The kind of every part, as a raster wants it.
    pub of_part: Vec<f32>,
    /// Ends of every socket where two parts meet, m.
    pub seams: Vec<[Point; 2]>,
}

impl Kinds {
    /// Recognises the shapes of a chip.
    pub fn new(chip: &Chip, fields: &Field<2>) -> Self {
        let mut cells = vec![0_usize; chip.parts.len()];
        for &part in &fields.part {
            if let Some(n) = cells.get_mut(part as usize) {
                *n += 1;
            }
        }
        let mut out = Self::default();
        let mut known: FxHashMap<CanonicalShape, usize> = FxHashMap::default();
        for (k, part) in chip.parts.iter().enumerate() {
            let shape = canonicalise(&part.shape, &part.walls).shape;
            let kind = *known.entry(shape).or_insert_with_key(|shape| {
                out.kinds.push(PartKind {
                    name: name(shape),
                    copies: 0,
                    cells: cells[k],
                    first: part.name.clone(),
                });
                out.kinds.len() - 1
            });
            out.kinds[kind].copies += 1;
            out.of_part.push(kind as f32);
        }
        for connection in &chip.connections {
            let Some(part) = chip.parts.get(connection.a.part) else {
                continue;
            };
            if let Some(socket) = part.shape.sockets().get(connection.a.socket) {
                let half = Point::unit(socket.direction).left() * (0.5 * socket.width);
                let ends = [socket.middle - half, socket.middle + half];
                out.seams.push(ends.map(|p| part.motion.apply(p)));
            }
        }
        out
    }
}

fn name(shape: &CanonicalShape) -> String {
    let widths = |billionths: i64| figures(billionths as f64 * 1e-9);
    match shape {
        CanonicalShape::Straight([length, start, end]) if start == end => {
            format!("pipe, {} widths", widths(*length))
        }
        CanonicalShape::Straight([length, start, end]) => {
            let ratio = figures(*start.max(end) as f64 / (*start.min(end)).max(1) as f64);
            format!("taper 1 : {ratio}, {} widths", widths(*length))
        }
        CanonicalShape::Arc([radius, angle]) => {
            format!(
                "arc, {}°, radius {} widths",
                figures(*angle as f64 * 90e-9),
                widths(*radius)
            )
        }
        CanonicalShape::Polygon(corners, sockets, holes) => {
            let posts = match holes.len() {
                0 => String::new(),
                1 => ", 1 post".to_owned(),
                n => format!(", {n} posts"),
            };
            format!(
                "junction of {}, {} corners{posts}",
                sockets.len(),
                corners.len()
            )
        }
    }
}

/// Nodes of cells of two parts: where the unknowns that parts share are.
pub fn seam_nodes(fields: &Field<2>) -> Vec<Point> {
    const NOBODY: u32 = u32::MAX;
    let mut owner = vec![NOBODY; fields.nodes.len()];
    let mut is_shared = vec![false; fields.nodes.len()];
    for (cell, &part) in fields.cells.iter().zip(&fields.part) {
        for &n in cell {
            let first = &mut owner[n as usize];
            if *first == NOBODY {
                *first = part;
            } else if *first != part {
                is_shared[n as usize] = true;
            }
        }
    }
    let nodes = fields.nodes.iter().zip(is_shared);
    nodes
        .filter_map(|(&p, shared)| shared.then_some(p))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::testing::solved_example;

    #[test]
    fn copies_are_one_kind_and_sockets_have_their_nodes() {
        let resolution = 4;
        let solved = solved_example("y-mixer", resolution);
        let kinds = Kinds::new(&solved.chip, &solved.solution.fields);
        let parts = solved.chip.parts.len();
        assert_eq!(kinds.of_part.len(), parts);
        assert_eq!(kinds.kinds.iter().map(|k| k.copies).sum::<usize>(), parts);
        assert!(
            kinds.kinds.len() < parts / 2,
            "a serpentine repeats itself: {:?}",
            kinds.kinds
        );
        let cells: usize = kinds.kinds.iter().map(|k| k.copies * k.cells).sum();
        assert_eq!(
            cells,
            solved.solution.fields.cells.len(),
            "copies have equal meshes"
        );
        // 2 r + 1 nodes a socket; parts that touch in corners share these, which are on walls.
        let expected = solved.chip.connections.len() * (2 * resolution as usize + 1);
        let nodes = seam_nodes(&solved.solution.fields).len();
        assert!(
            nodes <= expected && nodes + 2 * solved.chip.connections.len() >= expected,
            "{nodes} of {expected}"
        );
        for [a, b] in &kinds.seams {
            assert!(
                solved.flow().at((*a + *b) * 0.5).is_some(),
                "a seam lies in the flow"
            );
        }
    }
}
