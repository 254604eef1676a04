//! The sections of a design file but for components and channels: fluid, chip, connections, ports.

use toml::de::DeValue;

use super::names::{check_socket, socket_of};
use super::table::{Node, Owner, Table, in_file_order, short};
use super::{Connection, Dimension, Port, PortCondition, Spanned, codes, keys};
use crate::design::DepthModel;
use crate::shape::WallKind;
use stokeslet_base::diagnostic::{Diagnostic, Reporter};
use stokeslet_base::units::{
    FlowRate, FlowRatePerDepth, KilogramPerCubicMetre, Metre, Pascal, PascalSecond, QuantityError,
    parse_quantity,
};

/// Lengths that a chip can have, m. Wide: networks of other fields are drawn in metres.
pub(super) const LENGTHS: (f64, f64) = (1e-12, 1e6);
/// From the thinnest gas to stiff glass, Pa s.
const VISCOSITIES: (f64, f64) = (1e-9, 1e15);
/// From a thin gas to the heaviest metal and beyond, kg/m^3.
const DENSITIES: (f64, f64) = (1e-6, 1e6);
/// Cell edges across a channel.
const RESOLUTIONS: std::ops::RangeInclusive<i64> = 2..=200;

/// The section `[chip]`.
pub(super) struct ChipSection {
    pub model: DepthModel,
    pub depth: Option<Metre>,
    pub width: Metre,
    pub resolution: Option<u32>,
    pub walls: WallKind,
}

/// Viscosity and, where it is given, density.
pub(super) fn read_fluid(
    node: &Node<'_>,
    reporter: &mut Reporter,
) -> Option<(PascalSecond, Option<KilogramPerCubicMetre>)> {
    let keys = &keys::FLUID.names();
    let table = Table::open_node(node, Owner::Words("[fluid]"), keys, reporter)?;
    table.require(
        "viscosity",
        "add the dynamic viscosity: water at 25 degrees has \"0.89 mPa s\"",
        reporter,
    );
    let viscosity =
        table.quantity_within("viscosity", Dimension::Viscosity, VISCOSITIES, reporter)?;
    let density = match table.has("density") {
        true => {
            let density =
                table.quantity_within("density", Dimension::Density, DENSITIES, reporter)?;
            Some(KilogramPerCubicMetre(density.value))
        }
        false => None,
    };
    Some((PascalSecond(viscosity.value), density))
}

pub(super) fn read_chip(node: &Node<'_>, reporter: &mut Reporter) -> Option<ChipSection> {
    let table = Table::open_node(node, Owner::Words("[chip]"), &keys::CHIP.names(), reporter)?;
    table.require(
        "width",
        "add the width that channels and components have unless they say otherwise, such as \"100 um\"",
        reporter,
    );
    let models = DepthModel::ALL.map(|m| (m.name(), m));
    let model = match table.has("model") {
        true => table.choice("model", &models, reporter),
        false => Some(DepthModel::Planar),
    };
    let why = match model {
        Some(DepthModel::Shallow | DepthModel::ShallowBrinkman) => {
            Some("the shallow model's drag depends on the chip's depth: add it, such as \"50 um\"")
        }
        Some(DepthModel::Full) => {
            Some("the full model extrudes the chip by its depth: add it, such as \"50 um\"")
        }
        _ => None,
    };
    if let Some(why) = why {
        table.require("depth", why, reporter);
    }
    let length = |key: &str, reporter: &mut Reporter| {
        let length = table.quantity_within(key, Dimension::Length, LENGTHS, reporter)?;
        Some(Metre(length.value))
    };
    if let Some(depth) = table.get("depth").filter(|_| !table.has("model")) {
        reporter.report(unused_depth(depth.span()));
    }
    let depth = length("depth", reporter);
    let width = length("width", reporter);
    let resolution = table
        .integer("resolution", reporter)
        .and_then(|resolution| {
            if RESOLUTIONS.contains(&resolution.value) {
                return u32::try_from(resolution.value).ok();
            }
            let message = format!("`resolution` can't be {}", resolution.value);
            let help = format!(
                "cell edges across a channel: from {} to {}",
                RESOLUTIONS.start(),
                RESOLUTIONS.end()
            );
            table.report(reporter, codes::RANGE, message, resolution.span, Some(help));
            None
        });
    let kinds = WallKind::ALL.map(|kind| (kind.name(), kind));
    let walls = match table.has("walls") {
        true => table.choice("walls", &kinds, reporter),
        false => Some(WallKind::NoSlip),
    };
    Some(ChipSection {
        model: model?,
        depth,
        width: width?,
        resolution,
        walls: walls?,
    })
}

