//! What is measured of a solution whatever solved it: the greatest speed, port results, the balance of their flows.

use rayon::prelude::*;

use super::{PortKind, PortResult};
use crate::field::Fields;
use crate::field::ports::PortValues;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Port;

/// Of fields that were not wanted.
pub const UNKNOWN_SPEED: (f64, Point) = (f64::NAN, Point::new(f64::NAN, f64::NAN));

/// Greatest nodal speed, and where.
pub fn fastest(fields: &Fields) -> (f64, Point) {
    let speeds = fields
        .velocity
        .par_chunks(1 << 14)
        .enumerate()
        .map(|(k, chunk)| {
            let best = chunk.iter().enumerate().map(|(i, v)| (v.dot(*v), i));
            let best = best.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
            (best.0, (k << 14) + best.1)
        });
    let fastest = speeds
        .collect::<Vec<_>>()
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0));
    fastest.map_or((0.0, Point::default()), |(square, n)| {
        (square.sqrt(), fields.nodes[n])
    })
}

/// Port results in the units of the design: flows times `unit`.
pub fn port_results(ports: &[Port], unit: f64, values: &[PortValues]) -> Vec<PortResult> {
    let ports = ports.iter().zip(values);
    ports
        .map(|(port, v)| PortResult {
            id: port.name.clone(),
            kind: PortKind::of(port.condition),
            flow_rate: v.flow_rate * unit,
            mean_pressure: v.mean_pressure,
        })
        .collect()
}

/// Sum of port flows over half the sum of their magnitudes.
pub fn mass_imbalance(values: &[PortValues]) -> f64 {
    let total: f64 = values.iter().map(|v| v.flow_rate).sum();
    let magnitude: f64 = values.iter().map(|v| v.flow_rate.abs()).sum::<f64>() / 2.0;
    if magnitude > 0.0 {
        total.abs() / magnitude
    } else {
        0.0
    }
}
