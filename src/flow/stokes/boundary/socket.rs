//! Conditions at ports as given velocities and loads on shared unknowns, and what ports see of a solution.

use crate::field::ports::PortValues;
use crate::stokes::duct::socket::{DuctProfile, SocketGrid};
use crate::stokes::section::{Section, Top};
use crate::stokes::system::System;
use stokeslet_cad::chip::{Condition, Port};
use stokeslet_cad::shape::WallKind;
use stokeslet_fronts::Class;

/// One node of a port's socket.
#[derive(Clone, Copy, Debug)]
pub struct SocketNode {
    /// Place across.
    pub i: u32,
    /// Level.
    pub level: u32,
    /// Integral of its P2 basis function over the whole socket, m (m^2 with depth).
    pub weight: f64,
    /// Integral of its P1 basis function, the same units; zero where it carries no pressure.
    pub p1_weight: f64,
    /// Inward velocity there for unit inflow, 1/m (1/m^2 with depth).
    pub profile: f64,
}

/// Nodes of a port's socket with weights and the developed profile of unit flow.
#[derive(Clone, Debug)]
pub struct PortSocket {
    /// Across, then level.
    pub nodes: Vec<SocketNode>,
    /// How often the solved depth fits the channel's: 2 where only half is solved, else 1.
    pub copies: f64,
}

/// The socket of a port in two dimensions.
///
/// The profile is the parabola in the planar model; with drag it is `1 - cosh(k y) / cosh(k w / 2)`, `k = sqrt(drag)`,
/// scaled so that its P2 interpolant carries unit flow exactly. At a wall that slips it is mirrored: with one, half that of a
/// channel of twice the width; between two the flow is the same everywhere.
pub fn plane_socket(section: &Section, width: f64, drag: f64, walls: [WallKind; 2]) -> PortSocket {
    let n = section.n_across();
    let h = width / f64::from(section.resolution);
    let k = drag.sqrt();
    let whole = width * mirrored_width(walls);
    let shape = |t: f64| {
        // t in [-1, 1] across the channel that the socket is half of, or all of.
        let half = k * whole / 2.0;
        if whole.is_infinite() {
            1.0
        } else if half < 1e-3 {
            1.0 - t * t
        } else {
            // exp form: cosh overflows for very shallow, wide sockets.
            let decay =
                |x: f64| ((x - half).exp() + (-x - half).exp()) / (1.0 + (-2.0 * half).exp());
            1.0 - decay(half * t.abs())
        }
    };
    let mut nodes: Vec<SocketNode> = (0..n)
        .map(|i| {
            let t = 2.0 * f64::from(i) / f64::from(n - 1) - 1.0;
            let end = i == 0 || i == n - 1;
            let holds = is_held(walls, i, n);
            let (weight, p1_weight) = match (i % 2, end) {
                (1, _) => (4.0 / 6.0 * h, 0.0),
                (_, true) => (h / 6.0, h / 2.0),
                _ => (h / 3.0, h),
            };
            SocketNode {
                i,
                level: 0,
                weight,
                p1_weight,
                profile: if holds {
                    0.0
                } else {
                    shape(in_mirror(walls, t))
                },
            }
        })
        .collect();
    let carried: f64 = nodes.iter().map(|n| n.weight * n.profile).sum();
    nodes.iter_mut().for_each(|n| n.profile /= carried);
    PortSocket { nodes, copies: 1.0 }
}

/// Widths of the channel that is mirrored at the walls that slip.
pub(crate) fn mirrored_width(walls: [WallKind; 2]) -> f64 {
    match walls {
        [WallKind::NoSlip, WallKind::NoSlip] => 1.0,
        [WallKind::Slip, WallKind::Slip] => f64::INFINITY,
        _ => 2.0,
    }
}

/// A place across a socket, -1 to 1 from its first wall to its second, as one across the channel that is mirrored at the wall that slips.
pub(crate) fn in_mirror(walls: [WallKind; 2], t: f64) -> f64 {
    match walls {
        [WallKind::Slip, WallKind::NoSlip] => (t + 1.0) / 2.0,
        [WallKind::NoSlip, WallKind::Slip] => (t - 1.0) / 2.0,
        _ => t,
    }
}

/// Whether the `i`-th of `n` nodes lies on a wall that holds the fluid.
pub(crate) fn is_held(walls: [WallKind; 2], i: u32, n: u32) -> bool {
    let at = |end: usize| walls[end] == WallKind::NoSlip;
    (i == 0 && at(0)) || (i + 1 == n && at(1))
}

