//! What is wrong with the design: the same diagnostics as `check`, live; a click shows the place.

use std::hash::BuildHasher;

use eframe::egui::{self, CursorIcon, Response, RichText, Role, Sense, Ui, WidgetInfo};

use super::advice::{advice, is_blank};
use super::icons::{Icon, icon};
use crate::command::Command;
use crate::context::ViewContext;
use crate::words::quoted;
use stokeslet_base::diagnostic::{Diagnostic, Severity, line_and_column};

/// Most that are listed; a file that is broken everywhere is not read to its end anyway.
const MOST: usize = 200;

/// Errors and warnings.
pub fn counts(context: &ViewContext<'_>) -> (usize, usize) {
    if is_blank(context) {
        return (0, 0);
    }
    let errors = context.document.errors().len();
    (errors, context.document.diagnostics.len() - errors)
}

/// `2 errors, 1 warning`; `None` where nothing is wrong.
pub fn summary(context: &ViewContext<'_>) -> Option<String> {
    let said = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let (errors, warnings) = counts(context);
    let both: Vec<String> = [said(errors, "error"), said(warnings, "warning")]
        .into_iter()
        .flatten()
        .collect();
    (!both.is_empty()).then(|| both.join(", "))
}

/// Draws the list.
pub fn problems_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let all = &context.document.diagnostics;
    if is_blank(context) {
        ui.label("Nothing is drawn yet. Click a component in the library and then on the canvas, or take the channel tool (C).");
        return;
    }
    if all.is_empty() {
        ui.horizontal(|ui| {
            icon(ui, Icon::Tick, good(ui));
            ui.label("Nothing is wrong with the design.");
        });
        return;
    }
    egui::ScrollArea::vertical()
        .auto_shrink(false)
        .show(ui, |ui| {
            for (k, diagnostic) in all.iter().take(MOST).enumerate() {
                row(ui, context, k, diagnostic, out);
            }
            if all.len() > MOST {
                ui.weak(format!("and {} more", all.len() - MOST));
            }
        });
}

/// A problem; where it is out of sight and its height is known, room for it: laying out hundreds takes longer than all else.
fn row(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    k: usize,
    diagnostic: &Diagnostic,
    out: &mut Vec<Command>,
) {
    let at = ui.next_widget_position();
    let width = ui.available_width();
    let place = place(context, diagnostic);
    let told = (
        diagnostic.code,
        &diagnostic.message,
        &diagnostic.help,
        place,
    );
    let told = rustc_hash::FxBuildHasher.hash_one((told, width.to_bits()));
    let key = ui.scope_id().with(("height of problem", k));
    let known: Option<(u64, f32)> = ui.data(|data| data.get_temp(key));
    let known = known.filter(|known| known.0 == told);
    let rect = known.map(|(_, height)| egui::Rect::from_min_size(at, egui::vec2(width, height)));
    let response = match rect.filter(|rect| !ui.is_rect_visible(*rect)) {
        Some(rect) => ui.allocate_rect(rect, Sense::hover()),
        None => problem(ui, context, k, diagnostic),
    };
    ui.data_mut(|data| data.insert_temp(key, (told, response.rect.height())));
    listen(ui, context, k, (diagnostic, &response), out);
}

fn problem(ui: &mut Ui, context: &ViewContext<'_>, k: usize, diagnostic: &Diagnostic) -> Response {
    ui.push_id(("problem", k), |ui| {
        ui.horizontal_top(|ui| {
            let (picture, color) = look(ui, diagnostic.severity);
            icon(ui, picture, color);
            ui.vertical(|ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                ui.add(
                    egui::Label::new(quoted(&diagnostic.message))
                        .wrap()
                        .selectable(false),
                );
                if let Some(help) = advice(diagnostic) {
                    ui.add(
                        egui::Label::new(RichText::new(help).weak())
                            .wrap()
                            .selectable(false),
                    );
                }
                let place = place(context, diagnostic);
                if !place.is_empty() {
                    ui.add(egui::Label::new(RichText::new(place).small().weak()).selectable(false));
                }
            });
        });
    })
    .response
}

/// Makes a row one that is clicked.
fn listen(
    ui: &Ui,
    context: &ViewContext<'_>,
    k: usize,
    (diagnostic, response): (&Diagnostic, &Response),
    out: &mut Vec<Command>,
) {
    let id = ui.make_persistent_id(("problem", k));
    let row = response.rect.with_max_x(ui.max_rect().right());
    let click = ui.interact(row, id, Sense::click());
    let message = quoted(&diagnostic.message);
    click.widget_info(|| WidgetInfo::labeled(Role::Button, true, &message));
    let line = line_of(context, diagnostic);
    let told = [Some(diagnostic.code.to_owned()), line]
        .into_iter()
        .flatten();
    let told: Vec<String> = told.collect();
    let Some(item) = &diagnostic.place.component else {
        click.on_hover_text(told.join(", "));
        return;
    };
    if click.hovered() {
        ui.painter().rect_stroke(
            row.expand(2.0),
            3.0,
            ui.visuals().widgets.hovered.bg_stroke,
            egui::StrokeKind::Outside,
        );
    }
    if click
        .on_hover_cursor(CursorIcon::PointingHand)
        .on_hover_text(format!("Show {item}\n{}", told.join(", ")))
        .clicked()
    {
        out.push(Command::Show(item.clone()));
    }
}

fn look(ui: &Ui, severity: Severity) -> (Icon, egui::Color32) {
    match severity {
        Severity::Error => (Icon::Error, ui.visuals().error_fg_color),
        Severity::Warning => (Icon::Warning, ui.visuals().warn_fg_color),
    }
}

/// Green that can be read on either background.
pub fn good(ui: &Ui) -> egui::Color32 {
    match ui.visuals().dark_mode {
        true => egui::Color32::from_rgb(0x6c, 0xc6, 0x7a),
        false => egui::Color32::from_rgb(0x1e, 0x7d, 0x32),
    }
}

/// What it is about; its line where it is about nothing else.
fn place(context: &ViewContext<'_>, diagnostic: &Diagnostic) -> String {
    let about = diagnostic.place.component.clone();
    let about = about.filter(|name| !name.is_empty());
    about
        .or_else(|| line_of(context, diagnostic))
        .unwrap_or_default()
}

/// Where it is in the file's text, for whoever reads that.
fn line_of(context: &ViewContext<'_>, diagnostic: &Diagnostic) -> Option<String> {
    // What is missing from all of the file has no place in it.
    let span = diagnostic.place.span.as_ref().filter(|s| !s.is_empty())?;
    let (line, _) = line_and_column(&context.document.text, span.start);
    Some(format!("line {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Panel;
    use crate::panels::testing::{Shown, harness, opened};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn the_panel_says_what_check_says_and_a_click_shows_the_place() {
        let text = format!(
            "{}[components]\nx = {{ kind = \"teee\", at = [\"0 mm\", \"0 mm\"] }}\n",
            crate::document::EMPTY
        );
        let mut state = opened(&text);
        state.settings.panels.insert(Panel::Problems);
        assert_eq!(summary(&state.context()).as_deref(), Some("1 error"));
        let message = state.document.diagnostics[0].message.clone();
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::Problems);
        let mut harness = harness(&shown);
        let told = quoted(&message);
        harness.get_by_role_and_label(Role::Button, &told).click();
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [Command::Show("x".into())]);
    }
}
