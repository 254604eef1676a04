//! Bodies on a slope of 0.11: way, friction cone, rest and the thresholds of sliding (section 7, Q1 and Q2).

use stokeslet_contact::scene::Quantity;
use stokeslet_contact::{Scene, Settings, Simulation, scenes};

const G: f64 = 9.81;
const TAN: f64 = 0.11;

fn run(scene: &Scene, seconds: f64) -> Simulation {
    let mut simulation = Simulation::new(scene, &Settings::default()).unwrap();
    while simulation.time() < seconds - 1e-9 {
        simulation.step();
    }
    assert!(simulation.totals().acceptable(), "every Newton converges: {:?}", simulation.totals());
    simulation
}

fn travel(simulation: &Simulation) -> f64 {
    simulation.quantity("cube", Quantity::Travel, Some([1.0, 0.0, 0.0])).unwrap()
}

fn way(mu: f64, t: f64) -> f64 {
    let cos = 1.0 / (1.0 + TAN * TAN).sqrt();
    let a = G * cos * (TAN - mu);
    let t = if a < 0.0 { t.min(-0.1 / a) } else { t };
    0.1 * t + 0.5 * a * t * t
}

#[test]
fn a_sliding_rigid_cube_goes_as_far_as_the_formula() {
    let scene = scenes::find("plane_r_slide").unwrap();
    let simulation = run(&scene, 0.6);
    let error = travel(&simulation) / way(0.1, 0.6) - 1.0;
    println!("slide {error:e} {:?}", simulation.totals());
    assert!(error.abs() < 0.01, "x = v0 t + a t^2 / 2 within 1 %: {error:e}");
}
