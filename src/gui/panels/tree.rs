//! The chip as a tree: components under what they hang on, channels, links, ports, control layer, notes; searched by name or kind.

use std::collections::BTreeSet;

use eframe::egui::{self, Role, TextEdit, TextStyle, Ui, WidgetInfo};
use rustc_hash::FxHashMap;

use super::table::View;
use crate::command::{Command, Layer};
use crate::context::{Selection, ViewContext};
use stokeslet_cad::design::{Design, OverlayLayer, OverlayShape, Placement};

/// Deeper ones are indented no further.
const DEEPEST: usize = 8;

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    Components,
    Channels,
    Links,
    Ports,
    Overlays(OverlayLayer),
}

impl Group {
    fn label(self) -> &'static str {
        match self {
            Group::Components => "Components",
            Group::Channels => "Channels",
            Group::Links => "Links",
            Group::Ports => "Ports",
            Group::Overlays(OverlayLayer::Control) => "Control layer",
            Group::Overlays(OverlayLayer::Notes) => "Notes",
        }
    }
}

/// Layers are shown or hidden here too.
fn hide_ui(ui: &mut Ui, context: &ViewContext<'_>, group: Group, out: &mut Vec<Command>) {
    let Group::Overlays(layer) = group else {
        return;
    };
    let layer = Layer::of(layer);
    let is_seen = context.settings.layers.contains(&layer);
    let label = if is_seen { "Hide" } else { "Show" };
    let name = format!("{label} {}", layer.label());
    let response = ui.small_button(label);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
    if response.clicked() {
        out.push(Command::ToggleLayer(layer));
    }
}

/// A thing of the chip.
#[derive(Clone, Debug, PartialEq)]
struct Leaf {
    group: Group,
    /// How many it hangs on, one on another.
    depth: usize,
    name: String,
    /// A kind, or where it is.
    about: String,
}

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct Tree {
    search: String,
    closed: BTreeSet<Group>,
    /// The revision whose things these are.
    of: Option<u64>,
    leaves: Vec<Leaf>,
}

impl View for Tree {
    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let Some(design) = &context.document.design else {
            ui.weak("The design can't be read: see Problems.");
            return;
        };
        if self.of != Some(context.document.revision) {
            self.of = Some(context.document.revision);
            self.leaves = leaves(design);
        }
        let search = TextEdit::singleline(&mut self.search)
            .hint_text("Search the chip by name or kind")
            .desired_width(260.0);
        ui.add(search)
            .widget_info(|| WidgetInfo::labeled(Role::TextInput, true, "Search the chip"));
        let rows = self.rows();
        if rows.is_empty() {
            ui.weak(match self.leaves.is_empty() {
                true => "The chip is empty.",
                false => "Nothing has this in its name or kind.",
            });
            return;
        }
        let height = ui.text_style_height(&TextStyle::Button) + 2.0 * ui.spacing().button_padding.y;
        let area = egui::ScrollArea::vertical().auto_shrink(false);
        let mut turned = None;
        area.show_rows(ui, height, rows.len(), |ui, range| {
            for row in &rows[range] {
                match row {
                    Line::Heading(group, n) => {
                        let sign = match self.closed.contains(group) {
                            true => "+",
                            false => "-",
                        };
                        let text = format!("{sign} {} ({n})", group.label());
                        ui.horizontal(|ui| {
                            if ui.selectable_label(false, text).clicked() {
                                turned = Some(*group);
                            }
                            hide_ui(ui, context, *group, out);
                        });
                    }
                    Line::Leaf(leaf) => leaf_ui(ui, context, leaf, out),
                }
            }
        });
        if let Some(group) = turned
            && !self.closed.remove(&group)
        {
            self.closed.insert(group);
        }
    }
}

/// A line of the panel.
enum Line<'a> {
    Heading(Group, usize),
    Leaf(&'a Leaf),
}

