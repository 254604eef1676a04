//! What the pointer does: each tool hears it, pushes commands and remembers what to show until the button is released.
//!
//! Hearing and showing are apart: [`hear`] reads the pointer and fills [`Tools`], [`paint`] draws what is in it. Neither changes
//! the document.

mod channel;
mod editor;
mod handles;
mod keyboard;
mod line_ends;
mod measure;
mod moving;
mod overlay;
mod place;
mod select;
mod typed;

use eframe::egui::{self, CursorIcon, Key, PointerButton, Pos2};
use std::sync::Arc;

use super::View;
use super::dimensions::Label;
use super::grid::Grid;
use super::outline::Outlines;
use super::ports::Symbol;
use super::scene::{Bounds, Scene};
use super::snap::{Ghost, Hold};
use super::theme::Colours;
use crate::background;
use crate::command::Command;
use crate::context::{Tool, ViewContext};
pub use channel::End;
use editor::Editor;
pub use editor::ui as edit_ui;
use handles::Handles;
use keyboard::Cursor;
pub use keyboard::Keyed;
use line_ends::LineEnd;
pub use place::DraggedKind;
pub use select::Hit;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::Metre;
use stokeslet_cad::design::{Bend, Design};

/// How near the pointer must be to what it catches, points.
pub const REACH: f32 = 14.0;
/// How near it must be to an item, points.
const TOUCH: f64 = 3.0;

/// All that a tool may look at in one frame.
pub struct ToolInput<'a> {
    /// The canvas's part of the window.
    pub ui: &'a egui::Ui,
    /// What the pointer did to the canvas.
    pub response: &'a egui::Response,
    /// Draws on it.
    pub painter: &'a egui::Painter,
    /// Where the chip is.
    pub view: &'a View,
    /// What is shown.
    pub scene: &'a Arc<Scene>,
    /// Ports that are shown.
    pub ports: &'a [Symbol],
    /// Dimensions that are shown.
    pub dimensions: &'a [Label],
    /// Everything else.
    pub context: &'a ViewContext<'a>,
    /// Colours of the canvas.
    pub colours: &'a Colours,
    /// What positions snap to.
    pub grid: Option<Grid>,
    /// Where the pointer is on the canvas.
    pub pointer: Option<Pos2>,
    /// Whether keys are meant for the canvas.
    pub hears_keys: bool,
    /// Whether the keyboard's cursor is the pointer, and clicks.
    pub keyed: Option<Keyed>,
    /// Whether what is drawn is still the layout before.
    pub is_behind: bool,
}

impl ToolInput<'_> {
    /// Where the pointer is, m.
    pub fn place(&self) -> Option<Point> {
        self.pointer.map(|at| self.view.to_chip(at))
    }

    /// Whether there is a click at the pointer, by the mouse or by Enter.
    pub fn clicked(&self) -> bool {
        self.response.clicked() || self.keyed.is_some_and(|keyed| keyed.clicks)
    }

    /// [`REACH`] on the chip, m.
    pub fn reach(&self) -> f64 {
        self.view.length(REACH)
    }

    /// Takes a key that was just pressed, with or without shift; nobody else hears it then.
    pub fn key(&self, key: Key) -> bool {
        let plain = |i: &egui::InputState| !(i.modifiers.command || i.modifiers.alt);
        let ctx = self.ui.ctx();
        self.hears_keys
            && ctx.input(plain)
            && ctx.input_mut(|i| {
                i.consume_key(egui::Modifiers::SHIFT, key)
                    || i.consume_key(egui::Modifiers::NONE, key)
            })
    }

    /// Whether shift is held.
    pub fn shift(&self) -> bool {
        self.ui.input(|i| i.modifiers.shift)
    }

    /// Whether alt is held.
    pub fn alt(&self) -> bool {
        self.ui.input(|i| i.modifiers.alt)
    }

    /// Whether ctrl (or command) is held.
    pub fn ctrl(&self) -> bool {
        self.ui.input(|i| i.modifiers.command)
    }

    /// The design as shown.
    pub fn design(&self) -> Option<&Design> {
        self.context.document.shown_design().map(Arc::as_ref)
    }

    /// Where the button went down, if a drag with it began just now.
    pub fn drag_began(&self) -> Option<Pos2> {
        let began = self.response.drag_started_by(PointerButton::Primary);
        began
            .then(|| self.ui.input(|i| i.pointer.press_origin()))
            .flatten()
    }

    /// Whether a drag ended just now.
    pub fn drag_ended(&self) -> bool {
        self.response.drag_stopped_by(PointerButton::Primary)
    }

    /// The nearest crossing of the grid, or the place itself without one.
    pub fn snap(&self, p: Point) -> Point {
        self.grid.map_or(p, |grid| grid.snap(p))
    }

    /// Shows a cursor while the pointer is on the canvas.
    pub fn cursor(&self, icon: CursorIcon) {
        if self.response.hovered() || self.response.dragged() {
            self.ui.ctx().set_cursor_icon(icon);
        }
    }
}

