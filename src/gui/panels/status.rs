//! The line at the bottom: where the pointer is, what the tool does, what is selected, what the solver is at, what is wrong.

use eframe::egui::{self, Align, Layout, RichText, Role, Ui, WidgetInfo};

use super::advice::is_blank;
use super::icons::{Icon, icon};
use super::problems::{counts, good, summary};
use super::results::doubts_of;
use super::toolbar::{bar, progress, seconds};
use crate::command::{Command, Panel};
use crate::context::ViewContext;
use crate::results::Results;
use crate::words::quoted;
use stokeslet_base::geometry::Point;
use stokeslet_flow::export::readable::{Quantity, figures, percent};

/// Draws the status line. Returns the panel that was asked for.
pub fn status_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    pointer: Option<Point>,
    out: &mut Vec<Command>,
) -> Option<Panel> {
    let mut asked = None;
    ui.horizontal(|ui| {
        place(ui, pointer);
        ui.separator();
        // From the right first: what is left is the hint's, which may be cut.
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            if problems(ui, context) {
                asked = Some(Panel::Problems);
            }
            ui.separator();
            solver(ui, context, out);
            if doubts(ui, context) {
                asked = Some(Panel::Results);
            }
            ui.separator();
            hidden(ui, context, out);
            if let Some(text) = selected(context) {
                ui.label(text);
                ui.separator();
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let hint = context.tool.hint();
                ui.add(egui::Label::new(RichText::new(hint).weak()).truncate())
                    .on_hover_text(hint);
            });
        });
    });
    asked
}

/// The pointer's place, in a field of fixed width so that nothing beside it moves.
fn place(ui: &mut Ui, pointer: Option<Point>) {
    let text = pointer.map_or_else(|| "–".to_owned(), position);
    let size = egui::vec2(168.0, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
        ui.set_min_size(size);
        ui.add(egui::Label::new(RichText::new(text).monospace()).truncate())
            .on_hover_text("The pointer's place on the chip");
    });
}

/// Both coordinates in one unit.
fn position(p: Point) -> String {
    let scale = Quantity::Length.scale_for(p.x.abs().max(p.y.abs()).max(1e-6));
    let number = |x: f64| {
        let x = x * scale.factor;
        // Micrometres to a tenth, millimetres to a micrometre.
        let decimals = if scale.unit == "µm" { 1 } else { 3 };
        format!("{x:.decimals$}")
    };
    format!("{}, {} {}", number(p.x), number(p.y), scale.unit)
}

/// How much is hidden, which nothing on the canvas tells; a click shows it again.
fn hidden(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let many = context.hidden.items.len() + context.hidden.ports.len();
    if many == 0 {
        return;
    }
    let button = ui.small_button(format!("{many} hidden"));
    if button.on_hover_text("Show what is hidden").clicked() {
        out.push(Command::ShowHidden);
    }
    ui.separator();
}

fn selected(context: &ViewContext<'_>) -> Option<String> {
    let selection = context.selection;
    if let Some(port) = &selection.port {
        return Some(format!("port {port}"));
    }
    match (selection.items.len(), selection.single()) {
        (0, _) => None,
        (_, Some(name)) => Some(name.chars().take(24).collect()),
        (n, _) => Some(format!("{n} selected")),
    }
}

fn solver(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    if let Some(running) = context.worker.running {
        if ui.small_button("Cancel").clicked() {
            out.push(Command::Cancel);
        }
        progress(ui, running, 150.0);
        ui.weak(format!("r = {}", running.3));
        return;
    }
    if let Some(part) = context.worker.exporting {
        if ui.small_button("Cancel").clicked() {
            out.push(Command::Cancel);
        }
        bar(ui, part, "export", 150.0);
        return;
    }
    if let Some(failure) = &context.results.failure {
        let text = RichText::new(failure).color(ui.visuals().error_fg_color);
        let room = (ui.available_width() * 0.5).max(120.0);
        ui.scope(|ui| {
            ui.set_max_width(room);
            ui.add(egui::Label::new(text).truncate())
                .on_hover_text(failure);
        });
        return;
    }
    let stale = is_stale(context);
    let text = solved(context.results).unwrap_or_else(|| "not solved".to_owned());
    let tip = if stale {
        "Of the design before the last change"
    } else {
        "The newest solve; ± is the estimated error, of the largest flow or pressure"
    };
    ui.label(if stale {
        RichText::new(text).weak()
    } else {
        RichText::new(text)
    })
    .on_hover_text(tip);
}

