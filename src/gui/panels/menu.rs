//! The menu bar: every entry is a command, greyed with the reason where it can't be done.

use eframe::egui::{self, Button, Ui};

use super::enabled::is_enabled;
use crate::command::{Command, Layer, Panel, Theme};
use crate::context::{Selection, Tool, ViewContext, Workspace};
use crate::files::export::PictureFormat;
use crate::files::outline::OutlineKind;
use crate::files::recent;
use crate::liquids::panels::menus_ui;
use crate::species::offered;
use crate::words::capital;
use stokeslet_cad::edits::{Align, Axis, Joint};
use stokeslet_flow::export::Format;

/// Resolutions that are offered, from quick to fine.
pub const RESOLUTIONS: [u32; 6] = [6, 8, 12, 16, 24, 32];

/// Draws the menu bar.
pub fn menu_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    egui::MenuBar::new().ui(ui, |ui| {
        // Two letters' worth between the words, as menus have.
        ui.spacing_mut().button_padding.x = 8.0;
        ui.menu_button("File", |ui| file(ui, context, out));
        if context.workspace == Workspace::Liquids {
            ui.menu_button("View", |ui| zoom_and_looks(ui, context, out));
            menus_ui(ui, context, out);
        } else {
            ui.menu_button("Edit", |ui| edit(ui, context, out));
            ui.menu_button("View", |ui| view(ui, context, out));
            ui.menu_button("Solve", |ui| solve(ui, context, out));
            ui.menu_button("Results", |ui| results(ui, context, out));
        }
        ui.menu_button("Help", |ui| help(ui, context, out));
    });
}

/// One entry: does the command when clicked; grey with the reason as a tooltip where it can't be done.
pub fn entry(ui: &mut Ui, context: &ViewContext<'_>, command: Command, out: &mut Vec<Command>) {
    let label = command.label();
    labelled(ui, context, &label, false, command, out);
}

/// As [`entry`], in other words, with a mark where it is so already.
pub fn labelled(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    label: &str,
    marked: bool,
    command: Command,
    out: &mut Vec<Command>,
) {
    let enabled = is_enabled(&command, context);
    let mut button = Button::new(label)
        .selected(marked)
        .wrap_mode(egui::TextWrapMode::Extend);
    if let Some(shortcut) = command.shortcut() {
        button = button.shortcut_text(ui.ctx().format_shortcut(&shortcut));
    }
    let response = ui.add_enabled(enabled.is_ok(), button);
    let response = match enabled {
        Ok(()) => response,
        Err(why) => response.on_disabled_hover_text(format!("Not now: {why}.")),
    };
    if response.clicked() {
        out.push(command);
        ui.close();
    }
}

fn file(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(210.0);
    entry(ui, context, C::New, out);
    entry(ui, context, C::Open, out);
    let files = &context.settings.recent;
    ui.add_enabled_ui(!files.is_empty(), |ui| {
        ui.menu_button("Open recent", |ui| {
            for (path, label) in files.iter().zip(recent::labels(files)) {
                let response = ui.button(label).on_hover_text(path.display().to_string());
                if response.clicked() {
                    out.push(C::OpenPath(path.clone()));
                    ui.close();
                }
            }
        });
    });
    entry(ui, context, C::Gallery, out);
    ui.separator();
    entry(ui, context, C::Save, out);
    entry(ui, context, C::SaveAs, out);
    ui.separator();
    ui.menu_button("Export results", |ui| {
        // The matrix can be a hundred times the rest: only where it is asked for.
        let usual: Vec<Format> = Format::ALL
            .into_iter()
            .filter(|f| *f != Format::System)
            .collect();
        labelled(
            ui,
            context,
            "All but the system matrix…",
            false,
            C::Export(usual),
            out,
        );
        labelled(
            ui,
            context,
            "Fields (VTU)…",
            false,
            C::Export(vec![Format::Vtu]),
            out,
        );
        labelled(
            ui,
            context,
            "Tables (CSV)…",
            false,
            C::Export(vec![Format::Csv]),
            out,
        );
        labelled(
            ui,
            context,
            "Picture of the whole chip (SVG)…",
            false,
            C::Export(vec![Format::Svg]),
            out,
        );
        labelled(
            ui,
            context,
            "Summary (JSON)…",
            false,
            C::Export(vec![Format::Json]),
            out,
        );
        labelled(
            ui,
            context,
            "System matrix (Matrix Market)…",
            false,
            C::Export(vec![Format::System]),
            out,
        );
        ui.separator();
        labelled(
            ui,
            context,
            "Everything…",
            false,
            C::Export(Format::ALL.to_vec()),
            out,
        );
    });
    ui.menu_button("Export outline", |ui| {
        for kind in OutlineKind::ALL {
            let label = format!("{}…", kind.label());
            labelled(ui, context, &label, false, C::Outline(kind), out);
        }
    });
    ui.menu_button("Save picture", |ui| {
        for format in PictureFormat::ALL {
            entry(ui, context, C::Picture(format), out);
        }
    });
    ui.separator();
    entry(ui, context, C::Quit, out);
}

