//! How a chip is solved.

use std::sync::Arc;

use super::{Fronts, Method};
use crate::mesh::Corners;
use crate::stokes::duct::socket::DuctProfile;
use stokeslet_base::profile::Recorder;
use stokeslet_base::table::Caching;

/// What a solve is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WantedResults {
    /// Port results, conductance, fields, peak speed and wall shear.
    All,
    /// Port results and conductance, checked by the residual as ever. The fields stay empty; peak speed and wall shear, which
    /// need them, are `None`.
    PortsOnly,
}

/// How chips with [`stokeslet_cad::design::DepthModel::Full`] are meshed through their depth, and how flow enters them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DepthSettings {
    /// Layers of cells over half the depth. Default as many as make cells about as high as wide where the chip is narrowest,
    /// at least 2.
    pub layers: Option<u32>,
    /// Solve all of the depth, in twice the layers, rather than half of it by symmetry: the same result for eight times the
    /// work. Default false.
    pub whole: bool,
    /// The profile at ports where flow rates are given. Default the developed one.
    pub profile: DuctProfile,
}

/// How a chip is solved.
#[derive(Clone, Debug)]
pub struct SolveSettings {
    /// Cell edges across a channel, at least 2. Default 8. Finer costs time like r^2 to r^3 and sharpens corners.
    pub resolution: u32,
    /// How chips in three dimensions are solved.
    pub depth: DepthSettings,
    /// What is done about sharp inner corners, in the plane. Default plain: cells as large as elsewhere.
    pub corners: Corners,
    /// Whether equal operations are computed once. Default cached.
    pub caching: Caching,
    /// How unknowns are eliminated. Default [`Fronts`]; results agree to rounding.
    pub method: &'static dyn Method,
    /// Relative residual that a solve must reach. Default 1e-10.
    pub tolerance: f64,
    /// Refinement steps before a solve fails. Default 5.
    pub max_refinement_steps: u32,
    /// Refuse a solve whose plan needs more than this, bytes. Default none.
    pub memory_limit: Option<u64>,
    /// What is computed. Default all; ports only saves the time and memory of the fields.
    pub wanted: WantedResults,
    /// Hears what the solve does and how long it takes. Default nobody; results don't depend on it.
    pub recorder: Option<Arc<Recorder>>,
}

impl SolveSettings {
    /// The recorder, or one that is off.
    pub fn recorder(&self) -> &Recorder {
        static OFF: Recorder = Recorder::off();
        self.recorder.as_deref().unwrap_or(&OFF)
    }
}

impl Default for SolveSettings {
    fn default() -> Self {
        Self {
            resolution: 8,
            depth: DepthSettings::default(),
            corners: Corners::default(),
            caching: Caching::Cached,
            method: &Fronts,
            tolerance: 1e-10,
            max_refinement_steps: 5,
            memory_limit: None,
            wanted: WantedResults::All,
            recorder: None,
        }
    }
}
