//! Commands that touch the disk, and what must be asked before work is lost.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use web_time::{Instant, SystemTime, UNIX_EPOCH};

use eframe::egui::{
    ColorImage, DroppedFileHandle, ScreenshotCallback, ThemePreference, ViewportCommand,
};

use super::{App, Start};
use crate::command::{Command, Layer, Panel};
use crate::context::{Hidden, Selection, Workspace};
use crate::document::{Document, EMPTY};
use crate::files::autosave::{self, Autosave, Leftover};
use crate::files::dialogs::{Answer, Ask, Dialogs};
use crate::files::export::{Exporting, Order, PictureFormat};
use crate::files::library_watch::{self, LibraryWatch};
use crate::files::open::Stamp;
use crate::files::save::{SaveError, save};
use crate::files::settings::Settings;
use crate::files::task::{NoAnswer, Task};
use crate::files::{self, examples, recent, sentence};
use crate::liquids::LiquidFormat;
use crate::panels::{Asked, Notice, Panels, Question};
use crate::results::ResultView;
use crate::words::capital;
use stokeslet_flow::export::{ExportError, Format};
use stokeslet_species::Species;
use stokeslet_species::files::unit;

/// Settings are stored so long after they changed, s: a panel that is dragged changes them every frame.
const SETTLED: f32 = 1.0;

/// Everything about the disk that the window remembers.
pub(super) struct Filing {
    home: Option<PathBuf>,
    dialogs: Dialogs,
    /// What the dialog that is open starts with.
    suggested: PathBuf,
    autosave: Option<Autosave>,
    watch: LibraryWatch,
    /// The file as it was when it was opened or saved.
    pub(super) stamp: Option<Stamp>,
    /// What is done once the question about unsaved work is answered.
    leaving: Option<Command>,
    may_close: bool,
    exporting: Option<Exporting>,
    /// Outlines and pictures on their way to the disk.
    pub(super) writing: Vec<Task<Result<String, String>>>,
    /// Waits for a solve.
    export: Option<(Vec<Format>, PathBuf)>,
    pub(super) picture: Option<(PictureFormat, PathBuf)>,
    /// The pixels of the window come by this, some frames after they were asked for.
    pub(super) screenshot: Option<Receiver<Arc<ColorImage>>>,
    leftovers: VecDeque<Leftover>,
    /// Recovered, not saved yet.
    recovered: Option<Leftover>,
    /// Noted by the autosave last.
    noted: Option<Arc<str>>,
    stored: Settings,
    changed: Option<Instant>,
    /// Settings on their way to the disk, which may take a tenth of a second to say that they are there.
    storing: Option<Task<Result<(), ExportError>>>,
}

impl Filing {
    /// Reads what is kept between runs; tells what could not be read, asks about work that was left.
    pub fn start(
        start: &Start,
        panels: &mut Panels,
        wake: impl Fn() + Send + 'static,
    ) -> (Self, Settings) {
        let home = files::home(start.home.as_deref());
        let (settings, complaint) = Settings::load(home.as_deref());
        if let Some(complaint) = complaint {
            panels.notify(Notice::error(complaint));
        }
        let leftovers: VecDeque<Leftover> = home
            .as_deref()
            .map(autosave::leftovers)
            .unwrap_or_default()
            .into();
        for leftover in &leftovers {
            let unsaved = &leftover.unsaved;
            panels.ask(Question::recover(&unsaved.name, &ago(unsaved.time)));
        }
        let autosave = home
            .as_deref()
            .map(|home| Autosave::new(home, autosave::DELAY));
        let components = start.components.as_deref();
        let filing = Self {
            home,
            dialogs: Dialogs::default(),
            suggested: PathBuf::new(),
            autosave,
            watch: LibraryWatch::new(components, library_watch::PERIOD, wake),
            stamp: None,
            leaving: None,
            may_close: false,
            exporting: None,
            writing: Vec::new(),
            export: None,
            picture: None,
            screenshot: None,
            leftovers,
            recovered: None,
            noted: None,
            stored: settings.clone(),
            changed: None,
            storing: None,
        };
        (filing, settings)
    }
}

