//! Arguments of `solve` become a validated request: every number read, every file found.

use std::path::PathBuf;

use stokeslet::METHODS;
use stokeslet::design::{DepthModel, Setting};
use stokeslet::export::{Colouring, Format};
use stokeslet::field::Line;
use stokeslet::geometry::Point;
use stokeslet::quantities;
use stokeslet::session::{Corners, DepthSettings, Method, WantedResults};
use stokeslet::stokes::duct::socket::DuctProfile;
use stokeslet::table::Caching;
use stokeslet::units::{Dimension, parse_quantity_as};

use super::args::SolveArgs;
use super::inputs::{Input, expand_into};
use super::outcome::CliError;
use super::results_table;
use super::species::SpeciesRequest;
use super::traces::Seeds;

/// Most points of one line: a file of some hundred megabytes.
const MAX_LINE_POINTS: usize = 1_000_000;

/// Most streamlines of one argument: a file of some hundred megabytes.
const MAX_STREAMLINES: usize = 10_000;

/// What is written unless told otherwise.
const FORMATS: [Format; 4] = [Format::Json, Format::Vtu, Format::Svg, Format::Csv];

/// What can be written without fields.
const FORMATS_OF_PORTS: [Format; 2] = [Format::Json, Format::Csv];

/// A validated request to solve.
pub struct SolveRequest {
    /// In the order of the arguments, folders and patterns sorted by name.
    pub inputs: Vec<Input>,
    /// Overrides the designs.
    pub resolution: Option<u32>,
    /// Overrides the designs.
    pub model: Option<DepthModel>,
    /// Variables of the designs, set to other values.
    pub settings: Vec<Setting>,
    /// How chips in three dimensions are solved.
    pub depth: DepthSettings,
    /// What is done about sharp inner corners.
    pub corners: Corners,
    /// Where results go.
    pub out: PathBuf,
    /// Without repeats.
    pub formats: Vec<Format>,
    /// To work with.
    pub threads: usize,
    /// Who eliminates.
    pub method: &'static dyn Method,
    /// Whether equal operations are computed once.
    pub caching: Caching,
    /// As given, bytes.
    pub memory_limit: Option<u64>,
    /// m.
    pub probes: Vec<Point>,
    /// m.
    pub lines: Vec<Line>,
    /// To follow.
    pub streamlines: Vec<Seeds>,
    /// Whether to write the shear along walls.
    pub walls: bool,
    /// Colouring of the picture.
    pub colouring: Colouring,
    /// What is asked of dissolved species.
    pub species: SpeciesRequest,
    /// Stream lines that tracers follow, about.
    pub tracers: Option<usize>,
    /// What to compute.
    pub wanted: WantedResults,
    /// What to tell of errors.
    pub errors: Errors,
    /// Whether to tell where the time went.
    pub profiling: Profiling,
    /// Whether to skip what is done.
    pub resume: Resume,
}

/// What is asked of the errors of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Errors {
    /// Nothing.
    Unknown,
    /// An estimate.
    Estimate,
    /// The resolution at which the relative estimate is at most this.
    AtMost(f64),
}

/// Whether solves are profiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profiling {
    /// No.
    Off,
    /// A table, and two files beside the results.
    On,
}

/// What to do with designs whose results are there and still true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Solve them again.
    SolveAgain,
    /// Leave them.
    SkipDone,
}

impl SolveRequest {
    /// Judges what clap could not.
    ///
    /// # Errors
    /// The first argument that is wrong, with what would be right.
    pub fn new(args: SolveArgs) -> Result<Self, CliError> {
        let wanted = match args.ports_only {
            true => WantedResults::PortsOnly,
            false => WantedResults::All,
        };
        let species = SpeciesRequest::new(&args)?;
        Ok(Self {
            settings: super::load::read_settings(&args.set)?,
            species,
            tracers: args.tracers.map(usize::from),
            resolution: args.resolution,
            model: args.model.as_deref().and_then(DepthModel::of_name),
            depth: DepthSettings {
                layers: args.layers,
                whole: args.whole_depth,
                profile: match args.inflow.as_str() {
                    "bi-quadratic" => DuctProfile::BiQuadratic,
                    _ => DuctProfile::Series,
                },
            },
            corners: match args.corners.as_str() {
                "graded" => Corners::Graded,
                _ => Corners::Plain,
            },
            formats: formats(&args.format, wanted)?,
            wanted,
            errors: match &args.accuracy {
                Some(text) => Errors::AtMost(parse_accuracy(text)?),
                None if args.error => Errors::Estimate,
                None => Errors::Unknown,
            },
            profiling: match args.profile {
                true => Profiling::On,
                false => Profiling::Off,
            },
            threads: match args.threads {
                Some(n) => usize::from(n),
                None => std::thread::available_parallelism().map_or(1, usize::from),
            },
            method: METHODS
                .into_iter()
                .find(|m| m.name() == args.method)
                .unwrap_or(METHODS[0]),
            caching: if args.no_cache {
                Caching::Uncached
            } else {
                Caching::Cached
            },
            memory_limit: args.memory_limit.as_deref().map(parse_memory).transpose()?,
            probes: args
                .probe
                .iter()
                .map(|p| parse_point("--probe", p))
                .collect::<Result<_, _>>()?,
            lines: args
                .line
                .iter()
                .map(|l| parse_line(l))
                .collect::<Result<_, _>>()?,
            streamlines: args
                .streamlines
                .iter()
                .map(|text| parse_seeds(text))
                .collect::<Result<_, _>>()?,
            walls: args.walls,
            colouring: quantities::named(&args.picture)
                .map_or_else(Colouring::default, Colouring::Flow),
            resume: if args.resume {
                Resume::SkipDone
            } else {
                Resume::SolveAgain
            },
            inputs: expand_into(&args.designs, &results_table::known(&args.out))?,
            out: args.out,
        })
    }
}

