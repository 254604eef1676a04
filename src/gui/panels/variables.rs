//! The design's variables: a field, and a slider that the flow follows.

use eframe::egui::{self, RichText, Slider, TextEdit, Ui, WidgetInfo};
use rustc_hash::FxHashMap;

use super::fields::{Field, Fields, row, tick, unit_of};
use super::table::View;
use super::values::{Measure, read_quantity, rounded, show, show_quantity};
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::study::sweep_of;
use crate::studies::{Question, StudyCommand};
use stokeslet_base::units::{Dimension, parse_any_quantity};
use stokeslet_cad::design::{Value, Variable};

/// Width of fields.
const FIELD: f32 = 110.0;
/// Values that a sweep takes between the ends of a slider.
const SWEPT: usize = 11;

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct Variables {
    fields: Fields,
    /// By variable: the ends of its slider.
    ends: FxHashMap<String, [f64; 2]>,
    new: (String, String),
}

impl View for Variables {
    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let Some(design) = context.document.shown_design() else {
            ui.weak("The file can't be read as a design: see Problems and Source.");
            return;
        };
        let variables = &design.parametric.variables;
        if variables.is_empty() {
            let text = "A variable is a number with a name that lengths, widths and port values are made of: add one here, then write =name in a field, \
                or right-click a field of the inspector.";
            ui.add(egui::Label::new(RichText::new(text).weak()).wrap());
        }
        for variable in variables {
            self.variable(ui, variable, out);
        }
        self.add(ui, variables, out);
    }

    fn is_typing(&self) -> bool {
        self.fields.is_typing()
    }
}

impl Variables {
    fn variable(&mut self, ui: &mut Ui, variable: &Variable, out: &mut Vec<Command>) {
        let name = variable.name.as_str();
        let set = |value: Value| Command::SetVariable(name.to_owned(), value);
        let source = unquoted(&variable.source);
        if source.starts_with('=') {
            let known = variable.value.as_ref().map_or_else(String::new, show);
            let field = Field {
                key: name,
                label: name,
                shown: source,
                is_default: false,
                doc: "An expression of other variables.",
                measure: None,
                width: 2.0 * FIELD,
            };
            let read = |text: &str| Ok(typed(text));
            let new = self.fields.row(ui, name, &field, read, |ui| {
                ui.weak(known);
                remove(ui, name, out);
            });
            out.extend(new.map(set));
            return;
        }
        match &variable.value {
            Some(Value::Quantity(value, dimension)) => {
                self.number(ui, name, (*value, Some(*dimension), false), out);
            }
            Some(Value::Number(value)) => {
                let is_whole = source.parse::<i64>().is_ok();
                self.number(ui, name, (*value, None, is_whole), out);
            }
            Some(Value::Bool(is_so)) => {
                let ticked = row(ui, name, "", |ui| {
                    let ticked = tick(ui, name, *is_so, "");
                    remove(ui, name, out);
                    ticked
                });
                out.extend(ticked.map(|is_so| set(Value::Bool(is_so))));
            }
            Some(value) => {
                let shown = show(value);
                let field = Field {
                    key: name,
                    label: name,
                    shown: &shown,
                    is_default: false,
                    doc: "A text.",
                    measure: None,
                    width: 2.0 * FIELD,
                };
                let read = |text: &str| Ok(typed(text));
                let new = self
                    .fields
                    .row(ui, name, &field, read, |ui| remove(ui, name, out));
                out.extend(new.map(set));
            }
            None => {
                row(ui, name, "Its value can't be known: see Problems.", |ui| {
                    ui.weak(source);
                    remove(ui, name, out);
                });
            }
        }
    }

