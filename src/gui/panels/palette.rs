//! The library as pictures: search, click to place, drag on to the canvas.

use web_time::{Duration, Instant};

use eframe::egui::{
    self, Align2, CollapsingHeader, CursorIcon, Role, Sense, TextEdit, TextStyle, Ui, WidgetInfo,
    vec2,
};
use rustc_hash::FxHashMap;

use super::table::View;
use super::thumbnail::{Colours, Thumbnail};
use crate::canvas::DraggedKind;
use crate::command::Command;
use crate::context::{Tool, ViewContext};
use crate::words::capital;
use stokeslet_cad::library::{Defaults, Definition};

/// Time of a frame for pictures that aren't drawn yet.
const BUDGET: Duration = Duration::from_millis(2);
/// Height of a line of a name, points.
const LINE: f32 = 12.0;
/// Least width of a picture with its name.
const CELL: f32 = 88.0;

/// What the palette remembers.
#[derive(Debug, Default)]
pub struct Palette {
    search: String,
    /// By kind and the chip's default width (bits); `None` where its defaults don't work.
    pictures: FxHashMap<(String, u64), Option<Thumbnail>>,
}

impl View for Palette {
    fn forget(&mut self) {
        self.pictures.clear();
    }

    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let hint = TextEdit::singleline(&mut self.search)
            .hint_text("Search components")
            .desired_width(f32::INFINITY);
        let response = ui.add(hint);
        response.widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Search components"));
        ui.add_space(4.0);
        let definitions = context.library.definitions();
        let found: Vec<&Definition> = definitions
            .into_iter()
            .filter(|d| matches(d, &self.search))
            .collect();
        if response.lost_focus()
            && ui.input(|i| i.key_pressed(egui::Key::Enter))
            && let Some(first) = found.first()
        {
            out.push(Command::SetTool(Tool::Place(first.name.clone())));
        }
        let begin = Instant::now();
        egui::ScrollArea::vertical()
            .auto_shrink(false)
            .show(ui, |ui| {
                if found.is_empty() {
                    ui.weak("No component of this name.");
                    return;
                }
                let mut rest = found.as_slice();
                while let Some(first) = rest.first() {
                    let n = rest.iter().take_while(|d| d.family == first.family).count();
                    let (family, after) = rest.split_at(n);
                    rest = after;
                    let title = if first.family.is_empty() {
                        "others".to_owned()
                    } else {
                        first.family.clone()
                    };
                    let searching = !self.search.trim().is_empty();
                    CollapsingHeader::new(capital(&title))
                        .id_salt(("family", &title))
                        .default_open(true)
                        .open(searching.then_some(true))
                        .show_unindented(ui, |ui| self.family(ui, context, family, begin, out));
                }
            });
    }
}

impl Palette {
    fn family(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        family: &[&Definition],
        begin: Instant,
        out: &mut Vec<Command>,
    ) {
        let gap = 4.0;
        let columns = ((ui.available_width() + gap) / (CELL + gap))
            .floor()
            .max(1.0);
        let width = ((ui.available_width() - gap * (columns - 1.0)) / columns).floor();
        for row in family.chunks(columns as usize) {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing = vec2(gap, gap);
                for definition in row {
                    self.component(ui, context, definition, width, begin, out);
                }
            });
        }
        ui.add_space(4.0);
    }

    fn component(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        definition: &Definition,
        width: f32,
        begin: Instant,
        out: &mut Vec<Command>,
    ) {
        let name = definition.name.as_str();
        let (rect, response) = ui.allocate_exact_size(vec2(width, 74.0), Sense::click_and_drag());
        let chosen = *context.tool == Tool::Place(name.to_owned());
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, chosen, name));
        response.dnd_set_drag_payload(DraggedKind(name.to_owned()));
        if response.clicked() {
            // A second click puts it down again.
            let tool = if chosen {
                Tool::Select
            } else {
                Tool::Place(name.to_owned())
            };
            out.push(Command::SetTool(tool));
        }
        if ui.is_rect_visible(rect) {
            let look = ui.style().interact_selectable(&response, chosen);
            let idle = !chosen && !response.hovered();
            let fill = if idle {
                ui.visuals().faint_bg_color
            } else {
                look.bg_fill
            };
            ui.painter()
                .rect(rect, 4.0, fill, look.bg_stroke, egui::StrokeKind::Inside);
            let font = TextStyle::Small.resolve(ui.style());
            let lines = lines(ui, &name.replace('_', " "), &font, width - 8.0);
            let room = rect
                .shrink2(vec2(8.0, 6.0))
                .with_max_y(rect.bottom() - 8.0 - LINE * lines.len() as f32);
            match self.picture(ui, context, name, begin) {
                Some(picture) => picture.paint(ui.painter(), room, Colours::of(ui)),
                None => {
                    ui.painter().text(
                        room.center(),
                        Align2::CENTER_CENTER,
                        "…",
                        TextStyle::Body.resolve(ui.style()),
                        look.text_color(),
                    );
                }
            }
            for (k, line) in lines.iter().rev().enumerate() {
                let at = rect.center_bottom() - vec2(0.0, 5.0 + LINE * k as f32);
                let color = look.text_color();
                ui.painter()
                    .text(at, Align2::CENTER_BOTTOM, line, font.clone(), color);
            }
        }
        response
            .on_hover_cursor(CursorIcon::Grab)
            .on_hover_ui(|ui| {
                ui.set_max_width(320.0);
                ui.strong(name);
                ui.label(&definition.doc);
                let names: Vec<&str> = definition
                    .parameters
                    .iter()
                    .map(|p| p.name.as_str())
                    .collect();
                if !names.is_empty() {
                    ui.weak(format!("Parameters: {}", names.join(", ")));
                }
                ui.weak("Click, then click on the canvas; or drag it there.");
            });
    }

    /// The picture of a component with its defaults, if it is drawn or there is time to draw it.
    fn picture(
        &mut self,
        ui: &Ui,
        context: &ViewContext<'_>,
        kind: &str,
        begin: Instant,
    ) -> Option<&Thumbnail> {
        let defaults = defaults(context);
        let key = (kind.to_owned(), defaults.width.to_bits());
        if !self.pictures.contains_key(&key) {
            if begin.elapsed() > BUDGET {
                ui.ctx().request_repaint();
                return None;
            }
            let realised = context.library.realise(kind, &[], &defaults);
            let picture = realised
                .ok()
                .map(|realised| Thumbnail::of_component(&realised));
            self.pictures.insert(key.clone(), picture);
        }
        self.pictures.get(&key)?.as_ref()
    }
}

