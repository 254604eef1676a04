//! `stokeslet export`: designs as outlines for the workshop, without a solve.

use std::path::Path;
use std::time::Instant;

use stokeslet::chip::drawn;
use stokeslet::outline::{Format, Outlines, Polarity, Settings, Solid, write};

use super::args::ExportArgs;
use super::check::count;
use super::inputs::expand;
use super::load::{find_library, load, read_settings};
use super::outcome::{CliError, Outcome};
use super::request::parse_length;
use super::{print_chain, print_out};

/// Writes every design in every format asked for, and prints a line per file.
///
/// # Errors
/// Settings that mean nothing, and what keeps it from looking at any design.
pub fn run(args: &ExportArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let formats = formats(&args.format);
    if args.layer == "control" && formats != [Format::Mask] {
        return Err(CliError::Usage {
            message:
                "--layer control is for masks alone: --format mask; DXF and GDSII have all layers"
                    .to_owned(),
        });
    }
    let settings = settings(args)?;
    let set = read_settings(&args.set)?;
    let library = find_library(library)?;
    let begin = Instant::now();
    let mut worst = Outcome::Fine;
    for input in expand(&args.designs)? {
        let clock = || begin.elapsed().as_secs_f64();
        let loaded = match load(&input.path, &input.name, &library, (None, &set), &clock) {
            Ok(loaded) => loaded,
            Err(error) => {
                print_chain(&error);
                worst = worst.max(Outcome::CouldNotRun);
                continue;
            }
        };
        loaded.print_diagnostics(&input.path);
        let Some(chip) = loaded.chip.as_ref().filter(|_| loaded.errors() == 0) else {
            worst = worst.max(Outcome::InputErrors);
            continue;
        };
        let links = loaded
            .design
            .as_ref()
            .map_or(0, |design| design.links.len());
        let drawn = loaded
            .design
            .as_ref()
            .filter(|_| links > 0)
            .map(|design| drawn(design, chip));
        if drawn.is_some() {
            eprintln!(
                "warning: {}: {} left out of all but ParchMint: a link has no place",
                input.path.display(),
                count(links, "link")
            );
        }
        let outlined = |chip| match &loaded.design {
            Some(design) => Outlines::new(chip).with_design(design, &library),
            None => Outlines::new(chip),
        };
        let whole = outlined(chip);
        let placed = drawn.as_ref().map(outlined);
        for &format in &formats {
            let outlines = match &placed {
                Some(placed) if format != Format::Parchmint => placed,
                _ => &whole,
            };
            let bytes = match write(format, outlines, &settings) {
                Ok(bytes) => bytes,
                Err(error) => {
                    eprintln!(
                        "error: {} as {}: {error}",
                        input.path.display(),
                        format.name()
                    );
                    worst = worst.max(Outcome::InputErrors);
                    continue;
                }
            };
            let path = args
                .out
                .join(format!("{}{}", input.folder, settings.ending(format)));
            stokeslet::export::write_file(&path, &bytes)?;
            let design = loaded.design.as_ref();
            let n_overlays = design.map_or(0, |design| design.overlays.len());
            if n_overlays > 0 && !format.has_overlays() {
                eprintln!(
                    "warning: {}: {} of [control] and [notes] left out: {} has no layers for them",
                    input.path.display(),
                    count(n_overlays, "shape"),
                    format.name()
                );
            }
            if outlines.chip.has_depths() && !format.tells_depths() {
                eprintln!(
                    "warning: {}: parts differ in depth, and {} holds the outline of all together; gds has a datatype for each depth",
                    input.path.display(),
                    format.name()
                );
            }
            if settings.is_control {
                print_out(&format!(
                    "{}: {} bytes; the control layer\n",
                    path.display(),
                    bytes.len()
                ))?;
                continue;
            }
            let (islands, holes) = outlines.islands_and_holes();
            let area = outlines.area() * 1e6;
            print_out(&format!(
                "{}: {} bytes; {area:.6} mm2, {} with {}\n",
                path.display(),
                bytes.len(),
                count(islands, "island"),
                count(holes, "hole")
            ))?;
        }
    }
    Ok(worst)
}

/// In the table's order, each once.
fn formats(names: &[String]) -> Vec<Format> {
    let mut formats: Vec<Format> = names.iter().filter_map(|f| Format::from_name(f)).collect();
    formats.sort_unstable();
    formats.dedup();
    formats
}

fn settings(args: &ExportArgs) -> Result<Settings, CliError> {
    let length = |option: &str, text: &Option<String>, default: f64| match text {
        Some(text) => parse_length(option, text),
        None => Ok(default),
    };
    let usual = Settings::default();
    let depth = args.depth.as_deref();
    let settings = Settings {
        tolerance: length("--tolerance", &args.tolerance, usual.tolerance)?,
        grid: length("--grid", &args.grid, usual.grid)?,
        is_flat: args.flat,
        margin: length("--margin", &args.margin, usual.margin)?,
        solid: if args.solid == "block" {
            Solid::Block
        } else {
            Solid::Channel
        },
        floor: length("--floor", &args.floor, usual.floor)?,
        has_patches: args.patches,
        polarity: if args.polarity == "clear" {
            Polarity::Clear
        } else {
            Polarity::Dark
        },
        is_control: args.layer == "control",
        depth: depth
            .map(|text| parse_length("--depth", text))
            .transpose()?,
    };
    settings.validate().map_err(|error| CliError::Usage {
        message: error.to_string(),
    })?;
    Ok(settings)
}
