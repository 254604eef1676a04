//! `stokeslet components`: the library, one component's parameters, pictures.

use std::path::{Path, PathBuf};

use stokeslet::diagnostic::Diagnostic;
use stokeslet::export::{ExportError, write_file};
use stokeslet::library::{Defaults, Library, describe, list, picture};
use thiserror::Error;

/// What examples and pictures take for the chip's width.
const EXAMPLE: Defaults = Defaults {
    width: 100e-6,
    depth: None,
};

/// What keeps components from being shown.
#[derive(Debug, Error)]
pub enum ComponentsError {
    /// No such component, or one whose defaults don't work.
    #[error("{}", .0.iter().map(say).collect::<Vec<_>>().join("; "))]
    Component(Vec<Diagnostic>),
    /// A picture that can't be written.
    #[error(transparent)]
    Write(#[from] ExportError),
}

fn say(diagnostic: &Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("{} ({}; {help})", diagnostic.message, diagnostic.code),
        None => format!("{} ({})", diagnostic.message, diagnostic.code),
    }
}

/// What to print; with a folder, also writes a picture of the component, or of all of them.
///
/// # Errors
/// [`ComponentsError`]
pub fn run(
    library: &Library,
    name: Option<&str>,
    svg_dir: Option<&Path>,
) -> Result<String, ComponentsError> {
    let mut text = match name {
        None => list(library),
        Some(name) => describe(library, name, &EXAMPLE).map_err(ComponentsError::Component)?,
    };
    if let Some(folder) = svg_dir {
        let names = match name {
            Some(name) => vec![name],
            None => library
                .definitions()
                .into_iter()
                .map(|d| d.name.as_str())
                .collect(),
        };
        text.push('\n');
        for name in names {
            let path = draw(library, name, folder)?;
            text.push_str(&format!("wrote {}\n", path.display()));
        }
    }
    Ok(text)
}

/// Writes `folder/name.svg`, whole or not at all.
fn draw(library: &Library, name: &str, folder: &Path) -> Result<PathBuf, ComponentsError> {
    let realisation = library
        .realise(name, &[], &EXAMPLE)
        .map_err(ComponentsError::Component)?;
    let doc = library.get(name).map_or("", |d| d.doc.as_str());
    let path = folder.join(format!("{name}.svg"));
    write_file(&path, picture(name, doc, &realisation).as_bytes())?;
    Ok(path)
}
