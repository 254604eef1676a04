//! A design's text into its file: whole or not at all, and never over what someone else wrote meanwhile.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::open::Stamp;
use stokeslet_flow::export::{ExportError, write_file};

/// Why a file isn't written. What was there is still there then.
#[derive(Debug, Error)]
pub enum SaveError {
    /// The file changed since it was opened: ask before overwriting.
    #[error("`{}` was changed by another program since it was opened here", path.display())]
    ChangedOnDisk {
        /// Which file.
        path: PathBuf,
    },
    /// The file says of itself that it is not to be written.
    #[error("`{}` is write-protected; save under another name", path.display())]
    Protected {
        /// Which file.
        path: PathBuf,
    },
    /// What the file system says.
    #[error(transparent)]
    Write(#[from] ExportError),
}

/// Writes the text. With `expected`, only where the file is as it was then or is gone.
///
/// # Errors
/// [`SaveError`]
pub fn save(path: &Path, text: &str, expected: Option<&Stamp>) -> Result<Stamp, SaveError> {
    // A link stays a link: what it points to is replaced.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match Stamp::of(&target) {
        Ok(now) => {
            if expected.is_some_and(|expected| *expected != now) {
                return Err(SaveError::ChangedOnDisk {
                    path: path.to_owned(),
                });
            }
            if target.is_dir() {
                return Err(
                    ExportError::on("write", path)(io::ErrorKind::IsADirectory.into()).into(),
                );
            }
            // Renaming over a protected file would work where the folder allows it, and would surprise whoever protected it.
            if fs::metadata(&target).is_ok_and(|data| data.permissions().readonly()) {
                return Err(SaveError::Protected {
                    path: path.to_owned(),
                });
            }
        }
        // A vanished file is written anew: the work is worth more than the question. A page has no files to look at.
        Err(e) if [io::ErrorKind::NotFound, io::ErrorKind::Unsupported].contains(&e.kind()) => {}
        Err(e) => return Err(ExportError::on("write", path)(e).into()),
    }
    write_file(&target, text.as_bytes())?;
    #[cfg(target_arch = "wasm32")]
    super::memory::keep(&target, text.as_bytes().to_vec());
    Ok(Stamp::of(&target).map_err(ExportError::on("read back", path))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::open::open;
    use crate::files::sentence;

    #[test]
    fn what_is_saved_is_read_again_byte_by_byte() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("chip.toml");
        let text = "# mine\r\nformat = 1\r\n";
        let stamp = save(&path, text, None).unwrap();
        let opened = open(&path).unwrap();
        assert_eq!(opened.text, text);
        assert_eq!(opened.stamp, stamp);
    }

    #[test]
    fn a_file_that_another_program_changed_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("chip.toml");
        let stamp = save(&path, "format = 1\n", None).unwrap();
        fs::write(&path, "format = 1 # theirs\n").unwrap();
        let refused = save(&path, "format = 1 # ours\n", Some(&stamp));
        assert!(
            matches!(refused, Err(SaveError::ChangedOnDisk { .. })),
            "{refused:?}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "format = 1 # theirs\n");
        fs::remove_file(&path).unwrap();
        save(&path, "format = 1 # ours\n", Some(&stamp)).expect("a vanished file is written anew");
    }

    #[test]
    fn places_that_cannot_be_written_say_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let through = save(&file.join("chip.toml"), "", None).unwrap_err();
        let said = sentence(&through);
        assert!(
            said.ends_with("a part of the path is a file, not a folder"),
            "{said}"
        );

        let mut protection = fs::metadata(&file).unwrap().permissions();
        protection.set_readonly(true);
        fs::set_permissions(&file, protection).unwrap();
        let said = sentence(&save(&file, "over it", None).unwrap_err());
        assert!(said.contains("write-protected"), "{said}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "");

        let said = sentence(&save(folder.path(), "over it", None).unwrap_err());
        assert!(said.ends_with("not a file"), "{said}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (
            folder.path().join("file.toml"),
            folder.path().join("link.toml"),
        );
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        save(&link, "new", None).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
    }
}
