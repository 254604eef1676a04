//! Tracer particles that flow with the fluid: stream lines through the whole chip, with the time at every point.
//!
//! ```text
//! port --lines of equal flow--> pipe (straight, u(eta)) --psi--> region (level line of psi) --psi--> pipe ... --> port
//! ```
//! The flow is steady, so a tracer's way is found once and a moment is looked up: [`Tracers::at`] is a pure function of time, for frames of a
//! file or of a window. Ways are level lines of psi: they never meet, cross or end in a wall, however long. Every way carries the
//! same flow, so tracers released at equal intervals are as many an area everywhere, and stay so.

use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Chip;

use crate::network::{Beyond, End, STILL};
use crate::paths::Paths;
use crate::trace::Tracer;

/// Longest way, in pipes and regions: flow can go round a loop of channels.
const MOST: usize = 10_000;

/// The way of a tracer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Way {
    /// Port that it enters by.
    pub inlet: usize,
    /// Port that it leaves by; `None` where it wasn't followed to its end.
    pub outlet: Option<usize>,
    /// Where it goes, m.
    pub points: Vec<Point>,
    /// When, s, from 0.
    pub time: Vec<f64>,
}

impl Way {
    /// How long it takes, s.
    pub fn duration(&self) -> f64 {
        self.time.last().copied().unwrap_or_default()
    }

    /// Where it is at a time since it entered; `None` before and after.
    pub fn at(&self, t: f64) -> Option<Point> {
        if !(t >= 0.0 && t <= self.duration()) {
            return None;
        }
        let k = self.time.partition_point(|&x| x <= t);
        if k >= self.points.len() {
            return self.points.last().copied();
        }
        let (a, b) = (self.time[k - 1], self.time[k]);
        let part = if b > a { (t - a) / (b - a) } else { 1.0 };
        Some(self.points[k - 1] + (self.points[k] - self.points[k - 1]) * part)
    }
}

/// Ways of equal flow from all ports where fluid enters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracers {
    /// By port, then from the right wall to the left.
    pub ways: Vec<Way>,
}

/// A tracer at a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracerPoint {
    /// Index into [`Tracers::ways`].
    pub way: usize,
    /// How many were released on this way before it.
    pub release: u32,
    /// m.
    pub at: Point,
    /// Time since it entered, s.
    pub age: f64,
}

impl Tracers {
    /// Follows about `n` ways, parted among the ports by their flow, at least one each.
    ///
    /// # Accuracy and cost
    /// Level lines of the quadratic stream function, one triangle after the other; times by the trapezoidal rule in the solved velocity.
    pub fn new(chip: &Chip, paths: &Paths, n: usize) -> Self {
        let net = &paths.net;
        let tracers: Vec<Option<Tracer<'_>>> = (0..net.regions.len())
            .map(|r| {
                let has_flow = !paths.psi[r].cells.is_empty();
                has_flow.then(|| Tracer::new(&paths.psi[r], &net.regions[r]))
            })
            .collect();
        let entering = |k: usize| net.port_flow[k] > STILL * net.largest;
        let whole: f64 = (0..net.port_flow.len())
            .filter(|&k| entering(k))
            .map(|k| net.port_flow[k])
            .sum();
        let mut out = Self::default();
        for k in (0..net.port_flow.len()).filter(|&k| entering(k)) {
            let count = ((n as f64 * net.port_flow[k] / whole).round() as usize).clamp(1, n.max(1));
            for j in 0..count {
                out.ways.extend(follow(
                    chip,
                    paths,
                    &tracers,
                    k,
                    (j as f64 + 0.5) / count as f64,
                ));
            }
        }
        out
    }

