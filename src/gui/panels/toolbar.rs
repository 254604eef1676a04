//! The bar below the menus: files, undo, tools, solving and colours, each a command.

use std::time::Duration;

use eframe::egui::{self, ComboBox, Response, Ui};

use super::enabled::is_enabled;
use super::icons::{Icon, icon_button};
use super::menu::RESOLUTIONS;
use crate::command::Command;
use crate::context::{Tool, ViewContext, Workspace};
use crate::liquids::panels::bar_ui;
use crate::results::Quantity;
use crate::species::offered;
use stokeslet_flow::session::Stage;

/// Draws the toolbar.
pub fn toolbar_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        workspaces(ui, context, out);
        ui.separator();
        if context.workspace == Workspace::Liquids {
            return bar_ui(ui, context, out);
        }
        for (icon, command) in [
            (Icon::New, Command::New),
            (Icon::Open, Command::Open),
            (Icon::Save, Command::Save),
        ] {
            button(ui, context, icon, command, out);
        }
        ui.separator();
        way_back(ui, context, out);
        ui.separator();
        tools(ui, context, out);
        ui.separator();
        button(ui, context, Icon::Fit, Command::Fit, out);
        ui.separator();
        solving(ui, context, out);
        ui.separator();
        colours(ui, context, out);
    });
}

/// What the window shows: one of two.
fn workspaces(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let frame = egui::Frame::new()
        .fill(ui.visuals().extreme_bg_color)
        .stroke(ui.visuals().widgets.noninteractive.bg_stroke)
        .corner_radius(5.0)
        .inner_margin(2.0);
    frame.show(ui, |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for workspace in Workspace::ALL {
            let command = Command::Enter(workspace);
            let mut tip = match workspace {
                Workspace::Chip => "Draw chips and solve their flow".to_owned(),
                Workspace::Liquids => "Run liquids, particles and bodies, step by step".to_owned(),
            };
            if let Some(shortcut) = command.shortcut() {
                tip = format!("{tip}  ({})", ui.ctx().format_shortcut(&shortcut));
            }
            let is_on = context.workspace == workspace;
            let label = egui::Button::selectable(is_on, workspace.label());
            if ui.add(label).on_hover_text(tip).clicked() && !is_on {
                out.push(command);
            }
        }
    });
}

/// A picture that does a command, with label, shortcut and reason as its tooltip.
pub fn button(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    icon: Icon,
    command: Command,
    out: &mut Vec<Command>,
) {
    let label = command.label();
    let label = label.trim_end_matches('…');
    if named_button(ui, context, icon, label, label, &command).clicked() {
        out.push(command);
    }
}

fn named_button(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    icon: Icon,
    name: &str,
    tip: &str,
    command: &Command,
) -> Response {
    let enabled = is_enabled(command, context);
    let response = icon_button(ui, icon, name, false, enabled.is_ok());
    let mut tip = tip.to_owned();
    if let Some(shortcut) = command.shortcut() {
        tip = format!("{tip}  ({})", ui.ctx().format_shortcut(&shortcut));
    }
    if let Err(why) = enabled {
        tip = format!("{tip}\nNot now: {why}.");
    }
    response.on_hover_text(tip)
}

fn way_back(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let history = &context.document.history;
    let both = [
        (Icon::Undo, Command::Undo, "Undo", history.undo_label()),
        (Icon::Redo, Command::Redo, "Redo", history.redo_label()),
    ];
    for (icon, command, verb, what) in both {
        let tip = what.map_or_else(|| verb.to_owned(), |what| format!("{verb}: {what}"));
        if named_button(ui, context, icon, verb, &tip, &command).clicked() {
            out.push(command);
        }
    }
}

fn tools(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    for tool in Tool::ALL {
        let command = Command::SetTool(tool.clone());
        let mut tip = command.label();
        if let Some(shortcut) = command.shortcut() {
            tip = format!("{tip}  ({})", ui.ctx().format_shortcut(&shortcut));
        }
        let tip = format!("{tip}\n{}", tool.hint());
        let name = command.label();
        let response =
            icon_button(ui, Icon::of(&tool), &name, *context.tool == tool, true).on_hover_text(tip);
        if response.clicked() {
            out.push(command);
        }
    }
    // Always there, so that nothing beside it moves when a component is chosen.
    match context.tool {
        Tool::Place(kind) => {
            let name = format!("Placing {kind}");
            let tip = format!("{name}\n{}", context.tool.hint());
            icon_button(ui, Icon::Place, &name, true, true).on_hover_text(tip);
        }
        _ => {
            let tip = "Place a component: choose one in the library";
            icon_button(ui, Icon::Place, "Placing nothing", false, false).on_hover_text(tip);
        }
    }
}

