//! One component: name, place, every parameter, sockets.

use eframe::egui::{self, ComboBox, Ui};

use super::{FIELD, Inspector, Known, depth, head, section, sockets};
use crate::command::{Command, Panel};
use crate::context::ViewContext;
use crate::panels::assigned::{assigned, expression, read_or_expression};
use crate::panels::fields::{Field, named, row, tick};
use crate::panels::palette::defaults;
use crate::panels::values::{self, Measure, show, show_quantity};
use crate::words::capital;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, Radian};
use stokeslet_cad::design::{Attachment, Component, Edit, Placement, Value};
use stokeslet_cad::edits::{Drawing, can_be};
use stokeslet_cad::library::{Definition, Parameter, ParameterKind};

pub(super) fn ui(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    component: &Component,
    out: &mut Vec<Command>,
) {
    let (name, kind) = (component.name.value.as_str(), component.kind.value.as_str());
    let definition = context.library.get(kind);
    let doc = definition.map_or("There is no such component in the library.", |d| {
        d.doc.as_str()
    });
    head(ui, name, &kind.replace('_', " "), doc);
    inspector.rename(ui, name, Command::Rename, out);
    placement(inspector, ui, context, component, out);
    depth::ui(inspector, ui, context, (name, component.depth), out);
    if let Some(definition) = definition.filter(|d| !d.parameters.is_empty()) {
        section(ui, "Parameters");
        for parameter in &definition.parameters {
            self::parameter(
                inspector, ui, context, component, definition, parameter, out,
            );
        }
    }
    sockets::ui(ui, context, name, definition, out);
}

fn placement(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    component: &Component,
    out: &mut Vec<Command>,
) {
    let name = component.name.value.as_str();
    match &component.placement {
        Placement::Absolute {
            at,
            rotation,
            mirror,
        } => {
            let set = |at: Point, rotation: Radian, mirror: bool| {
                Command::SetPlacement(
                    name.to_owned(),
                    Placement::Absolute {
                        at,
                        rotation,
                        mirror,
                    },
                )
            };
            let key = |what: &str| format!("{name}.at.{what}");
            let length = Dimension::Length;
            if let Some(x) = inspector.quantity(
                ui,
                &key("x"),
                "x",
                at.x,
                length,
                "Place of its origin, to the right.",
                |_| (),
            ) {
                out.push(set(Point::new(x, at.y), *rotation, *mirror));
            }
            if let Some(y) = inspector.quantity(
                ui,
                &key("y"),
                "y",
                at.y,
                length,
                "Place of its origin, upwards.",
                |_| (),
            ) {
                out.push(set(Point::new(at.x, y), *rotation, *mirror));
            }
            let doc = "Counter-clockwise.";
            let turned = inspector.quantity(
                ui,
                &key("rotation"),
                "rotation",
                rotation.0,
                Dimension::Angle,
                doc,
                |ui| {
                    if ui.small_button("+90°").on_hover_text("Turn left").clicked() {
                        out.push(Command::Rotate(1));
                    }
                },
            );
            if let Some(angle) = turned {
                out.push(set(*at, Radian(angle), *mirror));
            }
            row(
                ui,
                "mirrored",
                "In its own x axis, before it is turned.",
                |ui| {
                    if let Some(is_mirrored) = tick(ui, "mirrored", *mirror, "") {
                        out.push(set(*at, *rotation, is_mirrored));
                    }
                },
            );
        }
        Placement::Attached(attachment) => {
            let text = format!("{} on {}", attachment.socket.value, attachment.to.value);
            row(
                ui,
                "attached by",
                "Its place follows from what it is attached to.",
                |ui| {
                    ui.add(egui::Label::new(&text).truncate())
                        .on_hover_text(&text);
                },
            );
            row(ui, "mirrored", "In its own x axis.", |ui| {
                if let Some(mirror) = tick(ui, "mirrored", attachment.mirror, "") {
                    let turned = Attachment {
                        mirror,
                        ..attachment.clone()
                    };
                    out.push(Command::SetPlacement(
                        name.to_owned(),
                        Placement::Attached(turned),
                    ));
                }
            });
            let motion = context
                .document
                .layout
                .item(name)
                .and_then(|item| context.document.layout.motions[item]);
            row(ui, "", "", |ui| {
                let tip = "Give it a place of its own: where it lies now.";
                let response = ui
                    .add_enabled(motion.is_some(), egui::Button::new("Detach"))
                    .on_hover_text(tip);
                if response.clicked() {
                    out.push(Command::Detach);
                }
            });
        }
    }
}

