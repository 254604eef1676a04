//! Whole runs, each method on its own.

use super::{TableRequest, averages, by_name, flow, inputs, one, or_blank};
use crate::scenes::eckert::flow::FlowError;
use crate::scenes::eckert::runs::{Averages, compare, run};
use crate::scenes::eckert::{Events, FlowSettings, PrintedRow, Table, Tank, TankStep};
use crate::splitting::Settings;

/// Averages over whole runs, each method on its own: tables 4.1, 4.5 and 4.6, with E13 and E14.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn whole_runs<const D: usize>(
    id: &str,
    tank: &Tank<D>,
    printed: &[PrintedRow],
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    let mut table = Table::new(
        id,
        request.note(tank, "practical settings; printed: 96^3"),
        &[
            "method",
            "CG",
            "CG printed",
            "outer",
            "outer printed",
            "CG / OrigPS",
            "CG / OrigPS printed",
            "unmet steps",
            "largest divergence left",
            "cells at start",
            "cells at end",
            "last step at ceiling",
            "largest speed",
        ],
    );
    let settings = Settings::practical::<D>();
    let mut base = f64::NAN;
    for row in printed {
        let of = (by_name(row.method), &settings);
        let steps: Vec<TankStep> = run(
            tank,
            request.n,
            &flow::<D>(),
            of,
            request.steps,
            request.watch,
        )?;
        let mean = Averages::of(steps.iter().map(|s| &s.log));
        if row.method == "orig-ps" {
            base = mean.inner;
        }
        let volume = |s: Option<&TankStep>| s.map_or(0, |s| s.volume).to_string();
        table.add(vec![
            row.method.into(),
            one(mean.inner),
            row.inner.to_string(),
            format!("{:.2}", mean.outer),
            or_blank(row.outer),
            format!("{:.2}", mean.inner / base),
            format!("{:.2}", row.inner / printed[0].inner),
            mean.unmet.to_string(),
            format!("{:.1e}", mean.divergence),
            volume(steps.first()),
            volume(steps.last()),
            steps
                .iter()
                .rposition(|s| s.reach.ceiling_middle > 0)
                .map_or(0, |i| i + 1)
                .to_string(),
            format!(
                "{:.2}",
                steps.iter().map(|s| s.max_speed).fold(0.0, f64::max)
            ),
        ]);
    }
    Ok(table)
}

/// Tables 4.1, 4.5 and 4.6 where whole runs of all methods take too long: averages over the inputs of every so many steps of an
/// IOPSepBC run.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn sampled_runs<const D: usize>(
    id: &str,
    tank: &Tank<D>,
    printed: &[PrintedRow],
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    let inputs = inputs(tank, "iop-sep-bc", request)?;
    let what = format!(
        "practical settings, {} inputs of every {}th step of IOPDivSepBC; printed: runs of their own at 96^3",
        inputs.len(),
        request.every
    );
    let mut table = Table::new(
        id,
        request.note(tank, &what),
        &[
            "method",
            "CG",
            "CG printed",
            "outer",
            "outer printed",
            "CG / OrigPS",
            "CG / OrigPS printed",
            "unmet",
            "seconds",
        ],
    );
    let mut base = f64::NAN;
    for row in printed {
        let settings = Settings::practical::<D>();
        let method = by_name(row.method);
        let mean = averages(&compare(&inputs, method, &settings, request.watch)?);
        if row.method == "orig-ps" {
            base = mean.inner;
        }
        table.add(vec![
            row.method.into(),
            one(mean.inner),
            row.inner.to_string(),
            format!("{:.2}", mean.outer),
            or_blank(row.outer),
            format!("{:.2}", mean.inner / base),
            format!("{:.2}", row.inner / printed[0].inner),
            mean.unmet.to_string(),
            format!("{:.3}", mean.seconds),
        ]);
    }
    Ok(table)
}

