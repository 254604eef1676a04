//! Who solves for a view, and what its walls do: solvers of scenes, methods of tanks, settings of other systems.

use eframe::egui::emath::Numeric;
use eframe::egui::{self, ComboBox, DragValue, Grid, RichText, Ui};

use super::{dot, option, push};
use crate::command::Command;
use crate::context::ViewContext;
use crate::liquids::command::LiquidCommand;
use crate::liquids::means::{Means, offer, offers};
use crate::liquids::settings::{Side, Walls};
use crate::liquids::systems::{Changes, value};
use crate::words::capital;
use stokeslet_dynamics::stepped::{Choice, System, Values};

/// Draws the choice of a view.
pub fn chooser_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    side: Side,
    choice: &Means,
    out: &mut Vec<Command>,
) {
    let noun = choice.group().solved_by();
    ui.horizontal(|ui| {
        if context.settings.liquids.compare {
            dot(ui, side.index());
        }
        ui.strong(match side {
            Side::Left => capital(noun),
            Side::Right => format!("Second {noun}"),
        });
    });
    ui.add_space(2.0);
    if let Means::Settings {
        system, changes, ..
    } = choice
    {
        return settings_ui(ui, side, *system, changes, out);
    }
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
            option(ui, context, is_on, walls.label(), command, out).on_hover_text(hint);
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

/// The settings of another system, each with a way back to its usual value.
fn settings_ui(
    ui: &mut Ui,
    side: Side,
    system: &dyn System,
    changes: &Changes,
    out: &mut Vec<Command>,
) {
    Grid::new(("system settings", side.index()))
        .num_columns(3)
        .spacing([8.0, 4.0])
        .show(ui, |ui| {
            for choice in system.choices() {
                let label = ui.label(RichText::new(choice.name).weak());
                label.on_hover_text(format!("{}; may be changed while it runs", choice.about));
                let now = value(system, changes, choice.key);
                if let Some(value) = setting(ui, side, choice, now.as_deref()) {
                    push(
                        out,
                        LiquidCommand::Set(side, choice.key.to_owned(), Some(value)),
                    );
                }
                let is_changed = changes.contains_key(choice.key);
                let back = ui.add_visible(is_changed, egui::Button::new("×").frame(false));
                let name = format!("Usual {} of the {} view", choice.name, side.label());
                back.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::Button, is_changed, &name)
                });
                if back.on_hover_text("Back to the usual value").clicked() {
                    push(out, LiquidCommand::Set(side, choice.key.to_owned(), None));
                }
                ui.end_row();
            }
        });
}

/// One setting; what was chosen, if something was.
fn setting(ui: &mut Ui, side: Side, choice: &Choice, now: Option<&str>) -> Option<String> {
    let name = format!("{} of the {} view", choice.name, side.label());
    let mut chosen = None;
    let response = match choice.values {
        Values::Words(words) => {
            let combo = ComboBox::from_id_salt((choice.key, side.index()))
                .width(128.0)
                .selected_text(now.unwrap_or("the scene's"));
            let response = combo.show_ui(ui, |ui| {
                for word in words {
                    if ui.selectable_label(now == Some(word), *word).clicked() {
                        chosen = Some((*word).to_owned());
                    }
                }
            });
            response.response
        }
        Values::Number(least, most) => {
            let known = now.and_then(|n| n.parse::<f64>().ok());
            let (mut number, speed) = match known {
                Some(number) => (number, 0.02 * number.abs().max(1e-3)),
                None => (least, 0.01),
            };
            let response = ui.add(drag(&mut number, known.is_some(), least..=most).speed(speed));
            if response.changed() {
                chosen = Some(format!("{number:?}"));
            }
            response
        }
        Values::Count(least, most) => {
            let known = now.and_then(|n| n.parse::<u32>().ok());
            let mut number = known.unwrap_or(least);
            let response = ui.add(drag(&mut number, known.is_some(), least..=most));
            if response.changed() {
                chosen = Some(number.to_string());
            }
            response
        }
    };
    let role = match choice.values {
        Values::Words(_) => egui::Role::ComboBox,
        _ => egui::Role::SpinButton,
    };
    response.widget_info(|| egui::WidgetInfo::labeled(role, true, &name));
    response.on_hover_text(choice.about);
    chosen.filter(|value| now != Some(value))
}

/// A number that is dragged or typed; where it isn't known the scene decides. It changes by hand only: what is shown is never clamped.
fn drag<N: Numeric>(
    number: &mut N,
    is_known: bool,
    range: std::ops::RangeInclusive<N>,
) -> DragValue<'_> {
    let unknown = number.to_f64();
    DragValue::new(number)
        .range(range)
        .clamp_existing_to_range(false)
        .custom_formatter(move |n, _| match is_known || n != unknown {
            true => format!("{n}"),
            false => "the scene's".to_owned(),
        })
}
