//! Files, folders and patterns become a list of design files, each with a folder of its own for its results.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::outcome::CliError;
use super::results_table::RESERVED;

/// A design file to work on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file.
    pub path: PathBuf,
    /// The design's name: the file's stem.
    pub name: String,
    /// Name of its folder of results: the design's name, numbered where two designs have the same.
    pub folder: String,
}

/// All designs that the arguments name, in their order; a folder's or pattern's designs by name. A file named twice is there
/// once. Files that don't exist are kept: they fail one by one, not all together.
///
/// # Errors
/// A folder or pattern without designs, or one that can't be read.
pub fn expand(arguments: &[PathBuf]) -> Result<Vec<Input>, CliError> {
    let mut paths = Vec::new();
    for argument in arguments {
        if argument.is_dir() {
            paths.extend(folder(argument)?);
        } else if !argument.exists() && is_pattern(argument) {
            paths.extend(pattern(argument)?);
        } else {
            paths.push(argument.clone());
        }
    }
    let mut seen = BTreeSet::new();
    paths.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    Ok(name_folders(paths))
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

fn folder(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = |source| CliError::Read {
        path: path.to_path_buf(),
        source,
    };
    let mut designs = Vec::new();
    for entry in fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|e| e == "toml") && file.is_file() {
            designs.push(file);
        }
    }
    designs.sort();
    not_empty(designs, path)
}

fn pattern(path: &Path) -> Result<Vec<PathBuf>, CliError> {
    let text = path.to_string_lossy();
    let matches = glob::glob(&text).map_err(|source| CliError::Pattern {
        pattern: text.to_string(),
        source,
    })?;
    let mut designs = Vec::new();
    for found in matches {
        let file = found.map_err(|e| CliError::Read {
            path: e.path().to_path_buf(),
            source: e.into(),
        })?;
        if file.is_file() {
            designs.push(file);
        }
    }
    designs.sort();
    not_empty(designs, path)
}

fn not_empty(designs: Vec<PathBuf>, from: &Path) -> Result<Vec<PathBuf>, CliError> {
    if designs.is_empty() {
        return Err(CliError::NoDesigns {
            pattern: from.display().to_string(),
        });
    }
    Ok(designs)
}

/// Gives every file a folder: its stem, or `stem-2`, `stem-3` where that is taken (also when only case differs: not every file
/// system tells `A` from `a`).
fn name_folders(paths: Vec<PathBuf>) -> Vec<Input> {
    // The tables of results are in the same place as the folders.
    let mut taken: BTreeSet<String> = RESERVED.map(String::from).into();
    paths
        .into_iter()
        .map(|path| {
            // A name of dots only would be this folder or the one above.
            let stem = path.file_stem().map(|stem| stem.to_string_lossy());
            let name = match stem.filter(|stem| !stem.chars().all(|c| c == '.')) {
                Some(stem) => stem.into_owned(),
                None => "design".to_string(),
            };
            let mut folder = name.clone();
            let mut number = 2;
            while !taken.insert(folder.to_lowercase()) {
                folder = format!("{name}-{number}");
                number += 1;
            }
            Input { path, name, folder }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn designs_of_one_name_get_folders_of_their_own() {
        let paths = [
            "a/y.toml",
            "b/y.toml",
            "c/Y.toml",
            "y-2.toml",
            "results.csv.toml",
            "a/...toml",
        ]
        .map(PathBuf::from);
        let folders: Vec<String> = name_folders(paths.to_vec())
            .into_iter()
            .map(|i| i.folder)
            .collect();
        assert_eq!(
            folders,
            ["y", "y-2", "Y-3", "y-2-2", "results.csv-2", "design"]
        );
    }

    #[test]
    fn folders_and_patterns_expand_in_order_and_without_repeats() {
        let place = tempfile::tempdir().unwrap();
        for file in ["b.toml", "a.toml", "notes.txt", "c.toml"] {
            fs::write(place.path().join(file), "").unwrap();
        }
        let names = |arguments: &[PathBuf]| -> Vec<String> {
            expand(arguments)
                .unwrap()
                .into_iter()
                .map(|i| i.name)
                .collect()
        };
        let all = place.path().to_path_buf();
        assert_eq!(
            names(&[place.path().join("c.toml"), all.clone()]),
            ["c", "a", "b"],
            "c is there once, where it came first"
        );
        assert_eq!(names(&[place.path().join("[ab].toml")]), ["a", "b"]);
        assert_eq!(
            names(&[place.path().join("missing.toml")]),
            ["missing"],
            "fails later, alone"
        );
        assert!(
            expand(&[place.path().join("*.json")]).is_err(),
            "a pattern that matches nothing is a mistake"
        );
        assert!(expand(&[place.path().join("[")]).is_err(), "not a pattern");
    }
}
