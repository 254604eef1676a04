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
/// What is expected later stays unmeasured, so its row doesn't hold. Of steps that don't converge the specification accepts one in a thousand, and
/// none by over a hundred tolerances; of Newton iterations, in the paper's scenes, five a step.
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
    let at_start = |e: &Expect| match e.since {
        None => 0.0,
        Some(since) if since < half => measure(&simulation, e),
        Some(_) => f64::NAN,
    };
    let mut before: Vec<f64> = scene.expect.iter().map(at_start).collect();
    while simulation.time() < needed.min(most) - half {
        if !keep_on() {
            return Err(TableError::Stopped);
        }
        simulation.step();
        let time = simulation.time();
        for ((ours, before), e) in measured.iter_mut().zip(&mut before).zip(&scene.expect) {
            if before.is_nan() && e.since.is_some_and(|since| time >= since - half) {
                *before = measure(&simulation, e);
            }
            if ours.is_nan() && time >= e.at - half {
                *ours = measure(&simulation, e) - *before;
            }
        }
    }
    let (totals, time) = (*simulation.totals(), simulation.time());
    let each = |count: u64| count as f64 / totals.steps.max(1) as f64;
    let of = |name: &str, ours: f64| Row::new(&scene.name, name, "", ours);
    let newton = of("Newton iterations a step", each(totals.newton));
    let newton = match scene.paper {
        Some(_) => Row {
            reference: "paper: 3.1 over all scenes".to_owned(),
            ..newton.at_most(5.0)
        },
        None => newton,
    };
    let mut rows = vec![
        of("simulated", time).unit("s"),
        newton,
        of("most in a step", totals.worst_newton as f64),
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

fn measure(simulation: &Simulation, e: &Expect) -> f64 {
    let found = simulation.quantity(&e.body, e.quantity, e.direction);
    found.unwrap_or(f64::NAN)
}

fn expectation(scene: &Scene, e: &Expect, ours: f64) -> Row {
    let quantity = format!("{:?}", e.quantity).to_lowercase();
    let name = match e.since {
        Some(since) => format!("{} {quantity} from {since} to {} s", e.body, e.at),
        None => format!("{} {quantity} at {} s", e.body, e.at),
    };
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
        assert!(rows[..6].iter().all(Row::holds), "{rows:?}");
        assert!(rows.len() > 6 && rows[6].ours.is_nan() && !rows[6].holds());
        assert!(matches!(
            super::rows(&scene, &Settings::default(), 0.02, &|| false),
            Err(TableError::Stopped)
        ));
    }
    #[test]
    fn what_changes_since_a_time_is_measured_from_there() {
        let mut scene = scenes::find("plane_r_slide").unwrap().scene();
        let e = &mut scene.expect[0];
        (e.quantity, e.direction) = (crate::scene::Quantity::Travel, None);
        (e.since, e.at, e.least, e.most) = (Some(0.01), 0.03, None, None);
        let mut whole = e.clone();
        whole.since = None;
        let mut until = whole.clone();
        until.at = 0.01;
        scene.expect = vec![e.clone(), whole, until];
        let rows = rows(&scene, &Settings::default(), 1.0, &|| true).unwrap();
        let [change, whole, until] = [6, 7, 8].map(|k| rows[k].ours);
        assert!(until > 0.0 && whole > until, "{rows:?}");
        assert_eq!(change, whole - until, "{rows:?}");
        assert!(rows[6].name.contains("from 0.01 to 0.03 s"), "{rows:?}");
    }
}
