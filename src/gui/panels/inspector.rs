//! What is selected, with everything that can be set: one component, a channel, a control shape or note, several, a port, or the chip itself.

mod array;
mod channel;
mod chip;
mod component;
mod depth;
mod overlay;
mod port;
mod several;
mod sockets;

use eframe::egui::{self, Ui};
use rustc_hash::FxHashMap;

use super::assigned::expressed;
use super::fields::{Field, Fields};
use super::table::View;
use super::values::{Measure, read_quantity, show_quantity};
use crate::command::Command;
use crate::context::ViewContext;
use stokeslet_base::units::Dimension;

/// Width of fields.
const FIELD: f32 = 104.0;

/// What the library says of a parameter, for a chip.
#[derive(Clone, Debug, Default)]
struct Known {
    /// The default, as people write it.
    default: Option<String>,
    /// Least and greatest value.
    range: [Option<f64>; 2],
}

/// What the inspector remembers.
#[derive(Debug, Default)]
pub struct Inspector {
    fields: Fields,
    array: array::Form,
    /// By kind, parameter, and the chip's width and depth (bits): evaluated once, since scripts take their time.
    known: FxHashMap<(String, String, [u64; 2]), Known>,
}

impl View for Inspector {
    fn forget(&mut self) {
        self.known.clear();
    }

    /// The next time that the name of this component, channel or port is drawn, it is ready to be typed over.
    fn edit_name(&mut self, name: &str) {
        self.fields.focus(key_of_name(name));
    }

    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let Some(design) = context.document.shown_design() else {
            ui.add_space(4.0);
            ui.add(egui::Label::new("The file can't be read as a design. Mend its text in the panel Source; what is wrong is in Problems.").wrap());
            return;
        };
        ui.spacing_mut().item_spacing.y = 5.0;
        if !context.selection.items.is_empty() {
            // Always at hand, however long the list of parameters is.
            let foot = egui::Panel::bottom("array").frame(egui::Frame::NONE);
            foot.show(ui, |ui| self.array.ui(&mut self.fields, ui, context, out));
        }
        egui::ScrollArea::vertical()
            .auto_shrink(false)
            .show(ui, |ui| {
                let selection = context.selection;
                if let Some(port) = &selection.port {
                    port::ui(self, ui, context, design, port, out);
                } else if selection.items.len() > 1 {
                    several::ui(ui, context, out);
                } else if let Some(name) = selection.single() {
                    if let Some(component) = design.components.iter().find(|c| c.name.value == name)
                    {
                        component::ui(self, ui, context, component, out);
                    } else if let Some(channel) =
                        design.channels.iter().find(|c| c.name.value == name)
                    {
                        channel::ui(self, ui, context, channel, out);
                    } else if let Some(overlay) =
                        design.overlays.iter().find(|o| o.name.value == name)
                    {
                        overlay::ui(self, ui, context, overlay, out);
                    } else {
                        ui.weak(format!("There is no {name} any more."));
                    }
                } else {
                    chip::ui(self, ui, context, design, out);
                }
                ui.add_space(8.0);
            });
    }

    fn is_typing(&self) -> bool {
        self.fields.is_typing()
    }
}

/// A quantity that stands in the file.
struct Given<'a> {
    /// Of its field.
    key: &'a str,
    name: &'a str,
    doc: &'a str,
    /// Where it stands in the file.
    keys: &'a [&'a str],
    /// SI; nothing where it isn't known.
    value: Option<f64>,
    dimension: Dimension,
    /// Whether the file says nothing.
    is_default: bool,
}

