//! The thesis's tables 4.1 to 4.3 and figures 4.15, 4.17 and 4.18 in the plane: what it prints beside its method and the fronts here.
//!
//! ```text
//! cargo bench --bench thesis                         all cases, some minutes
//! cargo bench --bench thesis -- grid20@8 T4.3        cases whose tables, name or method hold one of these
//! cargo bench --bench thesis -- --record             keeps benches/results/thesis.csv and a picture of each figure
//! ```
//! - `thesis`: block rows split evenly, cyclic reduction, separators in COLAMD order (its "cached-elim"); `thesis uncached` is its "elim"
//! - `fronts`: the method of this program
//! - `faer`: Rust's sparse LDLT on the system that is assembled here, in the place of the thesis's MUMPS and UMFPACK; its seconds are
//!   analysis, factorisation and solve, without assembly (figure 4.17)
//!
//! Seconds of ours are those of the whole solve, meshing to fields, as the thesis measures (section 4.6.4), on this machine's
//! threads; the thesis's machine has 16 cores. Geometry isn't quite the thesis's: lengths of port stubs are ours, `wide` can't be
//! recovered from the text and is another chip, `rgrid` is one of the same kind as its `rgrid0`.
//!
//! # Source
//! Ding 2019, sections 4.6.4 to 4.6.6.

mod support;

use std::fs;
use std::process::ExitCode;

use faer::Par;
use stokeslet::cancel::CancelToken;
use stokeslet::dynamics::report::chart::{Axis, Chart, Series};
use stokeslet::session::{
    Method, SolveReport, SolveSettings, WantedResults, assembled_system, silent,
};
use stokeslet::table::{Caching, Table};
use support::{Asked, Failure, Report, child, fit, median, peer, process, seconds};

/// A row that the thesis prints.
struct Printed {
    /// In which tables.
    tables: &'static str,
    design: &'static str,
    resolution: u32,
    /// Unknowns, millions.
    unknowns: f64,
    blocks: u32,
    /// Thousands.
    tasks: f64,
    unknowns_per_block: f64,
}

