//! Refinement against the manufactured solution: the whole road but for its data.

use super::study::Row;
use super::{CancelToken, Ownership, SolveError, SolveReport, SolveSettings};
use crate::chip::blocks::{BlockModel, CutError, cut};
use crate::chip::{Chip, Condition};
use crate::elimination::Table;
use crate::field::build;
use crate::geometry::Point;
use crate::session::Solver;
use crate::stokes::assemble::BlockMatrices;
use crate::stokes::manufactured;
use crate::stokes::residual::{Data, Residuals};

/// Channel width for which the manufactured fields were made (the thesis's networks), m.
const REFERENCE_WIDTH: f64 = 0.0125;

/// Solves the manufactured problem on a chip at each resolution; errors are nodal, as the thesis defines them.
///
/// The chip is scaled so that its narrowest mouth is as wide as the thesis's channels, and its viscosity is one, so that the
/// fields vary over some thirty widths on any chip. Pressure ports count as free of traction. Where no port is, pressures are
/// compared up to their mean.
///
/// # Errors
/// [`SolveError`]: as a solve.
/// # Source
/// Ding 2019, section 4.6.2.
pub fn manufactured_study(
    chip: &Chip,
    resolutions: &[u32],
    cancel: &CancelToken,
) -> Result<Vec<Row>, SolveError> {
    let chip = prepared(chip);
    resolutions
        .iter()
        .map(|&r| study_one(&chip, r, cancel))
        .collect()
}

fn study_one(chip: &Chip, resolution: u32, cancel: &CancelToken) -> Result<Row, SolveError> {
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    let mut report = SolveReport::default();
    let model =
        cut(chip, resolution, Ownership::Connections).map_err(|CutError { part, error }| {
            SolveError::Mesh {
                part: chip.parts[part].name.clone(),
                reason: error.to_string(),
            }
        })?;
    let matrices = BlockMatrices::new(&model);
    let solver = Solver::new(
        &model,
        &matrices,
        &settings,
        &Table::default(),
        &|_, _| {},
        cancel,
        &mut report,
    )?;
    let mut data = manufactured::data(&model, solver.port_lines());
    let free = chip
        .ports
        .iter()
        .all(|p| matches!(p.condition, Condition::FlowRate(_)));
    if free {
        balance(&model, solver.residuals(), &mut data);
    }
    let rows = solver.solve(&data, &mut report)?;
    let fields = build::fields(&model, solver.residuals(), &rows, &data);
    let mut is_vertex = vec![false; fields.nodes.len()];
    fields
        .cells
        .iter()
        .for_each(|c| c[..3].iter().for_each(|&n| is_vertex[n as usize] = true));
    let mut row = Row {
        r: resolution,
        unknowns: model.n_unknowns,
        velocity_linf: 0.0,
        velocity_l2: 0.0,
        pressure_linf: 0.0,
        pressure_l2: 0.0,
    };
    let mut pressures = Vec::new();
    for (n, &at) in fields.nodes.iter().enumerate() {
        let e = fields.velocity[n] - manufactured::velocity(at);
        row.velocity_linf = row.velocity_linf.max(e.x.abs()).max(e.y.abs());
        row.velocity_l2 += e.dot(e);
        if is_vertex[n] {
            pressures.push(fields.pressure[n] - manufactured::pressure(at));
        }
    }
    let mean = if free {
        pressures.iter().sum::<f64>() / pressures.len() as f64
    } else {
        0.0
    };
    row.velocity_l2 = (row.velocity_l2 / fields.nodes.len() as f64).sqrt();
    row.pressure_linf = pressures
        .iter()
        .map(|e| (e - mean).abs())
        .fold(0.0, f64::max);
    row.pressure_l2 =
        (pressures.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / pressures.len() as f64).sqrt();
    Ok(row)
}

/// Spreads over all continuity rows what given velocities and sources leave unbalanced, where nothing fixes the pressure.
///
/// The exact fields balance; their interpolants on the boundary miss that by the order of the interpolation, and a system with
/// a null space has a solution only for data that are orthogonal to it.
fn balance(model: &BlockModel, residuals: &Residuals<'_>, data: &mut Data) {
    let rhs = residuals.rows(None, data);
    // The null vector is a constant pressure, in canonical unknowns of each row: `s p / mu`, see `stokes`.
    let rows = || {
        model.rows.iter().map(|row| {
            let layout = &model.layouts[row.layout as usize];
            (row.frame.unit, layout.n_velocity, layout.n_unknowns)
        })
    };
    let (mut product, mut square) = (0.0, 0.0);
    for ((unit, n_velocity, n_unknowns), values) in rows().zip(&rhs) {
        let values = values.iter().flatten().skip(n_velocity);
        product += unit * values.sum::<f64>();
        square += unit * unit * (n_unknowns - n_velocity) as f64;
    }
    for (k, (unit, n_velocity, n_unknowns)) in rows().enumerate() {
        let load = data
            .row_loads
            .entry(k as u32)
            .or_insert_with(|| vec![0.0; n_unknowns]);
        for value in &mut load[n_velocity..] {
            *value -= unit * product / square;
        }
    }
}

/// The chip in the thesis's units.
fn prepared(chip: &Chip) -> Chip {
    let narrowest = chip
        .parts
        .iter()
        .flat_map(|p| p.shape.mouths())
        .map(|m| m.width)
        .fold(f64::INFINITY, f64::min);
    let mut chip = chip.scaled(if narrowest.is_finite() {
        REFERENCE_WIDTH / narrowest
    } else {
        1.0
    });
    chip.viscosity = 1.0;
    for port in &mut chip.ports {
        if matches!(port.condition, Condition::Pressure(_)) {
            port.condition = Condition::TractionFree;
        }
    }
    // Centred, so that a chip far from its file's origin sees the same fields.
    let (mut low, mut high) = (
        Point::new(f64::INFINITY, f64::INFINITY),
        Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY),
    );
    for part in &chip.parts {
        for m in part.shape.mouths() {
            let p = part.motion.apply(m.middle);
            (low, high) = (
                Point::new(low.x.min(p.x), low.y.min(p.y)),
                Point::new(high.x.max(p.x), high.y.max(p.y)),
            );
        }
    }
    let middle = (low + high) * 0.5;
    if middle.norm() > 2.0 {
        chip = chip.moved(crate::geometry::Motion::new(0.0, -middle));
    }
    chip
}
