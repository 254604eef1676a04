//! Questions that must be answered before anything else is done.

use eframe::egui::{self, Key, Modal};

use crate::command::Command;

/// What is asked, so that whoever asked knows its answer again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Something isn't saved, and is about to be left.
    Unsaved,
    /// Work of a program that is no more was found.
    Recover,
    /// The file was changed by another program.
    Changed,
    /// Anything else.
    Other,
}

/// What an answer is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceKind {
    /// The usual one; Enter gives it.
    Usual,
    /// Loses something.
    Loses,
    /// Changes nothing; Escape gives it.
    Cancel,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// On its button.
    pub label: String,
    /// What it is like.
    pub kind: ChoiceKind,
    /// What is done then, besides telling whoever asked.
    pub commands: Vec<Command>,
}

/// A question with its answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// What is asked.
    pub asked: Asked,
    /// One line.
    pub title: String,
    /// What it means.
    pub text: String,
    /// From the usual one to cancelling.
    pub choices: Vec<Choice>,
}

fn choice(label: &str, kind: ChoiceKind) -> Choice {
    Choice {
        label: label.to_owned(),
        kind,
        commands: Vec::new(),
    }
}

impl Question {
    /// Something isn't saved: 0 save, 1 don't, 2 stay.
    pub fn unsaved(name: &str) -> Self {
        Self {
            asked: Asked::Unsaved,
            title: format!("Save the changes of {name}?"),
            text: "They are lost otherwise.".to_owned(),
            choices: vec![
                choice("Save", ChoiceKind::Usual),
                choice("Don't save", ChoiceKind::Loses),
                choice("Cancel", ChoiceKind::Cancel),
            ],
        }
    }

    /// Work of a program that is no more was found: 0 recover, 1 discard, 2 later.
    pub fn recover(name: &str, when: &str) -> Self {
        Self {
            asked: Asked::Recover,
            title: format!("Recover {name}?"),
            text: format!("The program ended without saving it. This is as it was {when}."),
            choices: vec![
                choice("Recover", ChoiceKind::Usual),
                choice("Discard", ChoiceKind::Loses),
                choice("Later", ChoiceKind::Cancel),
            ],
        }
    }

    /// The file changed since it was opened: 0 save under another name, 1 overwrite, 2 nothing.
    pub fn changed(name: &str) -> Self {
        Self {
            asked: Asked::Changed,
            title: format!("{name} was changed by another program"),
            text: "Since it was opened here. Overwriting loses what the other program wrote."
                .to_owned(),
            choices: vec![
                Choice {
                    commands: vec![Command::SaveAs],
                    ..choice("Save as…", ChoiceKind::Usual)
                },
                choice("Overwrite", ChoiceKind::Loses),
                choice("Cancel", ChoiceKind::Cancel),
            ],
        }
    }

    /// Draws it; the answer once it is given.
    pub(super) fn ui(&self, ctx: &egui::Context) -> Option<usize> {
        let mut answer = None;
        let response = Modal::new(egui::Id::unique("question")).show(ctx, |ui| {
            ui.set_width(400.0);
            ui.heading(&self.title);
            ui.add_space(4.0);
            ui.add(egui::Label::new(&self.text).wrap());
            ui.add_space(12.0);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                // The usual one at the right, as desktops have it.
                for (k, choice) in self.choices.iter().enumerate() {
                    let text = match choice.kind {
                        ChoiceKind::Usual => egui::RichText::new(&choice.label).strong(),
                        ChoiceKind::Loses => {
                            egui::RichText::new(&choice.label).color(ui.visuals().error_fg_color)
                        }
                        ChoiceKind::Cancel => egui::RichText::new(&choice.label),
                    };
                    let button = egui::Button::new(text).min_size(egui::vec2(84.0, 26.0));
                    if ui.add(button).clicked() {
                        answer = Some(k);
                    }
                }
            });
        });
        let of_role = |kind: ChoiceKind| self.choices.iter().position(|choice| choice.kind == kind);
        let none = egui::Modifiers::NONE;
        if answer.is_none() && ctx.input_mut(|i| i.consume_key(none, Key::Enter)) {
            answer = of_role(ChoiceKind::Usual);
        }
        // A click beside it is not an answer: too easily done.
        if answer.is_none()
            && response.is_top_modal
            && ctx.input_mut(|i| i.consume_key(none, Key::Escape))
        {
            answer = of_role(ChoiceKind::Cancel);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn an_answer_is_told_once_with_its_commands() {
        let shown = Shown::new(opened_example("tee"));
        let mut harness = harness(&shown);
        shown
            .borrow_mut()
            .panels
            .ask(Question::changed("chip.toml"));
        harness.run_steps(2);
        harness.get_by_label("Save as…").click();
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [Command::SaveAs]);
        assert_eq!(
            shown.borrow_mut().panels.answered(),
            Some((Asked::Changed, 0))
        );
        assert_eq!(shown.borrow_mut().panels.answered(), None);
    }

    #[test]
    fn escape_cancels_and_questions_wait_for_each_other() {
        let shown = Shown::new(opened_example("tee"));
        let mut harness = harness(&shown);
        shown.borrow_mut().panels.ask(Question::unsaved("a"));
        shown
            .borrow_mut()
            .panels
            .ask(Question::recover("b", "at 12:00"));
        harness.run_steps(2);
        assert!(
            harness.query_by_label("Recover b?").is_none(),
            "one at a time"
        );
        harness.key_press(Key::Escape);
        harness.run_steps(3);
        assert_eq!(
            shown.borrow_mut().panels.answered(),
            Some((Asked::Unsaved, 2))
        );
        harness.get_by_label("Recover b?");
        harness.key_press(Key::Enter);
        harness.run_steps(3);
        assert_eq!(
            shown.borrow_mut().panels.answered(),
            Some((Asked::Recover, 0))
        );
    }
}
