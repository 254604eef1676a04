//! The text of an MMFT file becomes a network with its ports.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::super::graph::error;
use super::super::json;
use stokeslet_base::diagnostic::{Reporter, Severity};
use stokeslet_base::geometry::Point;

/// Larger networks are refused.
const MAX_SIZE: usize = 20_000;
/// Lengths farther from the distance of their nodes than this, m, are lengths of their own.
const SAME_LENGTH: f64 = 1e-9;
/// At the first ground node of a file without pumps, Pa.
const ASSUMED_PRESSURE: f64 = 1e3;

/// A channel between two nodes, m.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub nodes: [usize; 2],
    pub width: f64,
    pub depth: f64,
    /// Its own length, where that is not the distance of its nodes in the plane.
    pub length: Option<f64>,
    /// Its number in the file; none for arms of modules.
    pub number: Option<usize>,
}

/// What holds at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    /// Pa.
    Pressure(f64),
    /// Into the network, m^3/s.
    FlowRate(f64),
}

/// A network as the file means it: without pumps, with ports.
#[derive(Clone, Debug)]
pub struct Network {
    pub(super) nodes: Vec<Point>,
    pub(super) channels: Vec<Channel>,
    pub(super) ports: BTreeMap<usize, Held>,
    pub(super) is_assumed: bool,
    /// Depth of the first channel, m.
    pub(super) depth: f64,
    /// Pa s.
    pub(super) viscosity: f64,
    /// Whether its law is that of plane flow.
    pub(super) is_plane: bool,
}

impl Network {
    /// Whether a depth is another than the chip's.
    pub(super) fn differs(&self, depth: f64) -> bool {
        (depth - self.depth).abs() > 1e-9 * self.depth
    }

    /// Whether two depths are one.
    pub(super) fn same(&self, [a, b]: [f64; 2]) -> bool {
        (a - b).abs() <= 1e-9 * self.depth
    }

    /// Length of a channel, m.
    pub(super) fn length(&self, channel: &Channel) -> f64 {
        let [a, b] = channel.nodes.map(|node| self.nodes[node]);
        channel.length.unwrap_or((b - a).norm())
    }
}

fn warn(code: &'static str, place: &str, message: String, out: &mut Reporter) {
    let mut warning = error(code, Some(place.to_owned()), message, "");
    warning.severity = Severity::Warning;
    out.report(warning);
}

/// Warns of lists that aren't empty and that nothing here stands for.
fn left_out(table: &Map<String, Value>, place: &str, keys: &[&str], out: &mut Reporter) {
    for key in keys {
        let list = table.get(*key).and_then(Value::as_array);
        let n = list.map_or(0, Vec::len);
        if n > 0 {
            let message = format!("{n} {key} are left out");
            warn("D321", &format!("{place}.{key}"), message, out);
        }
    }
}

pub(super) fn read(text: &str, out: &mut Reporter) -> Option<Network> {
    let root = json::object(text, out)?;
    let network = root
        .get("network")
        .and_then(Value::as_object)
        .unwrap_or(&root);
    let (nodes, channels) = (
        json::list(network, "nodes", out),
        json::list(network, "channels", out),
    );
    let (Some(nodes), Some(channels)) = (nodes, channels) else {
        let help = "its `network` has lists `nodes` and `channels`; a file with the simulation alone has no shape";
        out.report(error(
            "D320",
            Some("network".to_owned()),
            "this is no network of MMFT".to_owned(),
            help,
        ));
        return None;
    };
    if nodes.len().max(channels.len()) > MAX_SIZE {
        let message = format!(
            "the network has {} nodes and {} channels",
            nodes.len(),
            channels.len()
        );
        out.report(error(
            "D313",
            None,
            message,
            "at most 20000 of each can be imported",
        ));
        return None;
    }
    let mut found = Network {
        nodes: Vec::new(),
        channels: Vec::new(),
        ports: BTreeMap::new(),
        is_assumed: false,
        depth: 0.0,
        viscosity: 1e-3,
        is_plane: false,
    };
    let mut heights = Vec::new();
    let mut grounds = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let at = |key: &str| json::number_at(node, key).filter(|v| v.abs() <= 1e3);
        let (Some(x), Some(y)) = (at("x"), at("y")) else {
            let message = format!("node {k} has no place");
            out.report(error(
                "D303",
                Some(format!("network.nodes[{k}]")),
                message,
                "x and y in m",
            ));
            return None;
        };
        found.nodes.push(Point::new(x, y));
        heights.push(at("z").unwrap_or(0.0));
        let flag = |key: &str| node.get(key).and_then(Value::as_bool) == Some(true);
        if flag("ground") || flag("sink") {
            grounds.push(k);
        }
    }
    for (k, channel) in channels.iter().enumerate() {
        read_channel(channel, k, &heights, &mut found, out);
    }
    if out.has_errors() {
        return None;
    }
    found.depth = found.channels.first().map_or(0.0, |c| c.depth);
    modules(network, &mut found, out);
    simulation(&root, &grounds, &mut found, out);
    left_out(network, "network", &["membranes", "tanks", "organs"], out);
    Some(found).filter(|_| !out.has_errors())
}

