//! Edits of a large chip are made beside the window: laying out 20,000 parts takes many frames.
//!
//! ```text
//! command --intention--> Job --thread--> Made --drain_edits, a later frame--> document, and the canvas with what it shows of it (`canvas::shown`)
//!     meanwhile: looking and selecting goes on; what is done on the canvas waits in its order, of a value that is dragged the newest;
//!                whatever else is asked for has the frame wait until all of that is made
//! ```
//! A button that goes down while a dragged value is still being made has that frame wait, too: the next drag begins at it. Typed text, files and links are
//! read in the frame.

use std::collections::{BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use super::App;
use super::editing::join_key;
use super::intention::{About, Intended, Intention};
use super::rebase::rebased;
use crate::background;
use crate::canvas::shown::Shown;
use crate::command::Command;
use crate::context::Selection;
use crate::document::{Reading, Source};
use crate::words::sentence;
use stokeslet_cad::chip::Layout;
use stokeslet_cad::design::Design;
use stokeslet_cad::edits::{Drawing, Joint, joints_added};
use stokeslet_cad::library::Library;

/// All that an edit needs to be made.
pub(super) struct Job {
    /// The text.
    pub source: Source,
    /// What it says, if it can be read; a drawn intention needs it.
    pub design: Option<Arc<Design>>,
    /// Where everything lies.
    pub layout: Arc<Layout>,
    /// What components are made from.
    pub library: Library,
    /// What goes between sockets that differ in width.
    pub joint: Joint,
    /// What is selected and hidden.
    pub about: About,
    /// What is wanted.
    pub intention: Intention,
}

/// What an edit, or a step of the history, came to.
pub(super) struct Made {
    /// The new text, read; `None` where nothing changed.
    pub reading: Option<Reading>,
    /// What is selected then; `None`: as before.
    pub selection: Option<Selection>,
    /// Joints that went in.
    pub joints: BTreeSet<String>,
    /// What the canvas shows then, where that was made.
    pub shown: Option<Shown>,
}

/// It, or a sentence for people that says why not.
pub(super) type Outcome = Result<Made, String>;

impl Job {
    /// What is wanted, as edits.
    pub fn intended(self) -> Intended {
        let Self {
            design,
            layout,
            library,
            joint,
            about,
            intention,
            ..
        } = self;
        match (intention, &design) {
            (Intention::Plain(edits, selection), _) => Ok((edits, selection)),
            (Intention::Drawn(intend), Some(design)) => {
                let drawing = Drawing {
                    joint,
                    ..Drawing::new(design, &layout, &library)
                };
                intend(&drawing, &about)
            }
            // Asked before.
            (Intention::Drawn(_), None) => Ok((Vec::new(), None)),
        }
    }

    /// Makes it.
    pub fn made(self) -> Outcome {
        let (source, library) = (self.source.clone(), self.library.clone());
        let (edits, selection) = self.intended().map_err(|e| sentence(&e.to_string()))?;
        let reading = source.edited(&edits, &library);
        Ok(Made {
            reading: reading.map_err(|e| sentence(&e.to_string()))?,
            selection,
            joints: joints_added(&edits),
            shown: None,
        })
    }
}

/// What is being done.
#[derive(Debug)]
pub(super) enum Task {
    /// What a command wants, what the step is called, and the steps that it is one with.
    Edit(Command, String, Option<String>),
    /// A step of the history is gone to.
    GoTo(usize),
}

/// An edit that is being made.
#[derive(Debug)]
struct Running {
    task: Task,
    /// What was selected when it began.
    selection: Selection,
    receiver: Receiver<Outcome>,
}

/// A command that waits for edits.
#[derive(Debug)]
struct Waiting {
    command: Command,
    /// The drag that it is of.
    drag: Option<String>,
}

/// The edit that is being made, and what waits for it.
#[derive(Debug, Default)]
pub(super) struct Beside {
    running: Option<Running>,
    waiting: VecDeque<Waiting>,
    /// The drag of a value that the last edit was of.
    dragged: Option<String>,
    /// How often a button went down: no drag is one with another.
    presses: usize,
    /// The drag of the command that waited and is done now.
    resumed: Option<String>,
}

impl Beside {
    /// Whether an edit is being made or waits.
    pub fn is_busy(&self) -> bool {
        self.running.is_some() || !self.waiting.is_empty()
    }

    /// Takes a command that has to wait. Keys that are held down and values that are dragged would fill the queue: steps in a row are one.
    fn wait(&mut self, command: Command, drag: Option<String>) {
        let last = self.waiting.back();
        let is_same_drag = drag.is_some() && last.is_some_and(|last| last.drag == drag);
        let joined = match (last.map(|last| &last.command), &command) {
            (Some(Command::Move(a)), Command::Move(b)) => Some(Command::Move(*a + *b)),
            (Some(Command::Rotate(a)), Command::Rotate(b)) => Some(Command::Rotate(a + b)),
            (Some(_), newest) if is_same_drag => Some(newest.clone()),
            _ => None,
        };
        if joined.is_some() {
            self.waiting.pop_back();
        }
        let command = joined.unwrap_or(command);
        self.waiting.push_back(Waiting { command, drag });
    }

    /// The next command that waited, and how often it stands there in a row: undoing and redoing read no text in between.
    fn next(&mut self) -> Option<(Waiting, usize)> {
        let next = self.waiting.pop_front()?;
        let mut times = 1;
        while let Some(after) = self.waiting.front()
            && matches!(next.command, Command::Undo | Command::Redo)
            && after.command == next.command
        {
            self.waiting.pop_front();
            times += 1;
        }
        Some((next, times))
    }
}

/// Whether a command can wait for edits: what is done on the canvas means the same then. Values of panels are built from what is seen.
fn can_wait(command: &Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::Move(_)
            | C::Place { .. }
            | C::Rotate(_)
            | C::Mirror(_)
            | C::Align(_)
            | C::Duplicate
            | C::DuplicateBy(_)
            | C::MirrorCopy(..)
            | C::Array { .. }
            | C::CircularPattern { .. }
            | C::Group
            | C::Ungroup
            | C::Paste(..)
            | C::Delete
            | C::Channel { .. }
            | C::MoveWayPoint { .. }
            | C::AddPort(_)
            | C::OpenEnds
            | C::Detach
            | C::ToggleDimensions
            | C::Undo
            | C::Redo
            | C::GoTo(_)
    )
}

