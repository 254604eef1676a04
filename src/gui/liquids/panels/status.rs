//! The status line of liquids: what is under the pointer, frame, time, rate, and what the runner is at.

use eframe::egui::{Align, Label, Layout, RichText, Ui, vec2};

use crate::canvas::theme::Colours;
use crate::context::ViewContext;
use crate::liquids::runner::Goal;
use crate::liquids::shot::{Contact, Probe};
use crate::liquids::subjects::Group;
use crate::panels::toolbar::seconds;
use stokeslet_base::geometry::Point;
use stokeslet_flow::export::readable::figures;

/// Draws the status line. `pointed` is what is under the pointer.
pub fn status_ui(ui: &mut Ui, context: &ViewContext<'_>, pointed: Option<(Point, Option<Probe>)>) {
    ui.horizontal(|ui| {
        // Of a fixed width, so that nothing beside it moves.
        let size = vec2(430.0, ui.spacing().interact_size.y);
        ui.allocate_ui_with_layout(size, Layout::left_to_right(Align::Center), |ui| {
            ui.set_min_size(size);
            let group = context.settings.liquids.group();
            let text = pointed.map_or_else(|| "–".to_owned(), |pointed| place(group, pointed));
            let about = match group {
                Group::System(_) => "Where the pointer is",
                _ => "What is under the pointer; pressures are over density",
            };
            ui.add(Label::new(RichText::new(text).monospace()).truncate())
                .on_hover_text(about);
        });
        ui.separator();
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let (text, is_bad) = doing(context);
            let ink = match is_bad {
                true => Colours::of(ui.visuals()).error,
                false => ui.visuals().text_color(),
            };
            ui.label(RichText::new(text).color(ink));
            ui.separator();
            if let (Some(frame), Some(time)) = (context.liquids.frame(), context.liquids.time()) {
                let group = context.settings.liquids.group();
                ui.label(format!("{} {frame}", group.frame()));
                ui.separator();
                ui.label(format!("{time:.3}{}", group.second()))
                    .on_hover_text("Simulated time");
                ui.separator();
                let n: usize = context.liquids.views.iter().map(|v| v.shot.particles()).sum();
                let count = crate::liquids::settings::thousands(n);
                ui.label(match group {
                    Group::System(_) => format!("{count} points"),
                    _ => format!("{count} particles"),
                });
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let settings = &context.settings.liquids;
                let is_space = settings.entry().dimension == 3;
                let hint = match settings.group() {
                    group if is_space && group.has_hand() => {
                        "Space plays, a full stop steps; drag a body to hold it, elsewhere to turn, with the right button to move, the wheel zooms"
                    }
                    Group::System(_) if is_space => {
                        "Space plays, a full stop steps; drag turns, with the right button moves, the wheel zooms"
                    }
                    group if group.has_hand() => {
                        "Space plays, a full stop steps; drag a body to hold it, elsewhere to move, the wheel zooms"
                    }
                    _ => "Space plays, a full stop steps; drag moves, the wheel zooms",
                };
                ui.add(Label::new(RichText::new(hint).weak()).truncate());
            });
        });
    });
}

fn place(group: Group, (at, probe): (Point, Option<Probe>)) -> String {
    let at = format!("{:.3}, {:.3}{}", at.x, at.y, group.metre());
    let Some(probe) = probe else {
        return at;
    };
    let contact = match probe.contact {
        Contact::None => "",
        Contact::Held => "  held",
        Contact::Detached => "  detached",
    };
    let pressure = match probe.pressure {
        Some(pressure) => format!("  {} m²/s²", figures(pressure)),
        None => String::new(),
    };
    format!("{at}  {}{pressure}{contact}", group.speed(probe.speed))
}

/// In words, and whether something went wrong.
fn doing(context: &ViewContext<'_>) -> (String, bool) {
    let liquids = context.liquids;
    if let Some(failure) = &liquids.failure {
        return (failure.status().to_owned(), true);
    }
    let slow = liquids
        .status
        .busy
        .filter(|(.., time)| time.as_secs_f64() > 0.5);
    let text = match (slow, liquids.status.goal) {
        (Some((_, solves, time)), _) => {
            let what = match context.settings.liquids.group() {
                Group::Scenes => format!("substep {}", solves + 1),
                Group::Tanks => "solving".to_owned(),
                Group::System(_) => "stepping".to_owned(),
            };
            format!("{what}, {}", seconds(time.as_secs_f64()))
        }
        (None, Goal::Endless) => match liquids.status.rate {
            Some(rate) => format!("{} frames/s", figures(rate)),
            None => "playing".to_owned(),
        },
        (None, Goal::Frames(_)) => "stepping".to_owned(),
        (None, Goal::Rest) => "paused".to_owned(),
    };
    (text, false)
}
