//! [`Design`] to a fresh file in canonical form: one component, channel or port per line.
//!
//! `parse(print(d))` is `d` but for spans and the name, which is not in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{
    Bend, Channel, Component, Connection, Design, Dimension, FORMAT, Link, Overlay, OverlayLayer,
    Placement, Port, PortCondition, Repetition, Sheets, Value,
};
use crate::design::DepthModel;
use crate::shape::WallKind;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, print_quantity};

/// Writes a whole design file.
///
/// Expressions and repeated entries are written as they were read, where what they stand for is unchanged.
pub fn print(design: &Design) -> String {
    let plain = plain(design);
    let parametric = &design.parametric;
    if parametric.expressions.is_empty() {
        return plain;
    }
    // What was printed is TOML.
    match plain.parse() {
        Ok(mut document) => {
            super::variables::restore(&mut document, &parametric.expressions);
            document.to_string()
        }
        Err(_) => plain,
    }
}

/// With values where expressions were.
fn plain(design: &Design) -> String {
    let mut out = String::new();
    // Writing into a String can't fail.
    let _ = writeln!(out, "format = {FORMAT}");
    if let Some(title) = &design.title {
        let _ = writeln!(out, "title = {}", quoted(title));
    }
    if !design.parametric.variables.is_empty() {
        out.push_str("\n[variables]\n");
        for variable in &design.parametric.variables {
            let _ = writeln!(out, "{} = {}", key(&variable.name), variable.source);
        }
    }
    let _ = writeln!(
        out,
        "\n[fluid]\nviscosity = {}",
        quantity(design.viscosity.0, Dimension::Viscosity)
    );
    if let Some(density) = design.density {
        let _ = writeln!(out, "density = {}", quantity(density.0, Dimension::Density));
    }
    let _ = writeln!(
        out,
        "\n[chip]\nmodel = {}",
        quoted(model_name(design.model))
    );
    if let Some(depth) = design.depth {
        let _ = writeln!(out, "depth = {}", quantity(depth.0, Dimension::Length));
    }
    let _ = writeln!(
        out,
        "width = {}",
        quantity(design.width.0, Dimension::Length)
    );
    if let Some(resolution) = design.resolution {
        let _ = writeln!(out, "resolution = {resolution}");
    }
    if design.walls != WallKind::default() {
        let _ = writeln!(out, "walls = {}", quoted(design.walls.name()));
    }
    let repetitions = &design.parametric.repetitions;
    print_section(
        &mut out,
        ("components", repetitions),
        &design.components,
        |component| &component.name.value,
        component,
    );
    print_section(
        &mut out,
        ("channels", repetitions),
        &design.channels,
        |channel| &channel.name.value,
        channel,
    );
    if !design.connections.is_empty() {
        out.push_str("\n[connections]\npairs = [\n");
        for pair in &design.connections {
            let _ = writeln!(out, "    {},", connection(pair));
        }
        out.push_str("]\n");
    }
    print_section(
        &mut out,
        ("links", repetitions),
        &design.links,
        |link| &link.name.value,
        link,
    );
    sheets(&mut out, &design.sheets);
    print_section(
        &mut out,
        ("ports", repetitions),
        &design.ports,
        |port| &port.name.value,
        port,
    );
    super::species::print_species(&mut out, &design.species);
    for layer in OverlayLayer::ALL {
        let overlays: Vec<&Overlay> = design
            .overlays
            .iter()
            .filter(|o| o.layer == layer)
            .collect();
        print_section(
            &mut out,
            (layer.section(), repetitions),
            &overlays,
            |overlay| &overlay.name.value,
            |overlay| super::overlays::overlay(overlay),
        );
    }
    print_section(
        &mut out,
        ("groups", repetitions),
        &design.groups,
        |group| &group.name.value,
        |group| super::groups::group(group.of.iter().map(|m| m.value.as_str())),
    );
    out
}

fn print_section<T>(
    out: &mut String,
    (title, repetitions): (&str, &[Repetition]),
    items: &[T],
    name: impl Fn(&T) -> &str,
    value: impl Fn(&T) -> String,
) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n[{title}]");
    let mut printed: Vec<(&str, String)> = items.iter().map(|i| (name(i), value(i))).collect();
    for repetition in repetitions.iter().filter(|one| one.section == title) {
        stand_for_copies(&mut printed, repetition);
    }
    for (name, value) in printed {
        let _ = writeln!(out, "{} = {value}", key(name));
    }
}

