//! Slow measurements, each one test that prints its table; times are processor times.
//!
//! Run one by `cargo test --release --test studies NAME -- --ignored --nocapture`.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use stokeslet_particles::{
    Coupling, Scene, SceneFile, Settings, Simulation, Solver, Start, measure, scenes,
};

/// Processor seconds of all threads of this process, which other work on the machine doesn't lengthen. Linux only; 0 elsewhere.
fn cpu_seconds() -> f64 {
    let tasks = std::fs::read_dir("/proc/self/task")
        .into_iter()
        .flatten()
        .flatten();
    let nanoseconds =
        tasks.filter_map(|t| std::fs::read_to_string(t.path().join("schedstat")).ok());
    nanoseconds
        .filter_map(|s| s.split(' ').next()?.parse::<f64>().ok())
        .sum::<f64>()
        * 1e-9
}

/// Processor time since it was made.
struct Instant(f64);

impl Instant {
    fn now() -> Instant {
        Instant(cpu_seconds())
    }

    fn elapsed(&self) -> std::time::Duration {
        std::time::Duration::from_secs_f64((cpu_seconds() - self.0).max(0.0))
    }
}

fn tank(width: u32, depth: u32, l: f64) -> Scene {
    let (w, d) = (f64::from(width) * l, f64::from(depth) * l);
    Scene::parse(&format!(
        "name = 'tank'\ndimension = 2\nspacing = {l}\nstep = 0.001\nduration = 10.0\ngravity = [0.0, -9.80665]\n\
         [[tank]]\nmin = [0.0, 0.0]\nsize = [{w}, {}]\n[[fluid]]\nboxes = [{{ min = [0.0, 0.0], size = [{w}, {d}] }}]\n",
        d + 10.0 * l
    ))
    .unwrap()
}

fn solvers() -> Vec<(&'static str, Settings)> {
    let base = Settings {
        max_iterations: 20_000,
        ..Settings::default()
    };
    vec![
        (
            "PGS",
            Settings {
                over_relaxation: 1.0,
                ..base.clone()
            },
        ),
        ("SOR 1.5", base.clone()),
        (
            "ActiveSet",
            Settings {
                solver: Solver::ActiveSet,
                ..base.clone()
            },
        ),
        (
            "Subspace",
            Settings {
                solver: Solver::Subspace,
                ..base
            },
        ),
    ]
}

/// Sweeps or products, and milliseconds, of one solve of a settled tank: cold and warm, both couplings.
fn compare(width: u32, depth: u32, settle: usize, tolerance: f64) {
    let scene = tank(width, depth, 0.01);
    for coupling in [Coupling::Contacts, Coupling::Sums] {
        let mut simulation = Simulation::new(
            &scene,
            &Settings {
                coupling,
                max_iterations: 300,
                ..Settings::default()
            },
        )
        .unwrap();
        for _ in 0..settle {
            simulation.step().unwrap();
        }
        for (name, settings) in solvers() {
            print!(
                "{:?} {width} x {depth}, tol {tolerance:e}: {name:10}",
                coupling
            );
            for start in [Start::Cold, Start::Warm] {
                let mut copy = simulation.clone();
                copy.set_settings(&Settings {
                    coupling,
                    start,
                    tolerance,
                    ..settings.clone()
                })
                .unwrap();
                let begin = Instant::now();
                let log = copy.constrain().unwrap();
                print!(
                    "  {start:?} {:6} ({} sets, {:?}) {:8.1} ms",
                    log.iterations,
                    log.sets,
                    log.status,
                    begin.elapsed().as_secs_f64() * 1e3
                );
            }
            println!();
        }
    }
}

#[test]
#[ignore = "2 minutes"]
fn solvers_over_depth() {
    for depth in [10, 20, 40, 80] {
        compare(10, depth, 300, 1e-2);
    }
}

#[test]
#[ignore = "5 minutes"]
fn solvers_at_ten_thousand() {
    compare(71, 142, 300, 1e-2);
}

#[test]
#[ignore = "10 minutes"]
fn solvers_at_a_hundred_thousand() {
    compare(224, 447, 60, 1e-1);
}

