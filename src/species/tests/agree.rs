//! Tubes against elements on every design of `designs/`: outlets' means differ by less than both together estimate of themselves.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_flow::session::Solver;
use stokeslet_species::{Engine, Paths, Settings};
use support::{by_first_inlet, designs, row, run};

/// A design at one Peclet number: greatest difference of an outlet's mean, over the range, the estimate there, and whether any is above its own.
///
/// `most`: unknowns of the flow; elements on chips with more take a test too long.
fn compare(large: bool, peclets: &[f64], most: usize) {
    let (mut broken, mut compared) = (Vec::new(), 0);
    for (name, chip) in designs(large) {
        let solution = Solver::new(&chip).resolution(8).solve().unwrap();
        if solution.report.unknowns > most {
            continue;
        }
        compared += 1;
        let paths = Paths::of(&chip, &solution).unwrap();
        for &peclet in peclets {
            let species = [by_first_inlet(&chip, &paths, peclet)];
            let by = |engine| {
                let settings = Settings {
                    engine,
                    ..Settings::default()
                };
                stokeslet_species::solve(&chip, &paths, &species, settings, false)
                    .unwrap()
                    .remove(0)
            };
            let (tubes, elements) = (by(Engine::Tubes), by(Engine::Elliptic));
            let mut worst = (0.0, 0.0, 0.0, String::new());
            for (t, e) in tubes.ports.iter().zip(&elements.ports) {
                let (Some(a), Some(b)) = (t.mean, e.mean) else {
                    continue;
                };
                // Either may be off by as much as it says.
                let error = t.error.unwrap_or(0.0) + e.error.unwrap_or(0.0);
                // Where one stream leaves, both have what enters, to rounding.
                let part = (a - b).abs() / error.max(1e-12);
                if part > worst.0 {
                    worst = (part, (a - b).abs(), error, t.port.clone());
                }
            }
            println!(
                "{name} Pe {peclet}: regions by tubes {} elements {} of order {}, worst outlet {}: difference {:.1e}, estimate {:.1e}, ratio {:.2}; elements out of range {:.0e}, balance {:.0e}",
                elements.regions_by_tubes,
                elements.regions_by_elements,
                elements.element_order,
                worst.3,
                worst.1,
                worst.2,
                worst.0,
                elements.range_violated,
                elements.balance,
            );
            assert!(elements.regions_by_elements > 0 || elements.element_order > 0);
            if worst.0 > 1.0 {
                broken.push(format!("{name} Pe {peclet}: {worst:?}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(compared > 4, "{compared} designs");
}

#[test]
fn tubes_and_elements_agree_on_every_small_design() {
    compare(false, &[100.0], 80_000);
}

#[test]
#[ignore = "all Peclet numbers on all designs, minutes: cargo test --release -p stokeslet-species --test agree -- --ignored --nocapture"]
fn tubes_and_elements_agree_on_every_design() {
    let all = [100.0, 300.0, 1e3];
    compare(false, &all, usize::MAX);
    compare(true, &all, usize::MAX);
}

/// Two channels with a rung between them in which nothing flows: what crosses it crosses by diffusion alone.
const LADDER: &str = r#"
components = { a = { kind = "tee", at = ["0 m", "0 m"] }, m = { kind = "pipe", attach = "a", to = "a.up", parameters = { length = "LENGTH m" } }, b = { kind = "tee", attach = "up", to = "m.b" }, ai = { kind = "pipe", attach = "b", to = "a.left", parameters = { length = "3 m" } }, ao = { kind = "pipe", attach = "a", to = "a.right", parameters = { length = "3 m" } }, bi = { kind = "pipe", attach = "b", to = "b.right", parameters = { length = "3 m" } }, bo = { kind = "pipe", attach = "a", to = "b.left", parameters = { length = "3 m" } } }
ports = { ai = { at = "ai.a", flow_rate = "1 m^2/s" }, ao = { at = "ao.b", pressure = "0 Pa" }, bi = { at = "bi.a", flow_rate = "1 m^2/s" }, bo = { at = "bo.b", pressure = "0 Pa" } }
"#;

#[test]
fn tubes_know_what_they_leave_out_in_pipes_that_stand_still() {
    for length in ["3", "5"] {
        let row = row(&LADDER.replace("LENGTH", length), 8);
        for peclet in [30.0, 300.0] {
            let by = |engine| {
                let settings = Settings {
                    engine,
                    ..Settings::default()
                };
                run(&row.chip, &row.paths, peclet, &[("ai", 1.0)], settings)
            };
            let (tubes, elements) = (by(Engine::Tubes), by(Engine::Elliptic));
            let mean = |of: &stokeslet_species::SpeciesResult| of.ports[3].mean.unwrap();
            let left_out = mean(&elements) - mean(&tubes);
            let said = tubes.ports[3].error.unwrap();
            println!("rung of {length}, Pe {peclet}: {left_out:.2e} crosses, {said:.2e} was said");
            assert!(left_out > 1e-5 && said >= left_out, "{left_out:e} {said:e}");
            assert!(said <= 20.0 * left_out, "{left_out:e} {said:e}");
        }
    }
}
