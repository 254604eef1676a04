//! [`Design`] to a fresh file in canonical form: one component, channel or port per line.
//!
//! `parse(print(d))` is `d` but for spans and the name, which is not in the file.

use std::fmt::Write as _;

use super::{
    Bend, Channel, Component, Connection, Design, Dimension, FORMAT, Placement, Port,
    PortCondition, Value,
};
use crate::design::DepthModel;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::print_quantity;

/// Writes a whole design file.
pub fn print(design: &Design) -> String {
    let mut out = String::new();
    // Writing into a String can't fail.
    let _ = writeln!(out, "format = {FORMAT}");
    if let Some(title) = &design.title {
        let _ = writeln!(out, "title = {}", quoted(title));
    }
    let _ = writeln!(
        out,
        "\n[fluid]\nviscosity = {}",
        quantity(design.viscosity.0, Dimension::Viscosity)
    );
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
    print_section(
        &mut out,
        "components",
        &design.components,
        |component| &component.name.value,
        component,
    );
    print_section(
        &mut out,
        "channels",
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
        "ports",
        &design.ports,
        |port| &port.name.value,
        port,
    );
    super::species::print_species(&mut out, &design.species);
    out
}

fn print_section<T>(
    out: &mut String,
    title: &str,
    items: &[T],
    name: impl Fn(&T) -> &str,
    value: impl Fn(&T) -> String,
) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n[{title}]");
    for item in items {
        let _ = writeln!(out, "{} = {}", key(name(item)), value(item));
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
    if !component.parameters.is_empty() {
        let parameters = component
            .parameters
            .iter()
            .map(|(name, item)| format!("{} = {}", key(&name.value), value(&item.value)));
        fields.push(format!("parameters = {}", braces(parameters.collect())));
    }
    braces(fields)
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
    braces(fields)
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

fn point(at: Point) -> String {
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
