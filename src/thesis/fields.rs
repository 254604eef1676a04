//! Rows of unknowns become nodal fields.

use crate::blocks::BlockModel;
use crate::residual::{Data, Residuals, Rows};
use stokeslet_base::geometry::Point;
use stokeslet_flow::field::Field;

/// Velocity and pressure at every node of the chip.
///
/// # Shapes and units
/// - `rows`: canonical unknowns of each row; returns SI values in the chip's frame
pub fn fields(model: &BlockModel, residuals: &Residuals, rows: &Rows, data: &Data) -> Field<2> {
    let mut out = Field::<2> {
        nodes: vec![Point::default(); model.n_nodes],
        velocity: vec![Point::default(); model.n_nodes],
        pressure: vec![0.0; model.n_nodes],
        ..Field::<2>::default()
    };
    let n_cells: usize = model
        .blocks
        .iter()
        .map(|b| model.kinds[b.kind as usize].block.mesh.n_cells())
        .sum();
    out.cells.reserve(n_cells);
    out.part.reserve(n_cells);
    let closed = closed_edges(model);
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
        for &(c, k) in mesh.walls.iter().chain(&closed[b]) {
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

/// By block, its edges on closed sockets, (cell, edge): those of one cell of the chip that lie neither on walls nor on ports.
pub fn closed_edges(model: &BlockModel) -> Vec<Vec<(u32, u8)>> {
    let mut touched = vec![0_u8; model.n_nodes];
    for port in &model.ports {
        let row = &model.rows[port.row as usize];
        for ordinal in &model.layouts[row.layout as usize].ordinal {
            touched[(row.first_node + ordinal) as usize] = 2;
        }
    }
    let numbers: Vec<Vec<u32>> = (0..model.blocks.len())
        .map(|b| node_numbers(model, b))
        .collect();
    let mesh_of = |b: usize| &model.kinds[model.blocks[b].kind as usize].block.mesh;
    let edges = |b: usize| {
        let mesh = mesh_of(b);
        (0..mesh.n_cells()).flat_map(move |c| {
            (0..3_u8).map(move |k| (c as u32, k, mesh.cell(c)[3 + k as usize] as usize))
        })
    };
    for (b, number) in numbers.iter().enumerate() {
        for (_, _, middle) in edges(b) {
            let count = &mut touched[number[middle] as usize];
            *count = count.saturating_add(1);
        }
        for &(c, k) in &mesh_of(b).walls {
            touched[number[mesh_of(b).cell(c as usize)[3 + k as usize] as usize] as usize] = 2;
        }
    }
    let closed = |(b, number): (usize, &Vec<u32>)| {
        edges(b)
            .filter(|&(_, _, middle)| touched[number[middle] as usize] == 1)
            .map(|(c, k, _)| (c, k))
            .collect()
    };
    numbers.iter().enumerate().map(closed).collect()
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
