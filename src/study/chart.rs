//! Columns of a table as pictures: a line or points over one variable, a map over two.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use stokeslet_flow::export::readable::{tick_text, ticks};
use svg::Document;
use svg::node::element::{Circle, Group, Line, Polyline, Rectangle, Text};

use crate::journal::Header;
use crate::run::{Cell, Record};

/// Size of the picture and where its axes are, in its own units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 120.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 60.0;
/// Colours that people with any sight tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// Points of one colour.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// For the legend.
    pub name: String,
    /// In any order.
    pub points: Vec<[f64; 2]>,
}

/// How far apart values are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// As they differ.
    Linear,
    /// As their logarithms do.
    Logarithmic,
}

impl Scale {
    /// The scale of a variable: values each so many times the one before, as ranges with logarithmic steps have, are drawn evenly. Some may
    /// be missing, as in a sweep that isn't done.
    #[must_use]
    pub fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        if values.len() < 3 || !values.iter().all(|v| *v > 0.0 && v.is_finite()) {
            return Self::Linear;
        }
        let logarithms: Vec<f64> = values.iter().map(|v| v.ln()).collect();
        match !is_even(&values) && is_even(&logarithms) {
            true => Self::Logarithmic,
            false => Self::Linear,
        }
    }

    fn place(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Logarithmic => value.ln(),
        }
    }

    /// Ticks of an axis between two places of this scale, with their texts.
    fn ticks(self, min: f64, max: f64) -> Vec<(f64, String)> {
        let linear = |min: f64, max: f64| -> Vec<(f64, String)> {
            let all = ticks(min, max).into_iter();
            all.map(|value| (value, short(value, max - min))).collect()
        };
        if self == Self::Linear {
            return linear(min, max);
        }
        let decades = (max - min) / std::f64::consts::LN_10;
        let of_a_decade: &[i32] = match decades {
            ..2.5 => &[1, 2, 5],
            _ => &[1],
        };
        // A chart has room for some ten of them.
        let every = (decades / 10.0).ceil().max(1.0) as usize;
        let lowest = (min / std::f64::consts::LN_10).floor() as i32;
        let powers = (lowest..=lowest + decades.ceil() as i32 + 1).step_by(every);
        let all = powers.flat_map(|p| of_a_decade.iter().map(move |&k| (k, p)));
        let found: Vec<(f64, String)> = all
            .map(|(k, p)| {
                let at = f64::from(k).ln() + f64::from(p) * std::f64::consts::LN_10;
                let text = match (p, usize::try_from(-p)) {
                    (0..5, _) => (k * 10_i32.pow(p.unsigned_abs())).to_string(),
                    (-3..0, Ok(decimals)) => format!("0.{k:0>decimals$}"),
                    _ => format!("{k}e{p}"),
                };
                (at, text)
            })
            .filter(|(at, _)| (min - 1e-9..=max + 1e-9).contains(at))
            .collect();
        match found.len() {
            // Less than a factor of two or so.
            0 | 1 => {
                let all = linear(min.exp(), max.exp()).into_iter();
                all.map(|(value, text)| (value.ln(), text)).collect()
            }
            _ => found,
        }
    }
}

/// Whether ascending values have equal steps, but for gaps of whole steps and digits that files cut off.
fn is_even(values: &[f64]) -> bool {
    let [first, .., last] = values else {
        return true;
    };
    let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut sorted = steps.clone();
    sorted.sort_by(f64::total_cmp);
    // Most are single: the smaller of two in the middle.
    let usual = sorted[(sorted.len() - 1) / 2];
    let mut count = 0.0;
    let numbers = steps.iter().map(|step| {
        count += (step / usual).round();
        count
    });
    let numbers: Vec<f64> = numbers.collect();
    let place = |v: &f64| (v - first) / (last - first) * count;
    count <= 1.5 * steps.len() as f64
        && values[1..]
            .iter()
            .zip(numbers)
            .all(|(v, number)| (place(v) - number).abs() < 0.15)
}

