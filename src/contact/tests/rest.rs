//! Q7 and Q10: bodies that fall on each other, on cloth, into a bowl and on a ball, and come to rest there.
//!
//! `cargo test --release -p stokeslet-contact --test rest -- --ignored --nocapture`

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_contact::real::V3;
use stokeslet_contact::scene::Quantity;
use stokeslet_contact::{Scene, SceneFile, Settings, Simulation, StepLog, scenes};

/// What a run to a scene's end shows.
struct Run {
    simulation: Simulation,
    /// Kinetic energy at the end over its peak.
    kinetic: f64,
    /// Over the last fifth of a second: mean vertical force on what lies in or on an object, N, by its name.
    lifted: f64,
}

/// Runs a scene to its end, or for as many seconds; `object` is what carries, `watch` is asked every step.
fn run(
    name: &str,
    object: &str,
    seconds: Option<f64>,
    mut watch: impl FnMut(&Simulation, &StepLog),
) -> Run {
    let mut scene = scenes::find(name).unwrap().scene();
    scene.duration = seconds.unwrap_or(scene.duration);
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    let (mut peak, mut kinetic) = (0.0_f64, 0.0);
    let mut forces = Vec::new();
    while !simulation.is_over() {
        let log = simulation.step();
        kinetic = log.energies.kinetic;
        peak = peak.max(kinetic);
        watch(&simulation, &log);
        if simulation.time() > scene.duration - 0.2 {
            let touches = simulation.snapshot().touches;
            let on = touches.iter().filter(|t| t.object == object);
            // What is touched may be the body whose particles touch.
            let under = touches.iter().filter(|t| t.body == object);
            let up = on.map(|t| t.force.z).sum::<f64>() - under.map(|t| t.force.z).sum::<f64>();
            forces.push(up);
        }
    }
    let t = simulation.totals();
    println!(
        "{name}: {:.2} Newton a step, worst {}, {} of {} steps not converged",
        t.newton as f64 / t.steps as f64,
        t.worst_newton,
        t.stalled + t.cut,
        t.steps
    );
    let run = Run {
        kinetic: kinetic / peak,
        lifted: forces.iter().sum::<f64>() / forces.len() as f64,
        simulation,
    };
    println!(
        "{name}: kinetic energy {:.1e} of its peak, {object} carries {:.4} N",
        run.kinetic, run.lifted
    );
    run
}

const GRAVITY: f64 = 9.81;

/// Q7: walks over tori end in their first state, mostly, none is long, and the tori come to rest.
#[test]
#[ignore = "a minute in release"]
fn tori_come_to_rest_on_each_other_by_short_walks() {
    let (mut walks, mut long, mut longest, mut given_up) = (0, 0, 0, 0);
    let run = run("torus_dr", "plane", None, |simulation, log| {
        let touches = simulation.snapshot().touches;
        walks += touches.iter().filter(|t| t.object != "plane").count();
        long += log.touching - log.one_state;
        longest = longest.max(log.longest_walk);
        given_up += log.unfinished_walks;
    });
    println!(
        "torus_dr: {long} of {walks} walks left their first state, longest {longest}, {given_up} given up"
    );
    assert!(given_up == 0 && longest <= 10, "{longest}");
    assert!(run.kinetic < 1e-4, "{}", run.kinetic);
    let touches = run.simulation.snapshot().touches;
    let force = touches.iter().map(|t| t.force.norm()).fold(0.0, f64::max);
    let depth = force / run.simulation.scene().stiffness;
    println!("torus_dr: at most {depth:.1e} m deep");
    assert!(!touches.is_empty() && depth < 0.05 * 0.08, "{depth}");
}

