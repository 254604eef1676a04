//! Dimensions on the canvas: lengths and angles that are written beside their components, with a line over what is measured.
//!
//! ```text
//!   design --edits::dimensions, once a layout--> values and places --view--> labels, clear of the component, ports and each other
//! ```

use std::sync::Arc;

use eframe::egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, Vec2, vec2};
use rustc_hash::FxHashMap;

use super::View;
use super::ports::Symbol;
use super::scene::{Bounds, Scene};
use super::theme::Colours;
use crate::command::Layer;
use crate::context::ViewContext;
use crate::panels::values::show_quantity;
use stokeslet_base::geometry::Point;
use stokeslet_cad::chip::Layout;
use stokeslet_cad::edits::{Dimensioned, Drawing, dimensions_of};

/// A component smaller than this on the screen has none, points.
const SMALLEST: f32 = 24.0;
/// From the component to its dimension line, points.
const AWAY: f32 = 14.0;
/// Where the line would be farther from what it measures than half of that, and than this, it is drawn there, points.
const FARTHEST: f32 = 60.0;
/// From one label to the next, points.
const STEP: f32 = 19.0;
/// A label goes so far at most to be clear of others, steps.
const MOST_STEPS: usize = 6;
/// Components in view that have dimensions, the first ones of more: nobody reads more at once.
const MOST: usize = 200;
/// Components whose dimensions are found in one frame.
const AT_ONCE: usize = 12;
/// Length of an arrow's head, points.
const HEAD: f32 = 7.0;

/// The dimensions of the design that were seen, found once a layout.
#[derive(Debug, Default)]
pub struct Dimensions {
    of: Option<Arc<Layout>>,
    /// By the component's number.
    known: FxHashMap<usize, Vec<Dimensioned>>,
}

/// A dimension, ready to be drawn.
#[derive(Clone, Debug)]
pub struct Label {
    /// The component.
    pub component: String,
    /// Its parameter.
    pub parameter: String,
    /// The value, with the parameter's name where no line says what is measured.
    pub text: String,
    /// Where the text is; also where it is clicked.
    pub rect: Rect,
    /// The dimension line.
    line: Option<[Pos2; 2]>,
    /// From what is measured to the line.
    feet: Option<[[Pos2; 2]; 2]>,
}

impl Dimensions {
    /// Labels of those that are to be seen.
    pub fn labels(
        &mut self,
        painter: &Painter,
        view: &View,
        scene: &Scene,
        ports: &[Symbol],
        context: &ViewContext<'_>,
    ) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        if !context.settings.layers.contains(&Layer::Dimensions) {
            return labels;
        }
        let arrow = |port: &Symbol| Rect::from_two_pos(port.foot, port.head()).expand(4.0);
        let ports = ports.iter().flat_map(|port| [port.text, arrow(port)]);
        let mut taken: Vec<Rect> = ports.collect();
        for dimension in self.in_view(painter, view, scene, context) {
            let made = label(dimension, (painter, view, scene, context), &taken);
            taken.extend(made.iter().map(|label| label.rect));
            labels.extend(made);
        }
        labels
    }

    /// Those of components that there is room for in view; what isn't known yet is found, some in each frame.
    fn in_view(
        &mut self,
        painter: &Painter,
        view: &View,
        scene: &Scene,
        context: &ViewContext<'_>,
    ) -> Vec<&Dimensioned> {
        let document = context.document;
        let Some(design) = &document.design else {
            return Vec::new();
        };
        let is_same = |known: &Arc<Layout>| Arc::ptr_eq(known, &document.layout);
        if !self.of.as_ref().is_some_and(is_same) {
            self.of = Some(document.layout.clone());
            self.known.clear();
        }
        let drawing = Drawing::new(design, &document.layout, context.library);
        let (low, high) = view.seen();
        let in_view = Bounds { low, high };
        let has_room = |name: &str| {
            let item = scene.item(name).filter(|item| !scene.hides(*item));
            let bounds = item.and_then(|item| scene.boxes[item]);
            bounds.is_some_and(|b| {
                let size = b.size();
                b.meets(&in_view) && size.x.max(size.y) >= view.length(SMALLEST)
            })
        };
        let all = design.components.iter().enumerate();
        let some = all.filter(|(_, c)| !c.dimensions.is_empty() && has_room(&c.name.value));
        let wanted: Vec<usize> = some.map(|(index, _)| index).take(MOST).collect();
        let mut budget = AT_ONCE;
        for index in &wanted {
            if self.known.contains_key(index) {
                continue;
            }
            if budget == 0 {
                painter.ctx().request_repaint();
                break;
            }
            budget -= 1;
            self.known.insert(*index, dimensions_of(&drawing, *index));
        }
        let known = wanted.iter().filter_map(|index| self.known.get(index));
        known.flatten().collect()
    }
}

