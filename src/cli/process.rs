//! `check --process`: the rules of a process against a design.

use std::fs;
use std::path::Path;

use stokeslet::chip::Chip;
use stokeslet::design::Design;
use stokeslet::diagnostic::Severity;
use stokeslet::export;
use stokeslet::library::process_text;
use stokeslet::rules::{self, Process, read_process};

use super::check::count;
use super::outcome::{CliError, Outcome};
use super::{print_diagnostics, print_out};

/// Violations that are told one by one.
const SHOWN: usize = 20;

/// The process of this name, or in this file; `None` where it has mistakes, which are printed.
///
/// # Errors
/// A file that can't be read.
pub fn find(name: &str, library: Option<&Path>) -> Result<Option<Process>, CliError> {
    let (text, shown) = if name.ends_with(".toml") {
        let text = fs::read_to_string(name).map_err(|source| CliError::Read {
            path: name.into(),
            source,
        })?;
        (text, name.to_owned())
    } else {
        match process_text(name, library) {
            Ok(found) => found,
            Err(fault) => {
                print_diagnostics(&[fault], "--process", "");
                return Ok(None);
            }
        }
    };
    match read_process(&text) {
        Ok(process) => Ok(Some(process)),
        Err(faults) => {
            print_diagnostics(&faults, &shown, &text);
            Ok(None)
        }
    }
}

/// Checks a design, prints what breaks the rules and how many do, writes the reports.
///
/// # Errors
/// Files that can't be written.
pub fn check(
    process: &Process,
    design: &Design,
    chip: &Chip,
    name: &str,
    out: Option<&Path>,
) -> Result<Outcome, CliError> {
    let violations = match rules::check(design, chip, process) {
        Ok(violations) => violations,
        Err(faults) => {
            print_diagnostics(&faults, name, "");
            return Ok(Outcome::InputErrors);
        }
    };
    let shown: Vec<_> = violations
        .iter()
        .take(SHOWN)
        .map(|v| v.diagnostic(process))
        .collect();
    print_diagnostics(&shown, name, "");
    if violations.len() > SHOWN {
        let rest = violations.len() - SHOWN;
        print_out(&format!(
            "{name}: {rest} more are not shown; `--out DIR` writes all\n"
        ))?;
    }
    let errors = violations
        .iter()
        .filter(|v| v.severity == Severity::Error)
        .count();
    let line = match violations.len() {
        0 => format!("{name}: keeps the rules of {}\n", process.name),
        n => format!(
            "{name}: breaks the rules of {}: {}, {}\n",
            process.name,
            count(errors, "error"),
            count(n - errors, "warning")
        ),
    };
    print_out(&line)?;
    if let Some(folder) = out {
        for (ending, text) in [
            ("csv", rules::csv(process, &violations)),
            ("json", rules::json(process, &violations)),
            ("svg", rules::picture(chip, &violations)),
            ("lyrdb", rules::lyrdb(process, &violations, "TOP")),
        ] {
            export::write_file(
                &folder.join(format!("{name}.violations.{ending}")),
                text.as_bytes(),
            )?;
        }
    }
    Ok(if errors > 0 {
        Outcome::InputErrors
    } else {
        Outcome::Fine
    })
}
