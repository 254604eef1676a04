//! The depth of one component or channel: its own, or the chip's.

use eframe::egui::Ui;

use super::{FIELD, Inspector};
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::fields::Field;
use crate::panels::values::{Measure, read_quantity, show_quantity};
use stokeslet_base::units::{Dimension, Metre};

/// A row with the depth, which may be typed and taken back; none where the chip has no depth to differ from.
pub(super) fn ui(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    (item, own): (&str, Option<Metre>),
    out: &mut Vec<Command>,
) {
    let design = context.document.shown_design();
    let Some(depth) = own.or(design.and_then(|design| design.depth)) else {
        return;
    };
    let key = format!("{item}.depth");
    let shown = show_quantity(depth.0, Dimension::Length);
    let field = Field {
        key: &key,
        label: "depth",
        shown: &shown,
        is_default: own.is_none(),
        doc: "From floor to ceiling; by default the chip's. In the full model all is as deep as the chip.",
        measure: Some(Measure::Quantity(Dimension::Length)),
        width: FIELD,
    };
    let mut reset = false;
    let read = |text: &str| read_quantity(text, Dimension::Length);
    let typed = inspector.fields.row(ui, "depth", &field, read, |ui| {
        if own.is_some() {
            let button = ui.small_button("Reset");
            reset = button.on_hover_text("As deep as the chip").clicked();
        }
    });
    let set = |depth: Option<Metre>| Command::SetItemDepth {
        item: item.to_owned(),
        depth,
    };
    out.extend(typed.map(|depth| set(Some(Metre(depth)))));
    if reset {
        out.push(set(None));
    }
}
