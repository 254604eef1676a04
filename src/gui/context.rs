//! What views may read: one borrowed bundle of everything, and the small values that describe what the user is at.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::document::Document;
use super::files::settings::Settings;
use super::liquids::Liquids;
use super::results::before::Before;
use super::results::{ResultView, Results, WorkerStatus};
use super::studies::Studies;
use stokeslet_cad::design::OverlayLayer;
use stokeslet_cad::library::Library;

/// What is selected, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Components, channels, control shapes and notes.
    pub items: BTreeSet<String>,
    /// A port.
    pub port: Option<String>,
}

impl Selection {
    /// One component or channel.
    pub fn one(item: &str) -> Self {
        Self {
            items: BTreeSet::from([item.to_owned()]),
            port: None,
        }
    }

    /// One port.
    pub fn of_port(port: &str) -> Self {
        Self {
            items: BTreeSet::new(),
            port: Some(port.to_owned()),
        }
    }

    /// Nothing at all.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.port.is_none()
    }

    /// The only component or channel that is selected.
    pub fn single(&self) -> Option<&str> {
        match self.items.len() {
            1 => self.items.first().map(String::as_str),
            _ => None,
        }
    }
}

/// What isn't shown on the canvas, by name; it is solved all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hidden {
    /// Components, channels, control shapes and notes.
    pub items: BTreeSet<String>,
    /// Ports.
    pub ports: BTreeSet<String>,
}

impl Hidden {
    /// Whether everything is shown.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.ports.is_empty()
    }

    /// A thing has another name; where it is refused, what was hidden is shown.
    pub fn rename(&mut self, from: &str, to: &str) {
        if self.items.remove(from) {
            self.items.insert(to.to_owned());
        }
    }

    /// A port has another name.
    pub fn rename_port(&mut self, from: &str, to: &str) {
        if self.ports.remove(from) {
            self.ports.insert(to.to_owned());
        }
    }

    /// With these, or without them.
    pub fn set(&mut self, which: &Selection, is_hidden: bool) {
        match is_hidden {
            true => {
                self.items.extend(which.items.iter().cloned());
                self.ports.extend(which.port.clone());
            }
            false => {
                self.items.retain(|name| !which.items.contains(name));
                self.ports.retain(|port| which.port.as_ref() != Some(port));
            }
        }
    }
}

/// What the pointer does on the canvas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Select, move, box selection.
    #[default]
    Select,
    /// Place components of this kind, one a click.
    Place(String),
    /// Draw channels.
    Channel,
    /// Open sockets to the outside.
    Port,
    /// Measure a distance.
    Ruler,
    /// Keep point probes where clicked; the one under the pointer is always shown.
    Probe,
    /// Draw lines along which profiles are taken.
    Line,
    /// Seed streamlines where clicked.
    Streamline,
    /// Draw on the control layer, or put notes down.
    Overlay(OverlayLayer),
    /// Draw a line that what is selected is mirrored on.
    Mirror,
}

impl Tool {
    /// All that need nothing else, in the order of the toolbar.
    pub const ALL: [Tool; 10] = [
        Tool::Select,
        Tool::Channel,
        Tool::Port,
        Tool::Ruler,
        Tool::Probe,
        Tool::Line,
        Tool::Streamline,
        Tool::Overlay(OverlayLayer::Control),
        Tool::Overlay(OverlayLayer::Notes),
        Tool::Mirror,
    ];

    /// Its name in menus, tooltips and the status line.
    pub fn label(&self) -> &'static str {
        match self {
            Tool::Select => "Select",
            Tool::Place(_) => "Place",
            Tool::Channel => "Channel",
            Tool::Port => "Port",
            Tool::Ruler => "Ruler",
            Tool::Probe => "Probe",
            Tool::Line => "Line probe",
            Tool::Streamline => "Streamline",
            Tool::Overlay(OverlayLayer::Control) => "Control layer",
            Tool::Overlay(OverlayLayer::Notes) => "Note",
            Tool::Mirror => "Mirror line",
        }
    }

    /// What to do with it, in one line for the status bar.
    pub fn hint(&self) -> &'static str {
        match self {
            Tool::Select => "Click to select, drag to move, drag on empty space to select a box",
            Tool::Place(_) => {
                "Click to place; near a free socket it attaches. R turns, M mirrors, Esc ends"
            }
            Tool::Channel => {
                "Click a socket or a pipe, way-points, then a socket; double-click ends in empty space. Esc cancels"
            }
            Tool::Port => "Click a free socket to open it to the outside",
            Tool::Ruler => "Drag to measure",
            Tool::Probe => "Click to keep a probe; the pointer always reads the field",
            Tool::Line => "Drag a line to take a profile",
            Tool::Streamline => "Click in the flow to seed a streamline",
            Tool::Overlay(OverlayLayer::Control) => {
                "Click points of a control channel, double-click ends it; drag a valve"
            }
            Tool::Overlay(OverlayLayer::Notes) => "Click to put a note down, drag a frame",
            Tool::Mirror => "Select half of a chip, then drag the line that it is mirrored on",
        }
    }
}

