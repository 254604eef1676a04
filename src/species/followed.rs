//! From the paths of a fluid to what a user wants to know of species: outlets' concentrations, mixing, balance, estimated error, ages.

use serde::Serialize;
use stokeslet_base::parallel;

use crate::SpeciesError;
use crate::along::along;
use crate::elliptic::{Elliptic, Insides};
use crate::input::{Engine, Settings, Species};
use crate::network::{Network, Socket};
use crate::paths::Paths;
use crate::plan::{Choice, Plan};
use crate::stream::Stream;
use crate::transport::{Engines, Followed, Task, both_tubes, follow};
use stokeslet_base::cancel::CancelToken;
use stokeslet_cad::chip::Chip;
use stokeslet_flow::field::Field;

/// Part of the range: means of elements that leave it by less are its end (2e-6 at the outlet `c100` of
/// `designs/gradient-profile.toml`).
const OVERSHOOT: f64 = 1e-5;

/// Numbers that are kept for fields of a species by elements: 256 MiB.
const KEPT: usize = 1 << 25;

/// A species at a port.
#[derive(Clone, Debug, Serialize)]
pub struct AtPort {
    /// The port's name.
    pub port: String,
    /// Flux-weighted mean concentration; `None` where nothing flows. Elements may leave the range of what enters by less than their error
    /// or 1e-5 of the range: a mean that does is that range's end.
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
    /// Its standard deviation over what leaves, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_std_s: Option<f64>,
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
    /// By how much concentrations at ports and sockets leave the inlets' range, over that range.
    pub range_violated: f64,
    /// Regions with flow that tubes followed it through.
    pub regions_by_tubes: usize,
    /// Regions that elements solved.
    pub regions_by_elements: usize,
    /// In three dimensions: cells across the width, and over half the depth, of its widest section. Regions are counted with those of tubes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<[usize; 2]>,
    /// Order of those elements, 0 without any.
    pub element_order: usize,
    /// Estimated greatest error of an outlet's mean, over the range: tubes, and diffusion along the flow that is left out.
    pub estimated_error: f64,
    /// Its part from the number of tubes and the order of elements: the difference to half as many, and one order less; what is known of order 1.
    pub error_of_discretisation: f64,
    /// Its part from the error of the solved flow.
    pub error_of_flow: f64,
    /// Its part from diffusion along the flow, which tubes leave out.
    pub error_along: f64,
    /// In the chip's order of ports.
    pub ports: Vec<AtPort>,
    /// Concentration that elements count from.
    #[serde(skip)]
    pub reference: f64,
    /// Streams, for profiles and fields.
    #[serde(skip)]
    pub streams: Followed,
    /// Streams of ages, where they were wanted.
    #[serde(skip)]
    pub ages: Option<Followed>,
    /// What elements know of the inside of regions, as far as [`KEPT`] goes; the others are eliminated again for fields.
    #[serde(skip)]
    insides: Insides,
}

impl SpeciesResult {
    /// Concentrations at the nodes of the fields.
    pub fn nodal(
        &self,
        chip: &Chip,
        fields: &Field<2>,
        paths: &Paths,
        settings: Settings,
    ) -> Vec<f64> {
        self.at_nodes(chip, fields, paths, settings, &self.streams, false)
    }

    /// Ages at the nodes of the fields, s, where they were wanted.
    pub fn nodal_ages(
        &self,
        chip: &Chip,
        fields: &Field<2>,
        paths: &Paths,
        settings: Settings,
    ) -> Option<Vec<f64>> {
        let ages = self.ages.as_ref()?;
        Some(self.at_nodes(chip, fields, paths, settings, ages, true))
    }

    /// Concentrations, or ages where they were wanted, at all nodes of a chip in three dimensions.
    pub fn in_space(
        &self,
        chip: &Chip,
        paths: &Paths,
        settings: Settings,
        ages: bool,
    ) -> Option<Vec<f64>> {
        let followed = match ages {
            true => self.ages.as_ref()?,
            false => &self.streams,
        };
        let task = self.task(settings, ages);
        paths
            .space
            .as_ref()?
            .in_space(chip, paths.fluid(), followed, &task)
            .ok()
    }

