//! A thousand variants of a chip whose junctions are all different, beside as many networks of one dimension.
//!
//! ```text
//! cargo bench --bench variants                  1,000 widths of designs/voronoi-s4, some minutes
//! cargo bench --bench variants -- 100           a hundred
//! cargo bench --bench variants -- --record      keeps benches/results/variants.csv
//! ```
//! One dimension: pressures at nodes, a channel's resistance `12 mu L / w^3` from node to node (plane flow, as MMFT's `Poiseuille`),
//! a dense LU of faer. Ours: the plane's Stokes flow, ports only, two designs side by side on two threads, by the sampler of sweeps. Errors are those
//! of inlets' pressures and outlets' flows against resolution 16, over [`CHECKED`] of the variants.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;
use std::time::Instant;

use faer::Mat;
use faer::linalg::solvers::Solve;
use rayon::prelude::*;
use stokeslet::cancel::CancelToken;
use stokeslet::design::{Design, Placement, PortCondition, Setting, parse_with};
use stokeslet::geometry::Point;
use stokeslet::library::Library;
use stokeslet::session::{Solution, SolveSettings, WantedResults};
use stokeslet::study::sample::Sampler;
use stokeslet::table::Table;
use support::{Asked, Failure, Report, median, root, seconds};

/// Between these, m; the design's is 12.5 mm.
const WIDTHS: [f64; 2] = [8e-3, 13e-3];
/// Variants whose errors are measured.
const CHECKED: usize = 10;

