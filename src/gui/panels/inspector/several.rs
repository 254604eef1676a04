//! Several components and channels: how many, and what can be done to all of them.

use eframe::egui::{self, Ui};

use super::{head, section};
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::enabled::is_enabled;
use stokeslet_cad::design::OverlayLayer;
use stokeslet_cad::edits::{Align, Axis};

pub(super) fn ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let items = &context.selection.items;
    let design = context.document.shown_design();
    let channels = design.map_or(0, |d| {
        d.channels
            .iter()
            .filter(|c| items.contains(&c.name.value))
            .count()
    });
    let overlays = |layer: OverlayLayer| {
        let all = design.map_or(&[][..], |d| &d.overlays);
        let of_layer = all.iter().filter(|o| o.layer == layer);
        of_layer.filter(|o| items.contains(&o.name.value)).count()
    };
    let [control, notes] = OverlayLayer::ALL.map(overlays);
    let components = items.len() - channels - control - notes;
    let said = [
        count(components, "component"),
        count(channels, "channel"),
        count(control, "control shape"),
        count(notes, "note"),
    ];
    let said: Vec<String> = said.into_iter().flatten().collect();
    head(
        ui,
        &format!("{} selected", items.len()),
        &said.join(", "),
        "",
    );
    section(ui, "Turn");
    buttons(
        ui,
        context,
        &[("Left", Command::Rotate(1)), ("Right", Command::Rotate(-1))],
        out,
    );
    section(ui, "Mirror");
    buttons(
        ui,
        context,
        &[
            ("Left and right", Command::Mirror(Axis::X)),
            ("Top and bottom", Command::Mirror(Axis::Y)),
        ],
        out,
    );
    section(ui, "Align");
    let align = |label, align| (label, Command::Align(align));
    buttons(
        ui,
        context,
        &[
            align("Left", Align::Left),
            align("Middle", Align::CentreX),
            align("Right", Align::Right),
        ],
        out,
    );
    buttons(
        ui,
        context,
        &[
            align("Top", Align::Top),
            align("Middle", Align::CentreY),
            align("Bottom", Align::Bottom),
        ],
        out,
    );
    section(ui, "Spread evenly");
    buttons(
        ui,
        context,
        &[
            align("Left to right", Align::SpreadX),
            align("Top to bottom", Align::SpreadY),
        ],
        out,
    );
    ui.separator();
    buttons(
        ui,
        context,
        &[
            ("Duplicate", Command::Duplicate),
            ("Delete", Command::Delete),
        ],
        out,
    );
}

fn buttons(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    entries: &[(&str, Command)],
    out: &mut Vec<Command>,
) {
    ui.horizontal(|ui| {
        let gaps = ui.spacing().item_spacing.x * (entries.len() as f32 - 1.0);
        let width = ((ui.available_width() - gaps) / entries.len() as f32).floor();
        for (label, command) in entries {
            let enabled = is_enabled(command, context);
            let button = egui::Button::new(*label).min_size(egui::vec2(width, 0.0));
            let mut tip = command.label();
            if let Err(why) = enabled {
                tip = format!("{tip}\nNot now: {why}.");
            }
            let response = ui.add_enabled(enabled.is_ok(), button);
            let response = response.on_hover_text(&tip).on_disabled_hover_text(&tip);
            if response.clicked() {
                out.push(command.clone());
            }
            if enabled.is_ok() && response.hovered() && *command != Command::Delete {
                out.push(Command::Preview(Box::new(command.clone())));
            }
        }
    });
}

fn count(n: usize, what: &str) -> Option<String> {
    match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    }
}
