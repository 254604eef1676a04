//! What the benches share: designs become chips, numbers become tables, the machine is described.
//!
//! A bench prints its table and, with `--record`, keeps it in `benches/results/<bench>.csv`.

#![allow(dead_code, reason = "each bench uses a part of it")]

pub mod child;
pub mod chips;
pub mod exported;
pub mod fit;
pub mod peer;
pub mod process;

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, place};
use stokeslet::design::DepthModel;
use stokeslet::design::{Design, parse};
use stokeslet::library::Library;
use stokeslet::session::{Solution, SolveSettings, Timings, silent, solve};
use stokeslet::table::Table as Operations;

/// Any error, shown by `main`.
pub type Failure = Box<dyn Error>;

/// What the bench was asked to do.
pub struct Asked {
    /// Only cases whose name holds one of these; all where there is none.
    only: Vec<String>,
    /// Whether the table goes to `benches/results`.
    record: bool,
}

impl Asked {
    /// From the command line; none where `cargo test` runs the bench only to see that it starts.
    pub fn from_args() -> Option<Self> {
        let args: Vec<String> = env::args().skip(1).collect();
        args.iter().any(|a| a == "--bench").then(|| Self {
            only: args
                .iter()
                .filter(|a| !a.starts_with("--"))
                .cloned()
                .collect(),
            record: args.iter().any(|a| a == "--record"),
        })
    }

    /// What was asked for by name; empty where everything is wanted.
    pub fn names(&self) -> &[String] {
        &self.only
    }

    /// Whether results are kept in `benches/results`.
    pub fn records(&self) -> bool {
        self.record
    }

    /// Whether the case is wanted.
    pub fn wants(&self, case: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| case.contains(part.as_str()))
    }
}

/// The program's allocator: benches measure what users run.
#[cfg(unix)]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A chip, and how long it took to read and place it, s.
pub struct Placed {
    /// The chip.
    pub chip: Chip,
    /// Seconds from the file's text to the chip.
    pub seconds: f64,
}

/// A design of `designs/`, placed; with `-3d` after its name as a chip as deep as it is wide, in three dimensions.
pub fn design(name: &str) -> Result<Placed, Failure> {
    if let Some(plane) = name.strip_suffix("-3d") {
        let mut placed = design(plane)?;
        let sockets = placed.chip.parts.iter().flat_map(|p| p.shape.sockets());
        let width = sockets.map(|m| m.width).fold(f64::INFINITY, f64::min);
        placed.chip.model = DepthModel::Full;
        placed.chip.depth = Some(width);
        return Ok(placed);
    }
    let path = root().join("designs").join(format!("{name}.toml"));
    let text = fs::read(&path).map_err(|e| format!("{name}: {e}"))?;
    let library = Library::embedded();
    let clock = Instant::now();
    let (design, diagnostics) = parse(&text, name);
    let chip = design.and_then(|design| place(&design, &library).0);
    let seconds = clock.elapsed().as_secs_f64();
    let chip = chip.ok_or_else(|| format!("{name} can't be placed: {diagnostics:?}"))?;
    Ok(Placed { chip, seconds })
}

/// A design that a bench made, placed.
pub fn placed(design: &Design) -> Result<Placed, Failure> {
    let library = Library::embedded();
    let clock = Instant::now();
    let (chip, diagnostics) = place(design, &library);
    let seconds = clock.elapsed().as_secs_f64();
    let chip = chip.ok_or_else(|| format!("can't be placed: {diagnostics:?}"))?;
    Ok(Placed { chip, seconds })
}

/// Solves with a table of operations of its own, so that nothing is left from the run before.
pub fn solve_afresh(chip: &Chip, settings: &SolveSettings) -> Result<Solution, Failure> {
    let operations = Operations::default();
    Ok(solve(
        chip,
        settings,
        &operations,
        &silent,
        &CancelToken::new(),
    )?)
}

/// What counts as ours beside a general sparse solver's analysis + factorisation + solve, s: everything after the mesh.
///
/// That is the elimination (with the assembly of canonical matrices, which the peer gets for nothing), all values of the solution,
/// the check of the residual, and all fields with what is measured from them (`results`: ports, conductance, wall shear).
pub fn ours(timings: &Timings) -> f64 {
    timings.plan + timings.eliminate + timings.back_substitute + timings.results
}

/// The middle of the values; of an even number of them the upper of the two in the middle.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds with three figures.
pub fn seconds(value: f64) -> String {
    let decimals = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else if value >= 1.0 {
        2
    } else {
        3
    };
    format!("{value:.decimals$}")
}

/// Rows of text under headings.
pub struct Report {
    headings: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Report {
    /// A table without rows yet.
    pub fn new(headings: &[&'static str]) -> Self {
        Self {
            headings: headings.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row and says it at once, since some take minutes.
    pub fn add(&mut self, row: Vec<String>) {
        assert_eq!(
            row.len(),
            self.headings.len(),
            "a value for each of {:?}",
            self.headings
        );
        eprintln!("{}", row.join("  "));
        self.rows.push(row);
    }

    /// Prints the table as Markdown; with `--record` keeps it as `benches/results/<name>.csv`.
    pub fn finish(&self, name: &str, note: &str, asked: &Asked) -> Result<(), Failure> {
        let (headings, machine) = (self.headings.join(" | "), machine());
        println!("\n{machine}\n{note}\n\n| {headings} |");
        println!("|{}", "---|".repeat(self.headings.len()));
        self.rows
            .iter()
            .for_each(|row| println!("| {} |", row.join(" | ")));
        if asked.record {
            let mut csv = format!("# {machine}\n");
            note.lines().for_each(|line| {
                let _ = writeln!(csv, "# {line}"); // a String takes anything
            });
            let _ = writeln!(csv, "{}", self.headings.join(","));
            for row in &self.rows {
                let _ = writeln!(csv, "{}", row.join(","));
            }
            let folder = root().join("benches/results");
            fs::create_dir_all(&folder)?;
            fs::write(folder.join(format!("{name}.csv")), csv)?;
        }
        Ok(())
    }

    /// The rows so far.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }
}

/// Processors, memory, and how busy the machine is: other work on it makes all times longer.
pub fn machine() -> String {
    let of = |path: &str, key: &str| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let line = text
            .lines()
            .find(|l| l.starts_with(key))
            .map(str::to_string);
        line.and_then(|l| Some(l.split_once(':')?.1.trim().to_string()))
    };
    let memory = of("/proc/meminfo", "MemTotal").and_then(|m| {
        let kib: f64 = m.split_whitespace().next()?.parse().ok()?;
        Some(format!("{:.0} GiB", kib / 1048576.0))
    });
    let unknown = || "unknown".to_string();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    format!(
        "{} processors ({}), {} of memory, {}, load {} at the end",
        std::thread::available_parallelism().map_or(1, usize::from),
        of("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
        memory.unwrap_or_else(unknown),
        env::consts::OS,
        load.split_whitespace().next().unwrap_or("unknown"),
    )
}

/// The folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}
