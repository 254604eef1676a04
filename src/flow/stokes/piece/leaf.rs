//! The smallest fronts: a slice of a strip, or a few cells of a polygon.

use std::array;
use std::sync::{Arc, OnceLock};

use crate::fem::lagrange::{facet_nodes, n_nodes};
use crate::mesh::BlockMesh;
use crate::stokes::local::{BlockMatrix, add_wall_flux, block_matrix};
use faer::Mat;
use smallvec::{SmallVec, smallvec};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_fronts::Leaves;

/// One unknown of a leaf: the unknowns of its mesh (`D` velocities a node, then pressures of vertices) that it moves, and by
/// how much: `x_mesh[i] += factor * x_leaf`. Two at most where a socket turns it, nearly always one.
pub type Moves = SmallVec<[(u32, f64); 2]>;

/// What the speed of a node along a wall moves: `first` is the first velocity of that node in the mesh.
pub fn along(first: u32, [x, y]: [f64; 2]) -> Moves {
    match (x == 0.0, y == 0.0) {
        (_, true) => smallvec![(first, x)],
        (true, _) => smallvec![(first + 1, y)],
        _ => smallvec![(first, x), (first + 1, y)],
    }
}

/// A mesh with its unknowns.
#[derive(Debug)]
pub struct Leaf<const D: usize> {
    /// In cells.
    pub mesh: BlockMesh<D>,
    /// Drag in canonical coordinates.
    pub drag: f64,
    /// One an unknown: boundary, then eliminated.
    pub moves: Vec<Moves>,
    /// How many of them are velocities is not needed; how many are pressures is: flags.
    pub is_pressure: Vec<bool>,
    matrix: OnceLock<BlockMatrix>,
    rows: OnceLock<Rows>,
}

/// The leaf's matrix over its own unknowns: compressed rows of the upper triangle, diagonal included. Products of leaves that
/// occur once are as fast as memory gives their matrices, of which this is half.
#[derive(Debug, Default)]
pub struct Rows {
    /// Start of each row.
    pub start: Vec<u32>,
    /// Column of each entry; apart from the values, which would fill up a quarter of the memory that a product reads.
    pub columns: Vec<u32>,
    /// Value of each entry.
    pub values: Vec<f64>,
}

impl Rows {
    /// Entries of a row from the diagonal on: column and value. The rest is the transpose.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[i] as usize..self.start[i + 1] as usize;
        let columns = self.columns[range.clone()].iter();
        columns
            .zip(&self.values[range])
            .map(|(&j, &v)| (j as usize, v))
    }

    /// The product of a row, from the diagonal on, with `x`; four sums side by side, since one alone would wait for each addition.
    fn times(&self, i: usize, x: &[f64]) -> f64 {
        let range = self.start[i] as usize..self.start[i + 1] as usize;
        let (columns, values) = (&self.columns[range.clone()], &self.values[range]);
        let (mut columns, mut values) = (columns.chunks_exact(4), values.chunks_exact(4));
        let mut sums = [0.0; 4];
        for (j, v) in columns.by_ref().zip(values.by_ref()) {
            for k in 0..4 {
                sums[k] += v[k] * x[j[k] as usize];
            }
        }
        let rest = columns.remainder().iter().zip(values.remainder());
        rest.map(|(&j, v)| v * x[j as usize]).sum::<f64>() + sums.iter().sum::<f64>()
    }
}

impl<const D: usize> Leaf<D> {
    /// A leaf whose matrix isn't assembled yet.
    pub fn new(mesh: BlockMesh<D>, drag: f64, moves: Vec<Moves>) -> Self {
        let first_pressure = (D * mesh.nodes.len()) as u32;
        let is_pressure = moves
            .iter()
            .map(|m| m.iter().any(|e| e.0 >= first_pressure))
            .collect();
        Self {
            mesh,
            drag,
            moves,
            is_pressure,
            matrix: OnceLock::new(),
            rows: OnceLock::new(),
        }
    }

    /// All that its matrix depends on, wherever it lies.
    pub fn key(&self) -> Fingerprint {
        let m = &self.mesh;
        let mut key = Hasher::new(Domain::Leaf)
            .word(D as u64)
            .word(m.n_vertices as u64)
            .int(drag_digits(self.drag));
        let origin = m.nodes.first().copied().unwrap_or([0.0; D]);
        for node in &m.nodes {
            for (x, o) in node.iter().zip(origin) {
                key = key.int(((x - o) * 1e10).round() as i64);
            }
        }
        for &n in &m.cells {
            key = key.word(u64::from(n));
        }
        for moves in &self.moves {
            key = key.word(moves.len() as u64);
            for &(i, f) in moves {
                key = key.word(u64::from(i)).int((f * 1e12).round() as i64);
            }
        }
        key.finish()
    }

    /// The matrix of its mesh, walls included.
    pub fn matrix(&self) -> &BlockMatrix {
        self.matrix.get_or_init(|| self.assembled())
    }

    fn assembled(&self) -> BlockMatrix {
        let mut matrix = block_matrix::<D>(&self.mesh);
        let [_, slip] = self.walls();
        add_wall_flux::<D>(&mut matrix, &self.mesh, &slip);
        matrix
    }

