//! `stokeslet liquid table`: runs what a table of the paper ran and prints ours beside it; a size that is done stays.

use std::fs;
use std::path::Path;

use stokeslet::export::write_file;
use stokeslet::liquid::lcp::{Status, Watch, entry};
use stokeslet::liquid::report::compare::{Cell, HEAD, cells, csv, histories, parse, picture, text};
use stokeslet::liquid::report::measure::{Campaign, coarsening, measure};
use stokeslet::liquid::report::paper::{Measure, PaperTable, TABLES, tables};
use stokeslet::liquid::scenes::eckert::{self, table_entry};
use stokeslet::liquid::scenes::{AnyScene, SimulationError};
use stokeslet::session::CancelToken;

use super::super::args::LiquidTableArgs;
use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::bar::Bar;
use super::{processor_clock, tank_table};

/// Solvers that take hours beyond these sizes, in the plane and in space; asked for by name they run all the same.
const SLOW: [(&str, usize, usize); 4] = [
    ("newton", 128, 64),
    ("fmg", 128, 64),
    ("fas-direct", 128, 64),
    ("fas-pwc", 256, 128),
];

/// Runs a table.
///
/// # Errors
/// A simulation that can't go on, files that can't be written.
pub fn run(args: &LiquidTableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    if let Some(entry) = table_entry(&args.table) {
        return tank_table::run(entry, args, cancel);
    }
    let tables = tables(&args.table);
    if tables.is_empty() {
        let all = TABLES.iter().map(|t| t.id);
        let all: Vec<&str> = all.chain(eckert::TABLES.iter().map(|t| t.id)).collect();
        let message = format!(
            "there is no table `{}`; there are {}",
            args.table,
            all.join(", ")
        );
        return Err(CliError::Usage { message });
    }
    for table in tables {
        let outcome = one_table(table, args, cancel)?;
        if outcome != Outcome::Fine {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Fine)
}

fn one_table(
    table: &PaperTable,
    args: &LiquidTableArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    let scene = AnyScene::of(table.scene).ok_or_else(|| CliError::Usage {
        message: format!("there is no scene `{}`", table.scene),
    })?;
    let sizes = match (&args.sizes[..], table.rows) {
        ([], [(only, _)]) => vec![*only],
        ([], _) => vec![32],
        (asked, _) => asked.to_vec(),
    };
    let mut found: Vec<Cell> = Vec::new();
    for size in &sizes {
        let path = args.out.join(format!("{}-{size}.csv", table.id));
        let before = fs::read_to_string(&path).ok().filter(|_| args.resume);
        if let Some(text) = before {
            found.extend(parse(&text));
            continue;
        }
        let solvers = chosen(table, &scene, *size, &args.solvers)?;
        match one_size(table, &scene, *size, solvers, args, cancel) {
            Ok(of_size) => {
                write_file(&path, format!("{HEAD}{}", csv(table, &of_size)).as_bytes())?;
                found.extend(of_size);
            }
            Err(_) if cancel.is_cancelled() => {
                eprintln!("stopped on request; --resume keeps the sizes that are done");
                return Ok(Outcome::CouldNotRun);
            }
            Err(error) => return Err(error),
        }
    }
    let file = |kind: &str| args.out.join(format!("{}.{kind}", table.id));
    write_file(
        &file("csv"),
        format!("{HEAD}{}", csv(table, &found)).as_bytes(),
    )?;
    write_file(&file("svg"), picture(table, &found).as_bytes())?;
    print_out(&text(table, &found))?;
    print_out(&format!(
        "{} and {}\n",
        file("csv").display(),
        file("svg").display()
    ))?;
    Ok(Outcome::Fine)
}

fn chosen(
    table: &PaperTable,
    scene: &AnyScene,
    size: usize,
    asked: &[String],
) -> Result<Vec<&'static str>, CliError> {
    if !asked.is_empty() {
        return asked
            .iter()
            .map(|name| {
                entry(name).map(|e| e.name).ok_or_else(|| CliError::Usage {
                    message: format!("there is no solver `{name}`"),
                })
            })
            .collect();
    }
    let is_slow = |name: &str| {
        SLOW.iter().any(|(slow, plane, space)| {
            let most = match scene {
                AnyScene::Plane(_) => plane,
                AnyScene::Space(_) => space,
            };
            *slow == name && size > *most
        })
    };
    Ok(table
        .solvers
        .iter()
        .copied()
        .filter(|s| !is_slow(s))
        .collect())
}

fn one_size(
    table: &PaperTable,
    scene: &AnyScene,
    size: usize,
    solvers: Vec<&'static str>,
    args: &LiquidTableArgs,
    cancel: &CancelToken,
) -> Result<Vec<Cell>, CliError> {
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let watch = Watch {
        cancelled: &cancelled,
        seconds: &clock,
    };
    if let (Measure::Coarsening, AnyScene::Space(scene)) = (table.measure, scene) {
        let seconds = coarsening(scene, 2 * size, &clock);
        return Ok(table
            .solvers
            .iter()
            .zip(seconds)
            .map(|(solver, seconds)| Cell {
                size,
                solver: (*solver).to_string(),
                value: seconds,
                solves: 1,
                failed: 0,
                disagreed: 0,
                seconds,
                setup_seconds: seconds,
                unknowns: 0,
            })
            .collect());
    }
    let single = match table.measure {
        Measure::Single(frame) => Some(frame),
        _ => None,
    };
    let frames = args.frames.unwrap_or(100);
    let campaign = Campaign {
        scene: scene.clone(),
        size,
        frames,
        single,
        driver: "fas-mg",
        solvers,
    };
    let frames = single.map_or(frames, |f| f + 1);
    let bar = Bar::new(frames, &format!("{} at {size}", table.id));
    let findings = measure(&campaign, watch, &|frames| bar.at(frames));
    bar.finish();
    let findings = findings.map_err(told)?;
    if single.is_some() {
        let title = format!("{} at {size}: residuals", table.id);
        write_histories(
            &args.out,
            table.id,
            size,
            &histories(&title, &findings).svg(),
        )?;
    }
    Ok(cells(table, size, &findings))
}

fn write_histories(out: &Path, id: &str, size: usize, svg: &str) -> Result<(), CliError> {
    Ok(write_file(
        &out.join(format!("{id}-{size}-residuals.svg")),
        svg.as_bytes(),
    )?)
}

/// A run that was stopped is no failure of its solver.
fn told(error: SimulationError) -> CliError {
    if let SimulationError::NotConverged { source, .. } = &error
        && source.status == Status::Cancelled
    {
        return CliError::Usage {
            message: "stopped on request".into(),
        };
    }
    error.into()
}
