//! `picture.svg`: the chip coloured by a quantity of the flow or of what it carries, with a title, a colour legend, a scale bar and the ports by name.
//!
//! The colours are filled contours ([`super::contour`]), so the file grows with what can be seen, not with the mesh.

use std::borrow::Cow;
use std::io::{self, Write};

use svg::Document;
use svg::node::element::{Definitions, Group, Line, LinearGradient, Path, Rectangle, Stop, Text};

use super::contour::{signed_area, simplified};
use super::labels::{Label, port_labels};
use super::readable::{Quantity, nice_below, tick_text, ticks};
use super::surface::{Colouring, PictureFrame, surface};
use super::wall_picture::walls;
use super::{Results, summary::model_name};
use crate::quantities::ColourMap;
use crate::walls::WallStress;
use stokeslet_base::geometry::Point;

/// Width of the picture; SVG user units, pixels on most screens.
const WIDTH: f64 = 1200.0;
/// Around everything.
const MARGIN: f64 = 36.0;
/// Tallest chip.
const MAX_HEIGHT: f64 = 760.0;
/// Title and subtitle.
const HEADER: f64 = 96.0;
/// Legend and scale bar.
const FOOTER: f64 = 96.0;
/// Colour steps. At 48, steps of the maps used are at the edge of what an eye can tell apart.
const BANDS: usize = 48;
/// Coordinates of contours are whole multiples of this.
const GRAIN: f64 = 0.1;

const INK: &str = "#1d2330";
const MUTED: &str = "#5a6272";
/// The flow between coloured walls.
const INSIDE: &str = "#e6e9ef";

/// Writes the picture.
///
/// # Errors
/// What the writer says.
pub fn write(out: &mut dyn Write, results: &Results<'_>, colouring: Colouring) -> io::Result<()> {
    svg::write(out, &picture(results, colouring))
}

fn picture(results: &Results<'_>, colouring: Colouring) -> Document {
    let fields = &results.solution.fields;
    let (low, high) = extent(&fields.nodes);
    let labels = port_labels(results);
    let room = labels.iter().fold([0.0_f64; 4], |room, l| l.widen(room));
    let [left, right, above, below] = room.map(|r| r + MARGIN);
    let size = Point::new(
        (high.x - low.x).max(f64::MIN_POSITIVE),
        (high.y - low.y).max(f64::MIN_POSITIVE),
    );
    let scale = ((WIDTH - left - right) / size.x).min(MAX_HEIGHT / size.y);
    // Centred between the margins when the height decides.
    let origin = [
        left + (WIDTH - left - right - size.x * scale) / 2.0,
        HEADER + above - MARGIN,
    ];
    let frame = PictureFrame {
        left: low.x,
        top: high.y,
        scale,
    };
    let bottom = origin[1] + size.y * scale + below;
    let height = bottom + FOOTER;

    let nodal = nodal_values(results, colouring);
    let nodal = nodal.as_deref();
    let values = match colouring {
        Colouring::Flow(quantity) if quantity.is_on_walls() => {
            let walls = results.extra.walls.as_ref();
            Range::of(walls.map_or([0.0; 2], WallStress::spanned).into_iter())
        }
        // Magnitudes begin at 0, wherever their least value lies.
        Colouring::Flow(quantity) if quantity.is_magnitude => {
            Range::of(nodal.into_iter().flatten().copied().chain([0.0]))
        }
        Colouring::Flow(_) | Colouring::Extra(_) => Range::of(nodal.into_iter().flatten().copied()),
    };
    let mut document = Document::new()
        .set("viewBox", (0, 0, WIDTH, height.round()))
        .set("width", WIDTH)
        .set("height", height.round())
        .set(
            "font-family",
            "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif",
        )
        .add(
            Rectangle::new()
                .set("width", "100%")
                .set("height", "100%")
                .set("fill", "#ffffff"),
        );
    for element in header(results) {
        document = document.add(element);
    }
    document = document
        .add(contours(results, colouring, &frame, (values, nodal)).set(
            "transform",
            format!(
                "translate({:.2} {:.2}) scale({GRAIN})",
                origin[0], origin[1]
            ),
        ))
        .add(Label::draw_all(&labels, &frame, origin, WIDTH))
        .add(legend(results, colouring, values, bottom))
        .add(scale_bar(scale, bottom));
    document
}

/// What is shown, at the nodes; `None` for what lives on walls.
fn nodal_values<'a>(results: &'a Results<'_>, colouring: Colouring) -> Option<Cow<'a, [f64]>> {
    match colouring {
        Colouring::Flow(quantity) => quantity.at_nodes(&results.solution.fields).map(Cow::Owned),
        Colouring::Extra(k) => {
            let field = results.extra.fields.get(k)?;
            Some(Cow::Borrowed(&field.values))
        }
    }
}

