//! Everything that can be done, by a few letters: commands, components to place, examples to open.

use eframe::egui::{
    self, Align2, Key, Modal, RichText, Role, Sense, TextEdit, TextStyle, Ui, WidgetInfo, vec2,
};

use super::enabled::is_enabled;
use crate::command::Command;
use crate::context::{Tool, ViewContext};
use crate::files::examples;

/// Most that are listed.
const MOST: usize = 60;

/// What the palette remembers while it is open.
#[derive(Debug, Default)]
pub struct CommandPalette {
    search: String,
    chosen: usize,
    /// What it listed last, so that moving the choice can follow it.
    shown: String,
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// What it says.
    pub label: String,
    /// What it does.
    pub command: Command,
}

/// All lines that fit the search, the best first; with an empty search all of them.
pub fn found(context: &ViewContext<'_>, search: &str) -> Vec<Entry> {
    let commands = Command::offered().into_iter().map(|command| Entry {
        label: command.label(),
        command,
    });
    let kinds = context
        .library
        .definitions()
        .into_iter()
        .map(|definition| Entry {
            label: format!("Place {}", definition.name.replace('_', " ")),
            command: Command::SetTool(Tool::Place(definition.name.clone())),
        });
    let examples = examples::all().iter().map(|example| Entry {
        label: format!("Open example: {}", example.title),
        command: Command::OpenExample(example.name.to_owned()),
    });
    let recent = context.settings.recent.iter().map(|path| Entry {
        label: format!("Open {}", path.display()),
        command: Command::OpenPath(path.clone()),
    });
    let all = commands.chain(kinds).chain(examples).chain(recent);
    let mut scored: Vec<((u8, i64), Entry)> = all
        .filter_map(|entry| Some((rank(&entry, search)?, entry)))
        .collect();
    // Equal ones stay in their order.
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    scored.into_iter().map(|(_, entry)| entry).collect()
}

/// How well a line fits a search: its own name first, whole words of it, then beginnings of words, then words that mean the same, then loose
/// letters, of examples and files last; among equals by [`score`].
fn rank(entry: &Entry, search: &str) -> Option<(u8, i64)> {
    let words = |text: &str| -> Vec<String> {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|w| !w.is_empty()).map(str::to_owned).collect()
    };
    let (wanted, own) = (words(search), words(&entry.label));
    let synonyms = words(entry.command.synonyms());
    let is_whole = |w: &String| own.contains(w);
    let begins = |w: &String, of: &[String]| of.iter().any(|word| word.starts_with(w.as_str()));
    let letters = score(&entry.label, search);
    let is_file = matches!(
        entry.command,
        Command::OpenExample(_) | Command::OpenPath(_)
    );
    let tier = if wanted.is_empty() {
        return letters.map(|s| (0, s));
    } else if wanted == own {
        5
    } else if wanted.iter().all(is_whole) {
        4
    } else if wanted.iter().all(|w| begins(w, &own)) {
        if is_file { 1 } else { 3 }
    } else if wanted
        .iter()
        .all(|w| begins(w, &own) || begins(w, &synonyms))
    {
        2
    } else {
        letters?;
        if is_file { 0 } else { 1 }
    };
    Some((tier, letters.unwrap_or(0)))
}

/// How well the letters of a search, in their order, fit a text: more at the starts of words and in a row, less where letters are
/// skipped; `None` where a letter is missing.
pub fn score(text: &str, search: &str) -> Option<i64> {
    let text: Vec<char> = text.to_lowercase().chars().collect();
    let wanted: Vec<char> = search
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect();
    // Best score of `wanted[..=k]` ending at each letter: quadratic, over texts of a line.
    let starts_word = |k: usize| k == 0 || !text[k - 1].is_alphanumeric();
    let mut best: Vec<Option<i64>> = vec![None; text.len()];
    for (k, &letter) in wanted.iter().enumerate() {
        let mut next = vec![None; text.len()];
        let mut before: Option<i64> = None;
        for (at, &found) in text.iter().enumerate() {
            if found == letter {
                let bonus = if starts_word(at) { 8 } else { 0 };
                let apart = if k == 0 { Some(0) } else { before };
                let in_a_row = if at > 0 && k > 0 {
                    best[at - 1].map(|s| s + 5)
                } else {
                    None
                };
                next[at] = apart.max(in_a_row).map(|s| s + bonus + 1);
            }
            before = before.max(best[at]).map(|s| s - 1).max(best[at]);
        }
        best = next;
    }
    let whole = best.into_iter().flatten().max();
    match wanted.is_empty() {
        true => Some(0),
        false => whole.map(|s| 4 * s - text.len() as i64 / 4),
    }
}

