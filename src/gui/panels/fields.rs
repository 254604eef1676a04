//! Text fields for values with units: what can't be read stays as typed, underlined, with what to do about it; a number can be
//! dragged.
//!
//! A field shows the document's value until someone types; then it shows what they type until that is taken (Enter, or leaving
//! the field) or given up (Escape). A text that is not understood is kept even when the field is left.

use eframe::egui::{
    self, CursorIcon, Key, Response, RichText, Role, Sense, Stroke, TextEdit, Ui, WidgetInfo,
};
use rustc_hash::FxHashMap;

use super::values::{Measure, dragged};

/// What was typed into one field and isn't taken yet.
#[derive(Clone, Debug)]
struct Draft {
    text: String,
    /// What the field showed when the typing began: when the document changes meanwhile, the typing is out of date.
    over: String,
}

/// A field whose number is being dragged.
#[derive(Clone, Debug)]
struct Dragged {
    key: String,
    /// Its text when the drag began.
    start: String,
    /// How far the pointer went since, points.
    travelled: f32,
    /// The text that was asked for last; at first what was there.
    asked: String,
}

/// All drafts, by field.
#[derive(Debug, Default)]
pub struct Fields {
    drafts: FxHashMap<String, Draft>,
    /// The field being dragged.
    drag: Option<Dragged>,
    /// The field that gets the keyboard when it is drawn next, all of its text selected.
    wanted: Option<String>,
    /// Problem of the field just drawn: said below its row.
    problem: Option<String>,
}

/// How a field is shown.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Tells it from all other fields, such as `y1.angle`.
    pub key: &'a str,
    /// What tests and screen readers call it.
    pub label: &'a str,
    /// The document's value.
    pub shown: &'a str,
    /// Whether the value is the default: shown in grey.
    pub is_default: bool,
    /// What it is, in the tooltip.
    pub doc: &'a str,
    /// Set where dragging the number makes sense.
    pub measure: Option<Measure>,
    /// Points wide.
    pub width: f32,
}

/// Width of the names beside fields.
pub const NAMES: f32 = 96.0;

/// A row: a name, and what stands beside it.
pub fn row<R>(ui: &mut Ui, name: &str, doc: &str, beside: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        let size = egui::vec2(NAMES, ui.spacing().interact_size.y);
        let layout = egui::Layout::left_to_right(egui::Align::Center);
        let response = ui.allocate_ui_with_layout(size, layout, |ui| {
            ui.set_min_size(size);
            ui.add(egui::Label::new(name).truncate().selectable(false))
        });
        if !doc.is_empty() {
            response.inner.on_hover_text(doc);
        }
        beside(ui)
    })
    .inner
}

impl Fields {
    /// A row with a name and a field, and what stands after it; what is wrong with the text is said below.
    pub fn row<T: PartialEq>(
        &mut self,
        ui: &mut Ui,
        name: &str,
        field: &Field<'_>,
        read: impl Fn(&str) -> Result<T, String>,
        after: impl FnOnce(&mut Ui),
    ) -> Option<T> {
        let value = row(ui, name, field.doc, |ui| {
            let value = self.show(ui, field, read);
            after(ui);
            value
        });
        self.say(ui);
        value
    }

    /// Gives the keyboard to a field the next time it is drawn.
    pub fn focus(&mut self, key: String) {
        self.wanted = Some(key);
    }

    /// What is wrong with the text of the fields drawn since the last call.
    pub fn say(&mut self, ui: &mut Ui) {
        if let Some(problem) = self.problem.take() {
            let said = RichText::new(problem)
                .small()
                .color(ui.visuals().error_fg_color);
            ui.add(egui::Label::new(said).wrap());
        }
    }

