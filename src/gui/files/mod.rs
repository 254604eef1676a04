//! What the window reads from the disk and writes to it: designs, settings, work to recover, exports, pictures.
//!
//! Nothing here draws or changes a document. Reading a design takes milliseconds and is done at once; what may take longer
//! (dialogs, autosaves, exports, watching the library) runs on threads of its own and is asked for news every frame.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(target_arch = "wasm32"))]
pub mod autosave;
#[cfg(target_arch = "wasm32")]
#[path = "autosave_page.rs"]
pub mod autosave;
pub mod dialogs;
pub mod examples;
pub mod export;
pub mod library_watch;
pub mod memory;
pub mod open;
pub mod outline;
mod paper;
pub mod picture;
pub mod recent;
pub mod save;
pub mod settings;
pub mod task;

/// Where settings and recovered work are kept: `chosen`, else the system's own place for such; `None` on systems without one.
pub fn home(chosen: Option<&Path>) -> Option<PathBuf> {
    match chosen {
        // What a browser keeps has names of its own.
        _ if cfg!(target_arch = "wasm32") => Some(PathBuf::from("stokeslet")),
        Some(folder) => Some(folder.to_owned()),
        None => directories::ProjectDirs::from("", "", "stokeslet")
            .map(|folders| folders.config_dir().to_owned()),
    }
}

/// What the file system's answer means, as the end of a sentence: `the disk is full`.
pub fn reason(error: &io::Error) -> String {
    use io::ErrorKind as E;
    let known = match error.kind() {
        E::NotFound => "it is no longer there",
        E::PermissionDenied => "you have no permission",
        E::StorageFull => "the disk is full",
        E::FileTooLarge => "the file would be larger than the system allows",
        E::QuotaExceeded => "your share of the disk is used up",
        E::ReadOnlyFilesystem => "the disk can only be read",
        E::NotADirectory => "a part of the path is a file, not a folder",
        E::IsADirectory => "it is a folder, not a file",
        E::InvalidFilename => "the system can't have a file of this name",
        _ => return error.to_string(),
    };
    known.to_owned()
}

/// An error and all that caused it as one sentence, as people say it.
pub fn sentence(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = match inner.downcast_ref::<io::Error>() {
            Some(io) => reason(io),
            None => inner.to_string(),
        };
        text.push_str(": ");
        text.push_str(&said);
        cause = inner.source();
    }
    text
}
