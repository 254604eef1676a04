//! The panel of profiles: quantities of the flow and components of its velocity along the lines that were drawn, side by side.

use std::sync::Arc;

use eframe::egui::{self, Align, Layout, RichText, Sense, Ui, vec2};
use egui_plot::{Legend, Line, Plot};

use crate::command::Command;
use crate::context::{Tool, ViewContext};
use crate::results::Solved;
use crate::results::colour::DISTINCT;
use stokeslet_base::geometry::Point;
use stokeslet_flow::export::readable::{Quantity as Unit, Scale, figures};
use stokeslet_flow::field::Sample;
use stokeslet_flow::probe::{Profile, profiles};
use stokeslet_flow::quantities::{self, FieldQuantity};

/// Width of the list beside the plot, points.
const LIST: f32 = 250.0;

/// What is plotted over the distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plotted {
    Scalar(&'static FieldQuantity),
    U,
    V,
}

impl Default for Plotted {
    fn default() -> Self {
        Plotted::Scalar(&quantities::SPEED)
    }
}

impl Plotted {
    fn all() -> impl Iterator<Item = Plotted> {
        let scalars = quantities::at_points().map(Plotted::Scalar);
        scalars.chain([Plotted::U, Plotted::V])
    }

    fn label(self) -> &'static str {
        match self {
            Plotted::Scalar(quantity) => quantity.title,
            Plotted::U => "u",
            Plotted::V => "v",
        }
    }

    fn hint(self) -> String {
        match self {
            Plotted::Scalar(quantity) => format!("{}, {}", quantity.symbol, quantity.unit),
            Plotted::U => "Velocity to the right".to_owned(),
            Plotted::V => "Velocity upwards".to_owned(),
        }
    }

    fn unit(self) -> Unit {
        match self {
            Plotted::Scalar(quantity) => quantity.shown,
            Plotted::U | Plotted::V => Unit::Speed,
        }
    }

    fn of(self, sample: &Sample) -> f64 {
        match self {
            Plotted::Scalar(quantity) => quantity.of_sample(sample).unwrap_or_default(),
            Plotted::U => sample.velocity.x,
            Plotted::V => sample.velocity.y,
        }
    }
}

/// What is plotted, and the samples of the last frame.
#[derive(Debug, Default)]
pub struct ProfilesPanel {
    plotted: Plotted,
    sampled: Option<Sampled>,
}

#[derive(Debug)]
struct Sampled {
    solved: Arc<Solved>,
    lines: Vec<[Point; 2]>,
    profiles: Vec<Profile>,
}

impl ProfilesPanel {
    /// The profiles of what is shown now, taken anew where something changed.
    fn profiles(&mut self, solved: &Arc<Solved>, lines: &[[Point; 2]]) -> &[Profile] {
        let is_new = self
            .sampled
            .as_ref()
            .is_none_or(|s| !Arc::ptr_eq(&s.solved, solved) || s.lines != lines);
        if is_new {
            self.sampled = None;
        }
        let sampled = self.sampled.get_or_insert_with(|| Sampled {
            solved: solved.clone(),
            lines: lines.to_vec(),
            profiles: profiles(&solved.flow(), lines),
        });
        &sampled.profiles
    }
}

/// Draws the panel.
pub fn profiles_ui(
    ui: &mut Ui,
    context: &ViewContext<'_>,
    panel: &mut ProfilesPanel,
    out: &mut Vec<Command>,
) {
    let (Some(solved), false) = (&context.results.solved, context.shown.lines.is_empty()) else {
        let text = match context.results.solved {
            Some(_) => "Draw a line across a channel with the line probe to see its profile here.",
            None => "Solve the chip, then draw a line across a channel to see its profile here.",
        };
        ui.label(RichText::new(text).weak());
        if context.results.solved.is_some()
            && *context.tool != Tool::Line
            && ui.button("Draw a line").clicked()
        {
            out.push(Command::SetTool(Tool::Line));
        }
        return;
    };
    // Beside each other: what is below the canvas is low.
    let room = ui.available_size();
    ui.horizontal_top(|ui| {
        let column = vec2(LIST.min(0.45 * room.x), room.y);
        ui.allocate_ui_with_layout(column, Layout::top_down(Align::Min), |ui| {
            ui.set_min_size(column);
            egui::ScrollArea::vertical()
                .auto_shrink(false)
                .show(ui, |ui| list_ui(ui, solved, context, panel, out));
        });
        let plotted = panel.plotted;
        plot_ui(ui, panel.profiles(solved, &context.shown.lines), plotted);
    });
}

