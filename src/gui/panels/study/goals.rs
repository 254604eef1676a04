//! What results should be, which variables may change for it, and the values that were found.

use std::collections::BTreeSet;

use eframe::egui::{Button, Grid, Key, RichText, Role, TextEdit, Ui, WidgetInfo};

use super::{no_variables, numbers, results};
use crate::command::Command;
use crate::context::ViewContext;
use crate::studies::{Found, Question, StudyCommand, show};
use stokeslet_cad::design::Design;
use stokeslet_flow::export::readable::percent;
use stokeslet_study::fit::TOLERANCE;

/// What is typed and chosen.
#[derive(Debug)]
pub(super) struct Form {
    goals: Vec<String>,
    /// Variables that may not change.
    kept: BTreeSet<String>,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            goals: vec![String::new()],
            kept: BTreeSet::new(),
        }
    }
}

impl Form {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        design: &Design,
        out: &mut Vec<Command>,
    ) {
        if numbers(design).next().is_none() {
            no_variables(ui, out);
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.label("May change:");
            for (variable, _) in numbers(design) {
                let mut may = !self.kept.contains(&variable.name);
                if ui.checkbox(&mut may, &variable.name).changed() {
                    match may {
                        true => self.kept.remove(&variable.name),
                        false => self.kept.insert(variable.name.clone()),
                    };
                }
            }
        });
        let mut gone = None;
        let n = self.goals.len();
        for (k, goal) in self.goals.iter_mut().enumerate() {
            ui.horizontal(|ui| {
                let edit = TextEdit::singleline(goal)
                    .desired_width(420.0)
                    .hint_text("ports.a.flow_rate = 2 * ports.b.flow_rate");
                let response = ui.add(edit);
                // Keys that follow are no commands of the canvas.
                if response.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter)) {
                    response.request_focus();
                }
                let (label, value) = (format!("goal {}", k + 1), goal.clone());
                response.widget_info(|| WidgetInfo {
                    label: Some(label.clone()),
                    current_text_value: Some(value.clone()),
                    ..WidgetInfo::new(Role::TextInput)
                });
                ui.menu_button("Insert…", |ui| {
                    for word in ["minimise ", "maximise "].map(str::to_owned) {
                        if goal.is_empty() && ui.button(&word).clicked() {
                            goal.push_str(&word);
                        }
                    }
                    for name in results(design) {
                        if ui.button(&name).clicked() {
                            goal.push_str(&name);
                        }
                    }
                });
                if n > 1
                    && ui
                        .small_button("×")
                        .on_hover_text("Remove this goal")
                        .clicked()
                {
                    gone = Some(k);
                }
            });
        }
        if let Some(k) = gone {
            self.goals.remove(k);
        }
        ui.horizontal(|ui| {
            if ui.button("Another goal").clicked() {
                self.goals.push(String::new());
            }
            let varied: Vec<String> = numbers(design)
                .filter(|(v, _)| !self.kept.contains(&v.name))
                .map(|(v, _)| v.name.clone())
                .collect();
            let goals: Vec<String> = self
                .goals
                .iter()
                .map(|goal| goal.trim().to_owned())
                .filter(|goal| !goal.is_empty())
                .collect();
            let why = match (varied.is_empty(), goals.is_empty()) {
                (true, _) => Some("No variable may change"),
                (_, true) => Some("Write what you want first"),
                _ => None,
            };
            let button = ui.add_enabled(why.is_none(), Button::new("Find values"));
            if button.clicked() {
                let question = Question::Goals { varied, goals };
                out.push(Command::Study(StudyCommand::Ask(question)));
            }
            if let Some(why) = why {
                button.on_disabled_hover_text(why);
            }
        });
        if let Some(found) = &context.studies.found {
            answer(ui, found, out);
        }
    }
}

fn answer(ui: &mut Ui, found: &Found, out: &mut Vec<Command>) {
    ui.separator();
    Grid::new("found")
        .num_columns(4)
        .striped(true)
        .show(ui, |ui| {
            let both = found.before.iter().zip(&found.values);
            for (variable, (before, value)) in found.variables.iter().zip(both) {
                ui.label(variable.name.as_str());
                ui.label(show(*before, variable.powers));
                ui.label("to");
                ui.strong(show(*value, variable.powers));
                ui.end_row();
            }
        });
    for (goal, miss) in &found.goals {
        let text = match miss {
            Some(miss) if miss.abs() <= TOLERANCE => format!("{goal}: met"),
            Some(miss) => format!(
                "{goal}: missed by {} of its sides' mean",
                percent(miss.abs())
            ),
            None => goal.clone(),
        };
        ui.label(text);
    }
    ui.horizontal(|ui| {
        if ui.button("Take these values").clicked() {
            out.push(Command::Study(StudyCommand::TakeFound));
        }
        if !found.is_met {
            let text = "The goals can't all be met between a tenth and ten times the values.";
            ui.label(RichText::new(text).color(ui.visuals().warn_fg_color));
        }
    });
}
