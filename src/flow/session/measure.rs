//! What is measured of a solution whatever solved it: the greatest speed, port results, the balance of their flows.

use rustc_hash::FxHashMap;
use stokeslet_base::parallel;

use super::{PortKind, PortResult, Solution, SolveError};
use crate::field::Field;
use crate::field::ports::PortValues;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::{Chip, Condition, Port};

/// Greatest nodal speed, and where.
pub fn fastest(fields: &Field<2>) -> (f64, Point) {
    let chunks: Vec<_> = fields.velocity.chunks(1 << 14).enumerate().collect();
    let fastest = parallel::each(&chunks, 1, |(k, chunk)| {
        let best = chunk.iter().enumerate().map(|(i, v)| (v.dot(*v), i));
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
        (best.0, (k << 14) + best.1)
    });
    let fastest = fastest.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
    fastest.map_or((0.0, Point::default()), |(square, n)| {
        // Of numbers whose squares overflow the length doesn't.
        let speed = if square.is_finite() {
            square.sqrt()
        } else {
            fields.velocity[n].norm()
        };
        (speed, fields.nodes[n])
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
            pressure: v.work_pressure,
            mean_pressure: v.mean_pressure,
        })
        .collect()
}

/// Where the fluid of a chip is at rest: by connected part of the chip, whether nothing drives it.
#[derive(Clone, Debug)]
pub struct Stillness {
    /// By port: its connected part of the chip.
    connected_components: Vec<usize>,
}

impl Stillness {
    /// Finds the connected parts of a chip.
    pub fn new(chip: &Chip) -> Self {
        let mut root: Vec<usize> = (0..chip.parts.len()).collect();
        let find = |root: &mut Vec<usize>, mut k: usize| {
            while root[k] != k {
                root[k] = root[root[k]];
                k = root[k];
            }
            k
        };
        for connection in &chip.connections {
            let a = find(&mut root, connection.a.part);
            let b = find(&mut root, connection.b.part);
            root[a.max(b)] = a.min(b);
        }
        let ports = chip.ports.iter();
        Self {
            connected_components: ports.map(|p| find(&mut root, p.socket.part)).collect(),
        }
    }

    /// Whether nothing flows for these conditions, one a port: no flow rate is given but zero, and connected ports have one
    /// pressure. Exactly so: what is computed then is rounding, whatever its size.
    pub fn is_still(&self, conditions: &[Condition]) -> bool {
        let mut pressure_of: FxHashMap<usize, f64> = FxHashMap::default();
        conditions
            .iter()
            .zip(&self.connected_components)
            .all(|(c, &component)| match *c {
                Condition::FlowRate(flow) => flow == 0.0,
                Condition::Pressure(_) | Condition::TractionFree => {
                    *pressure_of.entry(component).or_insert(c.value()) == c.value()
                }
            })
    }
}

/// Takes the rounding out of a chip in which nothing flows: velocities, flow rates and shear become zero.
pub fn set_still(solution: &mut Solution) {
    solution.report.still = true;
    solution.report.mass_imbalance = 0.0;
    for port in &mut solution.ports {
        port.flow_rate = 0.0;
    }
    if let Some((speed, _)) = &mut solution.max_speed {
        *speed = 0.0;
    }
    solution.dissipation = solution.dissipation.map(|_| 0.0);
    for post in solution.posts.iter_mut().flatten() {
        (post.force, post.torque) = (Point::default(), 0.0);
    }
    if let Some(shear) = &mut solution.wall_shear {
        (shear.min, shear.mean, shear.max) = (0.0, 0.0, 0.0);
    }
    if let Some(shear) = &mut solution.floor_shear {
        (shear.mean, shear.max) = (0.0, 0.0);
    }
    solution.fields.velocity.fill(Point::default());
    if let Some(in_space) = &mut solution.in_space {
        in_space.velocity.fill([0.0; 3]);
    }
}

/// Flows in and out of each port balance to this, or a solve fails: see [`SolveError::Imbalance`].
pub const MAX_IMBALANCE: f64 = 1e-8;

/// Refuses a solution that loses fluid on its way.
///
/// # Errors
/// [`SolveError::Imbalance`].
pub fn check_balance(imbalance: f64) -> Result<(), SolveError> {
    if imbalance > MAX_IMBALANCE {
        return Err(SolveError::Imbalance { imbalance });
    }
    Ok(())
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
