//! A layout becomes what can be shown and found: placed shapes with their boxes, walls apart from sockets, items by name.
//!
//! Built once a layout, in less than half a millisecond a thousand parts (`edit` of `cargo bench --bench canvas`). Pure: knows no screen but the [`View`] that asks what it sees.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::View;
use super::buckets::Buckets;
use super::grouped::Grouped;
use super::outline::Outlines;
use crate::context::Hidden;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::{Layout, SocketUse};
use stokeslet_cad::library::boundary;
use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};

/// Chords of a whole turn in the corners that boxes are taken from.
const CHORDS: usize = 72;

/// A part where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// The number of its shape, see [`Outlines::id`].
    pub shape: usize,
    /// Where the part's x axis points.
    pub x_axis: Point,
    /// Where its y axis points.
    pub y_axis: Point,
    /// Where its origin lies, m.
    pub origin: Point,
    /// Its box.
    pub bounds: Bounds,
    /// Width of its narrowest socket, m.
    pub width: f64,
    /// Its item, index into [`Layout::items`].
    pub owner: usize,
}

impl Placed {
    /// A point of the part's own frame, on the chip.
    pub fn to_chip(&self, p: Point) -> Point {
        self.origin + self.x_axis * p.x + self.y_axis * p.y
    }

    /// A point of the chip, in the part's own frame.
    pub fn to_part(&self, p: Point) -> Point {
        let d = p - self.origin;
        Point::new(self.x_axis.dot(d), self.y_axis.dot(d))
    }
}

/// A box with its sides along the axes, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower left corner.
    pub low: Point,
    /// Upper right corner.
    pub high: Point,
}

impl Bounds {
    /// Round two corners, whichever they are.
    pub fn of(a: Point, b: Point) -> Self {
        Self {
            low: Point::new(a.x.min(b.x), a.y.min(b.y)),
            high: Point::new(a.x.max(b.x), a.y.max(b.y)),
        }
    }

    /// Round some points; `None` without any.
    pub fn around(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        let boxes = points.into_iter().map(|p| Self::of(p, p));
        boxes.reduce(|a, b| a.with(&b))
    }

    /// Round both.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        Self {
            low: Self::of(self.low, other.low).low,
            high: Self::of(self.high, other.high).high,
        }
    }

    /// Larger by `by` on each side.
    #[must_use]
    pub fn grown(&self, by: f64) -> Self {
        let by = Point::new(by, by);
        Self {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// Whether the boxes have a point in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.low.x <= other.high.x
            && other.low.x <= self.high.x
            && self.low.y <= other.high.y
            && other.low.y <= self.high.y
    }

    /// Whether `other` lies inside.
    pub fn holds(&self, other: &Self) -> bool {
        self.low.x <= other.low.x
            && self.low.y <= other.low.y
            && other.high.x <= self.high.x
            && other.high.y <= self.high.y
    }

    /// In the middle.
    pub fn middle(&self) -> Point {
        (self.low + self.high) * 0.5
    }

    /// Width and height.
    pub fn size(&self) -> Point {
        self.high - self.low
    }
}

/// A joint whose two sockets lie apart.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    /// Middle and direction of each.
    pub ends: [(Point, f64); 2],
    /// Whose they are, indices into [`Layout::items`].
    items: [usize; 2],
}

/// Outer sockets by the parts' sockets that they are.
#[derive(Debug)]
struct Outer {
    /// Where the sockets of each part begin in `index`, and where the last ones end.
    begins: Vec<u32>,
    /// Indices into [`Layout::sockets`], one more than that; 0 of sockets within components.
    index: Vec<u32>,
}

impl Outer {
    /// Outer sockets of a layout of so many parts.
    fn new(parts: usize, sockets: impl Iterator<Item = (usize, SocketRef)> + Clone) -> Self {
        let mut begins = vec![0; parts + 1];
        for (_, socket) in sockets.clone() {
            let count: &mut u32 = &mut begins[socket.part + 1];
            *count = (*count).max(socket.socket as u32 + 1);
        }
        (0..parts).for_each(|k| begins[k + 1] += begins[k]);
        let mut index = vec![0; begins[parts] as usize];
        for (k, socket) in sockets {
            index[begins[socket.part] as usize + socket.socket] = k as u32 + 1;
        }
        Self { begins, index }
    }

