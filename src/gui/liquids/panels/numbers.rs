//! Who solves, what walls do, and what the last frame took: a column a view.

use eframe::egui::{self, ComboBox, Grid, RichText, Sense, Ui, vec2};

use super::{colour_of, push};
use crate::export::readable::{Quantity, figures};
use crate::gui::canvas::theme::Colours;
use crate::gui::command::Command;
use crate::gui::liquids::Shown;
use crate::gui::liquids::command::LiquidCommand;
use crate::gui::liquids::settings::{Choice, Side, Walls, thousands};
use crate::gui::liquids::shot::Failure;
use crate::gui::panels::toolbar::seconds;
use crate::gui::seen::Seen;
use crate::liquid::lcp::{Kind, SOLVERS};

/// Draws the panel.
pub fn numbers_ui(ui: &mut Ui, seen: &Seen<'_>, out: &mut Vec<Command>) {
    let settings = &seen.settings.liquids;
    ui.add_space(2.0);
    for (side, choice) in Side::ALL.into_iter().zip(settings.shown()) {
        chooser(ui, side, choice, settings.compare, out);
        ui.add_space(6.0);
    }
    let label = "Compare with a second view";
    let hint = "A second view of the same scene, with another solver or other walls, goes on from where the first is; \
                both advance frame by frame";
    let mut compare = settings.compare;
    if ui
        .checkbox(&mut compare, label)
        .on_hover_text(hint)
        .changed()
    {
        push(out, LiquidCommand::Compare(compare));
    }
    ui.add_space(4.0);
    ui.separator();
    if let Some(failure) = &seen.liquids.failure {
        failed(ui, failure);
    }
    ui.strong("Last frame");
    ui.add_space(2.0);
    if seen.liquids.views.iter().all(|view| view.last.is_none()) {
        ui.weak("Play (Space) or step (.) to see what a frame takes.");
        return;
    }
    table(ui, &seen.liquids.views);
    if let Some(apart) = seen.liquids.apart {
        ui.add_space(6.0);
        ui.strong("Apart")
            .on_hover_text("How far the two views differ");
        ui.add_space(2.0);
        let length = |x| Quantity::Length.show(x);
        Grid::new("apart").num_columns(2).striped(true).show(ui, |ui| {
            let particles = format!("{}, mean {}", length(apart.farthest), length(apart.mean));
            line(ui, "particles", "The farthest that a particle is from its twin", &particles);
            let part = if apart.of > 0.0 {
                100.0 * apart.pressure / apart.of
            } else {
                0.0
            };
            let pressure = format!("{} m²/s² ({} %)", figures(apart.pressure), figures(part));
            line(
                ui,
                "pressure",
                "The greatest difference in a cell, over density; as a part of the greatest pressure",
                &pressure,
            );
        });
    }
}

fn line(ui: &mut Ui, name: &str, hint: &str, value: &str) {
    ui.label(RichText::new(name).weak()).on_hover_text(hint);
    ui.label(value);
    ui.end_row();
}

fn failed(ui: &mut Ui, failure: &Failure) {
    let ink = Colours::of(ui.visuals()).error;
    let text = format!(
        "{} in the {} view",
        failure.status(),
        Side::ALL[failure.view.min(1)].label()
    );
    ui.label(RichText::new(text).color(ink).strong());
    ui.label(RichText::new(&failure.message).color(ink));
    ui.add_space(4.0);
}

fn dot(ui: &mut Ui, k: usize) {
    let (rect, _) = ui.allocate_exact_size(vec2(11.0, 11.0), Sense::hover());
    let colour = colour_of(k, ui.visuals().dark_mode);
    ui.painter().circle_filled(rect.center(), 5.0, colour);
}

/// Solver and walls of a view.
fn chooser(ui: &mut Ui, side: Side, choice: &Choice, is_compared: bool, out: &mut Vec<Command>) {
    let k = side.index();
    ui.horizontal(|ui| {
        if is_compared {
            dot(ui, k);
        }
        let head = match side {
            Side::Left => "Solver",
            Side::Right => "Second solver",
        };
        ui.strong(head);
    });
    ui.add_space(2.0);
    let combo = ComboBox::from_id_salt(("liquid solver", k))
        .width(ui.available_width() - 12.0)
        .height(460.0)
        .selected_text(choice.label());
    let response = combo.show_ui(ui, |ui| {
        for (kind, heading) in [
            (Kind::Lcp, "Solvers"),
            (Kind::Sticking, "Without complementarity: liquid sticks"),
            (Kind::Ablation, "Variants that show where a method fails"),
        ] {
            ui.weak(heading);
            for entry in SOLVERS.iter().filter(|entry| entry.kind == kind) {
                let is_on = entry.name == choice.solver;
                let tip = format!("{} ({}): {}", entry.label, entry.name, entry.summary);
                if ui
                    .selectable_label(is_on, entry.label)
                    .on_hover_text(tip)
                    .clicked()
                {
                    push(out, LiquidCommand::Solver(side, entry.name.to_owned()));
                }
            }
            ui.separator();
        }
    });
    let name = format!("Solver of the {} view", side.label());
    response
        .response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, &name));
    let summary = SOLVERS.iter().find(|entry| entry.name == choice.solver);
    if let Some(entry) = summary {
        let tip = format!("{}; may be changed while it runs", entry.summary);
        response.response.on_hover_text(tip);
        ui.label(RichText::new(entry.summary).small().weak());
    }
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        ui.label("Walls");
        for walls in Walls::ALL {
            let hint = match walls {
                Walls::Separating => "Walls only push: 0 ≤ p, and liquid may leave",
                Walls::Sticking => "Walls hold the liquid: u · n = 0",
            };
            if ui
                .selectable_label(choice.walls == walls, walls.label())
                .on_hover_text(hint)
                .clicked()
            {
                push(out, LiquidCommand::Walls(side, walls));
            }
        }
    });
}

