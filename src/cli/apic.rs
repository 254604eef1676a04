//! `stokeslet apic`: incompressible flow by PIC, FLIP, XPIC and APIC transfers ([004], chapter 3), run from scene files, and what each
//! transfer loses.

use std::fs;

use clap::Subcommand;
use image::RgbImage;
use stokeslet::apic::picture::{Scale, draw};
use stokeslet::apic::simulation::HEAD;
use stokeslet::apic::table::{At, Row, STUDIES, rows};
use stokeslet::apic::{Scene, Settings, Simulation, StepLog, export, scenes};
use stokeslet::cancel::CancelToken;

use super::outcome::{CliError, Outcome};
use super::print_out;
use super::stepped::args::{RunArgs, ScenesArgs, TableArgs};
use super::stepped::settings::settings;
use super::stepped::text::columns;
use super::stepped::{LoadError, RunRequest, Stepped, Watching, on_threads, run as run_stepped};

mod fourier;

pub use fourier::FourierArgs;

const EXAMPLES: &str = "\
Examples:
  stokeslet apic run taylor-green                              vortices; results in results/apic-taylor-green/
  stokeslet apic run inlet --set transfer=apic,flip,pic        three transfers side by side
  stokeslet apic run shedding --set transfer=xpic --set order=5
  stokeslet apic scenes inlet > mine.toml                      a file to start from
  stokeslet apic fourier --size 512                            what survives a round trip, as pictures
  stokeslet apic table Y1,Y2                                   errors and orders beside the thesis's";

/// Of `apic`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ApicArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ApicCommand,
}

/// Its subcommands.
#[derive(Debug, Subcommand)]
pub enum ApicCommand {
    /// List the scenes that come with the program, or print one as a file to start from.
    Scenes(ScenesArgs),
    /// Run a scene. --set transfer=apic,flip runs several transfers side by side.
    Run(RunArgs),
    /// Run what the thesis ran; prints ours beside it, with what is accepted. Names are X2, X4, Y1 to Y6; --seconds has no effect.
    Table(TableArgs),
    /// Draw what each transfer loses, by wavelength: pictures of eigenvalues and tables of their sections.
    Fourier(FourierArgs),
}

/// Runs one of its subcommands.
///
/// # Errors
/// What keeps it from going on.
pub fn run(args: &ApicArgs) -> Result<Outcome, CliError> {
    match &args.command {
        ApicCommand::Scenes(args) => print_out(&match &args.scene {
            Some(name) => builtin(name)?.toml.to_owned(),
            None => list(),
        })
        .map(|()| Outcome::Fine),
        ApicCommand::Run(args) => on_threads(args.threads, |cancel| run_scene(args, cancel)),
        ApicCommand::Table(args) => on_threads(args.threads, |cancel| table(args, cancel)),
        ApicCommand::Fourier(args) => on_threads(args.threads, |cancel| fourier::run(args, cancel)),
    }
}

pub(super) fn usage(message: impl ToString) -> CliError {
    CliError::Usage {
        message: message.to_string(),
    }
}

fn list() -> String {
    let rows: Vec<Vec<String>> = scenes::all()
        .iter()
        .map(|s| {
            let scene = s.scene();
            let cells = scene.cells.iter().map(ToString::to_string);
            vec![
                s.name.into(),
                s.figure.into(),
                cells.collect::<Vec<_>>().join(" x "),
                scene.title,
            ]
        })
        .collect();
    columns(&["scene", "figure", "cells", "what happens"], &rows)
}

fn builtin(name: &str) -> Result<&'static scenes::BuiltIn, CliError> {
    scenes::find(name).ok_or_else(|| {
        usage(format!(
            "there is no scene `{name}`; `stokeslet apic scenes` lists them, and a file of your own ends in .toml"
        ))
    })
}

