//! A design whose joints are links becomes a drawing: components in rows, channels between them, no crossing.
//!
//! ```text
//! Design --netlist--> graph --planar--> islands with an order around every component
//!        --bipolar--> levels and columns --rings, route--> places and way-points --draw--> Design with channels
//! ```
//! Guarantees that what comes out can be placed without an error: it is placed before it is handed out, and links whose channels
//! stand in the way stay links. What can't be drawn without a crossing stays a link too; each is named. Knows no solver.
//!
//! | code | what is wrong |
//! | --- | --- |
//! | D350 | the design has channels: its places aren't ours to choose |
//! | D351 | a link that stays one (warning) |
//! | D352 | there is nothing to draw |
//!
//! | module | turns what into what |
//! | --- | --- |
//! | `netlist` | a design into a graph: groups of components, links between their sockets |
//! | `planar`, `embedding` | the graph into plane islands |
//! | `bipolar` | an island into levels and columns |
//! | `rings`, `route` | these into places and way-points |

mod bipolar;
mod embedding;
mod netlist;
mod planar;
mod rings;
mod route;

use std::collections::{BTreeMap, BTreeSet};

use crate::chip::{lay_out, place};
use crate::design::{
    Bend, Channel, Component, Design, Dimension, Placement, PortCondition, Spanned, Value,
};
use crate::library::Library;
use netlist::{Netlist, Vertex};
use planar::{Planar, planar};
use route::{Put, Routed, route};
use stokeslet_base::diagnostic::{Diagnostic, Place, Severity};
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::{Metre, Radian};

/// Larger netlists stay netlists.
const MAX_LINKS: usize = 1000;
/// Rounds of taking out links whose channels stand in the way.
const ROUNDS: usize = 40;

/// A design with channels in the place of links.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// Components with new places, channels, the links that are left.
    pub design: Design,
    /// Channels that stand for links.
    pub n_drawn: usize,
    /// Links that are left, by name.
    pub left: Vec<String>,
}

/// Draws a design whose joints are links: every link that can be becomes a channel, every component gets a place.
///
/// - `gap`: between walls, m; by default as wide as the widest channel of an island
///
/// Components may be turned by right angles and mirrored, the sockets of chambers with four alike exchanged, directions of junctions
/// chosen anew: the network of joints stays, lengths of channels are the drawing's.
/// # Errors
/// No drawing, with what is wrong (D350, D352, mistakes of the design itself); warnings (D351) beside one.
/// # Accuracy and cost
/// Orders of sockets are kept exactly. Links times size of the netlist where it is planar, more often where links have to be left.
pub fn draw(
    design: &Design,
    library: &Library,
    gap: Option<f64>,
) -> (Option<Drawn>, Vec<Diagnostic>) {
    if let Some(channel) = design.channels.first() {
        let message = format!(
            "the design has {} drawn channels, such as `{}`",
            design.channels.len(),
            channel.name.value
        );
        let help = "layout draws netlists, whose joints are all links";
        return (
            None,
            vec![fault("D350", Severity::Error, None, message, help)],
        );
    }
    if design.links.len() > MAX_LINKS {
        let message = format!("the design has {} links", design.links.len());
        let help = format!("at most {MAX_LINKS} are drawn");
        return (
            None,
            vec![fault("D352", Severity::Error, None, message, &help)],
        );
    }
    let layout = lay_out(design, library);
    let is_error = |d: &&Diagnostic| d.severity == Severity::Error;
    if layout.diagnostics.iter().any(|d| is_error(&d)) {
        let errors = layout.diagnostics.iter().filter(is_error);
        return (None, errors.cloned().collect());
    }
    let netlist = netlist::read(design, &layout);
    if netlist.wires.is_empty() {
        let message = "the design has no link that could be drawn".to_owned();
        return (
            None,
            vec![fault("D352", Severity::Error, None, message, "")],
        );
    }
    let mut left_out: BTreeMap<usize, &'static str> = BTreeMap::new();
    let mut last = Vec::new();
    for _ in 0..ROUNDS {
        let mut graph = netlist.clone();
        let set: BTreeSet<usize> = left_out.keys().copied().collect();
        let Some(planar) = planar(&mut graph, &set) else {
            break;
        };
        let page = match Page::new(design, &graph, &planar, gap) {
            Ok(page) => page,
            Err(vertex) => {
                let meets = |wire: &usize| {
                    let ends = graph.wires[*wire].ends;
                    ends.iter().any(|end| end.0 == vertex)
                };
                let drawn = |wire: &usize| !set.contains(wire) && !planar.refused.contains(wire);
                let Some(wire) = (0..graph.wires.len()).rev().find(|w| meets(w) && drawn(w)) else {
                    break;
                };
                left_out.insert(wire, "no way around the component that it meets was found");
                continue;
            }
        };
        let drawn = page.design();
        let (_, diagnostics) = place(&drawn, library);
        let errors: Vec<Diagnostic> = diagnostics.iter().filter(is_error).cloned().collect();
        if errors.is_empty() {
            for &wire in &planar.refused {
                left_out.insert(wire, "it would cross others");
            }
            return finished(design, &graph, drawn, &left_out);
        }
        let before = left_out.len();
        for error in &errors {
            if let Some(wire) = culprit(design, &graph, error, &left_out) {
                left_out.insert(wire, "its channel would lie on something else");
            }
        }
        last = errors;
        if left_out.len() == before {
            break;
        }
    }
    if last.is_empty() {
        let message = "no drawing of this netlist was found".to_owned();
        last.push(fault("D352", Severity::Error, None, message, ""));
    }
    (None, last)
}

