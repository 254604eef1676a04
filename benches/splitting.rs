//! The tables of [003]: what the splitting methods of `liquid/splitting` take, ours beside the printed.
//!
//! ```text
//! cargo bench --bench splitting                  all tables
//! cargo bench --bench splitting -- T4.4 E16-2d   those whose name holds one of these
//! cargo bench --bench splitting -- E13 --record  and keeps them, one file a table
//! ```
//! In the plane at 96², the size of the thesis; in space at 32³, samples at 64³ (T4.1) and at the thesis's 96³ (E16, some minutes).
//! Whole runs (T4.1, T4.5, T4.6, E8 with E9, E12, E13) let every method run the tank on its own. Tables by tolerances, samples and
//! what goes beyond the thesis take the pressure solves of every so many steps of one run, the same for all methods: whole runs of
//! table 4.2 would take hours. Iterations are exact and repeat; seconds are those of the machine named in the file.

mod support;

use std::process::ExitCode;
use std::time::Instant;

use stokeslet::liquid::lcp::Watch;
use stokeslet::liquid::scenes::eckert::{
    T4_1, T4_5, T4_6, Table, TableRequest, Tank, accelerated, agreement, calibrate, grid_growth,
    identical_inputs, lcp_beside, residual_shape, sampled_runs, tank, thresholds,
    thresholds_walled, volumes, whole_runs,
};
use support::{Asked, Failure, Report};

/// Cells a side in the plane, that of the thesis, and in space, where it has 96.
const SIDES: [usize; 2] = [96, 32];
/// Cells a side of the sampled table 4.1.
const SAMPLED: usize = 64;
/// Cells a side of the sampled E16, that of the thesis.
const GOAL: usize = 96;
/// Sides of E17.
const GROWTH: [usize; 5] = [24, 48, 72, 96, 128];
/// Methods whose events are told.
const EVENTS: [&str; 6] = [
    "orig-ps",
    "orig-ps-sep",
    "iop-sep-bc",
    "iop-sep",
    "admm-vel-sep",
    "stairs-pi-pcg",
];

/// All tables: name, steps, inputs every so many.
const TABLES: [(&str, usize, usize); 18] = [
    ("E8-E9-2d", 250, 1),
    ("E8-E9-3d", 250, 1),
    ("E11-2d", 150, 1),
    ("T4.1-3d", 250, 1),
    ("T4.1-3d-sampled", 250, 25),
    ("T4.5-3d", 350, 1),
    ("T4.6-3d", 350, 1),
    ("E12-2d", 60, 1),
    ("E13-3d", 350, 1),
    ("T4.2-2d", 250, 25),
    ("T4.3-2d", 250, 25),
    ("T4.4-2d", 250, 10),
    ("E10-2d", 250, 5),
    ("E15-2d", 250, 10),
    ("E16-2d", 250, 10),
    ("E16-3d", 250, 10),
    ("E16-3d-96", 250, 25),
    ("E17-2d", 250, 25),
];

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    for (name, steps, every) in TABLES {
        if !asked.wants(name) {
            continue;
        }
        let done = made(name, steps, every).and_then(|table| finish(name, &table, &asked));
        if let Err(error) = done {
            eprintln!("{name}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn made(name: &str, steps: usize, every: usize) -> Result<Table, Failure> {
    let begin = Instant::now();
    let seconds = || begin.elapsed().as_secs_f64();
    let request = TableRequest {
        n: SIDES[usize::from(name.contains("3d"))],
        steps,
        every,
        watch: Watch {
            cancelled: &|| false,
            seconds: &seconds,
        },
    };
    let dam = plane("breaking-dam")?;
    Ok(match name {
        "E8-E9-2d" => calibrate(&dam, &EVENTS, &[0.002], &request)?,
        "E8-E9-3d" => calibrate(&space("breaking-dam")?, &EVENTS, &[0.002], &request)?,
        "E11-2d" => residual_shape(&dam, &request)?,
        "T4.1-3d" => whole_runs("T4.1", &space("breaking-dam")?, T4_1, &request)?,
        "T4.1-3d-sampled" => {
            let request = TableRequest {
                n: SAMPLED,
                ..request
            };
            sampled_runs("T4.1", &space("breaking-dam")?, T4_1, &request)?
        }
        "T4.5-3d" => whole_runs("T4.5", &space("stairs")?, T4_5, &request)?,
        "T4.6-3d" => whole_runs("T4.6", &space("levitating-planes")?, T4_6, &request)?,
        "E12-2d" => whole_runs("E12", &plane("stairs-ceiling")?, T4_5, &request)?,
        "E13-3d" => volumes(&[space("stairs")?, space("levitating-planes")?], &request)?,
        "T4.2-2d" => thresholds(&dam, &request)?,
        "T4.3-2d" => identical_inputs(&dam, &request)?,
        "T4.4-2d" => thresholds_walled(&dam, &request)?,
        "E10-2d" => agreement(&dam, &request)?,
        "E15-2d" => accelerated(&dam, &request)?,
        "E16-2d" => lcp_beside(&dam, &request)?,
        "E16-3d" => lcp_beside(&space("breaking-dam")?, &request)?,
        "E16-3d-96" => {
            let request = TableRequest { n: GOAL, ..request };
            lcp_beside(&space("breaking-dam")?, &request)?
        }
        "E17-2d" => grid_growth(&dam, &GROWTH, &request)?,
        _ => return Err(format!("no table {name}").into()),
    })
}

fn plane(name: &str) -> Result<Tank<2>, Failure> {
    Ok(tank(name).ok_or("no such tank")?)
}

fn space(name: &str) -> Result<Tank<3>, Failure> {
    Ok(tank(name).ok_or("no such tank")?)
}

/// Reports take headings that live for ever; a bench makes a handful.
fn finish(name: &str, table: &Table, asked: &Asked) -> Result<(), Failure> {
    let headings: Vec<&'static str> = table
        .headings
        .iter()
        .map(|h| &*String::leak(h.clone()))
        .collect();
    let mut report = Report::new(&headings);
    for row in &table.rows {
        report.add(row.clone());
    }
    report.finish(&format!("splitting-{name}"), &table.note, asked)
}
