//! Newton's method for a residual whose derivative isn't symmetric, kept stable by a line search on half its square.
//!
//! Nothing is minimised by a solution, so the line search minimises `E = |g|^2 / 2`, for which the Newton direction is always
//! downhill; an approximate one is tested and replaced if it isn't. What did not converge says so.

use std::cell::OnceCell;

use crate::krylov::norm;
use crate::model::{BodyInfo, Kind};
use crate::system::{Precision, Side, System, Tangent, Trial};
use serde::{Deserialize, Serialize};
use stokeslet_dynamics::linear::dot;

/// What GMRES is preconditioned with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Preconditioner {
    /// Nothing, as in the paper.
    None,
    /// The inverse 3 x 3 blocks on the diagonal.
    BlockJacobi,
    /// Sparse LU of the rigid and elastic unknowns where there are vertices; blocks on the diagonal elsewhere, but nothing on the grid where
    /// any of the points are sand, which blocks only slow down (measured: `preconditioners` of the crate's bench).
    #[default]
    Direct,
}

/// How each step is solved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NewtonSettings {
    /// The scene's tolerance times this times `dt |gravity| sqrt(total mass)` ends a step. Default 1e-3. Larger lets a block near its
    /// threshold slide on (22 % too far at 1e-1); within 1 % of a threshold use 1e-5.
    pub tolerance_factor: f64,
    /// Most Newton iterations a solve, of a step or of each part of one that stalled. Default 1000, as in the paper; fewer cut it short, which its status tells.
    pub most_iterations: usize,
    /// Products in the one cycle of GMRES. Default 20; more cost memory, fewer cost Newton iterations.
    pub gmres_cycle: usize,
    /// Relative residual that ends the cycle. `None`, the default: 1e-1 where there is sand and at most one other body, which takes 1.1 to 1.5 times as long with 1e-3
    /// (`products` of the crate's bench), and 1e-3 elsewhere, as in the paper: a stack of boxes stalls with more.
    pub gmres_tolerance: Option<f64>,
    /// Whether directions, and slopes along them, are made with the stiffness of material points, and their velocities and forces where they touch, in single precision; residuals are in double. So are
    /// GMRES's vectors then, but where there are vertices or `gmres_tolerance` is below 1e-5. Default true.
    pub single_precision: bool,
    /// Default [`Preconditioner::Direct`]: cloth takes .18 of the seconds that it takes without any (`preconditioners` of the crate's bench).
    pub preconditioner: Preconditioner,
    /// Trials of a line search. Default 25; then the best of them is taken.
    pub most_trials: usize,
}

impl Default for NewtonSettings {
    fn default() -> NewtonSettings {
        NewtonSettings {
            tolerance_factor: 1e-3,
            most_iterations: 1000,
            gmres_cycle: 20,
            gmres_tolerance: None,
            single_precision: true,
            preconditioner: Preconditioner::default(),
            most_trials: 25,
        }
    }
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SolveStatus {
    /// The residual, or the gradient of its square, is below the tolerance.
    #[default]
    Converged,
    /// No direction lowered the residual any more.
    Stalled,
    /// The most iterations were made.
    MaxIterations,
}

/// What the solve of a step did, or those of its parts. Counts are of what stalled too.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SolveLog {
    /// How it ended; of several parts the last in the order of [`SolveStatus`] that one ended with.
    pub status: SolveStatus,
    /// Newton iterations.
    pub iterations: usize,
    /// Products with the derivative inside GMRES.
    pub gmres_iterations: usize,
    /// Evaluations of the residual.
    pub evaluations: usize,
    /// Times the Newton direction was replaced by that of steepest descent, and that by the negative residual.
    pub fallbacks: [usize; 2],
    /// Parts that the step was made in: 1, or more where the whole stalled.
    pub parts: usize,
    /// The tolerance on the scaled residual, sqrt(kg) m/s; of the first part, where there are several.
    pub tolerance: f64,
    /// The scaled residual before each iteration and at the end, over the tolerance; of all parts, one after the other.
    pub residuals: Vec<f64>,
    /// The scaled residual at the end, over the tolerance of a whole step; of several parts the largest of those that ended with the status.
    pub left: f64,
}

impl SolveLog {
    /// Adds the work of another solve.
    pub(crate) fn add_work(&mut self, other: &SolveLog) {
        self.iterations += other.iterations;
        self.gmres_iterations += other.gmres_iterations;
        self.evaluations += other.evaluations;
        for (sum, n) in self.fallbacks.iter_mut().zip(other.fallbacks) {
            *sum += n;
        }
    }

    /// Adds the solve of a later part of the same step.
    pub(crate) fn add_part(&mut self, part: &SolveLog) {
        self.add_work(part);
        // Of parts that ended alike the more that was left, also where that is no number.
        let less = part.left <= self.left;
        if self.status < part.status || self.status == part.status && !less {
            (self.status, self.left) = (part.status, part.left);
        }
        self.parts += part.parts;
        self.residuals.extend(&part.residuals);
    }
}

