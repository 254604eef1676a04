//! The list of scenes and that of tanks with small pictures, and how finely the chosen one is computed.

use std::collections::BTreeMap;

use eframe::egui::text::LayoutJob;
use eframe::egui::{
    Align, Color32, ColorImage, ComboBox, CursorIcon, FontSelection, Label, Rect, RichText, Role,
    ScrollArea, Sense, StrokeKind, TextureHandle, TextureOptions, Ui, UiBuilder, WidgetInfo, pos2,
    vec2,
};

use super::push;
use crate::command::Command;
use crate::context::ViewContext;
use crate::liquids::command::{LiquidCommand, size_text, title};
use crate::liquids::settings::sizes;
use crate::liquids::subjects::{AnySubject, Group, Subject, SubjectEntry, subjects};
use crate::words::capital;

/// Pixels a side of a picture.
const SIDE: usize = 96;
/// The same on the screen, points.
const SHOWN: f32 = 46.0;
/// Height of a card.
const CARD: f32 = 60.0;

/// What the list remembers: pictures by name, of one theme; sizes of what was chosen last; the group that is listed, and what was
/// chosen when it was: another choice brings its own group.
#[derive(Default)]
pub struct Scenes {
    pictures: BTreeMap<String, TextureHandle>,
    is_dark: bool,
    sizes: Option<(String, Vec<usize>)>,
    listed: Option<(String, Group)>,
}

impl std::fmt::Debug for Scenes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scenes").finish_non_exhaustive()
    }
}

impl Scenes {
    /// Draws the list.
    pub fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let is_dark = ui.visuals().dark_mode;
        if self.is_dark != is_dark {
            self.pictures.clear();
            self.is_dark = is_dark;
        }
        ui.add_space(2.0);
        let chosen = context.settings.liquids.group();
        ui.strong(match chosen {
            Group::System(_) => "Size",
            _ => "Grid",
        });
        ui.add_space(2.0);
        match chosen {
            Group::System(_) => scale(ui, context, out),
            _ => self.size(ui, context, out),
        }
        volume(ui, context, out);
        ui.add_space(6.0);
        let group = self.group(ui, context);
        ui.add_space(2.0);
        ScrollArea::vertical()
            .id_salt(group.label())
            .auto_shrink(false)
            .show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 3.0;
                let own = context.settings.liquids.own.as_ref().map(|own| &own.entry);
                let all = own.into_iter().chain(subjects());
                for entry in all.filter(|entry| entry.group == group) {
                    self.card(ui, context, entry, out);
                }
                if group.system().is_some() {
                    ui.weak("Your own: File > Open, or drop its file here");
                }
            });
    }

    /// Which group is listed; the other is a click away.
    fn group(&mut self, ui: &mut Ui, context: &ViewContext<'_>) -> Group {
        let chosen = &context.settings.liquids.scene;
        let listed = self.listed.as_ref().filter(|(of, _)| of == chosen);
        let mut group = listed.map_or(context.settings.liquids.group(), |(_, group)| *group);
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for other in Group::all() {
                let label = RichText::new(other.label()).strong();
                let label = ui.selectable_label(group == other, label);
                if label.on_hover_text(other.summary()).clicked() {
                    group = other;
                }
            }
        });
        self.listed = Some((chosen.clone(), group));
        group
    }

    fn size(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let settings = &context.settings.liquids;
        let scene = &settings.scene;
        if self.sizes.as_ref().is_none_or(|(of, _)| of != scene) {
            self.sizes = Some((scene.clone(), sizes(scene)));
        }
        let offered = self.sizes.as_ref().map_or(&[][..], |(_, sizes)| sizes);
        let now = settings.size();
        let combo = ComboBox::from_id_salt("liquid size")
            .width(ui.available_width() - 12.0)
            .selected_text(size_text(scene, now));
        let response = combo.show_ui(ui, |ui| {
            for &size in offered {
                if ui
                    .selectable_label(size == now, size_text(scene, size))
                    .clicked()
                {
                    push(out, LiquidCommand::Size(size));
                }
            }
        });
        response
            .response
            .on_hover_text("Cells a side; another number starts anew");
    }

    fn card(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        entry: &SubjectEntry,
        out: &mut Vec<Command>,
    ) {
        let width = ui.available_width() - 2.0;
        let (rect, response) = ui.allocate_exact_size(vec2(width, CARD), Sense::click());
        let is_chosen = context.settings.liquids.scene == entry.name;
        let name = format!("{} {}", capital(entry.group.noun()), title(&entry.name));
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, is_chosen, &name));
        if ui.is_rect_visible(rect) {
            let visuals = ui.visuals();
            let (fill, edge) = match (is_chosen, response.hovered()) {
                (true, _) => (
                    visuals.selection.bg_fill.gamma_multiply(0.35),
                    visuals.selection.stroke,
                ),
                (false, true) => (
                    visuals.widgets.hovered.weak_bg_fill,
                    visuals.widgets.hovered.bg_stroke,
                ),
                (false, false) => (
                    visuals.extreme_bg_color,
                    visuals.widgets.noninteractive.bg_stroke,
                ),
            };
            ui.painter().rect(rect, 5.0, fill, edge, StrokeKind::Inside);
            let mut words = rect.shrink2(vec2(8.0, 5.0));
            // How another system's scene looks is known once it runs.
            if entry.group.system().is_none() {
                let picture = Rect::from_center_size(
                    pos2(rect.left() + 8.0 + SHOWN / 2.0, rect.center().y),
                    vec2(SHOWN, SHOWN),
                );
                let uv = Rect::from_min_max(pos2(0.0, 0.0), pos2(1.0, 1.0));
                let texture = self.picture(ui, entry).id();
                ui.painter().image(texture, picture, uv, Color32::WHITE);
                words = words.with_min_x(picture.right() + 9.0);
            }
            let mut words_ui = ui.new_child(UiBuilder::new().max_rect(words));
            words_ui.spacing_mut().item_spacing.y = 1.0;
            words_ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 5.0;
                // The dimension stands beside it.
                let head = title(entry.name.trim_end_matches("-3d"));
                let head = RichText::new(head).strong();
                ui.add(Label::new(head).truncate().selectable(false));
                let dimension = RichText::new(format!("{}D", entry.dimension))
                    .small()
                    .weak();
                ui.add(Label::new(dimension).selectable(false));
            });
            let (what, _) = parts(&entry.summary);
            let summary = RichText::new(what).small().weak();
            let mut text = LayoutJob::default();
            let font = FontSelection::Default;
            summary.append_to(&mut text, words_ui.style(), font, Align::Min);
            // What a card has room for; all of it is a hover away.
            text.wrap.max_rows = 2;
            words_ui.add(Label::new(text).wrap().selectable(false));
        }
        let response = response
            .on_hover_cursor(CursorIcon::PointingHand)
            .on_hover_text(&entry.summary);
        if response.clicked() {
            push(out, LiquidCommand::Scene(entry.name.clone()));
        }
    }

    fn picture(&mut self, ui: &Ui, entry: &SubjectEntry) -> &TextureHandle {
        let is_dark = self.is_dark;
        self.pictures.entry(entry.name.clone()).or_insert_with(|| {
            let image = match AnySubject::of(&entry.name) {
                Some(AnySubject::Plane(subject)) => picture(&subject, is_dark),
                Some(AnySubject::Space(subject)) => picture(&subject, is_dark),
                None => ColorImage::filled([1, 1], Color32::TRANSPARENT),
            };
            let name = format!("scene {}", entry.name);
            ui.ctx().load_texture(name, image, TextureOptions::LINEAR)
        })
    }
}

