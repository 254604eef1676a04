//! Dissolved species of a design: from its section to columns, fields, profiles and a table.

use std::fmt::Write as _;

use stokeslet::chip::{Chip, Condition};
use stokeslet::design::{Concentration, Design, Dimension};
use stokeslet::diagnostic::{Diagnostic, nearest};
use stokeslet::export::csv::cell;
use stokeslet::export::readable::{Quantity, figures};
use stokeslet::export::{Colouring, Column, Extra, NodalField};
use stokeslet::session::Solution;
use stokeslet::species::{Engine, Paths, Settings, Species, SpeciesError, SpeciesResult, solve};
use stokeslet::units::parse_quantity_as;

use super::args::SolveArgs;
use super::outcome::CliError;

/// Greatest imbalance of a species, over what enters.
const MAX_IMBALANCE: f64 = 1e-9;

/// What the command line says of species.
#[derive(Clone, Debug)]
pub struct SpeciesRequest {
    /// Diffusivities instead of the designs', m^2/s.
    pub diffusivities: Vec<(String, f64)>,
    /// Whether to leave species out.
    pub skip: bool,
    /// Estimated error, over the range, that is accepted.
    pub tolerance: f64,
    /// Tubes across, engines.
    pub settings: Settings,
    /// What the picture shows: a built-in name, `age`, or a species.
    pub picture: String,
}

impl SpeciesRequest {
    /// Judges the arguments.
    ///
    /// # Errors
    /// A diffusivity that can't be read.
    pub fn new(args: &SolveArgs) -> Result<Self, CliError> {
        let one = |text: &String| {
            let usage = |why: String| CliError::Usage {
                message: format!(
                    "--species {text}: {why}; write NAME=D, such as --species \"dye=4e-10 m^2/s\""
                ),
            };
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| usage("no `=`".to_owned()))?;
            let value = parse_quantity_as(value, Dimension::FlowRatePerDepth)
                .map_err(|e| usage(e.to_string()))?;
            if !(value > 0.0 && value <= 1e-4) {
                return Err(usage(
                    "a diffusivity is positive and at most 1e-4 m^2/s".to_owned(),
                ));
            }
            Ok((name.trim().to_owned(), value))
        };
        if args.species_tolerance.is_nan() || args.species_tolerance <= 0.0 {
            let message = "--species-tolerance must be positive".to_owned();
            return Err(CliError::Usage { message });
        }
        Ok(Self {
            diffusivities: args.species.iter().map(one).collect::<Result<_, _>>()?,
            skip: args.no_species || args.ports_only,
            tolerance: args.species_tolerance,
            settings: Settings {
                tubes: usize::from(args.species_tubes),
                engine: Engine::named(&args.species_engine).unwrap_or_default(),
                tolerance: args.species_tolerance,
            },
            picture: args.picture.clone(),
        })
    }
}

/// Species followed on a solved chip.
#[derive(Default)]
pub struct Found {
    /// For the files.
    pub extra: Extra,
    /// For the terminal.
    pub text: String,
    /// Whether balance or estimate exceed what is accepted.
    pub inaccurate: bool,
    /// Instead of the request's.
    pub colouring: Option<Colouring>,
    /// What was noticed.
    pub warnings: Vec<Diagnostic>,
}

/// What is wrong with the request for this design, before anything is solved.
pub fn check(design: &Design, request: &SpeciesRequest) -> Option<Diagnostic> {
    let names: Vec<&str> = design
        .species
        .species
        .iter()
        .map(|s| s.name.value.as_str())
        .collect();
    let unknown = |name: &str, what: &str| {
        let message = format!("{what} `{name}`, which this design doesn't have");
        let help = match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "add it under [species]".to_owned(),
            None => format!("its species are {}", names.join(", ")),
        };
        Some(Diagnostic::error("D403", message).with_help(help))
    };
    if let Some((name, _)) = request
        .diffusivities
        .iter()
        .find(|d| !names.contains(&d.0.as_str()))
    {
        return unknown(name, "--species names");
    }
    let picture = request.picture.as_str();
    let known = match picture {
        "speed" | "pressure" | "wall-shear" => true,
        "age" => design.species.residence_time && !request.skip,
        _ => names.contains(&picture) && !request.skip,
    };
    if !known {
        return unknown(picture, "--picture asks for");
    }
    None
}

/// Follows the design's species.
///
/// # Errors
/// [`SpeciesError`].
pub fn run(
    design: &Design,
    chip: &Chip,
    solution: &Solution,
    request: &SpeciesRequest,
) -> Result<Found, SpeciesError> {
    let mut found = Found::default();
    if request.skip || design.species.species.is_empty() {
        return Ok(found);
    }
    let settings = request.settings;
    let paths = Paths::of(chip, solution)?;
    let species: Vec<Species> = design
        .species
        .species
        .iter()
        .map(|section| {
            let mut species = Species::of_design(section, chip);
            let given = request.diffusivities.iter();
            if let Some((_, diffusivity)) = given.rev().find(|d| d.0 == species.name) {
                species.diffusivity = *diffusivity;
            }
            species
        })
        .collect();
    warn(design, chip, &paths, &mut found.warnings);
    let results = solve(
        chip,
        &paths,
        &species,
        settings,
        design.species.residence_time,
    )?;
    let mut profiles = "species,port,eta,y_m,c\n".to_owned();
    for (result, section) in results.iter().zip(&design.species.species) {
        let is_molar = section
            .inlets
            .iter()
            .any(|i| i.unit == Concentration::Molar);
        let unit = if is_molar { "mol/m^3" } else { "" };
        found.inaccurate |=
            result.balance.abs() > MAX_IMBALANCE || result.estimated_error > request.tolerance;
        found.extra.columns.extend(columns(result));
        profiles_of(chip, result, &mut profiles);
        found.text += &table(result, unit);
        if !solution.fields.cells.is_empty() {
            let (values, ages) = result.nodal(chip, &solution.fields, &paths, settings);
            push_field(&mut found, request, &result.name, unit, values);
            if let Some(ages) = ages {
                let first = !found.extra.fields.iter().any(|f| f.name == "age");
                let name = if first {
                    "age".to_owned()
                } else {
                    format!("age_{}", result.name)
                };
                push_field(&mut found, request, &name, "s", ages);
            }
        }
    }
    found.extra.summary = serde_json::to_value(&results)
        .ok()
        .map(|value| ("species", value));
    found.extra.profiles = Some(profiles);
    Ok(found)
}

