//! Water in tanks: ours and Salva's particles from the same start, judged by the same measures.

mod salva;

use crate::row;
use cpu_time::ProcessTime;
use salva::Salva;
use stokeslet_particles::kernel::Lattice;
use stokeslet_particles::simulation::Snapshot;
use stokeslet_particles::{
    Coupling, Scene, SceneFile, Settings, Simulation, Solver, Start, measure,
};

/// The studies by name.
pub const STUDIES: [(&str, fn()); 4] = [
    ("tank", tank),
    ("dam", dam),
    ("floating", floating),
    ("light", light),
];

const G: f64 = 9.80665;

/// Particles that are stepped, with at most one body among them.
trait Water {
    fn step(&mut self);
    fn snapshot(&self) -> Snapshot;
    /// Velocity of the body, m/s.
    fn body_velocity(&self) -> [f64; 2];
}

struct Ours(Simulation);

impl Water for Ours {
    fn step(&mut self) {
        self.0.step().expect("finite");
    }
    fn snapshot(&self) -> Snapshot {
        self.0.snapshot()
    }
    fn body_velocity(&self) -> [f64; 2] {
        let v = self.0.snapshot().bodies[0].velocity;
        [v[0], v[1]]
    }
}

type Made = (String, Box<dyn Water>);

/// Every engine with a scene: ours as played with and as its best, Salva without and with the viscosity of its examples.
fn engines(scene: &Scene) -> Vec<Made> {
    let mut out: Vec<Made> = Vec::new();
    let ours = [
        ("ours", Settings::default()),
        (
            "ours (sums; subspace)",
            Settings {
                coupling: Coupling::Sums,
                solver: Solver::Subspace,
                ..Settings::default()
            },
        ),
    ];
    for (name, settings) in ours {
        let simulation = Simulation::new(scene, &settings).expect("a sound scene");
        out.push((name.to_owned(), Box::new(Ours(simulation))));
    }
    for (name, viscosity) in [("salva2d", 0.0), ("salva2d with viscosity", 0.5)] {
        out.push((name.to_owned(), Box::new(Salva::new(scene, viscosity))));
    }
    out
}

