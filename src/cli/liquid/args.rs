//! Raw arguments of `liquid`, as clap reads them.

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;

const LIQUID_EXAMPLES: &str = "\
Examples:
  stokeslet liquid scenes                                      scenes, solvers, tables
  stokeslet liquid run circle --walls both --format png,csv    sticking beside separating walls
  stokeslet liquid run sphere --size 64 --frames 200 --resume  goes on where it was stopped
  stokeslet liquid run stairs-3d --solver iop-sep --size 48    a tank by a splitting method
  stokeslet liquid table T6.1 --sizes 32,64                    ours beside the paper's
  stokeslet liquid table T4.2                                  the same for splitting methods";

/// Of `liquid`.
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
    /// List scenes, solvers and tables.
    Scenes,
    /// Run a scene.
    Run(LiquidRunArgs),
    /// Run what a table of the papers ran; prints ours beside theirs, writes CSV and a picture.
    Table(LiquidTableArgs),
}

/// Of `liquid run`.
#[derive(Debug, clap::Args)]
pub struct LiquidRunArgs {
    /// The scene, or a tank of the splitting methods.
    pub scene: String,
    /// Who solves the pressure problems [default: fas-mg; in tanks iop-sep-bc].
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Cells a side. Time grows like N^3 in the plane and N^4 in space.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = at_least_8)]
    pub size: usize,
    /// Frames of 0.01 s; in tanks steps.
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub frames: usize,
    /// Whether liquid may leave walls; both runs the scene twice and draws the two side by side. In tanks the method says which; both
    /// draws OrigPS beside it.
    #[arg(long, default_value = "separating",
          value_parser = PossibleValuesParser::new(["separating", "sticking", "both"]))]
    pub walls: String,
    /// Where results go.
    #[arg(long, value_name = "DIR", default_value = "results/liquid")]
    pub out: PathBuf,
    /// What to write.
    #[arg(long, value_name = "FORMATS", value_delimiter = ',', default_value = "png,csv",
          value_parser = PossibleValuesParser::new(["vtu", "png", "csv"]))]
    pub format: Vec<String>,
    /// Pictures and particles of every so many frames, and of the last.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = at_least_1)]
    pub every: usize,
    /// Threads to work with [default: one per processor]. Results don't depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub threads: Option<u16>,
    /// Make up for volume that is lost or gained, and start with particles enough for that: within 1 % over hundreds of frames.
    /// The papers don't.
    #[arg(long)]
    pub keep_volume: bool,
    /// Go on from the last checkpoint of the same run, if there is one.
    #[arg(long)]
    pub resume: bool,
}

/// Of `liquid table`.
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