#[test]
#[ignore = "2 minutes"]
fn shaken_tank_for_a_hundred_thousand_steps() {
    for coupling in [Coupling::Contacts, Coupling::Sums] {
        let scene = scenes::find("shaken-tank").unwrap().scene();
        let mut simulation = Simulation::new(
            &scene,
            &Settings {
                coupling,
                ..Settings::paper(20)
            },
        )
        .unwrap();
        let (mut depth, mut courant, mut escaped) = (0.0_f64, 0.0_f64, 0);
        for _ in 0..100_000 {
            let log = simulation.step().unwrap();
            depth = depth.max(log.fluid_depth);
            courant = courant.max(log.courant);
            escaped = escaped.max(log.escaped);
        }
        println!("{coupling:?}: depth {depth:.3} l, CFL {courant:.2}, escaped {escaped}");
        assert_eq!(escaped, 0);
    }
}

#[test]
#[ignore = "2 minutes"]
fn a_stack_of_ten_stands() {
    for (name, settings) in [
        ("PGS 50", Settings::paper(50)),
        ("warm SOR", Settings::default()),
        (
            "Subspace",
            Settings {
                solver: Solver::Subspace,
                ..Settings::default()
            },
        ),
    ] {
        let scene = scenes::find("stack").unwrap().scene();
        let mut simulation = Simulation::new(&scene, &settings).unwrap();
        let begin = Instant::now();
        let mut at_two = Vec::new();
        for step in 1..=10_000 {
            simulation.step().unwrap();
            if step == 2000 {
                at_two = simulation
                    .snapshot()
                    .bodies
                    .iter()
                    .map(|b| b.centre)
                    .collect();
            }
        }
        let end = simulation.snapshot();
        let moved = end
            .bodies
            .iter()
            .zip(&at_two)
            .map(|(b, a)| (b.centre[0] - a[0]).abs().max((b.centre[1] - a[1]).abs()) / 0.02);
        println!(
            "{name}: moved {:.3} l after 2 s, top at {:.3} l of 47.5, {:.0} s",
            moved.fold(0.0, f64::max),
            end.bodies[9].centre[1] / 0.02,
            begin.elapsed().as_secs_f64()
        );
    }
}

/// A heavy box on two light ones on a floor, its bumps between theirs; the depth reached and whether it stands.
#[test]
#[ignore = "2 minutes"]
fn ratios_of_mass() {
    for ratio in [10.0, 100.0, 1000.0] {
        let text = format!(
            "name = 'ratio'\ndimension = 2\nunit = 'spacing'\nspacing = 0.02\nstep = 0.001\nduration = 2.0\ngravity = [0.0, -9.80665]\n\
             [[wall]]\nboxes = [{{ min = [-40, -1], size = [80, 1] }}]\n\
             [[body]]\ndensity = 100\nboxes = [{{ min = [0, 0], size = [5, 5] }}]\ncopies = {{ count = 2, shift = [10, 0] }}\n\
             [[body]]\ndensity = {}\nboxes = [{{ min = [0, 5], size = [15, 5] }}]\noffset = [0.5, -0.133]\n",
            100.0 * ratio
        );
        let scene = Scene::parse(&text).unwrap();
        let set = [
            ("PGS 50", Settings::paper(50)),
            ("warm SOR 200", Settings::default()),
            (
                "ActiveSet",
                Settings {
                    solver: Solver::ActiveSet,
                    max_iterations: 300,
                    ..Settings::default()
                },
            ),
            (
                "Subspace",
                Settings {
                    solver: Solver::Subspace,
                    max_iterations: 300,
                    ..Settings::default()
                },
            ),
            (
                "ActiveSet 1e-4",
                Settings {
                    solver: Solver::ActiveSet,
                    max_iterations: 1000,
                    tolerance: 1e-4,
                    ..Settings::default()
                },
            ),
            (
                "Subspace 1e-4",
                Settings {
                    solver: Solver::Subspace,
                    max_iterations: 1000,
                    tolerance: 1e-4,
                    ..Settings::default()
                },
            ),
            (
                "Subspace 1e-6",
                Settings {
                    solver: Solver::Subspace,
                    max_iterations: 1000,
                    tolerance: 1e-6,
                    ..Settings::default()
                },
            ),
            (
                "PGS 1000",
                Settings {
                    tolerance: 1e-4,
                    ..Settings::paper(1000)
                },
            ),
        ];
        for (name, settings) in set {
            let mut simulation = Simulation::new(&scene, &settings).unwrap();
            let begin = Instant::now();
            let (mut depth, mut work) = (0.0_f64, 0);
            for _ in 0..2000 {
                let log = simulation.step().unwrap();
                depth = depth.max(log.body_depth);
                work += log.iterations;
            }
            let y = simulation.snapshot().bodies[2].centre[1] / 0.02;
            println!(
                "{ratio}:1 {name}: depth {depth:.3} l, centre at {y:.2} of 7.5 l, {} a step, {:.2} s",
                work / 2000,
                begin.elapsed().as_secs_f64()
            );
        }
    }
}

