//! `stokeslet apic`: incompressible flow by PIC, FLIP, XPIC and APIC transfers ([004], chapter 3), run from scene files, and what each
//! transfer loses.

use clap::Subcommand;

use super::outcome::{CliError, Outcome};
use super::stepped::args::SiblingCommand;
use super::stepped::{on_threads, sibling};

mod fourier;

pub use fourier::FourierArgs;

const EXAMPLES: &str = "\
Examples:
  stokeslet apic run taylor-green                              vortices; results in results/apic-taylor-green/
  stokeslet apic run inlet --set transfer=apic,flip,pic        three transfers side by side
  stokeslet apic run shedding --set transfer=xpic --set order=5
  stokeslet apic scenes inlet > mine.toml                      a file to start from
  stokeslet apic fourier --size 512                            what survives a round trip, as pictures
  stokeslet apic table Y1,Y2                                   errors and orders beside the thesis's";

/// Arguments of `apic`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ApicArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ApicCommand,
}

/// Its subcommands.
#[derive(Debug, Subcommand)]
pub enum ApicCommand {
    /// Those of every sibling.
    #[command(flatten)]
    Sibling(SiblingCommand),
    /// Draw what each transfer loses, by wavelength: pictures of eigenvalues and tables of their sections.
    Fourier(FourierArgs),
}

/// Runs one of its subcommands.
///
/// # Errors
/// What keeps it from going on.
pub fn run(args: &ApicArgs) -> Result<Outcome, CliError> {
    match &args.command {
        ApicCommand::Sibling(command) => sibling::run("apic", command),
        ApicCommand::Fourier(args) => on_threads(args.threads, |cancel| fourier::run(args, cancel)),
    }
}
