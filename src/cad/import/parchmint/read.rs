//! The text of a ParchMint file becomes a netlist of its flow layer, in metres; what can't be understood is reported with its place.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::super::graph::error;
use super::super::json;
use stokeslet_base::diagnostic::{Reporter, Severity};

/// Larger netlists are refused.
const MAX_SIZE: usize = 20_000;
/// Longest length of a file, m; beyond it a number is a mistake.
const LONGEST: f64 = 1e3;

/// How a file writes what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `version` 1.2 or later, micrometres.
    PlaceAndRoute,
    /// No version; lengths are multiples of `params.lambda` micrometres.
    Lambda,
    /// No version and no unit: micrometres are assumed.
    Bare,
}

impl Dialect {
    /// For people.
    pub fn describe(self) -> &'static str {
        match self {
            Dialect::PlaceAndRoute => "ParchMint 1.2 (a netlist)",
            Dialect::Lambda => "ParchMint v1, lengths in multiples of lambda",
            Dialect::Bare => "ParchMint v1 without units: micrometres are assumed",
        }
    }
}

/// An end of a connection: a component and the label of a port.
#[derive(Clone, Debug)]
pub(super) struct Target {
    /// Index into [`Netlist::components`].
    pub component: usize,
    pub label: Option<String>,
}

/// From one component to another on the flow layer.
#[derive(Clone, Debug)]
pub(super) struct Connection {
    /// Place in the file, `connections[3]`.
    pub place: String,
    pub name: String,
    pub ends: [Target; 2],
    /// m.
    pub width: Option<f64>,
    /// Length of its path, m; Manhattan distance of its ends where it has none.
    pub length: Option<f64>,
    /// m.
    pub depth: Option<f64>,
}

/// A port of a component in the component's frame, m.
#[derive(Clone, Debug)]
pub(super) struct PortAt {
    pub label: String,
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Debug)]
pub(super) struct Component {
    /// Place in the file, `components[3]`.
    pub place: String,
    pub name: String,
    /// Capitals, single spaces.
    pub entity: String,
    pub params: Map<String, Value>,
    pub ports: Vec<PortAt>,
    /// m; `None` where it isn't positive.
    pub span: Option<[f64; 2]>,
    /// m.
    pub position: Option<[f64; 2]>,
}

/// The flow layer of a file.
#[derive(Debug)]
pub(super) struct Netlist {
    pub dialect: Dialect,
    pub name: String,
    /// Micrometres in one unit of the file: dividing by a million at the end keeps whole micrometres whole.
    pub unit: f64,
    pub components: Vec<Component>,
    pub connections: Vec<Connection>,
    /// Depths of channels, m.
    pub channel_depths: Vec<f64>,
}

/// Reads a file; none where nothing can be made of it.
pub(super) fn read(text: &str, close: &[String], out: &mut Reporter) -> Option<Netlist> {
    let root = json::object(text, out)?;
    let (Some(components), Some(connections)) = (
        json::list(&root, "components", out),
        json::list(&root, "connections", out),
    ) else {
        let help = "a ParchMint file has `components`, `connections` and `layers`";
        let message = "this is not ParchMint: a list is missing".to_owned();
        out.report(error("D320", None, message, help));
        return None;
    };
    if components.len().max(connections.len()) > MAX_SIZE {
        let message = format!(
            "the file has {} components and {} connections",
            components.len(),
            connections.len()
        );
        out.report(error("D313", None, message, "at most 20000 of each"));
        return None;
    }
    let (dialect, unit) = dialect(&root, out)?;
    let flow = flow_layers(&root);
    let mut netlist = Netlist {
        dialect,
        unit,
        name: json::text(&root, "name").unwrap_or_default(),
        components: Vec::new(),
        connections: Vec::new(),
        channel_depths: Vec::new(),
    };
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    for (k, node) in components.iter().enumerate() {
        let place = format!("components[{k}]");
        let Some(component) = component(node, &place, unit, out) else {
            continue;
        };
        let id = json::text_of(node, "id").unwrap_or_else(|| component.name.clone());
        if let Some(other) = ids.insert(id.clone(), netlist.components.len()) {
            let first = &netlist.components[other].place;
            let message = format!("two components have the id `{id}`: the other is {first}");
            out.report(error("D310", Some(place), message, "ids are unique"));
        }
        netlist.components.push(component);
    }
    let closed = closed(&root, close, &ids, &netlist.components, out);
    let mut left_out = 0;
    for (k, node) in connections.iter().enumerate() {
        let place = format!("connections[{k}]");
        let Some(object) = node.as_object() else {
            let message = format!("{place} is not an object");
            out.report(error("D320", Some(place), message, ""));
            continue;
        };
        let layer = object.get("layer").and_then(Value::as_str);
        if layer.is_some_and(|layer| !flow.is_empty() && !flow.contains(layer)) {
            left_out += 1;
            continue;
        }
        let id = json::text(object, "id").unwrap_or_default();
        if !closed.contains(&id) {
            connection(object, &place, &ids, &mut netlist, out);
        }
    }
    note_control(&root, left_out, &netlist, out);
    Some(netlist)
}

