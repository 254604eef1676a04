//! A folder of results, written whole or not at all.
//!
//! Files are first written into a hidden folder beside the target. [`Staging::publish`] then moves them: in one step where the
//! target does not exist yet, else file by file with `summary.json` last, having removed the old summary first. So a folder
//! with a summary is complete, and whoever stops halfway leaves either the old files without a summary or none at all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{ExportError, Format};
use tempfile::{NamedTempFile, TempDir};

/// Results on their way into a folder; dropped without [`Staging::publish`], it leaves nothing behind.
pub struct Staging {
    target: PathBuf,
    // Owns the hidden folder; removed with everything in it on drop.
    _hidden: TempDir,
    inner: PathBuf,
}

impl Staging {
    /// Prepares to write the folder `target`; creates its parents.
    ///
    /// # Errors
    /// Where the parent can't be created or written.
    pub fn new(target: &Path) -> Result<Self, ExportError> {
        let parent = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).map_err(ExportError::on("create the folder", parent))?;
        let hidden = tempfile::Builder::new()
            .prefix(HIDDEN)
            .tempdir_in(parent)
            .map_err(ExportError::on("write into the folder", parent))?;
        // A folder of its own inside, since the hidden one is private to this user and the results should not be.
        let inner = hidden.path().join("results");
        fs::create_dir(&inner).map_err(ExportError::on("create the folder", &inner))?;
        Ok(Self {
            target: target.to_path_buf(),
            _hidden: hidden,
            inner,
        })
    }

    /// Whether folders of results can be made in `folder`; creates it.
    ///
    /// # Errors
    /// What keeps them from being made.
    pub fn check(folder: &Path) -> Result<(), ExportError> {
        remove_leftovers(folder);
        Self::new(&folder.join("results")).map(drop)
    }

    /// Writes one file through a buffer.
    ///
    /// # Errors
    /// What the file system says, with the path the file would have had.
    pub fn write(
        &self,
        name: &str,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ExportError> {
        let path = self.inner.join(name);
        let write = || {
            let mut file = BufWriter::with_capacity(1 << 18, File::create_new(&path)?);
            content(&mut file)?;
            file.into_inner().map_err(|e| e.into_error())?.sync_data()
        };
        write().map_err(ExportError::on("write", &self.target.join(name)))
    }

    /// The files that were written, with their sizes.
    ///
    /// # Errors
    /// What the file system says.
    pub fn sizes(&self) -> Result<BTreeMap<String, u64>, ExportError> {
        let list = || -> io::Result<BTreeMap<String, u64>> {
            fs::read_dir(&self.inner)?
                .map(|entry| {
                    let entry = entry?;
                    let name = entry.file_name().to_string_lossy().into_owned();
                    Ok((name, entry.metadata()?.len()))
                })
                .collect()
        };
        list().map_err(ExportError::on("read", &self.target))
    }

    /// Moves everything to the target. Files of the formats' names that were not written this time are removed, since they
    /// would tell of another solve; other people's files stay.
    ///
    /// # Errors
    /// What the file system says.
    pub fn publish(self) -> Result<(), ExportError> {
        let target = &self.target;
        if !target.exists() {
            return fs::rename(&self.inner, target)
                .map_err(ExportError::on("create the folder", target));
        }
        // Json, the commit mark, comes first in the table: removed first, then moved last.
        let names: Vec<&str> = Format::ALL
            .iter()
            .flat_map(|f| f.files())
            .copied()
            .collect();
        for name in &names {
            let old = target.join(name);
            match fs::remove_file(&old) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(ExportError::on("replace", &old)(e));
                }
                _ => {}
            }
        }
        for name in names.iter().rev() {
            let (from, to) = (self.inner.join(name), target.join(name));
            if from.exists() {
                fs::rename(&from, &to).map_err(ExportError::on("write", &to))?;
            }
        }
        Ok(())
    }
}

/// How the names of what is being written begin.
const HIDDEN: &str = ".stokeslet-";
/// What is being written for longer than this was left by a run that was killed.
const LEFT: Duration = Duration::from_hours(24);

/// Removes what killed runs left in a folder, as far as it can.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(HIDDEN);
        let age = entry.metadata().and_then(|m| m.modified()).ok();
        let age = age.and_then(|at| at.elapsed().ok());
        if is_ours && age.is_some_and(|age| age > LEFT) {
            // Whoever may not remove it leaves it.
            let path = entry.path();
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
    }
}

/// Writes one file whole or not at all, creating its folder.
///
/// # Errors
/// What the file system says.
pub fn write_file(path: &Path, content: &[u8]) -> Result<(), ExportError> {
    let parent = match path.parent() {
        Some(p) if !p.as_os_str().is_empty() => p,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(ExportError::on("create the folder", parent))?;
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        // As for any new file: readable by whom the user's mask allows, not private as temporary files are.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let write = |file: &mut NamedTempFile| {
        file.write_all(content)?;
        file.as_file().sync_data()
    };
    let mut file = builder
        .prefix(HIDDEN)
        .tempfile_in(parent)
        .map_err(ExportError::on("write into the folder", parent))?;
    write(&mut file).map_err(ExportError::on("write", path))?;
    file.persist(path)
        .map_err(|e| ExportError::on("write", path)(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn nothing_is_seen_before_publishing_and_nothing_stays_without() {
        let out = tempfile::tempdir().unwrap();
        let target = out.path().join("a").join("chip");
        let staging = Staging::new(&target).unwrap();
        staging.write("ports.csv", |w| w.write_all(b"x")).unwrap();
        assert!(!target.exists(), "not before it is published");
        drop(staging);
        assert!(
            listing(&out.path().join("a")).is_empty(),
            "a dropped staging cleans up"
        );
    }

    #[test]
    fn what_a_killed_run_left_goes_after_a_day() {
        let out = tempfile::tempdir().unwrap();
        let names = [".stokeslet-old", ".stokeslet-new", "mine"];
        for name in names {
            let file = File::create(out.path().join(name)).unwrap();
            if name != ".stokeslet-new" {
                let days = std::time::SystemTime::now() - 2 * LEFT;
                file.set_modified(days).unwrap();
            }
        }
        Staging::check(out.path()).unwrap();
        assert_eq!(listing(out.path()), [".stokeslet-new", "mine"]);
    }

    #[test]
    fn stale_results_go_and_other_files_stay() {
        let out = tempfile::tempdir().unwrap();
        let target = out.path().join("chip");
        for (files, want) in [
            (
                vec!["summary.json", "line.csv"],
                vec!["line.csv", "summary.json"],
            ),
            (
                vec!["summary.json", "fields.vtu"],
                vec!["fields.vtu", "notes.txt", "summary.json"],
            ),
        ] {
            let staging = Staging::new(&target).unwrap();
            for file in files {
                staging.write(file, |w| w.write_all(b"x")).unwrap();
            }
            staging.publish().unwrap();
            assert_eq!(listing(&target), want);
            fs::write(target.join("notes.txt"), "mine").unwrap();
        }
    }

    #[test]
    fn a_file_that_fails_halfway_is_not_published() {
        let out = tempfile::tempdir().unwrap();
        let staging = Staging::new(&out.path().join("chip")).unwrap();
        let error = staging
            .write("fields.vtu", |w| {
                w.write_all(b"half")?;
                Err(io::Error::other("disk full"))
            })
            .unwrap_err();
        assert!(
            error.to_string().contains("fields.vtu"),
            "{error} names the file"
        );
    }
}
