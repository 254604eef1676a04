//! Conditions at ports as given velocities and loads.

use crate::blocks::{BlockModel, PortPlace, Velocity};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Condition;

use crate::residual::{Data, Residuals};

/// The nodes along a port and their quadrature.
#[derive(Clone, Debug)]
pub struct PortLine {
    /// Index into the model's rows.
    pub row: u32,
    /// One a node of the row, in order.
    pub nodes: Vec<PortNode>,
}

/// One node along a port.
#[derive(Clone, Copy, Debug)]
pub struct PortNode {
    /// Its place in the row.
    pub index: u32,
    /// Where it lies, m.
    pub position: Point,
    /// Simpson weight: integral of its P2 basis function along the port, m.
    pub weight: f64,
    /// Integral of its P1 basis function along the port, m; zero at edge middles.
    pub p1_weight: f64,
    /// Unit inward flow's inward velocity there, 1/m (m/s per m^2/s).
    pub profile: f64,
}

/// The nodes of a port's line, with weights and the developed profile of unit flow.
///
/// The profile is the parabola in the planar model; with drag it is `1 - cosh(k y) / cosh(k w / 2)`, `k = sqrt(12) / depth`,
/// scaled so that its P2 interpolant carries unit flow exactly.
pub fn port_line(model: &BlockModel, residuals: &Residuals, port: &PortPlace) -> PortLine {
    let n = model.layouts[model.rows[port.row as usize].layout as usize]
        .nodes
        .len();
    let mut positions = vec![None; n];
    // A corner that another socket owns is not in this row; its place follows from the socket's ends.
    let frame = model.rows[port.row as usize].frame;
    let along = frame.to_chip(Point::new(0.0, 1.0));
    for &(block, place) in residuals.touching(port.row) {
        let block = &model.blocks[block as usize];
        let side = &model.sides[block.incidences[place as usize].side as usize];
        let mesh = &model.kinds[side.kind as usize].block.mesh;
        for &(node, index) in &side.nodes {
            positions[index as usize] = Some(block.to_chip(mesh.nodes[node as usize]));
        }
    }
    let n_edges = (n.max(3) - 1) / 2;
    let h = port.width / n_edges as f64;
    let k = model.drag.sqrt();
    let shape = |t: f64| {
        // t in [-1, 1] across the socket.
        let half = k * port.width / 2.0;
        if half < 1e-3 {
            1.0 - t * t
        } else {
            // exp form: cosh overflows for very shallow, wide sockets.
            let decay =
                |x: f64| ((x - half).exp() + (-x - half).exp()) / (1.0 + (-2.0 * half).exp());
            1.0 - decay(half * t.abs())
        }
    };
    let mut nodes: Vec<PortNode> = (0..n)
        .map(|i| {
            let t = 2.0 * i as f64 / (n - 1) as f64 - 1.0;
            let end = i == 0 || i == n - 1;
            let (weight, p1_weight) = match (i % 2, end) {
                (1, _) => (4.0 / 6.0 * h, 0.0),
                (_, true) => (h / 6.0, h / 2.0),
                _ => (h / 3.0, h),
            };
            let position = positions[i].unwrap_or(port.middle + along * (t * port.width / 2.0));
            PortNode {
                index: i as u32,
                position,
                weight,
                p1_weight,
                profile: if end { 0.0 } else { shape(t) },
            }
        })
        .collect();
    let carried: f64 = nodes.iter().map(|n| n.weight * n.profile).sum();
    nodes.iter_mut().for_each(|n| n.profile /= carried);
    PortLine {
        row: port.row,
        nodes,
    }
}

/// Adds `value` times the unit data of a port: inflow in m^2/s, or pressure in Pa.
pub fn add_port(
    model: &BlockModel,
    residuals: &Residuals,
    port: &PortPlace,
    line: &PortLine,
    condition: Condition,
    data: &mut Data,
) {
    let layout = &model.layouts[model.rows[port.row as usize].layout as usize];
    match condition {
        Condition::FlowRate(flow) => {
            let inward = -port.outward;
            for &(block, place) in residuals.touching(port.row) {
                let b = &model.blocks[block as usize];
                let side = &model.sides[b.incidences[place as usize].side as usize];
                let n = model.kinds[b.kind as usize].block.mesh.nodes.len();
                let given = data.given.entry(block).or_insert_with(|| vec![[0.0; 2]; n]);
                for &(node, index) in &side.nodes {
                    let v = b
                        .frame
                        .to_frame(inward * (flow * line.nodes[index as usize].profile));
                    given[node as usize] = [v.x, v.y];
                }
            }
        }
        Condition::Pressure(pressure) => {
            let load = data
                .row_loads
                .entry(port.row)
                .or_insert_with(|| vec![0.0; layout.n_unknowns]);
            let outward = model.rows[port.row as usize].frame.to_frame(port.outward);
            for node in &line.nodes {
                let first = layout.velocity_at[node.index as usize] as usize;
                let unknowns = layout.nodes[node.index as usize];
                if !unknowns.owned || unknowns.velocity == Velocity::Given {
                    continue;
                }
                for (k, n) in [outward.x, outward.y]
                    .into_iter()
                    .enumerate()
                    .take(unknowns.velocity as usize)
                {
                    load[first + k] -= pressure / model.viscosity * node.weight * n;
                }
            }
        }
        Condition::TractionFree => {}
    }
}
