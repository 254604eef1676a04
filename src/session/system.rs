//! The whole system as scalars, so that anyone can check it with another solver.

use super::rows::{Solver, cut_chip};
use super::{
    AssembledSystem, CancelToken, Ownership, Progress, SolveError, SolveReport, SolveSettings,
    Unknown, UnknownKind,
};
use crate::chip::blocks::{BlockModel, Velocity};
use crate::chip::{Chip, DepthModel};
use crate::elimination::{Leaves, Table};
use crate::field::build;
use crate::geometry::Point;
use crate::stokes::assemble::{BlockMatrices, block_system};
use crate::stokes::residual::{Data, Residuals, Rows};

/// The assembled system of a chip with our solution, for other solvers.
///
/// # Shapes and units
/// - canonical unknowns ([`crate::stokes`]): velocities in m/s along `direction`, pressures times `scale` in Pa
/// # Errors
/// [`SolveError`]; [`SolveError::PlaneOnly`] for a chip in three dimensions.
pub fn assembled_system(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<AssembledSystem, SolveError> {
    if chip.model == DepthModel::Full {
        let what = "the assembled system";
        return Err(SolveError::PlaneOnly { what });
    }
    let mut report = SolveReport::default();
    let model = cut_chip(
        chip,
        settings,
        Ownership::Connections,
        progress,
        &mut report,
    )?;
    let matrices = BlockMatrices::new(&model);
    let solver = Solver::new(
        &model,
        &matrices,
        settings,
        table,
        progress,
        cancel,
        &mut report,
    )?;
    let data = solver.port_data(chip.ports.iter().map(|p| p.condition.value()), chip);
    let rows = solver.solve(&data, &mut report)?;
    Ok(scalar_system(
        &model,
        &matrices,
        solver.residuals(),
        &rows,
        &data,
    ))
}

/// Flattens rows to scalars.
fn scalar_system(
    model: &BlockModel,
    matrices: &BlockMatrices,
    residuals: &Residuals<'_>,
    rows: &Rows,
    data: &Data,
) -> AssembledSystem {
    let mut first = Vec::with_capacity(model.rows.len());
    let mut n = 0;
    for row in &model.rows {
        first.push(n as u32);
        n += model.layouts[row.layout as usize].n_unknowns;
    }
    let (system, leaves) = block_system(model, matrices);
    let values: Vec<faer::Mat<f64>> = (0..leaves.n_leaves() as u32)
        .map(|l| leaves.assemble(l))
        .collect();
    let mut lower = Vec::new();
    for &(i, j, leaf) in &system.couplings {
        let m = &values[leaf.leaf as usize];
        let m = if leaf.transposed {
            m.transpose()
        } else {
            m.as_ref()
        };
        for b in 0..m.ncols() {
            for a in 0..m.nrows() {
                let (row, column) = (first[i as usize] + a as u32, first[j as usize] + b as u32);
                if m[(a, b)] != 0.0 && (i != j || row >= column) {
                    lower.push((row.max(column), row.min(column), m[(a, b)]));
                }
            }
        }
    }
    lower.sort_unstable_by_key(|&(row, column, _)| (column, row));
    let rhs = residuals.rows(None, data);
    let mut out = AssembledSystem {
        n,
        lower,
        ..AssembledSystem::default()
    };
    let mut positions = vec![Point::default(); model.n_nodes];
    for (b, block) in model.blocks.iter().enumerate() {
        let mesh = &model.kinds[block.kind as usize].block.mesh;
        for (node, number) in build::node_numbers(model, b).into_iter().enumerate() {
            positions[number as usize] = block.to_chip(mesh.nodes[node]);
        }
    }
    for (k, row) in model.rows.iter().enumerate() {
        let layout = &model.layouts[row.layout as usize];
        match &rhs[k] {
            Some(values) => out.rhs.extend(values),
            None => out.rhs.extend(std::iter::repeat_n(0.0, layout.n_unknowns)),
        }
        out.solution.extend(&rows[k]);
        let at = |index: usize| positions[(row.first_node + layout.ordinal[index]) as usize];
        let owned = || {
            layout
                .nodes
                .iter()
                .enumerate()
                .filter(|(_, node)| node.owned)
        };
        for (index, node) in owned() {
            for component in 0..match node.velocity {
                Velocity::Given => 0,
                Velocity::Normal => 1,
                Velocity::Both => 2,
            } {
                let axis = if component == 0 {
                    Point::new(1.0, 0.0)
                } else {
                    Point::new(0.0, 1.0)
                };
                let kind = if component == 0 {
                    UnknownKind::VelocityX
                } else {
                    UnknownKind::VelocityY
                };
                out.unknowns.push(Unknown {
                    kind,
                    at: at(index),
                    direction: row.frame.to_chip(axis),
                    scale: 1.0,
                });
            }
        }
        for (index, _) in owned().filter(|(_, node)| node.pressure) {
            let scale = model.viscosity / row.frame.unit;
            out.unknowns.push(Unknown {
                kind: UnknownKind::Pressure,
                at: at(index),
                direction: Point::default(),
                scale,
            });
        }
    }
    out
}
