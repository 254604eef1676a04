//! A network becomes a design: nodes as junctions, clusters as polygons, channels between their sockets, ports.

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::{FRAC_PI_2, TAU};

use super::cluster::{Merged, Outline, SocketKey, merge};
use super::graph::{Arm, Graph, PortKind, error, read};
use super::sections::{Cluster, EQUAL, End, Outlines, Sections, cut, ends};
use crate::design::DepthModel;
use crate::design::{
    Attachment, Bend, Channel, Component, Connection, Design, Dimension, Placement, Port,
    PortCondition, Sheets, Spanned, Value,
};
use stokeslet_base::diagnostic::{Diagnostic, Reporter, Severity};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{FlowRatePerDepth, Metre, PascalSecond, Radian, parse_quantity_as};

/// Attempts at cutting clusters from their channels; each asks for a quarter of a width more where a socket was covered.
const ATTEMPTS: usize = 12;
/// How much farther a channel is cut after each attempt, in widths.
const FARTHER: f64 = 0.25;
/// Directions this near to right angles, rad, are right angles.
const RIGHT_ANGLE: f64 = 1e-9;

/// Reads a plain network of channels and makes a design of it.
///
/// - `text`: JSON in SI units with the keys name, width, nodes, channels, inlets, outlets, flow_rate, viscosity and note
/// - `name`: of the design
///
/// Nodes where channels meet become `cross`, `tee`, `bend` or `junction` components at the node's place; nodes whose
/// junctions run into each other become one `polygon`. Inlets get the network's flow rate per depth, outlets are free of
/// traction, the model is planar. Names count as the file does: `n12` is node 12, `c7` the seventh channel's pipe.
/// # Accuracy and cost
/// Sockets meet to 1e-9 of the width. n log n in the number of channels.
pub fn network(text: &str, name: &str) -> (Option<Design>, Vec<Diagnostic>) {
    let mut out = Reporter::default();
    let design = read(text, &mut out).and_then(|graph| to_design(&graph, name, &mut out));
    (design.filter(|_| !out.has_errors()), out.diagnostics)
}

fn to_design(graph: &Graph, name: &str, out: &mut Reporter) -> Option<Design> {
    let ends = ends(graph);
    let outlines = Outlines::new(graph, &ends);
    let blocks = outlines.blocks(graph, &ends);
    let mut floors = vec![[0.0; 2]; graph.channels.len()];
    for attempt in 1..=ATTEMPTS {
        let sections = cut(graph, &ends, &blocks, &floors);
        let merged: Vec<Option<Merged>> = sections
            .clusters
            .iter()
            .map(|cluster| {
                lone_node(graph, &ends, &sections, cluster)
                    .is_none()
                    .then(|| merge(graph, &ends, &outlines, &sections, cluster))
            })
            .collect();
        let covered: Vec<SocketKey> = merged
            .iter()
            .flatten()
            .flat_map(|merged| merged.covered.iter().copied())
            .collect();
        if covered.is_empty() || attempt == ATTEMPTS {
            check(graph, &sections, &merged, out);
            return Some(Emitter::new(graph, &ends, &sections, name).emit(&merged));
        }
        for key in covered {
            let section = &sections.all[key.section];
            // The socket where a section ends is the reach of the channel's first node, and the other way round.
            let (end, reach) = match key.side {
                1 => (0, section.to),
                _ => (1, graph.length(section.channel) - section.from),
            };
            floors[section.channel][end] = reach + FARTHER * graph.width;
        }
    }
    None
}

