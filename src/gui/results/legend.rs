//! The legend of the colours, and small tags with numbers, on the canvas.

use eframe::egui::{
    Align2, Color32, FontId, Mesh, Painter, Pos2, Rect, Stroke, StrokeKind, Vec2, pos2, vec2,
};

use super::colour::{ColourMap, Scaling, colour_at};

/// Steps of the bar; the eye sees none.
const STEPS: usize = 96;
const PAD: f32 = 10.0;
const BAR: f32 = 14.0;
const TICK: f32 = 5.0;
/// What of its height a bar gives away so that nothing is covered.
const SPARE_BAR: f32 = 0.45;

/// Ink and paper of what lies on the canvas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paper {
    pub ink: Color32,
    pub muted: Color32,
    pub ground: Color32,
    pub edge: Color32,
}

impl Paper {
    pub(crate) fn new(is_dark: bool) -> Self {
        if is_dark {
            Self {
                ink: Color32::from_gray(232),
                muted: Color32::from_gray(168),
                ground: Color32::from_rgba_unmultiplied(30, 32, 36, 232),
                edge: Color32::from_gray(70),
            }
        } else {
            Self {
                ink: Color32::from_gray(28),
                muted: Color32::from_gray(92),
                ground: Color32::from_rgba_unmultiplied(255, 255, 255, 236),
                edge: Color32::from_gray(200),
            }
        }
    }
}

/// A bar of colours with its marks.
#[derive(Clone, Debug)]
pub(crate) struct Bar {
    /// What is shown.
    pub name: &'static str,
    /// In this unit.
    pub unit: &'static str,
    /// Its colours.
    pub map: ColourMap,
    /// Where (0 to 1), and what is written there.
    pub ticks: Vec<(f64, String)>,
}

impl From<Scaling> for Bar {
    fn from(scaling: Scaling) -> Self {
        Self {
            name: scaling.quantity.label(),
            unit: scaling.unit().unit,
            map: scaling.map,
            ticks: scaling.ticks(),
        }
    }
}

/// What a legend says.
#[derive(Clone, Debug, Default)]
pub(super) struct Legend {
    /// The bar with its marks.
    pub bar: Option<Bar>,
    /// Its name, where it has one of its own: that of a species.
    pub title: Option<String>,
    /// Lines below it, such as what is not shown and why.
    pub notes: Vec<String>,
    /// A line that stands out: results are older than the drawing.
    pub state: Option<String>,
}

/// A rectangle of this size in the corner where it meets the fewest others; upper corners first, the right before the left, then the
/// middles of the sides. It gives away `spare` of its height where it then meets none.
fn corner(canvas: Rect, size: Vec2, spare: f32, avoid: &[Rect]) -> Rect {
    let corners = [
        Align2::RIGHT_TOP,
        Align2::LEFT_TOP,
        Align2::RIGHT_BOTTOM,
        Align2::RIGHT_CENTER,
        Align2::LEFT_CENTER,
    ];
    let places = |size: Vec2| corners.map(|corner| corner.align_size_within_rect(size, canvas));
    let covered = |place: &Rect| {
        avoid
            .iter()
            .filter(|other| place.intersects(**other))
            .count()
    };
    // The first of equals is taken.
    let best = |size: Vec2| {
        let places = places(size);
        places.into_iter().min_by_key(covered).unwrap_or(places[0])
    };
    let (whole, less) = (best(size), best(size - vec2(0.0, spare)));
    match (covered(&whole), covered(&less)) {
        (0, _) | (_, 1..) => whole,
        (_, 0) => less,
    }
}

fn font(size: f32) -> FontId {
    FontId::proportional(size)
}

