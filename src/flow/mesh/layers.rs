//! A mesh cut into blocks by breadth-first layers from one of its sockets (thesis, section 4.7).
//!
//! Cells are neighbours where they share a vertex, so that a layer touches only the layers before and after it, and a node
//! lies in two blocks at most.

use super::P2Mesh;

/// The block of each cell, and the number of blocks: layers from the socket from which they cost least to eliminate.
pub fn layers(mesh: &P2Mesh) -> (Vec<u32>, usize) {
    let mut cells_at = vec![Vec::new(); mesh.n_vertices];
    for (c, cell) in mesh.cells.iter().enumerate() {
        for &v in &cell[..3] {
            cells_at[v as usize].push(c as u32);
        }
    }
    let cuts = mesh.sockets.iter().map(|seed| cut(mesh, &cells_at, seed));
    let cost = |blocks: &Vec<u32>, n: usize| {
        let mut sizes = vec![0.0_f64; n];
        blocks.iter().for_each(|&b| sizes[b as usize] += 1.0);
        sizes.iter().map(|s| s.powi(3)).sum::<f64>()
    };
    let best = cuts.min_by(|(a, n), (b, m)| cost(a, *n).total_cmp(&cost(b, *m)));
    best.unwrap_or_else(|| (vec![0; mesh.cells.len()], 1))
}

fn cut(mesh: &P2Mesh, cells_at: &[Vec<u32>], seed: &[u32]) -> (Vec<u32>, usize) {
    const NONE: u32 = u32::MAX;
    let mut layer = vec![NONE; mesh.cells.len()];
    let mut front: Vec<u32> = seed
        .iter()
        .copied()
        .filter(|&n| (n as usize) < mesh.n_vertices)
        .collect();
    let mut depth = 0;
    while !front.is_empty() {
        let mut next = Vec::new();
        for v in front {
            for &c in &cells_at[v as usize] {
                if layer[c as usize] == NONE {
                    layer[c as usize] = depth;
                    next.extend_from_slice(&mesh.cells[c as usize][..3]);
                }
            }
        }
        next.sort_unstable();
        next.dedup();
        front = next;
        depth += 1;
    }
    // A layer that fell apart is several blocks; numbered by layer, then by first cell.
    let mut order: Vec<u32> = (0..mesh.cells.len() as u32).collect();
    order.sort_by_key(|&c| (layer[c as usize], c));
    let mut block = vec![NONE; mesh.cells.len()];
    let mut n_blocks = 0;
    for start in order {
        if block[start as usize] != NONE {
            continue;
        }
        let mut stack = vec![start];
        block[start as usize] = n_blocks;
        while let Some(c) = stack.pop() {
            for &v in &mesh.cells[c as usize][..3] {
                for &d in &cells_at[v as usize] {
                    if block[d as usize] == NONE && layer[d as usize] == layer[start as usize] {
                        block[d as usize] = n_blocks;
                        stack.push(d);
                    }
                }
            }
        }
        n_blocks += 1;
    }
    (block, n_blocks as usize)
}
