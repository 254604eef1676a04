//! Handles of the selected component: each drags a parameter, while the chip follows.

use eframe::egui::{Color32, Pos2, Shape, Stroke, vec2};

use super::ToolInput;
use crate::canvas::paint::{Side, tag_on};
use crate::command::Command;
use crate::context::Tool;
use crate::panels::values::show_quantity;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::Dimension;
use stokeslet_cad::design::Value;
use stokeslet_cad::edits::{Drawing, Handle, can_be, handles};

/// Half the width of a handle, points.
const HALF: f32 = 5.5;
/// A component smaller than this on the screen has none: there would be no place left to take it by, points.
const SMALLEST: f32 = 70.0;
/// Handles nearer to one that is there already are left out, points.
const APART: f32 = 14.0;
/// Angles are whole numbers of these, rad.
const ANGLE: f64 = std::f64::consts::PI / 180.0;

/// The handles of what is selected, found once a design.
#[derive(Clone, Debug, Default)]
pub struct Handles {
    /// Revision of the document and component that they are of.
    of: Option<(u64, String)>,
    all: Vec<Handle>,
}

/// A handle that is being dragged.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    component: String,
    parameter: String,
    /// From the pointer to the handle, m.
    off: Point,
    /// The value that was asked for last: a large chip has it later.
    asked: Option<f64>,
}

impl Handles {
    /// Those of the only component that is selected, brought up to date.
    pub fn refresh(&mut self, input: &ToolInput<'_>) {
        let document = input.context.document;
        let single = input.context.selection.single();
        let is_wanted = *input.context.tool == Tool::Select;
        let of = single
            .filter(|_| is_wanted)
            .map(|name| (document.revision, name.to_owned()));
        if self.of == of {
            return;
        }
        self.all = match (&of, document.design.as_ref()) {
            // While everything moves the handles would lag behind.
            (Some((_, name)), Some(design)) if !document.has_preview() => {
                let drawing = Drawing::new(design, &document.layout, input.context.library);
                handles(&drawing, name)
            }
            _ => Vec::new(),
        };
        self.of = of;
    }

    /// Those that there is room for on the screen, with where they are.
    fn shown<'h>(&'h self, input: &ToolInput<'_>) -> Vec<(&'h Handle, Pos2)> {
        let of = self
            .of
            .as_ref()
            .and_then(|(_, name)| input.scene.item(name));
        let size = of
            .and_then(|item| input.scene.boxes[item])
            .map(|b| b.size());
        let large = |size: Point| size.x.max(size.y) >= input.view.length(SMALLEST);
        let mut out: Vec<(&Handle, Pos2)> = Vec::new();
        if size.is_some_and(large) {
            // Of two in one place the one that moves faster.
            let mut all: Vec<&Handle> = self.all.iter().collect();
            all.sort_by(|a, b| b.rate.norm().total_cmp(&a.rate.norm()));
            for handle in all {
                let at = input.view.to_screen(handle.at);
                if out.iter().all(|(_, other)| (*other - at).length() >= APART) {
                    out.push((handle, at));
                }
            }
        }
        out
    }

    /// The parameter whose handle is at a place of the screen.
    pub fn at(&self, input: &ToolInput<'_>, place: Pos2) -> Option<String> {
        let shown = self.shown(input);
        let near = shown
            .iter()
            .find(|(_, at)| (*at - place).length() <= HALF + 4.0);
        near.map(|(handle, _)| handle.parameter.clone())
    }

    /// Where the handle of a parameter is, m, if its component is the selected one.
    pub fn place_of(&self, component: &str, parameter: &str) -> Option<Point> {
        let (_, own) = self.of.as_ref()?;
        let handle = self.named(parameter).filter(|_| own == component)?;
        Some(handle.at)
    }

    fn named(&self, parameter: &str) -> Option<&Handle> {
        self.all.iter().find(|h| h.parameter == parameter)
    }

    /// Takes a handle at a place of the chip.
    pub fn hold(&self, parameter: &str, at: Point) -> Option<Held> {
        Some(Held {
            component: self.of.as_ref()?.1.clone(),
            parameter: parameter.to_owned(),
            off: self.named(parameter)?.at - at,
            asked: None,
        })
    }
}

impl Held {
    /// Sets the parameter so that the handle follows the pointer.
    pub fn follow(
        &mut self,
        handles: &Handles,
        place: Point,
        input: &ToolInput<'_>,
        out: &mut Vec<Command>,
    ) {
        let Some(handle) = handles.named(&self.parameter) else {
            return;
        };
        let wanted = handle.value_at(place + self.off);
        let step = match handle.dimension {
            Dimension::Length => input.grid.map(|grid| grid.minor),
            _ => Some(ANGLE),
        };
        let value = handle.within(step.map_or(wanted, |step| (wanted / step).round() * step));
        // What a file would say: no more figures than anybody reads.
        let value = tidy(value, handle.dimension);
        let document = input.context.document;
        let Some(design) = document
            .design
            .as_ref()
            .filter(|_| value != self.asked.unwrap_or(handle.value))
        else {
            return;
        };
        let drawing = Drawing::new(design, &document.layout, input.context.library);
        // What it can't be, it stays at what it was.
        let asked = value;
        let value = Value::Quantity(value, handle.dimension);
        if can_be(&drawing, &self.component, &self.parameter, &value) {
            self.asked = Some(asked);
            out.push(Command::SetParameter {
                component: self.component.clone(),
                parameter: self.parameter.clone(),
                value: Some(value),
            });
        }
    }
}

/// Lengths to a nanometre, angles to a millionth of a degree.
fn tidy(value: f64, dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Length => format!("{value:.9}").parse().unwrap_or(value),
        _ => (value.to_degrees() * 1e6).round() / 1e6 * ANGLE,
    }
}

/// Draws the handles, and says what the one under the pointer or in the hand is.
pub fn paint(handles: &Handles, input: &ToolInput<'_>, hovered: Option<&str>, held: Option<&Held>) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let held = held.map(|held| held.parameter.as_str());
    for (handle, at) in handles.shown(input) {
        let is_lit = held.or(hovered) == Some(handle.parameter.as_str());
        let fill: Color32 = match is_lit {
            true => colours.accent,
            false => colours.background,
        };
        let corners = [
            at + vec2(0.0, -HALF),
            at + vec2(HALF, 0.0),
            at + vec2(0.0, HALF),
            at + vec2(-HALF, 0.0),
        ];
        let line = Stroke::new(1.5, colours.accent);
        if is_lit {
            let along = handle.rate.normalized();
            let way = vec2(along.x as f32, -along.y as f32);
            painter.line_segment([at - way * 16.0, at + way * 16.0], line);
        }
        painter.add(Shape::convex_polygon(corners.to_vec(), fill, line));
        if is_lit {
            let value = show_quantity(handle.value, handle.dimension);
            let text = format!("{} {value}", handle.parameter.replace('_', " "));
            // The values of the flow there are written below.
            tag_on(painter, view, at, &text, colours, Side::Above);
        }
    }
}