fn parsed(text: &str) -> Scene {
    Scene::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// `(n_i - n0)/n0` of the fluid at least a kernel's radius from walls and surface, by our kernel.
fn inner(snapshot: &Snapshot, width: f64, level: f64) -> Vec<f64> {
    let re = 2.1 * snapshot.spacing;
    let n0 = Lattice::new::<2>(2.1).density;
    let fluid = &snapshot.fluid;
    let is_inner = |x: &&[f64; 3]| x[0] > re && x[0] < width - re && x[1] > re && x[1] < level - re;
    let density = |x: &[f64; 3]| {
        let near = fluid.iter().map(|y| (x[0] - y[0]).hypot(x[1] - y[1]));
        let sum: f64 = near
            .filter(|r| *r > 0.0 && *r < re)
            .map(|r| (1.0 - r / re).powi(2))
            .sum();
        sum / n0 - 1.0
    };
    fluid.iter().filter(is_inner).map(density).collect()
}

fn mean(list: &[f64]) -> f64 {
    list.iter().sum::<f64>() / list.len() as f64
}

/// Water at rest, 25 x 13 particles as 5.2 at its small size, for 4 s.
fn tank() {
    let scene = parsed(
        "name = 'tank'\ndimension = 2\nspacing = 0.04\nstep = 0.002\nduration = 4.0\ngravity = [0.0, -9.80665]\n\
         [[tank]]\nmin = [0.0, 0.0]\nsize = [1.0, 1.0]\n[[fluid]]\nboxes = [{ min = [0.0, 0.0], size = [1.0, 0.52] }]\n",
    );
    for (name, mut water) in engines(&scene) {
        let begin = ProcessTime::now();
        (0..500).for_each(|_| water.step());
        let first = measure::level(&water.snapshot(), [0.0; 3], 0.0);
        let (mut inside, mut spread) = (Vec::new(), 0.0_f64);
        let mut speed = 0.0;
        for _ in 0..15 {
            (0..100).for_each(|_| water.step());
            let s = water.snapshot();
            let level = measure::level(&s, [0.0; 3], 0.0);
            let found = inner(&s, 1.0, level);
            spread = found.iter().fold(spread, |a, x| a.max(*x));
            inside.extend(found);
            let squares: Vec<f64> = s
                .velocity
                .iter()
                .map(|u| u[0] * u[0] + u[1] * u[1])
                .collect();
            speed = mean(&squares).sqrt();
        }
        let seconds = begin.elapsed().as_secs_f64() / 4.0;
        let last = measure::level(&water.snapshot(), [0.0; 3], 0.0);
        row(
            "tank",
            &name,
            "mean inner density error",
            Some(0.0),
            mean(&inside),
            "",
        );
        row(
            "tank",
            &name,
            "largest inner density error",
            Some(0.0),
            spread,
            "",
        );
        row("tank", &name, "level at 1 s", Some(0.52), first, "m");
        row(
            "tank",
            &name,
            "drift of the level from 1 to 4 s",
            Some(0.0),
            (last - first) / 0.04,
            "spacings",
        );
        row("tank", &name, "rms speed at 4 s", Some(0.0), speed, "m/s");
        row(
            "tank",
            &name,
            "seconds a simulated second",
            None,
            seconds,
            "s",
        );
    }
}

/// 5.3 at its small size: a column 15 x 29 that breaks.
fn dam() {
    let scene = stokeslet_particles::scenes::find("dam-break");
    let scene = scene.expect("a scene that comes with the program").scene();
    let wall = (0.584 / scene.spacing).round() * scene.spacing;
    for (name, mut water) in engines(&scene) {
        let begin = ProcessTime::now();
        let (mut reached, mut spread) = (f64::NAN, 0.0_f64);
        let steps = (1.0 / scene.step).round() as u32;
        for step in 1..=steps {
            water.step();
            if reached.is_nan() && step % 5 == 0 {
                let s = water.snapshot();
                if measure::front(&s) >= wall - 0.5 * scene.spacing {
                    reached = f64::from(step) * scene.step;
                }
            }
            if step % 50 == 0 {
                spread = inner(&water.snapshot(), wall, 0.6)
                    .iter()
                    .fold(spread, |a, x| a.max(*x));
            }
        }
        let seconds = begin.elapsed().as_secs_f64();
        let s = water.snapshot();
        let outside = |x: &&[f64; 3]| x[0] < -0.005 || x[0] > wall + 0.005 || x[1] < -0.005;
        let through = s.fluid.iter().filter(outside).count();
        row(
            "dam",
            &name,
            "front reaches the wall",
            Some(0.267),
            reached,
            "s",
        );
        row(
            "dam",
            &name,
            "largest inner density error",
            Some(0.0),
            spread,
            "",
        );
        row(
            "dam",
            &name,
            "particles through walls",
            Some(0.0),
            through as f64,
            "",
        );
        row(
            "dam",
            &name,
            "seconds a simulated second",
            None,
            seconds,
            "s",
        );
    }
}

/// 5.5: a box of .6 m in a tank of 2 m, a spacing of .03 m, for 4 s.
fn floating() {
    for ratio in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let at = stokeslet_dynamics::report::table::At::Small;
        let scene = stokeslet_particles::table::floating(ratio, at).expect("a sound scene");
        for (name, mut water) in engines(&scene) {
            let begin = ProcessTime::now();
            let steps = (4.0 / scene.step).round() as u32;
            let (mut sum, mut count) = (0.0, 0.0);
            for step in 1..=steps {
                water.step();
                if step > steps / 2 && step % 20 == 0 {
                    let s = water.snapshot();
                    let away = 0.45 + 2.0 * scene.spacing;
                    let level = measure::level(&s, s.bodies[0].centre, away);
                    sum += measure::submerged(&s, 0, level);
                    count += 1.0;
                }
            }
            let seconds = begin.elapsed().as_secs_f64() / 4.0;
            let what = format!("submerged part at ratio {ratio}");
            row("floating", &name, &what, Some(ratio), sum / count, "");
            if ratio == 0.5 {
                row(
                    "floating",
                    &name,
                    "seconds a simulated second",
                    None,
                    seconds,
                    "s",
                );
            }
        }
    }
}

/// The first step of a submerged box, .3 m in a tank of 1 m: `a/g = (1 - s)/(s + 1.4343)` by a Laplace solve.
fn light() {
    for l in [0.05, 0.025, 0.0125] {
        for s in [0.1, 0.5] {
            let scene = parsed(&format!(
                "name = 'light'\ndimension = 2\nspacing = {l}\nstep = 0.001\nduration = 1.0\ngravity = [0.0, -{G}]\n\
                 [[tank]]\nmin = [0.0, 0.0]\nsize = [1.0, 1.2]\n[[fluid]]\nboxes = [{{ min = [0.0, 0.0], size = [1.0, 1.0] }}]\n\
                 [[body]]\ndensity = {}\nboxes = [{{ min = [0.35, 0.35], size = [0.3, 0.3] }}]\n",
                1000.0 * s
            ));
            let exact = (1.0 - s) / (s + 1.4343);
            let sharp = |coupling| Settings {
                coupling,
                solver: Solver::Subspace,
                start: Start::Cold,
                tolerance: 1e-4,
                max_iterations: 20_000,
                ..Settings::default()
            };
            let start = |coupling| -> Box<dyn Water> {
                let simulation = Simulation::new(&scene, &sharp(coupling));
                Box::new(Ours(simulation.expect("a sound scene")))
            };
            let engines: [Made; 3] = [
                ("ours".to_owned(), start(Coupling::Contacts)),
                ("ours (sums)".to_owned(), start(Coupling::Sums)),
                ("salva2d".to_owned(), Box::new(Salva::new(&scene, 0.0))),
            ];
            for (name, mut water) in engines {
                water.step();
                let found = water.body_velocity()[1] / (scene.step * G);
                let what = format!("first acceleration over g at ratio {s} and spacing {l}");
                row("light", &name, &what, Some(exact), found, "");
            }
        }
    }
}
