//! `stokeslet liquid table` for tables of splitting methods: CSV, text, and pictures where lines say something.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::lcp::Watch;
use stokeslet::dynamics::report::splitting::charts;
use stokeslet::dynamics::scenes::eckert::{TableEntry, TableRequest};
use stokeslet::export::write_file;

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::super::stepped::processor_clock;
use super::args::LiquidTableArgs;

/// Runs a table at every size.
///
/// # Errors
/// A tank that can't go on, files that can't be written, solvers to choose from where there are none.
pub fn run(
    entry: &TableEntry,
    args: &LiquidTableArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    if !args.solvers.is_empty() {
        return Err(CliError::Usage {
            message: format!("the methods of {} can't be chosen", entry.id),
        });
    }
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let watch = Watch {
        cancelled: &cancelled,
        seconds: &clock,
    };
    let sizes = match &args.sizes[..] {
        [] => &[entry.side],
        asked => asked,
    };
    for &n in sizes {
        let path = |rest: &str| args.out.join(format!("{}-{n}{rest}", entry.id));
        if args.resume && path(".csv").exists() {
            print_out(&format!("{} is done\n", path(".csv").display()))?;
            continue;
        }
        let request = TableRequest {
            n,
            steps: args.frames.unwrap_or(entry.steps),
            every: entry.every,
            watch,
        };
        let spinner = spinner(format!("{} at {n}", entry.id));
        let table = entry.make(&request);
        spinner.finish_and_clear();
        if cancel.is_cancelled() {
            eprintln!("stopped on request; --resume keeps the sizes that are done");
            return Ok(Outcome::CouldNotRun);
        }
        let table = table?;
        print_out(&format!("{}\n", table.text()))?;
        write_file(&path(".csv"), table.csv().as_bytes())?;
        print_out(&format!("{}\n", path(".csv").display()))?;
        for (name, mut chart) in charts(&table) {
            chart.title = format!("{}: {}", chart.title, entry.title);
            let name = if name.is_empty() {
                name
            } else {
                format!("-{name}")
            };
            let path = path(&format!("{name}.svg"));
            write_file(&path, chart.svg().as_bytes())?;
            print_out(&format!("{}\n", path.display()))?;
        }
    }
    Ok(Outcome::Fine)
}

/// How long it has taken, on a terminal: nobody knows how long it will.
pub(super) fn spinner(message: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    // The template is a constant; the fallback is for a typo in it.
    let style = ProgressStyle::with_template("{spinner} {msg}  {elapsed}");
    spinner.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}