impl Inspector {
    /// A row for a quantity; returns the value that was typed or dragged, SI.
    #[expect(
        clippy::too_many_arguments,
        reason = "a row of a form is just that many things, each named where it is called"
    )]
    fn quantity(
        &mut self,
        ui: &mut Ui,
        key: &str,
        name: &str,
        value: f64,
        dimension: Dimension,
        doc: &str,
        after: impl FnOnce(&mut Ui),
    ) -> Option<f64> {
        let shown = show_quantity(value, dimension);
        let field = Field {
            key,
            label: name,
            shown: &shown,
            is_default: false,
            doc,
            measure: Some(Measure::Quantity(dimension)),
            width: FIELD,
        };
        self.fields.row(
            ui,
            name,
            &field,
            |text| read_quantity(text, dimension),
            after,
        )
    }

    /// A row for a quantity of the file that may be an expression: `set` makes the command for a value, SI.
    fn given(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        row: &Given<'_>,
        (set, after): (impl Fn(f64) -> Command, impl FnOnce(&mut Ui)),
        out: &mut Vec<Command>,
    ) {
        let design = context.document.shown_design();
        let known = design.and_then(|design| design.parametric.expression(row.keys));
        let known = known.map(|expression| expression.source.as_str());
        let shown = row
            .value
            .map_or_else(String::new, |value| show_quantity(value, row.dimension));
        let can_drag = row.value.is_some() && known.is_none();
        let field = Field {
            key: row.key,
            label: row.name,
            shown: known.unwrap_or(&shown),
            is_default: row.is_default,
            doc: row.doc,
            measure: can_drag.then_some(Measure::Quantity(row.dimension)),
            width: FIELD,
        };
        let read = |text: &str| match text.trim() {
            source if source.starts_with('=') => Ok(Err(source.to_owned())),
            text => read_quantity(text, row.dimension).map(Ok),
        };
        let after = |ui: &mut Ui| {
            if known.is_some() {
                ui.weak(&shown);
            }
            after(ui);
        };
        out.extend(match self.fields.row(ui, row.name, &field, read, after) {
            Some(Ok(value)) => Some(set(value)),
            Some(Err(source)) if known != Some(source.as_str()) => Some(expressed(
                row.keys,
                source,
                set(row.value.unwrap_or_default()).label(),
            )),
            Some(Err(_)) | None => None,
        });
    }

    /// A row for the name of a component, a channel or a port; `renamed` makes the command.
    fn rename(
        &mut self,
        ui: &mut Ui,
        name: &str,
        renamed: fn(String, String) -> Command,
        out: &mut Vec<Command>,
    ) {
        self.rename_by(ui, &key_of_name(name), name, renamed, out);
    }

    /// As [`Self::rename`], by a field of another key: that of the name is for what a double click edits.
    fn rename_by(
        &mut self,
        ui: &mut Ui,
        key: &str,
        name: &str,
        renamed: fn(String, String) -> Command,
        out: &mut Vec<Command>,
    ) {
        let field = Field {
            key,
            label: "name",
            shown: name,
            is_default: false,
            doc: "Letters, digits, _ and -; changed wherever it is referred to.",
            measure: None,
            width: FIELD,
        };
        let read = |text: &str| match is_name(text.trim()) {
            true => Ok(text.trim().to_owned()),
            false => Err("use letters, digits, _ and -".to_owned()),
        };
        if let Some(new) = self.fields.row(ui, "name", &field, read, |_| ()) {
            out.push(renamed(name.to_owned(), new));
        }
    }
}

/// The key of the field with a thing's name.
fn key_of_name(name: &str) -> String {
    format!("name of {name}")
}

/// Whether designs can have it as a name; `design` says so again, with more words.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 100
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

/// The head of the inspector: what it is and its kind.
fn head(ui: &mut Ui, what: &str, kind: &str, doc: &str) {
    ui.horizontal_wrapped(|ui| {
        ui.heading(what);
        ui.weak(kind);
    });
    if !doc.is_empty() {
        ui.add(egui::Label::new(egui::RichText::new(doc).small()).wrap());
    }
    ui.separator();
}

