//! A chip becomes its solution: pieces, elimination, substitution, refinement, measurements.

use std::time::Instant;

use rayon::prelude::*;

use super::flow::{Flow, Ready};
use super::rows::solve_by_rows;
use super::space::{Deep, Measured, Plane, Space};
use super::{
    CancelToken, Conductance, Method, PortKind, PortResult, Progress, Solution, SolveError,
    SolveReport, SolveSettings, Stage, WallShear, WantedResults,
};
use crate::chip::{Chip, Condition, DepthModel};
use crate::elimination::Table;
use crate::field::Fields;
use crate::field::ports::{PortValues, conductance, gives_flow};
use crate::geometry::Point;
use crate::stokes::mouth::{Mouth, PortData, port_data, port_values};
use crate::stokes::slabs::State;
use crate::stokes::system::System;

/// Solves a chip: fields, port results, conductance, wall shear, and the counters of the solve.
///
/// # Shapes and units
/// - SI throughout; flow rates of the solution are m^3/s where the chip has a depth, else m^2/s
/// # Errors
/// [`SolveError`]; a solution is returned only if its relative residual is at most `settings.tolerance`.
/// # Example
/// ```
/// use stokeslet::chip::{Chip, Condition, DepthModel, Part, Port, Shape, SocketRef, Strip};
/// use stokeslet::elimination::Table;
/// use stokeslet::geometry::Motion;
/// use stokeslet::session::{CancelToken, SolveSettings, solve};
///
/// // A channel of 1 mm x 0.1 mm between 100 Pa and 0 Pa.
/// let pipe = Strip::Straight { length: 1e-3, width_start: 1e-4, width_end: 1e-4 };
/// let port = |name: &str, socket, p| Port { name: name.into(), socket: SocketRef { part: 0, socket }, condition: Condition::Pressure(p) };
/// let chip = Chip {
///     name: "channel".into(),
///     viscosity: 1e-3,
///     model: DepthModel::Planar,
///     depth: None,
///     parts: vec![Part { name: "pipe".into(), shape: Shape::Strip(pipe), motion: Motion::IDENTITY }],
///     connections: vec![],
///     ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
/// };
/// let solution = solve(&chip, &SolveSettings::default(), &Table::default(), &|_, _| {}, &CancelToken::new())?;
/// let exact = 1e-4_f64.powi(3) * 100.0 / (12.0 * 1e-3 * 1e-3); // w^3 dp / (12 mu L)
/// assert!((solution.ports[0].flow_rate / exact - 1.0).abs() < 1e-10);
/// # Ok::<(), stokeslet::session::SolveError>(())
/// ```
pub fn solve(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Solution, SolveError> {
    match (settings.method, chip.model) {
        (Method::Fronts, DepthModel::Full) => {
            let space = Deep::new(chip, settings)?;
            solve_by_fronts(&space, chip, settings, table, progress, cancel)
        }
        (Method::Fronts, _) => {
            let space = Plane::new(chip);
            solve_by_fronts(&space, chip, settings, table, progress, cancel)
        }
        (Method::Rows(_), DepthModel::Full) => Err(SolveError::PlaneOnly {
            what: "elimination by block rows",
        }),
        (Method::Rows(ownership), _) => {
            solve_by_rows(chip, settings, ownership, table, progress, cancel)
        }
    }
}

fn solve_by_fronts<const D: usize>(
    space: &dyn Space<D>,
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Solution, SolveError> {
    let start = Instant::now();
    let with_fields = settings.wanted == WantedResults::All;
    let mut report = SolveReport::default();
    progress(Stage::Mesh, 0.0);
    let clock = Instant::now();
    let stage = settings.recorder().stage("mesh");
    let system = space.system(chip, settings)?;
    space.note(&mut report);
    report.timings.plan = system.plan_seconds;
    report.timings.mesh = clock.elapsed().as_secs_f64() - system.plan_seconds;
    drop(stage);
    report.unknowns = system.n_unknowns;
    report.canonical_blocks = system.pieces.len();

    progress(Stage::Plan, 0.0);
    let flow = Flow::new(
        system,
        settings,
        with_fields,
        table,
        progress,
        cancel,
        &mut report,
    )?;
    let clock = Instant::now();
    let ready = flow.ready()?;
    report.timings.eliminate += clock.elapsed().as_secs_f64();
    let system = &flow.system;
    let mouths: Vec<Mouth> = system
        .ports
        .iter()
        .map(|p| space.mouth(system, p))
        .collect();

    let conditions: Vec<Condition> = chip
        .ports
        .iter()
        .map(|p| space.condition(p.condition))
        .collect();

    progress(Stage::BackSubstitute, 0.0);
    let clock = Instant::now();
    let stage = settings.recorder().stage("back substitute");
    let data = port_data(system, chip, &mouths, conditions.iter().map(|c| c.value()));
    let loads = State {
        shared: data.loads,
        slabs: Vec::new(),
    };
    let mut answer = ready.solve(&loads, &data.given, settings, &mut report)?;
    report.timings.back_substitute = clock.elapsed().as_secs_f64();

    drop(stage);
    progress(Stage::Results, 0.0);
    let clock = Instant::now();
    let stage = settings.recorder().stage("results");
    complete(system, &mut answer.state.shared);
    let see = |shared: &[f64], reactions: &[f64]| -> Vec<PortValues> {
        (0..chip.ports.len())
            .map(|k| port_values(system, k, &mouths[k], conditions[k], (shared, reactions)))
            .collect()
    };
    let mut values = see(&answer.state.shared, &answer.reactions);
    // Where only differences of pressure are known, the lowest mean pressure of a port is the stated zero.
    let is_free =
        |k: usize| system.is_free[system.islands[system.ports[k].interface as usize] as usize];
    let lowest = values
        .iter()
        .enumerate()
        .filter(|v| is_free(v.0))
        .map(|v| v.1.mean_pressure)
        .fold(f64::INFINITY, f64::min);
    let shift = if lowest.is_finite() { -lowest } else { 0.0 };
    for (_, v) in values.iter_mut().enumerate().filter(|v| is_free(v.0)) {
        v.mean_pressure += shift;
    }
    let unit = space.flow_unit();
    let conductance = conductance_result(chip, unit, conductances(&ready, chip, &mouths));
    report.mass_imbalance = mass_imbalance(&values);
    let ports = port_results(chip, unit, &values);
    let measured = match &flow.slabs {
        Some(slabs) => space.measure(system, slabs, &answer.state, &|part| {
            let interface = system.instances[part].interfaces.first();
            let is_free =
                interface.is_some_and(|&i| system.is_free[system.islands[i as usize] as usize]);
            if is_free { shift } else { 0.0 }
        }),
        None => Measured {
            max_speed: UNKNOWN_SPEED,
            wall_shear: WallShear::UNKNOWN,
            fields: Fields::default(),
            solid: None,
        },
    };
    drop(stage);
    report.timings.results = clock.elapsed().as_secs_f64();
    report.timings.total = start.elapsed().as_secs_f64();
    Ok(Solution {
        report,
        ports,
        conductance,
        max_speed: measured.max_speed,
        wall_shear: measured.wall_shear,
        fields: measured.fields,
        solid: measured.solid,
    })
}

/// Of fields that were not wanted.
pub(super) const UNKNOWN_SPEED: (f64, Point) = (f64::NAN, Point::new(f64::NAN, f64::NAN));

/// Greatest nodal speed, and where.
pub(super) fn fastest(fields: &Fields) -> (f64, Point) {
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

/// Shared unknowns that another stands for get its value.
pub(super) fn complete<const D: usize>(system: &System<D>, shared: &mut [f64]) {
    for &(one, other, factor) in &system.aliases {
        shared[one as usize] = factor * shared[other as usize];
    }
}

/// Conductance matrix between the ports, m^2/(s Pa) (m^3 with depth): one more right-hand side a port, on shared unknowns only.
fn conductances<const D: usize>(
    ready: &Ready<'_, D>,
    chip: &Chip,
    mouths: &[Mouth],
) -> Vec<Vec<f64>> {
    let system = ready.system();
    let n = chip.ports.len();
    let group: Vec<Option<u32>> = system
        .ports
        .iter()
        .map(|p| {
            let island = system.islands[p.interface as usize];
            system.is_free[island as usize].then_some(island)
        })
        .collect();
    let mut hybrid = vec![vec![0.0; n]; n];
    for j in 0..n {
        // Where nothing fixes the pressure, inflows must balance: the rest leaves evenly through all ports of the island.
        let mates = group
            .iter()
            .filter(|g| g.is_some() && **g == group[j])
            .count()
            .max(1) as f64;
        let unit = |i: usize| {
            let even = if group[j].is_some() && group[i] == group[j] {
                1.0 / mates
            } else {
                0.0
            };
            f64::from(i == j) - even
        };
        let PortData { loads, given } = port_data(system, chip, mouths, (0..n).map(unit));
        let (mut shared, reactions) = ready.solve_shared(&loads, &given);
        complete(system, &mut shared);
        for (i, port) in chip.ports.iter().enumerate() {
            let condition = match port.condition {
                // The response, not the design's own value.
                Condition::FlowRate(_) => Condition::FlowRate(unit(i)),
                Condition::Pressure(_) => Condition::Pressure(unit(i)),
                Condition::TractionFree => Condition::TractionFree,
            };
            let v = port_values(system, i, &mouths[i], condition, (&shared, &reactions));
            hybrid[i][j] = if gives_flow(port.condition) {
                v.work_pressure
            } else {
                v.flow_rate
            };
        }
    }
    let flow_given: Vec<bool> = chip.ports.iter().map(|p| gives_flow(p.condition)).collect();
    conductance(&hybrid, &flow_given, &group)
}

/// Port results in the units of the design: flows times `unit`.
pub(super) fn port_results(chip: &Chip, unit: f64, values: &[PortValues]) -> Vec<PortResult> {
    let ports = chip.ports.iter().zip(values);
    ports
        .map(|(port, v)| PortResult {
            id: port.name.clone(),
            kind: match port.condition {
                Condition::FlowRate(_) => PortKind::FlowRate,
                Condition::Pressure(_) => PortKind::Pressure,
                Condition::TractionFree => PortKind::TractionFree,
            },
            flow_rate: v.flow_rate * unit,
            mean_pressure: v.mean_pressure,
        })
        .collect()
}

/// Sum of port flows over half the sum of their magnitudes.
pub(super) fn mass_imbalance(values: &[PortValues]) -> f64 {
    let total: f64 = values.iter().map(|v| v.flow_rate).sum();
    let magnitude: f64 = values.iter().map(|v| v.flow_rate.abs()).sum::<f64>() / 2.0;
    if magnitude > 0.0 {
        total.abs() / magnitude
    } else {
        0.0
    }
}

/// A conductance matrix in the units of the design: times `unit`.
pub(super) fn conductance_result(chip: &Chip, unit: f64, matrix: Vec<Vec<f64>>) -> Conductance {
    Conductance {
        ports: chip.ports.iter().map(|p| p.name.clone()).collect(),
        matrix: matrix
            .into_iter()
            .map(|row| row.into_iter().map(|g| g * unit).collect())
            .collect(),
    }
}
