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
pub fn inlet_seeds(solved: &SolvedFlow<'_>) -> Vec<Seed> {
    let (chip, results) = (solved.chip, &solved.solution.ports);
    let inflow: f64 = results.iter().map(|p| p.flow_rate.max(0.0)).sum();
    if inflow.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return Vec::new();
    }
    let mut seeds = Vec::new();
    for (port, result) in chip.ports.iter().zip(results) {
        if result.flow_rate <= 0.0 {
            continue;
        }
        let Some(part) = chip.parts.get(port.socket.part) else {
            continue;
        };
        let Some(&mouth) = part.shape.mouths().get(port.socket.socket) else {
            continue;
        };
        let inward = -Point::unit(part.motion.turn(mouth.direction));
        let across = inward.left() * mouth.width;
        // A hair inside, where no rounding puts it outside.
        let middle = part.motion.apply(mouth.middle) + inward * (1e-4 * mouth.width);
        let at = |t: f64| middle + across * (t - 0.5);
        let mut sums = vec![0.0];
        for k in 0..GAPS {
            let flow = solved
                .at(at((k as f64 + 0.5) / GAPS as f64))
                .map_or(0.0, |s| s.velocity.dot(inward).max(0.0));
            sums.push(sums[k] + flow);
        }
        let whole = sums[GAPS];
        let n = (LINES * result.flow_rate / inflow).round().max(1.0) as usize;
        for line in 0..n {
            let wanted = whole * (line as f64 + 0.5) / n as f64;
            let k = sums.partition_point(|&s| s <= wanted).clamp(1, GAPS);
            let gap = sums[k] - sums[k - 1];
            let within = if gap > 0.0 {
                (wanted - sums[k - 1]) / gap
            } else {
                0.5
            };
            seeds.push(Seed {
                at: at((k as f64 - 1.0 + within) / GAPS as f64),
                rank: Some(Rank {
                    place: line,
                    of: n,
                    gap: mouth.width / n as f64,
                }),
            });
        }
    }
    seeds.truncate(MAX_LINES);
    seeds
}
