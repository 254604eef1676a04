//! The table of outlets: means, mixing indices, ages; and how they were found.

use eframe::egui::{Grid, RichText, ScrollArea, Ui};

use super::concentration;
use crate::results::solved::seconds;
use crate::species::Dissolved;
use stokeslet_flow::export::readable::Quantity as Unit;
use stokeslet_species::{Settings, SpeciesResult};

/// Draws the table of one species, with what others have at the same outlets when there are several.
pub(super) fn outlets_ui(ui: &mut Ui, dissolved: &Dissolved, chosen: usize) {
    let result = &dissolved.results[chosen];
    let kind = dissolved.kinds[chosen];
    let has_ages = dissolved.results[0]
        .ports
        .iter()
        .any(|p| p.age_mean_s.is_some());
    ScrollArea::horizontal()
        .id_salt("outlets table")
        .show(ui, |ui| {
            Grid::new("outlets of species")
                .striped(true)
                .spacing([12.0, 3.0])
                .show(ui, |ui| {
                    let heads = [
                        ("outlet", "Where liquid leaves"),
                        (
                            "mean",
                            "Mean concentration of what leaves, weighted by flow",
                        ),
                        (
                            "mixed",
                            "Mixing index, weighted by flow: 0 as it enters, 1 uniform",
                        ),
                        ("least", "Least concentration in the cross-section"),
                        ("most", "Greatest concentration in the cross-section"),
                        ("age", "Mean time that what leaves was in the chip"),
                    ];
                    for (head, hint) in heads.iter().take(if has_ages { 6 } else { 5 }) {
                        ui.label(RichText::new(*head).weak()).on_hover_text(*hint);
                    }
                    ui.end_row();
                    let ages = &dissolved.results[0].ports;
                    let flows = &dissolved.paths.net.port_flow;
                    for ((port, flow), aged) in result.ports.iter().zip(flows).zip(ages) {
                        let Some(mean) = port.mean.filter(|_| *flow < 0.0) else {
                            continue;
                        };
                        let number = |value: Option<f64>| match value {
                            Some(value) => RichText::new(concentration(kind, value)).monospace(),
                            None => RichText::new("–").weak(),
                        };
                        ui.label(&port.port);
                        ui.label(number(Some(mean)));
                        let mixed = port.mixing_index.map(|m| format!("{m:.3}"));
                        ui.label(mixed.map_or_else(
                            || RichText::new("–").weak(),
                            |m| RichText::new(m).monospace(),
                        ));
                        ui.label(number(port.min));
                        ui.label(number(port.max));
                        if let Some(age) = aged.age_mean_s {
                            ui.label(Unit::Time.show(age));
                        }
                        ui.end_row();
                    }
                });
        });
    let facts = RichText::new(facts(result, dissolved)).weak().small();
    ui.label(facts).on_hover_text(
        "Peclet numbers of channels; how regions were followed; estimated error of outlets over the range that enters; time",
    );
    if !dissolved.is_first_look && result.estimated_error > Settings::default().tolerance {
        let text = "Less exact than 1e-3 of the range: solve finer";
        ui.label(
            RichText::new(text)
                .color(ui.visuals().warn_fg_color)
                .small(),
        );
    }
}

/// How it was found, in a line.
fn facts(result: &SpeciesResult, dissolved: &Dissolved) -> String {
    let [low, high] = result.peclet.map(|pe| format!("{pe:.0}"));
    let engine = match (result.regions_by_tubes, result.regions_by_elements) {
        (_, 0) if dissolved.is_first_look => "a first look by tubes".to_owned(),
        _ if dissolved.is_first_look => "a first look by elements".to_owned(),
        (_, 0) => "tubes".to_owned(),
        (0, _) => "elements".to_owned(),
        (tubes, elements) => format!("{tubes} regions by tubes, {elements} by elements"),
    };
    format!(
        "Pe {low}–{high}, {engine}, error {:.0e}, {}",
        result.estimated_error,
        seconds(dissolved.seconds)
    )
}