fn edit(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(230.0);
    let history = &context.document.history;
    let named = |verb: &str, what: Option<&str>| match what {
        Some(what) => format!("{verb}: {}", shortened(what)),
        None => verb.to_owned(),
    };
    labelled(
        ui,
        context,
        &named("Undo", history.undo_label()),
        false,
        C::Undo,
        out,
    );
    labelled(
        ui,
        context,
        &named("Redo", history.redo_label()),
        false,
        C::Redo,
        out,
    );
    ui.separator();
    entry(ui, context, C::Cut, out);
    entry(ui, context, C::Copy, out);
    entry(ui, context, C::Duplicate, out);
    entry(ui, context, C::Delete, out);
    ui.separator();
    entry(ui, context, C::SelectAll, out);
    labelled(
        ui,
        context,
        "Select nothing",
        false,
        C::Select(Selection::default()),
        out,
    );
    ui.separator();
    entry(ui, context, C::Rotate(1), out);
    entry(ui, context, C::Rotate(-1), out);
    entry(ui, context, C::Mirror(Axis::X), out);
    entry(ui, context, C::Mirror(Axis::Y), out);
    ui.menu_button("Align", |ui| {
        for align in Align::ALL {
            entry(ui, context, C::Align(align), out);
        }
    });
    entry(ui, context, C::Group, out);
    entry(ui, context, C::Ungroup, out);
    entry(ui, context, C::OpenEnds, out);
    entry(ui, context, C::ToggleDimensions, out);
    entry(ui, context, C::DrawLinks, out);
    ui.menu_button("Where widths differ", |ui| {
        let now = context.settings.joint.unwrap_or_default();
        for joint in Joint::ALL {
            let command = C::SetJoint(joint);
            let label = command.label();
            labelled(ui, context, &label, joint == now, command, out);
        }
    });
    ui.separator();
    ui.menu_button("Tool", |ui| tools(ui, context, out));
    entry(ui, context, C::CommandPalette, out);
}

fn tools(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    for tool in Tool::ALL {
        let marked = *context.tool == tool;
        labelled(
            ui,
            context,
            tool.label(),
            marked,
            Command::SetTool(tool),
            out,
        );
    }
}

fn view(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(190.0);
    entry(ui, context, C::ZoomIn, out);
    entry(ui, context, C::ZoomOut, out);
    entry(ui, context, C::Fit, out);
    entry(ui, context, C::FitSelection, out);
    ui.separator();
    for panel in Panel::ALL {
        let marked = context.settings.panels.contains(&panel);
        labelled(
            ui,
            context,
            panel.label(),
            marked,
            C::TogglePanel(panel),
            out,
        );
    }
    ui.separator();
    ui.menu_button("On the canvas", |ui| layers(ui, context, &Layer::ALL, out));
    entry(ui, context, C::HideSelected, out);
    entry(ui, context, C::ShowHidden, out);
    looks(ui, context, out);
}

/// What the menu has where no chip is seen.
fn zoom_and_looks(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(190.0);
    for command in [C::ZoomIn, C::ZoomOut, C::Fit] {
        entry(ui, context, command, out);
    }
    ui.separator();
    looks(ui, context, out);
}