fn dialect(root: &Map<String, Value>, out: &mut Reporter) -> Option<(Dialect, f64)> {
    let lambda = root.get("params").and_then(|params| params.get("lambda"));
    if root.contains_key("version") {
        return Some((Dialect::PlaceAndRoute, 1.0));
    }
    let Some(lambda) = lambda else {
        return Some((Dialect::Bare, 1.0));
    };
    match json::number(lambda) {
        Some(lambda) if lambda > 0.0 && lambda <= 1e4 => Some((Dialect::Lambda, lambda)),
        _ => {
            let message = format!("`params.lambda` is {lambda}, wanted micrometres");
            out.report(error(
                "D329",
                Some("params.lambda".to_owned()),
                message,
                "such as 10",
            ));
            None
        }
    }
}

/// Whether a file draws features: lists of features, here or in its layers, each with a `macro` or `type`.
/// Names and ids of flow layers; none where the file names no layers.
fn flow_layers(root: &Map<String, Value>) -> BTreeSet<String> {
    let layers = root.get("layers").and_then(Value::as_array);
    let mut out = BTreeSet::new();
    for layer in layers.into_iter().flatten() {
        let kind = json::text_of(layer, "type").filter(|kind| !kind.is_empty());
        let name = json::text_of(layer, "name").unwrap_or_default();
        let is_flow = match kind {
            Some(kind) => kind.eq_ignore_ascii_case("flow"),
            None => name.to_lowercase().contains("flow"),
        };
        if is_flow {
            out.extend(json::text_of(layer, "id"));
            out.insert(name);
        }
    }
    out
}

fn component(node: &Value, place: &str, unit: f64, out: &mut Reporter) -> Option<Component> {
    let Some(object) = node.as_object() else {
        let message = format!("{place} is not an object");
        out.report(error("D320", Some(place.to_owned()), message, ""));
        return None;
    };
    let entity = json::text(object, "entity").unwrap_or_default();
    let name = json::text(object, "name").or_else(|| json::text(object, "id"));
    let Some(name) = name else {
        let message = format!("{place} has neither a name nor an id");
        out.report(error("D320", Some(place.to_owned()), message, ""));
        return None;
    };
    let params = object.get("params").and_then(Value::as_object);
    let params = params.cloned().unwrap_or_default();
    let ports = object.get("ports").and_then(Value::as_array);
    let mut found = Vec::new();
    for port in ports.into_iter().flatten() {
        let at = |key: &str| length(port.get(key), unit).unwrap_or(0.0);
        let label = port.get("label").map(label_of).unwrap_or_default();
        found.push(PortAt {
            label,
            x: at("x"),
            y: at("y"),
        });
    }
    let span = |key: &str| length(object.get(key), unit).filter(|&span| span > 0.0);
    let position = match params.get("position") {
        Some(Value::Array(xy)) if xy.len() == 2 => Some([&xy[0], &xy[1]]),
        Some(Value::Object(xy)) => xy.get("x").zip(xy.get("y")).map(|(x, y)| [x, y]),
        _ => None,
    };
    let position = position.and_then(|[x, y]| {
        let [x, y] = [x, y].map(|v| length(Some(v), unit));
        Some([x?, y?])
    });
    Some(Component {
        place: place.to_owned(),
        name,
        entity: entity
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_uppercase(),
        params,
        ports: found,
        span: span("x-span").zip(span("y-span")).map(|(x, y)| [x, y]),
        position,
    })
}

