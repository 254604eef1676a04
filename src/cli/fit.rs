//! `stokeslet fit`: goals become values of a design's variables.

use std::path::{Path, PathBuf};

use stokeslet::cancel::CancelToken;
use stokeslet::design::{Design, Edit, Value, rewrite};
use stokeslet::export::readable::{Quantity, percent};
use stokeslet::export::write_file;
use stokeslet::study::fit::{Fit, FitError, Goal, TOLERANCE, Varied};
use stokeslet::study::output::{Catalogue, Output};
use stokeslet::study::prepared::nominal;
use stokeslet::study::sample::{Sampled, Sampler};
use stokeslet::study::study::{Sample, unit};
use stokeslet::table::Table;
use stokeslet::units::{Dimension, print_quantity, to_digits};

use super::inputs::is_same_file;
use super::load::{Opened, settings_for};
use super::outcome::{CliError, Outcome};
use super::report::ports;
use super::solve::listen_for_ctrl_c;
use super::{print_diagnostics, print_out};

const EXAMPLES: &str = "\
Examples:
  stokeslet fit tree.toml --vary l1 --vary l2=1mm:9mm --goal \"ports.out1.flow_rate = 2 * ports.out2.flow_rate\" --out fitted.toml
  stokeslet fit mixer.toml --vary w --goal \"ports.in.pressure <= 20 mbar\" --goal \"maximise ports.in.flow_rate\"

Exit codes: 0 fine, 1 the design or a goal has errors, 2 could not run, 3 the goals can't be met within the bounds.";

/// Arguments of `fit`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct FitArgs {
    /// The design file.
    #[arg(value_name = "DESIGN")]
    design: PathBuf,
    /// A variable that may change, and between what [default: a tenth and ten times its value]. May be repeated.
    #[arg(long, required = true, value_name = "NAME[=LEAST:GREATEST]")]
    vary: Vec<String>,
    /// What is wanted: "a = b", "a <= b", "minimise a", "maximise a" of results, such as "ports.in.pressure". May be repeated.
    #[arg(long, required = true, value_name = "GOAL")]
    goal: Vec<String>,
    /// Set a variable of the design. May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Cell edges across a channel [default: what the design says, else 8].
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(2..=512))]
    resolution: Option<u32>,
    /// Write the design with the values found; comments and expressions stay.
    #[arg(long, value_name = "DESIGN.toml")]
    out: Option<PathBuf>,
}

/// Digits of the values found: what a fit leaves over is far above the eleventh.
const DIGITS: usize = 10;

