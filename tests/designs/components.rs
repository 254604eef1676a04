//! Every component of the library with its defaults, alone between pressure ports.

use std::fmt::Write as _;

use serde_json::json;
use stokeslet::library::{Defaults, Library};

use crate::golden::{Golden, compare};
use crate::support::{check_meshes, placed, solved};

const RESOLUTION: u32 = 4;
/// Conductance of a square of channel, w^2 / (12 mu), m^2/(s Pa): what a dead end's rounding is measured against.
const SQUARE: f64 = 100e-6 * 100e-6 / (12.0 * 1e-3);

/// A chip of one component, all of whose sockets are ports.
fn alone(library: &Library, kind: &str) -> String {
    let defaults = Defaults {
        width: 100e-6,
        depth: None,
    };
    let realisation = library.realise(kind, &[], &defaults).unwrap();
    let mut text = format!(
        "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\n\
         [components]\nit = {{ kind = \"{kind}\", at = [\"0 m\", \"0 m\"] }}\n[ports]\n"
    );
    for (k, (socket, _)) in realisation.sockets.iter().enumerate() {
        writeln!(
            text,
            "{socket} = {{ at = \"it.{socket}\", pressure = \"{k} Pa\" }}"
        )
        .unwrap();
    }
    text
}

#[test]
fn every_component_conducts_as_its_golden_numbers_say() {
    let library = Library::embedded();
    let mut golden = Golden::new();
    for definition in library.definitions() {
        let chip = placed(&definition.name, &alone(&library, &definition.name));
        check_meshes(&chip, RESOLUTION);
        let s = solved(&chip, RESOLUTION);
        let g = &s.conductance.matrix;
        let scale = g
            .iter()
            .flatten()
            .fold(SQUARE, |scale, x| scale.max(x.abs()));
        for (i, row) in g.iter().enumerate() {
            let sum: f64 = row.iter().sum();
            assert!(
                sum.abs() <= 1e-9 * scale,
                "{}: equal pressures move nothing, row {i}: {sum:e}",
                definition.name
            );
            for (j, x) in row.iter().enumerate() {
                assert!(
                    (x - g[j][i]).abs() <= 1e-9 * scale,
                    "{}: symmetric at {i}, {j}",
                    definition.name
                );
            }
        }
        let g: Vec<Vec<f64>> = g
            .iter()
            .map(|row| {
                row.iter()
                    .map(|&x| if x.abs() < 1e-9 * SQUARE { 0.0 } else { x })
                    .collect()
            })
            .collect();
        golden.insert(
            definition.name.clone(),
            json!({ "ports": s.conductance.ports, "conductance": g }),
        );
    }
    compare("components.json", &golden);
}
