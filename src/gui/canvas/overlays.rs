//! Control layer and notes on the canvas: what is shown of them, and what is under the pointer.

use std::collections::BTreeSet;

use eframe::egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, epaint::PathShape,
};

use super::View;
use super::pick::Catch;
use super::scene::Bounds;
use super::theme::Colours;
use super::tools::ToolInput;
use crate::command::Layer;
use crate::context::{Tool, ViewContext};
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::{Design, Overlay, OverlayLayer, OverlayShape, overlay_bounds};

/// Capitals are so much of a font's size.
const CAPITALS: f32 = 0.7;
/// Texts smaller than this are a line, points.
const LEAST_TEXT: f32 = 4.0;
/// Larger ones are drawn no larger, points.
const MOST_TEXT: f32 = 120.0;

/// Overlays that are to be seen: those of shown layers, and those of the layer that is being drawn on.
pub fn shown<'a>(
    design: Option<&'a Design>,
    context: &'a ViewContext<'_>,
) -> impl Iterator<Item = &'a Overlay> {
    let layers = OverlayLayer::ALL.into_iter().filter(|&layer| {
        *context.tool == Tool::Overlay(layer) || context.settings.layers.contains(&Layer::of(layer))
    });
    let layers: Vec<OverlayLayer> = layers.collect();
    let overlays = design.map_or(&[][..], |design| &design.overlays);
    let is_hidden = |name: &String| context.hidden.items.contains(name);
    overlays
        .iter()
        .filter(move |o| layers.contains(&o.layer) && !is_hidden(&o.name.value))
}

/// The overlay at a place, or within `reach` of it, m; of several the one that was drawn last.
pub fn at<'a>(input: &'a ToolInput<'_>, place: Point, reach: f64) -> Option<&'a Overlay> {
    let usual = input.design()?.width.0;
    let near = shown(input.design(), input.context);
    near.filter(|o| o.shape.distance(place, usual) <= reach)
        .last()
}

/// Names of what a box catches.
pub fn in_box(input: &ToolInput<'_>, within: &Bounds, catch: Catch) -> BTreeSet<String> {
    let usual = input.design().map_or(0.0, |design| design.width.0);
    let is_caught = |o: &&Overlay| {
        let own = box_of(o, usual);
        match catch {
            Catch::Contained => within.holds(&own),
            Catch::Touched => within.meets(&own),
        }
    };
    let caught = shown(input.design(), input.context).filter(is_caught);
    caught.map(|o| o.name.value.clone()).collect()
}

/// Boxes of those that are to be seen.
pub fn boxes(context: &ViewContext<'_>) -> Vec<Bounds> {
    let design = context.document.shown_design().map(|d| &**d);
    let usual = design.map_or(0.0, |design| design.width.0);
    shown(design, context).map(|o| box_of(o, usual)).collect()
}

/// The box around those that are taken, by name.
pub fn bounds(design: &Design, takes: impl Fn(&str) -> bool) -> Option<Bounds> {
    let corners = overlay_bounds(design, takes);
    corners.map(|(low, high)| Bounds { low, high })
}

fn box_of(overlay: &Overlay, usual: f64) -> Bounds {
    let (low, high) = overlay.shape.bounds(usual);
    Bounds { low, high }
}

/// How one is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Ink {
    /// Lines and texts.
    pub line: Color32,
    /// Inside.
    pub fill: Color32,
}

impl Ink {
    /// That of a layer.
    pub fn of(layer: OverlayLayer, colours: &Colours) -> Self {
        let line = match layer {
            OverlayLayer::Control => colours.control,
            OverlayLayer::Notes => colours.note,
        };
        let fill = line.gamma_multiply(match layer {
            OverlayLayer::Control => 0.35,
            OverlayLayer::Notes => 0.12,
        });
        Self { line, fill }
    }
}

/// Draws all of a layer, and marks what is selected or under the pointer.
pub fn paint(input: &ToolInput<'_>, layer: OverlayLayer, hovered: Option<&str>) {
    let Some(design) = input.design() else {
        return;
    };
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let usual = design.width.0;
    let (low, high) = view.seen();
    let in_view = Bounds { low, high };
    let of_layer = shown(Some(design), input.context).filter(|o| o.layer == layer);
    for overlay in of_layer.filter(|o| in_view.meets(&box_of(o, usual))) {
        let name = overlay.name.value.as_str();
        draw(
            painter,
            view,
            &overlay.shape,
            usual,
            Ink::of(layer, colours),
        );
        let mark = match hovered == Some(name) {
            _ if input.context.selection.items.contains(name) => Some((2.0, colours.accent)),
            true => Some((1.5, colours.hover)),
            false => None,
        };
        if let Some((width, colour)) = mark {
            outline(
                painter,
                view,
                &overlay.shape,
                usual,
                Stroke::new(width, colour),
            );
        }
    }
}

/// Draws a shape as it is.
pub fn draw(painter: &Painter, view: &View, shape: &OverlayShape, usual: f64, ink: Ink) {
    let points = |size: f64| (size / view.scale) as f32;
    let thin = Stroke::new(1.0, ink.line);
    match shape {
        OverlayShape::Path {
            points: line,
            width,
        } => {
            let wide = points(width.map_or(usual, |w| w.0));
            let line: Vec<Pos2> = line.iter().map(|p| view.to_screen(*p)).collect();
            if wide > 1.5 {
                painter.add(Shape::line(line.clone(), Stroke::new(wide, ink.fill)));
            }
            painter.add(Shape::line(line, thin));
        }
        OverlayShape::Rectangle(corners) => {
            let rect = screen_rect(view, *corners);
            painter.rect(rect, 0.0, ink.fill, thin, StrokeKind::Inside);
        }
        OverlayShape::Circle { centre, diameter } => {
            let radius = points(diameter.0 / 2.0).max(1.0);
            painter.circle(view.to_screen(*centre), radius, ink.fill, thin);
        }
        OverlayShape::Text { at, text, size } => {
            let capitals = points(size.map_or(usual, |s| s.0));
            let at = view.to_screen(*at);
            if capitals < LEAST_TEXT {
                let (low, high) = shape.bounds(usual);
                let end = view.to_screen(Point::new(high.x, low.y));
                painter.line_segment([at, end], thin);
                return;
            }
            let font = FontId::proportional((capitals / CAPITALS).min(MOST_TEXT));
            painter.text(at, Align2::LEFT_BOTTOM, text, font, ink.line);
        }
    }
}

/// Draws the edge of a shape.
fn outline(painter: &Painter, view: &View, shape: &OverlayShape, usual: f64, stroke: Stroke) {
    match shape {
        OverlayShape::Path { points, .. } => {
            let line = points.iter().map(|p| view.to_screen(*p)).collect();
            painter.add(PathShape::line(line, stroke));
        }
        OverlayShape::Circle { centre, diameter } => {
            let radius = (diameter.0 / 2.0 / view.scale) as f32;
            painter.circle_stroke(view.to_screen(*centre), radius, stroke);
        }
        OverlayShape::Rectangle(_) | OverlayShape::Text { .. } => {
            let (low, high) = shape.bounds(usual);
            let rect = screen_rect(view, [low, high]).expand(1.0);
            painter.rect_stroke(rect, 1.0, stroke, StrokeKind::Outside);
        }
    }
}

fn screen_rect(view: &View, [a, b]: [Point; 2]) -> Rect {
    Rect::from_two_pos(view.to_screen(a), view.to_screen(b))
}
