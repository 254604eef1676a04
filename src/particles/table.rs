//! The paper's examples run and measured: rows of what is printed or exact, what is accepted, and ours.
//!
//! Each example is one call, [`rows`]; nothing is stored or hard-coded on our side. Knows nothing of windows and commands.

use crate::pms::PmsError;
use crate::scene::Scene;
use crate::scenes;
use crate::simulation::{Simulation, StartError, StepError, StepLog};
use stokeslet_dynamics::report::table::{At, Row};
use stokeslet_dynamics::scene_file::{SceneError, SceneFile};
use thiserror::Error;

#[path = "tables/bodies.rs"]
mod bodies;
#[path = "tables/seesaw.rs"]
mod seesaw;
#[path = "tables/water.rs"]
mod water;

pub use bodies::{floating, submerged};

/// Why a table wasn't made.
#[derive(Debug, Error)]
pub enum TableError {
    /// No such example.
    #[error("there is no table of `{0}`; there are 5.1 to 5.7")]
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
    /// The comparator.
    #[error(transparent)]
    Pms(#[from] PmsError),
    /// Stopped by the caller.
    #[error("stopped by the caller")]
    Stopped,
}

/// Examples with a table.
pub const EXAMPLES: [&str; 7] = ["5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7"];

/// Runs an example and measures it.
///
/// # Shapes and units
/// - `keep_on`: asked now and then; false stops
/// # Errors
/// [`TableError`]; a row out of its accepted range is no error, see [`Row::holds`].
pub fn rows(example: &str, at: At, keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    match example {
        "5.1" => bodies::boxes(at, keep_on),
        "5.2" => water::hydrostatic(at, keep_on),
        "5.3" => water::dam(at, keep_on),
        "5.4" => water::patch(at, keep_on),
        "5.5" => bodies::buoyancy(at, keep_on),
        "5.6" => seesaw::seesaw(at, keep_on),
        "5.7" => bodies::complex(at, keep_on),
        other => Err(TableError::Unknown(other.to_owned())),
    }
}

struct Table {
    example: &'static str,
    rows: Vec<Row>,
}

impl Table {
    fn new(example: &'static str) -> Table {
        Table {
            example,
            rows: Vec::new(),
        }
    }

    fn row(
        &mut self,
        name: impl Into<String>,
        printed: impl Into<String>,
        ours: f64,
        unit: &'static str,
        accepted: (f64, f64),
    ) {
        let row = Row::new(self.example, name, printed, ours).unit(unit);
        self.rows.push(row.within(accepted.0, accepted.1));
    }
}

fn scene(name: &str, at: At) -> Result<Scene, SceneError> {
    let scene = scenes::find(name)
        .expect("tables name built-in scenes")
        .scene();
    match at {
        At::Small => Ok(scene),
        At::Paper => scene.at_size("paper"),
    }
}

/// Runs until a time, showing each step.
fn run(
    simulation: &mut Simulation,
    until: f64,
    keep_on: &dyn Fn() -> bool,
    mut each: impl FnMut(&Simulation, &StepLog),
) -> Result<(), TableError> {
    let h = simulation.scene().step;
    let last = (until / h).round() as u64;
    while simulation.steps() < last {
        let log = simulation.step()?;
        each(simulation, &log);
        if simulation.steps().is_multiple_of(10) && !keep_on() {
            return Err(TableError::Stopped);
        }
    }
    Ok(())
}
