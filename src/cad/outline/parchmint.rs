//! ParchMint 1.2: devices with their sockets, and the channels between them as connections with way-points.
//!
//! What is a strip from end to end and joins two other things (pipes, bends, drawn channels) is part of a connection; every
//! other component is a COMPONENT whose entity is our kind in capitals; ports are PORTs. Micrometres, y down, from the corner of the chip.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Outlines;
use crate::shape::{Shape, SocketRef, Strip};
use stokeslet_base::geometry::{Motion, Point};

/// A component or channel of the design: its leaves, and its sockets that others meet.
#[derive(Default)]
struct Item {
    name: String,
    parts: Vec<usize>,
    sockets: Vec<SocketRef>,
}

/// Where a connection ends: a socket of a device.
#[derive(Clone)]
struct End {
    component: String,
    port: String,
}

struct Writer<'a> {
    outlines: &'a Outlines<'a>,
    items: Vec<Item>,
    item_of: Vec<usize>,
    behind: BTreeMap<SocketRef, SocketRef>,
    ports: BTreeMap<SocketRef, String>,
    /// Whether each item is part of a connection.
    is_channel: Vec<bool>,
    origin: Point,
    /// Names that are given away.
    taken: BTreeMap<String, usize>,
}

/// The chip as a netlist with places.
pub(super) fn write(outlines: &Outlines) -> Vec<u8> {
    let mut writer = Writer::new(outlines);
    let value = writer.device();
    let mut text = format!("{value:#}").into_bytes();
    text.push(b'\n');
    text
}

/// Micrometres to a picometre.
fn um(metres: f64) -> f64 {
    let value = (metres * 1e12).round() / 1e6;
    if value == 0.0 { 0.0 } else { value }
}

impl<'a> Writer<'a> {
    fn new(outlines: &'a Outlines) -> Self {
        let chip = outlines.chip;
        let mut items: Vec<Item> = Vec::new();
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut item_of = Vec::with_capacity(chip.parts.len());
        for (k, part) in chip.parts.iter().enumerate() {
            let name = part.name.split('/').next().unwrap_or_default();
            let number = *numbers.entry(name).or_insert_with(|| {
                items.push(Item {
                    name: name.to_owned(),
                    ..Item::default()
                });
                items.len() - 1
            });
            items[number].parts.push(k);
            item_of.push(number);
        }
        let mut behind = BTreeMap::new();
        for joint in &chip.connections {
            let (a, b) = (item_of[joint.a.part], item_of[joint.b.part]);
            behind.insert(joint.a, joint.b);
            behind.insert(joint.b, joint.a);
            if a != b {
                items[a].sockets.push(joint.a);
                items[b].sockets.push(joint.b);
            }
        }
        let mut ports = BTreeMap::new();
        for port in &chip.ports {
            items[item_of[port.socket.part]].sockets.push(port.socket);
            ports.insert(port.socket, port.name.clone());
        }
        for item in &mut items {
            item.sockets.sort_unstable();
        }
        let is_strip = |&k: &usize| matches!(chip.parts[k].shape, Shape::Strip(_));
        let is_channel = items
            .iter()
            .map(|item| item.sockets.len() == 2 && item.parts.iter().all(is_strip))
            .collect();
        let (low, high) = outlines.bounds();
        let taken = items.iter().map(|i| (i.name.clone(), 1)).collect();
        let mut writer = Self {
            outlines,
            items,
            item_of,
            behind,
            ports,
            is_channel,
            origin: Point::new(low.x, high.y),
            taken,
        };
        writer.break_rings();
        writer
    }

    /// A ring of channels alone has no end: its first channel is made a device.
    fn break_rings(&mut self) {
        for item in 0..self.items.len() {
            if !self.is_channel[item] {
                continue;
            }
            let start = self.items[item].sockets[0];
            let (mut at, mut steps) = (start, 0);
            while let Some(&other) = self.behind.get(&at) {
                let next = self.item_of[other.part];
                steps += 1;
                if !self.is_channel[next] {
                    break;
                }
                if next == item || steps > self.items.len() {
                    self.is_channel[item] = false;
                    break;
                }
                at = self.far_side(next, other);
            }
        }
    }

