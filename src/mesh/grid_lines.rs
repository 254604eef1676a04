//! Whether a mesh is a rectilinear grid of split or crossed squares, and which square each cell is in.

use super::BlockMesh;

/// Below this two coordinates (in cells) are the same.
const SAME: f64 = 1e-7;

/// Column and row of a square of the grid.
pub type Square = [u32; 2];

/// The lines of a grid: sorted coordinates along x and along y.
pub struct GridLines([Vec<f64>; 2]);

impl GridLines {
    /// The lines on which the axis-parallel edges of the cells lie, or `None` where some cell isn't inside one square of them.
    pub fn of(mesh: &BlockMesh<2>) -> Option<Self> {
        let mut lines: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
        for c in 0..mesh.n_cells() {
            let p = corners(mesh, c);
            let mut any = false;
            for (a, b) in [(p[0], p[1]), (p[1], p[2]), (p[2], p[0])] {
                for k in [0, 1] {
                    if (a[k] - b[k]).abs() < SAME {
                        lines[k].push(a[k]);
                        any = true;
                    }
                }
            }
            if !any {
                return None;
            }
        }
        for line in &mut lines {
            line.sort_by(f64::total_cmp);
            line.dedup_by(|a, b| (*a - *b).abs() < SAME);
        }
        let lines = Self(lines);
        let fits = (0..mesh.n_cells()).all(|c| lines.holds(&corners(mesh, c)));
        fits.then_some(lines)
    }

    /// The number of the line half way between the outermost ones, along each axis, if there is one.
    pub fn middle(&self) -> [Option<u32>; 2] {
        [0, 1].map(|k| {
            let lines = &self.0[k];
            let middle = (lines.first()? + lines.last()?) / 2.0;
            let at = lines.iter().position(|x| (x - middle).abs() < SAME)?;
            (at > 0 && at + 1 < lines.len()).then_some(at as u32)
        })
    }

    /// The square of each cell of the mesh.
    pub fn squares(&self, mesh: &BlockMesh<2>) -> Vec<Square> {
        (0..mesh.n_cells())
            .map(|c| self.square(&corners(mesh, c)))
            .collect()
    }

    /// The square of a cell's centroid, which is never on a line.
    fn square(&self, corners: &[[f64; 2]; 3]) -> Square {
        [0, 1].map(|k| {
            let middle = (corners[0][k] + corners[1][k] + corners[2][k]) / 3.0;
            let above = self.0[k].partition_point(|&x| x < middle);
            above.saturating_sub(1) as u32
        })
    }

    fn holds(&self, corners: &[[f64; 2]; 3]) -> bool {
        let square = self.square(corners);
        [0, 1].into_iter().all(|k| {
            let lines = &self.0[k];
            let i = square[k] as usize;
            i + 1 < lines.len()
                && corners
                    .iter()
                    .all(|p| p[k] > lines[i] - SAME && p[k] < lines[i + 1] + SAME)
        })
    }
}

fn corners(mesh: &BlockMesh<2>, cell: usize) -> [[f64; 2]; 3] {
    let nodes = mesh.cell(cell);
    [0, 1, 2].map(|i| mesh.nodes[nodes[i] as usize])
}
