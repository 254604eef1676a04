//! The concentration across the channel under the pointer, with its mixing index.

use eframe::egui::{RichText, Ui, vec2};
use egui_plot::{Legend, Line, Plot};

use super::concentration;
use crate::results::colour::DISTINCT;
use crate::species::Dissolved;
use crate::species::section::Section;
use stokeslet_flow::export::readable::{Quantity as Unit, figures};

/// A plot has names at its axes where it is so high, points.
const ROOM: f32 = 150.0;

/// Draws what is under the pointer, or was last.
pub(super) fn section_ui(
    ui: &mut Ui,
    dissolved: &Dissolved,
    section: Option<&Section>,
    chosen: usize,
) {
    let across = section.and_then(|s| Some((s, s.across.get(chosen)?)));
    let Some((section, across)) = across else {
        let text = "Point at a channel to see the profile across it.";
        ui.label(RichText::new(text).weak());
        return;
    };
    let kind = dissolved.kinds[chosen];
    let mut facts = vec![format!("{} across", Unit::Length.show(section.length()))];
    facts.extend(
        across
            .mean
            .map(|mean| format!("mean {}", concentration(kind, mean))),
    );
    facts.extend(across.mixing_index.map(|m| format!("mixing index {m:.3}")));
    if dissolved.is_first_look {
        facts.push("a first look".to_owned());
    }
    ui.label(facts.join(", "))
        .on_hover_text("Across the flow under the pointer, from the right wall to the left");
    let scale = Unit::Length.scale_for(section.length());
    let [low, high] = dissolved.entering[chosen];
    let unit = kind.scale_for(high.abs().max(low.abs()));
    let axis = match unit.unit {
        "" => "concentration".to_owned(),
        unit => format!("concentration ({unit})"),
    };
    let several = section
        .across
        .iter()
        .zip(&dissolved.kinds)
        .filter(|(_, k)| **k == kind)
        .count()
        > 1;
    let height = ui.available_height().clamp(70.0, 420.0);
    let mut plot = Plot::new("section of species")
        .height(height)
        .set_margin_fraction(vec2(0.02, 0.06))
        .allow_drag(false)
        .allow_scroll(false)
        .allow_zoom(false)
        .include_x(0.0)
        .include_x(section.length() * scale.factor)
        .include_y(low * unit.factor)
        .include_y(high * unit.factor)
        .label_formatter(move |hover| match hover {
            egui_plot::HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } => Some(format!(
                "{plot_name} {} {}\n{} {}",
                figures(position.y),
                unit.unit,
                figures(position.x),
                scale.unit
            )),
            egui_plot::HoverPosition::Elsewhere { .. } => None,
        });
    if height > ROOM {
        let along = format!("from the right wall ({})", scale.unit);
        plot = plot.x_axis_label(along).y_axis_label(axis);
    }
    if several {
        plot = plot.legend(Legend::default());
    }
    plot.show(ui, |plot| {
        let species = section.across.iter().zip(&dissolved.results).enumerate();
        for (k, (across, result)) in species {
            if dissolved.kinds[k] != kind || k != chosen && !several {
                continue;
            }
            let points = across.places.iter();
            let points: Vec<[f64; 2]> = points
                .map(|p| [p.distance * scale.factor, p.value * unit.factor])
                .collect();
            let width = if k == chosen { 2.5 } else { 1.3 };
            plot.line(
                Line::new(&result.name, points)
                    .color(DISTINCT[k % DISTINCT.len()])
                    .width(width)
                    .id(k),
            );
        }
    });
}
