//! The numbers that a study takes from a solution and from what it carries: columns of its table, goals of a fit.

use std::collections::BTreeMap;

use stokeslet_base::diagnostic::{Diagnostic, nearest};
use stokeslet_base::units::Powers;
use stokeslet_cad::chip::{Chip, Condition};
use stokeslet_cad::design::{Design, Dimension, formula};

use stokeslet_species::{AtPort, SpeciesError, SpeciesResult};

use crate::codes::MISFIT;
use crate::sample::Sampled;
use crate::study::unit;

/// A number of a solution.
#[derive(Clone, Debug, PartialEq)]
enum Quantity {
    /// Mean of a species, at a port.
    Mean(String, String),
    Mixing(String, String),
    /// Mean time that what leaves by a port has been in the chip, and its standard deviation.
    Age(String, String),
    AgeSpread(String, String),
    FlowRate(String),
    Pressure(String),
    Conductance(String, String),
    MaxSpeed,
    ShearMin,
    ShearMean,
    ShearMax,
    FloorShearMean,
    FloorShearMax,
}

impl Quantity {
    fn is_of_species(&self) -> bool {
        matches!(
            self,
            Self::Mean(..) | Self::Mixing(..) | Self::Age(..) | Self::AgeSpread(..)
        )
    }

    /// In SI; nothing where the chip has no such port, or it wasn't computed.
    fn of(&self, sampled: &Sampled) -> Option<f64> {
        let solution = &sampled.solution;
        let carried = |species: &str, port: &str| at_port(sampled.species(), species, port);
        let aged = |species: &str, port: &str| at_port(sampled.aged(), species, port);
        let port = |name: &str| solution.ports.iter().find(|port| port.id == name);
        let value = match self {
            Self::FlowRate(name) => port(name)?.flow_rate,
            Self::Pressure(name) => port(name)?.pressure,
            Self::Conductance(to, from) => {
                let ports = &solution.conductance.ports;
                let at = |name: &str| ports.iter().position(|port| port == name);
                *solution.conductance.matrix.get(at(to)?)?.get(at(from)?)?
            }
            Self::Mean(species, port) => carried(species, port)?.mean?,
            Self::Mixing(species, port) => carried(species, port)?.mixing_index?,
            Self::Age(species, port) => aged(species, port)?.age_mean_s?,
            Self::AgeSpread(species, port) => aged(species, port)?.age_std_s?,
            Self::MaxSpeed => solution.max_speed?.0,
            Self::ShearMin => solution.wall_shear?.min,
            Self::ShearMean => solution.wall_shear?.mean,
            Self::ShearMax => solution.wall_shear?.max,
            Self::FloorShearMean => solution.floor_shear?.mean,
            Self::FloorShearMax => solution.floor_shear?.max,
        };
        value.is_finite().then_some(value)
    }
}

fn at_port<'s>(
    followed: &'s Result<Vec<SpeciesResult>, SpeciesError>,
    species: &str,
    port: &str,
) -> Option<&'s AtPort> {
    let mut all = followed.as_ref().ok()?.iter();
    let of_species = all.find(|s| s.name == species)?;
    of_species.ports.iter().find(|p| p.port == port)
}

/// What can be taken from the solutions of a design, by name.
#[derive(Clone, Debug)]
pub struct Catalogue {
    entries: BTreeMap<String, (Quantity, Powers)>,
    usual: Vec<String>,
}

/// A column: a quantity, or a formula of them.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Powers of its unit.
    pub powers: Powers,
    /// The formula, each quantity in it replaced by `o_0`, `o_1`, ...
    formula: String,
    uses: Vec<Use>,
}

/// A quantity in a formula.
#[derive(Clone, Debug)]
struct Use {
    name: String,
    quantity: Quantity,
    powers: Powers,
}

impl Output {
    /// `q1 [m^3/s]`, for the head of a column.
    pub fn head(&self) -> String {
        head(&self.name, self.powers)
    }

    /// Values of outputs, SI.
    ///
    /// # Errors
    /// Of each, why there is none: the solution doesn't have what it takes (what leaves by no port has no mean), or the formula has none (a
    /// divisor is zero).
    pub fn all_of(outputs: &[Self], sampled: &Sampled) -> Vec<Result<f64, String>> {
        let mut uses = outputs.iter().flat_map(|output| &output.uses);
        // What is dissolved is followed once, with ages or without.
        if uses.any(|u| matches!(u.quantity, Quantity::Age(..) | Quantity::AgeSpread(..))) {
            sampled.aged();
        }
        outputs.iter().map(|output| output.of(sampled)).collect()
    }

