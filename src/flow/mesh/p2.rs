//! Triangles with P2 nodes, walls and sockets told apart.

use rustc_hash::{FxBuildHasher, FxHashMap};

use stokeslet_base::geometry::Point;

/// A whole component as one mesh of quadratic triangles.
#[derive(Clone, Debug, Default)]
pub struct P2Mesh {
    /// Vertices, then edge middles.
    pub nodes: Vec<Point>,
    /// How many are vertices.
    pub n_vertices: usize,
    /// Vertices counter-clockwise, then middles of edges 01, 12, 20.
    pub cells: Vec<[u32; 6]>,
    /// Boundary edges that are walls: (cell, edge).
    pub walls: Vec<(u32, u8)>,
    /// Whether each node lies on a wall.
    pub on_wall: Vec<bool>,
    /// Nodes along each socket, counter-clockwise about the component.
    pub sockets: Vec<Vec<u32>>,
}

impl P2Mesh {
    /// Numbers the edges and sorts the boundary.
    ///
    /// # Requires
    /// Counter-clockwise triangles. `socket_of(a, b)` names the socket of the boundary edge from vertex a to vertex b
    /// (counter-clockwise about the domain), `middle(a, b)` places its middle.
    pub fn new(
        vertices: Vec<Point>,
        triangles: &[[u32; 3]],
        n_sockets: usize,
        socket_of: impl Fn(u32, u32) -> Option<usize>,
        middle: impl Fn(u32, u32) -> Point,
    ) -> Self {
        let n_vertices = vertices.len();
        let mut nodes = vertices;
        // As many edges as Euler's formula counts, but for holes: to (node, number of cells).
        let n_edges = n_vertices + triangles.len();
        let mut edges: FxHashMap<(u32, u32), (u32, u32)> =
            FxHashMap::with_capacity_and_hasher(n_edges, FxBuildHasher);
        nodes.reserve_exact(n_edges);
        let mut cells = Vec::with_capacity(triangles.len());
        for t in triangles {
            let mut cell = [t[0], t[1], t[2], 0, 0, 0];
            for k in 0..3 {
                let (a, b) = (t[k], t[(k + 1) % 3]);
                let entry = edges.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    nodes.push(middle(a, b));
                    (nodes.len() as u32 - 1, 0)
                });
                entry.1 += 1;
                cell[3 + k] = entry.0;
            }
            cells.push(cell);
        }
        let mut walls = Vec::new();
        let mut on_wall = vec![false; nodes.len()];
        let mut links: Vec<FxHashMap<u32, (u32, u32)>> = vec![FxHashMap::default(); n_sockets];
        for (c, cell) in cells.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (cell[k], cell[(k + 1) % 3]);
                if edges[&(a.min(b), a.max(b))].1 > 1 {
                    continue;
                }
                match socket_of(a, b) {
                    Some(s) => {
                        links[s].insert(a, (cell[3 + k], b));
                    }
                    None => {
                        walls.push((c as u32, k as u8));
                        for n in [a, b, cell[3 + k]] {
                            on_wall[n as usize] = true;
                        }
                    }
                }
            }
        }
        let sockets = links.iter().map(chain).collect();
        let mut mesh = Self {
            nodes,
            n_vertices,
            cells,
            walls,
            on_wall,
            sockets,
        };
        mesh.mark_socket_ends();
        mesh
    }

    /// A socket's two end vertices lie on walls, also where two sockets share a corner and no wall edge of this mesh ends there.
    fn mark_socket_ends(&mut self) {
        for socket in &self.sockets {
            for end in [socket.first(), socket.last()].into_iter().flatten() {
                self.on_wall[*end as usize] = true;
            }
        }
    }
}

/// Nodes along a chain of directed edges a -> (middle, b), from the vertex that no edge enters.
fn chain(links: &FxHashMap<u32, (u32, u32)>) -> Vec<u32> {
    let mut starts: Vec<u32> = links.keys().copied().collect();
    starts.sort_unstable();
    starts.retain(|a| !links.values().any(|&(_, b)| b == *a));
    let mut nodes = Vec::with_capacity(2 * links.len() + 1);
    let Some(&first) = starts.first() else {
        return nodes;
    };
    nodes.push(first);
    let mut at = first;
    while let Some(&(middle, next)) = links.get(&at) {
        nodes.extend([middle, next]);
        at = next;
    }
    nodes
}
