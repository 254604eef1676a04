//! `stokeslet sensitivity`: what each width, length, depth, viscosity and port value does to each result.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use stokeslet::cancel::CancelToken;
use stokeslet::export::write_file;
use stokeslet::study::output::{Catalogue, Output, head};
use stokeslet::study::sensitivity::{Context, Sensitivities, sensitivities};
use stokeslet::study::tolerances::{percentages, picture};
use stokeslet::table::Table;

use super::inputs::is_same_file;
use super::load::{Opened, settings_for};
use super::outcome::{CliError, Outcome};
use super::solve::listen_for_ctrl_c;
use super::{print_diagnostics, print_out};

/// Arguments of `sensitivity`.
#[derive(Debug, clap::Args)]
pub struct SensitivityArgs {
    /// The design file.
    #[arg(value_name = "DESIGN")]
    design: PathBuf,
    /// What is derived: a result or a formula of results, such as "ports.a.flow_rate / ports.b.flow_rate" or
    /// "wall_shear.max" [default: flows and pressures at the ports that aren't given there]. May be repeated.
    #[arg(long = "of", value_name = "FORMULA")]
    of: Vec<String>,
    /// Set a variable of the design. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Cell edges across a channel [default: what the design says, else 8].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(2..=512))]
    resolution: Option<u32>,
    /// Draw what 1 % of each parameter does to each result.
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
    /// Write the derivatives, SI, as CSV.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// Prints a table of per cent a per cent; derivatives in SI go into the file.
///
/// # Errors
/// What keeps it from being found.
pub fn run(args: &SensitivityArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    if args
        .out
        .as_deref()
        .is_some_and(|out| is_same_file(out, &args.design))
    {
        return Err(CliError::Usage {
            message: "--out would replace the design by a table: give another file".to_owned(),
        });
    }
    let mut opened = Opened::new(&args.design, library, &args.set)?;
    let (Some(mut design), Some(chip)) = (opened.loaded.design.take(), opened.loaded.chip.take())
    else {
        return Ok(Outcome::InputErrors);
    };
    design.resolution = args.resolution.or(design.resolution);
    let catalogue = Catalogue::new(&design, &chip);
    let outputs = if args.of.is_empty() {
        catalogue.answers(&chip)
    } else {
        let read = args.of.iter().map(|text| catalogue.output(text, text));
        match read.collect::<Result<Vec<_>, _>>() {
            Ok(outputs) => outputs,
            Err(mistake) => {
                print_diagnostics(&[mistake], "--of", "");
                return Ok(Outcome::InputErrors);
            }
        }
    };
    let cancel = CancelToken::new();
    listen_for_ctrl_c(cancel.clone())?;
    let settings = settings_for(outputs.iter().any(Catalogue::needs_fields));
    let context = Context {
        text: &opened.loaded.text,
        set: &opened.set,
        library: &opened.library,
        settings: &settings,
        table: &Table::default(),
        cancel: &cancel,
    };
    let found = match sensitivities(&design, &outputs, &context) {
        Ok(found) => found,
        Err(error) => return opened.failed(error),
    };
    print_out(&text(&outputs, &found))?;
    if let Some(path) = &args.picture {
        let title = design.title.as_deref().unwrap_or(&opened.name);
        write_file(path, picture(title, &outputs, &found).as_bytes())?;
    }
    if let Some(path) = &args.out {
        write_file(path, csv(&outputs, &found).as_bytes())?;
    }
    Ok(Outcome::Fine)
}

/// Per cent that a result changes by where the parameter grows by 1 %.
fn text(outputs: &[Output], found: &Sensitivities) -> String {
    let mut out = String::from("per cent for 1 %:\n");
    let wide = found
        .parameters
        .iter()
        .map(|p| p.name.chars().count())
        .max()
        .unwrap_or_default();
    let columns: Vec<usize> = outputs
        .iter()
        .map(|o| o.name.chars().count().max(9))
        .collect();
    // Writing into a String doesn't fail.
    let _ = write!(out, "  {:<wide$}", "");
    for (output, width) in outputs.iter().zip(&columns) {
        let _ = write!(out, "  {:>width$}", output.name);
    }
    out.push('\n');
    let rows = percentages(found);
    for ((parameter, derivatives), row) in
        found.parameters.iter().zip(&found.derivatives).zip(&rows)
    {
        let _ = write!(out, "  {:<wide$}", parameter.name);
        match derivatives {
            Ok(_) => {
                for (value, width) in row.iter().zip(&columns) {
                    let percent = value.map_or_else(|| "-".to_owned(), |v| format!("{v:+.4}"));
                    let _ = write!(out, "  {percent:>width$}");
                }
            }
            Err(reason) => out.push_str(&format!("  can't be moved: {reason}")),
        }
        out.push('\n');
    }
    let widths = |reason: &String| reason.starts_with("D222");
    if found
        .derivatives
        .iter()
        .any(|d| d.as_ref().is_err_and(widths))
    {
        out.push_str(
            "  widths of parts that meet change together: give them one variable under [variables], which is a row here\n",
        );
    }
    let _ = writeln!(
        out,
        "  a solve: {:.3} s; all derivatives: {:.3} s",
        found.seconds.0, found.seconds.1
    );
    out
}

fn csv(outputs: &[Output], found: &Sensitivities) -> String {
    use stokeslet::export::csv::cell;
    let mut out = String::from("parameter,value,unit");
    for output in outputs {
        let _ = write!(
            out,
            ",{}",
            cell(&format!("d {} / d parameter", output.head()))
        );
    }
    out.push_str(",message\n");
    for (parameter, derivatives) in found.parameters.iter().zip(&found.derivatives) {
        let unit = head("", parameter.powers);
        let _ = write!(
            out,
            "{},{:e},{}",
            cell(&parameter.name),
            parameter.value,
            cell(unit.trim().trim_matches(['[', ']']))
        );
        for k in 0..outputs.len() {
            let d = derivatives.as_ref().ok().and_then(|d| d[k]);
            let _ = write!(out, ",{}", d.map_or_else(String::new, |d| format!("{d:e}")));
        }
        let reason = derivatives.as_ref().err().map_or("", String::as_str);
        let _ = writeln!(out, ",{}", cell(reason));
    }
    out
}
