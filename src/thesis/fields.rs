//! Rows of unknowns become nodal fields.

use crate::blocks::BlockModel;
use crate::residual::{Data, Residuals, Rows};
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::Fields;

/// Velocity and pressure at every node of the chip.
///
/// # Shapes and units
/// - `rows`: canonical unknowns of each row; returns SI values in the chip's frame
pub fn fields(model: &BlockModel, residuals: &Residuals, rows: &Rows, data: &Data) -> Fields {
    let mut out = Fields {
        nodes: vec![Point::default(); model.n_nodes],
        velocity: vec![Point::default(); model.n_nodes],
        pressure: vec![0.0; model.n_nodes],
        ..Fields::default()
    };
    let n_cells: usize = model
        .blocks
        .iter()
        .map(|b| model.kinds[b.kind as usize].block.mesh.n_cells())
        .sum();
    out.cells.reserve(n_cells);
    out.part.reserve(n_cells);
    for (b, block) in model.blocks.iter().enumerate() {
        let mesh = &model.kinds[block.kind as usize].block.mesh;
        let x = residuals.block_values(b as u32, Some(rows), data);
        let number = node_numbers(model, b);
        let pressure_scale = model.viscosity / block.frame.unit;
        for (n, &global) in number.iter().enumerate() {
            let g = global as usize;
            out.nodes[g] = block.to_chip(mesh.nodes[n]);
            out.velocity[g] = block.frame.to_chip(Point::new(x[2 * n], x[2 * n + 1]));
            if n < mesh.n_vertices {
                out.pressure[g] = x[2 * mesh.nodes.len() + n] * pressure_scale;
            }
        }
        let first = out.cells.len() as u32;
        for c in 0..mesh.n_cells() {
            let cell: [u32; 6] = std::array::from_fn(|k| number[mesh.cell(c)[k] as usize]);
            // A mirrored block's cells run clockwise in the chip.
            out.cells.push(if block.frame.mirror {
                [cell[0], cell[2], cell[1], cell[5], cell[4], cell[3]]
            } else {
                cell
            });
            out.part.push(block.part);
        }
        for &(c, k) in &mesh.walls {
            let k = if block.frame.mirror {
                [2, 1, 0][k as usize]
            } else {
                k
            };
            out.walls.push((first + c, k));
        }
    }
    for cell in &out.cells {
        for (k, (a, b)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
            out.pressure[cell[3 + k] as usize] =
                0.5 * (out.pressure[cell[a] as usize] + out.pressure[cell[b] as usize]);
        }
    }
    out
}

/// Chip-wide number of each node of a block.
pub fn node_numbers(model: &BlockModel, block: usize) -> Vec<u32> {
    let b = &model.blocks[block];
    let mut number = vec![0; model.kinds[b.kind as usize].block.mesh.nodes.len()];
    for incidence in &b.incidences {
        let row = &model.rows[incidence.row as usize];
        let layout = &model.layouts[row.layout as usize];
        for &(node, index) in &model.sides[incidence.side as usize].nodes {
            number[node as usize] = row.first_node + layout.ordinal[index as usize];
        }
    }
    number
}
