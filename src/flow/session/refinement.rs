//! Refinement against the manufactured solution: the whole road but for its data.

use super::Job;
use super::flow::Flow;
use super::space::{Deep, Plane, Space};
use super::study::Row;
use super::{SolveError, SolveReport, SolveSettings};
use crate::field::nodal::nodal;
use crate::field::{Dimension, Field, In};
use crate::stokes::manufactured_data::{self, Exact};
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::geometry::Point;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_cad::design::DepthModel;

/// Channel width for which the manufactured fields were made (the thesis's networks), m.
const REFERENCE_WIDTH: f64 = 0.0125;

/// Solves the manufactured problem on a chip at each resolution; errors are nodal, as the thesis defines them.
///
/// The chip is scaled so that its narrowest socket is as wide as the thesis's channels, and its viscosity is one, so that the
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
    let mut settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    if chip.model == DepthModel::Full {
        // The fields are not symmetric about mid-depth.
        settings.depth.whole = true;
        let deep = Deep::new(chip, &settings)?;
        return study(&deep, chip, &settings, &manufactured_data::space(), cancel);
    }
    let plane = Plane::new(chip);
    study(&plane, chip, &settings, &manufactured_data::plane(), cancel)
}

fn study<const D: usize>(
    space: &dyn Space<D>,
    chip: &Chip,
    settings: &SolveSettings,
    exact: &Exact<D>,
    cancel: &CancelToken,
) -> Result<Row, SolveError>
where
    In<D>: Dimension<D>,
{
    let mut report = SolveReport::default();
    let table = Table::default();
    let job = Job::silent(settings, &table, cancel);
    let system = space.system(chip, &job, None)?;
    let flow = Flow::new(system, &job, &mut report)?;
    let system = &flow.system;
    let Some(local_vectors) = &flow.local_vectors else {
        unreachable!("fields were asked for")
    };
    let data = manufactured_data::data(system, local_vectors, chip, exact);
    let answer = flow.solve(
        &data.loads,
        &data.given,
        (settings, &|_, _| 0.0),
        cancel,
        &mut report,
    )?;
    let wall = |p| (exact.velocity)(p);
    let is_cancelled = || cancel.is_cancelled();
    let state = &answer.state;
    let nodal = nodal(
        system,
        local_vectors,
        state,
        Some(&wall),
        &|_| 0.0,
        &is_cancelled,
    );
    if is_cancelled() {
        return Err(SolveError::Cancelled);
    }
    let is_free = chip
        .ports
        .iter()
        .all(|p| matches!(p.condition, Condition::FlowRate(_)));
    Ok(errors(
        settings.resolution,
        system.n_unknowns,
        &nodal,
        exact,
        is_free,
    ))
}

/// Nodal errors; pressures up to their mean where `is_free`.
fn errors<const D: usize>(
    r: u32,
    unknowns: usize,
    nodal: &Field<D>,
    exact: &Exact<D>,
    is_free: bool,
) -> Row
where
    In<D>: Dimension<D>,
{
    let mut is_vertex = vec![false; nodal.nodes.len()];
    for cell in &nodal.cells {
        let vertices = &cell.as_ref()[..=D];
        vertices.iter().for_each(|&n| is_vertex[n as usize] = true);
    }
    let mut row = Row {
        r,
        unknowns,
        velocity_linf: 0.0,
        velocity_l2: 0.0,
        pressure_linf: 0.0,
        pressure_l2: 0.0,
    };
    let mut pressures = Vec::new();
    for (n, &at) in nodal.nodes.iter().enumerate() {
        let at = at.into();
        let want = (exact.velocity)(at);
        for (got, want) in nodal.velocity[n].into().into_iter().zip(want) {
            let e = got - want;
            row.velocity_linf = row.velocity_linf.max(e.abs());
            row.velocity_l2 += e * e;
        }
        if is_vertex[n] {
            pressures.push(nodal.pressure[n] - (exact.pressure)(at));
        }
    }
    let mean = if is_free {
        pressures.iter().sum::<f64>() / pressures.len() as f64
    } else {
        0.0
    };
    row.velocity_l2 = (row.velocity_l2 / nodal.nodes.len() as f64).sqrt();
    row.pressure_linf = pressures
        .iter()
        .map(|e| (e - mean).abs())
        .fold(0.0, f64::max);
    row.pressure_l2 =
        (pressures.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / pressures.len() as f64).sqrt();
    row
}

/// The chip in the thesis's units.
fn prepared(chip: &Chip) -> Chip {
    let narrowest = chip
        .parts
        .iter()
        .flat_map(|p| p.shape.sockets())
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
        for m in part.shape.sockets() {
            let p = part.motion.apply(m.middle);
            (low, high) = (
                Point::new(low.x.min(p.x), low.y.min(p.y)),
                Point::new(high.x.max(p.x), high.y.max(p.y)),
            );
        }
    }
    let middle = (low + high) * 0.5;
    if middle.norm() > 2.0 {
        chip = chip.moved(stokeslet_base::geometry::Motion::new(0.0, -middle));
    }
    chip
}