/// The wire whose channel an error of placing is about.
fn culprit(
    design: &Design,
    netlist: &Netlist,
    error: &Diagnostic,
    left_out: &BTreeMap<usize, &'static str>,
) -> Option<usize> {
    let named = |wire: usize, name: &str| {
        let link = netlist.wires[wire].links.first();
        link.is_some_and(|&link| design.links[link].name.value == name)
    };
    let mut names: Vec<&str> = error.message.split('`').skip(1).step_by(2).collect();
    names.extend(error.place.component.as_deref());
    names.iter().rev().find_map(|name| {
        let item = name.split(['/', '.']).next()?;
        (0..netlist.wires.len()).find(|&wire| named(wire, item) && !left_out.contains_key(&wire))
    })
}

fn finished(
    design: &Design,
    netlist: &Netlist,
    drawn: Design,
    left_out: &BTreeMap<usize, &'static str>,
) -> (Option<Drawn>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    for (&wire, why) in left_out {
        for &link in &netlist.wires[wire].links {
            let name = &design.links[link].name;
            let message = format!("link `{}` stays a link: {why}", name.value);
            let place = Some(name.clone());
            diagnostics.push(fault("D351", Severity::Warning, place, message, ""));
        }
    }
    let drawn = Drawn {
        n_drawn: netlist.wires.len() - left_out.len(),
        left: drawn.links.iter().map(|l| l.name.value.clone()).collect(),
        design: drawn,
    };
    (Some(drawn), diagnostics)
}

fn fault(
    code: &'static str,
    severity: Severity,
    at: Option<Spanned<String>>,
    message: String,
    help: &str,
) -> Diagnostic {
    Diagnostic {
        code,
        severity,
        place: Place {
            span: at.as_ref().map(|name| name.span.clone()),
            component: at.map(|name| name.value),
        },
        message,
        help: (!help.is_empty()).then(|| help.to_owned()),
    }
}

/// Islands beside each other.
struct Page<'a> {
    design: &'a Design,
    netlist: &'a Netlist,
    planar: &'a Planar,
    /// Each with how far it is moved.
    islands: Vec<(Routed, Point)>,
    /// Where what has no channel begins, and how far from each other, m.
    rest: (Point, f64),
}

impl<'a> Page<'a> {
    /// Lays out every island; a vertex around which channels can't be laid where there is one.
    fn new(
        design: &'a Design,
        netlist: &'a Netlist,
        planar: &'a Planar,
        gap: Option<f64>,
    ) -> Result<Self, usize> {
        let mut islands = Vec::new();
        let mut x = 0.0;
        let widest = netlist.wires.iter().map(|w| w.width).fold(0.0, f64::max);
        for island in &planar.islands {
            let widths = island.segments.iter().map(|&s| {
                let wire = planar.segments[s].wire;
                netlist.wires[wire].width
            });
            let gap = gap.unwrap_or_else(|| widths.fold(0.0, f64::max));
            let source = source(design, netlist, island);
            let routed = route(netlist, &planar.segments, island, source, gap)?;
            let offset = Point::new(x, 0.0) - routed.low;
            x += routed.high.x - routed.low.x + gap + 2.0 * widest;
            islands.push((routed, offset));
        }
        Ok(Self {
            design,
            netlist,
            planar,
            islands,
            rest: (Point::new(x, 0.0), 3.0 * widest),
        })
    }