/// Warns of a depth that floor and ceiling are not felt with: flow between them can be several times less than without.
fn unused_depth(span: std::ops::Range<usize>) -> Diagnostic {
    let message = "a depth without a `model`: the chip is solved as planar, without the drag of floor and ceiling";
    Diagnostic::warning(codes::UNUSED_DEPTH, message.to_owned())
        .at(span)
        .with_help("say `model = \"shallow\"` if channels are wider than deep, `model = \"full\"` for three dimensions, or `model = \"planar\"` if no drag is meant")
}

pub(super) fn read_connections(node: &Node<'_>, reporter: &mut Reporter) -> Vec<Connection> {
    let Some(table) = Table::open_node(
        node,
        Owner::Words("[connections]"),
        &keys::CONNECTIONS.names(),
        reporter,
    ) else {
        return Vec::new();
    };
    let pairs = table.list("pairs", reporter).unwrap_or_default();
    pairs
        .iter()
        .filter_map(|pair| read_connection(&table, pair, reporter))
        .collect()
}

fn read_connection(
    table: &Table<'_, '_>,
    pair: &Node<'_>,
    reporter: &mut Reporter,
) -> Option<Connection> {
    let sockets: Option<Vec<Spanned<String>>> = match pair.get_ref() {
        DeValue::Array(both) if both.len() == 2 => {
            let text = |node: &Node<'_>| {
                Some(Spanned {
                    value: node.get_ref().as_str()?.to_owned(),
                    span: node.span(),
                })
            };
            both.iter().map(text).collect()
        }
        _ => None,
    };
    let Some(Ok([a, b])) = sockets.map(<[_; 2]>::try_from) else {
        let help = "write two sockets, such as [\"y1.out\", \"t1.left\"]".to_owned();
        let message = "a pair of [connections] is not two texts".to_owned();
        table.report(reporter, codes::TYPE, message, pair.span(), Some(help));
        return None;
    };
    let a = check_socket(table, "pairs", a, reporter);
    let b = check_socket(table, "pairs", b, reporter);
    Some(Connection { a: a?, b: b? })
}

pub(super) fn read_ports(node: &Node<'_>, has_depth: bool, reporter: &mut Reporter) -> Vec<Port> {
    named_entries(node, "ports", reporter)
        .into_iter()
        .filter_map(|(name, node)| read_port(name, node, has_depth, reporter))
        .collect()
}

fn read_port(
    name: Spanned<String>,
    node: &Node<'_>,
    has_depth: bool,
    reporter: &mut Reporter,
) -> Option<Port> {
    const CONDITIONS: [&str; 3] = ["flow_rate", "pressure", "traction_free"];
    let what = Owner::Named("port", &name.value);
    let table = Table::open_node(node, what, &keys::PORTS.names(), reporter)?;
    table.require("at", "say which socket it opens: at = \"y1.a\"", reporter);
    let at = socket_of(&table, "at", reporter);
    let given: Vec<&str> = CONDITIONS
        .into_iter()
        .filter(|key| table.has(key))
        .collect();
    let key = match given[..] {
        [key] => key,
        // A misspelt condition is reported as that.
        [] if CONDITIONS.iter().any(|key| table.misspells(key)) => return None,
        [] => {
            table.require(
                "flow_rate",
                "add one of: flow_rate = \"5 uL/min\", pressure = \"0 Pa\", traction_free = true",
                reporter,
            );
            return None;
        }
        _ => {
            let message = format!("{} has {}", table.what, given.join(" and "));
            let help = "a port has one condition: keep one of them".to_owned();
            table.report(
                reporter,
                codes::EXCLUSIVE,
                message,
                table.span(),
                Some(help),
            );
            return None;
        }
    };
    let condition = read_condition(&table, key, has_depth, reporter);
    Some(Port {
        name,
        at: at?,
        condition: condition?,
    })
}

