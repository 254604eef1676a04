//! What a step and a run tell.

use crate::newton::{SolveLog, SolveStatus};
use serde::{Deserialize, Serialize};

/// Energies at the end of a step, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Energies {
    /// Of motion (material points: without their affine part).
    pub kinetic: f64,
    /// Of height, from the origin.
    pub potential: f64,
    /// Stored in elements, springs and points.
    pub elastic: f64,
    /// Stored in the contact springs.
    pub contact: f64,
}

impl Energies {
    /// Sum of all.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic + self.contact
    }
}

/// What a step did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepLog {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end, s.
    pub time: f64,
    /// The solve.
    pub solve: SolveLog,
    /// Energies at its end.
    pub energies: Energies,
    /// Pairs that touch.
    pub touching: usize,
    /// Of these, those whose attachment held.
    pub sticking: usize,
    /// Longest walk over a mesh, states.
    pub longest_walk: usize,
    /// Pairs whose walk took one state.
    pub one_state: usize,
    /// Walks given up.
    pub unfinished_walks: usize,
}

/// The head of [`StepLog::row`]. A status is `converged`, `in_parts` where the whole stalled and all parts converged, `stalled` or `limit`.
pub const HEAD: &str =
    "step,time_s,status,newton,gmres,kinetic_J,potential_J,elastic_J,contact_J,touching,sticking";

impl StepLog {
    /// Of two parts of a step, one after the other. The longest walk and those given up are of both; what touches, and energies, are as the later part ends.
    pub(super) fn followed_by(mut self, later: StepLog) -> StepLog {
        self.solve.add_part(&later.solve);
        StepLog {
            solve: self.solve,
            longest_walk: self.longest_walk.max(later.longest_walk),
            unfinished_walks: self.unfinished_walks + later.unfinished_walks,
            ..later
        }
    }

    /// As a line of CSV, without its end.
    pub fn row(&self) -> String {
        let (solve, e) = (&self.solve, &self.energies);
        let status = match solve.status {
            SolveStatus::Converged if solve.parts > 1 => "in_parts",
            SolveStatus::Converged => "converged",
            SolveStatus::Stalled => "stalled",
            SolveStatus::MaxIterations => "limit",
        };
        format!(
            "{},{},{status},{},{},{},{},{},{},{},{}",
            self.step,
            self.time,
            solve.iterations,
            solve.gmres_iterations,
            e.kinetic,
            e.potential,
            e.elastic,
            e.contact,
            self.touching,
            self.sticking
        )
    }
}

/// Counts over a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Steps.
    pub steps: u64,
    /// Newton iterations.
    pub newton: u64,
    /// Most of them in one step.
    pub worst_newton: u64,
    /// Products inside GMRES.
    pub gmres: u64,
    /// Steps that stalled whole and converged in parts.
    #[serde(default)]
    pub in_parts: u64,
    /// Steps that stalled in a part too, and of which none was cut.
    pub stalled: u64,
    /// Steps cut, or of which a part was cut, by the most iterations.
    pub cut: u64,
    /// Largest scaled residual of a step that didn't converge, over the tolerance.
    pub worst_residual: f64,
    /// Directions replaced.
    pub fallbacks: u64,
}

impl Totals {
    pub(super) fn note(&mut self, log: &SolveLog) {
        self.steps += 1;
        self.newton += log.iterations as u64;
        self.worst_newton = self.worst_newton.max(log.iterations as u64);
        self.gmres += log.gmres_iterations as u64;
        self.fallbacks += (log.fallbacks[0] + log.fallbacks[1]) as u64;
        match log.status {
            SolveStatus::Converged => {
                self.in_parts += u64::from(log.parts > 1);
                return;
            }
            SolveStatus::Stalled => self.stalled += 1,
            SolveStatus::MaxIterations => self.cut += 1,
        }
        self.worst_residual = self.worst_residual.max(log.left);
    }

    /// Whether a scene fails: over 0.1 % of its steps unconverged, or one by over a hundred tolerances.
    pub fn acceptable(&self) -> bool {
        (self.stalled + self.cut) as f64 <= 1e-3 * self.steps as f64 && self.worst_residual <= 100.0
    }
}
