//! The section `[species]`: what is dissolved in the liquid, how it diffuses, where it enters.
//!
//! ```toml
//! [species]
//! dye = { diffusivity = "4.3e-10 m^2/s", inlets = { sample = "1 mM" } }              # ports not named bring 0
//! salt = { diffusivity = "1.5e-9 m^2/s", inlets = { sample = 150, buffer = 10 } }    # plain numbers: any unit, the same for all
//! bead = { diffusivity = "5e-13 m^2/s", inlets = { sample = [[0, 1], [0.3, 0]] } }   # steps: 1 up to 0.3 of the width from the right, then 0
//! residence_time = true                                                              # age of the fluid at outlets, with each species' diffusivity
//! ```

use std::fmt::Write as _;

use toml::de::{DeTable, DeValue};

use super::print::{braces, key, quantity};
use super::sections::named_entries;
use super::table::{Node, Owner, Table, in_file_order, kind_of, short};
use super::{Dimension, Port, PortCondition, Spanned, codes};
use super::{keys, names};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, nearest};
use stokeslet_base::units::{QuantityError, parse_quantity};

/// Diffusivities, m^2/s: from grains of sand to gases in air.
const DIFFUSIVITIES: (f64, f64) = (1e-20, 1e-4);
/// Not a species: asks for the age of the fluid.
const RESIDENCE_TIME: &str = "residence_time";
/// Steps over one inlet.
const MAX_STEPS: usize = 1000;

/// What a design says of dissolved species.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpeciesSection {
    /// In the file's order.
    pub species: Vec<DissolvedSpecies>,
    /// Whether ages of the fluid are wanted.
    pub residence_time: bool,
}

/// One dissolved species.
#[derive(Clone, Debug, PartialEq)]
pub struct DissolvedSpecies {
    /// Its name.
    pub name: Spanned<String>,
    /// m^2/s.
    pub diffusivity: Spanned<f64>,
    /// Ports by which it enters; all others bring none.
    pub inlets: Vec<Inlet>,
}

impl DissolvedSpecies {
    /// Whether its concentrations are in mol/m^3; else they are relative.
    pub fn is_molar(&self) -> bool {
        let mut inlets = self.inlets.iter();
        inlets.any(|inlet| inlet.unit == Concentration::Molar)
    }
}

/// Concentration at a port where liquid enters.
#[derive(Clone, Debug, PartialEq)]
pub struct Inlet {
    /// The port's name.
    pub port: Spanned<String>,
    /// Place across from the right wall (0) to the left (1) looking into the chip, and the concentration from there on. The first is at 0.
    pub steps: Vec<(f64, f64)>,
    /// Unit of all steps.
    pub unit: Concentration,
}

/// What concentrations are given in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concentration {
    /// Plain numbers: parts of whatever the user thinks of.
    Relative,
    /// mol/m^3.
    Molar,
}

