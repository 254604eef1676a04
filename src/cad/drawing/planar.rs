//! A netlist becomes plane islands: which wires can be drawn without a crossing, and in which order they leave every component.
//!
//! A component whose sockets have an order stands as a wheel, hub and rim, which has one embedding but for its mirror image;
//! junctions, and components with four sockets alike, are points. Where all can't be drawn, wires are added half by half and
//! those refused that can't be added, in several orders, and the fewest kept: none of these could be drawn beside the ones that are; that no
//! other choice refuses fewer isn't proved.

use std::collections::{BTreeMap, BTreeSet};

use super::embedding::{Plane, embed};
use super::netlist::{Freedom, Netlist, Vertex};
use super::rings::turn_of;

/// With more wires fewer orders are tried.
const MOST_TO_REORDER: usize = 200;
/// Strides among the orders that are tried.
const MORE_ORDERS: usize = 12;

/// A piece of a wire between two vertices of the graph.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// Index of the wire.
    pub wire: usize,
    /// Vertices, in the wire's direction.
    pub ends: [usize; 2],
    /// Sockets of groups at both ends.
    pub sockets: [usize; 2],
}

/// Vertices that hang together by drawn wires.
#[derive(Clone, Debug)]
pub(super) struct Island {
    /// Vertices of the netlist, in the numbers of `plane`.
    pub vertices: Vec<usize>,
    /// Segments, the edges of `plane`.
    pub segments: Vec<usize>,
    pub plane: Plane,
}

/// What can be drawn.
#[derive(Clone, Debug)]
pub(super) struct Planar {
    pub segments: Vec<Segment>,
    pub islands: Vec<Island>,
    /// Wires that would cross others.
    pub refused: BTreeSet<usize>,
}

/// Chooses what is drawn of a netlist; points are added to it where two wires join the same components, or one joins a component to itself.
///
/// - `left_out`: wires that aren't to be drawn
pub(super) fn planar(netlist: &mut Netlist, left_out: &BTreeSet<usize>) -> Option<Planar> {
    let wires: Vec<usize> = (0..netlist.wires.len())
        .filter(|wire| !left_out.contains(wire))
        .collect();
    let segments = segments(netlist, &wires);
    let (rims, gadget, n) = wheels(netlist, &segments);
    let graph = Graph {
        n,
        gadget,
        segments: &segments,
        rims: &rims,
    };
    let (kept, refused) = graph.most(&wires);
    let (plane, owners) = graph.embedded(&kept)?;
    // Around hubs: the order of the rim is that of the wires beyond it.
    let mut darts: Vec<Vec<(usize, usize)>> = vec![Vec::new(); netlist.vertices.len()];
    for (v, list) in darts.iter_mut().enumerate() {
        for &dart in &plane.rotation[v] {
            match owners.get(&(dart / 2)) {
                Some(&segment) => list.push((segment, dart % 2)),
                None => {
                    let rim = plane.head(dart);
                    let beyond = plane.rotation[rim]
                        .iter()
                        .find_map(|d| Some((*owners.get(&(d / 2))?, d % 2)));
                    list.extend(beyond);
                }
            }
        }
    }
    let islands = islands(&segments, &darts);
    Some(Planar {
        segments,
        islands,
        refused,
    })
}

fn segments(netlist: &mut Netlist, wires: &[usize]) -> Vec<Segment> {
    let mut taken = BTreeSet::new();
    let mut segments = Vec::new();
    for &wire in wires {
        let [(a, a_socket), (b, b_socket)] = netlist.wires[wire].ends;
        let n_points = if a == b {
            2
        } else {
            usize::from(!taken.insert((a.min(b), a.max(b))))
        };
        let mut at = (a, a_socket);
        for _ in 0..n_points {
            let point = netlist.vertices.len();
            netlist.vertices.push(Vertex::Point);
            segments.push(Segment {
                wire,
                ends: [at.0, point],
                sockets: [at.1, 0],
            });
            at = (point, 0);
        }
        segments.push(Segment {
            wire,
            ends: [at.0, b],
            sockets: [at.1, b_socket],
        });
    }
    segments
}

type Rims = BTreeMap<(usize, usize), usize>;

/// The rim of every component whose sockets have an order: its vertices by component and socket, its edges, and how many vertices there are.
fn wheels(netlist: &Netlist, segments: &[Segment]) -> (Rims, Vec<[usize; 2]>, usize) {
    let mut n = netlist.vertices.len();
    let mut used: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for segment in segments {
        for end in 0..2 {
            used.entry(segment.ends[end])
                .or_default()
                .push(segment.sockets[end]);
        }
    }
    let (mut rims, mut edges) = (Rims::new(), Vec::new());
    for (vertex, mut sockets) in used {
        let Vertex::Group(group) = &netlist.vertices[vertex] else {
            continue;
        };
        // Up to three have every order, if the component may be mirrored.
        if group.freedom != Freedom::Rigid || sockets.len() < 4 {
            continue;
        }
        let turn = |socket: usize| {
            let socket = &group.sockets[socket];
            turn_of(
                (socket.at, socket.direction),
                group.low,
                group.high,
                socket.width,
            )
        };
        sockets.sort_by(|&a, &b| turn(a).total_cmp(&turn(b)));
        let first = n;
        for (k, &socket) in sockets.iter().enumerate() {
            rims.insert((vertex, socket), n);
            edges.push([vertex, n]);
            edges.push([n, first + (k + 1) % sockets.len()]);
            n += 1;
        }
    }
    (rims, edges, n)
}

