//! A state of the window without the window, for tests of panels.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::egui;
use egui_kittest::Harness;

use super::{OnCanvas, Panels};
use crate::command::Command;
use crate::context::WindowState;
use crate::document::Document;
use stokeslet_cad::library::Library;

/// A design that was just opened, with no hints in the way.
pub fn opened(text: &str) -> WindowState {
    let library = Library::embedded();
    let mut state = WindowState::new(Document::new(text, "test", None, &library), library);
    state.settings.hint = None;
    state
}

/// An example that was just opened.
pub fn opened_example(name: &str) -> WindowState {
    let example = crate::files::examples::named(name).expect("an example of this name");
    opened(example.text)
}

/// Panels over a state, and the commands that they pushed; commands change nothing.
pub struct Shown {
    pub state: WindowState,
    pub panels: Panels,
    pub commands: Vec<Command>,
}

impl Shown {
    pub fn new(state: WindowState) -> Rc<RefCell<Self>> {
        Rc::new(RefCell::new(Self {
            state,
            panels: Panels::default(),
            commands: Vec::new(),
        }))
    }

    /// Everything around and above an empty canvas.
    pub fn draw(&mut self, ui: &mut egui::Ui) {
        let context = self.state.context();
        self.panels.around(ui, &context, None, &mut self.commands);
        let canvas = OnCanvas::default();
        self.panels.above(ui, &context, &canvas, &mut self.commands);
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
