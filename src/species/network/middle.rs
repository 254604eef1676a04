//! Which part of a straight channel is a pipe of the network: its cells, its flow, and the nodes of its ends.

use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::shape::{Shape, Strip};
use stokeslet_flow::field::Field;

use super::ENTRY;
use super::developed::Straight;
use crate::profile::Profile;

/// The developed middle of a straight channel.
pub(super) struct Middle {
    pub width: f64,
    /// Where it begins and ends, m.
    pub along: [f64; 2],
    pub cells: Vec<u32>,
    /// Along it, m^2/s.
    pub flow: f64,
    /// Nodes of the cross-sections at both ends; a port has none.
    pub ends: [Option<Vec<u32>>; 2],
}

impl Middle {
    /// That of part `p`, if it has one.
    pub fn of(
        chip: &Chip,
        (fields, integrals): (&Field<2>, &[Point]),
        p: usize,
        cells: &[u32],
        is_port: [bool; 2],
        drag: f64,
    ) -> Option<Self> {
        let part = &chip.parts[p];
        let Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) = part.shape
        else {
            return None;
        };
        let width = width_start.max(width_end);
        if (width_start - width_end).abs() > 1e-9 * width {
            return None;
        }
        let margin = is_port.map(|port| if port { 0.0 } else { ENTRY * width });
        let back = part.motion.inverse().to_apply();
        let tiny = 1e-6 * width;
        let direction = part.motion.rotate(Point::new(1.0, 0.0));
        let straight = Straight {
            fields,
            integrals,
            cells,
            back: &back,
            along: direction,
            width,
            length,
            profile: Profile::new(width, drag),
        };
        let [from, to] = straight.middle(margin)?;
        let place = |n: u32| back(fields.nodes[n as usize]).x;
        let (mut middle, mut flux) = (Vec::new(), 0.0);
        for &c in cells {
            let n = fields.cells[c as usize];
            let x = [place(n[0]), place(n[1]), place(n[2])];
            let low = x.iter().copied().fold(f64::INFINITY, f64::min);
            let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if low >= from - tiny && high <= to + tiny {
                middle.push(c);
                flux += integrals[c as usize].dot(direction);
            } else if low < from - tiny && high > from + tiny || low < to - tiny && high > to + tiny
            {
                // It straddles an end.
                return None;
            }
        }
        if middle.is_empty() {
            return None;
        }
        let section = |x: f64| {
            let all = middle.iter().flat_map(|&c| fields.cells[c as usize]);
            let mut nodes: Vec<u32> = all.filter(|&n| (place(n) - x).abs() < tiny).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let ends = [0, 1].map(|end| (!is_port[end]).then(|| section([from, to][end])));
        Some(Self {
            width,
            along: [from, to],
            flow: flux / (to - from),
            ends,
            cells: middle,
        })
    }
}
