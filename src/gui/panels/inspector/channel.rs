//! One channel: its ends, width, bends, way-points and length.

use eframe::egui::{ComboBox, Ui};

use super::{FIELD, Given, Inspector, depth, head, section, sockets};
use crate::command::Command;
use crate::context::{Selection, ViewContext};
use crate::panels::fields::{Field, named, row};
use crate::panels::values::{Measure, read_quantity, show_quantity};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::{Dimension, Metre};
use stokeslet_cad::design::{Bend, Channel};
use stokeslet_cad::shape::{Shape, Strip};
use stokeslet_flow::export::readable::Quantity;

pub(super) fn ui(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    channel: &Channel,
    out: &mut Vec<Command>,
) {
    let name = channel.name.value.as_str();
    head(ui, name, "channel", "");
    inspector.rename(ui, name, Command::Rename, out);
    end(ui, "from", &channel.from.value, out);
    match &channel.to {
        Some(to) => end(ui, "to", &to.value, out),
        None => row(ui, "to", "It ends at its last way-point.", |ui| {
            ui.weak("its own socket end");
        }),
    }
    width(inspector, ui, context, channel, out);
    depth::ui(inspector, ui, context, (name, channel.depth), out);
    bend(inspector, ui, context, channel, out);
    if let Some(length) = length(context, name) {
        row(ui, "length", "Along its centre line.", |ui| {
            ui.label(Quantity::Length.show(length))
        });
    }
    if !channel.via.is_empty() {
        section(ui, "Way-points");
        for (index, point) in channel.via.iter().enumerate() {
            way_point(inspector, ui, name, index, point.value, out);
        }
    }
    sockets::ui(ui, context, name, None, out);
}

fn end(ui: &mut Ui, name: &str, socket: &str, out: &mut Vec<Command>) {
    row(ui, name, "", |ui| {
        if ui
            .link(socket)
            .on_hover_text("Select what it belongs to")
            .clicked()
            && let Some((item, _)) = socket.split_once('.')
        {
            out.push(Command::Select(Selection::one(item)));
        }
    });
}

/// What the channel is wide: its own, or that of the socket it starts from.
fn across(context: &ViewContext<'_>, channel: &Channel) -> Option<f64> {
    let layout = context.document.shown_layout();
    let from = || {
        layout
            .sockets
            .iter()
            .find(|s| layout.full_name(s) == channel.from.value)
    };
    channel
        .width
        .map(|w| w.0)
        .or_else(|| from().map(|socket| socket.geometry.width))
}

fn width(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    channel: &Channel,
    out: &mut Vec<Command>,
) {
    let name = channel.name.value.as_str();
    let row = Given {
        key: &format!("{name}.width"),
        name: "width",
        doc: "Across; by default that of the socket it starts from.",
        keys: &["channels", name, "width"],
        value: across(context, channel),
        dimension: Dimension::Length,
        is_default: channel.width.is_none(),
    };
    let mut reset = false;
    let after = |ui: &mut Ui| {
        if channel.width.is_some() {
            let button = ui.small_button("Reset");
            let tip = "As wide as the socket it starts from";
            reset = button.on_hover_text(tip).clicked();
        }
    };
    let set = |width: Option<Metre>| Command::SetChannelShape {
        channel: name.to_owned(),
        width,
        bend: channel.bend,
    };
    let set_value = |width| set(Some(Metre(width)));
    inspector.given(ui, context, &row, (set_value, after), out);
    if reset {
        out.push(set(None));
    }
}

