//! Pressure problems with walls that let go: what a solve takes, beside one whose walls hold, and how that grows.
//!
//! ```text
//! cargo bench --bench liquid                         all; about half an hour, most of it on the way to the problems
//! cargo bench --bench liquid -- sphere-64 circle     those whose name holds one of these
//! cargo bench --bench liquid -- sphere-256:fas       of these only solvers whose name begins like this
//! cargo bench --bench liquid -- sphere --record      and keeps them in benches/results/liquid-*.csv
//! ```
//! - `sphere-N`, `circle-N`: the half full sphere and circle; every solver meets the same problem with nothing remembered. Seconds
//!   are those of the clock, the middle of several solves, hierarchies and factors included. Below the table: how they grow.
//! - `steps-N`: the circle from its start, whole substeps.
//! - `coarse-N`: the coarse matrix on N cells a side, under a fine grid of twice as many, of the half full sphere.

mod support;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use stokeslet::dynamics::lcp::{Lcp, Status, Watch, solver};
use stokeslet::dynamics::pressure::Separation;
use stokeslet::dynamics::report::measure::coarsening;
use stokeslet::dynamics::scenes::{Simulation, scene2, scene3};
use support::{Asked, Failure, Report, fit, median, process, seconds};

/// Cells a side in space, the frame whose first problem is taken, and how often it is solved.
const SPHERES: [(usize, usize, usize); 4] = [(32, 10, 15), (64, 10, 9), (128, 3, 5), (256, 0, 3)];
/// The same in the plane.
const CIRCLES: [(usize, usize, usize); 4] =
    [(64, 20, 25), (128, 20, 15), (256, 10, 9), (512, 4, 5)];
/// The first one is the baseline: walls that hold.
const SOLVERS: [&str; 7] = [
    "pcg-mic", "pi-pcg", "pi-mg", "pi-mgpcg", "fas-mg", "fas-aa", "fmg-star",
];
/// Frames of whole substeps.
const FRAMES: usize = 20;
/// Cells a side of coarse matrices.
const COARSE: [usize; 2] = [64, 128];

const SOLVES: [&str; 11] = [
    "case",
    "unknowns",
    "at wall",
    "solver",
    "outer",
    "inner",
    "seconds",
    "of it set-up",
    "over walls that hold",
    "one thread over all",
    "MiB at most",
];
const STEPS: [&str; 6] = [
    "case",
    "solver",
    "substeps",
    "substeps a second",
    "of it solves",
    "mean inner",
];
const MATRICES: [&str; 4] = ["case", "direct s", "trilinear s", "barycentric s"];

/// Unknowns from which on the memory of a solve is looked at closely.
const LARGE: usize = 1_000_000;
/// How long the allocator may keep what nobody uses, and a little more.
const GIVEN_BACK: Duration = Duration::from_secs(25);

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    match solves(&asked)
        .and_then(|()| substeps(&asked))
        .and_then(|()| coarse(&asked))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The clock on the wall.
fn clock() -> impl Fn() -> f64 + Sync {
    let begin = Instant::now();
    move || begin.elapsed().as_secs_f64()
}

/// All solvers on single problems.
fn solves(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&SOLVES);
    let mut growth = Growth::default();
    for (n, frame, times) in SPHERES {
        let case = format!("sphere-{n}");
        if wants_any(asked, &case) {
            let scene = scene3("sphere").ok_or("no such scene")?;
            let lcp = problem(Simulation::new(scene, n, Separation::Cut), frame)?;
            one_problem(asked, &case, &lcp, times, &mut report, &mut growth)?;
        }
    }
    for (n, frame, times) in CIRCLES {
        let case = format!("circle-{n}");
        if wants_any(asked, &case) {
            let scene = scene2("circle").ok_or("no such scene")?;
            let lcp = problem(Simulation::new(scene, n, Separation::Cut), frame)?;
            one_problem(asked, &case, &lcp, times, &mut report, &mut growth)?;
        }
    }
    if report.rows().is_empty() {
        return Ok(());
    }
    report.finish("liquid-solves", &growth.note(), asked)
}

fn with_solver(case: &str, name: &str) -> String {
    format!("{case}:{name}")
}

fn wants_any(asked: &Asked, case: &str) -> bool {
    SOLVERS
        .iter()
        .any(|name| asked.wants(&with_solver(case, name)))
}

/// The problem that a frame begins with.
fn problem<const D: usize>(mut simulation: Simulation<D>, frame: usize) -> Result<Lcp<D>, Failure> {
    let mut driver = solver::<D>("fas-mg").ok_or("no such solver")?;
    for _ in 0..frame {
        simulation.frame(&mut *driver, Watch::SILENT, &mut |_| {})?;
    }
    Ok(simulation.next_problem().lcp)
}