/// Solves the step's system to `tau`.
///
/// # Accuracy and cost
/// Ends at `min(|g|, |H^T g|) < tau`; the second is asked for where a cycle lowers `|g|^2` by less than half, and where nothing lowers it any more:
/// elsewhere its product would be one of ten. An iteration is one cycle of GMRES, one more product and about one evaluation.
/// # Source
/// Ding 2019, section 2.3; the line search's bracketing is the specification's. Differs: the cycle of GMRES goes without nodes of the
/// grid that nothing stiff reaches.
pub(crate) fn solve(system: &System, settings: &NewtonSettings, tau: f64) -> (Trial, SolveLog) {
    let mut log = SolveLog {
        status: SolveStatus::MaxIterations,
        evaluations: 2,
        parts: 1,
        tolerance: tau,
        ..SolveLog::default()
    };
    let precision = match settings.single_precision {
        true => Precision::Single,
        false => Precision::Double,
    };
    let moving = |body: &&BodyInfo| body.kind != Kind::Fixed;
    let moving = system.model.bodies.iter().filter(moving);
    let (sand, others): (Vec<_>, Vec<_>) = moving.partition(|body| body.is_sand);
    let usual = match !sand.is_empty() && others.len() <= 1 {
        true => 1e-1,
        false => 1e-3,
    };
    let tolerance = settings.gmres_tolerance.unwrap_or(usual);
    let falling = system.falling();
    let mut z = vec![0.0; system.len()];
    let mut trial = system.at(&z);
    let other = system.at(&falling);
    if norm(&other.residual) < norm(&trial.residual) {
        (z, trial) = (falling, other);
    }
    let mut kept: Option<Tangent> = None;
    loop {
        let g = &trial.residual;
        let size = norm(g);
        // Before the first body that moves comes in there is nothing to solve, and a tolerance of 0.
        log.residuals
            .push(if z.is_empty() { 0.0 } else { size / tau });
        if size < tau || z.is_empty() {
            log.status = SolveStatus::Converged;
            break;
        }
        if log.iterations >= settings.most_iterations {
            break;
        }
        let tangent = kept
            .take()
            .unwrap_or_else(|| system.tangent(&trial, settings.preconditioner, precision));
        log.iterations += 1;
        let b: Vec<f64> = g.iter().map(|x| -x).collect();
        let (mut u, report) = tangent.solve(&b, tolerance, settings.gmres_cycle);
        log.gmres_iterations += report.iterations;
        // The residual of a cycle is at a right angle to what it made of u, so g . H u = -|H u|^2; where that is little, rounding decides.
        let gained = 1.0 - report.residual * report.residual;
        let rise = |tangent: &Tangent| tangent.times(g, Side::Transposed);
        let exact = OnceCell::new();
        let slope_of = |u: &[f64]| {
            let exact = exact.get_or_init(|| system.exact_tangent(&trial));
            dot(g, &exact.times(u, Side::Plain))
        };
        if gained < 0.5 && norm(&rise(&tangent)) < tau {
            log.status = SolveStatus::Converged;
            break;
        }
        let (mut slope, of_slopes) = if gained > 1e-3 {
            (-size * size * gained, precision)
        } else {
            (slope_of(&u), Precision::Double)
        };
        if !(slope < 0.0 && slope.is_finite()) {
            u = rise(&tangent).iter().map(|x| -x).collect();
            slope = slope_of(&u);
            log.fallbacks[0] += 1;
            if !(slope < 0.0 && slope.is_finite()) {
                u = b;
                slope = slope_of(&u);
                log.fallbacks[1] += 1;
            }
        }
        drop(tangent);
        let energy = 0.5 * size * size;
        let (mut a, mut lo, mut hi) = (1.0f64, 0.0f64, f64::INFINITY);
        let mut best: Option<(f64, Vec<f64>, Trial)> = None;
        for _ in 0..settings.most_trials {
            let next: Vec<f64> = z.iter().zip(&u).map(|(z, u)| z + a * u).collect();
            let there = system.at(&next);
            log.evaluations += 1;
            let e = 0.5 * dot(&there.residual, &there.residual);
            let lower = e <= energy + 1e-4 * a * slope;
            if best.as_ref().is_none_or(|b| b.0.is_nan() || e < b.0) {
                best = Some((e, next, there));
            }
            let Some((best_e, _, here)) = &best else {
                break;
            };
            if !lower {
                hi = a;
            } else {
                if (2.0 * e).sqrt() < tau || a >= 4.0 || *best_e < e {
                    break;
                }
                let tangent = system.tangent(here, settings.preconditioner, precision);
                let up = match of_slopes == precision {
                    true => tangent.times(&u, Side::Plain),
                    false => system.exact_tangent(here).times(&u, Side::Plain),
                };
                if dot(&here.residual, &up) < 0.9 * slope {
                    lo = a;
                } else {
                    kept = Some(tangent);
                    break;
                }
            }
            a = if hi.is_finite() {
                0.5 * (lo + hi)
            } else {
                (2.0 * a).min(4.0)
            };
        }
        let Some((e, next, there)) = best else { break };
        if e.is_nan() || energy - e < 1e-12 * energy {
            log.status = SolveStatus::Stalled;
            if e < energy {
                trial = there;
                log.residuals.push(norm(&trial.residual) / tau);
            }
            break;
        }
        (z, trial) = (next, there);
    }
    if log.status != SolveStatus::Converged {
        let tangent = system.exact_tangent(&trial);
        let rise = tangent.times(&trial.residual, Side::Transposed);
        if norm(&rise) < tau {
            log.status = SolveStatus::Converged;
        }
    }
    log.left = log.residuals.last().copied().unwrap_or_default();
    (trial, log)
}
