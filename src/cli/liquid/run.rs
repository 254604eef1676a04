//! `stokeslet liquid run`: a scene, frame by frame; pictures, particles and a log; goes on where it was stopped.
//!
//! What comes with the program runs as the papers ran it. A file of one's own, a changed setting, and a splitting method where walls cut
//! cells are run from the scene's file.

use std::borrow::Cow;

use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::report::picture::Framing;
use stokeslet::dynamics::scenes::scene_file;
use stokeslet::dynamics::splitting::method;
use stokeslet::dynamics::stepped::System;
use stokeslet::system;

use super::super::outcome::{CliError, Outcome};
use super::super::stepped::args::RunArgs;
use super::super::stepped::sibling::{self, run_file, usage};
use super::super::stepped::{self, RunRequest};
use super::args::LiquidRunArgs;
use super::track::tracks;

fn liquids() -> Result<&'static dyn System, CliError> {
    system("liquid").ok_or_else(|| usage("there is no system of liquids"))
}

/// The file of a scene: of one that comes with the program, or one of your own.
///
/// # Errors
/// A name that there isn't, a file that can't be read.
pub fn file(name: &str) -> Result<Cow<'static, str>, CliError> {
    match scene_file(name) {
        Some(text) => Ok(Cow::Borrowed(text)),
        None => sibling::file(liquids()?, name),
    }
}

/// Runs a scene.
///
/// # Errors
/// A solver that doesn't converge, files that can't be written.
pub fn run(args: &LiquidRunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let name = args.scene.as_str();
    let is_file = name.ends_with(".toml") || liquids()?.file(name).is_some();
    let is_method = args.solver.as_deref().is_some_and(|s| method(s).is_some());
    let is_new = |format: &String| !["png", "csv", "vtu"].contains(&format.as_str());
    let is_changed = is_method
        || args.camera.is_some()
        || !args.set.is_empty()
        || args.format.iter().any(is_new);
    if is_file || is_changed && scene_file(name).is_some() {
        return run_from_file(args, cancel);
    }
    if !args.set.is_empty() {
        return Err(usage(format!("--set is for scenes, which `{name}` isn't")));
    }
    let request = RunRequest {
        title: args.scene.clone(),
        out: args.out.join(format!("{}-{}", args.scene, args.cells())),
        frames: args.frames.unwrap_or(100),
        every: args.every,
        formats: args.format.clone(),
        framing: Framing {
            pixels: args.picture_size,
            from: None,
        },
        resume: args.resume,
    };
    if args.camera.is_some() {
        return Err(usage(
            "--camera is for scenes in space, not for tanks".to_owned(),
        ));
    }
    stepped::run(&mut tracks(args)?, &request, cancel)
}

fn run_from_file(args: &LiquidRunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let is_built_in = scene_file(&args.scene).is_some();
    let mut set = args.set.clone();
    let is_method = args.solver.as_deref().is_some_and(|s| method(s).is_some());
    match (args.walls.as_deref(), &args.solver) {
        (Some("both"), Some(solver)) if is_method => set.push(format!("solver=orig-ps,{solver}")),
        (walls, solver) => {
            set.extend(solver.iter().map(|solver| format!("solver={solver}")));
            match walls {
                Some("both") => set.push("leaving=sticking,separating".to_owned()),
                Some(walls) if is_method => {
                    return Err(usage(format!(
                        "--walls {walls}: at stairs the method says what walls do"
                    )));
                }
                Some(walls) => set.push(format!("leaving={walls}")),
                None => {}
            }
        }
    }
    set.extend(args.size.iter().map(|n| format!("cells={n}")));
    let is_set = set.iter().any(|s| s.starts_with("keep_volume="));
    let usual = (is_built_in && !is_set).then_some(true);
    let keeps_volume = args.keep_volume.or(usual);
    set.extend(
        keeps_volume
            .iter()
            .map(|keeps| format!("keep_volume={keeps}")),
    );
    let frames = args.frames.or(is_built_in.then_some(100));
    let request = RunArgs {
        scene: args.scene.clone(),
        size: None,
        set,
        steps: frames.and_then(|n| u32::try_from(n).ok()),
        out: args.out.clone(),
        format: args.format.clone(),
        picture_size: args.picture_size,
        camera: args.camera,
        every: u32::try_from(args.every).ok(),
        threads: None,
        resume: args.resume,
    };
    run_file(liquids()?, &file(&args.scene)?, &request, cancel)
}
