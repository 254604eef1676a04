//! Ends of line probes: caught with the select tool or the line tool, they can be put somewhere else.

use eframe::egui::{CursorIcon, Key, Pos2, Stroke};

use super::{Frame, Tools};
use crate::command::Command;
use crate::seen::Tool;

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
fn at(frame: &Frame<'_>, place: Pos2) -> Option<LineEnd> {
    frame.seen.results.solved.as_ref()?;
    let lines = frame.seen.shown.lines.iter().enumerate();
    let ends =
        lines.flat_map(|(line, ends)| (0..2).map(move |end| (LineEnd { line, end }, ends[end])));
    ends.map(|(end, p)| (end, (frame.view.to_screen(p) - place).length()))
        .filter(|(_, off)| *off <= NEAR)
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(end, _)| end)
}

/// Hears the pointer; whether an end is being dragged, so that no tool hears it.
pub fn hear(tools: &mut Tools, frame: &Frame<'_>, out: &mut Vec<Command>) -> bool {
    if !matches!(frame.seen.tool, Tool::Select | Tool::Line) {
        return false;
    }
    if let Some(origin) = frame.drag_began() {
        tools.line_end = at(frame, origin).map(|end| (end, frame.seen.shown.lines[end.line]));
    }
    let Some((LineEnd { line, end }, before)) = tools.line_end else {
        return false;
    };
    let Some(&now) = frame.seen.shown.lines.get(line) else {
        tools.line_end = None;
        return true;
    };
    frame.cursor(CursorIcon::Grabbing);
    if frame.key(Key::Escape) {
        out.push(Command::MoveLine(line, before));
        tools.line_end = None;
        return true;
    }
    if let Some(place) = frame.response.interact_pointer_pos() {
        let mut ends = now;
        ends[end] = frame.view.to_chip(place);
        if ends != now {
            out.push(Command::MoveLine(line, ends));
        }
    }
    if !frame.response.dragged() {
        tools.line_end = None;
    }
    true
}

/// Shows the end that is dragged, or would be.
pub fn paint(tools: &Tools, frame: &Frame<'_>) {
    if !matches!(frame.seen.tool, Tool::Select | Tool::Line) {
        return;
    }
    let is_down = frame.ui.input(|i| i.pointer.any_down());
    let hovered = || {
        frame
            .pointer
            .filter(|_| !is_down)
            .and_then(|p| at(frame, p))
    };
    let dragged = tools.line_end.map(|(end, _)| end);
    let Some(LineEnd { line, end }) = dragged.or_else(hovered) else {
        return;
    };
    if let Some(ends) = frame.seen.shown.lines.get(line) {
        let place = frame.view.to_screen(ends[end]);
        let ring = Stroke::new(2.0, frame.colours.accent);
        frame.painter.circle_stroke(place, NEAR, ring);
        if dragged.is_none() {
            frame.cursor(CursorIcon::Grab);
        }
    }
}