/// The socket of a port in three dimensions.
///
/// # Shapes and units
/// - `width` of the socket, `depth` of the layers, m; weights are integrals over the layers, profiles carry unit flow through the
///   whole channel
pub fn duct_socket(
    section: &Section,
    [width, depth]: [f64; 2],
    walls: [WallKind; 2],
    profile: DuctProfile,
) -> PortSocket {
    let grid = SocketGrid {
        resolution: section.resolution,
        layers: section.layers,
        width,
        depth,
        top: section.top,
        walls,
    };
    let levels = section.n_levels();
    let (weights, p1_weights) = (grid.weights(), grid.p1_weights());
    let nodes = grid.profile(profile).into_iter().enumerate();
    PortSocket {
        nodes: nodes
            .map(|(k, profile)| SocketNode {
                i: k as u32 / levels,
                level: k as u32 % levels,
                weight: weights[k],
                p1_weight: p1_weights[k],
                profile,
            })
            .collect(),
        copies: match section.top {
            Top::Symmetry => 2.0,
            Top::Wall => 1.0,
        },
    }
}

/// Loads and given values on shared unknowns.
#[derive(Clone, Debug, Default)]
pub struct PortData {
    /// Canonical loads.
    pub loads: Vec<f64>,
    /// Given velocities, m/s.
    pub given: Vec<f64>,
}

/// Data with the given value at each port: inflow (m^2/s, m^3/s with depth) where its flow is given, else pressure (Pa).
pub fn port_data<const D: usize>(
    system: &System<D>,
    ports: &[Port],
    sockets: &[PortSocket],
    values: impl Iterator<Item = f64>,
) -> PortData {
    let n = system.class.len();
    let mut data = PortData {
        loads: vec![0.0; n],
        given: vec![0.0; n],
    };
    for (k, value) in values.enumerate().filter(|v| v.1 != 0.0) {
        let port = &system.ports[k];
        let base = port.interface as usize * system.section.n;
        // Momentum rows are divided by the viscosity, and in three dimensions by the unit.
        let unit = if D == 3 {
            system.interfaces[port.interface as usize].unit
        } else {
            1.0
        };
        // Unknowns are times the root of the depth over the chip's, which flows are per.
        let depths = system.interfaces[port.interface as usize].depth.sqrt();
        for node in &sockets[k].nodes {
            let Some((first, _)) = system.section.velocity(node.i, node.level) else {
                continue;
            };
            let at = base + first as usize;
            // At the end of a socket whose wall holds the fluid there is nothing to drive.
            if system.class[at] == Class::Zero {
                continue;
            }
            match ports[k].condition {
                Condition::FlowRate(_) => data.given[at] -= value * node.profile / depths,
                Condition::Pressure(_) | Condition::TractionFree => {
                    data.loads[at] -= value / (system.viscosity * unit) * node.weight * depths;
                }
            }
        }
    }
    data
}

/// Flow rate and pressures at a port.
///
/// Flow and `work_pressure` are exact duals in the discrete system, so conductances made of them are symmetric to rounding.
///
/// # Shapes and units
/// - `shared`, `reactions`: on shared unknowns
pub fn port_values<const D: usize>(
    system: &System<D>,
    port: usize,
    socket: &PortSocket,
    condition: Condition,
    (shared, reactions): (&[f64], &[f64]),
) -> PortValues {
    let interface = system.ports[port].interface as usize;
    let unit = system.interfaces[interface].unit;
    let depths = system.interfaces[interface].depth.sqrt();
    let base = interface * system.section.n;
    let force = system.viscosity * if D == 3 { unit } else { 1.0 };
    let mut values = PortValues::default();
    let (mut sum, mut weights) = (0.0, 0.0);
    for node in &socket.nodes {
        let first = system.section.velocity(node.i, node.level);
        let at = first.map(|(first, _)| base + first as usize);
        if let Some(at) = at.filter(|&at| system.class[at] != Class::Zero) {
            values.flow_rate -= socket.copies * node.weight * shared[at] * depths;
            values.work_pressure -= socket.copies * node.profile * reactions[at] * force / depths;
        }
        if let Some(p) = system.section.pressure(node.i, node.level) {
            sum += node.p1_weight * shared[base + p as usize] * system.viscosity / unit / depths;
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
