//! Ends of line probes: caught with the select tool or the line tool, they can be put somewhere else.

use eframe::egui::{CursorIcon, Key, Pos2, Stroke};

use super::{ToolInput, Tools};
use crate::command::Command;
use crate::context::Tool;

/// How near the pointer must be, points.
const NEAR: f32 = 8.0;

/// An end of a line probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEnd {
    /// Which line.
    line: usize,
    /// Which end.
    end: usize,
}

/// The end at a place of the screen; lines are there only where there are results.
fn at(input: &ToolInput<'_>, place: Pos2) -> Option<LineEnd> {
    input.context.results.solved.as_ref()?;
    let lines = input.context.shown.lines.iter().enumerate();
    let ends =
        lines.flat_map(|(line, ends)| (0..2).map(move |end| (LineEnd { line, end }, ends[end])));
    ends.map(|(end, p)| (end, (input.view.to_screen(p) - place).length()))
        .filter(|(_, off)| *off <= NEAR)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(end, _)| end)
}

/// Hears the pointer; whether an end is being dragged, so that no tool hears it.
pub fn hear(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) -> bool {
    if !matches!(input.context.tool, Tool::Select | Tool::Line) {
        return false;
    }
    if let Some(origin) = input.drag_began() {
        tools.line_end = at(input, origin).map(|end| (end, input.context.shown.lines[end.line]));
    }
    let Some((LineEnd { line, end }, before)) = tools.line_end else {
        return false;
    };
    let Some(&now) = input.context.shown.lines.get(line) else {
        tools.line_end = None;
        return true;
    };
    input.cursor(CursorIcon::Grabbing);
    if input.key(Key::Escape) {
        out.push(Command::MoveLine(line, before));
        tools.line_end = None;
        return true;
    }
    if let Some(place) = input.response.interact_pointer_pos() {
        let mut ends = now;
        ends[end] = input.view.to_chip(place);
        if ends != now {
            out.push(Command::MoveLine(line, ends));
        }
    }
    if !input.response.dragged() {
        tools.line_end = None;
    }
    true
}

/// Shows the end that is dragged, or would be.
pub fn paint(tools: &Tools, input: &ToolInput<'_>) {
    if !matches!(input.context.tool, Tool::Select | Tool::Line) {
        return;
    }
    let is_down = input.ui.input(|i| i.pointer.any_down());
    let hovered = || {
        input
            .pointer
            .filter(|_| !is_down)
            .and_then(|p| at(input, p))
    };
    let dragged = tools.line_end.map(|(end, _)| end);
    let Some(LineEnd { line, end }) = dragged.or_else(hovered) else {
        return;
    };
    if let Some(ends) = input.context.shown.lines.get(line) {
        let place = input.view.to_screen(ends[end]);
        let ring = Stroke::new(2.0, input.colours.accent);
        input.painter.circle_stroke(place, NEAR, ring);
        if dragged.is_none() {
            input.cursor(CursorIcon::Grab);
        }
    }
}
