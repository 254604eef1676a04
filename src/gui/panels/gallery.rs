//! The examples as pictures; a click opens one, solved.

use web_time::{Duration, Instant};

use eframe::egui::{
    self, Align2, CursorIcon, Modal, RichText, Role, Sense, TextStyle, Ui, WidgetInfo, vec2,
};
use rustc_hash::FxHashMap;

use super::shortcuts::title;
use super::thumbnail::{Colours, Thumbnail};
use crate::command::Command;
use crate::context::ViewContext;
use crate::files::examples::{Example, all};
use stokeslet_cad::chip::place;

/// Time of a frame for pictures that aren't drawn yet.
const BUDGET: Duration = Duration::from_millis(3);
/// Size of a card.
const CARD: [f32; 2] = [226.0, 196.0];
const GAP: f32 = 10.0;

/// What the gallery remembers: pictures, by example.
#[derive(Debug, Default)]
pub struct Gallery {
    pictures: FxHashMap<&'static str, Thumbnail>,
}

impl Gallery {
    /// Draws the gallery; `true` when it is done with.
    pub fn ui(
        &mut self,
        ctx: &egui::Context,
        context: &ViewContext<'_>,
        out: &mut Vec<Command>,
    ) -> bool {
        let room = ctx.content_rect().size() - vec2(120.0, 160.0);
        let columns = ((room.x + GAP) / (CARD[0] + GAP)).floor().clamp(1.0, 4.0);
        let response = Modal::new(egui::Id::unique("gallery")).show(ctx, |ui| {
            ui.set_width(columns * (CARD[0] + GAP) + 4.0);
            let mut done = title(ui, "Examples");
            let begin = Instant::now();
            egui::ScrollArea::vertical()
                .max_height(room.y.max(240.0))
                .min_scrolled_height(room.y.max(240.0))
                .auto_shrink([false, true])
                .show(ui, |ui| {
                    ui.spacing_mut().item_spacing = vec2(GAP, GAP);
                    for row in all().chunks(columns as usize) {
                        ui.horizontal(|ui| {
                            for example in row {
                                if self.card(ui, context, example, begin) {
                                    out.push(Command::OpenExample(example.name.to_owned()));
                                    done = true;
                                }
                            }
                        });
                    }
                });
            done
        });
        response.inner || response.should_close()
    }

    /// One example; `true` when it is clicked.
    fn card(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        example: &'static Example,
        begin: Instant,
    ) -> bool {
        let (rect, response) = ui.allocate_exact_size(vec2(CARD[0], CARD[1]), Sense::click());
        response.widget_info(|| {
            WidgetInfo::labeled(Role::Button, true, format!("Example {}", example.name))
        });
        if ui.is_rect_visible(rect) {
            let look = ui.style().interact(&response);
            let fill = if response.hovered() {
                look.weak_bg_fill
            } else {
                ui.visuals().extreme_bg_color
            };
            let edge = ui.visuals().widgets.noninteractive.bg_stroke;
            ui.painter()
                .rect(rect, 6.0, fill, edge, egui::StrokeKind::Inside);
            let picture_rect = rect
                .shrink2(vec2(14.0, 12.0))
                .with_max_y(rect.top() + 112.0);
            match self.picture(ui, context, example, begin) {
                Some(picture) => picture.paint(ui.painter(), picture_rect, Colours::of(ui)),
                None => {
                    let font = TextStyle::Body.resolve(ui.style());
                    ui.painter().text(
                        picture_rect.center(),
                        Align2::CENTER_CENTER,
                        "…",
                        font,
                        ui.visuals().weak_text_color(),
                    );
                }
            }
            let words = rect.shrink2(vec2(12.0, 8.0)).with_min_y(rect.top() + 118.0);
            let mut words_ui = ui.new_child(
                egui::UiBuilder::new()
                    .max_rect(words)
                    .layout(egui::Layout::top_down(egui::Align::Min)),
            );
            words_ui.spacing_mut().item_spacing.y = 2.0;
            words_ui.add(
                egui::Label::new(RichText::new(&example.title).strong())
                    .truncate()
                    .selectable(false),
            );
            let question = RichText::new(example.question).small().weak();
            words_ui.add(egui::Label::new(question).wrap().selectable(false));
        }
        response.on_hover_cursor(CursorIcon::PointingHand).clicked()
    }

    fn picture(
        &mut self,
        ui: &Ui,
        context: &ViewContext<'_>,
        example: &'static Example,
        begin: Instant,
    ) -> Option<&Thumbnail> {
        if !self.pictures.contains_key(example.name) {
            if begin.elapsed() > BUDGET {
                ui.ctx().request_repaint();
                return None;
            }
            let (design, _) = stokeslet_cad::design::parse(example.text, example.name);
            let chip = design.and_then(|design| place(&design, context.library).0);
            let picture = chip
                .map(|chip| Thumbnail::of_chip(&chip))
                .unwrap_or_default();
            self.pictures.insert(example.name, picture);
        }
        self.pictures.get(example.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn a_click_opens_an_example_and_closes_the_gallery() {
        let shown = Shown::new(opened(crate::document::EMPTY));
        shown.borrow_mut().panels.hear(&Command::Gallery);
        let mut harness = harness(&shown);
        harness.run_steps(20);
        assert!(shown.borrow().commands.is_empty());
        harness.get_by_label("Example y-mixer").click();
        harness.run_steps(2);
        assert_eq!(
            shown.borrow().commands,
            [Command::OpenExample("y-mixer".into())]
        );
        assert!(harness.query_by_label("Example y-mixer").is_none());
    }
}
