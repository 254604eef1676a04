//! A port: where it is, and what holds there.

use eframe::egui::{ComboBox, Ui};

use super::{FIELD, Given, Inspector, head};
use crate::command::Command;
use crate::context::{Selection, ViewContext};
use crate::panels::fields::{named, row};
use crate::panels::results::errors::{at_port, plus_minus};
use stokeslet_base::units::{Dimension, FlowRate, FlowRatePerDepth, Pascal, to_digits};
use stokeslet_cad::design::{Design, PortCondition};
use stokeslet_flow::export::readable::Quantity;

pub(super) fn ui(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    design: &Design,
    name: &str,
    out: &mut Vec<Command>,
) {
    let Some(port) = design.ports.iter().find(|port| port.name.value == name) else {
        ui.weak(format!("There is no port {name} any more."));
        return;
    };
    head(ui, name, "port", "");
    inspector.rename(ui, name, Command::RenamePort, out);
    row(ui, "at", "The socket that it opens.", |ui| {
        if ui
            .link(&port.at.value)
            .on_hover_text("Select what it belongs to")
            .clicked()
            && let Some((item, _)) = port.at.value.split_once('.')
        {
            out.push(Command::Select(Selection::one(item)));
        }
    });
    let condition = port.condition.value;
    kind(ui, context, design, name, condition, out);
    value(inspector, ui, context, name, condition, out);
    if let Some(solved) = &context.results.solved
        && let Some(result) = solved.solution.ports.iter().find(|port| port.id == name)
    {
        let flow = Quantity::of_flow(solved.chip.depth.is_some());
        let errors = at_port(context.results, solved, name);
        let shown = |value: f64, unit: Quantity, error: Option<f64>| match error {
            Some(error) => format!("{} {}", unit.show(value), plus_minus(error, unit)),
            None => unit.show(value),
        };
        row(
            ui,
            "flow in",
            "As solved; negative where it flows out. The error is estimated.",
            |ui| ui.label(shown(result.flow_rate, flow, errors.map(|e| e.flow_rate))),
        );
        row(
            ui,
            "pressure",
            "Given, or what does the work there. The error is estimated.",
            |ui| {
                let error = errors.map(|e| e.pressure);
                ui.label(shown(result.pressure, Quantity::Pressure, error))
            },
        );
    }
    ui.separator();
    if ui
        .button("Remove port")
        .on_hover_text("The socket becomes a wall")
        .clicked()
    {
        out.push(Command::RemovePort(name.to_owned()));
    }
}

fn kind(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    design: &Design,
    name: &str,
    now: PortCondition,
    out: &mut Vec<Command>,
) {
    let solved = context.results.solved.as_ref();
    let result = solved.and_then(|s| s.solution.ports.iter().find(|port| port.id == name));
    // What was solved, so that another kind of condition changes nothing until its value does.
    let pressure = result.map_or(0.0, |r| r.pressure);
    let flow = result.map_or(0.0, |r| r.flow_rate);
    let flow = match design.depth {
        Some(_) => PortCondition::FlowRate(FlowRate(rounded(flow))),
        None => PortCondition::FlowRatePerDepth(FlowRatePerDepth(rounded(flow))),
    };
    let offered = [
        PortCondition::Pressure(Pascal(rounded(pressure))),
        flow,
        PortCondition::TractionFree,
    ];
    row(ui, "condition", "What holds at the port.", |ui| {
        let combo = ComboBox::from_id_salt((name, "condition"))
            .width(FIELD)
            .selected_text(label(now))
            .show_ui(ui, |ui| {
                for condition in offered {
                    let chosen = label(condition) == label(now);
                    if ui.selectable_label(chosen, label(condition)).clicked() && !chosen {
                        out.push(Command::SetCondition(name.to_owned(), condition));
                    }
                }
            });
        named(&combo.response, eframe::egui::Role::ComboBox, "condition");
    });
}