impl Tree {
    /// What is shown: things that have all words searched for; headings of those that there are.
    fn rows(&self) -> Vec<Line<'_>> {
        // Kinds are shown as words.
        let search = self.search.replace('_', " ");
        let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
        let is_found = |leaf: &&Leaf| {
            let text = format!("{} {}", leaf.name, leaf.about);
            let text = text.replace('_', " ").to_lowercase();
            words.iter().all(|word| text.contains(word))
        };
        let found: Vec<&Leaf> = self.leaves.iter().filter(is_found).collect();
        let mut rows = Vec::with_capacity(found.len() + 4);
        for of_group in found.chunk_by(|a, b| a.group == b.group) {
            let group = of_group[0].group;
            rows.push(Line::Heading(group, of_group.len()));
            if !self.closed.contains(&group) {
                rows.extend(of_group.iter().map(|leaf| Line::Leaf(leaf)));
            }
        }
        rows
    }
}

fn leaf_ui(ui: &mut Ui, context: &ViewContext<'_>, leaf: &Leaf, out: &mut Vec<Command>) {
    let selection = context.selection;
    let is_selected = match leaf.group {
        Group::Ports => selection.port.as_deref() == Some(leaf.name.as_str()),
        _ => selection.items.contains(&leaf.name),
    };
    ui.horizontal(|ui| {
        ui.add_space(14.0 * (1 + leaf.depth.min(DEEPEST)) as f32);
        let response = ui
            .selectable_label(is_selected, &leaf.name)
            .on_hover_text("Click to select, with Ctrl one more; double-click to go there");
        ui.weak(&leaf.about);
        let which = match leaf.group {
            Group::Ports => Selection::of_port(&leaf.name),
            _ => Selection::one(&leaf.name),
        };
        let is_hidden = match leaf.group {
            Group::Ports => context.hidden.ports.contains(&leaf.name),
            _ => context.hidden.items.contains(&leaf.name),
        };
        if leaf.group != Group::Links {
            let verb = if is_hidden { "Show" } else { "Hide" };
            let told = format!("{verb} {}", leaf.name);
            let button = ui.small_button(verb);
            button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &told));
            if button.clicked() {
                out.push(Command::SetHidden(which, !is_hidden));
            }
        }
        if response.double_clicked() {
            out.push(Command::Show(leaf.name.clone()));
        } else if response.clicked() {
            let adds = ui.input(|i| i.modifiers.command);
            out.push(match leaf.group {
                Group::Ports => Command::Select(Selection::of_port(&leaf.name)),
                Group::Links => Command::Show(leaf.name.clone()),
                _ if adds => Command::ToggleSelected(leaf.name.clone()),
                _ => Command::Select(Selection::one(&leaf.name)),
            });
        }
    });
}

/// Components in the order of the file, each followed by what hangs on it; then the others.
fn leaves(design: &Design) -> Vec<Leaf> {
    let number: FxHashMap<&str, usize> = design
        .components
        .iter()
        .enumerate()
        .map(|(k, c)| (c.name.value.as_str(), k))
        .collect();
    let mut hanging: Vec<Vec<usize>> = vec![Vec::new(); design.components.len()];
    let mut roots = Vec::new();
    for (k, component) in design.components.iter().enumerate() {
        let on = match &component.placement {
            Placement::Attached(at) => at.to.value.split('.').next(),
            Placement::Absolute { .. } => None,
        };
        match on.and_then(|name| number.get(name)) {
            Some(&on) if on != k => hanging[on].push(k),
            _ => roots.push(k),
        }
    }
    let mut out = Vec::new();
    let mut is_listed = vec![false; design.components.len()];
    // What hangs on itself by way of others is a mistake, and is listed all the same.
    for root in roots.into_iter().chain(0..design.components.len()) {
        let mut waiting = vec![(root, 0)];
        while let Some((k, depth)) = waiting.pop() {
            if std::mem::replace(&mut is_listed[k], true) {
                continue;
            }
            let component = &design.components[k];
            out.push(Leaf {
                group: Group::Components,
                depth,
                name: component.name.value.clone(),
                about: component.kind.value.replace('_', " "),
            });
            waiting.extend(hanging[k].iter().rev().map(|&h| (h, depth + 1)));
        }
    }
    let mut add = |group, name: &str, about: String| {
        out.push(Leaf {
            group,
            depth: 0,
            name: name.to_owned(),
            about,
        });
    };
    for channel in &design.channels {
        let to = channel.to.as_ref().map_or("its end", |to| &to.value);
        let about = format!("{} to {to}", channel.from.value);
        add(Group::Channels, &channel.name.value, about);
    }
    for link in &design.links {
        let ends = [&link.from, &link.to].map(|end| match end {
            Some(end) => end.value.as_str(),
            None => "outside",
        });
        let about = format!("{} to {}", ends[0], ends[1]);
        add(Group::Links, &link.name.value, about);
    }
    for port in &design.ports {
        add(Group::Ports, &port.name.value, port.at.value.clone());
    }
    for layer in OverlayLayer::ALL {
        for overlay in design.overlays.iter().filter(|o| o.layer == layer) {
            let group = Group::Overlays(layer);
            add(group, &overlay.name.value, about(&overlay.shape));
        }
    }
    out
}