    /// Facets of its mesh on walls that hold the fluid, and on walls that slip: on these some node moves.
    pub fn walls(&self) -> [Vec<(u32, u8)>; 2] {
        if self.mesh.walls.is_empty() {
            return [Vec::new(), Vec::new()];
        }
        let mut moves = vec![false; self.mesh.nodes.len()];
        for &(i, _) in self.moves.iter().flatten() {
            if let Some(is) = moves.get_mut(i as usize / D) {
                *is = true;
            }
        }
        let holds = |&(cell, facet): &(u32, u8)| {
            let cell = self.mesh.cell(cell as usize);
            let mut nodes = facet_nodes::<D>(facet as usize).into_iter();
            nodes.all(|k| !moves[cell[k] as usize])
        };
        let walls = self.mesh.walls.iter().copied();
        let (holding, slip) = walls.partition(holds);
        [holding, slip]
    }

    /// Unknowns of its mesh, walls included.
    pub fn n_mesh(&self) -> usize {
        D * self.mesh.nodes.len() + self.mesh.n_vertices
    }

    /// Bytes that it holds, or will when its rows are assembled; about.
    pub fn bytes(&self) -> u64 {
        let per_cell = D * n_nodes::<D>() + D + 1;
        let entries = self.mesh.n_cells() * per_cell * (per_cell + 1) / 2;
        let mesh = 8 * D * self.mesh.nodes.len() + 4 * self.mesh.cells.len();
        (mesh + 40 * self.moves.len() + 12 * entries) as u64
    }

    /// The matrix over its unknowns.
    pub fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| {
            // Only the rows are kept where nobody asked for the matrix before.
            let made;
            let matrix = match self.matrix.get() {
                Some(known) => known,
                None => {
                    made = self.assembled();
                    &made
                }
            };
            let n = self.moves.len();
            let mut moved_by: Vec<Moves> = vec![Moves::new(); matrix.n()];
            for (a, moves) in self.moves.iter().enumerate() {
                moves
                    .iter()
                    .for_each(|&(i, f)| moved_by[i as usize].push((a as u32, f)));
            }
            let mut out = Rows {
                start: vec![0],
                ..Rows::default()
            };
            let mut sums = vec![0.0; n];
            let mut seen = vec![false; n];
            let mut columns = Vec::new();
            for (a, moves) in self.moves.iter().enumerate() {
                for &(i, f) in moves {
                    for (j, v) in matrix.row(i as usize, self.drag) {
                        for &(b, g) in moved_by[j].iter().filter(|m| m.0 as usize >= a) {
                            if !std::mem::replace(&mut seen[b as usize], true) {
                                columns.push(b);
                            }
                            sums[b as usize] += f * g * v;
                        }
                    }
                }
                columns.sort_unstable();
                for &b in &columns {
                    out.values.push(std::mem::take(&mut sums[b as usize]));
                    seen[b as usize] = false;
                }
                out.columns.append(&mut columns);
                out.start.push(out.columns.len() as u32);
            }
            out.columns.shrink_to_fit();
            out.values.shrink_to_fit();
            out
        })
    }

    /// `x^T A x`.
    pub fn quadratic_form(&self, x: &[f64]) -> f64 {
        let rows = self.rows();
        let of_row = |(i, of_i): (usize, &f64)| -> f64 {
            if *of_i == 0.0 {
                return 0.0;
            }
            // Off the diagonal each entry counts twice.
            let diagonal = rows.row(i).next().filter(|&(j, _)| j == i);
            let once = diagonal.map_or(0.0, |(_, v)| v * of_i);
            of_i * (2.0 * rows.times(i, x) - once)
        };
        x.iter().enumerate().map(of_row).sum()
    }

    /// The matrix, dense.
    pub fn dense(&self) -> Mat<f64> {
        let rows = self.rows();
        let n = self.moves.len();
        let mut out = Mat::zeros(n, n);
        for i in 0..n {
            for (j, v) in rows.row(i) {
                out[(i, j)] = v;
                out[(j, i)] = v;
            }
        }
        out
    }

    /// `y -= A x` for [`LANES`] copies at once.
    pub fn residual(&self, x: &[[f64; LANES]], y: &mut [[f64; LANES]]) {
        let rows = self.rows();
        for (i, &of_i) in x.iter().enumerate() {
            let mut sum = [0.0; LANES];
            for (j, v) in rows.row(i) {
                let (of_j, y) = (x[j], &mut y[j]);
                sum = array::from_fn(|lane| sum[lane] + v * of_j[lane]);
                if j != i {
                    // By value: lanes that might lie in one another's place wouldn't be done side by side.
                    let before = *y;
                    *y = array::from_fn(|lane| before[lane] - v * of_i[lane]);
                }
            }
            let before = y[i];
            y[i] = array::from_fn(|lane| before[lane] - sum[lane]);
        }
    }

    /// The same for one copy alone.
    pub fn residual_of_one(&self, x: &[f64], y: &mut [f64]) {
        let rows = self.rows();
        for (i, &of_i) in x.iter().enumerate() {
            y[i] -= rows.times(i, x);
            for (j, v) in rows.row(i).filter(|&(j, _)| j != i) {
                y[j] -= v * of_i;
            }
        }
    }
}

/// Twelve digits of a drag, for keys: rounding of a width must not make a class of its own.
pub(super) fn drag_digits(drag: f64) -> i64 {
    if drag > 0.0 {
        (drag.ln() * 1e12).round() as i64
    } else {
        i64::MIN
    }
}

/// Copies that one pass of a sparse product serves.
pub const LANES: usize = 8;

/// The matrices of a chip's leaves, for [`stokeslet_fronts`].
pub struct LeafMatrices<'a, const D: usize>(pub &'a [Arc<Leaf<D>>]);

impl<const D: usize> Leaves for LeafMatrices<'_, D> {
    fn assemble(&self, leaf: u32) -> faer::Mat<f64> {
        self.0[leaf as usize].dense()
    }
}
