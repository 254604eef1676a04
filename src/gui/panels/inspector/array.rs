//! Copies of what is selected: in columns and rows, or around a centre.

use std::collections::BTreeSet;

use eframe::egui::{Button, CollapsingHeader, Ui};

use super::FIELD;
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::enabled::is_enabled;
use crate::panels::fields::{Field, Fields};
use crate::panels::values::{Measure, read_quantity, show_quantity};
use stokeslet_base::geometry::Point;
use stokeslet_base::units::Dimension;
use stokeslet_cad::edits::{Drawing, array_step, middle};

/// What is typed.
#[derive(Debug)]
pub(super) struct Form {
    count: (u32, u32),
    /// The selection that it is for; steps are chosen anew for another.
    of: BTreeSet<String>,
    step: Point,
    /// Around a centre, not in columns and rows.
    is_ring: bool,
    /// Copies of a pattern, and what they are turned about.
    around: u32,
    centre: Point,
}

/// More copies than this aren't shown before they are made.
const MOST_SHOWN: u64 = 500;

impl Default for Form {
    fn default() -> Self {
        Self {
            count: (3, 1),
            of: BTreeSet::new(),
            step: Point::default(),
            is_ring: false,
            around: 6,
            centre: Point::default(),
        }
    }
}

impl Form {
    pub(super) fn ui(
        &mut self,
        fields: &mut Fields,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        out: &mut Vec<Command>,
    ) {
        self.choose_step(context);
        CollapsingHeader::new("Array").show(ui, |ui| {
            ui.horizontal(|ui| {
                ui.selectable_value(&mut self.is_ring, false, "Columns and rows");
                ui.selectable_value(&mut self.is_ring, true, "Circular pattern");
            });
            match self.is_ring {
                true => self.ring(fields, ui, context, out),
                false => self.grid(fields, ui, context, out),
            }
        });
    }

    fn grid(
        &mut self,
        fields: &mut Fields,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        out: &mut Vec<Command>,
    ) {
        for (label, n) in [("columns", &mut self.count.0), ("rows", &mut self.count.1)] {
            number(fields, ui, label, n);
        }
        let (x, y) = (&mut self.step.x, &mut self.step.y);
        let (right, up) = (
            "From one column to the next, to the right.",
            "From one row to the next, upwards.",
        );
        length(fields, ui, "step x", right, x);
        length(fields, ui, "step y", up, y);
        let command = Command::Array {
            count: self.count,
            step: self.step,
        };
        let n = u64::from(self.count.0) * u64::from(self.count.1);
        make(ui, context, &format!("Make array of {n}"), n, command, out);
    }

    fn ring(
        &mut self,
        fields: &mut Fields,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        out: &mut Vec<Command>,
    ) {
        number(fields, ui, "copies", &mut self.around);
        let (x, y) = (&mut self.centre.x, &mut self.centre.y);
        let doc = "What the copies are turned about.";
        length(fields, ui, "centre x", doc, x);
        length(fields, ui, "centre y", doc, y);
        let command = Command::CircularPattern {
            count: self.around,
            centre: self.centre,
        };
        let label = format!("Make pattern of {}", self.around);
        make(ui, context, &label, self.around.into(), command, out);
    }

    /// So far apart that the copies have room, until somebody types something else.
    fn choose_step(&mut self, context: &ViewContext<'_>) {
        if self.of == context.selection.items {
            return;
        }
        self.of.clone_from(&context.selection.items);
        if let Some(design) = context.document.shown_design() {
            let drawing = Drawing::new(design, context.document.shown_layout(), context.library);
            self.step = array_step(&drawing, &context.selection.items);
            // Below, where a few of them have room around it.
            let middle = middle(&drawing, &context.selection.items);
            self.centre = middle.map_or(Point::default(), |p| p - Point::new(0.0, self.step.y));
        }
    }
}

/// A row for a count.
fn number(fields: &mut Fields, ui: &mut Ui, label: &str, n: &mut u32) {
    let shown = n.to_string();
    let field = Field {
        key: label,
        label,
        shown: &shown,
        is_default: false,
        doc: "",
        measure: Some(Measure::Count),
        width: FIELD,
    };
    let read = |text: &str| match text.trim().parse::<u32>() {
        Ok(n) if (1..=10_000).contains(&n) => Ok(n),
        _ => Err("write a whole number from 1 to 10000".to_owned()),
    };
    if let Some(new) = fields.row(ui, label, &field, read, |_| ()) {
        *n = new;
    }
}

/// A row for a length.
fn length(fields: &mut Fields, ui: &mut Ui, label: &str, doc: &str, value: &mut f64) {
    let shown = show_quantity(*value, Dimension::Length);
    let field = Field {
        key: label,
        label,
        shown: &shown,
        is_default: false,
        doc,
        measure: Some(Measure::Quantity(Dimension::Length)),
        width: FIELD,
    };
    let read = |text: &str| read_quantity(text, Dimension::Length);
    if let Some(new) = fields.row(ui, label, &field, read, |_| ()) {
        *value = new;
    }
}

/// The button; what it would make is shown while the pointer rests on it.
fn make(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    label: &str,
    n: u64,
    command: Command,
    out: &mut Vec<Command>,
) {
    let enabled = is_enabled(&command, context).is_ok() && n > 1;
    let response = ui.add_enabled(enabled, Button::new(label));
    if response.clicked() {
        out.push(command.clone());
    }
    if enabled && n <= MOST_SHOWN && response.hovered() {
        out.push(Command::Preview(Box::new(command)));
    }
}
