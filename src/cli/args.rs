//! Raw arguments, as clap reads them. [`super::request`] judges what clap can't.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

const EXAMPLES: &str = "\
Examples:
  stokeslet check designs/y-mixer.toml             only look for mistakes
  stokeslet components tee                         the parameters of a component
  stokeslet import network.json -o network.toml    a plain graph of channels becomes a design

Exit codes: 0 fine, 1 the input has errors, 2 could not run, 3 accuracy not met.";

/// Designs microfluidic chips and solves the Stokes flow of the whole chip.
#[derive(Debug, Parser)]
#[command(name = "stokeslet", version, after_help = EXAMPLES, arg_required_else_help = true)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Folder of component definitions of your own; they go before those of the same name that came with the program.
    #[arg(long, value_name = "DIR", global = true)]
    pub library: Option<PathBuf>,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look for mistakes in designs without solving them.
    Check(CheckArgs),
    /// List the component library, or show one component and its parameters.
    Components(ComponentsArgs),
    /// Turn a plain network of channels (JSON) into a design.
    Import(ImportArgs),
}

/// Of `check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    /// Design files, folders of them (*.toml), or patterns.
    #[arg(required = true, value_name = "DESIGN")]
    pub designs: Vec<PathBuf>,
}

/// Of `components`.
#[derive(Debug, clap::Args)]
pub struct ComponentsArgs {
    /// Show this one with its parameters; without it, list all.
    pub name: Option<String>,
    /// Draw the component (or all of them) into this folder.
    #[arg(long, value_name = "DIR")]
    pub svg: Option<PathBuf>,
}

/// Of `import`.
#[derive(Debug, clap::Args)]
pub struct ImportArgs {
    /// The network: nodes, channels, inlets and outlets as JSON.
    #[arg(value_name = "NETWORK.json")]
    pub network: PathBuf,
    /// The design file to write; `-` writes to stdout.
    #[arg(short, long, value_name = "DESIGN.toml")]
    pub output: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_of_the_arguments_is_sound() {
        Args::command().debug_assert();
    }
}
