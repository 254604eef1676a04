//! Whether a mesh is a rectilinear grid of split or crossed squares, and which square each cell is in.

use std::ops::Range;

use rustc_hash::FxHashSet;
use stokeslet_base::parallel;

use super::BlockMesh;

/// Below this two coordinates (in cells) are the same.
const SAME: f64 = 1e-7;

/// Column and row of a square of the grid.
pub type Square = [u32; 2];

/// The lines of a grid: sorted coordinates along x and along y; and the square of each cell.
pub struct GridLines {
    lines: [Vec<f64>; 2],
    squares: Vec<Square>,
}

/// Cells that one task looks at.
const CHUNK: usize = 4096;

impl GridLines {
    /// The lines on which the axis-parallel edges of the cells lie, or `None` where some cell isn't inside one square of them.
    pub fn of(mesh: &BlockMesh<2>) -> Option<Self> {
        let n = mesh.n_cells();
        let chunks: Vec<Range<usize>> = (0..n.div_ceil(CHUNK))
            .map(|k| k * CHUNK..((k + 1) * CHUNK).min(n))
            .collect();
        let found = parallel::each(&chunks, 1, |cells| lines_of(mesh, cells.clone()));
        let found: Vec<[Vec<f64>; 2]> = found.into_iter().collect::<Option<_>>()?;
        let lines = [0, 1].map(|k| merged(found.iter().flat_map(|lines| &lines[k]).copied()));
        let squares = parallel::map(n, CHUNK, |c| square(&lines, &corners(mesh, c)));
        let squares = squares.into_iter().collect::<Option<_>>()?;
        Some(Self { lines, squares })
    }

    /// The number of the line half way between the outermost ones, along each axis, if there is one.
    pub fn middle(&self) -> [Option<u32>; 2] {
        [0, 1].map(|k| {
            let lines = &self.lines[k];
            let middle = (lines.first()? + lines.last()?) / 2.0;
            let at = lines.iter().position(|x| (x - middle).abs() < SAME)?;
            (at > 0 && at + 1 < lines.len()).then_some(at as u32)
        })
    }

    /// The square of each cell of the mesh.
    pub fn into_squares(self) -> Vec<Square> {
        self.squares
    }
}

/// Where the axis-parallel edges of some cells lie, along x and along y; `None` where a cell has no such edge.
fn lines_of(mesh: &BlockMesh<2>, cells: Range<usize>) -> Option<[Vec<f64>; 2]> {
    let mut lines: [FxHashSet<u64>; 2] = Default::default();
    for c in cells {
        let p = corners(mesh, c);
        let mut any = false;
        for (a, b) in [(p[0], p[1]), (p[1], p[2]), (p[2], p[0])] {
            for k in [0, 1] {
                if (a[k] - b[k]).abs() < SAME {
                    lines[k].insert(a[k].to_bits());
                    any = true;
                }
            }
        }
        if !any {
            return None;
        }
    }
    Some(lines.map(|lines| merged(lines.into_iter().map(f64::from_bits))))
}

/// Sorted; of coordinates that are the same, the least.
fn merged(coordinates: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut line: Vec<f64> = coordinates.collect();
    line.sort_unstable_by(f64::total_cmp);
    line.dedup_by(|a, b| (*a - *b).abs() < SAME);
    line
}

/// The square of a cell's centroid, which is never on a line; `None` where the cell isn't inside it.
fn square(lines: &[Vec<f64>; 2], corners: &[[f64; 2]; 3]) -> Option<Square> {
    let mut square = [0; 2];
    for (k, (lines, square)) in lines.iter().zip(&mut square).enumerate() {
        let middle = (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0;
        let i = lines.partition_point(|&x| x < middle).checked_sub(1)?;
        let [low, high] = [*lines.get(i)?, *lines.get(i + 1)?];
        let is_inside = |p: &[f64; 2]| p[k] > low - SAME && p[k] < high + SAME;
        if !corners.iter().all(is_inside) {
            return None;
        }
        *square = i as u32;
    }
    Some(square)
}

fn corners(mesh: &BlockMesh<2>, cell: usize) -> [[f64; 2]; 3] {
    let nodes = mesh.cell(cell);
    [0, 1, 2].map(|i| mesh.nodes[nodes[i] as usize])
}
