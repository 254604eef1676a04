//! Where the fluid of a solved chip goes, whatever is dissolved in it; and which engine follows it where.

use std::sync::OnceLock;

use crate::SpeciesError;
use crate::copies::{CopyOf, ways_of_all};
use crate::elliptic::Elliptic;
use crate::elliptic::operator::Cubic;
use crate::field::Place;
use crate::input::{Engine, Settings, Species};
use crate::network::{Network, integrals, network};
use crate::plan::{Choice, choose};
use crate::psi::{Psi, stream_functions};
use crate::region::Ways;
use crate::space::{Fluid, Space};
use stokeslet_cad::chip::Chip;
use stokeslet_cad::design::DepthModel;
use stokeslet_flow::field::Field;
use stokeslet_flow::session::Solution;

/// What all species of a chip share: where the fluid goes.
#[derive(Clone, Debug)]
pub struct Paths {
    /// Pipes and regions.
    pub net: Network,
    /// By region.
    pub psi: Vec<Psi>,
    /// By region.
    pub ways: Vec<Ways>,
    /// By region: cubic stream functions, made where elements ask for them.
    pub cubics: Vec<OnceLock<Option<Cubic>>>,
    /// By region: which earlier one it is a copy of, and its flow over that one's.
    pub(crate) alike: Vec<CopyOf>,
    /// By region, made at its first use: where its nodes lie among its streams.
    pub(crate) places: Vec<OnceLock<Vec<Place>>>,
    /// By pipe, made at its first use: the nodes of its cells.
    pub(crate) nodes_of_pipe: OnceLock<Vec<Vec<u32>>>,
    /// All of the flow of a chip in three dimensions; stream functions and ways are those of its mean over the depth then.
    pub space: Option<Space>,
    /// m of depth that a flow per depth is multiplied by; 1 without a depth.
    pub depth: f64,
    /// Whether rates are volumes per time.
    pub has_depth: bool,
}

impl Paths {
    /// Finds the paths of the fluid in a solved chip.
    ///
    /// # Errors
    /// [`SpeciesError`].
    /// # Accuracy and cost
    /// In the plane one sparse Cholesky factorisation a kind of region and some dozens of stream lines a region, side by side on the caller's pool.
    pub fn of(chip: &Chip, solution: &Solution) -> Result<Self, SpeciesError> {
        let depth = chip.depth.unwrap_or(1.0);
        let flows = solution.ports.iter().map(|p| p.flow_rate / depth);
        if chip.model == DepthModel::Full {
            return Self::in_space(chip, solution, flows.collect(), false);
        }
        Self::of_flow(chip, &solution.fields, flows.collect())
    }

    /// Which regions are for elements, and of which order.
    pub(crate) fn choice(&self, diffusivity: f64, settings: &Settings) -> Choice {
        let net = &self.net;
        let probe = Elliptic::new(net, &self.psi, &self.cubics, [diffusivity, 0.0], 1);
        let fits = |r: usize| !self.psi[r].cells.is_empty() && probe.sections(r).is_some();
        match self.space {
            Some(_) => Choice::tubes(net),
            None => choose(net, &fits, diffusivity, settings),
        }
    }

    /// Settings for a first look at these, where elements solve any of them somewhere, which takes many times as long: tubes everywhere, or elements of order 1
    /// where these are nearer, at low Peclet numbers.
    pub fn first_look(&self, species: &[Species], settings: Settings) -> Option<Settings> {
        let choices = species
            .iter()
            .map(|s| self.choice(s.diffusivity, &settings));
        let choices: Vec<Choice> = choices.filter(|c| c.order > 0).collect();
        let worst = |of: fn(&Choice) -> f64| choices.iter().map(of).fold(0.0, f64::max);
        let are_tubes_nearer = worst(|c| c.error_of_tubes) <= worst(|c| c.error_of_order_1);
        let look = match are_tubes_nearer {
            true => Settings {
                engine: Engine::Tubes,
                ..settings
            },
            false => Settings {
                most_order: 1,
                ..settings
            },
        };
        (!choices.is_empty()).then_some(look)
    }

    /// The same fluid flowing backwards, which is a Stokes flow as well: what is an age then is the time that fluid needs to leave the chip.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn backwards(chip: &Chip, solution: &Solution) -> Result<Self, SpeciesError> {
        let depth = chip.depth.unwrap_or(1.0);
        let flows = solution.ports.iter().map(|p| -p.flow_rate / depth);
        if chip.model == DepthModel::Full {
            return Self::in_space(chip, solution, flows.collect(), true);
        }
        let mut fields = solution.fields.clone();
        fields.velocity.iter_mut().for_each(|u| *u = *u * -1.0);
        Self::of_flow(chip, &fields, flows.collect())
    }

    /// From velocities and what enters at every port, m^2/s.
    fn of_flow(chip: &Chip, fields: &Field<2>, flows: Vec<f64>) -> Result<Self, SpeciesError> {
        check_walls(chip)?;
        let net = network(chip, fields, &integrals(fields), flows)?;
        Self::of_network(chip, net, fields)
    }

    /// From a network and the velocity in its plane.
    fn of_network(chip: &Chip, net: Network, fields: &Field<2>) -> Result<Self, SpeciesError> {
        let (psi, kinds) = stream_functions(&net, fields)?;
        let (ways, alike) = ways_of_all(&net, &psi, &kinds)?;
        let cubics = net.regions.iter().map(|_| OnceLock::new()).collect();
        let places = net.regions.iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            net,
            psi,
            ways,
            cubics,
            alike,
            places,
            nodes_of_pipe: OnceLock::new(),
            space: None,
            depth: chip.depth.unwrap_or(1.0),
            has_depth: chip.depth.is_some(),
        })
    }

    /// In three dimensions, from what enters at every port over the depth, m^2/s.
    fn in_space(
        chip: &Chip,
        solution: &Solution,
        flows: Vec<f64>,
        backwards: bool,
    ) -> Result<Self, SpeciesError> {
        check_walls(chip)?;
        let in_space = solution.in_space.as_ref().ok_or(SpeciesError::NoFields)?;
        let space = Space::new(in_space, &solution.fields, backwards)?;
        let net = network(chip, space.mean(), space.integrals(), flows)?;
        let plane = Self::of_network(chip, net, space.mean())?;
        Ok(Self {
            space: Some(space),
            ..plane
        })
    }
}

impl Paths {
    /// What three dimensions ask of the plane.
    pub(crate) fn fluid(&self) -> Fluid<'_> {
        Fluid {
            net: &self.net,
            ways: &self.ways,
            alike: &self.alike,
        }
    }
}

/// Whether the walls and depths of a chip are those that this is made for.
fn check_walls(chip: &Chip) -> Result<(), SpeciesError> {
    if chip.parts.iter().any(|part| part.walls.can_slip()) {
        return Err(SpeciesError::SlipWalls);
    }
    if chip.has_depths() {
        return Err(SpeciesError::Depths);
    }
    Ok(())
}
