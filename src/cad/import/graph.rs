//! The text of a network becomes a valid planar graph.

use std::collections::{HashMap, HashSet};

use rstar::primitives::{GeomWithData, Line};
use rstar::{AABB, RTree, RTreeObject};
use serde::Deserialize;
use serde_json::error::Category;

use stokeslet_base::diagnostic::{Diagnostic, Place, Reporter, Severity};
use stokeslet_base::geometry::Point;

/// Nodes nearer than this part of the width are one; a node this near to a channel lies on it.
const SAME_PLACE: f64 = 1e-6;
/// Channels of one node this near in direction, rad, run on top of one another.
const SAME_DIRECTION: f64 = 1e-3;
/// Larger networks are refused.
const MAX_SIZE: usize = 100_000;
/// Coordinates farther out than this many widths lose digits that a junction needs.
const FARTHEST_IN_WIDTHS: f64 = 1e6;
/// After so many mistakes of one kind the search for more of it ends.
const ENOUGH: usize = 20;

/// What is at the end of the only channel of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PortKind {
    /// Fluid enters at the network's flow rate.
    Inlet,
    /// Free of traction.
    Outlet,
}

/// A valid network: no crossings, no repeats, ports at the ends of channels only.
#[derive(Debug)]
pub(super) struct Graph {
    /// What it calls itself.
    pub name: String,
    /// Width of all channels, m.
    pub width: f64,
    /// Pa s.
    pub viscosity: f64,
    /// Per inlet, m^2/s.
    pub flow_rate: f64,
    /// m.
    pub nodes: Vec<Point>,
    /// From node to node; straight ones that follow each other in one line were joined.
    pub channels: Vec<[usize; 2]>,
    /// By node.
    pub ports: Vec<Option<PortKind>>,
    /// Channels (and which end of theirs) at every node, counter-clockwise.
    pub arms: Vec<Vec<Arm>>,
}

impl Graph {
    /// Where a channel starts.
    pub fn start(&self, channel: usize) -> Point {
        self.nodes[self.channels[channel][0]]
    }

    /// The direction of a channel, as a unit vector.
    pub fn axis(&self, channel: usize) -> Point {
        let [i, j] = self.channels[channel];
        (self.nodes[j] - self.nodes[i]).normalized()
    }

    /// From node to node, m.
    pub fn length(&self, channel: usize) -> f64 {
        let [i, j] = self.channels[channel];
        (self.nodes[j] - self.nodes[i]).norm()
    }
}

/// A channel's end at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arm {
    /// Index of the channel.
    pub channel: usize,
    /// 0 where the channel starts at the node, 1 where it ends.
    pub end: usize,
    /// Away from the node, rad.
    pub direction: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    name: String,
    width: f64,
    nodes: Vec<[f64; 2]>,
    channels: Vec<[usize; 2]>,
    inlets: Vec<usize>,
    outlets: Vec<usize>,
    flow_rate: f64,
    viscosity: f64,
    #[serde(default, rename = "note")]
    _note: Option<String>,
}

/// An error about a network; `at` names the node or channel as the file does.
pub(super) fn error(
    code: &'static str,
    at: Option<String>,
    message: String,
    help: &str,
) -> Diagnostic {
    let help = (!help.is_empty()).then(|| help.to_owned());
    Diagnostic {
        code,
        severity: Severity::Error,
        place: Place {
            span: None,
            component: at,
        },
        message,
        help,
    }
}

