//! What the toolbar shows of liquids: the player, what is drawn, where a scene in space is cut.

use eframe::egui::{self, ComboBox, Slider, Ui};

use super::{option, push};
use crate::command::Command;
use crate::context::ViewContext;
use crate::liquids::command::LiquidCommand;
use crate::liquids::settings::{AXES, LiquidSettings, Mark, Slice};
use crate::panels::icons::Icon;
use crate::panels::toolbar::button;

/// Draws the toolbar's part.
pub fn bar_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let settings = &context.settings.liquids;
    let command = Command::Liquid;
    button(
        ui,
        context,
        Icon::Restart,
        command(LiquidCommand::Restart),
        out,
    );
    if context.liquids.is_playing {
        button(ui, context, Icon::Pause, command(LiquidCommand::Pause), out);
    } else {
        button(ui, context, Icon::Solve, command(LiquidCommand::Play), out);
    }
    button(ui, context, Icon::Step, command(LiquidCommand::Step), out);
    ui.separator();
    button(ui, context, Icon::Fit, Command::Fit, out);
    ui.separator();
    let combo = ComboBox::from_id_salt("liquid colours")
        .width(96.0)
        .selected_text(settings.shown_colour().label());
    let response = combo.show_ui(ui, |ui| {
        for colour in settings.group().colours() {
            let is_on = settings.shown_colour() == colour;
            let command = LiquidCommand::Colour(colour);
            option(ui, context, is_on, colour.label(), command, out);
        }
    });
    response.response.on_hover_text("What colours show");
    for mark in settings.group().marks() {
        let is_on = settings.marks.contains(&mark);
        let hint = match mark {
            Mark::Particles => "Draw particles  (P)".to_owned(),
            Mark::Detached => format!("{}  (D)", settings.group().detached()),
            Mark::Contacts => "Draw what pushes where things touch  (C)".to_owned(),
            Mark::Vorticity => "Draw how fast cells turn, behind the particles  (V)".to_owned(),
        };
        let label = crate::words::capital(mark.label());
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
    let hint = settings.group().two_views();
    if ui
        .selectable_label(compare, "Compare")
        .on_hover_text(hint)
        .clicked()
    {
        push(out, LiquidCommand::Compare(!compare));
    }
    if settings.entry().dimension == 3 && settings.group().system().is_none() {
        ui.separator();
        slice(ui, settings, out);
    }
}

/// The axis that a scene in space is cut across, and where.
fn slice(ui: &mut Ui, settings: &LiquidSettings, out: &mut Vec<Command>) {
    let slice = settings.slice;
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
        .suffix(settings.group().metre());
    let response = ui.add(slider).on_hover_text("Where the scene is cut");
    response.widget_info(|| egui::WidgetInfo::slider(true, at, "Slice"));
    if response.changed() {
        push(out, LiquidCommand::Slice(Slice { at, ..slice }));
    }
}