    /// Its value in SI.
    ///
    /// # Errors
    /// As of [`Self::all_of`].
    pub fn of(&self, sampled: &Sampled) -> Result<f64, String> {
        let value = |used: &Use| {
            let missing = || match used.name == self.name {
                true => format!("the solution has no `{}`", used.name),
                false => format!("the solution has no `{}` for `{}`", used.name, self.name),
            };
            used.quantity.of(sampled).ok_or_else(missing)
        };
        if let ("o_0", [used]) = (self.formula.as_str(), self.uses.as_slice()) {
            return value(used);
        }
        let named = |(k, used)| Ok((format!("o_{k}"), (value(used)?, used.powers)));
        let names: Result<BTreeMap<String, (f64, Powers)>, String> =
            self.uses.iter().enumerate().map(named).collect();
        let (value, _) = formula(&self.formula, &names?)
            .map_err(|fault| format!("`{}` has no value: {}", self.name, fault.message))?;
        Ok(value)
    }
}

/// Whether a formula speaks of what only fields tell; a chip that has it read knows better ([`Catalogue::needs_fields`]).
pub fn mentions_fields(formula: &str) -> bool {
    ["max_speed", "wall_shear", "floor_shear", SPECIES]
        .iter()
        .any(|name| formula.contains(name))
}

/// What outputs of what is dissolved begin with.
const SPECIES: &str = "species.";

/// A name with its unit.
pub fn head(name: &str, powers: Powers) -> String {
    match unit(powers) {
        unit if unit.is_empty() => name.to_owned(),
        unit => format!("{name} [{unit}]"),
    }
}

impl Catalogue {
    /// The catalogue of a design and its chip: their ports and species decide.
    pub fn new(design: &Design, chip: &Chip) -> Self {
        let flow: Powers = match chip.depth {
            Some(_) => [0, 3, -1, 0, 0],
            None => [0, 2, -1, 0, 0],
        };
        let pressure: Powers = [1, -1, -2, 0, 0];
        let time: Powers = [0, 0, 1, 0, 0];
        let mut conductance = flow;
        for (power, per) in conductance.iter_mut().zip(pressure) {
            *power -= per;
        }
        let mut entries = BTreeMap::new();
        let mut usual = Vec::new();
        let names: Vec<&String> = chip.ports.iter().map(|port| &port.name).collect();
        for &name in &names {
            for (what, quantity, powers) in [
                ("flow_rate", Quantity::FlowRate(name.clone()), flow),
                ("pressure", Quantity::Pressure(name.clone()), pressure),
            ] {
                let full = format!("ports.{name}.{what}");
                usual.push(full.clone());
                entries.insert(full, (quantity, powers));
            }
        }
        for (k, &to) in names.iter().enumerate() {
            for (l, &from) in names.iter().enumerate() {
                let full = format!("conductance.{to}.{from}");
                if l >= k {
                    usual.push(full.clone());
                }
                let quantity = Quantity::Conductance(to.clone(), from.clone());
                entries.insert(full, (quantity, conductance));
            }
        }
        for section in &design.species.species {
            let species = &section.name.value;
            let concentration = match section.is_molar() {
                true => Dimension::Concentration.powers(),
                false => [0; 5],
            };
            for &port in &names {
                type Make = fn(String, String) -> Quantity;
                let all: [(&str, Make, Powers); 4] = [
                    ("mean", Quantity::Mean, concentration),
                    ("mixing", Quantity::Mixing, [0; 5]),
                    ("age", Quantity::Age, time),
                    ("age_spread", Quantity::AgeSpread, time),
                ];
                for (what, make, powers) in all {
                    let full = format!("{SPECIES}{species}.{port}.{what}");
                    let quantity = make(species.clone(), port.clone());
                    entries.insert(full, (quantity, powers));
                }
            }
        }
        for (name, quantity, powers) in [
            ("max_speed", Quantity::MaxSpeed, [0, 1, -1, 0, 0]),
            ("wall_shear.min", Quantity::ShearMin, pressure),
            ("wall_shear.mean", Quantity::ShearMean, pressure),
            ("wall_shear.max", Quantity::ShearMax, pressure),
        ] {
            entries.insert(name.to_owned(), (quantity, powers));
        }
        if chip.model.is_averaged() {
            for (name, quantity) in [
                ("floor_shear.mean", Quantity::FloorShearMean),
                ("floor_shear.max", Quantity::FloorShearMax),
            ] {
                entries.insert(name.to_owned(), (quantity, pressure));
            }
        }
        Self { entries, usual }
    }

    /// All flows and pressures of the ports, and the conductances, each once.
    pub fn usual(&self) -> Vec<Output> {
        let output = |name: &String| {
            let (quantity, powers) = self.entries.get(name)?.clone();
            Some(Output {
                name: name.clone(),
                powers,
                formula: "o_0".to_owned(),
                uses: vec![Use {
                    name: name.clone(),
                    quantity,
                    powers,
                }],
            })
        };
        self.usual.iter().filter_map(output).collect()
    }

