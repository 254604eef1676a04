//! Ranks of a plane mesh's vertices such that parts that meet at a socket extrude alike there.

use rustc_hash::FxHashMap;

use super::BlockMesh;
use super::extrude::ExtrudeError;

#[cfg(test)]
mod tests;

/// Ranks for [`super::extrude()`] that depend, along every socket, on the distance from its middle only.
///
/// ```text
/// rank   -2  -1   0  -1  -2      along a socket of 4 edges, whichever way it is counted
/// ```
/// - Along a socket the middle is highest and the corners are lowest, so that a corner shared by two sockets suits both.
/// - A vertex of one cell only is lowest in it. Then its pressure at the bottom wall has three tetrahedra and meets the free
///   velocity over the edge opposite; were it highest, its one tetrahedron could be all wall, and its pressure undetermined.
/// - All other vertices are above the sockets, ordered by x, then y, so that moved copies of some cells are cut alike.
///
/// # Shapes and units
/// - `sockets`: the P2 nodes along each, 2 r + 1, r even
/// - returns one rank a vertex; ends of an edge differ
/// # Errors
/// [`ExtrudeError::OddSocket`]: the two ends of a middle edge are equally far from the middle, so nothing tells them apart that
/// does not depend on the side from which one looks.
pub fn socket_rank(plane: &BlockMesh<2>, sockets: &[Vec<u32>]) -> Result<Vec<f64>, ExtrudeError> {
    let mut cells_at = vec![0_u32; plane.n_vertices];
    for c in 0..plane.n_cells() {
        for &v in &plane.cell(c)[..3] {
            cells_at[v as usize] += 1;
        }
    }
    let single = |v: usize| cells_at[v] == 1;
    let mut on_socket: FxHashMap<usize, f64> = FxHashMap::default();
    let mut farthest = 0.0_f64;
    for (m, socket) in sockets.iter().enumerate() {
        let edges = socket.len().saturating_sub(1) / 2;
        if edges == 0 || edges % 2 == 1 || socket.len() % 2 == 0 {
            return Err(ExtrudeError::OddSocket { socket: m, edges });
        }
        let half = (edges / 2) as f64;
        farthest = farthest.max(half);
        // Steps along a socket are one, so less than a half tells sockets and single vertices apart and leaves their order.
        let aside = 0.4 * (m + 1) as f64 / sockets.len() as f64;
        for (j, &v) in socket.iter().step_by(2).enumerate() {
            let v = v as usize;
            let distance = (j as f64 - half).abs();
            let rank = -distance + if single(v) { 0.0 } else { aside };
            on_socket
                .entry(v)
                .and_modify(|r| *r = r.min(rank))
                .or_insert(rank);
        }
    }
    let mut order: Vec<usize> = (0..plane.n_vertices).collect();
    // Coordinates are snapped, and sorted as they are: equal shapes have equal ranks.
    order.sort_by(|&a, &b| {
        let (p, q) = (plane.nodes[a], plane.nodes[b]);
        p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1]))
    });
    let mut rank = vec![0.0; plane.n_vertices];
    for (k, &v) in order.iter().enumerate() {
        let k = k as f64;
        rank[v] = match on_socket.get(&v) {
            Some(&rank) => rank,
            None if single(v) => k - farthest - plane.n_vertices as f64,
            None => k + 1.0,
        };
    }
    Ok(rank)
}
