//! What frames tell: rows for tables and plots, solves with their residuals, failures.

use super::settings::Walls;
use stokeslet_dynamics::lcp::{SolveLog, TOLERANCE};
use stokeslet_dynamics::report::frames;
use stokeslet_dynamics::scenes::FrameLog;
use stokeslet_dynamics::scenes::eckert::TankStep;
use stokeslet_dynamics::stepped::StepRow;

/// What a frame took, as its loop tells it.
#[derive(Clone, Debug)]
pub enum Account {
    /// A frame of a scene.
    Frame {
        /// What walls did.
        walls: Walls,
        /// What it took.
        frame: FrameLog,
    },
    /// A step of a tank.
    Step {
        /// Who made it.
        method: String,
        /// What it took.
        step: Box<TankStep>,
    },
    /// A step of another system's scene.
    System(StepRow),
}

/// A frame of a view, for plots and tables. Residuals of all but the last solve are left out: they would fill the memory.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it took.
    pub account: Account,
    /// Time at its end.
    pub time: f64,
    /// The fastest particle's speed at its end.
    pub fastest: f64,
    /// The least and the greatest pressure of the last solve, m²/s² (of liquids) or Pa; 0 where none is told.
    pub pressures: [f64; 2],
}

impl Row {
    /// Pressure solves, in their order.
    pub fn solves(&self) -> &[SolveLog] {
        match &self.account {
            Account::Frame { frame, .. } => &frame.solves,
            Account::Step { step, .. } => std::slice::from_ref(&step.log.solve),
            Account::System(_) => &[],
        }
    }

    /// The frame of a scene.
    pub fn frame(&self) -> Option<&FrameLog> {
        match &self.account {
            Account::Frame { frame, .. } => Some(frame),
            Account::Step { .. } | Account::System(_) => None,
        }
    }

    /// The step of a tank.
    pub fn step(&self) -> Option<&TankStep> {
        match &self.account {
            Account::Frame { .. } | Account::System(_) => None,
            Account::Step { step, .. } => Some(step),
        }
    }

    /// The step of another system's scene.
    pub fn of_system(&self) -> Option<&StepRow> {
        match &self.account {
            Account::Frame { .. } | Account::Step { .. } => None,
            Account::System(row) => Some(row),
        }
    }

    /// As the command line writes it.
    pub fn csv(&self) -> String {
        match &self.account {
            Account::Frame { walls, frame } => frames::row(walls.label(), frame),
            Account::Step { method, step } => frames::tank_row(method, step),
            Account::System(row) => row.csv.clone(),
        }
    }
}

/// Keeps the last residual, which is all that tables need.
pub fn forget_history(history: &mut Vec<f64>) {
    history.drain(..history.len().saturating_sub(1));
    history.shrink_to_fit();
}

/// A solve with all that was measured on the way.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Counts, how it ended, and the residual that decided about that.
    pub log: SolveLog,
    /// What that residual has to fall below.
    pub tolerance: f64,
    /// Other residuals, by name.
    pub others: Vec<(&'static str, Vec<f64>)>,
}

impl From<SolveLog> for Solved {
    /// The solve of a complementarity problem: it has one residual and one tolerance.
    fn from(log: SolveLog) -> Self {
        Self {
            log,
            tolerance: TOLERANCE,
            others: Vec::new(),
        }
    }
}

/// What a frame of a view told.
#[derive(Clone, Debug)]
pub struct Told {
    /// For plots and tables.
    pub row: Row,
    /// The last solve, with its residuals.
    pub solved: Option<Solved>,
}

/// Why a view has no next frame.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which view, from 0.
    pub view: usize,
    /// A sentence for people.
    pub message: String,
    /// What the solve did that failed, if it was one.
    pub solved: Option<Solved>,
}

impl Failure {
    /// How the solve ended, in a word.
    pub fn status(&self) -> &'static str {
        let status = self.solved.as_ref().map(|solved| solved.log.status);
        status.map_or("failed", |status| status.word())
    }
}
