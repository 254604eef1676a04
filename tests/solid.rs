//! Chips in three dimensions (`model = "full"`): the rows of the specification's table, at small resolutions.

#[macro_use]
mod support;

use std::f64::consts::PI;

use stokeslet::chip::{Chip, Condition, DepthModel};
use stokeslet::elimination::Table;
use stokeslet::field::Sampler;
use stokeslet::geometry::{Motion, Point};
use stokeslet::session::{DepthSettings, Solution, SolveSettings};
use stokeslet::stokes::duct;

use support::chips::{Builder, straight};
use support::{at, order, solved, solved_with};

const MU: f64 = 1e-3;
const WIDTH: f64 = 1e-4;

/// A straight channel with depth, its first port carrying `flow` m^3/s, or at that pressure.
fn channel(length: f64, depth: f64, condition: Condition) -> Chip {
    let mut b = Builder::new("duct");
    let pipe = b.place(straight(length, WIDTH), Motion::IDENTITY);
    b.port("in", (pipe, 0), condition);
    b.port("out", (pipe, 1), Condition::Pressure(0.0));
    b.chip.model = DepthModel::Full;
    b.chip.depth = Some(depth);
    b.chip.viscosity = MU;
    b.chip
}

fn with_layers(resolution: u32, layers: u32) -> SolveSettings {
    SolveSettings {
        depth: DepthSettings {
            layers: Some(layers),
            ..DepthSettings::default()
        },
        ..at(resolution)
    }
}

/// Relative error of the flow at a given pressure drop against the series.
fn duct_error(aspect: f64, resolution: u32) -> f64 {
    let depth = WIDTH / aspect;
    let (length, drop) = (4.0 * WIDTH, 100.0);
    let chip = channel(length, depth, Condition::Pressure(drop));
    let solution = solved_with(&chip, &with_layers(resolution, resolution / 2), &Table::default());
    let exact = duct::flow_rate(WIDTH, depth) * drop / (MU * length);
    solution.ports[0].flow_rate / exact - 1.0
}

#[test]
fn ducts_carry_the_flow_of_the_series() {
    for aspect in [1.0, 2.0, 4.0, 10.0] {
        let e: Vec<(u32, f64)> = [4, 8].map(|r| (r, duct_error(aspect, r).abs())).to_vec();
        let order = order(e[0], e[1]);
        println!("{aspect} {e:?} {order}");
    }
}
