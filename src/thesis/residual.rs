//! What the assembled system leaves of the right-hand side: computed block by block, never assembling it.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use crate::assemble::{BlockMatrices, SideMap, canonical_drag, side_map};
use crate::blocks::BlockModel;

/// Given velocities and loads of one right-hand side, in canonical coordinates of blocks and rows.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// By block: velocity (m/s, block's frame) of every node; read only where velocity is given.
    pub given: FxHashMap<u32, Vec<[f64; 2]>>,
    /// By block: load on every unknown of the block.
    pub block_loads: FxHashMap<u32, Vec<f64>>,
    /// By row: load on every unknown of the row.
    pub row_loads: FxHashMap<u32, Vec<f64>>,
}

/// A solution: canonical unknowns of every row.
pub type Rows = Vec<Vec<f64>>;

/// Everything that residuals of one model share: the maps between blocks and rows, and who touches each row.
pub struct Residuals {
    model: Arc<BlockModel>,
    matrices: Arc<BlockMatrices>,
    maps: Vec<SideMap>,
    /// (block, place among its incidences) of every row.
    touching: Vec<Vec<(u32, u32)>>,
}

impl Residuals {
    /// Prepares the maps of a model.
    pub fn new(model: Arc<BlockModel>, matrices: Arc<BlockMatrices>) -> Self {
        let maps = model
            .sides
            .iter()
            .map(|side| side_map(&model, side))
            .collect();
        let mut touching = vec![Vec::new(); model.rows.len()];
        for (b, block) in model.blocks.iter().enumerate() {
            for (k, incidence) in block.incidences.iter().enumerate() {
                touching[incidence.row as usize].push((b as u32, k as u32));
            }
        }
        Self {
            model,
            matrices,
            maps,
            touching,
        }
    }

    /// Blocks that touch a row, with the place of the row among their incidences.
    pub fn touching(&self, row: u32) -> &[(u32, u32)] {
        &self.touching[row as usize]
    }

    /// All unknowns of a block in its own frame: given ones from `data`, the others from the rows.
    pub fn block_values(&self, block: u32, rows: Option<&Rows>, data: &Data) -> Vec<f64> {
        let b = &self.model.blocks[block as usize];
        let mesh = &self.model.kinds[b.kind as usize].block.mesh;
        let mut x = vec![0.0; 2 * mesh.nodes.len() + mesh.n_vertices];
        if let Some(given) = data.given.get(&block) {
            for (node, v) in given.iter().enumerate() {
                x[2 * node] = v[0];
                x[2 * node + 1] = v[1];
            }
        }
        for incidence in &b.incidences {
            let row = rows
                .map(|r| &r[incidence.row as usize])
                .filter(|r| !r.is_empty());
            for (unknown, images) in &self.maps[incidence.side as usize] {
                x[*unknown as usize] = row.map_or(0.0, |row| {
                    images.iter().map(|&(i, f)| f * row[i as usize]).sum()
                });
            }
        }
        x
    }

    /// `load - M x` on every unknown of a block, or `None` where it is zero for want of data.
    pub fn block_residual(&self, block: u32, rows: Option<&Rows>, data: &Data) -> Option<Vec<f64>> {
        let b = &self.model.blocks[block as usize];
        let load = data.block_loads.get(&block);
        if rows.is_none() && load.is_none() && !data.given.contains_key(&block) {
            return None;
        }
        let x = self.block_values(block, rows, data);
        let mut r = self
            .matrices
            .get(&self.model, b.kind)
            .multiply(&x, canonical_drag(&self.model, b.frame.unit));
        for (k, r) in r.iter_mut().enumerate() {
            *r = load.map_or(0.0, |l| l[k]) - *r;
        }
        Some(r)
    }

    /// The residual of every row (`None`: zero); with `rows` absent, the right-hand side.
    ///
    /// # Accuracy and cost
    /// One sparse product a block, gathered by row in a fixed order: bitwise the same for any number of threads.
    pub fn rows(&self, rows: Option<&Rows>, data: &Data) -> Vec<Option<Vec<f64>>> {
        let blocks = parallel::map(self.model.blocks.len(), 64, |b| {
            self.block_residual(b as u32, rows, data)
        });
        parallel::map(self.model.rows.len(), 64, |row| {
            let size = self.model.layouts[self.model.rows[row].layout as usize].n_unknowns;
            let mut out = data.row_loads.get(&(row as u32)).cloned();
            for &(block, place) in &self.touching[row] {
                let Some(values) = &blocks[block as usize] else {
                    continue;
                };
                let out = out.get_or_insert_with(|| vec![0.0; size]);
                let side = self.model.blocks[block as usize].incidences[place as usize].side;
                for (unknown, images) in &self.maps[side as usize] {
                    for &(i, factor) in images {
                        out[i as usize] += factor * values[*unknown as usize];
                    }
                }
            }
            out
        })
    }

    /// Power that viscosity and the drag of the depth turn into heat, W a metre of depth.
    pub fn dissipation(&self, rows: &Rows, data: &Data) -> f64 {
        let of_blocks = parallel::map(self.model.blocks.len(), 64, |block| {
            let b = &self.model.blocks[block];
            let mut x = self.block_values(block as u32, Some(rows), data);
            let n_velocity = 2 * self.model.kinds[b.kind as usize].block.mesh.nodes.len();
            x[n_velocity..].fill(0.0);
            let stress = self
                .matrices
                .get(&self.model, b.kind)
                .multiply(&x, canonical_drag(&self.model, b.frame.unit));
            x.iter().zip(&stress).map(|(u, f)| u * f).sum::<f64>()
        });
        self.model.viscosity * of_blocks.iter().sum::<f64>()
    }

    /// Norms of the momentum and the continuity rows of a residual.
    pub fn norms(&self, residual: &[Option<Vec<f64>>]) -> [f64; 2] {
        let mut squares = [0.0; 2];
        for (row, values) in residual.iter().enumerate() {
            let n_velocity = self.model.layouts[self.model.rows[row].layout as usize].n_velocity;
            for (i, v) in values.iter().flatten().enumerate() {
                squares[usize::from(i >= n_velocity)] += v * v;
            }
        }
        squares.map(f64::sqrt)
    }
}