/// The scene of a name or a file, at the size that was asked for.
fn scene(args: &RunArgs) -> Result<Scene, CliError> {
    let fault = |error: &dyn std::fmt::Display| usage(format!("{}: {error}", args.scene));
    let scene = if args.scene.ends_with(".toml") {
        let text = fs::read_to_string(&args.scene).map_err(|source| CliError::Read {
            path: args.scene.clone().into(),
            source,
        })?;
        Scene::parse(&text).map_err(|e| fault(&e))?
    } else {
        builtin(&args.scene)?.scene()
    };
    match &args.size {
        Some(size) => scene.at_size(size).map_err(|e| fault(&e)),
        None => Ok(scene),
    }
}

/// The settings of every run: a list such as `transfer=apic,flip` makes one of each.
fn all_settings(changes: &[String]) -> Result<Vec<Settings>, CliError> {
    let mut runs: Vec<Vec<String>> = vec![Vec::new()];
    for change in changes {
        let (key, values) = change.split_once('=').unwrap_or((change, ""));
        let values: Vec<String> = match change.contains('=') {
            true => values.split(',').map(|v| format!("{key}={v}")).collect(),
            false => vec![change.clone()],
        };
        runs = runs
            .iter()
            .flat_map(|run| {
                values.iter().map(|value| {
                    let mut run = run.clone();
                    run.push(value.clone());
                    run
                })
            })
            .collect();
    }
    let found: Vec<Settings> = runs
        .iter()
        .map(|run| settings::<Settings>(run))
        .collect::<Result<_, _>>()?;
    for (k, one) in found.iter().enumerate() {
        if found[..k].contains(one) {
            return Err(usage("--set names the same settings twice"));
        }
    }
    Ok(found)
}

fn run_scene(args: &RunArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let scene = scene(args)?;
    let steps = args.steps.map_or(scene.steps(), |n| n as usize).max(1);
    let all = all_settings(&args.set)?;
    let mut tracks: Vec<Box<dyn Stepped>> = Vec::new();
    for (k, settings) in all.iter().enumerate() {
        let simulation = Simulation::new(&scene, settings)
            .map_err(|error| usage(format!("{}: {error}", args.scene)))?;
        let short = settings.name();
        let is_taken = all[..k].iter().any(|s| s.name() == short);
        tracks.push(Box::new(Track {
            name: if is_taken {
                format!("{short}-{}", k + 1)
            } else {
                short
            },
            simulation,
            log: String::new(),
            last: None,
            iterations: 0,
            made: 0,
        }));
    }
    let request = RunRequest {
        title: scene.title.clone(),
        out: args.out.join(format!("apic-{}", scene.name)),
        frames: steps,
        every: args.every.map_or(steps.div_ceil(20), |n| n as usize),
        formats: args.format.clone(),
        resume: args.resume,
    };
    run_stepped(&mut tracks, &request, cancel)
}

/// One running transfer.
struct Track {
    name: String,
    simulation: Simulation,
    log: String,
    last: Option<StepLog>,
    /// Of the pressure, over all steps of this process.
    iterations: usize,
    /// Steps of this process.
    made: usize,
}

impl Stepped for Track {
    fn name(&self) -> &str {
        &self.name
    }

    fn done(&self) -> usize {
        self.simulation.steps() as usize
    }

    fn advance(&mut self, _watch: &Watching<'_>) -> Result<(), CliError> {
        let log = self.simulation.step()?;
        self.log += &format!("{},{}\n", self.name, log.row());
        self.iterations += log.iterations;
        self.made += 1;
        self.last = Some(log);
        Ok(())
    }

    fn head(&self) -> String {
        format!("run,{HEAD}\n")
    }

    fn log(&self) -> &str {
        &self.log
    }

    fn picture(&self) -> RgbImage {
        draw(&self.simulation.snapshot(), Scale { vorticity: None })
    }

