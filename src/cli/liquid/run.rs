//! `stokeslet liquid run`: a scene, frame by frame; pictures, particles and a log; goes on where it was stopped.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::lcp::Watch;
use stokeslet::dynamics::report::picture;
use stokeslet::export::write_file;

use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::args::LiquidRunArgs;
use super::bar::Bar;
use super::processor_clock;
use super::track::{Track, tracks};

/// A checkpoint is written when the last one is older than this, and at the end.
const CHECKPOINT: Duration = Duration::from_secs(5);

/// Runs a scene.
///
/// # Errors
/// A solver that doesn't converge, files that can't be written.
pub fn run(args: &LiquidRunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let mut tracks = tracks(args)?;
    let out = folder(args);
    if args.resume {
        for track in &mut tracks {
            resume(&mut **track, &out)?;
        }
    }
    let done = tracks.iter().map(|t| t.done()).min().unwrap_or(0);
    let bar = Bar::new(args.frames, &args.scene);
    let begin = Instant::now();
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let watch = Watch {
        cancelled: &cancelled,
        seconds: &clock,
    };
    let mut saved = Instant::now();
    for frame in done..args.frames {
        for track in tracks.iter_mut().filter(|t| t.done() <= frame) {
            match track.advance(watch) {
                Ok(()) => {}
                Err(_) if cancel.is_cancelled() => {
                    bar.finish();
                    eprintln!("stopped on request; --resume goes on from the last checkpoint");
                    return Ok(Outcome::CouldNotRun);
                }
                Err(error) => return Err(error),
            }
        }
        write_frame(&tracks, args, &out)?;
        bar.at(frame + 1);
        if saved.elapsed() > CHECKPOINT || frame + 1 == args.frames || cancel.is_cancelled() {
            for track in &tracks {
                write_file(&checkpoint_path(&**track, &out), &track.save())?;
            }
            saved = Instant::now();
        }
    }
    bar.finish();
    let log: String = tracks.iter().map(|t| t.log()).collect();
    if args.format.iter().any(|f| f == "csv") {
        let head = tracks.first().map_or("", |t| t.head());
        write_file(&out.join("frames.csv"), format!("{head}{log}").as_bytes())?;
    }
    for told in tracks.iter().filter_map(|t| t.told()) {
        print_out(&format!("{told}\n"))?;
    }
    let solves = log.lines().count();
    print_out(&format!(
        "{solves} frames in {:.1} s; results in {}\n",
        begin.elapsed().as_secs_f64(),
        out.display()
    ))?;
    Ok(Outcome::Fine)
}

fn folder(args: &LiquidRunArgs) -> PathBuf {
    args.out.join(format!("{}-{}", args.scene, args.size))
}

fn checkpoint_path(track: &dyn Track, out: &Path) -> PathBuf {
    out.join(format!("checkpoint-{}.bin", track.name()))
}

fn resume(track: &mut dyn Track, out: &Path) -> Result<(), CliError> {
    let path = checkpoint_path(track, out);
    if !path.exists() {
        return Ok(());
    }
    let bytes = fs::read(&path).map_err(|source| CliError::Read {
        path: path.clone(),
        source,
    })?;
    track
        .load(&bytes)
        .map_err(|source| CliError::Checkpoint { path, source })
}

fn write_frame(
    tracks: &[Box<dyn Track>],
    args: &LiquidRunArgs,
    out: &Path,
) -> Result<(), CliError> {
    let Some(frame) = tracks.first().map(|t| t.done()) else {
        return Ok(());
    };
    let wants = |format: &str| args.format.iter().any(|f| f == format);
    if !frame.is_multiple_of(args.every) && frame != args.frames {
        return Ok(());
    }
    if wants("png") {
        let pictures: Vec<_> = tracks.iter().map(|t| t.picture()).collect();
        let bytes = picture::png(&picture::beside(&pictures))?;
        write_file(&out.join(format!("frame-{frame:04}.png")), &bytes)?;
    }
    if wants("vtu") {
        for track in tracks {
            let path = out.join(format!("{}-{frame:04}.vtu", track.name()));
            write_file(&path, &track.particles())?;
        }
    }
    Ok(())
}
