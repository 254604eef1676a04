//! The menus of liquids.

use eframe::egui::Ui;

use crate::command::Command;
use crate::liquids::command::{LiquidCommand, LiquidFormat};
use crate::panels::menu::{entry, labelled};
use crate::seen::ViewContext;
use crate::words::capital;

/// Draws the menus between those of files and help.
pub fn menus_ui(ui: &mut Ui, seen: &ViewContext<'_>, out: &mut Vec<Command>) {
    ui.menu_button("Run", |ui| run(ui, seen, out));
    ui.menu_button("Show", |ui| show(ui, seen, out));
}

fn run(ui: &mut Ui, seen: &ViewContext<'_>, out: &mut Vec<Command>) {
    use LiquidCommand as L;
    ui.set_min_width(210.0);
    for command in [L::PlayOrPause, L::Step, L::Restart] {
        entry(ui, seen, Command::Liquid(command), out);
    }
    ui.separator();
    let compare = seen.settings.liquids.compare;
    let command = Command::Liquid(L::Compare(!compare));
    labelled(ui, seen, "Compare two views", compare, command, out);
    ui.separator();
    let group = seen.settings.liquids.group();
    for format in LiquidFormat::ALL.into_iter().filter(|f| f.is_of(group)) {
        let label = format!("Export {}…", format.label());
        let command = Command::Liquid(L::Export(format));
        labelled(ui, seen, &label, false, command, out);
    }
}

fn show(ui: &mut Ui, seen: &ViewContext<'_>, out: &mut Vec<Command>) {
    use LiquidCommand as L;
    ui.set_min_width(190.0);
    let settings = &seen.settings.liquids;
    for colour in settings.group().colours() {
        let marked = settings.shown_colour() == colour;
        let command = Command::Liquid(L::Colour(colour));
        labelled(ui, seen, &capital(colour.label()), marked, command, out);
    }
    ui.separator();
    for mark in settings.group().marks() {
        let marked = settings.marks.contains(&mark);
        let command = Command::Liquid(L::Mark(mark));
        labelled(ui, seen, &capital(mark.label()), marked, command, out);
    }
}
