//! `stokeslet gui`: opens the window.

use std::path::{Path, PathBuf};

use stokeslet_gui::liquids::systems;
use stokeslet_gui::{Start, run as open_window};

use super::outcome::{CliError, Outcome};

/// Arguments of `gui`.
#[derive(Debug, clap::Args)]
pub struct GuiArgs {
    /// The design file to open; without it, the examples.
    #[arg(value_name = "DESIGN")]
    pub design: Option<PathBuf>,
}

/// Returns when the window is closed. What is wrong with the design is said in the window.
///
/// # Errors
/// [`CliError::Window`]: no display, no OpenGL.
pub fn run(args: GuiArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    let start = Start {
        design: args.design,
        components: library.map(Path::to_owned),
        home: None,
    };
    systems::install(&stokeslet::SYSTEMS);
    open_window(&start).map_err(|error| CliError::Window(error.to_string()))?;
    Ok(Outcome::Fine)
}
