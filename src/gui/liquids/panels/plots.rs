//! The residuals of the last solve and the iterations over time, of all views. A method that minds walls and divergence in turn has
//! a residual of either: the one that decides is drawn as a line, the other dashed.

use eframe::egui::{Align, Color32, Layout, Rangef, RichText, Sense, Stroke, Ui, Vec2b, vec2};
use egui_plot::{
    GridInput, GridMark, HLine, HoverPosition, Line, LineStyle, Plot, PlotPoint, PlotUi, Points,
};

use super::colour_of;
use crate::context::ViewContext;
use crate::liquids::Shown;
use crate::liquids::command::view_name;
use crate::liquids::subjects::Group;
use crate::results::colour::DISTINCT;
use stokeslet_dynamics::lcp::TOLERANCE;
use stokeslet_dynamics::stepped::{Measure, System, sibling as measure};
use stokeslet_flow::export::readable::{figures, ticks};

/// Only the newest frames are plotted: a frame of the window must not grow with the run.
const FRAMES: usize = 600;
/// Residuals are plotted no lower: what is 0 has no logarithm.
const LEAST: f64 = 1e-18;
/// Points of a history; of longer ones every so many.
const POINTS: usize = 2_000;

/// Fewer points than this are drawn as dots, too.
const SEEN: usize = 40;

/// Draws both plots side by side.
pub fn plots_ui(ui: &mut Ui, context: &ViewContext<'_>) {
    let views = &context.liquids.views;
    let group = context.settings.liquids.group();
    // The panel keeps its height, whatever is in it.
    ui.take_available_height();
    ui.add_space(2.0);
    if let Group::System(system) = group {
        return measured_ui(ui, system, views);
    }
    ui.columns_const(|[left, right]| {
        left.horizontal(|ui| {
            ui.strong(format!("Residual of the last {}", last(group)))
                .on_hover_text(measured(group));
            names(ui, views);
        });
        residuals(left, group, views);
        right.horizontal(|ui| {
            ui.strong(format!("Iterations a {}", group.part()))
                .on_hover_text(
                    "Inner iterations and line searches of every pressure solve, over simulated time",
                );
            names(ui, views);
        });
        counts(right, group, views);
    });
}

/// What the residuals are of.
fn last(group: Group) -> &'static str {
    match group {
        Group::Scenes => "solve",
        Group::Tanks | Group::System(_) => "step",
    }
}

/// What the residuals are.
fn measured(group: Group) -> &'static str {
    match group {
        Group::Scenes => {
            "Infinity norm of the minimum map after every cycle or outer iteration, 1/s; the dashed line is the tolerance"
        }
        Group::Tanks => {
            "What the method ends by, after every outer iteration: divergence, or the velocity that was taken off walls; \
             the other of the two is dashed, and so is the tolerance. Methods of a single solve have one value"
        }
        Group::System(system) => system.about(),
    }
}

/// Which colour is whose, beside the title: over the curves a legend would hide them.
fn names(ui: &mut Ui, views: &[Shown]) {
    if views.len() < 2 {
        return;
    }
    let is_dark = ui.visuals().dark_mode;
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        ui.spacing_mut().item_spacing.x = 5.0;
        for k in (0..views.len()).rev() {
            let label = views[k].choice.label();
            ui.label(RichText::new(label).small())
                .on_hover_text(name(views, k));
            let (rect, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
            ui.painter()
                .circle_filled(rect.center(), 4.0, colour_of(k, is_dark));
            ui.add_space(5.0);
        }
    });
}

fn plot<'a>(ui: &Ui, name: &str) -> Plot<'a> {
    Plot::new(name)
        .height((ui.available_height() - 2.0).max(60.0))
        .set_margin_fraction(vec2(0.02, 0.08))
        // Marks are few: lines as strong as far apart ones usually are would outshine the curves.
        .grid_spacing(Rangef::new(8.0, 1600.0))
        .allow_scroll(Vec2b::FALSE)
        .allow_drag(Vec2b::FALSE)
        .allow_zoom(Vec2b::FALSE)
        .allow_boxed_zoom(false)
        .allow_double_click_reset(false)
}

/// What a view is called in a legend: its place too, where both are called alike.
fn name(views: &[Shown], k: usize) -> String {
    let own = view_name(&views[k].choice);
    let is_alike = views.len() > 1 && views.iter().all(|v| view_name(&v.choice) == own);
    match is_alike {
        true => format!("{own} ({})", k + 1),
        false => own,
    }
}