/// A name, what it means, and its value in a view.
type Line = (&'static str, &'static str, fn(&Shown) -> String);

/// What is told of a frame.
const LINES: [Line; 12] = [
    ("solver", "Who solved last", |v| {
        v.last
            .as_ref()
            .map_or(String::new(), |log| log.solver.to_owned())
    }),
    (
        "iterations",
        "Inner iterations and line searches of the last solve",
        |v| {
            v.last
                .as_ref()
                .map_or(String::new(), |log| thousands(log.iterations()))
        },
    ),
    ("outer", "Linear systems set up in the last solve", |v| {
        v.last
            .as_ref()
            .map_or(String::new(), |log| thousands(log.outer))
    }),
    (
        "residual",
        "Of the last solve: infinity norm of the minimum map, 1/s; the tolerance is 1e-6",
        |v| {
            v.last
                .as_ref()
                .map_or(String::new(), |log| format!("{:.1e}", log.residual()))
        },
    ),
    ("substeps", "Pressure solves of the frame", |v| {
        of_row(v, |row| row.frame.solves.len().to_string())
    }),
    (
        "time a substep",
        "Of the pressure solve, mean over the frame",
        |v| {
            of_row(v, |row| {
                let solves = &row.frame.solves;
                let all: f64 = solves.iter().map(|s| s.seconds).sum();
                seconds_fine(all / solves.len().max(1) as f64)
            })
        },
    ),
    ("unknowns", "Cells with a pressure", |v| {
        of_row(v, |row| thousands(row.frame.unknowns))
    }),
    ("cells in S", "Cells that may leave the wall", |v| {
        of_row(v, |row| thousands(row.frame.at_wall))
    }),
    (
        "detached",
        "Cells in S whose bound holds: p = 0, they have left",
        |v| of_row(v, |row| thousands(row.frame.detached)),
    ),
    ("pockets", "Parts of the liquid without air", |v| {
        of_row(v, |row| row.frame.pockets.to_string())
    }),
    (
        "divergence",
        "The largest violation of continuity after any solve of the frame, 1/s",
        |v| of_row(v, |row| format!("{:.1e} 1/s", row.frame.divergence)),
    ),
    (
        "volume",
        "Cells in liquid and open space; the unit cube is 1 m³, the unit square 1 m²",
        |v| {
            let unit = match *v.shot {
                crate::gui::liquids::shot::Shot::Plane(_) => "m²",
                crate::gui::liquids::shot::Shot::Space(_) => "m³",
            };
            of_row(v, |row| format!("{:.4} {unit}", row.frame.volume))
        },
    ),
];

fn of_row(view: &Shown, of: impl Fn(&crate::gui::liquids::shot::Row) -> String) -> String {
    view.rows.last().map_or_else(|| "–".to_owned(), of)
}

/// Also of less than a millisecond.
fn seconds_fine(time: f64) -> String {
    if time < 9.95e-3 {
        format!("{} ms", figures(time * 1e3))
    } else {
        seconds(time)
    }
}

fn table(ui: &mut Ui, views: &[Shown]) {
    let width = (ui.available_width() - 110.0) / views.len().max(1) as f32 - 14.0;
    Grid::new("liquid numbers")
        .num_columns(1 + views.len())
        .min_col_width(width.min(92.0))
        .spacing([14.0, 3.0])
        .striped(true)
        .show(ui, |ui| {
            if views.len() > 1 {
                ui.label("");
                for k in 0..views.len() {
                    dot(ui, k);
                }
                ui.end_row();
            }
            ui.label(RichText::new("status").weak())
                .on_hover_text("How the last solve ended");
            for view in views {
                status(ui, view);
            }
            ui.end_row();
            for (name, hint, of) in LINES {
                ui.label(RichText::new(name).weak()).on_hover_text(hint);
                for view in views {
                    ui.label(of(view));
                }
                ui.end_row();
            }
        });
}

fn status(ui: &mut Ui, view: &Shown) {
    let Some(log) = &view.last else {
        ui.label("–");
        return;
    };
    let ink = match (log.status.is_done(), log.fallback) {
        (true, None) => crate::gui::panels::problems::good(ui),
        (true, Some(_)) => ui.visuals().warn_fg_color,
        (false, _) => Colours::of(ui.visuals()).error,
    };
    let word = RichText::new(log.status.word()).color(ink).strong();
    let response = ui.label(word);
    if let Some(fallback) = log.fallback {
        response.on_hover_text(format!("{fallback} finished where {} gave up", log.solver));
    }
}
