//! Where definitions come from: the embedded folder, the one beside the binary, a folder of the user's.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, include_dir};

use super::entry::{Definitions, Entry};
use super::fault::{UNREADABLE, error};
use super::realise::Library;
use stokeslet_base::diagnostic::{Diagnostic, nearest};

/// The folder `components/` as it was when the program was built.
static EMBEDDED: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../components");
/// The folder of processes, which are no components.
const PROCESSES: &str = "processes";
/// Largest definition file, bytes.
const MAX_FILE: u64 = 1 << 20;
/// Most definition files of one folder.
const MAX_FILES: usize = 10_000;

impl Library {
    /// The components that came with the program.
    ///
    /// Cheap enough to call once per run: a definition is read when it is first asked for.
    pub fn embedded() -> Self {
        Self::new(embedded())
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
        let mut definitions = embedded();
        for folder in Self::folders(user_folder) {
            definitions.extend(read_folder(&folder)?);
        }
        Ok(Self::new(definitions))
    }

    /// The folders that [`Library::find`] reads, later ones over earlier ones.
    pub fn folders(user_folder: Option<&Path>) -> Vec<PathBuf> {
        let beside = beside_the_binary().into_iter();
        beside.chain(user_folder.map(Path::to_owned)).collect()
    }
}

/// The text of the process file of this name, and what messages call it: in the user's folder, beside the binary, or embedded.
///
/// # Errors
/// D335: no such process, with the names of those there are, or a file that can't be read.
pub fn process_text(
    name: &str,
    user_folder: Option<&Path>,
) -> Result<(String, String), Diagnostic> {
    let mut known: Vec<String> = Vec::new();
    for folder in Library::folders(user_folder).iter().rev() {
        let files = list(&folder.join(PROCESSES), &mut Vec::new());
        for path in files
            .iter()
            .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if stem == name {
                let shown = path.display().to_string();
                let text =
                    read(path).map_err(|e| Diagnostic::error("D335", format!("{shown}: {e}")))?;
                return Ok((text, shown));
            }
            known.push(stem.into_owned());
        }
    }
    let embedded = EMBEDDED.get_dir(PROCESSES).into_iter().flat_map(Dir::files);
    for file in embedded {
        let stem = file
            .path()
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        if stem == name {
            let text = file.contents_utf8().unwrap_or_default().to_owned();
            return Ok((text, file.path().display().to_string()));
        }
        known.push(stem.into_owned());
    }
    known.sort();
    known.dedup();
    let near = nearest(name, known.iter().map(String::as_str));
    let near = near
        .map(|near| format!("did you mean `{near}`? "))
        .unwrap_or_default();
    let message = format!("there is no process `{name}`");
    let help = format!("{near}there are {}", known.join(", "));
    Err(Diagnostic::error("D335", message).with_help(help))
}

/// What is embedded, unread.
fn embedded() -> Definitions {
    let files = EMBEDDED.dirs().flat_map(Dir::files);
    let definitions = files.filter(|file| is_definition(file.path())).map(|file| {
        let text = file.contents_utf8().unwrap_or_default();
        let (name, family) = name_and_family(file.path());
        (name.clone(), Arc::new(Entry::embedded(name, family, text)))
    });
    definitions.collect()
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
    let is_process = path
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|folder| folder == PROCESSES);
    path.extension().is_some_and(|e| e == "toml") && !is_process
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
    let shipped = embedded();
    for path in files {
        match read(&path) {
            Ok(text) => {
                let within = path.strip_prefix(folder).unwrap_or(&path);
                keep(
                    within,
                    &path,
                    &text,
                    &shipped,
                    &mut definitions,
                    &mut faults,
                );
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
///
/// A copy of an embedded one needs no reading: the folder beside the binary holds little else.
fn keep(
    within: &Path,
    shown: &Path,
    text: &str,
    shipped: &Definitions,
    definitions: &mut Definitions,
    faults: &mut Vec<Diagnostic>,
) {
    let (name, family) = name_and_family(within);
    let copied = shipped
        .get(&name)
        .filter(|entry| entry.is_copy(&family, text));
    let entry = match copied {
        Some(entry) => entry.clone(),
        None => match Entry::read(&name, &family, &shown.display().to_string(), text) {
            Ok(entry) => Arc::new(entry),
            Err(found) => return faults.extend(found),
        },
    };
    if let Some(twin) = definitions.insert(name.clone(), entry) {
        let message = format!(
            "{}: there are two components `{name}`, the other in `{}`",
            shown.display(),
            twin.family
        );
        faults.push(error(UNREADABLE, message));
    }
}

/// A component's name and family from its path in the folder.
fn name_and_family(within: &Path) -> (String, String) {
    let text = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
    let name = within.file_stem().map(text).unwrap_or_default();
    let family = within
        .parent()
        .map(|folder| text(folder.as_os_str()))
        .filter(|family| !family.is_empty());
    (name, family.unwrap_or_else(|| "own".to_owned()))
}
