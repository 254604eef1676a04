//! A chip cut into blocks and block rows: who is a copy of whom, and which unknowns belong to which row.
//!
//! ```text
//! part --canonicalise--> shape --mesh (once per shape)--> kinds of blocks, lines          parts
//!                                                             |
//! lines of all parts, joined and numbered                     v                            lines
//!                                                             |
//! Block = (kind, frame)      Row = (layout, frame)      Side = how a kind of block sees a row
//!                            connections or even_split        intern
//! ```
//! A *row* is a set of unknowns: a block's interior, or a line where blocks meet. A *side* lists which of a block's nodes
//! belong to a row, and how the row lies relative to the block; it has no absolute place, so copies have equal sides, and two
//! sides fix a matrix block. Everything relative is quantised. Knows nothing of physics but which unknowns exist.

mod connections;
mod even_split;
mod frame;
mod intern;
mod layout;
mod lines;
mod model;
mod parts;
mod summary;

pub use frame::{BlockFrame, Relative};
pub use layout::{Layout, NodeUnknowns, Velocity};
pub use model::{
    Block, BlockModel, CanonicalBlock, CutError, Incidence, PortPlace, Row, RowClass, Side,
};

use crate::Ownership;
use intern::Interner;
use lines::Lines;
use parts::Meshed;
use stokeslet_cad::chip::Chip;
use stokeslet_flow::mesh::Corners;

/// Cuts a chip into blocks.
///
/// # Errors
/// [`CutError`] names the part whose shape can't be meshed.
pub fn cut(
    chip: &Chip,
    resolution: u32,
    corners: Corners,
    ownership: Ownership,
) -> Result<BlockModel, CutError> {
    let (parts, kinds) = parts::mesh_parts(chip, resolution, corners)?;
    let lines = Lines::new(&parts);
    let (mut blocks, slots) = place_blocks(&parts, &lines);
    let mut interner = Interner::default();
    let mut ports = summary::ports(chip, &parts, &lines)?;
    let (mut rows, far_pairs) = match ownership {
        Ownership::Connections => {
            let rows = connections::own_by_connection(
                chip,
                &lines,
                &kinds,
                &mut blocks,
                &slots,
                &mut interner,
            );
            let far_pairs = summary::far_pairs(&parts, &lines, &rows, resolution);
            (rows, far_pairs)
        }
        Ownership::EvenSplit => {
            let split = even_split::own_by_halves(
                chip,
                (&lines, &parts, &kinds),
                &mut blocks,
                &slots,
                &mut interner,
                resolution,
            );
            ports
                .iter_mut()
                .for_each(|p| p.row = split.row_of_port_line(p.row));
            (split.rows, split.far_pairs)
        }
    };
    let (mut n_nodes, mut n_unknowns) = (0, 0);
    for row in &mut rows {
        let layout = &interner.layouts[row.layout as usize];
        row.first_node = n_nodes as u32;
        n_nodes += layout.n_owned;
        n_unknowns += layout.n_unknowns;
    }
    let drag = chip.drag();
    Ok(BlockModel {
        resolution,
        drag,
        viscosity: chip.plane_viscosity(),
        far_pairs,
        ports,
        counts: summary::counts(&parts),
        kinds,
        blocks,
        layouts: interner.layouts,
        rows,
        sides: interner.sides,
        n_unknowns,
        n_nodes,
    })
}

/// All blocks in the chip, with the line in each of their slots and whether it counts the slot backwards.
fn place_blocks(parts: &[Meshed], lines: &Lines) -> (Vec<Block>, Vec<Vec<(u32, bool)>>) {
    let (mut blocks, mut slots) = (Vec::new(), Vec::new());
    for (part, p) in parts.iter().enumerate() {
        let motion = p.chip_from_canonical;
        for placed in &p.mesh.blocks {
            let frame = BlockFrame {
                angle: motion.turn(placed.angle),
                mirror: motion.mirror,
                unit: p.unit * placed.scale,
            };
            let origin = motion.apply(placed.origin * p.unit);
            blocks.push(Block {
                kind: p.kinds[placed.kind],
                part: part as u32,
                frame,
                origin,
                incidences: Vec::new(),
            });
            let touched = placed.lines.iter().map(|&(line, slot_backwards)| {
                let (number, line_backwards) =
                    lines.of_part[part][line as usize].expect("all lines are numbered");
                (number, slot_backwards != line_backwards)
            });
            slots.push(touched.collect());
        }
    }
    (blocks, slots)
}
