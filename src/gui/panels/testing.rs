//! A state of the window without the window, for tests of panels.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui;
use egui_kittest::Harness;

use super::Panels;
use crate::gui::command::Command;
use crate::gui::document::Document;
use crate::gui::files::settings::Settings;
use crate::gui::results::{ResultView, Results, WorkerStatus};
use crate::gui::seen::{Seen, Selection, Tool};
use crate::library::Library;

/// What a [`Seen`] borrows from.
pub struct State {
    pub document: Document,
    pub library: Library,
    pub selection: Selection,
    pub tool: Tool,
    pub results: Results,
    pub shown: ResultView,
    pub worker: WorkerStatus,
    pub settings: Settings,
}

impl State {
    pub fn new(text: &str) -> Self {
        let library = Library::embedded();
        Self {
            document: Document::new(text, "test", None, &library),
            library,
            selection: Selection::default(),
            tool: Tool::default(),
            results: Results::default(),
            shown: ResultView::default(),
            worker: WorkerStatus::default(),
            settings: Settings {
                hint: None,
                ..Settings::default()
            },
        }
    }

    pub fn example(name: &str) -> Self {
        let example = crate::gui::files::examples::named(name).expect("an example of this name");
        Self::new(example.text)
    }

    pub fn seen(&self) -> Seen<'_> {
        Seen {
            document: &self.document,
            library: &self.library,
            selection: &self.selection,
            tool: &self.tool,
            results: &self.results,
            shown: &self.shown,
            worker: &self.worker,
            settings: &self.settings,
        }
    }
}

/// Panels over a state, and the commands that they pushed; commands change nothing.
pub struct Shown {
    pub state: State,
    pub panels: Panels,
    pub commands: Vec<Command>,
}

impl Shown {
    pub fn new(state: State) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            state,
            panels: Panels::default(),
            commands: Vec::new(),
        }))
    }

    /// Everything around and above an empty canvas.
    pub fn draw(&mut self, ui: &mut egui::Ui) {
        let seen = self.state.seen();
        self.panels.around(ui, &seen, None, &mut self.commands);
        self.panels.above(ui, &seen, &mut self.commands);
        for command in &self.commands {
            self.panels.hear(command);
        }
    }
}

/// The window as tests see it.
pub fn harness(shown: &Rc<RefCell<Shown>>) -> Harness<'static> {
    let shown = shown.clone();
    let mut harness = Harness::builder()
        .with_size(egui::vec2(1280.0, 800.0))
        .with_max_steps(20)
        .build_ui(move |ui| shown.borrow_mut().draw(ui));
    // Panels know their sizes after two frames.
    harness.run_steps(3);
    harness
}
