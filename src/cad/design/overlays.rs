//! The sections `[control]` and `[notes]`: what is drawn over the chip and exported on layers of its own, and not solved.
//!
//! ```toml
//! [control]                            # the layer above or below the flow: valves, and the channels that press them
//! valve1 = { box = [["0.9 mm", "-60 um"], ["1.1 mm", "60 um"]] }
//! line1 = { path = [["1 mm", "0 mm"], ["1 mm", "2 mm"]], width = "50 um" }
//! hole1 = { circle = ["1 mm", "2 mm"], diameter = "600 um" }
//!
//! [notes]                              # for people
//! n1 = { text = "mixes here", at = ["3 mm", "1 mm"], size = "200 um" }
//! ```
//! Entries of both sections have one of `path`, `box`, `circle` and `text`. Paths have mitred corners and end where their last point is.

use super::components::{read_point, read_points};
use super::print::{braces, point, quantity, quoted};
use super::sections::{LENGTHS, named_entries};
use super::table::{Node, Owner, Table};
use super::{Design, Dimension, Spanned, codes, keys};
use stokeslet_base::diagnostic::Reporter;
use stokeslet_base::geometry::Point;
use stokeslet_base::geometry::outline::bounds;
use stokeslet_base::units::Metre;

/// A character's width over its height, for boxes around texts.
const TEXT_ASPECT: f64 = 0.7;

/// Where something is drawn that isn't flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverlayLayer {
    /// Valves and the channels that press them.
    Control,
    /// What people should know.
    Notes,
}

impl OverlayLayer {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Control, Self::Notes];

    /// Its section in design files.
    pub const fn section(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Notes => "notes",
        }
    }

    /// What one of its entries is called.
    pub const fn entry(self) -> &'static str {
        match self {
            Self::Control => "control shape",
            Self::Notes => "note",
        }
    }
}

/// Something drawn over the chip.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Its name; unique among components, channels and overlays.
    pub name: Spanned<String>,
    /// Where it is drawn.
    pub layer: OverlayLayer,
    /// What it looks like.
    pub shape: OverlayShape,
}

/// What an overlay looks like; lengths and places in m.
#[derive(Clone, Debug, PartialEq)]
pub enum OverlayShape {
    /// A line through points.
    Path {
        /// At least two.
        points: Vec<Point>,
        /// Across; default the chip's.
        width: Option<Metre>,
    },
    /// A rectangle with its sides along the axes.
    Rectangle([Point; 2]),
    /// A disc.
    Circle {
        /// Its centre.
        centre: Point,
        /// Across.
        diameter: Metre,
    },
    /// One line of text.
    Text {
        /// Left end of its base line.
        at: Point,
        /// What it says.
        text: String,
        /// Height of its capitals; default the chip's width.
        size: Option<Metre>,
    },
}

/// The box around those of a design that are taken, by name, m: lower left and upper right corner; `None` without any.
pub fn overlay_bounds(design: &Design, takes: impl Fn(&str) -> bool) -> Option<(Point, Point)> {
    let taken = design.overlays.iter().filter(|o| takes(&o.name.value));
    let boxes = taken.map(|o| o.shape.bounds(design.width.0));
    let corners: Vec<Point> = boxes.flat_map(|(low, high)| [low, high]).collect();
    (!corners.is_empty()).then(|| bounds(&corners))
}

impl OverlayShape {
    /// Every point that says where it lies.
    pub fn points(&self) -> &[Point] {
        match self {
            Self::Path { points, .. } => points,
            Self::Rectangle(corners) => corners,
            Self::Circle { centre, .. } => std::slice::from_ref(centre),
            Self::Text { at, .. } => std::slice::from_ref(at),
        }
    }

    /// The same, to be moved.
    pub fn points_mut(&mut self) -> &mut [Point] {
        match self {
            Self::Path { points, .. } => points,
            Self::Rectangle(corners) => corners,
            Self::Circle { centre, .. } => std::slice::from_mut(centre),
            Self::Text { at, .. } => std::slice::from_mut(at),
        }
    }

