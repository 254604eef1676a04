//! Where definitions come from: the embedded folder, the one beside the binary, a folder of the user's.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use include_dir::{Dir, include_dir};

use super::definition::Definition;
use super::fault::{UNREADABLE, error};
use super::parse::parse;
use super::realise::Library;
use crate::diagnostic::Diagnostic;

/// The folder `components/` as it was when the program was built.
static EMBEDDED: Dir = include_dir!("$CARGO_MANIFEST_DIR/components");
/// Largest definition file, bytes.
const MAX_FILE: u64 = 1 << 20;
/// Most definition files of one folder.
const MAX_FILES: usize = 10_000;

type Definitions = BTreeMap<String, Definition>;

impl Library {
    /// The components that came with the program.
    ///
    /// Cheap enough to call once per run: it reads some twenty small files from memory.
    pub fn embedded() -> Self {
        let mut definitions = Definitions::new();
        let mut faults = Vec::new();
        for family in EMBEDDED.dirs() {
            for file in family.files() {
                let path = file.path();
                if is_definition(path) {
                    let text = file.contents_utf8().unwrap_or_default();
                    keep(
                        path,
                        Path::new("components").join(path).as_path(),
                        text,
                        &mut definitions,
                        &mut faults,
                    );
                }
            }
        }
        assert!(
            faults.is_empty(),
            "the embedded components are read by the tests before they are shipped: {faults:?}"
        );
        Self::new(definitions)
    }

    /// The components of a folder: `folder/<family>/<name>.toml`, and `folder/<name>.toml` without a family.
    ///
    /// # Errors
    /// D100 for each file that can't be read, with its path.
    pub fn load(folder: &Path) -> Result<Self, Vec<Diagnostic>> {
        read_folder(folder).map(Self::new)
    }

    /// What a design can use: the user's components over those beside the binary over the embedded ones.
    ///
    /// # Errors
    /// D100 for each file that can't be read, with its path.
    pub fn find(user_folder: Option<&Path>) -> Result<Self, Vec<Diagnostic>> {
        let mut definitions = Definitions::clone(&Self::embedded().definitions);
        for folder in beside_the_binary()
            .as_deref()
            .into_iter()
            .chain(user_folder)
        {
            definitions.extend(read_folder(folder)?);
        }
        Ok(Self::new(definitions))
    }
}

/// `components/` next to the executable, or next to the folder `target` that it was built in.
fn beside_the_binary() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let folder = executable.parent()?;
    let built_in = folder
        .ancestors()
        .find(|f| f.file_name().is_some_and(|name| name == "target"))
        .and_then(Path::parent);
    [Some(folder), built_in]
        .into_iter()
        .flatten()
        .map(|f| f.join("components"))
        .find(|f| f.is_dir())
}

fn is_definition(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "toml")
}

fn read_folder(folder: &Path) -> Result<Definitions, Vec<Diagnostic>> {
    let mut faults = Vec::new();
    let mut files = list(folder, &mut faults);
    for family in list(folder, &mut Vec::new())
        .into_iter()
        .filter(|path| path.is_dir())
    {
        files.extend(
            list(&family, &mut faults)
                .into_iter()
                .filter(|path| !path.is_dir()),
        );
    }
    files.retain(|path| is_definition(path) && !path.is_dir());
    if files.len() > MAX_FILES {
        let message = format!(
            "{}: {} definitions; {MAX_FILES} are the limit",
            folder.display(),
            files.len()
        );
        return Err(vec![error(UNREADABLE, message)]);
    }
    let mut definitions = Definitions::new();
    for path in files {
        match read(&path) {
            Ok(text) => {
                let within = path.strip_prefix(folder).unwrap_or(&path);
                keep(within, &path, &text, &mut definitions, &mut faults);
            }
            Err(e) => faults.push(error(UNREADABLE, format!("{}: {e}", path.display()))),
        }
    }
    if faults.is_empty() {
        Ok(definitions)
    } else {
        Err(faults)
    }
}

/// Sorted, so that messages don't depend on the file system.
fn list(folder: &Path, faults: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    match std::fs::read_dir(folder) {
        Ok(entries) => {
            let mut paths: Vec<PathBuf> = entries
                .filter_map(|entry| entry.ok().map(|e| e.path()))
                .collect();
            paths.sort();
            paths
        }
        Err(e) => {
            faults.push(error(UNREADABLE, format!("{}: {e}", folder.display())));
            Vec::new()
        }
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?
        .take(MAX_FILE + 1)
        .read_to_string(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        return Err(std::io::Error::other(format!(
            "a definition of more than {MAX_FILE} bytes"
        )));
    }
    Ok(text)
}

/// Reads one definition; `within` is its path in the folder, `shown` what messages call it.
fn keep(
    within: &Path,
    shown: &Path,
    text: &str,
    definitions: &mut Definitions,
    faults: &mut Vec<Diagnostic>,
) {
    let stem = within
        .file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default();
    let family = within
        .parent()
        .map(|p| p.to_string_lossy().into_owned())
        .filter(|f| !f.is_empty());
    let family = family.unwrap_or_else(|| "own".to_owned());
    match parse(&stem, &family, &shown.display().to_string(), text) {
        Ok(definition) => {
            if let Some(twin) = definitions.insert(stem.clone(), definition) {
                let message = format!(
                    "{}: there are two components `{stem}`, the other in `{}`",
                    shown.display(),
                    twin.family
                );
                faults.push(error(UNREADABLE, message));
            }
        }
        Err(found) => faults.extend(found),
    }
}
