//! `stokeslet layout`: a netlist becomes a drawing, and what that costs in flow.

use std::path::{Path, PathBuf};

use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, place};
use stokeslet::design::{Design, print};
use stokeslet::diagnostic::Severity;
use stokeslet::drawing::{Drawn, draw};
use stokeslet::export;
use stokeslet::rules::RuleKind;
use stokeslet::session::{Solution, SolveError, SolveSettings, WantedResults, progress, solve};
use stokeslet::table::Table;
use stokeslet::units::{Dimension, parse_quantity_as};

use super::inputs::is_same_file;
use super::load::Opened;
use super::outcome::{CliError, Outcome};
use super::{print_diagnostics, print_out, process};

/// Arguments of `layout`.
#[derive(Debug, clap::Args)]
pub struct LayoutArgs {
    /// The design, whose joints are links: what `import` makes of a netlist.
    #[arg(value_name = "NETLIST-DESIGN.toml")]
    pub design: PathBuf,
    /// The drawn design to write; `-` writes to stdout.
    #[arg(short, long, value_name = "DRAWN.toml")]
    pub output: PathBuf,
    /// Between walls of neighbouring channels [default: what --process asks for, else as much as the widest channel].
    #[arg(long, value_name = "LENGTH", allow_hyphen_values = true)]
    pub gap: Option<String>,
    /// A process whose least gap is kept, such as pdms, or its file.
    #[arg(long, value_name = "PROCESS")]
    pub process: Option<String>,
    /// Cell edges across a channel, for what the layout costs.
    #[arg(long, value_name = "R", default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=64))]
    pub resolution: u32,
    /// Only draw: don't solve for what the layout costs.
    #[arg(long)]
    pub no_solve: bool,
}

/// Draws the design, writes it, tells what stays a link and what the drawing costs.
///
/// # Errors
/// Files that can't be read or written, wrong values of flags, solves that fail.
pub fn run(args: &LayoutArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    if is_same_file(&args.output, &args.design) {
        let message = format!(
            "`{}` is the netlist to be drawn: give the drawn design another name with -o",
            args.output.display()
        );
        return Err(CliError::Usage { message });
    }
    let opened = Opened::new(&args.design, library, &[])?;
    let Some(design) = opened.loaded.design.as_ref() else {
        return Ok(Outcome::InputErrors);
    };
    if opened.loaded.errors() > 0 {
        return Ok(Outcome::InputErrors);
    }
    let Some(gap) = gap(args, design, library)? else {
        return Ok(Outcome::InputErrors);
    };
    let (drawn, said) = draw(design, &opened.library, gap);
    let shown = args.design.display().to_string();
    print_diagnostics(&said, &shown, &opened.loaded.text);
    let Some(drawn) = drawn else {
        return Ok(Outcome::InputErrors);
    };
    let text = format!(
        "# Drawn by `stokeslet layout` from the netlist {}: lengths of channels are the drawing's.\n\n{}",
        args.design
            .file_name()
            .map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
        print(&drawn.design)
    );
    if args.output == Path::new("-") {
        print_out(&text)?;
        return Ok(Outcome::Fine);
    }
    export::write_file(&args.output, text.as_bytes())?;
    print_out(&format!(
        "{}: {} of {} links drawn{}\n",
        args.output.display(),
        drawn.n_drawn,
        drawn.n_drawn
            + said
                .iter()
                .filter(|d| d.severity == Severity::Warning)
                .count(),
        named(&drawn)
    ))?;
    if args.no_solve {
        return Ok(Outcome::Fine);
    }
    let before = opened.loaded.chip.as_ref();
    let (after, _) = place(&drawn.design, &opened.library);
    if let (Some(before), Some(after)) = (before, &after) {
        print_out(&cost(before, after, args.resolution)?)?;
    }
    Ok(Outcome::Fine)
}

fn named(drawn: &Drawn) -> String {
    if drawn.left.is_empty() {
        return String::new();
    }
    format!("; still links: {}", drawn.left.join(", "))
}

/// The gap to keep; `None` inside where neither flag says, and outside where a process has mistakes, which are printed.
fn gap(
    args: &LayoutArgs,
    design: &Design,
    library: Option<&Path>,
) -> Result<Option<Option<f64>>, CliError> {
    let usage = |message: String| CliError::Usage { message };
    if let Some(text) = &args.gap {
        return match parse_quantity_as(text, Dimension::Length) {
            Ok(gap) if (1e-8..=1.0).contains(&gap) => Ok(Some(Some(gap))),
            _ => Err(usage(format!(
                "--gap: `{text}` is not a length from 10 nm to 1 m"
            ))),
        };
    }
    let Some(name) = &args.process else {
        return Ok(Some(None));
    };
    let Some(process) = process::find(name, library)? else {
        return Ok(None);
    };
    let mut widest: Option<f64> = None;
    for rule in process.rules.iter().filter(|r| r.kind == RuleKind::MinGap) {
        match rule.limit(design.depth.map(|depth| depth.0)) {
            Ok(limit) => widest = Some(widest.map_or(limit, |w| w.max(limit))),
            Err(fault) => {
                print_diagnostics(&[fault], name, "");
                return Ok(None);
            }
        }
    }
    // A hair more than the limit: rounding must not fall below it.
    Ok(Some(widest.map(|limit| limit * 1.001)))
}

fn cost(before: &Chip, after: &Chip, resolution: u32) -> Result<String, CliError> {
    let settings = SolveSettings {
        resolution,
        wanted: WantedResults::PortsOnly,
        ..SolveSettings::default()
    };
    let table = Table::default();
    let solved = |chip: &Chip| -> Result<Solution, SolveError> {
        let silent = &progress::silent;
        solve(chip, &settings, &table, silent, &CancelToken::new())
    };
    let (before, after) = (solved(before)?, solved(after)?);
    Ok(told(&before, &after, resolution))
}

/// What changed: the flow through the chip where pressures drive it, the power that flows need where they are given.
fn told(before: &Solution, after: &Solution, resolution: u32) -> String {
    let inflow = |s: &Solution| -> f64 { s.ports.iter().map(|p| p.flow_rate.max(0.0)).sum() };
    let power = |s: &Solution| -> f64 { s.ports.iter().map(|p| p.flow_rate * p.pressure).sum() };
    let (q, p) = (inflow(after) / inflow(before), power(after) / power(before));
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    if (q - 1.0).abs() > 1e-9 && q.is_finite() {
        match percent(q) {
            // Netlists whose links are much longer than what a drawing needs between the same parts.
            part if part > 100.0 => format!(
                "through the drawing flows {q:.1} times as much as through the links: its channels are shorter (resolution {resolution})\n"
            ),
            part if part > 0.0 => {
                format!("the layout gains {part:.1} % of the flow (resolution {resolution})\n")
            }
            part => {
                format!(
                    "the layout costs {:.1} % of the flow (resolution {resolution})\n",
                    -part
                )
            }
        }
    } else if p.is_finite() {
        format!(
            "the same flow takes {:+.1} % of power on the drawing (resolution {resolution})\n",
            percent(p)
        )
    } else {
        "nothing flows\n".to_owned()
    }
}
