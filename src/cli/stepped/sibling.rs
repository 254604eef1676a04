//! Systems that run from scene files, at the command line: `scenes`, `run` and `table`, once for all of them.
//!
//! A system implements [`Sibling`] for its simulation, which says what it has of its own; [`run`] does the rest.

use std::fs;
use std::io;

use image::RgbImage;
use serde::de::DeserializeOwned;
use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::report::table::{HEAD, Row};
use stokeslet::dynamics::scene_file::{BuiltIn, SceneFile};

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::args::{RunArgs, SiblingCommand, TableArgs};
use super::settings::all_settings;
use super::text::columns;
use super::{Fault, RunRequest, Track, Watching, on_threads, run as run_tracks};

/// A simulation that a scene file starts.
pub trait Sibling: Sized + 'static {
    /// Its scenes.
    type Scene: SceneFile;
    /// Its numerical choices.
    type Settings: DeserializeOwned + PartialEq;
    /// What a step tells.
    type Log;
    /// The subcommand; also the first word of folders of results.
    const COMMAND: &'static str;
    /// What [`BuiltIn::source`] is, as the head of a column.
    const SOURCE: &'static str;
    /// The head of [`Sibling::row`], without its end.
    const HEAD: &'static str;

    /// The scenes that come with the program.
    fn built_in() -> &'static [BuiltIn<Self::Scene>];
    /// How large a scene is, in a word or two.
    fn size(scene: &Self::Scene) -> String;
    /// What tells runs of one scene apart: part of the names of files.
    fn run_name(scene: &Self::Scene, settings: &Self::Settings) -> String;
    /// Starts a scene.
    ///
    /// # Errors
    /// A scene or settings out of range.
    fn start(scene: &Self::Scene, settings: &Self::Settings) -> Result<Self, Fault>;
    /// Steps that the scene's duration needs.
    fn needed(&self) -> usize;
    /// Steps made.
    fn done(&self) -> usize;
    /// One step.
    ///
    /// # Errors
    /// A state that can't be gone on from.
    fn step(&mut self) -> Result<Self::Log, Fault>;
    /// A step as a line of CSV, without its end.
    fn row(log: &Self::Log) -> String;
    /// The box that pictures show, m; asked at the start.
    fn bounds(&self) -> [[f64; 3]; 2];
    /// As it looks.
    fn picture(&self, bounds: [[f64; 3]; 2]) -> RgbImage;
    /// Writes it in the format of this name, if it can be written so.
    fn write(&self, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>>;
    /// What came of the steps of this process; there is at least one.
    fn told(&self, logs: &[Self::Log]) -> String;
    /// The state.
    ///
    /// # Errors
    /// A state that can't be written.
    fn save(&self) -> Result<Vec<u8>, Fault>;
    /// Goes on from a state.
    ///
    /// # Errors
    /// One of another scene or of other settings, or a damaged one.
    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault>;
    /// The tables there are.
    fn tables() -> Vec<&'static str>;
    /// The rows of a table.
    ///
    /// # Errors
    /// No such table; runs that fail; `keep_on` that says no.
    fn rows(name: &str, args: &TableArgs, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, Fault>;
}

/// Runs a subcommand of a sibling.
///
/// # Errors
/// What keeps it from going on.
pub fn run<S: Sibling>(command: &SiblingCommand) -> Result<Outcome, CliError> {
    match command {
        SiblingCommand::Scenes(args) => print_out(&match &args.scene {
            Some(name) => built_in::<S>(name)?.toml.to_owned(),
            None => list::<S>(),
        })
        .map(|()| Outcome::Fine),
        SiblingCommand::Run(args) => {
            on_threads(args.threads, |cancel| run_scene::<S>(args, cancel))
        }
        SiblingCommand::Table(args) => on_threads(args.threads, |cancel| table::<S>(args, cancel)),
    }
}

/// A mistake of the user.
pub fn usage(message: impl ToString) -> CliError {
    CliError::Usage {
        message: message.to_string(),
    }
}

fn list<S: Sibling>() -> String {
    let row = |built_in: &BuiltIn<S::Scene>| {
        let scene = built_in.scene();
        vec![
            built_in.name.into(),
            built_in.source.into(),
            S::size(&scene),
            scene.title().into(),
        ]
    };
    let rows: Vec<Vec<String>> = S::built_in().iter().map(row).collect();
    columns(&["scene", S::SOURCE, "size", "what happens"], &rows)
}

fn built_in<S: Sibling>(name: &str) -> Result<&'static BuiltIn<S::Scene>, CliError> {
    let found = S::built_in().iter().find(|s| s.name == name);
    found.ok_or_else(|| {
        usage(format!(
            "there is no scene `{name}`; `stokeslet {} scenes` lists them, and a file of your own ends in .toml",
            S::COMMAND
        ))
    })
}

