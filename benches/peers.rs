//! How fast is a solve, stage by stage, and against the best general sparse solver in Rust?
//!
//! ```text
//! cargo bench --bench peers                      all cases, about nine minutes
//! cargo bench --bench peers -- grid20@8 --record  some cases; the table is kept in benches/results/peers.csv
//! ```
//! Both sides solve the same linear system to a relative residual of 1e-10, in one run after each other.
//! - ours: `plan + eliminate + back_substitute` on all processors, which includes the assembly of the canonical matrices and the
//!   residual check
//! - peer: AMD ordering and symbolic analysis + numeric factorisation + solve with up to three refinements, assembly not counted;
//!   with one thread and with all, of which the faster counts (on a busy machine threads that wait for each other lose)
//!
//! Not in either: reading, placing, meshing, and what is measured from the solution (`results`).

mod support;

use std::process::ExitCode;

use faer::Par;
use stokeslet::elimination::Table;
use stokeslet::session::{
    AssembledSystem, CancelToken, SolveReport, SolveSettings, assembled_system, silent,
};
use support::{Asked, Failure, Placed, Report, median, peer, seconds};

/// A design at a resolution, and whether the peer's factor fits in memory.
const CASES: [(&str, u32, bool); 8] = [
    ("grid20", 8, true),
    ("grid20", 16, true),
    ("rgrid", 8, true),
    ("rgrid", 16, true),
    ("voronoi-s4", 8, true),
    ("voronoi-s4", 16, true),
    ("wide", 8, true),
    ("wide", 16, true),
];
/// Repetitions, of which the median counts; cases that take long are run fewer times.
const REPETITIONS: usize = 3;
/// A case is not run again once its runs took this long, s.
const ENOUGH: f64 = 15.0;

const HEADINGS: [&str; 21] = [
    "case",
    "unknowns",
    "place s",
    "mesh s",
    "plan s",
    "eliminate s",
    "back substitute s",
    "results s",
    "total s",
    "runs",
    "residual",
    "peer analyse s",
    "peer factor s",
    "peer solve s",
    "peer threads",
    "peer runs",
    "peer refinements",
    "peer residual",
    "peer factor MiB",
    "difference",
    "peer / ours",
];

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    match run(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    eprintln!("{}", HEADINGS.join("  "));
    for (name, resolution, with_peer) in CASES {
        let case = format!("{name}@{resolution}");
        if asked.wants(&case) {
            report.add(one(&case, &support::design(name)?, resolution, with_peer)?);
        }
    }
    let note = "medians; ours = plan + eliminate + back substitute, peer = faer's sparse LDLT, the faster of one and all threads: analyse + factor + solve";
    report.finish("peers", note, asked)
}

fn one(
    case: &str,
    placed: &Placed,
    resolution: u32,
    with_peer: bool,
) -> Result<Vec<String>, Failure> {
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    let mut runs: Vec<SolveReport> = Vec::new();
    while runs.len() < REPETITIONS && runs.iter().map(|r| r.timings.total).sum::<f64>() < ENOUGH {
        runs.push(support::solve_afresh(&placed.chip, &settings)?.report);
    }
    let of = |stage: fn(&SolveReport) -> f64| median(runs.iter().map(stage).collect());
    let ours = of(|r| r.timings.plan + r.timings.eliminate + r.timings.back_substitute);
    let mut row = vec![
        case.to_string(),
        runs[0].unknowns.to_string(),
        seconds(placed.seconds),
        seconds(of(|r| r.timings.mesh)),
        seconds(of(|r| r.timings.plan)),
        seconds(of(|r| r.timings.eliminate)),
        seconds(of(|r| r.timings.back_substitute)),
        seconds(of(|r| r.timings.results)),
        seconds(of(|r| r.timings.total)),
        runs.len().to_string(),
    ];
    if !with_peer {
        row.push(format!("{:.1e}", runs[0].relative_residual));
        row.resize(HEADINGS.len(), "-".into());
        return Ok(row);
    }
    let operations = Table::default();
    let system = assembled_system(
        &placed.chip,
        &settings,
        &operations,
        &silent,
        &CancelToken::new(),
    )?;
    let residual = peer::relative_residual(&system, &system.solution);
    row.push(format!("{residual:.1e}"));
    row.extend(peer_row(&system, ours)?);
    Ok(row)
}

fn peer_row(system: &AssembledSystem, ours: f64) -> Result<Vec<String>, Failure> {
    let matrix = peer::lower_triangle(system)?;
    let total = |runs: &Vec<peer::PeerRun>| median(runs.iter().map(peer::PeerRun::total).collect());
    let mut tried = Vec::new();
    for par in [Par::Seq, Par::rayon(0)] {
        let mut runs: Vec<peer::PeerRun> = Vec::new();
        while runs.len() < REPETITIONS && runs.iter().map(|r| r.total()).sum::<f64>() < ENOUGH {
            runs.push(peer::run(system, &matrix, par)?);
        }
        tried.push((par.degree(), runs));
    }
    let faster = tried
        .into_iter()
        .min_by(|a, b| total(&a.1).total_cmp(&total(&b.1)));
    let (threads, runs) = faster.expect("two were tried");
    let of = |stage: fn(&peer::PeerRun) -> f64| median(runs.iter().map(stage).collect());
    Ok(vec![
        seconds(of(|r| r.analyse)),
        seconds(of(|r| r.factor)),
        seconds(of(|r| r.solve)),
        threads.to_string(),
        runs.len().to_string(),
        runs[0].refinements.to_string(),
        format!("{:.1e}", runs[0].residual),
        (runs[0].factor_bytes >> 20).to_string(),
        format!("{:.1e}", runs[0].difference),
        format!("{:.1}", of(peer::PeerRun::total) / ours),
    ])
}
