//! Derivatives as a picture: what 1 % of each parameter does to each result, a bar each.

use svg::Document;
use svg::node::element::{Group, Line, Rectangle, Text};

use crate::output::Output;
use crate::sensitivity::Sensitivities;

/// In the picture's own units.
const ROW: f64 = 22.0;
const COLUMN: f64 = 150.0;
const MARGIN: f64 = 18.0;
const HEAD: f64 = 74.0;
/// Room for the number beside a bar.
const NUMBER: f64 = 46.0;
/// A letter's width at the size of text.
const LETTER: f64 = 6.7;
const INK: &str = "#1d2330";
const MUTED: &str = "#5a6272";
/// Okabe and Ito's vermilion and blue, which people with any sight tell apart; as in the window.
const MORE: &str = "#d55e00";
const LESS: &str = "#0072b2";
const STRIPE: &str = "#f3f5f8";

/// Per cent that each result changes by where a parameter grows by 1 %: by parameter and output; nothing where a result is zero or a parameter
/// can't be moved.
pub fn percentages(found: &Sensitivities) -> Vec<Vec<Option<f64>>> {
    let of_row = |(parameter, row): (&crate::sensitivity::Parameter, &Result<_, String>)| {
        let row: &Vec<Option<f64>> = match row {
            Ok(row) => row,
            Err(_) => return vec![None; found.values.len()],
        };
        let pairs = row.iter().zip(&found.values);
        pairs
            .map(|(slope, value)| {
                let value = value.filter(|v| *v != 0.0)?;
                Some((*slope)? * parameter.value / value)
            })
            .collect()
    };
    let rows = found.parameters.iter().zip(&found.derivatives);
    rows.map(of_row).collect()
}

/// The picture as SVG. Bars of a column share a scale, so that what matters most to a result is longest.
pub fn picture(title: &str, outputs: &[Output], found: &Sensitivities) -> String {
    let table = percentages(found);
    let longest = found.parameters.iter().map(|p| p.name.chars().count());
    let left = MARGIN + LETTER * longest.max().unwrap_or_default() as f64 + 12.0;
    let width = left + COLUMN * outputs.len() as f64 + MARGIN;
    let height = HEAD + ROW * table.len() as f64 + 40.0;
    let mut document = Document::new()
        .set("viewBox", (0, 0, width.ceil(), height.ceil()))
        .set("width", width.ceil())
        .set("height", height.ceil())
        .set(
            "font-family",
            "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
        )
        .set("font-size", 12)
        .add(block([0.0, 0.0, width, height], "#ffffff"))
        .add(
            text(MARGIN, 26.0, "start", title)
                .set("font-size", 16)
                .set("font-weight", "bold"),
        )
        .add(
            text(
                MARGIN,
                height - 14.0,
                "start",
                "per cent that a result changes by where a parameter grows by 1 %",
            )
            .set("fill", MUTED),
        );
    for (k, parameter) in found.parameters.iter().enumerate() {
        let y = HEAD + ROW * k as f64;
        if k % 2 == 0 {
            document = document.add(block([0.0, y, width, ROW], STRIPE));
        }
        document = document.add(text(left - 12.0, y + 15.0, "end", &parameter.name));
        if let Err(reason) = &found.derivatives[k] {
            document = document.add(text(left, y + 15.0, "start", reason).set("fill", MUTED));
        }
    }
    for (l, output) in outputs.iter().enumerate() {
        document = document.add(column(l, (left, height), output, &table));
    }
    document.to_string()
}

/// The bars of one output, with its name above them.
fn column(
    l: usize,
    (left, height): (f64, f64),
    output: &Output,
    table: &[Vec<Option<f64>>],
) -> Group {
    let values = || table.iter().filter_map(|row| row.get(l).copied().flatten());
    let most = values().fold(0.0_f64, |most, v| most.max(v.abs()));
    let middle = left + COLUMN * (l as f64 + 0.5);
    let half = 0.5 * COLUMN - NUMBER;
    let axis = Line::new()
        .set("x1", middle)
        .set("x2", middle)
        .set("y1", HEAD - 6.0)
        .set("y2", height - 40.0)
        .set("stroke", MUTED)
        .set("stroke-width", 0.8);
    let mut group = Group::new().add(axis);
    // Names such as `ports.left.flow_rate` on two lines.
    let name = output.name.rsplit_once('.');
    let (first, second) = name.unwrap_or(("", &output.name));
    for (line, y) in [(first, HEAD - 30.0), (second, HEAD - 14.0)] {
        group = group.add(text(middle, y, "middle", line).set("fill", INK));
    }
    for (k, row) in table.iter().enumerate() {
        let Some(value) = row.get(l).copied().flatten() else {
            continue;
        };
        let y = HEAD + ROW * k as f64;
        let shown = format!("{value:+.2}");
        // What rounds to nothing has no bar and no sign.
        if shown.trim_matches(['+', '-', '0', '.']).is_empty() {
            group = group.add(text(middle + 4.0, y + 15.0, "start", "0").set("fill", MUTED));
            continue;
        }
        let length = half * value.abs() / most.max(f64::MIN_POSITIVE);
        let (x, colour) = match value > 0.0 {
            true => (middle, MORE),
            false => (middle - length, LESS),
        };
        group = group.add(block([x, y + 4.0, length, ROW - 8.0], colour));
        let (at, anchor) = match value > 0.0 {
            true => (middle + length + 4.0, "start"),
            false => (middle - length - 4.0, "end"),
        };
        group = group.add(text(at, y + 15.0, anchor, &shown).set("fill", INK));
    }
    group
}

fn block([x, y, width, height]: [f64; 4], fill: &str) -> Rectangle {
    Rectangle::new()
        .set("x", x)
        .set("y", y)
        .set("width", width)
        .set("height", height)
        .set("fill", fill)
}

fn text(x: f64, y: f64, anchor: &str, content: &str) -> Text {
    // XML knows no control characters.
    Text::new(content.replace(char::is_control, " "))
        .set("x", x)
        .set("y", y)
        .set("text-anchor", anchor)
        .set("fill", INK)
}