    /// The other socket of a channel.
    fn far_side(&self, item: usize, socket: SocketRef) -> SocketRef {
        let sockets = &self.items[item].sockets;
        if sockets[0] == socket {
            sockets[1]
        } else {
            sockets[0]
        }
    }

    fn place(&self, p: Point) -> [f64; 2] {
        [um(p.x - self.origin.x), um(self.origin.y - p.y)]
    }

    fn middle(&self, socket: SocketRef) -> Point {
        let part = &self.outlines.chip.parts[socket.part];
        part.motion
            .apply(part.shape.sockets()[socket.socket].middle)
    }

    fn width(&self, socket: SocketRef) -> f64 {
        let shape = &self.outlines.chip.parts[socket.part].shape;
        um(shape.sockets()[socket.socket].width)
    }

    fn unique(&mut self, name: &str) -> String {
        let mut candidate = name.to_owned();
        let mut number = 2;
        while self.taken.contains_key(&candidate) {
            candidate = format!("{name}_{number}");
            number += 1;
        }
        self.taken.insert(candidate.clone(), 1);
        candidate
    }

    /// The socket of a device as ParchMint numbers it.
    fn end_at(&self, socket: SocketRef) -> End {
        let item = &self.items[self.item_of[socket.part]];
        let number = item.sockets.iter().position(|&s| s == socket);
        End {
            component: item.name.clone(),
            port: (number.unwrap_or_default() + 1).to_string(),
        }
    }

    fn device(&mut self) -> Value {
        let chip = self.outlines.chip;
        let mut components: Vec<Value> = Vec::new();
        for item in 0..self.items.len() {
            if !self.is_channel[item] {
                components.push(self.component(item));
            }
        }
        let mut ends: BTreeMap<SocketRef, End> = BTreeMap::new();
        let outer: Vec<(SocketRef, String)> =
            self.ports.iter().map(|(s, n)| (*s, n.clone())).collect();
        for (socket, name) in outer {
            let name = self.unique(&name);
            let middle = self.middle(socket);
            components.push(json!({
                "id": name, "name": name, "entity": "PORT", "layers": ["0"],
                "params": { "position": self.place(middle), "width": self.width(socket) },
                "ports": [{ "label": "1", "layer": "0", "x": 0.0, "y": 0.0 }],
                "x-span": 0.0, "y-span": 0.0,
            }));
            let end = End {
                component: name,
                port: "1".to_owned(),
            };
            ends.insert(socket, end);
        }
        let connections = self.connections(&ends);
        let (low, high) = self.outlines.bounds();
        let (x, y) = (um(high.x - low.x), um(high.y - low.y));
        let depth = chip.depth.map(um);
        json!({
            "name": chip.name, "version": "1.2",
            "params": { "x-span": x, "y-span": y, "length": x, "width": y },
            "layers": [{ "id": "0", "name": "FLOW_0", "type": "FLOW", "group": "0",
                         "params": depth.map_or_else(|| json!({}), |d| json!({ "height": d })) }],
            "components": components, "connections": connections,
            "features": [], "valves": [], "isPnR": true,
        })
    }

    fn component(&self, item: usize) -> Value {
        let chip = self.outlines.chip;
        let Item {
            name,
            parts,
            sockets,
        } = &self.items[item];
        let corners: Vec<Point> = parts
            .iter()
            .flat_map(|&k| self.outlines.parts[k].edges.iter().map(|e| e.from))
            .collect();
        let (low, high) = stokeslet_base::geometry::outline::bounds(&corners);
        let corner = Point::new(low.x, high.y);
        let ports: Vec<Value> = sockets
            .iter()
            .enumerate()
            .map(|(k, &socket)| {
                let p = self.middle(socket) - corner;
                json!({ "label": (k + 1).to_string(), "layer": "0", "x": um(p.x), "y": um(-p.y) })
            })
            .collect();
        let widths: Vec<f64> = sockets.iter().map(|&s| self.width(s)).collect();
        let mut params = json!({ "position": self.place(corner), "widths": widths });
        // A component's parts are one as deep as another.
        let depth = parts.iter().find_map(|&k| chip.depth_of(k));
        if let Some(depth) = depth.or(chip.depth) {
            params["height"] = json!(um(depth));
        }
        let kind = self
            .outlines
            .kinds
            .get(name)
            .map_or("POLYGON", String::as_str);
        json!({
            "id": name, "name": name, "entity": kind.to_uppercase().replace('_', " "), "layers": ["0"],
            "params": params, "ports": ports,
            "x-span": um(high.x - low.x), "y-span": um(high.y - low.y),
        })
    }

