//! The field that opens on the canvas where a dimension or a handle is clicked twice: its value is typed there.

use eframe::egui::{Area, Frame as Border, Order, Pos2, vec2};

use super::{ToolInput, Tools};
use crate::command::Command;
use crate::panels::assigned::{assigned, expression, read_or_expression};
use crate::panels::fields::{Field, Fields};
use crate::panels::values::{Measure, show_quantity};
use stokeslet_base::units::Dimension;
use stokeslet_cad::edits::{Drawing, value_of};
use stokeslet_cad::library::ParameterKind;

/// Width of the field, points.
const WIDE: f32 = 90.0;

/// What is typed on the canvas.
#[derive(Debug)]
pub struct Editor {
    component: String,
    parameter: String,
    fields: Fields,
    /// Whether the keyboard has been its own.
    was_focused: bool,
}

impl Editor {
    /// Ready to be typed over.
    pub fn new(component: &str, parameter: &str) -> Self {
        let mut fields = Fields::default();
        fields.focus(key(component, parameter));
        Self {
            component: component.to_owned(),
            parameter: parameter.to_owned(),
            fields,
            was_focused: false,
        }
    }
}

fn key(component: &str, parameter: &str) -> String {
    format!("canvas {component}.{parameter}")
}

/// Shows the field, if one is open, and takes what was typed.
pub fn ui(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let Some(mut editor) = tools.editor.take() else {
        return;
    };
    let (Some((value, dimension)), Some(at)) =
        (value(input, &editor), place(tools, input, &editor))
    else {
        return;
    };
    let kind = match dimension {
        Dimension::Length => ParameterKind::Length,
        _ => ParameterKind::Angle,
    };
    let (component, parameter) = (editor.component.clone(), editor.parameter.clone());
    let shown = expression(input.context, &component, &parameter)
        .unwrap_or_else(|| show_quantity(value, dimension));
    let label = parameter.replace('_', " ");
    let field = Field {
        key: &key(&component, &parameter),
        label: &format!("{label} of {component}"),
        shown: &shown,
        is_default: false,
        doc: "",
        measure: (!shown.starts_with('=')).then_some(Measure::Quantity(dimension)),
        width: WIDE,
    };
    let ctx = input.ui.ctx();
    let area = Area::new(input.response.id.with("editor"))
        .order(Order::Foreground)
        .fixed_pos(at)
        .constrain_to(input.view.rect);
    let typed = area.show(ctx, |ui| {
        Border::popup(ui.style())
            .show(ui, |ui| {
                ui.set_max_width(260.0);
                let read = |text: &str| read_or_expression(text, &kind);
                editor.fields.row(ui, &label, &field, read, |_| ())
            })
            .inner
    });
    if let Some(value) = typed.inner {
        return out.push(assigned(&component, &parameter, value));
    }
    let is_focused = ctx.egui_wants_keyboard_input();
    let is_done = editor.was_focused && !is_focused && !editor.fields.is_typing();
    editor.was_focused |= is_focused;
    if !is_done {
        tools.editor = Some(editor);
    }
}

/// The value now, SI; `None` once there is no such parameter any more.
fn value(input: &ToolInput<'_>, editor: &Editor) -> Option<(f64, Dimension)> {
    let design = input.design()?;
    let mut all = design.components.iter();
    let component = all.find(|c| c.name.value == editor.component)?;
    let drawing = Drawing::new(
        design,
        &input.context.document.layout,
        input.context.library,
    );
    value_of(&drawing, component, &editor.parameter)
}

/// Where the field opens: on the dimension, else at the handle.
fn place(tools: &Tools, input: &ToolInput<'_>, editor: &Editor) -> Option<Pos2> {
    let (component, parameter) = (&editor.component, &editor.parameter);
    let mut labels = input.dimensions.iter();
    let label = labels.find(|l| l.component == *component && l.parameter == *parameter);
    if let Some(label) = label {
        return Some(label.rect.min - vec2(6.0, 6.0));
    }
    let handle = tools.handles.place_of(component, parameter);
    let at = handle.or_else(|| input.scene.anchor(input.scene.item(component)?))?;
    Some(input.view.to_screen(at) + vec2(10.0, 10.0))
}
