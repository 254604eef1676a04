//! Pipes, tapers and arcs: slices across the flow, nearly all of them one canonical block.
//!
//! ```text
//! y                 cells of a slice: diagonals \ below the centre line and / above it, so that a slice is its own
//! ^  +--+--+        mirror image; an odd number of cells has a crossed cell in the middle
//! |  |/ |/ |
//! |  +--+--+        line j: nodes from -y to +y, own x axis along the flow;
//! |  |\ |\ |        line 0 is socket 0: own x axis outward (against the flow), nodes counted backwards
//! +--+--+--+--> x
//! ```

use std::sync::Arc;

use super::partition::{partition, snap};
use super::{BlockKind, BlockPlacement, ComponentMesh, Line, MeshError, P2Mesh};
use crate::geometry::Point;

/// A slice between two cross-sections: `map(s, t)` places s in [0, 1] along the flow and t in [-1/2, 1/2] across it.
fn slice(resolution: u32, map: impl Fn(f64, f64) -> Point) -> (BlockKind<2>, Vec<super::LineNode>) {
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
        } else if 2 * j < r {
            triangles.extend([[a, b, d], [b, c, d]]);
        } else {
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let at = |(s, t): (f64, f64)| {
        let p = map(s, t);
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
fn strip_lines(pattern: Vec<super::LineNode>, angles: &[f64], scales: &[f64]) -> Vec<Line> {
    let nodes = Arc::new(pattern);
    let n = angles.len();
    let line = |j: usize| Line {
        nodes: nodes.clone(),
        angle: if j == 0 {
            angles[0] + std::f64::consts::PI
        } else {
            angles[j]
        },
        scale: scales[j],
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

/// Lengths of the slices of a straight pipe, in cells: all one but perhaps the last, which lies in [1/2, 3/2] (thesis,
/// section 4.3.4), or is the whole of a pipe shorter than that.
pub fn slice_lengths(length: f64) -> (usize, Option<f64>) {
    let whole = (length + 1e-9).floor();
    let rest = length - whole;
    if rest < 1e-9 {
        (whole as usize, None)
    } else if rest >= 0.5 || whole < 1.0 {
        (whole as usize, Some(rest))
    } else {
        (whole as usize - 1, Some(1.0 + rest))
    }
}

/// Slices of a strip: `n_whole` copies of one, then perhaps one of another length.
#[derive(Clone, Debug)]
pub struct Slices {
    /// The canonical slice, in the frame of its own first cross-section.
    pub kind: BlockKind<2>,
    /// The last one, where it is longer or shorter.
    pub last: Option<BlockKind<2>>,
    /// How many of the first kind.
    pub n_whole: u64,
    /// Where each lies.
    pub step: Step,
    /// Nodes along every cross-section.
    pattern: Vec<super::LineNode>,
}

/// How one slice follows another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// One cell on.
    Shift,
    /// Along an arc of this radius (cells), by this angle (rad).
    Turn {
        /// Of the centre line.
        radius: f64,
        /// Of one slice.
        angle: f64,
    },
    /// Along a taper: each is the one before, scaled.
    Grow {
        /// Scale of the first.
        first: f64,
        /// Scale of each to the one before.
        ratio: f64,
        /// Width gained per length.
        slope: f64,
        /// Cells across.
        resolution: f64,
    },
}

impl Step {
    /// Rotation (rad), scale and origin (cells) of slice `k`; that of slice n is where the last cross-section lies.
    pub fn placement(&self, k: u64) -> (f64, f64, Point) {
        let x = k as f64;
        match *self {
            Step::Shift => (0.0, 1.0, Point::new(x, 0.0)),
            Step::Turn { radius, angle } => (x * angle, 1.0, on_arc(radius, x * angle, radius)),
            Step::Grow {
                first,
                ratio,
                slope,
                resolution,
            } => {
                let scale = first * ratio.powi(k.min(i32::MAX as u64) as i32);
                (
                    0.0,
                    scale,
                    Point::new((scale - first) * resolution / slope, 0.0),
                )
            }
        }
    }
}

fn on_arc(radius: f64, phi: f64, rho: f64) -> Point {
    let (s, c) = phi.sin_cos();
    Point::new(rho * s, radius - rho * c)
}

/// Most slices that one strip may have, and most that may be listed one by one.
const MAX_SLICES: f64 = 1e9;
const MAX_LISTED: f64 = 5e6;

/// The slices of a straight pipe or a taper; arguments as for [`straight`].
pub fn straight_slices(
    resolution: u32,
    length: f64,
    width_start: f64,
    width_end: f64,
) -> Result<Slices, MeshError> {
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if !(positive(length) && positive(width_start) && positive(width_end)) {
        return Err(MeshError::Dimension);
    }
    let r = f64::from(resolution);
    check(length, r, MAX_SLICES)?;
    if (width_start - width_end).abs() > 1e-9 * r {
        return Ok(taper(resolution, length, width_start, width_end));
    }
    let (n_whole, rest) = slice_lengths(length);
    let make = |h: f64| slice(resolution, |s, t| Point::new(s * h, t * r));
    let (kind, pattern) = make(1.0);
    Ok(Slices {
        kind,
        last: rest.map(|h| make(h).0),
        n_whole: n_whole as u64,
        step: Step::Shift,
        pattern,
    })
}

fn check(slices: f64, r: f64, limit: f64) -> Result<(), MeshError> {
    if slices > limit {
        return Err(MeshError::TooManyCells {
            cells: slices * r * 2.0,
            limit: limit * r * 2.0,
        });
    }
    Ok(())
}

fn taper(resolution: u32, length: f64, width_start: f64, width_end: f64) -> Slices {
    let r = f64::from(resolution);
    let slope = (width_end - width_start) / length;
    // A slice as long as its cells are wide grows by the factor 1 + slope / r.
    let n = ((width_end / width_start).ln() / (slope / r).ln_1p())
        .abs()
        .ceil()
        .max(1.0);
    let ratio = (width_end / width_start).powf(1.0 / n);
    // In units of the slice's own first cell: length and widths of the canonical slice.
    let slice_length = r * (ratio - 1.0) / slope;
    let (kind, pattern) = slice(resolution, |s, t| {
        Point::new(s * slice_length, t * r * (1.0 + s * (ratio - 1.0)))
    });
    Slices {
        kind,
        last: None,
        n_whole: n as u64,
        step: Step::Grow {
            first: width_start / r,
            ratio,
            slope,
            resolution: r,
        },
        pattern,
    }
}

/// The slices of an arc; arguments as for [`arc`].
pub fn arc_slices(resolution: u32, radius: f64, angle: f64) -> Result<Slices, MeshError> {
    let r = f64::from(resolution);
    if !(radius.is_finite() && angle.is_finite() && radius > r / 2.0 && angle > 0.0) {
        return Err(MeshError::Dimension);
    }
    let cells = radius * angle;
    check(cells, r, MAX_SLICES)?;
    let n = cells.round().max((angle / 0.8).ceil()).max(1.0);
    let step = angle / n;
    let (kind, pattern) = slice(resolution, |s, t| on_arc(radius, s * step, radius - t * r));
    Ok(Slices {
        kind,
        last: None,
        n_whole: n as u64,
        step: Step::Turn {
            radius,
            angle: step,
        },
        pattern,
    })
}

/// A straight pipe or a taper from the origin along +x.
///
/// # Shapes and units
/// - `length`, `width_start`, `width_end` in cell sizes of the narrower end, so that its width is `resolution`
/// - a taper's slices grow with its width, so that each is the first one scaled
pub fn straight(
    resolution: u32,
    length: f64,
    width_start: f64,
    width_end: f64,
) -> Result<ComponentMesh, MeshError> {
    straight_slices(resolution, length, width_start, width_end)
        .and_then(|slices| listed(slices, f64::from(resolution)))
}

/// An arc from the origin along +x that turns left by `angle`: equal wedges, every one the same block rotated.
///
/// # Shapes and units
/// - `radius` of the centre line in cell sizes (the width is `resolution`), `angle` in rad
pub fn arc(resolution: u32, radius: f64, angle: f64) -> Result<ComponentMesh, MeshError> {
    arc_slices(resolution, radius, angle).and_then(|slices| listed(slices, f64::from(resolution)))
}

/// All slices, one by one.
fn listed(slices: Slices, r: f64) -> Result<ComponentMesh, MeshError> {
    let n_all = slices.n_whole + u64::from(slices.last.is_some());
    check(n_all as f64, r, MAX_LISTED)?;
    let n = n_all as usize;
    let n_whole = slices.n_whole as usize;
    let mut kinds = Vec::new();
    if n_whole > 0 {
        kinds.push(slices.kind);
    }
    kinds.extend(slices.last);
    let places: Vec<(f64, f64, Point)> = (0..=n as u64).map(|k| slices.step.placement(k)).collect();
    let blocks = (0..n)
        .map(|k| BlockPlacement {
            kind: if k < n_whole { 0 } else { kinds.len() - 1 },
            angle: places[k].0,
            scale: places[k].1,
            origin: places[k].2,
            lines: slice_lines(k, n),
        })
        .collect();
    let angles: Vec<f64> = places.iter().map(|p| p.0).collect();
    let scales: Vec<f64> = places.iter().map(|p| p.1).collect();
    Ok(ComponentMesh {
        kinds,
        blocks,
        lines: strip_lines(slices.pattern, &angles, &scales),
        aliases: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_slice_of_a_pipe_stays_between_half_and_one_and_a_half_cells() {
        assert_eq!(slice_lengths(24.0), (24, None));
        assert_eq!(slice_lengths(24.0 - 1e-12), (24, None));
        assert_eq!(slice_lengths(2.75), (2, Some(0.75)));
        assert_eq!(slice_lengths(2.25), (1, Some(1.25)));
        assert_eq!(slice_lengths(0.25), (0, Some(0.25)));
    }

    #[test]
    fn a_slice_has_the_unknowns_of_the_thesis() {
        // 2 (2r-1) velocities inside, 2 (2r-1) on a line, r+1 pressures on a line: 141 at r = 16.
        let mesh = straight(16, 10.0, 16.0, 16.0).expect("a plain pipe");
        assert_eq!(
            (mesh.kinds.len(), mesh.blocks.len(), mesh.lines.len()),
            (1, 10, 11)
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

    #[test]
    fn a_slice_is_its_own_mirror_image() {
        for r in [4, 5] {
            let mesh = &straight(r, 1.0, f64::from(r), f64::from(r))
                .expect("a plain pipe")
                .kinds[0]
                .mesh
                .clone();
            let key = |p: [f64; 2], sign: f64| {
                (
                    (p[0] * 1e6).round() as i64,
                    (sign * p[1] * 1e6).round() as i64,
                )
            };
            let edges = |sign: f64| {
                let mut found: Vec<_> = (0..mesh.n_cells())
                    .map(|c| {
                        let mut corners: Vec<_> = mesh.cell_nodes(c)[..3]
                            .iter()
                            .map(|&p| key(p, sign))
                            .collect();
                        corners.sort_unstable();
                        corners
                    })
                    .collect();
                found.sort();
                found
            };
            assert_eq!(edges(1.0), edges(-1.0), "r = {r}");
        }
    }

    #[test]
    fn an_arc_is_one_wedge_many_times() {
        let mesh = arc(8, 24.0, std::f64::consts::PI).expect("a U-turn");
        assert_eq!(mesh.kinds.len(), 1);
        let last = mesh.blocks.last().expect("an arc has wedges");
        let first = &mesh.kinds[0].mesh.nodes[0];
        assert!(
            (last.origin.y - 48.0).abs() < 2.0 && first[0].abs() < 1e-9,
            "ends opposite to where it starts"
        );
    }
}