/// What residuals have to fall below; each once.
fn tolerances(group: Group, views: &[Shown]) -> Vec<f64> {
    let told = views.iter().filter_map(|view| view.last.as_ref());
    let mut all: Vec<f64> = told.map(|solved| solved.tolerance).collect();
    if all.is_empty() && group == Group::Scenes {
        all.push(TOLERANCE);
    }
    all.dedup();
    all
}

fn residuals(ui: &mut Ui, group: Group, views: &[Shown]) {
    let tolerances = tolerances(group, views);
    let most = marks_of(ui.available_height(), 26.0);
    let is_dark = ui.visuals().dark_mode;
    let mut plot = plot(ui, "residuals")
        .y_axis_formatter(|mark: GridMark, _: &_| power(mark.value))
        .y_grid_spacer(move |input: GridInput| marks(input, |ends| decades(ends, most)))
        .x_grid_spacer(|input: GridInput| marks(input, |ends| whole(ends, 5)))
        .include_x(0.0)
        .include_x(1.0)
        .label_formatter(|hover: &HoverPosition<'_>| {
            near(hover, |p| {
                format!("after {:.0}: {:.1e}", p.x, 10f64.powf(p.y))
            })
        });
    for tolerance in &tolerances {
        plot = plot.include_y(tolerance.log10());
    }
    let grey = ui.visuals().weak_text_color();
    plot.show(ui, |plot| {
        for (k, tolerance) in tolerances.iter().enumerate() {
            plot.hline(
                HLine::new("tolerance", tolerance.log10())
                    .color(grey)
                    .width(1.0)
                    .style(LineStyle::dashed_dense())
                    .allow_hover(false)
                    .id(("tolerance", k)),
            );
        }
        for (k, view) in views.iter().enumerate() {
            let Some(solved) = &view.last else {
                continue;
            };
            let colour = colour_of(k, is_dark);
            for (what, residuals) in &solved.others {
                let name = format!("{}: {what}", name(views, k));
                let line = Line::new(name, history(residuals)).color(colour);
                plot.line(line.style(LineStyle::dashed_loose()).id((k, *what)));
            }
            let points = history(&solved.log.history);
            curve(plot, name(views, k), points, colour, k);
        }
    });
}

/// Residuals by their place, as powers of ten; what is no number is left out.
fn history(history: &[f64]) -> Vec<[f64; 2]> {
    let every = history.len().div_ceil(POINTS).max(1);
    let last = history.len().saturating_sub(1);
    history
        .iter()
        .enumerate()
        .filter(|(k, r)| (k.is_multiple_of(every) || *k == last) && r.is_finite())
        .map(|(k, r)| [k as f64, r.max(LEAST).log10()])
        .collect()
}

/// What every step of another system tells, over time: energies, iterations, what is left of violated constraints.
fn measured_ui(ui: &mut Ui, system: &dyn System, views: &[Shown]) {
    let kinds = [
        ("Energies", measure::Plot::Energy),
        ("Iterations", measure::Plot::Count),
        ("What is left", measure::Plot::Error),
    ];
    ui.columns_const(|columns: &mut [Ui; 3]| {
        for (ui, (title, kind)) in columns.iter_mut().zip(kinds) {
            let all = system.measures().iter().enumerate();
            let shown: Vec<(usize, &Measure)> = all.filter(|(_, m)| m.plot == kind).collect();
            let unit = shown.first().map_or("", |(_, m)| m.unit);
            ui.horizontal_wrapped(|ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                let title = match unit {
                    "" => title.to_owned(),
                    unit => format!("{title}, {unit}"),
                };
                let about = shown
                    .iter()
                    .map(|(_, m)| format!("{}: {}", m.name, m.about));
                ui.strong(title)
                    .on_hover_text(about.collect::<Vec<_>>().join("\n"));
                legend(ui, &shown);
            });
            let is_log = kind == measure::Plot::Error;
            over_time(ui, title, is_log, &shown, views);
        }
    });
}