/// The formats of these names, or those that are usual for what is wanted; in order, each once.
fn formats(names: &[String], wanted: WantedResults) -> Result<Vec<Format>, CliError> {
    let usual: &[Format] = match wanted {
        WantedResults::All => &FORMATS,
        WantedResults::PortsOnly => &FORMATS_OF_PORTS,
    };
    if names.is_empty() {
        return Ok(usual.to_vec());
    }
    let mut formats: Vec<Format> = names.iter().filter_map(|f| Format::from_name(f)).collect();
    formats.sort_unstable();
    formats.dedup();
    let without_fields = |f: &&Format| FORMATS_OF_PORTS.contains(f);
    match formats.iter().find(|f| !without_fields(f)) {
        Some(format) if wanted == WantedResults::PortsOnly => Err(usage(format!(
            "--ports-only computes no fields, which `--format {}` needs; leave one of them out (json and csv go together with --ports-only)",
            format.name()
        ))),
        _ => Ok(formats),
    }
}

fn usage(message: String) -> CliError {
    CliError::Usage { message }
}

/// A length: a plain number is metres.
pub fn parse_length(option: &str, text: &str) -> Result<f64, CliError> {
    let text = text.trim();
    let value = match text.parse::<f64>() {
        Ok(metres) => metres,
        Err(_) => parse_quantity_as(text, Dimension::Length).map_err(|e| {
            usage(format!(
                "{option}: {e}; {}",
                e.help(Some(Dimension::Length))
            ))
        })?,
    };
    if value.is_finite() {
        Ok(value)
    } else {
        Err(usage(format!("{option}: `{text}` is not a finite length")))
    }
}

fn parse_point(option: &str, text: &str) -> Result<Point, CliError> {
    let Some((x, y)) = text.split_once(',') else {
        return Err(usage(format!(
            "{option}: `{text}` is not a point; write X,Y, such as \"1 mm,0.5 mm\""
        )));
    };
    Ok(Point::new(
        parse_length(option, x)?,
        parse_length(option, y)?,
    ))
}

/// `24`, `inlet:8`, `1 mm,0.5 mm`.
fn parse_seeds(text: &str) -> Result<Seeds, CliError> {
    const OPTION: &str = "--streamlines";
    if text.contains(',') {
        return Ok(Seeds::Through(parse_point(OPTION, text)?));
    }
    let (port, n) = match text.rsplit_once(':') {
        Some((port, n)) => (Some(port.trim().to_owned()), n),
        None => (None, text),
    };
    let n = match n.trim().parse::<usize>() {
        Ok(n) if (1..=MAX_STREAMLINES).contains(&n) => n,
        _ => {
            return Err(usage(format!(
                "{OPTION}: `{n}` is not a number of lines from 1 to {MAX_STREAMLINES}; write N, PORT:N, or a point such as \"1 mm,0.5 mm\""
            )));
        }
    };
    Ok(match port {
        Some(port) => Seeds::Across(port, n),
        None => Seeds::Inlets(n),
    })
}

fn parse_line(text: &str) -> Result<Line, CliError> {
    const OPTION: &str = "--line";
    let parts: Vec<&str> = text.split(':').collect();
    let &[from, to, n] = parts.as_slice() else {
        return Err(usage(format!(
            "{OPTION}: `{text}` is not a line; write X0,Y0:X1,Y1:N, such as \"0 mm,0 mm:2 mm,0 mm:101\""
        )));
    };
    let n = match n.trim().parse::<usize>() {
        Ok(n) if (2..=MAX_LINE_POINTS).contains(&n) => n,
        _ => {
            return Err(usage(format!(
                "{OPTION}: `{n}` is not a number of points from 2 to {MAX_LINE_POINTS}"
            )));
        }
    };
    Ok(Line {
        from: parse_point(OPTION, from)?,
        to: parse_point(OPTION, to)?,
        n,
    })
}

