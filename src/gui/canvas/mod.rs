//! The chip view: `scene` says what to show, `paint` how, `tools` what the pointer does.

pub mod view;

use eframe::egui;

use super::command::Command;
use super::seen::Seen;
use crate::geometry::Point;
pub use view::View;

/// What draws results on the canvas.
pub trait Overlay {
    /// Over the chip's area, under its walls.
    fn under(&mut self, painter: &egui::Painter, view: &View, seen: &Seen<'_>);
    /// Over everything: legends, probes.
    fn over(&mut self, painter: &egui::Painter, view: &View, seen: &Seen<'_>);
}

/// The canvas: its view and what the pointer is doing.
#[derive(Debug, Default)]
pub struct Canvas {
    /// Where the chip is on the screen.
    pub view: View,
    /// Where the pointer is over the canvas, m.
    pub pointer: Option<Point>,
}

impl Canvas {
    /// Draws the chip into the rest of `ui`, and hears the pointer.
    pub fn ui(
        &mut self,
        ui: &mut egui::Ui,
        seen: &Seen<'_>,
        overlay: &mut dyn Overlay,
        out: &mut Vec<Command>,
    ) {
        let (response, painter) =
            ui.allocate_painter(ui.available_size(), egui::Sense::click_and_drag());
        self.view.rect = response.rect;
        overlay.under(&painter, &self.view, seen);
        overlay.over(&painter, &self.view, seen);
        let _ = out;
    }
}

/// A library entry that is dragged from the palette: the payload of egui's drag and drop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraggedKind(pub String);
