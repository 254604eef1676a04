//! Everything around the canvases of liquids: read-only state in, commands out.
//!
//! ```text
//! +--------+----------------------+---------+
//! | scenes |  canvas  |  canvas   | numbers |
//! |  size  +----------------------+ solvers |
//! |        | residuals | counts   |         |
//! +--------+----------------------+---------+
//! ```

mod bar;
mod chooser;
mod lines;
mod menu;
mod numbers;
mod plots;
mod scenes;
mod status;

use eframe::egui::{Button, Color32, Panel, Response, ScrollArea, Sense, Ui, vec2};

pub use bar::bar_ui;
pub use menu::menus_ui;
pub use status::status_ui;

use super::command::LiquidCommand;
use crate::command::Command;
use crate::context::ViewContext;
use crate::results::colour::DISTINCT;

/// What the panels keep to themselves.
#[derive(Debug, Default)]
pub struct LiquidPanels {
    scenes: scenes::Scenes,
}

impl LiquidPanels {
    /// Draws them; what is left of `ui` is the canvases'.
    pub fn around(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        Panel::left("liquid scenes")
            .resizable(true)
            .default_size(216.0)
            .size_range(160.0..=420.0)
            .show(ui, |ui| self.scenes.ui(ui, context, out));
        Panel::right("liquid numbers")
            .resizable(true)
            .default_size(312.0)
            .size_range(240.0..=620.0)
            .show(ui, |ui| {
                ScrollArea::vertical()
                    .id_salt("liquid numbers")
                    .auto_shrink(false)
                    .show(ui, |ui| numbers::numbers_ui(ui, context, out));
            });
        Panel::bottom("liquid plots")
            .resizable(true)
            .default_size(176.0)
            .size_range(110.0..=620.0)
            .show(ui, |ui| plots::plots_ui(ui, context));
    }
}

/// The colour of a view in plots and heads: of those that are told apart, the ones that stand out from what is behind.
pub fn colour_of(view: usize, is_dark: bool) -> Color32 {
    let of = match is_dark {
        true => [DISTINCT[4], DISTINCT[5]],
        false => [DISTINCT[0], DISTINCT[1]],
    };
    of[view % 2]
}

/// The mark of a view, in its colour.
fn dot(ui: &mut Ui, k: usize) {
    let (rect, _) = ui.allocate_exact_size(vec2(11.0, 11.0), Sense::hover());
    let colour = colour_of(k, ui.visuals().dark_mode);
    ui.painter().circle_filled(rect.center(), 5.0, colour);
}

/// A command of liquids as one of the window.
fn push(out: &mut Vec<Command>, command: LiquidCommand) {
    out.push(Command::Liquid(command));
}

/// One of several that a command chooses; where that can't be now, it says why.
fn option(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    is_on: bool,
    label: &str,
    command: LiquidCommand,
    out: &mut Vec<Command>,
) -> Response {
    let enabled = command.is_enabled(context);
    let response = ui.add_enabled(enabled.is_ok(), Button::selectable(is_on, label));
    if response.clicked() {
        push(out, command);
    }
    match enabled {
        Ok(()) => response,
        Err(why) => response.on_disabled_hover_text(format!("Not now: {why}.")),
    }
}
