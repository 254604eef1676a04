//! Two ends into the way-points of a channel between them: straight, one bend, or a search over right-angled ways.
//!
//! The search runs in frames that the sockets or the chip give; a socket that looks along no axis of a frame gets a short run of
//! its own first. Whatever comes out was built by the rule that builds channels, so it has room for all its bends.

use std::f64::consts::{FRAC_PI_2, PI};

use super::grid_search::{Line, Search, Stop, search};
use super::keep_lines::crossing;
use super::obstacles::{Box2, Obstacles};
use super::sockets::{same_width, tidy_point};
use crate::chip::{channel_parts, normalise};
use crate::design::{Bend, Channel, Spanned};
use crate::shape::Socket;
use stokeslet_base::geometry::{Motion, Point};
use stokeslet_base::units::Metre;

/// Obstacles whose sides become lines to run along: the nearest ones.
const SIDES: usize = 8;
/// What running through a part costs a way that isn't searched for, widths.
const THROUGH: f64 = 60.0;
/// Directions that differ by less are one, rad.
const ALIGNED: f64 = 1e-9;

/// Where a channel is to end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RouteEnd {
    /// At a socket, direction outward of its component.
    Socket(Socket),
    /// In empty space.
    Free(Point),
}

/// A channel without way-points yet.
#[derive(Clone, Copy, Debug)]
pub struct RouteTask {
    /// Where it starts, direction outward of its component.
    pub from: Socket,
    /// Where it ends.
    pub to: RouteEnd,
    /// Across, m.
    pub width: f64,
    /// How it turns.
    pub bend: Bend,
}

impl RouteTask {
    /// Straight run that a bend of this turn (rad, positive) takes on either side, m.
    pub(super) fn reach(&self, turn: f64) -> f64 {
        bend_reach(self.width, self.bend, turn)
    }

    /// Whether these way-points make a channel.
    fn fits(&self, via: &[Point]) -> bool {
        let to = match &self.to {
            RouteEnd::Socket(socket) => Some(socket),
            RouteEnd::Free(_) => None,
        };
        let socket = || Spanned::nowhere("a.b".to_owned());
        let channel = Channel {
            name: Spanned::nowhere("channel".to_owned()),
            from: socket(),
            to: to.map(|_| socket()),
            via: via.iter().copied().map(Spanned::nowhere).collect(),
            width: Some(Metre(self.width)),
            bend: self.bend,
            depth: None,
        };
        channel_parts(&channel, &self.from, to).is_ok()
    }

    fn end(&self) -> Point {
        match self.to {
            RouteEnd::Socket(socket) => socket.middle,
            RouteEnd::Free(point) => point,
        }
    }

    fn bend_cost(&self) -> f64 {
        self.width + 2.0 * self.reach(FRAC_PI_2)
    }
}

/// Straight run, m, that a bend needs on either side; at least what `chip` takes.
pub(super) fn bend_reach(width: f64, bend: Bend, turn: f64) -> f64 {
    match bend {
        Bend::Round(Metre(radius)) => radius * (turn / 2.0).tan(),
        Bend::Mitred if turn < 0.8 => width * 0.5,
        Bend::Mitred => width * 0.5 * (turn / 2.0).tan(),
    }
}

/// The cheapest way-points that make a channel (the end included where it is free); `None` where nothing fits.
///
/// Short is cheap, every bend costs two or three widths, and running through a part costs 60: it is avoided where that can be.
/// # Accuracy and cost
/// Way-points are tidy numbers, as exact as sockets have to agree. Below a millisecond; some where obstacles are in the way.
pub fn auto_route(task: &RouteTask, obstacles: &Obstacles) -> Option<Vec<Point>> {
    let numbers = [task.from.middle, task.end()];
    let is_sound = numbers.iter().all(|p| p.x.is_finite() && p.y.is_finite())
        && task.from.direction.is_finite()
        && task.width > 0.0
        && same_width(task.width, task.from.width);
    if !is_sound {
        return None;
    }
    if let Some(straight) = straight(task).filter(|via| task.fits(via)) {
        return Some(straight);
    }
    let mut ways = one_bend(task, obstacles);
    for avoid in [false, true] {
        for angle in frames(task) {
            ways.extend(searched(task, obstacles, angle, avoid));
        }
        if let Some(way) = first_clear(task, &mut ways) {
            return Some(way);
        }
    }
    // Right angles are what people draw; anything else is better than through a part.
    let mut slanted = slanted(task, obstacles);
    if let Some(way) = first_clear(task, &mut slanted) {
        return Some(way);
    }
    ways.extend(slanted);
    ways.into_iter().map(|way| way.1).find(|way| task.fits(way))
}

