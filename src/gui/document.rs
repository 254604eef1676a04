//! The design being drawn: its text, what the text means, where everything lies, and the way back.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use web_time::{Duration, Instant};

use super::background;
use super::context::{FEW_PARTS, Selection};
use super::history::History;
use stokeslet_base::diagnostic::{Diagnostic, Severity};
use stokeslet_cad::chip::{Layout, lay_out};
use stokeslet_cad::design::{self, Design, Edit, RewriteError};
use stokeslet_cad::edits::Preview;
use stokeslet_cad::library::Library;

/// What a new document holds.
pub const EMPTY: &str = "format = 1\n\n[fluid]\nviscosity = \"1 mPa s\"\n\n[chip]\nmodel = \"shallow\"\nwidth = \"100 um\"\ndepth = \"50 um\"\n";

/// A design file, open.
#[derive(Clone, Debug)]
pub struct Document {
    /// The file, as it would be written now.
    pub text: Arc<str>,
    /// What it says; of a text with mistakes the last design that could be read is not kept: `None`.
    pub design: Option<Arc<Design>>,
    /// Where everything lies; empty without a design.
    pub layout: Arc<Layout>,
    /// Everything wrong with it: the same as `check` says; errors first.
    pub diagnostics: Vec<Diagnostic>,
    /// How long the layout took: what is done with every step of a pointer is left where this is long.
    pub laid_out_in: Duration,
    /// Grows with every change of what is shown: results of another revision are stale.
    pub revision: u64,
    /// The greatest revision so far.
    newest: u64,
    /// The revision before what a button would do was shown.
    before_trial: Option<u64>,
    /// Where it is saved.
    pub path: Option<PathBuf>,
    /// How it came to be.
    pub history: History,
    /// What is being dragged, not yet part of the text.
    preview: Option<(Arc<Design>, Arc<Layout>)>,
    saved: Arc<str>,
    name: String,
    /// What was left out or assumed when another program's file was read.
    notes: Arc<[Diagnostic]>,
}

/// Why an edit wasn't made.
#[derive(Debug, Error)]
pub enum EditError {
    /// The text can't be changed in this way.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
    /// The result would not be a design.
    #[error("{0}")]
    Refused(Diagnostic),
}

/// The text of a document, to be edited or read somewhere else.
#[derive(Clone, Debug)]
pub struct Source {
    text: Arc<str>,
    name: String,
    notes: Arc<[Diagnostic]>,
    /// Whether it can be read, as what edits make of it must be then.
    is_design: bool,
}

/// A text, what it says, and where everything lies.
#[derive(Clone, Debug)]
pub struct Reading {
    text: Arc<str>,
    design: Option<Arc<Design>>,
    layout: Arc<Layout>,
    /// Everything wrong with it, errors first.
    diagnostics: Vec<Diagnostic>,
    laid_out_in: Duration,
}

impl Source {
    /// Reads and lays out.
    pub fn read(self, library: &Library) -> Reading {
        let (design, mistakes) = design::parse(&*self.text, &self.name);
        Reading::new(self.text, design, mistakes, &self.notes, library)
    }

    /// What edits make of it; `None` where they change nothing.
    ///
    /// # Errors
    /// [`EditError`].
    pub fn edited(&self, edits: &[Edit], library: &Library) -> Result<Option<Reading>, EditError> {
        let text = design::rewrite(&self.text, edits)?;
        if *text == *self.text {
            return Ok(None);
        }
        let (design, mistakes) = design::parse(&text, &self.name);
        if design.is_none() && self.is_design {
            let worst = mistakes.into_iter().max_by_key(|d| d.severity);
            let unknown = || Diagnostic::error("D002", "the result would not be a design");
            return Err(EditError::Refused(worst.unwrap_or_else(unknown)));
        }
        let (text, notes) = (text.into(), &self.notes);
        Ok(Some(Reading::new(text, design, mistakes, notes, library)))
    }
}

impl Reading {
    /// What it says, and where everything lies.
    pub fn chip(&self) -> (Option<&Design>, &Arc<Layout>) {
        (self.design.as_deref(), &self.layout)
    }

    fn new(
        text: Arc<str>,
        design: Option<Design>,
        mut diagnostics: Vec<Diagnostic>,
        notes: &[Diagnostic],
        library: &Library,
    ) -> Self {
        let begin = Instant::now();
        let layout = match &design {
            Some(design) => lay_out(design, library),
            None => Layout::default(),
        };
        let laid_out_in = begin.elapsed();
        diagnostics.extend(layout.diagnostics.iter().cloned());
        diagnostics.extend(notes.iter().cloned());
        diagnostics.sort_by_key(|d| std::cmp::Reverse(d.severity));
        Self {
            text,
            layout: Arc::new(layout),
            laid_out_in,
            design: design.map(Arc::new),
            diagnostics,
        }
    }
}

