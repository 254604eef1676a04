//! All keys and what the pointer does, by group.

use eframe::egui::{self, Modal, RichText, Ui};

use crate::command::Command;
use crate::keys::SHORTCUTS;
use crate::liquids::LIQUID_SHORTCUTS;

/// What the pointer does on the canvas.
const GESTURES: [(&str, &str); 18] = [
    ("Click", "Select a component, channel or port"),
    ("Shift + click", "Select it too, or no longer"),
    ("Drag", "Move what is selected; snaps to sockets"),
    ("Shift + drag", "Move along one axis"),
    ("Alt + drag", "Copy what is selected"),
    ("Drag on empty space", "Select what lies in the box"),
    ("Double click", "Zoom to a component"),
    ("Right click", "What can be done here"),
    ("Wheel, pinch", "Zoom at the pointer"),
    ("Middle drag, Space + drag", "Move the view"),
    ("Arrow keys", "Nudge by a step of the grid"),
    ("[ and ]", "Select the thing before or after"),
    (
        "With a tool: arrow keys, [ and ]",
        "A cursor on the grid, or from end to end",
    ),
    ("Enter with a tool", "Click at that cursor"),
    ("R, M while placing", "Turn, mirror"),
    ("Digits while drawing", "Length of the next leg"),
    ("Backspace while drawing", "Take back a way-point"),
    ("Esc", "Give up, or back to selecting"),
];

/// Groups of the list, in order.
const GROUPS: [&str; 6] = [
    "Files",
    "Editing",
    "Tools",
    "View",
    "Solving and results",
    "Liquids",
];

fn group(command: &Command) -> &'static str {
    use Command as C;
    match command {
        C::New
        | C::Open
        | C::Save
        | C::SaveAs
        | C::Export(_)
        | C::Picture(_)
        | C::Quit
        | C::Gallery => GROUPS[0],
        C::SetTool(_) => GROUPS[2],
        C::ZoomIn
        | C::ZoomOut
        | C::Fit
        | C::FitSelection
        | C::TogglePanel(_)
        | C::Enter(_)
        | C::CommandPalette
        | C::Shortcuts => GROUPS[3],
        C::Liquid(_) => GROUPS[5],
        C::Solve | C::SolveAt(_) | C::Cancel | C::SetLive(_) | C::Colour(_) | C::ToggleLayer(_) => {
            GROUPS[4]
        }
        _ => GROUPS[1],
    }
}

/// Draws the list; `true` when it is done with.
pub fn shortcuts_ui(ctx: &egui::Context) -> bool {
    let response = Modal::new(egui::Id::unique("shortcuts")).show(ctx, |ui| {
        ui.set_width(720.0);
        let close = title(ui, "Shortcuts");
        let height = (ctx.content_rect().height() - 160.0).max(200.0);
        egui::ScrollArea::vertical()
            .max_height(height)
            .min_scrolled_height(height)
            .show(ui, |ui| {
                ui.columns_const(|[left, right]| {
                    for name in &GROUPS[..2] {
                        keys(left, name);
                    }
                    pointer(left);
                    for name in &GROUPS[2..] {
                        keys(right, name);
                    }
                });
            });
        close
    });
    response.inner || response.should_close()
}

/// The head of a window of ours; `true` when it is to be closed.
pub fn title(ui: &mut Ui, text: &str) -> bool {
    let mut close = false;
    ui.horizontal(|ui| {
        ui.heading(text);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            close = super::icons::small_icon_button(ui, super::icons::Icon::Close, "Close")
                .on_hover_text("Close  (Esc)")
                .clicked();
        });
    });
    ui.separator();
    close
}

fn keys(ui: &mut Ui, name: &str) {
    ui.add_space(6.0);
    ui.strong(name);
    egui::Grid::new(("keys", name))
        .num_columns(2)
        .spacing([16.0, 4.0])
        .min_col_width(110.0)
        .show(ui, |ui| {
            let all = SHORTCUTS
                .iter()
                .chain(LIQUID_SHORTCUTS)
                .map(|&(modifiers, key, command)| {
                    (egui::KeyboardShortcut::new(modifiers, key), command())
                });
            for (shortcut, command) in all.filter(|(_, command)| group(command) == name) {
                line(
                    ui,
                    &ui.ctx().format_shortcut(&shortcut),
                    command.label().trim_end_matches('…'),
                );
            }
        });
}

fn pointer(ui: &mut Ui) {
    ui.add_space(6.0);
    ui.strong("On the canvas");
    egui::Grid::new("gestures")
        .num_columns(2)
        .spacing([16.0, 4.0])
        .min_col_width(110.0)
        .show(ui, |ui| {
            for (gesture, what) in GESTURES {
                line(ui, gesture, what);
            }
        });
}

fn line(ui: &mut Ui, keys: &str, what: &str) {
    ui.label(RichText::new(keys).monospace().small());
    ui.label(what);
    ui.end_row();
}
