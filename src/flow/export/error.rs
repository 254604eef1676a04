//! Why results could not be written.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why results could not be written.
#[derive(Debug, Error)]
#[error("can't {action} `{}`", path.display())]
pub struct ExportError {
    /// What was tried: `create the folder`, `write`.
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl ExportError {
    /// Turns an I/O error into one that says what was tried on which path.
    pub fn on<'a>(
        action: &'static str,
        path: &'a Path,
    ) -> impl FnOnce(io::Error) -> ExportError + 'a {
        move |source| ExportError {
            action,
            path: path.to_path_buf(),
            source,
        }
    }
}
