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
//! [`Panels`] holds what belongs to the window alone: what is typed but not taken, which tab is open. Which panels there are says
//! [`table`].

pub mod about;
pub mod advice;
pub mod assigned;
pub mod command_palette;
pub mod enabled;
pub mod fields;
pub mod focus;
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
pub mod species;
pub mod status;
pub mod study;
pub mod style;
pub mod table;
#[cfg(test)]
mod testing;
pub mod thumbnail;
pub mod toast;
pub mod toolbar;
pub mod tree;
pub mod values;
mod variables;

use std::collections::VecDeque;
use std::path::Path;

use eframe::egui::{self, Frame, Margin, Panel as Side, Rect, Ui};

use self::command_palette::CommandPalette;
use self::focus::Ring;
use self::gallery::Gallery;
use self::hint::Card;
use self::icons::{Icon, small_icon_button};
use self::path_dialog::PathDialog;
use self::table::{PANELS, Place, Row, View, row};
use self::toast::Toasts;
use super::command::{Command, Panel};
use super::context::{ViewContext, Workspace};
use super::files::dialogs::Ask;
use crate::liquids::panels::{LiquidPanels, status_ui};
use crate::liquids::shot::Probe;
use stokeslet_base::geometry::Point;

pub use enabled::is_enabled;
pub use hint::OnCanvas;
pub use question::{Asked, Choice, ChoiceKind, Question};
pub use toast::{Notice, NoticeKind};

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
pub struct Panels {
    gallery: Gallery,
    toasts: Toasts,
    card: Card,
    ring: Ring,
    questions: VecDeque<Question>,
    answer: Option<(Asked, usize)>,
    above: Option<Above>,
    /// In the order of [`PANELS`].
    views: [Box<dyn View>; PANELS.len()],
    liquids: LiquidPanels,
    /// The tab that is open below the canvas.
    tab: Option<Panel>,
    /// Whether the themes are set.
    is_styled: bool,
    /// What is left for the canvas, as of the last frame.
    canvas: Option<Rect>,
}

impl Default for Panels {
    fn default() -> Self {
        Self {
            gallery: Gallery::default(),
            toasts: Toasts::default(),
            card: Card::default(),
            ring: Ring::default(),
            questions: VecDeque::new(),
            answer: None,
            above: None,
            views: PANELS.map(|row| (row.make)()),
            liquids: LiquidPanels::default(),
            tab: None,
            is_styled: false,
            canvas: None,
        }
    }
}

impl std::fmt::Debug for Panels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Panels")
            .field("above", &self.above)
            .field("tab", &self.tab)
            .finish_non_exhaustive()
    }
}

impl Panels {
    /// Shows a message.
    pub fn notify(&mut self, notice: Notice) {
        self.toasts.add(notice);
    }

    /// Messages with answers have had theirs.
    pub fn forget_questions(&mut self) {
        self.toasts.forget_questions();
    }

    /// Asks; questions wait for each other.
    pub fn ask(&mut self, question: Question) {
        self.questions.push_back(question);
    }

    /// Whether this is being asked, or waits to be.
    pub fn is_asking(&self, asked: Asked) -> bool {
        self.questions
            .iter()
            .any(|question| question.asked == asked)
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
        self.views.iter_mut().for_each(|view| view.forget());
    }

    /// Brings a place of the design's text, a byte, into view where the text is open.
    pub fn show_text(&mut self, place: usize) {
        self.views.iter_mut().for_each(|view| view.show_text(place));
    }

