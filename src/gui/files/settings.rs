//! What is kept between runs: looks, panels, recent files. Not the design.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::gui::command::{Layer, Panel, Theme};

/// Kept between runs. Unknown keys are ignored and missing ones have defaults, so that versions may differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Of this form.
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
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: 1,
            theme: Theme::System,
            panels: BTreeSet::from([
                Panel::Palette,
                Panel::Inspector,
                Panel::Problems,
                Panel::Results,
            ]),
            layers: BTreeSet::from([Layer::Grid, Layer::Sockets]),
            live: true,
            live_resolution: 6,
            recent: Vec::new(),
            hint: Some(0),
            snap: true,
        }
    }
}
