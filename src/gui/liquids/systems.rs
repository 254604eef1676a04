//! Systems of scene files beside the liquids: which there are, what is chosen of them, and scenes of one's own.
//!
//! The window knows none of them by name: who opens it hands over the list, once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::subjects::{Group, SubjectEntry};
use crate::words::capital;
use stokeslet_dynamics::stepped::system::value_of;
use stokeslet_dynamics::stepped::{Choice, Fault, SceneRow, System, Values};

static SYSTEMS: OnceLock<&'static [&'static dyn System]> = OnceLock::new();

/// Hands over the systems that the window shows; before it is opened. Only the first list counts.
pub fn install(systems: &'static [&'static dyn System]) {
    // A second window of the same process shows the same.
    let _ = SYSTEMS.set(systems);
}

/// All of them.
pub fn systems() -> &'static [&'static dyn System] {
    SYSTEMS.get().copied().unwrap_or_default()
}

/// Changes of settings by their keys, as `--set` takes them.
pub type Changes = BTreeMap<String, String>;

/// As `--set` takes them.
pub fn as_set(changes: &Changes) -> Vec<String> {
    let one = |(key, value): (&String, &String)| format!("{key}={value}");
    changes.iter().map(one).collect()
}

/// The value that a setting has with these changes; none where the scene decides.
pub fn value(system: &dyn System, changes: &Changes, key: &str) -> Option<String> {
    value_of(&system.settings(&as_set(changes)).ok()?, key)
}

/// The choice of a key.
pub fn choice(system: &dyn System, key: &str) -> Option<&'static Choice> {
    system.choices().iter().find(|choice| choice.key == key)
}

/// Whether a value is one that a choice may have.
pub fn is_value(choice: &Choice, value: &str) -> bool {
    match choice.values {
        Values::Words(words) => words.contains(&value),
        Values::Number(least, most) => {
            let number = value.parse::<f64>();
            number.is_ok_and(|n| (least..=most).contains(&n))
        }
        Values::Count(least, most) => {
            let number = value.parse::<u32>();
            number.is_ok_and(|n| (least..=most).contains(&n))
        }
    }
}

/// The changes that are ones.
pub fn sound(system: &dyn System, changes: &Changes) -> Changes {
    let is_sound = |key: &str, value: &str| {
        choice(system, key).is_some_and(|choice| is_value(choice, value))
            && system.settings(&[format!("{key}={value}")]).is_ok()
    };
    let all = changes.iter().filter(|(k, v)| is_sound(k, v));
    all.map(|(k, v)| (k.clone(), v.clone())).collect()
}

/// What a view with these changes is called.
pub fn label(system: &dyn System, changes: &Changes) -> String {
    let of = |(key, value): (&String, &String)| match choice(system, key) {
        Some(Choice {
            values: Values::Words(_),
            ..
        }) => value.clone(),
        Some(choice) => format!("{} {value}", choice.name.to_lowercase()),
        None => format!("{key} {value}"),
    };
    match changes.is_empty() {
        true => "Usual settings".to_owned(),
        false => capital(&changes.iter().map(of).collect::<Vec<_>>().join(", ")),
    }
}

/// A scene's row of the list of subjects.
pub fn entry(system: &'static dyn System, scene: &SceneRow) -> SubjectEntry {
    let source = match scene.source {
        "" => String::new(),
        source => format!(" ({} {source})", system.source()),
    };
    SubjectEntry {
        name: format!("{}/{}", system.name(), scene.name),
        group: Group::System(system),
        dimension: scene.dimension,
        summary: format!("{}{source}", scene.title),
        size: scene.size.clone(),
        sizes: scene.sizes.clone(),
    }
}

/// A scene of one's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnScene {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its file.
    pub text: Arc<str>,
    /// Its row.
    pub entry: SubjectEntry,
}

impl OwnScene {
    /// Reads a file, with the meshes beside it that it names.
    ///
    /// # Errors
    /// What is wrong with it or with them, and where.
    pub fn read(system: &'static dyn System, path: &Path, text: String) -> Result<Self, Fault> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = system.complete(text, &|beside| std::fs::read(folder.join(beside)))?;
        let mut entry = entry(system, &system.read(&text)?);
        // None of the program's has a space in its name.
        entry.name = format!("{} (own)", entry.name);
        Ok(Self {
            path: path.to_owned(),
            text: text.into(),
            entry,
        })
    }
}

/// The system whose scene a file is, if it is one's: by the keys that only its files have. Also of a file with mistakes.
pub fn recognise(text: &str) -> Option<&'static dyn System> {
    /// Keys of designs.
    const OTHERS: [&str; 3] = ["format", "chip", "components"];
    let keys: Vec<&str> = text
        .lines()
        .filter_map(|line| {
            let line = line.trim_start();
            match line.strip_prefix('[') {
                Some(table) => table.trim_start_matches('[').split([']', '.']).next(),
                None => line.split_once('=').map(|(key, _)| key),
            }
        })
        .map(str::trim)
        .collect();
    if OTHERS.iter().any(|key| keys.contains(key)) {
        return None;
    }
    let known = |system: &&dyn System| {
        let own = system.keys().iter();
        own.filter(|key| keys.contains(key)).count()
    };
    let best = systems().iter().copied().max_by_key(known)?;
    (known(&best) > 0).then_some(best)
}