fn one_problem<const D: usize>(
    asked: &Asked,
    case: &str,
    lcp: &Lcp<D>,
    times: usize,
    report: &mut Report,
    growth: &mut Growth,
) -> Result<(), Failure> {
    let single = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let at_wall = lcp.in_s.iter().filter(|s| **s).count();
    let mut held = None;
    for name in SOLVERS {
        if !asked.wants(&with_solver(case, name)) {
            continue;
        }
        if lcp.n() > LARGE {
            // Memory that is free goes back to the system: what is measured is the solve's.
            std::thread::sleep(GIVEN_BACK);
        }
        let solve = || {
            let clock = clock();
            let watch = Watch {
                cancelled: &|| false,
                seconds: &clock,
            };
            let mut solver = solver::<D>(name).ok_or("no such solver")?;
            let log = solver.solve(lcp, watch)?.log;
            if log.status != Status::Converged {
                return Err(Failure::from(format!(
                    "{case}: {name} ended with {:?}",
                    log.status
                )));
            }
            Ok(log)
        };
        process::forget_peak_memory();
        let (mut logs, mut peak) = (Vec::new(), None);
        let mut alone = Vec::new();
        // By turns, so that other work on the machine meets both.
        for _ in 0..times {
            logs.push(solve()?);
            // Of one solve: the next ones find memory that the allocator hasn't given back.
            peak.get_or_insert_with(process::peak_memory);
            alone.push(single.install(|| solve().map(|l| l.seconds).map_err(|e| e.to_string()))?);
        }
        let taken = median(logs.iter().map(|l| l.seconds).collect());
        if name == SOLVERS[0] {
            held = Some(taken);
        }
        growth.add(name, D, lcp.n() as f64, taken);
        let log = &logs[0];
        report.add(vec![
            case.to_string(),
            lcp.n().to_string(),
            at_wall.to_string(),
            name.to_string(),
            log.outer.to_string(),
            log.inner.to_string(),
            format!("{taken:.4}"),
            format!(
                "{:.4}",
                median(logs.iter().map(|l| l.setup_seconds).collect())
            ),
            held.map_or(String::new(), |held| format!("{:.2}", taken / held)),
            format!("{:.2}", median(alone) / taken),
            peak.map_or(String::new(), |peak| format!("{peak:.0}")),
        ]);
    }
    Ok(())
}

/// Seconds by unknowns, a solver and a dimension.
#[derive(Default)]
struct Growth(Vec<(&'static str, usize, f64, f64)>);

impl Growth {
    fn add(&mut self, solver: &'static str, dimension: usize, unknowns: f64, seconds: f64) {
        self.0.push((solver, dimension, unknowns, seconds));
    }

    /// In a line a dimension.
    fn note(&self) -> String {
        let mut lines = Vec::new();
        for dimension in [2, 3] {
            for solver in SOLVERS {
                let points: Vec<(f64, f64)> = self
                    .0
                    .iter()
                    .filter(|p| p.0 == solver && p.1 == dimension)
                    .map(|p| (p.2, p.3))
                    .collect();
                if points.len() > 1 {
                    let exponent = fit::exponent(&points);
                    lines.push(format!(
                        "{dimension}D {solver}: seconds ~ unknowns^{exponent:.2}"
                    ));
                }
            }
        }
        lines.join("\n")
    }
}

/// Whole substeps: particles, velocities, problem, solve.
fn substeps(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&STEPS);
    for (n, ..) in CIRCLES {
        let case = format!("steps-{n}");
        if !asked.wants(&case) {
            continue;
        }
        for name in ["pcg-mic", "pi-pcg", "pi-mgpcg", "fas-mg", "fas-aa"] {
            let walls = if name == SOLVERS[0] {
                Separation::Sticking
            } else {
                Separation::Cut
            };
            let scene = scene2("circle").ok_or("no such scene")?;
            let mut simulation = Simulation::new(scene, n, walls);
            let mut solver = solver::<2>(name).ok_or("no such solver")?;
            let clock = clock();
            let watch = Watch {
                cancelled: &|| false,
                seconds: &clock,
            };
            let (mut steps, mut inner, mut solving) = (0, 0, 0.0);
            for _ in 0..FRAMES {
                let frame = simulation.frame(&mut *solver, watch, &mut |_| {})?;
                steps += frame.solves.len();
                inner += frame.solves.iter().map(|s| s.inner).sum::<usize>();
                solving += frame.solves.iter().map(|s| s.seconds).sum::<f64>();
            }
            let all = clock();
            report.add(vec![
                case.clone(),
                name.to_string(),
                steps.to_string(),
                format!("{:.1}", steps as f64 / all),
                format!("{:.2}", solving / all),
                format!("{:.2}", inner as f64 / steps as f64),
            ]);
        }
    }
    if report.rows().is_empty() {
        return Ok(());
    }
    report.finish("liquid-steps", "the half full circle from its start", asked)
}

/// Coarse matrices of the first kind below the finest.
fn coarse(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&MATRICES);
    for n in COARSE {
        let case = format!("coarse-{n}");
        if asked.wants(&case) {
            let scene = scene3("sphere").ok_or("no such scene")?;
            let taken = coarsening(&scene, 2 * n, &clock());
            report.add([vec![case], taken.map(seconds).to_vec()].concat());
        }
    }
    if report.rows().is_empty() {
        return Ok(());
    }
    report.finish(
        "liquid-coarse",
        "transfer and matrix, on all threads",
        asked,
    )
}