    fn get(&self, socket: SocketRef) -> Option<usize> {
        let from = *self.begins.get(socket.part)? as usize;
        let to = *self.begins.get(socket.part + 1)? as usize;
        let index = self.index[from..to].get(socket.socket)?;
        (*index as usize).checked_sub(1)
    }
}

/// A layout, ready to be shown.
#[derive(Debug)]
pub struct Scene {
    /// What it shows.
    pub layout: Arc<Layout>,
    /// As [`Layout::parts`].
    pub parts: Vec<Placed>,
    /// Parts by item, indices into `parts`.
    by_item: Grouped,
    /// Box of every item; `None` where it could not be placed.
    pub boxes: Vec<Option<Bounds>>,
    /// Box of everything; `None` where there is nothing.
    pub bounds: Option<Bounds>,
    /// Sockets that no wall closes: connected or a port.
    pub open: FxHashSet<SocketRef>,
    /// Sockets that are free, indices into [`Layout::sockets`].
    pub free: Vec<usize>,
    /// Joints whose two sockets lie apart, since a link has no place of its own.
    pub apart: Vec<Apart>,
    /// What isn't shown.
    pub hidden: Hidden,
    is_hidden: Vec<bool>,
    /// Boxes of `parts`.
    pub(super) buckets: Buckets,
    outer: Outer,
}

impl Scene {
    /// What there is to show of a layout.
    pub fn new(layout: Arc<Layout>, outlines: &Outlines) -> Self {
        let mut corners: FxHashMap<usize, Vec<Point>> = FxHashMap::default();
        let mut parts: Vec<Placed> = Vec::with_capacity(layout.parts.len());
        let mut last: Option<(&Shape, usize)> = None;
        for (part, &owner) in layout.parts.iter().zip(&layout.owners) {
            // Copies often follow each other.
            let shape = match last {
                Some((shape, id)) if *shape == part.shape => id,
                _ => outlines.id(&part.shape),
            };
            last = Some((&part.shape, shape));
            let corners = corners
                .entry(shape)
                .or_insert_with(|| boundary(&part.shape, CHORDS));
            parts.push(placed(shape, part, corners, owner));
        }
        let mut boxes: Vec<Option<Bounds>> = vec![None; layout.items.len()];
        for placed in &parts {
            let whole = &mut boxes[placed.owner];
            *whole = Some(whole.map_or(placed.bounds, |b| b.with(&placed.bounds)));
        }
        let bounds = boxes.iter().flatten().copied().reduce(|a, b| a.with(&b));
        let joined = layout.connections.iter().flat_map(|c| [c.a, c.b]);
        let at_ports = layout.sockets.iter().filter_map(|s| match s.used {
            SocketUse::Port(_) => Some(s.socket),
            SocketUse::Free | SocketUse::Connected => None,
        });
        let open = joined.chain(at_ports).collect();
        let is_free = |&k: &usize| layout.sockets[k].used == SocketUse::Free;
        let free = (0..layout.sockets.len()).filter(is_free).collect();
        let sockets = layout.sockets.iter().enumerate();
        let outer = Outer::new(parts.len(), sockets.map(|(k, s)| (k, s.socket)));
        let socket = |socket: &SocketRef| Some(&layout.sockets[outer.get(*socket)?]);
        let joints = layout.connections.iter();
        let apart = joints.filter_map(|joint| {
            let ends = [socket(&joint.a)?, socket(&joint.b)?];
            let [a, b] = ends.map(|socket| socket.geometry);
            let is_apart = (a.middle - b.middle).norm() > 1e-3 * a.width.max(b.width);
            is_apart.then_some(Apart {
                ends: [a, b].map(|socket| (socket.middle, socket.direction)),
                items: ends.map(|socket| socket.item),
            })
        });
        let apart = apart.collect();
        Self {
            hidden: Hidden::default(),
            is_hidden: vec![false; layout.items.len()],
            by_item: Grouped::new(layout.items.len(), layout.owners.iter().copied().zip(0..)),
            buckets: Buckets::new(parts.iter().map(|placed| placed.bounds).collect()),
            parts,
            boxes,
            bounds,
            open,
            free,
            apart,
            outer,
            layout,
        }
    }

