//! Systems that run from scene files, at the command line: `scenes`, `run` and `table`, once for all of them.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::report::picture::Framing;
use stokeslet::dynamics::report::table::HEAD;
use stokeslet::dynamics::stepped::settings::each;
use stokeslet::dynamics::stepped::{Run, SceneRow, System, Track};
use stokeslet::system;

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::args::{RunArgs, SiblingCommand, TableArgs};
use super::text::columns;
use super::{RunRequest, on_threads, run as run_tracks};

/// Runs a subcommand of the system of a name.
///
/// # Errors
/// What keeps it from going on.
pub fn run(name: &str, command: &SiblingCommand) -> Result<Outcome, CliError> {
    let system = system(name).ok_or_else(|| usage(format!("there is no system `{name}`")))?;
    match command {
        SiblingCommand::Scenes(args) => print_out(&match &args.scene {
            Some(name) => built_in(system, name)?.to_owned(),
            None => list(system),
        })
        .map(|()| Outcome::Fine),
        SiblingCommand::Run(args) => {
            on_threads(args.threads, |cancel| run_scene(system, args, cancel))
        }
        SiblingCommand::Table(args) => {
            on_threads(args.threads, |cancel| table(system, args, cancel))
        }
    }
}

/// Names runs side by side that would have one name by what is set otherwise in each: `dam-break-subspace`.
fn tell_apart(runs: &mut [Box<dyn Run>], changes: &[Vec<String>]) {
    let names: Vec<String> = runs.iter().map(|run| run.name().to_owned()).collect();
    let is_everywhere = |change: &String| changes.iter().all(|other| other.contains(change));
    let mut taken: BTreeSet<String> = names.iter().cloned().collect();
    let in_names = |c: char| c.is_alphanumeric() || ['.', '-', '_'].contains(&c);
    for (k, run) in runs.iter_mut().enumerate() {
        if names.iter().filter(|name| **name == names[k]).count() == 1 {
            continue;
        }
        let own = changes[k].iter().filter(|change| !is_everywhere(change));
        let values = own.map(|change| change.split_once('=').map_or(&**change, |(_, value)| value));
        let values: Vec<String> = values
            .map(|value| value.replace(|c| !in_names(c), "_"))
            .collect();
        let name = format!("{}-{}", names[k], values.join("-"));
        let (mut own, mut number) = (name.clone(), 2);
        while !taken.insert(own.clone()) {
            own = format!("{name}-{number}");
            number += 1;
        }
        run.rename(own);
    }
}

/// What a scene is run with, for what goes wrong with it: ` with --set friction=-1`.
fn with(args: &RunArgs, changes: &[String]) -> String {
    let size = args.size.iter().map(|size| format!("--size {size}"));
    let all: Vec<String> = size
        .chain(changes.iter().map(|c| format!("--set {c}")))
        .collect();
    match all.is_empty() {
        true => String::new(),
        false => format!(" with {}", all.join(" ")),
    }
}

/// A mistake of the user.
pub fn usage(message: impl ToString) -> CliError {
    CliError::Usage {
        message: message.to_string(),
    }
}

fn list(system: &dyn System) -> String {
    let row = |scene: SceneRow| vec![scene.name, scene.source.into(), scene.size, scene.title];
    let rows: Vec<Vec<String>> = system.scenes().into_iter().map(row).collect();
    columns(&["scene", system.source(), "size", "what happens"], &rows)
}

fn built_in(system: &dyn System, name: &str) -> Result<&'static str, CliError> {
    system.file(name).ok_or_else(|| {
        usage(format!(
            "there is no scene `{name}`; `stokeslet {} scenes` lists them, and a file of your own ends in .toml",
            system.name()
        ))
    })
}

/// The file of a scene: of its name, or one of your own with the meshes that it names put into it.
///
/// # Errors
/// A name that there isn't, a file that can't be read.
pub fn file(system: &dyn System, name: &str) -> Result<Cow<'static, str>, CliError> {
    if !name.ends_with(".toml") {
        return built_in(system, name).map(Cow::Borrowed);
    }
    let text = fs::read_to_string(name).map_err(|source| CliError::Read {
        path: name.into(),
        source,
    })?;
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let complete = system.complete(text, &|beside| fs::read(folder.join(beside)));
    complete
        .map(Cow::Owned)
        .map_err(|error| usage(format!("{name}: {error}")))
}

fn run_scene(
    system: &dyn System,
    args: &RunArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    run_file(system, &file(system, &args.scene)?, args, cancel)
}

/// Runs the scene of a file.
///
/// # Errors
/// What keeps it from going on.
pub fn run_file(
    system: &dyn System,
    text: &str,
    args: &RunArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    let fault = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", args.scene));
    let scene = system.read(text).map_err(|e| fault(&e))?;
    let mut runs: Vec<Box<dyn Run>> = Vec::new();
    let mut all = Vec::new();
    let mut needed = 1;
    let changes_of_runs = each(&args.set);
    for changes in &changes_of_runs {
        let settings = system.settings(changes).map_err(usage)?;
        if all.contains(&settings) {
            return Err(usage("--set names the same settings twice"));
        }
        all.push(settings);
        let run = system.start(text, args.size.as_deref(), changes);
        let run = run.map_err(|e| usage(format!("{}{}: {e}", args.scene, with(args, changes))))?;
        needed = needed.max(run.needed());
        runs.push(run);
    }
    tell_apart(&mut runs, &changes_of_runs);
    let mut tracks: Vec<Box<dyn Track>> = runs.into_iter().map(|run| run as _).collect();
    let steps = args.steps.map_or(needed, |n| n as usize);
    let mut folder = format!("{}-{}", system.name(), scene.name);
    if let Some(size) = &args.size {
        folder = format!("{folder}@{size}"); // which no name of a scene has
    }
    let request = RunRequest {
        title: scene.title,
        out: args.out.join(folder),
        frames: steps,
        every: args.every.map_or(steps.div_ceil(20), |n| n as usize),
        formats: args.format.clone(),
        framing: Framing {
            pixels: args.picture_size,
            from: args.camera,
        },
        resume: args.resume,
    };
    run_tracks(&mut tracks, &request, cancel)
}

fn table(system: &dyn System, args: &TableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let names: Vec<&str> = match args.names.is_empty() {
        true => system.tables(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    let request = args.request();
    let keep_on = || !cancel.is_cancelled();
    let mut missed = 0;
    for name in names {
        let own = match name.ends_with(".toml") {
            true => system.rows_of(&file(system, name)?, &request, &keep_on),
            false => None,
        };
        let rows = match own.unwrap_or_else(|| system.rows(name, &request, &keep_on)) {
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
