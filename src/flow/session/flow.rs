//! A chip eliminated by fronts: solves for any data on its ports, refines, and says what the ports see.

mod ends;
mod make;
mod near;

pub use near::Left;

use super::{SolveError, SolveReport, SolveSettings};
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors, twice};
use crate::stokes::system::System;
use stokeslet_base::cancel::CancelToken;
use stokeslet_fronts::tree::{gather, ranges, scatter};
use stokeslet_fronts::{Class, Element, FrontError, NOWHERE, Network, Schur, Top, Values};

/// An eliminated chip.
pub struct Flow<const D: usize> {
    /// Pieces and what they share.
    pub system: System<D>,
    values: Values,
    top: Top,
    network: Network,
    /// What shares unknowns, for the residual where fields aren't wanted.
    elements: Vec<Element>,
    /// Class of every shared unknown, those of bridges too.
    classes: Vec<Class>,
    /// Where local vectors lie, where fields are wanted.
    pub local_vectors: Option<LocalVectors>,
}

/// Norms over the scale; not a number where numbers overflow, and zero where there is nothing.
pub fn relative(norms: [f64; 2], scale: f64) -> f64 {
    if scale > 0.0 {
        let both = norms[0].max(norms[1]) / scale;
        if scale.is_finite() { both } else { f64::NAN }
    } else {
        0.0
    }
}

/// How far the flows at the ports are out of balance, of shared unknowns and reactions.
pub type Imbalance<'a> = &'a dyn Fn(&[f64], &[f64]) -> f64;

/// Imbalance of flows at which refinement may end.
const BALANCED: f64 = 1e-10;

/// A step of refinement that leaves more than this part of the residual is of no use.
const STUCK: f64 = 0.5;

/// What loads and given values lead to.
pub struct Answer {
    /// On all unknowns.
    pub state: ChipVector,
    /// On shared given unknowns: the force that holds them, canonical.
    pub reactions: Vec<f64>,
}

