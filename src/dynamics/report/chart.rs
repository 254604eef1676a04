//! Lines in a frame with logarithmic axes, as SVG: tables over sizes, residual histories.

use svg::Document;
use svg::node::element::{Circle, Line, Polyline, Rectangle, Text};

/// How an axis is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Evenly.
    Linear,
    /// By powers.
    Logarithmic,
}

/// A line with its label.
#[derive(Clone, Debug)]
pub struct Series {
    /// What it is.
    pub label: String,
    /// Its points; those that an axis can't show are left out.
    pub points: Vec<(f64, f64)>,
    /// Which colour; series of one colour belong together.
    pub colour: usize,
    /// Dashed lines are other people's.
    pub dashed: bool,
}

/// A picture of lines.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Above it.
    pub title: String,
    /// Under it.
    pub x_label: String,
    /// Beside it.
    pub y_label: String,
    /// Its horizontal axis.
    pub x_axis: Axis,
    /// Its vertical axis.
    pub y_axis: Axis,
    /// What stands at 0, 1, ... of the horizontal axis instead of numbers; empty: numbers.
    pub names: Vec<String>,
    /// Its lines.
    pub series: Vec<Series>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 210.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Colours that people with any colour vision can tell apart in pairs; more lines than colours go around.
const COLOURS: [&str; 14] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#7f7f7f",
    "#8c564b", "#9467bd", "#17becf", "#bcbd22", "#d62728", "#1b4d1b",
];

/// Lines of more points have no dots.
const DOTS: usize = 60;

struct Scale {
    axis: Axis,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(axis: Axis, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|v| v.is_finite() && (axis == Axis::Linear || *v > 0.0)) {
            low = low.min(v);
            high = high.max(v);
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        let (low, high) = match axis {
            Axis::Linear => (low.min(0.0), high * 1.03),
            Axis::Logarithmic => (low / 1.15, high * 1.15),
        };
        Self {
            axis,
            low,
            high: if high > low { high } else { low + 1.0 },
            from,
            to,
        }
    }

    fn at(&self, v: f64) -> Option<f64> {
        let t = match self.axis {
            Axis::Linear => (v - self.low) / (self.high - self.low),
            Axis::Logarithmic => (v / self.low).ln() / (self.high / self.low).ln(),
        };
        t.is_finite()
            .then_some(self.from + t * (self.to - self.from))
    }

    fn ticks(&self) -> Vec<f64> {
        match self.axis {
            Axis::Logarithmic => {
                let decades = (self.high / self.low).log10();
                let steps: &[f64] = if decades < 2.5 {
                    &[1.0, 2.0, 5.0]
                } else {
                    &[1.0]
                };
                let skip = (decades / 10.0).ceil().max(1.0) as i32;
                (self.low.log10().floor() as i32..=self.high.log10().ceil() as i32)
                    .filter(|e| e % skip == 0)
                    .flat_map(|e| steps.iter().map(move |s| s * 10f64.powi(e)))
                    .filter(|v| (self.low..=self.high).contains(v))
                    .collect()
            }
            Axis::Linear => {
                let rough = (self.high - self.low) / 8.0;
                let power = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0]
                    .into_iter()
                    .map(|s| s * power)
                    .find(|s| *s >= rough)
                    .unwrap_or(10.0 * power);
                (0..=8)
                    .map(|k| (self.low / step).ceil() * step + f64::from(k) * step)
                    .filter(|v| *v <= self.high)
                    .collect()
            }
        }
    }
}

fn number(v: f64) -> String {
    if v != 0.0 && !(1e-3..1e5).contains(&v.abs()) {
        format!("{v:.0e}")
    } else {
        format!("{v}")
    }
}

fn text(x: f64, y: f64, anchor: &str, content: &str) -> Text {
    Text::new(content)
        .set("x", x)
        .set("y", y)
        .set(
            "font-family",
            "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
        )
        .set("font-size", 12)
        .set("text-anchor", anchor)
}

