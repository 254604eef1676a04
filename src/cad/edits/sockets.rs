//! Where sockets are, whether two of them meet, and where things end.

use std::f64::consts::PI;

use rustc_hash::FxHashMap;

use crate::chip::{
    DIRECTION_TOLERANCE, LaidSocket, Layout, PLACE_TOLERANCE, normalise, socket_after,
};
use crate::design::Placement;
use crate::library::{Realisation, boundary};
use crate::shape::{Socket, SocketRef};
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Radian;

/// Chords of a whole circle where arcs are boxed.
const CHORDS: usize = 120;

/// The sockets of a layout by full name.
pub(super) struct Sockets<'l> {
    pub layout: &'l Layout,
    /// By item and its own name for it.
    sockets: FxHashMap<(usize, &'l str), &'l LaidSocket>,
}

impl<'l> Sockets<'l> {
    pub fn of(layout: &'l Layout) -> Self {
        let named = layout.sockets.iter().map(|s| ((s.item, &*s.name), s));
        Self {
            layout,
            sockets: named.collect(),
        }
    }

    pub fn get(&self, name: &str) -> Option<&'l LaidSocket> {
        let (item, socket) = name.rsplit_once('.')?;
        self.of_item(item, socket)
    }

    /// A socket by the name of its item and its own.
    pub fn of_item(&self, item: &str, socket: &str) -> Option<&'l LaidSocket> {
        let item = self.layout.item(item)?;
        self.sockets.get(&(item, socket)).copied()
    }

    pub fn geometry(&self, name: &str) -> Option<Socket> {
        self.get(name).map(|s| s.geometry)
    }
}

/// The component or channel of `item.socket`.
pub(super) fn owner(socket: &str) -> &str {
    socket.rsplit_once('.').map_or(socket, |(item, _)| item)
}

/// Whether sockets are equally wide, as connections need it.
pub fn same_width(a: f64, b: f64) -> bool {
    (a - b).abs() <= PLACE_TOLERANCE * a.min(b)
}

/// Whether two sockets look at each other.
pub(super) fn facing_each_other(a: &Socket, b: &Socket) -> bool {
    normalise(a.direction - b.direction + PI).abs() <= DIRECTION_TOLERANCE
}

/// Whether two sockets lie on each other, face to face and equally wide.
pub(super) fn meet(a: &Socket, b: &Socket) -> bool {
    same_width(a.width, b.width)
        && (a.middle - b.middle).norm() <= PLACE_TOLERANCE * a.width.min(b.width)
        && facing_each_other(a, b)
}

/// Whether a socket is where it was.
pub(super) fn same_socket(a: &Socket, b: &Socket) -> bool {
    (a.middle - b.middle).norm() <= 1e-9 * a.width
        && normalise(a.direction - b.direction).abs() <= 1e-9
        && (a.width - b.width).abs() <= 1e-9 * a.width
}

/// A component's sockets in its own frame.
pub fn own_sockets(realisation: &Realisation) -> Vec<(&str, Socket)> {
    let socket = |at: &SocketRef| {
        let part = &realisation.parts[at.part];
        socket_after(&part.motion, &part.shape.sockets()[at.socket])
    };
    let sockets = realisation.sockets.iter();
    sockets
        .map(|(name, at)| (name.as_str(), socket(at)))
        .collect()
}

/// Box around the parts of the items that `takes`, m.
pub(super) fn bounds_of(layout: &Layout, takes: impl Fn(usize) -> bool) -> Option<(Point, Point)> {
    let corners: Vec<Point> = layout
        .parts
        .iter()
        .zip(&layout.owners)
        .filter(|(_, owner)| takes(**owner))
        .flat_map(|(part, _)| {
            let place = part.motion.to_apply();
            boundary(&part.shape, CHORDS).into_iter().map(place)
        })
        .filter(|p| p.x.is_finite() && p.y.is_finite())
        .collect();
    (!corners.is_empty()).then(|| bounds(&corners))
}

/// The nearest number with few decimals: files are read by people. Far below what sockets that meet may be apart.
pub(super) fn tidy(length: f64, width: f64) -> f64 {
    let decimals = (9.0 - width.log10().floor()).clamp(13.0, 20.0) as usize;
    let tidied = format!("{length:.decimals$}").parse().unwrap_or(length);
    // Not the negative zero.
    if tidied == 0.0 { 0.0 } else { tidied }
}

/// [`tidy`] in both coordinates.
pub(super) fn tidy_point(p: Point, width: f64) -> Point {
    Point::new(tidy(p.x, width), tidy(p.y, width))
}

/// The placement that gives this motion.
pub(super) fn placement_at(motion: &Motion, width: f64) -> Placement {
    Placement::Absolute {
        at: tidy_point(motion.translation, width),
        rotation: Radian(normalise(motion.angle)),
        mirror: motion.mirror,
    }
}
