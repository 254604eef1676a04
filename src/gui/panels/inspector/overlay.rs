//! A control shape or a note: its layer, its size, what it says.

use eframe::egui::{ComboBox, Role, Ui};

use super::{FIELD, Inspector, head, key_of_name};
use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::fields::{Field, named, row};
use stokeslet_base::units::{Dimension, Metre};
use stokeslet_cad::design::{Overlay, OverlayLayer, OverlayShape};
use stokeslet_flow::export::readable::Quantity;

pub(super) fn ui(
    inspector: &mut Inspector,
    ui: &mut Ui,
    context: &ViewContext<'_>,
    overlay: &Overlay,
    out: &mut Vec<Command>,
) {
    let name = overlay.name.value.as_str();
    let doc = "Drawn and exported on a layer of its own; it isn't part of the flow.";
    head(ui, name, overlay.layer.entry(), doc);
    let usual = context.document.shown_design().map_or(0.0, |d| d.width.0);
    let changed = |shape: OverlayShape| {
        Command::SetOverlay(Overlay {
            shape,
            ..overlay.clone()
        })
    };
    let length = |inspector: &mut Inspector, ui: &mut Ui, what: &str, value: f64, doc: &str| {
        let key = format!("{name}.{what}");
        inspector.quantity(ui, &key, what, value, Dimension::Length, doc, |_| ())
    };
    match &overlay.shape {
        OverlayShape::Path { points, width } => {
            let doc = "Across; by default the chip's width.";
            let wide = width.map_or(usual, |w| w.0);
            if let Some(width) = length(inspector, ui, "width", wide, doc) {
                out.push(changed(OverlayShape::Path {
                    points: points.clone(),
                    width: Some(Metre(width)),
                }));
            }
            let long: f64 = points.windows(2).map(|leg| (leg[1] - leg[0]).norm()).sum();
            row(ui, "length", "Along its middle.", |ui| {
                ui.label(Quantity::Length.show(long))
            });
        }
        OverlayShape::Rectangle([a, b]) => {
            let size = *b - *a;
            // The first corner stays.
            let wide = length(inspector, ui, "width", size.x.abs(), "From left to right.");
            let high = length(inspector, ui, "height", size.y.abs(), "From bottom to top.");
            if wide.is_some() || high.is_some() {
                let mut b = *b;
                b.x = wide.map_or(b.x, |w| a.x + w * size.x.signum());
                b.y = high.map_or(b.y, |h| a.y + h * size.y.signum());
                out.push(changed(OverlayShape::Rectangle([*a, b])));
            }
        }
        OverlayShape::Circle { centre, diameter } => {
            if let Some(diameter) = length(inspector, ui, "diameter", diameter.0, "Across.") {
                out.push(changed(OverlayShape::Circle {
                    centre: *centre,
                    diameter: Metre(diameter),
                }));
            }
        }
        OverlayShape::Text { at, text, size } => {
            let capitals = size.map_or(usual, |s| s.0);
            if let Some(says) = says(inspector, ui, name, text) {
                out.push(changed(OverlayShape::Text {
                    at: *at,
                    text: says,
                    size: *size,
                }));
            }
            let doc = "Height of its capitals; by default the chip's width.";
            if let Some(size) = length(inspector, ui, "size", capitals, doc) {
                out.push(changed(OverlayShape::Text {
                    at: *at,
                    text: text.clone(),
                    size: Some(Metre(size)),
                }));
            }
        }
    }
    row(ui, "layer", "Where it is drawn and exported.", |ui| {
        let combo =
            ComboBox::from_id_salt("layer of overlay").selected_text(overlay.layer.section());
        let combo = combo.show_ui(ui, |ui| {
            for layer in OverlayLayer::ALL {
                let is_so = layer == overlay.layer;
                if ui.selectable_label(is_so, layer.section()).clicked() && !is_so {
                    out.push(Command::SetOverlay(Overlay {
                        layer,
                        ..overlay.clone()
                    }));
                }
            }
        });
        named(&combo.response, Role::ComboBox, "layer");
    });
    let key = match overlay.shape {
        OverlayShape::Text { .. } => format!("{name}.name"),
        _ => key_of_name(name),
    };
    inspector.rename_by(ui, &key, name, Command::Rename, out);
}

/// What a note says: F2 and a double click edit this, not its name.
fn says(inspector: &mut Inspector, ui: &mut Ui, name: &str, text: &str) -> Option<String> {
    let field = Field {
        key: &key_of_name(name),
        label: "text",
        shown: text,
        is_default: false,
        doc: "One line.",
        measure: None,
        width: FIELD,
    };
    let read = |text: &str| match text.trim().is_empty() {
        true => Err("a note says something; Delete removes it".to_owned()),
        false => Ok(text.to_owned()),
    };
    inspector.fields.row(ui, "text", &field, read, |_| ())
}
