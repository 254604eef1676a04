//! Rows 5 to 8 and 13 of the specification's table by both engines: how errors fall with the resolution, and whether the estimate is honest.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_species::{Engine, Settings, SpeciesResult};
use support::{BEND, CROSS, H, Row, TEE, at_value, dye, row, sine};

/// What is read of a result.
#[derive(Clone, Copy)]
enum Read {
    /// The larger share of the mean at a port of the H.
    Share(usize),
    /// A port's mean.
    Mean(usize),
    /// `int u c (1 - c) / Q` at a port.
    Unmixed(usize),
    /// `int u (c - 1/2)^2 / Q` at a port.
    Spread(usize),
}

impl Read {
    fn of(self, out: &SpeciesResult) -> f64 {
        let stream = |k: usize| out.streams.ports[k].as_ref().unwrap();
        match self {
            Self::Share(k) => out.ports[k]
                .mean
                .unwrap()
                .max(1.0 - out.ports[k].mean.unwrap()),
            Self::Mean(k) => out.ports[k].mean.unwrap(),
            Self::Unmixed(k) => stream(k).mean() * (1.0 - stream(k).mean()) - stream(k).variance(),
            Self::Spread(k) => stream(k).variance() + (stream(k).mean() - 0.5).powi(2),
        }
    }
}

/// A chip of the table: who enters by value 1 (the bend has its sine), and what is read at which Peclet number with which true value.
struct Of {
    name: &'static str,
    text: String,
    enters: &'static str,
    wants: Vec<(Read, f64, f64)>,
}

/// The table. Truths above Pe 1000 are the limits of tubes, known to 3e-5.
fn table() -> Vec<Of> {
    let all = |read: Read, list: &[(f64, f64)]| list.iter().map(|w| (read, w.0, w.1)).collect();
    let cross = [
        (30.0, 0.74912, 0.12632),
        (100.0, 0.80821, 0.03769),
        (300.0, 0.82885, 0.00672),
        (1e3, 0.83322, 0.00017),
    ];
    vec![
        Of {
            name: "H",
            text: H.to_owned(),
            enters: "ul",
            wants: all(
                Read::Share(2),
                &[
                    (10.0, 0.500125),
                    (30.0, 0.518890),
                    (100.0, 0.656392),
                    (300.0, 0.794361),
                    (1e3, 0.886500),
                    (1e4, 0.96399),
                    (1e5, 0.98861),
                    (1e6, 0.99640),
                ],
            ),
        },
        Of {
            name: "tee",
            text: TEE.replace("LENGTH", "3"),
            enters: "up",
            wants: all(
                Read::Unmixed(2),
                &[
                    (30.0, 0.242844),
                    (100.0, 0.177457),
                    (300.0, 0.106635),
                    (1e3, 0.0588735),
                    (3e3, 0.0340622),
                    (1e4, 0.018674),
                    (1e5, 0.005905),
                ],
            ),
        },
        Of {
            name: "bend",
            text: BEND.to_owned(),
            enters: "",
            wants: all(
                Read::Spread(1),
                &[
                    (30.0, 0.0006016),
                    (100.0, 0.0187596),
                    (300.0, 0.0519104),
                    (1e3, 0.0743772),
                ],
            ),
        },
        Of {
            name: "crossing",
            text: CROSS.to_owned(),
            enters: "south",
            wants: cross
                .iter()
                .flat_map(|&(pe, e, n)| [(Read::Mean(2), pe, e), (Read::Mean(3), pe, n)])
                .collect(),
        },
    ]
}

/// Follows one case; what is read, and the estimate.
fn follow(of: &Of, Row { chip, paths }: &Row, peclet: f64, engine: Engine) -> SpeciesResult {
    let species = match of.enters {
        // Elements hold what flows in, tubes know no difference; below 150 they are chosen.
        "" if engine == Engine::Elliptic || engine == Engine::Auto && peclet < 150.0 => {
            at_value(sine(peclet), peclet)
        }
        "" => sine(peclet),
        port => dye(chip, 1.0 / peclet, &[(port, 1.0)]),
    };
    let settings = Settings {
        engine,
        ..Settings::default()
    };
    stokeslet_species::solve(chip, paths, &[species], settings, false)
        .unwrap()
        .remove(0)
}