impl App {
    /// A file that was dropped on the window is opened; in a browser, once the page has read it.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn take_dropped(&self, file: &DroppedFileHandle, out: &mut Vec<Command>) {
        out.push(Command::OpenPath(file.path().to_owned()));
    }

    /// A file that was dropped on the window is opened; in a browser, once the page has read it.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn take_dropped(&mut self, file: &DroppedFileHandle, _: &mut Vec<Command>) {
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        self.filing.dialogs.read(file.clone(), wake);
    }

    /// Does a command about files; `false` if it is none.
    pub(super) fn apply_to_files(&mut self, command: &Command) -> bool {
        let leaves = matches!(
            command,
            Command::New
                | Command::Open
                | Command::OpenPath(_)
                | Command::OpenExample(_)
                | Command::Quit
        );
        if leaves && self.state.document.is_modified() {
            self.filing.leaving = Some(command.clone());
            // Once, however often somebody asks to leave.
            if !self.panels.is_asking(Asked::Unsaved) {
                let name = self.state.document.name().to_owned();
                self.panels.ask(Question::unsaved(&name));
            }
            return true;
        }
        match command {
            Command::Save => self.save(),
            Command::SaveAs => self.ask_path(Ask::SaveAs),
            Command::SaveTo(path) => {
                // A dialog has asked already whether an existing file is to be replaced.
                self.save_to(path, None);
            }
            Command::Export(formats) => self.ask_path(Ask::Export(formats.clone())),
            Command::ExportTo(formats, folder) => self.export(formats, folder),
            Command::Outline(kind) => self.ask_path(Ask::Outline(*kind)),
            Command::OutlineTo(kind, path) => self.write_outline(*kind, path),
            Command::Picture(format) => self.ask_path(Ask::Picture(*format)),
            Command::PictureTo(format, path) => {
                self.filing.picture = Some((*format, path.clone()));
                if format.is_for_paper() {
                    // Until it is taken, some frames later.
                    self.ctx.set_theme(ThemePreference::Light);
                }
                if *format == PictureFormat::Png {
                    let (tell, taken) = channel();
                    self.filing.screenshot = Some(taken);
                    let ctx = self.ctx.clone();
                    let callback = ScreenshotCallback::new(move |image| {
                        // The window may be gone by then.
                        let _ = tell.send(image);
                        ctx.request_repaint();
                    });
                    let shot = ViewportCommand::Screenshot(callback);
                    self.ctx.send_viewport_cmd(shot);
                }
            }
            _ if leaves => self.leave_for(command),
            _ => return false,
        }
        true
    }

    /// Nothing unsaved is lost by this.
    fn leave_for(&mut self, command: &Command) {
        match command {
            Command::New => {
                self.show_document(Document::new(EMPTY, "untitled", None, &self.state.library))
            }
            Command::Open => self.ask_path(Ask::Open),
            Command::OpenPath(path) => self.open_path(path),
            Command::OpenExample(name) => match examples::named(name) {
                Some(example) => {
                    let document = Document::new(example.text, name, None, &self.state.library);
                    self.show_document(document);
                }
                None => self.notify(Notice::error(format!("There is no example `{name}`."))),
            },
            Command::Quit => {
                self.filing.may_close = true;
                self.ctx.send_viewport_cmd(ViewportCommand::Close);
            }
            _ => {}
        }
    }

    pub(super) fn may_close(&self) -> bool {
        self.filing.may_close || !self.state.document.is_modified()
    }

    /// Another document takes the place of this one.
    pub(super) fn show_document(&mut self, document: Document) {
        // Revisions go on, so that results of the old document are never taken for those of the new one.
        let before = std::mem::replace(&mut self.state.document, document);
        self.state.document.follow(&before);
        self.state.selection = Selection::default();
        self.state.hidden = Hidden::default();
        self.joints_asked.clear();
        self.panels.forget_questions();
        self.state.shown = ResultView {
            colour: self.state.shown.colour,
            ..ResultView::default()
        };
        self.state.results = Default::default();
        self.following.forget();
        self.filing.stamp = None;
        self.filing.noted = None;
        self.slow_preview = None;
        // Whoever opens a design wants to see it.
        self.enter(Workspace::Chip);
        self.solving.forget();
        let document = &self.state.document;
        let design = document.shown_design().map(|d| &**d);
        self.canvas.fit(document.shown_layout(), design);
        if self.state.document.design.is_none() {
            // What can't be drawn can be read.
            self.open_panel(Panel::Source);
        }
    }

    fn save(&mut self) {
        match self.state.document.path.clone() {
            Some(path) => {
                let stamp = self.filing.stamp;
                self.save_to(&path, stamp.as_ref());
            }
            None => self.ask_path(Ask::SaveAs),
        }
    }

    fn save_to(&mut self, path: &Path, expected: Option<&Stamp>) {
        match save(path, &self.state.document.text, expected) {
            Ok(stamp) => {
                self.state.document.saved_as(path);
                self.filing.stamp = Some(stamp);
                self.forget_unsaved();
                recent::note(&mut self.state.settings.recent, path);
                self.notify(Notice::done(format!("Saved {}", path.display())));
                if let Some(command) = self.filing.leaving.take() {
                    self.leave_for(&command);
                }
            }
            Err(SaveError::ChangedOnDisk { .. }) => {
                let name = self.state.document.name().to_owned();
                self.panels.ask(Question::changed(&name));
            }
            Err(error) => {
                self.filing.leaving = None;
                self.notify(Notice::error(capital(&sentence(&error))));
            }
        }
    }

    /// Everything is saved: nothing is left to recover.
    fn forget_unsaved(&mut self) {
        if let Some(autosave) = &self.filing.autosave {
            autosave.clear();
        }
        if let Some(leftover) = self.filing.recovered.take() {
            leftover.discard();
        }
        self.filing.noted = Some(self.state.document.text.clone());
    }

    /// What the questions were answered.
    pub(super) fn answer_questions(&mut self) {
        let Some((asked, answer)) = self.panels.answered() else {
            return;
        };
        self.finish_edits();
        match (asked, answer) {
            (Asked::Unsaved, 0) => self.save(),
            (Asked::Unsaved, 1) => {
                self.forget_unsaved();
                if let Some(command) = self.filing.leaving.take() {
                    self.leave_for(&command);
                }
            }
            (Asked::Unsaved, _) => self.filing.leaving = None,
            (Asked::Changed, 1) => {
                if let Some(path) = self.state.document.path.clone() {
                    self.save_to(&path, None);
                }
            }
            (Asked::Recover, 0) => self.recover(),
            (Asked::Recover, 1) => {
                if let Some(leftover) = self.filing.leftovers.pop_front() {
                    leftover.discard();
                }
            }
            (Asked::Recover, _) => {
                self.filing.leftovers.pop_front();
            }
            _ => {}
        }
    }

    fn recover(&mut self) {
        let Some(leftover) = self.filing.leftovers.pop_front() else {
            return;
        };
        let unsaved = &leftover.unsaved;
        let document = Document::new(
            &unsaved.text,
            &unsaved.name,
            unsaved.path.clone(),
            &self.state.library,
        );
        let past = unsaved.past.history(&unsaved.text);
        self.show_document(document);
        if let Some(past) = past {
            self.state.document.history = past;
        }
        self.state.document.mark_unsaved();
        self.filing.recovered = Some(leftover);
        self.panels.close_windows();
    }

    fn ask_path(&mut self, ask: Ask) {
        let folder = self.state.document.path.as_deref().and_then(Path::parent);
        let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
        let stem = match &ask {
            // A page downloads files, whose names begin with that of their folder.
            Ask::Export(_) if cfg!(target_arch = "wasm32") => self.state.document.name().to_owned(),
            Ask::Export(_) => return self.show_dialog(ask, &folder.join("results")),
            _ => self.state.document.name().to_owned(),
        };
        let name = match ask.extensions().first() {
            Some(extension) => format!("{stem}.{extension}"),
            None => stem,
        };
        self.show_dialog(ask, &folder.join(name));
    }

    /// Asks for a file to open: a scene, where scenes are seen; what is unsaved is asked about when it is a design.
    pub(super) fn ask_to_open(&mut self) {
        self.ask_path(Ask::Open);
    }

    /// Asks for the file that a run is written to: named after its scene and frame.
    pub(super) fn ask_liquid_path(&mut self, format: LiquidFormat) {
        let frame = self.state.liquids.frame().unwrap_or(0);
        let scene = &self.state.settings.liquids.scene;
        let scene = scene.replace(['/', ' ', '(', ')'], "-");
        let name = format!("{scene}-{frame:04}.{}", format.extension());
        let folder = self.state.document.path.as_deref().and_then(Path::parent);
        let path = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
        self.show_dialog(Ask::Liquid(format), &path.join(name));
    }

    fn show_dialog(&mut self, ask: Ask, suggested: &Path) {
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        self.filing.suggested = suggested.to_owned();
        self.filing.dialogs.ask(ask, suggested, wake);
    }

    /// What the dialogs, the exports, the library and the autosave say.
    pub(super) fn drain_files(&mut self) {
        match self.filing.dialogs.poll() {
            Some(Answer::Chosen(command)) => self.apply(command),
            Some(Answer::Unavailable(ask)) => {
                let suggested = self.filing.suggested.clone();
                self.panels.ask_path(ask, &suggested);
            }
            Some(Answer::Cancelled) => self.filing.leaving = None,
            None => {}
        }
        if let Some(done) = self.filing.exporting.as_ref().and_then(Exporting::poll) {
            self.filing.exporting = None;
            self.notify(match done {
                Ok(text) => Notice::done(text),
                Err(text) => Notice::error(text),
            });
        }
        let mut written = Vec::new();
        self.filing.writing.retain(|task| match task.poll() {
            Some(done) => {
                written.push(done);
                false
            }
            None => true,
        });
        for done in written {
            let lost = |lost: NoAnswer| Err(format!("Nothing was written: {lost}"));
            self.notify(match done.unwrap_or_else(lost) {
                Ok(text) => Notice::done(text),
                Err(text) => Notice::error(text),
            });
        }
        match self.filing.watch.poll() {
            Some(Ok(library)) => {
                self.finish_edits();
                self.state.library = library;
                self.state.document.read(&self.state.library);
                self.panels.library_changed();
                self.notify(Notice::info(
                    "The component library changed and was read again.",
                ));
            }
            Some(Err(faults)) => {
                let first = faults.first().map(ToString::to_string);
                let text = format!(
                    "A component file has mistakes, so the library stays as it was: {}",
                    first.unwrap_or_default()
                );
                self.notify(Notice::error(text));
            }
            None => {}
        }
        if let Some(stored) = self.filing.storing.as_ref().and_then(Task::poll) {
            self.hear_of_settings(stored);
        }
        let complaint = self.filing.autosave.as_ref().and_then(Autosave::failure);
        if let Some(complaint) = complaint {
            self.notify(Notice::error(complaint));
        }
    }

    /// Keeps unsaved work and settings that changed; takes pictures that were asked for.
    pub(super) fn schedule_files(&mut self) {
        let is_noted = self
            .filing
            .noted
            .as_ref()
            .is_some_and(|noted| Arc::ptr_eq(noted, &self.state.document.text));
        if !is_noted && let Some(autosave) = &self.filing.autosave {
            self.filing.noted = Some(self.state.document.text.clone());
            if self.state.document.is_modified() {
                let path = self.state.document.path.as_deref();
                autosave.note(
                    &self.state.document.history,
                    path,
                    self.state.document.name(),
                );
            } else {
                autosave.clear();
            }
        }
        if self.state.settings != self.filing.stored {
            let since = *self.filing.changed.get_or_insert_with(Instant::now);
            if since.elapsed().as_secs_f32() > SETTLED && self.filing.storing.is_none() {
                self.store_settings();
            } else {
                let soon = std::time::Duration::from_secs_f32(SETTLED);
                self.ctx.request_repaint_after(soon);
            }
        }
        self.take_picture();
    }

    /// Has them written by a thread: no frame waits for a disk.
    fn store_settings(&mut self) {
        self.filing.changed = None;
        self.filing.stored = self.state.settings.clone();
        let (settings, home) = (self.filing.stored.clone(), self.filing.home.clone());
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        let store = move || settings.store(home.as_deref());
        self.filing.storing = Some(Task::start("settings", wake, store));
    }

    fn hear_of_settings(&mut self, stored: Result<Result<(), ExportError>, NoAnswer>) {
        self.filing.storing = None;
        match stored {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.notify(Notice::error(capital(&sentence(&error)))),
            Err(none) => self.notify(Notice::error(format!(
                "The settings were not kept: {none}."
            ))),
        }
    }

    /// The window is closed.
    pub(super) fn leave(&mut self) {
        // The last ones must come last.
        for _ in 0..2 {
            if let Some(storing) = self.filing.storing.take() {
                let _ = storing.wait();
            }
            if self.state.settings != self.filing.stored {
                self.store_settings();
            }
        }
        if self.filing.may_close || !self.state.document.is_modified() {
            self.forget_unsaved();
        }
    }

    fn export(&mut self, formats: &[Format], folder: &Path) {
        self.filing.export = Some((formats.to_vec(), folder.to_owned()));
        let resolution = self.own_resolution();
        let is_current = self.state.results.solved.as_ref().is_some_and(|solved| {
            solved.revision == self.state.document.revision && solved.resolution == resolution
        });
        if is_current {
            self.export_what_waited();
        } else {
            self.solve_at(resolution);
        }
    }

    /// Starts the export that waited for results, if these are they.
    pub(super) fn export_what_waited(&mut self) {
        let resolution = self.own_resolution();
        let Some(solved) = self.state.results.solved.clone().filter(|solved| {
            solved.revision == self.state.document.revision && solved.resolution >= resolution
        }) else {
            return;
        };
        let Some((formats, folder)) = self.filing.export.take() else {
            return;
        };
        let design = self.state.document.design.as_ref();
        let title = design.and_then(|d| d.title.clone());
        let errors = self.state.results.errors_of(&solved).cloned();
        let mut order = Order::new(solved, title, &self.state.shown, formats, folder);
        order.errors = errors;
        order.streamlines.1 = self.state.settings.layers.contains(&Layer::Streamlines);
        if let Some(design) = design {
            let all = &design.species.species;
            let species = all
                .iter()
                .map(|s| Species::of_design(s, &order.solved.chip));
            order.species = (species.collect(), all.iter().map(unit).collect());
        }
        let ctx = self.ctx.clone();
        let wake = move || ctx.request_repaint();
        self.filing.exporting = Some(Exporting::start(order, wake));
    }

    /// Part of the export under way that is done.
    pub(super) fn export_progress(&self) -> Option<f64> {
        self.filing.exporting.as_ref().map(Exporting::progress)
    }

    pub(super) fn cancel_export(&mut self) {
        self.filing.export = None;
        if let Some(exporting) = &self.filing.exporting {
            exporting.cancel();
        }
    }
}

/// How long ago something was, as people say it.
fn ago(time: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let minutes = now.map_or(0, |now| now.as_secs().saturating_sub(time)) / 60;
    match minutes {
        0 => "less than a minute ago".to_owned(),
        1 => "a minute ago".to_owned(),
        2..=119 => format!("{minutes} minutes ago"),
        120..=2879 => format!("{} hours ago", minutes / 60),
        _ => format!("{} days ago", minutes / 1440),
    }
}
