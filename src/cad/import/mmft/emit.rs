//! A network of MMFT becomes a design.

use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

use super::super::annotate::annotate;
use super::super::graph::error;
use super::super::parchmint::Imported;
use super::read::{Channel, Held, Network};
use super::with_model;
use crate::chip::normalise;
use crate::design::{
    Bend, Component, DepthModel, Design, Dimension, Link, Placement, Port, PortCondition, Sheets,
    Spanned, Value,
};
use crate::library::{Defaults, Library};
use stokeslet_base::diagnostic::{Reporter, Severity};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{FlowRate, Metre, Pascal, PascalSecond, Radian, print_length};

/// Directions this near to a straight line, rad, are one.
const STRAIGHT: f64 = 1e-9;
/// Length of the piece at an open or closed end: this many widths, at most this part of its channel.
const END: (f64, f64) = (2.0, 0.25);

/// An arm of a node: channel, which of its ends.
type Arm = (usize, usize);

struct Emitter<'a> {
    network: &'a Network,
    library: Library,
    components: Vec<Component>,
    /// Socket at each end of each channel, and how far from the node it lies, m.
    sockets: BTreeMap<Arm, (String, f64)>,
    ports: Vec<(usize, String)>,
}

pub(super) fn emit(network: &Network, name: &str, out: &mut Reporter) -> Option<Imported> {
    let mut arms: Vec<Vec<Arm>> = vec![Vec::new(); network.nodes.len()];
    for (k, channel) in network.channels.iter().enumerate() {
        for (end, &node) in channel.nodes.iter().enumerate() {
            arms[node].push((k, end));
        }
    }
    let mut emitter = Emitter {
        network,
        library: Library::embedded(),
        components: Vec::new(),
        sockets: BTreeMap::new(),
        ports: Vec::new(),
    };
    for (node, arms) in arms.iter().enumerate().filter(|(_, arms)| !arms.is_empty()) {
        emitter.node(node, arms, out);
    }
    let (mut channels, mut links) = (Vec::new(), Vec::new());
    let mut link_length = 0.0;
    for (k, channel) in network.channels.iter().enumerate() {
        let name = match channel.number {
            Some(number) => format!("c{number}"),
            None => format!("module{k}"),
        };
        let ends = [0, 1].map(|end| emitter.sockets.get(&(k, end)).cloned());
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        let rest = network.length(channel) - from.1 - to.1;
        let nowhere = |text: String| Spanned::nowhere(text);
        if rest < 0.01 * channel.width {
            let message = format!(
                "channel {k} is {:e} m long, and the junctions at its ends take {:e} m of it",
                network.length(channel),
                from.1 + to.1
            );
            let help = "make it longer, or import the network as a plain one, whose junctions may run into each other";
            out.report(error(
                "D314",
                Some(format!("network.channels[{k}]")),
                message,
                help,
            ));
        } else if channel.length.is_some() {
            link_length += network.length(channel);
            links.push(Link {
                name: nowhere(name),
                from: Some(nowhere(from.0)),
                to: Some(nowhere(to.0)),
                length: Metre(rest),
                width: Some(Metre(channel.width)),
                bends: 0,
                depth: emitter.own(channel.depth),
            });
        } else {
            channels.push(crate::design::Channel {
                name: nowhere(name),
                from: nowhere(from.0),
                to: Some(nowhere(to.0)),
                via: Vec::new(),
                width: None,
                bend: Bend::Mitred,
                depth: emitter.own(channel.depth),
            });
        }
    }
    if out.has_errors() {
        return None;
    }
    let Emitter {
        components, ports, ..
    } = emitter;
    let design = Design {
        parametric: Default::default(),
        species: Default::default(),
        groups: Vec::new(),
        overlays: Vec::new(),
        name: name.to_owned(),
        title: Some(format!("{name} (from MMFT)")),
        viscosity: PascalSecond(network.viscosity),
        density: None,
        model: DepthModel::Full,
        depth: Some(Metre(network.depth)),
        width: Metre(network.channels.iter().map(|c| c.width).fold(0.0, f64::max)),
        resolution: None,
        walls: Default::default(),
        components,
        channels,
        connections: Vec::new(),
        links,
        sheets: Sheets::default(),
        ports: ports
            .into_iter()
            .map(|(node, at)| port(network, node, at))
            .collect(),
    };
    let design = with_model(design, network.is_plane);
    let deep = network.channels.iter().map(|c| c.depth);
    let (low, high) = deep.fold((f64::INFINITY, 0.0_f64), |(low, high), d| {
        (low.min(d), high.max(d))
    });
    let design = match network.channels.iter().any(|c| network.differs(c.depth)) {
        true if design.model == DepthModel::Full => {
            let message = format!(
                "channels are {} to {} high: the model is shallow",
                print_length(low),
                print_length(high)
            );
            let help =
                "the full model has one depth; junctions are as deep as their deepest channel";
            let mut warning = error("D326", Some("network.channels".to_owned()), message, help);
            warning.severity = Severity::Warning;
            out.report(warning);
            Design {
                model: DepthModel::Shallow,
                ..design
            }
        }
        _ => design,
    };
    let head = [
        "A network of MMFT: c7 is channel 7, n3 node 3; pumps are ports at their inner nodes."
            .to_owned(),
    ];
    let mut comments = BTreeMap::new();
    if network.is_assumed {
        for port in &design.ports {
            comments.insert(("ports", port.name.value.clone()), "assumed".to_owned());
        }
    }
    Some(Imported {
        text: annotate(&design, &head, &out.diagnostics, &comments),
        design,
        dialect: "MMFT",
        path_length: Some(link_length),
    })
}

