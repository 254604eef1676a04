//! What is kept between runs: looks, panels, recent files. Not the design.

use std::collections::BTreeSet;
#[cfg(not(target_arch = "wasm32"))]
use std::fs::File;
#[cfg(not(target_arch = "wasm32"))]
use std::io::Read as _;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

#[cfg(target_arch = "wasm32")]
use super::memory::visits;
use super::reason;
use crate::command::{Layer, Panel, Theme};
use crate::liquids::LiquidSettings;
use crate::panels::hint::STEPS as HINT_STEPS;
use crate::panels::table::PANELS;
use stokeslet_cad::edits::Joint;
use stokeslet_flow::export::ExportError;
#[cfg(not(target_arch = "wasm32"))]
use stokeslet_flow::export::write_file;

/// Kept between runs. Unknown keys are ignored and missing ones have defaults, so that versions may differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Version of this form.
    pub version: u32,
    /// How the window looks.
    pub theme: Theme,
    /// Panels that are shown.
    pub panels: BTreeSet<Panel>,
    /// What the canvas shows besides the chip.
    pub layers: BTreeSet<Layer>,
    /// Whether every edit starts a solve.
    pub live: bool,
    /// Cell edges across a channel in live mode.
    pub live_resolution: u32,
    /// Opened or saved lately, newest first.
    pub recent: Vec<PathBuf>,
    /// The step of the newcomers' hint; `None` once dismissed.
    pub hint: Option<usize>,
    /// Snap to the grid.
    pub snap: bool,
    /// What goes between widths that differ; `None` until it was asked.
    pub joint: Option<Joint>,
    /// What is chosen among liquids.
    pub liquids: LiquidSettings,
}

impl Default for Settings {
    fn default() -> Self {
        let first = PANELS.into_iter().filter(|row| row.at_first);
        Self {
            version: 3,
            theme: Theme::System,
            panels: first.map(|row| row.panel).collect(),
            layers: BTreeSet::from([
                Layer::Grid,
                Layer::Sockets,
                Layer::Control,
                Layer::Notes,
                Layer::Dimensions,
            ]),
            live: true,
            live_resolution: 6,
            recent: Vec::new(),
            hint: Some(0),
            snap: true,
            joint: None,
            liquids: LiquidSettings::default(),
        }
    }
}

/// The file in the home folder.
const FILE: &str = "settings.json";
/// Largest such file, bytes: a broken one is not worth reading whole.
#[cfg(not(target_arch = "wasm32"))]
const MAX_BYTES: u64 = 1 << 20;

impl Settings {
    /// What was kept, and what to tell where it could not be read; the defaults where nothing was kept.
    pub fn load(home: Option<&Path>) -> (Self, Option<String>) {
        let Some(path) = home.map(|home| home.join(FILE)) else {
            return (Self::default(), None);
        };
        let text = match read(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == ErrorKind::NotFound => return (Self::default(), None),
            Err(e) => {
                let notice = format!(
                    "Settings can't be read from {}: {}. The defaults hold.",
                    path.display(),
                    reason(&e)
                );
                return (Self::default(), Some(notice));
            }
        };
        // A list would be taken for the values in their order.
        let read = match text.trim_start().starts_with('[') {
            true => Err(serde::de::Error::custom("a list, wanted names with values")),
            false => serde_json::from_str::<Self>(&text),
        };
        match read {
            Ok(settings) => (settings.within_bounds(), None),
            Err(e) => {
                let notice = format!(
                    "Settings in {} can't be understood ({e}). The defaults hold.",
                    path.display()
                );
                (Self::default(), Some(notice))
            }
        }
    }

    /// Keeps them, whole or not at all.
    ///
    /// # Errors
    /// What the file system says. Without a home nothing is kept.
    pub fn store(&self, home: Option<&Path>) -> Result<(), ExportError> {
        let Some(path) = home.map(|home| home.join(FILE)) else {
            return Ok(());
        };
        let text = serde_json::to_string_pretty(self)
            .map_err(|e| ExportError::on("write", &path)(e.into()))?;
        write(&path, &text)
    }

    /// Numbers that a hand might have written out of range.
    fn within_bounds(mut self) -> Self {
        if self.version < 2 {
            // Layers that version 1 didn't have to hide.
            self.layers.extend([Layer::Control, Layer::Notes]);
        }
        if self.version < 3 {
            self.layers.insert(Layer::Dimensions);
            self.version = 3;
        }
        self.live_resolution = self.live_resolution.clamp(2, 64);
        if cfg!(target_arch = "wasm32") {
            // A page has its files as long as it is open.
            self.recent.clear();
        }
        self.recent.truncate(super::recent::MAX);
        self.hint = self.hint.filter(|&step| step < HINT_STEPS);
        self.liquids = self.liquids.within_bounds();
        self
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let file = File::open(path)?;
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

#[cfg(not(target_arch = "wasm32"))]
fn write(path: &Path, text: &str) -> Result<(), ExportError> {
    write_file(path, text.as_bytes())
}

#[cfg(target_arch = "wasm32")]
fn read(_: &Path) -> io::Result<String> {
    visits::read(FILE).ok_or(ErrorKind::NotFound.into())
}

#[cfg(target_arch = "wasm32")]
fn write(path: &Path, text: &str) -> Result<(), ExportError> {
    match visits::keep(FILE, text) {
        true => Ok(()),
        false => Err(ExportError::on("write", path)(
            ErrorKind::StorageFull.into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_comes_back() {
        let home = tempfile::tempdir().unwrap();
        let inner = home.path().join("not").join("yet");
        let settings = Settings {
            theme: Theme::Dark,
            panels: BTreeSet::from([Panel::Source]),
            live: false,
            recent: vec!["/a/b.toml".into()],
            hint: None,
            joint: Some(Joint::Step),
            ..Settings::default()
        };
        settings.store(Some(&inner)).unwrap();
        assert_eq!(Settings::load(Some(&inner)), (settings, None));
        assert_eq!(Settings::load(None), (Settings::default(), None));
    }

    #[test]
    fn broken_settings_give_the_defaults_and_say_so() {
        let home = tempfile::tempdir().unwrap();
        for broken in ["{", "[]", "{\"live\": 3}", "\0\u{1}"] {
            std::fs::write(home.path().join(FILE), broken).unwrap();
            let (settings, notice) = Settings::load(Some(home.path()));
            assert_eq!(settings, Settings::default(), "{broken:?}");
            assert!(notice.is_some_and(|n| n.contains(FILE)), "{broken:?}");
        }
    }

    #[test]
    fn unknown_and_missing_keys_are_no_mistake() {
        let home = tempfile::tempdir().unwrap();
        let text = "{\"live\": false, \"of_a_later_version\": [1], \"live_resolution\": 1000000}";
        std::fs::write(home.path().join(FILE), text).unwrap();
        let (settings, notice) = Settings::load(Some(home.path()));
        assert_eq!(notice, None);
        assert!(!settings.live);
        assert_eq!(settings.live_resolution, 64, "nothing that would hang");
        assert_eq!(settings.panels, Settings::default().panels);
    }

    #[test]
    fn settings_that_cannot_be_kept_say_why() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = Settings::default().store(Some(&file)).unwrap_err();
        let said = super::super::sentence(&error);
        assert!(said.contains("file"), "{said}");
    }
}
