//! Pipes, tapers and arcs: slices across the flow, nearly all of them one canonical block.
//!
//! ```text
//! y                   cells of a slice: diagonals \ below the centre line and / above it, so that a slice is its own
//! ^  +--+--+...+--+   mirror image; an odd number of cells has a crossed cell in the middle
//! |  |/ |/ |   |\ |
//! |  +--+--+   +--+   line j: nodes from -y to +y, own x axis along the flow;
//! |  |\ |\ |   |/ |   line 0 is socket 0: own x axis outward (against the flow), nodes counted backwards
//! +--+--+--+---+--+--> x
//! ```
//! The second half leans the other way, so that at both ends one triangle fills each corner with a wall: with two there, the flow past a
//! sharp corner of the neighbour is worse (`tests/corners.rs`).

use std::sync::Arc;

use super::partition::{partition, snap};
use super::pattern::{self, Placement, SliceKind, SliceMap, StripPattern};
use super::{BlockKind, BlockPlacement, ComponentMesh, Line, MeshError, P2Mesh};
use stokeslet_base::geometry::Point;

/// A slice between two cross-sections, and the nodes of the second. Slot 0 is the first cross-section, slot 1 the second, both
/// counted from -y to +y.
pub fn slice(
    resolution: u32,
    map: &SliceMap,
    kind: SliceKind,
) -> (BlockKind<2>, Vec<super::LineNode>) {
    let r = resolution;
    let across = |j: u32| f64::from(j) / f64::from(r) - 0.5;
    let mut parameters: Vec<(f64, f64)> = Vec::new();
    for s in [0.0, 1.0] {
        parameters.extend((0..=r).map(|j| (s, across(j))));
    }
    let (left, right) = (|j: u32| j, |j: u32| r + 1 + j);
    let mut triangles = Vec::new();
    for j in 0..r {
        let (a, b, c, d) = (left(j), right(j), right(j + 1), left(j + 1));
        if r % 2 == 1 && j == r / 2 {
            let m = parameters.len() as u32;
            parameters.push((0.5, 0.0));
            triangles.extend([[a, b, m], [b, c, m], [c, d, m], [d, a, m]]);
        } else if (2 * j < r) == kind.is_forward() {
            triangles.extend([[a, b, d], [b, c, d]]);
        } else {
            // The mirror images of those above, vertex by vertex: quadrature on curved cells tells the second from the others.
            triangles.extend([[c, a, b], [c, d, a]]);
        }
    }
    let at = |(s, t): (f64, f64)| {
        let p = map.at(s, t);
        Point::new(snap(p.x), snap(p.y))
    };
    let socket_of = |a: u32, b: u32| match (parameters[a as usize].0, parameters[b as usize].0) {
        (0.0, 0.0) => Some(0),
        (1.0, 1.0) => Some(1),
        _ => None,
    };
    let middle = |a: u32, b: u32| {
        let (p, q) = (parameters[a as usize], parameters[b as usize]);
        at(((p.0 + q.0) / 2.0, (p.1 + q.1) / 2.0))
    };
    let mesh = P2Mesh::new(
        parameters.iter().map(|&p| at(p)).collect(),
        &triangles,
        2,
        socket_of,
        middle,
    );
    let n_cells = mesh.cells.len();
    let mut cut = partition(&mesh, &vec![0; n_cells], 1, &[0.0; 2], &[1.0; 2]);
    let mut kind = cut.kinds.remove(0);
    // The partition moved the block to its first vertex; slices keep the frame of their own first line.
    kind.mesh.nodes = mesh.nodes.iter().map(|p| [p.x, p.y]).collect();
    for place in kind.places.iter_mut().filter(|p| p.slot == 0) {
        place.index = 2 * r - place.index; // count from -y to +y, as on the other side
    }
    let line = cut.lines[1].nodes.to_vec();
    (kind, line)
}

/// Line 0 looks out of the component and is counted from +y; every other line looks along the flow.
fn strip_lines(nodes: Vec<super::LineNode>, places: &[Placement]) -> Vec<Line> {
    let nodes = Arc::new(nodes);
    let n = places.len();
    let line = |j: usize| Line {
        nodes: nodes.clone(),
        angle: if j == 0 {
            places[0].angle + std::f64::consts::PI
        } else {
            places[j].angle
        },
        scale: places[j].scale,
        socket: if j == 0 {
            Some(0)
        } else {
            (j == n - 1).then_some(1)
        },
    };
    // Sockets first: line numbers are 0, n-1, then the inner ones.
    let mut lines = vec![line(0), line(n - 1)];
    lines.extend((1..n - 1).map(line));
    lines
}

/// The line number of cross-section j of `n_slices` + 1, in the order of `strip_lines`.
pub fn line_number(j: usize, n_slices: usize) -> u32 {
    match j {
        0 => 0,
        j if j == n_slices => 1,
        j => j as u32 + 1,
    }
}

fn slice_lines(k: usize, n: usize) -> Vec<(u32, bool)> {
    vec![(line_number(k, n), k == 0), (line_number(k + 1, n), false)]
}