    /// Opens the tab of a panel below the canvas.
    pub fn choose(&mut self, panel: Panel) {
        if row(panel).place == Place::Below {
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

    /// Whether something is typed in a panel that isn't taken yet.
    pub fn is_typing(&self) -> bool {
        self.views.iter().any(|view| view.is_typing())
    }

    /// Puts the cursor into the name of a thing that is selected.
    pub fn edit_name(&mut self, name: &str) {
        for view in &mut self.views {
            view.edit_name(name);
        }
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
        context: &ViewContext<'_>,
        pointer: Option<Point>,
        out: &mut Vec<Command>,
    ) {
        self.bars(ui, context, out);
        let asked = Side::bottom("status")
            .frame(bar(ui, Margin::symmetric(8, 3)))
            .show(ui, |ui| status::status_ui(ui, context, pointer, out));
        if let Some(panel) = asked.inner {
            self.choose(panel);
            if !context.settings.panels.contains(&panel) {
                out.push(Command::TogglePanel(panel));
            }
        }
        if is_open(context, Place::Left) {
            let side = Side::left("palette")
                .resizable(true)
                .default_size(204.0)
                .size_range(120.0..=420.0);
            side.show(ui, |ui| self.headed(ui, context, Place::Left, out));
        }
        let (upper, lower) = (
            is_open(context, Place::Right),
            is_open(context, Place::LowerRight),
        );
        if upper || lower {
            let side = Side::right("inspector")
                .resizable(true)
                .default_size(344.0)
                .size_range(240.0..=620.0);
            side.show(ui, |ui| self.right(ui, context, (upper, lower), out));
        }
        self.below(ui, context, out);
        self.canvas = Some(ui.available_rect_before_wrap());
    }

    /// As [`Panels::around`], where liquids are seen. `pointed` is what is under the pointer.
    pub fn around_liquids(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        pointed: Option<(Point, Option<Probe>)>,
        out: &mut Vec<Command>,
    ) {
        self.bars(ui, context, out);
        Side::bottom("status")
            .frame(bar(ui, Margin::symmetric(8, 3)))
            .show(ui, |ui| status_ui(ui, context, pointed));
        self.liquids.around(ui, context, out);
        self.canvas = Some(ui.available_rect_before_wrap());
    }

    /// Menus and toolbar.
    fn bars(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        if !self.is_styled {
            style::apply(ui.ctx());
            self.is_styled = true;
        }
        Side::top("menu")
            .frame(bar(ui, Margin::symmetric(4, 2)))
            .show_separator_line(false)
            .show(ui, |ui| menu::menu_ui(ui, context, out));
        Side::top("toolbar")
            .frame(bar(ui, Margin::symmetric(8, 3)))
            .show(ui, |ui| toolbar::toolbar_ui(ui, context, out));
    }

    fn right(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        (upper, lower): (bool, bool),
        out: &mut Vec<Command>,
    ) {
        if upper && lower {
            let half = (ui.available_height() * 0.5).max(120.0);
            let side = Side::bottom("results")
                .resizable(true)
                .default_size(half)
                .min_size(90.0);
            side.frame(Frame::new().inner_margin(Margin {
                top: 4,
                ..Margin::ZERO
            }))
            .show(ui, |ui| self.headed(ui, context, Place::LowerRight, out));
        } else if lower {
            return self.headed(ui, context, Place::LowerRight, out);
        }
        self.headed(ui, context, Place::Right, out);
    }

    /// The open panels of a side, with their titles.
    fn headed(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        place: Place,
        out: &mut Vec<Command>,
    ) {
        for (row, view) in PANELS.into_iter().zip(&mut self.views) {
            if row.place == place && context.settings.panels.contains(&row.panel) {
                head(ui, row.panel, out);
                draw(ui, &row, view.as_mut(), context, out);
            }
        }
    }

    /// Tabs below the canvas; a panel without a tab of its own yet opens the first.
    fn below(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let tabs = || {
            let below = PANELS.into_iter();
            let below = below.filter(|row| row.place == Place::Below);
            below
                .map(|row| row.panel)
                .filter(|panel| context.settings.panels.contains(panel))
        };
        let Some(first) = tabs().next() else {
            return;
        };
        let open = self.tab.filter(|open| tabs().any(|tab| tab == *open));
        let open = open.unwrap_or(first);
        let side = Side::bottom("below")
            .resizable(true)
            .default_size(168.0)
            .size_range(80.0..=620.0);
        side.show(ui, |ui| {
            ui.horizontal(|ui| {
                for tab in tabs() {
                    let text = match (tab, problems::counts(context)) {
                        (Panel::Problems, (errors, warnings)) if errors + warnings > 0 => {
                            format!("Problems ({})", errors + warnings)
                        }
                        _ => tab.label().to_owned(),
                    };
                    if ui.selectable_label(tab == open, text).clicked() {
                        self.tab = Some(tab);
                    }
                }
                close(ui, open, out);
            });
            ui.add_space(2.0);
            let rows = PANELS.into_iter().zip(&mut self.views);
            for (row, view) in rows.filter(|(row, _)| row.panel == open) {
                draw(ui, &row, view.as_mut(), context, out);
            }
        });
    }

    /// Draws what is above everything: messages, hints, dialogs, questions. To be called after the canvas.
    pub fn above(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        canvas: &OnCanvas,
        out: &mut Vec<Command>,
    ) {
        let rect = self.canvas.unwrap_or_else(|| ui.max_rect());
        if context.workspace == Workspace::Chip {
            hint::hint_ui(&mut self.card, ui, context, (rect, canvas), out);
        }
        if self.above.is_none() && self.questions.is_empty() {
            self.toasts.ui(ui, rect, out);
        }
        let ctx = ui.ctx().clone();
        let done = match &mut self.above {
            None => false,
            Some(Above::Commands(palette)) => palette.ui(&ctx, context, out),
            Some(Above::Shortcuts) => shortcuts::shortcuts_ui(&ctx),
            Some(Above::About) => about::about_ui(&ctx),
            Some(Above::Gallery) => self.gallery.ui(&ctx, context, out),
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
        self.ring.ui(&ctx);
    }
}

/// Whether a panel of a side is open.
fn is_open(context: &ViewContext<'_>, place: Place) -> bool {
    let mut there = PANELS.into_iter().filter(|row| row.place == place);
    there.any(|row| context.settings.panels.contains(&row.panel))
}

/// A panel in its room.
fn draw(
    ui: &mut Ui,
    row: &Row,
    view: &mut dyn View,
    context: &ViewContext<'_>,
    out: &mut Vec<Command>,
) {
    // A panel is as large as it was made, whatever is in it: what is below or beside doesn't move by itself.
    let room = ui.available_rect_before_wrap();
    let within = egui::UiBuilder::new().max_rect(room).id_salt(row.label);
    let mut inside = ui.new_child(within);
    inside.shrink_clip_rect(room.expand(2.0));
    if row.scrolls {
        let all = egui::ScrollArea::vertical().id_salt(row.label);
        all.auto_shrink(false)
            .show(&mut inside, |ui| view.ui(ui, context, out));
    } else {
        view.ui(&mut inside, context, out);
    }
    ui.advance_cursor_after_rect(room);
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