/// The scene of a name or a file.
///
/// # Errors
/// A name that there isn't, a file that can't be read or has mistakes.
pub fn scene<S: Sibling>(name: &str) -> Result<S::Scene, CliError> {
    if !name.ends_with(".toml") {
        return Ok(built_in::<S>(name)?.scene());
    }
    let text = fs::read_to_string(name).map_err(|source| CliError::Read {
        path: name.into(),
        source,
    })?;
    S::Scene::parse(&text).map_err(|error| usage(format!("{name}: {error}")))
}

fn run_scene<S: Sibling>(args: &RunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let fault = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", args.scene));
    let mut scene = scene::<S>(&args.scene)?;
    if let Some(size) = &args.size {
        scene = scene.at_size(size).map_err(|e| fault(&e))?;
    }
    let mut tracks: Vec<Box<dyn Track>> = Vec::new();
    let mut needed = 1;
    for settings in all_settings::<S::Settings>(&args.set)? {
        let simulation = S::start(&scene, &settings).map_err(|e| fault(&e))?;
        needed = needed.max(simulation.needed());
        let mut name = S::run_name(&scene, &settings);
        if tracks.iter().any(|t| t.name() == name) {
            name = format!("{name}-{}", tracks.len() + 1);
        }
        tracks.push(Box::new(Running {
            name,
            bounds: simulation.bounds(),
            simulation,
            csv: String::new(),
            logs: Vec::new(),
        }));
    }
    let steps = args.steps.map_or(needed, |n| n as usize);
    let request = RunRequest {
        title: scene.title().to_owned(),
        out: args.out.join(format!("{}-{}", S::COMMAND, scene.name())),
        frames: steps,
        every: args.every.map_or(steps.div_ceil(20), |n| n as usize),
        formats: args.format.clone(),
        resume: args.resume,
    };
    run_tracks(&mut tracks, &request, cancel)
}

/// One running scene.
struct Running<S: Sibling> {
    name: String,
    bounds: [[f64; 3]; 2],
    simulation: S,
    csv: String,
    /// Of the steps of this process.
    logs: Vec<S::Log>,
}

impl<S: Sibling> Track for Running<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn done(&self) -> usize {
        self.simulation.done()
    }

    fn advance(&mut self, _watch: &Watching<'_>) -> Result<(), CliError> {
        let log = self.simulation.step().map_err(CliError::Sibling)?;
        self.csv += &format!("{},{}\n", self.name, S::row(&log));
        self.logs.push(log);
        Ok(())
    }

    fn head(&self) -> String {
        format!("run,{}\n", S::HEAD)
    }

    fn log(&self) -> &str {
        &self.csv
    }

    fn picture(&self) -> RgbImage {
        self.simulation.picture(self.bounds)
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        // Writing into memory can't fail.
        self.simulation.write(format, &mut out)?.ok()?;
        Some(out)
    }

    fn told(&self) -> Option<String> {
        let told = || format!("{}: {}", self.name, self.simulation.told(&self.logs));
        (!self.logs.is_empty()).then(told)
    }

    fn save(&self) -> Result<Vec<u8>, CliError> {
        let mut out = (self.csv.len() as u64).to_le_bytes().to_vec();
        out.extend(self.csv.as_bytes());
        out.extend(self.simulation.save().map_err(CliError::Sibling)?);
        Ok(out)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or("it is cut off")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (csv, state) = rest.split_at_checked(length).ok_or("it is cut off")?;
        let csv = String::from_utf8(csv.to_vec())?;
        self.simulation.load(state)?;
        self.csv = csv;
        Ok(())
    }
}

fn table<S: Sibling>(args: &TableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let names: Vec<&str> = match args.names.is_empty() {
        true => S::tables(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    let mut missed = 0;
    for name in names {
        let rows = match S::rows(name, args, &|| !cancel.is_cancelled()) {
            Ok(rows) => rows,
            Err(_) if cancel.is_cancelled() => return Ok(Outcome::CouldNotRun),
            Err(error) => return Err(usage(error)),
        };
        missed += rows.iter().filter(|r| !r.holds()).count();
        let cells: Vec<Vec<String>> = rows.iter().map(|r| r.cells().to_vec()).collect();
        print_out(&(columns(&HEAD, &cells) + "\n"))?;
    }
    if missed == 0 {
        return Ok(Outcome::Fine);
    }
    print_out(&format!("{missed} rows outside what is accepted\n"))?;
    Ok(Outcome::Inaccurate)
}
