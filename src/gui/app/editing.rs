//! Commands that change the document, and the way back.

use std::collections::BTreeSet;

use web_time::{Duration, Instant};

use eframe::egui;
use rustc_hash::FxHashSet;

use super::App;
use super::beside::{Job, Made, Outcome, Task};
use super::intention::{About, Intention, intention};
use crate::command::{Command, Layer};
use crate::context::{FEW_PARTS, Tool};
use crate::panels::Notice;
use crate::words::sentence;
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::{OverlayShape, print};
use stokeslet_cad::drawing::draw;
use stokeslet_cad::edits::{self, Drawing};

/// A preview that takes longer than this would make dragging jerk: only the canvas's own ghost is shown then.
const SLOW_PREVIEW: Duration = Duration::from_millis(12);

/// What the button under the pointer would do.
#[derive(Debug, Default)]
pub(super) struct Resting {
    /// Shown now.
    shown: Option<Command>,
    /// Done with a click; shown again once the pointer was elsewhere.
    done: Option<Command>,
    /// Whether the pointer is still there in this frame.
    is_asked: bool,
    /// Whether edits are to be shown instead of made.
    is_trial: bool,
}

impl App {
    /// Does a command that changes the document; `false` if it is none.
    pub(super) fn apply_to_document(&mut self, command: &Command) -> bool {
        match command {
            Command::Undo => self.go_to(self.state.document.history.now().wrapping_sub(1)),
            Command::Redo => self.go_to(self.state.document.history.now() + 1),
            Command::GoTo(step) => self.go_to(*step),
            Command::PreviewMove(by) => self.preview_move(*by),
            Command::EndPreview => self.state.document.end_preview(),
            Command::Preview(command) => self.preview(command),
            Command::Copy => self.copy(),
            Command::Cut => {
                self.copy();
                return self.edit(command);
            }
            Command::SetText(text) => {
                let typed = Some("text".to_owned());
                self.state
                    .document
                    .set_text(text, typed, &self.state.library);
                self.forget_what_is_gone();
            }
            Command::DrawLinks => self.draw_links(command),
            Command::SetJoint(joint) => self.set_joint(command, *joint),
            Command::AskToPaste => {
                // The text comes back as an event, for whoever hears the keyboard.
                self.ctx
                    .send_viewport_cmd(egui::ViewportCommand::RequestPaste);
            }
            _ => return self.edit(command),
        }
        true
    }

    /// Components get places and links become channels; what stays a link is said.
    fn draw_links(&mut self, command: &Command) {
        let Some(design) = self.state.document.design.clone() else {
            return;
        };
        let (drawn, said) = draw(&design, &self.state.library, None);
        let Some(drawn) = drawn else {
            let why = said.first().map_or("no drawing was found", |d| &d.message);
            return self.notify(Notice::error(sentence(why)));
        };
        let text = print(&drawn.design);
        let comments = match self.state.document.text.contains('#') {
            true => " The file is written anew: its comments are gone.",
            false => "",
        };
        let (label, library) = (command.label(), &self.state.library);
        self.state.document.replace(&label, &text, None, library);
        self.forget_what_is_gone();
        self.apply(Command::Fit);
        let drawn_now = match drawn.n_drawn {
            1 => "One link is a channel now".to_owned(),
            n => format!("{n} links are channels now"),
        };
        let text = match drawn.left.as_slice() {
            [] => format!("{drawn_now}; lengths are the drawing's.{comments}"),
            left => format!(
                "{drawn_now}; these stay links: {}.{comments}",
                left.join(", ")
            ),
        };
        self.notify(Notice::info(text));
    }

    /// What a command comes to is made one step, or it is said why not; `false` where it isn't about the design. On a large chip this is done beside the window.
    fn edit(&mut self, command: &Command) -> bool {
        let Some(intention) = intention(command.clone(), &self.state.selection) else {
            return false;
        };
        self.make(command, intention);
        true
    }