struct Graph<'a> {
    n: usize,
    gadget: Vec<[usize; 2]>,
    segments: &'a [Segment],
    rims: &'a Rims,
}

impl Graph<'_> {
    /// An embedding with these wires, and the segment of every edge that is one.
    fn embedded(&self, wires: &BTreeSet<usize>) -> Option<(Plane, BTreeMap<usize, usize>)> {
        let mut edges = self.gadget.clone();
        let mut owners = BTreeMap::new();
        for (k, segment) in self.segments.iter().enumerate() {
            if wires.contains(&segment.wire) {
                owners.insert(edges.len(), k);
                edges.push([0, 1].map(|end| {
                    let own = (segment.ends[end], segment.sockets[end]);
                    self.rims.get(&own).copied().unwrap_or(own.0)
                }));
            }
        }
        Some((embed(self.n, &edges)?, owners))
    }

    /// Wires that can be drawn together, and the others: the best of several orders in which they are tried.
    fn most(&self, wires: &[usize]) -> (BTreeSet<usize>, BTreeSet<usize>) {
        let mut best: Option<(BTreeSet<usize>, BTreeSet<usize>)> = None;
        for order in orders(wires) {
            let (mut kept, mut refused) = (BTreeSet::new(), BTreeSet::new());
            self.add(&order, &mut kept, &mut refused);
            if best.as_ref().is_none_or(|(_, b)| refused.len() < b.len()) {
                best = Some((kept, refused));
            }
            if best.as_ref().is_none_or(|(_, b)| b.len() < 2) {
                break;
            }
        }
        best.unwrap_or_default()
    }

    fn add(&self, list: &[usize], kept: &mut BTreeSet<usize>, refused: &mut BTreeSet<usize>) {
        if list.is_empty() {
            return;
        }
        let mut tried = kept.clone();
        tried.extend(list);
        if self.embedded(&tried).is_some() {
            *kept = tried;
        } else if let [wire] = list {
            refused.insert(*wire);
        } else {
            let (a, b) = list.split_at(list.len() / 2);
            self.add(a, kept, refused);
            self.add(b, kept, refused);
        }
    }
}

/// Orders to try wires in: as they are, backwards, and by strides that visit every one.
fn orders(wires: &[usize]) -> Vec<Vec<usize>> {
    let n = wires.len();
    let mut out = vec![wires.to_vec(), wires.iter().rev().copied().collect()];
    if n > MOST_TO_REORDER {
        return out;
    }
    let is_coprime = |stride: &usize| {
        let (mut a, mut b) = (*stride, n);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    for stride in (2..n).filter(is_coprime).take(MORE_ORDERS) {
        for start in [0, n / 2] {
            out.push((0..n).map(|k| wires[(start + k * stride) % n]).collect());
        }
    }
    out
}

fn islands(segments: &[Segment], darts: &[Vec<(usize, usize)>]) -> Vec<Island> {
    let mut number = vec![usize::MAX; darts.len()];
    let mut out = Vec::new();
    for start in 0..darts.len() {
        if number[start] != usize::MAX || darts[start].is_empty() {
            continue;
        }
        let mut vertices = vec![start];
        number[start] = 0;
        let mut k = 0;
        let mut own: BTreeMap<usize, usize> = BTreeMap::new();
        while let Some(&v) = vertices.get(k) {
            for &(segment, end) in &darts[v] {
                let next = own.len();
                own.entry(segment).or_insert(next);
                let w = segments[segment].ends[1 - end];
                if number[w] == usize::MAX {
                    number[w] = vertices.len();
                    vertices.push(w);
                }
            }
            k += 1;
        }
        let mut list = vec![0; own.len()];
        for (&segment, &edge) in &own {
            list[edge] = segment;
        }
        let edges = list
            .iter()
            .map(|&segment| segments[segment].ends.map(|v| number[v]))
            .collect();
        let rotation = vertices
            .iter()
            .map(|&v| {
                let dart = |&(segment, end): &(usize, usize)| 2 * own[&segment] + end;
                darts[v].iter().map(dart).collect()
            })
            .collect();
        out.push(Island {
            vertices,
            segments: list,
            plane: Plane { edges, rotation },
        });
    }
    out
}
