//! Planar chips in which nothing holds back the flow: whose walls all slip, and which some rigid motion satisfies.
//!
//! ```text
//! v + w z x at every wall that slips: no part along the normal n     n . v + w (x cross n) = 0
//!           at ports of a given pressure: none along the socket      the same with the socket's direction
//! walls that hold the fluid, ports of a given flow rate: v = 0, w = 0
//! ```
//! If these rows have rank 3 there is none. Else a flow of any rate needs no pressure, and pressures ask for an endless one. Floor and
//! ceiling hold the fluid in all other models.

use std::collections::hash_map::Entry;
use std::f64::consts::FRAC_PI_2;

use rustc_hash::FxHashMap;

use super::assembly::{Assembly, facing, socket_after};
use super::{Condition, Port};
use crate::shape::{LEFT_WALL, Part, RIGHT_WALL, Shape, Socket, SocketRef, Strip, WallKind};
use stokeslet_base::geometry::{Motion, Point};

/// Rows that differ by less are one.
const SAME: f64 = 1e-6;

/// What is left of the three rigid motions.
#[derive(Default)]
struct Rank {
    rows: Vec<[f64; 3]>,
}

impl Rank {
    /// No motion along `direction` at a place, both in one unit.
    fn hold(&mut self, at: Point, direction: Point) {
        if self.is_full() {
            return;
        }
        let mut row = [direction.x, direction.y, at.cross(direction)];
        let size = norm(&row);
        for known in &self.rows {
            let along: f64 = (0..3).map(|k| known[k] * row[k]).sum();
            (0..3).for_each(|k| row[k] -= along * known[k]);
        }
        let left = norm(&row);
        if left > SAME * size {
            self.rows.push(row.map(|x| x / left));
        }
    }

    fn is_full(&self) -> bool {
        self.rows.len() == 3
    }
}

fn norm(row: &[f64; 3]) -> f64 {
    row.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The connected components of parts, named by `connected_components`, that some rigid motion satisfies.
pub(super) fn unresisted(
    assembly: &Assembly,
    connected_components: &[usize],
    ports: &[Port],
) -> Vec<usize> {
    let mut neighbours: FxHashMap<SocketRef, SocketRef> = FxHashMap::default();
    for joint in &assembly.joints {
        let (a, b) = (joint.connection.a, joint.connection.b);
        neighbours.extend([(a, b), (b, a)]);
    }
    let ports: FxHashMap<SocketRef, Condition> =
        ports.iter().map(|p| (p.socket, p.condition)).collect();
    let firsts = (0..connected_components.len()).filter(|&part| connected_components[part] == part);
    firsts
        .filter(|&first| !is_held(assembly, first, &neighbours, &ports))
        .collect()
}

/// Whether no rigid motion satisfies the connected component of a part.
fn is_held(
    assembly: &Assembly,
    first: usize,
    neighbours: &FxHashMap<SocketRef, SocketRef>,
    ports: &FxHashMap<SocketRef, Condition>,
) -> bool {
    let parts = &assembly.parts;
    // Links aren't where they are drawn: every part goes where its neighbour asks for it.
    let mut placed: FxHashMap<usize, Motion> = FxHashMap::default();
    placed.insert(first, parts[first].motion);
    let mut rank = Rank::default();
    let unit = parts[first]
        .shape
        .sockets()
        .first()
        .map_or(1.0, |m| m.width);
    let origin = parts[first].motion.translation;
    let mut waiting = vec![first];
    while let Some(part) = waiting.pop() {
        let motion = placed[&part];
        let at = |p: Point| (motion.apply(p) - origin) * (1.0 / unit);
        let Part { shape, walls, .. } = &parts[part];
        // Posts hold the fluid.
        if !shape.holes().is_empty() {
            return true;
        }
        for edge in shape.wall_edges() {
            if walls.kind(edge) == WallKind::NoSlip {
                return true;
            }
            for (p, normal) in normals(shape, edge) {
                rank.hold(at(p), motion.rotate(normal));
            }
        }
        for (k, socket) in shape.sockets().iter().enumerate() {
            let this = SocketRef { part, socket: k };
            let outward = Point::unit(socket.direction);
            let ends = [-0.5, 0.5].map(|s| socket.middle + outward.left() * (s * socket.width));
            match (neighbours.get(&this), ports.get(&this)) {
                (Some(&other), _) => {
                    if let Entry::Vacant(place) = placed.entry(other.part) {
                        let there = place_beside(&parts[other.part], other.socket, &motion, socket);
                        place.insert(there);
                        waiting.push(other.part);
                    }
                }
                (None, Some(Condition::FlowRate(_))) => return true,
                (None, Some(Condition::Pressure(_))) => {
                    let along = motion.rotate(outward.left());
                    ends.iter().for_each(|&p| rank.hold(at(p), along));
                }
                (None, Some(Condition::TractionFree)) => {}
                (None, None) if walls.kind(shape.edge_of(k)) == WallKind::NoSlip => {
                    return true;
                }
                (None, None) => {
                    let along = motion.rotate(outward);
                    ends.iter().for_each(|&p| rank.hold(at(p), along));
                }
            }
        }
        if rank.is_full() {
            return true;
        }
    }
    false
}

fn place_beside(part: &Part, own: usize, motion: &Motion, target: &Socket) -> Motion {
    let own = part.shape.sockets()[own];
    facing(&own, &socket_after(motion, target), part.motion.mirror)
}

/// Places on a wall with their normals: enough of them for all that the wall forbids.
fn normals(shape: &Shape, edge: usize) -> Vec<(Point, Point)> {
    match shape {
        Shape::Strip(Strip::Straight {
            length,
            width_start,
            width_end,
        }) => {
            let side = match edge {
                RIGHT_WALL => -0.5,
                LEFT_WALL => 0.5,
                _ => return Vec::new(),
            };
            let ends = [
                Point::new(0.0, side * width_start),
                Point::new(*length, side * width_end),
            ];
            straight(ends)
        }
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let distance = radius + if edge == RIGHT_WALL { 0.5 } else { -0.5 } * width;
            let at = |part: f64| {
                let outward = Point::unit(part * angle - FRAC_PI_2);
                (Point::new(0.0, *radius) + outward * distance, outward)
            };
            [0.0, 0.5, 1.0].map(at).to_vec()
        }
        Shape::Polygon { corners, .. } => {
            straight([corners[edge], corners[(edge + 1) % corners.len()]])
        }
    }
}

fn straight([a, b]: [Point; 2]) -> Vec<(Point, Point)> {
    let normal = (b - a).normalized().left();
    vec![(a, normal), (b, normal)]
}
