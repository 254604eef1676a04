//! The steps of undo; a click goes there.

use eframe::egui::{self, RichText, Ui};

use crate::command::Command;
use crate::context::ViewContext;

/// Draws the steps, the newest at the bottom.
pub fn history_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let history = &context.document.history;
    let (steps, now) = (history.steps(), history.now());
    let height =
        ui.text_style_height(&egui::TextStyle::Button) + 2.0 * ui.spacing().button_padding.y;
    let area = egui::ScrollArea::vertical()
        .auto_shrink(false)
        .stick_to_bottom(true);
    area.show_rows(ui, height, steps.len(), |ui, rows| {
        for k in rows {
            let text = format!("{k:>3}  {}", steps[k].label);
            let text = if k > now {
                RichText::new(text).weak().italics()
            } else {
                RichText::new(text)
            };
            let tip = match k {
                k if k == now => "The design is here",
                k if k > now => "Undone; go there again",
                _ => "Go back to here",
            };
            if ui
                .selectable_label(k == now, text)
                .on_hover_text(tip)
                .clicked()
                && k != now
            {
                out.push(Command::GoTo(k));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Panel;
    use crate::context::Selection;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable as _;
    use stokeslet_base::units::Metre;
    use stokeslet_cad::design::Edit;

    #[test]
    fn a_click_goes_to_a_step() {
        let mut state = opened_example("tee");
        for (k, width) in [1e-4, 2e-4, 3e-4].into_iter().enumerate() {
            let edits = [Edit::SetWidth(Metre(width))];
            let (label, library) = (format!("Width {k}"), &state.library);
            state
                .document
                .edit(&label, &edits, &Selection::default(), None, library)
                .unwrap();
        }
        state.settings.panels.insert(Panel::History);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::History);
        let mut harness = harness(&shown);
        harness.get_by_label_contains("Width 0").click();
        harness.run_steps(2);
        assert!(
            matches!(shown.borrow().commands[..], [Command::GoTo(_)]),
            "{:?}",
            shown.borrow().commands
        );
    }
}
