//! What a followed species isn't exact in beside its tubes: diffusion along the flow, which they leave out, and the error of the flow itself.

use crate::network::{Beyond, End, Region};
use crate::paths::Paths;
use crate::plan::{Plan, Step};
use crate::stream::Stream;
use crate::transport::Followed;

/// Part of the range, times 1/Pe, that diffusion along the flow changes in a region where streams part once at most
/// (specification: below 0.11/Pe in ten cases).
/// Every parting makes means of what was wrong with a profile: into three outlets 0.16/Pe (`designs/parallel-resistors.toml`, Pe 100), into four 0.29/Pe
/// (`designs/wide.toml`, Pe 100), by elements; `along_of`.
pub const ALONG: f64 = 0.15;

/// [`ALONG`] of a region, whose sockets with less than 1 % of its flow don't count.
pub(crate) fn along_of(region: &Region) -> f64 {
    let most = region.sockets.iter().map(|m| m.outflow.abs());
    let most = most.fold(0.0, f64::max);
    let outlets = region.sockets.iter().filter(|m| m.outflow > 0.01 * most);
    let partings = outlets.count() as f64 - 1.0;
    ALONG * (0.75 * partings).max(1.0)
}

/// The same where all fluid goes from one socket to one other and no eddy stands beside it: bends, tapers. Nothing parts there, so means are
/// kept, and only the profile is changed (variance, tubes against elements between Pe 30 and 1000: 0.012/Pe in bends, arcs, u-turns and tapers of
/// `tests/honest.rs`, 0.0164/Pe in row 8 of the specification's table).
pub const ALONG_BEND: f64 = 0.03;

/// A region has room beside its stream where its area is so many times that of the tubes through it (which 20 stream lines tell): bends and tapers have
/// 0.95 to 0.96, a chamber of three by three widths 1.06.
const EDDY: f64 = 1.03;

/// Part of the range, times `(8/r) / sqrt(Pe)`, that the error of the solved flow changes in a region (rows 5, 6, 8 and 13 of the
/// table with elements at r = 8 have at most 0.52 of it, the bend at Pe 300: `tests/accuracy.rs`). Independent regions: squares
/// are added.
pub const OF_FLOW: f64 = 5e-4;

/// Estimated errors from diffusion along the flow and from the flow itself, by port, over the range.
pub(crate) struct Along {
    /// Diffusion that is left out, and the flow's error.
    pub(crate) ports: Vec<[f64; 2]>,
}

/// What is carried along the flow to estimate an error, over the range.
#[derive(Clone, Copy, Debug, Default)]
struct Carried {
    /// Error of means, from diffusion along the flow: stays.
    mean: f64,
    /// Error of profiles, from the same: fades as the differences that it is an error of fade.
    profile: f64,
    /// From the flow.
    flow: f64,
}

impl Carried {
    fn at_port(self) -> [f64; 2] {
        [self.mean + self.profile, self.flow].map(|x| x.min(1.0))
    }
}

