//! Networks to designs: broken files, and random planar graphs with channels shorter than their junctions.

use std::fmt::Write as _;
use std::sync::OnceLock;

use stokeslet::chip::place;
use stokeslet::design::{parse, print};
use stokeslet::diagnostic::Severity;
use stokeslet::import::network;

use crate::choices::Choices;
use crate::in_time;
use crate::mutate::{mutated, seeds};
use crate::random_design::library;
use crate::solver::{Outcome, solve_if_small};
use crate::validity::check_chip;

const WORDS: [&str; 20] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"nodes\"",
    "\"channels\"",
    "\"inlets\"",
    "\"width\"",
    "null",
    "true",
    "-1",
    "0",
    "1e-320",
    "1e308",
    "18446744073709551616",
    "0.001",
    "\\ud800",
];

/// Mistakes of a network that only placement reports: inlets without an outlet, a channel that no port reaches.
const LEFT_TO_PLACEMENT: [&str; 2] = ["D233", "D232"];

/// Makes a network and imports it.
pub fn target(bytes: &[u8]) -> Outcome {
    static SEEDS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let mut choices = Choices(bytes);
    let text = if choices.percent(35) {
        let seeds =
            SEEDS.get_or_init(|| seeds(&["tests/broken/networks", "tests/networks"], "json"));
        let bytes = mutated(&mut choices, seeds, &WORDS);
        String::from_utf8_lossy(&bytes).into_owned()
    } else {
        random_network(&mut choices)
    };
    check(&text, 2 + choices.below(2) as u32)
}

/// What must hold for any network.
pub fn check(text: &str, resolution: u32) -> Outcome {
    let (design, diagnostics) = in_time("importing", text, || network(text, "fuzzed"));
    let faults = diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .count();
    assert_eq!(
        design.is_some(),
        faults == 0,
        "a design, or mistakes: {diagnostics:?}\n{text}"
    );
    assert!(
        diagnostics.iter().all(|d| !d.message.is_empty()),
        "{diagnostics:?}"
    );
    let Some(design) = design else {
        return Outcome::Unread;
    };
    let printed = print(&design);
    let (again, diagnostics) = parse(&printed, "fuzzed");
    let again = again.unwrap_or_else(|| {
        panic!("its design can't be read: {diagnostics:?}\n{printed}\nfrom\n{text}")
    });
    let (chip, diagnostics) = in_time("placing", text, || place(&again, library()));
    let Some(chip) = chip else {
        let mut errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
        let left_to_placement = errors.all(|d| LEFT_TO_PLACEMENT.contains(&d.code));
        assert!(
            left_to_placement,
            "its design can't be placed: {diagnostics:?}\n{printed}\nfrom\n{text}"
        );
        return Outcome::Refused;
    };
    check_chip(&chip, text);
    solve_if_small(&chip, resolution, text)
}

/// Nodes on a jittered lattice, channels between neighbours, some left out; ports at the ends that are left.
fn random_network(choices: &mut Choices) -> String {
    let (nx, ny) = (2 + choices.below(3), 1 + choices.below(3));
    let pitch = 1e-3;
    let jitter = *choices.pick(&[0.0, 0.1, 0.3, 0.45, 0.8]);
    let width = pitch * choices.pick(&[0.05, 0.1, 0.2, 0.35, 0.5, 0.7]);
    let mut nodes = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let mut off = || jitter * (choices.byte() as f64 / 255.0 - 0.5);
            nodes.push([pitch * (i as f64 + off()), pitch * (j as f64 + off())]);
        }
    }
    let mut channels = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let k = j * nx + i;
            if i + 1 < nx && !choices.percent(15) {
                channels.push([k, k + 1]);
            }
            if j + 1 < ny && !choices.percent(15) {
                channels.push([k, k + nx]);
            }
            if i + 1 < nx && j + 1 < ny && choices.percent(20) {
                channels.push([k, k + nx + 1]);
            }
        }
    }
    // A stub out of some nodes on the left and the right makes ends for ports.
    let mut ends = Vec::new();
    for j in 0..ny {
        for (k, side) in [(j * nx, -1.0), (j * nx + nx - 1, 1.0)] {
            if choices.percent(60) || ends.is_empty() {
                let length = pitch * choices.pick(&[1.0, 0.6, 2.0]);
                nodes.push([nodes[k][0] + side * length, nodes[k][1]]);
                channels.push([k, nodes.len() - 1]);
                ends.push(nodes.len() - 1);
            }
        }
    }
    let used: Vec<usize> = (0..nodes.len())
        .filter(|k| channels.iter().flatten().any(|end| end == k))
        .collect();
    let index = |k: &usize| used.iter().position(|other| other == k).unwrap();
    let list = |items: Vec<String>| items.join(", ");
    let (inlets, outlets) = ends.split_at(ends.len().div_ceil(2));
    let mut text = format!(
        "{{\"name\": \"fuzzed\", \"width\": {width:?}, \"flow_rate\": 1e-9, \"viscosity\": 0.001, "
    );
    let places = used
        .iter()
        .map(|&k| format!("[{:?}, {:?}]", nodes[k][0], nodes[k][1]))
        .collect();
    let pairs = channels
        .iter()
        .map(|[a, b]| format!("[{}, {}]", index(a), index(b)))
        .collect();
    let ports = |ends: &[usize]| list(ends.iter().map(|k| index(k).to_string()).collect());
    write!(
        text,
        "\"nodes\": [{}], \"channels\": [{}], ",
        list(places),
        list(pairs)
    )
    .unwrap();
    write!(
        text,
        "\"inlets\": [{}], \"outlets\": [{}]}}",
        ports(inlets),
        ports(outlets)
    )
    .unwrap();
    text
}
