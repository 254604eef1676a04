//! The thesis's results run and measured: rows of what is printed or measured by the specification, what is accepted, and ours.
//!
//! Nothing is stored or hard-coded on our side. Rows are grouped by study: `X1` and `X5` to `X9` (what holds exactly), `X2` and
//! `X4` (Fourier analysis; the pictures of X3 are those of `apic fourier maps`), `Y1` to `Y6` (simulations).

use stokeslet_dynamics::report::table::{At, Row};
use thiserror::Error;

use crate::SceneError;
use crate::simulation::StartError;
use crate::world::StepError;

#[path = "tables/convergence.rs"]
mod convergence;
#[path = "tables/dissipation.rs"]
mod dissipation;
#[path = "tables/exact.rs"]
mod exact;
#[path = "tables/inlet.rs"]
mod inlet;
#[path = "tables/shedding.rs"]
mod shedding;
#[path = "tables/waves.rs"]
mod waves;

/// Why a table wasn't made.
#[derive(Debug, Error)]
pub enum TableError {
    /// No such study.
    #[error("there is no table of `{0}`; there are {list}", list = STUDIES.join(", "))]
    Unknown(String),
    /// The scene.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Its start.
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
pub const STUDIES: [&str; 14] = [
    "X1", "X2", "X4", "X5", "X6", "X7", "X8", "X9", "Y1", "Y2", "Y3", "Y4", "Y5", "Y6",
];

/// The rows of a study.
///
/// # Shapes and units
/// - `keep_on`: asked now and then; false stops
/// # Errors
/// [`TableError`].
pub fn rows(study: &str, at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    match study {
        "X1" => Ok(exact::transfers()),
        "X2" => Ok(waves::round_trips()),
        "X4" => waves::through_pressure(at),
        "X5" => exact::walls(),
        "X6" => Ok(exact::cuts()),
        "X7" => Ok(exact::fits()),
        "X8" => exact::seeding_anew(keep_on),
        "X9" => Ok(exact::forces()),
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