/// [`ALONG`]`/Pe` (more with more than two outlets, [`ALONG_BEND`] in bends) of every region passed times the range of what enters there, flow-weighted where streams meet; sockets
/// with less than 1 % of a region's flow don't count.
///
/// Where streams part, what was wrong with a profile is wrong with means behind it. Elsewhere a profile's error obeys the equation of the
/// profile itself, so it fades with the range between a region and the next.
pub(crate) fn along(
    paths: &Paths,
    streams: &Followed,
    plan: &Plan,
    diffusivity: f64,
    range: f64,
) -> Along {
    let net = &paths.net;
    // Regions of a group in the order of their numbers: what one of them inherits from tubes above, all do in the end.
    let order = plan.levels.iter().flatten().flat_map(|step| match step {
        Step::Tubes(r) => vec![*r],
        Step::Elliptic(list) => [&list[..], &list[..]].concat(),
    });
    let part = |(low, high): (f64, f64)| {
        if range > 0.0 {
            ((high - low) / range).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let leaks = leaks(paths, streams, plan, diffusivity, range);
    let mut at_pipe = vec![Carried::default(); net.pipes.len()];
    let mut ports = vec![[0.0_f64; 2]; net.port_flow.len()];
    for r in order {
        let sockets = &net.regions[r].sockets;
        let most = sockets.iter().map(|m| m.outflow.abs()).fold(0.0, f64::max);
        let counts = |outflow: f64| outflow.abs() > 0.01 * most;
        let least = sockets
            .iter()
            .map(|m| m.outflow.abs())
            .filter(|q| counts(*q))
            .fold(f64::INFINITY, f64::min);
        let inflow: f64 = sockets.iter().map(|m| (-m.outflow).max(0.0)).sum();
        if inflow <= 0.0 {
            continue;
        }
        let outlets = sockets
            .iter()
            .filter(|m| m.outflow > 0.0 && counts(m.outflow));
        let parts = outlets.count() > 1;
        let inlets = sockets.iter().filter(|m| m.outflow < 0.0);
        let is_bend = !parts
            && inlets.filter(|m| counts(m.outflow)).count() == 1
            && paths.ways[r].area_scale < EDDY;
        let mut here = Carried {
            mean: (leaks[r] / inflow).min(1.0),
            ..Carried::default()
        };
        for socket in sockets.iter().filter(|m| m.outflow < 0.0) {
            if let Beyond::Pipe(p, _) = socket.beyond {
                let share = -socket.outflow / inflow;
                here.mean += share * at_pipe[p].mean;
                here.profile += share * at_pipe[p].profile;
                here.flow += share * at_pipe[p].flow;
            }
        }
        // What is mixed already has nothing to lose: the differences that enter this region count, not those that entered the chip.
        let entering = streams.regions[r].inlets.iter().map(|i| i[0].range());
        let part_here = part(
            entering.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), e| {
                (a.min(e.0), b.max(e.1))
            }),
        );
        let factor = match is_bend {
            true => ALONG_BEND,
            false => along_of(&net.regions[r]),
        };
        if !plan.is_elliptic[r] {
            here.profile += part_here * factor * diffusivity / least;
        }
        if parts {
            here.mean += std::mem::take(&mut here.profile);
        }
        let per_root = (diffusivity / least).min(1.0).sqrt();
        let of_flow = OF_FLOW * 8.0 / crate::plan::cells(&net.regions[r]) as f64 * per_root;
        here.flow = here.flow.hypot(part_here * of_flow);
        for socket in sockets.iter().filter(|m| m.outflow > 0.0) {
            match socket.beyond {
                Beyond::Pipe(p, _) => {
                    at_pipe[p] = here;
                    if let Some([begin, end]) = &streams.pipes[p] {
                        let (from, to) = (part(begin.range()), part(end.range()));
                        if from > 0.0 {
                            at_pipe[p].profile *= (to / from).min(1.0);
                        }
                    }
                }
                Beyond::Port(k) => ports[k] = here.at_port(),
            }
        }
    }
    for (p, pipe) in net.pipes.iter().enumerate() {
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            if let End::Port(k) = pipe.ends[end]
                && sign * pipe.flow > 0.0
            {
                ports[k] = at_pipe[p].at_port();
            }
        }
    }
    Along { ports }
}

/// By region: what diffuses in or out through pipes in which hardly anything flows, over the range, m^2/s. Tubes leave it out wherever it goes:
/// an endless pipe with a step of `c` half a width from both ends carries `q dc / (exp(q L / (w D)) - 1)` against its flow, `w D dc / L` where
/// it stands still.
fn leaks(paths: &Paths, streams: &Followed, plan: &Plan, diffusivity: f64, range: f64) -> Vec<f64> {
    let net = &paths.net;
    let mean = |r: usize| {
        let inlets = || streams.regions[r].inlets.iter().map(|i| &i[0]);
        let flow: f64 = inlets().map(Stream::total).sum();
        let rate: f64 = inlets().map(Stream::rate).sum();
        (flow > 0.0).then(|| rate / flow)
    };
    let mut out = vec![0.0; net.regions.len()];
    for pipe in &net.pipes {
        let [End::Region(a, _), End::Region(b, _)] = pipe.ends else {
            continue;
        };
        let (Some(at_a), Some(at_b)) = (mean(a), mean(b)) else {
            continue;
        };
        // Elements on both sides know of it.
        if range <= 0.0 || plan.is_elliptic[a] && plan.is_elliptic[b] {
            continue;
        }
        let conductance = diffusivity * pipe.width / (pipe.length + pipe.width);
        let peclet = pipe.flow.abs() / conductance;
        let share = if peclet > 0.0 {
            peclet / peclet.exp_m1()
        } else {
            1.0
        };
        let leak = conductance * share * (at_a - at_b).abs() / range;
        out[a] += leak;
        out[b] += leak;
    }
    out
}
