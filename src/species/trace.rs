//! Stream lines as level lines of psi, followed from cell to cell: they never end inside, and end on a socket.
//!
//! Every P2 cell is cut in four by its edge middles; the signs of `psi - s` at the corners of these triangles say through which side a
//! line leaves. It crosses a side where the cubic of psi at the side's ends, and of what the velocity there says of its slopes, has its root: beside a
//! wall psi begins with a square, and its own quadratic doesn't.

use pulp::{Arch, Simd, WithSimd};
use rustc_hash::FxHashMap;

use crate::network::Region;
use crate::psi::Psi;
use stokeslet_base::geometry::Point;

/// Corners of the four triangles of a cell.
const FOURTHS: [[usize; 3]; 4] = [[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]];
/// Barycentric coordinates of a cell's nodes.
const BARY: [[f64; 3]; 6] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
];

/// One stream line through a region.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// From the socket that it enters by to the one that it leaves by, m.
    pub points: Vec<Point>,
    /// Integral of |u| ds so far, m^2/s.
    pub work: Vec<f64>,
    /// Time so far, s.
    pub time: Vec<f64>,
    /// Length so far, m.
    pub length: Vec<f64>,
    /// Socket that it leaves by.
    pub out: usize,
}

/// Follows level lines of one region's stream function.
pub struct Tracer<'a> {
    psi: &'a Psi,
    /// Psi, place and velocity of every node, in one line of memory.
    nodes: Vec<[f64; WIDTH]>,
    /// Triangles across the sides of each: side `k` is from corner `k` to the next; `NONE` outside.
    across: Vec<[u32; 3]>,
    /// Nodes of every socket, counter-clockwise.
    sockets: Vec<Vec<u32>>,
    /// The socket and the triangle of a side on the rim.
    at_socket: FxHashMap<(u32, u32), (u32, u32)>,
}

/// [`Tracer::trace`] with the widest vectors.
struct Tracing<'t, 'a>(&'t Tracer<'a>, usize, f64);

impl WithSimd for Tracing<'_, '_> {
    type Output = Option<Trace>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<Trace> {
        let Self(tracer, socket, s) = self;
        tracer.trace_here(socket, s)
    }
}

const NONE: u32 = u32::MAX;
/// Numbers of a node, and some that are not used.
const WIDTH: usize = 8;
/// Points of a line for which there is room from its begin on.
const ROOM: usize = 128;

/// Steps of Newton's method, halving where it leaves the bracket.
const MOST_STEPS: usize = 30;
/// A step shorter than this part of the distance from the nearer end is the last: it leaves its square.
const ENOUGH: f64 = 1e-3;

