//! Streams followed through the whole chip, from ports where fluid enters to those where it leaves.

use stokeslet_base::parallel;

use crate::SpeciesError;
use crate::elliptic::Elliptic;
use crate::elliptic::group::{Solved, Upstream};
use crate::elliptic::pipe::InPipe;
use crate::elliptic::section::Section;
use crate::input::{Inflow, Settings};
use crate::network::{Beyond, End, Network, STILL};
use crate::plan::{LONE_CELLS, Plan, Step};
use crate::profile::Profile;
use crate::rational::Exponential;
use crate::region::{Table, Way, Ways};
use crate::stream::{Places, Stream};
use stokeslet_base::cancel::CancelToken;

/// What one species is followed with.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    /// m^2/s.
    pub diffusivity: f64,
    /// By port.
    pub inflow: &'a [Inflow],
    /// Tubes of an inlet.
    pub tubes: usize,
    /// Whether every tube gains its own area: the age of the fluid times its flow, instead of a species.
    pub ages: bool,
}

/// Streams of a region between its stages, for fields.
#[derive(Clone, Debug, Default)]
pub struct Within {
    /// By inlet: at its socket, and where it meets others.
    pub inlets: Vec<[Stream; 2]>,
    /// By chain: at its begin and end.
    pub chains: Vec<[Stream; 2]>,
    /// By outlet: where it parts from others, and at its socket.
    pub outlets: Vec<[Stream; 2]>,
}

/// Nodal values on the sockets of a region, by socket.
pub type Traces = Vec<Vec<f64>>;

/// Streams of one species all over a chip.
#[derive(Clone, Debug, Default)]
pub struct Followed {
    /// By port where fluid leaves or enters.
    pub ports: Vec<Option<Stream>>,
    /// By pipe with flow: as it enters and as it leaves, looking along the flow.
    pub pipes: Vec<Option<[Stream; 2]>>,
    /// By region.
    pub regions: Vec<Within>,
    /// By pipe that was solved as modes.
    pub modes: Vec<Option<InPipe>>,
    /// By region that was solved by elements, by socket: nodal values counter-clockwise, less the reference.
    pub traces: Vec<Option<Traces>>,
    /// By port: what is carried through it where elements say so (diffusion included), concentration times m^2/s.
    pub rates: Vec<Option<f64>>,
}

impl Followed {
    /// Nothing known yet.
    pub(crate) fn empty(net: &Network) -> Self {
        Self {
            ports: vec![None; net.port_flow.len()],
            pipes: vec![None; net.pipes.len()],
            regions: vec![Within::default(); net.regions.len()],
            modes: vec![None; net.pipes.len()],
            traces: vec![None; net.regions.len()],
            rates: vec![None; net.port_flow.len()],
        }
    }

    /// Streams at ports from those of pipes and regions; `sockets` of a region are those of its inlets and outlets, in the order of its streams.
    pub(crate) fn gather_ports(
        &mut self,
        net: &Network,
        sockets: impl Fn(usize) -> [Vec<usize>; 2],
    ) {
        for (pipe, both) in net.pipes.iter().zip(&self.pipes) {
            let end = usize::from(pipe.flow > 0.0);
            if let (End::Port(k), Some([_, stream])) = (pipe.ends[end], both) {
                self.ports[k] = Some(stream.clone());
            }
        }
        for (r, within) in self.regions.iter().enumerate() {
            let [inlets, outlets] = sockets(r);
            let begins = inlets.iter().zip(within.inlets.iter().map(|s| &s[0]));
            let ends = outlets.iter().zip(within.outlets.iter().map(|s| &s[1]));
            for (&socket, stream) in begins.chain(ends) {
                if let Beyond::Port(k) = net.regions[r].sockets[socket].beyond {
                    self.ports[k] = Some(stream.clone());
                }
            }
        }
    }
}

