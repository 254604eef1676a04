//! The panel of results: what colours show, values at ports, conductance, and how good and how dear the solve was.

mod before;
mod doubts;
pub(crate) mod errors;
mod ports;

pub use doubts::doubts_of;

use std::collections::BTreeMap;

use eframe::egui::{
    self, Align, Color32, DragValue, Grid, Label, Layout, Response, RichText, ScrollArea, Ui, vec2,
};

use crate::command::{Command, Layer};
use crate::context::ViewContext;
use crate::results::colour::Scaling;
use crate::results::solved::{count, seconds};
use crate::results::{Quantity, Solved};
use crate::species::offered;
use crate::words::capital;
use stokeslet_base::geometry::Point;
use stokeslet_flow::export::readable::{Quantity as Unit, figures};

/// Width of a column of conductances, points.
const CONDUCTANCE: f32 = 54.0;

/// What is being typed at ports.
#[derive(Clone, Debug, Default)]
pub struct TypedValues {
    /// The text, while it differs from the design, and what is wrong with it.
    by_port: BTreeMap<String, (String, Option<String>)>,
}

/// Draws the panel.
pub fn results_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    typed: &mut TypedValues,
    out: &mut Vec<Command>,
) {
    if let Some(failure) = &context.results.failure {
        ui.label(RichText::new(failure).color(ui.visuals().error_fg_color));
        ui.add_space(6.0);
    }
    doubts::doubts_ui(ui, &doubts_of(context));
    colours_ui(ui, context, out);
    heading(ui, "Ports");
    ports::ports_ui(ui, context, typed, out);
    let Some(solved) = &context.results.solved else {
        ui.add_space(8.0);
        ui.label(RichText::new("Nothing is solved yet.").weak());
        if ui
            .add_enabled(!context.document.has_errors(), egui::Button::new("Solve"))
            .clicked()
        {
            out.push(Command::Solve);
        }
        return;
    };
    errors::line_ui(ui, context.results, solved, out);
    heading(ui, "Flow");
    flow_ui(ui, context, solved, out);
    if let Some(before) = context.before {
        before::before_ui(ui, before, solved, out);
    }
    egui::CollapsingHeader::new("Conductance between ports")
        .default_open(solved.chip.ports.len() <= 6)
        .show(ui, |ui| conductance_ui(ui, context, solved));
    heading(ui, "Solve");
    solve_ui(ui, context, solved);
}

pub(super) fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(10.0);
    ui.label(RichText::new(text).strong());
    ui.add_space(2.0);
}

/// A name on the left, what it is on the right.
pub(super) fn fact(ui: &mut Ui, name: &str, value: impl Into<egui::WidgetText>) {
    ui.label(RichText::new(name).weak());
    ui.label(value);
    ui.end_row();
}

fn colours_ui(ui: &mut Ui, context: &ViewContext<'_>, out: &mut Vec<Command>) {
    let shown = context.shown.colour;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        for (quantity, name) in offered(context) {
            // A species' name is its own.
            let name = match quantity {
                Quantity::Species(_) => name,
                _ => capital(&name),
            };
            if ui.selectable_label(shown == Some(quantity), name).clicked() {
                out.push(Command::Colour(Some(quantity)));
            }
        }
        if ui.selectable_label(shown.is_none(), "None").clicked() {
            out.push(Command::Colour(None));
        }
    });
    if let (Some(quantity), Some(solved)) = (shown, &context.results.solved)
        && let Some(scaling) = Scaling::of(
            solved,
            context.results.dissolved.as_deref(),
            quantity,
            context.shown.range,
        )
    {
        let own = match (&context.results.dissolved, quantity.is_dissolved()) {
            (Some(dissolved), true) => dissolved.range_of(quantity),
            _ => solved.range_of(quantity),
        };
        range_ui(ui, context, &scaling, own, out);
    }
    ui.horizontal_wrapped(|ui| {
        for (layer, name) in [
            (Layer::Arrows, "Arrows"),
            (Layer::Streamlines, "Streamlines"),
            (Layer::Tracers, "Tracers"),
        ] {
            layer_ui(ui, context, layer, name, out);
        }
        let kept =
            context.shown.probes.len() + context.shown.lines.len() + context.shown.seeds.len();
        if kept > 0 && ui.small_button("Clear probes").clicked() {
            out.push(Command::ClearProbes);
        }
    });
}

/// A check box of a layer of the canvas.
pub(super) fn layer_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    layer: Layer,
    name: &str,
    out: &mut Vec<Command>,
) {
    let mut is_on = context.settings.layers.contains(&layer);
    if ui.checkbox(&mut is_on, name).changed() {
        out.push(Command::ToggleLayer(layer));
    }
}

