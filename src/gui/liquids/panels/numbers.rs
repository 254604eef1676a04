//! Who solves, what walls do, and what the last frame took: a column a view.

use eframe::egui::{Grid, RichText, Ui};

use super::chooser::chooser_ui;
use super::lines::lines;
use super::{dot, push};
use crate::canvas::theme::Colours;
use crate::command::Command;
use crate::context::ViewContext;
use crate::liquids::Shown;
use crate::liquids::command::LiquidCommand;
use crate::liquids::settings::{Side, thousands};
use crate::liquids::shot::Apart;
use crate::liquids::subjects::Group;
use crate::liquids::told::{Failure, Row};
use stokeslet_dynamics::stepped::System;
use stokeslet_flow::export::readable::figures;

/// Draws the panel.
pub fn numbers_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let settings = &context.settings.liquids;
    ui.add_space(2.0);
    let group = settings.group();
    for (side, choice) in Side::ALL.into_iter().zip(settings.shown()) {
        chooser_ui(ui, context, side, &choice, out);
        ui.add_space(6.0);
    }
    let label = "Compare with a second view";
    let hint = format!(
        "{}: the second goes on from where the first is, and both advance {part} by {part}",
        group.two_views(),
        part = group.frame()
    );
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
    if let Some(failure) = &context.liquids.failure {
        failed(ui, failure);
    }
    ui.strong(format!("Last {}", group.frame()));
    ui.add_space(2.0);
    let has_none = |view: &Shown| view.last.is_none() && view.rows.is_empty();
    if context.liquids.views.iter().all(has_none) {
        ui.weak(format!(
            "Play (Space) or step (.) to see what a {} takes.",
            group.frame()
        ));
        return;
    }
    match group {
        Group::System(system) => measures(ui, system, &context.liquids.views),
        _ => table(ui, group, &context.liquids.views),
    }
    if let Some(apart) = context.liquids.apart {
        apart_ui(ui, group, apart);
    }
}

/// How far two views are from each other.
fn apart_ui(ui: &mut Ui, group: Group, apart: Apart) {
    ui.add_space(6.0);
    ui.strong("Apart")
        .on_hover_text("How far the two views differ");
    ui.add_space(2.0);
    let length = |x| group.length(x);
    Grid::new("apart").num_columns(2).striped(true).show(ui, |ui| {
        let particles = format!("{}, mean {}", length(apart.farthest), length(apart.mean));
        let (name, hint) = match group {
            Group::System(_) => (
                "points",
                "The farthest that a point is from its twin, of those that were there when the views parted",
            ),
            _ => ("particles", "The farthest that a particle is from its twin"),
        };
        line(ui, name, hint, &particles);
        if group == Group::Scenes {
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
        }
    });
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

fn table(ui: &mut Ui, group: Group, views: &[Shown]) {
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
            for (name, hint, of) in lines(group) {
                ui.label(RichText::new(*name).weak()).on_hover_text(*hint);
                for view in views {
                    ui.label(of(view));
                }
                ui.end_row();
            }
        });
}

/// A number of a step: of what is counted no figures behind the point.
fn shown(value: f64, unit: &str) -> String {
    match unit.is_empty() && value.fract() == 0.0 && (0.0..1e9).contains(&value) {
        true => thousands(value as usize),
        false => figures(value),
    }
}

/// What the last step of another system told.
fn measures(ui: &mut Ui, system: &dyn System, views: &[Shown]) {
    let rows = || {
        views
            .iter()
            .map(|view| view.rows.last().and_then(Row::of_system))
    };
    Grid::new("liquid numbers")
        .num_columns(1 + views.len())
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
            for (k, measure) in system.measures().iter().enumerate() {
                ui.label(RichText::new(measure.name).weak())
                    .on_hover_text(measure.about);
                for row in rows() {
                    let value = row.and_then(|row| row.values.get(k));
                    let text = value.map_or_else(
                        || "–".to_owned(),
                        |value| format!("{} {}", shown(*value, measure.unit), measure.unit),
                    );
                    ui.label(text.trim_end());
                }
                ui.end_row();
            }
        });
    let ink = ui.visuals().warn_fg_color;
    for (k, row) in rows().enumerate() {
        if let Some(doubt) = row.and_then(|row| row.doubt.as_deref()) {
            ui.add_space(4.0);
            ui.horizontal_wrapped(|ui| {
                if views.len() > 1 {
                    dot(ui, k);
                }
                ui.label(RichText::new(crate::words::capital(doubt)).color(ink));
            });
        }
    }
}

fn status(ui: &mut Ui, view: &Shown) {
    let Some(log) = view.last.as_ref().map(|solved| &solved.log) else {
        ui.label("–");
        return;
    };
    let ink = match (log.status.is_done(), log.fallback) {
        (true, None) => crate::panels::problems::good(ui),
        (true, Some(_)) => ui.visuals().warn_fg_color,
        (false, _) => Colours::of(ui.visuals()).error,
    };
    let word = RichText::new(log.status.word()).color(ink).strong();
    let response = ui.label(word);
    if let Some(fallback) = log.fallback {
        response.on_hover_text(format!("{fallback} finished where {} gave up", log.solver));
    }
}
