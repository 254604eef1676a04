//! What stands between a solve and the elimination that does it: two traits, which each method implements.
//!
//! ```text
//! Chip, settings --Method::eliminate--> Eliminated --solve(conditions), again and again--> Solution
//! ```
//! The methods are [`super::Fronts`] and, in a crate of its own that this one doesn't know, the thesis's block rows.

use std::fmt;

use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition, Port};

use super::arms::with_arms;
use super::nearby::Nearby;
use super::{
    Conductance, PortKind, Progress, Solution, SolveError, SolveReport, SolveSettings,
    WantedResults, silent,
};

/// Flow rates balance when their sum is at most this part of half the sum of their magnitudes.
const BALANCE_TOLERANCE: f64 = 1e-9;

/// What an elimination is asked for.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// What is wanted, and how much memory it may take.
    pub settings: &'a SolveSettings,
    /// Results of earlier solves.
    pub table: &'a Table,
    /// Hears how far it is.
    pub progress: &'a Progress<'a>,
    /// Stops it.
    pub cancel: &'a CancelToken,
}

impl<'a> Job<'a> {
    /// One that tells nobody how far it is.
    pub fn silent(settings: &'a SolveSettings, table: &'a Table, cancel: &'a CancelToken) -> Self {
        Self {
            settings,
            table,
            progress: &super::silent,
            cancel,
        }
    }
}

/// A way to eliminate chips. Every method discretises alike, so their results agree to rounding.
pub trait Method: fmt::Debug + Sync {
    /// Its name at the command line and in files.
    fn name(&self) -> &'static str;

    /// Eliminates a chip: all of a solve that does not depend on the values at its ports.
    ///
    /// # Errors
    /// [`SolveError`]; [`SolveError::PlaneOnly`] of a method that can't do three dimensions.
    fn eliminate(&self, chip: &Chip, job: &Job<'_>) -> Result<Box<dyn Eliminated>, SolveError>;
}

/// An eliminated chip.
///
/// It holds all factors, about what a solve takes at its peak; they are shared with the table that it was eliminated with.
/// Asking again costs a substitution, a residual and the measurements: of a chip of many copies that is most of a first solve, of
/// one with large junctions, three dimensions or ports only a small part.
pub trait Eliminated: Send + Sync {
    /// Solves for these conditions, in the chip's order of ports; bit for bit what [`super::solve`] would return.
    ///
    /// The report's timings are those of this call alone; what the elimination took is in [`Self::report`].
    ///
    /// # Errors
    /// [`SolveError::OtherConditions`] where kinds are not those of the elimination, [`SolveError::Unbalanced`],
    /// [`SolveError::NotConverged`], [`SolveError::Cancelled`].
    fn solve(
        &self,
        conditions: &[Condition],
        progress: &Progress<'_>,
        cancel: &CancelToken,
    ) -> Result<Solution, SolveError>;

    /// As [`Self::solve`], with what chips that differ little are reached from in one step, for what is wanted of them: for derivatives.
    /// `None` where nothing flows, where the elimination was of ports only, and of a method that can't.
    ///
    /// # Errors
    /// As of [`Self::solve`].
    fn solve_and_keep(
        &self,
        conditions: &[Condition],
        _wanted: WantedResults,
        cancel: &CancelToken,
    ) -> Result<(Solution, Option<Box<dyn Nearby + '_>>), SolveError> {
        Ok((self.solve(conditions, &silent, cancel)?, None))
    }

    /// Eliminates a chip that differs little from this one, on an image of its mesh, so that results follow smoothly; `None` where its mesh is
    /// none. Of a method that has no images: on its own mesh, where that has as many unknowns.
    ///
    /// # Errors
    /// As [`eliminate`].
    fn alike(
        &self,
        chip: &Chip,
        table: &Table,
        cancel: &CancelToken,
    ) -> Result<Option<Box<dyn Eliminated>>, SolveError>;

    /// Between the ports, whatever their values.
    fn conductance(&self) -> &Conductance;