/// E13: how much liquid there is at the start and at the end, in cells and in cells that are at least half full. The thesis sees more
/// of it in the end with OrigPSSep and IOPSepBC, less with ADMM and IOP.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn volumes<const D: usize>(
    tanks: &[Tank<D>],
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    const PRINTED: [(&str, &str); 6] = [
        ("orig-ps", ""),
        ("orig-ps-sep", "more"),
        ("iop-sep-bc", "more"),
        ("admm-vel-sep", "less"),
        ("iop-sep", "less"),
        ("stairs-pi-pcg", ""),
    ];
    let mut table = Table::new(
        "E13",
        format!(
            "{D}D, n = {}, {} steps, practical settings; printed: 96^3, read off pictures",
            request.n, request.steps
        ),
        &[
            "tank",
            "method",
            "printed",
            "half full at start",
            "half full at end",
            "end / start",
            "cells at start",
            "cells at end",
            "unmet steps",
        ],
    );
    for tank in tanks {
        for (name, printed) in PRINTED {
            let of = (by_name(name), &Settings::practical::<D>());
            let (flow, steps) = (flow::<D>(), request.steps);
            let done = run(tank, request.n, &flow, of, steps, request.watch)?;
            let ends = [done.first(), done.last()];
            let filled = ends.map(|s| s.map_or(0, |s| s.filled));
            let cells = ends.map(|s| s.map_or(0, |s| s.volume));
            table.add(vec![
                tank.name.into(),
                name.into(),
                printed.into(),
                filled[0].to_string(),
                filled[1].to_string(),
                format!("{:.3}", filled[1] as f64 / filled[0] as f64),
                cells[0].to_string(),
                cells[1].to_string(),
                Averages::of(done.iter().map(|s| &s.log)).unmet.to_string(),
            ]);
        }
    }
    Ok(table)
}

/// E8 and E9: when the liquid of the dam gets where, beside the printed steps, for some accelerations, and how many cells of it are
/// still at the ceiling later on.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn calibrate<const D: usize>(
    tank: &Tank<D>,
    names: &[&str],
    gravities: &[f64],
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    let mut table = Table::new(
        "E8, E9",
        request.note(tank, "printed, 96^3 OrigPS: 37, 66, 120, 160; separating methods off the ceiling by 100, OrigPS not at 120"),
        &[
            "method",
            "gravity / side",
            "right wall",
            "ceiling",
            "left wall high up",
            "left wall",
            "last at ceiling",
            "at ceiling at 100",
            "at ceiling at 120",
            "steps at ceiling after 200",
        ],
    );
    for name in names {
        for gravity in gravities {
            let flow = FlowSettings {
                gravity: *gravity,
                ..flow::<D>()
            };
            let of = (by_name(name), &Settings::practical::<D>());
            let steps = run(tank, request.n, &flow, of, request.steps, request.watch)?;
            let reaches: Vec<_> = steps.iter().map(|s| s.reach).collect();
            let events = Events::of(&reaches);
            let step = |e: Option<usize>| e.map_or_else(String::new, |e| (e + 1).to_string());
            let last = reaches.iter().rposition(|r| r.ceiling_middle > 0);
            let at = |t: usize| or_blank(reaches.get(t - 1).map(|r| r.ceiling_middle as f64));
            let late = reaches.iter().skip(200).filter(|r| r.ceiling_middle > 0);
            table.add(vec![
                (*name).into(),
                gravity.to_string(),
                step(events.right),
                step(events.ceiling),
                step(events.left_top),
                step(events.left_low),
                step(last),
                at(100),
                at(120),
                late.count().to_string(),
            ]);
        }
    }
    Ok(table)
}

/// E12: the largest velocity over that of OrigPS, step by step from the start: how hard liquid is thrown off walls. Later steps of a run
/// hide it, since liquid that falls is as fast as liquid that was thrown.
///
/// # Errors
/// [`FlowError::Problem`].
pub fn kick_table<const D: usize>(
    tank: &Tank<D>,
    request: &TableRequest<'_>,
) -> Result<Table, FlowError<D>> {
    const METHODS: [&str; 5] = [
        "orig-ps",
        "orig-ps-sep",
        "admm-vel-sep",
        "iop-sep",
        "iop-sep-bc",
    ];
    let mut headings = vec!["method".to_owned()];
    headings.extend((1..=request.steps).map(|t| format!("step {t}")));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let what = "largest speed over that of OrigPS (of OrigPS itself: cells per time)";
    let mut table = Table::new("E12", request.note(tank, what), &headings);
    let mut base: Vec<f64> = Vec::new();
    for name in METHODS {
        let speeds = kicks(tank, name, request)?;
        let shown = speeds.iter().enumerate().map(|(k, v)| match base.get(k) {
            Some(base) => format!("{:.2}", v / base),
            None => format!("{v:.3}"),
        });
        table.add(std::iter::once(name.to_owned()).chain(shown).collect());
        if base.is_empty() {
            base = speeds;
        }
    }
    Ok(table)
}

/// The largest velocity of every step of a run with a method, cells per time.
fn kicks<const D: usize>(
    tank: &Tank<D>,
    name: &str,
    request: &TableRequest<'_>,
) -> Result<Vec<f64>, FlowError<D>> {
    let of = (by_name(name), &Settings::practical::<D>());
    let done = run(
        tank,
        request.n,
        &flow::<D>(),
        of,
        request.steps,
        request.watch,
    )?;
    Ok(done.iter().map(|s| s.max_speed).collect())
}
