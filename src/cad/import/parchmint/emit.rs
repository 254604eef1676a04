//! A netlist becomes a design: islands with ports, components of the library, links.

use std::collections::{BTreeMap, BTreeSet};

use super::super::graph::error;
use super::entity::{Device, Role, Uses, role, warn};
use super::layout::Drawing;
use super::read::{Component, Connection, Netlist};
use super::{Imported, Options};
use crate::design::{DepthModel, Design, Port, PortCondition, Sheets, Spanned};
use crate::library::Library;
use stokeslet_base::diagnostic::{Reporter, Severity};
use stokeslet_base::units::{Metre, Pascal, PascalSecond, print_length};

/// Width of connections that tell none, m.
const DEFAULT_WIDTH: f64 = 400e-6;
/// Depth of chips that tell none, m.
const DEFAULT_DEPTH: f64 = 250e-6;
/// Length of connections that tell none, in widths.
const DEFAULT_LENGTH: f64 = 10.0;
/// Water, Pa s.
const VISCOSITY: f64 = 1e-3;
/// At the first port of an island that nobody drives, Pa.
const ASSUMED_PRESSURE: f64 = 1e3;

/// An end of a connection, by numbers.
pub(super) type EndOf = (usize, usize);

/// A connection with everything known.
pub(super) struct Channel {
    pub name: String,
    pub width: f64,
    pub length: f64,
    pub is_kept: bool,
}

pub(super) fn emit(
    netlist: &Netlist,
    name: &str,
    library: &Library,
    options: &Options,
    out: &mut Reporter,
) -> Option<Imported> {
    let (mut channels, path_length) = channels(netlist, options, out);
    let mut ends_of: Vec<Vec<EndOf>> = vec![Vec::new(); netlist.components.len()];
    for (k, connection) in netlist.connections.iter().enumerate() {
        for (end, target) in connection.ends.iter().enumerate() {
            ends_of[target.component].push((k, end));
        }
    }
    let roles: Vec<Option<Role>> = netlist
        .components
        .iter()
        .zip(&ends_of)
        .map(|(component, ends)| {
            (!ends.is_empty()).then(|| {
                let labels: Vec<Option<String>> =
                    ends.iter().map(|&end| label(netlist, end)).collect();
                let widths = ends.iter().map(|&(k, _)| channels[k].width);
                let uses = Uses {
                    labels: &labels,
                    width: widths.fold(0.0, f64::max),
                };
                role(component, &uses, netlist.unit, out)
            })
        })
        .collect();
    leave_out(netlist, &roles, &ends_of, &mut channels, out);
    let first_ports = islands(netlist, &roles, &mut channels, out);
    if out.has_errors() {
        return None;
    }
    if !channels.iter().any(|channel| channel.is_kept) {
        let message = "no island of the flow layer has two ports: there is nothing to solve";
        let help = "flow needs a way in and a way out";
        out.report(error("D324", None, message.to_owned(), help));
        return None;
    }
    let depth = depth(netlist, &ends_of);
    let own = |d: Option<f64>| d.filter(|d| (d - depth).abs() > 1e-9 * depth);
    let commonest = most_common(channels.iter().filter(|c| c.is_kept).map(|c| c.width));
    let width = commonest.unwrap_or(DEFAULT_WIDTH);
    let mut drawing = Drawing::new(library, width, depth);
    for (channel, connection) in channels.iter_mut().zip(&netlist.connections) {
        channel.name = drawing.fresh_name(&channel.name, "links");
        if channel.is_kept {
            drawing.depth = own(connection.depth);
            drawing.add_link(&channel.name, channel.width, channel.length);
        }
    }
    let mut ports = Vec::new();
    for (k, component) in netlist.components.iter().enumerate() {
        let ends: Vec<EndOf> = ends_of[k]
            .iter()
            .copied()
            .filter(|end| channels[end.0].is_kept)
            .collect();
        let Some(role) = roles[k].as_ref().filter(|_| !ends.is_empty()) else {
            continue;
        };
        let cx = Site {
            netlist,
            channels: &channels,
            component,
            ends: &ends,
        };
        drawing.depth = own(depth_of(netlist, component));
        match role {
            Role::Port => cx.ports(k, &mut drawing, &mut ports),
            Role::Node => cx.node(&mut drawing),
            Role::Device(device) => cx.device(device, &mut drawing, out),
            Role::LeftOut(_) | Role::Refused => {}
        }
    }
    drawing.finish_links(out);
    drawing.pack(out);
    let (components, links, mut comments) = drawing.into_parts();
    let ports = conditions(netlist, ports, &first_ports, options, &mut comments, out);
    if out.has_errors() {
        return None;
    }
    let design = Design {
        parametric: Default::default(),
        species: Default::default(),
        groups: Vec::new(),
        overlays: Vec::new(),
        name: name.to_owned(),
        title: Some(format!(
            "{} (imported)",
            if netlist.name.is_empty() {
                name
            } else {
                &netlist.name
            }
        )),
        viscosity: PascalSecond(VISCOSITY),
        density: None,
        model: DepthModel::Shallow,
        depth: Some(Metre(depth)),
        width: Metre(width),
        resolution: None,
        walls: Default::default(),
        components,
        channels: Vec::new(),
        connections: Vec::new(),
        links,
        sheets: Sheets::default(),
        ports,
    };
    let head = [
        netlist.dialect.describe().to_owned(),
        "Components are laid beside each other; connections are links as long as the file's paths."
            .to_owned(),
        "Assumed: water of 1 mPa s.".to_owned(),
    ];
    let text = super::super::annotate::annotate(&design, &head, &out.diagnostics, &comments);
    Some(Imported {
        design,
        text,
        dialect: netlist.dialect.describe(),
        path_length,
    })
}

