//! The chip itself: title, fluid, model, sizes, resolution, and what it is made of.

use eframe::egui::{ComboBox, Ui};

use super::{FIELD, Given, Inspector, head, section};
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::assigned::expressed;
use crate::panels::fields::{Field, named, row};
use crate::panels::values::{Measure, read_quantity, show_quantity};
use stokeslet_base::units::{Dimension, Metre, PascalSecond};
use stokeslet_cad::design::DepthModel;
use stokeslet_cad::design::Design;

pub(super) fn ui(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    design: &Design,
    out: &mut Vec<Command>,
) {
    head(ui, "Chip", context.document.name(), "");
    title(inspector, ui, design, out);
    let viscosity = Given {
        key: "chip.viscosity",
        name: "viscosity",
        doc: "Of the fluid, dynamic.",
        keys: &["fluid", "viscosity"],
        value: Some(design.viscosity.0),
        dimension: Dimension::Viscosity,
        is_default: false,
    };
    let set = |mu| Command::SetViscosity(PascalSecond(mu));
    inspector.given(ui, context, &viscosity, (set, |_| ()), out);
    let width = Given {
        key: "chip.width",
        name: "width",
        doc: "Default width of channels and components.",
        keys: &["chip", "width"],
        value: Some(design.width.0),
        dimension: Dimension::Length,
        is_default: false,
    };
    let set = |width| Command::SetWidth(Metre(width));
    inspector.given(ui, context, &width, (set, |_| ()), out);
    depth(inspector, ui, design, out);
    model(ui, design, out);
    resolution(inspector, ui, design, out);
    section(ui, "Contents");
    let layout = &context.document.layout;
    for (what, n) in [
        ("components", design.components.len()),
        ("channels", design.channels.len()),
        ("ports", design.ports.len()),
        ("parts", layout.parts.len()),
    ] {
        row(ui, what, "", |ui| ui.label(n.to_string()));
    }
}

fn title(inspector: &mut Inspector, ui: &mut Ui, design: &Design, out: &mut Vec<Command>) {
    let shown = design.title.as_deref().unwrap_or_default();
    let field = Field {
        key: "chip.title",
        label: "title",
        shown,
        is_default: false,
        doc: "One line for people; heads pictures and reports.",
        measure: None,
        width: ui.available_width() - super::super::fields::NAMES - 16.0,
    };
    let read = |text: &str| Ok(text.trim().to_owned());
    if let Some(title) = inspector.fields.row(ui, "title", &field, read, |_| ()) {
        out.push(Command::SetTitle((!title.is_empty()).then_some(title)));
    }
}

fn depth(inspector: &mut Inspector, ui: &mut Ui, design: &Design, out: &mut Vec<Command>) {
    let keys = ["chip", "depth"];
    let known = design.parametric.expression(&keys);
    let known = known.map(|expression| expression.source.as_str());
    let value = design.depth.map_or_else(String::new, |depth| {
        show_quantity(depth.0, Dimension::Length)
    });
    let can_drag = design.depth.is_some() && known.is_none();
    let field = Field {
        key: "chip.depth",
        label: "depth",
        shown: known.unwrap_or(&value),
        is_default: false,
        doc: "Of the channels. May be left empty in the planar model where no flow rate is given per time.",
        measure: can_drag.then_some(Measure::Quantity(Dimension::Length)),
        width: FIELD,
    };
    let required = design.model.needs_depth();
    let read = |text: &str| match text.trim().is_empty() {
        true if required => Err(format!("the {} model needs a depth", design.model.name())),
        true => Ok(Command::SetDepth(None)),
        false => match text.trim() {
            source if source.starts_with('=') => {
                let label = Command::SetDepth(None).label();
                Ok(expressed(&keys, source.to_owned(), label))
            }
            text => {
                let depth = read_quantity(text, Dimension::Length)?;
                Ok(Command::SetDepth(Some(Metre(depth))))
            }
        },
    };
    let after = |ui: &mut Ui| {
        if known.is_some() {
            ui.weak(&value);
        }
    };
    out.extend(inspector.fields.row(ui, "depth", &field, read, after));
}

