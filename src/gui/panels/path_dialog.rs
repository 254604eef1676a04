//! A plain dialog for paths, for systems without dialogs of their own and for tests: a field, and what is in the folder.

use std::fs;
use std::path::{Path, PathBuf};

use eframe::egui::{self, Key, Modal, RichText, Role, TextEdit, WidgetInfo};

use super::shortcuts::title;
use crate::command::Command;
use crate::files::dialogs::Ask;
use crate::liquids::LiquidCommand;

/// Most entries that are listed.
const MOST: usize = 500;

/// The dialog while it is open.
#[derive(Debug)]
pub struct PathDialog {
    ask: Ask,
    text: String,
    /// The text that the list belongs to.
    listed: Option<String>,
    entries: Vec<Entry>,
}

/// An entry of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    path: PathBuf,
    is_folder: bool,
}

impl PathDialog {
    /// Asks, starting with this file or folder.
    pub fn new(ask: Ask, suggested: &Path) -> Self {
        let mut path = std::path::absolute(suggested).unwrap_or_else(|_| suggested.to_owned());
        if !ask.writes() && !path.is_dir() {
            path.pop();
        }
        let mut text = path.display().to_string();
        if path.is_dir() && !text.ends_with(std::path::MAIN_SEPARATOR) {
            text.push(std::path::MAIN_SEPARATOR);
        }
        Self {
            ask,
            text,
            listed: None,
            entries: Vec::new(),
        }
    }

    /// Draws it; `true` when it is done with.
    pub fn ui(&mut self, ctx: &egui::Context, out: &mut Vec<Command>) -> bool {
        if self.listed.as_ref() != Some(&self.text) {
            self.entries = entries(
                Path::new(&self.text),
                self.text.ends_with(std::path::MAIN_SEPARATOR),
                &self.ask.extensions(),
            );
            self.listed = Some(self.text.clone());
        }
        let none = egui::Modifiers::NONE;
        let (tab, enter) = ctx.input_mut(|i| {
            (
                i.consume_key(none, Key::Tab),
                i.consume_key(none, Key::Enter),
            )
        });
        let field = egui::Id::unique("path of a file");
        if tab {
            self.complete();
            let end = self.text.chars().count();
            super::fields::select(ctx, field, end..end);
        }
        let path = PathBuf::from(self.text.trim());
        let verdict = verdict(&self.ask, &path);
        let mut go = enter;
        let mut into = None;
        let response = Modal::new(egui::Id::unique("path dialog")).show(ctx, |ui| {
            ui.set_width(560.0);
            let mut done = title(ui, self.ask.title());
            let edit = ui.add(
                TextEdit::singleline(&mut self.text)
                    .id(field)
                    .lock_focus(true)
                    .desired_width(f32::INFINITY)
                    .hint_text("Path of the file"),
            );
            edit.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Path"));
            edit.request_focus();
            ui.weak("Tab completes a name.");
            let list = egui::ScrollArea::vertical()
                .max_height(260.0)
                .min_scrolled_height(260.0)
                .auto_shrink(false);
            list.show(ui, |ui| {
                for entry in &self.entries {
                    let name = entry.path.file_name().map_or_else(
                        || entry.path.display().to_string(),
                        |n| n.to_string_lossy().into_owned(),
                    );
                    let label = if entry.is_folder {
                        format!("{name}{}", std::path::MAIN_SEPARATOR)
                    } else {
                        name
                    };
                    let text = if entry.is_folder {
                        RichText::new(label).strong()
                    } else {
                        RichText::new(label)
                    };
                    let response = ui.selectable_label(entry.path == path, text);
                    if response.clicked() {
                        into = Some(entry.clone());
                    }
                    if response.double_clicked() && !entry.is_folder {
                        go = true;
                    }
                }
                if self.entries.is_empty() {
                    ui.weak("Nothing here.");
                }
            });
            ui.separator();
            ui.horizontal(|ui| {
                if let Err(why) = &verdict {
                    ui.weak(why);
                }
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                    let button =
                        egui::Button::new(label(&self.ask, &path)).min_size(egui::vec2(84.0, 26.0));
                    go |= ui.add_enabled(verdict.is_ok(), button).clicked();
                    done |= ui
                        .add(egui::Button::new("Cancel").min_size(egui::vec2(84.0, 26.0)))
                        .clicked();
                });
            });
            done
        });
        if let Some(entry) = into {
            self.text = entry.path.display().to_string();
            if entry.is_folder {
                self.text.push(std::path::MAIN_SEPARATOR);
            }
        }
        if go && verdict.is_ok() {
            out.push(self.ask.command(PathBuf::from(self.text.trim())));
            return true;
        }
        response.inner || response.should_close()
    }

    /// The longest beginning that all entries share.
    fn complete(&mut self) {
        let mut names = self
            .entries
            .iter()
            .map(|entry| entry.path.display().to_string());
        let Some(first) = names.next() else {
            return;
        };
        let shared = names.fold(first, |shared, name| {
            let n = shared
                .chars()
                .zip(name.chars())
                .take_while(|(a, b)| a == b)
                .count();
            shared.chars().take(n).collect()
        });
        if shared.len() > self.text.len() {
            self.text = shared;
        }
        if let [
            Entry {
                is_folder: true,
                path,
            },
        ] = self.entries.as_slice()
            && Path::new(&self.text) == path
        {
            self.text.push(std::path::MAIN_SEPARATOR);
        }
    }
}

