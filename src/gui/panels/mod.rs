//! Everything around the canvas, and what pops up above it: read-only state in, commands out.
//!
//! ```text
//! +--------------------------------------------+
//! | menu                                       |
//! | toolbar                                    |
//! +---------+----------------------+-----------+
//! | palette |        canvas        | inspector |
//! |         |                      | results   |
//! |         +----------------------+           |
//! |         | problems, source ... |           |
//! +---------+----------------------+-----------+
//! | status                                     |
//! +--------------------------------------------+
//! ```
//! [`Panels`] holds what belongs to the window alone: what is typed but not taken, which tab is open. Panels of results come
//! from elsewhere as [`Guest`]s.

pub mod about;
pub mod command_palette;
pub mod enabled;
pub mod fields;
pub mod gallery;
pub mod hint;
pub mod history;
pub mod icons;
pub mod inspector;
pub mod menu;
pub mod method;
pub mod palette;
pub mod path_dialog;
pub mod problems;
pub mod profiles;
pub mod question;
pub mod results;
pub mod shortcuts;
pub mod source;
pub mod status;
pub mod style;
#[cfg(test)]
mod testing;
pub mod thumbnail;
pub mod toast;
pub mod toolbar;
pub mod values;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use eframe::egui::{self, Frame, Margin, Panel as Side, Rect, Ui};

use self::command_palette::CommandPalette;
use self::gallery::Gallery;
use self::icons::{Icon, small_icon_button};
use self::inspector::Inspector;
use self::palette::Palette;
use self::path_dialog::PathDialog;
use self::source::Source;
use self::toast::Toasts;
use super::command::{Command, Panel};
use super::files::dialogs::Ask;
use super::seen::{Seen, Workspace};
use crate::liquids::panels::{LiquidPanels, status_ui};
use crate::liquids::shot::Probe;
use stokeslet_base::geometry::Point;

pub use enabled::is_enabled;
pub use question::{Asked, Choice, ChoiceKind, Question};
pub use toast::{Notice, NoticeKind};

/// A panel that is drawn by someone else, who keeps its state.
pub type Guest = Box<dyn FnMut(&mut Ui, &Seen<'_>, &mut Vec<Command>)>;

/// Panels that are tabs below the canvas, in their order.
const BELOW: [Panel; 5] = [
    Panel::Problems,
    Panel::Profiles,
    Panel::Method,
    Panel::History,
    Panel::Source,
];

/// What is above everything else; one at a time.
#[derive(Debug)]
enum Above {
    Commands(CommandPalette),
    Shortcuts,
    About,
    Gallery,
    Path(PathDialog),
}

/// The panels, with what belongs to the window alone.
#[derive(Default)]
pub struct Panels {
    palette: Palette,
    inspector: Inspector,
    source: Source,
    gallery: Gallery,
    toasts: Toasts,
    questions: VecDeque<Question>,
    answer: Option<(Asked, usize)>,
    above: Option<Above>,
    guests: BTreeMap<Panel, Guest>,
    liquids: LiquidPanels,
    /// The tab that is open below the canvas.
    tab: Option<Panel>,
    /// Whether the themes are set.
    is_styled: bool,
    /// What is left for the canvas, as of the last frame.
    canvas: Option<Rect>,
}

impl std::fmt::Debug for Panels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let guests: Vec<&Panel> = self.guests.keys().collect();
        f.debug_struct("Panels")
            .field("above", &self.above)
            .field("tab", &self.tab)
            .field("guests", &guests)
            .finish_non_exhaustive()
    }
}

impl Panels {
    /// Takes in a panel of someone else: results, profiles, method.
    pub fn host(&mut self, panel: Panel, guest: Guest) {
        self.guests.insert(panel, guest);
    }

    /// Shows a message.
    pub fn notify(&mut self, notice: Notice) {
        self.toasts.add(notice);
    }

    /// Asks; questions wait for each other.
    pub fn ask(&mut self, question: Question) {
        self.questions.push_back(question);
    }

    /// The answer to a question, once: which one, counted from 0. Its commands were pushed already.
    pub fn answered(&mut self) -> Option<(Asked, usize)> {
        self.answer.take()
    }

    /// Asks for a path in the window, where the system has no dialogs.
    pub fn ask_path(&mut self, ask: Ask, suggested: &Path) {
        self.above = Some(Above::Path(PathDialog::new(ask, suggested)));
    }

    /// The library is another: what was known of it is forgotten.
    pub fn library_changed(&mut self) {
        self.palette.forget();
        self.inspector.forget();
    }

    /// Opens the tab of a panel below the canvas.
    pub fn choose(&mut self, panel: Panel) {
        if BELOW.contains(&panel) {
            self.tab = Some(panel);
        }
    }