fn model(ui: &mut Ui, design: &Design, out: &mut Vec<Command>) {
    const MODELS: [(DepthModel, &str); 4] = [
        (
            DepthModel::Planar,
            "Two-dimensional flow, the same at every depth",
        ),
        (
            DepthModel::Shallow,
            "Averaged over the depth, with the drag of bottom and lid",
        ),
        (
            DepthModel::ShallowBrinkman,
            "Shallow with the liquid's own viscosity in the plane: side layers 8 % too thin",
        ),
        (DepthModel::Full, "Three dimensions"),
    ];
    row(ui, "model", "How the depth enters.", |ui| {
        let combo = ComboBox::from_id_salt("model")
            .width(FIELD)
            .selected_text(design.model.name());
        let combo = combo.show_ui(ui, |ui| {
            for (model, doc) in MODELS {
                let possible = design.depth.is_some() || !model.needs_depth();
                let label = eframe::egui::Button::selectable(model == design.model, model.name());
                let response = ui.add_enabled(possible, label);
                let response = response
                    .on_hover_text(doc)
                    .on_disabled_hover_text("Give the chip a depth first.");
                if response.clicked() && model != design.model {
                    out.push(Command::SetModel(model));
                    ui.close();
                }
            }
        });
        named(&combo.response, eframe::egui::Role::ComboBox, "model");
    });
}

fn resolution(inspector: &mut Inspector, ui: &mut Ui, design: &Design, out: &mut Vec<Command>) {
    let shown = design
        .resolution
        .map_or_else(String::new, |r| r.to_string());
    let field = Field {
        key: "chip.resolution",
        label: "resolution",
        shown: &shown,
        is_default: false,
        doc: "Cells across a channel, as the file asks for; empty for the default, 8. Finer sharpens corners and costs time.",
        measure: design.resolution.map(|_| Measure::Count),
        width: FIELD,
    };
    let read = |text: &str| match text.trim() {
        "" => Ok(None),
        text => match text.parse::<u32>() {
            Ok(r) if r >= 2 => Ok(Some(r)),
            _ => Err("write a whole number of at least 2, or nothing".to_owned()),
        },
    };
    if let Some(resolution) = inspector.fields.row(ui, "resolution", &field, read, |_| ()) {
        out.push(Command::SetResolution(resolution));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels::testing::{Shown, harness, opened};
    use eframe::egui::accesskit::Role;
    use eframe::egui::{Event, Key, Modifiers};
    use egui_kittest::kittest::Queryable as _;
    use stokeslet_cad::design::Edit;

    #[test]
    fn sizes_are_values_or_expressions() {
        let text = "format = 1\n[variables]\nw = \"100 um\"\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"=2 * w\"\n";
        let shown = Shown::new(opened(text));
        let mut harness = harness(&shown);
        // The field has the expression, beside it stands what it comes to.
        harness.get_by_label_contains("200 µm");
        for (field, typed, keys) in [
            ("width", "=3 * w", ["chip", "width"]),
            ("depth", "=w / 2", ["chip", "depth"]),
            ("viscosity", "=2 mPa s", ["fluid", "viscosity"]),
        ] {
            let input = harness.get_by_role_and_label(Role::TextInput, field);
            input.click();
            harness.run_steps(2);
            harness.key_press_modifiers(Modifiers::COMMAND, Key::A);
            harness.run_steps(2);
            harness.event(Event::Text(typed.to_owned()));
            harness.run_steps(2);
            harness.key_press(Key::Enter);
            harness.run_steps(3);
            let commands = shown.borrow_mut().commands.split_off(0);
            let [Command::Edit(_, edits)] = commands.as_slice() else {
                panic!("{field}: {commands:?}");
            };
            let wanted = Edit::SetExpression {
                keys: keys.map(str::to_owned).to_vec(),
                source: typed.to_owned(),
            };
            assert_eq!(edits.as_slice(), [wanted]);
        }
    }
}