fn parameter(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    component: &Component,
    definition: &Definition,
    parameter: &Parameter,
    out: &mut Vec<Command>,
) {
    let name = component.name.value.as_str();
    let given = component
        .parameters
        .iter()
        .find(|(key, _)| key.value == parameter.name)
        .map(|(_, value)| &value.value);
    let known = known(inspector, context, (component, definition), parameter);
    let is_default = given.is_none();
    let expression = expression(context, name, &parameter.name);
    // Values in the form that files have; what the default evaluates to where the design says nothing.
    let shown = match given {
        Some(value) => show(value),
        None => plain(known.default.as_deref().unwrap_or_default()),
    };
    let doc = described(parameter, &known);
    let set = |value: Option<Value>| Command::SetParameter {
        component: name.to_owned(),
        parameter: parameter.name.clone(),
        value,
    };
    let label = parameter.name.replace('_', " ");
    let mut reset = false;
    let mut named_value = false;
    let can_vary = matches!(
        parameter.kind,
        ParameterKind::Length | ParameterKind::Angle | ParameterKind::Number | ParameterKind::Count
    );
    let mut after = |ui: &mut Ui| {
        if expression.is_some() {
            ui.weak(&shown);
        } else if can_vary {
            let response = ui.small_button("=");
            let told = format!("Make a variable of {label}");
            named(&response, egui::Role::Button, &told);
            let tip = "Make it a variable: with a slider, for sweeps and goals, and for other fields to use";
            named_value = response.on_hover_text(tip).clicked();
        }
        if !is_default {
            let response = ui
                .small_button("Reset")
                .on_hover_text("Back to the default");
            reset = response.clicked();
        }
    };
    match &parameter.kind {
        ParameterKind::Bool => row(ui, &label, &doc, |ui| {
            if let Some(is_so) = tick(ui, &label, shown == "true", &doc) {
                out.push(set(Some(Value::Bool(is_so))));
            }
            after(ui);
        }),
        ParameterKind::Choice(choices) => row(ui, &label, &doc, |ui| {
            let salt = (name, &parameter.name);
            let combo = ComboBox::from_id_salt(salt)
                .width(FIELD)
                .selected_text(&shown);
            let combo = combo.show_ui(ui, |ui| {
                for choice in choices {
                    if ui.selectable_label(*choice == shown, choice).clicked() && *choice != shown {
                        out.push(set(Some(Value::Text(choice.clone()))));
                    }
                }
            });
            named(&combo.response, egui::Role::ComboBox, &label);
            after(ui);
        }),
        kind => {
            let measure = match kind {
                ParameterKind::Length | ParameterKind::Angle => {
                    kind.dimension().map(Measure::Quantity)
                }
                ParameterKind::Number => Some(Measure::Number),
                ParameterKind::Count => Some(Measure::Count),
                _ => None,
            };
            let key = format!("{name}.{}", parameter.name);
            let field = Field {
                key: &key,
                label: &label,
                shown: expression.as_deref().unwrap_or(&shown),
                is_default,
                doc: &doc,
                measure: measure.filter(|_| expression.is_none()),
                width: FIELD,
            };
            let read = |text: &str| read_or_expression(text, kind);
            // A drag ends where the component can't be so; what is typed is told.
            let was_dragged = inspector.fields.is_dragging(&key);
            let value = inspector.fields.row(ui, &label, &field, read, after);
            let is_dragged = was_dragged || inspector.fields.is_dragging(&key);
            let value = value.filter(|v| !is_dragged || can_have(context, name, parameter, v));
            if let Some(value) = value {
                out.push(assigned(name, &parameter.name, value));
            }
            if named_value && let Ok(value) = values::read(&shown, kind) {
                make_variable(context, name, &parameter.name, value, out);
            }
        }
    }
    if reset {
        out.push(set(None));
    }
}

