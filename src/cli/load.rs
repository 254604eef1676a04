//! A design file becomes a placed chip, with all its diagnostics.

use std::path::{Path, PathBuf};
use std::{fs, io};

use stokeslet::chip::{Chip, place};
use stokeslet::design::{DepthModel, Design, Setting, parse_with};
use stokeslet::diagnostic::{Diagnostic, Severity};
use stokeslet::library::Library;
use stokeslet::session::{SolveSettings, WantedResults};
use stokeslet::study::sample::SampleError;
use stokeslet::study::study;

use super::outcome::{CliError, Outcome};
use super::print_diagnostics;

/// A design file that was read, and what became of it.
#[derive(Debug)]
pub struct Loaded {
    /// The placed chip, if nothing was wrong.
    pub chip: Option<Chip>,
    /// What was read, where it could be.
    pub design: Option<Design>,
    /// One line for people.
    pub title: Option<String>,
    /// What the design asks for.
    pub resolution: Option<u32>,
    /// Errors and warnings of reading and placing.
    pub diagnostics: Vec<Diagnostic>,
    /// The file's text, which the diagnostics' spans index (replacement characters where it isn't UTF-8).
    pub text: String,
    /// Seconds spent on reading and on placing.
    pub seconds: [f64; 2],
}

impl Loaded {
    /// Errors among the diagnostics.
    pub fn errors(&self) -> usize {
        self.diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .count()
    }

    /// Draws the diagnostics on stderr.
    pub fn print_diagnostics(&self, path: &Path) {
        print_diagnostics(&self.diagnostics, &path.display().to_string(), &self.text);
    }
}

/// Largest file that is read.
const MAX_BYTES: u64 = 1 << 30;

/// The bytes of a regular file: a pipe or a device could keep its reader waiting, or never end.
///
/// # Errors
/// What keeps it from being read.
pub fn read_file(path: &Path) -> Result<Vec<u8>, CliError> {
    let unreadable = |source| CliError::Read {
        path: path.to_path_buf(),
        source,
    };
    let refused = |why: &str| unreadable(io::Error::new(io::ErrorKind::InvalidInput, why));
    let metadata = fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(refused("it is not a file"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(refused("it is larger than a gigabyte"));
    }
    fs::read(path).map_err(unreadable)
}

/// The settings of variables that `--set` gave.
///
/// # Errors
/// The first that isn't `NAME=VALUE`.
pub fn read_settings(texts: &[String]) -> Result<Vec<Setting>, CliError> {
    let read = texts.iter().map(|text| Setting::parse(text));
    read.collect::<Result<_, _>>()
        .map_err(|message| CliError::Usage {
            message: format!("--set: {message}"),
        })
}

/// Reads and places a design; `model` and `settings` of variables override the file's. `clock` tells seconds.
///
/// # Errors
/// Only a file that can't be read, or that is a study; mistakes in a design are diagnostics.
pub fn load(
    path: &Path,
    name: &str,
    library: &Library,
    (model, settings): (Option<DepthModel>, &[Setting]),
    clock: &dyn Fn() -> f64,
) -> Result<Loaded, CliError> {
    let begin = clock();
    let bytes = read_file(path)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if study::is_study(&text) {
        let file = path.display();
        let message =
            format!("`{file}` is a study of a design: `stokeslet sweep {file}` solves it");
        return Err(CliError::Usage { message });
    }
    let (design, mut diagnostics) = parse_with(&bytes, name, settings);
    let read = clock();
    let mut loaded = Loaded {
        chip: None,
        design: None,
        title: None,
        resolution: None,
        diagnostics: Vec::new(),
        text,
        seconds: [read - begin, 0.0],
    };
    if let Some(mut design) = design {
        design.model = model.unwrap_or(design.model);
        if design.model.needs_depth() && design.depth.is_none() {
            let message = format!(
                "the {} model needs the chip's depth, which this design doesn't give",
                design.model.name()
            );
            diagnostics.push(
                Diagnostic::error("D401", message)
                    .with_help("add `depth = \"50 um\"` under [chip]"),
            );
        } else {
            let (chip, placed) = place(&design, library);
            diagnostics.extend(placed);
            loaded.chip = chip;
        }
        loaded.title.clone_from(&design.title);
        loaded.resolution = design.resolution;
        loaded.design = Some(design);
    }
    loaded.diagnostics = diagnostics;
    loaded.seconds[1] = clock() - read;
    Ok(loaded)
}

/// A design for a command that solves it many times: what it is called, with what it is read, what became of it.
#[derive(Debug)]
pub struct Opened {
    /// Where it was read.
    pub path: PathBuf,
    /// The file's name without its ending.
    pub name: String,
    /// The components it is made of.
    pub library: Library,
    /// Settings of its variables.
    pub set: Vec<Setting>,
    /// What became of it; its diagnostics are printed.
    pub loaded: Loaded,
}

impl Opened {
    /// Opens a design with the settings that `--set` gave.
    ///
    /// # Errors
    /// A library or a setting with mistakes, a file that can't be read.
    pub fn new(path: &Path, library: Option<&Path>, set: &[String]) -> Result<Self, CliError> {
        let library = find_library(library)?;
        let set = read_settings(set)?;
        let name = path.file_stem();
        let name = name.map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        let loaded = load(path, &name, &library, (None, &set), &|| 0.0)?;
        loaded.print_diagnostics(path);
        Ok(Self {
            path: path.to_path_buf(),
            name,
            library,
            set,
            loaded,
        })
    }

    /// What becomes of a command whose solve failed: mistakes in the design are printed.
    ///
    /// # Errors
    /// The solver's.
    pub fn failed(&self, error: SampleError) -> Result<Outcome, CliError> {
        match error {
            SampleError::Design(mistakes) => {
                let path = self.path.display().to_string();
                print_diagnostics(&mistakes, &path, &self.loaded.text);
                Ok(Outcome::InputErrors)
            }
            SampleError::Solve(error) => Err(error.into()),
            SampleError::Species(error) => Err(CliError::Usage {
                message: error.to_string(),
            }),
        }
    }
}

/// Settings that leave the fields out where nobody asks for them.
pub fn settings_for(needs_fields: bool) -> SolveSettings {
    SolveSettings {
        wanted: match needs_fields {
            true => WantedResults::All,
            false => WantedResults::PortsOnly,
        },
        ..SolveSettings::default()
    }
}

/// The component library: the user's folder before what came with the program.
///
/// # Errors
/// A library with mistakes, which are printed.
pub fn find_library(folder: Option<&Path>) -> Result<Library, CliError> {
    if let Some(path) = folder.filter(|f| !f.is_dir()) {
        return Err(CliError::Usage {
            message: format!("--library: `{}` is not a folder", path.display()),
        });
    }
    Library::find(folder).map_err(|diagnostics| {
        for diagnostic in &diagnostics {
            eprintln!("{diagnostic}");
        }
        CliError::Library {
            errors: diagnostics.len(),
        }
    })
}
