//! A plane mesh becomes tetrahedra: extruded through its depth in layers, each prism cut into three.
//!
//! ```text
//! level 2k+2  t0--------t2      vertices of a prism by rank: v0 < v1 < v2; bottom b, top t
//!             |\  t1   /|
//! level 2k+1  | \ |   / |       tetrahedra   b0 b1 b2 t2,   b0 b1 t1 t2,   b0 t0 t1 t2
//!             |  \|  /  |       diagonals    b0 t1,  b1 t2,  b0 t2:  up from the lower rank
//! level 2k    b0--b1---b2
//! ```
//! A diagonal lies over a plane edge and depends on the ranks of that edge's ends only, so neighbours agree wherever they agree
//! on those ([`super::socket_rank()`]). The P2 nodes are the plane's P2 nodes times the levels 0 to 2 L, all of them and no other:
//! the middle of a diagonal is the edge's middle at an odd level. Over a curved plane edge they make a curved face that is
//! straight upwards, so the extruded mesh fills exactly the plane one times its depth.
//!
//! With walls above and below, the upper half of the layers is the lower one's mirror image. So the full mesh of 2 L layers is
//! the half mesh of L layers and its reflection, and their discrete flows are the same.

use thiserror::Error;

use super::BlockMesh;

#[cfg(test)]
pub(super) mod tests;

/// Vertices of each facet of a tetrahedron, facet k opposite vertex k, counter-clockwise seen from outside.
pub const TETRAHEDRON_FACETS: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// What bounds the last level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Top {
    /// A wall.
    Wall,
    /// The plane of mid-depth, of which the flow is a mirror image: its nodes are free, and whoever assembles holds their
    /// normal velocity at zero.
    Symmetry,
}

/// Why a plane mesh can't be extruded.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ExtrudeError {
    /// The depth is not positive and finite.
    #[error("its depth is {depth} cells, which is not positive and finite")]
    Depth {
        /// What was given.
        depth: f64,
    },
    /// Too few layers for all pressures to meet a free velocity: one, or two between two walls.
    #[error("it has {layers} layers; it needs at least {least}")]
    Layers {
        /// What was given.
        layers: usize,
        /// The least.
        least: usize,
    },
    /// Two ends of an edge without an order.
    #[error("vertices {a} and {b} share an edge and have no different ranks")]
    Rank {
        /// One end.
        a: u32,
        /// The other end.
        b: u32,
    },
    /// A socket with an odd number of edges: its middle edge looks alike from both sides.
    #[error("socket {socket} has {edges} edges; three dimensions need an even number, at least 2")]
    OddSocket {
        /// Which one.
        socket: usize,
        /// Its edges.
        edges: usize,
    },
    /// More nodes than can be numbered.
    #[error("it would have {nodes:.0} nodes; the limit is {limit:.0}")]
    TooManyNodes {
        /// Nodes.
        nodes: f64,
        /// Limit.
        limit: f64,
    },
}

/// A plane mesh times a depth.
#[derive(Clone, Debug, PartialEq)]
pub struct Extruded {
    /// Tetrahedra; z runs from 0, a wall, to the depth.
    pub mesh: BlockMesh<3>,
    /// (plane node, level) of every node: all vertices (plane vertex, even level) first, each kind by plane node, then level.
    pub node: Vec<(u32, u32)>,
    /// The node of (plane node, level) at `plane node * (2 layers + 1) + level`.
    pub number: Vec<u32>,
}

/// Extrudes a plane mesh and cuts it into tetrahedra.
///
/// # Shapes and units
/// - `rank`: one a vertex of the plane mesh; the ends of every edge differ
/// - `depth` in cells, of the layers themselves: half the channel's under [`Top::Symmetry`]
/// - walls of the result: (cell, facet) with facet k opposite vertex k ([`TETRAHEDRON_FACETS`]): the sides, the bottom, and the
///   top if it is one
/// # Errors
/// [`ExtrudeError`].
pub fn extrude(
    plane: &BlockMesh<2>,
    rank: &[f64],
    layers: usize,
    depth: f64,
    top: Top,
) -> Result<Extruded, ExtrudeError> {
    check(plane, rank, layers, depth, top)?;
    let (node, number) = numbering(plane, layers);
    let levels = 2 * layers + 1;
    let nodes = node
        .iter()
        .map(|&(n, level)| {
            let [x, y] = plane.nodes[n as usize];
            // Exact at both ends whatever the number of levels.
            [x, y, depth * (f64::from(level) / (2 * layers) as f64)]
        })
        .collect();
    let on_wall = node
        .iter()
        .map(|&(n, level)| {
            let last = level as usize == levels - 1 && top == Top::Wall;
            plane.on_wall[n as usize] || level == 0 || last
        })
        .collect();
    let mut side = vec![[false; 3]; plane.n_cells()];
    for &(cell, edge) in &plane.walls {
        side[cell as usize][edge as usize] = true;
    }
    let (mut cells, mut walls) = (Vec::new(), Vec::new());
    for layer in 0..layers {
        let way = match top {
            Top::Wall if 2 * layer >= layers => Way::Down,
            _ => Way::Up,
        };
        let floor = layer == 0;
        let ceiling = layer + 1 == layers && top == Top::Wall;
        for (c, side) in side.iter().enumerate() {
            let triangle = plane.cell(c);
            for tetrahedron in prism(triangle, rank, way) {
                let cell = (cells.len() / 10) as u32;
                cells.extend(
                    cell_nodes(triangle, tetrahedron)
                        .map(|(n, above)| number[n as usize * levels + 2 * layer + above]),
                );
                for (facet, corners) in TETRAHEDRON_FACETS.iter().enumerate() {
                    let at = corners.map(|k| tetrahedron[k]);
                    let edge = |k: usize| at.iter().all(|c| c.0 == k || c.0 == (k + 1) % 3);
                    let level = |l: usize| at.iter().all(|c| c.1 == l);
                    if (0..3).any(|k| side[k] && edge(k))
                        || floor && level(0)
                        || ceiling && level(1)
                    {
                        walls.push((cell, facet as u8));
                    }
                }
            }
        }
    }
    Ok(Extruded {
        mesh: BlockMesh {
            nodes,
            n_vertices: plane.n_vertices * (layers + 1),
            cells,
            on_wall,
            walls,
        },
        node,
        number,
    })
}