fn solving(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    // How far it is stands in the line at the bottom: here nothing may move, since people aim at what is beside.
    match context.worker.running {
        Some(_) => button(ui, context, Icon::Stop, Command::Cancel, out),
        None => button(ui, context, Icon::Solve, Command::Solve, out),
    }
    let live = context.settings.live;
    let response = ui
        .selectable_label(live, "Live")
        .on_hover_text("Solve in the background after every edit, at the resolution beside");
    if response.clicked() {
        out.push(Command::SetLive(!live));
    }
    resolution(ui, context, out);
}

/// A bar with the stage and the seconds; of a fixed width, so that nothing beside it moves.
pub fn progress(
    ui: &mut Ui,
    (stage, part, elapsed, _): (Stage, f64, Duration, u32),
    width: f32,
) -> Response {
    let text = format!("{} {}", stage.label(), seconds(elapsed.as_secs_f64()));
    bar(ui, part, &text, width)
}

/// How much is done of what the text says.
pub fn bar(ui: &mut Ui, part: f64, text: &str, width: f32) -> Response {
    let bar = egui::ProgressBar::new(part as f32)
        .desired_width(width)
        .desired_height(18.0);
    let response = ui.add(bar);
    let font = egui::TextStyle::Small.resolve(ui.style());
    let color = ui.visuals().strong_text_color();
    ui.painter().text(
        response.rect.center(),
        egui::Align2::CENTER_CENTER,
        text,
        font,
        color,
    );
    response.on_hover_text(text)
}

/// Seconds as people read them.
pub fn seconds(time: f64) -> String {
    match time {
        t if t < 0.0995 => format!("{:.0} ms", t * 1e3),
        t if t < 9.95 => format!("{t:.2} s"),
        t if t < 99.5 => format!("{t:.1} s"),
        t => format!("{:.0} min {:02.0} s", (t / 60.0).floor(), t % 60.0),
    }
}

fn resolution(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let of_file = context.document.design.as_ref().and_then(|d| d.resolution);
    let now = context
        .results
        .solved
        .as_ref()
        .map(|solved| solved.resolution);
    let shown = now.or(of_file).unwrap_or(context.settings.live_resolution);
    let why_not = is_enabled(&Command::Solve, context).err();
    let combo = ComboBox::from_id_salt("resolution")
        .width(60.0)
        .selected_text(format!("r = {shown}"));
    let response = combo.show_ui(ui, |ui| {
        ui.label("Cells across a channel");
        ui.separator();
        for offered in RESOLUTIONS {
            let live = offered == context.settings.live_resolution;
            let text = if live {
                format!("{offered}  (live)")
            } else {
                offered.to_string()
            };
            let label = egui::Button::selectable(offered == shown, text);
            if ui.add_enabled(why_not.is_none(), label).clicked() {
                out.push(Command::SolveAt(offered));
                ui.close();
            }
        }
        if let Some(why) = why_not {
            ui.weak(format!("Not now: {why}."));
        }
    });
    let said = match now {
        Some(now) => format!("Shown results: {now} cells across a channel. Choose to solve finer."),
        None => "Resolution: cells across a channel".to_owned(),
    };
    response.response.on_hover_text(said);
}

fn colours(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let all = offered(context).into_iter();
    let all = all.map(|(quantity, name)| (Some(quantity), name));
    let all: Vec<(Option<Quantity>, String)> = all.chain([(None, "no colours".into())]).collect();
    let shown = all
        .iter()
        .find(|(colour, _)| *colour == context.shown.colour);
    let shown = shown.map_or("no colours", |(_, name)| name.as_str());
    let combo = ComboBox::from_id_salt("colours")
        .width(110.0)
        .selected_text(shown);
    let response = combo.show_ui(ui, |ui| {
        for (colour, name) in &all {
            let is_on = context.shown.colour == *colour;
            if ui.selectable_label(is_on, name).clicked() {
                out.push(Command::Colour(*colour));
            }
        }
    });
    response.response.on_hover_text("What colours show");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_short() {
        for (time, want) in [
            (0.0042, "4 ms"),
            (0.16, "0.16 s"),
            (12.34, "12.3 s"),
            (125.0, "2 min 05 s"),
        ] {
            assert_eq!(seconds(time), want);
        }
    }
}