/// Least and greatest value; equal for a constant field.
#[derive(Clone, Copy, Debug)]
struct Range {
    min: f64,
    max: f64,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let (min, max) = values
            .filter(|v| v.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| {
                (a.min(v), b.max(v))
            });
        if min <= max {
            Self { min, max }
        } else {
            Self { min: 0.0, max: 0.0 }
        }
    }

    fn span(self) -> f64 {
        self.max - self.min
    }
}

fn extent(points: &[Point]) -> (Point, Point) {
    points.iter().fold(
        (
            Point::new(f64::INFINITY, f64::INFINITY),
            Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY),
        ),
        |(low, high), p| {
            (
                Point::new(low.x.min(p.x), low.y.min(p.y)),
                Point::new(high.x.max(p.x), high.y.max(p.y)),
            )
        },
    )
}

fn header(results: &Results<'_>) -> [Text; 2] {
    // XML knows no control characters, not even as references.
    let title = results.title.unwrap_or(&results.chip.name);
    let title = &title.replace(char::is_control, " ");
    // Helvetica's letters are about 0.55 em wide.
    let size =
        (2.0 * (WIDTH - 2.0 * MARGIN) / (1.1 * title.chars().count().max(1) as f64)).min(24.0);
    let mut facts = vec![model_name(results.chip.model).to_string()];
    if let Some(depth) = results.chip.depth {
        let show = |d: f64| Quantity::Length.show(d);
        facts.push(match results.chip.depths() {
            Some([low, high]) if low != high => format!("depth {} to {}", show(low), show(high)),
            _ => format!("depth {}", show(depth)),
        });
    }
    if let Some((speed, _)) = results.solution.max_speed {
        facts.push(format!("peak speed {}", Quantity::Speed.show(speed)));
    }
    if let Some(shear) = results.solution.wall_shear {
        let greatest = Quantity::Pressure.show(shear.max);
        facts.push(match results.solution.floor_shear {
            None => format!("greatest wall shear {greatest}"),
            Some(floor) => {
                let of_floor = Quantity::Pressure.show(floor.max);
                format!("greatest shear of side walls {greatest}, of floor and ceiling {of_floor}")
            }
        });
    }
    facts.push(format!("resolution {}", results.resolution));
    let text = |y: f64, size: f64, fill: &str, content: &str| {
        Text::new(content)
            .set("x", MARGIN)
            .set("y", y)
            .set("font-size", size)
            .set("fill", fill)
    };
    [
        text(44.0, size, INK, title).set("font-weight", "bold"),
        text(68.0, 14.0, MUTED, &facts.join("  ·  ")),
    ]
}

/// The chip in colours, in units of [`GRAIN`].
fn contours(
    results: &Results<'_>,
    colouring: Colouring,
    frame: &PictureFrame,
    (values, nodal): (Range, Option<&[f64]>),
) -> Group {
    let colour = colours(colouring);
    let surface = surface(&results.solution.fields, colouring, frame, nodal);
    let outline = path_data(&surface.superlevel_loops(f32::NEG_INFINITY));
    if let (Colouring::Flow(quantity), Some(stress)) = (colouring, &results.extra.walls)
        && quantity.is_on_walls()
    {
        let fields = &results.solution.fields;
        let inside = Path::new().set("fill", INSIDE).set("d", outline);
        let walls = walls(fields, stress, frame, (values.max, BANDS, GRAIN), &colour);
        return Group::new().add(inside).add(walls);
    }
    let mut group = Group::new();
    for band in 0..BANDS {
        let data = if band == 0 {
            outline.clone()
        } else {
            let level = values.min + values.span() * band as f64 / BANDS as f64;
            if values.span() <= 0.0 {
                break;
            }
            path_data(&surface.superlevel_loops(level as f32))
        };
        if !data.is_empty() {
            let fill = colour((band as f64 + 0.5) / BANDS as f64);
            group = group.add(Path::new().set("fill", fill).set("d", data));
        }
    }
    let stroke = Path::new()
        .set("fill", "none")
        .set("stroke", INK)
        .set("stroke-width", 0.9 / GRAIN)
        .set("stroke-linejoin", "round")
        .set("d", outline);
    group.add(stroke)
}

