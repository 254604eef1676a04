//! The panel of studies: one variable over a range as a chart, values that meet goals, what each 1 % does.

mod chart;
mod goals;
mod sweep;
mod tolerances;

use eframe::egui::{ProgressBar, RichText, ScrollArea, Ui};

pub use sweep::sweep_of;

use super::table::View;
use crate::command::Command;
use crate::context::ViewContext;
use crate::studies::StudyCommand;
use stokeslet_cad::design::{Design, Value, Variable};

/// Which question is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Sweep,
    Goals,
    Tolerances,
}

impl Mode {
    const ALL: [(Mode, &'static str, &'static str); 3] = [
        (Mode::Sweep, "Sweep", "How results depend on a variable"),
        (
            Mode::Goals,
            "Goals",
            "Values of variables that give the results you want",
        ),
        (
            Mode::Tolerances,
            "Tolerances",
            "What 1 % of each width, length and port value does to each port",
        ),
    ];
}

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct Panel {
    mode: Mode,
    sweep: sweep::Form,
    goals: goals::Form,
}

impl View for Panel {
    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let studies = context.studies;
        ui.horizontal(|ui| {
            for (mode, label, hint) in Mode::ALL {
                let is_on = self.mode == mode;
                if ui
                    .selectable_label(is_on, label)
                    .on_hover_text(hint)
                    .clicked()
                {
                    self.mode = mode;
                }
            }
            if let Some(running) = &studies.running {
                ui.separator();
                if ui
                    .button("Stop")
                    .on_hover_text("What was found stays")
                    .clicked()
                {
                    out.push(Command::Study(StudyCommand::Stop));
                }
                match running.part {
                    Some(part) => {
                        let bar = ProgressBar::new(part).desired_width(180.0);
                        ui.add(bar.text(running.what.as_str()));
                    }
                    None => {
                        ui.spinner();
                        ui.label(running.what.as_str());
                    }
                }
            }
        });
        if let Some(failure) = &studies.failure {
            let text = RichText::new(failure.as_str()).color(ui.visuals().error_fg_color);
            ui.add(eframe::egui::Label::new(text).wrap());
        }
        let Some(design) = context.document.shown_design() else {
            ui.weak("The file can't be read as a design: see Problems and Source.");
            return;
        };
        let bottom = ui.max_rect().bottom();
        ScrollArea::both()
            .auto_shrink(false)
            .show(ui, |ui| match self.mode {
                Mode::Sweep => self.sweep.ui(ui, context, (design, bottom), out),
                Mode::Goals => self.goals.ui(ui, context, design, out),
                Mode::Tolerances => tolerances::ui(ui, context, out),
            });
    }
}

/// Variables with a number of their own: those that can be varied.
fn numbers(design: &Design) -> impl Iterator<Item = (&Variable, f64)> {
    let all = design.parametric.variables.iter();
    all.filter_map(|variable| match &variable.value {
        _ if variable.source.starts_with("\"=") => None,
        Some(Value::Quantity(value, _) | Value::Number(value)) => Some((variable, *value)),
        _ => None,
    })
}

/// Names of results that formulas can use.
fn results(design: &Design) -> Vec<String> {
    let mut names = Vec::new();
    for port in &design.ports {
        let port = &port.name.value;
        names.push(format!("ports.{port}.flow_rate"));
        names.push(format!("ports.{port}.pressure"));
    }
    names.extend(["max_speed", "wall_shear.max", "wall_shear.mean"].map(str::to_owned));
    if design.model.is_averaged() {
        names.extend(["floor_shear.max", "floor_shear.mean"].map(str::to_owned));
    }
    names
}

