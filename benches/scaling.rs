//! How does a solve scale with the chip's size, the resolution, the threads and the length of a pipe?
//!
//! ```text
//! cargo bench --bench scaling                     all four, about two minutes
//! cargo bench --bench scaling -- threads --record  one of lattice, resolution, threads, pipe
//! ```

mod support;

use std::process::ExitCode;

use stokeslet::chip::{Chip, Condition, DepthModel, Part, Port, Shape, SocketRef, Strip};
use stokeslet::geometry::Motion;
use stokeslet::import;
use stokeslet::session::{SolveReport, SolveSettings};
use support::{Asked, Failure, Placed, Report, median, seconds};

const REPETITIONS: usize = 3;
/// A case is not run again once its runs took this long, s.
const ENOUGH: f64 = 10.0;

const HEADINGS: [&str; 13] = [
    "case",
    "unknowns",
    "place s",
    "mesh s",
    "plan s",
    "eliminate s",
    "back substitute s",
    "results s",
    "total s",
    "tasks",
    "matrices computed",
    "GFLOP",
    "residual",
];

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    match run(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    eprintln!("{}", HEADINGS.join("  "));
    for n in [5, 10, 20, 40] {
        let case = format!("lattice {n}x{n}@8");
        if asked.wants(&case) {
            report.add(one(case, &lattice(n)?, 8)?);
        }
    }
    for resolution in [4, 6, 8, 12, 16, 24] {
        let case = format!("resolution voronoi-s4@{resolution}");
        if asked.wants(&case) {
            report.add(one(case, &support::design("voronoi-s4")?, resolution)?);
        }
    }
    for (name, resolution) in [("grid20", 16), ("voronoi-s4", 16)] {
        for threads in [1, 2, 4, 8] {
            let case = format!("threads {threads} {name}@{resolution}");
            let available = std::thread::available_parallelism().map_or(1, usize::from);
            if asked.wants(&case) && threads <= available {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()?;
                let placed = support::design(name)?;
                // The error is turned to text, since it has to cross to another thread.
                let row = pool.install(|| {
                    one(case, &placed, resolution).map_err(|error| error.to_string())
                })?;
                report.add(row);
            }
        }
    }
    for widths in [8, 64, 512, 4096, 32768] {
        let case = format!("pipe {widths} widths@8");
        if asked.wants(&case) {
            report.add(one(case, &pipe(f64::from(widths)), 8)?);
        }
    }
    report.finish("scaling", "medians of up to three", asked)
}

fn one(case: String, placed: &Placed, resolution: u32) -> Result<Vec<String>, Failure> {
    let settings = SolveSettings {
        resolution,
        ..SolveSettings::default()
    };
    let mut runs: Vec<SolveReport> = Vec::new();
    while runs.len() < REPETITIONS && runs.iter().map(|r| r.timings.total).sum::<f64>() < ENOUGH {
        runs.push(support::solve_afresh(&placed.chip, &settings)?.report);
    }
    let of = |stage: fn(&SolveReport) -> f64| median(runs.iter().map(stage).collect());
    Ok(vec![
        case,
        runs[0].unknowns.to_string(),
        seconds(placed.seconds),
        seconds(of(|r| r.timings.mesh)),
        seconds(of(|r| r.timings.plan)),
        seconds(of(|r| r.timings.eliminate)),
        seconds(of(|r| r.timings.back_substitute)),
        seconds(of(|r| r.timings.results)),
        seconds(of(|r| r.timings.total)),
        runs[0].tasks.to_string(),
        runs[0].computed_matrices.to_string(),
        format!("{:.2}", runs[0].flops as f64 / 1e9),
        format!("{:.1e}", runs[0].relative_residual),
    ])
}

/// A square lattice of channels like `grid20`: pitch four widths, two inlets on the left, two outlets on the right.
fn lattice(n: usize) -> Result<Placed, Failure> {
    let (width, pitch) = (0.0125, 0.05);
    let at = |column: usize, row: usize| column + n * row;
    let mut nodes: Vec<[f64; 2]> = (0..n * n)
        .map(|k| [pitch * (k % n) as f64, pitch * (k / n) as f64])
        .collect();
    let mut channels: Vec<[usize; 2]> = Vec::new();
    for row in 0..n {
        for column in 0..n {
            if column + 1 < n {
                channels.push([at(column, row), at(column + 1, row)]);
            }
            if row + 1 < n {
                channels.push([at(column, row), at(column, row + 1)]);
            }
        }
    }
    let mut port = |from: usize, direction: f64| {
        let [x, y] = nodes[from];
        nodes.push([x + direction * pitch, y]);
        channels.push([from, nodes.len() - 1]);
        nodes.len() - 1
    };
    let inlets = [port(at(0, 0), -1.0), port(at(0, n - 1), -1.0)];
    let outlets = [port(at(n - 1, 0), 1.0), port(at(n - 1, n - 1), 1.0)];
    let network = serde_json::json!({
        "name": "lattice", "width": width, "nodes": nodes, "channels": channels,
        "inlets": inlets, "outlets": outlets, "flow_rate": 0.005, "viscosity": 8.9e-4,
    });
    let (design, diagnostics) = import::network(&network.to_string(), "lattice");
    support::placed(&design.ok_or_else(|| format!("{diagnostics:?}"))?)
}

/// A straight channel of 0.1 mm across, its length in widths.
fn pipe(widths: f64) -> Placed {
    let width = 1e-4;
    let strip = Strip::Straight {
        length: widths * width,
        width_start: width,
        width_end: width,
    };
    let port = |name: &str, socket, pressure| Port {
        name: name.into(),
        socket: SocketRef { part: 0, socket },
        condition: Condition::Pressure(pressure),
    };
    let chip = Chip {
        name: "pipe".into(),
        viscosity: 1e-3,
        model: DepthModel::Planar,
        depth: None,
        parts: vec![Part {
            name: "pipe".into(),
            shape: Shape::Strip(strip),
            motion: Motion::IDENTITY,
        }],
        connections: vec![],
        ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
    };
    Placed { chip, seconds: 0.0 }
}