    /// The box around it, m: lower left and upper right corner; `usual` is the chip's width.
    pub fn bounds(&self, usual: f64) -> (Point, Point) {
        let around = |points: &[Point], by: f64| {
            let (low, high) = bounds(points);
            let by = Point::new(by, by);
            (low - by, high + by)
        };
        match self {
            Self::Path { points, width } => around(points, width.map_or(usual, |w| w.0) / 2.0),
            Self::Rectangle(corners) => around(corners, 0.0),
            Self::Circle { centre, diameter } => around(&[*centre], diameter.0 / 2.0),
            Self::Text { at, text, size } => {
                let height = size.map_or(usual, |s| s.0);
                let width = TEXT_ASPECT * height * text.chars().count() as f64;
                (*at, *at + Point::new(width, height))
            }
        }
    }

    /// How far a place is from it, m; 0 inside. `usual` is the chip's width.
    pub fn distance(&self, place: Point, usual: f64) -> f64 {
        match self {
            Self::Path { points, width } => {
                let legs = points.windows(2);
                let legs = legs.map(|leg| place.distance_to_segment(leg[0], leg[1]));
                let nearest = legs.fold(f64::INFINITY, f64::min);
                (nearest - width.map_or(usual, |w| w.0) / 2.0).max(0.0)
            }
            Self::Circle { centre, diameter } => {
                ((place - *centre).norm() - diameter.0 / 2.0).max(0.0)
            }
            Self::Rectangle(_) | Self::Text { .. } => {
                let (low, high) = self.bounds(usual);
                let out = |x: f64, low: f64, high: f64| (low - x).max(x - high).max(0.0);
                let (x, y) = (out(place.x, low.x, high.x), out(place.y, low.y, high.y));
                x.hypot(y)
            }
        }
    }
}

pub(super) fn read_overlays(
    node: &Node<'_>,
    layer: OverlayLayer,
    reporter: &mut Reporter,
) -> Vec<Overlay> {
    named_entries(node, layer.section(), reporter)
        .into_iter()
        .filter_map(|(name, node)| {
            let shape = read_shape(&name.value, node, layer, reporter)?;
            Some(Overlay { name, layer, shape })
        })
        .collect()
}