impl<const D: usize> Flow<D> {
    /// Shared unknowns for loads on shared unknowns; given values are read from `given`. Returns reactions too.
    ///
    /// # Shapes and units
    /// - `data`: loads and given values of any number of cases, which go through every front together
    pub fn solve_shared(&self, data: &[(&[f64], &[f64])]) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut found = self.solve_all(data);
        for (shared, _) in &mut found {
            shared.truncate(self.system.class.len());
        }
        found
    }

    /// As [`Self::solve_shared`], with the unknowns of bridges.
    fn solve_all(&self, data: &[(&[f64], &[f64])]) -> Vec<(Vec<f64>, Vec<f64>)> {
        let Top { tree, position, .. } = &self.top;
        let (n, n_boundary) = (tree.n, tree.n_boundary);
        let mut carried = vec![0.0; n * data.len()];
        for (k, (loads, _)) in data.iter().enumerate() {
            for (load, &at) in loads.iter().zip(position) {
                if at != NOWHERE {
                    carried[k * n + at as usize] += load;
                }
            }
        }
        tree.forward(&self.values, &mut carried);
        let mut whole = vec![0.0; n * data.len()];
        let mut reactions = Vec::with_capacity(data.len());
        for (k, (_, given)) in data.iter().enumerate() {
            let x = &mut whole[k * n..][..n_boundary];
            for (value, &at) in given.iter().zip(position) {
                if (at as usize) < n_boundary {
                    x[at as usize] = *value;
                }
            }
            let loads = &carried[k * n..][..n_boundary];
            reactions.push(self.network.solve(&self.values, x, loads));
        }
        tree.back(&self.values, &mut whole, Some(&carried));
        let read = |from: &[f64], at: u32| from.get(at as usize).copied().unwrap_or(0.0);
        let cases = reactions.iter().enumerate().map(|(k, reactions)| {
            let one = &whole[k * n..][..n];
            let shared = position.iter().map(|&at| read(one, at)).collect();
            let held = position.iter().take(self.system.class.len());
            (shared, held.map(|&at| read(reactions, at)).collect())
        });
        cases.collect()
    }

    /// All unknowns for loads on all unknowns, refined with the same factors until the relative residual is at most the
    /// tolerance.
    ///
    /// The relative residual is the larger of the momentum and the continuity rows' residual norms over the right-hand side's
    /// norm, all in canonical coordinates, where both equations have entries of one size. Where no fields are wanted it is that of
    /// the shared unknowns alone, and nothing is refined.
    ///
    /// Where refinement gets stuck above the tolerance, as over thousands of widths, it goes on [in twice the precision](twice).
    ///
    /// Where widths differ by thousands the flow through the narrow parts is below the tolerance of the wide ones: so refinement
    /// also goes on while the flows at the ports, which `imbalance` judges, don't balance to [`BALANCED`], as far as it helps.
    ///
    /// # Errors
    /// [`SolveError::NotConverged`], [`SolveError::Cancelled`].
    pub fn solve(
        &self,
        loads: &ChipVector,
        given: &[f64],
        (settings, imbalance): (&SolveSettings, Imbalance<'_>),
        cancel: &CancelToken,
        report: &mut SolveReport,
    ) -> Result<Answer, SolveError> {
        let not_converged = |report: &SolveReport| SolveError::NotConverged {
            residual: report.relative_residual,
            tolerance: settings.tolerance,
            steps: report.refinement_steps,
        };
        report.refinement_steps = 0;
        let Some(local_vectors) = &self.local_vectors else {
            let found = self.solve_all(&[(&loads.shared, given)]).pop();
            let (mut shared, reactions) = found.unwrap_or_default();
            report.relative_residual = self.shared_residual(&shared, &loads.shared, given);
            shared.truncate(self.system.class.len());
            let state = ChipVector {
                shared,
                local: Vec::new(),
            };
            let is_small = report.relative_residual <= settings.tolerance;
            return is_small
                .then_some(Answer { state, reactions })
                .ok_or_else(|| not_converged(report));
        };
        let system = &self.system;
        // Each of these goes once through all unknowns, tenths of a second for millions.
        let is_cancelled = || cancel.is_cancelled();
        let go_on = || match is_cancelled() {
            true => Err(SolveError::Cancelled),
            false => Ok(()),
        };
        let mut state = ChipVector {
            shared: vec![0.0; given.len()],
            local: vec![0.0; local_vectors.n],
        };
        let scale = self.scale(local_vectors, given, &mut state, loads, &is_cancelled);
        go_on()?;
        let mut reactions = self.step(local_vectors, loads, given, &mut state, &is_cancelled);
        // What `state` lacks, once doubles are too short, and how many steps are left.
        let mut rest: Option<ChipVector> = None;
        let (mut before, mut steps_left) = (f64::INFINITY, settings.max_refinement_steps);
        loop {
            go_on()?;
            let exact = rest.as_mut().map(|rest| {
                local_vectors.residual_in_twice(system, [&mut state, rest], loads, &is_cancelled)
            });
            let norms = match &exact {
                Some(residual) => local_vectors.norms(system, residual),
                None => {
                    local_vectors.residual_norms(system, &state, loads, &|_| false, &is_cancelled)
                }
            };
            go_on()?;
            report.relative_residual = relative(norms, scale);
            let is_finite = report.relative_residual.is_finite();
            let is_small = report.relative_residual <= settings.tolerance;
            let no_more = steps_left == 0 || !is_finite;
            if is_small && (no_more || imbalance(&state.shared, &reactions) <= BALANCED) {
                return Ok(Answer { state, reactions });
            }
            let is_stuck = no_more || report.relative_residual > STUCK * before;
            before = report.relative_residual;
            if !is_small && is_stuck && is_finite && rest.is_none() {
                rest = Some(ChipVector {
                    shared: vec![0.0; state.shared.len()],
                    local: vec![0.0; local_vectors.n],
                });
                steps_left = settings.max_refinement_steps;
                continue;
            }
            if no_more {
                return Err(not_converged(report));
            }
            go_on()?;
            let mut residual = exact.unwrap_or_else(|| {
                let mut residual = loads.clone();
                residual.local.resize(local_vectors.n, 0.0);
                local_vectors.subtract_product(system, &state, &mut residual);
                residual
            });
            // What is left on given unknowns is the force that holds them, not an error: it would be counted twice.
            for (left, class) in residual.shared.iter_mut().zip(&system.class) {
                if *class == Class::Given {
                    *left = 0.0;
                }
            }
            let mut more = ChipVector {
                shared: Vec::new(),
                local: vec![0.0; local_vectors.n],
            };
            let none = vec![0.0; given.len()];
            let held = self.step(local_vectors, &residual, &none, &mut more, &is_cancelled);
            let add = |x: &mut [f64], d: &[f64]| x.iter_mut().zip(d).for_each(|(x, d)| *x += d);
            match &mut rest {
                Some(rest) => twice::add(&mut state, rest, &more),
                None => {
                    add(&mut state.shared, &more.shared);
                    add(&mut state.local, &more.local);
                }
            }
            add(&mut reactions, &held);
            steps_left -= 1;
            report.refinement_steps += 1;
        }
    }

    /// One substitution of all unknowns, down and up; loads inside local vectors, if any, are carried. Returns reactions.
    fn step(
        &self,
        local_vectors: &LocalVectors,
        loads: &ChipVector,
        given: &[f64],
        state: &mut ChipVector,
        is_cancelled: IsCancelled<'_>,
    ) -> Vec<f64> {
        let carried = (!loads.local.is_empty()).then(|| self.carried(local_vectors, loads));
        let on_shared = carried.as_ref().unwrap_or(loads);
        let (shared, reactions) = self.solve_one(&on_shared.shared, given);
        state.shared = shared;
        let carried = carried.as_ref();
        local_vectors.back(&self.system, &self.values, state, carried, is_cancelled);
        reactions
    }

    /// Loads carried from inside local vectors on to what they share.
    fn carried(&self, local_vectors: &LocalVectors, loads: &ChipVector) -> ChipVector {
        let mut carried = loads.clone();
        local_vectors.forward(&self.system, &self.values, &mut carried);
        carried
    }

    /// Shared unknowns and reactions for loads on shared unknowns.
    fn solve_one(&self, loads: &[f64], given: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let found = self.solve_shared(&[(loads, given)]).pop();
        found.unwrap_or_default()
    }

    /// Relative residual on shared unknowns, from the pieces' own fronts: what joining them left to rounding.
    fn shared_residual(&self, x: &[f64], loads: &[f64], given: &[f64]) -> f64 {
        let n = self.classes.len();
        let product = |x: &[f64]| {
            let mut y = vec![0.0; n];
            for element in &self.elements {
                let places = ranges(element.boundary.iter().copied());
                let mut local = Schur::zeros(element.boundary.len(), 1);
                gather(&places, x, local.col_as_slice_mut(0));
                let made = self.values.schur(element.kind) * &local;
                scatter(&places, made.col_as_slice(0), &mut y);
            }
            y
        };
        let mut fixed = vec![0.0; n];
        for (k, v) in given.iter().enumerate() {
            if self.classes[k] == Class::Given {
                fixed[k] = *v;
            }
        }
        let (from_given, whole) = (product(&fixed), product(x));
        let (mut left, mut size) = (0.0, 0.0);
        for (k, class) in self.classes.iter().enumerate() {
            if matches!(class, Class::Free | Class::Kept) {
                let load = loads.get(k).copied().unwrap_or(0.0);
                left += (load - whole[k]).powi(2);
                size += (load - from_given[k]).powi(2);
            }
        }
        if size > 0.0 {
            (left / size).sqrt()
        } else {
            0.0
        }
    }

    /// Norm of the right-hand side: loads less what given values bring. Leaves garbage in `x`, of zeros.
    fn scale(
        &self,
        local_vectors: &LocalVectors,
        given: &[f64],
        x: &mut ChipVector,
        loads: &ChipVector,
        is_cancelled: IsCancelled<'_>,
    ) -> f64 {
        let system = &self.system;
        let is_given = |k: usize| system.class[k] == Class::Given && given[k] != 0.0;
        let mut is_touched = vec![false; system.instances.len()];
        for (k, instance) in system.instances.iter().enumerate() {
            for (i, image) in instance.boundary.iter().enumerate() {
                if image.to != NOWHERE && is_given(image.to as usize) {
                    x.local[local_vectors.first[k] + i] = image.factor * given[image.to as usize];
                    is_touched[k] = true;
                }
            }
        }
        let is_zero = |instance: u32| !is_touched[instance as usize];
        let norms = local_vectors.residual_norms(system, x, loads, &is_zero, is_cancelled);
        norms.into_iter().fold(0.0, f64::hypot)
    }
}

fn wrong(error: FrontError) -> SolveError {
    match error {
        FrontError::Cancelled => SolveError::Cancelled,
        FrontError::Singular { kind } => SolveError::Singular {
            what: "front",
            number: kind as usize,
        },
    }
}