fn label(netlist: &Netlist, (connection, end): EndOf) -> Option<String> {
    netlist.connections[connection].ends[end].label.clone()
}

/// Widths and lengths of all connections; the sum of their lengths where all are told.
fn channels(
    netlist: &Netlist,
    options: &Options,
    out: &mut Reporter,
) -> (Vec<Channel>, Option<f64>) {
    let default = options.width.unwrap_or(DEFAULT_WIDTH);
    let warn_all = |code, at: Vec<&Connection>, message: String, help: &str, out: &mut Reporter| {
        let Some(first) = at.first() else { return };
        let mut warning = error(code, Some(first.place.clone()), message, help);
        warning.severity = Severity::Warning;
        out.report(warning);
    };
    let without: Vec<&Connection> = netlist
        .connections
        .iter()
        .filter(|c| c.width.is_none())
        .collect();
    let message = format!(
        "{} of {} connections tell no width: {} is assumed",
        without.len(),
        netlist.connections.len(),
        print_length(default)
    );
    warn_all("D327", without, message, "`--width` says another", out);
    let without: Vec<&Connection> = netlist
        .connections
        .iter()
        .filter(|c| c.length.is_none())
        .collect();
    let message = format!(
        "{} of {} connections tell no length, and their components no place: {DEFAULT_LENGTH} widths are assumed",
        without.len(),
        netlist.connections.len()
    );
    warn_all("D329", without, message, "", out);
    let all: Option<f64> = netlist.connections.iter().map(|c| c.length).sum();
    let channels = netlist.connections.iter().map(|connection| {
        let width = connection.width.unwrap_or(default);
        let length = connection.length.unwrap_or(DEFAULT_LENGTH * width);
        if length > 1e5 * width {
            let message = format!(
                "connection `{}` is {length:.3e} m long and {width:.3e} m wide",
                connection.name
            );
            out.report(error(
                "D329",
                Some(connection.place.clone()),
                message,
                "at most 100000 widths",
            ));
        }
        Channel {
            name: connection.name.clone(),
            width,
            length,
            is_kept: true,
        }
    });
    (channels.collect(), all)
}

/// Takes out connections to what is left out.
fn leave_out(
    netlist: &Netlist,
    roles: &[Option<Role>],
    ends_of: &[Vec<EndOf>],
    channels: &mut [Channel],
    out: &mut Reporter,
) {
    for (k, role) in roles.iter().enumerate() {
        let component = &netlist.components[k];
        match role {
            Some(Role::LeftOut(why)) => {
                let ends: BTreeSet<usize> = ends_of[k].iter().map(|end| end.0).collect();
                ends.iter().for_each(|&c| channels[c].is_kept = false);
                let message = format!(
                    "`{}` ({}) and its {} connections are left out: {why}",
                    component.name,
                    component.entity,
                    ends.len()
                );
                warn("D321", component, message, "", out);
            }
            Some(Role::Device(Device {
                note: Some(note), ..
            })) => {
                let message = format!("`{}` ({}): {note}", component.name, component.entity);
                warn("D321", component, message, "", out);
            }
            _ => {}
        }
    }
}

