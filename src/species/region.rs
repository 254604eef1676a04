//! How streams go through a region: which part of which inlet leaves where, beside whom, and how long neighbours exchange.
//!
//! ```text
//!            inlets            chains             outlets            bundle: what goes from one inlet to one outlet, an interval of psi
//!  in 1  =====stage 1====M                  S====stage 3=====        M: where a line between two streams leaves the wall (they meet)
//!                         |====stage 2=====|                         S: where it meets a wall again (they part)
//!  in 2  =====stage 1====M                  S====stage 3=====        stage: one exponential, lambda = int |u| ds / (Q u(eta)) of every line
//! ```

mod table;

pub use table::{Row, Table};

use crate::SpeciesError;
use crate::network::{Network, Region};
use crate::profile::Profile;
use crate::psi::Psi;
use crate::trace::{Trace, Tracer};
use stokeslet_base::geometry::Point;

/// Stream lines a bundle, more near both ends; 20 give lambda to 3e-5 (specification). With 14 every error of the specification's rows stays below its
/// estimate (`accuracy`), and lines are most of what a large chip's paths take.
const LINES: usize = 14;
/// How far in eta of its inlet the outermost lines are from a bundle's ends, over the bundle's width.
const EDGE: f64 = 1e-3;
/// Levels that are tried between two walls' constants, for stagnation points inside.
const LEVELS: usize = 7;
/// Lines closer than this, in widths, run side by side.
const CLOSE: f64 = 0.05;

/// What goes from one inlet to one outlet.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// Index into [`Ways::inlets`].
    pub inlet: usize,
    /// Index into [`Ways::outlets`].
    pub outlet: usize,
    /// Values of psi, m^2/s.
    pub psi: [f64; 2],
    /// Lines, ascending in psi.
    pub lines: Vec<Line>,
}

/// A stream line and its stages. Its points are far more than that: whoever wants them traces them again ([`traced`]).
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its value of psi, m^2/s.
    pub psi: f64,
    /// Lengths at which the first and the second stage end, m.
    pub cuts: [f64; 2],
}

/// The points of every line, by bundle.
type Traces = Vec<Vec<Trace>>;

/// A socket by which a stream enters or leaves, with the stage between it and the joined streams.
#[derive(Clone, Debug)]
pub struct Way {
    /// Index into the region's sockets.
    pub socket: usize,
    /// Values of psi, m^2/s.
    pub psi: [f64; 2],
    /// Bundles from right to left.
    pub bundles: Vec<usize>,
    /// Its profile.
    pub profile: Profile,
    /// Exchange between the socket and the joined streams.
    pub table: Table,
}

/// Bundles that run side by side, from right to left.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Indices into [`Ways::bundles`].
    pub bundles: Vec<usize>,
    /// Profile of the pipe, real or virtual, that carries them all.
    pub profile: Profile,
    /// Exchange while joined.
    pub table: Table,
}

/// All ways through a region.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// Sockets where fluid enters.
    pub inlets: Vec<Way>,
    /// Sockets where it leaves.
    pub outlets: Vec<Way>,
    /// From inlets to outlets.
    pub bundles: Vec<Bundle>,
    /// Every bundle is in one chain.
    pub chains: Vec<Chain>,
    /// Scales the tubes' areas to the region's.
    pub area_scale: f64,
    /// Points where neighbours part or meet, for drawings, m.
    pub stagnation: Vec<Point>,
}

