//! Unsaved work in a browser, kept by it from one visit to the next: what [`super::autosave`] is where there is a disk.
//!
//! ```text
//! text as it changes --note--> one entry a visit;  saved or closed --clear--> gone;  next visit --leftovers--> entries of earlier ones
//! ```

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use web_time::{Duration, SystemTime, UNIX_EPOCH};

use super::memory::visits;
use crate::history::{History, Past};

/// Nothing is waited for: an entry is written at once.
pub const DELAY: Duration = Duration::ZERO;
/// How names of entries begin.
const PREFIX: &str = "recovery/";

/// Work that was not saved, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaved {
    /// The design's text.
    pub text: String,
    /// The way back.
    #[serde(default)]
    pub past: Past,
    /// The file that it belongs to, if it has one.
    pub path: Option<PathBuf>,
    /// What the window called it.
    pub name: String,
    /// When it was written, seconds since 1970.
    pub time: u64,
}

/// Unsaved work of an earlier visit.
#[derive(Clone, Debug)]
pub struct Leftover {
    /// What can be recovered.
    pub unsaved: Unsaved,
    entry: String,
}

impl Leftover {
    /// Removes it: it was recovered and saved, or is not wanted.
    pub fn discard(&self) {
        visits::forget(&self.entry);
    }
}

/// Keeps the unsaved work of this visit.
#[derive(Debug)]
pub struct Autosave {
    entry: String,
    failure: RefCell<Option<String>>,
}

impl Autosave {
    /// Keeps it under a name that no other visit has.
    pub fn new(_: &Path, _: Duration) -> Self {
        Self {
            entry: format!("{PREFIX}{}", since_1970().as_nanos()),
            failure: Default::default(),
        }
    }

    /// Says what is unsaved now.
    pub fn note(&self, history: &History, path: Option<&Path>, name: &str) {
        let unsaved = Unsaved {
            text: history.steps()[history.now()].text.to_string(),
            past: Past::of(&history.recent()),
            path: path.map(Path::to_owned),
            name: name.to_owned(),
            time: since_1970().as_secs(),
        };
        let keep = |unsaved: &Unsaved| {
            let text = serde_json::to_string(unsaved);
            text.is_ok_and(|text| visits::keep(&self.entry, &text))
        };
        // Where there is no room for the way back there may be for the work.
        let without = || Unsaved {
            past: Past::default(),
            ..unsaved.clone()
        };
        if !keep(&unsaved) && !keep(&without()) {
            let why = "Unsaved work can't be kept safe: the browser keeps no more for this page";
            self.failure.replace(Some(why.to_owned()));
        }
    }

    /// Everything is saved, or given up on purpose.
    pub fn clear(&self) {
        visits::forget(&self.entry);
    }

    /// Why work could not be kept, once each time.
    pub fn failure(&self) -> Option<String> {
        self.failure.take()
    }
}

/// What earlier visits left unsaved, newest first.
pub fn leftovers(_: &Path) -> Vec<Leftover> {
    let entries = visits::names().into_iter();
    let mut found: Vec<Leftover> = entries
        .filter(|entry| entry.starts_with(PREFIX))
        .filter_map(|entry| {
            let unsaved = serde_json::from_str(&visits::read(&entry)?).ok()?;
            Some(Leftover { unsaved, entry })
        })
        .collect();
    found.sort_by(|a, b| b.entry.cmp(&a.entry));
    found
}

fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}