/// From data to the picture.
struct Axis {
    scale: Scale,
    /// The least value, placed by the scale.
    min: f64,
    max: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// For values that `scale` has placed.
    fn new(scale: Scale, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| v.is_finite()) {
            (min, max) = (min.min(value), max.max(value));
        }
        if min > max {
            (min, max) = (0.0, 1.0);
        }
        // A constant is drawn in the middle; what is only rounding is a constant.
        if max - min <= 1e-9 * max.abs().max(min.abs()) {
            let half = if min == 0.0 { 1.0 } else { 0.1 * min.abs() };
            (min, max) = (min - half, max + half);
        }
        Self {
            scale,
            min,
            max,
            from,
            to,
        }
    }

    fn place(&self, value: f64) -> f64 {
        self.placed(self.scale.place(value))
    }

    /// Places a value that the scale has placed.
    fn placed(&self, value: f64) -> f64 {
        self.from + (value - self.min) / (self.max - self.min) * (self.to - self.from)
    }

    /// Where its ticks are in the picture, with their texts.
    fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        let all = self.scale.ticks(self.min, self.max).into_iter();
        all.map(|(value, text)| (self.placed(value), text))
    }
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> Text {
    Text::new(text)
        .set("x", x)
        .set("y", y)
        .set("text-anchor", anchor)
        .set(
            "font-family",
            "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
        )
        .set("font-size", 12)
}

fn axes(x: &Axis, y: &Axis, (x_name, y_name): (&str, &str)) -> Group {
    let mut group = Group::new().add(
        Rectangle::new()
            .set("x", LEFT)
            .set("y", TOP)
            .set("width", WIDTH - LEFT - RIGHT)
            .set("height", HEIGHT - TOP - BOTTOM)
            .set("fill", "none")
            .set("stroke", "#444"),
    );
    let tick = |a: [f64; 2], b: [f64; 2]| {
        Line::new()
            .set("x1", a[0])
            .set("y1", a[1])
            .set("x2", b[0])
            .set("y2", b[1])
            .set("stroke", "#444")
    };
    let bottom = HEIGHT - BOTTOM;
    for (at, text) in x.ticks() {
        group = group.add(tick([at, bottom], [at, bottom + 5.0])).add(label(
            at,
            bottom + 19.0,
            "middle",
            &text,
        ));
    }
    for (at, text) in y.ticks() {
        group = group.add(tick([LEFT - 5.0, at], [LEFT, at])).add(label(
            LEFT - 8.0,
            at + 4.0,
            "end",
            &text,
        ));
    }
    let middle = TOP + (bottom - TOP) / 2.0;
    group
        .add(label(
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 15.0,
            "middle",
            x_name,
        ))
        .add(
            label(16.0, middle, "middle", y_name)
                .set("transform", format!("rotate(-90 16 {middle})")),
        )
}

/// A tick's text: an exponent where plain digits would be long.
fn short(value: f64, span: f64) -> String {
    let size = value.abs().max(span);
    if (1e-3..1e5).contains(&size) {
        return tick_text(value, span);
    }
    let digits = ((value.abs() / span).log10().ceil().max(0.0) as usize + 1).min(8);
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!(
                "{}e{exponent}",
                mantissa.trim_end_matches('0').trim_end_matches('.')
            )
        }
        _ => text,
    }
}

fn document(title: &str) -> Document {
    Document::new()
        .set("viewBox", (0.0, 0.0, WIDTH, HEIGHT))
        .set("width", WIDTH)
        .set("height", HEIGHT)
        .add(
            Rectangle::new()
                .set("width", WIDTH)
                .set("height", HEIGHT)
                .set("fill", "white"),
        )
        .add(label(LEFT, 24.0, "start", title).set("font-weight", "bold"))
}