/// Seconds a simulated second of 5.3 at the paper's size.
#[test]
#[ignore = "1 minute"]
fn speed_of_the_dam() {
    let scene = scenes::find("dam-break")
        .unwrap()
        .scene()
        .at_size("paper")
        .unwrap();
    for (name, settings) in [
        (
            "warm PGS 1",
            Settings {
                over_relaxation: 1.0,
                max_iterations: 1,
                ..Settings::default()
            },
        ),
        (
            "warm PGS 10",
            Settings {
                over_relaxation: 1.0,
                max_iterations: 10,
                ..Settings::default()
            },
        ),
        (
            "warm SOR 20",
            Settings {
                max_iterations: 20,
                ..Settings::default()
            },
        ),
        ("cold PGS 50", Settings::paper(50)),
        (
            "Subspace 200",
            Settings {
                solver: Solver::Subspace,
                ..Settings::default()
            },
        ),
    ] {
        let mut simulation = Simulation::new(&scene, &settings).unwrap();
        let begin = Instant::now();
        let (mut work, mut worst) = (0, 0.0_f64);
        for _ in 0..1000 {
            let log = simulation.step().unwrap();
            work += log.iterations;
            worst = worst.max(log.compression);
        }
        println!(
            "{name}: {:.1} s a simulated second, {} sweeps a step, compression {worst:.3}",
            2.0 * begin.elapsed().as_secs_f64(),
            work / 1000
        );
    }
}

/// A tank 80 particles deep for 10 s: bulk density and level.
#[test]
#[ignore = "10 minutes"]
fn a_deep_tank_keeps_its_level() {
    let scene = tank(20, 80, 0.01);
    for (name, settings) in [
        (
            "Subspace",
            Settings {
                solver: Solver::Subspace,
                max_iterations: 400,
                ..Settings::default()
            },
        ),
        (
            "warm SOR 100",
            Settings {
                max_iterations: 100,
                ..Settings::default()
            },
        ),
    ] {
        let mut simulation = Simulation::new(&scene, &settings).unwrap();
        let begin = Instant::now();
        let (mut at_one, mut work, mut bulk) = (0.0, 0, 0.0_f64);
        for step in 1..=10_000_u32 {
            work += simulation.step().unwrap().iterations;
            if step == 1000 || step % 500 == 0 {
                let s = simulation.snapshot();
                let level = measure::level(&s, [0.0; 3], 0.0);
                if step == 1000 {
                    at_one = level;
                }
                if step >= 1000 {
                    bulk = bulk.max(measure::bulk_compression(&s, level, 0.042).abs());
                }
            }
        }
        let s = simulation.snapshot();
        let level = measure::level(&s, [0.0; 3], 0.0);
        println!(
            "{name}: level {:.3} l at 1 s, {:.3} l at 10 s, bulk at most {bulk:.5}, {} a step, {:.0} s",
            at_one / 0.01,
            level / 0.01,
            work / 10_000,
            begin.elapsed().as_secs_f64()
        );
    }
}

/// Steps of 3D dam breaks from 1,000 to 100,000 particles.
#[test]
#[ignore = "5 minutes"]
fn seconds_a_step_in_space() {
    for l in [0.02, 0.009, 0.0041] {
        let mut scene = scenes::find("dam-break-space").unwrap().scene();
        scene.spacing = l;
        scene.step = l / 20.0;
        for solver in [Solver::GaussSeidel, Solver::Subspace] {
            let mut simulation = Simulation::new(
                &scene,
                &Settings {
                    solver,
                    max_iterations: 400,
                    tolerance: 1e-1,
                    ..Settings::default()
                },
            )
            .unwrap();
            let begin = Instant::now();
            let mut work = 0;
            let steps = 20;
            for _ in 0..steps {
                work += simulation.step().unwrap().iterations;
            }
            let n = simulation.n_fluid();
            let each = begin.elapsed().as_secs_f64() / f64::from(steps);
            println!(
                "{n} particles, {solver:?}: {each:.4} s a step, {} sweeps or products, {:.0} ns a particle and sweep",
                work / steps,
                1e9 * each * f64::from(steps) / f64::from(work) / n as f64
            );
        }
    }
}