/// Finds the ways through region `r` from its stream function.
///
/// # Errors
/// [`SpeciesError::Lost`] where a stream line ends nowhere.
pub fn ways(net: &Network, r: usize, psi: &Psi) -> Result<Ways, SpeciesError> {
    let region = &net.regions[r];
    let tracer = Tracer::new(psi, region);
    let mut out = Ways::default();
    let way = |m: usize, psi: [f64; 2]| Way {
        socket: m,
        psi,
        bundles: Vec::new(),
        profile: net.profile(region.sockets[m].width),
        table: Table::default(),
    };
    for (m, socket) in region.sockets.iter().enumerate() {
        let [a, b] = psi.sockets[m];
        if socket.outflow < 0.0 {
            out.inlets.push(way(m, [b, a]));
        } else if socket.outflow > 0.0 {
            out.outlets.push(way(m, [a, b]));
        }
    }
    if out.inlets.is_empty() {
        return Ok(out);
    }
    let finder = Finder {
        r,
        tracer: &tracer,
        psi,
        ways: &out,
        flow: largest(region),
    };
    let bundles = finder.bundles()?;
    out.bundles = bundles;
    for b in 0..out.bundles.len() {
        let (i, k) = (out.bundles[b].inlet, out.bundles[b].outlet);
        out.inlets[i].bundles.push(b);
        out.outlets[k].bundles.push(b);
    }
    let bundles = &out.bundles;
    for way in out.inlets.iter_mut().chain(&mut out.outlets) {
        way.bundles
            .sort_by(|&a, &b| bundles[a].psi[0].total_cmp(&bundles[b].psi[0]));
    }
    let traces = trace_bundles(&tracer, &mut out, r)?;
    let pairs = neighbours(&out, &traces, region);
    cut_lines(&mut out, &traces, &pairs);
    out.chains = chains(&out, &pairs, net, region);
    fill_tables(&mut out, &traces);
    out.area_scale = area_scale(&out, region);
    out.stagnation = pairs
        .iter()
        .flat_map(|p| [p.meet, p.part])
        .flatten()
        .collect();
    Ok(out)
}

/// The lines of region `r` with their points, by bundle; without those that rounding loses beside a stagnation point.
pub fn traced<'w>(
    net: &Network,
    r: usize,
    psi: &Psi,
    ways: &'w Ways,
) -> Vec<Vec<(&'w Line, Trace)>> {
    let tracer = Tracer::new(psi, &net.regions[r]);
    let of_bundle = |bundle: &'w Bundle| {
        let (socket, out) = (
            ways.inlets[bundle.inlet].socket,
            ways.outlets[bundle.outlet].socket,
        );
        let lines = bundle.lines.iter();
        let traced = lines.filter_map(|line| Some((line, tracer.trace(socket, line.psi)?)));
        traced.filter(|(_, trace)| trace.out == out).collect()
    };
    ways.bundles.iter().map(of_bundle).collect()
}

fn largest(region: &Region) -> f64 {
    region
        .sockets
        .iter()
        .map(|m| m.outflow.abs())
        .fold(0.0, f64::max)
}

struct Finder<'a> {
    r: usize,
    tracer: &'a Tracer<'a>,
    psi: &'a Psi,
    ways: &'a Ways,
    flow: f64,
}

