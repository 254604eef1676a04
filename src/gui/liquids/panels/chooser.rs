//! Who solves for a view, and what its walls do: solvers of scenes, methods of tanks.

use eframe::egui::{self, ComboBox, RichText, Ui};

use super::{dot, option, push};
use crate::command::Command;
use crate::liquids::command::LiquidCommand;
use crate::liquids::means::{Means, offer, offers};
use crate::liquids::settings::{Side, Walls};
use crate::seen::Seen;
use crate::words::capital;

/// Draws the choice of a view.
pub fn chooser_ui(
    ui: &mut Ui,
    seen: &Seen<'_>,
    side: Side,
    choice: &Means,
    out: &mut Vec<Command>,
) {
    let noun = choice.group().solved_by();
    ui.horizontal(|ui| {
        if seen.settings.liquids.compare {
            dot(ui, side.index());
        }
        ui.strong(match side {
            Side::Left => capital(noun),
            Side::Right => format!("Second {noun}"),
        });
    });
    ui.add_space(2.0);
    who(ui, side, choice, out);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Walls");
        for walls in Walls::ALL {
            let hint = match walls {
                Walls::Separating => "Walls only push: 0 ≤ p, and liquid may leave",
                Walls::Sticking => "Walls hold the liquid: u · n = 0",
            };
            let is_on = choice.walls() == walls;
            let command = LiquidCommand::Walls(side, walls);
            option(ui, seen, is_on, walls.label(), command, out).on_hover_text(hint);
        }
    });
}

/// The list of those that may solve, and what the chosen one is.
fn who(ui: &mut Ui, side: Side, choice: &Means, out: &mut Vec<Command>) {
    let group = choice.group();
    let combo = ComboBox::from_id_salt(("liquid solver", side.index()))
        .width(ui.available_width() - 12.0)
        .height(460.0)
        .selected_text(choice.label());
    let response = combo.show_ui(ui, |ui| {
        for (heading, all) in offers(group) {
            ui.weak(heading);
            for offer in all {
                let is_on = offer.name == choice.name();
                let tip = format!("{} ({}): {}", offer.label, offer.name, offer.summary);
                let label = ui.selectable_label(is_on, offer.label);
                if label.on_hover_text(tip).clicked() {
                    push(out, LiquidCommand::choose(group, side, offer.name));
                }
            }
            ui.separator();
        }
    });
    let name = format!(
        "{} of the {} view",
        capital(group.solved_by()),
        side.label()
    );
    response
        .response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, &name));
    if let Some(offer) = offer(group, choice.name()) {
        let tip = format!("{}; may be changed while it runs", offer.summary);
        response.response.on_hover_text(tip);
        ui.label(RichText::new(offer.summary).small().weak());
    }
}
