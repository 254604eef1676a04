//! Chips of any size, made in memory.

use stokeslet::chip::{Chip, Condition, Port};
use stokeslet::design::DepthModel;
use stokeslet::design::Design;
use stokeslet::geometry::Motion;
use stokeslet::import;
use stokeslet::shape::{Part, Shape, SocketRef, Strip};

use super::{Failure, Placed, placed};

/// Width of the lattice's channels and distance of its crossings, m: those of `designs/grid20`.
const LATTICE: [f64; 2] = [0.0125, 0.05];

/// A square lattice of `n x n` crossings; with 20 it is `designs/grid20`.
///
/// That design was imported from a network, and so is this one. Two inlets on the left, two outlets on the right.
///
/// # Errors
/// None for `n >= 2`.
pub fn lattice(n: usize) -> Result<Placed, Failure> {
    lattice_with(n, |_, _| true, |_| [0.0; 2])
}

/// The same with its crossings moved by parts of their distance; `has_link(row, column)`: whether a channel goes up from there.
///
/// # Errors
/// Where channels come too near each other.
pub fn lattice_with(
    n: usize,
    has_link: impl Fn(usize, usize) -> bool,
    moved: impl Fn(usize) -> [f64; 2],
) -> Result<Placed, Failure> {
    placed(&lattice_design(n, has_link, moved)?)
}

/// As [`lattice_with`], not yet placed.
///
/// # Errors
/// Where channels come too near each other.
pub fn lattice_design(
    n: usize,
    has_link: impl Fn(usize, usize) -> bool,
    moved: impl Fn(usize) -> [f64; 2],
) -> Result<Design, Failure> {
    let [width, pitch] = LATTICE;
    let at = |column: usize, row: usize| column + n * row;
    let mut nodes: Vec<[f64; 2]> = (0..n * n)
        .map(|k| {
            let [x, y] = moved(k);
            [pitch * ((k % n) as f64 + x), pitch * ((k / n) as f64 + y)]
        })
        .collect();
    let mut channels: Vec<[usize; 2]> = Vec::new();
    for row in 0..n {
        for column in 0..n {
            if column + 1 < n {
                channels.push([at(column, row), at(column + 1, row)]);
            }
            if row + 1 < n && has_link(row, column) {
                channels.push([at(column, row), at(column, row + 1)]);
            }
        }
    }
    let mut port = |from: usize, direction: f64| {
        let [x, y] = nodes[from];
        nodes.push([x + direction * pitch, y]);
        channels.push([from, nodes.len() - 1]);
        nodes.len() - 1
    };
    let inlets = [port(at(0, 0), -1.0), port(at(0, n - 1), -1.0)];
    let outlets = [port(at(n - 1, 0), 1.0), port(at(n - 1, n - 1), 1.0)];
    let network = serde_json::json!({
        "name": "lattice", "width": width, "nodes": nodes, "channels": channels,
        "inlets": inlets, "outlets": outlets, "flow_rate": 0.005, "viscosity": 8.9e-4,
    });
    let (design, diagnostics) = import::network(&network.to_string(), "lattice");
    Ok(design.ok_or_else(|| format!("{diagnostics:?}"))?)
}

/// A straight channel of 0.1 mm across between two pressures, its length in widths.
pub fn pipe(widths: f64) -> Placed {
    let width = 1e-4;
    let strip = Strip::Straight {
        length: widths * width,
        width_start: width,
        width_end: width,
    };
    let port = |name: &str, socket, pressure| Port {
        name: name.into(),
        socket: SocketRef { part: 0, socket },
        condition: Condition::Pressure(pressure),
    };
    let chip = Chip {
        name: "pipe".into(),
        viscosity: 1e-3,
        model: DepthModel::Planar,
        depth: None,
        parts: vec![Part {
            name: "pipe".into(),
            shape: Shape::Strip(strip),
            motion: Motion::IDENTITY,
            walls: Default::default(),
            depth: None,
        }],
        connections: vec![],
        ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
    };
    Placed { chip, seconds: 0.0 }
}