/// Puts the entry that copies were made from in the place of the first, if all of them are as they were made.
fn stand_for_copies<'n>(printed: &mut Vec<(&'n str, String)>, repetition: &'n Repetition) {
    let made = || repetition.copies.iter().zip(&repetition.printed);
    let is_whole =
        !repetition.copies.is_empty() && repetition.copies.len() == repetition.printed.len() && {
            let now: BTreeMap<&str, &str> = printed.iter().map(|(n, v)| (*n, v.as_str())).collect();
            made().all(|(name, value)| now.get(name.as_str()) == Some(&value.as_str()))
                && !now.contains_key(repetition.name.as_str())
        };
    if is_whole {
        let copies: BTreeSet<&str> = repetition.copies.iter().map(String::as_str).collect();
        let first = printed.iter().position(|(name, _)| copies.contains(name));
        printed.retain(|(name, _)| !copies.contains(name));
        let entry = (repetition.name.as_str(), repetition.source.clone());
        printed.insert(first.unwrap_or_default().min(printed.len()), entry);
    }
}

/// Notes what the copies of repeated entries look like as they were read.
pub(super) fn note_copies(design: &Design, repetitions: &mut [Repetition]) {
    if repetitions.is_empty() {
        return;
    }
    let components = design.components.iter();
    let channels = design.channels.iter();
    let ports = design.ports.iter();
    let sections: [(&str, BTreeMap<&str, String>); 3] = [
        (
            "components",
            components
                .map(|c| (c.name.value.as_str(), component(c)))
                .collect(),
        ),
        (
            "channels",
            channels
                .map(|c| (c.name.value.as_str(), channel(c)))
                .collect(),
        ),
        (
            "ports",
            ports.map(|p| (p.name.value.as_str(), port(p))).collect(),
        ),
    ];
    for repetition in repetitions {
        if let Some((_, items)) = sections
            .iter()
            .find(|(name, _)| *name == repetition.section)
        {
            let copies = repetition.copies.iter();
            repetition.printed = copies
                .filter_map(|n| items.get(n.as_str()).cloned())
                .collect();
        }
    }
}

/// `{ kind = "tee", ... }`
pub(super) fn component(component: &Component) -> String {
    let mut fields = vec![format!("kind = {}", quoted(&component.kind.value))];
    fields.extend(
        placement(&component.placement)
            .into_iter()
            .map(|(key, value)| format!("{key} = {value}")),
    );
    fields.extend(depth_of(component.depth));
    if !component.parameters.is_empty() {
        let parameters = component
            .parameters
            .iter()
            .map(|(name, item)| format!("{} = {}", key(&name.value), value(&item.value)));
        fields.push(format!("parameters = {}", braces(parameters.collect())));
    }
    if !component.dimensions.is_empty() {
        let names = component.dimensions.iter().map(|d| d.value.as_str());
        fields.push(format!("dimensions = {}", names_of(names)));
    }
    braces(fields)
}

/// `["length", "width"]`
pub(super) fn names_of<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(quoted).collect();
    format!("[{}]", names.join(", "))
}

/// `depth = "20 um"`, of what has one of its own.
fn depth_of(depth: Option<Metre>) -> Option<String> {
    depth.map(|depth| format!("depth = {}", quantity(depth.0, Dimension::Length)))
}

/// Keys and values that place a component.
pub(super) fn placement(placement: &Placement) -> Vec<(&'static str, String)> {
    let (mut fields, mirror) = match placement {
        Placement::Absolute {
            at,
            rotation,
            mirror,
        } => {
            let mut fields = vec![("at", point(*at))];
            if rotation.0 != 0.0 {
                fields.push(("rotation", quantity(rotation.0, Dimension::Angle)));
            }
            (fields, mirror)
        }
        Placement::Attached(attachment) => {
            let fields = vec![
                ("attach", quoted(&attachment.socket.value)),
                ("to", quoted(&attachment.to.value)),
            ];
            (fields, &attachment.mirror)
        }
    };
    if *mirror {
        fields.push(("mirror", "true".to_owned()));
    }
    fields
}

