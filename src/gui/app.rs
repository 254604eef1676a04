//! The loop: what came in, what is drawn, what is done about it, what is started.

use std::path::PathBuf;

use eframe::egui;

use super::canvas::{Canvas, Overlay, View};
use super::command::Command;
use super::document::{Document, EMPTY};
use super::files::settings::Settings;
use super::results::{ResultView, Results, WorkerStatus};
use super::seen::{Seen, Selection, Tool};
use crate::library::Library;

/// What the window starts with.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// A design to open.
    pub design: Option<PathBuf>,
    /// The user's own components.
    pub components: Option<PathBuf>,
    /// Where settings and recovered work are kept; `None` for the system's own place.
    pub home: Option<PathBuf>,
}

/// The program.
pub struct App {
    document: Document,
    library: Library,
    selection: Selection,
    tool: Tool,
    results: Results,
    shown: ResultView,
    worker: WorkerStatus,
    settings: Settings,
    canvas: Canvas,
}

impl App {
    /// The program as it starts.
    pub fn new(_start: &Start) -> Self {
        let library = Library::embedded();
        Self {
            document: Document::new(EMPTY, "untitled", None, &library),
            library,
            selection: Selection::default(),
            tool: Tool::default(),
            results: Results::default(),
            shown: ResultView::default(),
            worker: WorkerStatus::default(),
            settings: Settings::default(),
            canvas: Canvas::default(),
        }
    }

    /// Does one thing.
    pub fn apply(&mut self, _command: Command) {}

    /// One frame.
    pub fn frame(&mut self, ui: &mut egui::Ui) {
        let mut commands = Vec::new();
        let seen = Seen {
            document: &self.document,
            library: &self.library,
            selection: &self.selection,
            tool: &self.tool,
            results: &self.results,
            shown: &self.shown,
            worker: &self.worker,
            settings: &self.settings,
        };
        self.canvas.ui(ui, &seen, &mut Nothing, &mut commands);
        for command in commands {
            self.apply(command);
        }
    }
}

struct Nothing;

impl Overlay for Nothing {
    fn under(&mut self, _: &egui::Painter, _: &View, _: &Seen<'_>) {}
    fn over(&mut self, _: &egui::Painter, _: &View, _: &Seen<'_>) {}
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.frame(ui);
    }
}

/// Opens the window and returns when it is closed.
///
/// # Errors
/// [`eframe::Error`]: no display, no OpenGL.
pub fn run(start: &Start) -> eframe::Result {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id("stokeslet")
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([800.0, 500.0]),
        ..eframe::NativeOptions::default()
    };
    let start = start.clone();
    eframe::run_native(
        "Stokeslet",
        options,
        Box::new(move |_| Ok(Box::new(App::new(&start)))),
    )
}
