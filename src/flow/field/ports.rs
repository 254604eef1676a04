//! Flow and pressure at ports, and the conductance between them.

use crate::blocks::{BlockModel, PortPlace};
use crate::stokes::boundary::PortLine;
use crate::stokes::residual::{Data, Residuals, Rows};
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Condition;

/// What a port says of a solution.
#[derive(Clone, Copy, Debug, Default)]
pub struct PortValues {
    /// Into the chip, m^2/s.
    pub flow_rate: f64,
    /// Mean over the mouth, Pa.
    pub mean_pressure: f64,
    /// Mean inward traction over the mouth, weighted with the developed profile where that is given: what does the work, Pa.
    pub work_pressure: f64,
}

/// Flow rate and pressures at a port.
///
/// Flow and `work_pressure` are exact duals in the discrete system, so conductances made of them are symmetric to rounding.
pub fn port_values(
    model: &BlockModel,
    residuals: &Residuals<'_>,
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
        // Corners that another mouth owns are left out of the mean.
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

/// Whether the port's condition gives its flow (else it gives its pressure).
pub fn gives_flow(condition: Condition) -> bool {
    matches!(condition, Condition::FlowRate(_))
}

/// Conductance `Q = G p` from the hybrid responses of a chip.
///
/// # Shapes and units
/// - `hybrid[i][j]`: answer at port i (flow where its pressure is given, pressure where its flow is) to unit input at port j
/// - `flow_given[i]`: which of the two port i is given; returns the n x n matrix, m^2/(s Pa)
/// - `free_group[i]`: the group of ports that i shares an unknown constant of pressure with, if any; their inputs balance
pub fn conductance(
    hybrid: &[Vec<f64>],
    flow_given: &[bool],
    free_group: &[Option<u32>],
) -> Vec<Vec<f64>> {
    use faer::Mat;
    use faer::linalg::solvers::Solve;
    let n = hybrid.len();
    let f: Vec<usize> = (0..n).filter(|&i| flow_given[i]).collect();
    let p: Vec<usize> = (0..n).filter(|&i| !flow_given[i]).collect();
    let pick = |rows: &[usize], columns: &[usize]| {
        Mat::from_fn(rows.len(), columns.len(), |i, j| {
            hybrid[rows[i]][columns[j]]
        })
    };
    let mut g = vec![vec![0.0; n]; n];
    // P_f = H_ff Q_f + H_fp P_p  and  Q_p = H_pf Q_f + H_pp P_p.
    let h_ff = pick(&f, &f);
    let m = f.len();
    let size = (0..m)
        .map(|i| h_ff[(i, i)].abs())
        .fold(0.0, f64::max)
        .max(f64::MIN_POSITIVE);
    // The mean over each group of ports whose pressure is known up to a constant. Shifted along it, H_ff is invertible; the
    // shift's own part of the inverse is taken out again.
    let same =
        |i: usize, j: usize| free_group[f[i]].is_some() && free_group[f[i]] == free_group[f[j]];
    let mates = |i: usize| (0..m).filter(|&j| same(i, j)).count().max(1) as f64;
    let mean = Mat::from_fn(m, m, |i, j| if same(i, j) { 1.0 / mates(i) } else { 0.0 });
    let centre = Mat::<f64>::identity(m, m) - &mean;
    let shifted = &centre * &h_ff * &centre + Mat::from_fn(m, m, |i, j| size * mean[(i, j)]);
    let full = shifted.partial_piv_lu().solve(Mat::<f64>::identity(m, m));
    let inverse = Mat::from_fn(m, m, |i, j| full[(i, j)] - mean[(i, j)] / size);
    let h_fp = pick(&f, &p);
    let h_pf = pick(&p, &f);
    let h_pp = pick(&p, &p);
    let q_f_by_p = -(&inverse * &h_fp);
    let q_p_by_f = &h_pf * &inverse;
    let q_p_by_p = &h_pp + &h_pf * &q_f_by_p;
    for (i, &a) in f.iter().enumerate() {
        f.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = inverse[(i, j)]);
        p.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = q_f_by_p[(i, j)]);
    }
    for (i, &a) in p.iter().enumerate() {
        f.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = q_p_by_f[(i, j)]);
        p.iter()
            .enumerate()
            .for_each(|(j, &b)| g[a][b] = q_p_by_p[(i, j)]);
    }
    g
}