/// What the tools remember.
#[derive(Debug, Default)]
pub struct Tools {
    /// What is under the pointer.
    pub hover: Option<Hit>,
    /// Parameters of what is selected, to be dragged.
    handles: Handles,
    /// The keyboard's pointer, while it is used.
    cursor: Option<Cursor>,
    /// The field on the canvas, where one is open.
    editor: Option<Editor>,
    /// A drag with the select tool.
    pub drag: select::Drag,
    /// What was dropped on which revision of the document, until that is made.
    dropped: Option<(moving::Move, u64)>,
    /// How the place tool holds its component.
    pub hold: Hold,
    /// What it holds.
    pub ghost: Option<Ghost>,
    /// The channel that is being drawn.
    pub draft: Option<super::route::Draft>,
    /// Where it would go on from its last way-point.
    pub end: Option<End>,
    /// Whether channels get round bends.
    pub round: bool,
    /// Digits and letters typed while a channel is drawn: the length of its next leg.
    pub typed: String,
    /// Where the pointer was when a typed leg was taken: it hasn't moved since, while it is there.
    fixed_at: Option<Pos2>,
    /// Points of the control line that is being drawn.
    pub path: Vec<Point>,
    /// The line or box that is being drawn.
    pub line: Option<[Point; 2]>,
    /// The end of a line probe that is being dragged, and where the line was before.
    line_end: Option<(LineEnd, [Point; 2])>,
    /// The free socket that a click would open.
    pub socket: Option<usize>,
    /// Why a click did nothing, shown until the pointer moves on.
    pub refusal: Option<(Pos2, String)>,
    /// What is to be shown whole from now on.
    pub fit: Option<Bounds>,
    tool: Tool,
}

impl Tools {
    /// How channels turn, `width` across.
    pub fn bend(&self, width: f64) -> Bend {
        if self.round {
            Bend::Round(Metre(2.0 * width))
        } else {
            Bend::Mitred
        }
    }

    /// Moves the keyboard's cursor; where it is, if it is used. `mouse` is where the mouse is over the canvas.
    pub fn hear_cursor(
        &mut self,
        ctx: &egui::Context,
        tool: &Tool,
        mouse: Option<Pos2>,
        view: &mut View,
        scene: &Scene,
    ) -> Option<Keyed> {
        // A typed length is taken by Enter first.
        let clicks = self.typed.is_empty();
        keyboard::hear(&mut self.cursor, ctx, (tool, mouse, clicks), view, scene)
    }

    /// What is at a place of the screen.
    pub fn hit(&self, input: &ToolInput<'_>, at: Pos2) -> Option<Hit> {
        select::hit_with(&self.handles, input, at)
    }

    /// Opens a field for a parameter of a component.
    pub fn edit(&mut self, component: &str, parameter: &str) {
        self.editor = Some(Editor::new(component, parameter));
    }

    /// Whether something is under way that Esc ends.
    pub fn is_busy(&self) -> bool {
        self.draft.is_some()
            || self.line.is_some()
            || !self.path.is_empty()
            || self.line_end.is_some()
            || !self.drag.is_none()
    }
}

/// Hears the pointer and the keys.
pub fn hear(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let tool = input.context.tool;
    if tools.tool != *tool {
        if tools.drag.is_move() {
            out.push(Command::EndPreview);
        }
        *tools = Tools {
            tool: tool.clone(),
            round: tools.round,
            ..Tools::default()
        };
    }
    let (is_editing, revision) = (input.context.is_editing, input.context.document.revision);
    if is_editing {
        input.cursor(CursorIcon::Progress);
    }
    let is_made = |(_, over): &mut (_, u64)| !is_editing || *over != revision;
    if !input.is_behind
        && let Some(dropped) = tools.dropped.take_if(is_made)
    {
        background::discard(dropped);
    }
    if tools.editor.is_some() && input.key(Key::Escape) {
        tools.editor = None;
    }
    tools.hover = None;
    tools.ghost = None;
    tools.end = None;
    tools.socket = None;
    let moved_on = |at: &Pos2| input.pointer.is_none_or(|p| (p - *at).length() > 30.0);
    if tools.refusal.as_ref().is_some_and(|(at, _)| moved_on(at)) {
        tools.refusal = None;
    }
    if place::hear_dragged(tools, input, out) || line_ends::hear(tools, input, out) {
        return;
    }
    match tool {
        Tool::Select => select::hear(tools, input, out),
        Tool::Place(kind) => place::hear(tools, input, kind, out),
        Tool::Channel => channel::hear(tools, input, out),
        Tool::Port => measure::hear_port(tools, input, out),
        Tool::Ruler => measure::hear_ruler(tools, input, out),
        Tool::Line => measure::hear_line(tools, input, out),
        Tool::Probe | Tool::Streamline => measure::hear_click(tools, input, out),
        Tool::Overlay(layer) => overlay::hear(tools, input, *layer, out),
        Tool::Mirror => measure::hear_mirror(tools, input, out),
    }
    // What is under way goes first; a tool with nothing under way is put down.
    if *tool != Tool::Select && input.key(Key::Escape) {
        if !tools.typed.is_empty() {
            tools.typed.clear();
        } else if tools.is_busy() {
            tools.draft = None;
            tools.line = None;
            tools.path.clear();
        } else {
            out.push(Command::SetTool(Tool::Select));
        }
    }
}

/// Draws what the tools remember.
pub fn paint(tools: &Tools, input: &ToolInput<'_>, outlines: &Outlines) {
    select::paint(tools, input, outlines);
    if let Some(ghost) = &tools.ghost {
        place::paint(ghost, input, outlines);
    }
    measure::paint_rulers(input);
    match input.context.tool {
        Tool::Channel => channel::paint(tools, input),
        Tool::Port => measure::paint_port(tools, input),
        Tool::Ruler | Tool::Line => measure::paint_line(tools, input),
        Tool::Overlay(layer) => overlay::paint(tools, input, *layer),
        Tool::Mirror => measure::paint_mirror(tools, input, outlines),
        Tool::Select | Tool::Place(_) | Tool::Probe | Tool::Streamline => {}
    }
    line_ends::paint(tools, input);
    if let Some(keyed) = input.keyed {
        keyboard::paint(input.painter, keyed.at, input.colours);
    }
    if let (Some((_, why)), Some(at)) = (&tools.refusal, input.pointer) {
        super::paint::tag(input.painter, input.view, at, why, input.colours);
    }
}
