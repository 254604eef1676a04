//! Messages over the canvas: what went well fades, what went wrong and what asks something
//! stay four times as long, or until they are dismissed.

use eframe::egui::{self, Align2, RichText, Ui, vec2};

use super::icons::{Icon, icon, small_icon_button};
use super::problems::good;
use crate::command::Command;

/// How long what went well is shown, s.
const STAYS: f64 = 5.0;
/// The same of what went wrong, s: long enough to read twice.
const WRONG_STAYS: f64 = 20.0;
/// Most at a time; the oldest go first.
const MOST: usize = 6;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something went well.
    Done,
    /// Worth knowing.
    Info,
    /// Something went wrong.
    Error,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// One or two sentences.
    pub text: String,
    /// What can be said to it, and what is done then.
    pub answers: Vec<(String, Command)>,
}

impl Notice {
    fn new(kind: NoticeKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            answers: Vec::new(),
        }
    }

    /// Something went well.
    pub fn done(text: impl Into<String>) -> Self {
        Self::new(NoticeKind::Done, text)
    }

    /// Worth knowing.
    pub fn info(text: impl Into<String>) -> Self {
        Self::new(NoticeKind::Info, text)
    }

    /// Something went wrong.
    pub fn error(text: impl Into<String>) -> Self {
        Self::new(NoticeKind::Error, text)
    }

    /// With buttons for what can be said to it.
    #[must_use]
    pub fn with_answers(self, answers: Vec<(String, Command)>) -> Self {
        Self { answers, ..self }
    }

    /// How long it is shown, s.
    fn stays(&self) -> f64 {
        match self.kind {
            NoticeKind::Error => WRONG_STAYS,
            _ if !self.answers.is_empty() => WRONG_STAYS,
            NoticeKind::Done | NoticeKind::Info => STAYS,
        }
    }
}

/// The messages that are shown.
#[derive(Debug, Default)]
pub struct Toasts {
    /// With the time of the first frame that showed it, s.
    shown: Vec<(Notice, Option<f64>)>,
}

impl Toasts {
    /// Shows a message; one that is shown already starts anew.
    pub fn add(&mut self, notice: Notice) {
        self.shown.retain(|(known, _)| *known != notice);
        self.shown.push((notice, None));
        let over = self.shown.len().saturating_sub(MOST);
        self.shown.drain(..over);
    }

    /// Takes away those with answers.
    pub fn forget_questions(&mut self) {
        self.shown.retain(|(notice, _)| notice.answers.is_empty());
    }

    /// Draws them above the lower right corner of `rect`.
    pub fn ui(&mut self, ui: &Ui, rect: egui::Rect, out: &mut Vec<Command>) {
        let now = ui.input(|i| i.time);
        for (_, since) in &mut self.shown {
            since.get_or_insert(now);
        }
        self.shown
            .retain(|(notice, since)| since.is_none_or(|since| now - since < notice.stays()));
        if self.shown.is_empty() {
            return;
        }
        ui.ctx().request_repaint_after_secs(0.5);
        let mut dismissed = None;
        egui::Area::new(egui::Id::unique("toasts"))
            .order(egui::Order::Foreground)
            .pivot(Align2::RIGHT_BOTTOM)
            .fixed_pos(rect.right_bottom() + vec2(-12.0, -12.0))
            .constrain_to(rect)
            .show(ui.ctx(), |ui| {
                for (k, (notice, _)) in self.shown.iter().enumerate() {
                    if toast(ui, notice, out) {
                        dismissed = Some(k);
                    }
                }
            });
        if let Some(k) = dismissed {
            self.shown.remove(k);
        }
    }
}

/// One message; `true` when it is dismissed or answered.
fn toast(ui: &mut Ui, notice: &Notice, out: &mut Vec<Command>) -> bool {
    let (picture, color) = match notice.kind {
        NoticeKind::Done => (Icon::Tick, good(ui)),
        NoticeKind::Info => (Icon::Info, ui.visuals().hyperlink_color),
        NoticeKind::Error => (Icon::Error, ui.visuals().error_fg_color),
    };
    let frame = egui::Frame::popup(ui.style())
        .inner_margin(10.0)
        .stroke(egui::Stroke::new(1.0, color));
    let mut dismissed = false;
    frame.show(ui, |ui| {
        ui.set_width(360.0);
        ui.horizontal_top(|ui| {
            icon(ui, picture, color);
            let words = vec2(360.0 - 62.0, 0.0);
            ui.allocate_ui_with_layout(words, egui::Layout::top_down(egui::Align::Min), |ui| {
                ui.set_width(words.x);
                ui.add(egui::Label::new(RichText::new(&notice.text)).wrap());
                if !notice.answers.is_empty() {
                    ui.add_space(4.0);
                    ui.horizontal(|ui| {
                        for (label, command) in &notice.answers {
                            if ui.button(label).clicked() {
                                out.push(command.clone());
                                dismissed = true;
                            }
                        }
                    });
                }
            });
            dismissed |= small_icon_button(ui, Icon::Close, "Dismiss message").clicked();
        });
    });
    dismissed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn errors_stay_longer_than_good_news_or_until_they_are_dismissed() {
        let shown = Shown::new(opened_example("tee"));
        let mut harness = harness(&shown);
        shown.borrow_mut().panels.notify(Notice::done("Saved."));
        shown
            .borrow_mut()
            .panels
            .notify(Notice::error("The disk is full."));
        harness.run_steps(4);
        harness.get_by_label("Saved.");
        harness.run_steps(40);
        assert!(harness.query_by_label("Saved.").is_none());
        harness.get_by_label("The disk is full.");
        harness.get_by_label("Dismiss message").click();
        harness.run_steps(3);
        assert!(harness.query_by_label("The disk is full.").is_none());
    }
}
