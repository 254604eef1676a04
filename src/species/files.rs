//! What files say of species beside the flow: columns of `ports.csv`, fields, `profiles.csv`, a part of `summary.json`; the same from the command line and
//! from the window.

use std::fmt::Write as _;

use crate::followed::{AtPort, SpeciesResult};
use crate::input::Settings;
use crate::paths::Paths;
use crate::profile::Profile;
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DissolvedSpecies;
use stokeslet_flow::export::csv::cell;
use stokeslet_flow::export::{Column, Extra, NodalField};
use stokeslet_flow::field::Field;

/// What concentrations of a species are in: `mol/m^3`, or nothing where they are relative.
pub fn unit(species: &DissolvedSpecies) -> &'static str {
    match species.is_molar() {
        true => "mol/m^3",
        false => "",
    }
}

/// Everything of these species; `units` by species. Fields where there are any; ages are those of the first species that has some.
pub fn extra(
    chip: &Chip,
    fields: &Field<2>,
    paths: &Paths,
    settings: Settings,
    (results, units): (&[SpeciesResult], &[&str]),
) -> Extra {
    let mut out = Extra::default();
    let mut profiles = match paths.space {
        Some(_) => "species,port,eta,y_m,z_m,c\n".to_owned(),
        None => "species,port,eta,y_m,c\n".to_owned(),
    };
    for (result, unit) in results.iter().zip(units) {
        out.columns.extend(columns(result));
        profiles_of(chip, paths, settings, result, &mut profiles);
        if fields.cells.is_empty() {
            continue;
        }
        let mut push = |name: &str, unit: &str, values: Vec<f64>| {
            out.fields.push(NodalField {
                name: name.to_owned(),
                unit: unit.to_owned(),
                values,
                in_space: Vec::new(),
            });
        };
        push(
            &result.name,
            unit,
            result.nodal(chip, fields, paths, settings),
        );
        if let Some(ages) = result.nodal_ages(chip, fields, paths, settings) {
            let is_first = results.first().is_some_and(|r| r.name == result.name);
            let name = match is_first {
                true => "age".to_owned(),
                false => format!("age_{}", result.name),
            };
            push(&name, "s", ages);
        }
    }
    let with_unit = |(result, unit): (&SpeciesResult, &&str)| {
        let mut value = serde_json::to_value(result).ok()?;
        value
            .as_object_mut()?
            .insert("unit".to_owned(), (*unit).into());
        Some(value)
    };
    let all: Option<Vec<serde_json::Value>> = results.iter().zip(units).map(with_unit).collect();
    let all = all.map(|all| ("species", all.into()));
    out.summary = all.into_iter().collect();
    out.profiles = Some(profiles);
    out
}

/// Columns of `ports.csv`.
fn columns(result: &SpeciesResult) -> Vec<Column> {
    let column = |what: &str, of: &dyn Fn(&AtPort) -> Option<f64>| Column {
        name: format!("{}_{what}", result.name),
        values: result.ports.iter().map(of).collect(),
    };
    let mut out = vec![
        column("mean", &|p| p.mean),
        column("rate", &|p| p.mean.map(|_| p.rate)),
        column("min", &|p| p.min),
        column("max", &|p| p.max),
        column("segregation", &|p| p.segregation),
        column("mixing_index", &|p| p.mixing_index),
    ];
    if result.ports.iter().any(|p| p.age_mean_s.is_some()) {
        out.push(column("age_mean_s", &|p| p.age_mean_s));
        out.push(column("age_std_s", &|p| p.age_std_s));
    }
    out
}

/// Adds values at the nodes of a flow in space to the fields of a chip in three dimensions: what its files show beside the flow.
pub fn add_solid(
    chip: &Chip,
    paths: &Paths,
    settings: Settings,
    results: &[SpeciesResult],
    extra: &mut Extra,
) {
    let mut fields = extra.fields.iter_mut();
    for result in results {
        for ages in [false, true] {
            let Some(values) = result.in_space(chip, paths, settings, ages) else {
                continue;
            };
            if let Some(field) = fields.next() {
                field.in_space = values;
            }
        }
    }
}

/// Rows of `profiles.csv`: concentrations across outlets; of a chip in three dimensions over the lower half of its depth.
fn profiles_of(
    chip: &Chip,
    paths: &Paths,
    settings: Settings,
    result: &SpeciesResult,
    out: &mut String,
) {
    let ports = result.ports.iter().zip(&result.streams.ports);
    for (port, (at, stream)) in chip.ports.iter().zip(ports) {
        let Some(stream) = stream.as_ref().filter(|_| at.error.is_some()) else {
            continue;
        };
        let width = chip.parts[port.socket.part].shape.sockets()[port.socket.socket].width;
        // Across, and of a chip in three dimensions over the floor, m.
        let places: Vec<(f64, Option<f64>)> = match &paths.space {
            Some(space) => {
                let [ny, nz] = space.cells(width, settings.tubes);
                let middle = |k: usize, n: usize| (k as f64 + 0.5) / n as f64;
                let half = 0.5 * paths.depth;
                let place = |k: usize| (middle(k % ny, ny), Some(half * middle(k / ny, nz)));
                (0..ny * nz).map(place).collect()
            }
            None => {
                let places = stream.places(Profile::new(width, chip.drag()));
                places.middle.into_iter().map(|eta| (eta, None)).collect()
            }
        };
        let (name, port) = (cell(&result.name), cell(&port.name));
        for ((eta, z), c) in places.into_iter().zip(&stream.value) {
            let height = z.map_or_else(String::new, |z| format!("{z:e},"));
            // Writing into a String does not fail.
            let _ = writeln!(out, "{name},{port},{eta:e},{:e},{height}{c:e}", eta * width);
        }
    }
}