/// Which line is which, where there are several.
fn legend(ui: &mut Ui, shown: &[(usize, &Measure)]) {
    if shown.len() < 2 {
        return;
    }
    // Beside the title, and below it where there is no room.
    ui.spacing_mut().item_spacing.x = 4.0;
    for (k, (_, measure)) in shown.iter().enumerate() {
        ui.add_space(3.0);
        let (rect, _) = ui.allocate_exact_size(vec2(9.0, 9.0), Sense::hover());
        let line = Stroke::new(2.0, DISTINCT[k % DISTINCT.len()]);
        ui.painter().hline(rect.x_range(), rect.center().y, line);
        ui.label(RichText::new(measure.name).small())
            .on_hover_text(measure.about);
    }
}

/// A line a measure and view; those of the second view are dashed.
fn over_time(ui: &mut Ui, name: &str, is_log: bool, shown: &[(usize, &Measure)], views: &[Shown]) {
    let most = marks_of(ui.available_height(), 26.0);
    let lone = colour_of(0, ui.visuals().dark_mode);
    let mut plot = plot(ui, name)
        .x_axis_formatter(move |mark: GridMark, _: &_| format!("{} s", short(mark.value)))
        .x_grid_spacer(|input: GridInput| marks(input, |ends| few(ends, 3)))
        .include_x(0.0)
        .label_formatter(move |hover: &HoverPosition<'_>| {
            near(hover, |p| {
                let y = if is_log { 10f64.powf(p.y) } else { p.y };
                format!("{:.4} s: {}", p.x, figures(y))
            })
        });
    plot = match is_log {
        true => plot
            .y_axis_formatter(|mark: GridMark, _: &_| power(mark.value))
            .y_grid_spacer(move |input: GridInput| marks(input, |ends| decades(ends, most))),
        false => plot
            .y_axis_formatter(|mark: GridMark, _: &_| figures(mark.value))
            .y_grid_spacer(move |input: GridInput| marks(input, |ends| few(ends, most)))
            .include_y(0.0),
    };
    plot.show(ui, |plot| {
        for (v, view) in views.iter().enumerate() {
            let from = view.rows.len().saturating_sub(FRAMES);
            for (k, (place, measure)) in shown.iter().enumerate() {
                let points = view.rows[from..].iter().filter_map(|row| {
                    let value = *row.of_system()?.values.get(*place)?;
                    let y = if is_log {
                        value.max(LEAST).log10()
                    } else {
                        value
                    };
                    y.is_finite().then_some([row.time, y])
                });
                let points: Vec<[f64; 2]> = points.collect();
                let colour = match shown.len() {
                    1 => lone,
                    _ => DISTINCT[k % DISTINCT.len()],
                };
                let name = match views.len() {
                    1 => measure.name.to_owned(),
                    _ => format!("{} ({})", measure.name, self::name(views, v)),
                };
                let line = Line::new(name, points).color(colour).width(1.8);
                let line = match v {
                    0 => line,
                    _ => line.style(LineStyle::dashed_loose()),
                };
                plot.line(line.id((v, k)));
            }
        }
    });
}

fn counts(ui: &mut Ui, group: Group, views: &[Shown]) {
    let second = group.second();
    let most = marks_of(ui.available_height(), 26.0);
    let is_dark = ui.visuals().dark_mode;
    let plot = plot(ui, "counts")
        .x_axis_formatter(move |mark: GridMark, _: &_| format!("{}{second}", short(mark.value)))
        .y_axis_formatter(|mark: GridMark, _: &_| short(mark.value))
        .x_grid_spacer(|input: GridInput| marks(input, |ends| few(ends, 5)))
        .y_grid_spacer(move |input: GridInput| marks(input, |ends| few(ends, most)))
        .include_x(0.0)
        .include_y(0.0)
        .label_formatter(move |hover: &HoverPosition<'_>| {
            near(hover, |p| format!("{:.3}{second}: {:.0}", p.x, p.y))
        });
    plot.show(ui, |plot| {
        for (k, view) in views.iter().enumerate() {
            let colour = colour_of(k, is_dark);
            curve(plot, name(views, k), iterations(view), colour, k);
        }
    });
}

