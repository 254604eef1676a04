//! The loop: what came in, what is drawn, what is done about it, what is started.
//!
//! [`App::frame`] is one turn of it. What commands do is in three files by what they touch: `editing` the document (`intention` says what of it a command
//! wants, `beside` has it made while frames go on), `filing` the disk, `solving` the solver; `hearing` turns keys into commands; here is what only changes the view.

mod beside;
mod dissolving;
mod editing;
mod filing;
mod hearing;
mod intention;
mod joining;
#[cfg(test)]
mod known;
mod liquids;
mod opening;
mod picturing;
mod rebase;
mod solving;
mod studying;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use eframe::egui::{self, ThemePreference, ViewportCommand};

pub use self::dissolving::PACES;
use self::filing::Filing;
use self::liquids::Liquidity;
use self::solving::Solving;
use super::background;
use super::canvas::Canvas;
use super::command::{Command, Panel, Theme};
use super::context::{Hidden, Selection, ViewContext, WindowState, Workspace};
use super::document::{Document, EMPTY};
use super::files::settings::Settings;
use super::liquids::stage::pointed;
use super::panels::{self, Notice, OnCanvas, Panels};
use super::results::before::Before;
use super::results::{FieldLayer, ResultView, Results};
use super::species::Dissolved;
use super::species::follower::Following;
use super::studies::Asker;
use stokeslet_base::geometry::Point;
use stokeslet_cad::library::Library;
use stokeslet_flow::probe::profiles_csv;

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
    state: WindowState,
    canvas: Canvas,
    layer: FieldLayer,
    panels: Panels,
    solving: Solving,
    filing: Filing,
    liquids: Liquidity,
    asker: Asker,
    following: Following,
    /// Where the last section was taken, and of what.
    sectioned: Option<(Point, Weak<Dissolved>)>,
    ctx: egui::Context,
    title: String,
    /// A layout of so many parts took too long to be previewed.
    slow_preview: Option<usize>,
    resting: editing::Resting,
    beside: beside::Beside,
    /// Joints that it isn't answered for yet whether they are to be tapers.
    joints_asked: BTreeSet<String>,
}

impl App {
    /// The program as it starts; `ctx` is the window's.
    pub fn new(start: &Start, ctx: &egui::Context) -> Self {
        background::prepare();
        let wake = |ctx: &egui::Context| {
            let ctx = ctx.clone();
            move || ctx.request_repaint()
        };
        // Ctrl and plus or minus zoom the chip, not the whole window.
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        let mut panels = Panels::default();
        let (library, faults) = match Library::find(start.components.as_deref()) {
            Ok(library) => (library, Vec::new()),
            Err(faults) => (Library::embedded(), faults),
        };
        for fault in faults {
            panels.notify(Notice::error(format!("{fault}")));
        }
        let (filing, settings) = Filing::start(start, &mut panels, wake(ctx));
        let mut state = WindowState::new(Document::new(EMPTY, "untitled", None, &library), library);
        state.settings = settings;
        let mut app = Self {
            state,
            canvas: Canvas::default(),
            layer: FieldLayer::new(wake(ctx)),
            panels,
            solving: Solving::new(wake(ctx)),
            filing,
            liquids: Liquidity::new(wake(ctx)),
            asker: Asker::default(),
            following: Following::new(wake(ctx)),
            sectioned: None,
            ctx: ctx.clone(),
            title: String::new(),
            slow_preview: None,
            resting: editing::Resting::default(),
            beside: beside::Beside::default(),
            joints_asked: BTreeSet::new(),
        };
        app.look();
        match &start.design {
            Some(path) => app.open_file(&path.clone()),
            None => {
                app.panels.hear(&Command::Gallery);
                // The first component stays where it is put, at the scale at which it was put there.
                let document = &app.state.document;
                app.canvas.fit(&document.layout, document.design.as_deref());
            }
        }
        app
    }

    /// The design.
    pub fn document(&self) -> &Document {
        &self.state.document
    }

    /// What is selected.
    pub fn selection(&self) -> &Selection {
        &self.state.selection
    }

    /// The newest results.
    pub fn results(&self) -> &Results {
        &self.state.results
    }

    /// How results are shown.
    pub fn shown(&self) -> &ResultView {
        &self.state.shown
    }

