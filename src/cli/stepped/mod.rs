//! Whatever is stepped frame by frame, at the command line: one loop of runs, which writes pictures, files and a log, keeps checkpoints and goes on from them.
//!
//! What is run is a [`Track`] and is handed to [`run`]; several are drawn side by side. Systems with scene files are run by [`sibling`],
//! which starts tracks of them by name.

pub mod args;
mod bar;
pub mod sibling;
mod strip;
pub mod text;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use image::RgbImage;
use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::lcp::Watch;
use stokeslet::dynamics::report::picture::Framing;
use stokeslet::dynamics::report::{picture, vtk};
pub use stokeslet::dynamics::stepped::{Fault, Track};
use stokeslet::export::{readable::figures, write_file};

use super::outcome::{CliError, Outcome};
use super::print_out;
use super::solve::listen_for_ctrl_c;
pub use bar::Bar;
use strip::Strip;

/// A checkpoint is written when the last one is older than this, and at the end.
const CHECKPOINT: Duration = Duration::from_secs(5);

/// How far a run goes, and what it writes.
pub struct RunRequest {
    /// Beside the progress bar.
    pub title: String,
    /// Where results go: a folder of this run alone.
    pub out: PathBuf,
    /// Frames or steps to do.
    pub frames: usize,
    /// Pictures and files of every so many frames, and of the last.
    pub every: usize,
    /// `png`, `strip`, `csv` and what the simulations can write.
    pub formats: Vec<String>,
    /// How pictures are taken.
    pub framing: Framing,
    /// Whether to go on from the last checkpoint.
    pub resume: bool,
}

/// Runs simulations side by side.
///
/// # Errors
/// One that can't go on, files that can't be written.
pub fn run(
    tracks: &mut [Box<dyn Track>],
    request: &RunRequest,
    cancel: &CancelToken,
) -> Result<Outcome, CliError> {
    if request.resume {
        for track in tracks.iter_mut() {
            resume(&mut **track, &request.out)?;
        }
    }
    let done = tracks.iter().map(|t| t.done()).min().unwrap_or(0);
    let bar = Bar::new(request.frames, &request.title);
    let begin = Instant::now();
    let clock = processor_clock();
    let cancelled = || cancel.is_cancelled();
    let watch = Watch {
        cancelled: &cancelled,
        seconds: &clock,
    };
    let mut saved = Instant::now();
    let mut strip = Strip::default();
    if done == 0 && has(request, "strip") {
        strip.take(tracks, &pictures(tracks, request));
    }
    for frame in done..request.frames {
        for track in tracks.iter_mut().filter(|t| t.done() <= frame) {
            let advanced = match cancel.is_cancelled() {
                true => None,
                false => Some(track.advance(watch)),
            };
            match advanced {
                Some(Ok(())) => {}
                Some(Err(error)) if !cancel.is_cancelled() => {
                    return Err(CliError::Sibling(error));
                }
                _ => {
                    bar.finish();
                    eprintln!("stopped on request; --resume goes on from the last checkpoint");
                    return Ok(Outcome::CouldNotRun);
                }
            }
        }
        write_frame(tracks, request, &mut strip)?;
        bar.at(frame + 1);
        if saved.elapsed() > CHECKPOINT || frame + 1 == request.frames || cancel.is_cancelled() {
            for track in tracks.iter() {
                write_file(&checkpoint_path(&**track, &request.out), &save(&**track)?)?;
            }
            saved = Instant::now();
        }
    }
    bar.finish();
    let log: String = tracks.iter().map(|t| t.log()).collect();
    if has(request, "csv") {
        let head = tracks.first().map_or_else(String::new, |t| t.head());
        write_file(
            &request.out.join("frames.csv"),
            format!("{head}{log}").as_bytes(),
        )?;
    }
    write_series(tracks, request)?;
    if let Some(bytes) = strip.png()? {
        write_file(&request.out.join("strip.png"), &bytes)?;
        let times: Vec<String> = strip.times().iter().map(|t| figures(*t)).collect();
        print_out(&format!("strip.png: at times {}\n", times.join(", ")))?;
    }
    for told in tracks.iter().filter_map(|t| t.told()) {
        print_out(&format!("{told}\n"))?;
    }
    let solves = log.lines().count();
    print_out(&format!(
        "{solves} frames in {:.1} s; results in {}\n",
        begin.elapsed().as_secs_f64(),
        request.out.display()
    ))?;
    Ok(Outcome::Fine)
}

