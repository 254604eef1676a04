//! The thesis's results run and measured: rows of what is printed or measured by the specification, what is accepted, and ours.
//!
//! Nothing is stored or hard-coded on our side. Rows are grouped by study: `X2` to `X4` (Fourier analysis), `Y1` to `Y6` (simulations).

use thiserror::Error;

use crate::simulation::StartError;
use crate::world::StepError;

#[path = "tables/convergence.rs"]
mod convergence;
#[path = "tables/dissipation.rs"]
mod dissipation;
#[path = "tables/inlet.rs"]
mod inlet;
#[path = "tables/shedding.rs"]
mod shedding;
#[path = "tables/waves.rs"]
mod waves;

/// A line of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The study.
    pub study: &'static str,
    /// What is measured.
    pub name: String,
    /// What the thesis prints (P), or the specification measured (M) or computed (C); empty if there is none.
    pub reference: String,
    /// Our number.
    pub ours: f64,
    /// The range accepted, inclusive; infinite where nothing is claimed.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl Row {
    fn new(
        study: &'static str,
        name: impl Into<String>,
        reference: impl Into<String>,
        ours: f64,
    ) -> Self {
        Self {
            study,
            name: name.into(),
            reference: reference.into(),
            ours,
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }

    fn within(mut self, low: f64, high: f64) -> Self {
        self.low = low;
        self.high = high;
        self
    }

    fn at_least(self, low: f64) -> Self {
        self.within(low, f64::INFINITY)
    }

    fn at_most(self, high: f64) -> Self {
        self.within(f64::NEG_INFINITY, high)
    }

    /// Whether our number is in the accepted range; no number never is.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.low <= self.ours && self.ours <= self.high
    }

    /// The accepted range in words; empty where nothing is claimed.
    #[must_use]
    pub fn accepted(&self) -> String {
        match (self.low.is_finite(), self.high.is_finite()) {
            (true, true) => format!("{:.4} to {:.4}", self.low, self.high),
            (true, false) => format!("at least {:.4}", self.low),
            (false, true) => format!("at most {:.4}", self.high),
            (false, false) => String::new(),
        }
    }
}

/// At which size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum At {
    /// Seconds to a minute for each study.
    #[default]
    Small,
    /// The thesis's.
    Paper,
}

/// Why a table wasn't made.
#[derive(Debug, Error)]
pub enum TableError {
    /// No such study.
    #[error("there is no table of `{0}`; there are {list}", list = STUDIES.join(", "))]
    Unknown(String),
    /// The scene.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A step.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The spectrum.
    #[error(transparent)]
    Spectrum(#[from] crate::fourier::spectrum::SpectrumError),
    /// Stopped by the caller.
    #[error("stopped by the caller")]
    Stopped,
}

/// Studies with a table.
pub const STUDIES: [&str; 8] = ["X2", "X4", "Y1", "Y2", "Y3", "Y4", "Y5", "Y6"];

/// The rows of a study.
///
/// # Shapes and units
/// - `keep_on`: asked now and then; false stops
/// # Errors
/// [`TableError`].
pub fn rows(study: &str, at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    match study {
        "X2" => Ok(waves::round_trips()),
        "X4" => waves::through_pressure(at),
        "Y1" => convergence::taylor_green(at, keep_on),
        "Y2" => convergence::square(at, keep_on),
        "Y3" => convergence::circle(at, keep_on),
        "Y4" => dissipation::rows(at, keep_on),
        "Y5" => shedding::rows(at, keep_on),
        "Y6" => inlet::rows(at, keep_on),
        other => Err(TableError::Unknown(other.to_owned())),
    }
}

fn check(keep_on: &dyn Fn() -> bool) -> Result<(), TableError> {
    if keep_on() {
        Ok(())
    } else {
        Err(TableError::Stopped)
    }
}

#[cfg(test)]
mod tests;