/// Takes out islands with fewer than two ports; the first port of every other one.
fn islands(
    netlist: &Netlist,
    roles: &[Option<Role>],
    channels: &mut [Channel],
    out: &mut Reporter,
) -> BTreeSet<usize> {
    fn root(parents: &mut [usize], mut k: usize) -> usize {
        while parents[k] != k {
            parents[k] = parents[parents[k]];
            k = parents[k];
        }
        k
    }
    let mut parents: Vec<usize> = (0..roles.len()).collect();
    let mut n_ends = vec![0; roles.len()];
    for (connection, _) in netlist
        .connections
        .iter()
        .zip(&*channels)
        .filter(|(_, c)| c.is_kept)
    {
        let [a, b] = [0, 1].map(|end| connection.ends[end].component);
        n_ends[a] += 1;
        n_ends[b] += 1;
        // A port is where fluid comes and goes: two connections at a bank of ports don't meet there.
        let (a, b) = (root(&mut parents, a), root(&mut parents, b));
        parents[a.max(b)] = a.min(b);
    }
    let mut ports: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (k, role) in roles.iter().enumerate().filter(|(k, _)| n_ends[*k] > 0) {
        let island = root(&mut parents, k);
        members.entry(island).or_default().push(k);
        let n = if netlist.components[k].entity == "PORTBANK" {
            n_ends[k]
        } else {
            1
        };
        if matches!(role, Some(Role::Port)) {
            ports
                .entry(island)
                .or_default()
                .extend(std::iter::repeat_n(k, n));
        }
    }
    let mut first = BTreeSet::new();
    let mut dropped: BTreeSet<usize> = BTreeSet::new();
    for (island, members) in &members {
        match ports.get(island).map_or(&[][..], |list| list) {
            [one, _, ..] => {
                first.insert(*one);
            }
            few => {
                dropped.extend(members);
                let component = &netlist.components[members[0]];
                let names: Vec<&str> = members
                    .iter()
                    .take(8)
                    .map(|&k| netlist.components[k].name.as_str())
                    .collect();
                let message = format!(
                    "an island with {} of the two ports that flow needs is left out: {} ({} components)",
                    few.len(),
                    names.join(", "),
                    members.len()
                );
                warn("D324", component, message, "", out);
            }
        }
    }
    for (connection, channel) in netlist.connections.iter().zip(channels) {
        channel.is_kept &= !dropped.contains(&connection.ends[0].component);
    }
    first
}

/// A component's own depth, m; ports and nodes have none: they are as deep as what meets there.
fn depth_of(netlist: &Netlist, component: &Component) -> Option<f64> {
    if ["PORT", "NODE", "VIA"].contains(&component.entity.as_str()) {
        return None;
    }
    let depth = component.params.get("height");
    let depth = depth.and_then(super::super::json::number)? * netlist.unit / 1e6;
    Some(depth).filter(|d| (1e-8..=1.0).contains(d))
}

/// The chip's depth: the commonest of channels, then of components.
fn depth(netlist: &Netlist, ends_of: &[Vec<EndOf>]) -> f64 {
    let components = netlist.components.iter().zip(ends_of);
    let used = components.filter(|(_, ends)| !ends.is_empty());
    let depths = used.filter_map(|(component, _)| depth_of(netlist, component));
    most_common(netlist.channel_depths.iter().copied())
        .or_else(|| most_common(depths))
        .unwrap_or(DEFAULT_DEPTH)
}

/// The value that occurs most often, the smallest of equals.
fn most_common(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    // Bits of positive numbers are ordered as the numbers.
    values
        .filter(|v| *v > 0.0)
        .for_each(|v| *counts.entry(v.to_bits()).or_default() += 1);
    let best = counts
        .iter()
        .max_by_key(|(bits, n)| (**n, std::cmp::Reverse(**bits)));
    best.map(|(bits, _)| f64::from_bits(*bits))
}

