//! Raw arguments of `liquid`, as clap reads them.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;

use super::super::stepped::args::{FORMATS, camera};

const LIQUID_EXAMPLES: &str = "\
Examples:
  stokeslet liquid scenes                                      scenes, solvers, tables
  stokeslet liquid run circle --walls both --format png,csv    sticking beside separating walls
  stokeslet liquid run sphere --size 64 --frames 200 --resume  goes on where it was stopped
  stokeslet liquid run stairs-3d --solver iop-sep --size 48    a tank by a splitting method
  stokeslet liquid scenes course > mine.toml                   a scene file to start from
  stokeslet liquid run mine.toml --set solver=fas-mg,iop-sep   your own scene by two solvers, side by side
  stokeslet liquid table T6.1 --sizes 32,64                    ours beside the paper's
  stokeslet liquid table T4.2                                  the same for splitting methods
  stokeslet liquid figure F6.8,F4.15                           figures of the papers again";

/// Arguments of `liquid`.
#[derive(Debug, clap::Args)]
#[command(after_help = LIQUID_EXAMPLES)]
pub struct LiquidArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: LiquidCommand,
}

/// The subcommands of `liquid`.
#[derive(Debug, Subcommand)]
pub enum LiquidCommand {
    /// List scenes, solvers and tables, or print a scene as a file to start from.
    Scenes {
        /// Print this scene's file.
        scene: Option<String>,
    },
    /// Run a scene.
    Run(LiquidRunArgs),
    /// Run what a table of the papers ran; prints ours beside theirs, writes CSV and a picture.
    Table(LiquidTableArgs),
    /// Make figures of the papers again: numbers as CSV, and pictures.
    Figure(LiquidFigureArgs),
}

/// Arguments of `liquid run`.
#[derive(Debug, clap::Args)]
pub struct LiquidRunArgs {
    /// The scene, a tank of the splitting methods, or a file of your own (.toml).
    pub scene: String,
    /// Who solves the pressure problems [default: fas-mg; in tanks iop-sep-bc].
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Change a setting of the scene, e.g. --set gravity=-3.7 --set leaving=near; repeat for more. A list as solver=fas-mg,iop-sep makes
    /// runs side by side. An unknown setting is refused with those there are. Not for tanks.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Cells a side [default: 64, or what the file says]. Time grows like N^3 in the plane and N^4 in space.
    #[arg(long, value_name = "N", value_parser = at_least_8)]
    pub size: Option<usize>,
    /// Frames of 0.01 s; in tanks steps [default: 100, or what the file's duration needs].
    #[arg(long, value_name = "N")]
    pub frames: Option<usize>,
    /// Whether liquid may leave walls [default: separating, or what the file says]; both runs the scene twice and draws the two side by
    /// side. In tanks the method says which; both draws OrigPS beside it.
    #[arg(long, value_parser = PossibleValuesParser::new(["separating", "sticking", "both"]))]
    pub walls: Option<String>,
    /// Where results go.
    #[arg(long, value_name = "DIR", default_value = "results/liquid")]
    pub out: PathBuf,
    /// What to write: pictures, a film strip of at most eight of them (strip; none of before --resume), the log, particles
    /// (vtu, ply); of scenes also fields on cells (vti), in space the liquid's surface
    /// (obj, mesh.ply) and the walls' (walls.obj, walls.ply), the pressure problem with a solution (npz) and the residuals of every
    /// solve (solves).
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', default_value = "png,csv",
          value_parser = PossibleValuesParser::new(FORMATS))]
    pub format: Vec<String>,
    /// Longer side of pictures, pixels [default: 512 to 832, as the system has it].
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(64..=8192))]
    pub picture_size: Option<u32>,
    /// Where pictures in space are taken from: turned about the vertical and tilted down, degrees.
    #[arg(long, value_name = "TURN,TILT", allow_hyphen_values = true, value_parser = camera)]
    pub camera: Option<[f64; 2]>,
    /// Pictures and particles of every so many frames, and of the last.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_1)]
    pub every: usize,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Whether to make up for volume that is lost or gained, and to start with particles enough for that: within 1 % over hundreds of
    /// frames, but for sprays [default: true, or what your file says]. The papers and their tables do without: --keep-volume=false.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub keep_volume: Option<bool>,
    /// Go on from the last checkpoint of the same run, if there is one.
    #[arg(long)]
    pub resume: bool,
}

/// Arguments of `liquid table`.
#[derive(Debug, clap::Args)]
pub struct LiquidTableArgs {
    /// Its number, such as T6.1, or several: T6.1,T6.7,T6.9 share one run.
    #[arg(value_name = "TABLE,...", required = true, value_delimiter = ',')]
    pub tables: Vec<String>,
    /// Cells a side [default: 32; of tables of splitting methods as listed]. 64 in space takes minutes, 128 hours for tables over 100
    /// frames.
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = at_least_8)]
    pub sizes: Vec<usize>,
    /// Frames to average over [default: 100]; of tables of splitting methods steps [default: as listed].
    #[arg(long, value_name = "N", value_parser = at_least_1)]
    pub frames: Option<usize>,
    /// Only these solvers [default: the table's, without those that take hours at a size]. Tables of splitting methods have theirs.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub solvers: Vec<String>,
    /// Where results go.
    #[arg(long, value_name = "DIR", default_value = "results/liquid")]
    pub out: PathBuf,
    /// Threads to work with [default: one per processor]. Counts don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Keep the sizes that are done.
    #[arg(long)]
    pub resume: bool,
}

/// Arguments of `liquid figure`.
#[derive(Debug, clap::Args)]
pub struct LiquidFigureArgs {
    /// Its number, such as F6.8, or several: F5.1,F5.6.
    #[arg(value_name = "FIGURE,...", required = true, value_delimiter = ',')]
    pub figures: Vec<String>,
    /// Cells a side [default: as listed].
    #[arg(long, value_name = "N", value_parser = at_least_8)]
    pub size: Option<usize>,
    /// Frames of 0.01 s, of tanks steps [default: as listed].
    #[arg(long, value_name = "N", value_parser = at_least_1)]
    pub frames: Option<usize>,
    /// Where results go.
    #[arg(long, value_name = "DIR", default_value = "results/liquid")]
    pub out: PathBuf,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
}

impl LiquidRunArgs {
    /// Cells a side of what comes with the program.
    pub fn cells(&self) -> usize {
        self.size.unwrap_or(64)
    }

    /// Whether what comes with the program keeps its volume.
    pub fn keeps_volume(&self) -> bool {
        self.keep_volume.unwrap_or(true)
    }

    /// What walls do in what comes with the program.
    pub fn walls(&self) -> &str {
        self.walls.as_deref().unwrap_or("separating")
    }
}

fn at_least(least: usize, text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(n) if (least..=1024).contains(&n) => Ok(n),
        _ => Err(format!("a number from {least} to 1024")),
    }
}

fn at_least_1(text: &str) -> Result<usize, String> {
    at_least(1, text)
}

fn at_least_8(text: &str) -> Result<usize, String> {
    at_least(8, text)
}
