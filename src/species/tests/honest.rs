//! The estimate of errors on twice ten cases that weren't used while it was built (the second ten were chosen after its constants): the true error is below it, and it isn't a multiple of it that says nothing.
//!
//! The truth is the same chip at two or four times the resolution, by elements of order 4 where they resolve it, else by 1024 tubes:
//! `cargo test --workspace --test honest -- --ignored --nocapture` computes it again.

#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

mod support;

use stokeslet_species::{Engine, Inflow, Settings, Species};
use support::{Row, row};

/// A chip, its flow over the first inlet's width, what enters, the port that is read, and the truth: mean and variance there.
struct Case {
    name: &'static str,
    text: &'static str,
    peclet: f64,
    inflow: &'static [(&'static str, &'static [(f64, f64)])],
    port: &'static str,
    truth: [f64; 2],
    /// Resolution of the truth.
    fine: u32,
}

const ONE: &[(f64, f64)] = &[(0.0, 1.0)];
const STEP: &[(f64, f64)] = &[(0.0, 1.0), (0.4, 0.0)];

const Y: &str = r#"
components = { y = { kind = "y", at = ["0 m", "0 m"] }, a = { kind = "pipe", attach = "b", to = "y.a", parameters = { length = "4 m" } }, b = { kind = "pipe", attach = "b", to = "y.b", parameters = { length = "4 m" } }, o = { kind = "pipe", attach = "a", to = "y.out", parameters = { length = "6 m" } } }
ports = { a = { at = "a.a", flow_rate = "0.6 m^2/s" }, b = { at = "b.a", flow_rate = "0.4 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const SPLIT: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "a", to = "t.up", parameters = { length = "3 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "3 m" } } }
ports = { left = { at = "l.a", flow_rate = "1 m^2/s" }, up = { at = "u.b", flow_rate = "-0.35 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;
const FOCUS: &str = r#"
components = { x = { kind = "cross", at = ["0 m", "0 m"] }, w = { kind = "pipe", attach = "b", to = "x.left", parameters = { length = "3 m" } }, s = { kind = "pipe", attach = "b", to = "x.down", parameters = { length = "3 m" } }, n = { kind = "pipe", attach = "b", to = "x.up", parameters = { length = "3 m" } }, e = { kind = "pipe", attach = "a", to = "x.right", parameters = { length = "5 m" } } }
ports = { west = { at = "w.a", flow_rate = "0.2 m^2/s" }, south = { at = "s.a", flow_rate = "0.4 m^2/s" }, north = { at = "n.a", flow_rate = "0.4 m^2/s" }, east = { at = "e.b", pressure = "0 Pa" } }
"#;
const SNAKE: &str = r#"
components = { i = { kind = "pipe", at = ["0 m", "0 m"], parameters = { length = "4 m" } }, b = { kind = "bend", attach = "a", to = "i.b" }, m = { kind = "pipe", attach = "a", to = "b.b", parameters = { length = "5 m" } }, c = { kind = "bend", attach = "a", to = "m.b" }, o = { kind = "pipe", attach = "a", to = "c.b", parameters = { length = "3 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const TURN: &str = r#"
components = { u = { kind = "uturn", at = ["0 m", "0 m"] }, i = { kind = "pipe", attach = "b", to = "u.a", parameters = { length = "4 m" } }, o = { kind = "pipe", attach = "a", to = "u.b", parameters = { length = "4 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const TAPER: &str = r#"
components = { i = { kind = "pipe", at = ["0 m", "0 m"], parameters = { length = "4 m" } }, t = { kind = "taper", attach = "a", to = "i.b" }, o = { kind = "pipe", attach = "a", to = "t.b", parameters = { length = "3 m", width = "0.5 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const TWO: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "3 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "3 m" } }, m = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "4 m" } }, v = { kind = "tee", attach = "left", to = "m.b" }, w = { kind = "pipe", attach = "b", to = "v.up", parameters = { length = "3 m" } }, r = { kind = "pipe", attach = "a", to = "v.right", parameters = { length = "3 m" } } }
ports = { left = { at = "l.a", flow_rate = "0.3 m^2/s" }, up = { at = "u.a", flow_rate = "0.3 m^2/s" }, second = { at = "w.a", flow_rate = "0.4 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;
const CHAMBER: &str = r#"
components = { c = { kind = "chamber", at = ["0 m", "0 m"], parameters = { length = "4 m", height = "3 m", right = 2 } }, i = { kind = "pipe", attach = "b", to = "c.left1", parameters = { length = "3 m" } }, a = { kind = "pipe", attach = "a", to = "c.right1", parameters = { length = "3 m" } }, b = { kind = "pipe", attach = "a", to = "c.right2", parameters = { length = "3 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, a = { at = "a.b", flow_rate = "-0.6 m^2/s" }, b = { at = "b.b", pressure = "0 Pa" } }
"#;

const NARROWS: &str = r#"
components = { i = { kind = "pipe", at = ["0 m", "0 m"], parameters = { length = "4 m" } }, s = { kind = "step", attach = "a", to = "i.b" }, o = { kind = "pipe", attach = "a", to = "s.b", parameters = { length = "3 m", width = "0.5 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const THERE: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "3 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "3 m" } }, p = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "4 m" } }, m = { kind = "uturn_square", attach = "a", to = "p.b" }, o = { kind = "pipe", attach = "a", to = "m.b", parameters = { length = "3 m" } } }
ports = { left = { at = "l.a", flow_rate = "0.5 m^2/s" }, up = { at = "u.a", flow_rate = "0.5 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const UNEVEN: &str = r#"
components = { t = { kind = "tee", at = ["0 m", "0 m"] }, l = { kind = "pipe", attach = "b", to = "t.left", parameters = { length = "4 m" } }, u = { kind = "pipe", attach = "b", to = "t.up", parameters = { length = "4 m" } }, r = { kind = "pipe", attach = "a", to = "t.right", parameters = { length = "3 m" } } }
ports = { left = { at = "l.a", flow_rate = "0.85 m^2/s" }, up = { at = "u.a", flow_rate = "0.15 m^2/s" }, right = { at = "r.b", pressure = "0 Pa" } }
"#;
const FAN: &str = r#"
components = { x = { kind = "cross", at = ["0 m", "0 m"] }, w = { kind = "pipe", attach = "b", to = "x.left", parameters = { length = "3 m" } }, s = { kind = "pipe", attach = "a", to = "x.down", parameters = { length = "3 m" } }, n = { kind = "pipe", attach = "a", to = "x.up", parameters = { length = "3 m" } }, e = { kind = "pipe", attach = "a", to = "x.right", parameters = { length = "3 m" } } }
ports = { west = { at = "w.a", flow_rate = "1 m^2/s" }, south = { at = "s.b", flow_rate = "-0.3 m^2/s" }, north = { at = "n.b", flow_rate = "-0.3 m^2/s" }, east = { at = "e.b", pressure = "0 Pa" } }
"#;
const LEANING: &str = r#"
components = { a = { kind = "tee", at = ["0 m", "0 m"], rotation = "-90 deg" }, m = { kind = "pipe", attach = "a", to = "a.up", parameters = { length = "5 m" } }, b = { kind = "tee", attach = "up", to = "m.b" }, ul = { kind = "pipe", attach = "b", to = "a.left", parameters = { length = "3 m" } }, ll = { kind = "pipe", attach = "b", to = "a.right", parameters = { length = "3 m" } }, ur = { kind = "pipe", attach = "a", to = "b.right", parameters = { length = "3 m" } }, lr = { kind = "pipe", attach = "a", to = "b.left", parameters = { length = "3 m" } } }
ports = { ul = { at = "ul.a", flow_rate = "0.7 m^2/s" }, ll = { at = "ll.a", flow_rate = "0.3 m^2/s" }, ur = { at = "ur.b", pressure = "0 Pa" }, lr = { at = "lr.b", flow_rate = "-0.45 m^2/s" } }
"#;
const MEETING: &str = r#"
components = { c = { kind = "chamber", at = ["0 m", "0 m"], parameters = { length = "3 m", height = "4 m", left = 2 } }, i = { kind = "pipe", attach = "b", to = "c.left1", parameters = { length = "3 m" } }, j = { kind = "pipe", attach = "b", to = "c.left2", parameters = { length = "3 m" } }, a = { kind = "pipe", attach = "a", to = "c.right1", parameters = { length = "3 m" } } }
ports = { one = { at = "i.a", flow_rate = "0.5 m^2/s" }, two = { at = "j.a", flow_rate = "0.5 m^2/s" }, out = { at = "a.b", pressure = "0 Pa" } }
"#;
const FORK: &str = r#"
components = { y = { kind = "y", at = ["0 m", "0 m"] }, i = { kind = "pipe", attach = "b", to = "y.out", parameters = { length = "4 m" } }, a = { kind = "pipe", attach = "a", to = "y.a", parameters = { length = "3 m" } }, b = { kind = "pipe", attach = "a", to = "y.b", parameters = { length = "3 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, a = { at = "a.b", flow_rate = "-0.45 m^2/s" }, b = { at = "b.b", pressure = "0 Pa" } }
"#;

/// Chosen after the estimate was made; what was changed since: see the test.
const LATER: [Case; 10] = [
    later(
        "narrows",
        NARROWS,
        70.0,
        &[("in", STEP)],
        "out",
        [0.3519998, 0.0020688],
    ),
    later(
        "square",
        SQUARE,
        35.0,
        &[("in", STEP)],
        "out",
        [0.3520003, 0.0000272],
    ),
    later(
        "there and back",
        THERE,
        400.0,
        &[("up", ONE)],
        "out",
        [0.4999997, 0.0936636],
    ),
    later(
        "uneven",
        UNEVEN,
        50.0,
        &[("up", ONE)],
        "right",
        [0.1499495, 0.0063121],
    ),
    later(
        "uneven",
        UNEVEN,
        2e3,
        &[("up", ONE)],
        "right",
        [0.1500000, 0.0922810],
    ),
    later(
        "fan",
        FAN,
        200.0,
        &[("west", STEP)],
        "north",
        [0.0199653, 0.0000781],
    ),
    later(
        "leaning",
        LEANING,
        60.0,
        &[("ul", ONE)],
        "ur",
        [0.7786953, 0.0001925],
    ),
    later(
        "leaning",
        LEANING,
        5e3,
        &[("ul", ONE)],
        "ur",
        [0.9998406, 0.0000002],
    ),
    later(
        "meeting",
        MEETING,
        25.0,
        &[("one", ONE)],
        "out",
        [0.5000000, 0.0026561],
    ),
    later(
        "fork",
        FORK,
        120.0,
        &[("in", STEP)],
        "a",
        [0.5790146, 0.0027451],
    ),
];

const fn later(
    name: &'static str,
    text: &'static str,
    peclet: f64,
    inflow: &'static [(&'static str, &'static [(f64, f64)])],
    port: &'static str,
    truth: [f64; 2],
) -> Case {
    Case {
        name,
        text,
        peclet,
        inflow,
        port,
        truth,
        fine: 32,
    }
}

const CASES: [Case; 10] = [
    Case {
        name: "y",
        text: Y,
        peclet: 60.0,
        inflow: &[("a", ONE)],
        port: "out",
        truth: [0.6000027, 0.0077430],
        fine: 32,
    },
    Case {
        name: "y",
        text: Y,
        peclet: 5e3,
        inflow: &[("a", ONE)],
        port: "out",
        truth: [0.6000000, 0.2040274],
        fine: 32,
    },
    Case {
        name: "split",
        text: SPLIT,
        peclet: 20.0,
        inflow: &[("left", STEP)],
        port: "up",
        truth: [0.3303572, 0.0],
        fine: 32,
    },
    Case {
        name: "split",
        text: SPLIT,
        peclet: 800.0,
        inflow: &[("left", STEP)],
        port: "up",
        truth: [0.0014303, 0.0000034],
        fine: 32,
    },
    Case {
        name: "focus",
        text: FOCUS,
        peclet: 120.0,
        inflow: &[("west", ONE)],
        port: "east",
        truth: [0.2000383, 0.0006901],
        fine: 32,
    },
    Case {
        name: "snake",
        text: SNAKE,
        peclet: 250.0,
        inflow: &[("in", STEP)],
        port: "out",
        truth: [0.3519968, 0.0373161],
        fine: 16,
    },
    Case {
        name: "turn",
        text: TURN,
        peclet: 90.0,
        inflow: &[("in", STEP)],
        port: "out",
        truth: [0.3520011, 0.0056947],
        fine: 16,
    },
    Case {
        name: "taper",
        text: TAPER,
        peclet: 40.0,
        inflow: &[("in", STEP)],
        port: "out",
        truth: [0.3520001, 0.0000278],
        fine: 16,
    },
    Case {
        name: "two tees",
        text: TWO,
        peclet: 5.0,
        inflow: &[("left", ONE), ("second", &[(0.0, 0.5)])],
        port: "right",
        truth: [0.5, 0.0],
        fine: 16,
    },
    Case {
        name: "chamber",
        text: CHAMBER,
        peclet: 150.0,
        inflow: &[("in", STEP)],
        port: "a",
        truth: [0.5327186, 0.0130992],
        fine: 16,
    },
];

/// Mean and variance at the case's port, and the estimate.
fn follow(case: &Case, Row { chip, paths }: &Row, settings: Settings) -> [f64; 3] {
    let inflow = chip.ports.iter().map(|p| Inflow {
        steps: case
            .inflow
            .iter()
            .find(|i| i.0 == p.name)
            .map_or_else(Vec::new, |i| i.1.to_vec()),
    });
    let species = Species {
        name: "dye".into(),
        diffusivity: 1.0 / case.peclet,
        inflow: inflow.collect(),
    };
    let out = stokeslet_species::solve(chip, paths, &[species], settings, false)
        .unwrap()
        .remove(0);
    assert!(
        out.balance.abs() < 1e-9,
        "{}: balance {:e}",
        case.name,
        out.balance
    );
    let k = chip.ports.iter().position(|p| p.name == case.port).unwrap();
    let stream = out.streams.ports[k].as_ref().unwrap();
    [stream.mean(), stream.variance(), out.estimated_error]
}

#[test]
fn estimates_hold_on_chips_that_they_were_not_made_on() {
    judge(&CASES);
}

/// Chosen after the constants were. Two changes were made since, neither for these: what the flow's error may change is a third of what it was, as the truth of
/// the crossing is known better, and regions with more than two outlets (the fan, which elements solve) are worse by tubes. All true errors are below the estimate, and those above 1e-5
/// within 20 times (an uneven tee at Pe 2000, whose slow inlet counts as Pe 300: 19.5).
#[test]
fn estimates_hold_on_chips_that_were_chosen_after_them() {
    judge(&LATER);
}

/// True errors are below the estimate, and those above 1e-5 not below a twentieth of it.
fn judge(cases: &[Case]) {
    let mut broken = Vec::new();
    for case in cases {
        let [mean, variance, estimate] = follow(case, &row(case.text, 8), Settings::default());
        let error = (mean - case.truth[0])
            .abs()
            .max((variance - case.truth[1]).abs());
        println!(
            "{} Pe {}: error {error:.1e}, estimate {estimate:.1e}, ratio {:.1}",
            case.name,
            case.peclet,
            estimate / error
        );
        if error > estimate || error > 1e-5 && estimate > 20.0 * error {
            broken.push(case.name);
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
}

#[test]
#[ignore = "the truths of the test above, minutes"]
fn truths() {
    let mut cases: Vec<&Case> = LATER.iter().chain(&CASES).collect();
    // The quick ones first.
    cases.sort_by_key(|c| (c.fine, c.text.len()));
    for case in cases {
        let fine = row(case.text, case.fine);
        // What they resolve: 16000 at 32 cells a width.
        let engine = if case.peclet <= 4.0 * f64::from(case.fine).powi(2) {
            Engine::Elliptic
        } else {
            Engine::Tubes
        };
        let settings = Settings {
            tubes: 1024,
            engine,
            ..Settings::default()
        };
        let [mean, variance, estimate] = follow(case, &fine, settings);
        println!(
            "{} Pe {}: truth: [{mean:.7}, {variance:.7}], its estimate {estimate:.1e}",
            case.name, case.peclet
        );
    }
}

const ROUND: &str = r#"
components = { i = { kind = "pipe", at = ["0 m", "0 m"], parameters = { length = "4 m" } }, b = { kind = "bend_round", attach = "a", to = "i.b" }, o = { kind = "pipe", attach = "a", to = "b.b", parameters = { length = "4 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const SQUARE: &str = r#"
components = { u = { kind = "uturn_square", at = ["0 m", "0 m"] }, i = { kind = "pipe", attach = "b", to = "u.a", parameters = { length = "4 m" } }, o = { kind = "pipe", attach = "a", to = "u.b", parameters = { length = "4 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "o.b", pressure = "0 Pa" } }
"#;
const WIDE: &str = r#"
components = { c = { kind = "chamber", at = ["0 m", "0 m"], parameters = { length = "3 m", height = "3 m" } }, i = { kind = "pipe", attach = "b", to = "c.left1", parameters = { length = "3 m" } }, a = { kind = "pipe", attach = "a", to = "c.right1", parameters = { length = "3 m" } } }
ports = { in = { at = "i.a", flow_rate = "1 m^2/s" }, out = { at = "a.b", pressure = "0 Pa" } }
"#;

/// What diffusion along the flow changes in regions where nothing parts, times Pe over the range: tubes against elements on the same flow.
/// Bends are told from chambers by the area that no tube goes through.
fn of_bends(cases: &[(&str, &str, bool)], peclets: &[f64]) {
    for &(name, text, is_bend) in cases {
        let Row { chip, paths } = &row(text, 8);
        let scale = paths.ways.iter().map(|w| w.area_scale).fold(0.0, f64::max);
        let bends = paths.ways.iter().filter(|w| !w.inlets.is_empty()).count() as f64;
        let mut worst = 0.0_f64;
        for &peclet in peclets {
            for inflow in [
                STEP,
                &[(0.0, 1.0), (0.15, 0.0)][..],
                &[(0.0, 0.0), (0.4, 1.0), (0.6, 0.0)],
            ] {
                let species = Species {
                    name: "dye".into(),
                    diffusivity: 1.0 / peclet,
                    inflow: vec![
                        Inflow {
                            steps: inflow.to_vec(),
                        },
                        Inflow::default(),
                    ],
                };
                let variance = |engine| {
                    let settings = Settings {
                        tubes: 512,
                        engine,
                        ..Settings::default()
                    };
                    let species = std::slice::from_ref(&species);
                    let out = stokeslet_species::solve(chip, paths, species, settings, false)
                        .unwrap()
                        .remove(0);
                    let stream = out.streams.ports[1].as_ref().unwrap();
                    stream.variance()
                };
                let change =
                    (variance(Engine::Tubes) - variance(Engine::Elliptic)).abs() * peclet / bends;
                println!(
                    "{name} Pe {peclet}: {change:.4}/Pe a bend, area {scale:.4} of the tubes'"
                );
                worst = worst.max(change);
            }
        }
        assert_eq!(scale < 1.03, is_bend, "{name}: {scale}");
        assert!(
            !is_bend || worst < stokeslet_species::ALONG_BEND,
            "{name}: {worst}/Pe"
        );
    }
}

#[test]
fn diffusion_along_the_flow_changes_little_in_bends() {
    of_bends(&[("uturn", TURN, true), ("taper", TAPER, true)], &[100.0]);
}

#[test]
#[ignore = "the table behind the test above, two minutes"]
fn bends() {
    let bends = [
        ("bend", SNAKE, true),
        ("round", ROUND, true),
        ("uturn", TURN, true),
        ("square uturn", SQUARE, true),
        ("taper", TAPER, true),
        ("chamber", WIDE, false),
    ];
    of_bends(&bends, &[30.0, 100.0, 300.0, 1000.0]);
}
