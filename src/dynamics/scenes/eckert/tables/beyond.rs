//! Growth with the grid, and what makes it less: preconditioners, warm starts, complementarity.

use super::{TableRequest, averages, by_name, inputs, one};
use crate::scenes::eckert::flow::FlowError;
use crate::scenes::eckert::runs::{compare, differences};
use crate::scenes::eckert::{Table, Tank};
use crate::splitting::{Inner, Settings, Warm};

/// E17: iterations by the grid's side (figure 4.9), on the inputs of IOPSepBC runs whose steps stand for the same times.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn grid_growth(
    tank: &Tank<2>,
    sides: &[usize],
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<2>> {
    const NAMES: [&str; 5] = [
        "orig-ps",
        "orig-ps-sep",
        "admm-vel-sep",
        "iop-sep",
        "iop-sep-bc",
    ];
    let what = format!(
        "inputs of every {}th step of IOPDivSepBC; printed: OrigPS 76 to 410, OrigPSSep 72 to 362",
        request.every
    );
    let mut headings = vec!["n".to_string()];
    for name in NAMES {
        headings.extend([format!("{name} CG"), format!("{name} outer")]);
    }
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut table = Table::new("E17", request.note(tank, &what), &headings);
    for n in sides {
        let request = TableRequest { n: *n, ..*request };
        let inputs = inputs(tank, "iop-sep-bc", &request)?;
        let mut row = vec![n.to_string()];
        for name in NAMES {
            let settings = Settings::practical::<2>();
            let mean = averages(&compare(&inputs, by_name(name), &settings, request.watch)?);
            row.extend([one(mean.inner), format!("{:.2}", mean.outer)]);
        }
        table.add(row);
    }
    Ok(table)
}

/// E15: preconditioners and warm starts, on the inputs of an IOPSepBC run.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn accelerated<const D: usize>(
    tank: &Tank<D>,
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    let what = format!(
        "inputs of every {}th step of IOPDivSepBC; CG iterations a step, inner solves cold or from the one before",
        request.every
    );
    let mut table = Table::new(
        "E15",
        request.note(tank, &what),
        &[
            "method",
            "plain cold",
            "plain warm",
            "MIC cold",
            "MIC warm",
            "MG cold",
            "MG warm",
            "unmet",
        ],
    );
    let inputs = inputs(tank, "iop-sep-bc", request)?;
    for name in [
        "orig-ps",
        "admm-vel-sep",
        "admm-div-sep",
        "iop-sep",
        "iop-sep-bc",
    ] {
        let mut row = vec![name.to_string()];
        let mut unmet = 0;
        for inner in [Inner::Plain, Inner::Modified, Inner::Multigrid] {
            for warm in [Warm::Cold, Warm::Inner] {
                let settings = Settings {
                    inner,
                    warm,
                    ..Settings::practical::<D>()
                };
                let mean = averages(&compare(&inputs, by_name(name), &settings, request.watch)?);
                unmet += mean.unmet;
                row.push(one(mean.inner));
            }
        }
        row.push(unmet.to_string());
        table.add(row);
    }
    Ok(table)
}

/// E16: the complementarity problem at the same walls beside the splitting methods, on the inputs of an IOPSepBC run.
///
/// All to the same tolerance, and but for `stairs-pi-mgpcg` with the preconditioner that the solvers of `liquid/lcp` have, so that
/// iterations can be compared.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn lcp_beside<const D: usize>(
    tank: &Tank<D>,
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    const NAMES: [&str; 6] = [
        "orig-ps",
        "stairs-pi-pcg",
        "stairs-pi-mgpcg",
        "iop-sep-bc",
        "iop-sep",
        "admm-vel-sep",
    ];
    let inputs = inputs(tank, "iop-sep-bc", request)?;
    let what = format!(
        "{} inputs of every {}th step of IOPDivSepBC, largest divergence asked for 1e-3 (1e-2 of iop-sep, velocities of admm-vel-sep to 1e-3), MIC(0); differences to stairs-pi-pcg on faces away from walls, largest and mean of the inputs' largest; cells: solid cells that the liquid leaves, mean",
        inputs.len(),
        request.every
    );
    let mut table = Table::new(
        "E16",
        request.note(tank, &what),
        &[
            "method",
            "iterations",
            "/ OrigPS",
            "systems",
            "largest |du|",
            "mean largest |du|",
            "cells left",
            "divergence left",
            "seconds",
            "unmet",
        ],
    );
    let settings = Settings {
        inner: Inner::Modified,
        ..Settings::practical::<D>()
    };
    let mut base = f64::NAN;
    let reference = compare(&inputs, by_name("stairs-pi-pcg"), &settings, request.watch)?;
    for name in NAMES {
        let done = compare(&inputs, by_name(name), &settings, request.watch)?;
        let mean = averages(&done);
        if name == "orig-ps" {
            base = mean.inner;
        }
        let each: Vec<f64> = inputs
            .iter()
            .zip(done.iter().zip(&reference))
            .map(|(input, (a, b))| differences(input, &a.1, &b.1)[1])
            .collect();
        let n = each.len().max(1) as f64;
        let left = done.iter().map(|d| d.0.detached.len()).sum::<usize>() as f64;
        table.add(vec![
            name.into(),
            one(mean.inner),
            format!("{:.2}", mean.inner / base),
            format!("{:.2}", mean.outer),
            format!("{:.2e}", each.iter().copied().fold(0.0, f64::max)),
            format!("{:.2e}", each.iter().sum::<f64>() / n),
            one(left / n),
            format!("{:.1e}", mean.divergence),
            format!("{:.4}", mean.seconds),
            mean.unmet.to_string(),
        ]);
    }
    Ok(table)
}