pub(super) fn read_species(
    node: &Node<'_>,
    port_section: Option<&Node<'_>>,
    ports: &[Port],
    reporter: &mut Reporter,
) -> SpeciesSection {
    let mut out = SpeciesSection::default();
    let known: Vec<&str> = port_section
        .and_then(|node| node.get_ref().as_table())
        .map(|table: &DeTable<'_>| table.keys().map(|k| k.get_ref().as_ref()).collect())
        .unwrap_or_default();
    for (name, node) in named_entries(node, "species", reporter) {
        if name.value == RESIDENCE_TIME {
            match node.get_ref() {
                DeValue::Boolean(flag) => out.residence_time = *flag,
                other => {
                    let message = format!(
                        "`{RESIDENCE_TIME}` of [species] is {}, wanted true or false",
                        kind_of(other)
                    );
                    reporter.report(Diagnostic::error(codes::TYPE, message).at(node.span()));
                }
            }
            continue;
        }
        names::check_name("species", &name.value, name.span.clone(), reporter);
        out.species
            .extend(read_one(name, node, &known, ports, reporter));
    }
    out
}

fn read_one(
    name: Spanned<String>,
    node: &Node<'_>,
    known: &[&str],
    ports: &[Port],
    reporter: &mut Reporter,
) -> Option<DissolvedSpecies> {
    let table = Table::open_node(
        node,
        Owner::Named("species", &name.value),
        &keys::SPECIES.names(),
        reporter,
    )?;
    table.require(
        "diffusivity",
        "add how fast it diffuses: a small molecule in water has \"4e-10 m^2/s\"",
        reporter,
    );
    let diffusivity = read_diffusivity(&table, reporter);
    table.require(
        "inlets",
        "say where it enters: inlets = { sample = \"1 mM\" }, by the names of ports",
        reporter,
    );
    let mut inlets = Vec::new();
    if let Some(node) = table.get("inlets") {
        match node.get_ref() {
            DeValue::Table(entries) => {
                for (port, node) in in_file_order(entries) {
                    let port = Spanned {
                        value: port.get_ref().to_string(),
                        span: port.span(),
                    };
                    inlets.extend(read_inlet(&table, port, node, known, ports, reporter));
                }
            }
            other => table.wrong_type(
                "inlets",
                node,
                other,
                "a table such as { sample = \"1 mM\" }",
                reporter,
            ),
        }
    }
    if inlets.windows(2).any(|w| w[0].unit != w[1].unit) {
        let message = format!("{} has concentrations with and without units", table.what);
        let help = "give all of them in one kind: \"1 mM\", or plain numbers".to_owned();
        table.report(
            reporter,
            codes::DIMENSION,
            message,
            table.span(),
            Some(help),
        );
        return None;
    }
    let diffusivity = diffusivity?;
    Some(DissolvedSpecies {
        name: name.clone(),
        diffusivity,
        inlets,
    })
}

fn read_diffusivity(table: &Table<'_, '_>, reporter: &mut Reporter) -> Option<Spanned<f64>> {
    let node = table.get("diffusivity")?;
    let example = "a diffusivity is an area per time, such as \"4.3e-10 m^2/s\"".to_owned();
    let mut report = |code, message: String| {
        table.report(reporter, code, message, node.span(), Some(example.clone()));
        None
    };
    let Some(text) = node.get_ref().as_str() else {
        let message = format!(
            "`diffusivity` of {} is {}, wanted a text with a unit",
            table.what,
            kind_of(node.get_ref())
        );
        return report(codes::TYPE, message);
    };
    match parse_quantity(text) {
        Ok((value, Dimension::FlowRatePerDepth)) => {
            let (least, greatest) = DIFFUSIVITIES;
            if !(least..=greatest).contains(&value) {
                let message = if value <= 0.0 {
                    format!("`diffusivity` of {} must be positive", table.what)
                } else {
                    format!(
                        "`diffusivity` of {} is {value:e} m^2/s: nothing that is dissolved has it",
                        table.what
                    )
                };
                return report(codes::RANGE, message);
            }
            Some(Spanned {
                value,
                span: node.span(),
            })
        }
        Ok((_, got)) => report(
            codes::DIMENSION,
            format!(
                "`diffusivity` of {}: \"{}\" is {got}",
                table.what,
                short(text)
            ),
        ),
        Err(error) => report(
            codes::QUANTITY,
            format!("`diffusivity` of {}: {error}", table.what),
        ),
    }
}

fn read_inlet(
    table: &Table<'_, '_>,
    port: Spanned<String>,
    node: &Node<'_>,
    known: &[&str],
    ports: &[Port],
    reporter: &mut Reporter,
) -> Option<Inlet> {
    if !known.contains(&port.value.as_str()) {
        let message = format!(
            "{} enters by port `{}`, which isn't there",
            table.what,
            short(&port.value)
        );
        let help = match nearest(&port.value, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("ports are {}", known.join(", ")),
        };
        table.report(reporter, codes::INLET, message, port.span, Some(help));
        return None;
    }
    let condition = ports
        .iter()
        .find(|p| p.name.value == port.value)
        .map(|p| p.condition.value);
    let draws = match condition {
        Some(PortCondition::FlowRate(q)) => q.0 < 0.0,
        Some(PortCondition::FlowRatePerDepth(q)) => q.0 < 0.0,
        _ => false,
    };
    if draws {
        let message = format!(
            "{} enters by port `{}`, where liquid is drawn off",
            table.what, port.value
        );
        let help = "its `flow_rate` is negative: name a port where liquid enters".to_owned();
        table.report(reporter, codes::INLET, message, port.span, Some(help));
        return None;
    }
    let what = format!("`{}` of {}", short(&port.value), table.what);
    let one = |node: &Node<'_>, reporter: &mut Reporter| -> Option<(f64, Concentration)> {
        let (value, unit) = match node.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => (plain(node)?, Concentration::Relative),
            DeValue::String(text) => match text.trim().parse::<f64>() {
                Ok(value) if value.is_finite() => (value, Concentration::Relative),
                _ => match parse_quantity(text) {
                    Ok((value, Dimension::Concentration)) => (value, Concentration::Molar),
                    wrong => {
                        let error = match wrong {
                            Ok((_, got)) => QuantityError::WrongDimension {
                                text: short(text),
                                got,
                                wanted: Dimension::Concentration,
                            },
                            Err(error) => error,
                        };
                        let wanted = Some(Dimension::Concentration);
                        table.bad_quantity(&port.value, node, &error, wanted, reporter);
                        return None;
                    }
                },
            },
            other => {
                table.wrong_type(
                    &port.value,
                    node,
                    other,
                    "a concentration such as \"1 mM\" or 1",
                    reporter,
                );
                return None;
            }
        };
        if !(value >= 0.0 && value.is_finite()) {
            let message = format!("{what}: a concentration can't be {value}");
            table.report(
                reporter,
                codes::RANGE,
                message,
                node.span(),
                Some("0 or more".to_owned()),
            );
            return None;
        }
        Some((value, unit))
    };
    let DeValue::Array(list) = node.get_ref() else {
        let (value, unit) = one(node, reporter)?;
        return Some(Inlet {
            port: port.clone(),
            steps: vec![(0.0, value)],
            unit,
        });
    };
    let mut refuse = |code, message: String, span| {
        let help =
            "steps are [[0, 1], [0.3, 0]]: from 0 of the width on 1, from 0.3 on 0".to_owned();
        table.report(reporter, code, message, span, Some(help));
    };
    if list.is_empty() || list.len() > MAX_STEPS {
        refuse(
            codes::RANGE,
            format!("{what} has {} steps", list.len()),
            node.span(),
        );
        return None;
    }
    let mut steps: Vec<(f64, f64)> = Vec::new();
    let mut kind = None;
    for step in list {
        let pair = match step.get_ref() {
            DeValue::Array(pair) if pair.len() == 2 => pair,
            _ => {
                table.report(
                    reporter,
                    codes::TYPE,
                    format!("a step of {what} is not a pair"),
                    step.span(),
                    None,
                );
                return None;
            }
        };
        let at = plain(&pair[0]).filter(|at| (0.0..1.0).contains(at));
        let rises = steps
            .last()
            .map_or(at == Some(0.0), |last| at > Some(last.0));
        let (Some(at), true) = (at, rises) else {
            let message = format!("places of {what} must start at 0 and rise below 1");
            table.report(reporter, codes::RANGE, message, pair[0].span(), None);
            return None;
        };
        let (value, unit) = one(&pair[1], reporter)?;
        if kind.is_some_and(|k| k != unit) {
            let message = format!("steps of {what} are with and without units");
            table.report(reporter, codes::DIMENSION, message, step.span(), None);
            return None;
        }
        kind = Some(unit);
        steps.push((at, value));
    }
    Some(Inlet {
        port,
        steps,
        unit: kind?,
    })
}

