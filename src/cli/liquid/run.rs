//! `stokeslet liquid run`: a scene, frame by frame; pictures, particles and a log; goes on where it was stopped.

use stokeslet::cancel::CancelToken;

use super::super::outcome::{CliError, Outcome};
use super::super::stepped::{self, RunRequest};
use super::args::LiquidRunArgs;
use super::track::tracks;

/// Runs a scene.
///
/// # Errors
/// A solver that doesn't converge, files that can't be written.
pub fn run(args: &LiquidRunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let request = RunRequest {
        title: args.scene.clone(),
        out: args.out.join(format!("{}-{}", args.scene, args.size)),
        frames: args.frames,
        every: args.every,
        formats: args.format.clone(),
        resume: args.resume,
    };
    stepped::run(&mut tracks(args)?, &request, cancel)
}