fn check(graph: &Graph, sections: &Sections, merged: &[Option<Merged>], out: &mut Reporter) {
    for (cluster, merged) in sections.clusters.iter().zip(merged) {
        let Some(merged) = merged else { continue };
        let nodes: Vec<String> = cluster.nodes.iter().map(usize::to_string).collect();
        let at = cluster.nodes.first().map(|node| format!("nodes[{node}]"));
        let nodes = nodes.join(", ");
        for key in &merged.covered {
            let channel = sections.all[key.section].channel;
            let node = graph.channels[channel][key.side];
            let message = format!(
                "the socket of channel {channel} at node {node} lies inside other channels (nodes {nodes})"
            );
            out.report(error(
                "D315",
                at.clone(),
                message,
                "make the channel longer, or move its end away",
            ));
        }
        let width = graph.width;
        if merged.encloses {
            let message =
                format!("the junctions of nodes {nodes} run into each other all around a wall");
            out.report(error(
                "D314",
                at.clone(),
                message,
                "a ring needs channels longer than their junctions",
            ));
        } else if merged.crossed {
            let message = format!(
                "the junctions of nodes {nodes} run into each other, but make no simple outline"
            );
            out.report(error("D314", at.clone(), message, "move the nodes apart"));
        } else if merged.dropped_posts > 0 {
            let message = format!(
                "posts less than {:.3e} m across between the junctions of nodes {nodes} were dropped",
                width / 7.0
            );
            let mut warning = error(
                "D314",
                at,
                message,
                "make the ring of channels around them wider to keep them",
            );
            warning.severity = Severity::Warning;
            out.report(warning);
        }
    }
}

/// The node of a cluster that is one junction as the library makes it.
fn lone_node(
    graph: &Graph,
    ends: &[[End; 2]],
    sections: &Sections,
    cluster: &Cluster,
) -> Option<usize> {
    let [node] = cluster.nodes[..] else {
        return None;
    };
    let fan = &graph.arms[node];
    let plain = cluster.sections.len() == fan.len()
        && cluster.sections.iter().all(|&k| {
            let section = &sections.all[k];
            let length = graph.length(section.channel);
            let reach = ends[section.channel].map(|end| end.reach);
            let slack = EQUAL * graph.width;
            // A section that takes a whole channel ends in a port, or in the wall of a closed end.
            let whole = section.from <= 0.0 && section.to >= length;
            let from_node = section.from <= 0.0 && (section.to - reach[0]).abs() <= slack;
            let to_node = section.to >= length && (length - section.from - reach[1]).abs() <= slack;
            !whole && (from_node || to_node)
        });
    plain.then_some(node)
}

struct Emitter<'a> {
    graph: &'a Graph,
    ends: &'a [[End; 2]],
    sections: &'a Sections,
    /// The name of every socket, as `component.socket`.
    sockets: HashMap<SocketKey, String>,
    design: Design,
}

impl<'a> Emitter<'a> {
    fn new(graph: &'a Graph, ends: &'a [[End; 2]], sections: &'a Sections, name: &str) -> Self {
        let design = Design {
            name: name.to_owned(),
            title: Some(format!("Network {}", graph.name)),
            viscosity: PascalSecond(graph.viscosity),
            density: None,
            model: DepthModel::Planar,
            depth: None,
            width: Metre(graph.width),
            resolution: None,
            walls: Default::default(),
            components: Vec::new(),
            channels: Vec::new(),
            connections: Vec::new(),
            links: Vec::new(),
            sheets: Sheets::default(),
            ports: Vec::new(),
            parametric: Default::default(),
            species: Default::default(),
            groups: Vec::new(),
            overlays: Vec::new(),
        };
        Self {
            graph,
            ends,
            sections,
            sockets: HashMap::new(),
            design,
        }
    }

    fn emit(mut self, merged: &[Option<Merged>]) -> Design {
        for (cluster, merged) in self.sections.clusters.iter().zip(merged) {
            match (
                merged,
                lone_node(self.graph, self.ends, self.sections, cluster),
            ) {
                (None, Some(node)) => self.junction(node, cluster),
                (Some(merged), _) => self.polygons(cluster, merged),
                (None, None) => {}
            }
        }
        for channel in 0..self.graph.channels.len() {
            self.channel(channel);
        }
        for (key, at) in sorted(&self.sockets) {
            let section = &self.sections.all[key.section];
            let node = self.graph.channels[section.channel][key.side];
            let at_node = if key.side == 0 {
                section.from <= 0.0
            } else {
                section.to >= self.graph.length(section.channel)
            };
            if at_node {
                self.port(node, &at);
            }
        }
        let order = |port: &Port| {
            self.graph
                .ports
                .iter()
                .enumerate()
                .position(|(k, _)| port.name.value == port_name(self.graph, k))
        };
        self.design.ports.sort_by_cached_key(order);
        self.design
    }