/// A number without a unit, plain or in quotes.
fn plain(node: &Node<'_>) -> Option<f64> {
    let value = match node.get_ref() {
        DeValue::Integer(number) => {
            i64::from_str_radix(number.as_str(), number.radix()).ok()? as f64
        }
        DeValue::Float(number) => number.as_str().parse().ok()?,
        DeValue::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    value.is_finite().then_some(value)
}

/// What stands behind the name of a species.
pub(super) fn one(species: &DissolvedSpecies) -> String {
    let inlets = species.inlets.iter();
    let inlets = inlets.map(|inlet| format!("{} = {}", key(&inlet.port.value), steps(inlet)));
    braces(vec![
        format!("diffusivity = {}", diffusivity(species.diffusivity.value)),
        format!("inlets = {}", braces(inlets.collect())),
    ])
}

/// A diffusivity, m^2/s.
pub(super) fn diffusivity(value: f64) -> String {
    quantity(value, Dimension::FlowRatePerDepth)
}

/// What stands behind the name of a port.
pub(super) fn steps(inlet: &Inlet) -> String {
    let value = |c: f64| match inlet.unit {
        Concentration::Molar => quantity(c, Dimension::Concentration),
        Concentration::Relative => toml_edit::Value::from(c).to_string(),
    };
    if let [(_, c)] = inlet.steps[..] {
        return value(c);
    }
    let steps = inlet.steps.iter();
    let steps = steps.map(|&(at, c)| format!("[{}, {}]", toml_edit::Value::from(at), value(c)));
    format!("[{}]", steps.collect::<Vec<_>>().join(", "))
}

/// Writes the section, if there is anything in it.
pub(super) fn print_species(out: &mut String, section: &SpeciesSection) {
    if section.species.is_empty() && !section.residence_time {
        return;
    }
    out.push_str("\n[species]\n");
    for species in &section.species {
        // Writing into a String can't fail.
        let _ = writeln!(out, "{} = {}", key(&species.name.value), one(species));
    }
    if section.residence_time {
        let _ = writeln!(out, "{RESIDENCE_TIME} = true");
    }
}

#[cfg(test)]
mod tests {
    use crate::design::{parse, print};

    const HEAD: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { model = \"planar\", width = \"100 um\", depth = \"50 um\" }\n[components]\np = { kind = \"pipe\", at = [\"0 m\", \"0 m\"] }\n[ports]\nin = { at = \"p.a\", flow_rate = \"1 uL/min\" }\nout = { at = \"p.b\", flow_rate = \"-1 uL/min\" }\n[species]\n";

    fn codes(species: &str) -> Vec<&'static str> {
        parse(format!("{HEAD}{species}"), "x")
            .1
            .iter()
            .map(|d| d.code)
            .collect()
    }

    #[test]
    fn species_are_read_and_printed() {
        let text = format!(
            "{HEAD}dye = {{ diffusivity = \"4.3e-10 m^2/s\", inlets = {{ in = \"2 mM\" }} }}\nbead = {{ diffusivity = \"5 um^2/s\", inlets = {{ in = [[0, 1], [0.3, 0]] }} }}\nresidence_time = true\n"
        );
        let (design, mistakes) = parse(&text, "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let design = design.expect("no mistakes");
        assert_eq!(
            design.species.species[0].inlets[0].steps,
            [(0.0, 2.0)],
            "1 mM is 1 mol/m^3"
        );
        assert_eq!(
            design.species.species[1].inlets[0].steps,
            [(0.0, 1.0), (0.3, 0.0)]
        );
        assert_eq!(design.species.species[1].diffusivity.value, 5e-12);
        let (again, mistakes) = parse(print(&design), "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        assert_eq!(print(&again.expect("no mistakes")), print(&design));
    }

    #[test]
    fn each_mistake_has_its_code() {
        let dye = |d: &str, inlets: &str| {
            codes(&format!(
                "dye = {{ diffusivity = {d}, inlets = {{ {inlets} }} }}\n"
            ))
        };
        let good = "\"4e-10 m^2/s\"";
        assert_eq!(dye(good, "inn = 1"), ["D018"], "unknown port");
        assert_eq!(dye(good, "out = 1"), ["D018"], "liquid is drawn off there");
        assert_eq!(dye(good, "in = -1"), ["D009"], "negative concentration");
        assert_eq!(dye(good, "in = \"1 mbar\""), ["D008"], "a pressure");
        assert_eq!(dye(good, "in = \"1 mol\""), ["D007"], "an amount");
        assert_eq!(dye("\"0 m^2/s\"", "in = 1"), ["D009"], "D = 0");
        assert_eq!(dye("\"1 m^2/s\"", "in = 1"), ["D009"], "D above anything");
        assert_eq!(dye("\"1 Pa\"", "in = 1"), ["D008"], "D in Pa");
        assert_eq!(dye("4e-10", "in = 1"), ["D006"], "D without a unit");
        assert_eq!(
            dye(good, "in = [[0, 1], [0.3, 0], [0.2, 1]]"),
            ["D009"],
            "places that fall"
        );
        assert_eq!(
            dye(good, "in = [[0.1, 1]]"),
            ["D009"],
            "places that don't start at 0"
        );
        assert_eq!(
            dye(good, "in = [[0, 1], [0.5, \"1 mM\"]]"),
            ["D008"],
            "two kinds of units"
        );
        assert_eq!(
            codes("dye = { inlets = { in = 1 } }\n"),
            ["D005"],
            "no diffusivity"
        );
        assert_eq!(codes("residence_time = 1\n"), ["D006"]);
    }
}
