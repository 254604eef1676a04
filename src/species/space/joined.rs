//! Streams of several inlets side by side: the section of one duct that carries them all, between where they meet and where they part.
//!
//! ```text
//! inlet 2  [ . . . . ]  \                                 flow between cells of inlets and of the joined section: by the part of the flow
//!                        [ . . . . ]  joined section      that is below (rows), and within rows by that to the right, inlet by inlet
//! inlet 1  [ . . . . ]  /
//! ```
//! Only where there are several inlets and several outlets: else they are together in the only one.

use super::map::MapSocket;
use crate::duct::{Duct, Station};

/// Layers narrower than this part of a cell aren't worth the smearing of a section by half a cell.
const NARROW: f64 = 0.5;

/// Streams of a region's inlets as one.
#[derive(Clone, Debug)]
pub struct Joined {
    /// Width of a socket with the section that carries them all, m.
    pub width: f64,
    /// Flow of all, m^2/s.
    pub flow: f64,
    /// Equivalent length over width.
    pub lambda: f64,
    /// Cell of an inlet (among all of the region's), cell of the joined section, flow between them, m^2/s.
    links: Vec<(u32, u32, f64)>,
}

/// Bounds of rows by the flow below them, and of the cells of each row by the flow to their right; both over the whole.
fn bounds(duct: &Duct) -> (Vec<f64>, Vec<Vec<f64>>) {
    let sums = |parts: &[f64]| {
        let whole: f64 = parts.iter().sum();
        let mut at = 0.0;
        let mut out = vec![0.0];
        for part in parts {
            at += part / whole;
            out.push(at);
        }
        out
    };
    let rows: Vec<&[f64]> = duct.flow.chunks_exact(duct.cells[0]).collect();
    let heights: Vec<f64> = rows.iter().map(|r| r.iter().sum()).collect();
    (sums(&heights), rows.iter().map(|r| sums(r)).collect())
}

/// Pairs of intervals of two partitions of a line that overlap, and by how much.
fn overlaps(a: &[f64], b: &[f64]) -> Vec<(usize, usize, f64)> {
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i + 1 < a.len() && j + 1 < b.len() {
        let both = a[i + 1].min(b[j + 1]) - a[i].max(b[j]);
        if both > 0.0 {
            out.push((i, j, both));
        }
        if a[i + 1] <= b[j + 1] { i += 1 } else { j += 1 }
    }
    out
}

impl Joined {
    /// Inlets from right to left, with their sections, joined in that of the one with the greatest flow.
    pub fn new(inlets: &[(&MapSocket, &Duct)], lambda: f64) -> Option<Self> {
        let (socket, duct) = inlets.iter().max_by(|a, b| a.0.flow.total_cmp(&b.0.flow))?;
        let flow: f64 = inlets.iter().map(|i| i.0.flow).sum();
        let (heights, rows) = bounds(duct);
        let mut links = Vec::new();
        let mut right = 0.0;
        for (inlet, section) in inlets {
            let part = inlet.flow / flow;
            let (own_heights, own_rows) = bounds(section);
            for (row, target, up) in overlaps(&own_heights, &heights) {
                let across: Vec<f64> = own_rows[row].iter().map(|y| right + part * y).collect();
                for (i, j, over) in overlaps(&across, &rows[target]) {
                    let from = inlet.first + row * inlet.cells[0] + i;
                    let to = target * duct.cells[0] + j;
                    links.push((from as u32, to as u32, flow * up * over));
                }
            }
            right += part;
        }
        Some(Self {
            width: socket.width,
            flow,
            lambda,
            links,
        })
    }

    /// Exchange among the streams of all inlets, cell by cell of the region's; nothing where layers would be narrower than cells.
    pub fn exchange(&self, inlets: &mut [f64], duct: &Duct, diffusivity: f64) {
        let x = self.lambda * diffusivity / self.flow;
        if (2.0 * x).sqrt() * (duct.cells[0] as f64) < NARROW {
            return;
        }
        let mut section = vec![[0.0; 2]; duct.flow.len()];
        for &(from, to, flow) in &self.links {
            let [sum, weight] = &mut section[to as usize];
            *sum += flow * inlets[from as usize];
            *weight += flow;
        }
        let mut values: Vec<f64> = section.iter().map(|[sum, weight]| sum / weight).collect();
        duct.advance(&mut values, Station { x, time: 0.0 });
        let mut back = vec![[0.0; 2]; inlets.len()];
        for &(from, to, flow) in &self.links {
            let [sum, weight] = &mut back[from as usize];
            *sum += flow * values[to as usize];
            *weight += flow;
        }
        for (c, [sum, weight]) in inlets.iter_mut().zip(back) {
            if weight > 0.0 {
                *c = sum / weight;
            }
        }
    }
}
