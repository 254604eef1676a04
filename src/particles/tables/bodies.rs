//! 5.1, 5.5, 5.7: boxes that fall, boxes that float, and both among crosses that turn.

use stokeslet_dynamics::report::table::{At, Row};
use stokeslet_dynamics::scene_file::SceneError;

use super::{Table, TableError, run, scene};
use crate::measure;
use crate::scene::Scene;
use crate::settings::{Coupling, Settings, Solver, Start};
use crate::simulation::Simulation;

pub(super) fn boxes(at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let scene = scene("boxes", at)?;
    let mut simulation = Simulation::new(
        &scene,
        &Settings {
            tolerance: 1e-4,
            ..Settings::paper(2000)
        },
    )?;
    let before = simulation.snapshot();
    let (l, m) = (scene.spacing, before.bodies[0].mass);
    let (mut deepest, mut late, mut rise, mut last) = (0.0_f64, 0.0_f64, 0.0_f64, f64::NAN);
    let (mut least, mut most, mut shown) = (f64::MAX, f64::MIN, None);
    run(&mut simulation, 4.0, keep_on, |s, log| {
        deepest = deepest.max(log.body_depth);
        if log.time > 2.0 + 1e-9 {
            late = late.max(log.body_depth);
        } else {
            shown = Some(s.snapshot());
        }
        if log.time > 3.0 {
            rise = rise.max(log.energy() - last);
            least = least.min(log.energy());
            most = most.max(log.energy());
        }
        last = log.energy();
    })?;
    let shown = shown.unwrap_or_else(|| simulation.snapshot());
    let moved = before
        .bodies
        .iter()
        .zip(&shown.bodies)
        .map(|(a, b)| (b.centre[0] - a.centre[0]).abs() / l);
    let mut table = Table::new("5.1");
    table.row(
        "largest move sideways at 2 s",
        "scatters",
        moved.fold(0.0, f64::max),
        "l",
        (3.0, f64::INFINITY),
    );
    table.row(
        "deepest penetration, ever",
        "none found",
        deepest,
        "l",
        (0.0, 0.2),
    );
    table.row(
        "deepest penetration after 2 s",
        "none found",
        late,
        "l",
        (0.0, 0.05),
    );
    table.row(
        "change of energy, 3 to 4 s",
        "",
        (most - least) / most.abs(),
        "",
        (0.0, 1e-3),
    );
    table.row(
        "largest rise a step, 3 to 4 s",
        "",
        rise / (m * 9.8 * l),
        "m g l",
        (f64::NEG_INFINITY, 0.02),
    );
    Ok(table.rows)
}

/// A scene of 5.5 with a box of a density ratio, at its theoretical draught.
///
/// # Errors
/// [`SceneError`] as for `Scene::at_size`.
pub fn floating(ratio: f64, at: At) -> Result<Scene, SceneError> {
    let mut scene = scene("buoyancy", at)?;
    scene.body[0].density = ratio * scene.fluid_density;
    scene.body[0].boxes[0].min[1] = 0.8 - 0.6 * ratio;
    Ok(scene)
}

/// The mean submerged part of the box of a scene of 5.5 over the second half of a run.
///
/// # Errors
/// [`TableError`].
pub fn submerged(
    scene: &Scene,
    settings: &Settings,
    keep_on: &dyn Fn() -> bool,
) -> Result<f64, TableError> {
    let mut simulation = Simulation::new(scene, settings)?;
    let (mut sum, mut count) = (0.0, 0.0);
    let half = 0.5 * scene.duration;
    run(&mut simulation, scene.duration, keep_on, |s, log| {
        if log.time > half && s.steps().is_multiple_of(4) {
            let snapshot = s.snapshot();
            let away = 0.75 * 0.6 + 2.0 * scene.spacing;
            let level = measure::level(&snapshot, snapshot.bodies[0].centre, away);
            sum += measure::submerged(&snapshot, 0, level);
            count += 1.0;
        }
    })?;
    Ok(sum / count)
}

/// The settings of 5.5: deep tanks want a solver that reaches its tolerance.
fn deep() -> Settings {
    Settings {
        solver: Solver::GaussSeidel,
        start: Start::Warm,
        over_relaxation: 1.5,
        max_iterations: 100,
        ..Settings::default()
    }
}

pub(super) fn buoyancy(at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let mut table = Table::new("5.5");
    let wide = if at == At::Small { 0.03 } else { 0.02 };
    for k in 1..=9 {
        let ratio = f64::from(k) / 10.0;
        let ours = submerged(&floating(ratio, at)?, &deep(), keep_on)?;
        table.row(
            format!("submerged part at density ratio {ratio}"),
            format!("{ratio} (exact)"),
            ours,
            "",
            (ratio - wide, ratio + wide),
        );
    }
    Ok(table.rows)
}

pub(super) fn complex(at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let mut table = Table::new("5.7");
    let scene = scene("complex", at)?;
    for (letter, coupling) in [("A", Coupling::Contacts), ("B", Coupling::Sums)] {
        let mut simulation = Simulation::new(
            &scene,
            &Settings {
                coupling,
                ..Settings::paper(50)
            },
        )?;
        let (mut body, mut fluid, mut escaped) = (0.0_f64, 0.0_f64, 0);
        run(&mut simulation, scene.duration, keep_on, |_, log| {
            body = body.max(log.body_depth);
            fluid = fluid.max(log.fluid_depth);
            escaped = escaped.max(log.escaped);
        })?;
        table.row(
            format!("{letter}: deepest body"),
            "visibly without problems",
            body,
            "l",
            (0.0, 0.25),
        );
        table.row(
            format!("{letter}: deepest fluid particle"),
            "visibly without problems",
            fluid,
            "l",
            (0.0, 0.4),
        );
        table.row(
            format!("{letter}: escaped"),
            "0",
            f64::from(u32::try_from(escaped).unwrap_or(u32::MAX)),
            "",
            (0.0, 0.0),
        );
    }
    Ok(table.rows)
}
