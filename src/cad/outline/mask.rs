//! Photomask at true size: SVG in millimetres, one path, arcs as arcs. The control layer has a sheet of its own, as large.

use std::fmt::Write as _;

use super::arc::radius;
use super::number::mm;
use super::{Loop, OutlineError, Outlines, Polarity, Settings};
use crate::design::{OverlayLayer, OverlayShape};
use stokeslet_base::geometry::Point;

/// Sheet around the chip where none is asked for, m.
const DEFAULT_MARGIN: f64 = 1e-3;

/// Corners of paths sharper than what gives a spike of this many widths are cut off.
const MITRE: f64 = 10.0;

/// The chip as a mask; y points up on the chip, down in the file.
///
/// # Errors
/// No control layer where its mask is wanted.
pub(super) fn write(outlines: &Outlines, settings: &Settings) -> Result<Vec<u8>, OutlineError> {
    let margin = settings.margin_or(DEFAULT_MARGIN);
    let (low, high) = outlines.sheet();
    let size = high - low + Point::new(2.0 * margin, 2.0 * margin);
    let place = |p: Point| Point::new(p.x - low.x + margin, high.y + margin - p.y);
    let (width, height) = (mm(size.x), mm(size.y));
    if settings.is_control {
        return control(outlines, settings, size, &place);
    }
    let mut path = String::new();
    if settings.polarity == Polarity::Dark {
        let _ = write!(path, "M0,0H{width}V{height}H0Z");
    }
    for walls in &outlines.loops {
        add_loop(&mut path, walls, &place);
    }
    let path =
        format!("<path fill=\"black\" fill-rule=\"evenodd\" stroke=\"none\" d=\"{path}\"/>\n");
    Ok(sheet(&outlines.chip.name, size, &path))
}

/// A file of one sheet, `size` in m.
fn sheet(title: &str, size: Point, body: &str) -> Vec<u8> {
    let (width, height, title) = (mm(size.x), mm(size.y), escape(title));
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}mm\" height=\"{height}mm\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{title}</title>\n{body}</svg>\n"
    );
    text.into_bytes()
}

/// The control layer on a sheet of its own, without texts: shapes may lie over each other, so they are painted one by one.
fn control(
    outlines: &Outlines,
    settings: &Settings,
    size: Point,
    place: &impl Fn(Point) -> Point,
) -> Result<Vec<u8>, OutlineError> {
    let shapes: Vec<&OverlayShape> = outlines
        .overlays
        .iter()
        .filter(|o| o.layer == OverlayLayer::Control)
        .map(|o| &o.shape)
        .filter(|shape| !matches!(shape, OverlayShape::Text { .. }))
        .collect();
    if shapes.is_empty() {
        return Err(OutlineError::NoControl);
    }
    let (field, ink) = match settings.polarity {
        Polarity::Dark => ("black", "white"),
        Polarity::Clear => ("white", "black"),
    };
    let mut body = format!(
        "<rect width=\"{}\" height=\"{}\" fill=\"{field}\"/>\n",
        mm(size.x),
        mm(size.y)
    );
    for shape in shapes {
        // Writing to a String can't fail.
        let _ = match shape {
            OverlayShape::Path { points, width } => {
                let points = points.iter().map(|p| place(*p));
                let points: Vec<String> =
                    points.map(|p| format!("{},{}", mm(p.x), mm(p.y))).collect();
                let width = width.map_or(outlines.usual_width, |w| w.0);
                writeln!(
                    body,
                    "<polyline fill=\"none\" stroke=\"{ink}\" stroke-width=\"{}\" stroke-miterlimit=\"{MITRE}\" points=\"{}\"/>",
                    mm(width),
                    points.join(" ")
                )
            }
            OverlayShape::Rectangle(corners) => {
                let [a, b] = corners.map(place);
                writeln!(
                    body,
                    "<rect fill=\"{ink}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                    mm(a.x.min(b.x)),
                    mm(a.y.min(b.y)),
                    mm((a.x - b.x).abs()),
                    mm((a.y - b.y).abs())
                )
            }
            OverlayShape::Circle { centre, diameter } => {
                let centre = place(*centre);
                writeln!(
                    body,
                    "<circle fill=\"{ink}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                    mm(centre.x),
                    mm(centre.y),
                    mm(diameter.0 / 2.0)
                )
            }
            OverlayShape::Text { .. } => Ok(()),
        };
    }
    let title = format!("{}, control layer", outlines.chip.name);
    Ok(sheet(&title, size, &body))
}

fn add_loop(path: &mut String, walls: &Loop, place: &impl Fn(Point) -> Point) {
    let n = walls.edges.len();
    for (k, edge) in walls.edges.iter().enumerate() {
        let (from, end) = (edge.from, walls.edges[(k + 1) % n].from);
        let to = place(end);
        if k == 0 {
            let start = place(from);
            let _ = write!(path, "M{},{}", mm(start.x), mm(start.y));
        }
        if edge.turn != 0.0 {
            let r = mm(radius(from, end, edge.turn));
            // Left on the chip goes against the clock, and sweep 0 does so in a picture that has y downwards.
            let sweep = u8::from(edge.turn < 0.0);
            let _ = write!(path, "A{r},{r} 0 0 {sweep} {},{}", mm(to.x), mm(to.y));
        } else if k + 1 < n {
            let _ = write!(path, "L{},{}", mm(to.x), mm(to.y));
        }
    }
    path.push('Z');
}

/// A text as XML shows it; characters that XML can't have are left out.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c >= ' ' || matches!(c, '\t' | '\n' | '\r') => out.push(c),
            _ => {}
        }
    }
    out
}
