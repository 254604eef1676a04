//! `stokeslet format`: the page of the design format, or its JSON schema.

use std::path::Path;

use stokeslet::design::{format_page, json_schema};

use super::args::FormatArgs;
use super::load::find_library;
use super::outcome::{CliError, Outcome};
use super::print_out;

/// Prints the page or the schema; the schema offers the components of the library.
///
/// # Errors
/// A library with mistakes.
pub fn run(args: &FormatArgs, library: Option<&Path>) -> Result<Outcome, CliError> {
    if !args.schema {
        print_out(&format_page())?;
        return Ok(Outcome::Fine);
    }
    let library = find_library(library)?;
    let kinds: Vec<(String, String)> = library
        .definitions()
        .into_iter()
        .map(|d| (d.name.clone(), d.doc.clone()))
        .collect();
    print_out(&format!("{:#}\n", json_schema(&kinds)))?;
    Ok(Outcome::Fine)
}
