//! What makes the numbers doubtful although the equations are solved: the depth, cells, inertia, pressures.

use std::sync::Arc;

use eframe::egui::{Label, RichText, Ui};

use crate::context::ViewContext;
use crate::panels::advice::advice;
use crate::panels::icons::{Icon, icon};
use crate::words::quoted;
use stokeslet_base::diagnostic::Diagnostic;

/// The warnings that `solve` prints of what is shown, if there are any.
pub fn doubts_of(context: &ViewContext<'_>) -> Arc<[Diagnostic]> {
    let density = context.document.design.as_ref().and_then(|d| d.density);
    // What failed has told why, and what is shown beside it is of before.
    let solved = context.results.solved.as_ref();
    let solved = solved.filter(|_| context.results.failure.is_none());
    solved.map_or_else(Arc::default, |s| s.doubts(density.map(|density| density.0)))
}

/// Draws them.
pub(super) fn doubts_ui(ui: &mut Ui, doubts: &[Diagnostic]) {
    for doubt in doubts {
        ui.horizontal_top(|ui| {
            let colour = ui.visuals().warn_fg_color;
            icon(ui, Icon::Warning, colour);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                ui.add(Label::new(quoted(&doubt.message)).wrap());
                if let Some(help) = advice(doubt) {
                    ui.add(Label::new(RichText::new(help).weak()).wrap());
                }
            });
        });
        ui.add_space(4.0);
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::Role;
    use egui_kittest::kittest::Queryable;

    use crate::command::{Command, Panel};
    use crate::panels::advice::advice;
    use crate::panels::testing::{Shown, harness, opened_example};
    use crate::results::tests::solved_example;

    /// The tee's channels are as deep as wide, and its model knows no floor; those of the Y are wider than deep and shallow.
    #[test]
    fn a_planar_chip_with_a_floor_is_told_beside_its_results() {
        for (name, is_doubted) in [("tee", true), ("y-mixer", false)] {
            let mut state = opened_example(name);
            state.results.solved = Some(solved_example(name, 4));
            let harness = harness(&Shown::new(state));
            let told = harness.query_by_label_contains("times what they should");
            assert_eq!(told.is_some(), is_doubted, "{name}");
            let solved = solved_example(name, 4);
            assert_eq!(solved.doubts(None).is_empty(), !is_doubted, "{name}");
        }
    }

    /// However small the window is, the status line tells how many there are; a click on it shows them.
    #[test]
    fn the_status_line_counts_them_and_leads_to_them() {
        let mut state = opened_example("tee");
        state.settings.panels.remove(&Panel::Results);
        let counted = "Results: 2 doubts";
        let before = harness(&Shown::new(opened_example("tee")));
        assert!(
            before.query_by_label(counted).is_none(),
            "nothing is solved"
        );
        state.results.solved = Some(solved_example("tee", 4));
        let shown = Shown::new(state);
        let mut harness = harness(&shown);
        harness.get_by_role_and_label(Role::Button, counted).click();
        harness.run_steps(2);
        let asked = Command::TogglePanel(Panel::Results);
        assert_eq!(shown.borrow().commands, [asked]);
    }

    /// A density is no part of what is solved, and nobody is told to write TOML.
    #[test]
    fn doubts_follow_the_density_and_speak_of_the_window() {
        let solved = solved_example("tee", 4);
        let codes = |density| -> Vec<&str> {
            let doubts = solved.doubts(density);
            for doubt in doubts.iter() {
                let told = advice(doubt).unwrap_or_default();
                assert!(!told.contains(['=', '[', '{', '_', '“']), "{told}");
            }
            doubts.iter().map(|doubt| doubt.code).collect()
        };
        assert_eq!(codes(None), ["D411", "D408"], "water, at 2.25");
        assert_eq!(codes(Some(1.0)), ["D411"], "a light liquid");
        assert_eq!(codes(None), ["D411", "D408"]);
    }
}
