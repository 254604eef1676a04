//! Where streamlines begin: across every inlet, so that each stands for about the same flow.

use crate::probe::SolvedFlow;
use stokeslet_base::geometry::Point;

/// Lines from all inlets together: enough to see where the flow goes, few enough to see between them.
const LINES: f64 = 24.0;
/// Most lines from inlets, however many inlets there are.
const MAX_LINES: usize = 200;
/// Gaps across an inlet, over which its flow is summed up.
const GAPS: usize = 128;

/// Where a seed stands among those of its inlet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// Counted across the inlet.
    pub place: usize,
    /// Seeds of the inlet.
    pub of: usize,
    /// Their mean distance, m.
    pub gap: f64,
}

impl Rank {
    /// Whether it is shown where lines of an inlet should be `distance` apart, m: every second, third, ..., at least the middle one.
    pub fn is_shown(&self, distance: f64) -> bool {
        let stride = ((distance / self.gap).ceil() as usize).clamp(1, self.of.max(1));
        self.place % stride == stride / 2
    }
}

/// Where a line begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seed {
    /// m
    pub at: Point,
    /// See [`super::Streamline::rank`].
    pub rank: Option<Rank>,
}

/// Seeds on all inlets, so that every line stands for about the same flow.
pub fn inlet_seeds(flow: &SolvedFlow<'_>) -> Vec<Seed> {
    seeds_of_inlets(flow, LINES)
        .into_iter()
        .flat_map(|(_, seeds)| seeds)
        .take(MAX_LINES)
        .collect()
}

/// About `lines` seeds on all inlets together, by index of the port, at least one each: in proportion to what enters.
pub fn seeds_of_inlets(flow: &SolvedFlow<'_>, lines: f64) -> Vec<(usize, Vec<Seed>)> {
    let results = &flow.solution.ports;
    let inflow: f64 = results.iter().map(|p| p.flow_rate.max(0.0)).sum();
    if inflow.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return Vec::new();
    }
    let inlets = results
        .iter()
        .enumerate()
        .filter(|(_, r)| r.flow_rate > 0.0);
    inlets
        .map(|(port, result)| {
            let n = (lines * result.flow_rate / inflow).round().max(1.0) as usize;
            (port, port_seeds(flow, port, n))
        })
        .collect()
}

/// `n` seeds across a port, by its index, so that the same flow passes between any two; none where it isn't there or nothing passes.
pub fn port_seeds(flow: &SolvedFlow<'_>, port: usize, n: usize) -> Vec<Seed> {
    let (Some(result), Some(port)) = (flow.solution.ports.get(port), flow.chip.ports.get(port))
    else {
        return Vec::new();
    };
    let Some(part) = flow.chip.parts.get(port.socket.part) else {
        return Vec::new();
    };
    let Some(&socket) = part.shape.sockets().get(port.socket.socket) else {
        return Vec::new();
    };
    let inward = -Point::unit(part.motion.turn(socket.direction));
    let along = if result.flow_rate < 0.0 {
        -inward
    } else {
        inward
    };
    let across = inward.left() * socket.width;
    // A hair inside, where no rounding puts it outside.
    let middle = part.motion.apply(socket.middle) + inward * (1e-4 * socket.width);
    let at = |t: f64| middle + across * (t - 0.5);
    let mut sums = vec![0.0];
    for k in 0..GAPS {
        let passes = flow
            .at(at((k as f64 + 0.5) / GAPS as f64))
            .map_or(0.0, |s| s.velocity.dot(along).max(0.0));
        sums.push(sums[k] + passes);
    }
    let whole = sums[GAPS];
    let seed = |line: usize| {
        let wanted = whole * (line as f64 + 0.5) / n as f64;
        let k = sums.partition_point(|&s| s <= wanted).clamp(1, GAPS);
        let gap = sums[k] - sums[k - 1];
        let within = if gap > 0.0 {
            (wanted - sums[k - 1]) / gap
        } else {
            0.5
        };
        Seed {
            at: at((k as f64 - 1.0 + within) / GAPS as f64),
            rank: Some(Rank {
                place: line,
                of: n,
                gap: socket.width / n as f64,
            }),
        }
    };
    (0..n).map(seed).collect()
}
