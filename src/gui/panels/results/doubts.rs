//! What makes the numbers doubtful although the equations are solved: the depth, cells, inertia, pressures.

use eframe::egui::{Label, RichText, Ui};

use crate::context::ViewContext;
use crate::panels::advice::advice;
use crate::panels::icons::{Icon, icon};
use crate::results::Solved;
use crate::words::quoted;

/// The warnings that `solve` prints, if there are any.
pub(super) fn doubts_ui(ui: &mut Ui, context: &ViewContext<'_>, solved: &Solved) {
    let density = context.document.design.as_ref().and_then(|d| d.density);
    for doubt in solved.doubts(density.map(|density| density.0)).iter() {
        ui.add_space(4.0);
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
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable;

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
            let told = harness.query_by_label_contains("2.4 times what they would");
            assert_eq!(told.is_some(), is_doubted, "{name}");
            let solved = solved_example(name, 4);
            assert_eq!(solved.doubts(None).is_empty(), !is_doubted, "{name}");
        }
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
