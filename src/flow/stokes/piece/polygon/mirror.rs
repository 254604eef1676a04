//! Some cells of a mesh as a mesh of their own, as they lie or in a mirror: copies and mirror images come out equal.

use super::unknowns::Mirrored;
use crate::mesh::{BlockMesh, snap};
use crate::stokes::section::NONE;

/// A cell's nodes in an order that its mirror image would have: counter-clockwise in the mirror, from the lowest vertex on.
fn in_mirror<const D: usize>(
    mesh: &BlockMesh<D>,
    cell: u32,
    mirrored: Mirrored,
) -> ([u32; 10], usize) {
    let nodes = mesh.cell(cell as usize);
    let mut out = [NONE; 10];
    out[..nodes.len()].copy_from_slice(nodes);
    if mirrored != [false; 2] && nodes.len() == 6 {
        if mirrored[0] != mirrored[1] {
            out.swap(1, 2);
            out.swap(3, 5);
        }
        let places = [0, 1, 2].map(|k: usize| {
            let at = mesh.nodes[out[k] as usize];
            [0, 1].map(|a| snap(if mirrored[a] { -at[a] } else { at[a] }))
        });
        let first = (0..3).min_by(|&a, &b| {
            let ([x, y], [u, v]) = (places[a], places[b]);
            x.total_cmp(&u).then(y.total_cmp(&v))
        });
        let first = first.unwrap_or(0);
        out[..3].rotate_left(first);
        out[3..6].rotate_left(first);
    }
    (out, nodes.len())
}

/// Nodes of some cells, vertices first, in an order that only the cells' order fixes.
pub(super) struct Numbered {
    pub nodes: Vec<u32>,
    pub n_vertices: usize,
    /// The cells, node by node, in these numbers.
    pub cells: Vec<u32>,
}

/// Numbers the nodes of the cells in the mirror.
pub(super) fn numbered<const D: usize>(
    mesh: &BlockMesh<D>,
    cells: &[u32],
    mirrored: Mirrored,
    local: &mut [u32],
) -> Numbered {
    let (mut nodes, mut others) = (Vec::new(), Vec::new());
    let mut listed = Vec::with_capacity(10 * cells.len());
    for &c in cells {
        let (list, n) = in_mirror(mesh, c, mirrored);
        for &n in &list[..n] {
            if local[n as usize] == NONE {
                local[n as usize] = 0;
                let is_vertex = (n as usize) < mesh.n_vertices;
                if is_vertex { &mut nodes } else { &mut others }.push(n);
            }
        }
        listed.extend_from_slice(&list[..n]);
    }
    let n_vertices = nodes.len();
    nodes.append(&mut others);
    for (k, &n) in nodes.iter().enumerate() {
        local[n as usize] = k as u32;
    }
    listed.iter_mut().for_each(|n| *n = local[*n as usize]);
    nodes.iter().for_each(|&n| local[n as usize] = NONE);
    Numbered {
        nodes,
        n_vertices,
        cells: listed,
    }
}

/// The cells as a mesh of their own with these nodes, in the mirror.
pub(super) fn submesh<const D: usize>(
    mesh: &BlockMesh<D>,
    walls_of: &[Vec<u8>],
    cells: &[u32],
    (nodes, n_vertices): (&[u32], usize),
    mirrored: Mirrored,
    local: &mut [u32],
) -> BlockMesh<D> {
    for (k, &n) in nodes.iter().enumerate() {
        local[n as usize] = k as u32;
    }
    // Near its own origin and rounded, so that copies elsewhere in the part are equal.
    let first = mesh.nodes[nodes[0] as usize];
    let moved = |n: &u32| {
        let at = mesh.nodes[*n as usize];
        // Height stays: a patch is moved in the plane only.
        std::array::from_fn(|k| match k {
            0 | 1 if mirrored[k] => snap(first[k] - at[k]),
            0 | 1 => snap(at[k] - first[k]),
            _ => at[k],
        })
    };
    let own_cell = |&c: &u32| {
        let (list, n) = in_mirror(mesh, c, mirrored);
        list.into_iter().take(n)
    };
    // A facet is numbered like its middle.
    let facet_in_mirror = |c: u32, facet: u8| {
        let middle = mesh.cell(c as usize).get(3 + facet as usize);
        let (list, _) = in_mirror(mesh, c, mirrored);
        let found = list[3..6].iter().position(|n| Some(n) == middle);
        found.map_or(facet, |k| k as u8)
    };
    let mut walls: Vec<(u32, u8)> = Vec::new();
    for (k, &c) in cells.iter().enumerate() {
        let facets = walls_of[c as usize].iter();
        match mirrored {
            [false, false] => walls.extend(facets.map(|&facet| (k as u32, facet))),
            _ => walls.extend(facets.map(|&facet| (k as u32, facet_in_mirror(c, facet)))),
        }
    }
    walls.sort_unstable();
    let out = BlockMesh {
        nodes: nodes.iter().map(moved).collect(),
        n_vertices,
        cells: cells
            .iter()
            .flat_map(own_cell)
            .map(|n| local[n as usize])
            .collect(),
        on_wall: nodes.iter().map(|&n| mesh.on_wall[n as usize]).collect(),
        walls,
    };
    nodes.iter().for_each(|&n| local[n as usize] = NONE);
    out
}