fn check(
    plane: &BlockMesh<2>,
    rank: &[f64],
    layers: usize,
    depth: f64,
    top: Top,
) -> Result<(), ExtrudeError> {
    if !(depth.is_finite() && depth > 0.0) {
        return Err(ExtrudeError::Depth { depth });
    }
    let least = match top {
        Top::Wall => 2,
        Top::Symmetry => 1,
    };
    if layers < least {
        return Err(ExtrudeError::Layers { layers, least });
    }
    let limit = f64::from(u32::MAX);
    // Three cells a prism: no more of them than numbers either.
    let most = plane.nodes.len().max(3 * plane.n_cells());
    let nodes = most as f64 * (2.0 * layers as f64 + 1.0);
    if nodes > limit {
        return Err(ExtrudeError::TooManyNodes { nodes, limit });
    }
    for c in 0..plane.n_cells() {
        let v = &plane.cell(c)[..3];
        for (a, b) in [(v[0], v[1]), (v[1], v[2]), (v[2], v[0])] {
            let of = |v: u32| rank.get(v as usize).copied().unwrap_or(f64::NAN);
            if !(of(a) < of(b) || of(b) < of(a)) {
                return Err(ExtrudeError::Rank { a, b });
            }
        }
    }
    Ok(())
}

/// (plane node, level) by node, and its inverse.
fn numbering(plane: &BlockMesh<2>, layers: usize) -> (Vec<(u32, u32)>, Vec<u32>) {
    let levels = 2 * layers + 1;
    let all =
        || (0..plane.nodes.len()).flat_map(move |n| (0..levels).map(move |l| (n as u32, l as u32)));
    let vertex = |&(n, level): &(u32, u32)| (n as usize) < plane.n_vertices && level % 2 == 0;
    let mut node: Vec<(u32, u32)> = all().filter(vertex).collect();
    node.extend(all().filter(|at| !vertex(at)));
    let mut number = vec![0; node.len()];
    for (k, &(n, level)) in node.iter().enumerate() {
        number[n as usize * levels + level as usize] = k as u32;
    }
    (node, number)
}

/// How diagonals run from the lower rank to the higher.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

/// A corner of a prism: vertex of the triangle 0..3, and 0 below or 1 above.
type Corner = (usize, usize);

/// Three tetrahedra, positively oriented where the triangle is counter-clockwise.
fn prism(triangle: &[u32], rank: &[f64], way: Way) -> [[Corner; 4]; 3] {
    let mut by_rank = [0, 1, 2];
    by_rank.sort_by(|&i, &j| rank[triangle[i] as usize].total_cmp(&rank[triangle[j] as usize]));
    let [v0, v1, v2] = by_rank;
    // Near side first: below when diagonals run up, above when they run down.
    let (near, far) = match way {
        Way::Up => (0, 1),
        Way::Down => (1, 0),
    };
    let mut cut = [
        [(v0, near), (v1, near), (v2, near), (v2, far)],
        [(v0, near), (v1, near), (v1, far), (v2, far)],
        [(v0, near), (v0, far), (v1, far), (v2, far)],
    ];
    let counter_clockwise = (v1 + 3 - v0) % 3 == 1;
    // The middle tetrahedron of the three is the mirror image of the others in its order of vertices.
    for (k, tetrahedron) in cut.iter_mut().enumerate() {
        if counter_clockwise != ((k == 1) != (way == Way::Up)) {
            tetrahedron.swap(0, 1);
        }
    }
    cut
}

/// (plane node, levels above the bottom) of a tetrahedron's ten nodes.
fn cell_nodes(triangle: &[u32], corners: [Corner; 4]) -> impl Iterator<Item = (u32, usize)> {
    let vertices = corners.map(|(v, above)| (triangle[v], 2 * above));
    let middle = move |&(a, b): &(usize, usize)| {
        let ((v, above), (w, higher)) = (corners[a], corners[b]);
        // Edge k of a triangle joins its vertices k and k+1.
        let plane = match (v + 3 - w) % 3 {
            0 => triangle[v],
            1 => triangle[3 + w],
            _ => triangle[3 + v],
        };
        (plane, above + higher)
    };
    let edges = crate::fem::lagrange::edges::<3>();
    vertices.into_iter().chain(edges.iter().map(middle))
}