fn read_channel(
    channel: &Value,
    k: usize,
    heights: &[f64],
    found: &mut Network,
    out: &mut Reporter,
) {
    let place = format!("network.channels[{k}]");
    let node = |key: &str| {
        let node = channel.get(key)?.as_u64()?;
        usize::try_from(node)
            .ok()
            .filter(|&node| node < heights.len())
    };
    let (Some(a), Some(b)) = (node("node1"), node("node2")) else {
        let message = format!("channel {k} ends at a node that isn't there");
        out.report(error(
            "D304",
            Some(place),
            message,
            "`node1` and `node2` count from 0",
        ));
        return;
    };
    if a == b {
        let message = format!("channel {k} leads from node {a} to itself");
        out.report(error("D305", Some(place), message, ""));
        return;
    }
    let size = |key: &str| json::number_at(channel, key).filter(|v| (1e-8..=1.0).contains(v));
    let (Some(width), Some(height)) = (size("width"), size("height")) else {
        let message = format!("channel {k} has no width or height from 10 nm to 1 m");
        out.report(error("D303", Some(place), message, "both in m"));
        return;
    };
    let plane = (found.nodes[b] - found.nodes[a]).norm();
    let distance = plane.hypot(heights[b] - heights[a]);
    let length = match channel.get("length") {
        None | Some(Value::Null) => distance,
        Some(value) => match json::number(value) {
            Some(length) if (1e-9..=1e3).contains(&length) => length,
            _ => {
                let message = format!("channel {k} is {value} long");
                out.report(error(
                    "D303",
                    Some(format!("{place}.length")),
                    message,
                    "in m",
                ));
                return;
            }
        },
    };
    let is_own = (length - plane).abs() > SAME_LENGTH;
    found.channels.push(Channel {
        nodes: [a, b],
        width,
        depth: height,
        length: is_own.then_some(length),
        number: Some(k),
    });
}

/// Modules become straight channels from their openings to their middles.
fn modules(network: &Map<String, Value>, found: &mut Network, out: &mut Reporter) {
    let modules = network.get("modules").and_then(Value::as_array);
    for (k, module) in modules.into_iter().flatten().enumerate() {
        let place = format!("network.modules[{k}]");
        let pair = |key: &str| {
            let list = module.get(key)?.as_array()?;
            Some(Point::new(
                json::number(list.first()?)?,
                json::number(list.get(1)?)?,
            ))
        };
        let openings = module.get("Openings").or_else(|| module.get("openings"));
        let openings: Vec<(usize, f64)> = openings
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|opening| {
                let node = usize::try_from(opening.get("node")?.as_u64()?).ok()?;
                let width = json::number_at(opening, "width")?;
                Some((node, width))
                    .filter(|_| node < found.nodes.len() && (1e-8..=1.0).contains(&width))
            })
            .collect();
        let (Some(corner), Some(size)) = (pair("position"), pair("size")) else {
            warn(
                "D321",
                &place,
                "a module without a place is left out".to_owned(),
                out,
            );
            continue;
        };
        if openings.len() < 2 {
            warn(
                "D321",
                &place,
                "a module without two openings is left out".to_owned(),
                out,
            );
            continue;
        }
        let (middle, depth) = (found.nodes.len(), found.depth);
        found.nodes.push(corner + size * 0.5);
        found
            .channels
            .extend(openings.iter().map(|&(node, width)| Channel {
                nodes: [node, middle],
                width,
                depth,
                length: None,
                number: None,
            }));
        let message = "a module is drawn as straight channels from its openings to its middle: its solid is not read";
        warn("D321", &place, message.to_owned(), out);
    }
}

