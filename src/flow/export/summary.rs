//! `summary.json`: the numbers of a solve under fixed names, SI units.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Results;
use super::csv::kind_name;
use crate::field::Sample;
use crate::quantities::at_points;
use crate::session::{BlockCounts, ErrorEstimate, Timings};
use stokeslet_base::fingerprint::{Domain, Hasher};
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::DepthModel;

/// The content of `summary.json`. The keys are a contract: add, never rename. What was not computed (peak speed and wall shear
/// of a solve for ports only) or isn't there (`floor_shear` of models but `shallow`) is `null`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary<'a> {
    program_version: &'static str,
    design: &'a str,
    title: Option<&'a str>,
    viscosity: f64,
    model: &'static str,
    resolution: u32,
    depth: Option<f64>,
    /// Least and greatest depth, m, where parts differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    depths: Option<[f64; 2]>,
    layers: u32,
    half_depth: bool,
    unknowns: usize,
    method: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<BlockCounts>,
    canonical_blocks: usize,
    tasks: usize,
    unique_matrices: usize,
    computed_matrices: usize,
    flops: u64,
    timings_s: Timings,
    peak_memory_bytes: u64,
    estimated_memory_bytes: u64,
    relative_residual: f64,
    refinement_steps: u32,
    mass_imbalance: f64,
    nothing_flows: bool,
    dissipation: Option<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    posts: Vec<Post<'a>>,
    error_estimate: Option<&'a ErrorEstimate>,
    ports: Vec<Port<'a>>,
    conductance: &'a [Vec<f64>],
    conductance_ports: &'a [String],
    max_speed: Option<f64>,
    max_speed_at: [Option<f64>; 2],
    wall_shear: WallShear,
    floor_shear: Option<FloorShear>,
    probes: Vec<Probe>,
    units: Units,
    /// Bytes of the other files.
    pub(super) files: BTreeMap<String, u64>,
    #[serde(flatten)]
    extra: std::collections::BTreeMap<&'static str, &'a serde_json::Value>,
    stamp: &'a str,
}

#[derive(Clone, Debug, Serialize)]
struct Port<'a> {
    id: &'a str,
    kind: &'static str,
    flow_rate: f64,
    pressure: f64,
    mean_pressure: f64,
}

/// Force on the post's side wall per depth, N/m, and torque about `at`, N.
#[derive(Clone, Debug, Serialize)]
struct Post<'a> {
    part: &'a str,
    post: usize,
    at: [f64; 2],
    force: [f64; 2],
    torque: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct WallShear {
    min: Option<f64>,
    mean: Option<f64>,
    max: Option<f64>,
    min_at: [Option<f64>; 2],
    max_at: [Option<f64>; 2],
}

/// Only where floor and ceiling are none of the walls, of `shallow` chips.
#[derive(Clone, Copy, Debug, Serialize)]
struct FloorShear {
    mean: f64,
    max: f64,
    max_at: [f64; 2],
}

/// A probe outside the flow has `inside: false` and no values.
#[derive(Clone, Debug, Serialize)]
struct Probe {
    x: f64,
    y: f64,
    inside: bool,
    velocity: Option<[f64; 2]>,
    /// By name.
    #[serde(flatten)]
    quantities: BTreeMap<&'static str, Option<f64>>,
}

/// Units of the values whose unit depends on the design; all others are plain SI.
#[derive(Clone, Copy, Debug, Serialize)]
struct Units {
    flow_rate: &'static str,
    conductance: &'static str,
    dissipation: &'static str,
}

/// The name of a depth model on the command line and in files.
pub fn model_name(model: DepthModel) -> &'static str {
    model.name()
}

fn pair(p: Point) -> [f64; 2] {
    [p.x, p.y]
}

fn place(at: Option<Point>) -> [Option<f64>; 2] {
    [at.map(|p| p.x), at.map(|p| p.y)]
}