impl CommandPalette {
    /// Draws the palette; `true` when it is done with.
    pub fn ui(
        &mut self,
        ctx: &egui::Context,
        context: &ViewContext<'_>,
        out: &mut Vec<Command>,
    ) -> bool {
        let entries = found(context, &self.search);
        let n = entries.len().min(MOST);
        let (up, down, enter) = ctx.input_mut(|i| {
            let none = egui::Modifiers::NONE;
            (
                i.consume_key(none, Key::ArrowUp),
                i.consume_key(none, Key::ArrowDown),
                i.consume_key(none, Key::Enter),
            )
        });
        if self.shown != self.search {
            self.shown = self.search.clone();
            self.chosen = 0;
        }
        let step = |by: usize| if n == 0 { 0 } else { (self.chosen + by) % n };
        self.chosen = match (up, down) {
            (true, _) => step(n.saturating_sub(1)),
            (_, true) => step(1),
            _ => self.chosen.min(n.saturating_sub(1)),
        };
        let mut run: Option<Command> = None;
        let area = Modal::default_area(egui::Id::unique("command palette"))
            .anchor(Align2::CENTER_TOP, vec2(0.0, 90.0));
        let response = Modal::new(egui::Id::unique("command palette"))
            .area(area)
            .show(ctx, |ui| {
                ui.set_width(560.0);
                let edit = TextEdit::singleline(&mut self.search)
                    .hint_text("What do you want to do?")
                    .desired_width(f32::INFINITY)
                    .font(TextStyle::Heading);
                let edit = ui.add(edit);
                edit.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Search commands"));
                edit.request_focus();
                ui.add_space(4.0);
                if n == 0 {
                    ui.weak("Nothing of this name.");
                }
                egui::ScrollArea::vertical()
                    .max_height(380.0)
                    .min_scrolled_height(380.0)
                    .auto_shrink([false, true])
                    .show(ui, |ui| {
                        ui.spacing_mut().item_spacing.y = 1.0;
                        for (k, entry) in entries.iter().take(n).enumerate() {
                            let is_chosen = k == self.chosen;
                            if line(ui, context, entry, is_chosen, is_chosen && (up || down)) {
                                run = Some(entry.command.clone());
                            }
                        }
                    });
            });
        if enter && let Some(entry) = entries.get(self.chosen) {
            run = Some(entry.command.clone());
        }
        // What can't be done now says why and leaves the palette open.
        if let Some(command) = run.filter(|command| is_enabled(command, context).is_ok()) {
            out.push(command);
            return true;
        }
        response.should_close()
    }
}