/// Fits, prints the values, writes the design.
///
/// # Errors
/// What keeps it from fitting; goals that can't be met are an outcome.
pub fn run(args: &FitArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let opened = Opened::new(&args.design, library, &args.set)?;
    let loaded = &opened.loaded;
    let (Some(design), Some(chip)) = (&loaded.design, &loaded.chip) else {
        return Ok(Outcome::InputErrors);
    };
    let catalogue = Catalogue::new(design, chip);
    let mut goals = Vec::new();
    for text in &args.goal {
        match Goal::parse(text, &catalogue) {
            Ok(goal) => goals.push(goal),
            Err(mistake) => {
                print_diagnostics(&[mistake], "--goal", "");
                return Ok(Outcome::InputErrors);
            }
        }
    }
    let varied = args
        .vary
        .iter()
        .map(|text| read_varied(text, design))
        .collect::<Result<Vec<Varied>, String>>()
        .map_err(|message| CliError::Usage { message })?;
    let cancel = CancelToken::new();
    listen_for_ctrl_c(cancel.clone())?;
    let settings = settings_for(goals.iter().any(Goal::needs_fields));
    let table = Table::default();
    let source = (loaded.text.as_str(), opened.name.as_str());
    let sampler = Sampler::new(source, &opened.library, settings, &table);
    let fit = Fit {
        sampler: &sampler,
        set: &opened.set,
        varied: &varied,
        goals: &goals,
        resolution: args.resolution,
        cancel: &cancel,
    };
    let fitted = match fit.run(&mut |step, miss| eprintln!("step {step}: missed by {miss:.2e}")) {
        Ok(fitted) => fitted,
        Err(FitError::Sample(error)) => return opened.failed(error),
        Err(error) => {
            return Err(CliError::Usage {
                message: error.to_string(),
            });
        }
    };
    // What was set stays set where the design is written.
    let mut edits = Vec::new();
    for setting in opened
        .set
        .iter()
        .filter(|s| varied.iter().all(|v| v.name != s.name))
    {
        let value = match Sample::parse(&setting.value) {
            Sample::Amount(number, [0, 0, 0, 0, 0]) => Value::Number(number),
            // Quantities, of any unit, are written as they were given.
            _ => Value::Text(setting.value.clone()),
        };
        edits.push(Edit::SetVariable {
            name: setting.name.clone(),
            value,
        });
    }
    let mut text = String::new();
    for (varied, &value) in varied.iter().zip(&fitted.values) {
        let (name, value) = (varied.name.clone(), to_digits(value, DIGITS));
        let value = match Dimension::of_powers(varied.powers) {
            Some(dimension) => {
                text += &format!("{name} = \"{}\"\n", print_quantity(value, dimension));
                Value::Quantity(value, dimension)
            }
            None => {
                text += &format!("{name} = {value}\n");
                Value::Number(value)
            }
        };
        edits.push(Edit::SetVariable { name, value });
    }
    for ((told, goal), miss) in args.goal.iter().zip(&goals).zip(&fitted.misses) {
        text += &format!("  {told}: {}\n", reached(goal, &fitted.sampled, *miss));
    }
    let flow = Quantity::of_flow(chip.depth.is_some());
    text += &ports(&fitted.sampled.solution.ports, flow, None);
    text += &format!("  {} steps, {} solves\n", fitted.steps, fitted.solves);
    print_out(&text)?;
    print_diagnostics(
        &fitted
            .sampled
            .doubts(sampler.resolution(args.resolution, design)),
        &args.design.display().to_string(),
        &loaded.text,
    );
    if !fitted.is_settled {
        eprintln!(
            "stopped after {} steps: more may bring something smaller or larger still; go on from these values",
            fitted.steps
        );
    }
    let is_over = args
        .out
        .as_deref()
        .is_some_and(|out| is_same_file(out, &args.design));
    if is_over && !fitted.is_met {
        eprintln!("`{}` is left as it was", args.design.display());
    } else if let Some(path) = &args.out {
        let new = rewrite(&loaded.text, &edits).map_err(|error| CliError::Usage {
            message: error.to_string(),
        })?;
        write_file(path, new.as_bytes())?;
    }
    if !fitted.is_met {
        eprintln!("the goals can't be met within the bounds from this start");
        return Ok(Outcome::Inaccurate);
    }
    Ok(match fitted.is_settled {
        true => Outcome::Fine,
        false => Outcome::Inaccurate,
    })
}

/// What a goal's results have become, and whether an equation is met.
fn reached(goal: &Goal, sampled: &Sampled, miss: Option<f64>) -> String {
    let value = |output: &Output| match (output.of(sampled), Dimension::of_powers(output.powers)) {
        (Err(why), _) => why,
        (Ok(value), Some(dimension)) => print_quantity(to_digits(value, 5), dimension),
        (Ok(value), None) => format!("{} {}", to_digits(value, 5), unit(output.powers)),
    };
    let value = |output: &Output| value(output).trim_end().to_owned();
    let (left, right) = match goal {
        Goal::Equal(left, right) | Goal::AtMost(left, right) => (left, right),
        Goal::Minimise(output) | Goal::Maximise(output) => return value(output),
    };
    let met = match miss.unwrap_or_default().abs() {
        miss if miss <= TOLERANCE => "met".to_owned(),
        miss => format!("missed by {} of their mean", percent(miss)),
    };
    format!("{} and {}, {met}", value(left), value(right))
}

/// `w`, or `w=50um:150um`.
fn read_varied(text: &str, design: &Design) -> Result<Varied, String> {
    let (name, bounds) = match text.split_once('=') {
        Some((name, bounds)) => (name.trim(), bounds),
        None => {
            let varied = Varied::about(design, text.trim());
            return varied.map_err(|message| format!("--vary: {message} (NAME=LEAST:GREATEST)"));
        }
    };
    let Some(Sample::Amount(start, powers)) = nominal(design, name) else {
        return Err(format!(
            "--vary: the design has no variable `{name}` with a number"
        ));
    };
    let pair = bounds
        .split_once(':')
        .map(|(a, b)| (Sample::parse(a), Sample::parse(b)));
    match pair {
        Some((Sample::Amount(a, of_a), Sample::Amount(b, of_b)))
            if of_a == powers && of_b == powers && a < b =>
        {
            Ok(Varied {
                name: name.to_owned(),
                start,
                bounds: (a, b),
                powers,
            })
        }
        _ => Err(format!(
            "--vary: `{bounds}` are no bounds of `{name}`: write LEAST:GREATEST with units"
        )),
    }
}
