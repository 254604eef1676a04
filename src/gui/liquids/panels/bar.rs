//! What the toolbar shows of liquids: the player, what is drawn, where a scene in space is cut.

use eframe::egui::{self, ComboBox, Slider, Ui};

use super::push;
use crate::gui::command::Command;
use crate::gui::liquids::command::LiquidCommand;
use crate::gui::liquids::settings::{AXES, Colour, Mark, Slice};
use crate::gui::panels::icons::Icon;
use crate::gui::panels::toolbar::button;
use crate::gui::seen::Seen;

/// Draws the toolbar's part.
pub fn bar_ui(ui: &mut Ui, seen: &Seen<'_>, out: &mut Vec<Command>) {
    let settings = &seen.settings.liquids;
    let command = Command::Liquid;
    button(
        ui,
        seen,
        Icon::Restart,
        command(LiquidCommand::Restart),
        out,
    );
    if seen.liquids.is_playing {
        button(ui, seen, Icon::Pause, command(LiquidCommand::Pause), out);
    } else {
        button(ui, seen, Icon::Solve, command(LiquidCommand::Play), out);
    }
    button(ui, seen, Icon::Step, command(LiquidCommand::Step), out);
    ui.separator();
    button(ui, seen, Icon::Fit, Command::Fit, out);
    ui.separator();
    let combo = ComboBox::from_id_salt("liquid colours")
        .width(96.0)
        .selected_text(settings.colour.label());
    let response = combo.show_ui(ui, |ui| {
        for colour in Colour::ALL {
            let is_on = settings.colour == colour;
            if ui.selectable_label(is_on, colour.label()).clicked() {
                push(out, LiquidCommand::Colour(colour));
            }
        }
    });
    response.response.on_hover_text("What colours show");
    for mark in Mark::ALL {
        let is_on = settings.marks.contains(&mark);
        let hint = match mark {
            Mark::Particles => "Draw particles  (P)",
            Mark::Detached => {
                "Mark cells at walls that have left: their pressure is 0 and they may go  (D)"
            }
        };
        let label = crate::gui::words::capital(mark.label());
        if ui
            .selectable_label(is_on, label)
            .on_hover_text(hint)
            .clicked()
        {
            push(out, LiquidCommand::Mark(mark));
        }
    }
    ui.separator();
    let compare = settings.compare;
    let hint = "Two views of the same scene, with another solver or other walls";
    if ui
        .selectable_label(compare, "Compare")
        .on_hover_text(hint)
        .clicked()
    {
        push(out, LiquidCommand::Compare(!compare));
    }
    if settings.entry().dimension == 3 {
        ui.separator();
        slice(ui, settings.slice, out);
    }
}

/// The axis that a scene in space is cut across, and where.
fn slice(ui: &mut Ui, slice: Slice, out: &mut Vec<Command>) {
    ui.label("Slice");
    for (axis, name) in AXES.into_iter().enumerate() {
        let hint = format!("Across {name}");
        if ui
            .selectable_label(slice.axis == axis, name)
            .on_hover_text(hint)
            .clicked()
        {
            push(out, LiquidCommand::Slice(Slice { axis, ..slice }));
        }
    }
    let mut at = slice.at;
    ui.spacing_mut().slider_width = 120.0;
    let slider = Slider::new(&mut at, 0.0..=1.0)
        .fixed_decimals(3)
        .suffix(" m");
    let response = ui.add(slider).on_hover_text("Where the scene is cut");
    response.widget_info(|| egui::WidgetInfo::slider(true, at, "Slice"));
    if response.changed() {
        push(out, LiquidCommand::Slice(Slice { at, ..slice }));
    }
}