    /// A number: field, slider, and a sweep between the ends of the slider.
    fn number(
        &mut self,
        ui: &mut Ui,
        name: &str,
        (value, dimension, is_whole): (f64, Option<Dimension>, bool),
        out: &mut Vec<Command>,
    ) {
        let of = |x: f64| match dimension {
            Some(dimension) => Value::Quantity(x, dimension),
            None => Value::Number(x),
        };
        let shown = match dimension {
            Some(dimension) => show_quantity(value, dimension),
            None => value.to_string(),
        };
        let measure = match dimension {
            Some(dimension) => Measure::Quantity(dimension),
            None if is_whole => Measure::Count,
            None => Measure::Number,
        };
        let field = Field {
            key: name,
            label: name,
            shown: &shown,
            is_default: false,
            doc: "",
            measure: Some(measure),
            width: FIELD,
        };
        let read = |text: &str| match (text.trim().starts_with('='), dimension) {
            (true, _) => Ok(Value::Text(text.trim().to_owned())),
            (false, Some(dimension)) => read_quantity(text, dimension).map(of),
            (false, None) => match text.trim().parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(of(x)),
                _ => Err("write a number without a unit, or = and an expression".to_owned()),
            },
        };
        let ends = self.ends.entry(name.to_owned()).or_insert([0.0; 2]);
        if !(ends[0]..=ends[1]).contains(&value) || ends[0] == ends[1] {
            *ends = about(value, is_whole);
        }
        let mut slid = None;
        let new = self.fields.row(ui, name, &field, read, |ui| {
            let mut x = value;
            ui.spacing_mut().slider_width = (ui.available_width() - 110.0).clamp(60.0, 320.0);
            let slider = Slider::new(&mut x, ends[0]..=ends[1])
                .show_value(false)
                .trailing_fill(true);
            let response = ui.add(slider);
            let label = format!("{name} slider");
            response.widget_info(|| WidgetInfo::slider(true, x, label.clone()));
            if response.changed() {
                slid = stepped_as_shown(x, (value, &shown), *ends, measure)
                    .filter(|x| *x != value)
                    .map(of);
            }
            // What stands at an end when it is let go wants to go on.
            if response.drag_stopped() && ends.contains(&value) {
                *ends = about(value, is_whole);
            }
            let tip = format!(
                "{SWEPT} values from {} to {}, as a chart",
                show(&of(ends[0])),
                show(&of(ends[1]))
            );
            if ui.small_button("Sweep").on_hover_text(tip).clicked() {
                let study = sweep_of(name, (*ends, dimension), SWEPT, &[]);
                out.push(Command::Study(StudyCommand::Ask(Question::Sweep(study))));
            }
            remove(ui, name, out);
        });
        let new = new.or(slid);
        out.extend(new.map(|value| Command::SetVariable(name.to_owned(), value)));
    }

    /// The line that makes a new one.
    fn add(&mut self, ui: &mut Ui, variables: &[Variable], out: &mut Vec<Command>) {
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            let (name, value) = &mut self.new;
            let labelled = |ui: &mut Ui, text: &mut String, hint: &str, label: &str, width: f32| {
                let response = ui.add(
                    TextEdit::singleline(text)
                        .hint_text(hint)
                        .desired_width(width),
                );
                let (label, value) = (label.to_owned(), text.clone());
                response.widget_info(|| WidgetInfo {
                    label: Some(label.clone()),
                    current_text_value: Some(value.clone()),
                    ..WidgetInfo::new(egui::Role::TextInput)
                });
                response
            };
            labelled(ui, name, "name", "name of the new variable", 86.0);
            let field = labelled(ui, value, "100 um", "value of the new variable", FIELD);
            let entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
            let is_taken = variables.iter().any(|v| v.name == name.trim());
            let can = !name.trim().is_empty() && !is_taken;
            let button = ui.add_enabled(can, egui::Button::new("Add variable"));
            let button = match is_taken {
                true => button.on_disabled_hover_text("There is one of this name already"),
                false => button.on_disabled_hover_text("It needs a name"),
            };
            if can && (button.clicked() || entered) {
                let given = match value.trim() {
                    "" => "100 um",
                    given => given,
                };
                out.push(Command::SetVariable(name.trim().to_owned(), typed(given)));
                self.new = Default::default();
            }
        });
    }
}

/// The button that removes a variable.
fn remove(ui: &mut Ui, name: &str, out: &mut Vec<Command>) {
    let response = ui.small_button("×");
    response.widget_info(|| {
        WidgetInfo::labeled(egui::Role::Button, true, format!("Remove variable {name}"))
    });
    if response
        .on_hover_text(format!("Remove {name}; refused while something uses it"))
        .clicked()
    {
        out.push(Command::RemoveVariable(name.to_owned()));
    }
}

/// What somebody typed: a number, a quantity, an expression or a text.
fn typed(text: &str) -> Value {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>()
        && number.is_finite()
    {
        return Value::Number(number);
    }
    let quantity = parse_any_quantity(text).ok();
    match quantity.and_then(|(x, powers)| Some((x, Dimension::of_powers(powers)?))) {
        Some((x, dimension)) => Value::Quantity(x, dimension),
        None => Value::Text(text.to_owned()),
    }
}