fn about(shape: &OverlayShape) -> String {
    match shape {
        OverlayShape::Path { .. } => "line".to_owned(),
        OverlayShape::Rectangle(_) => "box".to_owned(),
        OverlayShape::Circle { .. } => "circle".to_owned(),
        OverlayShape::Text { text, .. } => format!("“{text}”"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Panel;
    use crate::panels::testing::{Shown, harness, opened, opened_example};
    use egui_kittest::kittest::Queryable as _;

    #[test]
    fn what_hangs_on_a_component_follows_it() {
        let state = opened_example("tee");
        let design = state.document.design.clone().unwrap();
        let all = leaves(&design);
        let components = all.iter().filter(|l| l.group == Group::Components);
        assert_eq!(components.count(), design.components.len());
        for pair in all.windows(2).filter(|p| p[1].group == Group::Components) {
            assert!(pair[1].depth <= pair[0].depth + 1, "{pair:?}");
        }
        assert!(all.iter().any(|leaf| leaf.depth == 1), "{all:?}");
        assert!(all.iter().any(|leaf| leaf.group == Group::Ports));
    }

    #[test]
    fn a_circle_of_attachments_is_listed_once() {
        let circle = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"1 mm\" }\n\
            [components]\na = { kind = \"pipe\", attach = \"a\", to = \"b.b\" }\n\
            b = { kind = \"pipe\", attach = \"a\", to = \"a.b\" }\n";
        let state = opened(circle);
        let all = leaves(state.document.design.as_ref().unwrap());
        let names: Vec<&str> = all.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
    }

    #[test]
    fn a_click_selects_and_words_narrow_the_list() {
        let mut state = opened_example("y-mixer");
        state.settings.panels.insert(Panel::Tree);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::Tree);
        let mut harness = harness(&shown);
        harness.get_by_label("mixer");
        harness.get_by_label("- Components (3)").click();
        harness.run_steps(2);
        assert!(harness.query_by_label("mixer").is_none(), "folded away");
        harness.get_by_label("+ Components (3)").click();
        harness.run_steps(2);
        harness.get_by_label("Search the chip").focus();
        harness
            .get_by_label("Search the chip")
            .type_text("SERPENTINE");
        harness.run_steps(2);
        harness.get_by_label("- Components (1)");
        harness.get_by_label("mixer").click();
        harness.run_steps(2);
        let commands = &shown.borrow().commands;
        assert!(
            matches!(commands.last(), Some(Command::Select(s)) if s.single() == Some("mixer")),
            "{commands:?}"
        );
    }

    #[test]
    fn what_is_drawn_over_the_chip_is_listed_and_hidden() {
        let mut state = opened_example("valved-inlets");
        state.settings.panels.insert(Panel::Tree);
        let shown = Shown::new(state);
        shown.borrow_mut().panels.choose(Panel::Tree);
        let mut harness = harness(&shown);
        harness.get_by_label("Search the chip").focus();
        harness.get_by_label("Search the chip").type_text("shuts");
        harness.run_steps(2);
        harness.get_by_label("- Notes (2)");
        harness.get_by_label("Hide notes").click();
        harness.run_steps(2);
        let commands = &shown.borrow().commands;
        assert_eq!(commands.last(), Some(&Command::ToggleLayer(Layer::Notes)));
    }
}