fn read_condition(
    table: &Table<'_, '_>,
    key: &str,
    has_depth: bool,
    reporter: &mut Reporter,
) -> Option<Spanned<PortCondition>> {
    let node = table.get(key)?;
    let value = match key {
        "flow_rate" => read_flow_rate(table, node, has_depth, reporter)?,
        "pressure" => PortCondition::Pressure(Pascal(
            table
                .quantity("pressure", Dimension::Pressure, reporter)?
                .value,
        )),
        _ => {
            let flag = table.flag("traction_free", reporter)?;
            if !flag.value {
                let message = format!(
                    "{} has `traction_free = false`, which says nothing",
                    table.what
                );
                let help = "write true, or give a flow rate or a pressure instead".to_owned();
                table.report(reporter, codes::CHOICE, message, flag.span, Some(help));
                return None;
            }
            PortCondition::TractionFree
        }
    };
    Some(Spanned {
        value,
        span: node.span(),
    })
}

fn read_flow_rate(
    table: &Table<'_, '_>,
    node: &Node<'_>,
    has_depth: bool,
    reporter: &mut Reporter,
) -> Option<PortCondition> {
    let text = table.quantity_text(node, "flow_rate", Dimension::FlowRate, reporter)?;
    match parse_quantity(text) {
        Ok((value, Dimension::FlowRatePerDepth)) => {
            Some(PortCondition::FlowRatePerDepth(FlowRatePerDepth(value)))
        }
        Ok((value, Dimension::FlowRate)) if has_depth => {
            Some(PortCondition::FlowRate(FlowRate(value)))
        }
        Ok((_, Dimension::FlowRate)) => {
            let message = format!(
                "`flow_rate` of {} is a volume per time, and the chip has no depth",
                table.what
            );
            let help = "give `depth` in [chip], or the flow rate per depth, such as \"1e-6 m^2/s\""
                .to_owned();
            table.report(
                reporter,
                codes::NEEDS_DEPTH,
                message,
                node.span(),
                Some(help),
            );
            None
        }
        Ok((_, got)) => {
            let error = QuantityError::WrongDimension {
                text: short(text),
                got,
                wanted: Dimension::FlowRate,
            };
            table.bad_quantity(
                "flow_rate",
                node,
                &error,
                Some(Dimension::FlowRate),
                reporter,
            );
            None
        }
        Err(error) => {
            table.bad_quantity(
                "flow_rate",
                node,
                &error,
                Some(Dimension::FlowRate),
                reporter,
            );
            None
        }
    }
}

/// The entries of a section whose keys are names, in the file's order.
pub(super) fn named_entries<'a, 'i>(
    node: &'a Node<'i>,
    section: &str,
    reporter: &mut Reporter,
) -> Vec<(Spanned<String>, &'a Node<'i>)> {
    let Some(entries) = node.get_ref().as_table() else {
        let message = format!(
            "`{section}` is {}, wanted a section",
            super::table::kind_of(node.get_ref())
        );
        let help = format!("open it with [{section}] and write `name = {{ ... }}` lines below");
        reporter.report(
            Diagnostic::error(codes::TYPE, message)
                .at(node.span())
                .with_help(help),
        );
        return Vec::new();
    };
    let named = |(name, node): (&toml::Spanned<std::borrow::Cow<'_, str>>, &'a Node<'i>)| {
        let name = Spanned {
            value: name.get_ref().to_string(),
            span: name.span(),
        };
        (name, node)
    };
    in_file_order(entries).into_iter().map(named).collect()
}