/// Calls `work` on a pool of so many threads (0: one per processor), stopped by Ctrl-C.
///
/// # Errors
/// No threads to be had, and what `work` returns.
pub fn on_threads(
    threads: Option<u16>,
    work: impl FnOnce(&CancelToken) -> Result<Outcome, CliError> + Send,
) -> Result<Outcome, CliError> {
    let threads = threads.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|source| CliError::Threads { threads, source })?;
    let cancel = CancelToken::new();
    listen_for_ctrl_c(cancel.clone())?;
    pool.install(|| work(&cancel))
}

/// Seconds of processor time of all threads.
pub fn processor_clock() -> impl Fn() -> f64 + Sync {
    let begin = ProcessTime::now();
    move || begin.elapsed().as_secs_f64()
}

fn save(track: &dyn Track) -> Result<Vec<u8>, CliError> {
    track.save().map_err(CliError::Sibling)
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

/// Series of the files that viewers play, and residuals of every solve.
fn write_series(tracks: &[Box<dyn Track>], request: &RunRequest) -> Result<(), CliError> {
    for track in tracks {
        let done = track.done();
        for format in request
            .formats
            .iter()
            .filter(|f| ["vtu", "vti"].contains(&f.as_str()))
        {
            // Frames are equally long; those of a run that was taken up again are there from before.
            let length = track.time() / done.max(1) as f64;
            let file = |frame: usize| format!("{}-{frame:04}.{format}", track.name());
            let files = (1..=done).map(|frame| (frame as f64 * length, file(frame)));
            let files: Vec<_> = files
                .filter(|(_, f)| request.out.join(f).exists())
                .collect();
            if !files.is_empty() {
                let path = request.out.join(format!("{}-{format}.pvd", track.name()));
                write_file(&path, vtk::pvd(&files).as_bytes())?;
            }
        }
        if let Some(text) = track.solves().filter(|_| has(request, "solves")) {
            let path = request.out.join(format!("solves-{}.csv", track.name()));
            write_file(&path, text.as_bytes())?;
        }
    }
    Ok(())
}

/// Whether a format was asked for.
fn has(request: &RunRequest, format: &str) -> bool {
    request.formats.iter().any(|f| f == format)
}

fn pictures(tracks: &[Box<dyn Track>], request: &RunRequest) -> Vec<RgbImage> {
    tracks.iter().map(|t| t.picture(&request.framing)).collect()
}

fn write_frame(
    tracks: &[Box<dyn Track>],
    request: &RunRequest,
    strip: &mut Strip,
) -> Result<(), CliError> {
    let Some(frame) = tracks.first().map(|t| t.done()) else {
        return Ok(());
    };
    if !frame.is_multiple_of(request.every) && frame != request.frames {
        return Ok(());
    }
    if has(request, "png") || has(request, "strip") {
        let pictures = pictures(tracks, request);
        if has(request, "png") {
            let bytes = picture::png(&picture::beside(&pictures))?;
            write_file(&request.out.join(format!("frame-{frame:04}.png")), &bytes)?;
        }
        if has(request, "strip") {
            strip.take(tracks, &pictures);
        }
    }
    for format in &request.formats {
        if ["png", "strip", "csv", "solves"].contains(&format.as_str()) {
            continue;
        }
        for track in tracks {
            if let Some(bytes) = track.file(format) {
                let name = format!("{}-{frame:04}.{format}", track.name());
                write_file(&request.out.join(name), &bytes)?;
            }
        }
    }
    Ok(())
}