/// What is in the folder that is typed, beginning with the name that is typed: folders first. Hidden ones only when asked for.
fn entries(typed: &Path, is_folder: bool, extensions: &[&str]) -> Vec<Entry> {
    let (folder, start) = match is_folder {
        true => (typed, String::new()),
        false => {
            let name = typed
                .file_name()
                .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            (typed.parent().unwrap_or(Path::new("")), name)
        }
    };
    let Ok(found) = fs::read_dir(folder) else {
        return Vec::new();
    };
    // A name that is there whole, such as a suggested one, is no search.
    let start = if typed.is_file() {
        String::new()
    } else {
        start
    };
    let mut entries: Vec<Entry> = found
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path
                .file_name()
                .map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            name.starts_with(&start) && (!name.starts_with('.') || start.starts_with('.'))
        })
        .map(|path| Entry {
            is_folder: path.is_dir(),
            path,
        })
        .filter(|entry| {
            let ending = entry.path.extension().and_then(|ending| ending.to_str());
            entry.is_folder || ending.is_some_and(|ending| extensions.contains(&ending))
        })
        .collect();
    entries.sort_by(|a, b| (b.is_folder, &a.path).cmp(&(a.is_folder, &b.path)));
    entries.truncate(MOST);
    entries
}

/// Whether the path can be the answer.
fn verdict(ask: &Ask, path: &Path) -> Result<(), String> {
    if path.as_os_str().is_empty() {
        return Err("Type a path.".to_owned());
    }
    match ask {
        Ask::Open if path.is_dir() => Err("Choose a file of this folder.".to_owned()),
        Ask::Open if !path.exists() => Err("There is no such file.".to_owned()),
        Ask::SaveAs | Ask::Outline(_) | Ask::Picture(_) | Ask::Liquid(_)
            if path.is_dir() || path.file_name().is_none() =>
        {
            Err("Add a name for the file.".to_owned())
        }
        Ask::Export(_) if path.is_file() => {
            Err("That is a file; results need a folder.".to_owned())
        }
        _ => Ok(()),
    }
}

/// On the button: what it will do to what is there.
fn label(ask: &Ask, path: &Path) -> &'static str {
    let target = match ask.command(path.to_owned()) {
        Command::SaveTo(path)
        | Command::OutlineTo(_, path)
        | Command::PictureTo(_, path)
        | Command::Liquid(LiquidCommand::ExportTo(_, path)) => path,
        _ => path.to_owned(),
    };
    match ask {
        Ask::Open => "Open",
        Ask::Export(_) => "Export",
        Ask::SaveAs | Ask::Outline(_) | Ask::Picture(_) | Ask::Liquid(_) if target.is_file() => {
            "Replace"
        }
        Ask::SaveAs | Ask::Outline(_) | Ask::Picture(_) | Ask::Liquid(_) => "Save",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable as _;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("designs")).unwrap();
        fs::create_dir(folder.path().join("empty")).unwrap();
        for name in ["one.toml", "only.toml", "picture.png", ".hidden.toml"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn folders_come_first_and_other_files_are_left_out() {
        let folder = folder();
        let names = |typed: &Path, is_folder| -> Vec<String> {
            let found = entries(typed, is_folder, &["toml"]);
            found
                .iter()
                .map(|e| e.path.file_name().unwrap().to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(
            names(folder.path(), true),
            ["designs", "empty", "one.toml", "only.toml"]
        );
        assert_eq!(
            names(&folder.path().join("on"), false),
            ["one.toml", "only.toml"]
        );
        assert_eq!(names(&folder.path().join("gone").join("x"), false), [""; 0]);
    }

    #[test]
    fn tab_completes_and_enter_opens() {
        let folder = folder();
        let shown = Shown::new(opened_example("tee"));
        shown
            .borrow_mut()
            .panels
            .ask_path(Ask::Open, &folder.path().join("x.toml"));
        let mut harness = harness(&shown);
        harness.get_by_label("Open a design, a scene, a study or another program's chip");
        harness.event(egui::Event::Text("o".to_owned()));
        harness.run_steps(2);
        harness.key_press(Key::Tab);
        harness.run_steps(2);
        harness.event(egui::Event::Text("e".to_owned()));
        harness.run_steps(2);
        harness.key_press(Key::Tab);
        harness.run_steps(2);
        harness.key_press(Key::Enter);
        harness.run_steps(2);
        let want = Command::OpenPath(folder.path().join("one.toml"));
        assert_eq!(shown.borrow().commands, [want]);
    }

    #[test]
    fn the_button_says_when_something_is_replaced() {
        let folder = folder();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(
            label(&Ask::SaveAs, &at("one")),
            "Replace",
            "the ending is added"
        );
        assert_eq!(label(&Ask::SaveAs, &at("two")), "Save");
        assert!(verdict(&Ask::SaveAs, folder.path()).is_err());
        assert!(verdict(&Ask::Open, &at("gone.toml")).is_err());
        assert!(verdict(&Ask::Export(vec![]), &at("one.toml")).is_err());
        assert!(verdict(&Ask::Export(vec![]), &at("new")).is_ok());
    }
}