    /// Makes what was intended by a command.
    pub(super) fn make(&mut self, command: &Command, intention: Intention) {
        let design = self.state.document.design.clone();
        if design.is_none() && matches!(intention, Intention::Drawn(_)) {
            let text =
                "The file has mistakes that keep it from being drawn: see Problems and Source.";
            return self.notify(Notice::error(text));
        }
        let is_trial = self.resting.is_trial;
        if is_trial && self.is_large() {
            return;
        }
        self.state.document.end_preview();
        let job = Job {
            source: self.state.document.source(),
            design,
            layout: self.state.document.layout.clone(),
            library: self.state.library.clone(),
            joint: self.state.settings.joint.unwrap_or_default(),
            about: About {
                selection: self.state.selection.clone(),
                hidden: self.state.hidden.clone(),
            },
            intention,
        };
        if is_trial {
            // What can't be done is told when it is asked for.
            if let Ok((edits, _)) = job.intended() {
                let library = &self.state.library;
                self.state.document.preview_edits(&edits, library);
            }
            return;
        }
        let label = self.label(command);
        let drag = self.drag_of_now(command);
        if self.is_beside() {
            self.start(Task::Edit(command.clone(), label, drag), move || job.made());
        } else {
            self.take_made(command, label, drag, job.made(), true);
        }
    }

    /// What an edit came to is seen, as one step with others of the same drag; `selects`: whether it may change what is selected.
    pub(super) fn take_made(
        &mut self,
        command: &Command,
        label: String,
        drag: Option<String>,
        made: Outcome,
        selects: bool,
    ) {
        let made = match made {
            Ok(made) => made,
            Err(why) => return self.notify(Notice::error(why)),
        };
        let selection = made.selection.filter(|_| selects);
        let selection = selection.unwrap_or_else(|| self.state.selection.clone());
        if let Some(reading) = made.reading {
            let document = &mut self.state.document;
            document.accept(label, reading, selection.clone(), drag);
        }
        match command {
            Command::Rename(from, to) => self.state.hidden.rename(from, to),
            Command::RenamePort(from, to) => self.state.hidden.rename_port(from, to),
            _ => {}
        }
        self.state.selection = selection;
        self.forget_what_is_gone();
        match command {
            // Another tool may have been taken meanwhile.
            Command::MirrorCopy(..) if self.state.tool == Tool::Mirror => {
                self.state.tool = Tool::Select;
            }
            Command::AddOverlay(_, OverlayShape::Text { .. }) => {
                // Ready to be typed over.
                self.state.tool = Tool::Select;
                self.does(&Command::EditName);
            }
            Command::AddSpecies(_) => {
                if let Some(last) = self.count_species().checked_sub(1) {
                    self.show_species(last);
                }
            }
            Command::ToggleDimensions => {
                self.state.settings.layers.insert(Layer::Dimensions);
            }
            _ => {}
        }
        self.ask_about_joints(command, made.joints);
    }

    /// What a step is called: with the name of what it was done to.
    fn label(&self, command: &Command) -> String {
        let label = command.label();
        let is_about_selection = matches!(
            command,
            Command::Move(_)
                | Command::Rotate(_)
                | Command::Mirror(_)
                | Command::Duplicate
                | Command::DuplicateBy(_)
                | Command::MirrorCopy(..)
                | Command::Group
                | Command::Ungroup
                | Command::Delete
                | Command::Cut
        );
        match (
            self.state.selection.single(),
            self.state.selection.items.len(),
        ) {
            _ if !is_about_selection => label,
            (Some(name), _) => format!("{label} {name}"),
            (None, 0) => match &self.state.selection.port {
                Some(port) => format!("{label} port {port}"),
                None => label,
            },
            (None, n) => format!("{label} {n} items"),
        }
    }

    fn go_to(&mut self, step: usize) {
        let Some(source) = self.state.document.source_of(step) else {
            return;
        };
        let library = self.state.library.clone();
        let read = move || {
            Ok(Made {
                reading: Some(source.read(&library)),
                selection: None,
                joints: BTreeSet::new(),
                shown: None,
            })
        };
        match self.is_beside() {
            true => self.start(Task::GoTo(step), read),
            false => {
                let made = read();
                self.arrive(step, made, true);
            }
        }
    }

    /// The text of a step of the history was read; `selects`: whether what was selected then is to be so again.
    pub(super) fn arrive(&mut self, step: usize, made: Outcome, selects: bool) {
        let reading = match made {
            Ok(made) => made.reading,
            Err(why) => return self.notify(Notice::error(why)),
        };
        let selection = reading.and_then(|reading| self.state.document.go_to(step, reading));
        if let Some(selection) = selection {
            if selects {
                self.state.selection = selection;
            }
            self.forget_what_is_gone();
        }
    }

    fn copy(&mut self) {
        let Some(design) = self.state.document.design.clone() else {
            return;
        };
        let drawing = Drawing::new(&design, &self.state.document.layout, &self.state.library);
        match edits::copy(&drawing, &self.state.selection.items) {
            Ok(text) => self.ctx.copy_text(text),
            Err(refusal) => self.notify(Notice::error(sentence(&refusal.to_string()))),
        }
    }