/// Draws a legend in the upper right corner of the canvas, or in another one where it would cover less of what is to `avoid`.
/// Returns where it is.
pub(super) fn draw(
    painter: &Painter,
    canvas: Rect,
    legend: &Legend,
    avoid: &[Rect],
    paper: &Paper,
) -> Option<Rect> {
    let is_empty = legend.bar.is_none() && legend.notes.is_empty() && legend.state.is_none();
    if is_empty {
        return None;
    }
    let size = |text: &str, points: f32| {
        painter
            .layout_no_wrap(text.to_owned(), font(points), paper.ink)
            .size()
    };
    let mut bar_height = (0.45 * canvas.height()).clamp(60.0, 190.0);
    let (mut width, mut height) = (0.0_f32, 0.0);
    if let Some(Bar {
        name, unit, ticks, ..
    }) = &legend.bar
    {
        let name = legend.title.as_deref().unwrap_or(name);
        width = width.max(size(name, 13.0).x).max(size(unit, 12.0).x);
        let widest = ticks.iter().map(|t| size(&t.1, 12.0).x).fold(0.0, f32::max);
        width = width.max(BAR + TICK + 5.0 + widest);
        height += 38.0 + bar_height + 2.0;
    }
    let lines = legend.state.iter().chain(&legend.notes);
    for line in lines {
        width = width.max(size(line, 11.5).x);
        height += 16.0;
    }
    let room = vec2(width + 2.0 * PAD, height + 2.0 * PAD - 2.0);
    let spare = match legend.bar {
        Some(_) => SPARE_BAR * bar_height,
        None => 0.0,
    };
    let rect = corner(canvas.shrink(12.0), room, spare, avoid);
    bar_height -= room.y - rect.height();
    painter.rect_filled(rect, 6.0, paper.ground);
    painter.rect_stroke(rect, 6.0, Stroke::new(1.0, paper.edge), StrokeKind::Inside);
    let left = rect.left() + PAD;
    let mut y = rect.top() + PAD - 1.0;
    if let Some(Bar {
        name,
        unit,
        map,
        ticks,
    }) = &legend.bar
    {
        painter.text(
            pos2(left, y),
            Align2::LEFT_TOP,
            legend.title.as_deref().unwrap_or(name),
            font(13.0),
            paper.ink,
        );
        painter.text(
            pos2(left, y + 17.0),
            Align2::LEFT_TOP,
            *unit,
            font(12.0),
            paper.muted,
        );
        let bar = Rect::from_min_size(pos2(left, y + 40.0), vec2(BAR, bar_height - 6.0));
        draw_bar(painter, bar, *map);
        painter.rect_stroke(bar, 0.0, Stroke::new(1.0, paper.muted), StrokeKind::Outside);
        for (at, text) in ticks {
            let y = bar.bottom() - *at as f32 * bar.height();
            let x = bar.right() + 1.0;
            painter.line_segment(
                [pos2(x, y), pos2(x + TICK, y)],
                Stroke::new(1.0, paper.muted),
            );
            painter.text(
                pos2(x + TICK + 4.0, y),
                Align2::LEFT_CENTER,
                text,
                font(12.0),
                paper.ink,
            );
        }
        y += 38.0 + bar_height + 2.0;
    }
    if let Some(state) = &legend.state {
        let warm = if paper.ink.r() > 128 {
            Color32::from_rgb(255, 190, 90)
        } else {
            Color32::from_rgb(160, 84, 0)
        };
        painter.text(pos2(left, y), Align2::LEFT_TOP, state, font(11.5), warm);
        y += 16.0;
    }
    for note in &legend.notes {
        painter.text(
            pos2(left, y),
            Align2::LEFT_TOP,
            note,
            font(11.5),
            paper.muted,
        );
        y += 16.0;
    }
    Some(rect)
}

/// Height of [`draw_row`], points.
pub(crate) const ROW: f32 = 50.0;

/// Draws a bar of colours from left to right with its marks below, then colours that mean one thing each, then notes.
pub(crate) fn draw_row(
    painter: &Painter,
    rect: Rect,
    bar: Option<&Bar>,
    swatches: &[(Color32, String)],
    notes: &[String],
    paper: &Paper,
) {
    let y = rect.top() + 16.0;
    let mut x = rect.left() + 14.0;
    let text = |x: f32, y: f32, text: &str, ink: Color32| {
        let at = painter.text(pos2(x, y), Align2::LEFT_CENTER, text, font(12.5), ink);
        at.right()
    };
    if let Some(bar) = bar {
        x = text(x, y, bar.name, paper.ink) + 6.0;
        x = text(x, y, bar.unit, paper.muted) + 12.0;
        let width = (0.42 * rect.width()).clamp(80.0, 320.0);
        let place = Rect::from_min_size(pos2(x, y - 6.0), vec2(width, 12.0));
        let mut mesh = Mesh::default();
        for k in 0..=STEPS {
            let t = k as f32 / STEPS as f32;
            let colour = colour_at(bar.map, f64::from(t));
            let x = place.left() + t * width;
            mesh.colored_vertex(pos2(x, place.top()), colour);
            mesh.colored_vertex(pos2(x, place.bottom()), colour);
            if k > 0 {
                let n = 2 * k as u32;
                mesh.add_triangle(n - 2, n - 1, n);
                mesh.add_triangle(n - 1, n, n + 1);
            }
        }
        painter.add(mesh);
        let edge = Stroke::new(1.0, paper.muted);
        painter.rect_stroke(place, 0.0, edge, StrokeKind::Outside);
        for (t, mark) in &bar.ticks {
            let x = place.left() + *t as f32 * width;
            let from = place.bottom() + 1.0;
            painter.line_segment([pos2(x, from), pos2(x, from + TICK)], edge);
            let at = pos2(x, from + TICK + 1.0);
            painter.text(at, Align2::CENTER_TOP, mark, font(11.5), paper.ink);
        }
        x += width + 22.0;
    }
    for (colour, name) in swatches {
        let swatch = Rect::from_min_size(pos2(x, y - 6.0), vec2(BAR, 12.0));
        painter.rect_filled(swatch, 2.0, *colour);
        x = text(x + BAR + 6.0, y, name, paper.ink) + 18.0;
    }
    for note in notes {
        x = text(x, y, note, paper.muted) + 14.0;
    }
}

