//! How well and in which way the methods solve.

use super::SplitError;

/// Preconditioner of the inner conjugate gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inner {
    /// None.
    Plain,
    /// The diagonal.
    Jacobi,
    /// MIC(0).
    Modified,
    /// One symmetric V(2,2) in single precision.
    Multigrid,
}

/// What the inner iterations are stopped by. In exact arithmetic both are the same number: `div(u - grad p) = -(b - A p)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopOn {
    /// The largest |div| after a trial update of the velocity (\[003\] section 3.2); where it lags behind the recurrence's residual
    /// the rest is solved for again.
    TrialDivergence,
    /// The infinity norm of the recurrence's residual.
    Residual,
}

/// What tells that liquid leaves a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Classify {
    /// The velocity away from it is positive after an update in which it acts as air.
    Velocity,
    /// The pressure beside it is not positive (\[003\] section 4.5).
    Pressure,
}

/// What is opened where liquid leaves a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marking {
    /// The solid cell, with all its faces (\[003\] algorithm 3).
    Cells,
    /// The face only.
    Faces,
}

/// First guesses of inner iterations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warm {
    /// Zero.
    Cold,
    /// The pressure of the inner solve before, of the step before for the first.
    Inner,
}

/// How well and in which way a method solves. Velocities are in cells per unit of time, divergences per unit of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Largest divergence that an inner solve may leave, eps_CG; for complementarity, that the whole solve may. Default 1e-3; smaller:
    /// more iterations; larger than the outer tolerance: the outer loop hardly ends (\[003\] section 4.1).
    pub inner_tolerance: f64,
    /// eps_Aabs of ADMM's velocity residual. Default 1e-3.
    pub velocity_absolute: f64,
    /// eps_Arel of ADMM's velocity residual, times the largest velocity. Default 1e-3.
    pub velocity_relative: f64,
    /// eps_Adiv and eps_Idiv: largest divergence that a loop may leave. Default 1e-2.
    pub divergence: f64,
    /// Preconditioner. Default: none in the plane, MIC(0) in space, as the printed counts suggest (the thesis doesn't say).
    pub inner: Inner,
    /// Stop of inner iterations. Default: the trial update's divergence.
    pub stop_on: StopOn,
    /// Iterations that each inner solve makes at least, unless the divergence is exactly 0. Default 1: counts of the thesis for
    /// loops stricter than their inner solves imply it.
    pub least_inner: usize,
    /// Default: by velocity.
    pub classify: Classify,
    /// Default: cells.
    pub marking: Marking,
    /// Default: cold.
    pub warm: Warm,
    /// Outer iterations before it gives up. Default 2000; the thesis names 1000 for IOPSepBC.
    pub outer_limit: usize,
    /// Iterations of one inner solve before it gives up. Default 20000.
    pub inner_limit: usize,
}

impl Settings {
    /// The practical settings of \[003\] section 4.2.2.
    pub fn practical<const D: usize>() -> Self {
        Self {
            inner_tolerance: 1e-3,
            velocity_absolute: 1e-3,
            velocity_relative: 1e-3,
            divergence: 1e-2,
            inner: if D == 2 {
                Inner::Plain
            } else {
                Inner::Modified
            },
            stop_on: StopOn::TrialDivergence,
            least_inner: 1,
            classify: Classify::Velocity,
            marking: Marking::Cells,
            warm: Warm::Cold,
            outer_limit: 2000,
            inner_limit: 20_000,
        }
    }

    /// The high accuracy of \[003\] section 4.3.
    pub fn accurate<const D: usize>() -> Self {
        Self {
            inner_tolerance: 1e-12,
            velocity_absolute: 1e-9,
            velocity_relative: 1e-9,
            divergence: 1e-9,
            outer_limit: 20_000,
            ..Self::practical::<D>()
        }
    }

    /// With one tolerance for inner solves and one for all loops, as in tables 4.2 and 4.4.
    pub fn with_tolerances(self, inner: f64, outer: f64) -> Self {
        Self {
            inner_tolerance: inner,
            velocity_absolute: outer,
            velocity_relative: outer,
            divergence: outer,
            ..self
        }
    }

    /// Whether tolerances and limits make sense.
    ///
    /// # Errors
    /// [`SplitError::Tolerance`] for one that is not positive.
    pub fn validate(&self) -> Result<(), SplitError> {
        for (name, value) in [
            ("inner", self.inner_tolerance),
            ("absolute velocity", self.velocity_absolute),
            ("relative velocity", self.velocity_relative),
            ("divergence", self.divergence),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(SplitError::Tolerance { name, value });
            }
        }
        Ok(())
    }
}

/// What a user should know about the settings; the solve goes on.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    /// The loop is to leave less divergence than its inner solves.
    #[error(
        "the outer tolerance {outer:e} is tighter than the inner one {inner:e}: the loop may hardly end"
    )]
    OuterTighterThanInner {
        /// The loop's tolerance.
        outer: f64,
        /// That of inner solves.
        inner: f64,
    },
}
