//! A chip that was kept beside the one that is solved now.

use eframe::egui::{Grid, RichText, ScrollArea, Ui};

use super::ports::show_pressure;
use super::{heading, right};
use crate::command::Command;
use crate::results::Solved;
use crate::results::before::{Before, Pair};
use stokeslet_flow::export::readable::{Quantity as Unit, figures};

/// Widths of the columns: before, now, change.
const COLUMNS: [f32; 3] = [74.0, 74.0, 54.0];
/// Smaller changes are rounding.
const NOTHING: f64 = 5e-7;

pub(super) fn before_ui(ui: &mut Ui, before: &Before, solved: &Solved, out: &mut Vec<Command>) {
    heading(ui, "Before and now");
    ui.horizontal_wrapped(|ui| {
        let note = format!("{}, resolution {}", before.name, before.resolution);
        ui.label(RichText::new(note).weak());
        let hint = "Takes the outline and these numbers away";
        if ui.small_button("Forget").on_hover_text(hint).clicked() {
            out.push(Command::ForgetBefore);
        }
    });
    let table = Grid::new("before and now")
        .num_columns(4)
        .striped(true)
        .spacing([4.0, 4.0]);
    ScrollArea::horizontal().id_salt("before").show(ui, |ui| {
        table.show(ui, |ui| {
            ui.label("");
            for (name, width) in ["Before", "Now", "Change"].into_iter().zip(COLUMNS) {
                right(ui, RichText::new(name).weak(), width);
            }
            ui.end_row();
            for pair in before.beside(solved) {
                ui.label(&pair.name);
                let show = |value: Option<f64>| match (value, pair.unit) {
                    (None, _) => "–".to_owned(),
                    // As the table of ports has them.
                    (Some(p), Unit::Pressure) => show_pressure(p, pair.size()),
                    (Some(v), unit) => unit.show(v),
                };
                right(ui, RichText::new(show(pair.before)), COLUMNS[0]);
                right(ui, RichText::new(show(pair.after)), COLUMNS[1]);
                right(ui, RichText::new(change(&pair)), COLUMNS[2]);
                ui.end_row();
            }
        });
    });
}

/// By how much a number grew, in per cent; "same" where only rounding differs.
fn change(pair: &Pair) -> String {
    match pair.change() {
        None => String::new(),
        Some(part) if part.abs() < NOTHING => "same".to_owned(),
        Some(part) if part > 0.0 => format!("+{} %", figures(100.0 * part)),
        Some(part) => format!("{} %", figures(100.0 * part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn changes_are_told_in_per_cent_where_they_say_something() {
        let pair = |before, after| Pair {
            name: String::new(),
            unit: Unit::Pressure,
            before,
            after,
        };
        for (before, after, text) in [
            (Some(2.0), Some(3.0), "+50.0 %"),
            (Some(-2.0), Some(-1.0), "-50.0 %"),
            (Some(1.0), Some(1.0 + 1e-9), "same"),
            (Some(0.0), Some(1.0), ""),
            (None, Some(1.0), ""),
        ] {
            assert_eq!(change(&pair(before, after)), text);
        }
    }
}
