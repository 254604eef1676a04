//! A design with some of its variables set becomes a solution; what doesn't depend on values at ports is done once.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::diagnostic::{Diagnostic, Severity};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition, place};
use stokeslet_cad::design::{DepthModel, Design, Setting, parse_with};
use stokeslet_cad::library::Library;
use stokeslet_flow::session::advice;
use stokeslet_flow::session::{
    Eliminated, PortKind, Solution, SolveError, SolveSettings, eliminate, silent,
};
use stokeslet_species::{Paths, Settings, Species, SpeciesError, SpeciesResult, solve_unless};
use thiserror::Error;

/// Why a point has no solution.
#[derive(Debug, Error)]
pub enum SampleError {
    /// Mistakes in the design at these values.
    #[error("{}", first(.0))]
    Design(Vec<Diagnostic>),
    /// The solve failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// What is dissolved couldn't be followed.
    #[error(transparent)]
    Species(#[from] SpeciesError),
}

/// A design at some values, solved: all that outputs are taken from.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// What was read.
    pub design: Design,
    /// What was placed.
    pub chip: Chip,
    /// Its flow.
    pub solution: Solution,
    cancel: CancelToken,
    species: OnceLock<Followed>,
    aged: OnceLock<Followed>,
}

/// What is dissolved, by species in the design's order, or why it couldn't be followed.
type Followed = Result<Vec<SpeciesResult>, SpeciesError>;

impl Sampled {
    /// A solved design; `cancel` stops what is still to be followed.
    pub fn new(design: Design, chip: Chip, solution: Solution, cancel: &CancelToken) -> Self {
        Self {
            design,
            chip,
            solution,
            cancel: cancel.clone(),
            species: OnceLock::new(),
            aged: OnceLock::new(),
        }
    }

    /// What is dissolved, in the design's order; followed when first asked for, which needs fields.
    pub fn species(&self) -> &Followed {
        self.aged
            .get()
            .unwrap_or_else(|| self.species.get_or_init(|| self.follow(false)))
    }

    /// As [`Self::species`], with ages of the fluid, which takes as long again.
    pub fn aged(&self) -> &Followed {
        self.aged.get_or_init(|| self.follow(true))
    }

    fn follow(&self, ages: bool) -> Followed {
        let sections = self.design.species.species.iter();
        let species: Vec<Species> = sections
            .map(|section| Species::of_design(section, &self.chip))
            .collect();
        let paths = Paths::of(&self.chip, &self.solution)?;
        let settings = Settings::default();
        solve_unless(&self.chip, &paths, &species, settings, ages, &self.cancel)
    }

    /// What makes its results doubtful, as `solve` warns of it: depth, cells of `resolution`, inertia, pressures.
    pub fn doubts(&self, resolution: u32) -> Vec<Diagnostic> {
        let density = self.design.density.map(|density| density.0);
        advice::of_solved(&self.chip, resolution, &self.solution, density)
    }

    /// Why what is dissolved couldn't be followed, where somebody asked for it.
    ///
    /// # Errors
    /// [`SpeciesError`]
    pub fn check(&self) -> Result<(), SpeciesError> {
        let mut asked = [&self.species, &self.aged].into_iter();
        let failed = asked.find_map(|followed| followed.get()?.as_ref().err());
        failed.map_or(Ok(()), |error| Err(error.clone()))
    }
}

fn first(mistakes: &[Diagnostic]) -> String {
    let gravest = mistakes.iter().max_by_key(|m| m.severity);
    gravest.map_or_else(
        || "the design has errors".to_owned(),
        |m| format!("{}: {}", m.code, m.message),
    )
}

/// Chips whose eliminations are kept; each worker may be at another one.
const KEPT: usize = 16;

/// Eliminations of chips at some values of their variables, the newest ones.
#[derive(Default)]
pub struct Eliminations(Mutex<VecDeque<(Fingerprint, Arc<dyn Eliminated>)>>);