/// A port of the chip: the component, its name and the socket it is at.
pub(super) type OpenSocket = (usize, String, String);

fn conditions(
    netlist: &Netlist,
    open: Vec<OpenSocket>,
    first: &BTreeSet<usize>,
    options: &Options,
    comments: &mut BTreeMap<(&'static str, String), String>,
    out: &mut Reporter,
) -> Vec<Port> {
    let mut taken = BTreeSet::new();
    let mut driven = BTreeSet::new();
    let mut begun = BTreeSet::new();
    let mut ports = Vec::new();
    for (component, name, at) in open {
        let original = &netlist.components[component].name;
        let name = super::layout::unique(&super::layout::well_formed(&name), &mut taken);
        let drive = options
            .drive
            .iter()
            .find(|(port, _)| *port == *original || *port == name);
        let is_first = first.contains(&component) && begun.insert(component);
        let condition = match drive {
            Some((port, condition)) => {
                driven.insert(port.clone());
                *condition
            }
            None => PortCondition::Pressure(Pascal(if is_first { ASSUMED_PRESSURE } else { 0.0 })),
        };
        let mut words: Vec<String> = Vec::new();
        if *original != name {
            words.push(original.clone());
        }
        if drive.is_none() {
            words.push("assumed".to_owned());
        }
        if !words.is_empty() {
            comments.insert(("ports", name.clone()), words.join(", "));
        }
        ports.push(Port {
            name: Spanned::nowhere(name),
            at: Spanned::nowhere(at),
            condition: Spanned::nowhere(condition),
        });
    }
    for (port, _) in options
        .drive
        .iter()
        .filter(|(port, _)| !driven.contains(port))
    {
        let known: Vec<&str> = ports
            .iter()
            .map(|p| p.name.value.as_str())
            .take(12)
            .collect();
        let message = format!("there is no port `{port}` to drive");
        let help = format!("its ports are {}", known.join(", "));
        out.report(error("D322", Some("--drive".to_owned()), message, &help));
    }
    ports
}

/// One component of the netlist and its connections that are kept.
struct Site<'a> {
    netlist: &'a Netlist,
    channels: &'a [Channel],
    component: &'a Component,
    ends: &'a [EndOf],
}