/// What is plotted, and the lines.
fn list_ui(
    ui: &mut Ui,
    solved: &Arc<Solved>,
    context: &ViewContext<'_>,
    panel: &mut ProfilesPanel,
    out: &mut Vec<Command>,
) {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 3.0);
        for plotted in Plotted::all() {
            let is_on = panel.plotted == plotted;
            if ui
                .selectable_label(is_on, plotted.label())
                .on_hover_text(plotted.hint())
                .clicked()
            {
                panel.plotted = plotted;
            }
        }
    });
    let plotted = panel.plotted;
    let profiles = panel.profiles(solved, &context.shown.lines);
    for (k, profile) in profiles.iter().enumerate() {
        ui.horizontal(|ui| {
            let (mark, _) = ui.allocate_exact_size(vec2(12.0, 12.0), Sense::hover());
            ui.painter()
                .rect_filled(mark, 2.0, DISTINCT[k % DISTINCT.len()]);
            ui.label(RichText::new((k + 1).to_string()).strong());
            ui.label(summary(profile, plotted));
            if ui
                .small_button("×")
                .on_hover_text(format!("Remove line {}", k + 1))
                .clicked()
            {
                out.push(Command::RemoveLine(k));
            }
        });
    }
    let hint = "All lines as a table in SI units: the same as the command line's line.csv";
    if ui.button("Copy as CSV").on_hover_text(hint).clicked() {
        out.push(Command::CopyProfiles);
    }
}

/// Length and greatest value of a profile.
fn summary(profile: &Profile, plotted: Plotted) -> String {
    let length = Unit::Length.show((profile.ends[1] - profile.ends[0]).norm());
    let samples = || profile.points.iter().filter_map(|p| p.sample.as_ref());
    let greatest = samples()
        .map(|s| plotted.of(s))
        .max_by(|a, b| a.abs().total_cmp(&b.abs()));
    match greatest {
        Some(value) => format!("{length}, greatest {}", plotted.unit().show(value)),
        None => format!("{length}, outside the flow"),
    }
}

/// Units of both axes: those of the longest line and the greatest value.
fn scales(profiles: &[Profile], plotted: Plotted) -> [Scale; 2] {
    let longest = profiles
        .iter()
        .map(|p| (p.ends[1] - p.ends[0]).norm())
        .fold(0.0, f64::max);
    let greatest = profiles
        .iter()
        .flat_map(|p| &p.points)
        .filter_map(|p| p.sample.as_ref())
        .map(|s| plotted.of(s).abs())
        .fold(0.0, f64::max);
    [
        Unit::Length.scale_for(longest),
        plotted.unit().scale_for(greatest),
    ]
}

/// The parts of a profile that lie in the flow, in units of the axes.
fn runs(profile: &Profile, plotted: Plotted, [x, y]: [Scale; 2]) -> Vec<Vec<[f64; 2]>> {
    let mut runs = vec![Vec::new()];
    for point in &profile.points {
        match (&point.sample, runs.last_mut()) {
            (Some(sample), Some(run)) => {
                run.push([point.distance * x.factor, plotted.of(sample) * y.factor]);
            }
            (None, Some(run)) if !run.is_empty() => runs.push(Vec::new()),
            _ => {}
        }
    }
    runs.retain(|run| run.len() > 1);
    runs
}

fn plot_ui(ui: &mut Ui, profiles: &[Profile], plotted: Plotted) {
    let [x, y] = scales(profiles, plotted);
    let height = (ui.available_height() - 2.0).clamp(60.0, 420.0);
    let name = |k: usize| format!("line {}", k + 1);
    let mut plot = Plot::new(("profiles", plotted.label()))
        .height(height)
        .x_axis_label(format!("distance ({})", x.unit))
        .y_axis_label(format!("{} ({})", plotted.label(), y.unit))
        .set_margin_fraction(vec2(0.02, 0.06))
        .include_x(0.0)
        .include_y(0.0)
        .label_formatter(move |hover| match hover {
            egui_plot::HoverPosition::NearDataPoint {
                plot_name,
                position,
                ..
            } => Some(format!(
                "{plot_name}\n{} {}\n{} {}",
                figures(position.x),
                x.unit,
                figures(position.y),
                y.unit
            )),
            egui_plot::HoverPosition::Elsewhere { .. } => None,
        });
    if profiles.len() > 1 {
        plot = plot.legend(Legend::default());
    }
    plot.show(ui, |plot| {
        for (k, profile) in profiles.iter().enumerate() {
            for (n, run) in runs(profile, plotted, [x, y]).into_iter().enumerate() {
                plot.line(
                    Line::new(name(k), run)
                        .color(DISTINCT[k % DISTINCT.len()])
                        .width(2.0)
                        .id((k, n)),
                );
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::{channel, solved};

    #[test]
    fn a_line_through_walls_is_plotted_inside_the_flow_only() {
        let solved = solved(&channel(), 4);
        let line = [Point::new(5e-4, -1e-4), Point::new(5e-4, 1e-4)];
        let mut panel = ProfilesPanel::default();
        let profiles = panel.profiles(&solved, &[line]).to_vec();
        let scales = scales(&profiles, Plotted::default());
        assert_eq!(scales.map(|s| s.unit), ["µm", "mm/s"]);
        let runs = runs(&profiles[0], Plotted::default(), scales);
        assert_eq!(runs.len(), 1);
        let (first, last) = (runs[0][0], runs[0][runs[0].len() - 1]);
        assert!(
            first[0] >= 49.9 && last[0] <= 150.1,
            "{first:?} to {last:?} µm"
        );
        let peak = runs[0].iter().map(|p| p[1]).fold(0.0, f64::max);
        assert!((peak - 125.0).abs() < 1e-6, "{peak} mm/s");
        assert_eq!(
            summary(&profiles[0], Plotted::default()),
            "200 µm, greatest 125 mm/s"
        );
    }
}
