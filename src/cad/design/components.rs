//! The sections `[components]` and `[channels]`: placements, parameters, way-points.

use toml::de::DeValue;

use super::names::{own_socket, socket_of};
use super::sections::{LENGTHS, named_entries};
use super::table::{Node, Owner, Table, in_file_order, kind_of};
use super::{
    Attachment, Bend, Channel, Component, Dimension, Placement, Spanned, Value, codes, keys,
};
use stokeslet_base::diagnostic::Reporter;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Metre, QuantityError, Radian, parse_quantity};

/// How deep lists in parameters may nest.
const MAX_DEPTH: usize = 16;
/// Farthest coordinate, m.
const MAX_COORDINATE: f64 = LENGTHS.1;

pub(super) fn read_components(node: &Node<'_>, reporter: &mut Reporter) -> Vec<Component> {
    named_entries(node, "components", reporter)
        .into_iter()
        .filter_map(|(name, node)| read_component(name, node, reporter))
        .collect()
}

fn read_component(
    name: Spanned<String>,
    node: &Node<'_>,
    reporter: &mut Reporter,
) -> Option<Component> {
    let what = Owner::Named("component", &name.value);
    let table = Table::open_node(node, what, &keys::COMPONENTS.names(), reporter)?;
    table.require(
        "kind",
        "say what it is: kind = \"tee\"; `stokeslet components` lists the library",
        reporter,
    );
    let kind = table.text("kind", reporter);
    let placement = read_placement(&table, reporter);
    let parameters = match table.get("parameters") {
        Some(node) => read_parameters(&table, node, reporter),
        None => Vec::new(),
    };
    let depth = table.quantity_within("depth", Dimension::Length, LENGTHS, reporter);
    if table.has("depth") && depth.is_none() {
        return None;
    }
    let dimensions = read_dimensions(&table, reporter)?;
    Some(Component {
        name,
        kind: kind?,
        placement: placement?,
        parameters,
        depth: depth.map(|depth| Metre(depth.value)),
        dimensions,
    })
}

fn read_dimensions(table: &Table<'_, '_>, reporter: &mut Reporter) -> Option<Vec<Spanned<String>>> {
    if !table.has("dimensions") {
        return Some(Vec::new());
    }
    let mut out = Vec::new();
    for node in table.list("dimensions", reporter)? {
        let DeValue::String(text) = node.get_ref() else {
            let wanted = "a list of parameters in quotes";
            table.wrong_type("dimensions", node, node.get_ref(), wanted, reporter);
            return None;
        };
        out.push(Spanned {
            value: text.to_string(),
            span: node.span(),
        });
    }
    Some(out)
}

fn read_placement(table: &Table<'_, '_>, reporter: &mut Reporter) -> Option<Placement> {
    let mirror = table
        .flag("mirror", reporter)
        .is_some_and(|mirror| mirror.value);
    let rotation = table.quantity("rotation", Dimension::Angle, reporter);
    let is_attached = table.has("attach") || table.has("to");
    match (table.has("at"), is_attached) {
        (true, true) => {
            let help = "keep `at`, or `attach` and `to`".to_owned();
            let message = format!("{} is placed twice: by `at` and by `attach`", table.what);
            table.report(
                reporter,
                codes::EXCLUSIVE,
                message,
                table.span(),
                Some(help),
            );
            None
        }
        (false, true) => {
            table.require(
                "attach",
                "say which of its own sockets meets the other: attach = \"left\"",
                reporter,
            );
            table.require("to", "say which socket it meets: to = \"y1.out\"", reporter);
            if let Some(node) = table.get("rotation") {
                let help = "the sockets decide how it is turned: remove `rotation`".to_owned();
                let message = format!("{} is attached and can't be turned as well", table.what);
                table.report(reporter, codes::EXCLUSIVE, message, node.span(), Some(help));
            }
            let socket = own_socket(table, "attach", reporter);
            let to = socket_of(table, "to", reporter);
            Some(Placement::Attached(Attachment {
                socket: socket?,
                to: to?,
                mirror,
            }))
        }
        (true, false) => Some(Placement::Absolute {
            at: read_point(table, table.get("at")?, "at", reporter)?.value,
            rotation: Radian(rotation.map_or(0.0, |rotation| rotation.value)),
            mirror,
        }),
        (false, false) => {
            table.require(
                "at",
                "place it with at = [\"0 mm\", \"0 mm\"], or with attach = \"left\", to = \"y1.out\"",
                reporter,
            );
            None
        }
    }
}