    fn component(
        &mut self,
        name: &str,
        kind: &str,
        at: Point,
        rotation: f64,
        parameters: Vec<(&str, Value)>,
    ) {
        self.design.components.push(Component {
            name: Spanned::nowhere(name.to_owned()),
            kind: Spanned::nowhere(kind.to_owned()),
            placement: Placement::Absolute {
                at,
                rotation: Radian(rotation),
                mirror: false,
            },
            parameters: parameters
                .into_iter()
                .map(|(name, value)| (Spanned::nowhere(name.to_owned()), Spanned::nowhere(value)))
                .collect(),
            depth: None,
            dimensions: Vec::new(),
        });
    }

    /// One junction of the library, about its node.
    fn junction(&mut self, node: usize, cluster: &Cluster) {
        let fan = &self.graph.arms[node];
        let name = format!("n{node}");
        let sockets: Vec<(Arm, SocketKey)> = fan
            .iter()
            .map(|&arm| {
                let of_arm = |&&k: &&usize| self.sections.all[k].channel == arm.channel;
                let section = *cluster
                    .sections
                    .iter()
                    .find(of_arm)
                    .expect("a lone node has a section on every arm");
                (
                    arm,
                    SocketKey {
                        section,
                        side: 1 - arm.end,
                    },
                )
            })
            .collect();
        if let Some((kind, rotation, names)) = right_angled(fan) {
            self.component(&name, kind, self.graph.nodes[node], rotation, Vec::new());
            for ((_, key), socket) in sockets.iter().zip(names) {
                self.sockets.insert(*key, format!("{name}.{socket}"));
            }
            return;
        }
        let directions = fan
            .iter()
            .map(|arm| Value::Quantity(short_angle(arm.direction), Dimension::Angle))
            .collect();
        self.component(
            &name,
            "junction",
            self.graph.nodes[node],
            0.0,
            vec![("directions", Value::List(directions))],
        );
        for (k, (_, key)) in sockets.iter().enumerate() {
            self.sockets.insert(*key, format!("{name}.m{}", k + 1));
        }
    }

    /// Junctions that run into each other, about the first of their nodes.
    fn polygons(&mut self, cluster: &Cluster, merged: &Merged) {
        let mut cuts: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (k, outline) in merged.outlines.iter().enumerate() {
            let first = cluster.nodes.first().map_or_else(
                || format!("s{}", cluster.sections[0]),
                |node| format!("n{node}"),
            );
            let name = if k == 0 {
                first
            } else {
                format!("{first}_{k}")
            };
            let origin = cluster
                .nodes
                .first()
                .map_or(outline.corners[0], |&node| self.graph.nodes[node]);
            let parameters = polygon_parameters(outline, origin, self.graph.width);
            self.component(&name, "polygon", origin, 0.0, parameters);
            for (k, (key, _)) in outline.sockets.iter().enumerate() {
                self.sockets.insert(*key, format!("{name}.m{}", k + 1));
            }
            for (k, (cut, _)) in outline.cuts.iter().enumerate() {
                cuts.entry(*cut)
                    .or_default()
                    .push(format!("{name}.m{}", outline.sockets.len() + k + 1));
            }
        }
        for pair in cuts.into_values() {
            // Both pieces of a cut are in the same cluster, unless one was dropped.
            if let Ok([a, b]) = <[String; 2]>::try_from(pair) {
                self.design.connections.push(Connection {
                    a: Spanned::nowhere(a),
                    b: Spanned::nowhere(b),
                });
            }
        }
    }