impl Eliminations {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(Fingerprint, Arc<dyn Eliminated>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A design, ready to be solved at any values of its variables, by many threads.
pub struct Sampler<'a> {
    text: &'a str,
    name: &'a str,
    library: &'a Library,
    /// Whatever the design says.
    pub model: Option<DepthModel>,
    settings: SolveSettings,
    table: &'a Table,
    kept: Arc<Eliminations>,
}

impl<'a> Sampler<'a> {
    /// A sampler of a design's text. Results come from `table` where they can, and go into it.
    pub fn new(
        (text, name): (&'a str, &'a str),
        library: &'a Library,
        settings: SolveSettings,
        table: &'a Table,
    ) -> Self {
        Self {
            text,
            name,
            library,
            model: None,
            settings,
            table,
            kept: Arc::default(),
        }
    }

    /// The same with what another one of the same design has eliminated.
    #[must_use]
    pub fn keeping(self, kept: Arc<Eliminations>) -> Self {
        Self { kept, ..self }
    }

    /// The design and the chip at these values.
    ///
    /// # Errors
    /// [`SampleError::Design`].
    pub fn chip(&self, settings: &[Setting]) -> Result<(Design, Chip), SampleError> {
        let (design, mut mistakes) = parse_with(self.text, self.name, settings);
        let Some(mut design) = design else {
            return Err(SampleError::Design(mistakes));
        };
        design.model = self.model.unwrap_or(design.model);
        if design.model.needs_depth() && design.depth.is_none() {
            let message = format!("the {} model needs the chip's depth", design.model.name());
            return Err(SampleError::Design(vec![Diagnostic::error(
                "D401", message,
            )]));
        }
        let (chip, placed) = place(&design, self.library);
        mistakes.extend(placed);
        match chip {
            Some(chip) if mistakes.iter().all(|m| m.severity < Severity::Error) => {
                Ok((design, chip))
            }
            _ => Err(SampleError::Design(mistakes)),
        }
    }

    /// The resolution of a solve: that which is asked for, else the design's, else the settings'.
    pub fn resolution(&self, asked: Option<u32>, design: &Design) -> u32 {
        asked
            .or(design.resolution)
            .unwrap_or(self.settings.resolution)
    }

    /// Solves the chip at these values; `resolution` and `memory_limit` override the settings'.
    ///
    /// # Errors
    /// [`SampleError`].
    pub fn solve(
        &self,
        settings: &[Setting],
        (resolution, memory_limit): (Option<u32>, Option<u64>),
        cancel: &CancelToken,
    ) -> Result<Sampled, SampleError> {
        let (design, chip) = self.chip(settings)?;
        let solve_settings = SolveSettings {
            resolution: self.resolution(resolution, &design),
            memory_limit: memory_limit.or(self.settings.memory_limit),
            ..self.settings.clone()
        };
        let key = key(&chip, solve_settings.resolution);
        let known = {
            let mut kept = self.kept.lock();
            let at = kept.iter().position(|(other, _)| *other == key);
            at.and_then(|at| kept.remove(at))
                .inspect(|entry| kept.push_back(entry.clone()))
        };
        let eliminated = match known {
            Some((_, eliminated)) => eliminated,
            None => {
                let new: Arc<dyn Eliminated> =
                    eliminate(&chip, &solve_settings, self.table, &silent, cancel)?.into();
                let mut kept = self.kept.lock();
                if kept.len() >= KEPT {
                    kept.pop_front();
                }
                kept.push_back((key, new.clone()));
                new
            }
        };
        let conditions: Vec<Condition> = chip.ports.iter().map(|p| p.condition).collect();
        let solution = eliminated.solve(&conditions, &silent, cancel)?;
        Ok(Sampled::new(design, chip, solution, cancel))
    }
}

/// All that an elimination depends on: the chip without the values at its ports.
fn key(chip: &Chip, resolution: u32) -> Fingerprint {
    let ports: Vec<_> = chip
        .ports
        .iter()
        .map(|port| (&port.name, port.socket, PortKind::of(port.condition)))
        .collect();
    let content = (
        (chip.viscosity, chip.model, chip.depth, resolution),
        &chip.parts,
        &chip.connections,
        ports,
    );
    Hasher::new(Domain::StudyChip).printed(&content).finish()
}