fn read_shape(
    name: &str,
    node: &Node<'_>,
    layer: OverlayLayer,
    reporter: &mut Reporter,
) -> Option<OverlayShape> {
    const SHAPES: [(&str, &[&str]); 4] = [
        ("path", &["width"]),
        ("box", &[]),
        ("circle", &["diameter"]),
        ("text", &["at", "size"]),
    ];
    let keys = match layer {
        OverlayLayer::Control => keys::CONTROL.names(),
        OverlayLayer::Notes => keys::NOTES.names(),
    };
    let table = Table::open_node(node, Owner::Named(layer.entry(), name), &keys, reporter)?;
    let given: Vec<&str> = SHAPES
        .map(|(key, _)| key)
        .into_iter()
        .filter(|key| table.has(key))
        .collect();
    let [shape] = given[..] else {
        if SHAPES.iter().any(|(key, _)| table.misspells(key)) {
            return None;
        }
        let (code, message) = match given.is_empty() {
            true => (codes::MISSING, format!("{} has no shape", table.what)),
            false => (
                codes::EXCLUSIVE,
                format!("{} has {}", table.what, given.join(" and ")),
            ),
        };
        let help = "give one of: path = [[x, y], [x, y]], box = [[x, y], [x, y]], circle = [x, y], text = \"...\"";
        table.report(reporter, code, message, table.span(), Some(help.to_owned()));
        return None;
    };
    let others = SHAPES.into_iter().filter(|(other, _)| *other != shape);
    let mut strange = others.flat_map(|(other, own)| own.iter().map(move |key| (other, *key)));
    if let Some((other, key)) = strange.find(|(_, key)| table.has(key)) {
        let message = format!("{} has a `{key}`, which goes with `{other}`", table.what);
        let span = table.get(key).map_or(table.span(), |node| node.span());
        let help = format!("remove it: this is a {shape}");
        table.report(reporter, codes::EXCLUSIVE, message, span, Some(help));
        return None;
    }
    let length = |key: &str, reporter: &mut Reporter| match table.has(key) {
        // What can't be read was reported.
        true => {
            let read = table.quantity_within(key, Dimension::Length, LENGTHS, reporter);
            read.map(|length| Some(Metre(length.value)))
        }
        false => Some(None),
    };
    match shape {
        "path" => {
            let points = read_points(&table, "path", reporter)?;
            if points.len() < 2 {
                let message = format!("`path` of {} has fewer than two points", table.what);
                table.report(reporter, codes::RANGE, message, node.span(), None);
                return None;
            }
            let width = length("width", reporter)?;
            Some(OverlayShape::Path { points, width })
        }
        "box" => {
            let corners = read_points(&table, "box", reporter)?;
            let Ok(corners) = <[Point; 2]>::try_from(corners) else {
                let message = format!("`box` of {} isn't two opposite corners", table.what);
                table.report(reporter, codes::RANGE, message, node.span(), None);
                return None;
            };
            Some(OverlayShape::Rectangle(corners))
        }
        "circle" => {
            table.require(
                "diameter",
                "say how large it is: diameter = \"600 um\"",
                reporter,
            );
            let centre = read_point(&table, table.get("circle")?, "circle", reporter)?.value;
            let diameter = length("diameter", reporter)??;
            Some(OverlayShape::Circle { centre, diameter })
        }
        _ => {
            table.require(
                "at",
                "say where it begins: at = [\"1 mm\", \"0 mm\"]",
                reporter,
            );
            let text = table.text("text", reporter)?.value;
            let at = read_point(&table, table.get("at")?, "at", reporter)?.value;
            let size = length("size", reporter)?;
            Some(OverlayShape::Text { at, text, size })
        }
    }
}

/// Keys and values of one.
pub(super) fn fields(shape: &OverlayShape) -> Vec<(&'static str, String)> {
    let length = |length: Metre| quantity(length.0, Dimension::Length);
    let list = |points: &[Point]| {
        let points: Vec<String> = points.iter().map(|p| point(*p)).collect();
        format!("[{}]", points.join(", "))
    };
    let (mut fields, more) = match shape {
        OverlayShape::Path { points, width } => (
            vec![("path", list(points))],
            width.map(|w| ("width", length(w))),
        ),
        OverlayShape::Rectangle(corners) => (vec![("box", list(corners))], None),
        OverlayShape::Circle { centre, diameter } => (
            vec![("circle", point(*centre))],
            Some(("diameter", length(*diameter))),
        ),
        OverlayShape::Text { at, text, size } => (
            vec![("text", quoted(text)), ("at", point(*at))],
            size.map(|s| ("size", length(s))),
        ),
    };
    fields.extend(more);
    fields
}

