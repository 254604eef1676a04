//! `stokeslet import`: a plain network of channels becomes a design file.

use std::fs;
use std::path::Path;

use stokeslet::diagnostic::Severity;
use stokeslet::{design, export, import};

use super::args::ImportArgs;
use super::outcome::{CliError, Outcome};
use super::{print_diagnostics, print_out};

/// Reads the network, prints what is wrong with it, writes the design.
///
/// # Errors
/// Files that can't be read or written.
pub fn run(args: &ImportArgs) -> Result<Outcome, CliError> {
    let bytes = fs::read(&args.network).map_err(|source| CliError::Read {
        path: args.network.clone(),
        source,
    })?;
    let to_stdout = args.output == Path::new("-");
    let named_after = if to_stdout {
        &args.network
    } else {
        &args.output
    };
    let name = named_after
        .file_stem()
        .map_or_else(|| "network".into(), |s| s.to_string_lossy());
    let text = String::from_utf8_lossy(&bytes);
    let (network, diagnostics) = import::network(&text, &name);
    print_diagnostics(&diagnostics, &args.network.display().to_string(), &text);
    let Some(network) =
        network.filter(|_| diagnostics.iter().all(|d| d.severity != Severity::Error))
    else {
        return Ok(Outcome::InputErrors);
    };
    let printed = design::print(&network);
    if to_stdout {
        print_out(&printed)?;
        return Ok(Outcome::Fine);
    }
    export::write_file(&args.output, printed.as_bytes())?;
    print_out(&format!(
        "{}: {} components, {} ports\n",
        args.output.display(),
        network.components.len() + network.channels.len(),
        network.ports.len()
    ))?;
    Ok(Outcome::Fine)
}