    /// Shows what a command would do, until the pointer leaves its button.
    fn preview(&mut self, command: &Command) {
        self.resting.is_asked = true;
        if self.resting.done.as_ref() == Some(command) {
            return;
        }
        self.resting.done = None;
        if self.resting.shown.as_ref() != Some(command) {
            self.resting.shown = Some(command.clone());
            self.resting.is_trial = true;
            self.edit(command);
            self.resting.is_trial = false;
        }
    }

    /// What is done isn't shown as what another click would do.
    pub(super) fn note_done(&mut self, command: &Command) {
        if self.resting.shown.as_ref() == Some(command) {
            self.resting.done = self.resting.shown.take();
        }
    }

    /// To be called once a frame: a preview that nobody asked for in it is over.
    pub(super) fn settle_preview(&mut self) {
        if std::mem::take(&mut self.resting.is_asked) {
            return;
        }
        self.resting.done = None;
        if self.resting.shown.take().is_some() {
            self.state.document.end_preview();
        }
    }

    /// Whether a layout of the chip takes longer than a frame; of a small chip that took long something else was in the way.
    pub(super) fn is_large(&self) -> bool {
        let document = &self.state.document;
        document.layout.parts.len() > FEW_PARTS && document.laid_out_in > SLOW_PREVIEW
    }

    /// Whether an edit is made beside the window. A browser gives a page no threads.
    fn is_beside(&self) -> bool {
        self.is_large() && cfg!(not(target_arch = "wasm32"))
    }

    /// Shows a drag as if it were made, where that is quick enough.
    fn preview_move(&mut self, by: Point) {
        let Some(design) = self.state.document.design.clone() else {
            return;
        };
        let layout = self.state.document.layout.clone();
        if self.is_large() || self.slow_preview == Some(layout.parts.len()) {
            return;
        }
        let begin = Instant::now();
        let drawing = Drawing::new(&design, &layout, &self.state.library);
        let items = &self.state.selection.items;
        // What the text can't say isn't shown either; asked once a drag.
        if !self.state.document.has_preview()
            && !edits::move_items(&drawing, items, by)
                .is_ok_and(|edits| self.state.document.can_make(&edits))
        {
            return;
        }
        let Ok(preview) = edits::preview_move(&drawing, items, by) else {
            return;
        };
        // A place where it can't be shows its problems when it is dropped there.
        self.state.document.preview(preview);
        if begin.elapsed() > SLOW_PREVIEW {
            self.slow_preview = Some(layout.parts.len());
            self.state.document.end_preview();
        }
    }

    /// Names that are no longer in the design can't be selected.
    fn forget_what_is_gone(&mut self) {
        let layout = &self.state.document.layout;
        let design = self.state.document.design.as_ref();
        let overlays = design.iter().flat_map(|d| &d.overlays);
        let overlays = overlays.map(|o| &o.name.value);
        let overlays: FxHashSet<&String> = overlays.collect();
        let is_there = |name: &String| layout.item(name).is_some() || overlays.contains(name);
        self.state.selection.items.retain(is_there);
        self.state.hidden.items.retain(is_there);
        self.joints_asked.retain(is_there);
        let has_port =
            |port: &String| design.is_some_and(|d| d.ports.iter().any(|p| p.name.value == *port));
        self.state.hidden.ports.retain(has_port);
        self.state.selection.port = self.state.selection.port.take().filter(has_port);
    }
}

/// Whose value a command sets: while a button is down these are one step.
pub(super) fn join_key(command: &Command) -> Option<String> {
    match command {
        Command::SetParameter {
            component,
            parameter,
            ..
        } => Some(format!("parameter {component}.{parameter}")),
        Command::SetCondition(port, _) => Some(format!("condition {port}")),
        Command::SetPlacement(component, _) => Some(format!("placement {component}")),
        Command::SetOverlay(overlay) => Some(format!("overlay {}", overlay.name.value)),
        Command::SetChannelShape { channel, .. } => Some(format!("shape {channel}")),
        Command::SetItemDepth { item, .. } => Some(format!("depth {item}")),
        Command::SetViscosity(_) => Some("viscosity".to_owned()),
        Command::SetDepth(_) => Some("depth".to_owned()),
        Command::SetWidth(_) => Some("width".to_owned()),
        Command::SetVariable(name, _) => Some(format!("variable {name}")),
        Command::SetDiffusivity(name, _) => Some(format!("diffusivity {name}")),
        Command::SetInlet(name, inlet) => Some(format!("inlet {name}.{}", inlet.port.value)),
        _ => None,
    }
}