    /// From every end along its channels to the other end; each once.
    fn connections(&mut self, ends: &BTreeMap<SocketRef, End>) -> Vec<Value> {
        let mut starts: Vec<SocketRef> = Vec::new();
        for (item, is_channel) in self.items.iter().zip(&self.is_channel) {
            let of_port = item.sockets.iter().filter(|s| ends.contains_key(*s));
            if *is_channel {
                // From the port inwards.
                starts.extend(of_port);
            } else {
                starts.extend(&item.sockets);
            }
        }
        let mut done: BTreeMap<SocketRef, ()> = BTreeMap::new();
        let mut found = Vec::new();
        for start in starts {
            if done.insert(start, ()).is_some() {
                continue;
            }
            let item = self.item_of[start.part];
            let mut path = vec![self.middle(start)];
            let width = self.width(start);
            let source;
            // The next socket to walk into a channel from.
            let mut into = if self.is_channel[item] {
                let Some(end) = ends.get(&start) else {
                    continue;
                };
                source = end.clone();
                Some(start)
            } else if let Some(end) = ends.get(&start) {
                source = end.clone();
                None
            } else {
                source = self.end_at(start);
                self.behind.get(&start).copied()
            };
            let mut names = Vec::new();
            let (chip, mut depth) = (self.outlines.chip, None);
            let sink = loop {
                let Some(socket) = into else {
                    // The port of a device.
                    break self.end_at(start);
                };
                let here = self.item_of[socket.part];
                if !self.is_channel[here] {
                    done.insert(socket, ());
                    break self.end_at(socket);
                }
                names.push(self.items[here].name.clone());
                depth = depth.or(chip.depth_of(socket.part));
                let out = self.far_side(here, socket);
                self.walk(socket, out, &mut path);
                if let Some(end) = ends.get(&out) {
                    done.insert(out, ());
                    break end.clone();
                }
                into = self.behind.get(&out).copied();
                if into.is_none() {
                    break self.end_at(out);
                }
            };
            let id = match names.first() {
                Some(name) => name.clone(),
                None => self.unique(&format!("{}_{}", source.component, source.port)),
            };
            let mut params = json!({ "channelWidth": width });
            if let Some(depth) = depth.filter(|depth| Some(*depth) != chip.depth) {
                params["height"] = json!(um(depth));
            }
            let points: Vec<[f64; 2]> = path.iter().map(|&p| self.place(p)).collect();
            let (source, sink) = (
                json!({ "component": source.component, "port": source.port }),
                json!({ "component": sink.component, "port": sink.port }),
            );
            found.push(json!({
                "id": id, "name": id, "entity": "CHANNEL", "layer": "0",
                "params": params, "source": source, "sinks": [sink],
                "paths": [{ "source": source, "sink": sink, "wayPoints": points, "features": [] }],
            }));
        }
        found
    }

    /// Adds the way through the strips of a channel, from socket to socket.
    fn walk(&self, from: SocketRef, to: SocketRef, path: &mut Vec<Point>) {
        let mut at = from;
        let chip = self.outlines.chip;
        for _ in 0..=chip.parts.len() {
            let part = &chip.parts[at.part];
            let out = SocketRef {
                part: at.part,
                socket: 1 - at.socket.min(1),
            };
            if let Shape::Strip(Strip::Arc { radius, angle, .. }) = part.shape {
                // Arcs by points at most 15 degrees apart.
                let n = (angle / 0.262).ceil().max(2.0);
                let on = |t: f64| {
                    let own = Point::new(0.0, radius)
                        + Point::unit(angle * t - std::f64::consts::FRAC_PI_2) * radius;
                    Motion::apply(&part.motion, own)
                };
                for k in 1..n as usize {
                    let t = k as f64 / n;
                    path.push(on(if at.socket == 0 { t } else { 1.0 - t }));
                }
            }
            path.push(self.middle(out));
            if out == to {
                return;
            }
            match self.behind.get(&out) {
                Some(&next) => at = next,
                None => return,
            }
        }
    }
}
