//! Copies of what is selected in columns and rows.

use std::collections::BTreeSet;

use eframe::egui::{CollapsingHeader, Ui};

use super::FIELD;
use crate::command::Command;
use crate::panels::enabled::is_enabled;
use crate::panels::fields::{Field, Fields};
use crate::panels::values::{Measure, read_quantity, show_quantity};
use crate::seen::Seen;
use stokeslet_base::geometry::Point;
use stokeslet_base::units::Dimension;
use stokeslet_cad::edits::{Drawing, array_step};

/// What is typed.
#[derive(Debug)]
pub(super) struct Form {
    count: (u32, u32),
    /// Of this selection; steps are chosen anew for another.
    of: BTreeSet<String>,
    step: Point,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            count: (3, 1),
            of: BTreeSet::new(),
            step: Point::default(),
        }
    }
}

impl Form {
    pub(super) fn ui(
        &mut self,
        fields: &mut Fields,
        ui: &mut Ui,
        seen: &Seen<'_>,
        out: &mut Vec<Command>,
    ) {
        CollapsingHeader::new("Array").show(ui, |ui| {
            self.choose_step(seen);
            for (label, n) in [("columns", &mut self.count.0), ("rows", &mut self.count.1)] {
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
            let (x, y) = (&mut self.step.x, &mut self.step.y);
            for (label, doc, step) in [
                ("step x", "From one column to the next, to the right.", x),
                ("step y", "From one row to the next, upwards.", y),
            ] {
                let shown = show_quantity(*step, Dimension::Length);
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
                    *step = new;
                }
            }
            let command = Command::Array {
                count: self.count,
                step: self.step,
            };
            let n = u64::from(self.count.0) * u64::from(self.count.1);
            let enabled = is_enabled(&command, seen).is_ok() && n > 1;
            let button = eframe::egui::Button::new(format!("Make array of {n}"));
            if ui.add_enabled(enabled, button).clicked() {
                out.push(command);
            }
        });
    }

    /// So far apart that the copies have room, until somebody types something else.
    fn choose_step(&mut self, seen: &Seen<'_>) {
        if self.of == seen.selection.items {
            return;
        }
        self.of.clone_from(&seen.selection.items);
        if let Some(design) = seen.document.shown_design() {
            let drawing = Drawing {
                design,
                layout: seen.document.shown_layout(),
                library: seen.library,
            };
            self.step = array_step(&drawing, &seen.selection.items);
        }
    }
}
