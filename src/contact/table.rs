//! What scenes expect, beside what a run of them gives; and how their solves went.

use stokeslet_dynamics::report::table::Row;
use thiserror::Error;

use crate::scene::{Expect, Scene};
use crate::simulation::{Settings, Simulation, StartError};

/// Why a table wasn't made.
#[derive(Debug, Error)]
pub enum TableError {
    /// The scene.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Stopped by the caller.
    #[error("stopped by the caller")]
    Stopped,
}

/// Runs a scene until nothing more is expected of it, or for `most` seconds of its time.
///
/// What is expected later stays unmeasured, so its row doesn't hold. Steps that don't converge count as in the paper: at most one in a
/// thousand, and none by over a hundred tolerances.
/// # Shapes and units
/// - `most`: s
/// - `keep_on`: asked every step; false stops
/// # Errors
/// [`TableError`]; a row out of its accepted range is no error, see [`Row::holds`].
pub fn rows(
    scene: &Scene,
    settings: &Settings,
    most: f64,
    keep_on: &dyn Fn() -> bool,
) -> Result<Vec<Row>, TableError> {
    let mut simulation = Simulation::new(scene, settings)?;
    let half = 0.5 * simulation.scene().time_step;
    let needed = scene.expect.iter().map(|e| e.at).fold(0.0, f64::max);
    let mut measured = vec![f64::NAN; scene.expect.len()];
    while simulation.time() < needed.min(most) - half {
        if !keep_on() {
            return Err(TableError::Stopped);
        }
        simulation.step();
        for (ours, e) in measured.iter_mut().zip(&scene.expect) {
            if ours.is_nan() && simulation.time() >= e.at - half {
                let found = simulation.quantity(&e.body, e.quantity, e.direction);
                *ours = found.unwrap_or(f64::NAN);
            }
        }
    }
    let (totals, time) = (*simulation.totals(), simulation.time());
    let each = |count: u64| count as f64 / totals.steps.max(1) as f64;
    let of = |name: &str, ours: f64| Row::new(&scene.name, name, "", ours);
    let mut rows = vec![
        of("simulated", time).unit("s"),
        of("Newton iterations a step", each(totals.newton)),
        of("steps made in parts", each(totals.in_parts)).unit("of all"),
        of("steps not converged", each(totals.stalled + totals.cut))
            .unit("of all")
            .at_most(1e-3),
        of("worst of them", totals.worst_residual)
            .unit("tolerances")
            .at_most(100.0),
    ];
    let expected = scene.expect.iter().zip(measured);
    rows.extend(expected.map(|(e, ours)| expectation(scene, e, ours)));
    Ok(rows)
}

fn expectation(scene: &Scene, e: &Expect, ours: f64) -> Row {
    let quantity = format!("{:?}", e.quantity).to_lowercase();
    let name = format!("{} {quantity} at {} s", e.body, e.at);
    let (low, high) = (
        e.least.unwrap_or(f64::NEG_INFINITY),
        e.most.unwrap_or(f64::INFINITY),
    );
    Row::new(&scene.name, name, &e.why, ours)
        .unit(e.quantity.unit())
        .within(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenes;

    #[test]
    fn what_is_expected_later_than_the_run_stays_unmeasured() {
        let scene = scenes::find("plane_r_slide").unwrap().scene();
        let rows = rows(&scene, &Settings::default(), 0.02, &|| true).unwrap();
        assert!(rows[..5].iter().all(Row::holds), "{rows:?}");
        assert!(rows.len() > 5 && rows[5].ours.is_nan() && !rows[5].holds());
        assert!(matches!(
            super::rows(&scene, &Settings::default(), 0.02, &|| false),
            Err(TableError::Stopped)
        ));
    }
}
