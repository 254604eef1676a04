//! `stokeslet check`: all diagnostics of designs, without solving them.

use std::path::Path;
use std::time::Instant;

use stokeslet::rules::thin_wall_warning;
use stokeslet::session::{SolveSettings, advice};

use super::args::CheckArgs;
use super::inputs::expand;
use super::load::{find_library, load, read_settings};
use super::outcome::{CliError, Outcome};
use super::{print_chain, print_out, process};

/// Reads and places every design, prints what is wrong, and a line per design.
///
/// # Errors
/// What keeps it from looking at any design.
pub fn run(args: &CheckArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let process = match &args.process {
        None => None,
        Some(name) => match process::find(name, library)? {
            Some(process) => Some(process),
            None => return Ok(Outcome::InputErrors),
        },
    };
    let library = find_library(library)?;
    let settings = read_settings(&args.set)?;
    let begin = Instant::now();
    let mut worst = Outcome::Fine;
    for input in expand(&args.designs)? {
        let mut loaded = match load(
            &input.path,
            &input.name,
            &library,
            (None, &settings),
            &|| begin.elapsed().as_secs_f64(),
        ) {
            Ok(loaded) => loaded,
            Err(error) => {
                print_chain(&error);
                worst = worst.max(Outcome::CouldNotRun);
                continue;
            }
        };
        if let Some(chip) = &loaded.chip {
            let resolution = loaded
                .resolution
                .unwrap_or(SolveSettings::default().resolution);
            loaded
                .diagnostics
                .extend(advice::of_model(chip, resolution));
            let wall = loaded.design.as_ref();
            let wall = wall.and_then(|design| thin_wall_warning(design, chip));
            loaded.diagnostics.extend(wall);
        }
        loaded.print_diagnostics(&input.path);
        let errors = loaded.errors();
        let warnings = loaded.diagnostics.len() - errors;
        let path = input.path.display();
        let line = match (&loaded.chip, errors) {
            (Some(chip), 0) => format!(
                "{path}: fine, {} and {}{}\n",
                count(chip.parts.len(), "part"),
                count(chip.ports.len(), "port"),
                if warnings > 0 {
                    format!(", {}", count(warnings, "warning"))
                } else {
                    String::new()
                }
            ),
            _ => {
                worst = worst.max(Outcome::InputErrors);
                format!("{path}: {}\n", count(errors, "error"))
            }
        };
        print_out(&line)?;
        if let (Some(process), Some(chip), Some(design)) = (&process, &loaded.chip, &loaded.design)
        {
            worst = worst.max(process::check(
                process,
                design,
                chip,
                &input.folder,
                args.out.as_deref(),
            )?);
        }
    }
    Ok(worst)
}

/// `1 error`, `2 errors`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
