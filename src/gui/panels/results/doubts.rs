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
    for doubt in solved.doubts(density.map(|density| density.0)) {
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
        }
    }
}