/// The engines that follow a species.
#[derive(Clone, Copy)]
pub struct Engines<'a> {
    /// Where each is used.
    pub plan: &'a Plan,
    /// Elements, where any are used.
    pub elliptic: Option<&'a Elliptic<'a>>,
    /// Asked before every region.
    pub cancel: &'a CancelToken,
}

impl<'a> Engines<'a> {
    /// Tubes everywhere.
    pub fn tubes(plan: &'a Plan, cancel: &'a CancelToken) -> Self {
        Self {
            plan,
            elliptic: None,
            cancel,
        }
    }
}

/// Change of any pipe's mean from round to round that ends them, of the largest mean.
const SETTLED: f64 = 1e-14;

/// When rounds through regions on circles come to an end.
#[derive(Debug, Default)]
pub(crate) struct Settling {
    /// Means at the ends of pipes after the last round.
    last: Vec<f64>,
}

impl Settling {
    /// Whether a round changed nothing: pipe by pipe, since little may go round, and the chip's rates don't notice it.
    pub(crate) fn is_settled(&mut self, now: &Followed) -> bool {
        let now: Vec<f64> = now.pipes.iter().flatten().map(|p| p[1].mean()).collect();
        let largest = now.iter().fold(0.0_f64, |a, c| a.max(c.abs()));
        let near = |(c, d): (&f64, &f64)| (c - d).abs() <= SETTLED * largest;
        let is_settled = now.len() == self.last.len() && now.iter().zip(&self.last).all(near);
        self.last = now;
        is_settled
    }
}

