//! Rows 5 to 8 and 13 of the specification's table by both engines: how errors fall with the resolution, and whether the estimate is honest.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use faer::Mat;
use faer::linalg::solvers::Solve;
use stokeslet_species::{Engine, Settings, SpeciesResult};
use support::{BEND, CROSS, H, Row, TEE, at_value, dye, row, sine};

/// What is read of a result.
#[derive(Clone, Copy)]
enum Read {
    /// The larger share of the mean at a port of the H.
    Share(usize),
    /// What leaves by a port over its flow: the mean there, and what diffuses through it.
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
            Self::Mean(k) => out.streams.rates[k].map_or_else(
                || stream(k).mean(),
                |rate| rate / stream(k).flow.iter().sum::<f64>(),
            ),
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

/// What the specification prints for the bend, by Peclet number, and the same of a pipe that goes on without end behind it, as the program's pipes do.
///
/// The printed numbers were had with no gradient at the outlet, three widths behind the corner: with that, elements have them to 4e-7 at Pe 30 and 100
/// and r = 32, to 1e-5 at r = 8 ([`the_bend_of_the_table_was_cut_at_its_outlet`]). In a straight pipe of 6 widths the same cut makes 1.0392, 1.0036 and 1.0004 of the endless pipe's
/// number. The second numbers are the printed ones times what elements at r = 32 say is endless over cut.
const BENDS: [(f64, f64, f64); 4] = [
    (30.0, 0.0006016, 0.0005789),
    (100.0, 0.0187596, 0.0186915),
    (300.0, 0.0519104, 0.0518885),
    (1e3, 0.0743772, 0.0743740),
];

/// The table, with what is known better by now. Truths above Pe 1000 are the limits of tubes, known to 3e-5.
fn table() -> Vec<Of> {
    let all = |read: Read, list: &[(f64, f64)]| list.iter().map(|w| (read, w.0, w.1)).collect();
    // The specification's row 13 was had with a flow of 32 cells a width; these are extrapolated in the flow's error (order 1.09) from 16 and 32 cells by other
    // elements (bicubic Hermite stream function, fourth order for concentrations, in a program of their own), which have the printed ones to 1e-5 with 32.
    let cross = [
        (30.0, 0.749287, 0.126069),
        (100.0, 0.808283, 0.037575),
        (300.0, 0.828877, 0.006684),
        (1e3, 0.833221, 0.000168),
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
            wants: all(Read::Spread(1), &BENDS.map(|b| (b.0, b.2))),
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

/// `int u (c - 1/2)^2 / Q` at the end of the last pipe: as it goes on without end, and with no gradient there.
///
/// The cut adds modes that decay upstream, with the opposite slope; the corner, three widths away, doesn't feel them.
fn endless_and_cut(out: &SpeciesResult) -> [f64; 2] {
    let pipe = out.streams.modes.iter().flatten().last().unwrap();
    let (modes, n) = (&pipe.modes, pipe.section.n());
    let carried = &pipe.section.matrices()[1];
    let down = Mat::from_fn(n, 1, |k, _| {
        pipe.down[k] * (-modes.down[k] * pipe.length).exp()
    });
    let falls = Mat::from_fn(n, 1, |k, _| modes.down[k] * down[(k, 0)]);
    let slope = &modes.down_shape * falls;
    let rises = modes.up_shape.partial_piv_lu().solve(&slope);
    let up = Mat::from_fn(n, 1, |k, _| rises[(k, 0)] / modes.up[k]);
    let offset = Mat::from_fn(n, 1, |_, _| pipe.reference - 0.5);
    let endless = &modes.down_shape * down + offset;
    let cut = &endless + &modes.up_shape * up;
    [endless, cut].map(|c| (c.transpose() * carried * &c)[(0, 0)])
}

/// Where the specification's row 8 and a pipe without end differ, elements have the former with its outlet's condition and not without.
#[test]
fn the_bend_of_the_table_was_cut_at_its_outlet() {
    let row = row(BEND, 8);
    for (peclet, printed, _) in BENDS.into_iter().filter(|b| b.0 < 1e3) {
        let species = at_value(sine(peclet), peclet);
        let settings = Settings {
            engine: Engine::Elliptic,
            ..Settings::default()
        };
        let out = stokeslet_species::solve(&row.chip, &row.paths, &[species], settings, false);
        let [endless, cut] = endless_and_cut(&out.unwrap()[0]);
        println!("Pe {peclet}: endless {endless:.7}, cut {cut:.7}, printed {printed:.7}");
        assert!((cut - printed).abs() < 1e-5, "Pe {peclet}: {cut}");
        assert!((endless - printed).abs() > 2e-5, "Pe {peclet}: {endless}");
    }
}

const ENGINES: [Engine; 2] = [Engine::Tubes, Engine::Elliptic];

/// Prints every case at a resolution and judges it by what diffuses along, its true error and its estimate; what is broken. A chip's estimate is that of
/// its worst outlet, so it is the greatest error of what is read at one Peclet number that counts.
fn judge(
    resolution: u32,
    engines: &[Engine],
    judge: &dyn Fn(f64, f64, f64) -> bool,
) -> Vec<String> {
    let mut broken = Vec::new();
    for of in table() {
        let row = row(&of.text, resolution);
        for wants in of.wants.chunk_by(|a, b| a.1 == b.1) {
            let peclet = wants[0].1;
            for &engine in engines {
                // Elements resolve Pe 1000 at 8 cells a width; tubes are for where little is diffused along the flow.
                let most = 1e3 * (f64::from(resolution) / 8.0).powi(2);
                if engine == Engine::Elliptic && peclet > most.min(1e3) {
                    continue;
                }
                let out = follow(&of, &row, peclet, engine);
                let errors = wants.iter().map(|w| (w.0.of(&out) - w.2).abs());
                let error = errors.fold(0.0, f64::max);
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
                if !judge(along, error, estimate) {
                    broken.push(line);
                }
            }
        }
    }
    broken
}

/// Elements are within 6e-5 besides. What the program chooses by itself is judged from both sides, at 20 times the true error; either engine where it isn't chosen only from below: tubes at Pe 30
/// behind the tee are 183 times better than they say, since little is left to be mixed.
#[test]
fn estimates_are_above_true_errors_and_below_twenty_times_them() {
    let mut broken = judge(8, &ENGINES, &|along, error, estimate| {
        let is_by_tubes = along > 0.0;
        error <= estimate && (is_by_tubes || error < 6e-5)
    });
    broken.extend(judge(8, &[Engine::Auto], &|_, error, estimate| {
        error < 1e-5 || estimate <= 20.0 * error
    }));
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
#[ignore = "a minute: cargo test --release -p stokeslet-species --test accuracy -- --ignored --nocapture"]
fn rows_of_the_table_at_sixteen_and_thirty_two_cells() {
    for (resolution, part) in [(16, 1.0), (32, 0.5)] {
        let broken = judge(resolution, &ENGINES, &|along, error, _| {
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
            // What its numbers hold to, and variances are read of tubes, which lose 1e-5 of it within themselves.
            let known = match of.name {
                "H" => 2e-5,
                "crossing" => 6e-6,
                _ => 1.2e-5,
            };
            for pair in errors.windows(2) {
                assert!(pair[1] <= 0.55 * pair[0] + known, "{} Pe {peclet}", of.name);
            }
        }
    }
}
