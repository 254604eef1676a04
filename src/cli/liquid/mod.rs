//! `stokeslet liquid`: scenes of liquids that separate from walls, runs of them, and the papers' tables beside ours.

mod args;
mod figure;
mod run;
mod table;
mod tank_table;
mod track;

use stokeslet::dynamics::lcp::{Purpose, SOLVERS};
use stokeslet::dynamics::report::figures::FIGURES;
use stokeslet::dynamics::report::paper::TABLES;
use stokeslet::dynamics::scenes::SCENES;
use stokeslet::dynamics::scenes::eckert::{self, TANKS};
use stokeslet::dynamics::splitting::METHODS;
use stokeslet::system;

use super::outcome::{CliError, Outcome};
use super::print_out;
use super::stepped::on_threads;
pub use args::LiquidArgs;
use args::LiquidCommand;

/// Runs one of the subcommands of `liquid`.
///
/// # Errors
/// What keeps it from going on.
pub fn run(args: &LiquidArgs) -> Result<Outcome, CliError> {
    match &args.command {
        LiquidCommand::Scenes { scene } => {
            print_out(&match scene {
                Some(name) => run::file(name)?.into_owned(),
                None => list(),
            })?;
            Ok(Outcome::Fine)
        }
        LiquidCommand::Run(args) => on_threads(args.threads, |cancel| run::run(args, cancel)),
        LiquidCommand::Table(args) => on_threads(args.threads, |cancel| table::run(args, cancel)),
        LiquidCommand::Figure(args) => on_threads(args.threads, |cancel| figure::run(args, cancel)),
    }
}

fn list() -> String {
    let mut out = String::from("Scenes\n");
    for s in SCENES {
        out += &format!("  {:<16} {}D  {}\n", s.name, s.dimension, s.summary);
    }
    for scene in system("liquid").map_or_else(Vec::new, |s| s.scenes()) {
        out += &format!(
            "  {:<16} {}D  {}\n",
            scene.name, scene.dimension, scene.title
        );
    }
    for (purpose, heading) in [
        (Purpose::Lcp, "Solvers"),
        (Purpose::Sticking, "Solvers for walls that liquid sticks to"),
        (Purpose::Ablation, "Variants that show where a method fails"),
    ] {
        out += &format!("\n{heading}\n");
        for s in SOLVERS.iter().filter(|s| s.purpose == purpose) {
            out += &format!("  {:<18} {}\n", s.name, s.summary);
        }
    }
    out += "\nTanks of the splitting methods, in space with -3d after the name\n";
    for t in TANKS {
        out += &format!("  {:<18} {}\n", t.name, t.summary);
    }
    out += "\nSplitting methods for tanks; those of the first list work there too\n";
    for m in METHODS {
        out += &format!("  {:<18} {}\n", m.name, m.summary);
    }
    out += "\nTables\n";
    for t in TABLES {
        let sizes: Vec<String> = t.rows.iter().map(|r| r.0.to_string()).collect();
        out += &format!("  {:<16} {} ({})\n", t.id, t.title, sizes.join(", "));
    }
    out += "\nTables of splitting methods\n";
    for t in eckert::TABLES {
        out += &format!(
            "  {:<16} {} ({}, {} steps)\n",
            t.id, t.title, t.side, t.steps
        );
    }
    out += "\nFigures\n";
    for f in FIGURES {
        let length = match f.frames {
            0 => String::new(),
            n => format!(", {n} frames or steps"),
        };
        out += &format!("  {:<16} {} ({}{length})\n", f.id, f.title, f.side);
    }
    out
}
