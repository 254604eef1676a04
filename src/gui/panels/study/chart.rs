//! A result over a variable, as points that can be taken into the design.

use eframe::egui::{Ui, vec2};
use egui_plot::{
    GridInput, GridMark, HoverPosition, Line, Plot, PlotPoint, Points, VLine, log_grid_spacer,
};

use crate::command::Command;
use crate::context::ViewContext;
use crate::panels::fields::unit_of;
use crate::results::colour::DISTINCT;
use crate::studies::{Column, StudyCommand, Sweep, show};
use stokeslet_base::units::{Dimension, Powers, parse_any_quantity};
use stokeslet_cad::design::Value;
use stokeslet_study::run::Record;
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

/// What a chart draws.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    /// A result's name.
    pub(super) result: &'a str,
    /// Which variable it is drawn over.
    pub(super) over: usize,
    /// Which axes are logarithmic, that of the variable and that of the result.
    pub(super) logarithmic: [bool; 2],
}

impl Drawn<'_> {
    /// Indices of points with the variable and the result, SI, by the variable.
    fn points(self, sweep: &Sweep) -> Vec<(usize, [f64; 2])> {
        let column = sweep.outputs.iter().position(|o| o.name == self.result);
        let of_record = |(index, record): (&usize, &Record)| {
            let y = record.outputs.get(column?).copied().flatten()?;
            Some((*index, [Sweep::value(record, self.over)?, y]))
        };
        let mut points: Vec<_> = sweep.records.iter().filter_map(of_record).collect();
        points.sort_by(|a, b| a.1[0].total_cmp(&b.1[0]));
        points
    }

    /// Which axes could be logarithmic: those of numbers that are all above 0.
    pub(super) fn may_be_logarithmic(self, sweep: &Sweep) -> [bool; 2] {
        let points = self.points(sweep);
        let is_some = !points.is_empty();
        [0, 1].map(|axis| is_some && points.iter().all(|(_, p)| p[axis] > 0.0))
    }
}

/// Marks of a logarithmic axis, in powers of ten: at 1, 2 and 5 of each decade, then between them; evenly in what is shorter than a third of one.
fn marks(input: GridInput) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    if high - low < 0.3 {
        return log_grid_spacer(10)(input);
    }
    // Far beyond any number there is no mark.
    let decades = (low.floor().max(-310.0) as i32)..=(high.ceil().min(310.0) as i32);
    let in_decade = |decade: i32| {
        (1..10).map(move |k| GridMark {
            value: f64::from(decade) + f64::from(k).log10(),
            step_size: match k {
                1 => 1.0,
                2 | 5 => 0.3,
                _ => 0.05,
            },
        })
    };
    let all = decades.flat_map(in_decade);
    all.filter(|mark| (low..=high).contains(&mark.value))
        .collect()
}

/// The number at a mark of a logarithmic axis.
fn number_at(power: f64) -> String {
    let number = 10_f64.powf(power);
    // As it is meant: a power of ten is rounded.
    let number: f64 = format!("{number:.4e}").parse().unwrap_or(number);
    match (1e-3..1e5).contains(&number) {
        true => format!("{number}"),
        false => format!("{number:e}"),
    }
}

/// Draws the chart, so high.
pub(super) fn ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    sweep: &Sweep,
    (drawn, height): (Drawn<'_>, f32),
    out: &mut Vec<Command>,
) {
    let Drawn { result, over, .. } = drawn;
    let Some(column) = sweep.outputs.iter().position(|o| o.name == result) else {
        return;
    };
    let Some(variable) = sweep.variables.get(over) else {
        return;
    };
    let points = drawn.points(sweep);
    if points.is_empty() {
        return;
    }
    let may_be = drawn.may_be_logarithmic(sweep);
    let is_log = [0, 1].map(|axis| drawn.logarithmic[axis] && may_be[axis]);
    // Axes in the unit that their greatest value is read in.
    let scale = |axis: usize, powers| {
        let greatest = points.iter().map(|p| p.1[axis].abs()).fold(0.0, f64::max);
        scale_of(greatest, powers)
    };
    let (sx, unit_x) = scale(0, variable.powers);
    let (sy, unit_y) = scale(1, sweep.outputs[column].powers);
    let (px, py) = (variable.powers, sweep.outputs[column].powers);
    // Where a number in its unit is drawn along an axis, and the number that is drawn somewhere.
    let place = move |axis: usize, x: f64| if is_log[axis] { x.log10() } else { x };
    let number = move |axis: usize, at: f64| if is_log[axis] { 10_f64.powf(at) } else { at };
    let name = variable.name.clone();
    let mut plot = Plot::new(("sweep", result, over, is_log))
        .height(height)
        .width(ui.available_width().min(900.0))
        .x_axis_label(named(&variable.name, &unit_x))
        // Its name stands above it.
        .y_axis_label(unit_y)
        .set_margin_fraction(vec2(0.03, 0.08))
        .label_formatter(move |hover| match hover {
            HoverPosition::NearDataPoint { position, .. } => Some(format!(
                "{name} = {}\n{}\nclick to take it",
                show(number(0, position.x) * sx, px),
                show(number(1, position.y) * sy, py)
            )),
            HoverPosition::Elsewhere { .. } => None,
        });
    if is_log[0] {
        plot = plot.x_grid_spacer(marks);
        plot = plot.x_axis_formatter(|mark, _| number_at(mark.value));
    }
    if is_log[1] {
        plot = plot.y_grid_spacer(marks);
        plot = plot.y_axis_formatter(|mark, _| number_at(mark.value));
    }
    let places = points.iter();
    let places: Vec<[f64; 2]> = places
        .map(|(_, [x, y])| [place(0, x / sx), place(1, y / sy)])
        .collect();
    let now = context.document.design.as_ref().and_then(|design| {
        match design.parametric.variable(&variable.name)?.value {
            Some(Value::Quantity(x, _) | Value::Number(x)) => {
                Some(place(0, x / sx)).filter(|x| x.is_finite())
            }
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
            let line = Line::new(result, places.clone())
                .color(DISTINCT[0])
                .width(1.5);
            plot.line(line.allow_hover(false).id("line"));
        }
        let marks = Points::new(result, places.clone()).color(DISTINCT[0]);
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
        let nearest = places
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

    #[test]
    fn a_logarithmic_axis_has_marks_at_round_numbers() {
        let of = |low: f64, high: f64| -> Vec<String> {
            let input = GridInput {
                bounds: (low.log10(), high.log10()),
                base_step_size: 0.01,
            };
            let first = |mark: &GridMark| mark.step_size > 0.1;
            let found = marks(input).into_iter().filter(first);
            found.map(|mark| number_at(mark.value)).collect()
        };
        assert_eq!(of(0.9, 21.0), ["1", "2", "5", "10", "20"]);
        assert_eq!(of(0.9e-4, 3e-4), ["1e-4", "2e-4"]);
        let short = GridInput {
            bounds: (0.5, 0.6),
            base_step_size: 0.001,
        };
        assert!(marks(short).len() > 5, "evenly");
    }
}