    /// Draws a field. Returns the value once it was typed or dragged and could be read; unchanged values are not returned.
    pub fn show<T: PartialEq>(
        &mut self,
        ui: &mut Ui,
        field: &Field<'_>,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let read = |text: &str| read(&with_unit(text, field.shown, field.measure));
        let id = ui.make_persistent_id(("field", field.key));
        let focused = ui.memory(|memory| memory.has_focus(id));
        let out_of_date = |draft: &Draft| draft.over != field.shown && !focused;
        if self.drafts.get(field.key).is_some_and(out_of_date) {
            self.drafts.remove(field.key);
        }
        let draft = self.drafts.get(field.key).map(|draft| draft.text.clone());
        // What is dragged is seen at once; a large chip has it later.
        let dragged = self.drag.as_ref().filter(|drag| drag.key == field.key);
        let dragged = dragged.map(|drag| drag.asked.clone());
        let mut text = dragged
            .or_else(|| draft.clone())
            .unwrap_or_else(|| field.shown.to_owned());
        let problem = draft.as_deref().and_then(|text| read(text).err());
        let response = self.edit(ui, id, field, &mut text, problem.as_deref());
        if self.wanted.take_if(|key| key == field.key).is_some() {
            select(ui.ctx(), response.id, 0..text.chars().count());
            response.request_focus();
        }
        if response.changed() {
            let over = field.shown.to_owned();
            self.drafts.insert(
                field.key.to_owned(),
                Draft {
                    text: text.clone(),
                    over,
                },
            );
        }
        if let Some(problem) = &problem {
            let line = response.rect.shrink2(egui::vec2(3.0, 2.0));
            let stroke = Stroke::new(1.5, ui.visuals().error_fg_color);
            ui.painter()
                .line_segment([line.left_bottom(), line.right_bottom()], stroke);
            self.problem = Some(problem.clone());
        }
        if let Some(value) = self.dragging(ui, &response, field, &read) {
            return Some(value);
        }
        if response.lost_focus() && draft.is_some() {
            if ui.input(|i| i.key_pressed(Key::Escape)) {
                self.drafts.remove(field.key);
                return None;
            }
            if let Ok(value) = read(&text) {
                self.drafts.remove(field.key);
                let unchanged = read(field.shown).is_ok_and(|old| old == value);
                return (!unchanged).then_some(value);
            }
            // What is typed next is typed here, not on the canvas.
            if ui.input(|i| i.key_pressed(Key::Enter)) {
                response.request_focus();
            }
        }
        None
    }