/// Follows one species through the chip.
///
/// # Accuracy and cost
/// Advection is exact; second order in the tubes across. About one exponential of some hundred tubes a pipe and stage.
/// # Errors
/// [`SpeciesError::Circular`] where elements are asked for what isn't known upstream; [`SpeciesError::Cancelled`]. Flow in circles that hasn't settled after
/// [`Plan::rounds`] shows in the balance.
pub fn follow(
    net: &Network,
    ways: &[Ways],
    task: &Task<'_>,
    engines: Engines<'_>,
) -> Result<Followed, SpeciesError> {
    let levels = &engines.plan.levels;
    let is_elliptic = |end: End| match end {
        End::Region(r, _) => engines.plan.is_elliptic[r],
        _ => false,
    };
    let mut out = Followed::empty(net);
    // Ages are measured by their own range, stream by stream ([`spread`]), not by that of what is dissolved.
    let range = if task.ages { 0.0 } else { range(task) };
    let still = STILL * net.largest;
    let entering = |port: usize, profile: Profile| {
        let inflow = &task.inflow[port];
        let value = |a, b| if task.ages { 0.0 } else { inflow.mean(a, b) };
        let stream = Stream::uniform(net.port_flow[port], profile, task.tubes, value);
        if task.ages { stream.aged() } else { stream }
    };
    let through = |p: usize, stream: Stream, scratch: &mut Exponential| {
        let pipe = &net.pipes[p];
        let profile = net.profile(pipe.width);
        let mut stream = stream;
        let places = stream.regrid(profile, task.tubes, spread(range, &stream));
        let begin = stream.clone();
        let length = pipe.length / pipe.width;
        let area = pipe.length * pipe.width;
        advance(
            &mut stream,
            &places,
            task,
            (&|_| length, &|edges| even_areas(area, edges)),
            scratch,
        );
        [begin, stream]
    };
    let mut scratch = Exponential::default();
    for (p, pipe) in net.pipes.iter().enumerate() {
        let first = if pipe.flow > 0.0 { 0 } else { 1 };
        if let (End::Port(k), true) = (pipe.ends[first], pipe.flow.abs() >= still) {
            let stream = entering(k, net.profile(pipe.width));
            out.ports[k] = Some(stream.clone());
            match engines.elliptic {
                Some(elliptic) if engines.plan.is_lone[p] => {
                    let knots = (0..=LONE_CELLS)
                        .map(|k| k as f64 / LONE_CELLS as f64)
                        .collect();
                    let profile = net.profile(pipe.width);
                    let section = Section {
                        knots,
                        order: elliptic.order,
                        profile,
                    };
                    let alone = elliptic.lone_pipe(p, section, &stream);
                    let alone = alone.ok_or(SpeciesError::Modes { pipe: p })?;
                    if let End::Port(k) = pipe.ends[1 - first] {
                        out.rates[k] = Some(alone.rate());
                    }
                    out.pipes[p] = Some(both_ends(&alone, task.tubes));
                    out.modes[p] = Some(alone);
                }
                _ if is_elliptic(pipe.ends[1 - first]) => {} // its region says how it mixes
                _ => out.pipes[p] = Some(through(p, stream, &mut scratch)),
            }
        }
    }
    let mut settling = Settling::default();
    for _ in 0..engines.plan.rounds() {
        for level in levels {
            let found = parallel::each(level, 1, |step| match (step, engines.elliptic) {
                _ if engines.cancel.is_cancelled() => Err(SpeciesError::Cancelled),
                (Step::Tubes(r), _) => {
                    let r = *r;
                    let mut scratch = Exponential::default();
                    let within = through_region(
                        net,
                        &ways[r],
                        r,
                        task,
                        &out.pipes,
                        range,
                        &entering,
                        &mut scratch,
                    );
                    let mut behind = Behind::default();
                    for (way, [_, stream]) in ways[r].outlets.iter().zip(&within.outlets) {
                        if let Beyond::Pipe(p, _) = net.regions[r].sockets[way.socket].beyond {
                            behind
                                .pipes
                                .push((p, through(p, stream.clone(), &mut scratch)));
                        }
                    }
                    behind.regions.push((r, within, None));
                    Ok(behind)
                }
                (Step::Elliptic(list), Some(elliptic)) => {
                    let upstream = Upstream {
                        port: &entering,
                        pipes: &out.pipes,
                        modes: &out.modes,
                    };
                    let solved = elliptic.solve_group(list, &upstream)?;
                    Ok(behind_group(
                        net,
                        ways,
                        list,
                        solved,
                        &out.pipes,
                        task.tubes,
                        &is_elliptic,
                        &entering,
                        &through,
                    ))
                }
                (Step::Elliptic(_), None) => Ok(Behind::default()),
            });
            for behind in found {
                let behind = behind?;
                for (r, within, traces) in behind.regions {
                    out.regions[r] = within;
                    out.traces[r] = traces;
                }
                for (p, both) in behind.pipes {
                    out.pipes[p] = Some(both);
                }
                for (p, pipe) in behind.modes {
                    out.modes[p] = Some(pipe);
                }
                for (k, rate) in behind.rates {
                    out.rates[k] = Some(rate);
                }
            }
        }
        if settling.is_settled(&out) {
            break;
        }
    }
    out.gather_ports(net, |r| {
        let sockets = |list: &[Way]| list.iter().map(|w| w.socket).collect();
        [sockets(&ways[r].inlets), sockets(&ways[r].outlets)]
    });
    Ok(out)
}

/// Least and greatest concentration that enters.
pub fn range(task: &Task<'_>) -> f64 {
    let values = task.inflow.iter().flat_map(|i| i.steps.iter().map(|s| s.1));
    let (low, high) = values.fold((0.0_f64, 0.0_f64), |(a, b), c| (a.min(c), b.max(c)));
    high - low
}

/// What regridding measures differences by: the range that enters, or of ages that of the stream.
fn spread(range: f64, stream: &Stream) -> f64 {
    if range > 0.0 {
        return range;
    }
    let (low, high) = stream.range();
    (high - low).max(0.0)
}

/// What a stage does: how long streams lie beside each other at each eta (in widths), and its areas between consecutive places, m^2.
pub(crate) type StageTable<'a> = (&'a dyn Fn(f64) -> f64, &'a dyn Fn(&[f64]) -> Vec<f64>);

