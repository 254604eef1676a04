//! Did a stage of a small solve become slower? Criterion compares each with the run before.
//!
//! ```text
//! cargo bench --bench stages              all, about a minute
//! cargo bench --bench stages -- eliminate  one stage of every design
//! ```
//! Every sample is a whole solve, of which the stage's own seconds count.

mod support;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use stokeslet::session::{SolveSettings, Timings};
use support::{design, solve_afresh};

/// Designs and resolutions that solve in a few tenths of a second.
const CASES: [(&str, u32); 4] = [("grid20", 4), ("rgrid", 8), ("voronoi-s4", 8), ("wide", 4)];

type Stage = (&'static str, fn(&Timings) -> f64);
const STAGES: [Stage; 5] = [
    ("mesh", |t| t.mesh),
    ("plan", |t| t.plan),
    ("eliminate", |t| t.eliminate),
    ("back_substitute", |t| t.back_substitute),
    ("results", |t| t.results),
];

fn stages(criterion: &mut Criterion) {
    for (name, resolution) in CASES {
        let mut group = criterion.benchmark_group(format!("{name}@{resolution}"));
        group
            .sampling_mode(SamplingMode::Flat)
            .sample_size(10)
            .warm_up_time(Duration::from_millis(100))
            .measurement_time(Duration::from_secs(1));
        group.bench_function("place", |bencher| {
            bencher.iter(|| design(name).expect("designs of the repository can be placed"));
        });
        let chip = design(name)
            .expect("designs of the repository can be placed")
            .chip;
        let settings = SolveSettings {
            resolution,
            ..SolveSettings::default()
        };
        for (stage, of) in STAGES {
            group.bench_function(stage, |bencher| {
                bencher.iter_custom(|n| {
                    let solved = |_| {
                        let solution = solve_afresh(&chip, &settings);
                        of(&solution
                            .expect("designs of the repository can be solved")
                            .report
                            .timings)
                    };
                    Duration::from_secs_f64((0..n).map(solved).sum())
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
