//! The panel of species: how fast they diffuse and where they enter, what leaves, the section under the pointer, tracers.

mod outlets;
mod section;

use eframe::egui::{
    self, Align, Button, ComboBox, DragValue, Layout, RichText, ScrollArea, Slider, SliderClamping,
    Ui, vec2,
};

use super::enabled::is_enabled;
use super::fields::named;
use super::table::View;
use crate::app::PACES;
use crate::command::{Command, Layer};
use crate::context::ViewContext;
use crate::results::Quantity;
use crate::results::colour::DISTINCT;
use crate::species::Dissolved;
use crate::species::motion::{inlets, seconds_a_second};
use stokeslet_base::units::parse_quantity_as;
use stokeslet_cad::design::{
    Concentration, Design, Dimension, DissolvedSpecies, Inlet, PortCondition, Spanned,
};
use stokeslet_flow::export::readable::{Quantity as Unit, figures};

/// Diffusivities of the slider, m^2/s: from viruses in syrup to hydrogen in water. Others are typed.
const DIFFUSIVITIES: std::ops::RangeInclusive<f64> = 1e-13..=1e-8;
/// Width of the column of what is given, points.
const GIVEN: f32 = 256.0;
/// Widths of the column of outlets: all of its table fits into the greater, and it scrolls in the lesser.
const OUTLETS: std::ops::RangeInclusive<f32> = 180.0..=350.0;

/// The panel of species.
#[derive(Debug, Default)]
pub struct SpeciesPanel {
    /// Which species is seen.
    chosen: usize,
}

impl View for SpeciesPanel {
    fn ui(&mut self, ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
        let Some(design) = context.document.shown_design() else {
            ui.label(RichText::new("The file has mistakes; see the problems.").weak());
            return;
        };
        let all = &design.species.species;
        // Colours and the panel are about the same species.
        if let Some(Quantity::Species(k)) = context.shown.colour {
            self.chosen = usize::from(k);
        }
        self.chosen = self.chosen.min(all.len().saturating_sub(1));
        let dissolved = context.results.dissolved.as_deref();
        let Some(species) = all.get(self.chosen) else {
            none_ui(ui, context, design, out);
            ui.add_space(6.0);
            tracers_ui(ui, context, dissolved, out);
            return;
        };
        let height = ui.available_height();
        ui.horizontal_top(|ui| {
            column(ui, "given", vec2(GIVEN, height), |ui| {
                self.choice_ui(ui, context, design, out);
                given_ui(ui, (design, dissolved), species, out);
                ui.add_space(4.0);
                tracers_ui(ui, context, dissolved, out);
            });
            ui.separator();
            let dissolved = dissolved.filter(|d| d.results.len() > self.chosen);
            let Some(dissolved) = dissolved else {
                let text = match (&context.results.not_dissolved, &context.results.solved) {
                    (Some(why), _) => RichText::new(why).color(ui.visuals().error_fg_color),
                    (None, Some(_)) => RichText::new("Following species…").weak(),
                    (None, None) => RichText::new("Nothing is solved yet.").weak(),
                };
                ui.label(text);
                return;
            };
            let rest = 0.5 * (ui.available_width() - 20.0);
            let width = rest.clamp(*OUTLETS.start(), *OUTLETS.end());
            column(ui, "outlets", vec2(width, height), |ui| {
                outlets::outlets_ui(ui, dissolved, self.chosen);
            });
            ui.separator();
            let section = context.results.section.as_deref();
            ui.vertical(|ui| section::section_ui(ui, dissolved, section, self.chosen));
        });
    }
}

/// A column of fixed width that scrolls.
fn column(ui: &mut Ui, name: &str, size: egui::Vec2, add: impl FnOnce(&mut Ui)) {
    ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| {
        ui.set_min_size(size);
        let all = ScrollArea::vertical().id_salt(name).auto_shrink(false);
        all.max_height(size.y).show(ui, |ui| {
            ui.set_max_width(size.x - 12.0);
            add(ui);
        });
    });
}