    /// The canvas.
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// What is kept between runs.
    pub fn settings(&self) -> &Settings {
        &self.state.settings
    }

    /// Whether the solver's cores are free: not even a cancelled solve is still coming to its end.
    pub fn is_solver_idle(&self) -> bool {
        self.solving.is_idle()
    }

    /// Whether what is seen is final: nothing is being edited, solved or estimated, and no picture of results is being made.
    pub fn is_settled(&self) -> bool {
        let computes = self.layer.is_busy() || self.following.is_busy() || !self.asker.is_idle();
        let estimates = self.solving.is_estimating() || self.without_estimate().is_some();
        let edits = self.beside.is_busy();
        self.solving.is_idle() && !computes && !estimates && !edits
    }

    /// Everything that views read.
    pub fn context(&self) -> ViewContext<'_> {
        self.state.context()
    }

    /// Tells the user something.
    fn notify(&mut self, notice: Notice) {
        self.panels.notify(notice);
    }

    /// Does one thing, or tells why it can't be done; after the edits that are being made beside the window.
    pub fn apply(&mut self, command: Command) {
        if let Some(command) = self.in_turn(command) {
            self.apply_now(command);
        }
    }

    fn apply_now(&mut self, command: Command) {
        if let Err(reason) = panels::is_enabled(&command, &self.context()) {
            let label = command.label();
            let label = label.trim_end_matches('…');
            return self.notify(Notice::info(format!("{label}: {reason}.")));
        }
        self.note_done(&command);
        if !self.does(&command) {
            // Said rather than swallowed: whoever adds a command and forgets to do it hears of it.
            let label = command.label();
            self.notify(Notice::error(format!("{label}: nobody here knows how.")));
        }
    }

    /// Does one thing; `false` where nobody knows it, which a test rules out for every command.
    fn does(&mut self, command: &Command) -> bool {
        if let Command::Liquid(command) = command {
            self.apply_to_liquids(command);
            return true;
        }
        if let Command::Study(command) = command {
            self.apply_to_studies(command);
            return true;
        }
        match command {
            // A scene is no design: nothing unsaved is at stake.
            Command::OpenPath(path) if self.open_scene(path) => return true,
            // A design is seen among chips.
            Command::OpenPath(_) if self.sees_liquids() => self.enter(Workspace::Chip),
            Command::Open if self.sees_liquids() => {
                self.ask_to_open();
                return true;
            }
            _ => {}
        }
        self.panels.hear(command)
            || self.apply_to_files(command)
            || self.apply_to_document(command)
            || self.apply_to_solver(command)
            || self.apply_to_tracers(command)
            || self.apply_to_view(command)
    }

    /// Does a command that only changes what is seen; `false` if it is none.
    fn apply_to_view(&mut self, command: &Command) -> bool {
        match command {
            Command::Select(selection) => self.select(selection.clone()),
            Command::ToggleSelected(name) => {
                let mut selection = self.state.selection.clone();
                if !selection.items.remove(name) {
                    selection.items.insert(name.clone());
                }
                selection.port = None;
                self.select(selection);
            }
            Command::SelectAll => {
                let document = &self.state.document;
                let overlays = document.design.iter().flat_map(|d| &d.overlays);
                let overlays = overlays.map(|o| &o.name.value);
                let items = document.layout.items.iter().chain(overlays);
                // Nothing is done to what isn't seen.
                let items = items.filter(|name| !self.state.hidden.items.contains(*name));
                let items = items.cloned().collect();
                self.select(Selection { items, port: None });
            }
            Command::Show(name) => self.show(name),
            Command::EditName => {
                let selection = &self.state.selection;
                let name = selection.port.as_deref().or(selection.single());
                if let Some(name) = name.map(str::to_owned) {
                    self.open_panel(Panel::Inspector);
                    self.panels.edit_name(&name);
                }
            }
            Command::SetHidden(which, is_hidden) => self.hide(which, *is_hidden),
            Command::HideSelected => self.hide(&self.state.selection.clone(), true),
            Command::ShowHidden => self.state.hidden = Hidden::default(),
            Command::EditDimension(component, parameter) => {
                self.canvas.edit_dimension(component, parameter);
            }
            Command::SetTool(tool) => self.state.tool = tool.clone(),
            Command::Enter(workspace) => self.enter(*workspace),
            Command::ZoomIn if self.sees_liquids() => self.liquids.stage.zoom_in(),
            Command::ZoomOut if self.sees_liquids() => self.liquids.stage.zoom_out(),
            Command::Fit if self.sees_liquids() => self.liquids.stage.fit(),
            Command::ZoomIn => self.canvas.zoom_in(),
            Command::ZoomOut => self.canvas.zoom_out(),
            Command::Fit => {
                let document = &self.state.document;
                let design = document.shown_design().map(|d| &**d);
                self.canvas.fit(document.shown_layout(), design);
            }
            Command::FitSelection => {
                self.fit_selection();
            }
            Command::TogglePanel(panel) => toggle(&mut self.state.settings.panels, *panel),
            Command::ToggleLayer(layer) => toggle(&mut self.state.settings.layers, *layer),
            Command::SetTheme(theme) => {
                self.state.settings.theme = *theme;
                self.look();
            }
            Command::Hint(step) => self.state.settings.hint = *step,
            Command::Colour(quantity) => {
                // A range that was fixed for one quantity means nothing for another.
                if self.state.shown.colour != *quantity {
                    self.state.shown.range = None;
                }
                self.state.shown.colour = *quantity;
            }
            Command::SetRange(range) => self.state.shown.range = *range,
            Command::AddProbe(at) => self.state.shown.probes.push(*at),
            Command::AddLine(from, to) => {
                self.state.shown.lines.push([*from, *to]);
                self.open_panel(Panel::Profiles);
            }
            Command::AddSeed(at) => self.state.shown.seeds.push(*at),
            Command::AddRuler(from, to) => self.state.shown.rulers.push([*from, *to]),
            Command::ClearProbes => {
                self.state.shown.probes.clear();
                self.state.shown.lines.clear();
                self.state.shown.seeds.clear();
                self.state.shown.rulers.clear();
            }
            Command::KeepBefore => {
                let solved = self.state.results.solved.as_deref();
                if let Some(before) = Before::of(&self.state.document, solved) {
                    self.state.before = Some(Arc::new(before));
                    self.open_panel(Panel::Results);
                }
            }
            Command::ForgetBefore => self.state.before = None,
            Command::RemoveLine(k) => {
                if *k < self.state.shown.lines.len() {
                    self.state.shown.lines.remove(*k);
                }
            }
            Command::CopyProfiles => {
                if let Some(solved) = &self.state.results.solved {
                    let text = profiles_csv(&solved.flow(), &self.state.shown.lines);
                    self.ctx.copy_text(text);
                    self.notify(Notice::done("Profiles are on the clipboard, as CSV."));
                }
            }
            Command::MoveLine(k, ends) => {
                if let Some(line) = self.state.shown.lines.get_mut(*k) {
                    *line = *ends;
                }
            }
            _ => return false,
        }
        true
    }

    fn sees_liquids(&self) -> bool {
        self.state.workspace == Workspace::Liquids
    }

    fn select(&mut self, selection: Selection) {
        self.state.selection = selection;
        self.state
            .document
            .history
            .note_selection(&self.state.selection);
    }

    /// Hides things, or shows them again; what is hidden isn't selected any more.
    fn hide(&mut self, which: &Selection, is_hidden: bool) {
        self.state.hidden.set(which, is_hidden);
        if is_hidden {
            let mut selection = self.state.selection.clone();
            selection.items.retain(|name| !which.items.contains(name));
            selection.port = selection
                .port
                .filter(|port| which.port.as_ref() != Some(port));
            self.select(selection);
        }
    }

    /// Selects an item or a port by its name, and brings it into view.
    fn show(&mut self, name: &str) {
        let layout = &self.state.document.layout;
        let design = self.state.document.design.clone();
        let mut overlays = design.iter().flat_map(|d| &d.overlays);
        let is_overlay = overlays.any(|o| o.name.value == name);
        if is_overlay || layout.item(name).is_some() {
            self.select(Selection::one(name));
        } else if let Some(design) = &design
            && let Some(port) = design.ports.iter().find(|p| p.name.value == name)
        {
            let at = port.at.value.clone();
            let owner = at.rsplit_once('.').map_or(&*at, |(owner, _)| owner);
            self.select(Selection::one(owner));
            self.fit_selection();
            return self.select(Selection::of_port(name));
        }
        if !self.fit_selection() {
            // What has no place on the canvas has one in the text.
            self.open_panel(Panel::Source);
            let mut wrong = self.state.document.diagnostics.iter();
            let about = wrong.find(|d| d.place.component.as_deref() == Some(name));
            if let Some(span) = about.and_then(|d| d.place.span.clone()) {
                self.panels.show_text(span.start);
            }
        }
    }

    fn fit_selection(&mut self) -> bool {
        let design = self.state.document.shown_design().map(|d| &**d);
        self.canvas.fit_selection(&self.state.selection, design)
    }

    fn open_panel(&mut self, panel: Panel) {
        self.state.settings.panels.insert(panel);
        self.panels.choose(panel);
    }

    /// The theme that was chosen.
    pub(super) fn look(&self) {
        self.ctx.set_theme(match self.state.settings.theme {
            Theme::System => ThemePreference::System,
            Theme::Light => ThemePreference::Light,
            Theme::Dark => ThemePreference::Dark,
        });
    }

    /// One frame: drain, draw, apply, schedule.
    pub fn frame(&mut self, ui: &mut egui::Ui) {
        // Esc closes what has popped up and does nothing else; whether there is anything is known before it is closed.
        self.canvas.has_popup = egui::Popup::is_any_open(&self.ctx);
        self.hear_press();
        self.drain_edits();
        self.drain_solver();
        self.drain_species();
        self.drain_files();
        self.drain_liquids();
        self.drain_studies();
        let mut commands = Vec::new();
        self.draw(ui, &mut commands);
        if !self.panels.is_modal() {
            self.hear_shortcuts(&mut commands);
        }
        self.hear_window(&mut commands);
        for command in commands {
            self.apply(command);
        }
        self.settle_preview();
        self.answer_questions();
        if !self.is_held() && !self.beside.is_busy() {
            // What is dragged next is a step of its own.
            self.state.document.history.seal();
        }
        self.schedule_solve();
        self.schedule_species();
        self.schedule_estimate();
        self.take_section();
        self.schedule_files();
        self.schedule_liquids();
        self.set_title();
        background::turn();
    }

    fn draw(&mut self, ui: &mut egui::Ui, out: &mut Vec<Command>) {
        let context = self.state.context();
        match context.workspace {
            Workspace::Chip => {
                self.panels.around(ui, &context, self.canvas.pointer, out);
                egui::CentralPanel::default()
                    .frame(egui::Frame::NONE)
                    .show(ui, |ui| self.canvas.ui(ui, &context, &mut self.layer, out));
                self.layer.pointer = self.canvas.pointer;
            }
            Workspace::Liquids => {
                let pointed = pointed(self.liquids.stage.pointer, &context);
                self.panels.around_liquids(ui, &context, pointed, out);
                egui::CentralPanel::default()
                    .frame(egui::Frame::NONE)
                    .show(ui, |ui| self.liquids.stage.ui(ui, &context, out));
            }
        }
        let canvas = match context.settings.hint {
            Some(_) => self.canvas.state(&context),
            None => OnCanvas::default(),
        };
        self.panels.above(ui, &context, &canvas, out);
    }

    fn set_title(&mut self) {
        let mark = if self.state.document.is_modified() {
            "•"
        } else {
            ""
        };
        let title = format!("{}{mark} – Stokeslet", self.state.document.name());
        if title != self.title {
            self.ctx
                .send_viewport_cmd(ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }
}

fn toggle<T: Ord>(set: &mut std::collections::BTreeSet<T>, value: T) {
    if !set.remove(&value) {
        set.insert(value);
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        self.frame(ui);
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.leave();
    }
}

/// Opens the window and returns when it is closed. In a browser the page opens it: see the crate `stokeslet-web`.
///
/// # Errors
/// [`eframe::Error`]: no display, no OpenGL.
#[cfg(not(target_arch = "wasm32"))]
pub fn run(start: &Start) -> eframe::Result {
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default()
            .with_app_id("stokeslet")
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([800.0, 500.0])
            .with_drag_and_drop(true),
        ..eframe::NativeOptions::default()
    };
    let start = Arc::new(start.clone());
    eframe::run_native(
        "Stokeslet",
        options,
        Box::new(move |creation| Ok(Box::new(App::new(&start, &creation.egui_ctx)))),
    )
}
