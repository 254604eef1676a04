//! The chip's outline with its violations in red.

use svg::Document;
use svg::node::element::path::Data;
use svg::node::element::{Path, Rectangle, Text, Title};

use super::Violation;
use crate::chip::Chip;
use crate::outline::{Outlines, flatten};
use stokeslet_base::diagnostic::Severity;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;

/// Width of the picture, user units.
const WIDTH: f64 = 1200.0;
/// Around the chip and around the place of a violation.
const MARGIN: f64 = 24.0;
/// Height and least width of the legend below.
const LEGEND: f64 = 32.0;
const LEGEND_WIDTH: f64 = 2.0 * MARGIN + 240.0;
/// Least half size of a box.
const LEAST: f64 = 6.0;
/// How far chords may be from their arcs, user units.
const SAGITTA: f64 = 0.05;

/// Draws the chip with a box round every violation: red for errors, orange for warnings, both counted below; each tells itself as its title.
pub fn picture(chip: &Chip, violations: &[Violation]) -> String {
    let outlines = Outlines::new(chip);
    let corners: Vec<Point> = outlines
        .loops
        .iter()
        .flat_map(|l| &l.edges)
        .map(|edge| edge.from)
        .collect();
    if corners.is_empty() {
        return Document::new().to_string();
    }
    let (low, high) = bounds(&corners);
    let size = high - low;
    let scale = (WIDTH - 2.0 * MARGIN) / size.x.max(size.y).max(f64::MIN_POSITIVE);
    let place = |p: Point| {
        (
            MARGIN + (p.x - low.x) * scale,
            MARGIN + (high.y - p.y) * scale,
        )
    };
    let mut data = Data::new();
    for around in &outlines.loops {
        let n = around.edges.len();
        for k in 0..n {
            let (edge, end) = (around.edges[k], around.edges[(k + 1) % n].from);
            data = if k == 0 {
                data.move_to(place(edge.from))
            } else {
                data
            };
            for p in flatten(edge.from, end, edge.turn, SAGITTA / scale) {
                data = data.line_to(place(p));
            }
            data = if k + 1 < n {
                data.line_to(place(end))
            } else {
                data.close()
            };
        }
    }
    let height = 2.0 * MARGIN + size.y * scale;
    let width = (2.0 * MARGIN + size.x * scale).max(LEGEND_WIDTH);
    let mut document = Document::new()
        .set("viewBox", (0, 0, width.ceil(), (height + LEGEND).ceil()))
        .set("width", width.ceil())
        .set("height", (height + LEGEND).ceil())
        .add(
            Rectangle::new()
                .set("width", "100%")
                .set("height", "100%")
                .set("fill", "#ffffff"),
        )
        .add(
            Path::new()
                .set("fill", "#c9d8e8")
                .set("fill-rule", "evenodd")
                .set("d", data),
        );
    let of = |severity: Severity| violations.iter().filter(move |v| v.severity == severity);
    // Errors are drawn over warnings.
    for v in of(Severity::Warning).chain(of(Severity::Error)) {
        let colour = colour(v.severity);
        let ((x0, y1), (x1, y0)) = (place(v.bounds.0), place(v.bounds.1));
        let grow = |a: f64, b: f64| {
            let half = ((b - a) / 2.0 + 2.0).max(LEAST);
            ((a + b) / 2.0 - half, 2.0 * half)
        };
        let ((x, w), (y, h)) = (grow(x0, x1), grow(y0, y1));
        let rectangle = Rectangle::new()
            .set("x", format!("{x:.2}"))
            .set("y", format!("{y:.2}"))
            .set("width", format!("{w:.2}"))
            .set("height", format!("{h:.2}"))
            .set("fill", "none")
            .set("stroke", colour)
            .set("stroke-width", 1.5);
        document = document.add(rectangle.add(Title::new(v.describe())));
    }
    let mut x = MARGIN;
    for (severity, name) in [(Severity::Error, "errors"), (Severity::Warning, "warnings")] {
        let told = format!("{name}: {}", of(severity).count());
        let legend = Text::new(told)
            .set("x", x)
            .set("y", height + LEGEND / 2.0)
            .set(
                "font-family",
                "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
            )
            .set("font-size", 16)
            .set("fill", colour(severity));
        document = document.add(legend);
        x += 120.0;
    }
    document.to_string()
}

fn colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "#d01c1c",
        Severity::Warning => "#e08a00",
    }
}