/// Fluid, law and pumps.
fn simulation(
    root: &Map<String, Value>,
    grounds: &[usize],
    found: &mut Network,
    out: &mut Reporter,
) {
    let simulation = root.get("simulation").and_then(Value::as_object);
    let empty = Map::new();
    let simulation = simulation.unwrap_or(&empty);
    let law = json::text(simulation, "resistanceModel").unwrap_or_default();
    found.is_plane = law.eq_ignore_ascii_case("poiseuille");
    viscosity(simulation, found, out);
    let keys = ["species", "mixtures", "droplets", "membranes"];
    left_out(simulation, "simulation", &keys, out);
    let pumps = simulation.get("pumps").and_then(Value::as_array);
    let mut gone: Vec<usize> = Vec::new();
    for (k, pump) in pumps.into_iter().flatten().enumerate() {
        let place = format!("simulation.pumps[{k}]");
        let number = pump
            .get("channel")
            .and_then(Value::as_u64)
            .and_then(|n| usize::try_from(n).ok());
        let channel = number.and_then(|n| found.channels.iter().find(|c| c.number == Some(n)));
        let (Some(number), Some(channel)) = (number, channel) else {
            let message = format!("pump {k} sits on a channel that isn't there");
            out.report(error("D322", Some(place), message, ""));
            continue;
        };
        let kind = json::text_of(pump, "type")
            .unwrap_or_default()
            .to_lowercase();
        let value = if kind.contains("flow") {
            json::number_at(pump, "flowRate")
        } else {
            json::number_at(pump, "deltaP")
        };
        let Some(value) = value
            .filter(|v| v.abs() < 1e12 && (kind.contains("flow") || kind.contains("pressure")))
        else {
            let message = format!("pump {k} is of type `{kind}`, without its value");
            out.report(error(
                "D329",
                Some(place),
                message,
                "`PumpPressure` has `deltaP`, `PumpFlowrate` has `flowRate`",
            ));
            continue;
        };
        let is_ground = channel.nodes.map(|node| grounds.contains(&node));
        let (node, value) = match is_ground {
            [true, _] => (channel.nodes[1], value),
            [false, true] => (channel.nodes[0], -value),
            [false, false] => {
                let message = format!("pump {k} lies between two nodes that aren't ground");
                out.report(error(
                    "D321",
                    Some(place),
                    message,
                    "pumps from a ground node can be imported",
                ));
                continue;
            }
        };
        gone.push(number);
        let held = if kind.contains("flow") {
            Held::FlowRate(value)
        } else {
            Held::Pressure(value)
        };
        let held = match (found.ports.get(&node), held) {
            (Some(Held::FlowRate(other)), Held::FlowRate(value)) => Held::FlowRate(other + value),
            (None, held) => held,
            (Some(other), held) if *other == held => held,
            _ => {
                let message = format!("pump {k} and another one disagree about node {node}");
                out.report(error("D311", Some(place), message, ""));
                continue;
            }
        };
        found.ports.insert(node, held);
    }
    found
        .channels
        .retain(|c| c.number.is_none_or(|n| !gone.contains(&n)));
    let is_used = |node: usize| found.channels.iter().any(|c| c.nodes.contains(&node));
    let used: Vec<usize> = grounds
        .iter()
        .copied()
        .filter(|&node| is_used(node))
        .collect();
    for &node in &used {
        found.ports.entry(node).or_insert(Held::Pressure(0.0));
    }
    if gone.is_empty() && used.len() >= 2 {
        found
            .ports
            .insert(used[0], Held::Pressure(ASSUMED_PRESSURE));
        found.is_assumed = true;
        let message = format!(
            "the file has no pump: node {} is assumed to be at 1 kPa",
            used[0]
        );
        warn("D321", "simulation.pumps", message, out);
    }
    if found.ports.len() < 2 {
        let message = "the network has fewer than two ports".to_owned();
        out.report(error(
            "D324",
            None,
            message,
            "pumps from ground nodes, and ground nodes where channels end",
        ));
    }
}

fn viscosity(simulation: &Map<String, Value>, found: &mut Network, out: &mut Reporter) {
    let at = |list: &str, k: u64| {
        let list = simulation.get(list)?.as_array()?;
        list.get(usize::try_from(k).ok()?)
    };
    let active = simulation
        .get("activeFixture")
        .and_then(Value::as_u64)
        .unwrap_or(0);
    let phase = at("fixtures", active)
        .and_then(|f| f.get("phase"))
        .and_then(Value::as_u64);
    let fluid = at("fluids", phase.unwrap_or(0));
    let viscosity = fluid.and_then(|fluid| json::number_at(fluid, "viscosity"));
    match viscosity.filter(|v| (1e-9..=1e15).contains(v)) {
        Some(viscosity) => found.viscosity = viscosity,
        None => warn(
            "D321",
            "simulation.fluids",
            "no viscosity: water of 1 mPa s is assumed".to_owned(),
            out,
        ),
    }
}