/// What the chip says for all its components; that of a new design where it can't be read.
pub fn defaults(context: &ViewContext<'_>) -> Defaults {
    match &context.document.design {
        Some(design) => Defaults {
            width: design.width.0,
            depth: design.depth.map(|depth| depth.0),
        },
        None => Defaults {
            width: 1e-4,
            depth: Some(5e-5),
        },
    }
}

/// Whether all words of a search are in name, family or doc.
pub fn matches(definition: &Definition, search: &str) -> bool {
    let text = format!(
        "{} {} {}",
        definition.name.replace('_', " "),
        definition.family,
        definition.doc
    )
    .to_lowercase();
    let search = search.to_lowercase().replace('_', " ");
    search.split_whitespace().all(|word| text.contains(word))
}

/// A name in one line or, where it is too long and has words, in two.
fn lines(ui: &Ui, name: &str, font: &egui::FontId, width: f32) -> Vec<String> {
    let whole = fitting(ui, name, font, width);
    match name.rsplit_once(' ') {
        Some((first, last)) if whole != name => {
            vec![
                fitting(ui, first, font, width),
                fitting(ui, last, font, width),
            ]
        }
        _ => vec![whole],
    }
}

/// As many letters as fit, with an ellipsis where some don't.
pub fn fitting(ui: &Ui, text: &str, font: &egui::FontId, width: f32) -> String {
    let wide = |text: &str| {
        ui.fonts_mut(|fonts| {
            fonts
                .layout_no_wrap(text.to_owned(), font.clone(), egui::Color32::BLACK)
                .size()
                .x
        })
    };
    if wide(text) <= width {
        return text.to_owned();
    }
    let mut letters: Vec<char> = text.chars().collect();
    while letters.pop().is_some() {
        let shorter: String = letters.iter().chain(['…'].iter()).collect();
        if wide(&shorter) <= width {
            return shorter;
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened_example};
    use egui_kittest::kittest::Queryable as _;
    use stokeslet_cad::library::Library;

    #[test]
    fn search_finds_by_name_family_and_doc() {
        let library = Library::embedded();
        let found = |search: &str| -> Vec<&str> {
            let all = library.definitions();
            all.into_iter()
                .filter(|d| matches(d, search))
                .map(|d| d.name.as_str())
                .collect()
        };
        assert_eq!(found("").len(), library.definitions().len());
        assert!(found("serp").contains(&"serpentine_round"));
        assert!(found("serpentine round").contains(&"serpentine_round"));
        assert!(found("MIXERS").contains(&"spiral"));
        assert!(found("no such thing").is_empty());
    }

    #[test]
    fn a_click_chooses_what_is_placed() {
        let shown = Shown::new(opened_example("tee"));
        let mut harness = harness(&shown);
        harness.get_by_label("uturn").click();
        harness.run_steps(2);
        assert_eq!(
            shown.borrow().commands,
            [Command::SetTool(Tool::Place("uturn".into()))]
        );
    }
}
