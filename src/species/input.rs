//! What is dissolved, and where it enters.

use serde::{Deserialize, Serialize};
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DissolvedSpecies;

/// Concentration over a port: steps from right to left looking into the chip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Inflow {
    /// From eta = `.0` on the concentration is `.1`; the first step starts at 0. Empty: none enters.
    pub steps: Vec<(f64, f64)>,
}

impl Inflow {
    /// The same everywhere.
    pub fn uniform(value: f64) -> Self {
        Self {
            steps: vec![(0.0, value)],
        }
    }

    /// Mean by length over a range of eta.
    pub fn mean(&self, a: f64, b: f64) -> f64 {
        let mut sum = 0.0;
        for (k, &(from, value)) in self.steps.iter().enumerate() {
            let to = self.steps.get(k + 1).map_or(1.0, |s| s.0);
            sum += value * (to.min(b) - from.max(a)).max(0.0);
        }
        match self.steps[..] {
            [(_, value)] => value,
            _ => sum / (b - a),
        }
    }
}

/// One dissolved species.
#[derive(Clone, Debug, PartialEq)]
pub struct Species {
    /// Its name.
    pub name: String,
    /// m^2/s.
    pub diffusivity: f64,
    /// By the chip's ports; those where fluid leaves are not read.
    pub inflow: Vec<Inflow>,
}

impl Species {
    /// A design's species on its placed chip.
    pub fn of_design(section: &DissolvedSpecies, chip: &Chip) -> Self {
        let inflow = chip.ports.iter().map(|port| {
            let inlets = &section.inlets;
            let inlet = inlets.iter().find(|i| i.port.value == port.name);
            Inflow {
                steps: inlet.map_or_else(Vec::new, |i| i.steps.clone()),
            }
        });
        Self {
            name: section.name.value.clone(),
            diffusivity: section.diffusivity.value,
            inflow: inflow.collect(),
        }
    }
}

/// How regions are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// Elements where tubes would leave out too much, and where elements resolve the layers; tubes elsewhere.
    #[default]
    Auto,
    /// Tubes everywhere.
    Tubes,
    /// Elements wherever anything flows.
    Elliptic,
}

impl Engine {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Tubes, Self::Elliptic];

    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tubes => "tubes",
            Self::Elliptic => "elliptic",
        }
    }

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// How finely species are followed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Tubes across a channel that enters, at least 8. Default 128; up to four times as many where streams meet. Cost is linear.
    pub tubes: usize,
    /// Which engine solves regions. Default: chosen a region.
    pub engine: Engine,
    /// Error over the range above which tubes give way to elements. Default 1e-3, which is a Peclet number of 150, of 225 where streams part into three.
    pub tolerance: f64,
    /// Greatest order of elements, at least 1. Default 4; 1 for a first look at low Peclet numbers.
    pub most_order: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tubes: 128,
            engine: Engine::Auto,
            tolerance: 1e-3,
            most_order: 4,
        }
    }
}
