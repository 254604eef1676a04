//! A table of what each 1 % does: rows are numbers of the design, columns results, the stronger the deeper the colour.

use eframe::egui::{Button, Color32, Grid, RichText, Ui};

use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::enabled::is_enabled;
use crate::studies::{Question, StudyCommand, Tolerances, show};
use stokeslet_study::tolerances::percentages;

pub(super) fn ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let ask = Command::Study(StudyCommand::Ask(Question::Tolerances));
    let enabled = is_enabled(&ask, context);
    ui.horizontal_wrapped(|ui| {
        let button = ui.add_enabled(enabled.is_ok(), Button::new("What does 1 % do?"));
        if button.clicked() {
            out.push(ask);
        }
        if let Err(why) = enabled {
            button.on_disabled_hover_text(why);
        }
        ui.weak("Per cent that a result changes by where a number of the design grows by 1 %.");
    });
    if let Some(tolerances) = &context.studies.tolerances {
        table(ui, tolerances);
    }
}

fn table(ui: &mut Ui, tolerances: &Tolerances) {
    let found = &tolerances.found;
    let columns = tolerances.outputs.len() + 2;
    Grid::new("tolerances")
        .num_columns(columns)
        .striped(true)
        .show(ui, |ui| {
            ui.strong("1 % of");
            ui.label("");
            for output in &tolerances.outputs {
                let name = output.name.trim_start_matches("ports.");
                ui.strong(name);
            }
            ui.end_row();
            let rows = percentages(found);
            let derived = found.parameters.iter().zip(&found.derivatives);
            for ((parameter, derivatives), row) in derived.zip(rows) {
                ui.label(parameter.name.as_str());
                ui.weak(show(parameter.value, parameter.powers));
                match derivatives {
                    Ok(_) => {
                        for percent in row {
                            match percent {
                                Some(percent) => cell(ui, percent),
                                None => {
                                    ui.weak("–");
                                }
                            }
                        }
                    }
                    Err(reason) => {
                        ui.weak("can't be moved").on_hover_text(reason);
                    }
                }
                ui.end_row();
            }
        });
}

/// Per cent for 1 %, on a ground as deep as it is strong; 3 is what a width does where the depth follows it.
fn cell(ui: &mut Ui, percent: f64) {
    let strength = (percent.abs() / 3.0).min(1.0) as f32;
    let hue = match percent >= 0.0 {
        true => Color32::from_rgb(0xd5, 0x5e, 0x00),
        false => Color32::from_rgb(0x00, 0x72, 0xb2),
    };
    // What is nothing but rounding has no sign.
    let text = match percent.abs() < 5e-4 {
        true => " 0    ".to_owned(),
        false => format!("{percent:+.3}"),
    };
    let text = RichText::new(text).monospace();
    ui.label(text.background_color(hue.gamma_multiply(0.6 * strength)));
}