fn main() -> ExitCode {
    let Some(asked) = Asked::from_args() else {
        return ExitCode::SUCCESS;
    };
    match bench(&asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(asked: &Asked) -> Result<(), Failure> {
    let count = asked.names().iter().find_map(|name| name.parse().ok());
    let count: usize = count.unwrap_or(1000).max(2);
    let text = fs::read_to_string(root().join("designs/voronoi-s4.toml"))?;
    let text = text
        .replace("format = 1", "format = 1\n[variables]\nw = \"12.5 mm\"")
        .replace("width = \"12.5 mm\"", "width = \"=w\"");
    let step = (WIDTHS[1] - WIDTHS[0]) / (count - 1) as f64;
    let widths: Vec<f64> = (0..count).map(|k| WIDTHS[0] + step * k as f64).collect();
    let checked: Vec<f64> = widths
        .iter()
        .step_by(count.div_ceil(CHECKED))
        .copied()
        .collect();

    let mut report = Report::new(&[
        "method",
        "variants",
        "seconds",
        "variants a second",
        "median error of pressures",
        "greatest",
        "median error of flows",
        "greatest",
    ]);
    let reference = solved(&text, 16, &checked)?.1;
    let mut add = |method: &str, took: f64, found: &[Answer]| {
        let errors = |of: fn(&Answer) -> &Vec<f64>| {
            let pairs = found.iter().zip(&reference);
            let all = pairs.flat_map(|(a, b)| of(a).iter().zip(of(b)));
            let errors: Vec<f64> = all.map(|(a, b)| (a / b - 1.0).abs()).collect();
            let greatest = errors.iter().copied().fold(0.0, f64::max);
            [median(errors), greatest].map(|e| format!("{e:.1e}"))
        };
        let ([p, p_most], [q, q_most]) = (errors(|a| &a.pressures), errors(|a| &a.flows));
        let rate = format!("{:.0}", count as f64 / took);
        let row = [method.to_owned(), count.to_string(), seconds(took), rate];
        report.add(row.into_iter().chain([p, p_most, q, q_most]).collect());
    };

    let clock = Instant::now();
    let all: Vec<Answer> = widths
        .par_iter()
        .map(|&width| network(&text, width))
        .collect::<Result<_, String>>()?;
    let took = clock.elapsed().as_secs_f64();
    drop(all);
    let found: Result<Vec<Answer>, String> = checked.iter().map(|&w| network(&text, w)).collect();
    add("one dimension", took, &found?);
    for resolution in [4, 8] {
        let (took, _) = solved(&text, resolution, &widths)?;
        let (_, found) = solved(&text, resolution, &checked)?;
        add(&format!("ours, resolution {resolution}"), took, &found);
    }
    let note = "designs/voronoi-s4 at widths from 8 to 13 mm; errors against resolution 16";
    report.finish("variants", note, asked)
}

/// Pressures at ports where flow is given, flows where pressure is.
struct Answer {
    pressures: Vec<f64>,
    flows: Vec<f64>,
}

fn setting(width: f64) -> [Setting; 1] {
    [Setting {
        name: "w".to_owned(),
        value: format!("{width:e} m"),
    }]
}

/// Solves all widths; returns seconds and answers.
fn solved(text: &str, resolution: u32, widths: &[f64]) -> Result<(f64, Vec<Answer>), Failure> {
    let (library, table) = (Library::embedded(), Table::default());
    let settings = SolveSettings {
        wanted: WantedResults::PortsOnly,
        ..SolveSettings::default()
    };
    let sampler = Sampler::new((text, "variant"), &library, settings, &table);
    let clock = Instant::now();
    let answers: Result<Vec<Answer>, String> = widths
        .par_iter()
        .map(|&width| {
            let how = (Some(resolution), None);
            let found = sampler.solve(&setting(width), how, &CancelToken::new());
            let found = found.map_err(|e| e.to_string())?;
            Ok(answer(&found.design, &found.solution))
        })
        .collect();
    Ok((clock.elapsed().as_secs_f64(), answers?))
}

fn answer(design: &Design, solution: &Solution) -> Answer {
    let mut answer = Answer {
        pressures: Vec::new(),
        flows: Vec::new(),
    };
    for (port, found) in design.ports.iter().zip(&solution.ports) {
        match port.condition.value {
            PortCondition::FlowRatePerDepth(_) | PortCondition::FlowRate(_) => {
                answer.pressures.push(found.pressure);
            }
            _ => answer.flows.push(found.flow_rate),
        }
    }
    answer
}

/// The same network by nodal analysis.
fn network(text: &str, width: f64) -> Result<Answer, String> {
    let (design, mistakes) = parse_with(text, "variant", &setting(width));
    let design = design.ok_or_else(|| format!("{mistakes:?}"))?;
    let mut places: Vec<Point> = Vec::new();
    let mut number: BTreeMap<&str, usize> = BTreeMap::new();
    for component in &design.components {
        let Placement::Absolute { at, .. } = component.placement else {
            return Err(format!("{} is attached", component.name.value));
        };
        number.insert(&component.name.value, places.len());
        places.push(at);
    }
    // A channel without a second socket ends in a node of its own.
    let mut ends: BTreeMap<&str, usize> = BTreeMap::new();
    let mut links: Vec<(usize, usize)> = Vec::new();
    for channel in &design.channels {
        let of = |socket: &str| {
            let component = socket.split('.').next().unwrap_or_default();
            let found = number.get(component).copied();
            found.ok_or_else(|| format!("no component {component}"))
        };
        let from = of(&channel.from.value)?;
        let to = match &channel.to {
            Some(to) => of(&to.value)?,
            None => {
                let last = channel.via.last().ok_or("a channel without an end")?;
                places.push(last.value);
                ends.insert(&channel.name.value, places.len() - 1);
                places.len() - 1
            }
        };
        links.push((from, to));
    }
    let n = places.len();
    let (mut matrix, mut rhs) = (Mat::<f64>::zeros(n, n), Mat::<f64>::zeros(n, 1));
    let conductance = |(a, b): (usize, usize)| {
        let length = (places[b] - places[a]).norm();
        width.powi(3) / (12.0 * design.viscosity.0 * length)
    };
    for &(a, b) in &links {
        let g = conductance((a, b));
        for (i, j) in [(a, b), (b, a)] {
            matrix[(i, i)] += g;
            matrix[(i, j)] -= g;
        }
    }
    let mut at_ports = Vec::new();
    for port in &design.ports {
        let channel = port.at.value.split('.').next().unwrap_or_default();
        let node = *ends.get(channel).ok_or("a port that ends no channel")?;
        let flow = match port.condition.value {
            PortCondition::FlowRatePerDepth(flow) => Some(flow.0),
            _ => None,
        };
        match flow {
            Some(flow) => rhs[(node, 0)] = flow,
            None => {
                for j in 0..n {
                    matrix[(node, j)] = f64::from(j == node);
                }
            }
        }
        at_ports.push((node, flow.is_some()));
    }
    let pressure = matrix.partial_piv_lu().solve(&rhs);
    let mut answer = Answer {
        pressures: Vec::new(),
        flows: Vec::new(),
    };
    for (node, is_inlet) in at_ports {
        if is_inlet {
            answer.pressures.push(pressure[(node, 0)]);
            continue;
        }
        let of_node = links.iter().filter(|(_, end)| *end == node);
        let flows =
            of_node.map(|&(a, b)| conductance((a, b)) * (pressure[(b, 0)] - pressure[(a, 0)]));
        answer.flows.push(flows.sum());
    }
    Ok(answer)
}