    /// What lies between the sections of a channel: pipes, or nothing where two sections meet.
    fn channel(&mut self, channel: usize) {
        let length = self.graph.length(channel);
        let sections = self.sections.of_channel[channel].clone();
        let mut gaps = Vec::new();
        let (mut at, mut before) = (0.0, None);
        for k in sections {
            gaps.push((
                before,
                Some(SocketKey {
                    section: k,
                    side: 0,
                }),
                self.sections.all[k].from - at,
            ));
            (at, before) = (
                self.sections.all[k].to,
                Some(SocketKey {
                    section: k,
                    side: 1,
                }),
            );
        }
        gaps.push((before, None, length - at));
        let n_pipes = gaps
            .iter()
            .filter(|gap| gap.2 > EQUAL * self.graph.width)
            .count();
        for (k, (before, after, gap)) in gaps.into_iter().enumerate() {
            let socket =
                |key: Option<SocketKey>| key.and_then(|key| self.sockets.get(&key)).cloned();
            let (from, to) = (socket(before), socket(after));
            if gap <= EQUAL * self.graph.width {
                if let (Some(a), Some(b)) = (from, to) {
                    self.design.connections.push(Connection {
                        a: Spanned::nowhere(a),
                        b: Spanned::nowhere(b),
                    });
                }
                continue;
            }
            let name = if n_pipes == 1 {
                format!("c{channel}")
            } else {
                format!("c{channel}_{k}")
            };
            self.pipe(channel, &name, gap, from, to);
        }
    }

    fn pipe(
        &mut self,
        channel: usize,
        name: &str,
        gap: f64,
        from: Option<String>,
        to: Option<String>,
    ) {
        let [i, j] = self.graph.channels[channel];
        let (from, to, end) = match (from, to) {
            (Some(from), to) => (from, to, j),
            (None, Some(to)) => (to, None, i),
            (None, None) => return self.lone_pipe(channel, name),
        };
        if to.is_none() && self.graph.ports[end].is_none() {
            return self.closed_end(name, &from, gap);
        }
        let via = if to.is_none() {
            vec![Spanned::nowhere(self.graph.nodes[end])]
        } else {
            Vec::new()
        };
        if to.is_none() {
            self.port(end, &format!("{name}.end"));
        }
        let (from, to) = (Spanned::nowhere(from), to.map(Spanned::nowhere));
        self.design.channels.push(Channel {
            name: Spanned::nowhere(name.to_owned()),
            from,
            to,
            via,
            width: None,
            bend: Bend::Mitred,
            depth: None,
        });
    }

    /// What is left, m, of a channel that ends in a wall.
    fn closed_end(&mut self, name: &str, to: &str, gap: f64) {
        let attachment = Attachment {
            socket: Spanned::nowhere("a".to_owned()),
            to: Spanned::nowhere(to.to_owned()),
            mirror: false,
        };
        let length = Spanned::nowhere(Value::Quantity(gap, Dimension::Length));
        self.design.components.push(Component {
            name: Spanned::nowhere(name.to_owned()),
            kind: Spanned::nowhere("closed_end".to_owned()),
            placement: Placement::Attached(attachment),
            parameters: vec![(Spanned::nowhere("length".to_owned()), length)],
            depth: None,
            dimensions: Vec::new(),
        });
    }

    /// A channel that meets no other: from port to port, or from a port to a wall.
    fn lone_pipe(&mut self, channel: usize, name: &str) {
        let [i, j] = self.graph.channels[channel];
        let (start, end) = if self.graph.ports[i].is_some() {
            (i, j)
        } else {
            (j, i)
        };
        let axis = self.graph.nodes[end] - self.graph.nodes[start];
        let kind = if self.graph.ports[end].is_some() {
            "pipe"
        } else {
            "closed_end"
        };
        let length = Value::Quantity(self.graph.length(channel), Dimension::Length);
        self.component(
            name,
            kind,
            self.graph.nodes[start],
            axis.angle(),
            vec![("length", length)],
        );
        self.port(start, &format!("{name}.a"));
        self.port(end, &format!("{name}.b"));
    }

