//! The way back as it is kept beside unsaved work: the oldest text, and of every step after it what it changed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::History;
use crate::context::Selection;

/// Steps that are kept; the older ones are lost with the program.
const KEPT: usize = 100;

/// Labels and texts of the newest steps.
#[derive(Clone, Debug)]
pub struct Recent {
    steps: Vec<(String, Arc<str>)>,
    now: usize,
}

/// The same, small enough to be written after every change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    label: String,
    text: String,
    changes: Vec<Change>,
    now: usize,
}

/// What a step made of the text before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Change {
    label: String,
    /// Bytes that stay at the beginning.
    head: usize,
    /// Bytes that stay at the end.
    tail: usize,
    /// What is between them.
    new: String,
}

impl History {
    /// The newest steps, for [`Past::of`].
    pub fn recent(&self) -> Recent {
        let from = self.now.saturating_sub(KEPT);
        let steps = self.steps[from..].iter().take(2 * KEPT);
        Recent {
            steps: steps.map(|s| (s.label.clone(), s.text.clone())).collect(),
            now: self.now - from,
        }
    }
}

impl Past {
    /// # Accuracy and cost
    /// Linear in the lengths of the texts: not for the thread that draws.
    pub fn of(recent: &Recent) -> Self {
        let steps = &recent.steps;
        let Some((label, text)) = steps.first() else {
            return Self::default();
        };
        let changes = steps.windows(2).map(|pair| {
            let (before, (label, after)) = (&pair[0].1, &pair[1]);
            Change::between(label, before, after)
        });
        Self {
            label: label.clone(),
            text: text.to_string(),
            changes: changes.collect(),
            now: recent.now,
        }
    }

    /// The way back to `text`; `None` where it doesn't lead there.
    pub fn history(&self, text: &str) -> Option<History> {
        let mut history = History::new(self.text.as_str().into());
        history.steps[0].label.clone_from(&self.label);
        for change in &self.changes {
            let before = &history.steps.last()?.text;
            let after = change.apply(before)?;
            history.push(
                change.label.clone(),
                after.into(),
                Selection::default(),
                None,
            );
        }
        let now = history.go_to(self.now)?;
        (*now.text == *text).then_some(history)
    }
}

impl Change {
    fn between(label: &str, before: &str, after: &str) -> Self {
        let both = before.bytes().zip(after.bytes());
        let mut head = both.take_while(|(a, b)| a == b).count();
        while !before.is_char_boundary(head) || !after.is_char_boundary(head) {
            head -= 1;
        }
        let ends = before[head..]
            .bytes()
            .rev()
            .zip(after[head..].bytes().rev());
        let mut tail = ends.take_while(|(a, b)| a == b).count();
        while !before.is_char_boundary(before.len() - tail)
            || !after.is_char_boundary(after.len() - tail)
        {
            tail -= 1;
        }
        Self {
            label: label.to_owned(),
            head,
            tail,
            new: after[head..after.len() - tail].to_owned(),
        }
    }

    fn apply(&self, before: &str) -> Option<String> {
        let tail = before.len().checked_sub(self.tail)?;
        if self.head > tail {
            return None;
        }
        let (head, tail) = (before.get(..self.head)?, before.get(tail..)?);
        Some(format!("{head}{}{tail}", self.new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_small_and_leads_to_the_same_texts() {
        let long = "µ".repeat(5_000);
        let texts = ["", "a", &long, "aaa", "aa", "naïve", "nave", "", "µm", "m"];
        let mut history = History::new("start".into());
        for text in texts {
            let text = format!("{long}{text}{long}");
            history.push(
                format!("to {}", text.len()),
                text.into(),
                Selection::default(),
                None,
            );
        }
        history.go_to(7);
        let past = Past::of(&history.recent());
        let bytes = serde_json::to_string(&past).unwrap();
        assert!(bytes.len() < 40_000 + 3 * long.len(), "{}", bytes.len());
        let text = history.steps()[7].text.clone();
        let again = serde_json::from_str::<Past>(&bytes).unwrap();
        let again = again.history(&text).expect("it leads there");
        assert_eq!(again.now(), 7);
        let steps = |of: &History| -> Vec<(String, Arc<str>)> {
            let all = of.steps().iter();
            all.map(|s| (s.label.clone(), s.text.clone())).collect()
        };
        assert_eq!(steps(&again), steps(&history));
        assert!(again.redo_label().is_some());
        assert!(past.history("another text").is_none());
    }

    #[test]
    fn what_was_written_wrong_leads_nowhere() {
        let mut history = History::new("µ".into());
        history.push("x".into(), "µµ".into(), Selection::default(), None);
        let good = Past::of(&history.recent());
        assert!(good.history("µµ").is_some());
        for (head, tail, now) in [(1, 0, 1), (0, 9, 1), (2, 2, 1), (0, 0, 7)] {
            let mut bad = good.clone();
            (bad.changes[0].head, bad.changes[0].tail, bad.now) = (head, tail, now);
            assert!(bad.history("µµ").is_none(), "{bad:?}");
        }
        // Older files have none.
        assert!(Past::default().history("µ").is_none());
    }
}