impl Finder<'_> {
    /// The outlet that a level reaches from an inlet.
    fn outlet(&self, inlet: usize, s: f64) -> Result<usize, SpeciesError> {
        let socket = self.ways.inlets[inlet].socket;
        let lost = || SpeciesError::Lost { region: self.r };
        let out = self.tracer.end(socket, s).ok_or_else(lost)?;
        let mut outlets = self.ways.outlets.iter();
        outlets.position(|w| w.socket == out).ok_or_else(lost)
    }

    fn bundles(&self) -> Result<Vec<Bundle>, SpeciesError> {
        let tiny = 1e-7 * self.flow;
        let mut marks = self.psi.walls.clone();
        marks.sort_by(f64::total_cmp);
        let mut out: Vec<Bundle> = Vec::new();
        let mut saddles: Vec<f64> = Vec::new();
        for (i, inlet) in self.ways.inlets.iter().enumerate() {
            let [low, high] = inlet.psi;
            let mut ends = vec![low];
            for &mark in &marks {
                if mark > ends[ends.len() - 1] + tiny && mark < high - tiny {
                    ends.push(mark);
                }
            }
            ends.push(high);
            let mut pieces: Vec<(f64, f64, usize)> = Vec::new();
            for pair in ends.windows(2) {
                self.between(i, pair[0], pair[1], &mut saddles, &mut pieces)?;
            }
            for (a, b, outlet) in pieces {
                match out.last_mut() {
                    Some(last) if last.inlet == i && last.outlet == outlet => last.psi[1] = b,
                    _ => out.push(Bundle {
                        inlet: i,
                        outlet,
                        psi: [a, b],
                        lines: Vec::new(),
                    }),
                }
            }
        }
        Ok(out)
    }

    /// Parts of an interval without walls' constants by where they go.
    fn between(
        &self,
        inlet: usize,
        a: f64,
        b: f64,
        saddles: &mut Vec<f64>,
        pieces: &mut Vec<(f64, f64, usize)>,
    ) -> Result<(), SpeciesError> {
        let level = |k: usize| a + (b - a) * (k as f64 + 0.5) / LEVELS as f64;
        let mut from = a;
        let mut last = self.outlet(inlet, level(0))?;
        for k in 1..LEVELS {
            let here = self.outlet(inlet, level(k))?;
            if here == last {
                continue;
            }
            let (mut low, mut high) = (level(k - 1), level(k));
            for _ in 0..48 {
                let middle = 0.5 * (low + high);
                // Two steps at once would be a third outlet between: it is found as the upper one, and lost below 1/7 of the interval.
                if self.outlet(inlet, middle)? == last {
                    low = middle;
                } else {
                    high = middle;
                }
                if high - low < 1e-13 * self.flow {
                    break;
                }
            }
            let mut saddle = 0.5 * (low + high);
            // Two inlets that face each other find the same saddle: one number for both.
            match saddles
                .iter()
                .find(|s| (**s - saddle).abs() < 1e-7 * self.flow)
            {
                Some(&known) => saddle = known,
                None => saddles.push(saddle),
            }
            pieces.push((from, saddle, last));
            from = saddle;
            last = here;
        }
        pieces.push((from, b, last));
        Ok(())
    }
}

/// Traces the lines of every bundle, close together near its ends.
fn trace_bundles(tracer: &Tracer<'_>, ways: &mut Ways, r: usize) -> Result<Traces, SpeciesError> {
    let mut traces = Traces::new();
    for bundle in &mut ways.bundles {
        let mut of_bundle = Vec::with_capacity(LINES + 2);
        let inlet = &ways.inlets[bundle.inlet];
        let [low, high] = inlet.psi;
        let flow = high - low;
        let eta = bundle
            .psi
            .map(|s| inlet.profile.eta(((s - low) / flow).clamp(0.0, 1.0)));
        let mut parts: Vec<f64> = (0..LINES)
            .map(|j| 0.5 * (1.0 - (std::f64::consts::PI * (j as f64 + 0.5) / LINES as f64).cos()))
            .collect();
        parts.insert(0, EDGE);
        parts.push(1.0 - EDGE);
        for t in parts {
            let at = eta[0] + (eta[1] - eta[0]) * t;
            let s = low + flow * inlet.profile.flow(at);
            // A line so near to a stagnation point may slip past it: it tells nothing of its bundle then.
            let Some(trace) = tracer.trace(inlet.socket, s) else {
                return Err(SpeciesError::Lost { region: r });
            };
            if trace.out == ways.outlets[bundle.outlet].socket {
                let length = trace.length[trace.length.len() - 1];
                bundle.lines.push(Line {
                    psi: s,
                    cuts: [0.0, length],
                });
                of_bundle.push(trace);
            }
        }
        if bundle.lines.is_empty() {
            return Err(SpeciesError::Lost { region: r });
        }
        traces.push(of_bundle);
    }
    Ok(traces)
}

