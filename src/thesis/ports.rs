//! What the ports of a chip in block rows see of a solution.

use crate::blocks::{BlockModel, PortPlace};
use crate::boundary::PortLine;
use crate::residual::{Data, Residuals, Rows};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Condition;
use stokeslet_flow::field::ports::PortValues;

/// Flow rate and pressures at a port.
///
/// Flow and `work_pressure` are exact duals in the discrete system, so conductances made of them are symmetric to rounding.
pub fn port_values(
    model: &BlockModel,
    residuals: &Residuals,
    port: &PortPlace,
    line: &PortLine,
    condition: Condition,
    (rows, data): (&Rows, &Data),
) -> PortValues {
    let n = line.nodes.len();
    let mut velocity = vec![Point::default(); n];
    let mut pressure = vec![None; n];
    let mut reaction = vec![Point::default(); n];
    for &(block, place) in residuals.touching(port.row) {
        let b = &model.blocks[block as usize];
        let mesh = &model.kinds[b.kind as usize].block.mesh;
        let x = residuals.block_values(block, Some(rows), data);
        let r = residuals
            .block_residual(block, Some(rows), data)
            .unwrap_or_default();
        for &(node, index) in &model.sides[b.incidences[place as usize].side as usize].nodes {
            let (node, index) = (node as usize, index as usize);
            velocity[index] = b.frame.to_chip(Point::new(x[2 * node], x[2 * node + 1]));
            if node < mesh.n_vertices {
                pressure[index] =
                    Some(x[2 * mesh.nodes.len() + node] * model.viscosity / b.frame.unit);
            }
            if let Some(pair) = r.get(2 * node..2 * node + 2) {
                reaction[index] = reaction[index]
                    - b.frame.to_chip(Point::new(pair[0], pair[1])) * model.viscosity;
            }
        }
    }
    let inward = -port.outward;
    let mut values = PortValues::default();
    let (mut sum, mut weights) = (0.0, 0.0);
    for (i, node) in line.nodes.iter().enumerate() {
        values.flow_rate += node.weight * velocity[i].dot(inward);
        values.work_pressure += node.profile * reaction[i].dot(inward);
        // Corners that another socket owns are left out of the mean.
        if let Some(p) = pressure[i] {
            sum += node.p1_weight * p;
            weights += node.p1_weight;
        }
    }
    values.mean_pressure = if weights > 0.0 { sum / weights } else { 0.0 };
    match condition {
        Condition::FlowRate(flow) => values.flow_rate = flow,
        Condition::Pressure(p) => values.work_pressure = p,
        Condition::TractionFree => values.work_pressure = 0.0,
    }
    values
}
