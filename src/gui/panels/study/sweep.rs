//! One variable from here to there, and a chart of what becomes of the results.

use eframe::egui::{ComboBox, DragValue, Role, TextEdit, Ui, WidgetInfo};

use super::chart::{self, Drawn};
use super::{no_variables, numbers, results};
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::fields::named;
use crate::panels::values::{read_quantity, show};
use crate::studies::{Question, StudyCommand, Sweep};
use stokeslet_base::units::Dimension;
use stokeslet_cad::design::{Design, Value, Variable};
use stokeslet_study::study::Study;

/// Width of what is asked, beside the chart.
const FORM: f32 = 300.0;

/// What is typed and chosen.
#[derive(Debug)]
pub(super) struct Form {
    /// Name of the variable, and the ends as typed.
    variable: Option<String>,
    from: String,
    to: String,
    count: usize,
    /// Columns besides those of the ports.
    with_fields: bool,
    formula: String,
    /// What is drawn: a column of the sweep, over this of its variables.
    drawn: String,
    over: usize,
    /// On which axes, that of the variable and that of the result.
    logarithmic: [bool; 2],
}

impl Default for Form {
    fn default() -> Self {
        Self {
            variable: None,
            from: String::new(),
            to: String::new(),
            count: 11,
            with_fields: false,
            formula: String::new(),
            drawn: String::new(),
            over: 0,
            logarithmic: [false; 2],
        }
    }
}

/// A sweep of a variable between two values, SI, of the flows and pressures at all ports and of `extra` formulas.
pub fn sweep_of(
    name: &str,
    (ends, dimension): ([f64; 2], Option<Dimension>),
    count: usize,
    extra: &[String],
) -> Study {
    let outputs = extra.iter().map(|f| (f.clone(), f.clone())).collect();
    let powers = dimension.map_or([0; 5], Dimension::powers);
    Study::over(name, (ends, powers), count, outputs)
}

impl Form {
    pub(super) fn ui(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        (design, bottom): (&Design, f32),
        out: &mut Vec<Command>,
    ) {
        let Some((first, _)) = numbers(design).next() else {
            no_variables(ui, out);
            return;
        };
        let chosen = numbers(design).find(|(v, _)| Some(&v.name) == self.variable.as_ref());
        let variable = chosen.map_or(first, |(variable, _)| variable);
        if self.variable.as_ref() != Some(&variable.name) {
            self.choose(variable);
        }
        ui.horizontal_top(|ui| {
            ui.vertical(|ui| {
                ui.set_width(FORM);
                ui.horizontal_wrapped(|ui| self.question(ui, design, variable, out));
            });
            if let Some(sweep) = &context.studies.sweep {
                ui.vertical(|ui| self.chart(ui, context, (sweep, bottom), out));
            }
        });
    }

    /// What is asked, and the button that asks.
    fn question(
        &mut self,
        ui: &mut Ui,
        design: &Design,
        variable: &Variable,
        out: &mut Vec<Command>,
    ) {
        let combo = ComboBox::from_id_salt("swept").selected_text(&variable.name);
        let combo = combo.show_ui(ui, |ui| {
            for (other, _) in numbers(design) {
                if ui
                    .selectable_label(other.name == variable.name, &other.name)
                    .clicked()
                {
                    self.choose(other);
                }
            }
        });
        named(&combo.response, Role::ComboBox, "variable of the sweep");
        ui.label("from");
        text(ui, &mut self.from, "first value", 90.0);
        ui.label("to");
        text(ui, &mut self.to, "last value", 90.0);
        ui.label("in");
        let count = ui.add(DragValue::new(&mut self.count).range(2..=1000));
        named(&count, Role::SpinButton, "number of values");
        ui.label("values");
        ui.checkbox(&mut self.with_fields, "fields")
            .on_hover_text("Also greatest speed and wall shear: slower");
        text(ui, &mut self.formula, "formula of results", 200.0)
            .on_hover_text("A column of your own, such as ports.a.flow_rate / ports.b.flow_rate");
        let asked = self.study(design, variable);
        let button = ui.add_enabled(asked.is_ok(), eframe::egui::Button::new("Run sweep"));
        match asked {
            Ok(study) if button.clicked() => {
                out.push(Command::Study(StudyCommand::Ask(Question::Sweep(study))));
            }
            Ok(_) => {}
            Err(reason) => {
                button.on_disabled_hover_text(&reason);
                ui.colored_label(ui.visuals().error_fg_color, reason);
            }
        }
    }