impl<'a> Summary<'a> {
    /// Collects the numbers; `probes` are the samples at `results.probes`.
    pub fn new(results: &Results<'a>, probes: &[Option<Sample>], timings_s: Timings) -> Self {
        let (solution, report) = (results.solution, &results.solution.report);
        let shear = solution.wall_shear;
        let units = if results.chip.depth.is_some() {
            Units {
                flow_rate: "m^3/s",
                conductance: "m^3/(s Pa)",
                dissipation: "W",
            }
        } else {
            Units {
                flow_rate: "m^2/s",
                conductance: "m^2/(s Pa)",
                dissipation: "W/m",
            }
        };
        Self {
            program_version: env!("CARGO_PKG_VERSION"),
            design: &results.chip.name,
            title: results.title,
            viscosity: results.chip.viscosity,
            model: model_name(results.chip.model),
            resolution: results.resolution,
            depth: results.chip.depth,
            depths: results.chip.depths().filter(|[low, high]| low != high),
            layers: report.layers,
            half_depth: report.half_depth,
            unknowns: report.unknowns,
            method: report.method,
            blocks: report.blocks,
            canonical_blocks: report.canonical_blocks,
            tasks: report.tasks,
            unique_matrices: report.unique_matrices,
            computed_matrices: report.computed_matrices,
            flops: report.flops,
            timings_s,
            peak_memory_bytes: (results.peak_memory)(),
            estimated_memory_bytes: report.estimated_memory_bytes,
            relative_residual: report.relative_residual,
            refinement_steps: report.refinement_steps,
            mass_imbalance: report.mass_imbalance,
            nothing_flows: report.still,
            dissipation: solution.dissipation,
            posts: solution
                .posts
                .iter()
                .flatten()
                .map(|post| Post {
                    part: &post.part,
                    post: post.post,
                    at: pair(post.at),
                    force: pair(post.force),
                    torque: post.torque,
                })
                .collect(),
            error_estimate: results.errors,
            ports: solution
                .ports
                .iter()
                .map(|p| Port {
                    id: &p.id,
                    kind: kind_name(p.kind),
                    flow_rate: p.flow_rate,
                    pressure: p.pressure,
                    mean_pressure: p.mean_pressure,
                })
                .collect(),
            conductance: &solution.conductance.matrix,
            conductance_ports: &solution.conductance.ports,
            max_speed: solution.max_speed.map(|(speed, _)| speed),
            max_speed_at: place(solution.max_speed.map(|(_, at)| at)),
            wall_shear: WallShear {
                min: shear.map(|s| s.min),
                mean: shear.map(|s| s.mean),
                max: shear.map(|s| s.max),
                min_at: place(shear.map(|s| s.min_at)),
                max_at: place(shear.map(|s| s.max_at)),
            },
            floor_shear: solution.floor_shear.map(|s| FloorShear {
                mean: s.mean,
                max: s.max,
                max_at: pair(s.max_at),
            }),
            probes: results
                .probes
                .iter()
                .zip(probes)
                .map(|(at, sample)| Probe {
                    x: at.x,
                    y: at.y,
                    inside: sample.is_some(),
                    velocity: sample.map(|s| pair(s.velocity)),
                    quantities: at_points()
                        .map(|q| (q.name, sample.and_then(|s| q.of_sample(&s))))
                        .collect(),
                })
                .collect(),
            units,
            files: BTreeMap::new(),
            extra: results.extra.summary.iter().map(|s| (*s.0, s.1)).collect(),
            stamp: results.stamp,
        }
    }
}

/// What later runs read back of a `summary.json`: enough for a row of `results.csv` and to know whether it is still true.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Digest {
    /// Depth model.
    pub model: String,
    /// Depth of the channels, m; without one, flow rates are per metre of depth.
    pub depth: Option<f64>,
    /// Cell edges across a channel.
    pub resolution: u32,
    /// Unknowns of the assembled system.
    pub unknowns: usize,
    /// Relative residual of the assembled system.
    pub relative_residual: f64,
    /// Relative.
    pub mass_imbalance: f64,
    /// m/s; `None` where only ports were wanted.
    pub max_speed: Option<f64>,
    /// How good the numbers are, where that was asked.
    pub error_estimate: Option<DigestErrors>,
    /// In the design's order.
    pub ports: Vec<DigestPort>,
    /// Seconds by stage; the total counts.
    pub timings_s: DigestTimings,
    /// Bytes of the files that were written with it.
    pub files: BTreeMap<String, u64>,
    /// What the results were made from.
    pub stamp: String,
}

/// What stands before the checksum of a summary.
const SEAL: &str = ",\n  \"checksum\": \"";

fn checksum(text: &str) -> String {
    format!(
        "{:032x}",
        Hasher::new(Domain::SummaryChecksum).text(text).finish().0
    )
}

/// A summary with a checksum of all that stands before it.
pub(super) fn sealed(text: &str) -> String {
    let body = text.trim_end().trim_end_matches('}').trim_end();
    format!("{body}{SEAL}{}\"\n}}", checksum(body))
}

/// Whether a summary is as it was written: a later run believes no other.
pub fn is_sealed(text: &str) -> bool {
    let Some((body, seal)) = text.rsplit_once(SEAL) else {
        return false;
    };
    seal.trim_end() == format!("{}\"\n}}", checksum(body))
}

/// A port of a [`Digest`].
#[derive(Clone, Debug, Default, Deserialize)]
pub struct DigestPort {
    /// Its name.
    pub id: String,
    /// Its condition.
    pub kind: String,
    /// Into the chip, m^3/s or m^2/s.
    pub flow_rate: f64,
    /// What does the work, Pa.
    pub pressure: f64,
    /// Mean pressure of the field, Pa.
    pub mean_pressure: f64,
}

/// Estimated errors of a [`Digest`].
#[derive(Clone, Debug, Default, Deserialize)]
pub struct DigestErrors {
    /// The largest, relative.
    pub relative: f64,
    /// In the design's order of ports.
    pub ports: Vec<DigestPortError>,
}

/// Estimated errors at a port of a [`Digest`].
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct DigestPortError {
    /// m^3/s or m^2/s.
    pub flow_rate: f64,
    /// Pa.
    pub pressure: f64,
}

/// Seconds of a [`Digest`].
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct DigestTimings {
    /// From reading to writing.
    pub total: f64,
}