/// A coordinate or length, m.
fn length(value: Option<&Value>, unit: f64) -> Option<f64> {
    let metres = json::number(value?)? * unit / 1e6;
    (metres.abs() <= LONGEST).then_some(metres)
}

fn label_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn connection(
    object: &Map<String, Value>,
    place: &str,
    ids: &BTreeMap<String, usize>,
    netlist: &mut Netlist,
    out: &mut Reporter,
) {
    let name = json::text(object, "name").or_else(|| json::text(object, "id"));
    let name = name.unwrap_or_else(|| place.to_owned());
    let mut target = |node: Option<&Value>, key: &str| {
        let at = format!("{place}.{key}");
        let id = node.and_then(|node| node.get("component")).map(label_of);
        let Some(id) = id else {
            let message = format!("`{at}` names no component");
            out.report(error(
                "D322",
                Some(at),
                message,
                "an end has `component` and `port`",
            ));
            return None;
        };
        let Some(&component) = ids.get(&id) else {
            let message = format!("connection `{name}` ends at `{id}`, which isn't there");
            out.report(error(
                "D322",
                Some(at),
                message,
                "its ends are ids of components",
            ));
            return None;
        };
        let label = node.and_then(|node| node.get("port")).map(label_of);
        Some(Target {
            component,
            label: label.filter(|label| !label.is_empty()),
        })
    };
    let source = target(object.get("source"), "source");
    let sinks = object.get("sinks").and_then(Value::as_array);
    let sinks: Vec<Option<Target>> = sinks
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(k, sink)| target(Some(sink), &format!("sinks[{k}]")))
        .collect();
    if sinks.is_empty() {
        let message = format!("connection `{name}` has no sinks");
        out.report(error("D322", Some(place.to_owned()), message, ""));
    }
    let params = object.get("params").and_then(Value::as_object);
    let width = params.and_then(|p| p.get("channelWidth").or_else(|| p.get("width")));
    let width = match width {
        None | Some(Value::Null) => None,
        Some(value) => match length(Some(value), netlist.unit) {
            Some(width) if (1e-8..=1.0).contains(&width) => Some(width),
            _ => {
                let message = format!("connection `{name}` is {value} wide");
                let at = Some(format!("{place}.params.channelWidth"));
                out.report(error("D329", at, message, "10 nm to 1 m can be solved"));
                return;
            }
        },
    };
    let depth = params.and_then(|p| p.get("height"));
    let depth = length(depth, netlist.unit).filter(|&depth| depth > 0.0);
    let depth = depth.filter(|d| (1e-8..=1.0).contains(d));
    netlist.channel_depths.extend(depth);
    let Some(source) = source else { return };
    for (k, sink) in sinks.into_iter().enumerate() {
        let Some(sink) = sink else { continue };
        let length =
            path_length(object, k, netlist.unit).or_else(|| distance(netlist, &source, &sink));
        netlist.connections.push(Connection {
            place: place.to_owned(),
            name: if k == 0 {
                name.clone()
            } else {
                format!("{name}_{k}")
            },
            ends: [source.clone(), sink],
            width,
            length,
            depth,
        });
    }
}

