//! How fast is a solve, stage by stage, and against the best general sparse solver in Rust?
//!
//! ```text
//! cargo bench --bench peers                            all cases, some minutes
//! cargo bench --bench peers -- grid20@8 wide --record   one case, and all of a design; the table goes to benches/results/peers.csv
//! STOKESLET_EXPORT=DIR cargo bench --bench peers        also writes every system to DIR/<design>@<resolution>, Matrix Market
//! ```
//! `benches/peers_optional/run` gives the same systems to MUMPS and PARDISO; with `--record` their times and ratios become columns of
//! the same table. A case is `design@resolution`; any may be asked for.
//!
//! Both sides solve the same linear system to a relative residual of 1e-10, after each other in one process that does nothing else.
//! - ours: [`support::ours`], the elimination and all fields, on `threads` threads
//! - peer: AMD ordering and symbolic analysis + numeric factorisation + solve with up to three refinements, assembly not counted;
//!   with one thread and with all, of which the faster counts (on a busy machine threads that wait for each other lose)
//!
//! Not in either: reading, placing, meshing. `processor s` is the time of processors, for ours on the whole solve: on a machine that
//! does other work it is steadier than the clock.

mod support;

use std::process::ExitCode;

use faer::Par;
use stokeslet::cancel::CancelToken;
use stokeslet::session::{AssembledSystem, SolveReport, SolveSettings, assembled_system, silent};
use stokeslet::table::Table;
use support::{Asked, Failure, Report, child, exported, median, peer, process, seconds};

/// Designs at resolutions. The peer needs a hundred times the memory of our fields; these fit in 12 GiB.
const CASES: [(&str, u32); 5] = [
    ("grid20", 8),
    ("grid20", 16),
    ("rgrid", 8),
    ("voronoi-s4", 14),
    ("wide", 14),
];
/// Repetitions, of which the median counts: so many where they are short, at least so many unless they take long.
const MOST: usize = 9;
const FEWEST: usize = 3;
/// Runs are short while they took less than this together, and long once they took that, s.
const SHORT: f64 = 6.0;
const LONG: f64 = 30.0;