    /// Counters and timings of the elimination.
    fn report(&self) -> &SolveReport;
}

/// Eliminates a chip: all of a solve that does not depend on the values at its ports.
///
/// # Errors
/// [`SolveError`]: as the method of the settings says.
/// # Example
/// ```
/// # use stokeslet_cad::chip::{Chip, Condition, Port};
/// # use stokeslet_cad::design::DepthModel;
/// # use stokeslet_cad::shape::{Part, Shape, SocketRef, Strip};
/// # use stokeslet_base::table::Table;
/// # use stokeslet_base::geometry::Motion;
/// # let pipe = Strip::Straight { length: 1e-3, width_start: 1e-4, width_end: 1e-4 };
/// # let port = |name: &str, socket, p| Port { name: name.into(), socket: SocketRef { part: 0, socket }, condition: Condition::Pressure(p) };
/// # let chip = Chip {
/// #     name: "channel".into(), viscosity: 1e-3, model: DepthModel::Planar, depth: None, connections: vec![],
/// #     parts: vec![Part { name: "pipe".into(), shape: Shape::Strip(pipe), motion: Motion::IDENTITY, walls: Default::default(), depth: None }],
/// #     ports: vec![port("in", 0, 100.0), port("out", 1, 0.0)],
/// # };
/// use stokeslet_base::cancel::CancelToken;
/// use stokeslet_flow::session::{SolveSettings, eliminate, silent};
///
/// let (settings, token) = (SolveSettings::default(), CancelToken::new());
/// let eliminated = eliminate(&chip, &settings, &Table::default(), &silent, &token)?;
/// let flow = |p| {
///     let conditions = [Condition::Pressure(p), Condition::Pressure(0.0)];
///     eliminated.solve(&conditions, &silent, &token).map(|solution| solution.ports[0].flow_rate)
/// };
/// assert!((flow(200.0)? / flow(100.0)? - 2.0).abs() < 1e-9);
/// # Ok::<(), stokeslet_flow::session::SolveError>(())
/// ```
pub fn eliminate(
    chip: &Chip,
    settings: &SolveSettings,
    table: &Table,
    progress: &Progress<'_>,
    cancel: &CancelToken,
) -> Result<Box<dyn Eliminated>, SolveError> {
    let job = Job {
        settings,
        table,
        progress,
        cancel,
    };
    let chip = with_arms(chip, settings.resolution, settings.corners);
    settings.method.eliminate(&chip, &job)
}

/// One condition a port, each of the kind of the elimination, and flows that balance where nothing else lets fluid out.
///
/// # Shapes and units
/// - `free`: by port, its connected part of the chip, where only differences of pressure are known there
/// # Errors
/// [`SolveError::ConditionCount`], [`SolveError::OtherConditions`], [`SolveError::Unbalanced`].
pub fn check_conditions(
    ports: &[Port],
    free: &[Option<u32>],
    asked: &[Condition],
) -> Result<(), SolveError> {
    if asked.len() != ports.len() {
        return Err(SolveError::ConditionCount {
            asked: asked.len(),
            ports: ports.len(),
        });
    }
    for (port, asked) in ports.iter().zip(asked) {
        let (was, asked) = (PortKind::of(port.condition), PortKind::of(*asked));
        if was != asked {
            let port = port.name.clone();
            return Err(SolveError::OtherConditions { port, was, asked });
        }
    }
    let mut connected_components: Vec<u32> = free.iter().copied().flatten().collect();
    connected_components.sort_unstable();
    connected_components.dedup();
    for component in connected_components {
        let here = asked.iter().zip(free).filter(|p| *p.1 == Some(component));
        let (sum, size) = here.fold((0.0, 0.0), |(sum, size), (c, _)| {
            (sum + c.value(), size + c.value().abs() / 2.0)
        });
        if sum.abs() > BALANCE_TOLERANCE * size {
            return Err(SolveError::Unbalanced { part: sum / size });
        }
    }
    Ok(())
}