    /// Closes what is above everything, but for questions.
    pub fn close_windows(&mut self) {
        self.above = None;
    }

    /// Whether a window is above everything: keys are its own then.
    pub fn is_modal(&self) -> bool {
        self.above.is_some() || !self.questions.is_empty()
    }

    /// Whether something is typed in the inspector that isn't taken yet.
    pub fn is_typing(&self) -> bool {
        self.inspector.is_typing()
    }

    /// Puts the cursor into the name of a thing that is selected.
    pub fn edit_name(&mut self, name: &str) {
        self.inspector.edit_name(name);
    }

    /// Does what a command asks of the panels; to be called with every command that is applied. Whether there was anything.
    pub fn hear(&mut self, command: &Command) -> bool {
        match command {
            Command::CommandPalette => {
                self.above = Some(Above::Commands(CommandPalette::default()))
            }
            Command::Shortcuts => self.above = Some(Above::Shortcuts),
            Command::About => self.above = Some(Above::About),
            Command::Gallery => self.above = Some(Above::Gallery),
            Command::TogglePanel(panel) => {
                self.choose(*panel);
                return false;
            }
            _ => return false,
        }
        true
    }

    /// Draws everything around the canvas; what is left of `ui` is the canvas's. `pointer` is where it is on the chip, m.
    pub fn around(
        &mut self,
        ui: &mut Ui,
        seen: &Seen<'_>,
        pointer: Option<Point>,
        out: &mut Vec<Command>,
    ) {
        self.bars(ui, seen, out);
        let asked = Side::bottom("status")
            .frame(bar(ui, Margin::symmetric(8, 3)))
            .show(ui, |ui| status::status_ui(ui, seen, pointer, out));
        if asked.inner {
            self.tab = Some(Panel::Problems);
            if !seen.settings.panels.contains(&Panel::Problems) {
                out.push(Command::TogglePanel(Panel::Problems));
            }
        }
        let shown = |panel: Panel| seen.settings.panels.contains(&panel);
        if shown(Panel::Palette) {
            let side = Side::left("palette")
                .resizable(true)
                .default_size(204.0)
                .size_range(120.0..=420.0);
            side.show(ui, |ui| {
                head(ui, Panel::Palette, out);
                self.palette.ui(ui, seen, out);
            });
        }
        let results = shown(Panel::Results) && self.guests.contains_key(&Panel::Results);
        if shown(Panel::Inspector) || results {
            let side = Side::right("inspector")
                .resizable(true)
                .default_size(344.0)
                .size_range(240.0..=620.0);
            side.show(ui, |ui| {
                self.right(ui, seen, shown(Panel::Inspector), results, out)
            });
        }
        self.below(ui, seen, out);
        self.canvas = Some(ui.available_rect_before_wrap());
    }

    /// As [`Panels::around`], where liquids are seen. `pointed` is what is under the pointer.
    pub fn around_liquids(
        &mut self,
        ui: &mut Ui,
        seen: &Seen<'_>,
        pointed: Option<(Point, Option<Probe>)>,
        out: &mut Vec<Command>,
    ) {
        self.bars(ui, seen, out);
        Side::bottom("status")
            .frame(bar(ui, Margin::symmetric(8, 3)))
            .show(ui, |ui| status_ui(ui, seen, pointed));
        self.liquids.around(ui, seen, out);
        self.canvas = Some(ui.available_rect_before_wrap());
    }

    /// Menus and toolbar.
    fn bars(&mut self, ui: &mut Ui, seen: &Seen<'_>, out: &mut Vec<Command>) {
        if !self.is_styled {
            style::apply(ui.ctx());
            self.is_styled = true;
        }
        Side::top("menu")
            .frame(bar(ui, Margin::symmetric(4, 2)))
            .show_separator_line(false)
            .show(ui, |ui| menu::menu_ui(ui, seen, out));
        Side::top("toolbar")
            .frame(bar(ui, Margin::symmetric(8, 3)))
            .show(ui, |ui| toolbar::toolbar_ui(ui, seen, out));
    }

    fn right(
        &mut self,
        ui: &mut Ui,
        seen: &Seen<'_>,
        inspector: bool,
        results: bool,
        out: &mut Vec<Command>,
    ) {
        if results {
            let mut draw = |ui: &mut Ui, out: &mut Vec<Command>| {
                head(ui, Panel::Results, out);
                let all = egui::ScrollArea::vertical().id_salt("results");
                all.auto_shrink(false).show(ui, |ui| {
                    if let Some(guest) = self.guests.get_mut(&Panel::Results) {
                        guest(ui, seen, out);
                    }
                });
            };
            if inspector {
                let half = (ui.available_height() * 0.5).max(120.0);
                let side = Side::bottom("results")
                    .resizable(true)
                    .default_size(half)
                    .min_size(90.0);
                side.frame(Frame::new().inner_margin(Margin {
                    top: 4,
                    ..Margin::ZERO
                }))
                .show(ui, |ui| draw(ui, out));
            } else {
                draw(ui, out);
                return;
            }
        }
        head(ui, Panel::Inspector, out);
        self.inspector.ui(ui, seen, out);
    }