const HEADINGS: [&str; 26] = [
    "case",
    "unknowns",
    "threads",
    "place s",
    "mesh s",
    "plan s",
    "eliminate s",
    "back substitute s",
    "results s",
    "total s",
    "ours s",
    "processor s",
    "runs",
    "peak MiB",
    "residual",
    "peer analyse s",
    "peer factor s",
    "peer solve s",
    "peer processor s",
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
    let done = match child::asked() {
        Some(case) => one(&case).map(|row| child::answer(&row)),
        None => all(&asked),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what was asked for; a case that can't be run says why and is left out.
fn all(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    eprintln!("{}", HEADINGS.join("  "));
    let mut failed = Vec::new();
    for case in cases(asked.names()) {
        match child::row(&case, child::most_threads()) {
            Ok(row) => {
                if let Some(folder) = exported::asked() {
                    exported::write_measured(&folder, &case, &HEADINGS, &row)?;
                }
                report.add(row);
            }
            Err(error) => {
                eprintln!("{error}");
                failed.push(case);
            }
        }
    }
    let mut note = "medians; ours = plan + eliminate + back substitute + results (all fields), peer = faer's sparse LDLT, \
                    the faster of one and all threads: analyse + factor + solve"
        .to_string();
    if !failed.is_empty() {
        note += &format!("\nnot run: {}", failed.join(" "));
    }
    report.finish("peers", &note, asked)
}

/// All cases, or those of the names: `design@resolution` is that case, `design` those of the list.
fn cases(names: &[String]) -> Vec<String> {
    let listed = || CASES.iter().map(|(name, r)| (*name, format!("{name}@{r}")));
    if names.is_empty() {
        return listed().map(|(_, case)| case).collect();
    }
    let mut cases = Vec::new();
    for name in names {
        if name.contains('@') {
            cases.push(name.clone());
        } else {
            cases.extend(listed().filter(|(n, _)| n == name).map(|(_, case)| case));
        }
    }
    cases
}

fn one(case: &str) -> Result<Vec<String>, Failure> {
    let (name, resolution) = case.split_once('@').ok_or("a case is design@resolution")?;
    let placed = support::design(name)?;
    let settings = SolveSettings {
        resolution: resolution.parse()?,
        ..SolveSettings::default()
    };
    let mut runs: Vec<SolveReport> = Vec::new();
    process::forget_peak_memory();
    let (mut peak, mut processor) = (0.0, Vec::new());
    while is_wanted(runs.iter().map(|r| r.timings.total)) {
        let before = process::processor_time();
        runs.push(support::solve_afresh(&placed.chip, &settings)?.report);
        processor.push(process::processor_time() - before);
        if runs.len() == 1 {
            // Later runs may find memory in pieces; a user's first one doesn't.
            peak = process::peak_memory();
        }
    }
    let of = |stage: fn(&SolveReport) -> f64| median(runs.iter().map(stage).collect());
    let ours = of(|r| support::ours(&r.timings));
    let mut row = vec![
        case.to_string(),
        runs[0].unknowns.to_string(),
        child::most_threads().to_string(),
        seconds(placed.seconds),
        seconds(of(|r| r.timings.mesh)),
        seconds(of(|r| r.timings.plan)),
        seconds(of(|r| r.timings.eliminate)),
        seconds(of(|r| r.timings.back_substitute)),
        seconds(of(|r| r.timings.results)),
        seconds(of(|r| r.timings.total)),
        seconds(ours),
        seconds(median(processor)),
        runs.len().to_string(),
        format!("{peak:.0}"),
    ];
    let operations = Table::default();
    let system = assembled_system(
        &placed.chip,
        &settings,
        &operations,
        &silent,
        &CancelToken::new(),
    )?;
    drop(operations);
    if let Some(folder) = exported::asked() {
        exported::write_system(&folder, case, &system)?;
    }
    let residual = peer::relative_residual(&system, &system.solution);
    row.push(format!("{residual:.1e}"));
    row.extend(peer_row(&system, ours)?);
    Ok(row)
}

/// Whether another run is, after runs that took so long.
fn is_wanted(seconds: impl ExactSizeIterator<Item = f64>) -> bool {
    let n = seconds.len();
    let limit = if n < FEWEST { LONG } else { SHORT };
    n < MOST && seconds.sum::<f64>() < limit
}

fn peer_row(system: &AssembledSystem, ours: f64) -> Result<Vec<String>, Failure> {
    let matrix = peer::lower_triangle(system)?;
    let total = |runs: &Vec<peer::PeerRun>| median(runs.iter().map(peer::PeerRun::total).collect());
    let mut tried = Vec::new();
    let most = child::most_threads();
    for par in [Par::Seq, Par::rayon(most)]
        .into_iter()
        .take(if most > 1 { 2 } else { 1 })
    {
        let mut runs: Vec<peer::PeerRun> = Vec::new();
        while is_wanted(runs.iter().map(peer::PeerRun::total)) {
            runs.push(peer::run(system, &matrix, par)?);
        }
        tried.push((par.degree(), runs));
    }
    let faster = tried
        .into_iter()
        .min_by(|a, b| total(&a.1).total_cmp(&total(&b.1)));
    let (threads, runs) = faster.ok_or("nothing was tried")?;
    let of = |stage: fn(&peer::PeerRun) -> f64| median(runs.iter().map(stage).collect());
    Ok(vec![
        seconds(of(|r| r.analyse)),
        seconds(of(|r| r.factor)),
        seconds(of(|r| r.solve)),
        seconds(of(|r| r.processor)),
        threads.to_string(),
        runs.len().to_string(),
        runs[0].refinements.to_string(),
        format!("{:.1e}", runs[0].residual),
        (runs[0].factor_bytes >> 20).to_string(),
        format!("{:.1e}", runs[0].difference),
        format!("{:.1}", of(peer::PeerRun::total) / ours),
    ])
}