    /// From half to twice what it is.
    fn choose(&mut self, variable: &Variable) {
        self.variable = Some(variable.name.clone());
        let show = |factor: f64| match &variable.value {
            Some(Value::Quantity(x, dimension)) => {
                crate::studies::show(factor * x, dimension.powers())
            }
            Some(Value::Number(x)) => (factor * x).to_string(),
            Some(value) => show(value),
            None => String::new(),
        };
        (self.from, self.to) = (show(0.5), show(2.0));
    }

    fn study(&self, design: &Design, variable: &Variable) -> Result<Study, String> {
        let (of, dimension) = match &variable.value {
            Some(Value::Quantity(_, dimension)) => (*dimension, Some(*dimension)),
            _ => (Dimension::Length, None),
        };
        let read = |text: &str| match dimension {
            Some(_) => read_quantity(text, of),
            None => match text.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(x),
                _ => Err("write numbers without a unit".to_owned()),
            },
        };
        let ends = [read(&self.from)?, read(&self.to)?];
        if ends[0] == ends[1] {
            return Err("both ends are the same".to_owned());
        }
        let formula = self.formula.trim();
        let mut extra = Vec::new();
        if self.with_fields || !formula.is_empty() {
            // Named one by one, since a list of columns replaces the usual ones.
            extra = results(design);
            if !self.with_fields {
                extra.retain(|name| name.starts_with("ports."));
            }
        }
        if !formula.is_empty() {
            extra.push(formula.to_owned());
        }
        Ok(sweep_of(
            &variable.name,
            (ends, dimension),
            self.count,
            &extra,
        ))
    }

    fn chart(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        (sweep, bottom): (&Sweep, f32),
        out: &mut Vec<Command>,
    ) {
        // The newest formula first, then whatever changes.
        let is_there = sweep.outputs.iter().any(|o| o.name == self.drawn);
        if !is_there {
            let own = sweep.outputs.iter().find(|o| o.name == self.formula.trim());
            let drawn = own.or_else(|| chart::liveliest(sweep));
            self.drawn = drawn.map_or_else(String::new, |o| o.name.clone());
        }
        self.over = self.over.min(sweep.variables.len().saturating_sub(1));
        ui.horizontal_wrapped(|ui| {
            let combo = ComboBox::from_id_salt("drawn")
                .width(220.0)
                .selected_text(&self.drawn);
            let combo = combo.show_ui(ui, |ui| {
                for output in &sweep.outputs {
                    let is_on = output.name == self.drawn;
                    if ui.selectable_label(is_on, &output.name).clicked() {
                        self.drawn = output.name.clone();
                    }
                }
            });
            named(&combo.response, Role::ComboBox, "result that is drawn");
            if sweep.variables.len() > 1 {
                ui.label("over");
                for (k, variable) in sweep.variables.iter().enumerate() {
                    ui.selectable_value(&mut self.over, k, &variable.name);
                }
            }
            let may_be = self.chosen().may_be_logarithmic(sweep);
            for (axis, label) in ["log x", "log y"].into_iter().enumerate() {
                let check = eframe::egui::Checkbox::new(&mut self.logarithmic[axis], label);
                ui.add_enabled(may_be[axis], check)
                    .on_hover_text("A logarithmic axis")
                    .on_disabled_hover_text("Not all of its numbers are above 0");
            }
            if ui
                .button("Copy as CSV")
                .on_hover_text("All columns in SI units, as the command line's results.csv")
                .clicked()
            {
                out.push(Command::Study(StudyCommand::CopyTable));
            }
            if let Some((n, why)) = sweep.failures() {
                let text = format!("{n} points failed: {why}");
                ui.colored_label(ui.visuals().warn_fg_color, text);
            }
        });
        // It fills what is left of the panel, and is never so low that it says nothing.
        let height = (bottom - ui.cursor().top() - 4.0).max(96.0);
        chart::ui(ui, context, sweep, (self.chosen(), height), out);
    }

    fn chosen(&self) -> Drawn<'_> {
        Drawn {
            result: &self.drawn,
            over: self.over,
            logarithmic: self.logarithmic,
        }
    }
}

fn text(ui: &mut Ui, text: &mut String, label: &str, width: f32) -> eframe::egui::Response {
    let edit = TextEdit::singleline(text).desired_width(width);
    let response = ui.add(edit.hint_text(label));
    let (label, value) = (label.to_owned(), text.clone());
    response.widget_info(|| WidgetInfo {
        label: Some(label.clone()),
        current_text_value: Some(value.clone()),
        ..WidgetInfo::new(Role::TextInput)
    });
    response
}