/// How many doubts stand beside the results; whether they were asked for.
fn doubts(ui: &mut Ui, context: &ViewContext<'_>) -> bool {
    let doubts = doubts_of(context);
    if doubts.is_empty() {
        return false;
    }
    ui.separator();
    let color = match is_stale(context) {
        true => ui.visuals().weak_text_color(),
        false => ui.visuals().warn_fg_color,
    };
    let text = match doubts.len() {
        1 => "1 doubt".to_owned(),
        n => format!("{n} doubts"),
    };
    let response = ui.add(egui::Button::new(RichText::new(&text).color(color)).frame(false));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Results: {text}")));
    icon(ui, Icon::Warning, color);
    let response = response.on_hover_ui(|ui| {
        ui.set_max_width(420.0);
        for doubt in doubts.iter() {
            ui.label(quoted(&doubt.message));
        }
    });
    response.clicked()
}

/// Whether what is shown is of the design before the last change.
fn is_stale(context: &ViewContext<'_>) -> bool {
    let solved = context.results.solved.as_ref();
    solved.is_some_and(|s| s.revision != context.document.revision)
}

/// `1.49 M unknowns · r = 8 · ± 0.021 % · 93 % reused · 0.16 s`.
fn solved(results: &Results) -> Option<String> {
    let solved = results.solved.as_ref()?;
    let unknowns = count(solved.solution.report.unknowns);
    let reused = solved.reuse.share().map_or_else(String::new, |share| {
        format!("{:.0} % reused · ", 100.0 * share)
    });
    let errors = results.errors_of(solved);
    let error = errors.map_or_else(String::new, |e| format!("± {} · ", percent(e.relative)));
    Some(format!(
        "{unknowns} unknowns · r = {} · {error}{reused}{}",
        solved.resolution,
        seconds(solved.seconds)
    ))
}

/// `1.49 M`, `12.3 k`, `850`.
pub fn count(n: usize) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..1_000_000 => format!("{} k", figures(n as f64 / 1e3)),
        _ => format!("{} M", figures(n as f64 / 1e6)),
    }
}

fn problems(ui: &mut Ui, context: &ViewContext<'_>) -> bool {
    let (errors, warnings) = counts(context);
    let visuals = ui.visuals();
    let (picture, color) = match (errors, warnings) {
        (0, 0) => (Icon::Tick, good(ui)),
        (0, _) => (Icon::Warning, visuals.warn_fg_color),
        _ => (Icon::Error, visuals.error_fg_color),
    };
    let nothing = match is_blank(context) {
        true => "nothing drawn yet",
        false => "no problems",
    };
    let text = summary(context).unwrap_or_else(|| nothing.to_owned());
    let open = context.settings.panels.contains(&Panel::Problems);
    let response = ui.add(egui::Button::new(RichText::new(&text).color(color)).frame(false));
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, format!("Problems: {text}")));
    icon(ui, picture, color);
    response
        .on_hover_text(if open {
            "Show the panel Problems"
        } else {
            "Open the panel Problems"
        })
        .clicked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable;

    #[test]
    fn places_have_one_unit_for_both_coordinates() {
        assert_eq!(position(Point::new(1.5e-3, -2e-5)), "1.500, -0.020 mm");
        assert_eq!(position(Point::new(1.5e-5, 0.0)), "15.0, 0.0 µm");
        assert_eq!(position(Point::new(0.0, 0.0)), "0.0, 0.0 µm");
    }

    #[test]
    fn what_is_hidden_is_counted_and_a_click_shows_it() {
        let mut state = opened_example("tee");
        let button = "1 hidden";
        let before = harness(&Shown::new(opened_example("tee")));
        assert!(before.query_by_label(button).is_none());
        state.hidden.ports.insert("in".to_owned());
        let shown = Shown::new(state);
        let mut harness = harness(&shown);
        harness.get_by_label(button).click();
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [Command::ShowHidden]);
    }

    #[test]
    fn counts_are_short() {
        assert_eq!(count(850), "850");
        assert_eq!(count(1_490_000), "1.49 M");
        assert_eq!(count(12_345), "12.3 k");
    }
}
