//! `solve --profile`: where the time of a solve went, as a table on the terminal and two files beside the results.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use stokeslet::export::{ExportError, write_file};
use stokeslet::profile::{Profile, ProfileTable};

/// The table as JSON.
const TABLE: &str = "profile.json";
/// The trace, for a viewer.
const TRACE: &str = "trace.json";

/// Writes both files into the folder of results; returns the table.
///
/// # Errors
/// What the file system says.
pub fn write(folder: &Path, profile: &Profile) -> Result<ProfileTable, ExportError> {
    let table = profile.table();
    let path = folder.join(TABLE);
    let mut json = serde_json::to_vec_pretty(&table)
        .map_err(io::Error::from)
        .map_err(ExportError::on("write", &path))?;
    json.push(b'\n');
    write_file(&path, &json)?;
    let path = folder.join(TRACE);
    let mut trace = Vec::new();
    profile
        .write_trace(&mut trace)
        .map_err(ExportError::on("write", &path))?;
    write_file(&path, &trace)?;
    Ok(table)
}

/// Removes the files of an earlier solve.
///
/// # Errors
/// What the file system says, but for files that aren't there.
pub fn remove(folder: &Path) -> Result<(), ExportError> {
    for name in [TABLE, TRACE] {
        let path = folder.join(name);
        match fs::remove_file(&path) {
            Err(e) if !matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(ExportError::on("replace", &path)(e));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What is printed: nothing without a profile.
pub fn text(table: Option<&ProfileTable>) -> String {
    table.map_or(String::new(), |table| format!("\n{table}"))
}
