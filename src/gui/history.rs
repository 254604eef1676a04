//! Undo and redo: labelled texts of the design, a drag being one step.

mod past;

use std::sync::Arc;

pub use past::{Past, Recent};

use super::context::Selection;

/// Steps kept; the oldest are forgotten beyond.
const MAX_STEPS: usize = 10_000;

/// The design at some time, and what was done to get there.
#[derive(Clone, Debug)]
pub struct Step {
    /// What was done, as people say it: `Move tee1`.
    pub label: String,
    /// The whole file.
    pub text: Arc<str>,
    /// What was selected afterwards.
    pub selection: Selection,
    /// Steps with the same key in a row are one, such as those of a slider that is dragged.
    join: Option<String>,
}

/// All steps, and where we are.
#[derive(Clone, Debug)]
pub struct History {
    steps: Vec<Step>,
    now: usize,
}

impl History {
    /// Starts with a file as it was opened.
    pub fn new(text: Arc<str>) -> Self {
        let label = "Open".to_owned();
        let first = Step {
            label,
            text,
            selection: Selection::default(),
            join: None,
        };
        Self {
            steps: vec![first],
            now: 0,
        }
    }

    /// Adds a step; what was undone before is forgotten. With the same `join` key as the newest step it replaces that one.
    pub fn push(
        &mut self,
        label: String,
        text: Arc<str>,
        selection: Selection,
        join: Option<String>,
    ) {
        self.steps.truncate(self.now + 1);
        let step = Step {
            label,
            text,
            selection,
            join,
        };
        let joins = step.join.is_some() && self.steps[self.now].join == step.join && self.now > 0;
        if joins {
            self.steps[self.now] = step;
        } else {
            self.steps.push(step);
        }
        if self.steps.len() > MAX_STEPS {
            self.steps.remove(0);
        }
        self.now = self.steps.len() - 1;
    }

    /// The newest step joins no more: the pointer was released, the field left.
    pub fn seal(&mut self) {
        self.steps[self.now].join = None;
    }

    /// Remembers what is selected now, so that redo brings it back.
    pub fn note_selection(&mut self, selection: &Selection) {
        self.steps[self.now].selection = selection.clone();
    }

    /// Goes to a step; `None` if there is none.
    pub fn go_to(&mut self, step: usize) -> Option<&Step> {
        self.steps.get(step)?;
        self.now = step;
        self.seal();
        self.steps.get(step)
    }

    /// Where we are.
    pub fn now(&self) -> usize {
        self.now
    }

    /// All steps, the first being the file as it was opened.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What undo would undo.
    pub fn undo_label(&self) -> Option<&str> {
        (self.now > 0).then(|| self.steps[self.now].label.as_str())
    }

    /// What redo would do again.
    pub fn redo_label(&self) -> Option<&str> {
        self.steps.get(self.now + 1).map(|step| step.label.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(texts: &[(&str, Option<&str>)]) -> History {
        let mut history = History::new("0".into());
        for (text, join) in texts {
            history.push(
                format!("to {text}"),
                (*text).into(),
                Selection::default(),
                join.map(str::to_owned),
            );
        }
        history
    }

    #[test]
    fn steps_of_one_drag_are_one() {
        let mut h = history(&[("1", Some("drag")), ("2", Some("drag")), ("3", None)]);
        assert_eq!(h.steps().len(), 3, "open, drag, and one more");
        assert_eq!(h.go_to(1).map(|s| &*s.text), Some("2"));
        h.push(
            "again".into(),
            "4".into(),
            Selection::default(),
            Some("drag".into()),
        );
        assert_eq!(
            h.steps().len(),
            3,
            "after going back, a new drag is a new step, and what was undone is gone"
        );
        assert_eq!(h.undo_label(), Some("again"));
        assert_eq!(h.redo_label(), None);
    }

    #[test]
    fn the_file_as_it_was_opened_is_never_joined_away() {
        let mut h = history(&[]);
        h.push("a".into(), "1".into(), Selection::default(), None);
        h.go_to(0);
        h.push("b".into(), "2".into(), Selection::default(), None);
        assert_eq!(&*h.steps()[0].text, "0");
        assert_eq!(h.now(), 1);
    }
}
