//! A component's mesh and a block number for every cell become blocks and lines.
//!
//! A node that lies in several blocks or on a socket belongs to a line: to its socket's line if it has one (the first, where
//! two sockets touch in a corner), else to the line of the two lowest blocks that share it. All other nodes are interior, but
//! for vertices: inside a block whose lines can take them there are velocities only, so that its pivot is positive definite.
//! (A cell in a corner, alone in its layer, would else keep a pressure that no velocity of its own block acts on.)

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{
    BlockKind, BlockMesh, BlockPlacement, ComponentMesh, INTERIOR, Line, LineNode, P2Mesh, Place,
    SocketAlias,
};
use stokeslet_base::geometry::Point;

/// Cuts `mesh` into the blocks that `block_of_cell` numbers.
///
/// # Shapes and units
/// - `block_of_cell`: one number in `0..n_blocks` a cell; `socket_angles`: outward direction of each socket, rad; `socket_scales`: cell size there in units of the component
pub fn partition(
    mesh: &P2Mesh,
    block_of_cell: &[u32],
    n_blocks: usize,
    socket_angles: &[f64],
    socket_scales: &[f64],
) -> ComponentMesh {
    let (line_of, index_in_line, lines, aliases) =
        lines(mesh, block_of_cell, socket_angles, socket_scales);
    let mut cells_of = vec![Vec::new(); n_blocks];
    for (c, &b) in block_of_cell.iter().enumerate() {
        cells_of[b as usize].push(c);
    }
    let mut walls_of = FxHashMap::<u32, Vec<u8>>::default();
    for &(c, k) in &mesh.walls {
        walls_of.entry(c).or_default().push(k);
    }
    let mut kinds: Vec<BlockKind<2>> = Vec::new();
    let mut blocks = Vec::with_capacity(n_blocks);
    for cells in &cells_of {
        let (kind, origin, block_lines) = block(mesh, cells, &walls_of, &line_of, &index_in_line);
        let known = kinds.iter().position(|k| *k == kind);
        let kind = known.unwrap_or_else(|| {
            kinds.push(kind);
            kinds.len() - 1
        });
        blocks.push(BlockPlacement {
            kind,
            angle: 0.0,
            scale: 1.0,
            origin,
            lines: block_lines,
        });
    }
    ComponentMesh {
        kinds,
        blocks,
        lines,
        aliases,
    }
}

const NO_LINE: u32 = u32::MAX;

type Lines = (Vec<u32>, Vec<u32>, Vec<Line>, Vec<SocketAlias>);

/// The line and the place in it of every node.
fn lines(
    mesh: &P2Mesh,
    block_of_cell: &[u32],
    socket_angles: &[f64],
    socket_scales: &[f64],
) -> Lines {
    let mut line_of = vec![NO_LINE; mesh.nodes.len()];
    let mut index_in_line = vec![0; mesh.nodes.len()];
    let mut members: Vec<Vec<u32>> = Vec::new();
    let mut aliases = Vec::new();
    for (s, nodes) in mesh.sockets.iter().enumerate() {
        for (i, &n) in nodes.iter().enumerate() {
            if line_of[n as usize] == NO_LINE {
                line_of[n as usize] = s as u32;
                index_in_line[n as usize] = i as u32;
            } else {
                let keeps = (
                    line_of[n as usize] as usize,
                    index_in_line[n as usize] as usize,
                );
                aliases.push(SocketAlias {
                    keeps,
                    same: (s, i),
                });
            }
        }
        members.push(nodes.clone());
    }
    let n_sockets = mesh.sockets.len();
    let mut blocks_at: Vec<Vec<u32>> = vec![Vec::new(); mesh.nodes.len()];
    for (c, cell) in mesh.cells.iter().enumerate() {
        for &n in cell {
            let at = &mut blocks_at[n as usize];
            if !at.contains(&block_of_cell[c]) {
                at.push(block_of_cell[c]);
            }
        }
    }
    let mut inner: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for (n, at) in blocks_at.iter_mut().enumerate() {
        if at.len() > 1 && line_of[n] == NO_LINE {
            at.sort_unstable();
            inner.entry((at[0], at[1])).or_default().push(n as u32);
        }
    }
    for nodes in inner.into_values() {
        for (i, &n) in nodes.iter().enumerate() {
            line_of[n as usize] = members.len() as u32;
            index_in_line[n as usize] = i as u32;
        }
        members.push(nodes);
    }
    for (n, line) in lines_for_vertices(mesh, block_of_cell, &line_of, n_sockets) {
        line_of[n as usize] = line;
        index_in_line[n as usize] = members[line as usize].len() as u32;
        members[line as usize].push(n);
    }
    let lines = members
        .iter()
        .enumerate()
        .map(|(l, nodes)| Line {
            nodes: Arc::new(
                nodes
                    .iter()
                    .map(|&n| LineNode {
                        vertex: (n as usize) < mesh.n_vertices,
                        wall: mesh.on_wall[n as usize],
                    })
                    .collect(),
            ),
            angle: if l < n_sockets { socket_angles[l] } else { 0.0 },
            scale: if l < n_sockets { socket_scales[l] } else { 1.0 },
            socket: (l < n_sockets).then_some(l),
        })
        .collect();
    (line_of, index_in_line, lines, aliases)
}