fn label(
    Dimensioned { component, handle }: &Dimensioned,
    (painter, view, scene, context): (&Painter, &View, &Scene, &ViewContext<'_>),
    taken: &[Rect],
) -> Option<Label> {
    let item = scene.item(component)?;
    let bounds = scene.boxes[item]?;
    // While the component is dragged its dimensions go with it.
    let before = &context.document.layout;
    let then = before
        .item(component)
        .and_then(|item| before.motions[item])?;
    let now = scene.layout.motions.get(item).copied().flatten()?;
    let moved = now.after(&then.inverse());
    let to_screen = |p: Point| view.to_screen(moved.apply(p));
    let value = show_quantity(handle.value, handle.dimension);
    let ends = handle.span.map(|ends| ends.map(to_screen));
    let text = match ends {
        Some(_) => value,
        None => format!("{} {value}", handle.parameter.replace('_', " ")),
    };
    let font = FontId::proportional(12.0);
    let room = painter
        .layout_no_wrap(text.clone(), font, Color32::WHITE)
        .size()
        + vec2(8.0, 2.0);
    let mut label = Label {
        component: component.clone(),
        parameter: handle.parameter.clone(),
        text,
        rect: Rect::NOTHING,
        line: None,
        feet: None,
    };
    let (middle, way) = match ends {
        Some(ends) => {
            let corners = [
                bounds.low,
                Point::new(bounds.high.x, bounds.low.y),
                bounds.high,
                Point::new(bounds.low.x, bounds.high.y),
            ];
            let corners = corners.map(|p| view.to_screen(p));
            placed_line(&mut label, ends, &corners)
        }
        None => {
            let rate = moved.rotate(handle.rate).normalized();
            let way = vec2(rate.x as f32, -rate.y as f32);
            (to_screen(handle.at) + way * AWAY, way)
        }
    };
    let reach = (way.x * room.x / 2.0).abs() + (way.y * room.y / 2.0).abs();
    let place = |step: usize| {
        let out = reach + 3.0 + step as f32 * STEP;
        Rect::from_center_size(middle + way * out, room)
    };
    let is_free = |step: &usize| taken.iter().all(|other| !other.intersects(place(*step)));
    label.rect = place((0..MOST_STEPS).find(is_free).unwrap_or(0));
    let is_seen = view.rect.expand(40.0).intersects(label.rect);
    is_seen.then_some(label)
}

/// Puts the dimension line beside the component where that is near, else on what is measured. Returns where the text begins, and which way
/// it goes from there.
fn placed_line(label: &mut Label, [a, b]: [Pos2; 2], corners: &[Pos2; 4]) -> (Pos2, Vec2) {
    let along = (b - a).normalized();
    // Above what lies, to the left of what stands.
    let normal = match is_up(along.rot90()) {
        true => along.rot90(),
        false => -along.rot90(),
    };
    let edge = corners.iter().map(|c| (*c - a).dot(normal));
    let edge = edge.fold(f32::NEG_INFINITY, f32::max);
    if edge <= FARTHEST.max(0.5 * (b - a).length()) {
        let by = normal * (edge + AWAY);
        label.line = Some([a + by, b + by]);
        label.feet = Some([a, b].map(|p| [p + normal * 3.0, p + by + normal * 4.0]));
        (a + (b - a) * 0.5 + by, normal)
    } else {
        label.line = Some([a, b]);
        // Below, or to the right: dimension lines beside components are on the other side.
        match is_up(along) {
            true => (a, -along),
            false => (b, along),
        }
    }
}

/// Whether a direction of the screen is upwards, or to the left where it is level.
fn is_up(way: Vec2) -> bool {
    match way.y.abs() > 0.1 {
        true => way.y < 0.0,
        false => way.x < 0.0,
    }
}

/// Draws a dimension; lit while the pointer is on it.
pub fn paint(painter: &Painter, label: &Label, is_lit: bool, colours: &Colours) {
    let colour = match is_lit {
        true => colours.hover,
        false => colours.note,
    };
    let thin = Stroke::new(1.0, colour.gamma_multiply(0.7));
    for foot in label.feet.iter().flatten() {
        painter.line_segment(*foot, thin);
    }
    if let Some([a, b]) = label.line {
        let along = (b - a).normalized();
        painter.line_segment([a, b], Stroke::new(1.0, colour));
        // Between close ends arrows come from outside.
        let inwards = match (b - a).length() < 3.0 * HEAD {
            true => -1.0,
            false => 1.0,
        };
        for (tip, back) in [(a, along * inwards), (b, along * -inwards)] {
            let (end, side) = (tip + back * HEAD, back.rot90() * (0.32 * HEAD));
            let head = vec![tip, end + side, end - side];
            painter.add(Shape::convex_polygon(head, colour, Stroke::NONE));
        }
    }
    painter.rect_filled(label.rect, 4.0, colours.paper);
    let (middle, font) = (label.rect.center(), FontId::proportional(12.0));
    painter.text(middle, Align2::CENTER_CENTER, &label.text, font, colour);
}
