//! A polygon's unknowns: numbered node by node, with the signs that mirror images give them.

use rustc_hash::FxHashMap;

use super::super::leaf::{Moves, along};
use super::super::space::SpaceMesh;
use crate::mesh::dissect::Dissection;
use crate::mesh::separators::separators;
use crate::mesh::{BlockMesh, PlanePolygon};
use crate::stokes::boundary::{Components, Freedom};
use crate::stokes::section::{NONE, Section};
use stokeslet_base::geometry::sin_cos;

/// Unknowns of a mesh: numbered node by node; where they are eliminated; which unknowns of the mesh they move.
pub(super) struct Unknowns {
    /// Velocity unknowns of each node: first, and which components.
    pub velocity: Vec<(u32, Components)>,
    /// Pressure unknown of each node.
    pub pressure: Vec<u32>,
    /// Node of the dissection that eliminates each; `NONE`: it lies on a socket.
    pub at: Vec<u32>,
    /// Angle of the socket that a node lies in, where its velocity turns with it.
    pub turned: FxHashMap<u32, f64>,
    /// Which way a node on a wall that slips goes.
    pub along: FxHashMap<u32, [f64; 2]>,
    /// Axes whose mirror image turns each about, bit by bit.
    pub flips: Vec<u8>,
    /// Whether each has the other sign in a local vector.
    pub is_turned: Vec<bool>,
}

/// Axes that a front is mirrored along.
pub(super) type Mirrored = [bool; 2];

impl Unknowns {
    /// Velocities of a node, then its pressure.
    pub fn of_node(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let (first, free) = self.velocity[node as usize];
        let pressure = self.pressure[node as usize];
        (first..first + free.len()).chain((pressure != NONE).then_some(pressure))
    }

    /// Whether mirroring turns an unknown's sign.
    pub fn turns(&self, mirrored: Mirrored, unknown: u32) -> bool {
        let flips = self.flips[unknown as usize];
        (mirrored[0] && flips & 0b01 != 0) != (mirrored[1] && flips & 0b10 != 0)
    }

    /// Sign of an unknown in a local vector.
    fn sign(&self, unknown: u32) -> f64 {
        factor(self.is_turned[unknown as usize])
    }
}

/// Factor of an unknown whose sign is turned, or isn't.
pub(super) fn factor(is_turned: bool) -> f64 {
    if is_turned { -1.0 } else { 1.0 }
}

/// Numbers the unknowns and finds where each is eliminated.
pub(super) fn number<const D: usize>(
    polygon: &PlanePolygon,
    (space, freedoms): (&SpaceMesh<D>, &[Freedom]),
    tree: &Dissection,
    section: &Section,
    mirrored: &dyn Fn(usize) -> Mirrored,
) -> Unknowns {
    let mut held = vec![false; polygon.mesh.nodes.len()];
    let mut angle_of: FxHashMap<u32, f64> = FxHashMap::default();
    for socket in &polygon.sockets {
        for &p in &socket.nodes {
            held[p as usize] = true;
            angle_of.insert(p, socket.angle);
        }
    }
    let at = separators(&polygon.mesh, tree, &held);
    let mut out = Unknowns {
        velocity: Vec::new(),
        pressure: Vec::new(),
        at: Vec::new(),
        turned: FxHashMap::default(),
        along: FxHashMap::default(),
        flips: Vec::new(),
        is_turned: Vec::new(),
    };
    for (k, &(plane, level)) in space.place.iter().enumerate() {
        let freedom = freedoms[plane as usize];
        let free = section.components(level).and(freedom.components());
        out.velocity.push((out.at.len() as u32, free));
        let is_turned = angle_of.contains_key(&plane);
        let way = match freedom {
            Freedom::Along(way) if !free.is_empty() => Some(way),
            _ => None,
        };
        for c in free.iter() {
            out.at.push(at.velocities[plane as usize]);
            // Along a socket a velocity changes with either axis, across it with none: the socket is mirrored with it.
            out.flips.push(match (c, is_turned) {
                // A wall that isn't upright has its own direction to the right in its mirror image too.
                (0, false) if way.is_some_and(|way| way[0] == 0.0) => 0b10,
                (0, false) => 0b01,
                (1, false) => 0b10,
                (1, true) => 0b11,
                _ => 0,
            });
        }
        if let Some(way) = way {
            out.along.insert(k as u32, way);
        }
        if !free.is_empty()
            && let Some(&angle) = angle_of.get(&plane)
        {
            out.turned.insert(k as u32, angle);
        }
        let has_pressure = k < space.mesh.n_vertices;
        out.pressure.push(if has_pressure {
            out.at.len() as u32
        } else {
            NONE
        });
        if has_pressure {
            out.at.push(at.pressures[plane as usize]);
            out.flips.push(0);
        }
    }
    let is_turned = |(u, &t): (usize, &u32)| t != NONE && out.turns(mirrored(t as usize), u as u32);
    out.is_turned = out.at.iter().enumerate().map(is_turned).collect();
    out
}

/// Cosine and sine of a socket's angle in a mirror.
pub(super) fn turned(angle: f64, mirrored: Mirrored) -> [f64; 2] {
    let (s, co) = sin_cos(angle);
    [
        if mirrored[0] { -co } else { co },
        if mirrored[1] { -s } else { s },
    ]
}

/// Where a node on a wall that slips goes in a mirror: see [`Freedom::Along`].
pub(super) fn way_in_mirror([x, y]: [f64; 2], mirrored: Mirrored) -> [f64; 2] {
    let is_turned = mirrored[0] != mirrored[1] && x != 0.0 && y != 0.0;
    [x, if is_turned { -y } else { y }]
}

/// Which unknowns of a leaf's mesh each of its unknowns moves: those of a front in its mirror, or of a local vector.
pub(super) fn moves<const D: usize>(
    unknowns: &Unknowns,
    mesh: &BlockMesh<D>,
    nodes: &[u32],
    order: &[u32],
    front: Option<Mirrored>,
    local: &mut [u32],
) -> Vec<Moves> {
    let mirrored = front.unwrap_or_default();
    let sign = |u: u32| match front {
        Some(_) => 1.0,
        None => unknowns.sign(u),
    };
    for (k, &u) in order.iter().enumerate() {
        local[u as usize] = k as u32;
    }
    let mut out = vec![Moves::new(); order.len()];
    let d = D as u32;
    for (k, &n) in nodes.iter().enumerate() {
        let k = k as u32;
        let (first, free) = unknowns.velocity[n as usize];
        for (u, c) in (first..).zip(free.iter()) {
            let to = &mut out[local[u as usize] as usize];
            let sign = sign(u);
            if let (Some(&way), 0) = (unknowns.along.get(&n), c) {
                let way = way_in_mirror(way, mirrored).map(|x| sign * x);
                *to = along(d * k, way);
                continue;
            }
            match (unknowns.turned.get(&n), c) {
                (Some(&angle), 0 | 1) => {
                    let [co, s] = turned(angle, mirrored);
                    let pair = if c == 0 { [co, s] } else { [-s, co] };
                    for (i, f) in pair.into_iter().enumerate().filter(|e| e.1 != 0.0) {
                        to.push((d * k + i as u32, sign * f));
                    }
                }
                _ => to.push((d * k + c, sign)),
            }
        }
        let p = unknowns.pressure[n as usize];
        if p != NONE {
            out[local[p as usize] as usize].push((d * mesh.nodes.len() as u32 + k, 1.0));
        }
    }
    order.iter().for_each(|&u| local[u as usize] = NONE);
    out
}