    /// The same without some items: they are neither drawn nor found, but their places are known.
    #[must_use]
    pub fn without(mut self, hidden: &Hidden) -> Self {
        for name in &hidden.items {
            if let Some(item) = self.item(name) {
                self.is_hidden[item] = true;
            }
        }
        if self.is_hidden.contains(&true) {
            let is_shown = |item: usize| !self.is_hidden[item];
            let sockets = &self.layout.sockets;
            self.free.retain(|&k| is_shown(sockets[k].item));
            self.apart
                .retain(|joint| joint.items.into_iter().all(is_shown));
        }
        self.hidden.clone_from(hidden);
        self
    }

    /// Parts that are shown and whose boxes meet another.
    pub(super) fn parts_meeting(&self, frame: &Bounds) -> impl Iterator<Item = usize> + use<'_> {
        let shown = |part: &usize| !self.is_hidden[self.parts[*part].owner];
        self.buckets.meeting(frame).filter(shown)
    }

    /// Whether an item isn't shown.
    pub fn hides(&self, item: usize) -> bool {
        self.is_hidden[item]
    }

    /// The item of this name.
    pub fn item(&self, name: &str) -> Option<usize> {
        self.layout.item(name)
    }

    /// Parts of an item, indices into `parts`.
    pub fn parts_of(&self, item: usize) -> &[usize] {
        self.by_item.of(item)
    }

    /// The name of an item.
    pub fn name(&self, item: usize) -> &str {
        &self.layout.items[item]
    }

    /// The outer socket that a part's socket is, index into [`Layout::sockets`].
    pub fn outer(&self, socket: SocketRef) -> Option<usize> {
        self.outer.get(socket)
    }

    /// The outer socket of this full name, index into [`Layout::sockets`].
    pub fn socket(&self, full_name: &str) -> Option<usize> {
        let (item, socket) = full_name.rsplit_once('.')?;
        let item = self.item(item)?;
        let sockets = &self.layout.sockets;
        sockets
            .iter()
            .position(|s| s.item == item && s.name == socket)
    }

    /// Box of several items; `None` where none of them is placed.
    pub fn box_of<'n>(&self, names: impl IntoIterator<Item = &'n String>) -> Option<Bounds> {
        names
            .into_iter()
            .filter_map(|name| self.boxes[self.item(name)?])
            .reduce(|a, b| a.with(&b))
    }

    /// Parts that the view shows some of.
    pub fn seen<'s>(&'s self, view: &View) -> impl Iterator<Item = usize> + use<'s> {
        let (low, high) = view.seen();
        let seen = Bounds { low, high };
        let parts = self.parts.iter().enumerate();
        parts
            .filter(move |(_, part)| part.bounds.meets(&seen) && !self.is_hidden[part.owner])
            .map(|(k, _)| k)
    }

    /// A point inside an item, where clicking finds it: the middle of its largest part.
    pub fn anchor(&self, item: usize) -> Option<Point> {
        let size = |&&k: &&usize| {
            let size = self.parts[k].bounds.size();
            size.x * size.y
        };
        let largest = self
            .parts_of(item)
            .iter()
            .max_by(|a, b| size(a).total_cmp(&size(b)))?;
        Some(self.inner_point(*largest))
    }

    /// A point well inside a part.
    fn inner_point(&self, part: usize) -> Point {
        let placed = &self.parts[part];
        let inside = match &self.layout.parts[part].shape {
            Shape::Strip(Strip::Straight { length, .. }) => Point::new(length / 2.0, 0.0),
            Shape::Strip(Strip::Arc { radius, angle, .. }) => {
                let half = angle / 2.0 - std::f64::consts::FRAC_PI_2;
                Point::new(0.0, *radius) + Point::unit(half) * *radius
            }
            shape @ Shape::Polygon { corners, .. } => {
                // Between the sockets is where a junction's channels meet; a thin or bent polygon may not have that inside.
                let sockets = shape.sockets();
                let mean = |points: &[Point]| {
                    let sum = points.iter().fold(Point::default(), |sum, &p| sum + p);
                    sum * (1.0 / points.len().max(1) as f64)
                };
                let middles: Vec<Point> = sockets.iter().map(|m| m.middle).collect();
                let candidates = [mean(corners), mean(&middles)];
                let found = candidates
                    .into_iter()
                    .find(|&p| super::pick::distance(&self.layout.parts[part].shape, p) == 0.0);
                found.unwrap_or_else(|| {
                    sockets.first().map_or_else(Point::default, |m| {
                        m.middle - Point::unit(m.direction) * (m.width * 0.2)
                    })
                })
            }
        };
        placed.to_chip(inside)
    }
}

