//! One inner pressure solve: velocities without divergence, by conjugate gradients.

use std::borrow::Cow;

use super::{Inner, Settings, StopOn, System, Warm, Wetted};
use crate::grid::Mac;
use crate::lcp::{Status, Watch};
use crate::linear::{
    Ended, Identity, Incomplete, Jacobi, Precondition, conjugate_gradients, inf_norm,
};
use crate::mg::{Cycle, Hierarchy, Multigrid, Recipe};

/// How often what rounding left of the divergence is solved for again.
const ROUNDS: usize = 8;

/// The part of a preconditioner that others borrow from.
#[derive(Debug)]
pub(super) struct Prepared<const D: usize>(Option<Hierarchy<'static, f32, D>>);

impl<const D: usize> Prepared<D> {
    /// For a system.
    pub(super) fn new(system: &System<D>, inner: Inner) -> Self {
        Self(
            (inner == Inner::Multigrid && !system.wet.is_empty()).then(|| {
                Hierarchy::new(
                    Cow::Owned(system.matrix.cast()),
                    Cow::Owned(system.places.clone()),
                    None,
                    Recipe::default(),
                )
            }),
        )
    }
}

/// How an inner solve went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Inward {
    /// Iterations.
    pub(super) iterations: usize,
    /// How it ended.
    pub(super) status: Status,
}

/// A system with its preconditioner and first guess.
pub(super) struct Pressure<'a, const D: usize> {
    wetted: &'a Wetted<D>,
    system: &'a System<D>,
    settings: &'a Settings,
    watch: Watch<'a>,
    preconditioner: Box<dyn Precondition + 'a>,
    /// The last pressure that was found; the first guess of the next solve if that is to be warm. One an unknown.
    pub(super) p: Vec<f64>,
}

impl<'a, const D: usize> Pressure<'a, D> {
    /// With the pressure 0.
    pub(super) fn new(
        wetted: &'a Wetted<D>,
        system: &'a System<D>,
        prepared: &'a Prepared<D>,
        settings: &'a Settings,
        watch: Watch<'a>,
    ) -> Self {
        let matrix = &system.matrix;
        let preconditioner: Box<dyn Precondition + 'a> = match (&prepared.0, settings.inner) {
            (Some(hierarchy), _) => Box::new(Multigrid::new(hierarchy, Cycle::SYMMETRIC)),
            (None, Inner::Jacobi) => Box::new(Jacobi(matrix)),
            (None, Inner::Modified) => Box::new(Incomplete::modified(matrix)),
            (None, Inner::Plain | Inner::Multigrid) => Box::new(Identity),
        };
        Self {
            wetted,
            system,
            settings,
            watch,
            preconditioner,
            p: vec![0.0; system.wet.len()],
        }
    }

    /// Sets closed walls to 0 and frees the rest of divergence.
    ///
    /// # Accuracy and cost
    /// `max |div u| <= inner_tolerance` of the velocities that come out, if the status says so. What rounding leaves is solved for
    /// again, which counts.
    pub(super) fn solve(&mut self, mac: &mut Mac<D>) -> Inward {
        let (wetted, system, settings) = (self.wetted, self.system, self.settings);
        wetted.close(&system.open, mac);
        let tolerance = settings.inner_tolerance;
        let guess = match settings.warm {
            Warm::Cold => vec![0.0; self.p.len()],
            Warm::Inner => std::mem::take(&mut self.p),
        };
        self.p = vec![0.0; system.wet.len()];
        let mut x = guess;
        let mut iterations = 0;
        let mut before = f64::INFINITY;
        for round in 0..ROUNDS {
            let b: Vec<f64> = system
                .wet
                .iter()
                .map(|i| -wetted.divergence(mac, *i as usize))
                .collect();
            if round > 0 {
                let left = inf_norm(&b);
                if left <= tolerance {
                    return Inward {
                        iterations,
                        status: Status::Converged,
                    };
                }
                if left > 0.5 * before {
                    break;
                }
                before = left;
                x.fill(0.0);
            }
            let least = if round == 0 { settings.least_inner } else { 0 };
            let (mut asked, mut cancelled) = (0, false);
            let run = conjugate_gradients(
                &system.matrix,
                &b,
                &mut x,
                &mut *self.preconditioner,
                settings.inner_limit,
                &mut |r| {
                    let norm = inf_norm(r);
                    asked += 1;
                    cancelled = (self.watch.cancelled)();
                    cancelled || norm == 0.0 || (norm <= tolerance && asked > least)
                },
            );
            iterations += run.iterations;
            system.subtract_gradient(&x, mac);
            for (p, x) in self.p.iter_mut().zip(&x) {
                *p += x;
            }
            let status = match run.ended {
                _ if cancelled => Status::Cancelled,
                Ended::Limit => Status::MaxIterations,
                // The trial update has the last word about what broke down: it may have been good enough already.
                Ended::Breakdown if settings.stop_on == StopOn::Residual => Status::Stagnated,
                Ended::Content if settings.stop_on == StopOn::Residual => Status::Converged,
                Ended::Content | Ended::Breakdown => continue,
            };
            return Inward { iterations, status };
        }
        Inward {
            iterations,
            status: Status::Stagnated,
        }
    }

    /// The last pressure, one a cell of liquid (0 where there is no unknown).
    pub(super) fn by_liquid(&self) -> Vec<f64> {
        let mut p = vec![0.0; self.wetted.n()];
        for (i, value) in self.system.wet.iter().zip(&self.p) {
            p[*i as usize] = *value;
        }
        p
    }
}
