//! Long runs: stacks over 100,000 frames, bodies at rest on a slope over 10,000 steps. Minutes each, so they run when asked.
//!
//! `cargo test --release -p stokeslet-contact --test long -- --ignored --nocapture`

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_contact::newton::NewtonSettings;
use stokeslet_contact::real::V3;
use stokeslet_contact::{Scene, SceneFile, Settings, Simulation, scenes};

fn sharp() -> Settings {
    Settings {
        newton: NewtonSettings {
            tolerance_factor: 1e-5,
            ..NewtonSettings::default()
        },
        ..Settings::default()
    }
}

/// Centres of all bodies that move.
fn centres(simulation: &Simulation) -> Vec<V3> {
    let bodies = simulation.scene().body.iter();
    bodies
        .map(|b| simulation.body(&b.name).unwrap().position)
        .collect()
}

/// Runs to rest, then on; the farthest that any centre goes after that, m, and whether the attachments kept their bits.
fn drift(scene: &Scene, rest: u32, steps: u32) -> (f64, bool) {
    let mut simulation = Simulation::new(scene, &sharp()).unwrap();
    for _ in 0..rest {
        simulation.step();
    }
    let (start, attached) = (centres(&simulation), simulation.state().attachments.clone());
    let mut farthest = 0.0_f64;
    for step in 1..=steps {
        simulation.step();
        if step % (steps / 10) == 0 {
            let ways = centres(&simulation)
                .into_iter()
                .zip(&start)
                .map(|(a, b)| (a - b).norm());
            farthest = farthest.max(ways.fold(0.0, f64::max));
            println!("{}: {farthest:.1e} m after {step} steps", scene.name);
        }
    }
    let t = simulation.totals();
    println!(
        "{}: {} steps, {:.2} Newton a step, worst {}, {} not converged (worst {:.1} tolerances)",
        scene.name,
        t.steps,
        t.newton as f64 / t.steps as f64,
        t.worst_newton,
        t.stalled + t.cut,
        t.worst_residual
    );
    assert_eq!(t.stalled + t.cut, 0, "{}: {t:?}", scene.name);
    (farthest, simulation.state().attachments == attached)
}

/// A stack of five, rigid and material in turn. The material is as stiff as rubber: at the scenes' 1e3 Pa a kilogram would flatten it.
fn stack_of_points() -> Scene {
    let mut text = "name = 'stack_rm'\nabout = 'rigid boxes and blocks of material points in turn'\ntime_step = 0.005\nduration = 1000\n\
                    friction = 0.3\nstiffness = 3e4\ngrid_spacing = 0.0334\nplane = [{ normal = [0, 0, 1] }]\n"
        .to_owned();
    for k in 0..5 {
        let (kind, cells) = match k % 2 {
            0 => ("rigid", 1),
            _ => ("points", 6),
        };
        // Points lie half a spacing inside of their block's sides.
        let z = 0.05 + 0.1 * f64::from(k) - f64::from((k + 1) / 2 + k / 2) * 0.1 / 12.0;
        let young = if k % 2 == 0 { "" } else { "young = 1e6\n" };
        let surface = if k % 2 == 0 {
            "surface = 'level_set'\n"
        } else {
            ""
        };
        text += &format!(
            "[[body]]\nname = 'box {k}'\nkind = '{kind}'\nmass = 1\n{young}{surface}position = [0, 0, {z}]\n\
             shape = {{ box = {{ sides = [0.1, 0.1, 0.1], cells = [{cells}, {cells}, {cells}] }} }}\n"
        );
    }
    Scene::parse(&text).unwrap()
}

#[test]
#[ignore = "a minute in release"]
fn a_rigid_stack_of_five_does_not_drift_in_100_000_frames() {
    let scene = scenes::find("stack_rr").unwrap().scene();
    let (way, kept) = drift(&scene, 1000, 100_000);
    assert!(way < 1e-7 && kept, "{way:e} m of 0.1 m, kept {kept}");
}

#[test]
#[ignore = "some minutes in release"]
fn a_stack_of_rigid_and_soft_cubes_does_not_drift_in_100_000_frames() {
    let scene = scenes::find("stack").unwrap().scene();
    let (way, kept) = drift(&scene, 1000, 100_000);
    assert!(way < 1e-7 && kept, "{way:e} m of 0.1 m, kept {kept}");
}

#[test]
#[ignore = "half an hour in release"]
fn a_stack_of_rigid_and_material_blocks_does_not_drift_in_100_000_frames() {
    let (way, kept) = drift(&stack_of_points(), 1000, 100_000);
    assert!(way < 1e-7 && kept, "{way:e} m of 0.1 m, kept {kept}");
}

/// On a slope of 0.11 at friction 0.125, a seventh above what holds.
#[test]
#[ignore = "some minutes in release"]
fn bodies_of_every_kind_do_not_creep_on_a_slope_in_10_000_steps() {
    for (name, rest) in [
        ("plane_r_stick", 1000),
        ("plane_d_stick", 1000),
        ("iplane_m_stick", 200),
        ("plane_m_stick", 200),
    ] {
        let mut scene = scenes::find(name).unwrap().scene();
        scene.body[0].velocity = [0.0; 3];
        let (way, kept) = drift(&scene, rest, 10_000);
        println!(
            "{name}: {:.1e} of a side, attachments kept: {kept}",
            way / 0.1
        );
        assert!(way < 1e-7, "{name}: {way:e} m of 0.1 m");
        assert!(kept, "{name}: attachments keep their bits");
    }
}