    /// Tabs below the canvas; a panel without a tab of its own yet opens the first.
    fn below(&mut self, ui: &mut Ui, seen: &Seen<'_>, out: &mut Vec<Command>) {
        let has_guest = |panel: &Panel| {
            !matches!(panel, Panel::Profiles | Panel::Method) || self.guests.contains_key(panel)
        };
        let tabs: Vec<Panel> = BELOW
            .into_iter()
            .filter(|p| seen.settings.panels.contains(p) && has_guest(p))
            .collect();
        let Some(first) = tabs.first() else {
            return;
        };
        let open = self.tab.filter(|tab| tabs.contains(tab)).unwrap_or(*first);
        let side = Side::bottom("below")
            .resizable(true)
            .default_size(168.0)
            .size_range(80.0..=620.0);
        side.show(ui, |ui| {
            ui.horizontal(|ui| {
                for tab in &tabs {
                    let text = match (tab, problems::counts(seen)) {
                        (Panel::Problems, (errors, warnings)) if errors + warnings > 0 => {
                            format!("Problems ({})", errors + warnings)
                        }
                        _ => tab.label().to_owned(),
                    };
                    if ui.selectable_label(*tab == open, text).clicked() {
                        self.tab = Some(*tab);
                    }
                }
                close(ui, open, out);
            });
            ui.add_space(2.0);
            match open {
                Panel::Problems => problems::problems_ui(ui, seen, out),
                Panel::History => history::history_ui(ui, seen, out),
                Panel::Source => self.source.ui(ui, seen, out),
                // A plot takes what room there is; a table scrolls in it.
                Panel::Method => {
                    let all = egui::ScrollArea::vertical().id_salt("method");
                    all.auto_shrink(false).show(ui, |ui| {
                        if let Some(guest) = self.guests.get_mut(&Panel::Method) {
                            guest(ui, seen, out);
                        }
                    });
                }
                other => {
                    if let Some(guest) = self.guests.get_mut(&other) {
                        guest(ui, seen, out);
                    }
                }
            }
        });
    }

    /// Draws what is above everything: messages, hints, dialogs, questions. To be called after the canvas.
    pub fn above(&mut self, ui: &mut Ui, seen: &Seen<'_>, out: &mut Vec<Command>) {
        let rect = self.canvas.unwrap_or_else(|| ui.max_rect());
        if seen.workspace == Workspace::Chip {
            hint::hint_ui(ui, seen, rect, out);
        }
        self.toasts.ui(ui, rect);
        let ctx = ui.ctx().clone();
        let done = match &mut self.above {
            None => false,
            Some(Above::Commands(palette)) => palette.ui(&ctx, seen, out),
            Some(Above::Shortcuts) => shortcuts::shortcuts_ui(&ctx),
            Some(Above::About) => about::about_ui(&ctx),
            Some(Above::Gallery) => self.gallery.ui(&ctx, seen, out),
            Some(Above::Path(dialog)) => dialog.ui(&ctx, out),
        };
        if done {
            self.above = None;
        }
        if let Some(question) = self.questions.front()
            && let Some(k) = question.ui(&ctx)
        {
            out.extend(
                question
                    .choices
                    .get(k)
                    .into_iter()
                    .flat_map(|choice| choice.commands.clone()),
            );
            self.answer = Some((question.asked, k));
            self.questions.pop_front();
        }
    }
}

/// How menus, toolbar and status line are framed.
fn bar(ui: &Ui, margin: Margin) -> Frame {
    Frame::side_top_panel(ui.style()).inner_margin(margin)
}

/// The name of a panel, and a way to close it.
fn head(ui: &mut Ui, panel: Panel, out: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        ui.strong(panel.label());
        close(ui, panel, out);
    });
    ui.add_space(2.0);
}

fn close(ui: &mut Ui, panel: Panel, out: &mut Vec<Command>) {
    ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
        ui.scope(|ui| {
            let name = format!("Close {}", panel.label());
            if small_icon_button(ui, Icon::Close, &name)
                .on_hover_text(&name)
                .clicked()
            {
                out.push(Command::TogglePanel(panel));
            }
        });
    });
}
