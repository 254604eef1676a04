//! `stokeslet liquid run`: a scene, frame by frame; pictures, particles and a log; goes on where it was stopped.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use stokeslet::export::write_file;
use stokeslet::liquid::lcp::{LcpSolver, Watch, solver};
use stokeslet::liquid::pressure::Separation;
use stokeslet::liquid::report::checkpoint::{Kept, load, save};
use stokeslet::liquid::report::{frames, picture, vtu};
use stokeslet::liquid::scenes::{AnyScene, Scene, Simulation};
use stokeslet::session::CancelToken;

use super::super::args::LiquidRunArgs;
use super::super::outcome::{CliError, Outcome};
use super::super::print_out;
use super::bar::Bar;
use super::processor_clock;

/// A checkpoint is written when the last one is older than this, and at the end.
const CHECKPOINT: Duration = Duration::from_secs(5);

/// One simulation of the run: its walls, its state, who solves for it.
struct Track<const D: usize> {
    walls: &'static str,
    simulation: Simulation<D>,
    solver: Box<dyn LcpSolver<D>>,
    log: String,
}

/// Runs a scene.
///
/// # Errors
/// A solver that doesn't converge, files that can't be written.
pub fn run(args: &LiquidRunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    match AnyScene::of(&args.scene) {
        Some(AnyScene::Plane(scene)) => run_scene(scene, args, cancel),
        Some(AnyScene::Space(scene)) => run_scene(scene, args, cancel),
        None => Err(CliError::Usage {
            message: format!(
                "there is no scene `{}`; `stokeslet liquid scenes` lists them",
                args.scene
            ),
        }),
    }
}

fn run_scene<const D: usize>(
    scene: Scene<D>,
    args: &LiquidRunArgs,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    let walls: &[(&str, Separation)] = match args.walls.as_str() {
        "sticking" => &[("sticking", Separation::Sticking)],
        "both" => &[
            ("sticking", Separation::Sticking),
            ("separating", Separation::Cut),
        ],
        _ => &[("separating", Separation::Cut)],
    };
    let scene = if args.keep_volume {
        scene.keeping_volume()
    } else {
        scene
    };
    let mut tracks = Vec::new();
    for (name, separation) in walls {
        let solver = solver::<D>(&args.solver).ok_or_else(|| CliError::Usage {
            message: format!(
                "there is no solver `{}`; `stokeslet liquid scenes` lists them",
                args.solver
            ),
        })?;
        let mut track = Track {
            walls: name,
            simulation: Simulation::new(scene.clone(), args.size, *separation),
            solver,
            log: String::new(),
        };
        if args.resume {
            resume(&mut track, args)?;
        }
        tracks.push(track);
    }
    let out = folder(args);
    let done = tracks
        .iter()
        .map(|t| t.simulation.frames)
        .min()
        .unwrap_or(0);
    let bar = Bar::new(args.frames, &args.scene);
    let begin = Instant::now();
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let watch = Watch {
        cancelled: &cancelled,
        seconds: &clock,
    };
    let mut saved = Instant::now();
    let mut last = Vec::new();
    for frame in done..args.frames {
        last.clear();
        for track in tracks.iter_mut().filter(|t| t.simulation.frames <= frame) {
            let told = track
                .simulation
                .frame(&mut *track.solver, watch, &mut |_| {});
            let told = match told {
                Ok(told) => told,
                Err(_) if cancel.is_cancelled() => {
                    bar.finish();
                    eprintln!("stopped on request; --resume goes on from the last checkpoint");
                    return Ok(Outcome::CouldNotRun);
                }
                Err(error) => return Err(error.into()),
            };
            track.log += &frames::row(track.walls, &told);
            last.push((track.walls, told));
        }
        write_frame(&tracks, args, &out)?;
        bar.at(frame + 1);
        if saved.elapsed() > CHECKPOINT || frame + 1 == args.frames || cancel.is_cancelled() {
            checkpoint(&tracks, args, &out)?;
            saved = Instant::now();
        }
    }
    bar.finish();
    let log: String = tracks.iter().map(|t| t.log.as_str()).collect();
    if args.format.iter().any(|f| f == "csv") {
        write_file(
            &out.join("frames.csv"),
            format!("{}{log}", frames::HEAD).as_bytes(),
        )?;
    }
    for (walls, told) in &last {
        print_out(&format!(
            "{:<11} {} particles, {} unknowns, {} at walls, {} detached, divergence {:.1e} 1/s, volume {:.4}\n",
            walls,
            tracks[0].simulation.x.len(),
            told.unknowns,
            told.at_wall,
            told.detached,
            told.divergence,
            told.volume,
        ))?;
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

/// What a checkpoint is of.
fn key(walls: &str, args: &LiquidRunArgs) -> String {
    let volume = if args.keep_volume {
        " keeping volume"
    } else {
        ""
    };
    format!(
        "{} {} {} {walls}{volume}",
        args.scene, args.size, args.solver
    )
}

fn checkpoint_path(walls: &str, out: &Path) -> PathBuf {
    out.join(format!("checkpoint-{walls}.bin"))
}

fn checkpoint<const D: usize>(
    tracks: &[Track<D>],
    args: &LiquidRunArgs,
    out: &Path,
) -> Result<(), CliError> {
    for track in tracks {
        let kept = Kept {
            memory: track.solver.memory(),
            log: track.log.clone(),
        };
        let bytes = save(&key(track.walls, args), &track.simulation, &kept);
        write_file(&checkpoint_path(track.walls, out), &bytes)?;
    }
    Ok(())
}

fn resume<const D: usize>(track: &mut Track<D>, args: &LiquidRunArgs) -> Result<(), CliError> {
    let path = checkpoint_path(track.walls, &folder(args));
    if !path.exists() {
        return Ok(());
    }
    let bytes = fs::read(&path).map_err(|source| CliError::Read {
        path: path.clone(),
        source,
    })?;
    let kept = load(&bytes, &key(track.walls, args), &mut track.simulation)
        .map_err(|source| CliError::Checkpoint { path, source })?;
    track.solver.recall(kept.memory);
    track.log = kept.log;
    Ok(())
}

fn write_frame<const D: usize>(
    tracks: &[Track<D>],
    args: &LiquidRunArgs,
    out: &Path,
) -> Result<(), CliError> {
    let frame = tracks[0].simulation.frames;
    let wants = |format: &str| args.format.iter().any(|f| f == format);
    if !frame.is_multiple_of(args.every) && frame != args.frames {
        return Ok(());
    }
    if wants("png") {
        let pictures: Vec<_> = tracks
            .iter()
            .map(|t| picture::draw(&t.simulation))
            .collect();
        let bytes = picture::png(&picture::beside(&pictures))?;
        write_file(&out.join(format!("frame-{frame:04}.png")), &bytes)?;
    }
    if wants("vtu") {
        for track in tracks {
            let mut bytes = Vec::new();
            // Writing into memory can't fail.
            if vtu::write(&mut bytes, &track.simulation).is_ok() {
                write_file(&out.join(format!("{}-{frame:04}.vtu", track.walls)), &bytes)?;
            }
        }
    }
    Ok(())
}