/// Outputs over one variable, as lines through points.
pub fn lines(
    title: &str,
    (x_name, scale): (&str, Scale),
    y_name: &str,
    series: &[Series],
) -> String {
    let all = || series.iter().flat_map(|s| &s.points);
    let x = all().map(|p| scale.place(p[0]));
    let x = Axis::new(scale, x, LEFT, WIDTH - RIGHT);
    let y = all().map(|p| p[1]);
    let y = Axis::new(Scale::Linear, y, HEIGHT - BOTTOM, TOP);
    let mut out = document(title).add(axes(&x, &y, (x_name, y_name)));
    for (k, one) in series.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let mut points: Vec<[f64; 2]> = one
            .points
            .iter()
            .filter(|p| p[1].is_finite())
            .copied()
            .collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        // Where one place has several values, they are a cloud and no line.
        let is_line = points.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        let mut path = String::new();
        let mut group = Group::new().set("fill", colour);
        for p in &points {
            let (px, py) = (x.place(p[0]), y.place(p[1]));
            // Writing into a String doesn't fail.
            let _ = write!(path, "{px:.2},{py:.2} ");
            group = group.add(Circle::new().set("cx", px).set("cy", py).set("r", 2.5));
        }
        if is_line && points.len() > 1 {
            let line = Polyline::new().set("points", path.trim_end());
            out = out.add(
                line.set("fill", "none")
                    .set("stroke", colour)
                    .set("stroke-width", 1.5),
            );
        }
        out = out.add(group);
        if series.len() > 1 {
            let at = TOP + 16.0 * (k as f64 + 1.0);
            let name = label(WIDTH - RIGHT + 10.0, at, "start", &one.name);
            out = out.add(name.set("fill", colour));
        }
    }
    format!("{out}\n")
}

/// One output over two variables: a coloured cell a point.
pub fn map(title: &str, variables: [(&str, Scale); 2], points: &[[f64; 3]]) -> String {
    let ([x_name, y_name], scales) = (variables.map(|v| v.0), variables.map(|v| v.1));
    let distinct = |k: usize| {
        let mut values: Vec<f64> = points.iter().map(|p| p[k]).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        values
    };
    let (xs, ys) = (distinct(0), distinct(1));
    // Cells reach to halfway between neighbours, or half a step outwards at the ends.
    let edges = |values: &[f64], scale: Scale| -> Vec<f64> {
        let values: Vec<f64> = values.iter().map(|v| scale.place(*v)).collect();
        let n = values.len();
        let middle = |k: usize| (values[k] + values[k + 1]) / 2.0;
        (0..=n)
            .map(|k| match (k, n) {
                (_, 0) => 0.0,
                (_, 1) => values[0] + (k as f64 - 0.5) * values[0].abs().max(1e-300) * 0.1,
                (0, _) => 2.0 * values[0] - middle(0),
                _ if k == n => 2.0 * values[n - 1] - middle(n - 2),
                _ => middle(k - 1),
            })
            .collect()
    };
    let (x_edges, y_edges) = (edges(&xs, scales[0]), edges(&ys, scales[1]));
    let x = Axis::new(scales[0], x_edges.iter().copied(), LEFT, WIDTH - RIGHT);
    let y = Axis::new(scales[1], y_edges.iter().copied(), HEIGHT - BOTTOM, TOP);
    let z = Axis::new(Scale::Linear, points.iter().map(|p| p[2]), 0.0, 1.0);
    let mut cells = Group::new();
    for p in points.iter().filter(|p| p[2].is_finite()) {
        let column = xs.partition_point(|v| *v < p[0]);
        let row = ys.partition_point(|v| *v < p[1]);
        let (x0, x1) = (x.placed(x_edges[column]), x.placed(x_edges[column + 1]));
        let (y0, y1) = (y.placed(y_edges[row + 1]), y.placed(y_edges[row]));
        cells = cells.add(
            Rectangle::new()
                .set("x", x0)
                .set("y", y0)
                .set("width", x1 - x0)
                .set("height", y1 - y0)
                .set("fill", colour(z.place(p[2]))),
        );
    }
    let mut scale = Group::new();
    let left = WIDTH - RIGHT + 20.0;
    let bottom = HEIGHT - BOTTOM;
    for k in 0..64 {
        let t = f64::from(k) / 64.0;
        scale = scale.add(
            Rectangle::new()
                .set("x", left)
                .set("y", bottom - (t + 1.0 / 64.0) * (bottom - TOP))
                .set("width", 14)
                .set("height", (bottom - TOP) / 64.0 + 0.5)
                .set("fill", colour(t)),
        );
    }
    for (at, text) in z.ticks() {
        let at = bottom - at * (bottom - TOP);
        scale = scale.add(label(left + 18.0, at + 4.0, "start", &text));
    }
    let out = document(title).add(cells).add(scale);
    format!("{}\n", out.add(axes(&x, &y, (x_name, y_name))))
}

