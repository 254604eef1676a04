//! How does a solve scale with the chip's size, the resolution, the threads and the length of a pipe?
//!
//! ```text
//! cargo bench --bench scaling                       all series
//! cargo bench --bench scaling -- lattice --record    one of lattice, resolution, pipe; kept in benches/results/scaling.csv
//! STOKESLET_SIZES=full cargo bench --bench scaling   sizes up to small (seconds), medium (the default) or full
//! ```
//! Every case runs in a process of its own, with one thread and with all; the laws that the costs follow are printed below the
//! table. Fits of time use the whole solve, of memory what a solve adds to the process.

mod support;

use std::process::ExitCode;

use stokeslet::session::{SolveReport, SolveSettings, WantedResults};
use support::{Asked, Failure, Placed, Report, child, chips, fit, median, process, seconds};

const REPETITIONS: usize = 3;
/// A case is not run again once its runs took this long, s.
const ENOUGH: f64 = 10.0;

/// Resolution of the lattices and pipes.
const RESOLUTION: u32 = 8;
/// Lattices smaller than this are left out of fits: their edges weigh more than their crossings.
const SMALLEST_FITTED: f64 = 10.0;

const HEADINGS: [&str; 16] = [
    "series",
    "size",
    "threads",
    "unknowns",
    "place s",
    "mesh s",
    "plan s",
    "eliminate s",
    "back substitute s",
    "results s",
    "total s",
    "processor s",
    "runs",
    "peak MiB",
    "added MiB",
    "residual",
];

/// One number is varied in each series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Series {
    /// Crossings along a side.
    Lattice,
    /// Cell edges across a channel, of a chip whose junctions are alike.
    ResolutionGrid20,
    /// The same, of a chip whose junctions all differ.
    ResolutionVoronoi,
    /// The same, of the first chip in three dimensions.
    ResolutionSolid,
    /// Length of a pipe in widths.
    Pipe,
}

const SERIES: [Series; 5] = [
    Series::Lattice,
    Series::ResolutionGrid20,
    Series::ResolutionVoronoi,
    Series::ResolutionSolid,
    Series::Pipe,
];

impl Series {
    fn name(self) -> &'static str {
        match self {
            Self::Lattice => "lattice",
            Self::ResolutionGrid20 => "resolution grid20",
            Self::ResolutionVoronoi => "resolution voronoi-s4",
            Self::ResolutionSolid => "resolution grid20-3d",
            Self::Pipe => "pipe",
        }
    }

    /// Sizes, smallest first, and how many of them are small and medium.
    fn sizes(self) -> (&'static [u32], [usize; 2]) {
        match self {
            Self::Lattice => (&[5, 10, 20, 40, 80], [2, 4]),
            Self::ResolutionGrid20 | Self::ResolutionVoronoi => {
                (&[4, 6, 8, 12, 16, 24, 36], [3, 5])
            }
            Self::ResolutionSolid => (&[4, 6, 8, 10], [1, 2]),
            Self::Pipe => (&[10, 100, 1_000, 10_000, 100_000], [3, 4]),
        }
    }

    /// The sizes that are run.
    fn wanted(self) -> Vec<u32> {
        let (sizes, [small, medium]) = self.sizes();
        let count = match std::env::var("STOKESLET_SIZES").as_deref() {
            Ok("small") => small,
            Ok("full") => sizes.len(),
            _ => medium,
        };
        sizes[..count].to_vec()
    }

    fn chip(self, size: u32) -> Result<(Placed, SolveSettings), Failure> {
        let at = |resolution| SolveSettings {
            resolution,
            ..SolveSettings::default()
        };
        Ok(match self {
            Self::Lattice => (chips::lattice(size as usize)?, at(RESOLUTION)),
            Self::ResolutionGrid20 => (support::design("grid20")?, at(size)),
            Self::ResolutionVoronoi => (support::design("voronoi-s4")?, at(size)),
            Self::ResolutionSolid => (support::design("grid20-3d")?, at(size)),
            Self::Pipe => (chips::pipe(f64::from(size)), pipe_settings()),
        })
    }
}

/// Pipes are solved for their ports only.
fn pipe_settings() -> SolveSettings {
    SolveSettings {
        resolution: RESOLUTION,
        wanted: WantedResults::PortsOnly,
        ..SolveSettings::default()
    }
}

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

fn all(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    eprintln!("{}", HEADINGS.join("  "));
    let mut threads = vec![1, child::most_threads()];
    threads.dedup();
    for series in SERIES.into_iter().filter(|s| asked.wants(s.name())) {
        for size in series.wanted() {
            for &threads in &threads {
                report.add(child::row(&format!("{}@{size}", series.name()), threads)?);
            }
        }
    }
    let mut notes =
        vec!["medians of up to three whole solves; memory of the first solve".to_string()];
    for series in SERIES {
        for &threads in &threads {
            let measured = measured(report.rows(), series, threads);
            let measured = fitted(series, measured);
            if measured.len() > 1 {
                let laws = laws(series, &measured);
                notes.push(format!("{}, {threads} threads: {laws}", series.name()));
            }
        }
        if let [one, most] = threads[..] {
            let ratios: Vec<String> = measured(report.rows(), series, one)
                .iter()
                .zip(measured(report.rows(), series, most))
                .map(|(slow, fast)| format!("{} {:.2}", slow.size, slow.seconds / fast.seconds))
                .collect();
            if !ratios.is_empty() {
                let name = series.name();
                notes.push(format!(
                    "{name}: faster with {most} threads than with one: {}",
                    ratios.join(" | ")
                ));
            }
        }
    }
    report.finish("scaling", &notes.join("\n"), asked)
}

