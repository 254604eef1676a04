//! The depth of one component or channel: its own, or the chip's.

use eframe::egui::Ui;

use super::{Given, Inspector};
use crate::command::Command;
use crate::context::ViewContext;
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
    let is_channel = design.is_some_and(|d| d.channels.iter().any(|c| c.name.value == item));
    let section = if is_channel { "channels" } else { "components" };
    let row = Given {
        key: &format!("{item}.depth"),
        name: "depth",
        doc: "From floor to ceiling; by default the chip's. In the full model all is as deep as the chip.",
        keys: &[section, item, "depth"],
        value: Some(depth.0),
        dimension: Dimension::Length,
        is_default: own.is_none(),
    };
    let mut reset = false;
    let after = |ui: &mut Ui| {
        if own.is_some() {
            let button = ui.small_button("Reset");
            reset = button.on_hover_text("As deep as the chip").clicked();
        }
    };
    let set = |depth: Option<Metre>| Command::SetItemDepth {
        item: item.to_owned(),
        depth,
    };
    let set_value = |depth| set(Some(Metre(depth)));
    inspector.given(ui, context, &row, (set_value, after), out);
    if reset {
        out.push(set(None));
    }
}