/// A title within the inspector.
fn section(ui: &mut Ui, title: &str) {
    ui.add_space(4.0);
    ui.strong(title);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Selection;
    use crate::panels::testing::{Shown, harness, opened_example};
    use eframe::egui::Key;
    use eframe::egui::accesskit::Role;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use std::cell::RefCell;
    use std::rc::Rc;
    use stokeslet_base::geometry::Point;
    use stokeslet_cad::design::{Placement, Value};

    fn selected(example: &str, item: &str) -> (Rc<RefCell<Shown>>, Harness<'static>) {
        let mut state = opened_example(example);
        state.selection = Selection::one(item);
        let shown = Shown::new(state);
        let harness = harness(&shown);
        (shown, harness)
    }

    fn type_into(harness: &mut Harness<'static>, label: &str, text: &str) {
        harness
            .get_by_role_and_label(Role::TextInput, label)
            .click();
        harness.run_steps(2);
        harness.key_press_modifiers(egui::Modifiers::COMMAND, Key::A);
        harness.run_steps(2);
        harness.event(egui::Event::Text(text.to_owned()));
        harness.run_steps(2);
        harness.key_press(Key::Enter);
        harness.run_steps(3);
    }

    #[test]
    fn a_good_value_becomes_a_command_and_a_bad_one_a_message() {
        let (shown, mut harness) = selected("flow-focus", "focus");
        type_into(&mut harness, "orifice width", "30 mbar");
        assert_eq!(shown.borrow().commands, [], "a pressure is no width");
        harness.get_by_label_contains("wanted a length");
        assert!(shown.borrow().panels.is_typing(), "the text is kept");
        // In the unit that the field shows.
        type_into(&mut harness, "orifice width", "30");
        let want = Command::SetParameter {
            component: "focus".into(),
            parameter: "orifice_width".into(),
            value: Some(Value::Quantity(3e-5, Dimension::Length)),
        };
        assert_eq!(shown.borrow().commands, [want]);
        assert!(harness.query_by_label_contains("wanted a length").is_none());
    }

    #[test]
    fn a_depth_is_typed_and_taken_back() {
        let (shown, mut harness) = selected("flow-focus", "focus");
        type_into(&mut harness, "depth", "20");
        let set = |depth: Option<f64>| Command::SetItemDepth {
            item: "focus".into(),
            depth: depth.map(stokeslet_base::units::Metre),
        };
        assert_eq!(shown.borrow().commands, [set(Some(2e-5))]);
    }

    #[test]
    fn escape_gives_up_what_was_typed() {
        let (shown, mut harness) = selected("flow-focus", "focus");
        harness
            .get_by_role_and_label(Role::TextInput, "orifice width")
            .click();
        harness.run_steps(2);
        harness.event(egui::Event::Text("nonsense".to_owned()));
        harness.run_steps(2);
        harness.key_press(Key::Escape);
        harness.run_steps(3);
        assert_eq!(shown.borrow().commands, []);
        assert!(!shown.borrow().panels.is_typing());
        assert_eq!(
            harness
                .get_by_role_and_label(Role::TextInput, "orifice width")
                .value()
                .as_deref(),
            Some("40 µm")
        );
    }

    #[test]
    fn a_number_is_dragged() {
        let (shown, mut harness) = selected("flow-focus", "focus");
        let at = harness
            .get_by_role_and_label(Role::TextInput, "orifice width")
            .rect()
            .center();
        harness.drag_at(at);
        harness.run_steps(2);
        for step in 1..6u8 {
            harness.hover_at(at + egui::vec2(6.0 * f32::from(step), 0.0));
            harness.run_steps(1);
        }
        harness.drop_at(at + egui::vec2(30.0, 0.0));
        harness.run_steps(2);
        let commands = shown.borrow().commands.clone();
        let Some(Command::SetParameter {
            value: Some(Value::Quantity(x, _)),
            ..
        }) = commands.last()
        else {
            panic!("no width was set: {commands:?}");
        };
        assert!((4.1e-5..5.5e-5).contains(x), "some steps of 1 µm: {x}");
    }

    #[test]
    fn rotation_by_hand_keeps_the_place() {
        let (shown, mut harness) = selected("bridge", "upper");
        type_into(&mut harness, "rotation", "90 deg");
        let placement = Placement::Absolute {
            at: Point::new(3e-3, 2e-3),
            rotation: stokeslet_base::units::Radian(std::f64::consts::FRAC_PI_2),
            mirror: true,
        };
        assert_eq!(
            shown.borrow().commands,
            [Command::SetPlacement("upper".into(), placement)]
        );
    }

    #[test]
    fn what_is_attached_can_be_detached_where_it_lies() {
        let (shown, mut harness) = selected("bridge", "feed");
        harness.get_by_label("Detach").click();
        harness.run_steps(2);
        assert_eq!(shown.borrow().commands, [Command::Detach]);
    }
}