fn colours(colouring: Colouring) -> impl Fn(f64) -> String {
    let map = match colouring {
        Colouring::Flow(quantity) => quantity.map,
        Colouring::Extra(_) => ColourMap::Magma,
    };
    let colours = map.colours();
    move |t| {
        let [r, g, b, _] = colours(t);
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

/// Loops as relative moves on whole grains; loops too small to be seen are left out.
fn path_data(loops: &[Vec<[f32; 2]>]) -> String {
    use std::fmt::Write as _;
    let mut data = String::new();
    for points in loops {
        let points = simplified(points, 0.12);
        if points.len() < 3 || signed_area(&points).abs() < 0.025 {
            continue;
        }
        let grains = |v: f32| (f64::from(v) / GRAIN).round() as i64;
        let mut last = (grains(points[0][0]), grains(points[0][1]));
        // Writing into a String does not fail.
        let _ = write!(data, "M{} {}l", last.0, last.1);
        let mut first = true;
        for p in &points[1..] {
            let here = (grains(p[0]), grains(p[1]));
            let (dx, dy) = (here.0 - last.0, here.1 - last.1);
            if (dx, dy) == (0, 0) {
                continue;
            }
            // A minus sign separates numbers by itself.
            let before = if first || dx < 0 { "" } else { " " };
            let between = if dy < 0 { "" } else { " " };
            let _ = write!(data, "{before}{dx}{between}{dy}");
            (first, last) = (false, here);
        }
        data.push('z');
    }
    data
}

fn legend(results: &Results<'_>, colouring: Colouring, values: Range, top: f64) -> Group {
    const BAR: [f64; 2] = [360.0, 14.0];
    let most = values.min.abs().max(values.max.abs());
    let of = |quantity: Quantity, word: &str| {
        let scale = quantity.scale_for(most);
        (scale.factor, format!("{word} ({})", scale.unit))
    };
    let (factor, caption) = match colouring {
        Colouring::Flow(quantity) => of(quantity.shown, quantity.title),
        Colouring::Extra(k) => {
            let caption =
                results
                    .extra
                    .fields
                    .get(k)
                    .map_or_else(String::new, |f| match &*f.unit {
                        "" => f.name.clone(),
                        unit => format!("{} ({unit})", f.name),
                    });
            (1.0, caption)
        }
    };
    let colour = colours(colouring);
    let stops = (0..=16).fold(LinearGradient::new().set("id", "colours"), |gradient, k| {
        let t = f64::from(k) / 16.0;
        gradient.add(Stop::new().set("offset", t).set("stop-color", colour(t)))
    });
    let y = top + 26.0;
    let mut group = Group::new()
        .set("font-size", 13)
        .set("fill", MUTED)
        .add(Definitions::new().add(stops))
        .add(
            Text::new(caption)
                .set("x", MARGIN)
                .set("y", top + 16.0)
                .set("fill", INK),
        )
        .add(
            Rectangle::new()
                .set("x", MARGIN)
                .set("y", y)
                .set("width", BAR[0])
                .set("height", BAR[1])
                .set("fill", "url(#colours)"),
        );
    let (min, max) = (values.min * factor, values.max * factor);
    for tick in ticks(min, max) {
        let t = if max > min {
            (tick - min) / (max - min)
        } else {
            0.0
        };
        let x = MARGIN + BAR[0] * t;
        group = group
            .add(stroke_line([x, y + BAR[1]], [x, y + BAR[1] + 5.0]))
            .add(
                Text::new(tick_text(tick, max - min))
                    .set("x", x)
                    .set("y", y + BAR[1] + 19.0)
                    .set("text-anchor", "middle"),
            );
    }
    group
}

fn stroke_line(a: [f64; 2], b: [f64; 2]) -> Line {
    Line::new()
        .set("x1", a[0])
        .set("y1", a[1])
        .set("x2", b[0])
        .set("y2", b[1])
        .set("stroke", INK)
}

/// A bar of a round length at the bottom right.
fn scale_bar(scale: f64, top: f64) -> Group {
    let length = nice_below(220.0 / scale);
    let (right, y) = (WIDTH - MARGIN, top + 33.0);
    let left = right - length * scale;
    let unit = Quantity::Length.scale_for(length);
    let text = format!(
        "{} {}",
        tick_text(length * unit.factor, 0.0)
            .trim_end_matches(".00")
            .trim_end_matches(".0"),
        unit.unit
    );
    Group::new()
        .add(stroke_line([left, y], [right, y]).set("stroke-width", 2))
        .add(stroke_line([left, y - 5.0], [left, y + 5.0]))
        .add(stroke_line([right, y - 5.0], [right, y + 5.0]))
        .add(
            Text::new(text)
                .set("x", (left + right) / 2.0)
                .set("y", y + 22.0)
                .set("text-anchor", "middle")
                .set("font-size", 13)
                .set("fill", INK),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_data_is_relative_and_closed() {
        let square = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]];
        assert_eq!(path_data(&[square]), "M0 0l100 0 0 100-100 0z");
        assert_eq!(
            path_data(&[vec![[0.0, 0.0], [0.01, 0.0], [0.0, 0.01]]]),
            "",
            "too small to be seen"
        );
    }
}
