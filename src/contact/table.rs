//! Rows of table 2.1 beside ours: what the paper prints, what a run of the scene gives.
//!
//! A [`Run`] drives a scene step by step, so a caller can show progress, stop, or time it; nothing here reads a clock.

use crate::scene::{Expect, PaperRow, Scene};
use crate::simulation::{Settings, Simulation, StartError, StepLog, Totals};
use serde::{Deserialize, Serialize};

/// An expectation and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was expected.
    pub expect: Expect,
    /// What was measured; none if the run ended before its time.
    pub measured: Option<f64>,
}

impl Verdict {
    /// Whether it was measured and lies within.
    pub fn is_met(&self) -> bool {
        self.measured.is_some_and(|m| {
            self.expect.least.is_none_or(|l| m >= l) && self.expect.most.is_none_or(|h| m <= h)
        })
    }
}

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The scene.
    pub scene: String,
    /// The paper's row, if it has one.
    pub printed: Option<PaperRow>,
    /// Time step, s.
    pub time_step: f64,
    /// Friction.
    pub friction: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Contact particles.
    pub particles: usize,
    /// Simulated, s.
    pub time: f64,
    /// Counts.
    pub totals: Totals,
    /// Newton iterations a step.
    pub mean_newton: f64,
    /// What was expected and measured.
    pub verdicts: Vec<Verdict>,
}

impl Row {
    /// Whether every expectation is met and few enough steps failed to converge.
    pub fn passes(&self) -> bool {
        self.totals.acceptable() && self.verdicts.iter().all(Verdict::is_met)
    }
}

/// A scene on its way to a row.
pub struct Run {
    /// The simulation.
    pub simulation: Simulation,
    verdicts: Vec<Verdict>,
}

impl Run {
    /// Starts a scene.
    ///
    /// # Errors
    /// Those of [`Simulation::new`].
    pub fn new(scene: &Scene, settings: &Settings) -> Result<Run, StartError> {
        let simulation = Simulation::new(scene, settings)?;
        let verdicts = simulation
            .scene()
            .expect
            .iter()
            .map(|e| Verdict {
                expect: e.clone(),
                measured: None,
            })
            .collect();
        Ok(Run {
            simulation,
            verdicts,
        })
    }

    /// One step; expectations whose time has come are measured.
    pub fn step(&mut self) -> StepLog {
        let log = self.simulation.step();
        let half = 0.5 * self.simulation.scene().time_step;
        for v in &mut self.verdicts {
            if v.measured.is_none() && self.simulation.time() >= v.expect.at - half {
                v.measured =
                    self.simulation
                        .quantity(&v.expect.body, v.expect.quantity, v.expect.direction);
            }
        }
        log
    }

    /// The last time at which something is expected, s: a table needs no longer run.
    pub fn needed(&self) -> f64 {
        self.verdicts
            .iter()
            .map(|v| v.expect.at)
            .fold(0.0, f64::max)
    }

    /// The row so far.
    pub fn row(&self) -> Row {
        let (scene, totals) = (self.simulation.scene(), *self.simulation.totals());
        Row {
            scene: scene.name.clone(),
            printed: scene.paper.clone(),
            time_step: scene.time_step,
            friction: scene.friction,
            stiffness: scene.stiffness,
            particles: self.simulation.n_particles(),
            time: self.simulation.time(),
            totals,
            mean_newton: totals.newton as f64 / totals.steps.max(1) as f64,
            verdicts: self.verdicts.clone(),
        }
    }
}

/// The row of a scene, run until `most` seconds of its time or until nothing more is expected.
///
/// # Errors
/// Those of [`Simulation::new`].
pub fn row(scene: &Scene, settings: &Settings, most: f64) -> Result<Row, StartError> {
    let mut run = Run::new(scene, settings)?;
    let until = run.needed().min(most);
    let half = 0.5 * run.simulation.scene().time_step;
    while run.simulation.time() < until - half {
        run.step();
    }
    Ok(run.row())
}