fn looks(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    for workspace in Workspace::ALL {
        let command = Command::Enter(workspace);
        let marked = context.workspace == workspace;
        labelled(ui, context, &command.label(), marked, command.clone(), out);
    }
    ui.menu_button("Theme", |ui| {
        for (theme, label) in [
            (Theme::System, "As the system"),
            (Theme::Light, "Light"),
            (Theme::Dark, "Dark"),
        ] {
            let marked = context.settings.theme == theme;
            labelled(ui, context, label, marked, Command::SetTheme(theme), out);
        }
    });
}

fn layers(ui: &mut Ui, context: &ViewContext<'_>, layers: &[Layer], out: &mut Vec<Command>) {
    for &layer in layers {
        let marked = context.settings.layers.contains(&layer);
        labelled(
            ui,
            context,
            &capital(layer.label()),
            marked,
            Command::ToggleLayer(layer),
            out,
        );
    }
}

fn solve(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(210.0);
    entry(ui, context, C::Solve, out);
    ui.menu_button("Solve at resolution", |ui| {
        for resolution in RESOLUTIONS {
            let label = format!("{resolution} cells across a channel");
            labelled(ui, context, &label, false, C::SolveAt(resolution), out);
        }
    });
    entry(ui, context, C::Cancel, out);
    ui.separator();
    let live = context.settings.live;
    // Either one is always possible, so that the menu keeps its shape; the mark says which holds.
    for (on, label) in [(true, "After every edit (live)"), (false, "When asked")] {
        let response = ui.add(Button::new(label).selected(live == on));
        if response.clicked() && live != on {
            out.push(C::SetLive(on));
            ui.close();
        }
    }
}

fn results(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(230.0);
    for (quantity, name) in offered(context) {
        let marked = context.shown.colour == Some(quantity);
        let label = format!("Colour by {name}");
        labelled(ui, context, &label, marked, C::Colour(Some(quantity)), out);
    }
    labelled(
        ui,
        context,
        "No colours",
        context.shown.colour.is_none(),
        C::Colour(None),
        out,
    );
    entry(ui, context, C::SetRange(None), out);
    ui.separator();
    let of_results = [
        Layer::Arrows,
        Layer::Streamlines,
        Layer::Tracers,
        Layer::Mesh,
        Layer::Parts,
    ];
    layers(ui, context, &of_results, out);
    entry(ui, context, C::TogglePlay, out);
    ui.separator();
    entry(ui, context, C::AddSpecies(None), out);
    ui.separator();
    for tool in [Tool::Probe, Tool::Line, Tool::Streamline] {
        let marked = *context.tool == tool;
        labelled(
            ui,
            context,
            &format!("{} tool", tool.label()),
            marked,
            C::SetTool(tool),
            out,
        );
    }
    entry(ui, context, C::ClearProbes, out);
    entry(ui, context, C::CopyProfiles, out);
    ui.separator();
    entry(ui, context, C::KeepBefore, out);
    entry(ui, context, C::ForgetBefore, out);
    ui.separator();
    for panel in [
        Panel::Results,
        Panel::Profiles,
        Panel::Species,
        Panel::Method,
    ] {
        let marked = context.settings.panels.contains(&panel);
        labelled(
            ui,
            context,
            &format!("Panel: {}", panel.label()),
            marked,
            C::TogglePanel(panel),
            out,
        );
    }
}

fn help(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    use Command as C;
    ui.set_min_width(180.0);
    for command in [
        C::Gallery,
        C::Hint(Some(0)),
        C::Shortcuts,
        C::CommandPalette,
    ] {
        entry(ui, context, command, out);
    }
    ui.separator();
    entry(ui, context, C::About, out);
}

/// No longer than a menu is wide.
fn shortened(text: &str) -> String {
    const MOST: usize = 40;
    match text.chars().count() > MOST {
        true => text.chars().take(MOST - 1).chain(['…']).collect(),
        false => text.to_owned(),
    }
}