    /// All tracers at a time, where each way releases one every `interval` since ever. Ways start at different parts of the interval, so that no front is seen.
    pub fn at(&self, t: f64, interval: f64) -> Vec<TracerPoint> {
        let mut out = Vec::new();
        if !(interval > 0.0 && interval.is_finite() && t.is_finite()) {
            return out;
        }
        for (w, way) in self.ways.iter().enumerate() {
            // The golden ratio spreads any number of starts evenly.
            let start = (w as f64 * 0.618_033_988_749_894_9).fract() * interval;
            let newest = (t - start).rem_euclid(interval);
            let many = (way.duration() / interval).min(f64::from(MOST as u32)) as u32 + 1;
            for k in 0..=many {
                let age = newest + f64::from(k) * interval;
                if let Some(at) = way.at(age) {
                    let release = ((t - start - age) / interval)
                        .round()
                        .rem_euclid(f64::from(u32::MAX)) as u32;
                    out.push(TracerPoint {
                        way: w,
                        release,
                        at,
                        age,
                    });
                }
            }
        }
        out
    }

    /// Median time that a way takes, s; 0 without any.
    pub fn median_duration(&self) -> f64 {
        let mut all: Vec<f64> = self.ways.iter().map(Way::duration).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or_default()
    }
}

/// Where a way goes on.
enum At {
    Pipe(usize),
    Region(usize, usize),
}

/// Follows one way from a port; `part` of its flow is to the right.
fn follow(
    chip: &Chip,
    paths: &Paths,
    tracers: &[Option<Tracer<'_>>],
    port: usize,
    part: f64,
) -> Option<Way> {
    let net = &paths.net;
    let mut way = Way {
        inlet: port,
        ..Way::default()
    };
    let first = net.pipes.iter().position(|p| {
        let end = if p.flow > 0.0 { 0 } else { 1 };
        p.ends[end] == End::Port(port)
    });
    let mut at = match first {
        Some(p) => At::Pipe(p),
        None => {
            let mut sockets = net.regions.iter().enumerate().flat_map(|(r, region)| {
                let found = region
                    .sockets
                    .iter()
                    .position(|m| m.beyond == Beyond::Port(port));
                found.map(|m| At::Region(r, m))
            });
            sockets.next()?
        }
    };
    let mut part = part;
    for _ in 0..MOST {
        match at {
            At::Pipe(p) => {
                let pipe = &net.pipes[p];
                let eta = net.profile(pipe.width).eta(part);
                let motion = &chip.parts[pipe.part].motion;
                let side = if motion.mirror == (pipe.flow > 0.0) {
                    -1.0
                } else {
                    1.0
                };
                let y = side * (eta - 0.5) * pipe.width;
                let speed = pipe.flow.abs() / pipe.width * net.profile(pipe.width).speed(eta);
                let ends = if pipe.flow > 0.0 {
                    pipe.along
                } else {
                    [pipe.along[1], pipe.along[0]]
                };
                let begin = way.duration();
                for (k, x) in ends.into_iter().enumerate() {
                    way.points.push(motion.apply(Point::new(x, y)));
                    way.time.push(begin + k as f64 * pipe.length / speed);
                }
                match pipe.ends[usize::from(pipe.flow > 0.0)] {
                    End::Port(k) => {
                        way.outlet = Some(k);
                        break;
                    }
                    End::Region(r, m) => at = At::Region(r, m),
                    End::Closed => break,
                }
            }
            At::Region(r, m) => {
                let tracer = tracers[r].as_ref()?;
                // Psi of a socket's ends, from its right wall to its left looking out of the region; looking in it is the other way round.
                let ends = paths.psi[r].sockets[m];
                let s = ends[1] + (ends[0] - ends[1]) * part;
                let Some(trace) = tracer.trace(m, s) else {
                    break;
                };
                let begin = way.duration();
                way.points.extend(&trace.points);
                way.time.extend(trace.time.iter().map(|t| begin + t));
                let out = paths.psi[r].sockets[trace.out];
                part = ((s - out[0]) / (out[1] - out[0])).clamp(0.0, 1.0);
                match net.regions[r].sockets[trace.out].beyond {
                    Beyond::Pipe(p, _) => at = At::Pipe(p),
                    Beyond::Port(k) => {
                        way.outlet = Some(k);
                        break;
                    }
                }
            }
        }
    }
    (way.points.len() > 1 && way.duration().is_finite()).then_some(way)
}