/// `0.5%`, `0.005`.
fn parse_accuracy(text: &str) -> Result<f64, CliError> {
    let trimmed = text.trim();
    let (number, unit) = match trimmed.strip_suffix('%') {
        Some(percent) => (percent.trim(), 0.01),
        None => (trimmed, 1.0),
    };
    let value = number.parse::<f64>().map(|x| x * unit).ok();
    value.filter(|x| (1e-6..=0.5).contains(x)).ok_or_else(|| {
        usage(format!(
            "--accuracy: `{text}` is not a relative error from 0.0001% to 50%; write 0.5% or 0.005"
        ))
    })
}

/// `8GiB`, `512 MB`, `2G` (a power of 1024, as with `GiB`), or plain bytes.
fn parse_memory(text: &str) -> Result<u64, CliError> {
    let wrong = || {
        usage(format!(
            "--memory-limit: `{text}` is not a size; write a number and KiB, MiB, GiB or TiB, such as 8GiB"
        ))
    };
    let trimmed = text.trim();
    let split = trimmed
        .find(|c: char| c.is_ascii_alphabetic())
        .unwrap_or(trimmed.len());
    let number: f64 = trimmed[..split].trim().parse().map_err(|_| wrong())?;
    let factor: f64 = match trimmed[split..].to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1_048_576.0,
        "g" | "gib" => 1_073_741_824.0,
        "t" | "tib" => 1_099_511_627_776.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(wrong()),
    };
    let bytes = number * factor;
    // Below 2^60 every byte count is a whole number that fits.
    if (1.0..1e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_fields_only_formats_of_ports_are_written() {
        let names = |text: &str| text.split(',').map(String::from).collect::<Vec<_>>();
        let all = formats(&[], WantedResults::All).unwrap();
        assert_eq!(all, FORMATS, "the usual ones");
        let ports = formats(&[], WantedResults::PortsOnly).unwrap();
        assert_eq!(ports, FORMATS_OF_PORTS, "fewer without fields");
        for format in Format::ALL {
            let chosen = formats(&names(format.name()), WantedResults::PortsOnly);
            assert_eq!(
                chosen.is_ok(),
                FORMATS_OF_PORTS.contains(&format),
                "{format:?}"
            );
        }
        let twice = formats(&names("csv,json,csv"), WantedResults::PortsOnly).unwrap();
        assert_eq!(twice, [Format::Json, Format::Csv], "in order, once");
    }

    #[test]
    fn accuracies_are_parts_or_percents() {
        for (text, want) in [("0.5%", 0.005), (" 1 % ", 0.01), ("1e-3", 1e-3)] {
            let got = parse_accuracy(text).unwrap();
            assert!((got / want - 1.0).abs() < 1e-12, "{text}: {got}");
        }
        for text in ["", "0", "-1%", "60%", "nan", "1 permille", "%"] {
            assert!(parse_accuracy(text).is_err(), "`{text}` is no accuracy");
        }
    }

    #[test]
    fn sizes_are_read_with_their_units() {
        for (text, want) in [
            ("8GiB", 8 << 30),
            ("512 MB", 512_000_000),
            ("1.5g", 3 << 29),
            ("4096", 4096),
            ("2 TiB", 2 << 40),
        ] {
            assert_eq!(parse_memory(text).unwrap(), want, "{text}");
        }
        for text in ["", "GiB", "-1GiB", "8 GiBs", "NaN", "1e300TiB", "0", "8µB"] {
            assert!(parse_memory(text).is_err(), "`{text}` is not a size");
        }
    }

    #[test]
    fn points_and_lines_take_metres_and_quantities() {
        assert_eq!(
            parse_point("--probe", "1 mm,-2e-3").unwrap(),
            Point::new(1e-3, -2e-3)
        );
        let line = parse_line("0,0 : 1 mm, 2 mm : 11").unwrap();
        assert_eq!((line.to, line.n), (Point::new(1e-3, 2e-3), 11));
        for text in ["1 mm", "1 mm;2 mm", "1 mPa,0", "inf,0", "a,b", "1,2,3"] {
            assert!(
                parse_point("--probe", text).is_err(),
                "`{text}` is not a point"
            );
        }
        for text in [
            "0,0:1,1",
            "0,0:1,1:1",
            "0,0:1,1:x",
            "0:1:2",
            "0,0:1,1:-5",
            "0,0:1,1:99999999999",
        ] {
            assert!(parse_line(text).is_err(), "`{text}` is not a line");
        }
    }
}
