//! Photomask at true size: SVG in millimetres, one path, arcs as arcs.

use std::fmt::Write as _;

use super::arc::radius;
use super::number::mm;
use super::{Loop, Outlines, Polarity, Settings};
use stokeslet_base::geometry::Point;

/// Sheet around the chip where none is asked for, m.
const DEFAULT_MARGIN: f64 = 1e-3;

/// The chip as a mask; y points up on the chip, down in the file.
pub(super) fn write(outlines: &Outlines, settings: &Settings) -> Vec<u8> {
    let margin = settings.margin_or(DEFAULT_MARGIN);
    let (low, high) = outlines.bounds();
    let size = high - low + Point::new(2.0 * margin, 2.0 * margin);
    let place = |p: Point| Point::new(p.x - low.x + margin, high.y + margin - p.y);
    let (width, height) = (mm(size.x), mm(size.y));
    let mut path = String::new();
    if settings.polarity == Polarity::Dark {
        let _ = write!(path, "M0,0H{width}V{height}H0Z");
    }
    for walls in &outlines.loops {
        add_loop(&mut path, walls, &place);
    }
    let title = escape(&outlines.chip.name);
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}mm\" height=\"{height}mm\" viewBox=\"0 0 {width} {height}\">\n\
         <title>{title}</title>\n\
         <path fill=\"black\" fill-rule=\"evenodd\" stroke=\"none\" d=\"{path}\"/>\n</svg>\n"
    );
    text.into_bytes()
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
