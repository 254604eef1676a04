//! Results where there is no disk: in a browser, whose page hands each file to whoever looks at it.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::ExportError;

/// Takes a file's name and its bytes.
type HandOut = fn(&str, &[u8]);

static HAND_OUT: OnceLock<HandOut> = OnceLock::new();

/// Says who takes files that are written; the first who says so does.
pub fn hand_out_files(to: HandOut) {
    HAND_OUT.get_or_init(|| to);
}

/// Results on their way to the page.
pub struct Staging {
    target: PathBuf,
    files: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl Staging {
    /// Prepares to write what would be in the folder `target`.
    ///
    /// # Errors
    /// None here.
    pub fn new(target: &Path) -> Result<Self, ExportError> {
        Ok(Self {
            target: target.to_owned(),
            files: Mutex::default(),
        })
    }

    /// Writes one file.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        let mut bytes = Vec::new();
        content(&mut bytes).map_err(ExportError::on("write", &self.target.join(name)))?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(name.to_owned(), bytes);
        Ok(())
    }

    /// The files that were written, with their sizes.
    ///
    /// # Errors
    /// None here.
    pub fn sizes(&self) -> Result<BTreeMap<String, u64>, ExportError> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let sizes = files.iter();
        Ok(sizes
            .map(|(name, bytes)| (name.clone(), bytes.len() as u64))
            .collect())
    }

    /// Hands everything out, each file with the folder's name before its own.
    ///
    /// # Errors
    /// As [`write_file`].
    pub fn publish(self) -> Result<(), ExportError> {
        let files = self.files.into_inner();
        let folder = self.target.file_name().unwrap_or_default();
        for (name, bytes) in files.unwrap_or_else(PoisonError::into_inner) {
            let name = format!("{}-{name}", folder.to_string_lossy());
            write_file(Path::new(&name), &bytes)?;
        }
        Ok(())
    }
}

/// Hands one file out under its name.
///
/// # Errors
/// Nobody takes files.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), ExportError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let to = HAND_OUT.get();
    let to = to.ok_or_else(|| ExportError::on("write", path)(io::ErrorKind::Unsupported.into()))?;
    to(&name, content);
    Ok(())
}
