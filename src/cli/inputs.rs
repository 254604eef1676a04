//! Files, folders and patterns become a list of design files, each with a folder of its own for its results.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use stokeslet::study::study;

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
    Ok(name_folders(files(arguments)?, &[]))
}

/// As [`expand`], for results that go where others are, `known` by their designs' whole paths and folders: a file keeps its folder, and nobody gets one that holds the
/// results of another file that there still is.
///
/// # Errors
/// As of [`expand`].
pub fn expand_into(
    arguments: &[PathBuf],
    known: &[(PathBuf, String)],
) -> Result<Vec<Input>, CliError> {
    Ok(name_folders(files(arguments)?, known))
}

fn files(arguments: &[PathBuf]) -> Result<Vec<PathBuf>, CliError> {
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
    // One that is named alone is told what it is, where it is read; among others, a shell may have named it for `*.toml`.
    if paths.len() > 1 || arguments.iter().any(|argument| argument.is_dir()) {
        without_studies(&mut paths);
        if let (true, Some(first)) = (paths.is_empty(), arguments.first()) {
            not_empty(Vec::new(), first)?;
        }
    }
    let mut seen = BTreeSet::new();
    paths.retain(|path| seen.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    Ok(paths)
}

/// Whether what is to be written is the file that is read, by whatever name; `-` is no file.
pub fn is_same_file(output: &Path, input: &Path) -> bool {
    let is_file = output != Path::new("-") && output.exists();
    is_file && fs::canonicalize(output).ok() == fs::canonicalize(input).ok()
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

/// Leaves out studies, which may stand beside their designs, and says so.
fn without_studies(files: &mut Vec<PathBuf>) {
    files.retain(|file| {
        let is_study = fs::read_to_string(file).is_ok_and(|text| study::is_study(&text));
        if is_study {
            let file = file.display();
            eprintln!("`{file}` is a study, left out: `stokeslet sweep {file}` solves it");
        }
        !is_study
    });
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

/// Gives every file a folder: the one that it is known to have, else its stem, or `stem-2`, `stem-3` where that is taken (also when only case
/// differs: not every file system tells `A` from `a`).
fn name_folders(paths: Vec<PathBuf>, known: &[(PathBuf, String)]) -> Vec<Input> {
    // The tables of results are in the same place as the folders.
    let mut taken: BTreeSet<String> = RESERVED.map(String::from).into();
    // Designs that are no more hold nothing.
    let known = known.iter().filter(|(file, _)| file.exists());
    let known: Vec<(&PathBuf, &String)> = known.map(|(file, folder)| (file, folder)).collect();
    let folders: HashMap<&PathBuf, &String> = known.iter().copied().collect();
    let holders: HashMap<String, &PathBuf> = known
        .iter()
        .map(|(file, folder)| (folder.to_lowercase(), *file))
        .collect();
    paths
        .into_iter()
        .map(|path| {
            // A name of dots only would be this folder or the one above.
            let stem = path.file_stem().map(|stem| stem.to_string_lossy());
            let name = match stem.filter(|stem| !stem.chars().all(|c| c == '.')) {
                Some(stem) => stem.into_owned(),
                None => "design".to_string(),
            };
            let own = fs::canonicalize(&path).ok();
            let is_held = |folder: &str| {
                let holder = holders.get(&folder.to_lowercase()).copied();
                holder.is_some_and(|file| own.as_ref() != Some(file))
            };
            let before = own.as_ref().and_then(|own| folders.get(own).copied());
            let mut folder = before.unwrap_or(&name).clone();
            let mut number = 2;
            while is_held(&folder) || !taken.insert(folder.to_lowercase()) {
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
        let folders: Vec<String> = name_folders(paths.to_vec(), &[])
            .into_iter()
            .map(|i| i.folder)
            .collect();
        assert_eq!(
            folders,
            ["y", "y-2", "Y-3", "y-2-2", "results.csv-2", "design"]
        );
    }

    /// Solved one after the other they get what they get together.
    #[test]
    fn a_folder_with_results_of_another_file_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let file = place.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, "").unwrap();
            fs::canonicalize(file).unwrap()
        };
        let (a, b, gone) = (
            file("a/y.toml"),
            file("b/y.toml"),
            place.path().join("c/x.toml"),
        );
        let folders = |paths: &[&PathBuf], known: &[(PathBuf, String)]| -> Vec<String> {
            let paths = paths.iter().map(|path| (*path).clone()).collect();
            name_folders(paths, known)
                .into_iter()
                .map(|i| i.folder)
                .collect()
        };
        let mut known = vec![(a.clone(), "y".to_owned()), (gone, "x".to_owned())];
        assert_eq!(folders(&[&b], &known), ["y-2"]);
        assert_eq!(folders(&[&a], &known), ["y"], "its own");
        assert_eq!(
            folders(&[&file("d/x.toml")], &known),
            ["x"],
            "held by nobody"
        );
        known.push((b.clone(), "y-2".to_owned()));
        assert_eq!(
            folders(&[&b, &a], &known),
            ["y-2", "y"],
            "each keeps its own"
        );
    }

    #[test]
    fn folders_and_patterns_expand_in_order_and_without_repeats() {
        let place = tempfile::tempdir().unwrap();
        for file in ["b.toml", "a.toml", "notes.txt", "c.toml"] {
            fs::write(place.path().join(file), "").unwrap();
        }
        let study = "format = 1\ndesign = \"a.toml\"\n";
        fs::write(place.path().join("study.toml"), study).unwrap();
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
            names(&[place.path().join("study.toml")]),
            ["study"],
            "who names a study is told what it is"
        );
        assert_eq!(names(&[place.path().join("*.toml")]), ["a", "b", "c"]);
        assert_eq!(
            names(&["a.toml", "study.toml"].map(|file| place.path().join(file))),
            ["a"],
            "as a shell names all"
        );
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