fn range_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    scaling: &Scaling,
    own: [f64; 2],
    out: &mut Vec<Command>,
) {
    ui.horizontal(|ui| {
        let mut is_automatic = context.shown.range.is_none();
        let hint =
            "Colours span the field; untick to fix their ends, so that chips can be compared";
        if ui
            .checkbox(&mut is_automatic, "Automatic range")
            .on_hover_text(hint)
            .changed()
        {
            out.push(Command::SetRange((!is_automatic).then_some(own)));
        }
    });
    let Some([mut low, mut high]) = context.shown.range else {
        return;
    };
    let scale = scaling.kind.scale_for(low.abs().max(high.abs()));
    let factor = scale.factor;
    let speed = 0.005 * ((high - low) * factor).abs().max(1e-9);
    ui.horizontal(|ui| {
        let mut is_changed = false;
        for (name, value) in [("from", &mut low), ("to", &mut high)] {
            ui.label(RichText::new(name).weak());
            let mut shown = *value * factor;
            let field = DragValue::new(&mut shown)
                .speed(speed)
                .max_decimals(4)
                .suffix(format!(" {}", scale.unit));
            if ui.add(field).changed() {
                *value = shown / factor;
                is_changed = true;
            }
        }
        if is_changed && low < high {
            out.push(Command::SetRange(Some([low, high])));
        }
    });
}

fn flow_ui(ui: &mut Ui, context: &ViewContext<'_>, solved: &Solved, out: &mut Vec<Command>) {
    let solution = &solved.solution;
    Grid::new("flow facts")
        .num_columns(2)
        .spacing([14.0, 4.0])
        .show(ui, |ui| {
            if let Some((speed, at)) = solution.max_speed {
                let mut speed = Unit::Speed.show(speed);
                // With a floor that the plane doesn't see.
                if solution.floor_shear.is_some() {
                    speed += ", mean over depth";
                }
                place_ui(ui, solved, "Greatest speed", &speed, at, out);
            }
            if let Some(shear) = &solution.wall_shear {
                let walls = match solution.floor_shear {
                    Some(_) => "Side-wall shear",
                    None => "Wall shear",
                };
                let error = context.results.errors_of(solved);
                let error = match error.map(|e| (e.peak_wall_shear, e.peak_change)) {
                    Some((Some(e), _)) => format!(" {}", errors::plus_minus(e, Unit::Pressure)),
                    Some((None, Some(_))) => ", not settled".to_owned(),
                    _ => String::new(),
                };
                place_ui(
                    ui,
                    solved,
                    &format!("{walls}, max"),
                    &format!("{}{error}", Unit::Pressure.show(shear.max)),
                    shear.max_at,
                    out,
                );
                fact(
                    ui,
                    &format!("{walls}, mean"),
                    Unit::Pressure.show(shear.mean),
                );
                place_ui(
                    ui,
                    solved,
                    &format!("{walls}, min"),
                    &Unit::Pressure.show(shear.min),
                    shear.min_at,
                    out,
                );
            }
            if let Some(floor) = &solution.floor_shear {
                let greatest = Unit::Pressure.show(floor.max);
                place_ui(ui, solved, "Floor shear, max", &greatest, floor.max_at, out);
                fact(ui, "Floor shear, mean", Unit::Pressure.show(floor.mean));
            }
        });
}

/// A value with a place that can be shown.
fn place_ui(
    ui: &mut Ui,
    solved: &Solved,
    name: &str,
    value: &str,
    at: Point,
    out: &mut Vec<Command>,
) {
    ui.label(RichText::new(name).weak());
    let hint = format!(
        "At {}, {}. Click to show the place and keep a probe there",
        Unit::Length.show(at.x),
        Unit::Length.show(at.y)
    );
    if ui.link(value).on_hover_text(hint).clicked() {
        if let Some(item) = item_at(solved, at) {
            out.push(Command::Show(item));
        }
        out.push(Command::AddProbe(at));
    }
    ui.end_row();
}

/// The component or channel that holds a point: parts are named by paths.
fn item_at(solved: &Solved, at: Point) -> Option<String> {
    let part = solved.at(at)?.part as usize;
    let name = &solved.chip.parts.get(part)?.name;
    name.split('/').next().map(str::to_owned)
}

