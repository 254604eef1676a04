//! `stokeslet apic`: incompressible flow by PIC, FLIP, XPIC and APIC transfers ([004], chapter 3), run from scene files, and what each
//! transfer loses.

use std::io;

use clap::Subcommand;
use image::RgbImage;
use stokeslet::apic::picture::{Scale, draw};
use stokeslet::apic::table::{STUDIES, rows};
use stokeslet::apic::{Scene, Settings, Simulation, StepLog, export, scenes, simulation};
use stokeslet::dynamics::report::table::Row;
use stokeslet::dynamics::scene_file::BuiltIn;

use super::outcome::{CliError, Outcome};
use super::stepped::args::{SiblingCommand, TableArgs};
use super::stepped::sibling::{Sibling, run as run_sibling};
use super::stepped::{Fault, on_threads};

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
    /// Those of every sibling.
    #[command(flatten)]
    Sibling(SiblingCommand),
    /// Draw what each transfer loses, by wavelength: pictures of eigenvalues and tables of their sections.
    Fourier(FourierArgs),
}

/// Runs one of its subcommands.
///
/// # Errors
/// What keeps it from going on.
pub fn run(args: &ApicArgs) -> Result<Outcome, CliError> {
    match &args.command {
        ApicCommand::Sibling(command) => run_sibling::<Simulation>(command),
        ApicCommand::Fourier(args) => on_threads(args.threads, |cancel| fourier::run(args, cancel)),
    }
}

impl Sibling for Simulation {
    type Scene = Scene;
    type Settings = Settings;
    type Log = StepLog;
    const COMMAND: &'static str = "apic";
    const SOURCE: &'static str = "figure";
    const HEAD: &'static str = simulation::HEAD;

    fn built_in() -> &'static [BuiltIn<Scene>] {
        scenes::all()
    }

    fn size(scene: &Scene) -> String {
        let cells: Vec<String> = scene.cells.iter().map(ToString::to_string).collect();
        format!("{} cells", cells.join(" x "))
    }

    fn run_name(_: &Scene, settings: &Settings) -> String {
        settings.name()
    }

    fn start(scene: &Scene, settings: &Settings) -> Result<Self, Fault> {
        Ok(Self::new(scene, settings)?)
    }

    fn needed(&self) -> usize {
        self.scene().steps()
    }

    fn done(&self) -> usize {
        self.steps() as usize
    }

    fn step(&mut self) -> Result<StepLog, Fault> {
        Ok(self.step()?)
    }

    fn row(log: &StepLog) -> String {
        log.row()
    }

    fn bounds(&self) -> [[f64; 3]; 2] {
        self.snapshot().bounds
    }

    fn picture(&self, _bounds: [[f64; 3]; 2]) -> RgbImage {
        draw(&self.snapshot(), Scale { vorticity: None })
    }

    fn write(&self, format: &str, out: &mut Vec<u8>) -> Option<io::Result<()>> {
        let snapshot = self.snapshot();
        match format {
            "vtu" => Some(export::vtu(&snapshot, out)),
            "vti" => Some(export::vti(&snapshot, out)),
            "ply" => Some(export::ply(&snapshot, out)),
            _ => None,
        }
    }

    fn told(&self, logs: &[StepLog]) -> String {
        let last = &logs[logs.len() - 1];
        let iterations: usize = logs.iter().map(|l| l.iterations).sum();
        let errors = self.errors().map_or(String::new(), |e| {
            format!(
                "; off the known flow by {:.3e} m/s on faces, {:.3e} m/s on particles (root mean square)",
                e.grid_l2, e.particles_l2
            )
        });
        format!(
            "{:.4} s simulated, {} particles, mean square speed {:.4e} m2/s2, {:.1} pressure iterations a step, {:.2} cells a step at most{errors}",
            last.time,
            last.particles,
            last.energy,
            iterations as f64 / logs.len() as f64,
            last.courant,
        )
    }

    fn save(&self) -> Result<Vec<u8>, Fault> {
        Ok(self.save()?)
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        Ok(self.load(bytes)?)
    }

    fn tables() -> Vec<&'static str> {
        STUDIES.to_vec()
    }

    fn rows(name: &str, args: &TableArgs, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, Fault> {
        Ok(rows(name, args.at(), keep_on)?)
    }
}