/// Length of the path to sink `k`, m. (Paths of the benchmark's files run along the axes, where it is the Manhattan length; the exporter's
/// follow arcs.)
fn path_length(object: &Map<String, Value>, k: usize, unit: f64) -> Option<f64> {
    let paths = object.get("paths").and_then(Value::as_array)?;
    let points = paths.get(k)?.get("wayPoints")?.as_array()?;
    let mut sum = 0.0;
    let mut before: Option<[f64; 2]> = None;
    for point in points {
        let point = point.as_array().filter(|p| p.len() == 2)?;
        let at = [
            length(Some(&point[0]), unit)?,
            length(Some(&point[1]), unit)?,
        ];
        if let Some(before) = before {
            sum += f64::hypot(at[0] - before[0], at[1] - before[1]);
        }
        before = Some(at);
    }
    (points.len() >= 2).then_some(sum)
}

/// Manhattan distance of two ports, m; none where the components have no places.
fn distance(netlist: &Netlist, a: &Target, b: &Target) -> Option<f64> {
    let at = |target: &Target| {
        let component = &netlist.components[target.component];
        let [x, y] = component.position?;
        let label = target.label.as_deref();
        let port = component
            .ports
            .iter()
            .find(|p| Some(p.label.as_str()) == label);
        let (dx, dy) = port.map_or((0.0, 0.0), |port| (port.x, port.y));
        Some(([x, y], [x + dx, y + dy]))
    };
    let ((place_a, a), (place_b, b)) = (at(a)?, at(b)?);
    // Both in one place: nobody placed them.
    (place_a != place_b).then(|| (a[0] - b[0]).abs() + (a[1] - b[1]).abs())
}

/// Ids of connections that closed valves close.
fn closed(
    root: &Map<String, Value>,
    close: &[String],
    ids: &BTreeMap<String, usize>,
    components: &[Component],
    out: &mut Reporter,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if close.is_empty() {
        return found;
    }
    let mut pairs: Vec<(String, String)> = Vec::new();
    match root.get("valves") {
        Some(Value::Array(valves)) => {
            for valve in valves {
                let id = |keys: [&str; 2]| keys.iter().find_map(|key| json::text_of(valve, key));
                let component = id(["componentid", "component"]);
                pairs.extend(component.zip(id(["connectionid", "connection"])));
            }
        }
        Some(Value::Object(valves)) => {
            let text =
                |(valve, at): (&String, &Value)| Some((valve.clone(), at.as_str()?.to_owned()));
            pairs.extend(valves.iter().filter_map(text));
        }
        _ => {}
    }
    for name in close {
        let named =
            |id: &str| id == name || ids.get(id).is_some_and(|&k| components[k].name == *name);
        let before = found.len();
        found.extend(
            pairs
                .iter()
                .filter(|(valve, _)| named(valve))
                .map(|(_, c)| c.clone()),
        );
        if found.len() == before {
            let message = format!("`valves` says nothing about a valve `{name}`");
            let help = "valves to close are named as the file names them";
            out.report(error("D322", Some("valves".to_owned()), message, help));
        }
    }
    found
}

/// D328: what of the control layer was left out.
fn note_control(
    root: &Map<String, Value>,
    connections: usize,
    netlist: &Netlist,
    out: &mut Reporter,
) {
    let mut used = vec![false; netlist.components.len()];
    for end in netlist.connections.iter().flat_map(|c| &c.ends) {
        used[end.component] = true;
    }
    let components = used.iter().filter(|used| !**used).count();
    let valves = match root.get("valves") {
        Some(Value::Array(valves)) => valves.len(),
        Some(Value::Object(valves)) => valves.len(),
        _ => 0,
    };
    if connections > 0 {
        let message = format!(
            "the control layer is left out: {components} components, {connections} connections, {valves} valves"
        );
        let help =
            "valves are open; `--close v1,v2` leaves out the connections that `valves` names";
        let mut note = error("D328", Some("layers".to_owned()), message, help);
        note.severity = Severity::Warning;
        out.report(note);
    }
}
