//! A design file's text, and a stamp by which it is known whether the file changed since.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thiserror::Error;

/// Largest file that is read, bytes; that of [`stokeslet_cad::design::parse`].
const MAX_BYTES: u64 = 64 << 20;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Opened {
    /// Its text; bytes that are no UTF-8 have become replacement characters.
    pub text: String,
    /// What windows and messages call it: the file's stem.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// As it was on the disk.
    pub stamp: Stamp,
    /// Whether bytes were replaced: the file must not be written over with what is left.
    pub lossy: bool,
}

/// Why a file isn't opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// What the file system says.
    #[error("can't open `{}`", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What it says.
        #[source]
        source: io::Error,
    },
    /// Pictures, archives, programs.
    #[error("`{}` is no text", path.display())]
    Binary {
        /// Which file.
        path: PathBuf,
    },
    /// Over 64 MiB.
    #[error("`{}` has {bytes} bytes, more than any design", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
}

/// A file's size and time: a change of the file changes one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// As the file is now.
    ///
    /// # Errors
    /// What the file system says.
    pub fn of(path: &Path) -> io::Result<Self> {
        if let Some(bytes) = super::memory::size(path) {
            return Ok(Self {
                bytes,
                modified: None,
            });
        }
        let data = fs::metadata(path)?;
        Ok(Self {
            bytes: data.len(),
            modified: data.modified().ok(),
        })
    }
}

/// Reads a design file.
///
/// # Errors
/// [`OpenError`]: not there, no permission, a folder, too large. What the text says is not judged.
pub fn open(path: &Path) -> Result<Opened, OpenError> {
    let failed = |source: io::Error| OpenError::Read {
        path: path.to_owned(),
        source,
    };
    let stamp = Stamp::of(path).map_err(failed)?;
    if path.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    let mut bytes = super::memory::read(path).unwrap_or_default();
    if bytes.is_empty() {
        let file = File::open(path).map_err(failed)?;
        file.take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
    }
    if bytes.len() as u64 > MAX_BYTES {
        return Err(OpenError::TooLarge {
            path: path.to_owned(),
            bytes: stamp.bytes.max(bytes.len() as u64),
        });
    }
    // No text has zeros, nor most others of the control characters.
    if bytes.iter().any(|b| matches!(b, 0..=8 | 14..=26)) {
        return Err(OpenError::Binary {
            path: path.to_owned(),
        });
    }
    let (text, lossy) = match String::from_utf8(bytes) {
        Ok(text) => (text, false),
        Err(e) => (String::from_utf8_lossy(e.as_bytes()).into_owned(), true),
    };
    let name = path.file_stem().map_or_else(
        || "design".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    Ok(Opened {
        text,
        name,
        path: path.to_owned(),
        stamp,
        lossy,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::sentence;

    #[test]
    fn pictures_are_refused_and_text_of_another_encoding_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.toml");
        fs::write(&file, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
        let refused = open(&file).unwrap_err();
        assert!(matches!(refused, OpenError::Binary { .. }), "{refused}");
        fs::write(&file, b"# f\xfcr Latin-1\r\nformat = 1\r\n").unwrap();
        assert!(open(&file).unwrap().lossy);
    }

    #[test]
    fn a_vanished_file_and_a_folder_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let gone = open(&folder.path().join("gone.toml")).unwrap_err();
        assert!(
            sentence(&gone).ends_with("it is no longer there"),
            "{}",
            sentence(&gone)
        );
        let folder = open(folder.path()).unwrap_err();
        assert!(
            sentence(&folder).ends_with("not a file"),
            "{}",
            sentence(&folder)
        );
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_and_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("latin1.toml");
        fs::write(&path, b"title = \"caf\xe9\"\n").unwrap();
        let opened = open(&path).unwrap();
        assert!(opened.lossy);
        assert_eq!(opened.text, "title = \"caf\u{fffd}\"\n");
        assert_eq!(opened.name, "latin1");
        assert_eq!(opened.stamp, Stamp::of(&path).unwrap());
    }
}
