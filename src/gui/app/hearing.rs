//! What comes from the keyboard and the window itself, as commands.

use eframe::egui::{Event, Key, Modifiers, ViewportCommand};

use super::App;
use crate::command::Command;
use crate::context::{Selection, Tool, Workspace};
use crate::keys::SHORTCUTS;
use crate::liquids::LIQUID_SHORTCUTS;

impl App {
    /// Keys that the text fields and the canvas have left over.
    pub(super) fn hear_shortcuts(&mut self, out: &mut Vec<Command>) {
        let is_typing = self.ctx.egui_wants_keyboard_input();
        let pressed = self.ctx.input(|input| input.events.clone());
        for event in pressed {
            match event {
                _ if self.sees_liquids() && is_clipboard(&event) => {}
                Event::Copy if !is_typing => out.push(Command::Copy),
                Event::Cut if !is_typing => out.push(Command::Cut),
                Event::Paste(text) if !is_typing => {
                    out.push(Command::Paste(text, self.canvas.pointer));
                }
                Event::Key {
                    key,
                    pressed: true,
                    modifiers,
                    ..
                } => out.extend(command_of(key, modifiers, is_typing, self.state.workspace)),
                _ => {}
            }
        }
        let is_free =
            !is_typing && !self.canvas.is_busy() && !self.canvas.has_popup && !self.sees_liquids();
        if self.ctx.input(|i| i.key_pressed(Key::Escape)) && is_free {
            if self.state.tool != Tool::Select {
                out.push(Command::SetTool(Tool::Select));
            } else if !self.state.selection.is_empty() {
                out.push(Command::Select(Selection::default()));
            }
        }
    }

    /// Files dropped on the window, and its close button.
    pub(super) fn hear_window(&mut self, out: &mut Vec<Command>) {
        let dropped = self.ctx.input(|i| i.raw.dropped_files.clone());
        if let Some(file) = dropped.first() {
            self.take_dropped(file, out);
        }
        let closes = self.ctx.input(|i| i.viewport().close_requested());
        if closes {
            self.finish_edits();
        }
        if closes && !self.may_close() {
            self.ctx.send_viewport_cmd(ViewportCommand::CancelClose);
            out.push(Command::Quit);
        }
    }
}

/// What keys ask for. While something is typed, only what no text field knows.
fn command_of(
    key: Key,
    modifiers: Modifiers,
    is_typing: bool,
    workspace: Workspace,
) -> Option<Command> {
    let of_text = [Key::Z, Key::Y, Key::A, Key::X, Key::C, Key::V];
    if is_typing && (!modifiers.command && !is_function_key(key) || of_text.contains(&key)) {
        return None;
    }
    // Plus is a shifted key on many keyboards.
    let is_zoom = matches!(key, Key::Plus | Key::Equals);
    let fits = |wanted: Modifiers| {
        modifiers.command == wanted.command
            && !modifiers.alt
            && (modifiers.shift == wanted.shift || is_zoom)
    };
    let own = match workspace {
        Workspace::Chip => &[],
        Workspace::Liquids => LIQUID_SHORTCUTS,
    };
    own.iter()
        .chain(SHORTCUTS)
        .find(|(wanted, known, _)| *known == key && fits(*wanted))
        .map(|(_, _, command)| command())
}

/// Liquids have nothing to copy or paste.
fn is_clipboard(event: &Event) -> bool {
    matches!(event, Event::Copy | Event::Cut | Event::Paste(_))
}

fn is_function_key(key: Key) -> bool {
    matches!(key, Key::F1 | Key::F5)
}