    /// What it was followed with, to be read between the streams.
    fn task(&self, settings: Settings, ages: bool) -> Task<'static> {
        Task {
            diffusivity: self.diffusivity,
            inflow: &[],
            tubes: both_tubes(settings)[0],
            ages,
        }
    }

    /// Gives the memory for fields by elements back; they can still be had, in more time.
    pub fn forget_insides(&mut self) {
        self.insides = Insides::default();
    }

    fn at_nodes(
        &self,
        chip: &Chip,
        fields: &Field<2>,
        paths: &Paths,
        settings: Settings,
        followed: &Followed,
        ages: bool,
    ) -> Vec<f64> {
        let task = self.task(settings, ages);
        if let Some(space) = &paths.space {
            let found = space.at_mid_depth(chip, paths.fluid(), followed, &task);
            return found.unwrap_or_else(|_| vec![f64::NAN; fields.nodes.len()]);
        }
        let numbers = [self.diffusivity, self.reference];
        let order = self.element_order.max(1);
        let engine = Elliptic::new(&paths.net, &paths.psi, &paths.cubics, numbers, order);
        let elements = (engine, &self.insides);
        crate::field::nodal(chip, fields, paths, followed, &task, &elements)
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
    solve_unless(chip, paths, species, settings, ages, &CancelToken::new())
}

/// As [`solve`], until somebody asks to stop: a window has something newer.
///
/// # Errors
/// [`SpeciesError`].
pub fn solve_unless(
    chip: &Chip,
    paths: &Paths,
    species: &[Species],
    settings: Settings,
    ages: bool,
    cancel: &CancelToken,
) -> Result<Vec<SpeciesResult>, SpeciesError> {
    if let Some(space) = &paths.space {
        if settings.engine == Engine::Elliptic {
            return Err(SpeciesError::ElementsInSpace);
        }
        space.prepare(paths.fluid(), both_tubes(settings)[0], cancel)?;
    }
    let solve = |s: &Species| solve_one(chip, paths, s, settings, ages, cancel);
    parallel::each(species, 1, solve).into_iter().collect()
}