/// Colour of viridis at `t`, between five of its colours.
fn colour(t: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let at = t.clamp(0.0, 1.0) * 4.0;
    let k = (at as usize).min(3);
    let part = at - k as f64;
    let [r, g, b] =
        [0, 1, 2].map(|c| (STOPS[k][c] * (1.0 - part) + STOPS[k + 1][c] * part).round());
    format!("rgb({r},{g},{b})")
}

/// The pictures of a table: each output that has a value over the one variable that differs, or over the two; none where more differ.
///
/// File names and SVG.
pub fn of_table(header: &Header, records: &BTreeMap<usize, Record>) -> Vec<(String, String)> {
    let number = |record: &Record, k: usize| match record.values.get(k) {
        Some(Cell::Number(value)) => Some(*value),
        _ => None,
    };
    let differs = |k: &usize| {
        let mut values = records.values().map(|record| number(record, *k));
        let first = values.next().flatten();
        first.is_some() && values.any(|value| value != first)
    };
    let own = header.variables.len().saturating_sub(header.n_nominal);
    let varied: Vec<usize> = (0..own).filter(differs).collect();
    // By all that was tried, so that all outputs have the same.
    let named = |k: usize| {
        let values = records.values().filter_map(|record| number(record, k));
        (header.variables[k].as_str(), Scale::of(values))
    };
    let mut out = Vec::new();
    let mut taken = BTreeSet::new();
    for (k, output) in header.outputs.iter().enumerate() {
        let value = |record: &Record| record.outputs.get(k).copied().flatten();
        let picture = match varied[..] {
            [x] => {
                // One line a resolution.
                let mut by_resolution: BTreeMap<Option<u32>, Series> = BTreeMap::new();
                for record in records.values() {
                    if let (Some(x), Some(y)) = (number(record, x), value(record)) {
                        let series = by_resolution.entry(record.resolution).or_default();
                        series.name = record
                            .resolution
                            .map_or(String::new(), |r| format!("r = {r}"));
                        series.points.push([x, y]);
                    }
                }
                let series: Vec<Series> = by_resolution.into_values().collect();
                (!series.is_empty()).then(|| lines(output, named(x), output, &series))
            }
            [x, y] => {
                let finest = records
                    .values()
                    .filter_map(|record| record.resolution)
                    .max();
                let points: Vec<[f64; 3]> = records
                    .values()
                    .filter(|record| record.resolution == finest)
                    .filter_map(|r| Some([number(r, x)?, number(r, y)?, value(r)?]))
                    .collect();
                (!points.is_empty()).then(|| map(output, [named(x), named(y)], &points))
            }
            _ => continue,
        };
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '.' || c == '-' {
                c
            } else {
                '_'
            }
        };
        let name = output.split(" [").next().unwrap_or(output);
        let stem: String = name.chars().map(plain).collect();
        // Names that differ in other letters, or in case, which not every file system tells apart.
        let mut file = format!("{stem}.svg");
        let mut number = 2;
        while !taken.insert(file.to_lowercase()) {
            file = format!("{stem}-{number}.svg");
            number += 1;
        }
        // Of what has no value the table's `message` says why.
        out.extend(picture.map(|picture| (file, picture)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Status;

    /// Names of letters that files don't have, and of one name but for case.
    #[test]
    fn every_output_has_a_picture_of_its_own() {
        let outputs = ["入", "出", "a b", "a_b", "A_b [Pa]"].map(str::to_owned);
        let header = Header {
            study: 1,
            key: String::new(),
            points: 2,
            shard: (1, 1),
            variables: vec!["w".to_owned()],
            n_nominal: 0,
            has_resolution: false,
            outputs: outputs.to_vec(),
        };
        let record = |index: usize| Record {
            index,
            values: vec![Cell::Number(index as f64)],
            resolution: None,
            status: Status::Ok,
            message: String::new(),
            outputs: vec![Some(1.0 + index as f64); 5],
            seconds: 0.0,
        };
        let records = (0..2).map(|k| (k, record(k))).collect();
        let names: Vec<String> = of_table(&header, &records)
            .into_iter()
            .map(|c| c.0)
            .collect();
        assert_eq!(
            names,
            ["_.svg", "_-2.svg", "a_b.svg", "a_b-2.svg", "A_b-3.svg"]
        );
        // One that no point has a value of has none, and leaves its name to nobody.
        let without = |(k, mut record): (usize, Record)| {
            record.outputs[2] = None;
            (k, record)
        };
        let records = (0..2).map(|k| without((k, record(k)))).collect();
        let drawn: Vec<String> = of_table(&header, &records)
            .into_iter()
            .map(|c| c.0)
            .collect();
        assert_eq!(drawn, ["_.svg", "_-2.svg", "a_b-2.svg", "A_b-3.svg"]);
    }

    /// Where points lie across the picture, and the texts of ticks below.
    fn across(points: &[f64]) -> (Vec<f64>, Vec<String>) {
        let scale = Scale::of(points.iter().copied());
        let x = Axis::new(scale, points.iter().map(|x| scale.place(*x)), 0.0, 1.0);
        let texts = x.ticks().map(|tick| tick.1).collect();
        (points.iter().map(|p| x.place(*p)).collect(), texts)
    }

    #[test]
    fn logarithmic_ranges_are_drawn_evenly_and_others_as_they_are() {
        let (places, texts) = across(&[1e-9, 1e-8, 1e-7, 1e-6]);
        for (at, expected) in places.iter().zip([0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]) {
            assert!((at - expected).abs() < 1e-12, "{places:?}");
        }
        assert_eq!(texts, ["1e-9", "1e-8", "1e-7", "1e-6"]);
        // To three digits, as a table has them; within two decades ticks are closer.
        let (places, texts) = across(&[10.0, 21.5, 46.4, 100.0]);
        assert!((places[1] - 1.0 / 3.0).abs() < 2e-3, "{places:?}");
        assert_eq!(texts, ["10", "20", "50", "100"]);
        assert_eq!(
            across(&[0.01, 0.1, 1.0]).1,
            ["0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1"]
        );
        // To three digits in fifty steps.
        let many: Vec<f64> = (0..=50).map(|k| 10f64.powf(f64::from(k) / 50.0)).collect();
        let many: Vec<f64> = many.iter().map(|v| (v * 100.0).round() / 100.0).collect();
        let (places, texts) = across(&many);
        assert!((places[25] - 0.5).abs() < 2e-3, "{places:?}");
        assert_eq!(texts, ["1", "2", "5", "10"]);
        // One that failed, or isn't there yet.
        let (places, _) = across(&[1e-9, 1e-8, 1e-6, 1e-5]);
        assert!((places[1] - 0.25).abs() < 1e-12, "{places:?}");
        // Within a factor of two.
        let (places, texts) = across(&[1.0, 1.2, 1.44, 1.728]);
        assert!((places[1] - 1.0 / 3.0).abs() < 1e-12, "{places:?}");
        assert!(texts.len() > 2, "{texts:?}");
        for linear in [
            &[1.0, 2.0, 3.0][..],
            &[1.0, 10.0],
            &[0.0, 1.0, 10.0],
            &[1.0, 2.0, 30.0],
        ] {
            let (places, _) = across(linear);
            let part = (linear[1] - linear[0]) / (linear[linear.len() - 1] - linear[0]);
            assert!((places[1] - part).abs() < 1e-12, "{linear:?}");
        }
    }
}