/// Iterations over time, a point a substep, spread over its frame.
fn iterations(view: &Shown) -> Vec<[f64; 2]> {
    let from = view.rows.len().saturating_sub(FRAMES);
    let mut points = Vec::new();
    for (k, row) in view.rows.iter().enumerate().skip(from) {
        let n = row.solves().len() as f64;
        let begin = match k.checked_sub(1) {
            Some(before) => view.rows[before].time,
            None => row.time,
        };
        for (s, solve) in row.solves().iter().enumerate() {
            let part = (s as f64 + 1.0) / n;
            points.push([begin + part * (row.time - begin), solve.iterations() as f64]);
        }
    }
    points
}

fn curve(plot: &mut PlotUi<'_>, name: String, points: Vec<[f64; 2]>, colour: Color32, k: usize) {
    if points.len() < SEEN {
        let dots = Points::new(name.clone(), points.clone());
        plot.points(dots.color(colour).radius(2.5).id((k, "dots")));
    }
    plot.line(Line::new(name, points).color(colour).width(1.8).id(k));
}

fn near(hover: &HoverPosition<'_>, text: impl Fn(&PlotPoint) -> String) -> Option<String> {
    match hover {
        HoverPosition::NearDataPoint {
            plot_name,
            position,
            ..
        } => Some(format!("{plot_name}\n{}", text(position))),
        HoverPosition::Elsewhere { .. } => None,
    }
}

/// `1e-6` at whole powers, nothing between.
fn power(exponent: f64) -> String {
    if (exponent - exponent.round()).abs() < 1e-6 {
        format!("1e{exponent:.0}")
    } else {
        String::new()
    }
}

/// So many marks have room on a side, each with its number.
fn marks_of(length: f32, each: f32) -> usize {
    ((length - 30.0) / each).clamp(2.0, 8.0) as usize
}

/// Powers of ten, or every so many of them: no more than `most`.
fn decades((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let step = ((high - low) / most as f64).ceil().max(1.0);
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Round values, no more than `most`.
fn few((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let all = ticks(low, high);
    let every = all.len().div_ceil(most.max(1)).max(1);
    // Counted from zero, so that they stay where they are while the plot grows.
    let step = all.get(1).map_or(1.0, |second| second - all[0]);
    all.into_iter()
        .filter(|tick| ((tick / step).round() as i64).rem_euclid(every as i64) == 0)
        .collect()
}

/// Whole values, no more than `most`.
fn whole((low, high): (f64, f64), most: usize) -> Vec<f64> {
    let (first, last) = (low.ceil() as i64, high.floor() as i64);
    if last - first < most as i64 {
        (first..=last).map(|k| k as f64).collect()
    } else {
        few((low, high), most)
    }
}

/// Marks of a grid from their places; none where there is nothing to mark.
fn marks(input: GridInput, of: impl Fn((f64, f64)) -> Vec<f64>) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let span = high - low;
    if !span.is_finite() || span <= 0.0 {
        return Vec::new();
    }
    // All of one size, so that all have their numbers.
    of((low, high))
        .into_iter()
        .map(|value| GridMark {
            value,
            step_size: span,
        })
        .collect()
}

/// No digits that say nothing.
fn short(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residuals_are_powers_of_ten_and_long_histories_are_thinned() {
        assert_eq!(
            history(&[1.0, f64::INFINITY, 1e-3, 0.0]),
            [[0.0, 0.0], [2.0, -3.0], [3.0, -18.0]]
        );
        let long = vec![1e-2; 100_001];
        let points = history(&long);
        assert!(points.len() <= POINTS + 1, "{}", points.len());
        assert_eq!(
            points.last().map(|p| p[0]),
            Some(100_000.0),
            "the last is there"
        );
        assert_eq!(
            (power(-6.0), power(-6.5)),
            ("1e-6".to_owned(), String::new())
        );
    }

    #[test]
    fn marks_are_few_and_round() {
        assert_eq!(decades((-7.2, 3.1), 3), [-4.0, 0.0]);
        assert_eq!(decades((-2.5, 0.2), 8), [-2.0, -1.0, 0.0]);
        let marks: Vec<String> = few((0.0, 0.9), 5).into_iter().map(short).collect();
        assert_eq!(marks, ["0", "0.2", "0.4", "0.6", "0.8"]);
        assert!(few((0.0, 53.0), 3).len() <= 3);
        assert_eq!(whole((-0.02, 1.02), 5), [0.0, 1.0], "no halves of a cycle");
        assert_eq!(whole((-0.2, 5.4), 5), few((-0.2, 5.4), 5));
        assert_eq!(short(25.0), "25");
    }
}
