//! Many chips from the one that is drawn: sweeps over a variable or of a study file, goals, what each 1 % does.
//!
//! ```text
//! panel Study --StudyCommand--> app/studying.rs --Job--> Asker (a thread a question) --Heard--> Studies --> panel Study
//!                                    ^ a point of a chart, or values that a fit found, become edits of the variables
//! ```
//! What is computed is [`stokeslet_study`]; here is only asking and hearing.

mod asker;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use asker::{Asker, Heard, Job};
use stokeslet_base::units::{Dimension, Powers};
use stokeslet_cad::design::Value;
use stokeslet_flow::export::readable::{figures, percent};
use stokeslet_study::journal::Header;
use stokeslet_study::output::Output;
use stokeslet_study::run::{Cell, Record, Status};
use stokeslet_study::sensitivity::Sensitivities;
use stokeslet_study::study::{Study, unit};

use crate::panels::values::show_quantity;

/// What is asked of the design.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// All points of a study; its design is the one that is drawn.
    Sweep(Study),
    /// Values of these variables that meet these goals.
    Goals {
        /// Names of the variables that may change, from a tenth to ten times what they are.
        varied: Vec<String>,
        /// As `stokeslet fit --goal` takes them.
        goals: Vec<String>,
    },
    /// What 1 % of each number of the design does to each port.
    Tolerances,
}

/// Something about studies.
#[derive(Clone, Debug, PartialEq)]
pub enum StudyCommand {
    /// Asks; what was under way is given up.
    Ask(Question),
    /// Gives up what is under way; what was found stays.
    Stop,
    /// The design takes the values of this point of the sweep.
    TakePoint(usize),
    /// The design takes the values that were found for its goals.
    TakeFound,
    /// The table of the sweep goes to the clipboard, as CSV.
    CopyTable,
}

impl StudyCommand {
    /// What it does, for menus, the command palette and undo.
    pub fn label(&self) -> String {
        match self {
            Self::Ask(Question::Sweep(_)) => "Run sweep".to_owned(),
            Self::Ask(Question::Goals { .. }) => "Find values for goals".to_owned(),
            Self::Ask(Question::Tolerances) => "Find what each 1 % does".to_owned(),
            Self::Stop => "Stop study".to_owned(),
            Self::TakePoint(index) => format!("Take point {index} of the sweep"),
            Self::TakeFound => "Take the values found".to_owned(),
            Self::CopyTable => "Copy sweep as CSV".to_owned(),
        }
    }
}

/// A variable or a result of a sweep: its name and what it measures.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Powers of its units.
    pub powers: Powers,
}

/// A sweep, as far as it is.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What differs between its points.
    pub variables: Vec<Column>,
    /// What was taken from each.
    pub outputs: Vec<Column>,
    /// For its table.
    pub header: Header,
    /// By index.
    pub records: BTreeMap<usize, Record>,
}

impl Sweep {
    /// Value of a variable at a point, SI; nothing for texts.
    pub fn value(record: &Record, variable: usize) -> Option<f64> {
        match record.values.get(variable)? {
            Cell::Number(value) => Some(*value),
            Cell::Text(_) => None,
        }
    }

    /// How many points failed, and why the first did; nothing where all are well.
    pub fn failures(&self) -> Option<(usize, &str)> {
        let failed = || self.records.values().filter(|r| r.status != Status::Ok);
        let first = failed().next()?;
        Some((failed().count(), &first.message))
    }
}

/// Values that were found for goals.
#[derive(Clone, Debug)]
pub struct Found {
    /// The variables.
    pub variables: Vec<Column>,
    /// What they were, SI.
    pub before: Vec<f64>,
    /// What they should be, SI.
    pub values: Vec<f64>,
    /// Goals as they were asked, and by how much each is missed, relative; nothing for what was only minimised.
    pub goals: Vec<(String, Option<f64>)>,
    /// Whether all equations are met.
    pub is_met: bool,
}

/// What each 1 % does.
#[derive(Clone, Debug)]
pub struct Tolerances {
    /// The results.
    pub outputs: Vec<Output>,
    /// Their values and derivatives.
    pub found: Arc<Sensitivities>,
}

/// A question under way.
#[derive(Clone, Debug)]
pub struct Running {
    /// For the line of progress.
    pub what: String,
    /// From 0 to 1, where it can be said.
    pub part: Option<f32>,
}

/// What studies are at: what the panel reads.
#[derive(Clone, Debug, Default)]
pub struct Studies {
    /// What is under way.
    pub running: Option<Running>,
    /// The newest sweep.
    pub sweep: Option<Sweep>,
    /// The newest values for goals.
    pub found: Option<Found>,
    /// The newest table of what each 1 % does.
    pub tolerances: Option<Tolerances>,
    /// Why the last question has no answer.
    pub failure: Option<String>,
}

impl Studies {
    /// Takes in what came from the thread.
    pub fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Began(sweep) => self.sweep = Some(sweep),
            Heard::Point(record) => {
                if let Some(sweep) = &mut self.sweep {
                    sweep.records.insert(record.index, record);
                    if let Some(running) = &mut self.running {
                        let (done, all) = (sweep.records.len(), sweep.header.points.max(1));
                        running.part = Some(done as f32 / all as f32);
                        running.what = format!("{done} of {all} points");
                    }
                }
            }
            Heard::Step(step, miss) => {
                if let Some(running) = &mut self.running {
                    running.what = format!("step {step}, missed by {}", percent(miss));
                }
            }
            Heard::Found(found) => self.found = Some(found),
            Heard::Tolerances(tolerances) => self.tolerances = Some(tolerances),
            Heard::Failed(message) => self.failure = Some(message),
            Heard::Done => self.running = None,
        }
    }
}

/// A number of anything, for people.
pub fn show(value: f64, powers: Powers) -> String {
    match Dimension::of_powers(powers) {
        Some(dimension) => {
            let whole = show_quantity(value, dimension);
            let parts = whole.split_once(' ');
            let number = parts.and_then(|(number, _)| number.parse().ok());
            match (parts, number) {
                (Some((_, unit)), Some(number)) => format!("{} {unit}", in_figures(number)),
                _ => whole,
            }
        }
        None => format!("{} {}", figures(value), unit(powers))
            .trim()
            .to_owned(),
    }
}

/// To the five figures that are shown of what was computed.
fn in_figures(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

/// An SI value as a value of designs, if they speak of such.
pub fn as_value(value: f64, powers: Powers) -> Option<Value> {
    match powers {
        [0, 0, 0, 0, 0] => Some(Value::Number(value)),
        powers => Dimension::of_powers(powers).map(|dimension| Value::Quantity(value, dimension)),
    }
}

#[cfg(test)]
mod tests;