fn can_have(
    context: &ViewContext<'_>,
    component: &str,
    parameter: &Parameter,
    value: &Value,
) -> bool {
    let document = context.document;
    let drawing = document
        .design
        .as_ref()
        .map(|design| Drawing::new(design, &document.layout, context.library));
    drawing.is_none_or(|drawing| can_be(&drawing, component, &parameter.name, value))
}

/// A variable of this value, named after the parameter, which refers to it then.
fn make_variable(
    context: &ViewContext<'_>,
    component: &str,
    parameter: &str,
    value: Value,
    out: &mut Vec<Command>,
) {
    let Some(design) = context.document.shown_design() else {
        return;
    };
    let is_free = |name: &String| design.parametric.variable(name).is_none();
    let names = (2..).map(|k| format!("{parameter}{k}"));
    let mut names = std::iter::once(parameter.to_owned()).chain(names);
    let Some(name) = names.find(is_free) else {
        return;
    };
    let edits = vec![
        Edit::SetVariable {
            name: name.clone(),
            value,
        },
        Edit::SetParameter {
            component: component.to_owned(),
            parameter: parameter.to_owned(),
            value: Some(Value::Text(format!("={name}"))),
        },
    ];
    out.push(Command::Edit(format!("Make variable {name}"), edits));
    if !context.settings.panels.contains(&Panel::Variables) {
        out.push(Command::TogglePanel(Panel::Variables));
    }
}

/// As it would be typed: the library puts texts in quotes and lists in brackets.
fn plain(default: &str) -> String {
    default.trim_matches(['[', ']', '"']).to_owned()
}

/// What the library says of a parameter in this chip; evaluated once.
fn known(
    inspector: &mut Inspector,
    seen: &ViewContext<'_>,
    (component, definition): (&Component, &Definition),
    parameter: &Parameter,
) -> Known {
    let mut defaults = defaults(seen);
    defaults.depth = component.depth.map(|depth| depth.0).or(defaults.depth);
    let bits = [
        defaults.width.to_bits(),
        defaults.depth.map_or(0, f64::to_bits),
    ];
    let key = (definition.name.clone(), parameter.name.clone(), bits);
    let evaluate = || Known {
        default: seen
            .library
            .default_value(&definition.name, &parameter.name, &defaults)
            .ok()
            .map(in_degrees),
        range: seen
            .library
            .range(&definition.name, &parameter.name, &defaults)
            .unwrap_or_default(),
    };
    inspector.known.entry(key).or_insert_with(evaluate).clone()
}

/// Angles that scripts computed are a little off round numbers of degrees, at most what their rounding to a nanoradian makes.
fn in_degrees(text: String) -> String {
    let radians = text
        .strip_suffix(" rad")
        .and_then(|number| number.parse::<f64>().ok());
    match radians {
        Some(radians) => {
            let degrees = (radians.to_degrees() * 1e6).round() / 1e6;
            format!("{degrees} deg")
        }
        None => text,
    }
}

/// Doc, kind, range and default, for the tooltip.
fn described(parameter: &Parameter, known: &Known) -> String {
    let number = |x: f64| match parameter.kind.dimension() {
        Some(dimension) => show_quantity(x, dimension),
        None => x.to_string(),
    };
    let mut text = format!(
        "{}\n{}",
        capital(&parameter.doc),
        capital(&parameter.kind.describe())
    );
    let range = match known.range {
        [Some(min), Some(max)] => format!("\nFrom {} to {}", number(min), number(max)),
        [Some(min), None] => format!("\nAt least {}", number(min)),
        [None, Some(max)] => format!("\nAt most {}", number(max)),
        [None, None] => String::new(),
    };
    text.push_str(&range);
    if let Some(default) = &known.default {
        text.push_str(&format!("\nDefault {default}"));
    }
    text
}