/// Q8: from soft contacts to stiff ones, from little friction to much, energy comes from nowhere.
#[test]
#[ignore = "some minutes in release"]
fn tori_gain_no_energy_whatever_their_contacts() {
    for stiffness in [1e1, 1e2, 1e3, 1e4] {
        for friction in [0.1, 1.0, 10.0] {
            let mut scene = scenes::find("torus_dr").unwrap().scene();
            (scene.stiffness, scene.friction) = (stiffness, friction);
            let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
            // At rest, .3 and .6 m high.
            let start = 0.05 * GRAVITY * (0.3 + 0.6);
            let (mut most, mut touching) = (0.0_f64, 0);
            while simulation.time() < 1.0 {
                let log = simulation.step();
                most = most.max(log.energies.total());
                touching = touching.max(log.touching);
            }
            let t = simulation.totals();
            println!(
                "k {stiffness:e} N/m, mu {friction}: energy at most {:.4} of the start's, {:.1} Newton a step, {} of {} steps not converged",
                most / start,
                t.newton as f64 / t.steps as f64,
                t.stalled + t.cut,
                t.steps
            );
            assert!(touching > 10 && most < 1.01 * start, "{most} of {start}");
        }
    }
}

/// Q10: everything stays in the bowl, at rest, and weighs there what it weighs.
#[test]
#[ignore = "some minutes in release"]
fn a_bowl_holds_what_falls_into_it() {
    let run = run("bowl", "bowl", None, |_, _| ());
    let scene = run.simulation.scene().clone();
    let moving = scene.body.iter().filter(|b| b.name != "bowl");
    let mut weight = 0.0;
    for body in moving {
        let at = run.simulation.body(&body.name).unwrap().position;
        let from_middle = (at.x.powi(2) + at.y.powi(2) + (at.z - 0.25).powi(2)).sqrt();
        println!(
            "{}: {from_middle:.3} m from the middle, {:.3} m high",
            body.name, at.z
        );
        assert!(from_middle < 0.25, "{} left: {at:?}", body.name);
        weight += body.mass * GRAVITY;
    }
    let sand = &run.simulation.state().points.x;
    // What touches has sunk in by what carries it. Above the rim sand may be heaped.
    let from_middle = |x: &V3| (x - V3::new(0.0, 0.0, 0.25)).norm();
    let is_inside = |x: &V3| match x.z < 0.25 {
        true => from_middle(x) < 0.251,
        false => x.x.hypot(x.y) < 0.25,
    };
    let farthest = sand.iter().map(from_middle).fold(0.0, f64::max);
    println!("bowl: sand lies {farthest:.5} m from the middle at most");
    let inside = sand.iter().filter(|x| is_inside(x));
    let share = inside.count() as f64 / sand.len() as f64;
    println!("bowl: {share:.4} of the sand inside");
    assert!(share >= 0.99, "{share}");
    assert!(run.kinetic < 1e-3, "{}", run.kinetic);
    assert!(
        (run.lifted / weight - 1.0).abs() < 0.03,
        "{} of {weight} N",
        run.lifted
    );
}

/// Corners that sank through a triangle of a cloth lie below all of it, and hang on it all the same. No vertex of the cloth is below the cube.
#[test]
fn a_small_cloth_holds_a_cube_by_its_corners() {
    let text = r#"
name = "cloth"
about = "A cube falls on a small cloth that is held at its corners."
time_step = 0.005
duration = 1
friction = 0.3
stiffness = 50
[[body]]
name = "cloth"
kind = "cloth"
mass = 0.05
shape = { sheet = { side = 0.4, cells = 4 } }
[[body]]
name = "cube"
kind = "rigid"
mass = 0.1
shape = { box = { sides = [0.06, 0.06, 0.06] } }
position = [0.05, 0.05, 0.04]
"#;
    let scene = Scene::parse(text).unwrap();
    let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
    while simulation.time() < 0.5 {
        simulation.step();
    }
    let height = simulation.body("cube").unwrap().position.z;
    let low = simulation.state().nodes.x.iter().map(|x| x.z);
    let low = low.fold(f64::INFINITY, f64::min);
    assert!(height - 0.03 < low, "its corners are below: {height} {low}");
    assert!(
        height > -0.2,
        "and it would be 1.2 m lower without: {height}"
    );
}