/// The cheapest way that runs through nothing.
fn first_clear(task: &RouteTask, ways: &mut [Way]) -> Option<Vec<Point>> {
    ways.sort_by(|a, b| a.0.total_cmp(&b.0));
    let is_clear = |way: &&Way| way.0 < THROUGH * task.width + length(task, &way.1);
    let way = ways.iter().filter(is_clear).find(|way| task.fits(&way.1));
    way.map(|way| way.1.clone())
}

/// What it costs, m, and its way-points.
type Way = (f64, Vec<Point>);

fn length(task: &RouteTask, via: &[Point]) -> f64 {
    let points = polyline(task, via);
    points.windows(2).map(|run| (run[1] - run[0]).norm()).sum()
}

/// All points of a way; a free end is a way-point already.
fn polyline(task: &RouteTask, via: &[Point]) -> Vec<Point> {
    let mut points = vec![task.from.middle];
    points.extend(via);
    if let RouteEnd::Socket(socket) = task.to {
        points.push(socket.middle);
    }
    points
}

/// Nothing to turn. A free end that is too near the socket's axis for bends comes on to it.
fn straight(task: &RouteTask) -> Option<Vec<Point>> {
    match task.to {
        RouteEnd::Socket(_) => Some(Vec::new()),
        RouteEnd::Free(point) => {
            let (axis, away) = (Point::unit(task.from.direction), point - task.from.middle);
            let is_near = axis.cross(away).abs() < 2.0 * task.reach(FRAC_PI_2);
            let end = task.from.middle + axis * axis.dot(away);
            (is_near && axis.dot(away) > 0.0).then(|| vec![tidy_point(end, task.width)])
        }
    }
}

/// One bend where the sockets' axes cross.
fn one_bend(task: &RouteTask, obstacles: &Obstacles) -> Vec<Way> {
    let RouteEnd::Socket(to) = task.to else {
        return Vec::new();
    };
    let (from, to) = (axis(&task.from), axis(&to));
    let corner = crossing(from, to)
        .filter(|corner| from.1.dot(*corner - from.0) > 0.0 && to.1.dot(*corner - to.0) > 0.0);
    let via = corner.map(|corner| vec![tidy_point(corner, task.width)]);
    via.into_iter()
        .map(|via| priced(task, obstacles, via))
        .collect()
}

/// Straight from before one socket to before the other, for those that face each other a little aside.
fn slanted(task: &RouteTask, obstacles: &Obstacles) -> Vec<Way> {
    let RouteEnd::Socket(to) = task.to else {
        return Vec::new();
    };
    let (from, to) = (axis(&task.from), axis(&to));
    let gap = (to.0 - from.0).norm();
    let stubs = [
        gap / 3.0,
        gap / 4.0,
        task.reach(PI / 4.0) + task.width / 2.0,
    ];
    let way = |stub: f64| {
        let via = [from.0 + from.1 * stub, to.0 + to.1 * stub];
        let via = via.map(|p| tidy_point(p, task.width)).to_vec();
        priced(task, obstacles, via)
    };
    stubs.map(way).to_vec()
}

fn axis(socket: &Socket) -> (Point, Point) {
    (socket.middle, Point::unit(socket.direction))
}

fn priced(task: &RouteTask, obstacles: &Obstacles, via: Vec<Point>) -> Way {
    let hits = obstacles.hits(&polyline(task, &via), task.width);
    let bends = task.bend_cost() * via.len() as f64;
    let through = THROUGH * task.width * hits as f64;
    (length(task, &via) + bends + through, via)
}

/// Angles of the frames to search in, without those that are quarter turns apart.
fn frames(task: &RouteTask) -> Vec<f64> {
    let mut angles = vec![task.from.direction];
    if let RouteEnd::Socket(to) = task.to {
        angles.push(to.direction);
    }
    angles.push(0.0);
    let mut kept: Vec<f64> = Vec::new();
    for angle in angles {
        if kept.iter().all(|k| off_axis(angle - k).abs() > ALIGNED) {
            kept.push(angle);
        }
    }
    kept
}

/// How far an angle is from the nearest quarter turn, rad.
fn off_axis(angle: f64) -> f64 {
    angle - (angle / FRAC_PI_2).round() * FRAC_PI_2
}

/// A stop, and the way-point where a short run of the socket's own ends.
type Stub = (Stop, Option<Point>);