/// What the window shows; the other waits as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Workspace {
    /// The design, solved.
    #[default]
    Chip,
    /// Scenes of liquids, running.
    Liquids,
}

impl Workspace {
    /// Both, in the order of the toolbar.
    pub const ALL: [Workspace; 2] = [Workspace::Chip, Workspace::Liquids];

    /// Its name.
    pub fn label(self) -> &'static str {
        match self {
            Workspace::Chip => "Chip",
            Workspace::Liquids => "Liquids",
        }
    }
}

/// What the window is about: all that views read and commands change.
#[derive(Debug)]
pub struct WindowState {
    /// The design.
    pub document: Document,
    /// What it can use.
    pub library: Library,
    /// What is selected.
    pub selection: Selection,
    /// What isn't shown on the canvas.
    pub hidden: Hidden,
    /// What the pointer does.
    pub tool: Tool,
    /// The newest results, perhaps of an older revision.
    pub results: Results,
    /// How results are shown.
    pub shown: ResultView,
    /// A solved chip that was kept to be held against what is solved now.
    pub before: Option<Arc<Before>>,
    /// What the solver is doing.
    pub worker: WorkerStatus,
    /// What the window shows.
    pub workspace: Workspace,
    /// What simulations are at.
    pub liquids: Liquids,
    /// What studies of the design are at.
    pub studies: Studies,
    /// Kept between runs.
    pub settings: Settings,
    /// Whether an edit is being made beside the window: what is seen is from before.
    pub is_editing: bool,
}

impl WindowState {
    /// A design that was just opened, and everything else as it is at first.
    pub fn new(document: Document, library: Library) -> Self {
        Self {
            document,
            library,
            selection: Selection::default(),
            hidden: Hidden::default(),
            tool: Tool::default(),
            results: Results::default(),
            shown: ResultView::default(),
            before: None,
            worker: WorkerStatus::default(),
            workspace: Workspace::default(),
            liquids: Liquids::default(),
            studies: Studies::default(),
            settings: Settings::default(),
            is_editing: false,
        }
    }

    /// For views.
    pub fn context(&self) -> ViewContext<'_> {
        ViewContext {
            document: &self.document,
            library: &self.library,
            selection: &self.selection,
            hidden: &self.hidden,
            tool: &self.tool,
            results: &self.results,
            shown: &self.shown,
            before: self.before.as_deref(),
            worker: &self.worker,
            workspace: self.workspace,
            liquids: &self.liquids,
            studies: &self.studies,
            settings: &self.settings,
            is_editing: self.is_editing,
        }
    }
}

/// A chip of no more parts is laid out, drawn and forgotten within a frame; what is done to a larger one is spread over some, or made beside the window.
pub const FEW_PARTS: usize = 2000;

/// [`WindowState`] as views have it: nothing to be changed.
#[derive(Clone, Copy)]
pub struct ViewContext<'a> {
    /// The design.
    pub document: &'a Document,
    /// What it can use.
    pub library: &'a Library,
    /// What is selected.
    pub selection: &'a Selection,
    /// What isn't shown on the canvas.
    pub hidden: &'a Hidden,
    /// What the pointer does.
    pub tool: &'a Tool,
    /// The newest results, perhaps of an older revision.
    pub results: &'a Results,
    /// How results are shown.
    pub shown: &'a ResultView,
    /// A solved chip that was kept to be held against what is solved now.
    pub before: Option<&'a Before>,
    /// What the solver is doing.
    pub worker: &'a WorkerStatus,
    /// What the window shows.
    pub workspace: Workspace,
    /// What simulations are at.
    pub liquids: &'a Liquids,
    /// What studies of the design are at.
    pub studies: &'a Studies,
    /// Kept between runs.
    pub settings: &'a Settings,
    /// Whether an edit is being made beside the window: what is seen is from before.
    pub is_editing: bool,
}
