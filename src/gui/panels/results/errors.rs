//! How good the numbers are: what the panels say of estimated errors.

use eframe::egui::Ui;

use crate::command::Command;
use crate::results::{Results, Solved};
use stokeslet_flow::export::readable::{Quantity as Unit, percent};
use stokeslet_flow::session::{ErrorEstimate, PortError};

/// Relative errors that people ask for.
const GOALS: [f64; 2] = [1e-2, 1e-3];
/// Finer ones than this many cells across aren't offered: no machine solves a chip so.
const FINEST: u32 = 256;

/// The error of a number that is shown beside it.
pub(crate) fn plus_minus(error: f64, unit: Unit) -> String {
    match error {
        0.0 => "as given".to_owned(),
        error => format!("± {}", unit.show(error)),
    }
}

/// The errors at a port, where they are known.
pub(crate) fn at_port(results: &Results, solved: &Solved, name: &str) -> Option<PortError> {
    let errors = results.errors_of(solved)?;
    let k = solved
        .chip
        .ports
        .iter()
        .position(|port| port.name == name)?;
    errors.ports.get(k).copied()
}

/// What lies under the pointer on a value at a port: its error, and what it tends to.
pub(super) fn hint(error: f64, extrapolated: f64, unit: Unit) -> String {
    match error {
        0.0 => "As given".to_owned(),
        error => format!(
            "± {} (estimated). Extrapolated from coarser solves: {}",
            unit.show(error),
            unit.show(extrapolated)
        ),
    }
}

/// What the overall error is of.
const MEANING: &str = "At most, at any port, of the largest flow or pressure: estimated by solving at half and at a quarter of the resolution";

/// The line below the table of ports.
pub(super) fn line_ui(ui: &mut Ui, results: &Results, solved: &Solved, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.weak("Error at most");
        let Some(estimate) = results.estimate_of(solved) else {
            ui.weak("… being estimated");
            return;
        };
        let errors = match &estimate.errors {
            Ok(errors) => errors,
            Err(why) => {
                ui.weak("not known").on_hover_text(why);
                return;
            }
        };
        let all: Vec<(f64, u32)> = goals(errors, solved.resolution).collect();
        let needed = all
            .iter()
            .map(|(goal, r)| format!("\n{} at {r} cells across", percent(*goal)));
        let hint = format!("{MEANING}{}", needed.collect::<String>());
        ui.label(format!("± {}", percent(errors.relative)))
            .on_hover_text(hint);
        // One, so that the line stays one.
        if let Some(&(goal, resolution)) = all.first() {
            ui.weak(format!("· for {}:", percent(goal)));
            let text = format!("{resolution} cells across");
            if ui.link(text).on_hover_text("Solve so fine").clicked() {
                out.push(Command::SolveAt(resolution));
            }
        }
    });
}

/// Errors that aren't reached yet, and the resolutions that are expected to reach them.
fn goals(errors: &ErrorEstimate, resolution: u32) -> impl Iterator<Item = (f64, u32)> {
    let missed = GOALS.into_iter().filter(|&goal| goal < errors.relative);
    missed
        .map(move |goal| (goal, errors.resolution_for(goal, resolution)))
        .filter(|(_, resolution)| *resolution <= FINEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolutions_are_offered_for_errors_that_are_missed() {
        let errors = |relative| ErrorEstimate {
            coarse_resolution: 4,
            coarse_unknowns: 0,
            seconds: 0.0,
            relative,
            ports: Vec::new(),
            conductance: Vec::new(),
            peak_wall_shear: None,
            peak_change: None,
        };
        let offered = |relative| goals(&errors(relative), 8).collect::<Vec<_>>();
        // Order log2 3: a third of the error takes twice the cells.
        assert_eq!(offered(0.0029), [(1e-3, 16)]);
        assert_eq!(offered(0.029), [(1e-2, 16), (1e-3, 68)]);
        assert_eq!(offered(1e-4), []);
        assert_eq!(offered(1e3), [], "nobody waits for that");
    }

    #[test]
    fn given_values_have_no_errors() {
        assert_eq!(plus_minus(0.0, Unit::Pressure), "as given");
        assert_eq!(plus_minus(0.25, Unit::Pressure), "± 250 mPa");
    }
}