const fn printed(
    tables: &'static str,
    (design, resolution): (&'static str, u32),
    unknowns: f64,
    blocks: u32,
    tasks: f64,
    unknowns_per_block: f64,
) -> Printed {
    Printed {
        tables,
        design,
        resolution,
        unknowns,
        blocks,
        tasks,
        unknowns_per_block,
    }
}

/// Rows of tables 4.1 to 4.3 in the plane.
const PRINTED: [Printed; 12] = [
    printed("T4.3", ("wide", 32), 1.0, 3036, 16.0, 314.4),
    printed("T4.3", ("grid20", 8), 1.5, 20992, 121.3, 71.9),
    printed("T4.3", ("rgrid", 12), 1.1, 10702, 27.2, 103.9),
    printed("T4.1 T4.3", ("voronoi-s4", 16), 1.3, 9798, 34.7, 136.2),
    printed("T4.1", ("rgrid", 16), 2.0, 14334, 35.5, 138.0),
    printed("T4.1", ("grid20", 16), 6.0, 43080, 174.0, 140.2),
    printed("T4.2", ("voronoi-s4", 18), 1.7, 11041, 38.6, 153.1),
    printed("T4.2", ("rgrid", 18), 2.5, 16134, 42.8, 154.9),
    printed("T4.2", ("grid20", 18), 7.6, 48602, 187.0, 157.2),
    printed("T4.2", ("voronoi-s4", 36), 6.8, 22226, 75.9, 307.7),
    printed("T4.2", ("rgrid", 36), 10.1, 32495, 78.3, 311.7),
    printed("T4.2", ("grid20", 36), 30.9, 98300, 305.7, 314.4),
];

/// Between the smallest and the largest of table 4.2, for figure 4.18.
const BETWEEN: [u32; 2] = [24, 30];
const SCALED: [&str; 3] = ["grid20", "rgrid", "voronoi-s4"];

/// Plans that would need more are not run, bytes; ours are estimated before a solve.
const MEMORY: u64 = 14 << 30;
/// Above so many unknowns faer's factors don't fit.
const MOST_OF_PEER: f64 = 2.6e6;
/// A case is repeated while its runs took less than this together, s.
const SHORT: f64 = 5.0;
const MOST_RUNS: usize = 3;

const HEADINGS: [&str; 19] = [
    "tables",
    "case",
    "method",
    "threads",
    "unknowns",
    "printed M",
    "blocks",
    "printed blocks",
    "tasks",
    "printed tasks",
    "unknowns/block",
    "printed unknowns/block",
    "unique matrices",
    "computed matrices",
    "GFLOP",
    "seconds",
    "runs",
    "peak MiB",
    "residual",
];
const SECONDS: usize = 15;

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    let done = match child::asked() {
        Some(case) => one(&case).map(|row| child::answer(&row)),
        None => all(&asked),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// `(tables, design, resolution)` of every row: those printed, and those between for the lines of figure 4.18.
fn rows() -> Vec<(&'static str, &'static str, u32)> {
    let mut rows: Vec<_> = PRINTED
        .iter()
        .map(|p| (p.tables, p.design, p.resolution))
        .collect();
    for resolution in BETWEEN {
        rows.extend(SCALED.map(|design| ("F4.18", design, resolution)));
    }
    rows
}

fn all(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    eprintln!("{}", HEADINGS.join("  "));
    let most = child::most_threads();
    let mut failed = Vec::new();
    for (tables, design, resolution) in rows() {
        let mut methods = vec!["thesis", "fronts"];
        let mut threads = vec![most];
        if tables.contains("T4.3") {
            methods.extend(["thesis uncached", "faer"]);
        }
        if !tables.contains("T4.2") && tables != "F4.18" && most > 1 {
            threads.insert(0, 1);
        }
        for method in methods {
            for &threads in &threads {
                let case = format!("{tables}/{design}@{resolution}/{method}");
                if !asked.wants(&case) {
                    continue;
                }
                match child::row(&case, threads) {
                    Ok(row) => report.add(row),
                    Err(error) => {
                        eprintln!("{error}");
                        failed.push(format!("{design}@{resolution} {method}"));
                    }
                }
            }
        }
    }
    let mut note = "seconds: medians, meshing to fields (faer: analysis, factorisation, solve); printed: Ding 2019, tables 4.1 to 4.3"
        .to_string();
    if !failed.is_empty() {
        note += &format!("\nnot run, or refused: {}", failed.join(", "));
    }
    report.finish("thesis", &note, asked)?;
    for (name, chart) in figures(report.rows()) {
        let path = support::root().join(format!("benches/results/thesis-{name}.svg"));
        if asked.records() {
            fs::write(path, chart.svg())?;
        }
    }
    Ok(())
}

fn one(case: &str) -> Result<Vec<String>, Failure> {
    let [tables, chip, method] = case.splitn(3, '/').collect::<Vec<_>>()[..] else {
        return Err("a case is tables/design@resolution/method".into());
    };
    let (design, resolution) = chip.split_once('@').ok_or("a chip is design@resolution")?;
    let placed = support::design(design)?;
    let (by, uncached) = match method.strip_suffix(" uncached") {
        Some(by) => (by, true),
        None => (method, false),
    };
    let mut settings = SolveSettings {
        resolution: resolution.parse()?,
        memory_limit: Some(MEMORY),
        ..SolveSettings::default()
    };
    let row = if by == "faer" {
        settings.wanted = WantedResults::All;
        solved_by_peer(&placed.chip, &settings)?
    } else {
        settings.caching = if uncached {
            Caching::Uncached
        } else {
            Caching::Cached
        };
        settings.method = by_name(by)?;
        solved_by_ours(&placed.chip, &settings)?
    };
    let of = PRINTED
        .iter()
        .find(|p| p.design == design && p.resolution == settings.resolution);
    let as_printed = |value: fn(&Printed) -> String| of.map_or(String::new(), value);
    Ok(vec![
        tables.to_string(),
        chip.to_string(),
        method.to_string(),
        child::most_threads().to_string(),
        row.unknowns.to_string(),
        as_printed(|p| format!("{:.1}", p.unknowns)),
        row.blocks.map_or(String::new(), |n| n.to_string()),
        as_printed(|p| p.blocks.to_string()),
        row.tasks.map_or(String::new(), |n| n.to_string()),
        as_printed(|p| format!("{:.0}", 1e3 * p.tasks)),
        row.blocks.map_or(String::new(), |n| {
            format!("{:.1}", row.unknowns as f64 / n as f64)
        }),
        as_printed(|p| format!("{:.1}", p.unknowns_per_block)),
        row.unique.map_or(String::new(), |n| n.to_string()),
        row.computed.map_or(String::new(), |n| n.to_string()),
        row.flops
            .map_or(String::new(), |f| format!("{:.2}", f / 1e9)),
        seconds(median(row.seconds.clone())),
        row.seconds.len().to_string(),
        format!("{:.0}", process::peak_memory()),
        format!("{:.1e}", row.residual),
    ])
}

/// What a method tells; absent what it doesn't have.
struct Measured {
    unknowns: usize,
    blocks: Option<usize>,
    tasks: Option<usize>,
    unique: Option<usize>,
    computed: Option<usize>,
    flops: Option<f64>,
    seconds: Vec<f64>,
    residual: f64,
}

fn by_name(name: &str) -> Result<&'static dyn Method, Failure> {
    let found = stokeslet::METHODS.iter().find(|m| m.name() == name);
    found
        .copied()
        .ok_or_else(|| format!("no method is called {name}").into())
}

fn solved_by_ours(
    chip: &stokeslet::chip::Chip,
    settings: &SolveSettings,
) -> Result<Measured, Failure> {
    let mut runs: Vec<SolveReport> = Vec::new();
    while runs.len() < MOST_RUNS && runs.iter().map(|r| r.timings.total).sum::<f64>() < SHORT {
        runs.push(support::solve_afresh(chip, settings)?.report);
    }
    let report = &runs[0];
    let has_blocks = report.blocks.is_some();
    Ok(Measured {
        unknowns: report.unknowns,
        blocks: report.blocks.map(|b| b.regular + b.irregular + b.separator),
        tasks: Some(report.tasks),
        unique: has_blocks.then_some(report.unique_matrices),
        computed: Some(report.computed_matrices),
        flops: Some(report.flops as f64),
        seconds: runs.iter().map(|r| r.timings.total).collect(),
        residual: report.relative_residual,
    })
}

fn solved_by_peer(
    chip: &stokeslet::chip::Chip,
    settings: &SolveSettings,
) -> Result<Measured, Failure> {
    let operations = Table::default();
    let system = assembled_system(chip, settings, &operations, &silent, &CancelToken::new())?;
    drop(operations);
    if system.n as f64 > MOST_OF_PEER {
        return Err(format!("{} unknowns: faer's factors would not fit", system.n).into());
    }
    let matrix = peer::lower_triangle(&system)?;
    let par = match child::most_threads() {
        1 => Par::Seq,
        most => Par::rayon(most),
    };
    let mut runs = Vec::new();
    while runs.len() < MOST_RUNS && runs.iter().map(peer::PeerRun::total).sum::<f64>() < SHORT {
        runs.push(peer::run(&system, &matrix, par)?);
    }
    Ok(Measured {
        unknowns: system.n,
        blocks: None,
        tasks: None,
        unique: None,
        computed: None,
        flops: None,
        seconds: runs.iter().map(peer::PeerRun::total).collect(),
        residual: runs[0].residual,
    })
}

/// Figures from the rows that were run: seconds over threads (4.15, 4.17) and over resolution (4.18), with fitted exponents.
fn figures(rows: &[Vec<String>]) -> Vec<(&'static str, Chart)> {
    let all: [(&'static str, &str, &str, &str); 3] = [
        ("4.15", "T4.1", "Solving time over threads", "threads"),
        ("4.17", "T4.3", "Against a general sparse solver", "threads"),
        ("4.18", "", "Scaling with refinement", "resolution"),
    ];
    let made = all.into_iter().filter_map(|(name, table, title, x_label)| {
        let mut series: Vec<Series> = Vec::new();
        let (mut designs, mut labels): (Vec<String>, Vec<String>) = Default::default();
        for row in rows {
            let (design, resolution) = row[1].split_once('@')?;
            let of_figure = match x_label {
                "threads" => row[0].contains(table),
                _ => {
                    SCALED.contains(&design)
                        && row[3] == child::most_threads().to_string()
                        && !row[2].contains("uncached")
                        && row[2] != "faer"
                }
            };
            if !of_figure || (name == "4.15" && !["thesis", "fronts"].contains(&&*row[2])) {
                continue;
            }
            let x = if x_label == "threads" {
                &row[3]
            } else {
                resolution
            };
            let point = (x.parse().ok()?, row[SECONDS].parse().ok()?);
            let label = format!("{design} {}", row[2]);
            if !designs.iter().any(|d| d == design) {
                designs.push(design.to_string());
            }
            match labels.iter().position(|l| *l == label) {
                Some(at) => series[at].points.push(point),
                None => {
                    labels.push(label.clone());
                    series.push(Series {
                        label,
                        points: vec![point],
                        colour: designs.iter().position(|d| d == design)?,
                        dashed: row[2].starts_with("thesis"),
                    });
                }
            }
        }
        for line in &mut series {
            line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
            if line.points.len() > 1 {
                line.label += &format!(" ({:.2})", fit::exponent(&line.points));
            }
        }
        let chart = Chart {
            title: format!("{title} (figure {name}; exponents in brackets)"),
            x_label: x_label.into(),
            y_label: "s".into(),
            x_axis: Axis::Logarithmic,
            y_axis: Axis::Logarithmic,
            names: Vec::new(),
            series,
        };
        (!chart.series.is_empty()).then_some((name, chart))
    });
    made.collect()
}
