//! `stokeslet liquid table`: runs what a table of the paper ran and prints ours beside it; a size that is done stays.

use std::fs;
use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::lcp::{Status, Watch, entry};
use stokeslet::dynamics::report::compare::{
    Cell, HEAD, cells, csv, histories, parse, picture, text,
};
use stokeslet::dynamics::report::measure::{Campaign, coarsening, measure};
use stokeslet::dynamics::report::paper::{Measure, PaperTable, TABLES, tables};
use stokeslet::dynamics::scenes::eckert::{self, table_entry};
use stokeslet::dynamics::scenes::{AnyScene, SimulationError};
use stokeslet::export::write_file;

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::super::stepped::{Bar, processor_clock};
use super::args::LiquidTableArgs;
use super::tank_table;

/// Solvers that take hours beyond these sizes, in the plane and in space; asked for by name they run all the same.
const SLOW: [(&str, usize, usize); 4] = [
    ("newton", 128, 64),
    ("fmg", 128, 64),
    ("fas-direct", 128, 64),
    ("fas-pwc", 256, 128),
];

/// Runs tables; those that ask the same of the same scene share its run.
///
/// # Errors
/// A simulation that can't go on, files that can't be written.
pub fn run(args: &LiquidTableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let mut groups: Vec<Vec<&PaperTable>> = Vec::new();
    let mut of_tanks = Vec::new();
    for id in &args.tables {
        if let Some(entry) = table_entry(id) {
            of_tanks.push(entry);
            continue;
        }
        let named = tables(id);
        if named.is_empty() {
            return Err(unknown(id));
        }
        for table in named {
            match groups.iter_mut().find(|of| of[0].shares_run(table)) {
                Some(group) => group.push(table),
                None => groups.push(vec![table]),
            }
        }
    }
    for group in groups {
        let outcome = together(&group, args, cancel)?;
        if outcome != Outcome::Fine {
            return Ok(outcome);
        }
    }
    for entry in of_tanks {
        let outcome = tank_table::run(entry, args, cancel)?;
        if outcome != Outcome::Fine {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Fine)
}

fn unknown(id: &str) -> CliError {
    let all = TABLES.iter().map(|t| t.id);
    let all: Vec<&str> = all.chain(eckert::TABLES.iter().map(|t| t.id)).collect();
    CliError::Usage {
        message: format!("there is no table `{id}`; there are {}", all.join(", ")),
    }
}

/// Tables of one run, size by size.
fn together(
    group: &[&PaperTable],
    args: &LiquidTableArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    let scene = AnyScene::of(group[0].scene).ok_or_else(|| CliError::Usage {
        message: format!("there is no scene `{}`", group[0].scene),
    })?;
    let sizes = match (&args.sizes[..], group[0].rows) {
        ([], [(only, _)]) => vec![*only],
        ([], _) => vec![32],
        (asked, _) => asked.to_vec(),
    };
    let mut found: Vec<Vec<Cell>> = vec![Vec::new(); group.len()];
    for size in sizes {
        let path = |table: &PaperTable| args.out.join(format!("{}-{size}.csv", table.id));
        let mut missing = Vec::new();
        for (table, found) in group.iter().zip(&mut found) {
            let before = fs::read_to_string(path(table)).ok();
            match before.filter(|_| args.resume) {
                Some(text) => found.extend(parse(&text)),
                None => missing.push((*table, found)),
            }
        }
        if missing.is_empty() {
            continue;
        }
        let tables: Vec<&PaperTable> = missing.iter().map(|(table, _)| *table).collect();
        match one_size(&tables, &scene, size, args, cancel) {
            Ok(of_size) => {
                for ((table, found), cells) in missing.into_iter().zip(of_size) {
                    let text = format!("{HEAD}{}", csv(table, &cells));
                    write_file(&path(table), text.as_bytes())?;
                    found.extend(cells);
                }
            }
            Err(_) if cancel.is_cancelled() => {
                eprintln!("stopped on request; --resume keeps the sizes that are done");
                return Ok(Outcome::CouldNotRun);
            }
            Err(error) => return Err(error),
        }
    }
    for (table, found) in group.iter().zip(&found) {
        let file = |kind: &str| args.out.join(format!("{}.{kind}", table.id));
        let rows = format!("{HEAD}{}", csv(table, found));
        write_file(&file("csv"), rows.as_bytes())?;
        write_file(&file("svg"), picture(table, found).as_bytes())?;
        print_out(&text(table, found))?;
        print_out(&format!(
            "{} and {}\n",
            file("csv").display(),
            file("svg").display()
        ))?;
    }
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

/// What one run says for each of its tables.
fn one_size(
    tables: &[&PaperTable],
    scene: &AnyScene,
    size: usize,
    args: &LiquidTableArgs,
    cancel: &CancelToken,
) -> Result<Vec<Vec<Cell>>, CliError> {
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let watch = Watch {
        cancelled: &cancelled,
        seconds: &clock,
    };
    let measure_of = tables[0].measure;
    if let (Measure::Coarsening, AnyScene::Space(scene)) = (measure_of, scene) {
        let seconds = coarsening(scene, 2 * size, &clock);
        let of = |table: &&PaperTable| coarsening_cells(table, size, &seconds);
        return Ok(tables.iter().map(of).collect());
    }
    let single = match measure_of {
        Measure::Single(frame) => Some(frame),
        _ => None,
    };
    let asked = tables.iter();
    let asked = asked.map(|table| chosen(table, scene, size, &args.solvers));
    let asked: Vec<Vec<&'static str>> = asked.collect::<Result<_, _>>()?;
    let mut solvers: Vec<&'static str> = Vec::new();
    for name in asked.iter().flatten() {
        if !solvers.contains(name) {
            solvers.push(name);
        }
    }
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
    let ids: Vec<&str> = tables.iter().map(|table| table.id).collect();
    let bar = Bar::new(frames, &format!("{} at {size}", ids.join(", ")));
    let findings = measure(&campaign, watch, &|frames| bar.at(frames));
    bar.finish();
    let findings = findings.map_err(told)?;
    let mut all = Vec::new();
    for (table, asked) in tables.iter().zip(asked) {
        let findings = findings.of(&asked);
        if single.is_some() {
            let title = format!("{} at {size}: residuals", table.id);
            let picture = histories(&title, &findings).svg();
            write_histories(&args.out, table.id, size, &picture)?;
        }
        all.push(cells(table, size, &findings));
    }
    Ok(all)
}

fn coarsening_cells(table: &PaperTable, size: usize, seconds: &[f64]) -> Vec<Cell> {
    let cell = |(solver, seconds): (&&str, &f64)| Cell {
        size,
        solver: (*solver).to_string(),
        value: *seconds,
        solves: 1,
        failed: 0,
        disagreed: 0,
        seconds: *seconds,
        setup_seconds: *seconds,
        unknowns: 0,
    };
    table.solvers.iter().zip(seconds).map(cell).collect()
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