/// A text of TOML without its quotes.
fn unquoted(source: &str) -> &str {
    let inner = |quote: char| {
        source
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    inner('"').or_else(|| inner('\'')).unwrap_or(source)
}

/// Ends of a slider about a value: from a quarter to two and a half times.
fn about(value: f64, is_whole: bool) -> [f64; 2] {
    let ends = match value {
        0.0 => [-1.0, 1.0],
        value if value > 0.0 => [0.25 * value, 2.5 * value],
        value => [2.5 * value, 0.25 * value],
    };
    match is_whole {
        true => [ends[0].floor().max(1.0_f64.min(value)), ends[1].ceil()],
        false => ends,
    }
}

/// As [`stepped`], round in the unit that the value is shown in.
fn stepped_as_shown(
    x: f64,
    (value, shown): (f64, &str),
    ends: [f64; 2],
    measure: Measure,
) -> Option<f64> {
    let Measure::Quantity(dimension) = measure else {
        return Some(stepped(x, ends, measure == Measure::Count));
    };
    let unit = unit_of(shown)?;
    let number: f64 = shown.trim().strip_suffix(unit)?.trim().parse().ok()?;
    let factor = if number == 0.0 { 1.0 } else { value / number };
    let number = stepped(x / factor, ends.map(|end| end / factor), false);
    read_quantity(&format!("{number} {unit}"), dimension).ok()
}

/// The nearest round value between the ends: a slider has no use for more than some hundred of them.
fn stepped(x: f64, [from, to]: [f64; 2], is_whole: bool) -> f64 {
    if is_whole {
        return x.round().clamp(from, to);
    }
    let step = 10_f64.powf(((to - from) / 100.0).log10().floor());
    rounded((x / step).round() * step).clamp(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Panel;
    use crate::panels::testing::{Shown, harness, opened};
    use eframe::egui::Key;
    use eframe::egui::accesskit::Role;
    use egui_kittest::kittest::Queryable as _;

    const WITH: &str = "format = 1\n\n[variables]\nw = \"100 um\"\nn = 4\ndouble = \"=2 * w\"\n\n[fluid]\nviscosity = \"1 mPa s\"\n\n[chip]\nmodel = \"planar\"\nwidth = \"=w\"\n";

    #[test]
    fn a_variable_is_typed_slid_swept_added_and_removed() {
        let mut state = opened(WITH);
        state.settings.panels.insert(Panel::Variables);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::Variables);
        let mut harness = harness(&shown);
        harness.get_by_label_contains("200 µm");
        harness.get_by_role_and_label(Role::TextInput, "w").click();
        harness.run_steps(2);
        harness.event(egui::Event::Text("=n * 30 um".to_owned()));
        harness.run_steps(2);
        harness.key_press(Key::Enter);
        harness.run_steps(3);
        let of = |name: &str, value: Value| Command::SetVariable(name.to_owned(), value);
        let want = of("w", Value::Text("=n * 30 um".to_owned()));
        assert_eq!(shown.borrow().commands, [want]);
        shown.borrow_mut().commands.clear();
        let slider = harness.get_by_role_and_label(Role::Slider, "n slider");
        let rect = slider.rect();
        harness.drag_at(rect.center());
        harness.run_steps(2);
        harness.hover_at(rect.right_center());
        harness.run_steps(2);
        harness.drop_at(rect.right_center());
        harness.run_steps(2);
        let last = shown.borrow().commands.last().cloned();
        assert_eq!(
            last,
            Some(of("n", Value::Number(10.0))),
            "two and a half times"
        );
        shown.borrow_mut().commands.clear();
        harness.get_by_label("Remove variable double").click();
        harness.run_steps(2);
        let want = Command::RemoveVariable("double".to_owned());
        assert_eq!(shown.borrow().commands, [want]);
    }

    #[test]
    fn slider_steps_are_round_and_stay_within() {
        assert_eq!(stepped(1.0512345e-4, [2.5e-5, 2.5e-4], false), 1.05e-4);
        assert_eq!(stepped(9.0, [1.0, 3.0], false), 3.0);
        let minute = 1e-9 / 60.0;
        let flow = Measure::Quantity(Dimension::FlowRate);
        let slid = stepped_as_shown(
            1.2534 * minute,
            (minute, "1 µL/min"),
            [0.0, 2.5 * minute],
            flow,
        );
        let wanted = read_quantity("1.25 µL/min", Dimension::FlowRate).ok();
        assert_eq!(slid, wanted, "round in its unit");
        assert_eq!(stepped(3.4, [1.0, 10.0], true), 3.0);
        assert_eq!(about(4.0, true), [1.0, 10.0]);
        assert_eq!(typed("=2*w"), Value::Text("=2*w".into()));
        assert_eq!(typed("5 um"), Value::Quantity(5e-6, Dimension::Length));
        assert_eq!(typed("4"), Value::Number(4.0));
    }
}