impl Document {
    /// A file's text, or an example's; `name` is what windows and messages call it.
    pub fn new(text: &str, name: &str, path: Option<PathBuf>, library: &Library) -> Self {
        let text: Arc<str> = text.into();
        let mut document = Self {
            text: text.clone(),
            design: None,
            layout: Arc::default(),
            diagnostics: Vec::new(),
            laid_out_in: Duration::ZERO,
            revision: 0,
            newest: 0,
            before_trial: None,
            path,
            history: History::new(text.clone()),
            preview: None,
            saved: text,
            name: name.to_owned(),
            notes: Arc::default(),
        };
        document.read(library);
        document
    }

    /// Another program's chip as a design, not saved yet; `notes` say what was left out or assumed.
    pub fn imported(text: &str, name: &str, notes: Vec<Diagnostic>, library: &Library) -> Self {
        let mut document = Self::new(text, name, None, library);
        document.notes = notes.into();
        document.mark_unsaved();
        document.read(library);
        document
    }

    /// What windows and messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether there is something that the file doesn't have.
    pub fn is_modified(&self) -> bool {
        self.text != self.saved
    }

    /// Says that the text as it is now is in this file.
    pub fn saved_as(&mut self, path: &Path) {
        self.saved = self.text.clone();
        if let Some(stem) = path.file_stem() {
            self.name = stem.to_string_lossy().into_owned();
        }
        self.path = Some(path.to_owned());
    }

    /// Says that the text differs from every file, such as work recovered after a crash.
    pub fn mark_unsaved(&mut self) {
        self.saved = "".into();
    }

    /// Makes edits as one step of undo; steps in a row with the same `join` key are one.
    ///
    /// # Errors
    /// [`EditError`]: nothing is changed then.
    #[cfg(test)]
    pub fn edit(
        &mut self,
        label: &str,
        edits: &[Edit],
        selection: &Selection,
        join: Option<String>,
        library: &Library,
    ) -> Result<(), EditError> {
        self.end_preview();
        if let Some(reading) = self.source().edited(edits, library)? {
            self.accept(label.to_owned(), reading, selection.clone(), join);
        }
        Ok(())
    }

    /// The text of a step of the history, to be read; `None` if there is no such step.
    pub fn source_of(&self, step: usize) -> Option<Source> {
        let text = self.history.steps().get(step)?.text.clone();
        let source = self.source();
        Some(Source { text, ..source })
    }

    /// What is edited, on its own.
    pub fn source(&self) -> Source {
        Source {
            text: self.text.clone(),
            name: self.name.clone(),
            notes: self.notes.clone(),
            is_design: self.design.is_some(),
        }
    }

    /// Takes what edits of [`Self::source`] came to as one step of undo.
    pub fn accept(
        &mut self,
        label: String,
        reading: Reading,
        selection: Selection,
        join: Option<String>,
    ) {
        self.text = reading.text.clone();
        self.history.push(label, self.text.clone(), selection, join);
        self.take(reading);
    }

    /// Replaces the whole text, as someone typed it; mistakes are shown, not refused.
    pub fn set_text(&mut self, text: &str, join: Option<String>, library: &Library) {
        self.replace("Edit text", text, join, library);
    }

    /// Replaces the whole text as one step of undo, or one with the steps before that have the same `join`.
    pub fn replace(&mut self, label: &str, text: &str, join: Option<String>, library: &Library) {
        if *text == *self.text {
            return;
        }
        self.text = text.into();
        self.history.push(
            label.to_owned(),
            self.text.clone(),
            Selection::default(),
            join,
        );
        self.read(library);
    }

    /// Goes to a step of the history, whose text was read; returns what was selected then.
    pub fn go_to(&mut self, step: usize, reading: Reading) -> Option<Selection> {
        let step = self.history.go_to(step)?.clone();
        self.text = step.text;
        self.take(reading);
        Some(step.selection)
    }

    /// Reads the text again, with another library perhaps.
    pub fn read(&mut self, library: &Library) {
        let reading = self.source().read(library);
        self.take(reading);
    }

    /// What was read of the text.
    fn take(&mut self, reading: Reading) {
        self.preview = None;
        self.before_trial = None;
        self.renew();
        // The quickest of one chip: something else may have been in the way.
        let (parts, took) = (self.layout.parts.len(), reading.laid_out_in);
        self.laid_out_in = match reading.layout.parts.len() == parts {
            true => took.min(self.laid_out_in),
            false => took,
        };
        let old = (
            std::mem::replace(&mut self.layout, reading.layout),
            std::mem::replace(&mut self.design, reading.design),
            std::mem::replace(&mut self.diagnostics, reading.diagnostics),
        );
        if parts > FEW_PARTS {
            background::discard(old);
        }
    }

    /// Whether the text can be changed in this way.
    pub fn can_make(&self, edits: &[Edit]) -> bool {
        design::rewrite(&self.text, edits).is_ok()
    }