/// Four figures: a value that people will read in the file.
fn rounded(x: f64) -> f64 {
    to_digits(x, 4)
}

fn label(condition: PortCondition) -> &'static str {
    match condition {
        PortCondition::Pressure(_) => "pressure",
        PortCondition::FlowRate(_) => "flow rate",
        PortCondition::FlowRatePerDepth(_) => "flow rate per depth",
        PortCondition::TractionFree => "free of traction",
    }
}

fn value(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    name: &str,
    condition: PortCondition,
    out: &mut Vec<Command>,
) {
    let (value, dimension) = match condition {
        PortCondition::Pressure(p) => (p.0, Dimension::Pressure),
        PortCondition::FlowRate(q) => (q.0, Dimension::FlowRate),
        PortCondition::FlowRatePerDepth(q) => (q.0, Dimension::FlowRatePerDepth),
        PortCondition::TractionFree => return,
    };
    let doc = match dimension {
        Dimension::Pressure => "Developed flow at this pressure.",
        _ => "Into the chip; negative draws out.",
    };
    let given = match dimension {
        Dimension::Pressure => "pressure",
        _ => "flow_rate",
    };
    let row = Given {
        key: &format!("port {name}"),
        name: "value",
        doc,
        keys: &["ports", name, given],
        value: Some(value),
        dimension,
        is_default: false,
    };
    let set = |x| {
        let condition = match condition {
            PortCondition::Pressure(_) => PortCondition::Pressure(Pascal(x)),
            PortCondition::FlowRate(_) => PortCondition::FlowRate(FlowRate(x)),
            PortCondition::FlowRatePerDepth(_) => {
                PortCondition::FlowRatePerDepth(FlowRatePerDepth(x))
            }
            PortCondition::TractionFree => PortCondition::TractionFree,
        };
        Command::SetCondition(name.to_owned(), condition)
    };
    inspector.given(ui, context, &row, (set, |_| ()), out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened};
    use eframe::egui::accesskit::Role;
    use eframe::egui::{Event, Key, Modifiers};
    use egui_kittest::kittest::Queryable as _;
    use stokeslet_cad::design::Edit;

    #[test]
    fn a_value_that_is_an_expression_is_shown_and_typed_over() {
        let text = "format = 1\n[variables]\nq = \"1 uL/min\"\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\ndepth = \"100 um\"\n\
            [components]\np = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] }\n\
            [ports]\nin = { at = \"p.a\", flow_rate = \"=q\" }\nout = { at = \"p.b\", pressure = \"0 Pa\" }\n";
        let mut state = opened(text);
        state.selection.port = Some("in".to_owned());
        let shown = Shown::new(state);
        let mut harness = harness(&shown);
        harness.get_by_label_contains("1 µL/min");
        let mut typed = |text: &str| {
            harness
                .get_by_role_and_label(Role::TextInput, "value")
                .click();
            harness.run_steps(2);
            harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
            harness.run_steps(2);
            harness.event(Event::Text(text.to_owned()));
            harness.run_steps(2);
            harness.key_press(Key::Enter);
            harness.run_steps(3);
            shown.borrow_mut().commands.split_off(0)
        };
        let commands = typed("=3 * q");
        let [Command::Edit(_, edits)] = commands.as_slice() else {
            panic!("{commands:?}");
        };
        let wanted = Edit::SetExpression {
            keys: ["ports", "in", "flow_rate"].map(str::to_owned).to_vec(),
            source: "=3 * q".to_owned(),
        };
        assert_eq!(edits.as_slice(), [wanted]);
        let commands = typed("2 uL/min");
        let [Command::SetCondition(port, condition)] = commands.as_slice() else {
            panic!("{commands:?}");
        };
        let PortCondition::FlowRate(FlowRate(found)) = condition else {
            panic!("{condition:?}");
        };
        assert_eq!(port, "in");
        assert!((found - 2e-9 / 60.0).abs() < 1e-22, "{found}");
    }
}