/// What there is to do in a design without species.
fn none_ui(ui: &mut Ui, context: &ViewContext<'_>, design: &Design, out: &mut Vec<Command>) {
    let text = "Nothing is dissolved yet. A species enters by a port, is carried by the flow and diffuses: see how well it mixes.";
    ui.label(RichText::new(text).weak());
    let can = is_enabled(&Command::AddSpecies(None), context);
    if let Err(why) = can {
        let add = ui.add_enabled(false, Button::new("Add a species"));
        add.on_disabled_hover_text(format!("Not now: {why}."));
        return;
    }
    ui.horizontal_wrapped(|ui| {
        ui.label("Add a species that enters by");
        for port in design.ports.iter().filter(|p| enters(p.condition.value)) {
            let name = &port.name.value;
            let hint = format!("A small molecule in water: 1 at {name}, 0 at other inlets");
            if ui.button(name).on_hover_text(hint).clicked() {
                out.push(Command::AddSpecies(Some(name.clone())));
            }
        }
    });
}

/// Whether liquid isn't drawn off there.
fn enters(condition: PortCondition) -> bool {
    match condition {
        PortCondition::FlowRate(q) => q.0 >= 0.0,
        PortCondition::FlowRatePerDepth(q) => q.0 >= 0.0,
        PortCondition::Pressure(_) | PortCondition::TractionFree => true,
    }
}

impl SpeciesPanel {
    /// Which species; one more; one less; colours.
    fn choice_ui(
        &mut self,
        ui: &mut Ui,
        context: &ViewContext<'_>,
        design: &Design,
        out: &mut Vec<Command>,
    ) {
        let all = &design.species.species;
        ui.horizontal(|ui| {
            let name = &all[self.chosen].name.value;
            let list = ComboBox::from_id_salt("species").width(80.0);
            let list = list.selected_text(name).show_ui(ui, |ui| {
                for (k, species) in all.iter().enumerate() {
                    let label = ui.selectable_label(k == self.chosen, &species.name.value);
                    if label.clicked() {
                        self.chosen = k;
                        out.extend(colour_of(k).map(|q| Command::Colour(Some(q))));
                    }
                }
            });
            named(&list.response, egui::Role::ComboBox, "species");
            for (quantity, name) in [
                (colour_of(self.chosen), "Colour"),
                (Some(Quantity::Age), "Age"),
            ] {
                let is_on = quantity.is_some() && context.shown.colour == quantity;
                let hint = match quantity {
                    Some(Quantity::Age) => "Colour the canvas by the age of the fluid",
                    _ => "Colour the canvas by this species",
                };
                let label = ui.selectable_label(is_on, name).on_hover_text(hint);
                if label.clicked() {
                    out.push(Command::Colour(quantity));
                }
            }
            if ui.button("+").on_hover_text("Add a species").clicked() {
                out.push(Command::AddSpecies(None));
            }
            let hint = format!("Remove {name}");
            if ui.button("−").on_hover_text(hint).clicked() {
                out.push(Command::RemoveSpecies(name.clone()));
            }
        });
    }
}

fn colour_of(k: usize) -> Option<Quantity> {
    u8::try_from(k).ok().map(Quantity::Species)
}