/// Whether a command may come before edits that are being made: it only changes how things are seen.
fn overtakes(command: &Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::PreviewMove(_)
            | C::EndPreview
            | C::Preview(_)
            | C::ZoomIn
            | C::ZoomOut
            | C::Fit
            | C::FitSelection
            | C::SetTool(_)
            | C::TogglePanel(_)
            | C::ToggleLayer(_)
            | C::SetTheme(_)
            | C::Hint(_)
            | C::CommandPalette
            | C::Shortcuts
            | C::About
            | C::Colour(_)
            | C::SetRange(_)
            | C::Cancel
    )
}

/// Whether a command is about what is selected when it is asked for, and changes no design.
fn selects(command: &Command) -> bool {
    use Command as C;
    matches!(
        command,
        C::Select(_) | C::ToggleSelected(_) | C::SelectAll | C::Copy
    )
}

impl App {
    /// Does a job beside the window; its end is drained in a later frame.
    pub(super) fn start(&mut self, task: Task, job: impl FnOnce() -> Outcome + Send + 'static) {
        let (sender, receiver) = channel();
        let ctx = self.ctx.clone();
        let sight = self.canvas.sight(&self.state.hidden);
        let job = move || {
            let mut made = job()?;
            if let Some(reading) = &made.reading {
                let (design, layout) = reading.chip();
                made.shown = sight.of(layout, design);
            }
            Ok(made)
        };
        let work = move || {
            let broken = |_| {
                let text = "A mistake of the program broke this off; nothing was changed.";
                Err(text.to_owned())
            };
            let made = catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(broken);
            // Nobody listens where the window is closed.
            let _ = sender.send(made);
            ctx.request_repaint();
        };
        if background::spawn("edit", work).is_err() {
            // The next frame hears that nobody sends.
            self.ctx.request_repaint();
        }
        self.beside.running = Some(Running {
            task,
            selection: self.state.selection.clone(),
            receiver,
        });
        self.state.is_editing = true;
    }

