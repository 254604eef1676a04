//! Nested dissection: a mesh parted again and again, so that a few cells at a time are eliminated and copies stay copies.
//!
//! Cells are parted across the longer side of their bounding box. In a rectilinear grid the cut follows a grid line and lengths
//! are halved towards powers of two, so equal rectangles are parted alike wherever they lie; elsewhere it is the median.

use super::BlockMesh;

/// A binary tree over the cells of a mesh; children come before parents, the root last.
#[derive(Clone, Debug, Default)]
pub struct Dissection {
    /// By number.
    pub nodes: Vec<DissectionNode>,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub enum DissectionNode {
    /// A few cells, in an order that only their relative places fix.
    Leaf {
        /// Their numbers.
        cells: Vec<u32>,
    },
    /// Two parts that meet.
    Join {
        /// Numbers of their nodes.
        children: [u32; 2],
    },
}

/// Where unknowns are eliminated: the number of a node of the tree; `u32::MAX`: nowhere.
#[derive(Clone, Debug)]
pub struct Separators {
    /// By node: its velocity.
    pub velocity: Vec<u32>,
    /// By vertex: its pressure.
    pub pressure: Vec<u32>,
}

/// Nowhere.
const NOWHERE: u32 = u32::MAX;

/// Parts a mesh down to leaves of at most `cells_a_leaf` cells (never fewer than a split or crossed square holds).
///
/// # Accuracy and cost
/// O(n log n), deterministic.
pub fn dissect(mesh: &BlockMesh<2>, cells_a_leaf: usize) -> Dissection {
    let vertices = &mesh.nodes[..mesh.n_vertices];
    let low: [f64; 2] =
        std::array::from_fn(|k| vertices.iter().map(|v| v[k]).fold(f64::INFINITY, f64::min));
    // Counted from the lowest grid line.
    let centres: Vec<[f64; 2]> = (0..mesh.n_cells())
        .map(|c| {
            let corners = &mesh.cell(c)[..3];
            let mean = |k: usize| {
                corners
                    .iter()
                    .map(|&n| mesh.nodes[n as usize][k])
                    .sum::<f64>()
                    / 3.0
            };
            [mean(0) - low[0], mean(1) - low[1]]
        })
        .collect();
    let is_grid = is_grid(vertices, low);
    let mut out = Dissection::default();
    let mut cells: Vec<u32> = (0..mesh.n_cells() as u32).collect();
    if !cells.is_empty() {
        part(&mut cells, &centres, is_grid, cells_a_leaf, &mut out);
    }
    out
}

/// Whether all vertices lie on grid lines or in the middle of squares: squares split or crossed.
fn is_grid(vertices: &[[f64; 2]], low: [f64; 2]) -> bool {
    let half = |x: f64| (2.0 * x - (2.0 * x).round()).abs() < 1e-6;
    vertices
        .iter()
        .all(|v| half(v[0] - low[0]) && half(v[1] - low[1]))
}

/// Parts `cells`; returns the number of their node.
fn part(
    cells: &mut [u32],
    centres: &[[f64; 2]],
    is_grid: bool,
    most: usize,
    out: &mut Dissection,
) -> u32 {
    let split = if cells.len() <= most {
        None
    } else if is_grid {
        grid_split(cells, centres)
    } else {
        Some(median_split(cells, centres))
    };
    let node = match split {
        None => {
            // Lines from left to right, bottom to top: an order that a shift keeps.
            cells.sort_by(|&a, &b| {
                let key = |c: u32| centres[c as usize].map(|x| (x * 1e6).round());
                key(a)
                    .partial_cmp(&key(b))
                    .unwrap_or(std::cmp::Ordering::Equal)
                    .then(a.cmp(&b))
            });
            DissectionNode::Leaf {
                cells: cells.to_vec(),
            }
        }
        Some(at) => {
            let (left, right) = cells.split_at_mut(at);
            let a = part(left, centres, is_grid, most, out);
            let b = part(right, centres, is_grid, most, out);
            DissectionNode::Join { children: [a, b] }
        }
    };
    out.nodes.push(node);
    out.nodes.len() as u32 - 1
}

/// Bounding box of the centres, and the axis of its longer side.
fn longer_side(cells: &[u32], centres: &[[f64; 2]]) -> (usize, f64, f64) {
    let mut low = [f64::INFINITY; 2];
    let mut high = [f64::NEG_INFINITY; 2];
    for &c in cells {
        for k in 0..2 {
            low[k] = low[k].min(centres[c as usize][k]);
            high[k] = high[k].max(centres[c as usize][k]);
        }
    }
    let axis = usize::from(high[1] - low[1] > high[0] - low[0] + 1e-9);
    (axis, low[axis], high[axis])
}

fn median_split(cells: &mut [u32], centres: &[[f64; 2]]) -> usize {
    let (axis, _, _) = longer_side(cells, centres);
    let middle = cells.len() / 2;
    cells.select_nth_unstable_by(middle, |&a, &b| {
        centres[a as usize][axis]
            .total_cmp(&centres[b as usize][axis])
            .then(a.cmp(&b))
    });
    middle
}

/// Cuts along the grid line nearest the middle that leaves the left a power of two of columns or half of them; `None` where a
/// single square is left.
fn grid_split(cells: &mut [u32], centres: &[[f64; 2]]) -> Option<usize> {
    let (axis, low, high) = longer_side(cells, centres);
    for axis in [axis, 1 - axis] {
        let (low, high) = if axis == longer_side(cells, centres).0 {
            (low, high)
        } else {
            let of = |c: &u32| centres[*c as usize][axis];
            (
                cells.iter().map(of).fold(f64::INFINITY, f64::min),
                cells.iter().map(of).fold(f64::NEG_INFINITY, f64::max),
            )
        };
        let columns = high.floor() - low.floor() + 1.0;
        if columns < 2.0 {
            continue;
        }
        let cut = low.floor() + (columns / 2.0).round();
        cells.sort_by_key(|&c| (centres[c as usize][axis] >= cut, c));
        return Some(cells.partition_point(|&c| centres[c as usize][axis] < cut));
    }
    None
}

/// Where each unknown is eliminated: at the lowest common ancestor of all leaves whose cells hold its node.
///
/// # Requires
/// `held` nodes (those on mouths) are eliminated nowhere. A pressure never goes before some free velocity that shares a cell with
/// it: alone, its row would be zero. Where all velocities near it are held, it is held too.
pub fn separators(mesh: &BlockMesh<2>, tree: &Dissection, held: &[bool]) -> Separators {
    let n = tree.nodes.len();
    let mut parent = vec![NOWHERE; n];
    let mut depth = vec![0_u32; n];
    for (k, node) in tree.nodes.iter().enumerate() {
        if let DissectionNode::Join { children } = node {
            children.iter().for_each(|&c| parent[c as usize] = k as u32);
        }
    }
    for k in (0..n).rev() {
        if parent[k] != NOWHERE {
            depth[k] = depth[parent[k] as usize] + 1;
        }
    }
    let common = |mut a: u32, mut b: u32| {
        while a != b {
            if depth[a as usize] >= depth[b as usize] {
                a = parent[a as usize];
            } else {
                b = parent[b as usize];
            }
        }
        a
    };
    let mut velocity = vec![NOWHERE; mesh.nodes.len()];
    for (k, node) in tree.nodes.iter().enumerate() {
        let DissectionNode::Leaf { cells } = node else {
            continue;
        };
        for &c in cells {
            for &v in mesh.cell(c as usize) {
                let at = &mut velocity[v as usize];
                *at = if *at == NOWHERE {
                    k as u32
                } else {
                    common(*at, k as u32)
                };
            }
        }
    }
    let mut pressure = velocity[..mesh.n_vertices].to_vec();
    // The lowest place from which each pressure sees a velocity go.
    let mut lowest = vec![NOWHERE; mesh.n_vertices];
    for c in 0..mesh.n_cells() {
        let cell = mesh.cell(c);
        for &v in &cell[..3] {
            for &m in cell {
                if held[m as usize] || mesh.on_wall[m as usize] {
                    continue;
                }
                let seen = common(pressure[v as usize], velocity[m as usize]);
                let at = &mut lowest[v as usize];
                if *at == NOWHERE || depth[seen as usize] > depth[*at as usize] {
                    *at = seen;
                }
            }
        }
    }
    for (v, p) in pressure.iter_mut().enumerate() {
        *p = if held[v] { NOWHERE } else { lowest[v] };
    }
    for (at, _) in velocity.iter_mut().zip(held).filter(|e| *e.1) {
        *at = NOWHERE;
    }
    Separators { velocity, pressure }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Point;
    use crate::mesh::plane_polygon;

    fn square(cells: f64) -> BlockMesh<2> {
        let corners =
            [(0.0, 0.0), (cells, 0.0), (cells, cells), (0.0, cells)].map(|(x, y)| Point::new(x, y));
        plane_polygon(4, &corners, &[3])
            .expect("a plain square")
            .mesh
    }

    #[test]
    fn every_cell_lies_in_one_leaf_and_every_free_node_goes_once() {
        let mesh = square(12.0);
        let tree = dissect(&mesh, 8);
        let mut seen = vec![0; mesh.n_cells()];
        for node in &tree.nodes {
            if let DissectionNode::Leaf { cells } = node {
                cells.iter().for_each(|&c| seen[c as usize] += 1);
            }
        }
        assert!(seen.iter().all(|&n| n == 1));
        let at = separators(&mesh, &tree, &vec![false; mesh.nodes.len()]);
        assert!(at.velocity.iter().all(|&k| (k as usize) < tree.nodes.len()));
    }

    #[test]
    fn a_pressure_goes_with_a_velocity_near_it() {
        let mesh = square(8.0);
        let tree = dissect(&mesh, 1);
        let at = separators(&mesh, &tree, &vec![false; mesh.nodes.len()]);
        let mut parent = vec![NOWHERE; tree.nodes.len()];
        for (k, node) in tree.nodes.iter().enumerate() {
            if let DissectionNode::Join { children } = node {
                children.iter().for_each(|&c| parent[c as usize] = k as u32);
            }
        }
        let is_below = |mut a: u32, b: u32| {
            while a != b && a != NOWHERE {
                a = parent[a as usize];
            }
            a == b
        };
        for v in 0..mesh.n_vertices {
            let near = (0..mesh.n_cells())
                .map(|c| mesh.cell(c))
                .filter(|cell| cell[..3].contains(&(v as u32)))
                .flatten()
                .any(|&m| {
                    !mesh.on_wall[m as usize] && is_below(at.velocity[m as usize], at.pressure[v])
                });
            assert!(near, "pressure {v} would stand alone");
        }
    }
}