/// Ways to leave a socket along the axes of the frame; `direction` outward, in the frame.
fn stubs(task: &RouteTask, at: Point, direction: f64) -> Vec<Stub> {
    let quarter = |q: f64| (q.rem_euclid(4.0)).round() as usize % 4;
    let turns = direction / FRAC_PI_2;
    if off_axis(direction).abs() <= ALIGNED {
        let stop = Stop {
            at,
            quarter: quarter(turns.round()),
            taken: 0.0,
            cost: 0.0,
        };
        return vec![(stop, None)];
    }
    let stub = |q: f64| {
        let turn = normalise(q * FRAC_PI_2 - direction).abs();
        let reach = task.reach(turn);
        let run = reach + task.width / 2.0;
        let corner = at + Point::unit(direction) * run;
        let stop = Stop {
            at: corner,
            quarter: quarter(q),
            taken: reach,
            cost: run + task.bend_cost() * 0.5 * (1.0 + turn),
        };
        (stop, Some(corner))
    };
    vec![stub(turns.floor()), stub(turns.ceil())]
}

fn ends(task: &RouteTask, into: &Motion) -> Vec<Stub> {
    match task.to {
        RouteEnd::Socket(socket) => {
            let (at, direction) = (into.apply(socket.middle), into.turn(socket.direction));
            let mut stubs = stubs(task, at, direction);
            for (stop, _) in &mut stubs {
                stop.quarter = (stop.quarter + 2) % 4;
            }
            stubs
        }
        RouteEnd::Free(point) => {
            let stop = |quarter| Stop {
                at: into.apply(point),
                quarter,
                taken: task.width / 2.0,
                cost: 0.0,
            };
            (0..4).map(|quarter| (stop(quarter), None)).collect()
        }
    }
}

/// The cheapest way in the frame turned by `angle`.
fn searched(task: &RouteTask, obstacles: &Obstacles, angle: f64, avoid: bool) -> Option<Way> {
    let out = Motion::new(angle, task.from.middle);
    let into = out.inverse();
    let starts = stubs(task, Point::default(), into.turn(task.from.direction));
    let ends = ends(task, &into);
    let stops = |stubs: &[Stub]| -> Vec<Stop> { stubs.iter().map(|s| s.0.clone()).collect() };
    let (start_stops, end_stops) = (stops(&starts), stops(&ends));
    let boxes = obstacles.boxes(&into);
    let places: Vec<Point> = start_stops.iter().chain(&end_stops).map(|s| s.at).collect();
    let (columns, rows) = lines(task, &places, &boxes, avoid);
    let way = search(&Search {
        starts: &start_stops,
        ends: &end_stops,
        columns,
        rows,
        boxes: &boxes,
        width: task.width,
        reach: task.reach(FRAC_PI_2),
        bend_cost: task.bend_cost(),
    })?;
    let free_end = match task.to {
        RouteEnd::Free(point) => Some(into.apply(point)),
        RouteEnd::Socket(_) => None,
    };
    let points = starts[way.start].1.into_iter();
    let points = points
        .chain(way.corners)
        .chain(ends[way.end].1)
        .chain(free_end);
    let via = points.map(|p| tidy_point(out.apply(p), task.width));
    Some((way.cost, via.collect()))
}

/// Lines that somebody could want to run on: columns, then rows.
fn lines(
    task: &RouteTask,
    places: &[Point],
    boxes: &[Box2],
    avoid: bool,
) -> (Vec<Line>, Vec<Line>) {
    let width = task.width;
    let reach = task.reach(FRAC_PI_2);
    let dislike = |k: f64| 1e-3 * k * width;
    let mut columns = Vec::new();
    let mut rows = Vec::new();
    for at in places {
        for (lines, at) in [(&mut columns, at.x), (&mut rows, at.y)] {
            lines.push((at, 0.0));
            for side in [-1.0, 1.0] {
                lines.push((at + side * (reach + width), dislike(1.0)));
                lines.push((at + side * (2.0 * reach), dislike(2.0)));
                lines.push((at + side * reach, dislike(3.0)));
            }
        }
    }
    let (first, last) = (places[0], places[places.len() - 1]);
    let middle = (first + last) * 0.5;
    columns.push((middle.x, -dislike(0.5)));
    rows.push((middle.y, -dislike(0.5)));
    if avoid {
        let distance = |b: &Box2| ((b.0 + b.1) * 0.5 - middle).norm() - (b.1 - b.0).norm() * 0.5;
        let mut near: Vec<&Box2> = boxes.iter().collect();
        near.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        for (low, high) in near.into_iter().take(SIDES) {
            for (lines, low, high) in [(&mut columns, low.x, high.x), (&mut rows, low.y, high.y)] {
                lines.push((low - width, dislike(4.0)));
                lines.push((high + width, dislike(4.0)));
            }
        }
    }
    (columns, rows)
}

#[cfg(test)]
mod tests;