    fn file(&self, format: &str) -> Option<Vec<u8>> {
        let (snapshot, mut out) = (self.simulation.snapshot(), Vec::new());
        match format {
            "vtu" => export::vtu(&snapshot, &mut out).ok()?,
            "vti" => export::vti(&snapshot, &mut out).ok()?,
            "ply" => export::ply(&snapshot, &mut out).ok()?,
            _ => return None,
        }
        Some(out)
    }

    fn told(&self) -> Option<String> {
        let last = self.last.as_ref()?;
        let errors = self.simulation.errors().map_or(String::new(), |e| {
            format!(
                "; off the known flow by {:.3e} m/s on faces, {:.3e} m/s on particles (root mean square)",
                e.grid_l2, e.particles_l2
            )
        });
        Some(format!(
            "{}: {:.4} s simulated, {} particles, mean square speed {:.4e} m2/s2, {:.1} pressure iterations a step, {:.2} cells a step at most{errors}",
            self.name,
            last.time,
            last.particles,
            last.energy,
            self.iterations as f64 / self.made.max(1) as f64,
            last.courant,
        ))
    }

    fn save(&self) -> Result<Vec<u8>, CliError> {
        let mut out = (self.log.len() as u64).to_le_bytes().to_vec();
        out.extend(self.log.as_bytes());
        out.extend(self.simulation.save()?);
        Ok(out)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), LoadError> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or("it is cut off")?;
        let length = usize::try_from(u64::from_le_bytes(*length))?;
        let (log, state) = rest.split_at_checked(length).ok_or("it is cut off")?;
        let log = String::from_utf8(log.to_vec())?;
        self.simulation.load(state)?;
        self.log = log;
        Ok(())
    }
}

fn table(args: &TableArgs, cancel: &CancelToken) -> Result<Outcome, CliError> {
    let names: Vec<&str> = match args.names.is_empty() {
        true => STUDIES.to_vec(),
        false => args.names.iter().map(String::as_str).collect(),
    };
    let at = if args.paper { At::Paper } else { At::Small };
    let mut found: Vec<Row> = Vec::new();
    for name in names {
        match rows(name, at, &|| !cancel.is_cancelled()) {
            Ok(rows) => found.extend(rows),
            Err(_) if cancel.is_cancelled() => return Ok(Outcome::CouldNotRun),
            Err(error) => return Err(usage(error)),
        }
    }
    let cells: Vec<Vec<String>> = found
        .iter()
        .map(|r| {
            vec![
                r.study.to_owned(),
                r.name.clone(),
                r.reference.clone(),
                number(r.ours),
                r.accepted(),
                if r.holds() { "" } else { "MISSED" }.to_owned(),
            ]
        })
        .collect();
    let head = ["study", "what", "reference", "ours", "accepted", ""];
    print_out(&columns(&head, &cells))?;
    let missed = found.iter().filter(|r| !r.holds()).count();
    if missed > 0 {
        print_out(&format!("{missed} rows outside what is accepted\n"))?;
        return Ok(Outcome::Inaccurate);
    }
    Ok(Outcome::Fine)
}

fn number(v: f64) -> String {
    let is_plain = v == 0.0 || (1e-3..1e5).contains(&v.abs());
    if is_plain {
        format!("{v:.6}")
    } else {
        format!("{v:.4e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_in_settings_become_several_runs() {
        let of = |changes: &[&str]| {
            let changes: Vec<String> = changes.iter().map(|c| (*c).to_owned()).collect();
            all_settings(&changes).map(|all| all.iter().map(Settings::name).collect::<Vec<_>>())
        };
        assert_eq!(of(&[]).unwrap(), ["apic"]);
        assert_eq!(
            of(&["transfer=pic,flip", "kernel=cubic"]).unwrap(),
            ["pic-cubic", "flip-cubic"]
        );
        assert_eq!(
            of(&["transfer=xpic", "order=2,5"]).unwrap(),
            ["xpic2", "xpic5"]
        );
        for wrong in ["transfer", "transfer=pic,pic", "transfer=apik"] {
            assert!(of(&[wrong]).is_err(), "{wrong}");
        }
    }
}