pub(super) fn read_point(
    table: &Table<'_, '_>,
    node: &Node<'_>,
    key: &str,
    reporter: &mut Reporter,
) -> Option<Spanned<Point>> {
    let Some([x, y]) = node.get_ref().as_array().map(|list| &list[..]) else {
        let wanted = "a position, such as [\"1 mm\", \"0 mm\"]";
        let got = match node.get_ref() {
            DeValue::Array(list) => format!("a list of {}", list.len()),
            other => kind_of(other).to_owned(),
        };
        let message = format!("`{key}` of {} is {got}, wanted {wanted}", table.what);
        table.report(reporter, codes::TYPE, message, node.span(), None);
        return None;
    };
    let mut coordinate = |node: &Node<'_>| {
        let value = table.quantity_of(node, key, Dimension::Length, reporter)?;
        if value.value.abs() <= MAX_COORDINATE {
            return Some(value.value);
        }
        let message = format!(
            "`{key}` of {} is {:e} m away: no chip is that large",
            table.what, value.value
        );
        table.report(
            reporter,
            codes::RANGE,
            message,
            value.span,
            Some(format!("at most {MAX_COORDINATE:e} m")),
        );
        None
    };
    let (x, y) = (coordinate(x), coordinate(y));
    Some(Spanned {
        value: Point::new(x?, y?),
        span: node.span(),
    })
}

/// The list of positions at a key; `None` where one of them can't be read.
pub(super) fn read_points(
    table: &Table<'_, '_>,
    key: &str,
    reporter: &mut Reporter,
) -> Option<Vec<Point>> {
    let list = table.list(key, reporter)?;
    let read = |node| read_point(table, node, key, reporter);
    let points: Vec<_> = list.iter().map(read).collect();
    points
        .into_iter()
        .map(|point| point.map(|p| p.value))
        .collect()
}

fn read_parameters(
    table: &Table<'_, '_>,
    node: &Node<'_>,
    reporter: &mut Reporter,
) -> Vec<(Spanned<String>, Spanned<Value>)> {
    let DeValue::Table(entries) = node.get_ref() else {
        table.wrong_type(
            "parameters",
            node,
            node.get_ref(),
            "a table, such as { angle = \"60 deg\" }",
            reporter,
        );
        return Vec::new();
    };
    in_file_order(entries)
        .into_iter()
        .filter_map(|(key, node)| {
            let value = read_value(table, key.get_ref(), node, 0, reporter)?;
            let name = Spanned {
                value: key.get_ref().to_string(),
                span: key.span(),
            };
            Some((
                name,
                Spanned {
                    value,
                    span: node.span(),
                },
            ))
        })
        .collect()
}

fn read_value(
    table: &Table<'_, '_>,
    key: &str,
    node: &Node<'_>,
    depth: usize,
    reporter: &mut Reporter,
) -> Option<Value> {
    match node.get_ref() {
        DeValue::String(text) => read_text(table, key, node, text, reporter),
        DeValue::Boolean(value) => Some(Value::Bool(*value)),
        DeValue::Integer(number) => {
            let value = i64::from_str_radix(number.as_str(), number.radix()).ok();
            // Every count that a chip can have is held exactly; what isn't would be changed in silence.
            finite(
                table,
                key,
                node,
                value
                    .map(|value| value as f64)
                    .filter(|value| value.abs() < 9e15),
                reporter,
            )
        }
        DeValue::Float(number) => finite(
            table,
            key,
            node,
            number
                .as_str()
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite()),
            reporter,
        ),
        DeValue::Array(_) if depth >= MAX_DEPTH => {
            let message = format!(
                "`{key}` of {} nests lists more than {MAX_DEPTH} deep",
                table.what
            );
            table.report(reporter, codes::TOO_LARGE, message, node.span(), None);
            None
        }
        DeValue::Array(list) => {
            let values: Vec<Option<Value>> = list
                .iter()
                .map(|node| read_value(table, key, node, depth + 1, reporter))
                .collect();
            Some(Value::List(values.into_iter().collect::<Option<_>>()?))
        }
        other @ (DeValue::Datetime(_) | DeValue::Table(_)) => {
            table.wrong_type(
                key,
                node,
                other,
                "a quantity, a number, a text or a list",
                reporter,
            );
            None
        }
    }
}

