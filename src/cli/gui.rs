//! `stokeslet gui`: opens the window.

use std::path::Path;

use stokeslet::gui::{Start, run as open_window};

use super::args::GuiArgs;
use super::outcome::{CliError, Outcome};

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
    open_window(&start).map_err(|error| CliError::Window(error.to_string()))?;
    Ok(Outcome::Fine)
}