fn draw_bar(painter: &Painter, bar: Rect, map: ColourMap) {
    let mut mesh = Mesh::default();
    for k in 0..=STEPS {
        let t = k as f32 / STEPS as f32;
        let y = bar.bottom() - t * bar.height();
        let colour = colour_at(map, f64::from(t));
        mesh.colored_vertex(pos2(bar.left(), y), colour);
        mesh.colored_vertex(pos2(bar.right(), y), colour);
        if k > 0 {
            let n = 2 * k as u32;
            mesh.add_triangle(n - 2, n - 1, n);
            mesh.add_triangle(n - 1, n, n + 1);
        }
    }
    painter.add(mesh);
}

/// Draws lines of text beside a place, on whichever side there is room.
pub(super) fn tag(painter: &Painter, at: Pos2, lines: &[String], paper: &Paper) {
    let galleys: Vec<_> = lines
        .iter()
        .map(|line| painter.layout_no_wrap(line.clone(), font(12.0), paper.ink))
        .collect();
    let width = galleys.iter().map(|g| g.size().x).fold(0.0, f32::max);
    let height: f32 = galleys.iter().map(|g| g.size().y).sum();
    let room = Vec2::new(width + 14.0, height + 10.0);
    let clip = painter.clip_rect();
    let away = 14.0;
    let x = if at.x + away + room.x <= clip.right() {
        at.x + away
    } else {
        at.x - away - room.x
    };
    let y = if at.y + away + room.y <= clip.bottom() {
        at.y + away
    } else {
        at.y - away - room.y
    };
    let rect = Rect::from_min_size(pos2(x, y), room);
    painter.rect_filled(rect, 4.0, paper.ground);
    painter.rect_stroke(rect, 4.0, Stroke::new(1.0, paper.edge), StrokeKind::Inside);
    let mut at = rect.min + vec2(7.0, 5.0);
    for galley in galleys {
        let step = galley.size().y;
        painter.galley(at, galley, paper.ink);
        at.y += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legend_goes_to_a_corner_where_it_covers_nothing() {
        let canvas = Rect::from_min_size(pos2(0.0, 0.0), vec2(800.0, 600.0));
        let size = vec2(60.0, 200.0);
        let port = |x: f32, y: f32| Rect::from_center_size(pos2(x, y), vec2(80.0, 36.0));
        assert_eq!(
            corner(canvas, size, 0.0, &[]).right_top(),
            canvas.right_top()
        );
        let right = port(780.0, 150.0);
        let there = corner(canvas, size, 0.0, &[right]);
        assert_eq!(there.left_top(), canvas.left_top());
        let both = [right, port(20.0, 150.0)];
        let there = corner(canvas, size, 0.0, &both);
        assert_eq!(there.right_bottom(), canvas.right_bottom());
        let corners = [both[0], both[1], port(780.0, 500.0)];
        let there = corner(canvas, size, 0.0, &corners);
        assert_eq!(there.right_center(), canvas.right_center());
        // Where nothing is free the usual place is as good as any.
        let middles = [port(780.0, 300.0), port(20.0, 300.0)];
        let all = [&corners[..], &middles[..]].concat();
        let there = corner(canvas, size, 0.0, &all);
        assert_eq!(
            (there.right_top(), there.height()),
            (canvas.right_top(), 200.0)
        );
        // But for less of it.
        let there = corner(
            canvas,
            size,
            90.0,
            &[
                port(780.0, 150.0),
                port(20.0, 150.0),
                port(780.0, 300.0),
                port(780.0, 420.0),
                port(20.0, 300.0),
            ],
        );
        assert_eq!(
            (there.right_top(), there.height()),
            (canvas.right_top(), 110.0)
        );
    }
}