/// Two bundles beside each other, the second to the left of the first.
struct Pair {
    right: usize,
    left: usize,
    /// Where they meet, unless they enter together.
    meet: Option<Point>,
    /// Where they part, unless they leave together.
    part: Option<Point>,
}

fn neighbours(ways: &Ways, traces: &Traces, region: &Region) -> Vec<Pair> {
    let width = region
        .sockets
        .iter()
        .map(|m| m.width)
        .fold(f64::INFINITY, f64::min);
    let tiny = 1e-7 * largest(region);
    let mut out = Vec::new();
    for (a, right) in ways.bundles.iter().enumerate() {
        for (b, left) in ways.bundles.iter().enumerate() {
            if a == b || (right.psi[1] - left.psi[0]).abs() > tiny {
                continue;
            }
            let (enters, leaves) = (right.inlet == left.inlet, right.outlet == left.outlet);
            let (Some(p), Some(q)) = (traces[a].last(), traces[b].first()) else {
                continue;
            };
            // Seen from both lines: a mirrored region has the same points.
            let both = [(p, q), (q, p)].map(|(p, q)| {
                let is_near = |x: Point, y: Point| (x - y).dot(x - y) < (CLOSE * width).powi(2);
                let mut close = p
                    .points
                    .iter()
                    .filter(|x| q.points.iter().any(|y| is_near(**x, *y)));
                let first = close.next().copied();
                [first, close.next_back().copied().or(first)]
            });
            let [first, last] = [0, 1].map(|k| match (both[0][k], both[1][k]) {
                (Some(a), Some(b)) => Some((a + b) * 0.5),
                (one, other) => one.or(other),
            });
            if first.is_none() && !enters && !leaves {
                continue;
            }
            out.push(Pair {
                right: a,
                left: b,
                meet: first.filter(|_| !enters),
                part: last.filter(|_| !leaves),
            });
        }
    }
    out
}

/// Ends the stages of every line: the first where the streams of its inlet meet others, the second where those of its outlet part.
fn cut_lines(ways: &mut Ways, traces: &Traces, pairs: &[Pair]) {
    let (mut meets, mut parts) = (
        vec![Vec::new(); ways.inlets.len()],
        vec![Vec::new(); ways.outlets.len()],
    );
    for pair in pairs {
        for b in [pair.right, pair.left] {
            meets[ways.bundles[b].inlet].extend(pair.meet);
            parts[ways.bundles[b].outlet].extend(pair.part);
        }
    }
    for (bundle, traces) in ways.bundles.iter_mut().zip(traces) {
        let (meets, parts) = (&meets[bundle.inlet], &parts[bundle.outlet]);
        for (line, trace) in bundle.lines.iter_mut().zip(traces) {
            let whole = trace.length[trace.length.len() - 1];
            let mean = |points: &[Point], otherwise: f64| {
                if points.is_empty() {
                    return otherwise;
                }
                let sum: f64 = points.iter().map(|p| trace.length[trace.nearest(*p)]).sum();
                sum / points.len() as f64
            };
            line.cuts = [mean(meets, 0.0), mean(parts, whole)];
        }
    }
}

/// Whether a bundle parts from its inlet's others before it meets its outlet's.
fn parts_first(bundle: &Bundle) -> bool {
    let early = bundle
        .lines
        .iter()
        .filter(|l| l.cuts[0] > l.cuts[1])
        .count();
    2 * early > bundle.lines.len()
}

