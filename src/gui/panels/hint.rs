//! Five steps for newcomers, each of which goes on by itself when it is done.

use eframe::egui::{self, Align2, Rect, RichText, Ui, vec2};

use super::icons::{Icon, small_icon_button};
use crate::command::Command;
use crate::context::ViewContext;
use stokeslet_cad::design::Placement;

/// How many there are.
pub const STEPS: usize = 5;

const WORDS: [(&str, &str); STEPS] = [
    (
        "Place a component",
        "Click one in the library at the left, then click on the canvas. Or drag it there. R turns it, M mirrors it.",
    ),
    (
        "Connect it",
        "Place another near a free socket: it snaps and attaches. Or take the channel tool (C) and click from socket to socket.",
    ),
    (
        "Open it to the outside",
        "Take the port tool (O) and click two free sockets. Give them pressures or flow rates in the inspector at the right.",
    ),
    (
        "Solve",
        "With Live on, the flow follows every edit. F5 solves at the resolution of the file; finer ones are beside the button.",
    ),
    (
        "Read the flow",
        "Rest the pointer on a channel. Click with the probe tool (P) to keep a value, drag with the line tool (L) for a profile.",
    ),
];

/// Whether a step is done.
pub fn is_done(step: usize, context: &ViewContext<'_>) -> bool {
    let Some(design) = &context.document.design else {
        return false;
    };
    let attached = || {
        design
            .components
            .iter()
            .any(|c| matches!(c.placement, Placement::Attached(_)))
    };
    match step {
        0 => !design.components.is_empty(),
        1 => attached() || !design.channels.is_empty() || !design.connections.is_empty(),
        2 => design.ports.len() >= 2,
        3 => context
            .results
            .solved
            .as_ref()
            .is_some_and(|solved| solved.revision == context.document.revision),
        _ => !context.shown.probes.is_empty() || !context.shown.lines.is_empty(),
    }
}

/// Size of the card, about, points.
const CARD: egui::Vec2 = vec2(324.0, 112.0);

/// What is going on on the canvas, for what is shown over it.
#[derive(Clone, Debug, Default)]
pub struct OnCanvas {
    /// Whether something is being drawn or dragged.
    pub is_busy: bool,
    /// Where something is that people look at.
    pub taken: Vec<Rect>,
}

/// The card's place: a corner of the canvas, kept until the step changes or something is drawn there.
#[derive(Debug, Default)]
pub struct Card {
    corner: usize,
    step: usize,
}

/// Corners in which the card may be; the legend has the fourth.
const CORNERS: [Align2; 3] = [Align2::LEFT_TOP, Align2::LEFT_BOTTOM, Align2::RIGHT_BOTTOM];

impl Card {
    /// Chooses the corner where the card covers the least.
    fn settle(&mut self, step: usize, rect: Rect, canvas: &OnCanvas) -> Align2 {
        let covered = |corner: &Align2| -> f32 {
            let card = corner.align_size_within_rect(CARD, rect.shrink(12.0));
            let shared = canvas.taken.iter().map(|r| r.intersect(card));
            let shared = shared.filter(|r| r.is_positive());
            shared.map(|r| r.area()).sum()
        };
        if self.step != step || covered(&CORNERS[self.corner]) > 0.0 {
            self.step = step;
            let all = CORNERS.iter().map(covered).enumerate();
            let least = all.min_by(|a, b| a.1.total_cmp(&b.1));
            self.corner = least.map_or(0, |(corner, _)| corner);
        }
        CORNERS[self.corner]
    }
}

/// Draws the step that is shown, in a corner of `rect`; out of the way while something is drawn.
pub fn hint_ui(
    card: &mut Card,
    ui: &Ui,
    context: &ViewContext<'_>,
    (rect, canvas): (Rect, &OnCanvas),
    out: &mut Vec<Command>,
) {
    let Some(step) = context.settings.hint.filter(|&step| step < STEPS) else {
        return;
    };
    let next = (step + 1 < STEPS).then_some(step + 1);
    if is_done(step, context) {
        out.push(Command::Hint(next));
        return;
    }
    if canvas.is_busy {
        return;
    }
    let corner = card.settle(step, rect, canvas);
    let (title, text) = WORDS[step];
    egui::Area::new(egui::Id::unique("hint"))
        .pivot(corner)
        .fixed_pos(corner.pos_in_rect(&rect.shrink(12.0)))
        .constrain_to(rect)
        .show(ui.ctx(), |ui| {
            egui::Frame::popup(ui.style())
                .inner_margin(10.0)
                .show(ui, |ui| {
                    ui.set_width(300.0);
                    ui.horizontal(|ui| {
                        ui.strong(title);
                        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                            if small_icon_button(ui, Icon::Close, "Dismiss first steps")
                                .on_hover_text("Dismiss; Help > First steps shows them again")
                                .clicked()
                            {
                                out.push(Command::Hint(None));
                            }
                        });
                    });
                    ui.add(egui::Label::new(text).wrap());
                    ui.add_space(2.0);
                    ui.horizontal(|ui| {
                        dots(ui, step);
                        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                            let label = if next.is_some() { "Next" } else { "Done" };
                            if ui.button(label).clicked() {
                                out.push(Command::Hint(next));
                            }
                            if ui
                                .add_enabled(step > 0, egui::Button::new("Back"))
                                .clicked()
                            {
                                out.push(Command::Hint(Some(step - 1)));
                            }
                            ui.label(
                                RichText::new(format!("{} of {STEPS}", step + 1))
                                    .small()
                                    .weak(),
                            );
                        });
                    });
                });
        });
}

fn dots(ui: &mut Ui, step: usize) {
    let (rect, _) = ui.allocate_exact_size(vec2(12.0 * STEPS as f32, 12.0), egui::Sense::hover());
    for k in 0..STEPS {
        let centre = rect.left_center() + vec2(6.0 + 12.0 * k as f32, 0.0);
        let color = if k <= step {
            ui.visuals().selection.bg_fill
        } else {
            ui.visuals().widgets.inactive.bg_fill
        };
        ui.painter().circle_filled(centre, 3.5, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::EMPTY;
    use crate::panels::testing::{Shown, harness, opened, opened_example};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn steps_are_done_by_doing_them() {
        let empty = opened(EMPTY);
        assert!((0..STEPS).all(|step| !is_done(step, &empty.context())));
        let tee = opened_example("tee");
        let done: Vec<bool> = (0..STEPS)
            .map(|step| is_done(step, &tee.context()))
            .collect();
        assert_eq!(done, [true, true, true, false, false]);
    }

    #[test]
    fn a_step_that_is_done_goes_on_and_the_hint_can_be_dismissed() {
        let mut state = opened_example("tee");
        state.settings.hint = Some(2);
        let shown = Shown::new(state);
        let mut harness = harness(&shown);
        assert_eq!(
            shown.borrow().commands.first(),
            Some(&Command::Hint(Some(3)))
        );
        shown.borrow_mut().state.settings.hint = Some(3);
        harness.run_steps(3);
        shown.borrow_mut().commands.clear();
        harness.get_by_label("Dismiss first steps").click();
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [Command::Hint(None)]);
    }
}