/// `{ from = "y1.a", ... }`
pub(super) fn channel(channel: &Channel) -> String {
    let mut fields = vec![format!("from = {}", quoted(&channel.from.value))];
    if let Some(to) = &channel.to {
        fields.push(format!("to = {}", quoted(&to.value)));
    }
    if !channel.via.is_empty() {
        let points: Vec<String> = channel.via.iter().map(|at| point(at.value)).collect();
        fields.push(format!("via = [{}]", points.join(", ")));
    }
    if let Bend::Round(radius) = channel.bend {
        fields.push(format!(
            "bend = \"round\", radius = {}",
            quantity(radius.0, Dimension::Length)
        ));
    }
    if let Some(width) = channel.width {
        fields.push(format!("width = {}", quantity(width.0, Dimension::Length)));
    }
    fields.extend(depth_of(channel.depth));
    braces(fields)
}

/// `{ from = "y1.a", to = "t1.up", length = "3 mm" }`
fn link(link: &Link) -> String {
    let ends = [("from", &link.from), ("to", &link.to)];
    let mut fields: Vec<String> = ends
        .into_iter()
        .filter_map(|(key, end)| Some(format!("{key} = {}", quoted(&end.as_ref()?.value))))
        .collect();
    fields.push(format!(
        "length = {}",
        quantity(link.length.0, Dimension::Length)
    ));
    if let Some(width) = link.width {
        fields.push(format!("width = {}", quantity(width.0, Dimension::Length)));
    }
    fields.extend(depth_of(link.depth));
    if link.bends > 0 {
        fields.push(format!("bends = {}", link.bends));
    }
    braces(fields)
}

fn sheets(out: &mut String, sheets: &Sheets) {
    if *sheets == Sheets::default() {
        return;
    }
    let _ = writeln!(out, "\n[sheets]\ndefault = {}", quoted(&sheets.default));
    if !sheets.of.is_empty() {
        let of = sheets.of.iter();
        let of = of.map(|(item, sheet)| format!("{} = {}", key(&item.value), quoted(sheet)));
        let _ = writeln!(out, "of = {}", braces(of.collect()));
    }
}

/// `["y1.out", "t1.left"]`
pub(super) fn connection(pair: &Connection) -> String {
    format!("[{}, {}]", quoted(&pair.a.value), quoted(&pair.b.value))
}

/// `{ at = "y1.a", flow_rate = "5 µL/min" }`
pub(super) fn port(port: &Port) -> String {
    let (key, value) = condition(&port.condition.value);
    braces(vec![
        format!("at = {}", quoted(&port.at.value)),
        format!("{key} = {value}"),
    ])
}

/// Key and value of a port's condition.
pub(super) fn condition(condition: &PortCondition) -> (&'static str, String) {
    match condition {
        PortCondition::FlowRate(rate) => ("flow_rate", quantity(rate.0, Dimension::FlowRate)),
        PortCondition::FlowRatePerDepth(rate) => {
            ("flow_rate", quantity(rate.0, Dimension::FlowRatePerDepth))
        }
        PortCondition::Pressure(pressure) => {
            ("pressure", quantity(pressure.0, Dimension::Pressure))
        }
        PortCondition::TractionFree => ("traction_free", "true".to_owned()),
    }
}

/// The name of a model in design files.
pub(super) fn model_name(model: DepthModel) -> &'static str {
    model.name()
}

/// A parameter's value in TOML.
pub(super) fn value(item: &Value) -> String {
    match item {
        Value::Quantity(number, dimension) => quantity(*number, *dimension),
        // Whole numbers stay whole: a count of 3 is no 3.0.
        Value::Number(number)
            if number.fract() == 0.0
                && number.abs() < 1e15
                && !(*number == 0.0 && number.is_sign_negative()) =>
        {
            format!("{number:.0}")
        }
        Value::Number(number) => toml_edit::Value::from(*number).to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Text(text) => quoted(text),
        Value::List(items) => format!(
            "[{}]",
            items.iter().map(value).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// A quantity in quotes.
pub(super) fn quantity(number: f64, dimension: Dimension) -> String {
    format!("\"{}\"", print_quantity(number, dimension))
}

/// A text in quotes, escaped.
pub(super) fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

pub(super) fn point(at: Point) -> String {
    format!(
        "[{}, {}]",
        quantity(at.x, Dimension::Length),
        quantity(at.y, Dimension::Length)
    )
}

pub(super) fn key(name: &str) -> String {
    toml_edit::Key::new(name)
        .default_repr()
        .as_raw()
        .as_str()
        .map_or_else(|| quoted(name), str::to_owned)
}

pub(super) fn braces(fields: Vec<String>) -> String {
    format!("{{ {} }}", fields.join(", "))
}
