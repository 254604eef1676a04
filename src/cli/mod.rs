//! The command line: raw arguments become a validated request, a subcommand runs it, and the outcome is an exit code.
//!
//! ```text
//! argv --args--> Args --request--> SolveRequest --solve--> files, a table on stdout, an exit code
//! ```
//! Results go to stdout; diagnostics, progress and errors go to stderr. A chain of errors is printed once, here.

#[cfg(feature = "dynamics")]
mod apic;
mod args;
mod check;
mod compare;
mod components;
mod export;
mod fit;
mod format;
#[cfg(feature = "gui")]
mod gui;
mod import;
mod inputs;
mod layout;
#[cfg(feature = "dynamics")]
mod liquid;
mod load;
mod outcome;
mod process;
mod profile;
mod progress_bar;
mod report;
mod request;
mod results_table;
mod sensitivity;
mod solve;
mod solve_one;
mod species;
mod stamp;
#[cfg(feature = "dynamics")]
mod stepped;
mod sweep;
mod tracers;
mod traces;
mod verify;

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
use outcome::{CliError, Outcome};

/// Parses the arguments, runs the subcommand, prints what went wrong.
pub fn run() -> ExitCode {
    // Exits by itself on `--help` (0) and on wrong usage (2).
    let args = Args::parse();
    end_where_memory_ends();
    match dispatch(args) {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            print_chain(&error);
            Outcome::CouldNotRun.into()
        }
    }
}

/// Where the system has no more memory, Rust says so and aborts: that is an exit code of ours then, not a signal.
fn end_where_memory_ends() {
    #[cfg(unix)]
    {
        use signal_hook::{consts::SIGABRT, flag::register_conditional_shutdown};
        let always = std::sync::Arc::new(true.into());
        let code = Outcome::CouldNotRun.code().into();
        // Without the handler the signal ends the program all the same.
        let _ = register_conditional_shutdown(SIGABRT, code, always);
    }
}

fn dispatch(args: Args) -> Result<Outcome, CliError> {
    let library = args.library.as_deref();
    match args.command {
        Command::Solve(args) => solve::run(args, library),
        Command::Check(args) => check::run(&args, library),
        Command::Components(args) => {
            let library = load::find_library(library)?;
            print_out(&components::run(
                &library,
                args.name.as_deref(),
                args.svg.as_deref(),
            )?)?;
            Ok(Outcome::Fine)
        }
        Command::Format(args) => format::run(&args, library),
        Command::Export(args) => export::run(&args, library),
        Command::Import(args) => import::run(&args, library),
        Command::Layout(args) => layout::run(&args, library),
        Command::Sweep(args) => sweep::run(&args, library),
        Command::Sensitivity(args) => sensitivity::run(&args, library),
        Command::Fit(args) => fit::run(&args, library),
        Command::Verify(args) => verify::run(&args, library),
        #[cfg(feature = "dynamics")]
        Command::Liquid(args) => liquid::run(&args),
        #[cfg(feature = "dynamics")]
        Command::Particles(args) => stepped::sibling::run("particles", &args.command),
        #[cfg(feature = "dynamics")]
        Command::Contact(args) => stepped::sibling::run("contact", &args.command),
        #[cfg(feature = "dynamics")]
        Command::Apic(args) => apic::run(&args),
        #[cfg(feature = "gui")]
        Command::Gui(args) => gui::run(args, library),
    }
}

/// `error: can't write ...: permission denied`, every cause after a colon.
fn print_chain(error: &dyn std::error::Error) {
    eprintln!("error: {}", chain(error));
}

/// The whole chain of an error on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(c) = cause {
        text.push_str(": ");
        text.push_str(&c.to_string());
        cause = c.source();
    }
    text
}

/// Prints to stdout; a reader that has gone away (`| head`) is no error.
fn print_out(text: &str) -> Result<(), CliError> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(CliError::Stdout(e)),
        _ => Ok(()),
    }
}

/// Draws diagnostics on stderr, in colours on a terminal that wants them.
fn print_diagnostics(diagnostics: &[stokeslet::diagnostic::Diagnostic], source: &str, text: &str) {
    use stokeslet::diagnostic::{presentable, render, render_coloured};
    let (diagnostics, text) = presentable(diagnostics, text);
    let (diagnostics, text) = (&diagnostics[..], text.as_str());
    let coloured = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let drawn = if coloured {
        render_coloured(diagnostics, source, text)
    } else {
        render(diagnostics, source, text)
    };
    eprint!("{drawn}");
}
