//! What is under the pointer: exact distances to shapes, found through boxes.

use std::collections::BTreeSet;

use super::scene::{Bounds, Scene};
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::Design;
use stokeslet_cad::shape::{Shape, Socket, Strip};

/// A straight run of a pipe or channel, where a tee could go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StraightRun {
    /// The component or channel, index into the layout's items.
    pub item: usize,
    /// On the middle line, m.
    pub at: Point,
    /// Along the run, rad.
    pub along: f64,
    /// Across, m.
    pub width: f64,
}

/// How items are caught by a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catch {
    /// Wholly inside.
    Contained,
    /// Any part of them inside.
    Touched,
}

impl Scene {
    /// The item at a place, or the nearest one within `reach`, m.
    pub fn item_at(&self, p: Point, reach: f64) -> Option<usize> {
        self.part_at(p, reach).map(|part| self.parts[part].owner)
    }

    /// The part at a place, or the nearest one within `reach`, m; of several the smallest.
    pub fn part_at(&self, p: Point, reach: f64) -> Option<usize> {
        let near = Bounds::of(p, p).grown(reach);
        self.parts_meeting(&near)
            .filter_map(|part| {
                let placed = &self.parts[part];
                let shape = &self.layout.parts[part].shape;
                let distance = distance(shape, placed.to_part(p));
                let size = placed.bounds.size();
                (distance <= reach).then_some((distance, size.x * size.y, part))
            })
            .min_by(|a, b| (a.0, a.1).partial_cmp(&(b.0, b.1)).unwrap_or(a.2.cmp(&b.2)))
            .map(|found| found.2)
    }

    /// The nearest free socket within `reach`, index into the layout's sockets.
    pub fn free_socket_at(&self, p: Point, reach: f64) -> Option<usize> {
        let away = |k: usize| (self.layout.sockets[k].geometry.middle - p).norm();
        let near = self.free.iter().map(|&k| (away(k), k));
        near.filter(|found| found.0 <= reach)
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map(|found| found.1)
    }

    /// The straight run of a pipe or channel at a place.
    pub fn run_at(&self, p: Point, reach: f64, design: &Design) -> Option<StraightRun> {
        let part = self.part_at(p, reach)?;
        let placed = &self.parts[part];
        let is_pipe = match design.components.get(placed.owner) {
            Some(component) => component.kind.value == "pipe",
            None => true,
        };
        match self.layout.parts[part].shape {
            Shape::Strip(Strip::Straight {
                length,
                width_start,
                width_end,
            }) if is_pipe && width_start == width_end => {
                let x = placed.to_part(p).x.clamp(0.0, length);
                Some(StraightRun {
                    item: placed.owner,
                    at: placed.to_chip(Point::new(x, 0.0)),
                    along: placed.x_axis.angle(),
                    width: width_start,
                })
            }
            _ => None,
        }
    }

    /// Items that a box catches.
    pub fn in_box(&self, frame: &Bounds, catch: Catch) -> BTreeSet<String> {
        let caught: Vec<usize> = match catch {
            Catch::Contained => (0..self.boxes.len())
                .filter(|&item| !self.hides(item))
                .filter(|&item| self.boxes[item].is_some_and(|b| frame.holds(&b)))
                .collect(),
            Catch::Touched => self
                .parts_meeting(frame)
                .filter(|&part| self.touches(part, frame))
                .map(|part| self.parts[part].owner)
                .collect(),
        };
        let names = caught.into_iter().map(|item| self.name(item).to_owned());
        names.collect()
    }

    /// Whether a part has a point in common with a box.
    fn touches(&self, part: usize, frame: &Bounds) -> bool {
        let placed = &self.parts[part];
        if frame.holds(&placed.bounds) {
            return true;
        }
        let shape = &self.layout.parts[part].shape;
        let corners: Vec<Point> = stokeslet_cad::library::boundary(shape, 180)
            .into_iter()
            .map(|p| placed.to_chip(p))
            .collect();
        let crosses = (0..corners.len())
            .any(|k| meets_box(corners[k], corners[(k + 1) % corners.len()], frame));
        crosses || distance(shape, placed.to_part(frame.middle())) == 0.0
    }
}

/// Whether a segment has a point in common with a box: what is left of it after clipping by each side.
fn meets_box(a: Point, b: Point, frame: &Bounds) -> bool {
    let d = b - a;
    let (mut from, mut to) = (0.0f64, 1.0f64);
    for (start, step, low, high) in [
        (a.x, d.x, frame.low.x, frame.high.x),
        (a.y, d.y, frame.low.y, frame.high.y),
    ] {
        if step == 0.0 {
            if start < low || start > high {
                return false;
            }
            continue;
        }
        let (t, u) = ((low - start) / step, (high - start) / step);
        from = from.max(t.min(u));
        to = to.min(t.max(u));
    }
    from <= to
}

