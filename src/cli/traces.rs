//! Streamlines and wall shear that were asked for: from a solution to files beside its fields.

use rayon::prelude::*;

use stokeslet::chip::Chip;
use stokeslet::design::DepthModel;
use stokeslet::diagnostic::{Diagnostic, nearest};
use stokeslet::export::readable::Quantity;
use stokeslet::export::{Colouring, Extra, NodalField};
use stokeslet::field::FieldIndex;
use stokeslet::geometry::Point;
use stokeslet::probe::SolvedFlow;
use stokeslet::quantities::Origin;
use stokeslet::session::Solution;
use stokeslet::{trace, walls};

use super::request::SolveRequest;

/// Where streamlines begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Seeds {
    /// About so many on all inlets together.
    Inlets(usize),
    /// So many across a port, by its name.
    Across(String, usize),
    /// Through a point, m.
    Through(Point),
}

/// What is wrong with the request for this chip, before anything is solved.
pub fn check(chip: &Chip, request: &[Seeds]) -> Option<Diagnostic> {
    let names = || chip.ports.iter().map(|port| port.name.as_str());
    let unknown = request.iter().find_map(|seeds| match seeds {
        Seeds::Across(port, _) if !names().any(|name| name == port) => Some(port),
        _ => None,
    })?;
    let message = format!("--streamlines names port `{unknown}`, which this design doesn't have");
    let help = match nearest(unknown, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("its ports are {}", names().collect::<Vec<_>>().join(", ")),
    };
    Some(Diagnostic::error("D412", message).with_help(help))
}

/// What is wrong with a picture of this chip that only flows in the plane have.
pub fn check_picture(chip: &Chip, colouring: Colouring) -> Option<Diagnostic> {
    let Colouring::Flow(quantity) = colouring else {
        return None;
    };
    if chip.model != DepthModel::Full || !matches!(quantity.origin, Origin::Whole(_)) {
        return None;
    }
    let message = format!("a flow in three dimensions has no {}", quantity.title);
    let help = "solve with `--model shallow`, or choose another `--picture`";
    Some(Diagnostic::error("D417", message).with_help(help))
}

/// Adds what was asked for to the files of a solution; returns what was noticed.
pub fn add(
    chip: &Chip,
    solution: &Solution,
    request: &SolveRequest,
    extra: &mut Extra,
) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    if !request.streamlines.is_empty() {
        let index = FieldIndex::new(&solution.fields);
        let flow = SolvedFlow {
            chip,
            solution,
            index: &index,
        };
        let traces = follow(&flow, &request.streamlines, &mut warnings);
        extra.files.extend(trace::files(&traces));
    }
    let is_shown = matches!(request.colouring, Colouring::Flow(q) if q.is_on_walls());
    if request.walls || is_shown {
        let stress = walls::wall_stress(&solution.fields, chip.plane_viscosity());
        if request.walls {
            let files = walls::files(chip, &solution.fields, &stress);
            extra.files.extend(files);
            extra.fields.push(NodalField {
                in_space: Vec::new(),
                name: "wall_shear_stress".to_owned(),
                unit: "Pa".to_owned(),
                values: stress.at_nodes(&solution.fields),
            });
        }
        extra.walls = is_shown.then_some(stress);
    }
    warnings
}

fn follow(
    flow: &SolvedFlow<'_>,
    request: &[Seeds],
    warnings: &mut Vec<Diagnostic>,
) -> Vec<trace::Trace> {
    let ports = &flow.chip.ports;
    let name = |port: usize| ports.get(port).map_or("", |port| port.name.as_str());
    let mut seeds: Vec<(&str, trace::Seed)> = Vec::new();
    for asked in request {
        let found: Vec<(usize, Vec<trace::Seed>)> = match asked {
            Seeds::Inlets(n) => trace::seeds_of_inlets(flow, *n as f64),
            Seeds::Across(port, n) => ports
                .iter()
                .position(|p| p.name == *port)
                .map(|k| (k, trace::port_seeds(flow, k, *n)))
                .into_iter()
                .collect(),
            Seeds::Through(at) => {
                seeds.push((
                    "",
                    trace::Seed {
                        at: *at,
                        rank: None,
                    },
                ));
                continue;
            }
        };
        for (port, of_port) in found {
            seeds.extend(of_port.into_iter().map(|seed| (name(port), seed)));
        }
    }
    let lines: Vec<Option<trace::Trace>> = seeds
        .par_iter()
        .map(|&(port, seed)| Some(trace::sampled(flow, port, &trace::streamline(flow, seed)?)))
        .collect();
    for ((port, seed), line) in seeds.iter().zip(&lines) {
        if line.is_none() {
            let at = [seed.at.x, seed.at.y].map(|v| Quantity::Length.show(v));
            let of = if port.is_empty() {
                String::new()
            } else {
                format!(" of port `{port}`")
            };
            let message = format!(
                "no streamline{of} goes through ({}, {}): nothing flows there",
                at[0], at[1]
            );
            warnings.push(Diagnostic::warning("D413", message));
        }
    }
    lines.into_iter().flatten().collect()
}