/// Areas between consecutive places of a section that is the same all over.
pub(crate) fn even_areas(area: f64, edges: &[f64]) -> Vec<f64> {
    edges.windows(2).map(|e| area * (e[1] - e[0])).collect()
}

/// One stage: exchange, with the tubes' areas as sources of age.
pub(crate) fn advance(
    stream: &mut Stream,
    places: &Places,
    task: &Task<'_>,
    (lambda, areas): StageTable<'_>,
    scratch: &mut Exponential,
) {
    let source = task.ages.then(|| {
        let edges: Vec<f64> = (0..=stream.flow.len()).map(|k| places.edge(k)).collect();
        areas(&edges)
    });
    stream.exchange(places, task.diffusivity, lambda, source.as_deref(), scratch);
}

/// What a step found.
#[derive(Default)]
struct Behind {
    /// Regions, what they hold, and traces on their sockets.
    regions: Vec<(usize, Within, Option<Traces>)>,
    /// Streams of the pipes that leave, at both ends.
    pipes: Vec<(usize, [Stream; 2])>,
    /// Pipes as modes.
    modes: Vec<(usize, InPipe)>,
    /// What leaves by ports, concentration times m^2/s.
    rates: Vec<(usize, f64)>,
}

/// The end of a pipe that its flow leaves by.
fn downstream(net: &Network, p: usize) -> End {
    net.pipes[p].ends[usize::from(net.pipes[p].flow > 0.0)]
}

fn both_ends(pipe: &InPipe, tubes: usize) -> [Stream; 2] {
    [pipe.tubes(0.0, tubes), pipe.tubes(pipe.length, tubes)]
}

/// What a group of elliptic regions hands on: streams of its pipes and at its ports.
#[expect(
    clippy::too_many_arguments,
    reason = "one call, all of it from the loop above"
)]
fn behind_group(
    net: &Network,
    ways: &[Ways],
    list: &[usize],
    solved: Solved,
    pipes: &[Option<[Stream; 2]>],
    tubes: usize,
    is_elliptic: &dyn Fn(End) -> bool,
    entering: &dyn Fn(usize, Profile) -> Stream,
    through: &dyn Fn(usize, Stream, &mut Exponential) -> [Stream; 2],
) -> Behind {
    let mut behind = Behind::default();
    let mut scratch = Exponential::default();
    let mut at_pipe: rustc_hash::FxHashMap<usize, [Stream; 2]> = rustc_hash::FxHashMap::default();
    for (p, pipe) in solved.pipes {
        let end = downstream(net, p);
        let both = if matches!(end, End::Region(..)) && !is_elliptic(end) {
            // Tubes go on from here, with all that is carried.
            through(p, pipe.carrying(0.0, tubes), &mut scratch)
        } else {
            if let End::Port(k) = end {
                behind.rates.push((k, pipe.rate()));
            }
            let both = both_ends(&pipe, tubes);
            behind.modes.push((p, pipe));
            both
        };
        at_pipe.insert(p, both.clone());
        behind.pipes.push((p, both));
    }
    let mut at_port: rustc_hash::FxHashMap<usize, Stream> = rustc_hash::FxHashMap::default();
    for (k, behind_port) in solved.ports {
        behind.rates.push((k, behind_port.rate()));
        at_port.insert(k, behind_port.tubes(0.0, tubes));
    }
    for (&r, traces) in list.iter().zip(solved.traces) {
        let socket = |m: usize, profile: Profile| match net.regions[r].sockets[m].beyond {
            Beyond::Port(k) if net.port_flow[k] > 0.0 => entering(k, profile),
            Beyond::Pipe(p, _) => at_pipe
                .get(&p)
                .or(pipes[p].as_ref())
                .map_or_else(Stream::default, |both| {
                    both[usize::from(net.regions[r].sockets[m].outflow < 0.0)].clone()
                }),
            Beyond::Port(k) => at_port.get(&k).cloned().unwrap_or_default(),
        };
        let ends = |list: &[Way]| {
            list.iter()
                .map(|w| socket(w.socket, w.profile))
                .map(|s| [s.clone(), s])
                .collect()
        };
        let within = Within {
            inlets: ends(&ways[r].inlets),
            chains: Vec::new(),
            outlets: ends(&ways[r].outlets),
        };
        behind.regions.push((r, within, Some(traces)));
    }
    behind
}