/// Which size another system's scene has.
fn scale(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let settings = &context.settings.liquids;
    let entry = settings.entry();
    let usual = entry.size.as_str();
    let text = |name: &str| match name {
        "" => usual.to_owned(),
        name => capital(name),
    };
    let combo = ComboBox::from_id_salt("scene scale")
        .width(ui.available_width() - 12.0)
        .selected_text(text(&settings.scale));
    let response = combo.show_ui(ui, |ui| {
        for name in std::iter::once("").chain(entry.sizes.iter().map(String::as_str)) {
            let is_on = settings.scale == name;
            if ui.selectable_label(is_on, text(name)).clicked() {
                push(out, LiquidCommand::Scale(name.to_owned()));
            }
        }
    });
    response
        .response
        .on_hover_text("Sizes of the scene; another one starts anew");
}

/// Whether the volume is kept; of tanks there is nothing to choose.
fn volume(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let settings = &context.settings.liquids;
    if settings.group() != Group::Scenes {
        return;
    }
    let mut keeps = settings.keep_volume;
    let check = ui.checkbox(&mut keeps, "Keep volume").on_hover_text(
        "A source inside the liquid makes up for what particles lose or gain as they crowd and scatter; in space there are eight of \
         them a cell. The papers do without. Starts anew",
    );
    if check.changed() {
        push(out, LiquidCommand::KeepVolume(keeps));
    }
}

/// What a summary says, and the source that it names in brackets.
fn parts(summary: &str) -> (&str, &str) {
    match summary.rsplit_once(" (") {
        Some((what, source)) => (what, source.trim_end_matches(')')),
        None => (summary, ""),
    }
}

/// Walls and liquid at the start, in the middle plane.
fn picture<const D: usize>(subject: &Subject<D>, is_dark: bool) -> ColorImage {
    let rgb = Color32::from_rgb;
    let (wall, air, wet) = match is_dark {
        true => (rgb(70, 77, 87), rgb(21, 24, 28), rgb(86, 158, 216)),
        false => (rgb(184, 192, 202), rgb(251, 252, 253), rgb(78, 150, 214)),
    };
    let pixels = (0..SIDE * SIDE).map(|k| {
        let at = |k: usize| (k as f64 + 0.5) / SIDE as f64;
        let mut x = [0.5; D];
        (x[0], x[1]) = (at(k % SIDE), 1.0 - at(k / SIDE));
        if subject.is_wall(x) {
            wall
        } else if subject.is_liquid(x) {
            wet
        } else {
            air
        }
    });
    ColorImage::new([SIDE, SIDE], pixels.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_show_wall_air_and_liquid() {
        for name in ["circle", "stairs-3d"] {
            let image = match AnySubject::of(name).expect("a name") {
                AnySubject::Plane(subject) => picture(&subject, false),
                AnySubject::Space(subject) => picture(&subject, false),
            };
            let mut colours: Vec<_> = image.pixels.clone();
            colours.sort_unstable_by_key(Color32::to_array);
            colours.dedup();
            assert_eq!(colours.len(), 3, "{name}");
        }
        assert_eq!(
            parts("a circle, its left half full ([000] figure 6.1)"),
            ("a circle, its left half full", "[000] figure 6.1")
        );
        assert_eq!(parts("the circle, swung sideways").1, "");
    }
}
