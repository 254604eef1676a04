//! An assembled system in files, for solvers that are not linked into the bench.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use stokeslet::export::matrix_market::{write_matrix, write_unknowns, write_vector};
use stokeslet::session::AssembledSystem;

use super::Failure;

/// Where systems go: the folder named by `STOKESLET_EXPORT`; none where nobody asked.
pub fn asked() -> Option<PathBuf> {
    std::env::var_os("STOKESLET_EXPORT").map(PathBuf::from)
}

/// Writes `<folder>/<case>/{matrix,rhs,solution}.mtx` and `unknowns.csv`.
///
/// # Errors
/// What the file system says.
pub fn write_system(folder: &Path, case: &str, system: &AssembledSystem) -> Result<(), Failure> {
    let folder = folder.join(case);
    fs::create_dir_all(&folder)?;
    let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
    let mut matrix = file("matrix.mtx")?;
    write_matrix(&mut matrix, system)?;
    matrix.flush()?;
    for (name, values) in [("rhs.mtx", &system.rhs), ("solution.mtx", &system.solution)] {
        let mut vector = file(name)?;
        write_vector(&mut vector, values)?;
        vector.flush()?;
    }
    let mut unknowns = file("unknowns.csv")?;
    write_unknowns(&mut unknowns, &system.unknowns)?;
    Ok(unknowns.flush()?)
}

/// Writes what the bench measured on the case beside its system: `<folder>/<case>/measured.csv`, headings and one row.
///
/// # Errors
/// What the file system says.
pub fn write_measured(
    folder: &Path,
    case: &str,
    headings: &[&str],
    row: &[String],
) -> Result<(), Failure> {
    let folder = folder.join(case);
    fs::create_dir_all(&folder)?;
    let text = format!("{}\n{}\n", headings.join(","), row.join(","));
    Ok(fs::write(folder.join("measured.csv"), text)?)
}