/// Reads a network and checks that it is one; none where there was an error.
pub(super) fn read(text: &str, out: &mut Reporter) -> Option<Graph> {
    let parsed: Text = match serde_json::from_str(text) {
        Ok(parsed) => parsed,
        Err(fault) => {
            out.report(unreadable(text, &fault));
            return None;
        }
    };
    let size = parsed.nodes.len().max(parsed.channels.len());
    if size > MAX_SIZE {
        let message = format!(
            "the network has {} nodes and {} channels",
            parsed.nodes.len(),
            parsed.channels.len()
        );
        out.report(error(
            "D313",
            None,
            message,
            "at most 100000 of each can be imported",
        ));
        return None;
    }
    check_numbers(&parsed, out);
    check_channels(&parsed, out);
    check_ports(&parsed, out);
    if out.has_errors() {
        return None;
    }
    let nodes: Vec<Point> = parsed
        .nodes
        .iter()
        .map(|&[x, y]| Point::new(x, y))
        .collect();
    check_places(&nodes, &parsed.channels, parsed.width, out);
    let mut ports = vec![None; nodes.len()];
    parsed
        .inlets
        .iter()
        .for_each(|&node| ports[node] = Some(PortKind::Inlet));
    parsed
        .outlets
        .iter()
        .for_each(|&node| ports[node] = Some(PortKind::Outlet));
    let arms = arms(&nodes, &parsed.channels);
    if !out.has_errors() {
        check_fans(&arms, out);
    }
    if out.has_errors() {
        return None;
    }
    let channels = join_straight(&parsed.channels, &arms);
    let arms = self::arms(&nodes, &channels);
    let Text {
        name,
        width,
        viscosity,
        flow_rate,
        ..
    } = parsed;
    Some(Graph {
        name,
        width,
        viscosity,
        flow_rate,
        nodes,
        channels,
        ports,
        arms,
    })
}