/// Q10: four cubes stay on a cloth that isn't torn.
#[test]
#[ignore = "two minutes in release"]
fn a_cloth_holds_four_cubes() {
    let run = run("cloth", "cloth", None, |_, _| ());
    let snapshot = run.simulation.snapshot();
    let cloth = snapshot.bodies.iter().find(|b| b.name == "cloth").unwrap();
    let lowest = cloth
        .points
        .iter()
        .map(|p| p.z)
        .fold(f64::INFINITY, f64::min);
    let longest = cloth
        .triangles
        .iter()
        .flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]])
        .map(|[a, b]| (cloth.points[a as usize] - cloth.points[b as usize]).norm())
        .fold(0.0, f64::max);
    // Cells of 1/29 m and their diagonals.
    let at_start = 2f64.sqrt() / 29.0;
    println!(
        "cloth: lowest {lowest:.3} m, longest edge {:.2} of the diagonals at the start",
        longest / at_start
    );
    for k in 1..=4 {
        let at = run.simulation.body(&format!("cube {k}")).unwrap().position;
        let is_near = |p: &&V3| (p.x - at.x).abs() < 0.04 && (p.y - at.y).abs() < 0.04;
        let near: Vec<f64> = cloth.points.iter().filter(is_near).map(|p| p.z).collect();
        assert!(!near.is_empty(), "cloth below cube {k} at {at:?}");
        assert!(
            near.iter().all(|z| *z < at.z),
            "cube {k} at {at:?}: {near:?}"
        );
    }
    assert!(longest < 1.5 * at_start);
    let weight = 4.0 * 0.05 * GRAVITY;
    assert!(
        (run.lifted / weight - 1.0).abs() < 0.05,
        "{} of {weight} N",
        run.lifted
    );
}

/// Q10: a soft block rests on a ball with its weight, neither crushed nor torn.
#[test]
#[ignore = "four minutes in release: it swings for more than the scene's two seconds"]
fn a_ball_carries_a_soft_block() {
    let run = run("goo_on_sph", "ball", Some(4.0), |_, _| ());
    let weight = 0.17 * GRAVITY;
    let volumes = run
        .simulation
        .state()
        .points
        .gradient
        .iter()
        .map(|f| f.determinant());
    let [least, most] = volumes.fold([f64::INFINITY, 0.0_f64], |[a, b], j| [a.min(j), b.max(j)]);
    println!(
        "goo: volume {least:.2} to {most:.2} of the start's, kinetic {:.1e}",
        run.kinetic
    );
    assert!(least > 0.3 && most < 2.0);
    assert!(run.kinetic < 1e-3, "at rest: {}", run.kinetic);
    let (centre, radius) = (run.simulation.body("ball").unwrap().position, 0.15);
    let points = &run.simulation.state().points.x;
    let depths = points.iter().map(|x| radius - (x - centre).norm());
    let deepest = depths.fold(f64::NEG_INFINITY, f64::max);
    println!("goo: a point is {deepest:.1e} m deep in the ball at most");
    assert!(deepest < 0.02 * radius, "{deepest}");
    assert!(
        (run.lifted / weight - 1.0).abs() < 0.05,
        "{} of {weight} N",
        run.lifted
    );
}

/// Q10: sand that is poured on the side of a ball pulls it in; without friction it pushes the ball away and doesn't turn it.
#[test]
#[ignore = "five minutes in release"]
fn poured_sand_pulls_a_ball_in_by_friction() {
    let [rough, smooth] = [0.9, 0.0].map(|friction| {
        let scene = scenes::find("sand_on_sph").unwrap().scene();
        let settings = Settings {
            friction: Some(friction),
            ..Settings::default()
        };
        let mut simulation = Simulation::new(&scene, &settings).unwrap();
        let mut spin = 0.0_f64;
        while !simulation.is_over() {
            simulation.step();
            spin = spin.max(simulation.body("ball").unwrap().spin.norm());
        }
        let turn = simulation.quantity("ball", Quantity::Turn, Some([0.0, 1.0, 0.0]));
        let (turn, way) = (turn.unwrap(), simulation.body("ball").unwrap().position.x);
        println!("friction {friction}: turned by {turn:.3} rad, at most {spin:.1e} rad/s, moved by {way:.3} m");
        (turn, spin, way)
    });
    assert!(rough.0 > 0.1 && rough.2 > 0.0, "pulled in: {rough:?}");
    assert!(smooth.1 < 1e-3 * rough.1, "nothing turns it: {smooth:?}");
    assert!(smooth.2 < 0.0, "pushed away: {smooth:?}");
}
