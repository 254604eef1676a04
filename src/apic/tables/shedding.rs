//! Y5: how fast a disc sheds vortices.

use super::convergence::built_in;
use crate::measure;
use crate::settings::Settings;
use crate::table::{TableError, check};
use crate::transfer::Transfer;
use crate::world::World;
use stokeslet_dynamics::report::table::{At, Row};

/// The frequency (Hz) and the root mean square of the vorticity in a window behind the disc, from 20 s on.
fn run(at: At, settings: &Settings, keep_on: &dyn Fn() -> bool) -> Result<(f64, f64), TableError> {
    let scene = built_in("shedding", at)?;
    let mut world = World::<2>::new(&scene, settings);
    let mut signal = Vec::new();
    for _ in 0..scene.steps() {
        check(keep_on)?;
        world.step()?;
        if world.time() >= 20.0 {
            signal.push(measure::circulation(&world, [1.0, -1.0], [1.5, 1.0]));
        }
    }
    Ok(measure::frequency(&signal, scene.step()))
}

/// Y5.
pub(super) fn rows(at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let mut rows = Vec::new();
    for (transfer, order, printed) in [
        (Transfer::Apic, 1, ".49 (P)"),
        (Transfer::Xpic, 2, ".39 (P)"),
        (Transfer::Xpic, 3, ".42 (P)"),
        (Transfer::Xpic, 5, ".41 (P)"),
        (Transfer::Pic, 1, ""),
    ] {
        let settings = Settings {
            transfer,
            order,
            ..Settings::default()
        };
        let name = settings.name();
        let (f, rms) = run(at, &settings, keep_on)?;
        let strength = Row::new("Y5", format!("{name}: signal rms, m2/s"), "", rms);
        if transfer == Transfer::Pic {
            rows.push(strength.at_most(0.02));
            continue;
        }
        let frequency = Row::new("Y5", format!("{name}: frequency, Hz"), printed, f);
        let (low, high) = match (transfer, at) {
            (Transfer::Apic, At::Paper) => (0.40, 0.56),
            (_, At::Paper) => (0.34, 0.50),
            (Transfer::Apic, At::Small) => (0.30, 0.42),
            _ => (f64::NEG_INFINITY, f64::INFINITY),
        };
        rows.push(frequency.within(low, high));
        if at == At::Paper {
            rows.push(
                Row::new(
                    "Y5",
                    format!("{name}: Strouhal number"),
                    ".19 to .24 (P)",
                    0.5 * f,
                )
                .within(0.17, 0.28),
            );
        }
        rows.push(if (transfer, at) == (Transfer::Apic, At::Small) {
            strength.at_least(0.1)
        } else {
            strength
        });
    }
    Ok(rows)
}