/// One line; `true` when it is clicked.
fn line(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    entry: &Entry,
    is_chosen: bool,
    follow: bool,
) -> bool {
    let enabled = is_enabled(&entry.command, context);
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::click());
    response.widget_info(|| {
        WidgetInfo::selected(Role::Button, enabled.is_ok(), is_chosen, &entry.label)
    });
    if follow {
        ui.scroll_to_rect(rect, None);
    }
    if !ui.is_rect_visible(rect) {
        return false;
    }
    let visuals = ui.visuals();
    if is_chosen {
        ui.painter()
            .rect_filled(rect, 3.0, visuals.selection.bg_fill);
    } else if response.hovered() {
        ui.painter()
            .rect_filled(rect, 3.0, visuals.widgets.hovered.weak_bg_fill);
    }
    let color = match (&enabled, is_chosen) {
        (Err(_), _) => visuals.weak_text_color(),
        (Ok(()), true) => visuals.selection.stroke.color,
        (Ok(()), false) => visuals.text_color(),
    };
    let weak = if is_chosen {
        color
    } else {
        visuals.weak_text_color()
    };
    let font = TextStyle::Body.resolve(ui.style());
    let beside = match &enabled {
        Err(why) => (*why).to_owned(),
        Ok(()) => entry
            .command
            .shortcut()
            .map_or_else(String::new, |s| ui.ctx().format_shortcut(&s)),
    };
    let small = TextStyle::Small.resolve(ui.style());
    let painter = ui.painter_at(rect);
    let taken = painter.text(
        rect.right_center() - vec2(8.0, 0.0),
        Align2::RIGHT_CENTER,
        beside,
        small,
        weak,
    );
    let room = taken.left() - rect.left() - 24.0;
    let text = super::palette::fitting(ui, &entry.label, &font, room);
    painter.text(
        rect.left_center() + vec2(8.0, 0.0),
        Align2::LEFT_CENTER,
        text,
        font,
        color,
    );
    let clicked = response.clicked();
    if let Err(why) = enabled {
        response.on_hover_text(RichText::new(format!("Not now: {why}.")));
    }
    clicked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::WindowState;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable as _;

    fn first(state: &WindowState, search: &str) -> Option<Command> {
        found(&state.context(), search)
            .into_iter()
            .next()
            .map(|entry| entry.command)
    }

    #[test]
    fn a_few_letters_find_what_was_meant() {
        let state = opened_example("tee");
        let place = |kind: &str| Some(Command::SetTool(Tool::Place(kind.into())));
        assert_eq!(first(&state, "place tee"), place("tee"));
        assert_eq!(first(&state, "serp sq"), place("serpentine_square"));
        assert_eq!(first(&state, "undo"), Some(Command::Undo));
        assert_eq!(
            first(&state, "dark"),
            Some(Command::SetTheme(crate::command::Theme::Dark))
        );
        assert_eq!(
            first(&state, "h-filter"),
            Some(Command::OpenExample("h-filter".into()))
        );
        assert_eq!(first(&state, "xqzw"), None);
        assert_eq!(
            found(&state.context(), "").len(),
            found(&state.context(), " ").len()
        );
    }

    #[test]
    fn every_command_is_found_by_its_name_and_by_the_words_of_other_programs() {
        let state = opened_example("tee");
        for command in Command::offered() {
            let label = command.label();
            let best = found(&state.context(), &label);
            let best: Vec<&str> = best.iter().map(|e| e.label.as_str()).collect();
            assert_eq!(best.first(), Some(&label.as_str()), "{command:?}");
        }
        for (search, want) in [
            ("paste", Command::AskToPaste),
            ("rename", Command::EditName),
            ("measure", Command::SetTool(Tool::Ruler)),
            ("remove", Command::Delete),
            ("clone", Command::Duplicate),
            ("flip", Command::Mirror(stokeslet_cad::edits::Axis::X)),
            ("pen", Command::SetTool(Tool::Channel)),
            ("exit", Command::Quit),
            ("simulate", Command::Solve),
            ("inlet", Command::SetTool(Tool::Port)),
            (
                "screenshot",
                Command::Picture(crate::files::export::PictureFormat::Png),
            ),
        ] {
            assert_eq!(first(&state, search), Some(want), "{search}");
        }
    }

    #[test]
    fn letters_in_a_row_and_at_starts_of_words_count_more() {
        assert!(score("Save as…", "sa") > score("Shape channel", "sa"));
        assert!(score("Fit selection", "fs") > score("Offset", "fs"));
        assert_eq!(score("Undo", "ou"), None, "in their order");
        assert_eq!(score("", "a"), None);
        assert_eq!(score("anything", ""), Some(0));
    }

    #[test]
    fn enter_does_the_first_and_what_is_grey_is_not_done() {
        let shown = Shown::new(opened_example("tee"));
        shown.borrow_mut().panels.hear(&Command::CommandPalette);
        let mut harness = harness(&shown);
        let keys = |harness: &mut egui_kittest::Harness<'static>, text: &str| {
            harness.event(egui::Event::Text(text.to_owned()));
            harness.run_steps(2);
            harness.key_press(Key::Enter);
            harness.run_steps(2);
        };
        keys(&mut harness, "undo");
        assert_eq!(shown.borrow().commands, [], "nothing was done yet");
        harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        harness.run_steps(2);
        keys(&mut harness, "select all");
        assert_eq!(shown.borrow().commands, [Command::SelectAll]);
        assert!(
            harness.query_by_label("Search commands").is_none(),
            "it is closed"
        );
    }
}