/// How fast it diffuses, and where it enters.
fn given_ui(
    ui: &mut Ui,
    (design, dissolved): (&Design, Option<&Dissolved>),
    species: &DissolvedSpecies,
    out: &mut Vec<Command>,
) {
    let name = &species.name.value;
    let mut diffusivity = species.diffusivity.value;
    ui.horizontal(|ui| {
        ui.label("D").on_hover_text("Diffusivity");
        ui.spacing_mut().slider_width = 130.0;
        let slider = Slider::new(&mut diffusivity, DIFFUSIVITIES)
            .logarithmic(true)
            .clamping(SliderClamping::Never)
            .custom_formatter(|value, _| Unit::FlowRatePerDepth.show(value))
            .custom_parser(|text| parse_quantity_as(text, Dimension::FlowRatePerDepth).ok());
        let hint = "How fast it diffuses; only the species are followed again, not the flow";
        if ui.add(slider).on_hover_text(hint).changed() && diffusivity > 0.0 {
            let rounded = three_figures(diffusivity);
            out.push(Command::SetDiffusivity(name.clone(), rounded));
        }
    });
    let unit = species
        .inlets
        .first()
        .map_or(Concentration::Relative, |i| i.unit);
    let is_molar = unit == Concentration::Molar;
    ui.horizontal_wrapped(|ui| {
        for port in design.ports.iter().filter(|p| enters(p.condition.value)) {
            let port = &port.name.value;
            let inlet = species.inlets.iter().find(|i| i.port.value == *port);
            if inlet.is_none() && dissolved.is_some_and(|d| leaves(d, port)) {
                continue;
            }
            if inlet.is_some_and(|i| i.steps.len() > 1) {
                ui.label(format!("{port}: steps"))
                    .on_hover_text("Several concentrations over its width, as the file says");
                continue;
            }
            let given = inlet.and_then(|i| i.steps.first()).map_or(0.0, |s| s.1);
            let mut value = given;
            ui.horizontal(|ui| {
                ui.label(RichText::new(port).weak());
                let field = DragValue::new(&mut value)
                    .speed((0.01 * given.abs()).max(0.01))
                    .range(0.0..=f64::INFINITY)
                    .max_decimals(4)
                    .suffix(if is_molar { " mM" } else { "" });
                let field = ui
                    .add(field)
                    .on_hover_text(format!("{name} that enters by {port}"));
                if field.changed() && value != given {
                    let inlet = Inlet {
                        port: Spanned::nowhere(port.clone()),
                        steps: vec![(0.0, value)],
                        unit,
                    };
                    out.push(Command::SetInlet(name.clone(), inlet));
                }
            });
        }
    });
}

/// Whether liquid leaves by a port, as far as is known.
fn leaves(dissolved: &Dissolved, port: &str) -> bool {
    let ports = dissolved.solved.chip.ports.iter();
    let mut flows = ports.zip(&dissolved.paths.net.port_flow);
    flows.any(|(p, flow)| p.name == port && *flow <= 0.0)
}

/// What a slider means: no more figures than anybody knows.
fn three_figures(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Tracers: shown or not, playing or not, how fast, and what their colours mean.
fn tracers_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    dissolved: Option<&Dissolved>,
    out: &mut Vec<Command>,
) {
    let is_seen = context.settings.layers.contains(&Layer::Tracers);
    let plays = is_seen && context.shown.plays;
    ui.horizontal(|ui| {
        let mut shown = is_seen;
        if ui.checkbox(&mut shown, "Tracers").changed() {
            out.push(Command::ToggleLayer(Layer::Tracers));
        }
        let (name, hint) = match plays {
            true => ("Pause", "Tracers stand"),
            false => ("Play", "Tracers flow with the fluid"),
        };
        let can = is_enabled(&Command::TogglePlay, context).is_ok();
        let button = ui.add_enabled(can, Button::new(name)).on_hover_text(hint);
        if button.clicked() {
            out.push(Command::TogglePlay);
        }
        if is_seen {
            let mut pace = context.shown.pace;
            ui.spacing_mut().slider_width = 60.0;
            let slider = Slider::new(&mut pace, PACES)
                .logarithmic(true)
                .show_value(false);
            if ui.add(slider).on_hover_text("Pace").changed() {
                out.push(Command::SetPace(pace));
            }
            let real = dissolved.and_then(|d| seconds_a_second(d, context.shown.pace));
            if let Some(real) = real {
                let hint = "Time of the fluid in a second";
                ui.label(format!("{}/s", Unit::Time.show(real)))
                    .on_hover_text(hint);
            }
        }
    });
    let Some(dissolved) = dissolved.filter(|d| is_seen && d.tracers.is_some()) else {
        return;
    };
    ui.horizontal_wrapped(|ui| {
        for (k, port) in inlets(dissolved).into_iter().enumerate() {
            let name = &dissolved.solved.chip.ports[port].name;
            let dot = RichText::new("●").color(DISTINCT[k % DISTINCT.len()]);
            ui.label(dot);
            ui.label(RichText::new(name).weak());
        }
    });
}

/// A concentration for a table.
fn concentration(kind: Unit, value: f64) -> String {
    let scale = kind.scale_for(value);
    let value = value * scale.factor;
    // What is left of a difference of ones is nothing.
    let value = if value.abs() < 1e-9 { 0.0 } else { value };
    match kind {
        Unit::Relative if value < 10.0 => format!("{value:.4}"),
        _ => format!("{} {}", figures(value), scale.unit)
            .trim_end()
            .to_owned(),
    }
}