/// How far a point is from a shape, both in the shape's frame, m; zero inside.
pub fn distance(shape: &Shape, p: Point) -> f64 {
    match *shape {
        Shape::Strip(Strip::Arc {
            radius,
            angle,
            width,
        }) => {
            let from_centre = p - Point::new(0.0, radius);
            let turned = (from_centre.angle() + std::f64::consts::FRAC_PI_2)
                .rem_euclid(std::f64::consts::TAU);
            if turned <= angle {
                ((from_centre.norm() - radius).abs() - width / 2.0).max(0.0)
            } else {
                let sockets = shape.sockets();
                let to_sockets = sockets.iter().map(|m| to_socket(m, p));
                to_sockets.fold(f64::INFINITY, f64::min)
            }
        }
        Shape::Strip(Strip::Straight { .. }) => {
            to_polygon(&stokeslet_cad::library::boundary(shape, 4), p)
        }
        Shape::Polygon {
            ref corners,
            ref holes,
            ..
        } => {
            // On a post, as far as the fluid is.
            let on = holes.iter().find(|hole| hole.contains(p));
            on.map_or_else(|| to_polygon(corners, p), |hole| hole.distance_to_wall(p))
        }
    }
}

fn to_socket(socket: &Socket, p: Point) -> f64 {
    let half = Point::unit(socket.direction).left() * (socket.width / 2.0);
    p.distance_to_segment(socket.middle - half, socket.middle + half)
}

fn to_polygon(corners: &[Point], p: Point) -> f64 {
    let mut inside = false;
    let mut nearest = f64::INFINITY;
    for (k, &a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        if (a.y > p.y) != (b.y > p.y) && p.x < a.x + (p.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
        nearest = nearest.min(p.distance_to_segment(a, b));
    }
    if inside { 0.0 } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::outline::Outlines;
    use crate::canvas::tests::layout_of;

    #[test]
    fn distances_to_arcs_end_at_their_sockets() {
        let arc = Shape::Strip(Strip::Arc {
            radius: 3.0,
            angle: std::f64::consts::FRAC_PI_2,
            width: 1.0,
        });
        for (p, want) in [
            ((0.0, 0.4), 0.0),
            ((0.0, -1.0), 0.5),
            ((-2.0, 0.0), 2.0),
            ((0.0, 3.0), 2.5),
            ((3.0, 3.0), 0.0),
            ((3.0, 4.0), 1.0),
        ] {
            let got = distance(&arc, Point::new(p.0, p.1));
            assert!((got - want).abs() < 1e-12, "{p:?}: {got}, not {want}");
        }
    }

    #[test]
    fn the_item_under_the_pointer_is_found_exactly() {
        // The box of the spiral holds that of the pipe, whose place is between the spiral's turns or beside it.
        let layout = layout_of(
            "a = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], rotation = \"45 deg\", parameters = { length = \"2 mm\" } }\nb = { kind = \"pipe\", at = [\"1 mm\", \"0 mm\"], parameters = { length = \"1 mm\" } }",
            "",
        );
        let scene = Scene::new(layout, &Outlines::default());
        let at = |x: f64, y: f64, reach: f64| scene.item_at(Point::new(x, y), reach);
        assert_eq!(at(7e-4, 7e-4, 0.0), Some(0));
        assert_eq!(at(1.2e-3, 1e-5, 0.0), Some(1), "in the box of both, on b");
        assert_eq!(at(1.2e-3, 4e-4, 0.0), None, "in the box of a, on neither");
        assert_eq!(at(1.2e-3, 8e-5, 0.0), None);
        assert_eq!(at(1.2e-3, 8e-5, 4e-5), Some(1), "within reach");
    }

    #[test]
    fn boxes_catch_what_they_contain_or_touch() {
        let layout = layout_of(
            "a = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"], rotation = \"45 deg\", parameters = { length = \"2 mm\" } }\nb = { kind = \"pipe\", at = [\"1 mm\", \"0 mm\"], parameters = { length = \"1 mm\" } }",
            "",
        );
        let scene = Scene::new(layout, &Outlines::default());
        let caught = |a: (f64, f64), b: (f64, f64), catch| {
            let frame = Bounds::of(Point::new(a.0, a.1), Point::new(b.0, b.1));
            let names: Vec<String> = scene.in_box(&frame, catch).into_iter().collect();
            names.join(" ")
        };
        let b = ((9e-4, -1e-4), (2.1e-3, 1e-4));
        assert_eq!(caught(b.0, b.1, Catch::Contained), "b");
        assert_eq!(caught((9e-4, 0.0), (1.3e-3, 3e-4), Catch::Contained), "");
        assert_eq!(caught((1.1e-3, 0.0), (1.3e-3, 3e-4), Catch::Touched), "b");
        assert_eq!(caught((6e-4, 6e-4), (6.1e-4, 6.1e-4), Catch::Touched), "a");
        assert_eq!(
            caught((-1e-3, -1e-3), (3e-3, 3e-3), Catch::Contained),
            "a b"
        );
    }
}