/// `{ path = [...], width = "50 um" }`
pub(super) fn overlay(overlay: &Overlay) -> String {
    let fields = fields(&overlay.shape).into_iter();
    braces(
        fields
            .map(|(key, value)| format!("{key} = {value}"))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::design::{parse, print};

    const HEAD: &str = "format = 1\nfluid = { viscosity = \"1 mPa s\" }\nchip = { width = \"100 um\" }\ncomponents = { p = { kind = \"pipe\", at = [\"0 mm\", \"0 mm\"] } }\n";

    const ALL: &str = "[control]\nvalve = { box = [[\"0 mm\", \"0 mm\"], [\"1 mm\", \"=2 * 1 mm\"]] }\nline = { path = [[\"0 mm\", \"0 mm\"], [\"1 mm\", \"0 mm\"], [\"1 mm\", \"1 mm\"]], width = \"50 um\" }\n\
        hole = { circle = [\"1 mm\", \"2 mm\"], diameter = \"600 um\" }\n[notes]\nn = { text = \"mixes \\\"here\\\"\", at = [\"3 mm\", \"1 mm\"], size = \"200 um\" }\nframe = { path = [[\"0 mm\", \"0 mm\"], [\"9 mm\", \"0 mm\"]] }\n";

    #[test]
    fn every_shape_is_read_and_printed_again() {
        let (design, mistakes) = parse(format!("{HEAD}{ALL}"), "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let design = design.unwrap();
        let names: Vec<_> = design
            .overlays
            .iter()
            .map(|o| (o.layer.section(), o.name.value.as_str()))
            .collect();
        let want = [
            ("control", "valve"),
            ("control", "line"),
            ("control", "hole"),
            ("notes", "n"),
            ("notes", "frame"),
        ];
        assert_eq!(names, want);
        let (again, mistakes) = parse(print(&design), "x");
        assert!(mistakes.is_empty(), "{mistakes:?}");
        let shapes = |d: &crate::design::Design| -> Vec<OverlayShape> {
            d.overlays.iter().map(|o| o.shape.clone()).collect()
        };
        assert_eq!(shapes(&again.unwrap()), shapes(&design));
    }

    #[test]
    fn each_mistake_is_told_where_it_is() {
        let codes = |line: &str| -> Vec<&'static str> {
            let (_, mistakes) = parse(format!("{HEAD}[control]\n{line}\n"), "x");
            mistakes.iter().map(|d| d.code).collect()
        };
        assert_eq!(codes("a = { width = \"1 mm\" }"), ["D005"], "no shape");
        assert_eq!(
            codes("a = { box = [[\"0 m\", \"0 m\"], [\"1 m\", \"1 m\"]], text = \"x\" }"),
            ["D013"],
            "two shapes"
        );
        assert_eq!(
            codes("a = { box = [[\"0 m\", \"0 m\"], [\"1 m\", \"1 m\"]], width = \"1 m\" }"),
            ["D013"],
            "a width of a box"
        );
        assert_eq!(
            codes("a = { path = [[\"0 m\", \"0 m\"]] }"),
            ["D009"],
            "one point"
        );
        assert_eq!(
            codes("a = { box = [[\"0 m\", \"0 m\"]] }"),
            ["D009"],
            "one corner"
        );
        assert_eq!(
            codes("a = { path = [[0, 1], [1, 1]] }"),
            ["D007", "D007", "D007", "D007"],
            "no units"
        );
        assert_eq!(
            codes("a = { circle = [\"0 m\", \"0 m\"] }"),
            ["D005"],
            "no diameter"
        );
        assert_eq!(
            codes("a = { pth = [[\"0 m\", \"0 m\"], [\"1 m\", \"0 m\"]] }"),
            ["D004"],
            "misspelt"
        );
        assert_eq!(
            codes("p = { circle = [\"0 m\", \"0 m\"], diameter = \"1 mm\" }"),
            ["D010"],
            "a component's name"
        );
    }

    #[test]
    fn places_are_near_what_they_touch() {
        let path = OverlayShape::Path {
            points: vec![Point::new(0.0, 0.0), Point::new(10.0, 0.0)],
            width: Some(Metre(2.0)),
        };
        assert_eq!(path.distance(Point::new(5.0, 1.0), 1.0), 0.0);
        assert_eq!(path.distance(Point::new(5.0, 3.0), 1.0), 2.0);
        let rectangle = OverlayShape::Rectangle([Point::new(4.0, 4.0), Point::new(0.0, 0.0)]);
        assert_eq!(rectangle.distance(Point::new(2.0, 2.0), 1.0), 0.0);
        assert_eq!(rectangle.distance(Point::new(7.0, 8.0), 1.0), 5.0);
        let circle = OverlayShape::Circle {
            centre: Point::new(0.0, 0.0),
            diameter: Metre(2.0),
        };
        assert_eq!(circle.distance(Point::new(3.0, 0.0), 1.0), 2.0);
        assert_eq!(
            circle.bounds(9.0),
            (Point::new(-1.0, -1.0), Point::new(1.0, 1.0))
        );
    }
}
