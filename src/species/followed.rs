//! From a solved chip to what a user wants to know of species: outlets' concentrations, mixing, balance, estimated error, ages.

use rayon::prelude::*;
use serde::Serialize;

use crate::SpeciesError;
use crate::input::{Settings, Species};
use crate::network::{Network, network};
use crate::psi::{Psi, stream_function};
use crate::region::{Ways, ways};
use crate::stream::Stream;
use crate::transport::{Followed, Task, both_tubes, follow};
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_flow::field::Fields;
use stokeslet_flow::session::Solution;

/// Of the range, times 1/Pe: what diffusion along the flow changes in a region (specification: below 0.11/Pe in ten cases).
pub const ALONG: f64 = 0.15;

/// What all species of a chip share: where the fluid goes.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Pipes and regions.
    pub net: Network,
    /// By region.
    pub psi: Vec<Psi>,
    /// By region.
    pub ways: Vec<Ways>,
    /// m of depth that a flow per depth is multiplied by; 1 without a depth.
    pub depth: f64,
    /// Whether rates are volumes per time.
    pub has_depth: bool,
}

impl Paths {
    /// Finds the paths of the fluid in a solved chip.
    ///
    /// # Errors
    /// [`SpeciesError`]; three dimensions are refused.
    /// # Accuracy and cost
    /// One sparse Cholesky factorisation and some dozens of stream lines a region, side by side on the caller's pool.
    pub fn of(chip: &Chip, solution: &Solution) -> Result<Self, SpeciesError> {
        if chip.model == DepthModel::Full {
            return Err(SpeciesError::Depth {
                model: chip.model.name(),
            });
        }
        if chip.parts.iter().any(|part| part.walls.can_slip()) {
            return Err(SpeciesError::SlipWalls);
        }
        let fields: &Fields = &solution.fields;
        let depth = chip.depth.unwrap_or(1.0);
        let net = network(chip, fields, &solution.ports, depth)?;
        let both: Result<Vec<(Psi, Ways)>, SpeciesError> = (0..net.regions.len())
            .into_par_iter()
            .map(|r| {
                if net.regions[r].mouths.iter().all(|m| m.outflow == 0.0) {
                    return Ok((Psi::default(), Ways::default()));
                }
                let psi = stream_function(&net, r, fields)?;
                let ways = ways(&net, r, &psi, fields)?;
                Ok((psi, ways))
            })
            .collect();
        let (psi, ways) = both?.into_iter().unzip();
        Ok(Self {
            net,
            psi,
            ways,
            depth,
            has_depth: chip.depth.is_some(),
        })
    }
}

/// A species at a port.
#[derive(Clone, Debug, Serialize)]
pub struct AtPort {
    /// The port's name.
    pub port: String,
    /// Flux-weighted mean concentration; `None` where nothing flows.
    pub mean: Option<f64>,
    /// Into the chip: concentration times m^3/s (m^2/s without a depth).
    pub rate: f64,
    /// Least concentration in the cross-section.
    pub min: Option<f64>,
    /// Greatest.
    pub max: Option<f64>,
    /// Intensity of segregation, flux-weighted: 1 apart, 0 mixed; `None` where it is not defined.
    pub segregation: Option<f64>,
    /// `1 - sqrt(segregation)`.
    pub mixing_index: Option<f64>,
    /// Estimated error of the mean, concentration.
    pub error: Option<f64>,
    /// Mean time that fluid has been in the chip, s, with ages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_mean_s: Option<f64>,
}

/// A species on the whole chip.
#[derive(Clone, Debug, Serialize)]
pub struct SpeciesResult {
    /// Its name.
    pub name: String,
    /// m^2/s.
    pub diffusivity: f64,
    /// Least and greatest Peclet number `Q/(h D)` of a channel with flow.
    pub peclet: [f64; 2],
    /// What leaves less what enters, over what enters.
    pub balance: f64,
    /// By how much concentrations leave the inlets' range, over that range.
    pub range_violated: f64,
    /// Estimated greatest error of an outlet's mean, over the range: tubes, and diffusion along the flow that is left out.
    pub estimated_error: f64,
    /// Its part from the number of tubes.
    pub error_of_tubes: f64,
    /// Its part from diffusion along the flow.
    pub error_along: f64,
    /// In the chip's order of ports.
    pub ports: Vec<AtPort>,
    /// Streams, for profiles and fields.
    #[serde(skip)]
    pub streams: Followed,
    /// Streams of ages, where they were wanted.
    #[serde(skip)]
    pub ages: Option<Followed>,
}

