//! Tools of one click or one line: ports, probes, streamlines, profiles, the ruler, the mirror line.

use eframe::egui::{CursorIcon, Pos2, Stroke};

use super::{ToolInput, Tools};
use crate::canvas::outline::Outlines;
use crate::canvas::paint::{ghost, lit_socket, tag};
use crate::canvas::scene::Placed;
use crate::canvas::stroke::Pen;
use crate::command::Command;
use crate::context::Tool;
use stokeslet_base::geometry::Point;
use stokeslet_flow::export::readable::Quantity;

/// Lines shorter than this were clicks, points.
const SHORTEST: f32 = 4.0;

/// Hears the port tool.
pub fn hear_port(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let Some(place) = input.place() else {
        return;
    };
    tools.socket = input.scene.free_socket_at(place, 1.5 * input.reach());
    input.cursor(match tools.socket {
        Some(_) => CursorIcon::PointingHand,
        None => CursorIcon::Crosshair,
    });
    if !input.clicked() {
        return;
    }
    match (tools.socket, input.pointer) {
        (Some(k), _) => {
            let socket = &input.scene.layout.sockets[k];
            out.push(Command::AddPort(input.scene.layout.full_name(socket)));
        }
        (None, Some(at)) => {
            let why = "A port opens a free socket; those have orange ends".to_owned();
            tools.refusal = Some((at, why));
        }
        (None, None) => {}
    }
}

/// Lights up the sockets that could be ports.
pub fn paint_port(tools: &Tools, input: &ToolInput<'_>) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let sockets = &input.scene.layout.sockets;
    for &k in &input.scene.free {
        let at = view.to_screen(sockets[k].geometry.middle);
        if view.rect.contains(at) {
            painter.circle_filled(at, 9.0, colours.socket.gamma_multiply(0.2));
            painter.circle_stroke(at, 6.0, Stroke::new(1.5, colours.socket));
        }
    }
    if let (Some(k), Some(at)) = (tools.socket, input.pointer) {
        lit_socket(painter, view, &sockets[k].geometry, colours.fits);
        let text = format!("open {}", input.scene.layout.full_name(&sockets[k]));
        tag(painter, view, at, &text, colours);
    }
}

/// Hears tools of one click.
pub fn hear_click(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    input.cursor(CursorIcon::Crosshair);
    if input.clicked()
        && let Some(place) = input.place()
    {
        let is_line = *input.context.tool == Tool::Streamline;
        let solved = input.context.results.solved.as_ref();
        if is_line
            && solved.is_some_and(|solved| solved.at(place).is_none())
            && let Some(at) = input.pointer
        {
            let why = "Nothing flows here: click on the chip".to_owned();
            tools.refusal = Some((at, why));
            return;
        }
        out.push(match is_line {
            true => Command::AddSeed(place),
            false => Command::AddProbe(place),
        });
    }
}

/// Hears the ruler: what it measured stays, whatever tool comes next.
pub fn hear_ruler(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    draw(tools, input, |input, p| {
        to_socket(input, p).unwrap_or_else(|| input.snap(p))
    });
    if input.drag_ended()
        && let Some([from, to]) = tools.line.take()
        && (to - from).norm() >= input.view.length(SHORTEST)
    {
        out.push(Command::AddRuler(from, to));
    }
}