const ENGINES: [Engine; 2] = [Engine::Tubes, Engine::Elliptic];

/// Prints every case at a resolution and judges it; what is broken.
fn judge(
    resolution: u32,
    engines: &[Engine],
    judge: &dyn Fn(&str, f64, f64, f64) -> bool,
) -> Vec<String> {
    let mut broken = Vec::new();
    for of in table() {
        let row = row(&of.text, resolution);
        for &(read, peclet, want) in &of.wants {
            for &engine in engines {
                // Elements resolve Pe 1000 at 8 cells a width; tubes are for where little is diffused along the flow.
                let most = 1e3 * (f64::from(resolution) / 8.0).powi(2);
                if engine == Engine::Elliptic && peclet > most.min(1e3) {
                    continue;
                }
                let out = follow(&of, &row, peclet, engine);
                let error = (read.of(&out) - want).abs();
                let estimate = out.estimated_error;
                let line = format!(
                    "{} Pe {peclet} r {resolution} {}: error {error:.1e}, estimate {estimate:.1e} ({:.1e} {:.1e} {:.1e}), ratio {:.1}",
                    of.name,
                    engine.name(),
                    out.error_of_discretisation,
                    out.error_along,
                    out.error_of_flow,
                    estimate / error
                );
                println!("{line}");
                let along = match out.regions_by_tubes {
                    0 => 0.0,
                    _ => 0.15 / peclet,
                };
                if !judge(of.name, along, error, estimate) {
                    broken.push(line);
                }
            }
        }
    }
    broken
}

/// What the program chooses by itself is judged from both sides, at 20 times the true error; either engine where it isn't chosen only from below: tubes at Pe 30
/// behind the tee are 268 times better than they say, since little is left to be mixed.
#[test]
fn estimates_are_above_true_errors_and_below_twenty_times_them() {
    let mut broken = judge(8, &ENGINES, &|_, _, error, estimate| error <= estimate);
    broken.extend(judge(8, &[Engine::Auto], &|name, _, error, estimate| {
        // Numbers of the crossing are known to 1e-4 only: a smaller error can't be told.
        let known = if name == "crossing" { 1e-4 } else { 1e-5 };
        error < known || estimate <= 20.0 * error
    }));
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
#[ignore = "a minute: cargo test --release -p stokeslet-species --test accuracy -- --ignored --nocapture"]
fn rows_of_the_table_at_sixteen_and_thirty_two_cells() {
    for (resolution, part) in [(16, 1.0), (32, 0.5)] {
        let broken = judge(resolution, &ENGINES, &|_, along, error, _| {
            error <= along + part * 1e-3
        });
        assert!(broken.is_empty(), "{broken:#?}");
    }
}

/// The flow's error at corners falls at order one, and what elements add must not hide it.
#[test]
#[ignore = "a minute: cargo test --release -p stokeslet-species --test accuracy -- --ignored --nocapture"]
fn errors_of_elements_fall_with_the_resolution() {
    for of in table() {
        let rows = [8, 16, 32].map(|r| row(&of.text, r));
        for &(read, peclet, want) in of.wants.iter().filter(|w| (30.0..=300.0).contains(&w.1)) {
            let errors = rows
                .each_ref()
                .map(|row| (read.of(&follow(&of, row, peclet, Engine::Elliptic)) - want).abs());
            let [a, b, c] = errors;
            println!(
                "{} Pe {peclet}: errors at r = 8, 16, 32: {a:.1e} {b:.1e} {c:.1e}",
                of.name
            );
            // The table's numbers of crossings hold to 1e-4 only, the others to 3e-6 or 2e-5.
            let known = if of.name == "crossing" { 1e-4 } else { 2e-5 };
            for pair in errors.windows(2) {
                assert!(pair[1] <= 0.55 * pair[0] + known, "{} Pe {peclet}", of.name);
            }
        }
    }
}