fn bend(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    channel: &Channel,
    out: &mut Vec<Command>,
) {
    let name = channel.name.value.as_str();
    let set = |bend: Bend| Command::SetChannelShape {
        channel: name.to_owned(),
        width: channel.width,
        bend,
    };
    let is_round = matches!(channel.bend, Bend::Round(_));
    row(ui, "bends", "How it turns at its way-points.", |ui| {
        let text = if is_round { "round" } else { "mitred" };
        let combo = ComboBox::from_id_salt((name, "bends"))
            .width(FIELD)
            .selected_text(text)
            .show_ui(ui, |ui| {
                if ui.selectable_label(!is_round, "mitred").clicked() && is_round {
                    out.push(set(Bend::Mitred));
                }
                if ui.selectable_label(is_round, "round").clicked() && !is_round {
                    // Twice the width, as the channel tool draws them.
                    out.push(set(Bend::Round(Metre(
                        2.0 * across(context, channel).unwrap_or(1e-4),
                    ))));
                }
            });
        named(&combo.response, eframe::egui::Role::ComboBox, "bends");
    });
    if let Bend::Round(radius) = channel.bend {
        let (key, doc) = (
            format!("{name}.radius"),
            "Of the centre line, at every way-point.",
        );
        if let Some(radius) =
            inspector.quantity(ui, &key, "radius", radius.0, Dimension::Length, doc, |_| ())
        {
            out.push(set(Bend::Round(Metre(radius))));
        }
    }
}

fn way_point(
    inspector: &mut Inspector,
    ui: &mut Ui,
    channel: &str,
    index: usize,
    at: Point,
    out: &mut Vec<Command>,
) {
    let label = format!("{}", index + 1);
    let mut moved = None;
    row(ui, &label, "", |ui| {
        for (axis, value) in [("x", at.x), ("y", at.y)] {
            let key = format!("{channel}.via.{index}.{axis}");
            let (label, shown) = (
                format!("way-point {} {axis}", index + 1),
                show_quantity(value, Dimension::Length),
            );
            let field = Field {
                key: &key,
                label: &label,
                shown: &shown,
                is_default: false,
                doc: &label,
                measure: Some(Measure::Quantity(Dimension::Length)),
                width: (FIELD - 20.0).max(60.0),
            };
            if let Some(new) = inspector
                .fields
                .show(ui, &field, |text| read_quantity(text, Dimension::Length))
            {
                moved = Some(if axis == "x" {
                    Point::new(new, at.y)
                } else {
                    Point::new(at.x, new)
                });
            }
        }
    });
    inspector.fields.say(ui);
    if let Some(to) = moved {
        out.push(Command::MoveWayPoint {
            channel: channel.to_owned(),
            index,
            to,
        });
    }
}

/// Along the centre lines of its parts, m.
fn length(context: &ViewContext<'_>, channel: &str) -> Option<f64> {
    let layout = context.document.shown_layout();
    let item = layout.item(channel)?;
    let mut parts = layout
        .parts
        .iter()
        .zip(&layout.owners)
        .filter(|(_, owner)| **owner == item)
        .peekable();
    parts.peek()?;
    let lengths = parts.map(|(part, _)| match &part.shape {
        Shape::Strip(Strip::Straight { length, .. }) => *length,
        Shape::Strip(Strip::Arc { radius, angle, .. }) => radius * angle,
        // A mitred corner: from socket to socket by way of the corner where its centre lines meet.
        polygon @ Shape::Polygon { .. } => {
            let sockets = polygon.sockets();
            match sockets.as_slice() {
                [a, b] => {
                    let turn = (a.direction + std::f64::consts::PI - b.direction) / 2.0;
                    (b.middle - a.middle).norm() / turn.cos().abs().max(1e-3)
                }
                _ => 0.0,
            }
        }
    });
    Some(lengths.sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::opened_example;

    #[test]
    fn the_length_is_that_of_the_drawing() {
        let state = opened_example("bridge");
        let length = length(&state.context(), "r1").unwrap();
        // From the source's right socket to the corner (0, 2 mm) and on to the upper node's left socket: 5 mm less the tees.
        assert!((4.7e-3..5.0e-3).contains(&length), "{length}");
        assert_eq!(super::length(&state.context(), "nothing"), None);
    }
}
