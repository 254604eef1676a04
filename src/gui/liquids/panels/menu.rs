//! The menus of liquids.

use eframe::egui::Ui;

use crate::command::Command;
use crate::context::ViewContext;
use crate::liquids::command::{LiquidCommand, LiquidFormat};
use crate::panels::menu::{entry, labelled};
use crate::words::capital;

/// Draws the menus between those of files and help.
pub fn menus_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    ui.menu_button("Run", |ui| run(ui, context, out));
    ui.menu_button("Show", |ui| show(ui, context, out));
}

fn run(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use LiquidCommand as L;
    ui.set_min_width(210.0);
    for command in [L::PlayOrPause, L::Step, L::Restart] {
        entry(ui, context, Command::Liquid(command), out);
    }
    ui.separator();
    let compare = context.settings.liquids.compare;
    let command = Command::Liquid(L::Compare(!compare));
    labelled(ui, context, "Compare two views", compare, command, out);
    ui.separator();
    let group = context.settings.liquids.group();
    for format in LiquidFormat::ALL.into_iter().filter(|f| f.is_of(group)) {
        let label = format!("Export {}…", format.label());
        let command = Command::Liquid(L::Export(format));
        labelled(ui, context, &label, false, command, out);
    }
}

fn show(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use LiquidCommand as L;
    ui.set_min_width(190.0);
    let settings = &context.settings.liquids;
    for colour in settings.group().colours() {
        let marked = settings.shown_colour() == colour;
        let command = Command::Liquid(L::Colour(colour));
        labelled(ui, context, &capital(colour.label()), marked, command, out);
    }
    ui.separator();
    for mark in settings.group().marks() {
        let marked = settings.marks.contains(&mark);
        let command = Command::Liquid(L::Mark(mark));
        labelled(ui, context, &capital(mark.label()), marked, command, out);
    }
}