impl SpeciesResult {
    /// Concentrations at the nodes of the fields; and ages in s, where they were wanted.
    pub fn nodal(
        &self,
        chip: &Chip,
        fields: &Fields,
        paths: &Paths,
        settings: Settings,
    ) -> (Vec<f64>, Option<Vec<f64>>) {
        let task = |ages: bool| Task {
            diffusivity: self.diffusivity,
            inflow: &[],
            tubes: settings.tubes,
            ages,
        };
        let of = |followed: &Followed, ages: bool| {
            crate::field::nodal(chip, fields, paths, followed, &task(ages))
        };
        (
            of(&self.streams, false),
            self.ages.as_ref().map(|a| of(a, true)),
        )
    }
}

/// Flux-weighted intensity of segregation of a stream between the concentrations that enter (Danckwerts 1952).
///
/// ```text
/// I_s = int u (c - c_m)^2 / (Q (c_max - c_m) (c_m - c_min))
/// ```
pub fn segregation(stream: &Stream, low: f64, high: f64) -> Option<f64> {
    let mean = stream.mean();
    let most = (high - mean) * (mean - low);
    let range = high - low;
    if !(range > 0.0 && most > 1e-9 * range * range) {
        return None;
    }
    let sum: f64 = stream
        .flow
        .iter()
        .zip(&stream.value)
        .map(|(w, c)| w * (c - mean).powi(2))
        .sum();
    Some(sum / (stream.total() * most))
}

/// Follows every species; ages too where asked.
///
/// # Errors
/// [`SpeciesError`].
pub fn solve(
    chip: &Chip,
    paths: &Paths,
    species: &[Species],
    settings: Settings,
    ages: bool,
) -> Result<Vec<SpeciesResult>, SpeciesError> {
    species
        .par_iter()
        .map(|s| solve_one(chip, paths, s, settings, ages))
        .collect()
}

fn solve_one(
    chip: &Chip,
    paths: &Paths,
    species: &Species,
    settings: Settings,
    ages: bool,
) -> Result<SpeciesResult, SpeciesError> {
    let net = &paths.net;
    let run = |tubes: usize, ages: bool| {
        let task = Task {
            diffusivity: species.diffusivity,
            inflow: &species.inflow,
            tubes,
            ages,
        };
        follow(net, &paths.ways, &task)
    };
    let [fine, coarse] = both_tubes(settings);
    let streams = run(fine, false)?;
    let check = run(coarse, false)?;
    let age = if ages { Some(run(fine, true)?) } else { None };
    // Concentrations that enter.
    let entering = |k: usize| net.port_flow[k] > 0.0;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, inflow) in species.inflow.iter().enumerate() {
        if !entering(k) || streams.ports[k].is_none() {
            continue;
        }
        if inflow.steps.is_empty() {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        for &(_, c) in &inflow.steps {
            (low, high) = (low.min(c), high.max(c));
        }
    }
    let range = high - low;
    let part = |x: f64| if range > 0.0 { x / range } else { 0.0 };
    let flows = net
        .pipes
        .iter()
        .map(|p| p.flow.abs())
        .chain(net.port_flow.iter().map(|q| q.abs()));
    let mut peclet = [f64::INFINITY, 0.0_f64];
    for q in flows.filter(|q| *q > crate::network::STILL * net.largest) {
        let pe = q / species.diffusivity;
        peclet = [peclet[0].min(pe), peclet[1].max(pe)];
    }
    let along = along(paths, &streams, species.diffusivity, range);
    let (mut entered, mut left) = (0.0, 0.0);
    let (mut violated, mut worst_tubes, mut worst_along): (f64, f64, f64) = (0.0, 0.0, 0.0);
    let mut ports = Vec::new();
    for (k, port) in chip.ports.iter().enumerate() {
        let stream = streams.ports[k].as_ref();
        let is_in = entering(k);
        let rate = stream.map_or(0.0, Stream::rate);
        *(if is_in { &mut entered } else { &mut left }) += rate;
        let ends = stream.map(Stream::range);
        if let Some((a, b)) = ends.filter(|_| range >= 0.0) {
            violated = violated.max(part((low - a).max(b - high).max(0.0)));
        }
        let mut error = None;
        if let (Some(s), Some(c), false) = (stream, &check.ports[k], is_in) {
            let tubes = (s.mean() - c.mean()).abs();
            let neglected = along.ports[k] * range.max(0.0);
            worst_tubes = worst_tubes.max(part(tubes));
            worst_along = worst_along.max(along.ports[k]);
            error = Some(tubes + neglected);
        }
        let segregation = stream.and_then(|s| segregation(s, low, high));
        ports.push(AtPort {
            port: port.name.clone(),
            mean: stream.map(Stream::mean),
            rate: rate * paths.depth * if is_in { 1.0 } else { -1.0 },
            min: ends.map(|e| e.0),
            max: ends.map(|e| e.1),
            segregation,
            mixing_index: segregation.map(|s| 1.0 - s.max(0.0).sqrt()),
            error,
            age_mean_s: age
                .as_ref()
                .and_then(|a| a.ports[k].as_ref())
                .map(Stream::mean),
        });
    }
    Ok(SpeciesResult {
        name: species.name.clone(),
        diffusivity: species.diffusivity,
        peclet,
        balance: if entered > 0.0 {
            (left - entered) / entered
        } else {
            left - entered
        },
        range_violated: violated,
        estimated_error: worst_tubes + worst_along,
        error_of_tubes: worst_tubes,
        error_along: worst_along,
        ports,
        streams,
        ages: age,
    })
}

