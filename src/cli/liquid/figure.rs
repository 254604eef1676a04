//! `stokeslet liquid figure`: makes figures of the papers again: a CSV, and pictures as SVG or PNG.

use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::lcp::Watch;
use stokeslet::dynamics::report::figures::{
    Drawn, FIGURES, FigureEntry, FigureRequest, figure_entry,
};
use stokeslet::dynamics::report::picture::png;
use stokeslet::export::write_file;

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::super::stepped::processor_clock;
use super::args::LiquidFigureArgs;
use super::tank_table::spinner;

/// Makes every figure that is named.
///
/// # Errors
/// A figure that there isn't, one that can't be made, files that can't be written.
pub fn run(args: &LiquidFigureArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let entry = |id: &String| {
        figure_entry(id).ok_or_else(|| {
            let all: Vec<&str> = FIGURES.iter().map(|f| f.id).collect();
            CliError::Usage {
                message: format!("there is no figure `{id}`; there are {}", all.join(", ")),
            }
        })
    };
    let entries: Vec<&FigureEntry> = args.figures.iter().map(entry).collect::<Result<_, _>>()?;
    for entry in entries {
        let outcome = one(entry, args, cancel)?;
        if outcome != Outcome::Fine {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Fine)
}

fn one(
    entry: &FigureEntry,
    args: &LiquidFigureArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let request = FigureRequest {
        n: args.size.unwrap_or(entry.side),
        frames: args.frames.unwrap_or(entry.frames),
        watch: Watch {
            cancelled: &cancelled,
            seconds: &clock,
        },
    };
    let spinner = spinner(format!("{} at {}", entry.id, request.n));
    let made = entry.make(&request);
    spinner.finish_and_clear();
    if cancel.is_cancelled() {
        eprintln!("stopped on request");
        return Ok(Outcome::CouldNotRun);
    }
    let figure = made?;
    let path = |rest: &str| args.out.join(format!("{}-{}{rest}", entry.id, request.n));
    print_out(&format!("{}\n", figure.table.text()))?;
    let write = |path: &Path, bytes: &[u8]| -> Result<(), CliError> {
        write_file(path, bytes)?;
        print_out(&format!("{}\n", path.display()))
    };
    write(&path(".csv"), figure.table.csv().as_bytes())?;
    for (name, drawn) in &figure.pictures {
        let name = match name.as_str() {
            "" => String::new(),
            name => format!("-{name}"),
        };
        match drawn {
            Drawn::Chart(chart) => {
                write(&path(&format!("{name}.svg")), chart.svg().as_bytes())?;
            }
            Drawn::Image(image) => write(&path(&format!("{name}.png")), &png(image)?)?,
        }
    }
    Ok(Outcome::Fine)
}