fn chains(ways: &Ways, pairs: &[Pair], net: &Network, region: &Region) -> Vec<Chain> {
    let n = ways.bundles.len();
    let (mut up, mut down) = (vec![Vec::new(); n], vec![Vec::new(); n]);
    for pair in pairs {
        if !parts_first(&ways.bundles[pair.right]) && !parts_first(&ways.bundles[pair.left]) {
            up[pair.right].push(pair.left);
            down[pair.left].push(pair.right);
        }
    }
    // A bundle with two neighbours on one side passes a stagnation point inside: nothing is joined there for long.
    let link = |a: usize| match up[a][..] {
        [b] if down[b].len() == 1 => Some(b),
        _ => None,
    };
    let mut done = vec![false; n];
    let mut out = Vec::new();
    let has_link_to = |b: usize| (0..n).any(|a| link(a) == Some(b));
    let mut starts: Vec<usize> = (0..n).filter(|&b| !has_link_to(b)).collect();
    // Rings have no start: their bundles stay alone.
    starts.extend((0..n).filter(|&b| has_link_to(b)));
    for start in starts {
        if done[start] {
            continue;
        }
        let mut bundles = vec![start];
        done[start] = true;
        let mut at = start;
        while let Some(next) = link(at).filter(|&b| !done[b]) {
            bundles.push(next);
            done[next] = true;
            at = next;
        }
        let width = bundles
            .iter()
            .flat_map(|&b| {
                [
                    ways.inlets[ways.bundles[b].inlet].socket,
                    ways.outlets[ways.bundles[b].outlet].socket,
                ]
            })
            .map(|m| region.sockets[m].width)
            .fold(0.0, f64::max);
        out.push(Chain {
            bundles,
            profile: net.profile(width),
            table: Table::default(),
        });
    }
    out
}

/// Work and time of the three stages of a line.
fn stages(line: &Line, t: &Trace) -> [[f64; 2]; 3] {
    let [a, b] = line.cuts;
    let (a, b) = (a.min(b), a.max(b));
    let whole = t.length[t.length.len() - 1];
    let part = |from: f64, to: f64| {
        [&t.work, &t.time].map(|running| (t.at(running, to) - t.at(running, from)).max(0.0))
    };
    [part(0.0, a), part(a, b), part(b, whole)]
}

fn row(profile: Profile, fraction: f64, flow: f64, [work, time]: [f64; 2]) -> Row {
    let eta = profile.eta(fraction.clamp(0.0, 1.0));
    let speed = flow * profile.speed(eta);
    Row {
        eta,
        lambda: if speed > 0.0 { work / speed } else { 0.0 },
        area: time * speed,
    }
}

fn fill_tables(ways: &mut Ways, traces: &Traces) {
    let bundles = &ways.bundles;
    let both = [(0, &mut ways.inlets), (2, &mut ways.outlets)];
    for (stage, list) in both {
        for way in list {
            let flow = way.psi[1] - way.psi[0];
            for &b in &way.bundles {
                for (line, trace) in bundles[b].lines.iter().zip(&traces[b]) {
                    way.table.0.push(row(
                        way.profile,
                        (line.psi - way.psi[0]) / flow,
                        flow,
                        stages(line, trace)[stage],
                    ));
                }
            }
        }
    }
    for chain in &mut ways.chains {
        let flow: f64 = chain
            .bundles
            .iter()
            .map(|&b| bundles[b].psi[1] - bundles[b].psi[0])
            .sum();
        let mut below = 0.0;
        for &b in &chain.bundles {
            let bundle = &bundles[b];
            for (line, trace) in bundle.lines.iter().zip(&traces[b]) {
                let fraction = (below + line.psi - bundle.psi[0]) / flow;
                let of_stage = stages(line, trace)[1];
                let row = row(chain.profile, fraction, flow, of_stage);
                chain.table.0.push(row);
            }
            below += bundle.psi[1] - bundle.psi[0];
        }
    }
}

/// The region's area over what lines of the tables enclose; eddies go to the tubes beside them.
fn area_scale(ways: &Ways, region: &Region) -> f64 {
    let tables = ways.inlets.iter().chain(&ways.outlets).map(|w| &w.table);
    let tables = tables.chain(ways.chains.iter().map(|c| &c.table));
    let sum: f64 = tables.flat_map(|t| t.areas_between(&[0.0, 1.0])).sum();
    if sum > 0.0 { region.area / sum } else { 1.0 }
}
