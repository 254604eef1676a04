//! Q9: a column of sand twice as high as wide falls apart on a rough floor, and lies the flatter the smaller its angle of friction is.
//!
//! `cargo test --release -p stokeslet-contact --test sand -- --ignored --nocapture`

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use stokeslet_contact::{Scene, SceneFile, Settings, Simulation};

/// Points along a side of the column's base.
const SIDE: usize = 10;

fn column(degrees: f64) -> Scene {
    let (side, n) = (0.2, SIDE as f64);
    let spacing = side / n;
    let text = format!(
        "name = 'column'\nabout = 'sand that falls apart'\ntime_step = 0.002\nduration = 2\nfriction = 0.6\nstiffness = 1e4\n\
         grid_spacing = {}\nplane = [{{ normal = [0, 0, 1] }}]\n[[body]]\nname = 'sand'\nkind = 'points'\nsand = {degrees}\nmass = {}\n\
         shape = {{ box = {{ sides = [{side}, {side}, {}], cells = [{SIDE}, {SIDE}, {}] }} }}\nposition = [0, 0, {}]\n",
        2.0 * spacing,
        2200.0 * side * side * 2.0 * side,
        2.0 * side,
        2 * SIDE,
        side - 0.5 * spacing,
    );
    Scene::parse(&text).unwrap()
}

/// Slope of the cone of the same volume whose centre of mass is as high, degrees: a flank of so few points has no smooth surface.
fn repose(simulation: &Simulation) -> f64 {
    let points = &simulation.state().points.x;
    let volume = 2.0 * 0.2_f64.powi(3);
    let lowest = points.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let mean = points.iter().map(|x| x.z - lowest).sum::<f64>() / points.len() as f64;
    let height = 4.0 * mean;
    let radius = (3.0 * volume / (std::f64::consts::PI * height)).sqrt();
    (height / radius).atan().to_degrees()
}

#[test]
#[ignore = "some minutes in release"]
fn sand_lies_steeper_the_greater_its_friction_and_never_steeper_than_that() {
    let mut last = 0.0;
    for degrees in [20.0, 30.0, 40.0] {
        let mut simulation = Simulation::new(&column(degrees), &Settings::default()).unwrap();
        while !simulation.is_over() {
            simulation.step();
        }
        let t = simulation.totals();
        let found = repose(&simulation);
        println!(
            "{degrees} degrees: {found:.1}, {:.1} Newton a step, worst {}, {} of {} steps not converged",
            t.newton as f64 / t.steps as f64,
            t.worst_newton,
            t.stalled + t.cut,
            t.steps
        );
        assert!(
            found > last && found <= degrees,
            "{found} of {degrees} degrees"
        );
        assert!(t.acceptable(), "{t:?}");
        last = found;
    }
}