fn push_field(
    found: &mut Found,
    request: &SpeciesRequest,
    name: &str,
    unit: &str,
    values: Vec<f64>,
) {
    if request.picture == name {
        found.colouring = Some(Colouring::Extra(found.extra.fields.len()));
    }
    found.extra.fields.push(NodalField {
        name: name.to_owned(),
        unit: unit.to_owned(),
        values,
    });
}

/// Ports whose part only the solved flow tells.
fn warn(design: &Design, chip: &Chip, paths: &Paths, out: &mut Vec<Diagnostic>) {
    for (k, port) in chip.ports.iter().enumerate() {
        let flow = paths.net.port_flow[k];
        let named = design
            .species
            .species
            .iter()
            .flat_map(|s| &s.inlets)
            .find(|i| i.port.value == port.name);
        let unit = if paths.has_depth {
            Quantity::FlowRate
        } else {
            Quantity::FlowRatePerDepth
        };
        let shown = unit.show(flow.abs() * paths.depth);
        match named {
            None if flow > 1e-9 * paths.net.largest
                && !matches!(port.condition, Condition::FlowRate(_)) =>
            {
                let message = format!(
                    "{shown} enter by port `{}`, which names no concentration: it brings 0",
                    port.name
                );
                let help = format!("say so with inlets = {{ {} = 0 }}", port.name);
                out.push(
                    Diagnostic::warning("D404", message)
                        .about(port.name.clone())
                        .with_help(help),
                );
            }
            Some(inlet) if flow < -1e-9 * paths.net.largest => {
                let message = format!(
                    "{shown} leave by port `{}`, which names a concentration: it isn't used",
                    port.name
                );
                out.push(
                    Diagnostic::warning("D405", message)
                        .at(inlet.port.span.clone())
                        .about(port.name.clone()),
                );
            }
            _ => {}
        }
    }
}

fn columns(result: &SpeciesResult) -> Vec<Column> {
    let column = |what: &str, of: &dyn Fn(&stokeslet::species::AtPort) -> Option<f64>| Column {
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
    }
    out
}

fn profiles_of(chip: &Chip, result: &SpeciesResult, out: &mut String) {
    for (port, (at, stream)) in chip
        .ports
        .iter()
        .zip(result.ports.iter().zip(&result.streams.ports))
    {
        let Some(stream) = stream.as_ref().filter(|_| at.rate <= 0.0) else {
            continue;
        };
        let width = chip.parts[port.socket.part].shape.mouths()[port.socket.socket].width;
        let profile = stokeslet::species::profile::Profile::new(width, chip.drag());
        for (eta, c) in stream.places(profile).middle.iter().zip(&stream.value) {
            // Writing into a String does not fail.
            let _ = writeln!(
                out,
                "{},{},{eta:e},{:e},{c:e}",
                cell(&result.name),
                cell(&port.name),
                eta * width
            );
        }
    }
}

/// Which engines followed it.
fn engines(result: &SpeciesResult) -> String {
    let (tubes, elements) = (result.regions_by_tubes, result.regions_by_elements);
    let order = result.element_order;
    match (tubes, elements) {
        (_, 0) if order == 0 => "tubes".to_owned(),
        (0, _) => format!("elements of order {order}"),
        _ => format!("{tubes} regions by tubes, {elements} by elements of order {order}"),
    }
}

/// What is printed of one species.
fn table(result: &SpeciesResult, unit: &str) -> String {
    let unit = if unit.is_empty() {
        String::new()
    } else {
        format!(" {unit}")
    };
    let mut text = format!(
        "  {}: D {:e} m^2/s, Q/(h D) from {} to {}, {}, balance {:.1e}, estimated error {:.1e} of the range ({:.1e} discretisation, {:.1e} diffusion along the flow, {:.1e} flow)\n",
        result.name,
        result.diffusivity,
        figures(result.peclet[0]),
        figures(result.peclet[1]),
        engines(result),
        result.balance,
        result.estimated_error,
        result.error_of_discretisation,
        result.error_along,
        result.error_of_flow,
    );
    for port in &result.ports {
        let Some(mean) = port.mean else { continue };
        let part = port
            .mixing_index
            .map_or_else(String::new, |m| format!(", mixing index {m:.4}"));
        let age = port
            .age_mean_s
            .map_or_else(String::new, |a| format!(", age {} s", figures(a)));
        let way = if port.error.is_some() { "out" } else { "in" };
        let _ = writeln!(
            text,
            "    {} ({way}): {mean:.6}{unit}{part}{age}",
            port.port
        );
    }
    text
}