    fn design(&self) -> Design {
        let mut design = self.design.clone();
        design.parametric = Default::default();
        design.links.clear();
        let mut renamed: BTreeMap<String, String> = BTreeMap::new();
        let (mut x, apart) = (self.rest.0.x, self.rest.1);
        for (v, vertex) in self.netlist.vertices.iter().enumerate() {
            let Vertex::Group(group) = vertex else {
                continue;
            };
            let put = self.islands.iter().find_map(|(routed, offset)| {
                let mut put = routed.groups.get(&v)?.clone();
                put.motion.translation = put.motion.translation + *offset;
                Some(put)
            });
            let put = put.unwrap_or_else(|| {
                let to = Point::new(x - group.low.x, -group.low.y);
                x += group.high.x - group.low.x + apart;
                Put {
                    motion: Motion::new(0.0, to),
                    directions: None,
                    exchanged: None,
                }
            });
            for &k in &group.members {
                move_component(&mut design.components[k], &put);
            }
        }
        for (wire, ways) in self.ways() {
            self.add_channel(wire, ways, &mut design, &mut renamed);
        }
        snap(&mut design);
        let drawn: BTreeSet<&str> = design
            .channels
            .iter()
            .map(|c| &c.name)
            .chain(design.components.iter().map(|c| &c.name))
            .map(|name| name.value.as_str())
            .collect();
        let gone: BTreeSet<usize> = self
            .netlist
            .wires
            .iter()
            .filter(|wire| drawn.contains(self.design.links[wire.links[0]].name.value.as_str()))
            .flat_map(|wire| wire.links.iter().copied())
            .collect();
        let left = (0..self.design.links.len()).filter(|k| !gone.contains(k));
        design.links = left.map(|k| self.design.links[k].clone()).collect();
        for port in &mut design.ports {
            if let Some(name) = renamed.get(&port.at.value) {
                port.at.value = name.clone();
            }
        }
        design
    }

    /// The way of every wire that is drawn, in its direction, corners only.
    fn ways(&self) -> BTreeMap<usize, Vec<Point>> {
        let mut ways: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
        // Segments of a wire are numbered in its direction.
        for (k, segment) in self.planar.segments.iter().enumerate() {
            let way = self.islands.iter().find_map(|(routed, offset)| {
                let way = routed.ways.get(&k)?;
                Some(way.iter().map(|&p| p + *offset).collect::<Vec<_>>())
            });
            ways.entry(segment.wire)
                .or_default()
                .extend(way.into_iter().flatten());
        }
        ways.retain(|_, way| way.len() > 1);
        for (&wire, way) in &mut ways {
            *way = corners(way, self.netlist.wires[wire].width);
        }
        ways
    }

    /// The socket that an end of a wire meets; another one where a component's sockets were exchanged.
    fn socket(&self, (vertex, socket): (usize, usize)) -> Option<String> {
        let Vertex::Group(group) = &self.netlist.vertices[vertex] else {
            return None;
        };
        let put = self
            .islands
            .iter()
            .find_map(|(routed, _)| routed.groups.get(&vertex));
        let exchanged = put.and_then(|put| put.exchanged.as_ref());
        let socket = exchanged.map_or(socket, |exchanged| exchanged[socket]);
        Some(group.sockets[socket].name.clone())
    }

