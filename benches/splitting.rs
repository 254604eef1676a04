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

use stokeslet::dynamics::lcp::Watch;
use stokeslet::dynamics::scenes::eckert::{TABLES, Table, TableEntry, TableRequest};
use support::{Asked, Failure, Report};

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    for entry in TABLES.iter().filter(|entry| asked.wants(entry.id)) {
        let done = made(entry).and_then(|table| finish(entry.id, &table, &asked));
        if let Err(error) = done {
            eprintln!("{}: {error}", entry.id);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn made(entry: &TableEntry) -> Result<Table, Failure> {
    let begin = Instant::now();
    let seconds = || begin.elapsed().as_secs_f64();
    let request = TableRequest {
        n: entry.side,
        steps: entry.steps,
        every: entry.every,
        watch: Watch {
            cancelled: &|| false,
            seconds: &seconds,
        },
    };
    Ok(entry.make(&request)?)
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
