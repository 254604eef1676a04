//! `stokeslet solve`: many designs side by side with one shared table of operations; one bad design doesn't stop the rest.

use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::export::Staging;
use stokeslet::export::readable::Quantity;
use stokeslet::session::{SolveError, side_by_side};
use stokeslet::table::Table;

use super::args::SolveArgs;
use super::inputs::Input;
use super::load::find_library;
use super::outcome::{CliError, Outcome};
use super::progress_bar::{Bar, Follower};
use super::request::SolveRequest;
use super::results_table::{self, Ended};
use super::solve_one::{Context, Done, Failure, How, solve_one};
use super::{chain, print_out, profile, report};
use stokeslet::session::memory;

/// One part in this many of the memory that a run may use may hold operations for later designs.
const TABLE_SHARE: u64 = 4;

/// Solves all designs, prints a table, writes `results.csv`.
///
/// # Errors
/// What keeps it from starting at all; a design that fails is told in the outcome.
pub fn run(args: SolveArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let request = SolveRequest::new(args)?;
    let library = find_library(library)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(request.threads)
        .build()
        .map_err(|source| CliError::Threads {
            threads: request.threads,
            source,
        })?;
    // Found out now, not after an hour of solving.
    Staging::check(&request.out)?;
    let cancel = CancelToken::new();
    listen_for_ctrl_c(cancel.clone())?;
    let allowed = request.memory_limit.unwrap_or_else(memory::free);
    let context = Context {
        request: &request,
        library: &library,
        table: &Table::with_budget(allowed / TABLE_SHARE),
        cancel: &cancel,
        pool: &pool,
    };
    let bar = Bar::new(request.inputs.len());
    let results = solve_all(&context, allowed, &bar);
    bar.finish();
    finish(&request, &results, &cancel)
}

/// The first Ctrl-C asks to stop; the second doesn't ask.
///
/// # Errors
/// Where the system doesn't allow a handler.
pub fn listen_for_ctrl_c(cancel: CancelToken) -> Result<(), CliError> {
    ctrlc::set_handler(move || {
        if cancel.is_cancelled() {
            std::process::exit(i32::from(Outcome::CouldNotRun.code()));
        }
        cancel.cancel();
    })?;
    Ok(())
}

/// Side by side, each within its share of the memory; what needs more than its share is solved afterwards, alone.
fn solve_all(context: &Context<'_>, allowed: u64, bar: &Bar) -> Vec<Result<Done, Failure>> {
    let inputs = &context.request.inputs;
    let jobs: Vec<(&Input, Follower<'_>)> =
        inputs.iter().map(|i| (i, bar.follow(&i.name))).collect();
    let single = inputs.len() == 1;
    let attempt = |(input, follower): &(&Input, Follower<'_>), limit: u64, last: bool| {
        let result = solve_one(input, context, limit, &|stage, fraction| {
            follower.hear(stage, fraction)
        });
        if last || !is_too_large(&result) {
            follower.finish();
            bar.while_hidden(|| tell(input, &result, context.request, single));
        }
        result
    };
    let workers = context.request.threads.min(inputs.len());
    let share = allowed / workers as u64;
    side_by_side(&jobs, workers, |job| attempt(job, share, workers == 1))
        .into_iter()
        .zip(&jobs)
        .map(|(result, job)| match result {
            Ok(result) if workers > 1 && is_too_large(&result) => attempt(job, allowed, true),
            Ok(result) => result,
            Err(crashed) => {
                let result = Err(crashed.into());
                bar.while_hidden(|| tell(job.0, &result, context.request, single));
                result
            }
        })
        .collect()
}

fn is_too_large(result: &Result<Done, Failure>) -> bool {
    matches!(result, Err(Failure::Solve(SolveError::OutOfMemory { .. })))
}

/// Prints how one design ended: its table (or line) on stdout, what went wrong on stderr.
fn tell(input: &Input, result: &Result<Done, Failure>, request: &SolveRequest, single: bool) {
    let text = match result {
        Ok(done) => {
            done.loaded.print_diagnostics(&input.path);
            match &done.how {
                How::Solved(solved) => {
                    let told = if single {
                        let folder = request.out.join(&input.folder);
                        let asked = (request.probes.as_slice(), request.wanted);
                        report::table(input, solved, asked, &folder, memory::peak())
                    } else {
                        report::line(input, &done.digest, "solved")
                    };
                    told + profile::text(solved.profile.as_ref()).as_str()
                }
                How::Before => report::line(input, &done.digest, "as before"),
            }
        }
        Err(failure) => {
            if let Failure::Design { loaded, .. } = failure {
                loaded.print_diagnostics(&input.path);
            }
            eprintln!("error: {}: {}", input.path.display(), explain(failure));
            if single {
                return;
            }
            format!("{:<24} failed\n", input.folder)
        }
    };
    // Losing the terminal must not lose the results of the other designs.
    let _ = print_out(&text);
}

/// The chain of causes; memory in units that people read.
fn explain(failure: &Failure) -> String {
    match failure {
        Failure::Design { loaded, .. } => super::check::count(loaded.errors(), "error"),
        Failure::Solve(SolveError::OutOfMemory { needed, allowed }) => format!(
            "this needs about {} of memory and {} are allowed; lower --resolution, or raise --memory-limit if there is more",
            Quantity::Memory.show(*needed as f64),
            Quantity::Memory.show(*allowed as f64)
        ),
        other => chain(other),
    }
}

fn finish(
    request: &SolveRequest,
    results: &[Result<Done, Failure>],
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    let mut outcome = Outcome::Fine;
    let ended: Vec<Ended<'_>> = request
        .inputs
        .iter()
        .zip(results)
        .map(|(input, result)| (input, result.as_ref().map(|done| &done.digest)))
        .collect();
    for result in results {
        outcome = outcome.max(match result {
            Ok(done) if matches!(&done.how, How::Solved(r) if r.is_inaccurate) => {
                Outcome::Inaccurate
            }
            Ok(_) => Outcome::Fine,
            Err(failure) => failure.outcome(),
        });
    }
    results_table::merge(&request.out, &ended)?;
    let failed = results.iter().filter(|r| r.is_err()).count();
    if results.len() > 1 {
        print_out(&format!(
            "{} of {} designs solved; {}\n",
            results.len() - failed,
            results.len(),
            results_table::overview(&request.out).display()
        ))?;
    }
    if cancel.is_cancelled() {
        eprintln!("stopped on request; --resume goes on from here");
        outcome = Outcome::CouldNotRun;
    }
    Ok(outcome)
}
