//! Random scenes: bodies thrown into tanks, thin walls, extreme densities. No number that isn't one, and no escape without a status that says so.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use stokeslet_particles::simulation::Doubt;
use stokeslet_particles::{Coupling, Scene, SceneFile, Settings, Simulation, Solver};

struct Random(u64);

impl Random {
    fn next(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn scene(seed: u64) -> (Scene, Settings) {
    let mut r = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    (0..3).for_each(|_| {
        r.next(0.0, 1.0);
    });
    let layers = r.next(1.0, 4.0) as u32;
    let friction = if r.next(0.0, 1.0) < 0.3 { 0.5 } else { 0.0 };
    let mut text = format!(
        "name = 'random'\ndimension = 2\nunit = 'spacing'\nspacing = 0.02\nstep = 0.001\nduration = 1.0\ngravity = [0.0, -9.80665]\n\
         restitution = {}\nfriction = {friction}\n\
         [[tank]]\nmin = [0, 0]\nsize = [30, 40]\nlayers = {layers}\ntop = 'lid'\n\
         [[fluid]]\nboxes = [{{ min = [0, 0], size = [{}, {}] }}]\n",
        r.next(0.0, 0.5),
        r.next(4.0, 30.0).round(),
        r.next(2.0, 14.0).round()
    );
    for k in 0..r.next(1.0, 6.0) as u32 {
        let density = 10_f64.powf(r.next(-3.0, 7.0));
        text += &format!(
            "[[body]]\ndensity = {density}\nboxes = [{{ min = [{}, {}], size = [{}, {}] }}]\nvelocity = [{}, {}]\nspin = [{}]\n",
            1.0 + (5 * k) as f64,
            r.next(20.0, 33.0).round(),
            r.next(1.0, 4.0).round(),
            r.next(1.0, 5.0).round(),
            r.next(-6.0, 6.0),
            r.next(-8.0, 2.0),
            r.next(-20.0, 20.0)
        );
    }
    let settings = Settings {
        coupling: if r.next(0.0, 1.0) < 0.5 {
            Coupling::Contacts
        } else {
            Coupling::Sums
        },
        solver: [Solver::GaussSeidel, Solver::ActiveSet, Solver::Subspace]
            [r.next(0.0, 2.999) as usize],
        max_iterations: 60,
        margin: if r.next(0.0, 1.0) < 0.5 { 0.5 } else { 0.0 },
        ..Settings::default()
    };
    (Scene::parse(&text).unwrap(), settings)
}

/// Runs a scene until something escapes or a step fails, and whether it did; every number must be one, and every escape told.
fn throw(seed: u64, steps: u32) -> bool {
    let (scene, settings) = scene(seed);
    let mut simulation = Simulation::new(&scene, &settings).unwrap();
    for step in 0..steps {
        match simulation.step() {
            Ok(log) => {
                assert!(
                    log.energy().is_finite(),
                    "seed {seed}, step {step}: energy {}",
                    log.energy()
                );
                if log.escaped > 0 {
                    let told = log
                        .doubts()
                        .iter()
                        .any(|d| matches!(d, Doubt::Escaped { .. }));
                    assert!(
                        told,
                        "seed {seed}, step {step}: escaped, and nothing says so"
                    );
                    return true;
                }
            }
            Err(error) => {
                println!("seed {seed}: {error}");
                return true;
            }
        }
    }
    let s = simulation.snapshot();
    assert!(
        s.fluid.iter().flatten().all(|x| x.is_finite()),
        "seed {seed}: positions"
    );
    false
}

#[test]
fn a_few_thrown_bodies_stay_or_are_told() {
    for seed in 0..4 {
        throw(seed, 150);
    }
}

#[test]
#[ignore = "10 minutes"]
fn thrown_bodies_for_ten_minutes() {
    let begin = std::time::Instant::now();
    let seconds = std::env::var("RANDOM_SCENES_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(600);
    let (mut runs, mut escapes) = (0, Vec::new());
    while begin.elapsed().as_secs() < seconds {
        if throw(1000 + runs, 600) {
            escapes.push(1000 + runs);
        }
        runs += 1;
        if runs % 50 == 0 {
            println!("{runs} scenes, {} told", escapes.len());
        }
    }
    println!(
        "{runs} scenes of 600 steps, escapes or errors told in {}: {escapes:?}",
        escapes.len()
    );
}