impl Site<'_> {
    fn width(&self, end: EndOf) -> f64 {
        self.channels[end.0].width
    }

    fn link(&self, end: EndOf) -> (&str, usize) {
        (&self.channels[end.0].name, end.1)
    }

    /// Ends stay open; several at one port meet in a junction whose last socket is the port's.
    fn ports(&self, component: usize, drawing: &mut Drawing<'_>, out: &mut Vec<OpenSocket>) {
        let name = &self.component.name;
        if self.ends.len() == 1 || self.component.entity == "PORTBANK" {
            for (k, &end) in self.ends.iter().enumerate() {
                let (link, side) = self.link(end);
                let at = format!("{link}.{}", ["start", "end"][side]);
                let name = if k == 0 {
                    name.clone()
                } else {
                    format!("{name}_{}", k + 1)
                };
                out.push((component, name, at));
            }
            return;
        }
        let mut widths: Vec<f64> = self.ends.iter().map(|&end| self.width(end)).collect();
        widths.push(widths.iter().copied().fold(0.0, f64::max));
        let junction = drawing.junction(name, &widths);
        for (k, &end) in self.ends.iter().enumerate() {
            drawing.end_link(self.link(end), &format!("{junction}.m{}", k + 1));
        }
        out.push((
            component,
            name.clone(),
            format!("{junction}.m{}", widths.len()),
        ));
    }

    /// Ends meet in a point.
    fn node(&self, drawing: &mut Drawing<'_>) {
        let name = &self.component.name;
        match self.ends {
            [end] => {
                let closed = drawing.closed_end(name, self.width(*end));
                drawing.end_link(self.link(*end), &format!("{closed}.a"));
            }
            [a, b] => drawing.join(
                name,
                self.link(*a),
                self.link(*b),
                [self.width(*a), self.width(*b)],
            ),
            ends => {
                let widths: Vec<f64> = ends.iter().map(|&end| self.width(end)).collect();
                let junction = drawing.junction(name, &widths);
                for (k, &end) in ends.iter().enumerate() {
                    drawing.end_link(self.link(end), &format!("{junction}.m{}", k + 1));
                }
            }
        }
    }

    fn device(&self, device: &Device, drawing: &mut Drawing<'_>, out: &mut Reporter) {
        let place = &self.component.place;
        let Some(names) = drawing.device(&self.component.name, device, place, out) else {
            return;
        };
        let mut by_socket: BTreeMap<usize, Vec<EndOf>> = BTreeMap::new();
        for (end, socket) in self.sockets(device, out) {
            by_socket.entry(socket).or_default().push(end);
        }
        for (socket, ends) in by_socket {
            let (_, part, socket) = &device.sockets[socket];
            let at = format!("{}.{socket}", names[*part]);
            let Some(width) = drawing.socket_width(&at) else {
                let message = format!("`{}` has no socket `{socket}`", self.component.name);
                out.report(error("D323", Some(place.clone()), message, ""));
                continue;
            };
            if let [end] = ends[..] {
                drawing.end_at_socket(self.link(end), self.width(end), &at, width);
                continue;
            }
            // Several connections at one socket: a junction two widths before it.
            let mut widths = vec![self.width(ends[0])];
            widths.extend(ends.iter().map(|&end| self.width(end)));
            let junction = drawing.junction(&format!("{}_{socket}", self.component.name), &widths);
            let lead = drawing.fresh_name(&format!("{junction}_lead"), "links");
            drawing.add_link(&lead, widths[0], 2.0 * widths[0]);
            drawing.end_link((&lead, 0), &format!("{junction}.m1"));
            drawing.end_at_socket((&lead, 1), widths[0], &at, width);
            for (k, &end) in ends.iter().enumerate() {
                drawing.end_link(self.link(end), &format!("{junction}.m{}", k + 2));
            }
        }
    }

    /// Which socket each end meets, index into the device's.
    fn sockets(&self, device: &Device, out: &mut Reporter) -> Vec<(EndOf, usize)> {
        let mut found: Vec<Option<usize>> = vec![None; self.ends.len()];
        let mut taken: Vec<usize> = vec![0; device.sockets.len()];
        let declared = |label: &str| self.component.ports.iter().any(|p| p.label == label);
        for (k, &end) in self.ends.iter().enumerate() {
            let Some(label) = label(self.netlist, end) else {
                continue;
            };
            // A label of several sockets (leaves of a tree) takes them one after the other.
            let of_label = |j: &usize| device.sockets[*j].0 == label;
            let all: Vec<usize> = (0..device.sockets.len()).filter(of_label).collect();
            found[k] = all.iter().copied().min_by_key(|&j| (taken[j], j));
            if let Some(j) = found[k] {
                taken[j] += 1;
            }
        }
        // Other vocabularies count from 0 or name ports: their order decides, where no label is ours.
        let is_foreign = found.iter().all(Option::is_none);
        let mut named: BTreeMap<String, usize> = BTreeMap::new();
        let mut unknown: Vec<String> = Vec::new();
        let mut order: Vec<usize> = (0..self.ends.len()).collect();
        order.sort_by_key(|&k| label(self.netlist, self.ends[k]));
        for k in order {
            if found[k].is_some() {
                continue;
            }
            let label = label(self.netlist, self.ends[k]);
            let known = label.as_ref().and_then(|label| named.get(label).copied());
            let socket = known.or_else(|| (0..taken.len()).min_by_key(|&j| (taken[j], j)));
            let Some(socket) = socket else { continue };
            taken[socket] += usize::from(known.is_none());
            found[k] = Some(socket);
            if let Some(label) = label {
                if known.is_none() && !(is_foreign && declared(&label)) {
                    unknown.push(label.clone());
                }
                named.insert(label, socket);
            }
        }
        if !unknown.is_empty() {
            let message = format!(
                "`{}` ({}) has no port {}: the nearest free socket is taken",
                self.component.name,
                self.component.entity,
                unknown.join(", ")
            );
            warn("D323", self.component, message, "", out);
        }
        let ends = self.ends.iter().copied();
        ends.zip(found)
            .filter_map(|(end, socket)| Some((end, socket?)))
            .collect()
    }
}
