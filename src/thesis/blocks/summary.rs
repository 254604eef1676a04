//! What a cut chip says of itself: blocks by kind, places of ports, pairs of separators far apart.

use super::lines::Lines;
use super::model::{CutError, PortPlace, Row, RowClass};
use super::parts::{Meets, Meshed, find_socket};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_flow::mesh::line_number;
use stokeslet_flow::session::BlockCounts;

/// Pairs of separators that a long strip lies between.
pub fn far_pairs(
    parts: &[Meshed],
    lines: &Lines,
    rows: &[Row],
    resolution: u32,
) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for (part, p) in parts.iter().enumerate().filter(|(_, p)| p.is_strip) {
        let n = p.mesh.blocks.len();
        let separators: Vec<(usize, u32)> = [0, 1, n.saturating_sub(1), n]
            .into_iter()
            .filter(|&j| j <= n)
            .filter_map(|j| {
                lines.of_part[part][line_number(j, n) as usize].map(|(row, _)| (j, row))
            })
            .filter(|&(_, row)| rows[row as usize].class == RowClass::Separator)
            .collect();
        if let (Some(a), Some(b)) = (separators.first(), separators.last())
            && (b.0 - a.0) as f64 >= 1.5 * f64::from(resolution)
        {
            pairs.push((a.1, b.1));
        }
    }
    pairs
}

/// Geometry blocks by kind (thesis, figure 4.5): a strip's outermost slices at connections are separators.
pub fn counts(parts: &[Meshed]) -> BlockCounts {
    let mut counts = BlockCounts::default();
    for p in parts {
        let n = p.mesh.blocks.len();
        if p.is_strip {
            let joined = |s: usize| matches!(p.sockets[s], Meets::Part(..));
            let separators = (usize::from(joined(0)) + usize::from(joined(1))).min(n);
            counts.separator += separators;
            counts.regular += n - separators;
            continue;
        }
        let mut touching = vec![Vec::new(); p.mesh.lines.len()];
        for (b, placed) in p.mesh.blocks.iter().enumerate() {
            placed
                .lines
                .iter()
                .for_each(|&(l, _)| touching[l as usize].push(b));
        }
        for (b, placed) in p.mesh.blocks.iter().enumerate() {
            let inner = placed
                .lines
                .iter()
                .filter(|(l, _)| p.mesh.lines[*l as usize].socket.is_none());
            let mut others: Vec<usize> = inner
                .flat_map(|(l, _)| touching[*l as usize].iter().copied())
                .filter(|&o| o != b)
                .collect();
            others.sort_unstable();
            others.dedup();
            if others.len() > 2 {
                counts.irregular += 1
            } else {
                counts.regular += 1
            }
        }
    }
    counts
}

/// Where the ports lie.
pub fn ports(chip: &Chip, parts: &[Meshed], lines: &Lines) -> Result<Vec<PortPlace>, CutError> {
    let place = |port: &stokeslet_cad::chip::Port| {
        let (part, socket) = find_socket(parts, port.socket)?;
        let (row, _) = lines.of_part[part][socket].expect("all lines are numbered");
        let part = &chip.parts[part];
        let socket = part.shape.sockets()[port.socket.socket];
        let outward = part.motion.rotate(Point::unit(socket.direction));
        Ok(PortPlace {
            row,
            outward,
            middle: part.motion.apply(socket.middle),
            width: socket.width,
        })
    };
    chip.ports.iter().map(place).collect()
}
