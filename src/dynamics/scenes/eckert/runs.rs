//! Whole runs, and the same inputs for many methods.

use super::flow::FlowError;
use super::{FlowSettings, Snapshot, Tank, TankFlow, TankStep};
use crate::grid::Mac;
use crate::lcp::{Status, Watch};
use crate::splitting::{Memory, Method, Settings, SplitLog, Wetted, project};

/// Means over pressure solves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Averages {
    /// Pressure solves.
    pub solves: usize,
    /// Conjugate gradient iterations.
    pub inner: f64,
    /// Outer iterations.
    pub outer: f64,
    /// Solves that ended above their tolerance.
    pub unmet: usize,
    /// The largest divergence that any left.
    pub divergence: f64,
    /// Processor time of a solve, s.
    pub seconds: f64,
}

impl Averages {
    /// Averages over logs.
    pub fn of<'a>(logs: impl Iterator<Item = &'a SplitLog>) -> Self {
        let mut all = Self::default();
        for log in logs {
            all.solves += 1;
            all.inner += log.solve.inner as f64;
            all.outer += log.solve.outer as f64;
            all.unmet += usize::from(log.solve.status != Status::Converged);
            all.divergence = all.divergence.max(log.divergence_left);
            all.seconds += log.solve.seconds;
        }
        let n = all.solves.max(1) as f64;
        Self {
            inner: all.inner / n,
            outer: all.outer / n,
            seconds: all.seconds / n,
            ..all
        }
    }
}

/// A tank for so many steps with one method.
///
/// # Errors
/// [`FlowError`] at the first step that fails, as `flow` says.
pub fn run<const D: usize>(
    tank: &Tank<D>,
    n: usize,
    flow: &FlowSettings,
    (method, settings): (Method, &Settings),
    steps: usize,
    watch: Watch<'_>,
) -> Result<Vec<TankStep>, FlowError<D>> {
    let mut flow = TankFlow::new(tank, n, flow.clone());
    (0..steps)
        .map(|_| flow.step(method, settings, watch, &mut |_| {}))
        .collect()
}

/// What every so many steps of a run ask of the pressure.
///
/// # Errors
/// [`FlowError`], as [`run`].
pub fn snapshots<const D: usize>(
    tank: &Tank<D>,
    n: usize,
    flow: &FlowSettings,
    driver: Method,
    (steps, every): (usize, usize),
    watch: Watch<'_>,
) -> Result<Vec<Snapshot<D>>, FlowError<D>> {
    let mut flow = TankFlow::new(tank, n, flow.clone());
    let settings = Settings::practical::<D>();
    let mut kept = Vec::new();
    for _ in 0..steps {
        flow.step(driver, &settings, watch, &mut |s| {
            if s.step % every == 0 {
                kept.push(s.clone());
            }
        })?;
    }
    Ok(kept)
}

/// One method on all inputs: what it did, and the velocities. Every input is solved cold.
///
/// # Errors
/// [`FlowError::Problem`]; unmet tolerances are in the logs.
pub fn compare<const D: usize>(
    inputs: &[Snapshot<D>],
    method: Method,
    settings: &Settings,
    watch: Watch<'_>,
) -> Result<Vec<(SplitLog, Mac<D>)>, FlowError<D>> {
    inputs
        .iter()
        .map(|s| {
            let mut memory = Memory::default();
            let done = project(&s.flags, &s.velocity, method, settings, &mut memory, watch)
                .map_err(|source| FlowError::Problem {
                    step: s.step,
                    source,
                })?;
            Ok((done.log.clone(), done.best().clone()))
        })
        .collect()
}

/// The largest difference of two velocities on faces of the liquid: all of them, and without those at walls.
pub fn differences<const D: usize>(input: &Snapshot<D>, a: &Mac<D>, b: &Mac<D>) -> [f64; 2] {
    let Ok(wetted) = Wetted::new(a.cells, &input.flags) else {
        return [f64::NAN; 2];
    };
    let mut difference = a.clone();
    for (d, b) in difference.u.iter_mut().zip(&b.u) {
        for (d, b) in d.iter_mut().zip(b) {
            *d -= b;
        }
    }
    let all = wetted.max_speed(&difference);
    wetted.close(&vec![false; wetted.walls.len()], &mut difference);
    [all, wetted.max_speed(&difference)]
}
