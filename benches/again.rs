//! What a chip costs once more, after one of its components moved: the table of operations keeps what the first solve computed.
//!
//! ```text
//! cargo bench --bench again                   lattices of 10 x 10 and 20 x 20 crossings, ports only and with all fields; a minute
//! cargo bench --bench again -- scattered-10   cases whose name holds this: regular, tees or scattered, crossings a side, @resolution
//! ```
//! `regular`: the crossings of a square lattice, nearly all alike. `tees`: every third link up is left out, so that tees,
//! crossings and bends mix. `scattered`: every crossing moved a little, so that no two junctions are alike and the
//! elimination of each is paid once. Then one crossing in the middle is moved: five junctions and four channels change. It is
//! moved on a few times, each place a new one. At last it is put back, and the chip of the first solve solved once more: nothing
//! is eliminated then, and what that costs (`unchanged s`) no solve of such a chip can save.

mod support;

use std::process::ExitCode;

use stokeslet::cancel::CancelToken;
use stokeslet::session::{SolveReport, SolveSettings, Timings, WantedResults, silent, solve};
use stokeslet::table::Table;
use support::{Asked, Failure, Report, chips, median, seconds};

/// Lattice, crossings a side, cell edges across a channel.
const CASES: [(&str, usize, u32); 7] = [
    ("regular", 10, 8),
    ("regular", 20, 16),
    ("tees", 10, 8),
    ("scattered", 10, 8),
    ("scattered", 10, 16),
    ("scattered", 20, 8),
    ("scattered", 20, 16),
];
const REPETITIONS: usize = 5;
/// Where the crossing is moved to, one after the other, in parts of the crossings' distance.
const PLACES: [f64; 4] = [0.07, 0.05, 0.09, 0.03];
const HEADINGS: [&str; 14] = [
    "lattice",
    "wanted",
    "unknowns",
    "first s",
    "again s",
    "again / first",
    "unchanged s",
    "unchanged / first",
    "mesh s",
    "plan s",
    "eliminate s",
    "back substitute s",
    "results s",
    "residual",
];

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    match compare(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A fixed number in [-0.1, 0.1] for each crossing and axis.
fn scatter(k: usize, axis: usize) -> f64 {
    0.1 * (12.9898 * (2 * k + axis) as f64).sin()
}

fn compare(asked: &Asked) -> Result<(), Failure> {
    let mut report = Report::new(&HEADINGS);
    for (lattice, side, resolution) in CASES {
        let name = format!("{lattice}-{side}@{resolution}");
        if !asked.wants(&name) {
            continue;
        }
        let has_link =
            |row: usize, column: usize| lattice != "tees" || !(row + column).is_multiple_of(3);
        let chip = |moved_by: f64| {
            chips::lattice_with(side, has_link, |k| {
                let own = if lattice == "scattered" {
                    [scatter(k, 0), scatter(k, 1)]
                } else {
                    [0.0; 2]
                };
                let by = if k == side * side / 2 + side / 2 {
                    moved_by
                } else {
                    0.0
                };
                [own[0] + by, own[1] + 0.5 * by]
            })
        };
        let before = chip(0.0)?.chip;
        let after = PLACES.map(|by| chip(by).map(|placed| placed.chip));
        let after = after.into_iter().collect::<Result<Vec<_>, _>>()?;
        for (wanted, what) in [
            (WantedResults::PortsOnly, "ports"),
            (WantedResults::All, "fields"),
        ] {
            let settings = SolveSettings {
                resolution,
                wanted,
                ..SolveSettings::default()
            };
            let (mut first, mut unchanged) = (Vec::new(), Vec::new());
            let mut again = Vec::<SolveReport>::new();
            for _ in 0..REPETITIONS {
                let table = Table::default();
                let run = |chip| solve(chip, &settings, &table, &silent, &CancelToken::new());
                first.push(run(&before)?.report.timings.total);
                for moved in &after {
                    again.push(run(moved)?.report);
                }
                unchanged.push(run(&before)?.report.timings.total);
            }
            let of = |stage: fn(&Timings) -> f64| {
                median(again.iter().map(|r| stage(&r.timings)).collect())
            };
            let (first, total) = (median(first), of(|t| t.total));
            let unchanged = median(unchanged);
            let last = again.last().ok_or("nothing was run")?;
            report.add(vec![
                name.clone(),
                what.into(),
                last.unknowns.to_string(),
                seconds(first),
                seconds(total),
                format!("{:.3}", total / first),
                seconds(unchanged),
                format!("{:.3}", unchanged / first),
                seconds(of(|t| t.mesh)),
                seconds(of(|t| t.plan)),
                seconds(of(|t| t.eliminate)),
                seconds(of(|t| t.back_substitute)),
                seconds(of(|t| t.results)),
                format!("{:.1e}", last.relative_residual),
            ]);
        }
    }
    report.finish(
        "again",
        "medians of 5 first solves, of 4 after each with one crossing moved, and of the first chip once more; stages of those with one moved",
        asked,
    )
}
