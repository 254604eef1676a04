//! Random designs as texts: components of every kind with parameters in and out of range, attached in chains, joined by channels.

use std::fmt::Write as _;
use std::sync::OnceLock;

use stokeslet::library::{Defaults, Library, ParameterKind};

use crate::choices::Choices;

const WIDTH: f64 = 100e-6;

/// Sensible first, so that many designs can be placed.
const LENGTHS: [&str; 20] = [
    "100 um",
    "200 um",
    "50 um",
    "300 um",
    "400 um",
    "600 um",
    "1 mm",
    "250 um",
    "110 um",
    "75 um",
    "33.3 um",
    "123.456789 um",
    "2 mm",
    "1 um",
    "10 mm",
    "0 um",
    "-100 um",
    "1 nm",
    "3 km",
    "1e300 m",
];
const ANGLES: [&str; 20] = [
    "0 deg",
    "90 deg",
    "180 deg",
    "270 deg",
    "45 deg",
    "60 deg",
    "120 deg",
    "30 deg",
    "135 deg",
    "225 deg",
    "-90 deg",
    "15 deg",
    "1 deg",
    "100.5 deg",
    "179 deg",
    "0.1 rad",
    "359.9999 deg",
    "1e-7 deg",
    "720 deg",
    "1e12 deg",
];
const COUNTS: [&str; 10] = [
    "1",
    "2",
    "3",
    "4",
    "6",
    "0",
    "12",
    "-1",
    "400",
    "1000000000",
];

/// One component so far.
struct Placed {
    name: String,
    /// Those that nothing meets yet, by what their defaults give.
    open: Vec<String>,
}

/// A kind of component and its sockets.
type Kind = (String, Vec<String>);

/// The library, and each kind's sockets with its defaults.
fn kinds() -> &'static (Library, Vec<Kind>) {
    static KINDS: OnceLock<(Library, Vec<Kind>)> = OnceLock::new();
    KINDS.get_or_init(|| {
        let library = Library::embedded();
        let defaults = Defaults {
            width: WIDTH,
            depth: None,
        };
        let sockets = |kind: &str| {
            let realisation = library.realise(kind, &[], &defaults).unwrap();
            realisation
                .sockets
                .iter()
                .map(|(name, _)| name.clone())
                .collect()
        };
        let names: Vec<String> = library
            .definitions()
            .iter()
            .map(|d| d.name.clone())
            .collect();
        let kinds = names
            .into_iter()
            .map(|kind| (kind.clone(), sockets(&kind)))
            .collect();
        (library, kinds)
    })
}

/// The library that designs are made of.
pub fn library() -> &'static Library {
    &kinds().0
}

/// A design.
pub fn random_design(choices: &mut Choices) -> String {
    let mut text = format!(
        "format = 1\n\n[fluid]\nviscosity = \"1 mPa s\"\n\n[chip]\nmodel = \"{}\"\nwidth = \"100 um\"\ndepth = \"50 um\"\n",
        choices.pick(&["planar", "shallow"])
    );
    // What goes wrong on purpose: parameters that may be out of range, names that may be missing.
    let wildness = *choices.pick(&[0, 0, 0, 5, 30]);
    let mut placed: Vec<Placed> = Vec::new();
    text.push_str("\n[components]\n");
    for k in 0..=choices.below(6) {
        component(choices, &mut text, &mut placed, k, wildness);
    }
    text.push_str("\n[channels]\n");
    for k in 0..choices.below(3) {
        channel(choices, &mut text, &mut placed, k, wildness);
    }
    if choices.percent(20) {
        let (a, b) = (
            socket(choices, &mut placed, wildness),
            socket(choices, &mut placed, wildness),
        );
        writeln!(text, "\n[connections]\npairs = [[\"{a}\", \"{b}\"]]").unwrap();
    }
    text.push_str("\n[ports]\n");
    ports(choices, &mut text, &placed);
    text
}

fn component(
    choices: &mut Choices,
    text: &mut String,
    placed: &mut Vec<Placed>,
    k: usize,
    wildness: u8,
) {
    let (kind, sockets) = choices.pick(&kinds().1);
    let mut open = sockets.clone();
    let mirror = if choices.percent(20) {
        ", mirror = true"
    } else {
        ""
    };
    let name = format!("p{k}");
    let attach = k > 0 && choices.percent(85);
    let place = if attach {
        let to = socket(choices, placed, wildness);
        let own = choices.below(open.len().max(1));
        let own = if open.is_empty() {
            "none".to_owned()
        } else {
            open.remove(own)
        };
        format!("attach = \"{own}\", to = \"{to}\"")
    } else {
        let (x, y) = (choices.below(8) * 700, choices.below(8) * 700);
        format!(
            "at = [\"{x} um\", \"{y} um\"], rotation = \"{}\"",
            choices.pick(&ANGLES)
        )
    };
    write!(text, "{name} = {{ kind = \"{kind}\", {place}{mirror}").unwrap();
    let parameters = &kinds().0.get(kind).unwrap().parameters;
    let mut separator = ", parameters = { ";
    for parameter in parameters {
        // Widths that differ seldom fit, so they are rare.
        let share = if parameter.name.contains("width") {
            5
        } else {
            30
        };
        if choices.percent(share) {
            let value = value(choices, &parameter.kind, wildness);
            write!(text, "{separator}{} = {value}", parameter.name).unwrap();
            separator = ", ";
        }
    }
    let end = if separator == ", " { " } }\n" } else { " }\n" };
    text.push_str(end);
    placed.push(Placed { name, open });
}