fn solve_one(
    chip: &Chip,
    paths: &Paths,
    species: &Species,
    settings: Settings,
    ages: bool,
    cancel: &CancelToken,
) -> Result<SpeciesResult, SpeciesError> {
    let net = &paths.net;
    // Concentrations that enter.
    let entering = |k: usize| net.port_flow[k] > 0.0;
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for (k, inflow) in species.inflow.iter().enumerate() {
        if !entering(k) || !reaches(net, k) {
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
    let [fine, coarse] = both_tubes(settings);
    let reference = mixed(net, species, fine, [low, high]);
    let d = species.diffusivity;
    let elements =
        |order: usize| Elliptic::new(net, &paths.psi, &paths.cubics, [d, reference], order);
    let choice = paths.choice(d, &settings);
    let by_elements = (0..net.regions.len()).filter(|&r| choice.regions[r]);
    let copies = elements(1).copies(by_elements.collect());
    let run = |tubes: usize, coarser: usize| {
        let task = Task {
            diffusivity: d,
            inflow: &species.inflow,
            tubes,
            ages: false,
        };
        let chosen = Choice {
            order: match choice.order {
                0 | 1 => choice.order,
                order => order - coarser,
            },
            ..choice.clone()
        };
        if let Some(space) = &paths.space {
            let task = Task {
                tubes: fine,
                ..task
            };
            return Ok((
                space.follow(paths.fluid(), &task, coarser > 0, cancel)?,
                Plan::tubes(net),
                Insides::default(),
            ));
        }
        if choice.order == 0 {
            let plan = Plan::tubes(net);
            return Ok((
                follow(net, &paths.ways, &task, Engines::tubes(&plan, cancel))?,
                plan,
                Insides::default(),
            ));
        }
        let mut elliptic = elements(chosen.order);
        let plan = Plan::new(&elliptic, &chosen);
        let of_plan;
        let copies = match plan.is_elliptic == choice.regions {
            true => &copies,
            // All of a circle is solved by elements.
            false => {
                let by_elements = (0..net.regions.len()).filter(|&r| plan.is_elliptic[r]);
                of_plan = elliptic.copies(by_elements.collect());
                &of_plan
            }
        };
        elliptic.prepare(copies, if coarser == 0 { KEPT } else { 0 });
        let engines = Engines {
            plan: &plan,
            elliptic: Some(&elliptic),
            cancel,
        };
        let followed = follow(net, &paths.ways, &task, engines)?;
        Ok::<_, SpeciesError>((followed, plan, elliptic.insides(copies)))
    };
    let of_ages = || {
        let task = Task {
            diffusivity: d,
            inflow: &species.inflow,
            tubes: fine,
            ages: true,
        };
        let plan = Plan::tubes(net);
        let follow = || match &paths.space {
            Some(space) => space.follow(paths.fluid(), &task, false, cancel),
            None => follow(net, &paths.ways, &task, Engines::tubes(&plan, cancel)),
        };
        ages.then(follow).transpose()
    };
    let has_flow = |r: usize| net.regions[r].sockets.iter().any(|m| m.outflow != 0.0);
    // Elements of order 1 have none below them.
    let has_tubes = (0..net.regions.len()).any(|r| has_flow(r) && !choice.regions[r]);
    let is_checked = choice.order != 1 || has_tubes;
    let check = || is_checked.then(|| run(coarse, 1)).transpose();
    // Regions one behind the other, and groups, leave threads idle.
    let (best, (check, age)) = rayon::join(|| run(fine, 0), || rayon::join(check, of_ages));
    let ((streams, plan, insides), check, age) = (best?, check?, age?);
    let check = check.map(|(followed, ..)| followed);
    let of_order_1 = match choice.order {
        1 => choice.error_of_order_1,
        _ => 0.0,
    };
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
    let along = along(paths, &streams, &plan, d, range);
    let (mut entered, mut left) = (0.0, 0.0);
    let (mut violated, mut worst_tubes, mut worst_along, mut worst_flow) =
        (0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let mut ports = Vec::new();
    for (k, port) in chip.ports.iter().enumerate() {
        let stream = streams.ports[k].as_ref();
        let is_in = entering(k);
        let rate = streams.rates[k].unwrap_or_else(|| stream.map_or(0.0, Stream::rate));
        *(if is_in { &mut entered } else { &mut left }) += rate;
        let ends = stream.map(Stream::range);
        if let Some((a, b)) = ends.filter(|_| range >= 0.0) {
            violated = violated.max(part((low - a).max(b - high).max(0.0)));
        }
        let mut error = None;
        // How much the mean and the variance differ with half as many tubes, or one order less; and what is known of order 1.
        let span = range.max(0.0);
        let rough = [of_order_1 * span, of_order_1 * span * span];
        let differ = |s: &Stream| match &check {
            None => Some(rough),
            Some(check) => check.ports[k].as_ref().map(|c| {
                let [mean, variance] =
                    [s.mean() - c.mean(), s.variance() - c.variance()].map(f64::abs);
                [mean + rough[0], variance + rough[1]]
            }),
        };
        if let (Some([mean, variance]), false) = (stream.and_then(differ), is_in) {
            let [left_out, of_flow] = along.ports[k];
            let neglected = (left_out + of_flow) * range.max(0.0);
            worst_tubes = worst_tubes.max(part(mean)).max(part(part(variance)));
            worst_along = worst_along.max(left_out);
            worst_flow = worst_flow.max(of_flow);
            error = Some(mean + neglected);
        }
        let segregation = stream.and_then(|s| segregation(s, low, high));
        let aged = age.as_ref().and_then(|a| a.ports[k].as_ref());
        ports.push(AtPort {
            port: port.name.clone(),
            mean: stream.map(|s| {
                let error = error.unwrap_or(0.0).max(OVERSHOOT * range.max(0.0));
                within(s.mean(), [low, high], error)
            }),
            rate: rate * paths.depth * if is_in { 1.0 } else { -1.0 },
            min: ends.map(|e| e.0),
            max: ends.map(|e| e.1),
            segregation,
            mixing_index: segregation.map(|s| 1.0 - s.max(0.0).sqrt()),
            error,
            age_mean_s: aged.map(Stream::mean),
            age_std_s: aged
                .and_then(Stream::spread_of_age)
                .map(|v| v.max(0.0).sqrt()),
        });
    }
    for value in streams.traces.iter().flatten().flatten().flatten() {
        let c = value + reference;
        violated = violated.max(part((low - c).max(c - high).max(0.0)));
    }
    let regions_by_elements = plan.is_elliptic.iter().filter(|e| **e).count();
    Ok(SpeciesResult {
        regions_by_tubes: (0..net.regions.len()).filter(|&r| has_flow(r)).count()
            - regions_by_elements,
        regions_by_elements,
        section: paths.space.as_ref().map(|space| {
            let widths = net.pipes.iter().map(|p| p.width);
            let sockets = net.regions.iter().flat_map(|r| &r.sockets);
            let widest = widths.chain(sockets.map(|m| m.width)).fold(0.0, f64::max);
            space.cells(widest, fine)
        }),
        element_order: choice.order,
        reference,
        name: species.name.clone(),
        diffusivity: species.diffusivity,
        peclet,
        balance: if entered > 0.0 {
            (left - entered) / entered
        } else {
            left - entered
        },
        range_violated: violated,
        estimated_error: worst_tubes + worst_along + worst_flow,
        error_of_discretisation: worst_tubes,
        error_along: worst_along,
        error_of_flow: worst_flow,
        ports,
        streams,
        ages: age,
        insides,
    })
}

/// What all that enters mixes to: what elements count from. At low Peclet numbers concentrations differ from it by parts `Pe` of the range, and rounding is
/// one of these differences, so that balances hold however slow the flow (counted from the least, 5e-9 at Pe 1e-6).
fn mixed(net: &Network, species: &Species, tubes: usize, [low, high]: [f64; 2]) -> f64 {
    if low == high || !low.is_finite() {
        // One concentration everywhere, to the bit; or none at all.
        return if low.is_finite() { low } else { 0.0 };
    }
    let (mut rate, mut flow) = (0.0, 0.0);
    for (k, inflow) in species.inflow.iter().enumerate() {
        let q = net.port_flow[k];
        if let Some(width) = width_of(net, k).filter(|_| q > 0.0) {
            let profile = net.profile(width);
            rate += Stream::uniform(q, profile, tubes, |a, b| inflow.mean(a, b)).rate();
            flow += q;
        }
    }
    (rate / flow).clamp(low, high)
}

/// A mean that left a range by less than its error is that range's end.
fn within(mean: f64, [low, high]: [f64; 2], error: f64) -> f64 {
    match low <= high && mean > low - error && mean < high + error {
        true => mean.clamp(low, high),
        false => mean,
    }
}

/// Whether a port's flow goes anywhere.
fn reaches(net: &Network, port: usize) -> bool {
    width_of(net, port).is_some()
}

/// How wide the fluid is at a port, m; `None` where next to nothing flows there, or nothing is.
fn width_of(net: &Network, port: usize) -> Option<f64> {
    use crate::network::{Beyond, End, STILL};
    if net.port_flow[port].abs() <= STILL * net.largest {
        return None;
    }
    let at_port = |m: &&Socket| m.beyond == Beyond::Port(port);
    let mut sockets = net.regions.iter().flat_map(|r| &r.sockets);
    let pipe = net.pipes.iter().find(|p| p.ends.contains(&End::Port(port)));
    pipe.map(|p| p.width)
        .or_else(|| sockets.find(at_port).map(|m| m.width))
}