/// Vertices inside blocks, each with the inner line that takes it: one that holds a free velocity of the vertex's cells if there
/// is one, else the first that its block touches; left inside where the block touches no inner line.
fn lines_for_vertices(
    mesh: &P2Mesh,
    block_of_cell: &[u32],
    line_of: &[u32],
    n_sockets: usize,
) -> Vec<(u32, u32)> {
    let is_inner = |line: u32| line != NO_LINE && line as usize >= n_sockets;
    let mut of_block: FxHashMap<u32, u32> = FxHashMap::default();
    let mut of_vertex: BTreeMap<u32, (u32, u32)> = BTreeMap::new(); // vertex: (line of a free velocity, block)
    for (cell, &block) in mesh.cells.iter().zip(block_of_cell) {
        let inner = || cell.iter().filter(|&&n| is_inner(line_of[n as usize]));
        if let Some(line) = inner().map(|&n| line_of[n as usize]).min() {
            let first = of_block.entry(block).or_insert(line);
            *first = line.min(*first);
        }
        let acting = inner()
            .filter(|&&n| !mesh.on_wall[n as usize])
            .map(|&n| line_of[n as usize])
            .min()
            .unwrap_or(NO_LINE);
        for &v in cell[..3]
            .iter()
            .filter(|&&v| line_of[v as usize] == NO_LINE)
        {
            let best = of_vertex.entry(v).or_insert((acting, block));
            best.0 = best.0.min(acting);
        }
    }
    of_vertex
        .into_iter()
        .filter_map(|(v, (acting, block))| {
            let line = if acting == NO_LINE {
                *of_block.get(&block)?
            } else {
                acting
            };
            Some((v, line))
        })
        .collect()
}

/// One block in its own frame: translated to its first vertex, snapped, nodes in the component's order.
fn block(
    mesh: &P2Mesh,
    cells: &[usize],
    walls_of: &FxHashMap<u32, Vec<u8>>,
    line_of: &[u32],
    index_in_line: &[u32],
) -> (BlockKind<2>, Point, Vec<(u32, bool)>) {
    let mut nodes: Vec<u32> = cells.iter().flat_map(|&c| mesh.cells[c]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let local: FxHashMap<u32, u32> = nodes
        .iter()
        .enumerate()
        .map(|(i, &n)| (n, i as u32))
        .collect();
    let origin = mesh.nodes[nodes[0] as usize];
    let mut block_lines: Vec<u32> = nodes
        .iter()
        .map(|&n| line_of[n as usize])
        .filter(|&l| l != NO_LINE)
        .collect();
    block_lines.sort_unstable();
    block_lines.dedup();
    let mut n_interior = 0;
    let places = nodes
        .iter()
        .map(|&n| match block_lines.binary_search(&line_of[n as usize]) {
            Ok(slot) => Place {
                slot: slot as u16,
                index: index_in_line[n as usize],
            },
            Err(_) => {
                n_interior += 1;
                Place {
                    slot: INTERIOR,
                    index: n_interior - 1,
                }
            }
        })
        .collect();
    let block_mesh = BlockMesh {
        nodes: nodes
            .iter()
            .map(|&n| {
                let p = mesh.nodes[n as usize] - origin;
                [snap(p.x), snap(p.y)]
            })
            .collect(),
        n_vertices: nodes
            .iter()
            .take_while(|&&n| (n as usize) < mesh.n_vertices)
            .count(),
        cells: cells
            .iter()
            .flat_map(|&c| mesh.cells[c].map(|n| local[&n]))
            .collect(),
        on_wall: nodes.iter().map(|&n| mesh.on_wall[n as usize]).collect(),
        walls: cells
            .iter()
            .enumerate()
            .flat_map(|(i, c)| {
                walls_of
                    .get(&(*c as u32))
                    .into_iter()
                    .flatten()
                    .map(move |&k| (i as u32, k))
            })
            .collect(),
    };
    let n_slots = block_lines.len();
    let lines = block_lines.into_iter().map(|l| (l, false)).collect();
    (
        BlockKind {
            mesh: block_mesh,
            places,
            n_slots,
        },
        origin,
        lines,
    )
}

/// Rounds to 2^-42 of a cell: far above the noise of translations, far below what matters, so that copies are equal bit for bit.
pub fn snap(x: f64) -> f64 {
    const STEP: f64 = 4_398_046_511_104.0;
    (x * STEP).round() / STEP
}