    fn add_channel(
        &self,
        wire: usize,
        mut way: Vec<Point>,
        design: &mut Design,
        renamed: &mut BTreeMap<String, String>,
    ) {
        let wire = &self.netlist.wires[wire];
        let name = self.design.links[wire.links[0]].name.value.clone();
        let mut ends = wire.ends.map(|end| self.socket(end));
        let mut open = wire.open.clone();
        let nowhere = |text: &str| Spanned::nowhere(text.to_owned());
        if ends[0].is_none() {
            ends.reverse();
            open.reverse();
            way.reverse();
        }
        let [Some(from), to] = ends else {
            // Between two ports: its length is ours to choose, so it stays as it was.
            let (start, end) = (way[0], way[way.len() - 1]);
            let along = end - start;
            let length = wire.length.max(along.norm());
            let quantity = |value: f64| Spanned::nowhere(Value::Quantity(value, Dimension::Length));
            design.components.push(Component {
                name: nowhere(&name),
                kind: nowhere("pipe"),
                placement: Placement::Absolute {
                    at: start,
                    rotation: Radian(along.angle()),
                    mirror: false,
                },
                parameters: vec![
                    (nowhere("length"), quantity(length)),
                    (nowhere("width"), quantity(wire.width)),
                ],
                depth: self.design.links[wire.links[0]].depth,
                dimensions: Vec::new(),
            });
            for (open, socket) in open.into_iter().zip(["a", "b"]) {
                renamed.extend(open.map(|open| (open, format!("{name}.{socket}"))));
            }
            return;
        };
        let last = way.len() - usize::from(to.is_some());
        let via = way[1..last].iter().map(|&p| Spanned::nowhere(p)).collect();
        renamed.extend(open[1].take().map(|open| (open, format!("{name}.end"))));
        design.channels.push(Channel {
            name: nowhere(&name),
            from: nowhere(&from),
            to: to.map(Spanned::nowhere),
            via,
            width: Some(Metre(wire.width)),
            bend: Bend::Mitred,
            depth: self.design.links[wire.links[0]].depth,
        });
    }
}

/// Where flow comes from: the port of the greatest flow rate or else pressure, or else any open end.
fn source(design: &Design, netlist: &Netlist, island: &planar::Island) -> usize {
    let mut best: Option<((u8, f64), usize)> = None;
    for wire in &netlist.wires {
        for (end, open) in wire.ends.iter().zip(&wire.open) {
            let Some(open) = open else { continue };
            if !island.vertices.contains(&end.0) {
                continue;
            }
            let port = design.ports.iter().find(|port| port.at.value == *open);
            let rank = match port.map(|port| port.condition.value) {
                Some(PortCondition::FlowRate(flow)) if flow.0 > 0.0 => (3, flow.0),
                Some(PortCondition::FlowRatePerDepth(flow)) if flow.0 > 0.0 => (3, flow.0),
                Some(PortCondition::Pressure(pressure)) => (2, pressure.0),
                Some(_) => (1, 0.0),
                None => (0, 0.0),
            };
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, end.0));
            }
        }
    }
    best.map_or(island.vertices[0], |(_, vertex)| vertex)
}

fn move_component(component: &mut Component, put: &Put) {
    if let Some(directions) = &put.directions {
        let list = directions
            .iter()
            .map(|&angle| Value::Quantity(angle, Dimension::Angle));
        for (name, value) in &mut component.parameters {
            if name.value == "directions" {
                value.value = Value::List(list.clone().collect());
            }
        }
        component.placement = Placement::Absolute {
            at: put.motion.translation,
            rotation: Radian(0.0),
            mirror: false,
        };
        return;
    }
    match &mut component.placement {
        Placement::Absolute {
            at,
            rotation,
            mirror,
        } => {
            let own = Motion {
                angle: rotation.0,
                mirror: *mirror,
                translation: *at,
            };
            let moved = put.motion.after(&own);
            (*at, *rotation, *mirror) = (moved.translation, Radian(moved.angle), moved.mirror);
        }
        // The sockets decide the rest.
        Placement::Attached(attachment) => attachment.mirror ^= put.motion.mirror,
    }
}

/// Puts places on whole picometres: far below what directions are checked to, and shorter to read.
fn snap(design: &mut Design) {
    let pm = |x: f64| (x * 1e12).round() / 1e12;
    let snapped = |p: Point| Point::new(pm(p.x), pm(p.y));
    for component in &mut design.components {
        if let Placement::Absolute { at, .. } = &mut component.placement {
            *at = snapped(*at);
        }
    }
    for channel in &mut design.channels {
        for via in &mut channel.via {
            via.value = snapped(via.value);
        }
    }
}

/// A way without points that lie on top of each other or on the line between their neighbours.
fn corners(way: &[Point], width: f64) -> Vec<Point> {
    let near = 1e-9 * width;
    let mut out: Vec<Point> = Vec::new();
    for &p in way {
        if out.last().is_some_and(|q| (p - *q).norm() <= near) {
            continue;
        }
        while let [.., a, b] = out[..] {
            let (one, two) = (b - a, p - b);
            let is_straight = one.cross(two).abs() <= near * (one.norm() + two.norm());
            if !(is_straight && one.dot(two) > 0.0) {
                break;
            }
            out.pop();
        }
        out.push(p);
    }
    out
}

#[cfg(test)]
mod tests;
