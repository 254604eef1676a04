//! A result over a variable, as points that can be taken into the design.

use eframe::egui::{Ui, vec2};
use egui_plot::{HoverPosition, Line, Plot, PlotPoint, Points, VLine};

use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::fields::unit_of;
use crate::results::colour::DISTINCT;
use crate::studies::{Column, StudyCommand, Sweep, show};
use stokeslet_base::units::{Dimension, Powers, parse_any_quantity};
use stokeslet_cad::design::Value;
use stokeslet_study::study::unit;

/// How near a click must be to a point, in points of the screen.
const NEAR: f32 = 14.0;

/// The result that changes most over the sweep, relative to its size.
pub(super) fn liveliest(sweep: &Sweep) -> Option<&Column> {
    let change = |k: usize| {
        let values = || {
            let all = sweep.records.values();
            all.filter_map(move |record| record.outputs.get(k).copied().flatten())
        };
        let (low, high) = values().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
        let size = low.abs().max(high.abs());
        if size > 0.0 && size.is_finite() {
            (high - low) / size
        } else {
            0.0
        }
    };
    let best = (0..sweep.outputs.len())
        // What only rounding moves is told nobody; the first of equals.
        .map(|k| ((change(k) * 1e6).round(), std::cmp::Reverse(k)))
        .max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    best.and_then(|(_, k)| sweep.outputs.get(k.0))
}

/// What values are divided by on an axis, and the unit that is left.
fn scale_of(greatest: f64, powers: Powers) -> (f64, String) {
    if greatest == 0.0 || !greatest.is_finite() {
        return (1.0, unit(powers));
    }
    let text = show(greatest, powers);
    let read = Dimension::of_powers(powers).and_then(|_| {
        let unit = unit_of(&text)?;
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        let (value, _) = parse_any_quantity(&text).ok()?;
        (number != 0.0).then(|| (value / number, unit.to_owned()))
    });
    read.unwrap_or_else(|| match powers {
        [0, 0, 0, 0, 0] => (1.0, String::new()),
        powers => {
            let factor = 10_f64.powf(greatest.log10().floor());
            (factor, format!("{factor:e} {}", unit(powers)))
        }
    })
}

/// A name with its unit.
fn named(name: &str, unit: &str) -> String {
    match unit {
        "" => name.to_owned(),
        unit => format!("{name} [{unit}]"),
    }
}

/// Draws the chart.
pub(super) fn ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    sweep: &Sweep,
    (drawn, over, height): (&str, usize, f32),
    out: &mut Vec<Command>,
) {
    let Some(column) = sweep.outputs.iter().position(|o| o.name == drawn) else {
        return;
    };
    let Some(variable) = sweep.variables.get(over) else {
        return;
    };
    let mut points: Vec<(usize, [f64; 2])> = sweep
        .records
        .iter()
        .filter_map(|(index, record)| {
            let y = record.outputs.get(column).copied().flatten()?;
            Some((*index, [Sweep::value(record, over)?, y]))
        })
        .collect();
    points.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
    if points.is_empty() {
        return;
    }
    // Axes in the unit that their greatest value is read in.
    let scale = |axis: usize, powers| {
        let greatest = points.iter().map(|p| p.1[axis].abs()).fold(0.0, f64::max);
        scale_of(greatest, powers)
    };
    let (sx, unit_x) = scale(0, variable.powers);
    let (sy, unit_y) = scale(1, sweep.outputs[column].powers);
    let (px, py) = (variable.powers, sweep.outputs[column].powers);
    let name = variable.name.clone();
    let plot = Plot::new(("sweep", drawn, over))
        .height(height)
        .width(ui.available_width().min(900.0))
        .x_axis_label(named(&variable.name, &unit_x))
        // Its name stands above it.
        .y_axis_label(unit_y)
        .set_margin_fraction(vec2(0.03, 0.08))
        .label_formatter(move |hover| match hover {
            HoverPosition::NearDataPoint { position, .. } => Some(format!(
                "{name} = {}\n{}\nclick to take it",
                show(position.x * sx, px),
                show(position.y * sy, py)
            )),
            HoverPosition::Elsewhere { .. } => None,
        });
    let scaled: Vec<[f64; 2]> = points.iter().map(|(_, [x, y])| [x / sx, y / sy]).collect();
    let now = context.document.design.as_ref().and_then(|design| {
        match design.parametric.variable(&variable.name)?.value {
            Some(Value::Quantity(x, _) | Value::Number(x)) => Some(x / sx),
            _ => None,
        }
    });
    let grey = ui.visuals().weak_text_color();
    let response = plot.show(ui, |plot| {
        if let Some(now) = now {
            let line = VLine::new("the design", now).color(grey).width(1.0);
            plot.vline(line.allow_hover(false).id("now"));
        }
        if sweep.variables.len() == 1 {
            let line = Line::new(drawn, scaled.clone())
                .color(DISTINCT[0])
                .width(1.5);
            plot.line(line.allow_hover(false).id("line"));
        }
        let marks = Points::new(drawn, scaled.clone()).color(DISTINCT[0]);
        plot.points(marks.radius(3.5).id("points"));
    });
    let clicked = response.response.clicked();
    let at = response.response.interact_pointer_pos().filter(|_| clicked);
    if let Some(at) = at {
        let distance = |p: &[f64; 2]| {
            let place = response
                .transform
                .position_from_point(&PlotPoint::new(p[0], p[1]));
            (place - at).length()
        };
        let nearest = scaled
            .iter()
            .zip(&points)
            .map(|(p, (index, _))| (distance(p), *index))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((distance, index)) = nearest
            && distance < NEAR
        {
            out.push(Command::Study(StudyCommand::TakePoint(index)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_in_the_unit_of_their_greatest_value() {
        let flow: Powers = [0, 3, -1, 0, 0];
        let (factor, unit) = scale_of(2.5e-9 / 60.0, flow);
        assert_eq!(unit, "µL/min");
        assert!((factor * 60e9 - 1.0).abs() < 1e-4, "{factor}");
        let (factor, unit) = scale_of(1.5e-4, [0, 1, 0, 0, 0]);
        assert_eq!(unit, "µm");
        assert!((factor * 1e6 - 1.0).abs() < 1e-12, "{factor}");
        assert_eq!(scale_of(3.0, [0; 5]), (1.0, String::new()));
        assert_eq!(scale_of(0.0, flow).0, 1.0);
        let (factor, unit) = scale_of(3e-12, [-1, 4, 1, 0, 0]);
        assert_eq!((factor, unit.starts_with("1e-12 ")), (1e-12, true));
        assert_eq!(named("q", "µm"), "q [µm]");
    }
}