fn value(choices: &mut Choices, kind: &ParameterKind, wildness: u8) -> String {
    let range = if choices.percent(wildness) { 20 } else { 12 };
    let list = |choices: &mut Choices, words: &[&str], quote: &str| {
        let items: Vec<String> = (0..choices.below(6))
            .map(|_| format!("{quote}{}{quote}", choices.pick(words)))
            .collect();
        format!("[{}]", items.join(", "))
    };
    match kind {
        ParameterKind::Length => format!("\"{}\"", choices.pick(&LENGTHS[..range])),
        ParameterKind::Angle => format!("\"{}\"", choices.pick(&ANGLES[..range])),
        ParameterKind::Count => (*choices.pick(&COUNTS[..range / 2])).to_owned(),
        ParameterKind::Number => (*choices.pick(&["0.5", "1", "2.5", "-3", "1e300"])).to_owned(),
        ParameterKind::Bool => (*choices.pick(&["true", "false"])).to_owned(),
        ParameterKind::Choice(words) => format!("\"{}\"", choices.pick(words)),
        ParameterKind::Lengths => list(choices, &LENGTHS[..range], "\""),
        ParameterKind::Angles => list(choices, &ANGLES[..range], "\""),
        ParameterKind::Counts => list(choices, &COUNTS[..range / 2], ""),
        ParameterKind::Points => points(choices, wildness),
    }
}

/// Corners: at random, or at growing angles about the middle, which makes them simple polygons.
fn points(choices: &mut Choices, wildness: u8) -> String {
    let n = 3 + choices.below(5);
    let crossed = choices.percent(wildness);
    let items: Vec<String> = (0..n)
        .map(|k| {
            let (x, y) = if crossed {
                (
                    choices.below(10) as f64 * 50.0,
                    choices.below(10) as f64 * 50.0,
                )
            } else {
                let angle = std::f64::consts::TAU * k as f64 / n as f64;
                let radius = 60.0 + choices.below(200) as f64;
                (
                    (radius * angle.cos()).round(),
                    (radius * angle.sin()).round(),
                )
            };
            format!("[\"{x} um\", \"{y} um\"]")
        })
        .collect();
    format!("[{}]", items.join(", "))
}

/// A socket that is open by then, or a wrong one.
fn socket(choices: &mut Choices, placed: &mut [Placed], wildness: u8) -> String {
    if choices.percent(wildness) || placed.iter().all(|p| p.open.is_empty()) {
        return (*choices.pick(&[
            "p0.a",
            "p1.a",
            "p0.left",
            "c0.end",
            "p9.a",
            "p0.nothing",
            "p2.b",
        ]))
        .to_owned();
    }
    let with_open: Vec<usize> = (0..placed.len())
        .filter(|&k| !placed[k].open.is_empty())
        .collect();
    // Mostly the latest: chains overlap less than bushes.
    let chosen = if choices.percent(60) {
        with_open[with_open.len() - 1]
    } else {
        *choices.pick(&with_open)
    };
    let Placed { name, open } = &mut placed[chosen];
    let which = choices.below(open.len());
    format!("{name}.{}", open.remove(which))
}

fn channel(
    choices: &mut Choices,
    text: &mut String,
    placed: &mut Vec<Placed>,
    k: usize,
    wildness: u8,
) {
    let from = socket(choices, placed, wildness);
    let to = choices
        .percent(60)
        .then(|| socket(choices, placed, wildness));
    let n = choices.below(4) + usize::from(to.is_none());
    let mut point = || {
        let (x, y) = (
            choices.below(40) as f64 * 100.0 - 500.0,
            choices.below(40) as f64 * 100.0 - 500.0,
        );
        format!("[\"{x} um\", \"{y} um\"]")
    };
    let via: Vec<String> = (0..n).map(|_| point()).collect();
    let bend = if choices.percent(40) {
        format!(
            ", bend = \"round\", radius = \"{}\"",
            choices.pick(&LENGTHS[..8])
        )
    } else {
        String::new()
    };
    let name = format!("c{k}");
    let to = match to {
        Some(to) => format!(", to = \"{to}\""),
        None => {
            placed.push(Placed {
                name: name.clone(),
                open: vec!["end".to_owned()],
            });
            String::new()
        }
    };
    writeln!(
        text,
        "{name} = {{ from = \"{from}\"{to}, via = [{}]{bend} }}",
        via.join(", ")
    )
    .unwrap();
}

/// On all open sockets, or but some.
fn ports(choices: &mut Choices, text: &mut String, placed: &[Placed]) {
    let all = choices.percent(85);
    let mut k = 0;
    for component in placed {
        for socket in &component.open {
            if !all && choices.percent(30) {
                continue;
            }
            let condition = match choices.below(6) {
                0..3 => "pressure = \"0 Pa\"",
                3 => "pressure = \"10 mbar\"",
                4 => "traction_free = true",
                _ => "flow_rate = \"1 uL/min\"",
            };
            writeln!(
                text,
                "port{k} = {{ at = \"{}.{socket}\", {condition} }}",
                component.name
            )
            .unwrap();
            k += 1;
        }
    }
}
