//! One-dimensional laws of a network, solved at its nodes: what the solved chip is compared with.

use std::collections::BTreeMap;
use std::f64::consts::PI;

use super::read::{Held, Network};

/// Nodes of the largest network that laws are solved for; the matrix is dense.
const MAX_NODES: usize = 1500;

/// How a channel resists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The first term of the duct's series, as MMFT's `Rectangular`.
    Rectangular,
    /// Plane flow, as MMFT's `Poiseuille`: 12 mu L / (h w^3).
    Poiseuille,
    /// The series of the rectangular duct.
    Exact,
}

/// Flow rates into the ports (m^3/s), by node, for each law; empty for networks of more than 1500 nodes, or without a pressure.
#[derive(Clone, Debug, Default)]
pub struct Laws {
    /// Node of each port.
    pub nodes: Vec<usize>,
    /// The first term of the duct's series.
    pub rectangular: Vec<f64>,
    /// Plane flow.
    pub poiseuille: Vec<f64>,
    /// The duct's series.
    pub exact: Vec<f64>,
}

impl Law {
    /// Hydraulic resistance, Pa s/m^3.
    ///
    /// # Source
    /// MMFT simulator 0.3.0, whose printed values the first two are to six digits; White, Viscous Fluid Flow, eq. 3-48 for the series.
    pub fn resistance(self, viscosity: f64, length: f64, width: f64, height: f64) -> f64 {
        let (long, short) = (width.max(height), width.min(height));
        match self {
            Law::Poiseuille => 12.0 * viscosity * length / (height * width.powi(3)),
            Law::Rectangular | Law::Exact => {
                let terms = if self == Law::Exact { 200 } else { 1 };
                let sum: f64 = (0..terms)
                    .map(|k| f64::from(2 * k + 1))
                    .map(|n| (n * PI * long / (2.0 * short)).tanh() / n.powi(5))
                    .sum();
                let factor = 1.0 - 192.0 / PI.powi(5) * short / long * sum;
                12.0 * viscosity * length / (factor * long * short.powi(3))
            }
        }
    }
}

/// Solves a network by nodal analysis for each law.
pub fn laws(network: &Network) -> Laws {
    let solve = |law| nodal(network, law).unwrap_or_default();
    let by_law = [Law::Rectangular, Law::Poiseuille, Law::Exact].map(solve);
    let [rectangular, poiseuille, exact] = by_law;
    Laws {
        nodes: network.ports.keys().copied().collect(),
        rectangular,
        poiseuille,
        exact,
    }
}

fn nodal(network: &Network, law: Law) -> Option<Vec<f64>> {
    // Numbers of the nodes that channels meet.
    let mut number: BTreeMap<usize, usize> = BTreeMap::new();
    for channel in &network.channels {
        for node in channel.nodes {
            let next = number.len();
            number.entry(node).or_insert(next);
        }
    }
    let n = number.len();
    let has_pressure = network
        .ports
        .values()
        .any(|held| matches!(held, Held::Pressure(_)));
    if n > MAX_NODES || !has_pressure {
        return None;
    }
    let conductance = |channel: &super::read::Channel| {
        1.0 / law.resistance(
            network.viscosity,
            network.length(channel),
            channel.width,
            channel.depth,
        )
    };
    let scale = network.channels.iter().map(conductance).fold(0.0, f64::max);
    let mut matrix = vec![vec![0.0; n + 1]; n];
    for channel in &network.channels {
        let g = conductance(channel) / scale;
        let [a, b] = [number[&channel.nodes[0]], number[&channel.nodes[1]]];
        for (i, j) in [(a, b), (b, a)] {
            matrix[i][i] += g;
            matrix[i][j] -= g;
        }
    }
    for (node, held) in &network.ports {
        let Some(&i) = number.get(node) else { continue };
        match held {
            Held::FlowRate(rate) => matrix[i][n] += rate / scale,
            Held::Pressure(pressure) => {
                matrix[i].iter_mut().for_each(|x| *x = 0.0);
                matrix[i][i] = 1.0;
                matrix[i][n] = *pressure;
            }
        }
    }
    let pressure = gauss(matrix)?;
    let flow = |node: &usize| {
        let of_node = network.channels.iter().filter(|c| c.nodes.contains(node));
        of_node
            .map(|c| {
                let other = if c.nodes[0] == *node {
                    c.nodes[1]
                } else {
                    c.nodes[0]
                };
                conductance(c) * (pressure[number[node]] - pressure[number[&other]])
            })
            .sum::<f64>()
    };
    Some(network.ports.keys().map(flow).collect())
}

/// Gaussian elimination with partial pivoting; the last column is the right-hand side. `None` where it is singular.
fn gauss(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs()))?;
        rows.swap(k, pivot);
        if rows[k][k].abs() < 1e-14 {
            return None;
        }
        let (above, below) = rows.split_at_mut(k + 1);
        let pivot = &above[k];
        for row in below.iter_mut().filter(|row| row[k] != 0.0) {
            let factor = row[k] / pivot[k];
            row.iter_mut()
                .zip(pivot)
                .skip(k)
                .for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut out = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * out[j]).sum();
        out[k] = (rows[k][n] - known) / rows[k][k];
    }
    Some(out)
}