fn port(network: &Network, node: usize, at: String) -> Port {
    let condition = match network.ports.get(&node) {
        Some(Held::FlowRate(rate)) => PortCondition::FlowRate(FlowRate(*rate)),
        Some(Held::Pressure(pressure)) => PortCondition::Pressure(Pascal(*pressure)),
        None => PortCondition::Pressure(Pascal(0.0)),
    };
    Port {
        name: Spanned::nowhere(format!("node{node}")),
        at: Spanned::nowhere(at),
        condition: Spanned::nowhere(condition),
    }
}

impl Emitter<'_> {
    fn channel(&self, arm: Arm) -> &Channel {
        &self.network.channels[arm.0]
    }

    /// Direction of a channel away from a node, rad.
    fn direction(&self, arm: Arm) -> f64 {
        let channel = self.channel(arm);
        let [a, b] =
            [channel.nodes[arm.1], channel.nodes[1 - arm.1]].map(|n| self.network.nodes[n]);
        let direction = (b - a).angle();
        // Multiples of a quarter turn as such.
        normalise(direction)
    }

    /// A depth that isn't the chip's.
    fn own(&self, depth: f64) -> Option<Metre> {
        self.network.differs(depth).then_some(Metre(depth))
    }

    fn node(&mut self, node: usize, arms: &[Arm], out: &mut Reporter) {
        // Where moulds of two heights meet, the higher one is what is left.
        let deepest = arms.iter().map(|&arm| self.channel(arm).depth);
        let depth = self.own(deepest.fold(0.0, f64::max));
        let first = self.components.len();
        self.shape(node, arms, out);
        for component in &mut self.components[first..] {
            component.depth = depth;
        }
    }

    fn shape(&mut self, node: usize, arms: &[Arm], out: &mut Reporter) {
        let at = self.network.nodes[node];
        let name = format!("n{node}");
        let is_port = self.network.ports.contains_key(&node);
        let directions: Vec<f64> = arms.iter().map(|&arm| self.direction(arm)).collect();
        let widths: Vec<f64> = arms.iter().map(|&arm| self.channel(arm).width).collect();
        match (arms, is_port) {
            (&[arm], _) => {
                let length =
                    (END.0 * widths[0]).min(END.1 * self.network.length(self.channel(arm)));
                let (kind, open) = if is_port {
                    ("port", Some("open"))
                } else {
                    ("closed_end", None)
                };
                let origin = at + Point::unit(directions[0]) * length;
                let parameters = vec![("width", quantity(widths[0])), ("length", quantity(length))];
                self.add(
                    &name,
                    kind,
                    origin,
                    normalise(directions[0] + PI),
                    parameters,
                );
                self.sockets.insert(arm, (format!("{name}.a"), length));
                if let Some(open) = open {
                    self.ports.push((node, format!("{name}.{open}")));
                }
            }
            (&[a, b], false) if is_straight(directions[0], directions[1]) => {
                let [w, v] = [widths[0], widths[1]];
                let ends = [a, b].map(|arm| END.1 * self.network.length(self.channel(arm)));
                let depths = [a, b].map(|arm| self.channel(arm).depth);
                if (w - v).abs() <= 1e-9 * w && self.network.same(depths) {
                    let half = (0.5 * w).min(ends[0]).min(ends[1]);
                    let parameters = vec![("width", quantity(w)), ("length", quantity(2.0 * half))];
                    let origin = at + Point::unit(directions[0]) * half;
                    self.add(&name, "pipe", origin, normalise(directions[1]), parameters);
                    self.sockets.insert(a, (format!("{name}.a"), half));
                    self.sockets.insert(b, (format!("{name}.b"), half));
                } else if (w - v).abs() <= 1e-9 * w {
                    // The step is at the node: all of it is on the deeper side, which gives its depth.
                    let deep = usize::from(depths[1] > depths[0]);
                    let (arm, other) = ([a, b][deep], [a, b][1 - deep]);
                    let half = (0.5 * w).min(ends[deep]);
                    let parameters = vec![("width", quantity(w)), ("length", quantity(half))];
                    let origin = at + Point::unit(directions[deep]) * half;
                    let along = normalise(directions[1 - deep]);
                    self.add(&name, "pipe", origin, along, parameters);
                    self.sockets.insert(arm, (format!("{name}.a"), half));
                    self.sockets.insert(other, (format!("{name}.b"), 0.0));
                } else {
                    let long = [(0.5 * w).min(ends[0]), (0.5 * v).min(ends[1])];
                    let parameters = vec![
                        ("width_start", quantity(w)),
                        ("width_end", quantity(v)),
                        ("length_start", quantity(long[0])),
                        ("length_end", quantity(long[1])),
                    ];
                    self.add(&name, "step", at, normalise(directions[1]), parameters);
                    self.sockets.insert(a, (format!("{name}.a"), long[0]));
                    self.sockets.insert(b, (format!("{name}.b"), long[1]));
                }
            }
            _ => self.junction(node, &name, arms, directions, widths, out),
        }
    }

    fn junction(
        &mut self,
        node: usize,
        name: &str,
        arms: &[Arm],
        mut directions: Vec<f64>,
        mut widths: Vec<f64>,
        out: &mut Reporter,
    ) {
        let is_port = self.network.ports.contains_key(&node);
        if is_port {
            directions.push(widest_gap(&directions));
            widths.push(widths.iter().copied().fold(0.0, f64::max));
        }
        let angle = |d: &f64| Value::Quantity(*d, Dimension::Angle);
        let parameters = vec![
            (
                "directions",
                Value::List(directions.iter().map(angle).collect()),
            ),
            (
                "widths",
                Value::List(widths.iter().map(|&w| quantity(w)).collect()),
            ),
        ];
        self.add(name, "junction", self.network.nodes[node], 0.0, parameters);
        let Some(component) = self.components.last() else {
            return;
        };
        let defaults = Defaults {
            width: widths[0],
            depth: Some(self.network.depth),
        };
        match self
            .library
            .realise("junction", &component.parameters, &defaults)
        {
            Ok(realised) => {
                for (k, &arm) in arms.iter().enumerate() {
                    let socket = format!("m{}", k + 1);
                    let found = realised.sockets.iter().find(|(name, _)| *name == socket);
                    let reach = found.map_or(0.0, |(_, at)| {
                        realised.parts[at.part].shape.sockets()[at.socket]
                            .middle
                            .norm()
                    });
                    self.sockets
                        .insert(arm, (format!("{name}.{socket}"), reach));
                }
            }
            Err(faults) => {
                for fault in faults {
                    let message = format!(
                        "node {node} can't be a junction: {} ({})",
                        fault.message, fault.code
                    );
                    let help = fault.help.unwrap_or_default();
                    out.report(error(
                        "D314",
                        Some(format!("network.nodes[{node}]")),
                        message,
                        &help,
                    ));
                }
            }
        }
        if is_port {
            self.ports.push((node, format!("{name}.m{}", widths.len())));
        }
    }

    fn add(
        &mut self,
        name: &str,
        kind: &str,
        at: Point,
        rotation: f64,
        parameters: Vec<(&str, Value)>,
    ) {
        let nowhere = |text: &str| Spanned::nowhere(text.to_owned());
        self.components.push(Component {
            name: nowhere(name),
            kind: nowhere(kind),
            placement: Placement::Absolute {
                at,
                rotation: Radian(rotation),
                mirror: false,
            },
            parameters: parameters
                .into_iter()
                .map(|(name, value)| (nowhere(name), Spanned::nowhere(value)))
                .collect(),
            depth: None,
            dimensions: Vec::new(),
        });
    }
}

fn quantity(metres: f64) -> Value {
    Value::Quantity(metres, Dimension::Length)
}

fn is_straight(a: f64, b: f64) -> bool {
    normalise(a - b + PI).abs() < STRAIGHT
}

/// The direction in the middle of the largest angle without a channel.
fn widest_gap(directions: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = directions.iter().map(|d| d.rem_euclid(TAU)).collect();
    sorted.sort_by(f64::total_cmp);
    let mut best = (0.0, 0.0);
    for (k, &from) in sorted.iter().enumerate() {
        let to = sorted.get(k + 1).copied().unwrap_or(sorted[0] + TAU);
        if to - from > best.0 {
            best = (to - from, normalise((from + to) / 2.0));
        }
    }
    best.1
}