/// What a fit needs of a row.
struct Measured {
    size: f64,
    unknowns: f64,
    seconds: f64,
    added: f64,
}

fn measured(rows: &[Vec<String>], series: Series, threads: usize) -> Vec<Measured> {
    let number = |row: &[String], heading: &str| {
        let column = HEADINGS.iter().position(|h| *h == heading);
        column.and_then(|c| row[c].parse().ok()).unwrap_or(f64::NAN)
    };
    rows.iter()
        .filter(|row| row[0] == series.name() && row[2] == threads.to_string())
        .map(|row| Measured {
            size: number(row, "size"),
            unknowns: number(row, "unknowns"),
            seconds: number(row, "total s"),
            added: number(row, "added MiB"),
        })
        .collect()
}

/// Those that take part in fits.
fn fitted(series: Series, measured: Vec<Measured>) -> Vec<Measured> {
    let large = |m: &Measured| series != Series::Lattice || m.size >= SMALLEST_FITTED;
    measured.into_iter().filter(large).collect()
}

/// The law that a series is expected to follow, and how far it is from it.
fn laws(series: Series, measured: &[Measured]) -> String {
    let points = |x: fn(&Measured) -> f64, y: fn(&Measured) -> f64| -> Vec<(f64, f64)> {
        measured.iter().map(|m| (x(m), y(m))).collect()
    };
    match series {
        Series::Lattice => {
            let (time, space) = (
                points(|m| m.unknowns, |m| m.seconds),
                points(|m| m.unknowns, |m| m.added),
            );
            // The kinds are paid once, then every copy: a constant and a rate a million unknowns.
            let ([time_once, time_rate], time_apart) = fit::affine(&time);
            let ([space_once, space_rate], space_apart) = fit::affine(&space);
            format!(
                "from {SMALLEST_FITTED} crossings a side, time ~ unknowns^{:.2}, proportional within {:.0} %, {:.3} s + {:.3} s a million within {time_apart:.0} %; \
                 memory ~ unknowns^{:.2}, proportional within {:.0} %, {:.0} MiB + {:.1} MiB a million within {space_apart:.0} %",
                fit::exponent(&time),
                fit::from_linear(&time),
                time_once,
                1e6 * time_rate,
                fit::exponent(&space),
                fit::from_linear(&space),
                space_once,
                1e6 * space_rate,
            )
        }
        Series::ResolutionGrid20 | Series::ResolutionVoronoi | Series::ResolutionSolid => {
            let time = points(|m| m.size, |m| m.seconds);
            let last = &time[time.len() - 2..];
            format!(
                "time ~ r^{:.2}, over the last two r^{:.2}; memory ~ r^{:.2}",
                fit::exponent(&time),
                fit::exponent(last),
                fit::exponent(&points(|m| m.size, |m| m.added)),
            )
        }
        Series::Pipe => {
            let time = points(|m| m.size, |m| m.seconds);
            let [doubling, apart] = fit::logarithm(&time);
            format!(
                "ports only; {:.2e} s a doubling, {apart:.0} % from a + b log2(length); time ~ length^{:.2}",
                doubling,
                fit::exponent(&time),
            )
        }
    }
}

/// A case, `series@size`, in this process and with its threads.
fn one(case: &str) -> Result<Vec<String>, Failure> {
    let (name, size) = case.rsplit_once('@').ok_or("a case is series@size")?;
    let series = SERIES.into_iter().find(|s| s.name() == name);
    let (placed, settings) = series.ok_or("no such series")?.chip(size.parse()?)?;
    process::forget_peak_memory();
    let (before, mut peak) = (process::memory(), 0.0);
    let (mut runs, mut processor) = (Vec::<SolveReport>::new(), Vec::new());
    while runs.len() < REPETITIONS && runs.iter().map(|r| r.timings.total).sum::<f64>() < ENOUGH {
        let before = process::processor_time();
        runs.push(support::solve_afresh(&placed.chip, &settings)?.report);
        processor.push(process::processor_time() - before);
        if runs.len() == 1 {
            peak = process::peak_memory();
        }
    }
    let of = |stage: fn(&SolveReport) -> f64| median(runs.iter().map(stage).collect());
    // Microseconds count here: the smallest cases take less than a millisecond.
    let fine = |value: f64| {
        if value < 0.1 {
            format!("{value:.6}")
        } else {
            seconds(value)
        }
    };
    Ok(vec![
        name.to_string(),
        size.to_string(),
        child::most_threads().to_string(),
        runs[0].unknowns.to_string(),
        seconds(placed.seconds),
        fine(of(|r| r.timings.mesh)),
        fine(of(|r| r.timings.plan)),
        fine(of(|r| r.timings.eliminate)),
        fine(of(|r| r.timings.back_substitute)),
        fine(of(|r| r.timings.results)),
        fine(of(|r| r.timings.total)),
        fine(median(processor)),
        runs.len().to_string(),
        format!("{peak:.0}"),
        format!("{:.1}", peak - before),
        format!("{:.1e}", runs[0].relative_residual),
    ])
}