fn unreadable(text: &str, fault: &serde_json::Error) -> Diagnostic {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(fault.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let mut at = (line_start + fault.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let width = text[at..].chars().next().map_or(0, char::len_utf8);
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let (code, message, help) = match fault.classify() {
        category if is_json || category == Category::Data => (
            "D302",
            format!("this is not a network: {fault}"),
            "its keys are name, width, nodes, channels, inlets, outlets, flow_rate, viscosity and note",
        ),
        Category::Eof => (
            "D301",
            format!("the file is cut short: {fault}"),
            "copy it again, whole",
        ),
        _ => ("D301", format!("this is not JSON: {fault}"), ""),
    };
    let mut diagnostic = error(code, None, message, help);
    diagnostic.place.span = Some(at..at + width);
    diagnostic
}

fn check_numbers(parsed: &Text, out: &mut Reporter) {
    let ranges = [
        ("width", parsed.width, 1e-9, 1e3, "m"),
        ("viscosity", parsed.viscosity, 1e-9, 1e9, "Pa s"),
        ("flow_rate", parsed.flow_rate, 1e-30, 1e9, "m^2/s"),
    ];
    for (key, value, least, most, unit) in ranges {
        if !(least..=most).contains(&value) {
            let message =
                format!("`{key}` is {value}, but has to lie between {least:e} and {most:e} {unit}");
            out.report(error(
                "D303",
                Some(key.to_owned()),
                message,
                "numbers are in SI units",
            ));
        }
    }
    let farthest = FARTHEST_IN_WIDTHS * parsed.width.abs();
    let far = |p: &[f64; 2]| !p.iter().all(|x| x.abs() <= farthest);
    for (k, [x, y]) in parsed
        .nodes
        .iter()
        .enumerate()
        .filter(|(_, p)| far(p))
        .take(ENOUGH)
    {
        let message = format!("node {k} at ({x}, {y}) is more than a million widths out");
        out.report(error(
            "D303",
            node_name(k),
            message,
            "numbers are in SI units",
        ));
    }
}

fn node_name(k: usize) -> Option<String> {
    Some(format!("nodes[{k}]"))
}

fn channel_name(k: usize) -> Option<String> {
    Some(format!("channels[{k}]"))
}

fn check_channels(parsed: &Text, out: &mut Reporter) {
    let n = parsed.nodes.len();
    let mut seen = HashMap::new();
    let mut used = vec![false; n];
    for (k, &[i, j]) in parsed.channels.iter().enumerate() {
        for node in [i, j] {
            match used.get_mut(node) {
                Some(used) => *used = true,
                None => {
                    let message = format!(
                        "channel {k} leads to node {node}, but there are {n} nodes, counted from 0"
                    );
                    out.report(error("D304", channel_name(k), message, ""));
                }
            }
        }
        if i == j {
            out.report(error(
                "D305",
                channel_name(k),
                format!("channel {k} leads from node {i} to itself"),
                "",
            ));
        }
        if let Some(first) = seen.insert((i.min(j), i.max(j)), k) {
            let message = format!("channel {k} joins nodes {i} and {j}, as channel {first} does");
            out.report(error(
                "D306",
                channel_name(k),
                message,
                "remove one of them",
            ));
        }
    }
    for k in (0..n).filter(|&k| !used[k]) {
        out.report(error(
            "D309",
            node_name(k),
            format!("no channel leads to node {k}"),
            "remove the node, or connect it",
        ));
    }
}

fn check_ports(parsed: &Text, out: &mut Reporter) {
    let mut degree = vec![0; parsed.nodes.len()];
    parsed
        .channels
        .iter()
        .flatten()
        .filter(|&&node| node < parsed.nodes.len())
        .for_each(|&node| degree[node] += 1);
    let mut seen = HashSet::new();
    let inlets = parsed.inlets.iter().map(|&node| ("inlet", node));
    for (kind, node) in inlets.chain(parsed.outlets.iter().map(|&node| ("outlet", node))) {
        match degree.get(node) {
            None => out.report(error(
                "D304",
                None,
                format!("{kind} {node} is not a node"),
                "nodes are counted from 0",
            )),
            Some(1) => {}
            Some(n) => {
                let message = format!(
                    "{kind} {node} is where {n} channels meet; it has to be the end of one"
                );
                out.report(error(
                    "D308",
                    node_name(node),
                    message,
                    "add a short channel with the port at its end",
                ));
            }
        }
        if !seen.insert(node) {
            let message = format!("node {node} is an inlet or outlet twice");
            out.report(error(
                "D311",
                node_name(node),
                message,
                "a port has one condition",
            ));
        }
    }
    if seen.is_empty() {
        out.report(error(
            "D312",
            None,
            "the network has neither inlets nor outlets".to_owned(),
            "nothing would flow",
        ));
    }
}

/// Channels as straight lines in a tree of boxes.
type Lines = RTree<GeomWithData<Line<[f64; 2]>, usize>>;

/// No two nodes in one place, no channels that cross, no node on a channel.
fn check_places(nodes: &[Point], channels: &[[usize; 2]], width: f64, out: &mut Reporter) {
    let near = SAME_PLACE * width;
    let points = nodes
        .iter()
        .enumerate()
        .map(|(k, p)| GeomWithData::new([p.x, p.y], k))
        .collect();
    let points: RTree<GeomWithData<[f64; 2], usize>> = RTree::bulk_load(points);
    let mut found = 0;
    for (k, p) in nodes.iter().enumerate() {
        let twins = points
            .locate_within_distance([p.x, p.y], near * near)
            .filter(|twin| twin.data < k);
        if let Some(twin) = twins.map(|twin| twin.data).min() {
            let message = format!("nodes {twin} and {k} are in one place, ({}, {})", p.x, p.y);
            out.report(error("D310", node_name(k), message, "make them one node"));
            found += 1;
            if found >= ENOUGH {
                return;
            }
        }
    }
    if found > 0 {
        return;
    }
    let ends = |k: usize| channels[k].map(|node| nodes[node]);
    let lines = (0..channels.len())
        .map(|k| GeomWithData::new(Line::new(ends(k)[0].into(), ends(k)[1].into()), k));
    let lines: Lines = RTree::bulk_load(lines.collect());
    for k in 0..channels.len() {
        let [a, b] = ends(k);
        let line = Line::<[f64; 2]>::new(a.into(), b.into()).envelope();
        let reach = AABB::from_corners(
            line.lower().map(|x| x - near),
            line.upper().map(|x| x + near),
        );
        let mut others: Vec<usize> = lines
            .locate_in_envelope_intersecting(reach)
            .map(|line| line.data)
            .filter(|&other| other > k)
            .collect();
        others.sort_unstable();
        for other in others {
            if channels[k]
                .iter()
                .any(|node| channels[other].contains(node))
                || !meet([a, b], ends(other), near)
            {
                continue;
            }
            let message = format!("channels {k} and {other} cross or touch, but share no node");
            out.report(error(
                "D307",
                channel_name(other),
                message,
                "put a node where they meet and end both there",
            ));
            found += 1;
            if found >= ENOUGH {
                return;
            }
        }
    }
}

/// Whether two straight lines cross, or an end of one is within `near` of the other.
fn meet([a, b]: [Point; 2], [c, d]: [Point; 2], near: f64) -> bool {
    let side = |p: Point, q: Point, r: Point| (q - p).cross(r - p);
    let crosses = side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
    let distance = |p: Point, [a, b]: [Point; 2]| {
        let along = (b - a).dot(p - a) / (b - a).dot(b - a);
        (p - (a + (b - a) * along.clamp(0.0, 1.0))).norm()
    };
    crosses
        || [c, d].into_iter().any(|p| distance(p, [a, b]) <= near)
        || [a, b].into_iter().any(|p| distance(p, [c, d]) <= near)
}

fn arms(nodes: &[Point], channels: &[[usize; 2]]) -> Vec<Vec<Arm>> {
    let mut arms = vec![Vec::new(); nodes.len()];
    for (channel, &[i, j]) in channels.iter().enumerate() {
        let direction = (nodes[j] - nodes[i]).angle();
        arms[i].push(Arm {
            channel,
            end: 0,
            direction,
        });
        arms[j].push(Arm {
            channel,
            end: 1,
            direction: (nodes[i] - nodes[j]).angle(),
        });
    }
    for fan in &mut arms {
        fan.sort_by(|a, b| a.direction.total_cmp(&b.direction));
    }
    arms
}

/// No two channels of a node run on top of one another.
fn check_fans(arms: &[Vec<Arm>], out: &mut Reporter) {
    for (node, fan) in arms.iter().enumerate().filter(|(_, fan)| fan.len() > 1) {
        for (k, arm) in fan.iter().enumerate() {
            let next = &fan[(k + 1) % fan.len()];
            let apart = (next.direction - arm.direction).rem_euclid(std::f64::consts::TAU);
            if apart < SAME_DIRECTION {
                let (a, b) = (arm.channel, next.channel);
                let message =
                    format!("channels {a} and {b} leave node {node} in the same direction");
                out.report(error(
                    "D307",
                    channel_name(a.max(b)),
                    message,
                    "channels of one node need an angle between them",
                ));
            }
        }
    }
}

/// Joins channels that go straight on through a node of their own: such a node is no junction.
fn join_straight(channels: &[[usize; 2]], arms: &[Vec<Arm>]) -> Vec<[usize; 2]> {
    let straight: Vec<bool> = arms
        .iter()
        .map(|fan| match fan[..] {
            [a, b] => ((a.direction - b.direction).abs() - std::f64::consts::PI).abs() < 1e-9,
            _ => false,
        })
        .collect();
    let mut joined = Vec::new();
    let mut done = vec![false; channels.len()];
    for k in 0..channels.len() {
        let Some(end) = (0..2).find(|&end| !straight[channels[k][end]]) else {
            continue;
        };
        if done[k] {
            continue;
        }
        let (start, mut at, mut channel) = (channels[k][end], channels[k][1 - end], k);
        done[k] = true;
        while straight[at] {
            let next = arms[at]
                .iter()
                .map(|arm| arm.channel)
                .find(|&next| next != channel);
            channel = next.expect("two different channels meet at a straight node");
            done[channel] = true;
            at = if channels[channel][0] == at {
                channels[channel][1]
            } else {
                channels[channel][0]
            };
        }
        joined.push(if end == 0 { [start, at] } else { [at, start] });
    }
    joined
}
