//! A design whose joints are links becomes a graph: rigid groups of components, open ends, and the links between them.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::chip::{LaidSocket, Layout};
use crate::design::{Design, Placement, Value};
use crate::library::boundary;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;

/// A socket of a group that a link meets.
#[derive(Clone, Debug)]
pub(super) struct Socket {
    /// `component.socket`.
    pub name: String,
    /// Where it is, as the design lies.
    pub at: Point,
    /// Where it looks, rad.
    pub direction: f64,
    /// m.
    pub width: f64,
}

/// What a vertex of the graph is.
#[derive(Clone, Debug)]
pub(super) enum Vertex {
    /// Components that hang together.
    Group(Group),
    /// An end of a link that is a port, or closed.
    Open,
    /// A point on a link's way.
    Point,
}

/// Components that hang together without links.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Indices into the design's components.
    pub members: Vec<usize>,
    /// The box around it, as the design lies.
    pub low: Point,
    pub high: Point,
    /// Those that links meet.
    pub sockets: Vec<Socket>,
    /// What may be chosen about it.
    pub freedom: Freedom,
}

/// What may be chosen about a group beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freedom {
    /// A quarter turn, and a mirror image.
    Rigid,
    /// Its four sockets are alike too.
    Symmetric,
    /// A junction: its directions are ours to choose.
    Junction,
}

/// Links end to end that become one channel.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    /// Indices into the design's links, the first names the channel.
    pub links: Vec<usize>,
    /// Vertex and, of groups, the socket's index at either end.
    pub ends: [(usize, usize); 2],
    /// Names that open ends have in the design, `c1.start`.
    pub open: [Option<String>; 2],
    /// m.
    pub width: f64,
    /// Together, m.
    pub length: f64,
}

/// A design as a graph.
#[derive(Clone, Debug)]
pub(super) struct Netlist {
    pub vertices: Vec<Vertex>,
    pub wires: Vec<Wire>,
}

/// The graph of a design that was laid out; links to what isn't there are left out.
pub(super) fn read(design: &Design, layout: &Layout) -> Netlist {
    let mut group_of = groups(design);
    let mut vertices = number_groups(layout, &mut group_of);
    let items: FxHashMap<&str, usize> = design
        .components
        .iter()
        .enumerate()
        .map(|(k, c)| (c.name.value.as_str(), k))
        .collect();
    let links: FxHashMap<&str, usize> = design
        .links
        .iter()
        .enumerate()
        .map(|(k, l)| (l.name.value.as_str(), k))
        .collect();
    let sockets: BTreeMap<String, &LaidSocket> = layout
        .sockets
        .iter()
        .map(|socket| (layout.full_name(socket), socket))
        .collect();
    // Ends of links that are joined to each other.
    let mut partner: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    let mut at_socket: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for (k, link) in design.links.iter().enumerate() {
        for (end, name) in [&link.from, &link.to].into_iter().enumerate() {
            let Some(name) = name.as_ref().map(|name| &name.value) else {
                continue;
            };
            let other = name.rsplit_once('.').and_then(|(item, socket)| {
                let other = *links.get(item)?;
                let end = ["start", "end"].iter().position(|own| *own == socket)?;
                Some((other, end))
            });
            match other {
                Some(other) if other.0 != k => {
                    partner.insert((k, end), other);
                    partner.insert(other, (k, end));
                }
                _ => {
                    at_socket.insert((k, end), name.clone());
                }
            }
        }
    }
    let mut seen = BTreeSet::new();
    let mut wires = Vec::new();
    for k in 0..design.links.len() {
        if seen.contains(&k) {
            continue;
        }
        // To one end of the chain, then all along it.
        let mut first = (k, 0);
        for _ in 0..design.links.len() {
            match partner.get(&first) {
                Some(&(link, end)) if link != k => first = (link, 1 - end),
                _ => break,
            }
        }
        let mut chain = vec![first.0];
        let mut last = (first.0, 1 - first.1);
        while let Some(&(link, end)) = partner.get(&last) {
            if chain.contains(&link) {
                break;
            }
            chain.push(link);
            last = (link, 1 - end);
        }
        seen.extend(chain.iter().copied());
        let is_ring = partner.contains_key(&first) || partner.contains_key(&last);
        let mut wire = Wire {
            ends: [(usize::MAX, 0); 2],
            open: [None, None],
            width: 0.0,
            length: chain.iter().map(|&k| design.links[k].length.0).sum(),
            links: chain,
        };
        // A channel has one depth.
        let depth = |k: &usize| design.links[*k].depth;
        let mut is_whole = !is_ring && wire.links.iter().all(|k| depth(k) == depth(&wire.links[0]));
        for (side, end) in [first, last].into_iter().enumerate() {
            let Some(name) = at_socket.get(&end) else {
                wire.ends[side] = (vertices.len(), 0);
                let names = ["start", "end"];
                let link = &design.links[end.0].name.value;
                wire.open[side] = Some(format!("{link}.{}", names[end.1]));
                vertices.push(Vertex::Open);
                continue;
            };
            let owner = name.rsplit_once('.').and_then(|(item, _)| items.get(item));
            let (Some(&owner), Some(socket)) = (owner, sockets.get(name)) else {
                is_whole = false;
                continue;
            };
            let vertex = group_of[owner];
            let Some(Vertex::Group(group)) = vertices.get_mut(vertex) else {
                is_whole = false;
                continue;
            };
            // Two links at one socket are a mistake that is told elsewhere.
            is_whole &= group.sockets.iter().all(|known| known.name != *name);
            wire.ends[side] = (vertex, group.sockets.len());
            wire.width = socket.geometry.width;
            group.sockets.push(Socket {
                name: name.clone(),
                at: socket.geometry.middle,
                direction: socket.geometry.direction,
                width: socket.geometry.width,
            });
        }
        let given = wire.links.iter().find_map(|&k| design.links[k].width);
        wire.width = given.map_or(wire.width, |width| width.0);
        if wire.width == 0.0 {
            wire.width = design.width.0;
        }
        if is_whole {
            wires.push(wire);
        }
    }
    for vertex in &mut vertices {
        if let Vertex::Group(group) = vertex {
            group.freedom = freedom(design, group);
        }
    }
    Netlist { vertices, wires }
}

