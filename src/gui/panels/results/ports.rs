//! The table of ports: what is given, which can be typed over, and what comes of it.

use eframe::egui::epaint::text::FontsView;
use eframe::egui::{
    Color32, Grid, RichText, ScrollArea, TextEdit, TextStyle, Ui, WidgetInfo, vec2,
};

use super::errors::{at_port, hint};
use super::{TypedValues, right};
use crate::command::Command;
use crate::context::{Selection, ViewContext};
use stokeslet_base::units::{
    Dimension, FlowRate, FlowRatePerDepth, Pascal, parse_quantity, print_quantity,
};
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::design::{Design, PortCondition};
use stokeslet_flow::export::readable::{Quantity, figures};
use stokeslet_flow::session::PortResult;

/// Room for a given value, points: that of `1.23 mbar`, more where one is longer, up to that of `-12345.6 mm^2/s`.
const GIVEN: [f32; 2] = [66.0, 120.0];
/// Beside the text of a field.
const CARET: f32 = 10.0;

/// Widths of the columns of flow rates and pressures: `-1.23 µL/min` and `1.23 mbar` fit.
const COLUMNS: [f32; 2] = [86.0, 72.0];

/// A pressure below this part of the greatest is what the mesh makes of zero.
const NOTHING: f64 = 1e-5;

/// What free ports are called.
const FREE: &str = "free";

pub(super) fn ports_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    typed: &mut TypedValues,
    out: &mut Vec<Command>,
) {
    let Some(design) = &context.document.design else {
        ui.label(RichText::new("The file has mistakes; see the problems.").weak());
        return;
    };
    if design.ports.is_empty() {
        ui.label(
            RichText::new("No ports yet: choose the port tool and click a free socket.").weak(),
        );
        return;
    }
    typed
        .by_port
        .retain(|name, _| design.ports.iter().any(|p| p.name.value == *name));
    let results = context.results.solved.as_ref().map(|s| &s.solution.ports);
    let greatest = results
        .into_iter()
        .flatten()
        .fold(0.0_f64, |most, r| most.max(r.pressure.abs()));
    let has_depth = context
        .results
        .solved
        .as_ref()
        .map_or(design.depth.is_some(), |s| s.chip.depth.is_some());
    let room = room_for_given(ui, design);
    ScrollArea::horizontal().id_salt("ports").show(ui, |ui| {
        Grid::new("ports table")
            .num_columns(4)
            .min_col_width(GIVEN[0])
            .striped(true)
            .spacing([8.0, 4.0])
            .show(ui, |ui| {
                for name in ["Port", "Given"] {
                    ui.label(RichText::new(name).weak());
                }
                for (name, width) in ["Flow in", "Pressure"].into_iter().zip(COLUMNS) {
                    right(ui, RichText::new(name).weak(), width);
                }
                ui.end_row();
                for port in &design.ports {
                    let name = &port.name.value;
                    let is_selected = context.selection.port.as_deref() == Some(name);
                    if ui.selectable_label(is_selected, name).clicked() {
                        out.push(Command::Select(Selection::of_port(name)));
                    }
                    given_ui(ui, (design, room), name, port.condition.value, typed, out);
                    let result = results.and_then(|r| r.iter().find(|r| r.id == *name));
                    let [flow, pressure] = result.map_or_else(
                        || ["–".to_owned(), "–".to_owned()],
                        |r| {
                            // What is given is so, whatever the mesh makes of it.
                            let pressure = match port.condition.value {
                                PortCondition::Pressure(given) => given.0,
                                _ => r.pressure,
                            };
                            [show_flow(r, has_depth), show_pressure(pressure, greatest)]
                        },
                    );
                    let flow = right(ui, RichText::new(flow), COLUMNS[0]);
                    let pressure = right(ui, RichText::new(pressure), COLUMNS[1]);
                    let solved = context.results.solved.as_ref();
                    if let Some(e) = solved.and_then(|s| at_port(context.results, s, name)) {
                        let (rate, ahead) =
                            (Quantity::of_flow(has_depth), e.extrapolated_flow_rate);
                        flow.on_hover_text(hint(e.flow_rate, ahead, rate));
                        let (unit, ahead) = (Quantity::Pressure, e.extrapolated_pressure);
                        pressure.on_hover_text(hint(e.pressure, ahead, unit));
                    }
                    ui.end_row();
                }
            });
    });
    for (name, (_, wrong)) in &typed.by_port {
        if let Some(wrong) = wrong {
            let text = format!("{name}: {wrong}");
            ui.label(
                RichText::new(text)
                    .color(ui.visuals().error_fg_color)
                    .small(),
            );
        }
    }
}

/// The same for all ports: enough for the longest value.
fn room_for_given(ui: &Ui, design: &Design) -> f32 {
    let font = TextStyle::Body.resolve(ui.style());
    let wide = |text: String| {
        let line =
            |fonts: &mut FontsView<'_>| fonts.layout_no_wrap(text, font.clone(), Color32::BLACK);
        ui.fonts_mut(line).size().x
    };
    let conditions = design.ports.iter().map(|p| p.condition.value);
    let widest = conditions
        .map(print_condition)
        .map(wide)
        .fold(0.0, f32::max);
    // The caret needs room, too.
    (widest + CARET).clamp(GIVEN[0], GIVEN[1])
}

