//! The tools that draw on the control layer and the notes: clicks are points of a line, or where a note goes; a drag is a box.

use eframe::egui::{CursorIcon, Key};

use super::{ToolInput, Tools};
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
pub fn hear(tools: &mut Tools, input: &ToolInput<'_>, layer: OverlayLayer, out: &mut Vec<Command>) {
    input.cursor(CursorIcon::Crosshair);
    hear_box(tools, input, layer, out);
    if tools.line.is_some() {
        return;
    }
    let Some(at) = input.place().map(|place| next(tools, input, place)) else {
        return;
    };
    if !tools.path.is_empty() && input.key(Key::Backspace) {
        tools.path.pop();
    }
    let clicked = input.clicked();
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
            let ends = input.response.double_clicked() || input.key(Key::Enter);
            if clicked && !input.response.double_clicked() && tools.path.last() != Some(&at) {
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
fn next(tools: &Tools, input: &ToolInput<'_>, place: Point) -> Point {
    let snapped = input.snap(place);
    match tools.path.last() {
        Some(last) if input.shift() => {
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
fn hear_box(tools: &mut Tools, input: &ToolInput<'_>, layer: OverlayLayer, out: &mut Vec<Command>) {
    if let Some(origin) = input.drag_began() {
        let from = input.snap(input.view.to_chip(origin));
        tools.line = Some([from, from]);
    }
    let is_drawn = input.drag_ended()
        || input
            .response
            .dragged_by(eframe::egui::PointerButton::Primary);
    let pointer = input.response.interact_pointer_pos();
    if let (true, Some([_, to]), Some(at)) = (is_drawn, &mut tools.line, pointer) {
        *to = input.snap(input.view.to_chip(at));
    }
    if input.drag_ended()
        && let Some([from, to]) = tools.line.take()
    {
        let size = to - from;
        if size.x.abs().min(size.y.abs()) >= input.view.length(SMALLEST) {
            let shape = OverlayShape::Rectangle([from, to]);
            out.push(Command::AddOverlay(layer, shape));
        }
    }
}

/// Draws what is being drawn, with its size.
pub fn paint(tools: &Tools, input: &ToolInput<'_>, layer: OverlayLayer) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let usual = input.design().map_or(0.0, |design| design.width.0);
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
    let Some(place) = input.place() else {
        return;
    };
    let at = next(tools, input, place);
    let Some(last) = tools.path.last() else {
        return tag_place(input, at);
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

fn tag_place(input: &ToolInput<'_>, at: Point) {
    let text = super::select::coordinates(at);
    tag(
        input.painter,
        input.view,
        input.view.to_screen(at),
        &text,
        input.colours,
    );
}
