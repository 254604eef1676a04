//! What does caching bring? The same plan with every operation computed once, and computed wherever it occurs.
//!
//! ```text
//! cargo bench --bench caching              about a minute
//! cargo bench --bench caching -- --record  the table is kept in benches/results/caching.csv
//! ```
//! The counts are deterministic; only the seconds depend on the machine.

mod support;

use std::process::ExitCode;

use stokeslet::session::{SolveReport, SolveSettings};
use stokeslet::table::Caching;
use support::{Asked, Failure, Report, median, seconds};

const CASES: [(&str, u32); 3] = [("grid20", 4), ("grid20", 8), ("voronoi-s4", 8)];
const REPETITIONS: usize = 3;

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
    let headings = [
        "case",
        "unknowns",
        "caching",
        "plan s",
        "eliminate s",
        "back substitute s",
        "total s",
        "tasks",
        "matrices computed",
        "GFLOP",
        "MiB estimated",
        "GFLOP against cached",
        "s against cached",
    ];
    let mut report = Report::new(&headings);
    eprintln!("{}", headings.join("  "));
    for (name, resolution) in CASES {
        let case = format!("{name}@{resolution}");
        if !asked.wants(&case) {
            continue;
        }
        let placed = support::design(name)?;
        let mut base = None;
        for caching in [Caching::Cached, Caching::Uncached] {
            let settings = SolveSettings {
                resolution,
                caching,
                ..SolveSettings::default()
            };
            let mut runs: Vec<SolveReport> = Vec::new();
            for _ in 0..REPETITIONS {
                runs.push(support::solve_afresh(&placed.chip, &settings)?.report);
            }
            let of = |stage: fn(&SolveReport) -> f64| median(runs.iter().map(stage).collect());
            let (total, flops) = (of(|r| r.timings.total), runs[0].flops as f64);
            let (base_total, base_flops) = *base.get_or_insert((total, flops));
            report.add(vec![
                case.clone(),
                runs[0].unknowns.to_string(),
                format!("{caching:?}").to_lowercase(),
                seconds(of(|r| r.timings.plan)),
                seconds(of(|r| r.timings.eliminate)),
                seconds(of(|r| r.timings.back_substitute)),
                seconds(total),
                runs[0].tasks.to_string(),
                runs[0].computed_matrices.to_string(),
                format!("{:.2}", flops / 1e9),
                (runs[0].estimated_memory_bytes >> 20).to_string(),
                format!("{:.1}", flops / base_flops),
                format!("{:.1}", total / base_total),
            ]);
        }
    }
    report.finish(
        "caching",
        "medians of three; GFLOP counts the elimination's matrix tasks",
        asked,
    )
}