/// A text that starts like a number is meant as a quantity: what is wrong with its unit is said here, where the unit can be named.
fn read_text(
    table: &Table<'_, '_>,
    key: &str,
    node: &Node<'_>,
    text: &str,
    reporter: &mut Reporter,
) -> Option<Value> {
    match parse_quantity(text) {
        Ok((value, dimension)) => Some(Value::Quantity(value, dimension)),
        Err(error) => {
            let start = text.trim_start().trim_start_matches(['+', '-', '.']);
            if start.starts_with(|c: char| c.is_ascii_digit())
                || matches!(error, QuantityError::NotFinite { .. })
            {
                table.bad_quantity(key, node, &error, None, reporter);
                return None;
            }
            Some(Value::Text(text.to_owned()))
        }
    }
}

fn finite(
    table: &Table<'_, '_>,
    key: &str,
    node: &Node<'_>,
    value: Option<f64>,
    reporter: &mut Reporter,
) -> Option<Value> {
    if value.is_none() {
        let message = format!(
            "`{key}` of {} is not a finite number that can be held",
            table.what
        );
        table.report(reporter, codes::RANGE, message, node.span(), None);
    }
    value.map(Value::Number)
}

pub(super) fn read_channels(node: &Node<'_>, reporter: &mut Reporter) -> Vec<Channel> {
    named_entries(node, "channels", reporter)
        .into_iter()
        .filter_map(|(name, node)| read_channel(name, node, reporter))
        .collect()
}

fn read_channel(
    name: Spanned<String>,
    node: &Node<'_>,
    reporter: &mut Reporter,
) -> Option<Channel> {
    let what = Owner::Named("channel", &name.value);
    let table = Table::open_node(node, what, &keys::CHANNELS.names(), reporter)?;
    table.require(
        "from",
        "say which socket it starts from: from = \"y1.a\"",
        reporter,
    );
    let from = socket_of(&table, "from", reporter);
    let to = socket_of(&table, "to", reporter);
    let via = table.list("via", reporter).unwrap_or_default();
    if !table.has("to")
        && (!table.has("via")
            || table
                .get("via")
                .is_some_and(|via| via.get_ref().as_array().is_some_and(|l| l.is_empty())))
    {
        table.require(
            "to",
            "say where it ends: to = \"t1.left\", or at its last way-point: via = [[\"1 mm\", \"0 mm\"]]",
            reporter,
        );
    }
    let n_points = via.len();
    let via: Vec<_> = via
        .iter()
        .filter_map(|node| read_point(&table, node, "via", reporter))
        .collect();
    let width = table.quantity_within("width", Dimension::Length, LENGTHS, reporter);
    let depth = table.quantity_within("depth", Dimension::Length, LENGTHS, reporter);
    let bend = read_bend(&table, reporter);
    if via.len() < n_points || table.has("depth") && depth.is_none() {
        return None;
    }
    Some(Channel {
        name,
        from: from?,
        to,
        via,
        width: width.map(|width| Metre(width.value)),
        bend: bend?,
        depth: depth.map(|depth| Metre(depth.value)),
    })
}

fn read_bend(table: &Table<'_, '_>, reporter: &mut Reporter) -> Option<Bend> {
    let is_round = match table.has("bend") {
        true => table.choice("bend", &[("mitred", false), ("round", true)], reporter),
        false => Some(false),
    };
    let radius = table.quantity_within("radius", Dimension::Length, LENGTHS, reporter);
    if is_round? {
        table.require(
            "radius",
            "round bends need the radius of their centre line: radius = \"200 um\"",
            reporter,
        );
        return Some(Bend::Round(Metre(radius?.value)));
    }
    if let Some(node) = table.get("radius") {
        let message = format!("{} has a `radius` but its bends aren't round", table.what);
        table.report(
            reporter,
            codes::EXCLUSIVE,
            message,
            node.span(),
            Some("add bend = \"round\", or remove `radius`".to_owned()),
        );
    }
    Some(Bend::Mitred)
}
