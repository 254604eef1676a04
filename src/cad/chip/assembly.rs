//! What is placed so far, in the chip's frame, and how a part gets there.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::connect::{Joint, Named};
use crate::shape::{Connection, Part, Socket, SocketRef, WallKind};

use crate::design::Spanned;
use stokeslet_base::geometry::{Motion, Point};

/// Everything placed so far, in the chip's frame.
#[derive(Default)]
pub(super) struct Assembly<'d> {
    /// Placed leaves.
    pub parts: Vec<Part>,
    /// The component or channel (index into `names`) of every part.
    pub owners: Vec<usize>,
    /// What walls do to the fluid where nothing else is asked for.
    pub walls: WallKind,
    /// Sockets of every part, in the chip's frame.
    pub part_sockets: Vec<Vec<Socket>>,
    /// Joined sockets, inner ones included.
    pub joints: Vec<Joint>,
    /// Parts whose sockets should meet but don't agree; that they lie on each other is no news.
    pub disagreeing: Vec<(usize, usize)>,
    /// Outer sockets of all components, in the order of placement.
    pub sockets: Vec<Named>,
    /// The sockets of every placed component or channel by its name, indices into `sockets`.
    pub sockets_of: FxHashMap<&'d str, Range<usize>>,
    /// Components, then channels, as the design names them.
    pub names: Vec<&'d Spanned<String>>,
    /// Which of the names are links.
    pub links: Range<usize>,
    /// Widths of links by item.
    pub link_widths: FxHashMap<usize, f64>,
    /// The sheet of every item that is not on the default one.
    pub sheets: FxHashMap<usize, usize>,
    /// Where every placed item went, chip from item.
    pub motions: FxHashMap<usize, Motion>,
}

impl<'d> Assembly<'d> {
    /// A socket in the chip's frame.
    pub fn geometry(&self, at: SocketRef) -> Socket {
        self.part_sockets[at.part][at.socket]
    }

    /// The name of a part's component or channel.
    pub fn owner(&self, part: usize) -> &'d Spanned<String> {
        self.names[self.owners[part]]
    }

    /// The sheet that a part lies on: parts of different ones may lie over each other. `None`: links, which lie on nothing.
    pub fn sheet(&self, part: usize) -> Option<usize> {
        let item = self.owners[part];
        (!self.links.contains(&item)).then(|| self.sheets.get(&item).copied().unwrap_or(0))
    }

    /// `component.socket`.
    pub fn full_name(&self, named: &Named) -> String {
        format!("{}.{}", self.names[named.item].value, named.name)
    }

    /// Adds the parts and inner connections of an item, moved from the item's frame; `depth` is the item's own, m.
    pub fn add(
        &mut self,
        item: usize,
        motion: &Motion,
        (parts, depth): (&[Part], Option<f64>),
        inner: &[Connection],
        span: &Range<usize>,
    ) {
        let first = self.parts.len();
        self.motions.insert(item, *motion);
        let name = &self.names[item].value;
        for part in parts {
            let name = if part.name.is_empty() {
                name.clone()
            } else {
                format!("{name}/{}", part.name)
            };
            let mut motion = motion.after(&part.motion);
            motion.angle = normalise(motion.angle);
            let mut sockets = part.shape.sockets();
            for socket in &mut sockets {
                *socket = socket_after(&motion, socket);
            }
            self.part_sockets.push(sockets);
            self.owners.push(item);
            self.parts.push(Part {
                name,
                shape: part.shape.clone(),
                motion,
                walls: part.walls.clone().or(self.walls),
                depth: part.depth.or(depth),
            });
        }
        let shifted = |at: SocketRef| SocketRef {
            part: first + at.part,
            socket: at.socket,
        };
        for joint in inner {
            let connection = Connection {
                a: shifted(joint.a),
                b: shifted(joint.b),
            };
            self.joints.push(Joint {
                connection,
                span: span.clone(),
                is_free: false,
            });
        }
    }

    /// Gives the outer sockets of an item their names.
    pub fn name_sockets<'s>(
        &mut self,
        item: usize,
        sockets: impl IntoIterator<Item = (&'s str, SocketRef)>,
    ) {
        let first = self.sockets.len();
        let named = sockets.into_iter().map(|(name, socket)| Named {
            name: name.to_owned(),
            item,
            socket,
        });
        self.sockets.extend(named);
        let sockets = first..self.sockets.len();
        self.sockets_of.insert(&self.names[item].value, sockets);
    }

    /// The outer socket of this name, of a component or channel that is placed.
    pub fn socket(&self, owner: &str, socket: &str) -> Option<SocketRef> {
        let sockets = &self.sockets[self.sockets_of.get(owner)?.clone()];
        let named = sockets.iter().find(|named| named.name == socket);
        named.map(|named| named.socket)
    }
}

/// A socket after a motion.
pub fn socket_after(motion: &Motion, socket: &Socket) -> Socket {
    Socket {
        middle: motion.apply(socket.middle),
        direction: normalise(motion.turn(socket.direction)),
        width: socket.width,
    }
}

/// The motion that puts `own` onto `target`, face to face.
pub fn facing(own: &Socket, target: &Socket, mirror: bool) -> Motion {
    let own_direction = if mirror {
        -own.direction
    } else {
        own.direction
    };
    let motion = Motion {
        angle: normalise(target.direction + PI - own_direction),
        mirror,
        translation: Point::default(),
    };
    Motion {
        translation: target.middle - motion.apply(own.middle),
        ..motion
    }
}

/// An angle in (-pi, pi]; within rounding of a quarter turn it becomes one, so that long chains of attachments stay exact.
pub fn normalise(angle: f64) -> f64 {
    let quarters = (angle / FRAC_PI_2).round();
    let snapped = if (angle - quarters * FRAC_PI_2).abs() < 1e-12 {
        quarters * FRAC_PI_2
    } else {
        angle
    };
    let turned = snapped - TAU * (snapped / TAU).round();
    if turned <= -PI + 1e-12 { PI } else { turned }
}