    /// A command while edits are being made: `None` where it waits for them, which its values are brought up to date for if it can't.
    pub(super) fn in_turn(&mut self, command: Command) -> Option<Command> {
        let is_first = self.beside.waiting.is_empty();
        if overtakes(&command) || selects(&command) && is_first {
            return Some(command);
        }
        let drag = self.drag_of(&command);
        // Whole values of a drag are over what was seen when it began: nothing else was done since.
        let is_dragged = drag.is_some() && drag == self.beside.dragged;
        self.beside.dragged.clone_from(&drag);
        if !self.beside.is_busy() {
            return Some(command);
        }
        if can_wait(&command) || selects(&command) || is_dragged {
            self.beside.wait(command, drag);
            return None;
        }
        let before = self.state.document.design.clone();
        self.finish_edits();
        match (before, &self.state.document.design) {
            (Some(before), Some(now)) => Some(rebased(command, &before, now)),
            _ => Some(command),
        }
    }

    /// Whether a button is down, or goes up in this frame.
    pub(super) fn is_held(&self) -> bool {
        self.ctx
            .input(|i| i.pointer.any_down() || i.pointer.any_released())
    }

    /// The drag of a value that a command is of, which is one step.
    pub(super) fn drag_of(&self, command: &Command) -> Option<String> {
        let key = join_key(command).filter(|_| self.is_held())?;
        Some(format!("{key}, drag {}", self.beside.presses))
    }

    /// The same of the command that is being done.
    pub(super) fn drag_of_now(&mut self, command: &Command) -> Option<String> {
        let resumed = self.beside.resumed.take();
        resumed.or_else(|| self.drag_of(command))
    }

    /// To be called first in a frame: a button that goes down begins another drag, over what the last one came to.
    pub(super) fn hear_press(&mut self) {
        if self.ctx.input(|i| i.pointer.any_pressed()) {
            self.beside.presses += 1;
            if self.beside.dragged.take().is_some() {
                self.finish_edits();
            }
        }
    }

    /// Takes an edit that was made, and does what waited for it.
    pub(super) fn drain_edits(&mut self) {
        let Some(running) = self.beside.running.take() else {
            return;
        };
        match running.receiver.try_recv() {
            Err(TryRecvError::Empty) => self.beside.running = Some(running),
            Err(TryRecvError::Disconnected) => self.end_edit(running, no_thread()),
            Ok(made) => self.end_edit(running, made),
        }
    }

    /// Waits for all edits that are being made or wait.
    pub(super) fn finish_edits(&mut self) {
        while let Some(running) = self.beside.running.take() {
            let made = running.receiver.recv().unwrap_or_else(|_| no_thread());
            self.end_edit(running, made);
        }
    }

    /// An edit was made: it is seen, and what waited for it is done until the next is being made.
    fn end_edit(&mut self, running: Running, mut made: Outcome) {
        self.state.is_editing = false;
        if let Ok(made) = &mut made
            && let Some(shown) = made.shown.take()
        {
            self.canvas.expect(shown);
        }
        // Whatever was selected meanwhile stays selected.
        let is_as_before = self.state.selection == running.selection;
        match running.task {
            Task::Edit(command, label, drag) => {
                self.take_made(&command, label, drag, made, is_as_before);
            }
            Task::GoTo(step) => self.arrive(step, made, is_as_before),
        }
        while self.beside.running.is_none()
            && let Some((next, times)) = self.beside.next()
        {
            let now = self.state.document.history.now();
            let last = self.state.document.history.steps().len() - 1;
            self.beside.resumed = next.drag;
            self.apply_now(match next.command {
                Command::Undo if times > 1 => Command::GoTo(now.saturating_sub(times)),
                Command::Redo if times > 1 => Command::GoTo((now + times).min(last)),
                command => command,
            });
        }
    }
}

fn no_thread() -> Outcome {
    Err("The system starts no thread for this edit.".to_owned())
}
