//! Chips that differ little from an eliminated one, solved with its factors: for derivatives, in place of an elimination each.

use super::eliminated::Kept;
use super::flow::Left;
use super::measure::mass_imbalance;
use super::readout::Readout;
use super::{Conductance, Job, Solution, SolveError, with_arms};
use crate::stokes::local_vectors::{ChipVector, LocalVectors};
use crate::stokes::socket::PortSocket;
use stokeslet_base::cancel::CancelToken;
use stokeslet_base::table::Table;
use stokeslet_cad::chip::{Chip, Condition};

/// An eliminated chip and its answer, from which chips nearby are reached in one step.
pub trait Nearby: Send + Sync {
    /// The solution of a chip that differs little from the eliminated one; `None` where its mesh is no image of that one's.
    ///
    /// Right but for an error of second order in what differs, which is the same for a change and its opposite: it cancels from central
    /// differences. Conductances are left out, and so is what [`Eliminated::solve_and_keep`](super::Eliminated::solve_and_keep) wasn't asked for.
    ///
    /// # Errors
    /// [`SolveError`]: a part that can't be meshed; cancelled.
    fn solve(
        &self,
        chip: &Chip,
        table: &Table,
        cancel: &CancelToken,
    ) -> Result<Option<Solution>, SolveError>;
}

/// The answer of an eliminated chip.
pub(super) struct Around<'a, const D: usize> {
    pub kept: &'a Kept<D>,
    pub begin: ChipVector,
    /// What `begin` leaves of the equations, where only ports are wanted.
    pub left: Option<Left>,
    /// Pressure that those of `begin` are relative to, by connected component, Pa.
    pub datum: Vec<f64>,
}

impl<const D: usize> Nearby for Around<'_, D> {
    fn solve(
        &self,
        chip: &Chip,
        table: &Table,
        cancel: &CancelToken,
    ) -> Result<Option<Solution>, SolveError> {
        let Kept { flow, settings, .. } = self.kept;
        let chip = &*with_arms(chip, settings.resolution, settings.corners);
        let job = Job::silent(settings, table, cancel);
        let space = self.kept.space.of(chip, settings)?;
        let system = space.system(chip, &job, Some(&flow.system.shapes))?;
        if !system.is_image_of(&flow.system) {
            return Ok(None);
        }
        let local_vectors = self.left.is_none().then(|| LocalVectors::new(&system));
        let sockets: Vec<PortSocket> = system
            .ports
            .iter()
            .map(|p| space.socket(&system, p))
            .collect();
        let readout = Readout {
            space: &*space,
            system: &system,
            local_vectors: local_vectors.as_ref(),
            ports: &chip.ports,
            sockets: &sockets,
        };
        let asked = chip
            .ports
            .iter()
            .map(|port| space.condition(port.condition));
        let conditions: Vec<Condition> = asked.collect();
        let data = readout.data(&conditions, &self.datum);
        let is_cancelled = || cancel.is_cancelled();
        let begin = &self.begin;
        let answer = match (&local_vectors, &self.left) {
            (Some(local_vectors), _) => {
                flow.step_to((&system, local_vectors), &data, begin, &is_cancelled)
            }
            (None, Some(left)) => flow.step_on_shared(&system, &data, (begin, left)),
            (None, None) => None,
        };
        let Some(mut answer) = answer else {
            return Ok(None);
        };
        system.complete(&mut answer.state.shared);
        let values = readout.values(&answer.state.shared, &answer.reactions, &conditions);
        let (values, shift) = readout.levelled(values, &conditions, &self.datum);
        let mut report = self.kept.report.clone();
        report.mass_imbalance = mass_imbalance(&values);
        let made = (report, Conductance::default());
        let found = readout.solution((&values, shift), &answer.state, &self.datum, made, cancel);
        found.map(Some)
    }
}