/// A number for every component, equal where they hang together.
fn groups(design: &Design) -> Vec<usize> {
    let index: FxHashMap<&str, usize> = design
        .components
        .iter()
        .enumerate()
        .map(|(k, c)| (c.name.value.as_str(), k))
        .collect();
    let owner = |name: &str| index.get(name.rsplit_once('.')?.0).copied();
    let mut root: Vec<usize> = (0..design.components.len()).collect();
    fn find(root: &mut [usize], mut k: usize) -> usize {
        while root[k] != k {
            root[k] = root[root[k]];
            k = root[k];
        }
        k
    }
    let attached = design.components.iter().enumerate().filter_map(|(k, c)| {
        let Placement::Attached(attachment) = &c.placement else {
            return None;
        };
        Some((k, owner(&attachment.to.value)?))
    });
    let joined = design
        .connections
        .iter()
        .filter_map(|c| Some((owner(&c.a.value)?, owner(&c.b.value)?)));
    for (a, b) in attached.chain(joined).collect::<Vec<_>>() {
        let (a, b) = (find(&mut root, a), find(&mut root, b));
        root[a.max(b)] = a.min(b);
    }
    (0..root.len()).map(|k| find(&mut root, k)).collect()
}

/// Makes a vertex of every group; `group_of` becomes the vertex of every component.
fn number_groups(layout: &Layout, group_of: &mut [usize]) -> Vec<Vertex> {
    let mut corners: BTreeMap<usize, Vec<Point>> = BTreeMap::new();
    for (part, &owner) in layout.parts.iter().zip(&layout.owners) {
        if let Some(&group) = group_of.get(owner) {
            let outline = boundary(&part.shape, 64);
            let list = corners.entry(group).or_default();
            list.extend(outline.into_iter().map(|p| part.motion.apply(p)));
        }
    }
    let mut number: BTreeMap<usize, usize> = BTreeMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (k, own) in group_of.iter_mut().enumerate() {
        let root = *own;
        let next = groups.len();
        let vertex = *number.entry(root).or_insert(next);
        if vertex == next {
            let (low, high) = corners
                .get(&root)
                .map_or((Point::default(), Point::default()), |list| bounds(list));
            groups.push(Group {
                members: Vec::new(),
                low,
                high,
                sockets: Vec::new(),
                freedom: Freedom::Rigid,
            });
        }
        groups[vertex].members.push(k);
        *own = vertex;
    }
    groups.into_iter().map(Vertex::Group).collect()
}

fn freedom(design: &Design, group: &Group) -> Freedom {
    let kind = |k: usize| design.components[k].kind.value.as_str();
    let Some(&first) = group.members.first() else {
        return Freedom::Rigid;
    };
    let n_directions = design.components[first]
        .parameters
        .iter()
        .find(|(name, _)| name.value == "directions")
        .map(|(_, value)| match &value.value {
            Value::List(list) => list.len(),
            _ => 0,
        });
    let n = group.sockets.len();
    if group.members.len() == 1 && kind(first) == "junction" && n_directions == Some(n) {
        return Freedom::Junction;
    }
    let is_box = ["cell_trap", "chamber"].contains(&kind(first))
        && group.members[1..].iter().all(|&k| kind(k) == "step");
    let width = group.sockets.first().map_or(0.0, |s| s.width);
    let is_even = group
        .sockets
        .iter()
        .all(|s| (s.width - width).abs() <= 1e-9 * width);
    // Fewer than four have every order by mirroring; more than one a side aren't alike.
    let sides: BTreeSet<i64> = group
        .sockets
        .iter()
        .map(|s| (s.direction / std::f64::consts::FRAC_PI_2).round() as i64)
        .map(|side| side.rem_euclid(4))
        .collect();
    if is_box && is_even && n == 4 && sides.len() == 4 {
        Freedom::Symmetric
    } else {
        Freedom::Rigid
    }
}