    fn edit(
        &self,
        ui: &mut Ui,
        id: egui::Id,
        field: &Field<'_>,
        text: &mut String,
        problem: Option<&str>,
    ) -> Response {
        let font = egui::TextStyle::Body.resolve(ui.style());
        let colour = ui.visuals().text_color();
        let line = |fonts: &mut egui::epaint::text::FontsView<'_>| {
            fonts.layout_no_wrap(text.clone(), font.clone(), colour)
        };
        // Whole where there is room for it, beside a button.
        let wanted = ui.fonts_mut(line).size().x + 10.0;
        let room = (ui.available_width() - 60.0).max(field.width);
        let mut edit = TextEdit::singleline(text)
            .id(id)
            .desired_width(wanted.clamp(field.width, room))
            .clip_text(true);
        if field.is_default && problem.is_none() {
            edit = edit.text_color(ui.visuals().weak_text_color());
        }
        let response = ui.add(edit);
        let (label, value) = (field.label.to_owned(), text.clone());
        response.widget_info(|| WidgetInfo {
            label: Some(label.clone()),
            current_text_value: Some(value.clone()),
            ..WidgetInfo::new(Role::TextInput)
        });
        response
    }

    /// Over a field that nobody types in: a drag changes the number, a click selects the text to be typed over.
    fn dragging<T: PartialEq>(
        &mut self,
        ui: &Ui,
        response: &Response,
        field: &Field<'_>,
        read: &impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        if response.has_focus() {
            return None;
        }
        // Not focusable: the keyboard goes to the text alone.
        let sense = match field.measure {
            Some(_) => Sense::CLICK | Sense::DRAG,
            None => Sense::CLICK,
        };
        let over = ui.interact(response.rect, response.id.with("over"), sense);
        if over.clicked() {
            let typed = self
                .drafts
                .get(field.key)
                .map_or(field.shown, |d| d.text.as_str());
            select(ui.ctx(), response.id, 0..typed.chars().count());
            response.request_focus();
        }
        let mut tip = field.doc.to_owned();
        if field.is_default {
            tip.push_str("\nNot in the file: this is the default.");
        }
        if field.measure.is_some() {
            tip.push_str("\nDrag to change, click to type.");
        }
        let over = match field.measure {
            Some(_) => over.on_hover_cursor(CursorIcon::ResizeHorizontal),
            None => over.on_hover_cursor(CursorIcon::Text),
        };
        let over = match tip.trim() {
            "" => over,
            tip => over.on_hover_text(tip),
        };
        let measure = field.measure?;
        if over.drag_started() {
            self.drag = Some(Dragged {
                key: field.key.to_owned(),
                start: field.shown.to_owned(),
                travelled: 0.0,
                asked: field.shown.to_owned(),
            });
        }
        let drag = self.drag.as_mut().filter(|drag| drag.key == field.key)?;
        drag.travelled += over.drag_delta().x;
        let value = dragged(&drag.start, drag.travelled, measure);
        let asked = drag.asked.clone();
        if over.drag_stopped() || !over.dragged() {
            self.drag = None;
        }
        let value = value?;
        let text = match measure {
            Measure::Quantity(dimension) => super::values::show_quantity(value, dimension),
            Measure::Number | Measure::Count => value.to_string(),
        };
        // Compared as shown: rounding must not make steps of its own. With what was asked for, which a large chip shows later.
        if text == asked {
            return None;
        }
        let value = read(&text).ok()?;
        if let Some(drag) = &mut self.drag {
            drag.asked = text;
        }
        self.drafts.remove(field.key);
        Some(value)
    }

    /// Whether the number of a field is being dragged.
    pub fn is_dragging(&self, key: &str) -> bool {
        self.drag.as_ref().is_some_and(|drag| drag.key == key)
    }

    /// Whether something is typed that isn't taken yet.
    pub fn is_typing(&self) -> bool {
        !self.drafts.is_empty()
    }
}

/// A plain number is in the unit that the field shows.
fn with_unit(text: &str, shown: &str, measure: Option<Measure>) -> String {
    let is_number = text.trim().parse::<f64>().is_ok_and(f64::is_finite);
    match (measure, unit_of(shown)) {
        (Some(Measure::Quantity(_)), Some(unit)) if is_number => format!("{} {unit}", text.trim()),
        _ => text.to_owned(),
    }
}

/// What stands after the number.
pub fn unit_of(shown: &str) -> Option<&str> {
    let shown = shown.trim();
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    let unit = shown.trim_start_matches(is_number).trim();
    (unit.len() < shown.len() && !unit.is_empty()).then_some(unit)
}

/// Gives a widget without words of its own the name that stands beside it.
pub fn named(response: &Response, role: Role, name: &str) {
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
}

/// A tick box of a row; the new state once it is clicked.
pub fn tick(ui: &mut Ui, name: &str, is_so: bool, doc: &str) -> Option<bool> {
    let mut ticked = is_so;
    let response = ui.checkbox(&mut ticked, "");
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, ticked, name));
    let response = if doc.is_empty() {
        response
    } else {
        response.on_hover_text(doc)
    };
    response.changed().then_some(ticked)
}

/// Selects these letters of a text field; equal ends put the cursor there.
pub fn select(ctx: &egui::Context, id: egui::Id, letters: std::ops::Range<usize>) {
    let mut state = TextEdit::load_state(ctx, id).unwrap_or_default();
    let at = |letter: usize| egui::text::CCursor::new(letter);
    let range = egui::text::CCursorRange::two(at(letters.start), at(letters.end));
    state.cursor.set_char_range(Some(range));
    TextEdit::store_state(ctx, id, state);
}
