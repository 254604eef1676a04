//! Files that are opened or dropped: designs, studies of a design, chips of other programs.

use std::path::Path;

use super::App;
use crate::document::Document;
use crate::files::open::{Opened, open};
use crate::files::{recent, sentence};
use crate::panels::Notice;
use crate::studies::{Question, StudyCommand};
use crate::words;
use crate::words::capital;
use stokeslet_base::diagnostic::Severity;
use stokeslet_cad::import;
use stokeslet_study::study;

impl App {
    /// Opens a file of any kind; says why it can't, or what is wrong with it.
    pub(super) fn open_path(&mut self, path: &Path) {
        match open(path) {
            Ok(opened) if opened.text.trim_start().starts_with('{') => self.open_foreign(&opened),
            Ok(opened) if study::is_study(&opened.text) => self.open_study(&opened),
            Ok(opened) => self.open_design(opened),
            Err(error) => {
                recent::forget(&mut self.state.settings.recent, path);
                self.notify(Notice::error(capital(&sentence(&error))));
            }
        }
    }

    fn open_design(&mut self, opened: Opened) {
        let path = opened.path.clone();
        // What isn't all there has no file of its own: saving asks for one.
        let own = (!opened.lossy).then(|| path.clone());
        let document = Document::new(&opened.text, &opened.name, own, &self.state.library);
        self.show_document(document);
        self.filing.stamp = (!opened.lossy).then_some(opened.stamp);
        recent::note(&mut self.state.settings.recent, &path);
        if opened.lossy {
            let text = format!(
                "{} is not text in UTF-8: what can't be read is shown as \u{fffd}, and saving asks for another file.",
                path.display()
            );
            self.notify(Notice::error(text));
        } else if self.state.document.has_errors() {
            let n = self.state.document.diagnostics.len();
            let problems = if n == 1 { "problem" } else { "problems" };
            let text = format!("{} has {n} {problems}: see Problems.", opened.name);
            self.notify(Notice::info(text));
        }
    }

    /// Another program's chip becomes a design that isn't saved yet; what was left out or assumed stays among the problems.
    fn open_foreign(&mut self, opened: &Opened) {
        let options = import::Options::default();
        let (text, name) = (opened.text.as_str(), opened.name.as_str());
        let (imported, said) = import::read(text, name, &self.state.library, &options);
        let mut errors = said.iter().filter(|d| d.severity == Severity::Error);
        if let (Some(first), n) = (errors.next(), errors.count()) {
            let more = match n {
                0 => String::new(),
                1 => " (and one more)".to_owned(),
                n => format!(" (and {n} more)"),
            };
            let message = words::sentence(&format!("{}{more}", first.message));
            let text = format!("{name} can't be imported ({}): {message}", first.code);
            return self.notify(Notice::error(text));
        }
        let Some(imported) = imported else {
            let text = format!("{name} can't be imported: it holds no chip.");
            return self.notify(Notice::error(text));
        };
        // Places in the file are none in the design.
        let mut notes = said;
        for note in &mut notes {
            note.place.span = None;
        }
        let n = notes.len();
        let document = Document::imported(&imported.text, name, notes, &self.state.library);
        self.show_document(document);
        recent::note(&mut self.state.settings.recent, &opened.path);
        let left_out = match n {
            0 => "nothing was left out".to_owned(),
            1 => "one thing was left out or assumed, see Problems".to_owned(),
            n => format!("{n} things were left out or assumed, see Problems"),
        };
        let text = format!("Imported {name} ({}): {left_out}.", imported.dialect);
        self.notify(Notice::info(text));
    }

    /// A study's design is opened, and its points are solved.
    fn open_study(&mut self, opened: &Opened) {
        let study = match study::parse(&opened.text) {
            Ok(study) => study,
            Err(mistakes) => {
                let first = mistakes.first().map_or("", |mistake| &mistake.message);
                let text = words::sentence(&format!("{}: {first}", opened.name));
                return self.notify(Notice::error(text));
            }
        };
        let folder = opened.path.parent().unwrap_or(Path::new(""));
        let design = folder.join(&study.design);
        match open(&design) {
            Ok(design) => self.open_design(design),
            Err(error) => {
                let text = format!("{}: {}", opened.name, sentence(&error));
                return self.notify(Notice::error(capital(&text)));
            }
        }
        recent::note(&mut self.state.settings.recent, &opened.path);
        let ask = StudyCommand::Ask(Question::Sweep(study));
        self.apply(crate::command::Command::Study(ask));
    }
}