/// Said where nothing can be varied.
fn no_variables(ui: &mut Ui, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.weak("The design has no variable with a number yet.");
        if ui.button("Variables…").clicked() {
            out.push(Command::TogglePanel(crate::command::Panel::Variables));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Panel as P;
    use crate::panels::testing::{Shown, harness, opened_example};
    use crate::studies::{Column, Question, Studies, Sweep};
    use egui_kittest::kittest::{NodeT as _, Queryable as _};
    use stokeslet_study::journal::Header;
    use stokeslet_study::run::{Cell, Record, Status};

    #[test]
    fn each_question_is_asked_by_a_button() {
        let mut state = opened_example("serpentine-mixing");
        state.settings.panels.insert(P::Study);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(P::Study);
        let mut harness = harness(&shown);
        harness.get_by_label("Run sweep").click();
        harness.run_steps(2);
        let asked = shown.borrow().commands.last().cloned();
        let Some(Command::Study(StudyCommand::Ask(Question::Sweep(study)))) = asked else {
            panic!("{asked:?}");
        };
        assert_eq!(study.ranges[0].name, "flow");
        assert_eq!(study.ranges[0].values.len(), 11);
        assert!(study.ports_only, "no fields unless they are asked for");
        harness.get_by_label("Tolerances").click();
        harness.run_steps(2);
        harness.get_by_label("What does 1 % do?").click();
        harness.run_steps(2);
        let asked = shown.borrow().commands.last().cloned();
        let want = Command::Study(StudyCommand::Ask(Question::Tolerances));
        assert_eq!(asked, Some(want));
        // What can't be answered is said where it was asked.
        shown.borrow_mut().state.studies = Studies {
            failure: Some("It can't be.".to_owned()),
            ..Studies::default()
        };
        harness.run_steps(2);
        harness.get_by_label("It can't be.");
    }
    /// Flows over three decades of a pressure, and one that changes its sign.
    fn sweep() -> Sweep {
        let column = |name: &str, powers| Column {
            name: name.to_owned(),
            powers,
        };
        let record = |index: usize, x: f64| Record {
            index,
            values: vec![Cell::Number(x)],
            resolution: None,
            status: Status::Ok,
            message: String::new(),
            outputs: vec![Some(1e-12 * x), Some(x - 50.0)],
            seconds: 0.0,
        };
        let records = [1.0, 10.0, 100.0, 1000.0].into_iter().enumerate();
        Sweep {
            variables: vec![column("drop", [1, -1, -2, 0, 0])],
            outputs: vec![column("q", [0, 3, -1, 0, 0]), column("over", [0; 5])],
            header: Header {
                study: 1,
                key: String::new(),
                points: 4,
                shard: (1, 1),
                variables: vec!["drop".to_owned()],
                n_nominal: 0,
                has_resolution: false,
                outputs: vec!["q".to_owned(), "over".to_owned()],
            },
            records: records.map(|(k, x)| (k, record(k, x))).collect(),
        }
    }

    #[test]
    fn axes_are_logarithmic_where_that_is_chosen_and_can_be() {
        let mut state = opened_example("serpentine-mixing");
        state.settings.panels.insert(P::Study);
        state.studies.sweep = Some(sweep());
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(P::Study);
        let mut harness = harness(&shown);
        harness.run_steps(2);
        // What changes its sign changes by more than its size, and so is drawn first.
        assert!(harness.get_by_label("log y").accesskit_node().is_disabled());
        assert!(!harness.get_by_label("log x").accesskit_node().is_disabled());
        harness.get_by_label("result that is drawn").click();
        harness.run_steps(2);
        harness.get_by_label("q").click();
        harness.run_steps(2);
        for axis in ["log x", "log y"] {
            assert!(!harness.get_by_label(axis).accesskit_node().is_disabled());
            harness.get_by_label(axis).click();
            harness.run_steps(2);
        }
        let toggled = |harness: &egui_kittest::Harness<'_>, axis: &str| {
            harness.get_by_label(axis).accesskit_node().toggled()
        };
        for axis in ["log x", "log y"] {
            let on = Some(eframe::egui::accesskit::Toggled::True);
            assert_eq!(toggled(&harness, axis), on, "{axis}");
        }
    }
}