    fn port(&mut self, node: usize, socket: &str) {
        let condition = match self.graph.ports[node] {
            Some(PortKind::Inlet) => {
                PortCondition::FlowRatePerDepth(FlowRatePerDepth(self.graph.flow_rate))
            }
            Some(PortKind::Outlet) => PortCondition::TractionFree,
            None => return,
        };
        let name = port_name(self.graph, node);
        self.design.ports.push(Port {
            name: Spanned::nowhere(name),
            at: Spanned::nowhere(socket.to_owned()),
            condition: Spanned::nowhere(condition),
        });
    }
}

fn sorted(sockets: &HashMap<SocketKey, String>) -> Vec<(SocketKey, String)> {
    let mut all: Vec<_> = sockets
        .iter()
        .map(|(&key, name)| (key, name.clone()))
        .collect();
    all.sort();
    all
}

fn port_name(graph: &Graph, node: usize) -> String {
    match graph.ports[node] {
        Some(PortKind::Inlet) => format!("inlet{node}"),
        _ => format!("outlet{node}"),
    }
}

/// Kind, rotation and the sockets of the arms, where a fan is one of the library's right-angled junctions.
fn right_angled(fan: &[Arm]) -> Option<(&'static str, f64, Vec<&'static str>)> {
    // From the arm nearest to the x axis, so that a cross of a lattice isn't turned at all.
    let first = fan
        .iter()
        .map(|arm| arm.direction)
        .min_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    let mut quarters = Vec::new();
    for arm in fan {
        let turned = (arm.direction - first).rem_euclid(TAU) / FRAC_PI_2;
        if (turned - turned.round()).abs() * FRAC_PI_2 > RIGHT_ANGLE {
            return None;
        }
        quarters.push(turned.round() as usize % 4);
    }
    let mut present = quarters.clone();
    present.sort_unstable();
    // Quarter turns from that arm to the component's x axis, and the socket on every quarter from there.
    let (kind, turn, names) = match present[..] {
        [0, 1, 2, 3] => ("cross", 0, ["right", "up", "left", "down"]),
        [0, 1, 2] => ("tee", 0, ["right", "up", "left", ""]),
        [0, 2, 3] => ("tee", 2, ["right", "up", "left", ""]),
        [0, 1, 3] => ("tee", 3, ["right", "up", "left", ""]),
        [0, 1] => ("bend", 3, ["", "b", "a", ""]),
        [0, 3] => ("bend", 2, ["", "b", "a", ""]),
        _ => return None,
    };
    let sockets = quarters
        .iter()
        .map(|quarter| names[(quarter + 4 - turn) % 4])
        .collect();
    let rotation = first + turn as f64 * FRAC_PI_2;
    Some((kind, rotation - TAU * (rotation / TAU).round(), sockets))
}

/// An angle to 1e-10 degrees: rounding far below what sockets have to agree to, and fewer digits to read.
fn short_angle(radians: f64) -> f64 {
    let degrees = (radians.to_degrees() * 1e10).round() / 1e10;
    // Through the text, so that a printed design says the degrees.
    parse_quantity_as(&format!("{degrees} deg"), Dimension::Angle).unwrap_or(radians)
}

fn polygon_parameters(outline: &Outline, origin: Point, width: f64) -> Vec<(&'static str, Value)> {
    // Digits beyond a billionth of the width are noise of the union.
    let digit = 10f64.powi((1e-10 * width).log10().floor() as i32);
    let metres = |x: f64| Value::Quantity((x / digit).round() * digit, Dimension::Length);
    let corners = outline.corners.iter().map(|&corner| corner - origin);
    let corners = corners
        .map(|p| Value::List(vec![metres(p.x), metres(p.y)]))
        .collect();
    let firsts = outline
        .sockets
        .iter()
        .map(|socket| socket.1)
        .chain(outline.cuts.iter().map(|cut| cut.1));
    let sockets = firsts
        .map(|first| Value::Number((first + 1) as f64))
        .collect();
    vec![
        ("points", Value::List(corners)),
        ("mouths", Value::List(sockets)),
    ]
}
