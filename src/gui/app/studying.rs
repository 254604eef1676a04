//! What commands about studies do, and what is heard of them.

use super::App;
use crate::command::{Command, Panel};
use crate::panels::Notice;
use crate::panels::values::rounded;
use crate::studies::{Job, Running, StudyCommand, as_value};
use stokeslet_cad::design::Edit;
use stokeslet_study::run::Cell;
use stokeslet_study::table::write_csv;

impl App {
    /// Does a command about studies.
    pub(super) fn apply_to_studies(&mut self, command: &StudyCommand) {
        match command {
            StudyCommand::Ask(question) => {
                self.open_panel(Panel::Study);
                let ctx = self.ctx.clone();
                let job = Job {
                    text: self.state.document.text.clone(),
                    name: self.state.document.name().to_owned(),
                    library: self.state.library.clone(),
                    question: question.clone(),
                };
                self.asker.ask(job, move || ctx.request_repaint());
                self.state.studies.failure = None;
                self.state.studies.running = Some(Running {
                    what: "begins".to_owned(),
                    part: None,
                });
            }
            StudyCommand::Stop => {
                self.asker.stop();
                self.state.studies.running = None;
            }
            StudyCommand::TakePoint(index) => self.take_point(*index),
            StudyCommand::TakeFound => {
                let Some(found) = self.state.studies.found.clone() else {
                    return;
                };
                let both = found.variables.iter().zip(&found.values);
                let edits = both.filter_map(|(variable, value)| {
                    Some(Edit::SetVariable {
                        name: variable.name.clone(),
                        value: as_value(*value, variable.powers)?,
                    })
                });
                let edits: Vec<Edit> = edits.collect();
                self.apply(Command::Edit("Take the values found".to_owned(), edits));
            }
            StudyCommand::CopyTable => {
                let Some(sweep) = &self.state.studies.sweep else {
                    return;
                };
                let mut table = Vec::new();
                // Writing to memory doesn't fail.
                if write_csv(&mut table, &sweep.header, &sweep.records).is_ok() {
                    self.ctx
                        .copy_text(String::from_utf8_lossy(&table).into_owned());
                    self.notify(Notice::done("The sweep is on the clipboard, as CSV."));
                }
            }
        }
    }

    /// The design takes the values of a point.
    fn take_point(&mut self, index: usize) {
        let Some(sweep) = &self.state.studies.sweep else {
            return;
        };
        let Some(record) = sweep.records.get(&index) else {
            return;
        };
        let both = sweep.variables.iter().zip(&record.values);
        let edits = both.filter_map(|(variable, cell)| {
            let value = match cell {
                // As people would write it: points of a range lie between decimal digits.
                Cell::Number(value) => as_value(rounded(*value), variable.powers)?,
                Cell::Text(text) => stokeslet_cad::design::Value::Text(text.clone()),
            };
            Some(Edit::SetVariable {
                name: variable.name.clone(),
                value,
            })
        });
        let mut edits: Vec<Edit> = edits.collect();
        if let Some(resolution) = record.resolution {
            edits.push(Edit::SetResolution(Some(resolution)));
        }
        self.apply(Command::Edit(format!("Take point {index}"), edits));
    }

    /// What came from the thread since the last frame.
    pub(super) fn drain_studies(&mut self) {
        for heard in self.asker.drain() {
            self.state.studies.hear(heard);
        }
        if self.asker.is_idle() {
            self.state.studies.running = None;
        }
    }
}