    /// Whether something is shown that isn't in the text.
    pub fn has_preview(&self) -> bool {
        self.preview.is_some()
    }

    /// Shows what an intention would lead to, while the pointer is down.
    pub fn preview(&mut self, preview: Preview) {
        self.renew();
        self.preview = Some((Arc::new(preview.design), Arc::new(preview.layout)));
    }

    /// Shows what edits would lead to; nothing where they can't be made.
    pub fn preview_edits(&mut self, edits: &[Edit], library: &Library) {
        self.end_preview();
        let text = design::rewrite(&self.text, edits);
        let design = text.ok().and_then(|text| design::parse(text, &self.name).0);
        if let Some(design) = design {
            let layout = lay_out(&design, library);
            let before = self.revision;
            self.preview(Preview { design, layout });
            self.before_trial = Some(before);
        }
    }

    /// Forgets the preview.
    pub fn end_preview(&mut self) {
        if self.preview.take().is_some() {
            match self.before_trial.take() {
                // What was known of it holds again.
                Some(revision) => self.revision = revision,
                None => self.renew(),
            }
        }
    }

    /// What is shown is another from now on.
    fn renew(&mut self) {
        self.newest += 1;
        self.revision = self.newest;
    }

    /// Whether what edits would lead to is shown: nobody asked for its flow.
    pub fn is_trial(&self) -> bool {
        self.before_trial.is_some()
    }

    /// Revisions go on from those of a document that this one takes the place of.
    pub fn follow(&mut self, other: &Document) {
        self.newest += other.newest + 1;
        self.revision = self.newest;
    }

    /// Where everything lies as shown: the preview's, if there is one.
    pub fn shown_layout(&self) -> &Arc<Layout> {
        self.preview.as_ref().map_or(&self.layout, |p| &p.1)
    }

    /// The design as shown: the preview's, if there is one.
    pub fn shown_design(&self) -> Option<&Arc<Design>> {
        self.preview.as_ref().map(|p| &p.0).or(self.design.as_ref())
    }

    /// Whether something is wrong that keeps it from being solved.
    pub fn has_errors(&self) -> bool {
        !self.errors().is_empty()
    }

    /// The errors of its diagnostics, which come first.
    pub fn errors(&self) -> &[Diagnostic] {
        let is_error = |d: &Diagnostic| d.severity == Severity::Error;
        &self.diagnostics[..self.diagnostics.partition_point(is_error)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stokeslet_base::units::Metre;

    fn edit(document: &mut Document, edit: Edit, join: Option<&str>) {
        let selection = Selection::default();
        let join = join.map(str::to_owned);
        document
            .edit("Change", &[edit], &selection, join, &Library::embedded())
            .expect("a valid edit");
    }

    #[test]
    fn undo_gives_the_same_bytes_and_redo_too() {
        let library = Library::embedded();
        let text = format!("# mine\n{EMPTY}# the end\n");
        let mut document = Document::new(&text, "new", None, &library);
        assert!(!document.is_modified());
        edit(&mut document, Edit::SetWidth(Metre(2e-4)), None);
        edit(&mut document, Edit::SetTitle(Some("A chip".into())), None);
        let after = document.text.clone();
        assert!(document.is_modified());
        let go_to = |document: &mut Document, step: usize| {
            let source = document.source_of(step).expect("a step");
            document.go_to(step, source.read(&library))
        };
        go_to(&mut document, 0);
        assert_eq!(*document.text, *text);
        assert!(!document.is_modified(), "back at what the file has");
        go_to(&mut document, 2);
        assert_eq!(document.text, after);
    }

    #[test]
    fn a_preview_changes_what_is_shown_but_not_the_text() {
        let library = Library::embedded();
        let mut document = Document::new(EMPTY, "new", None, &library);
        let (text, revision) = (document.text.clone(), document.revision);
        let mut design = Design::clone(document.design.as_ref().expect("a design"));
        design.width = Metre(2e-4);
        let layout = lay_out(&design, &library);
        document.preview(Preview { design, layout });
        assert_eq!(document.text, text);
        assert!(document.revision > revision, "results must follow");
        assert_eq!(document.shown_design().map(|d| d.width), Some(Metre(2e-4)));
        document.end_preview();
        assert_eq!(document.shown_design().map(|d| d.width), Some(Metre(1e-4)));
    }

    #[test]
    fn an_edit_that_would_break_the_file_is_refused() {
        let library = Library::embedded();
        let mut document = Document::new(EMPTY, "new", None, &library);
        let text = document.text.clone();
        let width = [Edit::SetWidth(Metre(-1.0))];
        let refused = document.edit("Break", &width, &Selection::default(), None, &library);
        assert!(matches!(refused, Err(EditError::Refused(_))), "{refused:?}");
        assert_eq!(document.text, text);
        assert_eq!(document.history.now(), 0);
    }
}