/// The middle of the nearest socket within reach.
fn to_socket(input: &ToolInput<'_>, p: Point) -> Option<Point> {
    let away = |q: &Point| (*q - p).norm();
    let middles = input.scene.layout.sockets.iter().map(|s| s.geometry.middle);
    let near = middles.filter(|q| away(q) <= input.reach());
    near.min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// Hears the mirror line: from sockets or the grid, along a multiple of 45 degrees.
pub fn hear_mirror(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let from = tools.line.map(|line| line[0]);
    draw(tools, input, |input, p| {
        let snapped = to_socket(input, p).unwrap_or_else(|| input.snap(p));
        from.map_or(snapped, |from| from + eighth(snapped - from))
    });
    if input.drag_ended()
        && let Some([from, to]) = tools.line.take()
    {
        match (to - from).norm() >= input.view.length(SHORTEST) {
            true if input.context.selection.items.is_empty() => {
                let why = "Nothing is selected that could be mirrored".to_owned();
                tools.refusal = input.pointer.map(|at| (at, why));
            }
            true => out.push(Command::MirrorCopy(from, to)),
            false => {}
        }
    }
}

/// The way itself, turned to the nearest multiple of 45 degrees.
fn eighth(by: Point) -> Point {
    let step = std::f64::consts::FRAC_PI_4;
    let along = Point::unit((by.angle() / step).round() * step);
    along * along.dot(by)
}

/// The line across all of the view, and what is selected as it shows it.
pub fn paint_mirror(tools: &Tools, input: &ToolInput<'_>, outlines: &Outlines) {
    let Some([from, to]) = tools.line.filter(|[a, b]| a != b) else {
        return;
    };
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let along = (to - from).normalized();
    let (low, high) = view.seen();
    let far = along * (high - low).norm();
    let ends = [view.to_screen(from - far), view.to_screen(to + far)];
    let line = Stroke::new(1.5, colours.accent);
    painter.extend(eframe::egui::Shape::dashed_line(&ends, line, 10.0, 5.0));
    let reflected = |p: Point| {
        let d = p - from;
        from + along * (2.0 * along.dot(d)) - d
    };
    let scene = input.scene;
    let items = input.context.selection.items.iter();
    let items = items.filter_map(|name| scene.item(name));
    let parts: Vec<_> = items
        .flat_map(|item| scene.parts_of(item))
        .map(|&part| {
            let placed = scene.parts[part];
            let origin = reflected(placed.origin);
            let turned = |axis: Point| reflected(placed.origin + axis) - origin;
            let placed = Placed {
                x_axis: turned(placed.x_axis),
                y_axis: turned(placed.y_axis),
                origin,
                ..placed
            };
            (placed, &scene.layout.parts[part].shape)
        })
        .collect();
    let pen = Pen {
        width: 1.2,
        colour: colours.ghost,
        pixel: 1.0 / painter.pixels_per_point(),
    };
    painter.add(ghost(&parts, outlines, view, pen, colours.ghost_fill));
}

/// Hears the line probe.
pub fn hear_line(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    draw(tools, input, |_, p| p);
    if input.drag_ended()
        && let Some([from, to]) = tools.line.take()
        && (to - from).norm() >= input.view.length(SHORTEST)
    {
        out.push(Command::AddLine(from, to));
    }
}

/// Follows a line from press to release.
fn draw(tools: &mut Tools, input: &ToolInput<'_>, snap: impl Fn(&ToolInput<'_>, Point) -> Point) {
    input.cursor(CursorIcon::Crosshair);
    if let Some(origin) = input.drag_began() {
        let from = snap(input, input.view.to_chip(origin));
        tools.line = Some([from, from]);
    }
    let is_drawn = input
        .response
        .dragged_by(eframe::egui::PointerButton::Primary)
        || input.drag_ended();
    if let (true, Some([_, to]), Some(at)) = (
        is_drawn,
        &mut tools.line,
        input.response.interact_pointer_pos(),
    ) {
        *to = snap(input, input.view.to_chip(at));
    }
}

/// Draws what was measured.
pub fn paint_rulers(input: &ToolInput<'_>) {
    for &line in &input.context.shown.rulers {
        paint_measured(line, input, true);
    }
}

/// Draws the line that is being drawn, with its lengths.
pub fn paint_line(tools: &Tools, input: &ToolInput<'_>) {
    if let Some(line) = tools.line {
        paint_measured(line, input, *input.context.tool == Tool::Ruler);
    }
}

fn paint_measured([from, to]: [Point; 2], input: &ToolInput<'_>, has_legs: bool) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    let (a, b) = (view.to_screen(from), view.to_screen(to));
    let strong = Stroke::new(1.5, colours.accent);
    if has_legs {
        let corner = Pos2::new(b.x, a.y);
        let faint = Stroke::new(1.0, colours.faint);
        let legs = eframe::egui::Shape::dashed_line(&[a, corner, b], faint, 4.0, 3.0);
        painter.extend(legs);
    }
    painter.line_segment([a, b], strong);
    for end in [a, b] {
        painter.circle(end, 3.5, colours.background, strong);
    }
    tag(painter, view, b, &measures(from, to), colours);
}

/// A distance, its parts and its direction.
pub fn measures(from: Point, to: Point) -> String {
    let d = to - from;
    let show = |x: f64| Quantity::Length.show(x);
    let angle = if d.norm() > 0.0 {
        format!(" at {:.1}°", d.angle().to_degrees())
    } else {
        String::new()
    };
    format!(
        "{}{angle}\ndx {}, dy {}",
        show(d.norm()),
        show(d.x),
        show(d.y)
    )
}