#[expect(
    clippy::too_many_arguments,
    reason = "one call, all of it from the loop above"
)]
fn through_region(
    net: &Network,
    ways: &Ways,
    r: usize,
    task: &Task<'_>,
    pipes: &[Option<[Stream; 2]>],
    range: f64,
    entering: &dyn Fn(usize, Profile) -> Stream,
    scratch: &mut Exponential,
) -> Within {
    let mut out = Within::default();
    let mut parts: Vec<Stream> = vec![Stream::default(); ways.bundles.len()];
    let stage = |stream: &mut Stream, places: &Places, table: &Table, scratch: &mut Exponential| {
        if !table.is_nothing() || task.ages {
            advance(
                stream,
                places,
                task,
                (&|eta| table.at(eta).0, &|edges| {
                    let areas = table.areas_between(edges).into_iter();
                    areas.map(|area| ways.area_scale * area).collect()
                }),
                scratch,
            );
        }
    };
    for way in &ways.inlets {
        let mut stream = match net.regions[r].sockets[way.socket].beyond {
            Beyond::Port(k) => entering(k, way.profile),
            // On a circle that hasn't been gone round yet.
            Beyond::Pipe(p, _) => pipes[p].as_ref().map_or_else(
                || {
                    let flow = way.psi[1] - way.psi[0];
                    let stream = Stream::uniform(flow, way.profile, task.tubes, |_, _| 0.0);
                    if task.ages { stream.aged() } else { stream }
                },
                |both| both[1].clone(),
            ),
        };
        let begin = stream.clone();
        let places = stream.places(way.profile);
        stage(&mut stream, &places, &way.table, scratch);
        let flows: Vec<f64> = way
            .bundles
            .iter()
            .map(|&b| ways.bundles[b].psi[1] - ways.bundles[b].psi[0])
            .collect();
        for (&b, piece) in way.bundles.iter().zip(stream.cut(&flows)) {
            parts[b] = piece;
        }
        out.inlets.push([begin, stream]);
    }
    for chain in &ways.chains {
        let counts: Vec<usize> = chain.bundles.iter().map(|&b| parts[b].flow.len()).collect();
        let mut stream = Stream::join(chain.bundles.iter().map(|&b| std::mem::take(&mut parts[b])));
        let begin = stream.clone();
        let places = stream.places(chain.profile);
        stage(&mut stream, &places, &chain.table, scratch);
        let mut from = 0;
        for (&b, count) in chain.bundles.iter().zip(counts) {
            parts[b] = stream.part(from..from + count);
            from += count;
        }
        out.chains.push([begin, stream]);
    }
    for way in &ways.outlets {
        let mut stream = Stream::join(way.bundles.iter().map(|&b| parts[b].clone()));
        let places = if way.table.is_nothing() {
            stream.places(way.profile)
        } else {
            stream.regrid(way.profile, task.tubes, spread(range, &stream))
        };
        let begin = stream.clone();
        stage(&mut stream, &places, &way.table, scratch);
        out.outlets.push([begin, stream]);
    }
    out
}

/// Settings as tubes of the finer and the coarser run of an estimate.
pub fn both_tubes(settings: Settings) -> [usize; 2] {
    let fine = settings.tubes.clamp(8, 4096);
    [fine, fine / 2]
}