fn key(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The quadratic basis halfway between each two nodes of a cell.
const HALFWAY: [[[f64; 6]; 6]; 6] = {
    let mut out = [[[0.0; 6]; 6]; 6];
    let mut k = 0;
    while k < 36 {
        let (a, b) = (BARY[k / 6], BARY[k % 6]);
        out[k / 6][k % 6] = quadratic([
            0.5 * (a[0] + b[0]),
            0.5 * (a[1] + b[1]),
            0.5 * (a[2] + b[2]),
        ]);
        k += 1;
    }
    out
};

/// The quadratic basis at barycentric coordinates.
pub(crate) const fn quadratic(l: [f64; 3]) -> [f64; 6] {
    [
        l[0] * (2.0 * l[0] - 1.0),
        l[1] * (2.0 * l[1] - 1.0),
        l[2] * (2.0 * l[2] - 1.0),
        4.0 * l[0] * l[1],
        4.0 * l[1] * l[2],
        4.0 * l[2] * l[0],
    ]
}

/// Where on 0..1 the cubic of these values and slopes at both ends is `s`, which lies between the values; `t`: a first guess.
///
/// Beside a wall stream functions begin with a square. The quadratic through three nodes of a cubic begins with a slope of the square of a cell, so that
/// by it a line nearer than that to a wall was found too near: at 0.55 of its distance a thousandth of a width from the wall with 16 cells a width.
#[inline(always)]
fn hermite_root([a, b]: [f64; 2], [slope_a, slope_b]: [f64; 2], mut t: f64, s: f64) -> f64 {
    let rise = b - a;
    let (square, cube) = (
        3.0 * rise - 2.0 * slope_a - slope_b,
        slope_a + slope_b - 2.0 * rise,
    );
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..MOST_STEPS {
        let over = a + t * (slope_a + t * (square + t * cube)) - s;
        match (over >= 0.0) == (a >= s) {
            true => low = t,
            false => high = t,
        }
        let slope = slope_a + t * (2.0 * square + t * 3.0 * cube);
        let next = t - over / slope;
        let next = if next > low && next < high {
            next
        } else {
            0.5 * (low + high)
        };
        let step = (next - t).abs();
        t = next;
        if step <= ENOUGH * t.min(1.0 - t) {
            break;
        }
    }
    t
}

/// Where the quadratic through `a` at 0, `m` at 1/2, `b` at 1 is `s`, as a first guess; between the ends, whose sides of `s` differ.
#[inline(always)]
fn root(a: f64, m: f64, b: f64, s: f64) -> f64 {
    // c0 + c1 t + c2 t^2 = 0; one root lies between 0 and 1.
    let (c0, c1, c2) = (a - s, 4.0 * m - 3.0 * a - b, 2.0 * (a - 2.0 * m + b));
    let half = -0.5 * (c1 + c1.signum() * (c1 * c1 - 4.0 * c2 * c0).max(0.0).sqrt());
    // Neither cancels; out of range by rounding, or none where all are equal.
    let off = |t: f64| (t - t.clamp(0.0, 1.0)).abs();
    let (near, far) = (c0 / half, half / c2);
    let t = if off(near) <= off(far) || far.is_nan() {
        near
    } else {
        far
    };
    if t.is_nan() { 0.5 } else { t.clamp(0.0, 1.0) }
}

impl<'a> Tracer<'a> {
    /// Prepares the triangles of a region.
    pub fn new(psi: &'a Psi, region: &Region) -> Self {
        let mut across = vec![[NONE; 3]; 4 * psi.cells.len()];
        let mut open: FxHashMap<(u32, u32), (u32, u8)> = FxHashMap::default();
        for (c, cell) in psi.cells.iter().enumerate() {
            for (f, corners) in FOURTHS.iter().enumerate() {
                let triangle = 4 * c + f;
                for k in 0..3 {
                    let side = key(cell[corners[k]], cell[corners[(k + 1) % 3]]);
                    match open.remove(&side) {
                        None => {
                            open.insert(side, (triangle as u32, k as u8));
                        }
                        Some((other, of_other)) => {
                            across[triangle][k] = other;
                            across[other as usize][usize::from(of_other)] = triangle as u32;
                        }
                    }
                }
            }
        }
        let local: FxHashMap<u32, u32> = psi
            .nodes
            .iter()
            .enumerate()
            .map(|(k, &n)| (n, k as u32))
            .collect();
        let mut at_socket = FxHashMap::default();
        let sockets: Vec<Vec<u32>> = region
            .sockets
            .iter()
            .map(|socket| socket.nodes.iter().map(|n| local[&n.0]).collect())
            .collect();
        for (m, nodes) in sockets.iter().enumerate() {
            for pair in nodes.windows(2) {
                let side = key(pair[0], pair[1]);
                if let Some(&(triangle, _)) = open.get(&side) {
                    at_socket.insert(side, (m as u32, triangle));
                }
            }
        }
        let nodes = psi.at.iter().zip(&psi.velocity).zip(&psi.value);
        Self {
            nodes: nodes
                .map(|((x, u), s)| [*s, x.x, x.y, u.x, u.y, 0.0, 0.0, 0.0])
                .collect(),
            psi,
            across,
            sockets,
            at_socket,
        }
    }

    #[inline(always)]
    fn above(&self, node: u32, s: f64) -> bool {
        self.psi.value[node as usize] >= s
    }

    /// Place and speed where the line crosses the side `a`-`b` of a triangle.
    #[inline(always)]
    fn crossing(&self, triangle: u32, a: u32, b: u32, s: f64) -> (Point, f64) {
        let cell = &self.psi.cells[triangle as usize / 4];
        let [first, second, third] = FOURTHS[triangle as usize % 4];
        let local = |node: u32| match node {
            n if n == cell[first] => first,
            n if n == cell[second] => second,
            _ => third,
        };
        // From the lower node number to the higher, so that both sides find the same point.
        let (a, b) = key(a, b);
        let basis = &HALFWAY[local(a)][local(b)];
        // In the middle of the side; at its ends are nodes.
        let mut m = [0.0; WIDTH];
        for (&n, &p) in cell.iter().zip(basis) {
            let node = &self.nodes[n as usize];
            for (sum, value) in m.iter_mut().zip(node) {
                *sum += value * p;
            }
        }
        let (a, b) = (&self.nodes[a as usize], &self.nodes[b as usize]);
        // What flows across the side up to a place on it grows at its ends as the velocity there says.
        let (dx, dy) = (b[1] - a[1], b[2] - a[2]);
        let slopes = [a, b].map(|n| n[3] * dy - n[4] * dx);
        let t = hermite_root([a[0], b[0]], slopes, root(a[0], m[0], b[0], s), s);
        let rest = 1.0 - t;
        // The quadratic through a at 0, m at 1/2, b at 1.
        let (of_a, of_m, of_b) = (rest * (rest - t), 4.0 * t * rest, t * (t - rest));
        let at: [f64; WIDTH] = std::array::from_fn(|k| a[k] * of_a + m[k] * of_m + b[k] * of_b);
        let [_, x, y, u, v, ..] = at;
        (Point::new(x, y), (u * u + v * v).sqrt())
    }

    /// The socket by which the stream line of value `s` leaves that enters by `socket`; `None` where it doesn't start there.
    pub fn end(&self, socket: usize, s: f64) -> Option<usize> {
        self.walk(socket, s, |_, _| ())
    }

    /// The stream line of value `s` that enters by `socket`; `None` where it doesn't start there.
    pub fn trace(&self, socket: usize, s: f64) -> Option<Trace> {
        // Wider vectors, and no other operations: the same bits on every processor.
        Arch::new().dispatch(Tracing(self, socket, s))
    }

    #[inline(always)]
    fn trace_here(&self, socket: usize, s: f64) -> Option<Trace> {
        let mut sides = Vec::with_capacity(ROOM);
        let out = self.walk(socket, s, |triangle, side| sides.push((triangle, side)))?;
        let room = || Vec::with_capacity(sides.len());
        let mut trace = Trace {
            points: Vec::with_capacity(sides.len()),
            work: room(),
            time: room(),
            length: room(),
            out,
        };
        let (mut work, mut time, mut length) = (0.0, 0.0, 0.0);
        let mut last: Option<(Point, f64)> = None;
        for (triangle, [a, b]) in sides {
            let (x, speed) = self.crossing(triangle, a, b, s);
            if let Some((from, before)) = last {
                let step = (x - from).dot(x - from).sqrt();
                let mean = 0.5 * (speed + before);
                work += mean * step;
                time += if mean > 0.0 { step / mean } else { 0.0 };
                length += step;
            }
            last = Some((x, speed));
            trace.points.push(x);
            trace.work.push(work);
            trace.time.push(time);
            trace.length.push(length);
        }
        Some(trace)
    }

    /// Follows a line by signs alone, from triangle to triangle; `visit` gets each side that it crosses, with a triangle of that side.
    #[inline(always)]
    fn walk(&self, socket: usize, s: f64, mut visit: impl FnMut(u32, [u32; 2])) -> Option<usize> {
        let pair = self.sockets[socket]
            .windows(2)
            .find(|p| self.above(p[0], s) != self.above(p[1], s))?;
        let (mut a, mut b) = (pair[0], pair[1]);
        let mut triangle = self.at_socket.get(&key(a, b))?.1;
        visit(triangle, [a, b]);
        let most = 64 * self.psi.cells.len() + 64;
        for _ in 0..most {
            let cell = &self.psi.cells[triangle as usize / 4];
            let corners = FOURTHS[triangle as usize % 4].map(|k| cell[k]);
            let apex = *corners.iter().find(|&&n| n != a && n != b)?;
            // Out through the side whose ends lie on both sides of s: the one that the corner left behind faces.
            let behind = if self.above(apex, s) == self.above(a, s) {
                std::mem::replace(&mut a, apex)
            } else {
                std::mem::replace(&mut b, apex)
            };
            visit(triangle, [a, b]);
            let faces = corners.iter().position(|&n| n == behind)?;
            let next = self.across[triangle as usize][(faces + 1) % 3];
            if next == NONE {
                return Some(self.at_socket.get(&key(a, b))?.0 as usize);
            }
            triangle = next;
        }
        None
    }
}

impl Trace {
    /// Index of the point nearest to `p`.
    pub fn nearest(&self, p: Point) -> usize {
        let mut best = (f64::INFINITY, 0);
        for (k, x) in self.points.iter().enumerate() {
            let between = *x - p;
            let d = between.dot(between);
            if d < best.0 {
                best = (d, k);
            }
        }
        best.1
    }

    /// Value of a running integral at a length along the line.
    pub fn at(&self, running: &[f64], length: f64) -> f64 {
        let k = self.length.partition_point(|&l| l < length);
        if k == 0 {
            return running[0];
        }
        if k >= self.length.len() {
            return running[running.len() - 1];
        }
        let (a, b) = (self.length[k - 1], self.length[k]);
        let t = if b > a { (length - a) / (b - a) } else { 1.0 };
        running[k - 1] + t * (running[k] - running[k - 1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_beside_a_wall_is_found_where_a_parabola_flows() {
        // What flows between a wall and a place in a channel, over a side of the wall's cell.
        let (flow, speed) = (
            |t: f64| t * t * (3.0 - 2.0 * t),
            |t: f64| 6.0 * t * (1.0 - t),
        );
        for h in [0.125, 0.0625, 0.03125] {
            for at in [1e-5, 1e-3, 0.01, 0.9 * h] {
                let s = flow(at);
                let guess = root(0.0, flow(0.5 * h), flow(h), s);
                let t = hermite_root([0.0, flow(h)], [0.0, speed(h) * h], guess, s);
                assert!((t * h / at - 1.0).abs() < 2e-6, "{at} of {h}: {}", t * h);
                // And from the other end.
                let back = hermite_root([flow(h), 0.0], [-speed(h) * h, 0.0], 1.0 - guess, s);
                assert!(
                    (back - (1.0 - t)).abs() < 1e-9 + 4e-6 * t,
                    "{at} of {h}: {back}"
                );
            }
        }
    }

    #[test]
    fn roots_are_where_a_quadratic_crosses_a_level() {
        let values = [-2.0, -1.0, -1e-9, 0.0, 0.3, 0.5, 1.0, 7.0];
        let mut seen = 0;
        for k in 0..values.len().pow(3) {
            let [a, m, b] = [k % 8, k / 8 % 8, k / 64].map(|i| values[i]);
            for s in [-1.5, -0.2, 0.0, 0.4, 2.0] {
                if (a >= s) == (b >= s) {
                    continue;
                }
                let t = root(a, m, b, s);
                let rest = 1.0 - t;
                let here = a * rest * (rest - t) + m * 4.0 * t * rest + b * t * (t - rest);
                assert!((0.0..=1.0).contains(&t));
                assert!(
                    (here - s).abs() < 1e-12,
                    "{a} {m} {b} at {s}: {t} has {here}"
                );
                seen += 1;
            }
        }
        assert!(seen > 500, "{seen}");
    }
}
