//! The panel of the method: how the chip was taken apart, what was computed, what was known, and where the time went.

use eframe::egui::{Grid, ProgressBar, RichText, ScrollArea, Sense, Ui, vec2};

use super::results::{fact, heading, layer_ui, right};
use crate::command::{Command, Layer};
use crate::context::ViewContext;
use crate::results::colour::tint;
use crate::results::solved::{count, seconds};
use crate::results::{Reuse, Solved};
use stokeslet_flow::export::readable::{Quantity as Unit, figures};

/// Height of a row of the table of kinds.
const ROW: f32 = 18.0;

/// Width of a column of numbers, points.
const NUMBERS: f32 = 54.0;

/// Draws the panel.
pub fn method_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    ui.horizontal_wrapped(|ui| {
        layer_ui(ui, context, Layer::Parts, "Parts and seams", out);
        layer_ui(ui, context, Layer::Mesh, "Mesh", out);
    });
    let Some(solved) = &context.results.solved else {
        ui.label(RichText::new("Solve the chip to see how it is taken apart.").weak());
        return;
    };
    heading(ui, "Parts");
    kinds_ui(ui, solved);
    heading(ui, "Elimination");
    ui.label(sentence(solved));
    tasks_ui(ui, solved);
    heading(ui, "Time");
    stages_ui(ui, solved);
}

fn kinds_ui(ui: &mut Ui, solved: &Solved) {
    let kinds = solved.kinds();
    let parts = solved.chip.parts.len() as u64;
    ui.label(format!(
        "{} parts are copies of {} shapes, each meshed and eliminated once.",
        count(parts),
        count(kinds.kinds.len() as u64)
    ));
    ui.add_space(4.0);
    let columns = [24.0, (ui.available_width() - 150.0).max(120.0), 50.0, 56.0];
    let row = |ui: &mut Ui, cells: [RichText; 3], swatch: Option<usize>| {
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            let (rect, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            if let Some(kind) = swatch {
                ui.painter().rect_filled(rect, 2.0, tint(kind));
            }
            let [name, copies, cells] = cells;
            let left = eframe::egui::Layout::left_to_right(eframe::egui::Align::Center);
            let size = |k: usize| vec2(columns[k], ROW);
            ui.allocate_ui_with_layout(size(1), left, |ui| {
                ui.set_min_width(columns[1]);
                ui.add(eframe::egui::Label::new(name).truncate());
            });
            for (k, text) in [(2, copies), (3, cells)] {
                ui.allocate_ui_with_layout(size(k), left, |ui| {
                    ui.set_min_width(columns[k]);
                    right(ui, text, columns[k]);
                });
            }
        });
    };
    let weak = |text: &str| RichText::new(text).weak();
    row(ui, [weak("Shape"), weak("copies"), weak("cells")], None);
    ScrollArea::vertical()
        .id_salt("kinds")
        .max_height(9.0 * (ROW + 4.0))
        .auto_shrink([false, true])
        .show_rows(ui, ROW, kinds.kinds.len(), |ui, range| {
            for k in range {
                let kind = &kinds.kinds[k];
                let cells = [
                    RichText::new(&kind.name),
                    RichText::new(kind.copies.to_string()),
                    RichText::new(count(kind.cells as u64)),
                ];
                row(ui, cells, Some(k));
            }
        });
}

/// What was computed and what was known, in a sentence.
fn sentence(solved: &Solved) -> String {
    let report = &solved.solution.report;
    let tasks = count(report.tasks as u64);
    match solved.reuse {
        Reuse::Factors => "Only values at ports changed: all factors were kept, and only the substitution was done again.".to_owned(),
        Reuse::Fronts { all, computed } => format!(
            "Of {} fronts {} were computed; the others are copies of these or were known from solves before.",
            count(all),
            count(computed)
        ),
        Reuse::Unknown => format!("{tasks} fronts are {} that differ.", count(report.computed_matrices as u64)),
    }
}

fn tasks_ui(ui: &mut Ui, solved: &Solved) {
    let Some(profile) = solved.profile.as_ref().filter(|p| !p.tasks.is_empty()) else {
        return;
    };
    ui.add_space(4.0);
    Grid::new("tasks")
        .num_columns(5)
        .striped(true)
        .spacing([12.0, 3.0])
        .show(ui, |ui| {
            ui.label(RichText::new("Task").weak());
            for name in ["asked", "computed", "MFLOP", "CPU time"] {
                right(ui, RichText::new(name).weak(), NUMBERS);
            }
            ui.end_row();
            for task in &profile.tasks {
                ui.label(task.kind);
                right(ui, RichText::new(count(task.asked)), NUMBERS);
                right(ui, RichText::new(count(task.computed)), NUMBERS);
                right(
                    ui,
                    RichText::new(figures(task.flops as f64 * 1e-6)),
                    NUMBERS,
                );
                right(ui, RichText::new(seconds(task.seconds)), NUMBERS);
                ui.end_row();
            }
        });
    ui.add_space(4.0);
    let report = &solved.solution.report;
    Grid::new("method facts")
        .num_columns(2)
        .spacing([14.0, 4.0])
        .show(ui, |ui| {
            fact(ui, "Unknowns", count(report.unknowns as u64));
            fact(ui, "Different leaves", count(report.unique_matrices as u64));
            let memory = report.estimated_memory_bytes as f64;
            fact(ui, "Memory, planned", Unit::Memory.show(memory));
            if report.layers > 0 {
                fact(ui, "Layers of cells", report.layers.to_string());
            }
        });
}

fn stages_ui(ui: &mut Ui, solved: &Solved) {
    let t = &solved.solution.report.timings;
    let stages = [
        ("Mesh", t.mesh),
        ("Plan", t.plan),
        ("Eliminate", t.eliminate),
        ("Substitute", t.back_substitute),
        ("Measure", t.results),
    ];
    let sum = stages
        .iter()
        .map(|s| s.1)
        .sum::<f64>()
        .max(f64::MIN_POSITIVE);
    Grid::new("stages")
        .num_columns(3)
        .spacing([12.0, 4.0])
        .show(ui, |ui| {
            for (name, time) in stages {
                ui.label(name);
                let bar = ProgressBar::new((time / sum) as f32)
                    .desired_width(120.0)
                    .desired_height(8.0);
                ui.add(bar);
                right(ui, RichText::new(seconds(time)), NUMBERS);
                ui.end_row();
            }
            ui.label(RichText::new("From request to result").weak());
            ui.label("");
            right(ui, RichText::new(seconds(solved.seconds)), NUMBERS);
            ui.end_row();
        });
}
