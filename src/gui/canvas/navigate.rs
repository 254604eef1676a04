//! Pan and zoom: wheel, pinch, two fingers, the middle button, the space bar.

use eframe::egui::{self, CursorIcon, Event, Key, MouseWheelUnit, PointerButton, Response, Vec2};

use super::View;

/// Closer by this factor with every notch of the wheel.
const NOTCH: f64 = 1.18;
/// How far a notch of the wheel pans, points.
const PAN: f32 = 60.0;

/// Moves the view as the pointer asks; whether it did.
pub fn navigate(view: &mut View, response: &Response, pans_by_space: bool) -> bool {
    let ctx = &response.ctx;
    let before = *view;
    if response.contains_pointer() {
        wheel(view, ctx);
    }
    let by_space = pans_by_space && ctx.input(|i| i.key_down(Key::Space));
    let is_panned = response.dragged_by(PointerButton::Middle)
        || by_space && response.dragged_by(PointerButton::Primary);
    if is_panned {
        view.pan(response.drag_delta());
        ctx.set_cursor_icon(CursorIcon::Grabbing);
    } else if by_space && response.hovered() {
        ctx.set_cursor_icon(CursorIcon::Grab);
    }
    *view != before
}

fn wheel(view: &mut View, ctx: &egui::Context) {
    let Some(at) = ctx.input(|i| i.pointer.latest_pos()) else {
        return;
    };
    // Pinches, and the wheel with ctrl, which means the same everywhere.
    let zoom = f64::from(ctx.input(|i| i.zoom_delta()));
    if zoom != 1.0 && zoom > 0.0 {
        view.zoom(zoom, at);
    }
    let touch = ctx.input(|i| i.multi_touch().map(|touch| touch.translation_delta));
    if let Some(by) = touch {
        view.pan(by);
    }
    let turns: Vec<(MouseWheelUnit, Vec2, egui::Modifiers)> = ctx.input(|i| {
        let turn = |event: &Event| match event {
            Event::MouseWheel {
                unit,
                delta,
                modifiers,
                ..
            } => Some((*unit, *delta, *modifiers)),
            _ => None,
        };
        i.events.iter().filter_map(turn).collect()
    });
    for (unit, delta, modifiers) in turns {
        if modifiers.command || modifiers.ctrl {
            continue;
        }
        match unit {
            // Two fingers on a touch pad push the chip.
            MouseWheelUnit::Point => view.pan(delta),
            MouseWheelUnit::Line | MouseWheelUnit::Page => {
                if modifiers.shift {
                    let along = if delta.x == 0.0 { delta.y } else { delta.x };
                    view.pan(egui::vec2(along * PAN, 0.0));
                } else if modifiers.alt {
                    view.pan(egui::vec2(0.0, delta.y * PAN));
                } else {
                    view.pan(egui::vec2(delta.x * PAN, 0.0));
                    view.zoom(NOTCH.powf(f64::from(delta.y)), at);
                }
            }
        }
    }
}