/// Estimated error from diffusion along the flow, by port, over the range.
struct Along {
    ports: Vec<f64>,
}

/// `0.15/Pe` of every region passed times the range of what enters there, flow-weighted where streams meet; mouths with less than 1 % of a region's flow don't count.
fn along(paths: &Paths, streams: &Followed, diffusivity: f64, range: f64) -> Along {
    use crate::network::{Beyond, End};
    let net = &paths.net;
    let (order, _) = crate::transport::levels(net);
    let mut at_pipe = vec![0.0; net.pipes.len()];
    let mut ports = vec![0.0; net.port_flow.len()];
    for &r in order.iter().flatten() {
        let mouths = &net.regions[r].mouths;
        let most = mouths.iter().map(|m| m.outflow.abs()).fold(0.0, f64::max);
        let least = mouths
            .iter()
            .map(|m| m.outflow.abs())
            .filter(|q| *q > 0.01 * most)
            .fold(f64::INFINITY, f64::min);
        let inflow: f64 = mouths.iter().map(|m| (-m.outflow).max(0.0)).sum();
        if inflow <= 0.0 {
            continue;
        }
        let mut carried = 0.0;
        for mouth in mouths.iter().filter(|m| m.outflow < 0.0) {
            if let Beyond::Pipe(p, _) = mouth.beyond {
                carried += at_pipe[p] * -mouth.outflow / inflow;
            }
        }
        // What is mixed already has nothing to lose: the differences that enter this region count, not those that entered the chip.
        let entering = streams.regions[r].inlets.iter().map(|i| i[0].range());
        let (low, high) = entering.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), e| {
            (a.min(e.0), b.max(e.1))
        });
        let part = if range > 0.0 {
            ((high - low) / range).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let here = carried + part * ALONG * diffusivity / least;
        for mouth in mouths.iter().filter(|m| m.outflow > 0.0) {
            match mouth.beyond {
                Beyond::Pipe(p, _) => at_pipe[p] = here,
                Beyond::Port(k) => ports[k] = here,
            }
        }
    }
    for (p, pipe) in net.pipes.iter().enumerate() {
        for (end, sign) in [(0, -1.0), (1, 1.0)] {
            if let End::Port(k) = pipe.ends[end]
                && sign * pipe.flow > 0.0
            {
                ports[k] = at_pipe[p];
            }
        }
    }
    ports.iter_mut().for_each(|x: &mut f64| *x = x.min(1.0));
    Along { ports }
}
