//! Bodies on a slope of 0.11: way, friction cone, rest and the thresholds of sliding (section 7 of the specification, Q1 and Q2).

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

#[path = "support/sharp.rs"]
mod sharp;

use sharp::sharp;
use stokeslet_contact::scene::Quantity;
use stokeslet_contact::{Settings, Simulation, scenes};

const G: f64 = 9.81;
const TAN: f64 = 0.11;

fn run(simulation: &mut Simulation, seconds: f64) {
    while simulation.time() < seconds - 1e-9 {
        simulation.step();
    }
    assert!(
        simulation.totals().acceptable(),
        "every Newton converges: {:?}",
        simulation.totals()
    );
}

fn travel(simulation: &Simulation) -> f64 {
    simulation
        .quantity("cube", Quantity::Travel, Some([1.0, 0.0, 0.0]))
        .unwrap()
}

/// Way of a block that starts downhill at 0.1 m/s.
fn way(mu: f64, t: f64) -> f64 {
    let cos = 1.0 / (1.0 + TAN * TAN).sqrt();
    let a = G * cos * (TAN - mu);
    let t = if a < 0.0 { t.min(-0.1 / a) } else { t };
    0.1 * t + 0.5 * a * t * t
}

#[test]
fn sliding_cubes_of_every_kind_go_as_far_as_the_formula() {
    for (name, limit) in [
        ("plane_r_slide", 0.002),
        ("plane_d_slide", 0.002),
        ("iplane_m_slide", 0.002),
        ("plane_m_slide", 0.002),
    ] {
        let seconds = if name.contains("_m_") { 0.2 } else { 0.6 };
        let scene = scenes::find(name).unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        run(&mut simulation, seconds);
        let error = travel(&simulation) / way(0.1, seconds) - 1.0;
        println!("{name}: way beyond the formula {error:.2e}");
        assert!(
            error.abs() < limit,
            "{name}: x = v0 t + a t^2 / 2, the prototype .04 %, accepted 1 %: {error:e}"
        );
        let object = if name == "plane_m_slide" {
            "floor"
        } else {
            "plane"
        };
        let (normal, tangential) = simulation.force_between("cube", object);
        let mass = scene.body.iter().find(|b| b.name == "cube").unwrap().mass;
        let weight = mass * G / (1.0 + TAN * TAN).sqrt();
        assert!(
            (normal / weight - 1.0).abs() < 1e-3,
            "{name}: normal force {normal} carries the weight {weight}"
        );
        assert!(
            (tangential / (0.1 * normal) - 1.0).abs() < 1e-4,
            "{name}: T = mu N while it slides: {}",
            tangential / (0.1 * normal)
        );
    }
}

/// The same floor as a half space and as a face of a fixed box (section 7, P12), to 1e-6 of a side.
#[test]
fn points_slide_alike_on_a_half_space_and_on_a_box() {
    // To where it stops, and beyond.
    let way = |name: &str, seconds: f64| {
        let scene = scenes::find(name).unwrap().scene();
        let mut settings = sharp(scene.friction);
        settings.newton.single_precision = false;
        let mut simulation = Simulation::new(&scene, &settings).unwrap();
        run(&mut simulation, seconds);
        travel(&simulation)
    };
    for (end, seconds) in [("slide", 0.15), ("stick", 0.8)] {
        let way = |on: &str| way(&format!("{on}_{end}"), seconds);
        let [plane, face] = ["iplane_m", "plane_m"].map(way);
        println!("{end}: {plane} m on a half space, {face} m on a box");
        assert!((plane - face).abs() < 1e-6 * 0.1, "{end}: {plane} {face}");
    }
}

