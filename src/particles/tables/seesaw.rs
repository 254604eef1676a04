//! 5.6: the first step of a jet on a bar, by ours and by the paper's comparator.

use stokeslet_dynamics::report::table::{At, Row};

use super::{Table, TableError, scene};
use crate::pms;
use crate::settings::{Coupling, Settings};
use crate::simulation::Simulation;

/// Peak pressure and mean velocity along x of the fluid whose height passes a test.
fn part(fluid: &[[f64; 3]], velocity: &[[f64; 3]], pressure: &[f64], above: f64) -> (f64, f64) {
    let inside: Vec<usize> = (0..fluid.len())
        .filter(|k| fluid[*k][1] * above > 0.0)
        .collect();
    let peak = inside.iter().map(|k| pressure[*k]).fold(0.0, f64::max);
    (
        peak,
        inside.iter().map(|k| velocity[*k][0]).sum::<f64>() / inside.len() as f64,
    )
}

pub(super) fn seesaw(_at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let mut table = Table::new("5.6");
    let scene = scene("seesaw", At::Paper)?;
    let settings = Settings {
        tolerance: 1e-5,
        max_iterations: 100_000,
        ..Settings::paper(1)
    };
    let near = |x: f64, part: f64| (x - part * x.abs(), x + part * x.abs());
    let mut reference = (0.0, 0.0);
    let wanted = [
        (
            "A",
            Coupling::Contacts,
            [0.8625, 16684.0, 14603.0, 8205.0, 6418.0, -0.7915, 0.0898],
        ),
        (
            "B",
            Coupling::Sums,
            [0.8646, 18108.0, 14349.0, 8837.0, 6300.0, -0.7900, 0.0908],
        ),
    ];
    for (letter, coupling, w) in wanted {
        let mut simulation = Simulation::new(
            &scene,
            &Settings {
                coupling,
                ..settings.clone()
            },
        )?;
        simulation.constrain()?;
        let s = simulation.snapshot();
        let (top, top_u) = part(&s.fluid, &s.velocity, &s.pressure, 1.0);
        let (bottom, bottom_u) = part(&s.fluid, &s.velocity, &s.pressure, -1.0);
        let (top_s, _) = part(&s.fluid, &s.velocity, &s.smoothed, 1.0);
        let (bottom_s, _) = part(&s.fluid, &s.velocity, &s.smoothed, -1.0);
        let ours = [
            s.bodies[0].spin[2],
            top,
            top_s,
            bottom,
            bottom_s,
            top_u,
            bottom_u,
        ];
        let names = [
            "angular velocity",
            "top, peak pressure",
            "top, peak smoothed pressure",
            "bottom, peak pressure",
            "bottom, peak smoothed pressure",
            "top, mean velocity",
            "bottom, mean velocity",
        ];
        let units = ["1/s", "Pa", "Pa", "Pa", "Pa", "m/s", "m/s"];
        for k in 0..7 {
            let part = if k == 1 || k == 3 { 0.1 } else { 0.02 };
            table.row(
                format!("{letter}: {}", names[k]),
                format!("{} (prototype)", w[k]),
                ours[k],
                units[k],
                near(w[k], part),
            );
        }
        if coupling == Coupling::Contacts {
            reference = (bottom, top);
        }
        if !keep_on() {
            return Err(TableError::Stopped);
        }
    }
    let p = pms::first_step(&scene, &settings)?;
    let (top, top_u) = part(&p.fluid, &p.velocity, &p.pressure, 1.0);
    let (bottom, _) = part(&p.fluid, &p.velocity, &p.pressure, -1.0);
    let fastest = p
        .fluid
        .iter()
        .zip(&p.velocity)
        .filter(|(x, _)| x[1] < 0.0)
        .map(|(_, u)| u[0].abs())
        .fold(0.0, f64::max);
    table.row(
        "PMS: angular velocity",
        "0.4614 (prototype)",
        p.bodies[0].1[2],
        "1/s",
        near(0.4614, 0.02),
    );
    table.row(
        "PMS: top, peak pressure",
        "11896 (prototype), below A's (paper)",
        top,
        "Pa",
        near(11896.0, 0.1),
    );
    table.row(
        "PMS: top, mean velocity",
        "-0.8745 (prototype)",
        top_u,
        "m/s",
        near(-0.8745, 0.02),
    );
    table.row(
        "PMS: bottom pressure over A's",
        "no pressure",
        bottom / reference.0,
        "",
        (0.0, 1e-5),
    );
    table.row(
        "PMS: bottom, largest velocity",
        "zero velocity",
        fastest,
        "m/s",
        (0.0, 1e-5),
    );
    table.row(
        "PMS: top, peak pressure over A's",
        "below 1",
        top / reference.1,
        "",
        (0.0, 1.0),
    );
    Ok(table.rows)
}