fn placed(shape: usize, part: &Part, corners: &[Point], owner: usize) -> Placed {
    let motion = &part.motion;
    let (x_axis, y_axis) = (
        motion.rotate(Point::new(1.0, 0.0)),
        motion.rotate(Point::new(0.0, 1.0)),
    );
    let origin = motion.translation;
    let on_chip = corners.iter().map(|p| origin + x_axis * p.x + y_axis * p.y);
    let bounds = Bounds::around(on_chip).unwrap_or(Bounds::of(origin, origin));
    // Chords cut a little off an arc.
    let cut = match part.shape {
        Shape::Strip(Strip::Arc { radius, width, .. }) => {
            (radius + width / 2.0) * (1.0 - (std::f64::consts::PI / CHORDS as f64).cos())
        }
        Shape::Strip(Strip::Straight { .. }) | Shape::Polygon { .. } => 0.0,
    };
    Placed {
        shape,
        x_axis,
        y_axis,
        origin,
        bounds: bounds.grown(cut),
        width: narrowest(&part.shape),
        owner,
    }
}

/// Width of the narrowest socket, m.
fn narrowest(shape: &Shape) -> f64 {
    match shape {
        Shape::Strip(Strip::Straight {
            width_start,
            width_end,
            ..
        }) => width_start.min(*width_end),
        Shape::Strip(Strip::Arc { width, .. }) => *width,
        Shape::Polygon { .. } => shape
            .sockets()
            .iter()
            .map(|m| m.width)
            .fold(f64::INFINITY, f64::min),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::tests::layout_of;

    #[test]
    fn walls_are_open_where_something_meets_or_a_port_is() {
        let layout = layout_of(
            "p = { kind = \"pipe\", at = [\"1 mm\", \"0 mm\"], parameters = { length = \"1 mm\" } }\nt = { kind = \"tee\", attach = \"left\", to = \"p.b\" }",
            "in = { at = \"p.a\", pressure = \"0 Pa\" }",
        );
        let outlines = Outlines::default();
        let scene = Scene::new(layout, &outlines);
        let names = |k: &usize| scene.layout.full_name(&scene.layout.sockets[*k]);
        let free: Vec<String> = scene.free.iter().map(names).collect();
        assert_eq!(free, ["t.right", "t.up"]);
        assert_eq!(scene.open.len(), 3, "p.a, p.b, t.left");
        assert_eq!(scene.socket("t.up"), Some(scene.free[1]));
        assert_eq!(scene.item("t"), Some(1));
        let pipe = scene.boxes[0].expect("placed");
        assert!(
            (pipe.size() - Point::new(1e-3, 1e-4)).norm() < 1e-15,
            "{pipe:?}"
        );
    }

    #[test]
    fn anchors_lie_inside_their_items() {
        for kind in [
            "pipe",
            "tee",
            "cross",
            "y",
            "serpentine_round",
            "spiral",
            "bend",
            "chamber",
        ] {
            let layout = layout_of(
                &format!(
                    "c = {{ kind = \"{kind}\", at = [\"1 mm\", \"2 mm\"], rotation = \"30 deg\", mirror = true }}"
                ),
                "",
            );
            let scene = Scene::new(layout, &Outlines::default());
            let anchor = scene.anchor(0).expect("placed");
            assert_eq!(scene.item_at(anchor, 0.0), Some(0), "{kind}");
        }
    }
}
