//! A ring around what has the keyboard, while the keyboard is what moves it.

use eframe::egui::{Context, Id, Key, LayerId, Order, Stroke, StrokeKind};

use crate::canvas::theme::Colours;

/// Whether rings are drawn: from a Tab until the mouse is used.
#[derive(Debug, Default)]
pub struct Ring {
    by_keys: bool,
}

impl Ring {
    /// To be called last in a frame, so that the ring is over all.
    pub fn ui(&mut self, ctx: &Context) {
        let (tab, pressed) = ctx.input(|i| (i.key_pressed(Key::Tab), i.pointer.any_pressed()));
        self.by_keys = (self.by_keys || tab) && !pressed;
        if !self.by_keys {
            // Reading a response while the mouse is pressed would take the keyboard away from a field that lies under its own handle.
            return;
        }
        let focused = ctx.memory(|memory| memory.focused());
        let Some(response) = focused.and_then(|id| ctx.read_response(id)) else {
            return;
        };
        let style = ctx.global_style();
        let stroke = Stroke::new(2.0, Colours::of(&style.visuals).accent);
        let layer = LayerId::new(Order::Tooltip, Id::unique("focus"));
        let rect = response.interact_rect.expand(1.0);
        let painter = ctx.layer_painter(layer);
        painter.rect_stroke(rect, 4.0, stroke, StrokeKind::Outside);
    }
}
