//! The tools that draw on the control layer and the notes: clicks are points of a line, or where a note goes; a drag is a box.

use eframe::egui::{CursorIcon, Key};

use super::{Frame, Tools};
use crate::canvas::overlays::{Ink, draw};
use crate::canvas::paint::tag;
use crate::command::Command;
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::{OverlayLayer, OverlayShape};
use stokeslet_flow::export::readable::Quantity;

/// What a new note says until somebody types.
const NEW_NOTE: &str = "note";
/// Boxes smaller than this were clicks, points.
const SMALLEST: f32 = 4.0;

/// Hears the pointer and the keys.
pub fn hear(tools: &mut Tools, frame: &Frame<'_>, layer: OverlayLayer, out: &mut Vec<Command>) {
    frame.cursor(CursorIcon::Crosshair);
    hear_box(tools, frame, layer, out);
    if tools.line.is_some() {
        return;
    }
    let Some(at) = frame.place().map(|place| next(tools, frame, place)) else {
        return;
    };
    if !tools.path.is_empty() && frame.key(Key::Backspace) {
        tools.path.pop();
    }
    let clicked = frame.clicked();
    match layer {
        OverlayLayer::Notes if clicked => {
            let text = NEW_NOTE.to_owned();
            let note = OverlayShape::Text {
                at,
                text,
                size: None,
            };
            out.push(Command::AddOverlay(layer, note));
        }
        OverlayLayer::Notes => {}
        OverlayLayer::Control => {
            let ends = frame.response.double_clicked() || frame.key(Key::Enter);
            if clicked && !frame.response.double_clicked() && tools.path.last() != Some(&at) {
                tools.path.push(at);
            }
            if ends && tools.path.len() > 1 {
                let points = std::mem::take(&mut tools.path);
                let line = OverlayShape::Path {
                    points,
                    width: None,
                };
                out.push(Command::AddOverlay(layer, line));
            }
        }
    }
}

/// Where the next point goes: on the grid, with Shift along an axis from the last.
fn next(tools: &Tools, frame: &Frame<'_>, place: Point) -> Point {
    let snapped = frame.snap(place);
    match tools.path.last() {
        Some(last) if frame.shift() => {
            let by = snapped - *last;
            match by.x.abs() >= by.y.abs() {
                true => *last + Point::new(by.x, 0.0),
                false => *last + Point::new(0.0, by.y),
            }
        }
        _ => snapped,
    }
}

/// A drag from corner to corner.
fn hear_box(tools: &mut Tools, frame: &Frame<'_>, layer: OverlayLayer, out: &mut Vec<Command>) {
    if let Some(origin) = frame.drag_began() {
        let from = frame.snap(frame.view.to_chip(origin));
        tools.line = Some([from, from]);
    }
    let is_drawn = frame.drag_ended()
        || frame
            .response
            .dragged_by(eframe::egui::PointerButton::Primary);
    let pointer = frame.response.interact_pointer_pos();
    if let (true, Some([_, to]), Some(at)) = (is_drawn, &mut tools.line, pointer) {
        *to = frame.snap(frame.view.to_chip(at));
    }
    if frame.drag_ended()
        && let Some([from, to]) = tools.line.take()
    {
        let size = to - from;
        if size.x.abs().min(size.y.abs()) >= frame.view.length(SMALLEST) {
            let shape = OverlayShape::Rectangle([from, to]);
            out.push(Command::AddOverlay(layer, shape));
        }
    }
}

/// Draws what is being drawn, with its size.
pub fn paint(tools: &Tools, frame: &Frame<'_>, layer: OverlayLayer) {
    let (painter, view, colours) = (frame.painter, frame.view, frame.colours);
    let usual = frame.design().map_or(0.0, |design| design.width.0);
    let ink = Ink::of(layer, colours);
    let show = |x: f64| Quantity::Length.show(x.abs());
    if let Some([from, to]) = tools.line {
        draw(
            painter,
            view,
            &OverlayShape::Rectangle([from, to]),
            usual,
            ink,
        );
        let text = format!("{} × {}", show(to.x - from.x), show(to.y - from.y));
        tag(painter, view, view.to_screen(to), &text, colours);
        return;
    }
    let Some(place) = frame.place() else {
        return;
    };
    let at = next(tools, frame, place);
    let Some(last) = tools.path.last() else {
        return tag_place(frame, at);
    };
    let mut points = tools.path.clone();
    points.push(at);
    let line = OverlayShape::Path {
        points,
        width: None,
    };
    draw(painter, view, &line, usual, ink);
    let text = show((at - *last).norm());
    tag(painter, view, view.to_screen(at), &text, colours);
}

fn tag_place(frame: &Frame<'_>, at: Point) {
    let text = super::select::coordinates(at);
    tag(
        frame.painter,
        frame.view,
        frame.view.to_screen(at),
        &text,
        frame.colours,
    );
}