/// Conductances in the unit that suits the greatest: its name and factor.
fn conductance_unit(greatest: f64, has_depth: bool) -> (&'static str, f64) {
    // Per second and pascal to per minute and millibar.
    const PER: f64 = 60.0 * 100.0;
    let units: &[(&str, f64)] = if has_depth {
        &[
            ("mL/(min mbar)", 1e6 * PER),
            ("µL/(min mbar)", 1e9 * PER),
            ("nL/(min mbar)", 1e12 * PER),
            ("pL/(min mbar)", 1e15 * PER),
        ]
    } else {
        &[
            ("m²/(s mbar)", 100.0),
            ("mm²/(s mbar)", 1e6 * 100.0),
            ("µm²/(s mbar)", 1e12 * 100.0),
        ]
    };
    let fits = |u: &&(&'static str, f64)| greatest * u.1 >= 0.9995;
    units
        .iter()
        .find(fits)
        .copied()
        .unwrap_or(units[units.len() - 1])
}

fn conductance_ui(ui: &mut Ui, context: &ViewContext<'_>, solved: &Solved) {
    let errors = context.results.errors_of(solved);
    let conductance = &solved.solution.conductance;
    let greatest = conductance
        .matrix
        .iter()
        .flatten()
        .fold(0.0_f64, |m, g| m.max(g.abs()));
    let (unit, factor) = conductance_unit(greatest, solved.chip.depth.is_some());
    ui.label(
        RichText::new(format!(
            "Flow into each port (rows) by pressure at each port (columns), {unit}"
        ))
        .weak()
        .small(),
    );
    ScrollArea::horizontal()
        .id_salt("conductance")
        .show(ui, |ui| {
            Grid::new("conductance matrix")
                .striped(true)
                .spacing([12.0, 3.0])
                .show(ui, |ui| {
                    ui.label("");
                    for name in &conductance.ports {
                        right(ui, RichText::new(name).weak(), CONDUCTANCE);
                    }
                    ui.end_row();
                    let rows = conductance.ports.iter().zip(&conductance.matrix);
                    for (i, (name, row)) in rows.enumerate() {
                        ui.label(RichText::new(name).weak());
                        for (j, g) in row.iter().enumerate() {
                            let value = if g.abs() < 1e-9 * greatest {
                                0.0
                            } else {
                                g * factor
                            };
                            let text = RichText::new(figures(value)).monospace();
                            let shown = right(ui, text, CONDUCTANCE);
                            let error = errors.and_then(|e| e.conductance.get(i)?.get(j));
                            if let Some(error) = error {
                                let error = figures(error * factor);
                                shown.on_hover_text(format!("± {error} {unit} (estimated)"));
                            }
                        }
                        ui.end_row();
                    }
                });
        });
}

/// A label at the right of a column of this width.
pub(super) fn right(ui: &mut Ui, text: RichText, width: f32) -> Response {
    let room = vec2(width, ui.spacing().interact_size.y);
    ui.allocate_ui_with_layout(room, Layout::right_to_left(Align::Center), |ui| {
        ui.set_min_width(width);
        ui.add(Label::new(text).extend())
    })
    .inner
}

fn solve_ui(ui: &mut Ui, context: &ViewContext<'_>, solved: &Solved) {
    let report = &solved.solution.report;
    Grid::new("solve facts")
        .num_columns(2)
        .spacing([14.0, 4.0])
        .show(ui, |ui| {
            fact(
                ui,
                "Resolution",
                format!("{} cells across", solved.resolution),
            );
            fact(ui, "Unknowns", count(report.unknowns as u64));
            if let Some(share) = solved.reuse.share() {
                fact(ui, "Reused", format!("{:.0} %", (100.0 * share).floor()));
            }
            fact(ui, "Time", seconds(solved.seconds));
            fact(ui, "Residual", format!("{:.1e}", report.relative_residual));
            fact(
                ui,
                "Mass imbalance",
                format!("{:.1e}", report.mass_imbalance),
            );
        });
    if solved.revision != context.document.revision {
        let warm = if ui.visuals().dark_mode {
            Color32::from_rgb(255, 190, 90)
        } else {
            Color32::from_rgb(160, 84, 0)
        };
        let text = match context.worker.running {
            Some(_) => "Solving…",
            None => "These results are older than the drawing.",
        };
        ui.label(RichText::new(text).color(warm));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conductances_have_a_readable_unit() {
        // 1 µL/min at 1 mbar.
        let g = 1e-9 / 60.0 / 100.0;
        for (g, has_depth, want) in [
            (2.0 * g, true, "µL/(min mbar)"),
            (0.2 * g, true, "nL/(min mbar)"),
            (1e-30, true, "pL/(min mbar)"),
            (3e-8, false, "mm²/(s mbar)"),
            (3e-2, false, "m²/(s mbar)"),
        ] {
            let (unit, factor) = conductance_unit(g, has_depth);
            assert_eq!(unit, want, "{g}");
            assert!(g * factor >= 0.9995 || unit.starts_with('p'), "{g}");
        }
    }
}
