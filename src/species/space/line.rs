//! Lines that fluid flows along through a region in three dimensions, from one of its sockets to another.

use stokeslet_base::geometry::Point;

use super::slab::{At, Slab};
use crate::network::Region;
use stokeslet_flow::field::Field;

/// Steps over the size of a cell.
const STEP: f64 = 0.7;
/// Steps after which a line goes in circles.
const MOST: usize = 20_000;
/// Halvings of a step that would leave the fluid.
const HALVINGS: u32 = 8;

/// A socket seen as a window in space.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Its first corner, counter-clockwise about the region.
    origin: Point,
    /// From there to the other corner, m.
    across: Point,
    /// Out of the region.
    out: Point,
    /// Whether fluid leaves by it.
    is_outlet: bool,
    /// Whether anything flows there.
    has_flow: bool,
}

impl Window {
    /// Those of a region.
    pub fn of_region(region: &Region, fields: &Field<2>) -> Vec<Self> {
        let windows = region.sockets.iter().map(|socket| {
            let end =
                |n: Option<&(u32, f64)>| n.map_or(Point::default(), |n| fields.nodes[n.0 as usize]);
            let (origin, last) = (end(socket.nodes.first()), end(socket.nodes.last()));
            let across = last - origin;
            Self {
                origin,
                across,
                out: Point::new(across.y, -across.x) * (1.0 / across.norm()),
                is_outlet: socket.outflow > 0.0,
                has_flow: socket.outflow != 0.0,
            }
        });
        windows.collect()
    }

    /// A place by eta, from the right wall looking along the flow.
    pub fn point(&self, eta: f64) -> Point {
        let t = if self.is_outlet { eta } else { 1.0 - eta };
        self.origin + self.across * t
    }

    /// The same, so many widths inside the region.
    pub fn inside(&self, eta: f64, by: f64) -> Point {
        self.point(eta) + self.out * (-by * self.across.norm())
    }

    /// The other way round.
    fn eta(&self, p: Point) -> f64 {
        let t = (p - self.origin).dot(self.across) / self.across.dot(self.across);
        if self.is_outlet { t } else { 1.0 - t }
    }

    /// How far outside a point is, m.
    fn beyond(&self, p: Point) -> f64 {
        (p - self.origin).dot(self.out)
    }
}

/// Where a line ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// Index into the region's sockets.
    pub socket: usize,
    /// From the right wall looking along the flow.
    pub eta: f64,
    /// Over the floor, over the depth: up to 1/2.
    pub height: f64,
    /// m.
    pub length: f64,
    /// s.
    pub time: f64,
}

/// Follows the fluid from a place to the socket by which it leaves, or backwards to that by which it came; `None` where the line gets lost: it
/// stands still, or goes in circles.
///
/// # Accuracy and cost
/// Fourth order Runge-Kutta steps of 0.7 cells; each reads four velocities.
pub fn follow(slab: &Slab, windows: &[Window], from: At, forwards: bool) -> Option<Arrival> {
    let sign = if forwards { 1.0 } else { -1.0 };
    let mut hint = u32::MAX;
    let mut unit = |at: At| {
        let (u, cell) = slab.velocity(at, hint)?;
        hint = cell;
        let speed = u.iter().map(|x| x * x).sum::<f64>().sqrt();
        (speed > 0.0).then(|| (u.map(|x| sign * x / speed), speed, cell))
    };
    let arrive = |(socket, _, at): (usize, f64, At), [length, time]: [f64; 2]| Arrival {
        socket,
        eta: windows[socket].eta(at.plane).clamp(0.0, 1.0),
        height: (at.height / slab.depth).clamp(0.0, 0.5),
        length,
        time,
    };
    let half = 0.5 * slab.depth;
    let mut at = from;
    let (mut length, mut time) = (0.0, 0.0);
    let (mut direction, mut speed, mut cell) = unit(at)?;
    for _ in 0..MOST {
        let mut step = STEP * slab.size(cell);
        let mut next = None;
        for _ in 0..HALVINGS {
            let a = direction;
            next = (|| {
                let (b, middle, _) = unit(at.moved(a, 0.5 * step))?;
                let (c, ..) = unit(at.moved(b, 0.5 * step))?;
                let (d, ..) = unit(at.moved(c, step))?;
                let sum = std::array::from_fn(|k| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0);
                let mut to = at.moved(sum, step);
                // The image of what has crossed mid-depth by rounding; nothing goes through the floor.
                if to.height > half {
                    to.height = 2.0 * half - to.height;
                }
                to.height = to.height.max(0.0);
                Some((to, middle))
            })();
            if next.is_some() {
                break;
            }
            // A socket may be the rim of the chip: what lies beyond it, straight ahead, has no velocity.
            if let Some(arrival) = leave(windows, forwards, at, at.moved(a, step), half) {
                let way = arrival.1 * step;
                return Some(arrive(arrival, [length + way, time + way / speed]));
            }
            step *= 0.5;
        }
        let (to, middle) = next?;
        let arrival = leave(windows, forwards, at, to, half);
        let part = arrival.map_or(1.0, |a| a.1);
        length += part * step;
        // By the speed in the middle of the step: second order.
        time += part * step / middle;
        if let Some(arrival) = arrival {
            return Some(arrive(arrival, [length, time]));
        }
        at = to;
        (direction, speed, cell) = unit(at)?;
    }
    None
}

/// The socket that a step crosses outwards, the part of the step up to there, and where.
fn leave(
    windows: &[Window],
    forwards: bool,
    from: At,
    to: At,
    half: f64,
) -> Option<(usize, f64, At)> {
    let mut best: Option<(usize, f64, At)> = None;
    for (m, window) in windows.iter().enumerate() {
        if !window.has_flow || window.is_outlet != forwards {
            continue;
        }
        let (a, b) = (window.beyond(from.plane), window.beyond(to.plane));
        if !(a <= 0.0 && b > 0.0) {
            continue;
        }
        let part = a / (a - b);
        let at = At {
            plane: from.plane + (to.plane - from.plane) * part,
            height: (from.height + (to.height - from.height) * part).clamp(0.0, half),
        };
        if (-0.01..=1.01).contains(&window.eta(at.plane)) && best.is_none_or(|b| part < b.1) {
            best = Some((m, part, at));
        }
    }
    best
}
