//! Edges of walls in a row: every wall as one line from end to end, or round and round.
//!
//! Parts don't share all of their nodes, so edges follow each other where they meet in space.

use rstar::RTree;
use rstar::primitives::GeomWithData;

use super::{GAUSS, WallStress};
use crate::field::Field;
use crate::field::index::nodes_of;
use stokeslet_base::geometry::Point;

/// Ends of edges nearer than this part of an edge's length are one: far above rounding, far below a cell.
const TOGETHER: f64 = 1e-3;

/// A place on a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallPoint {
    /// Along the wall from its first edge's beginning, m.
    pub distance: f64,
    /// Where, m.
    pub at: Point,
    /// Shear stress, Pa.
    pub shear: f64,
    /// Part of the chip.
    pub part: u32,
}

/// Every wall as a row of places, two an edge (its Gauss points), the flow on the left. Walls that end at sockets of ports come
/// first, closed ones after them, each in the order of their first edges in [`Field::walls`].
pub fn along_walls(fields: &Field<2>, stress: &WallStress) -> Vec<Vec<WallPoint>> {
    let edges: Vec<[Point; 3]> = fields
        .walls
        .iter()
        .map(|&(cell, edge)| {
            let (x, k) = (nodes_of(fields, cell as usize), edge as usize);
            [x[k], x[k + 3], x[(k + 1) % 3]]
        })
        .collect();
    let next = followers(&edges);
    let mut is_followed = vec![false; edges.len()];
    for &edge in next.iter().flatten() {
        is_followed[edge] = true;
    }
    let mut is_done = vec![false; edges.len()];
    let open = (0..edges.len()).filter(|&k| !is_followed[k]);
    let closed = (0..edges.len()).filter(|&k| is_followed[k]);
    let mut walls = Vec::new();
    for first in open.chain(closed) {
        let (mut at, mut distance, mut wall) = (Some(first), 0.0, Vec::new());
        while let Some(edge) = at.filter(|&edge| !is_done[edge]) {
            is_done[edge] = true;
            let length = length(&edges[edge]);
            for (s, &shear) in GAUSS.into_iter().zip(&stress.at_gauss[edge]) {
                wall.push(WallPoint {
                    distance: distance + s * length,
                    at: on_edge(&edges[edge], s),
                    shear,
                    part: fields.part[fields.walls[edge].0 as usize],
                });
            }
            distance += length;
            at = next[edge];
        }
        if !wall.is_empty() {
            walls.push(wall);
        }
    }
    walls
}

/// The edge that begins where each edge ends.
fn followers(edges: &[[Point; 3]]) -> Vec<Option<usize>> {
    let starts = edges
        .iter()
        .enumerate()
        .map(|(k, [a, ..])| GeomWithData::new([a.x, a.y], k))
        .collect();
    let tree = RTree::bulk_load(starts);
    let mut is_taken = vec![false; edges.len()];
    edges
        .iter()
        .map(|edge| {
            let end = edge[2];
            let reach = TOGETHER * (end - edge[0]).norm();
            // Where walls touch in a corner, the one that turns least into the wall goes on.
            let found = tree
                .locate_within_distance([end.x, end.y], reach * reach)
                .map(|start| start.data)
                .filter(|&k| !is_taken[k])
                .min_by(|&a, &b| turn(edge, &edges[a]).total_cmp(&turn(edge, &edges[b])))?;
            is_taken[found] = true;
            Some(found)
        })
        .collect()
}

/// How far to the left an edge turns from another, rad.
fn turn(from: &[Point; 3], to: &[Point; 3]) -> f64 {
    let (a, b) = (from[2] - from[1], to[1] - to[0]);
    a.cross(b).atan2(a.dot(b))
}

/// A quadratic edge at `s`.
fn on_edge([a, m, b]: &[Point; 3], s: f64) -> Point {
    *a * ((1.0 - s) * (1.0 - 2.0 * s)) + *m * (4.0 * s * (1.0 - s)) + *b * (s * (2.0 * s - 1.0))
}

/// Length of a quadratic edge, m, by its Gauss points.
fn length([a, m, b]: &[Point; 3]) -> f64 {
    let slope = |s: f64| *a * (4.0 * s - 3.0) + *m * (4.0 - 8.0 * s) + *b * (4.0 * s - 1.0);
    GAUSS.iter().map(|&s| 0.5 * slope(s).norm()).sum()
}

#[cfg(test)]
mod tests {
    use super::super::wall_stress;
    use super::*;
    use crate::probe::testing::{channel, solved, solved_example};

    #[test]
    fn a_channel_has_two_walls_from_end_to_end() {
        let solved = solved(&channel(), 4);
        let fields = &solved.solution.fields;
        let walls = along_walls(fields, &wall_stress(fields, 1e-3));
        assert_eq!(walls.len(), 2);
        for wall in &walls {
            assert!(wall.windows(2).all(|w| w[1].distance > w[0].distance));
            let (first, last) = (wall[0], wall[wall.len() - 1]);
            let whole = (last.at - first.at).norm();
            assert!((last.distance - first.distance - whole).abs() < 1e-9 * whole);
            assert!((0.98e-3..1e-3).contains(&whole), "{whole}");
        }
    }

    /// Between ports of a chip without islands run as many walls as it has ports; all edges are in one of them.
    #[test]
    fn walls_run_from_port_to_port_across_parts() {
        let solved = solved_example("y-mixer", 4);
        let fields = &solved.solution.fields;
        let stress = wall_stress(fields, solved.chip.plane_viscosity());
        let walls = along_walls(fields, &stress);
        assert_eq!(walls.len(), solved.chip.ports.len());
        let places: usize = walls.iter().map(Vec::len).sum();
        assert_eq!(places, 2 * fields.walls.len());
    }
}
