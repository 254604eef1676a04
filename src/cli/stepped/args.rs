//! Raw arguments of the sibling systems that are described by scene files, as clap reads them.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use stokeslet::dynamics::report::table::At;
use stokeslet::dynamics::stepped::TableRequest;

/// What runs can write; each system has some of it.
pub const FORMATS: [&str; 12] = [
    "png",
    "strip",
    "csv",
    "vtu",
    "vti",
    "ply",
    "obj",
    "mesh.ply",
    "walls.obj",
    "walls.ply",
    "npz",
    "solves",
];

/// Arguments of `particles` and `contact`; `apic` has one subcommand more.
#[derive(Debug, clap::Args)]
pub struct SiblingArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SiblingCommand,
}

/// Their subcommands.
#[derive(Debug, Subcommand)]
pub enum SiblingCommand {
    /// List the scenes that come with the program, or print one as a file to start from.
    Scenes(ScenesArgs),
    /// Run a scene.
    Run(RunArgs),
    /// Run what the paper ran; prints ours beside theirs, with what is accepted.
    Table(TableArgs),
}

/// Arguments of `scenes`.
#[derive(Debug, clap::Args)]
pub struct ScenesArgs {
    /// Print this scene's file.
    pub scene: Option<String>,
}

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// The scene: its name, or a file of your own (.toml).
    pub scene: String,
    /// Size to run, of a scene with several, such as paper [default: the small one].
    #[arg(long, value_name = "NAME")]
    pub size: Option<String>,
    /// Change a setting of the solver, e.g. --set solver=active-set; repeat for more. A list as transfer=apic,flip makes runs side by side.
    /// An unknown setting is refused with those there are.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Steps to make [default: what the scene's duration needs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub steps: Option<u32>,
    /// Where results go: a folder of its own for each scene, and each of its sizes.
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// What to write: pictures, a film strip of at most eight of them (strip; none of before --resume), the log, particles
    /// (vtu, ply), fields on cells (vti: `apic`, `liquid`), and of liquids in space the surface
    /// (obj, mesh.ply) and that of the walls (walls.obj, walls.ply), the pressure problem (npz) and the residuals of every solve (solves).
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', default_value = "png,csv",
          value_parser = PossibleValuesParser::new(FORMATS))]
    pub format: Vec<String>,
    /// Longer side of pictures, pixels [default: 512 to 832, as the system has it].
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(64..=8192))]
    pub picture_size: Option<u32>,
    /// Where pictures in space are taken from: turned about the vertical and tilted down, degrees.
    #[arg(long, value_name = "TURN,TILT", allow_hyphen_values = true, value_parser = camera)]
    pub camera: Option<[f64; 2]>,
    /// Pictures and files of every so many steps, and of the last [default: 20 over the run].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: Option<u32>,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Go on from the last checkpoint of the same run, if there is one.
    #[arg(long)]
    pub resume: bool,
}

/// Arguments of `table`.
#[derive(Debug, clap::Args)]
pub struct TableArgs {
    /// Which: examples of the paper (particles), scenes (contact), studies X2 to Y6 (apic) [default: all].
    #[arg(value_name = "NAME,...", value_delimiter = ',')]
    pub names: Vec<String>,
    /// At the paper's size where a scene has a small one too; minutes for some, much longer for the sand of `contact`.
    #[arg(long)]
    pub paper: bool,
    /// Simulate at most so many seconds of each scene of `contact`; what is expected later stays unmeasured [default: 10 where all
    /// scenes are asked for, else until nothing more is expected].
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
}

/// Two angles in degrees, as radians.
///
/// # Errors
/// What isn't two numbers, or looks from below.
pub fn camera(text: &str) -> Result<[f64; 2], String> {
    let numbers: Vec<f64> = text
        .split(',')
        .filter_map(|part| part.trim().parse().ok())
        .collect();
    match numbers[..] {
        [turn, tilt] if turn.abs() <= 360.0 && (-90.0..=90.0).contains(&tilt) => {
            Ok([turn.to_radians(), tilt.to_radians()])
        }
        _ => Err("two angles such as 30,20: a turn within 360 and a tilt within 90 degrees".into()),
    }
}

impl TableArgs {
    /// What is asked for.
    pub fn request(&self) -> TableRequest {
        TableRequest {
            at: match self.paper {
                true => At::Paper,
                false => At::Small,
            },
            seconds: self.seconds.unwrap_or(match self.names.is_empty() {
                true => 10.0,
                false => f64::INFINITY,
            }),
        }
    }
}