impl Chart {
    /// Drawn.
    pub fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| s.points.iter());
        let x = Scale::new(self.x_axis, points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let y = Scale::new(self.y_axis, points().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        let mut document = Document::new()
            .set("viewBox", (0, 0, WIDTH, HEIGHT))
            .set("width", WIDTH)
            .set("height", HEIGHT)
            .add(
                Rectangle::new()
                    .set("width", WIDTH)
                    .set("height", HEIGHT)
                    .set("fill", "white"),
            )
            .add(text(LEFT, 24.0, "start", &self.title).set("font-size", 15))
            .add(text(
                (LEFT + WIDTH - RIGHT) / 2.0,
                HEIGHT - 12.0,
                "middle",
                &self.x_label,
            ))
            .add(text(0.0, 0.0, "middle", &self.y_label).set(
                "transform",
                format!(
                    "translate(18 {}) rotate(-90)",
                    (TOP + HEIGHT - BOTTOM) / 2.0
                ),
            ));
        let line = |x1: f64, y1: f64, x2: f64, y2: f64, colour: &str| {
            Line::new()
                .set("x1", x1)
                .set("y1", y1)
                .set("x2", x2)
                .set("y2", y2)
                .set("stroke", colour)
        };
        // Sizes are few: they are the ticks themselves.
        let mut sizes: Vec<f64> = points().map(|p| p.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        let x_ticks = if sizes.len() <= 6 { sizes } else { x.ticks() };
        for tick in x_ticks {
            if let Some(at) = x.at(tick) {
                let label = match self.names.get(tick as usize) {
                    Some(name) => name.clone(),
                    None => number(tick),
                };
                document = document
                    .add(line(at, TOP, at, HEIGHT - BOTTOM, "#e4e4e4"))
                    .add(text(at, HEIGHT - BOTTOM + 17.0, "middle", &label));
            }
        }
        for tick in y.ticks() {
            if let Some(at) = y.at(tick) {
                document = document
                    .add(line(LEFT, at, WIDTH - RIGHT, at, "#e4e4e4"))
                    .add(text(LEFT - 6.0, at + 4.0, "end", &number(tick)));
            }
        }
        document = document
            .add(line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, "#444"))
            .add(line(
                LEFT,
                HEIGHT - BOTTOM,
                WIDTH - RIGHT,
                HEIGHT - BOTTOM,
                "#444",
            ));
        for (k, series) in self.series.iter().enumerate() {
            let colour = COLOURS[series.colour % COLOURS.len()];
            let dash = if series.dashed { "5 4" } else { "none" };
            let shown: Vec<(f64, f64)> = series
                .points
                .iter()
                .filter_map(|p| Some((x.at(p.0)?, y.at(p.1)?)))
                .collect();
            let path: Vec<String> = shown
                .iter()
                .map(|(x, y)| format!("{x:.1},{y:.1}"))
                .collect();
            document = document.add(
                Polyline::new()
                    .set("points", path.join(" "))
                    .set("fill", "none")
                    .set("stroke", colour)
                    .set("stroke-width", 1.8)
                    .set("stroke-dasharray", dash),
            );
            for (x, y) in shown.iter().filter(|_| shown.len() <= DOTS) {
                document = document.add(
                    Circle::new()
                        .set("cx", *x)
                        .set("cy", *y)
                        .set("r", 2.4)
                        .set("fill", colour),
                );
            }
            let at = TOP + 8.0 + 17.0 * k as f64;
            document = document
                .add(
                    line(WIDTH - RIGHT + 14.0, at, WIDTH - RIGHT + 40.0, at, colour)
                        .set("stroke-width", 2)
                        .set("stroke-dasharray", dash),
                )
                .add(text(WIDTH - RIGHT + 46.0, at + 4.0, "start", &series.label));
        }
        document.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_is_drawn_and_values_that_an_axis_cannot_show_are_left_out() {
        let series = |label: &str, points: &[(f64, f64)]| Series {
            label: label.into(),
            points: points.to_vec(),
            colour: 0,
            dashed: false,
        };
        let chart = Chart {
            title: "t".into(),
            x_label: "x".into(),
            y_label: "y".into(),
            x_axis: Axis::Linear,
            y_axis: Axis::Logarithmic,
            names: Vec::new(),
            series: vec![
                series("first", &[(0.0, 1.0), (1.0, 1e-3)]),
                series("second", &[(0.0, 0.0), (1.0, f64::NAN), (2.0, 5.0)]),
            ],
        };
        let drawn = chart.svg();
        assert_eq!(drawn.matches("<polyline").count(), 2);
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert!(drawn.contains("first") && drawn.contains("second") && !drawn.contains("NaN"));
    }
}