#[test]
fn thrown_cubes_stop_where_the_formula_says_and_rest() {
    for name in ["plane_r_stick", "plane_d_stick"] {
        let scene = scenes::find(name).unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        let stop = 0.1 / (G / (1.0 + TAN * TAN).sqrt() * (0.125 - TAN));
        run(&mut simulation, 1.1 * stop);
        let early = simulation.body("cube").unwrap().velocity.norm();
        run(&mut simulation, 2.0 * stop);
        let late = simulation.body("cube").unwrap().velocity.norm();
        let error = travel(&simulation) / way(0.125, 9.0) - 1.0;
        println!(
            "{name}: way {error:.2e} beyond the formula, speed {early:.1e} at 1.1 t_s, {late:.1e} at 2 t_s"
        );
        assert!(
            error.abs() < 0.01,
            "{name}: stops after v0^2 / 2a within 1 %: {error:e}"
        );
        assert!(
            early < 5e-4 && late < 1e-5,
            "{name}: {early:e} and {late:e} m/s"
        );
    }
}

/// The analytic threshold of sliding is the slope itself; within 1 % of it bodies of every kind do as they should.
#[test]
fn cubes_of_every_kind_hold_above_the_threshold_and_slide_below_it() {
    for (name, seconds, apart) in [
        ("plane_r_stick", 3.0, 0.0005),
        ("plane_d_stick", 3.0, 0.0005),
        ("iplane_m_stick", 0.8, 0.0011),
    ] {
        let mut scene = scenes::find(name).unwrap().scene();
        scene.body[0].velocity = [0.0; 3];
        for (mu, slides) in [(TAN - apart, true), (TAN + apart, false)] {
            let mut simulation = Simulation::new(&scene, &sharp(mu)).unwrap();
            // The slack of springs that start without tension gives a little speed, which the second half no longer has.
            run(&mut simulation, 0.5 * seconds);
            let x = travel(&simulation);
            run(&mut simulation, seconds);
            let moved = travel(&simulation) - x;
            let acceleration = G / (1.0 + TAN * TAN).sqrt() * apart;
            let expected = 0.375 * acceleration * seconds * seconds;
            println!(
                "{name} at {mu}: moved {moved:.3e} in the second half, sliding would be {expected:.3e}"
            );
            if slides {
                assert!(
                    moved > 0.5 * expected && moved < 4.0 * expected,
                    "{name} slides at {mu}: {moved:e} against {expected:e}"
                );
            } else {
                assert!(
                    moved.abs() < 1e-3 * expected,
                    "{name} holds at {mu}: {moved:e}"
                );
            }
        }
    }
}

#[test]
fn bodies_at_rest_keep_their_attachments_to_the_bit() {
    for (name, steps) in [
        ("plane_r_stick", 10_000),
        ("plane_d_stick", 10_000),
        ("iplane_m_stick", 40),
    ] {
        let mut scene = scenes::find(name).unwrap().scene();
        scene.body[0].velocity = [0.0; 3];
        let mut simulation = Simulation::new(&scene, &sharp(0.125)).unwrap();
        run(&mut simulation, if steps > 1000 { 1.0 } else { 0.3 });
        let attachments = simulation.state().attachments.clone();
        let x = simulation.body("cube").unwrap().position;
        for _ in 0..steps {
            simulation.step();
        }
        let drift = (simulation.body("cube").unwrap().position - x).norm() / 0.1;
        println!("{name}: drift {drift:.1e} of a side in {steps} steps");
        assert!(
            simulation.state().attachments == attachments,
            "{name}: attachments of a body at rest are bitwise still"
        );
        assert!(
            drift < 1e-6,
            "{name}: no creep below the angle of friction: {drift:e} of a side"
        );
    }
}

#[test]
fn no_touch_leaves_the_friction_cone() {
    for name in ["plane_r_slide", "plane_d_slide", "prmd_rr", "wdg_rr"] {
        let scene = scenes::find(name).unwrap().scene();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        let mut touches = 0;
        for _ in 0..20 {
            simulation.step();
            for t in simulation.touches() {
                let (n, tangential) = t.parts();
                let is_plane = scene.plane.iter().any(|plane| plane.name == t.object);
                let limit = if is_plane { 1e-9 } else { 0.02 };
                assert!(
                    tangential <= scene.friction * n * (1.0 + limit) + 1e-15,
                    "{name}: T {tangential} > mu N {}",
                    scene.friction * n
                );
                touches += 1;
            }
        }
        assert!(touches > 50, "{name}: something touches: {touches}");
    }
}