/// The value that is given at a port, to type over.
fn given_ui(
    ui: &mut Ui,
    (design, room): (&Design, f32),
    name: &str,
    condition: PortCondition,
    typed: &mut TypedValues,
    out: &mut Vec<Command>,
) {
    let own = print_condition(condition);
    let (mut text, wrong) = typed
        .by_port
        .get(name)
        .cloned()
        .unwrap_or_else(|| (own.clone(), None));
    let hint = "A flow rate into the chip (5 µL/min), a pressure (20 mbar), or: free";
    let response = ui
        .add(
            TextEdit::singleline(&mut text)
                .id_salt(("given", name))
                .desired_width(room)
                // A column of a grid is no wider than it was unless it has to be.
                .min_size(vec2(room, 0.0)),
        )
        .on_hover_text(hint);
    response.widget_info(|| WidgetInfo {
        label: Some(format!("given at {name}")),
        ..WidgetInfo::text_edit(true, &own, &text, "")
    });
    if response.changed() {
        typed
            .by_port
            .insert(name.to_owned(), (text.clone(), wrong.clone()));
    }
    if response.lost_focus() && typed.by_port.contains_key(name) {
        let is_given_up = ui.input(|i| i.key_pressed(eframe::egui::Key::Escape));
        if is_given_up || text.trim() == own {
            typed.by_port.remove(name);
            return;
        }
        match parse_condition(&text, design) {
            Ok(new) => {
                typed.by_port.remove(name);
                if new != condition {
                    out.push(Command::SetCondition(name.to_owned(), new));
                }
            }
            Err(wrong) => {
                // What is typed next is typed here, not on the canvas.
                if ui.input(|i| i.key_pressed(eframe::egui::Key::Enter)) {
                    response.request_focus();
                }
                typed.by_port.insert(name.to_owned(), (text, Some(wrong)));
            }
        }
    }
}

/// A condition as it is typed.
pub(super) fn print_condition(condition: PortCondition) -> String {
    match condition {
        PortCondition::FlowRate(q) => print_quantity(q.0, Dimension::FlowRate),
        PortCondition::FlowRatePerDepth(q) => print_quantity(q.0, Dimension::FlowRatePerDepth),
        PortCondition::Pressure(p) => print_quantity(p.0, Dimension::Pressure),
        PortCondition::TractionFree => FREE.to_owned(),
    }
}

/// What was typed as a condition.
fn parse_condition(text: &str, design: &Design) -> Result<PortCondition, String> {
    let text = text.trim();
    if text.eq_ignore_ascii_case(FREE) {
        return Ok(PortCondition::TractionFree);
    }
    match parse_quantity(text) {
        Ok((p, Dimension::Pressure)) => Ok(PortCondition::Pressure(Pascal(p))),
        Ok((q, Dimension::FlowRatePerDepth)) => {
            Ok(PortCondition::FlowRatePerDepth(FlowRatePerDepth(q)))
        }
        Ok((q, Dimension::FlowRate)) if design.depth.is_some() => {
            Ok(PortCondition::FlowRate(FlowRate(q)))
        }
        Ok((_, Dimension::FlowRate)) => {
            let what = match design.model {
                DepthModel::Planar => {
                    "the chip has no depth: give it one, or type a flow per depth such as 1e-6 m^2/s"
                }
                _ => "the chip's depth is missing",
            };
            Err(what.to_owned())
        }
        Ok((_, other)) => Err(format!(
            "this is {other}; wanted a flow rate, a pressure, or: free"
        )),
        Err(error) => Err(error.to_string()),
    }
}

fn show_flow(result: &PortResult, has_depth: bool) -> String {
    Quantity::of_flow(has_depth).show(result.flow_rate)
}

/// Pressures as pumps say them: mbar from a hundred pascals on. One that is nothing beside the greatest is none.
pub(super) fn show_pressure(pressure: f64, greatest: f64) -> String {
    let size = pressure.abs();
    if size < NOTHING * greatest || size < 1e-9 {
        "0 Pa".to_owned()
    } else if size < 99.95 {
        Quantity::Pressure.show(pressure)
    } else if size < 1e6 {
        format!("{} mbar", figures(pressure * 1e-2))
    } else {
        format!("{} bar", figures(pressure * 1e-5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn design(depth: &str) -> Design {
        let text = format!(
            "format = 1\nfluid = {{ viscosity = \"1 mPa s\" }}\nchip = {{ width = \"100 um\"{depth} }}\n"
        );
        stokeslet_cad::design::parse(text.as_bytes(), "test")
            .0
            .unwrap()
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let design = design(", depth = \"50 um\"");
        for text in ["5 µL/min", "20 mbar", "0.002 m^2/s", "free"] {
            let condition = parse_condition(text, &design).unwrap();
            assert_eq!(
                parse_condition(&print_condition(condition), &design),
                Ok(condition),
                "{text}"
            );
        }
    }

    #[test]
    fn mistakes_are_said_in_a_sentence() {
        assert!(
            parse_condition("5 uL/min", &design(""))
                .unwrap_err()
                .contains("no depth")
        );
        let design = design(", depth = \"50 um\"");
        for wrong in ["5", "5 um", "lots", "", "1e999 Pa"] {
            let message = parse_condition(wrong, &design).unwrap_err();
            assert!(message.len() > 10, "{wrong}: {message}");
        }
    }

    #[test]
    fn pressures_are_in_units_of_pumps() {
        for (p, want) in [
            (0.0, "0 Pa"),
            (0.1, "0 Pa"),
            (52.34, "52.3 Pa"),
            (1267.0, "12.7 mbar"),
            (-2e6, "-20.0 bar"),
        ] {
            assert_eq!(show_pressure(p, 2e6), want);
        }
    }
}