/// Most slices that one strip may list.
const MAX_SLICES: f64 = 5e6;

/// Lists the slices that a pattern describes.
fn list(strip: &StripPattern) -> Result<ComponentMesh, MeshError> {
    let n_slices = strip.counts.all() as f64;
    if n_slices > MAX_SLICES {
        let cells = |slices: f64| slices * f64::from(strip.resolution) * 2.0;
        return Err(MeshError::TooManyCells {
            cells: cells(n_slices),
            limit: cells(MAX_SLICES),
        });
    }
    let kinds = strip.kinds();
    let (mut slices, mut nodes) = (Vec::new(), Vec::new());
    for &kind in &kinds {
        let (slice, line) = slice(strip.resolution, &strip.map(kind), kind);
        slices.push(slice);
        nodes = line;
    }
    let n = strip.counts.all() as usize;
    let places: Vec<Placement> = (0..=n as u64).map(|k| strip.placement(k)).collect();
    let blocks = places[..n]
        .iter()
        .enumerate()
        .map(|(k, place)| {
            let kind = strip.counts.kind(k as u64);
            BlockPlacement {
                kind: kinds.iter().position(|&other| other == kind).unwrap_or(0),
                angle: place.angle,
                scale: place.scale,
                origin: place.origin,
                lines: slice_lines(k, n),
            }
        })
        .collect();
    Ok(ComponentMesh {
        kinds: slices,
        blocks,
        lines: strip_lines(nodes, &places),
        aliases: Vec::new(),
    })
}

/// A straight pipe or a taper from the origin along +x; arguments as in `pattern::straight`.
pub fn straight(
    resolution: u32,
    length: f64,
    width_start: f64,
    width_end: f64,
) -> Result<ComponentMesh, MeshError> {
    list(&pattern::straight(
        resolution,
        length,
        width_start,
        width_end,
    )?)
}

/// An arc from the origin along +x that turns left by `angle`; arguments as in `pattern::arc`.
pub fn arc(resolution: u32, radius: f64, angle: f64) -> Result<ComponentMesh, MeshError> {
    list(&pattern::arc(resolution, radius, angle)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_the_unknowns_of_the_thesis() {
        // 2 (2r-1) velocities inside, 2 (2r-1) on a line, r+1 pressures on a line: 141 at r = 16.
        let mesh = straight(16, 10.0, 16.0, 16.0).expect("a plain pipe");
        assert_eq!(
            (mesh.kinds.len(), mesh.blocks.len(), mesh.lines.len()),
            (2, 10, 11),
            "the second half leans the other way"
        );
        let kind = &mesh.kinds[0];
        let free = |slot| {
            kind.nodes_in(slot)
                .iter()
                .filter(|&&(n, _)| !kind.mesh.on_wall[n as usize])
                .count()
        };
        assert_eq!(2 * free(super::super::INTERIOR) + 2 * free(1) + 17, 141);
    }

    /// Triangles of a mesh, moved by `place`, in an order of their own.
    fn triangles(
        mesh: &super::super::BlockMesh<2>,
        place: impl Fn([f64; 2]) -> [f64; 2],
    ) -> Vec<Vec<[i64; 2]>> {
        let key = |p: [f64; 2]| place(p).map(|x| (x * 1e6).round() as i64);
        let mut found: Vec<_> = (0..mesh.n_cells())
            .map(|c| {
                let mut corners: Vec<_> = mesh.cell_nodes(c)[..3].iter().map(|&p| key(p)).collect();
                corners.sort_unstable();
                corners
            })
            .collect();
        found.sort();
        found
    }

    #[test]
    fn slices_are_their_own_mirror_image_and_those_of_the_second_half_that_of_the_first() {
        for r in [2, 4, 5] {
            let kinds = straight(r, 2.0, f64::from(r), f64::from(r))
                .expect("a plain pipe")
                .kinds;
            let (first, last) = (&kinds[0].mesh, &kinds[1].mesh);
            let as_is = triangles(first, |p| p);
            assert_eq!(as_is, triangles(first, |[x, y]| [x, -y]), "r = {r}");
            assert_eq!(as_is, triangles(last, |[x, y]| [1.0 - x, y]), "r = {r}");
            let corner = [0, i64::from(r) * 500_000];
            let there = as_is.iter().filter(|t| t.contains(&corner)).count();
            assert_eq!(there, 1, "one triangle in a corner, r = {r}");
        }
    }

    #[test]
    fn an_arc_is_one_wedge_many_times() {
        let mesh = arc(8, 24.0, std::f64::consts::PI).expect("a U-turn");
        assert_eq!(
            mesh.kinds.len(),
            2,
            "and the second half leans the other way"
        );
        let last = mesh.blocks.last().expect("an arc has wedges");
        let first = &mesh.kinds[0].mesh.nodes[0];
        assert!(
            (last.origin.y - 48.0).abs() < 2.0 && first[0].abs() < 1e-9,
            "ends opposite to where it starts"
        );
    }
}