    /// Flows and pressures at the ports that aren't given there: what a chip answers.
    pub fn answers(&self, chip: &Chip) -> Vec<Output> {
        let given: Vec<String> = chip
            .ports
            .iter()
            .map(|port| {
                let what = match port.condition {
                    Condition::FlowRate(_) => "flow_rate",
                    Condition::Pressure(_) | Condition::TractionFree => "pressure",
                };
                format!("ports.{}.{what}", port.name)
            })
            .collect();
        let all = self.usual().into_iter();
        all.filter(|o| o.name.starts_with("ports.") && !given.contains(&o.name))
            .collect()
    }

    /// Reads a formula of quantities, such as `ports.a.flow_rate / ports.b.flow_rate`.
    ///
    /// # Errors
    /// D349 for a name that isn't there, D340 to D344 for what else is wrong with it.
    pub fn output(&self, name: &str, text: &str) -> Result<Output, Diagnostic> {
        let mut uses: Vec<Use> = Vec::new();
        let mut formula_text = String::new();
        let mut rest = text;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        while let Some(c) = rest.chars().next() {
            if !(c.is_alphabetic() || c == '_') {
                let run = rest
                    .chars()
                    .take_while(|c| c.is_ascii_digit() || *c == '.')
                    .count();
                let used = if run > 0 { run } else { c.len_utf8() };
                formula_text.push_str(&rest[..used]);
                rest = &rest[used..];
                continue;
            }
            // The longest name that stands here: names of ports may have a `-`.
            let found = self
                .entries
                .iter()
                .filter(|(known, _)| {
                    rest.strip_prefix(known.as_str())
                        .is_some_and(|tail| !tail.starts_with(is_part))
                })
                .max_by_key(|(known, _)| known.len());
            let used = match found {
                Some((known, entry)) => {
                    let known_use = uses.iter().position(|used| used.name == *known);
                    let k = known_use.unwrap_or_else(|| {
                        let (quantity, powers) = entry.clone();
                        let name = known.clone();
                        uses.push(Use {
                            name,
                            quantity,
                            powers,
                        });
                        uses.len() - 1
                    });
                    formula_text.push_str(&format!("o_{k}"));
                    known.len()
                }
                None => {
                    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                    if rest[..end].contains('.') {
                        return Err(self.unknown(&rest[..end]));
                    }
                    formula_text.push_str(&rest[..end]);
                    end
                }
            };
            rest = &rest[used..];
        }
        // Units follow from any values.
        let names: BTreeMap<String, (f64, Powers)> = uses
            .iter()
            .enumerate()
            .map(|(k, used)| (format!("o_{k}"), (1.0 + k as f64 / 7.0, used.powers)))
            .collect();
        let (_, powers) = formula(&formula_text, &names).map_err(|mut fault| {
            fault.message = format!("`{name}` = `{text}`: {}", fault.message);
            fault
        })?;
        Ok(Output {
            name: name.to_owned(),
            powers,
            formula: formula_text.trim().to_owned(),
            uses,
        })
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let fault = Diagnostic::error(MISFIT, format!("the design's results have no `{name}`"));
        match nearest(name, self.entries.keys().map(String::as_str)) {
            Some(near) => fault.with_help(format!("did you mean `{near}`?")),
            None => {
                let some: Vec<&str> = self.entries.keys().map(String::as_str).take(6).collect();
                fault.with_help(format!("there are {}, ...", some.join(", ")))
            }
        }
    }

    /// Whether a formula speaks of what is dissolved.
    pub fn needs_species(output: &Output) -> bool {
        let mut of = output.uses.iter();
        of.any(|used| used.quantity.is_of_species())
    }

    /// Whether a formula speaks of what one step from a chip nearby doesn't tell: conductances, and what is dissolved, which asks for
    /// flows that balance to rounding.
    pub fn needs_elimination(output: &Output) -> bool {
        let mut of = output.uses.iter();
        Self::needs_species(output)
            || of.any(|used| matches!(used.quantity, Quantity::Conductance(..)))
    }

    /// Whether a formula needs fields.
    pub fn needs_fields(output: &Output) -> bool {
        let mut of = output.uses.iter();
        of.any(|used| match used.quantity {
            Quantity::FlowRate(_) | Quantity::Pressure(_) | Quantity::Conductance(..) => false,
            Quantity::MaxSpeed | Quantity::ShearMin | Quantity::ShearMean | Quantity::ShearMax => {
                true
            }
            Quantity::FloorShearMean | Quantity::FloorShearMax => true,
            Quantity::Mean(..) | Quantity::Mixing(..) => true,
            Quantity::Age(..) | Quantity::AgeSpread(..) => true,
        })
    }
}
