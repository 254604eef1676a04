//! The select tool: clicks, boxes, drags of items and of way-points, arrow keys.

use std::collections::BTreeSet;

use eframe::egui::{CursorIcon, Key, Pos2, Rect, Stroke, StrokeKind, Vec2};

use super::handles::{self, Handles, Held};
use super::moving::{Move, paint_move};
use super::{TOUCH, ToolInput, Tools};
use crate::canvas::outline::Outlines;
use crate::canvas::overlays;
use crate::canvas::paint::tag;
use crate::canvas::pick::Catch;
use crate::canvas::scene::Bounds;
use crate::canvas::snap::followers;
use crate::command::Command;
use crate::context::{Selection, Tool};
use stokeslet_base::geometry::Point;
use stokeslet_cad::design::{Channel, Overlay, OverlayShape, Placement};
use stokeslet_cad::edits::together;
use stokeslet_flow::export::readable::Quantity::Length;
use stokeslet_flow::export::readable::figures;

/// Radius of a way-point's handle, points.
const HANDLE: f32 = 5.0;

/// Something that can be clicked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A way-point of the selected channel, or a point of the selected control shape or note.
    WayPoint(String, usize),
    /// A parameter of the selected component, by its handle.
    Parameter(String),
    /// A dimension: component and parameter.
    Dimension(String, String),
    /// A port, by name.
    Port(String),
    /// A component, channel, control shape or note, by name.
    Item(String),
}

/// A drag with the select tool.
#[derive(Clone, Debug, Default)]
pub enum Drag {
    /// None.
    #[default]
    None,
    /// It was given up; the button is still down.
    Over,
    /// A box on empty space.
    Box {
        /// Where it began, m.
        from: Point,
    },
    /// Items move.
    Move(Move),
    /// A parameter is dragged by its handle.
    Parameter(Held),
    /// A way-point moves.
    WayPoint {
        /// The channel.
        channel: String,
        /// Which way-point.
        index: usize,
        /// Where to, m.
        to: Point,
    },
}

impl Drag {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        matches!(self, Drag::None)
    }

    /// Whether items are being moved.
    pub fn is_move(&self) -> bool {
        matches!(self, Drag::Move(_))
    }
}

/// What is at a place of the screen.
fn hit(input: &ToolInput<'_>, at: Pos2) -> Option<Hit> {
    let (name, points) = points(input);
    let is_near = |p: &Point| (input.view.to_screen(*p) - at).length() <= HANDLE + 4.0;
    if let Some(index) = points.iter().position(is_near) {
        return Some(Hit::WayPoint(name.to_owned(), index));
    }
    if let Some(label) = input.dimensions.iter().find(|l| l.rect.contains(at)) {
        return Some(Hit::Dimension(
            label.component.clone(),
            label.parameter.clone(),
        ));
    }
    if let Some(port) = input.ports.iter().find(|port| port.is_at(at)) {
        return Some(Hit::Port(port.name.clone()));
    }
    let reach = TOUCH * input.view.scale;
    if let Some(overlay) = overlays::at(input, input.view.to_chip(at), reach) {
        return Some(Hit::Item(overlay.name.value.clone()));
    }
    let item = input.scene.item_at(input.view.to_chip(at), reach)?;
    Some(Hit::Item(input.scene.name(item).to_owned()))
}

/// As [`hit`], with the handles of parameters before all else.
pub(super) fn hit_with(handles: &Handles, input: &ToolInput<'_>, at: Pos2) -> Option<Hit> {
    let parameter = handles.at(input, at).map(Hit::Parameter);
    parameter.or_else(|| hit(input, at))
}

fn selected_channel<'f>(input: &'f ToolInput<'_>) -> Option<&'f Channel> {
    let name = input.context.selection.single()?;
    let design = input.design()?;
    design.channels.iter().find(|c| c.name.value == name)
}

fn overlay_called<'f>(input: &'f ToolInput<'_>, name: &str) -> Option<&'f Overlay> {
    let overlays = &input.design()?.overlays;
    overlays.iter().find(|o| o.name.value == name)
}

/// The points that can be dragged, and whose they are: way-points of the selected channel, corners of the selected overlay.
fn points<'f>(input: &'f ToolInput<'_>) -> (&'f str, Vec<Point>) {
    if let Some(channel) = selected_channel(input) {
        let points = channel.via.iter().map(|p| p.value).collect();
        return (&channel.name.value, points);
    }
    let single = input.context.selection.single();
    match single.and_then(|name| overlay_called(input, name)) {
        // One point alone is dragged with the whole.
        Some(overlay) if overlay.shape.points().len() > 1 => {
            (&overlay.name.value, overlay.shape.points().to_vec())
        }
        _ => ("", Vec::new()),
    }
}

/// Hears the pointer and the keys.
pub fn hear(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    tools.handles.refresh(input);
    hear_drag(tools, input, out);
    if tools.drag.is_none() {
        tools.hover = input
            .pointer
            .filter(|_| input.response.hovered())
            .and_then(|at| hit_with(&tools.handles, input, at));
        match &tools.hover {
            Some(Hit::WayPoint(..) | Hit::Parameter(_)) => input.cursor(CursorIcon::Grab),
            Some(Hit::Item(name)) if input.context.selection.items.contains(name) => {
                input.cursor(CursorIcon::Move);
            }
            Some(_) => input.cursor(CursorIcon::PointingHand),
            None => {}
        }
        hear_click(tools, input, out);
        hear_keys(input, out);
    }
}

fn hear_click(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let Some(at) = input.response.interact_pointer_pos() else {
        return;
    };
    if input.response.double_clicked() {
        match hit_with(&tools.handles, input, at) {
            Some(Hit::Parameter(parameter)) => {
                if let Some(component) = input.context.selection.single() {
                    tools.edit(component, &parameter);
                }
            }
            Some(Hit::Dimension(component, parameter)) => tools.edit(&component, &parameter),
            Some(Hit::Item(name)) if is_text(input, &name) => {
                out.push(Command::Select(Selection::one(&name)));
                out.push(Command::EditName);
            }
            Some(Hit::Item(name)) => tools.fit = input.scene.box_of([&name]),
            Some(Hit::Port(name)) => {
                out.push(Command::Select(Selection::of_port(&name)));
                out.push(Command::EditName);
            }
            Some(Hit::WayPoint(..)) | None => {}
        }
        return;
    }
    if !input.response.clicked() {
        return;
    }
    let more = input.shift() || input.ctrl();
    match hit_with(&tools.handles, input, at) {
        Some(Hit::Item(name) | Hit::Dimension(name, _)) if more => {
            out.push(Command::ToggleSelected(name))
        }
        Some(Hit::Item(name)) => {
            // A second click takes one thing out of its group.
            let is_selected = input.context.selection.items.contains(&name);
            let items = match is_selected && input.context.selection.items.len() > 1 {
                true => BTreeSet::from([name]),
                false => with_group(input, &name),
            };
            out.push(Command::Select(Selection { items, port: None }));
        }
        Some(Hit::Port(name)) => out.push(Command::Select(Selection::of_port(&name))),
        Some(Hit::Dimension(name, _)) => out.push(Command::Select(Selection::one(&name))),
        None if !more && !input.context.selection.is_empty() => {
            out.push(Command::Select(Selection::default()));
        }
        Some(Hit::WayPoint(..) | Hit::Parameter(_)) | None => {}
    }
}

/// What is selected with one thing.
fn with_group(input: &ToolInput<'_>, name: &str) -> BTreeSet<String> {
    match input.design() {
        Some(design) => together(design, name),
        None => BTreeSet::from([name.to_owned()]),
    }
}

fn is_text(input: &ToolInput<'_>, name: &str) -> bool {
    let shape = overlay_called(input, name).map(|o| &o.shape);
    matches!(shape, Some(OverlayShape::Text { .. }))
}

fn hear_keys(input: &ToolInput<'_>, out: &mut Vec<Command>) {
    let selection = input.context.selection;
    if !selection.is_empty() && input.key(Key::Escape) {
        out.push(Command::Select(Selection::default()));
    }
    for (key, by) in [(Key::CloseBracket, 1), (Key::OpenBracket, -1)] {
        if input.key(key) {
            out.extend(neighbour(input, by).map(|name| Command::Select(Selection::one(&name))));
        }
    }
    if selection.items.is_empty() {
        return;
    }
    let fine = crate::canvas::grid::Grid::at(input.view.scale).minor;
    let step = if input.shift() { 10.0 * fine } else { fine };
    for (key, x, y) in [
        (Key::ArrowLeft, -1.0, 0.0),
        (Key::ArrowRight, 1.0, 0.0),
        (Key::ArrowUp, 0.0, 1.0),
        (Key::ArrowDown, 0.0, -1.0),
    ] {
        if input.key(key) {
            out.push(Command::Move(Point::new(x, y) * step));
        }
    }
}

/// The thing that follows the selected one in the order of the design, or goes before it.
fn neighbour(input: &ToolInput<'_>, by: isize) -> Option<String> {
    let items = (0..input.scene.layout.items.len()).filter(|&item| !input.scene.hides(item));
    let items = items.map(|item| input.scene.name(item));
    let drawn = overlays::shown(input.design(), input.context);
    let names: Vec<&str> = items.chain(drawn.map(|o| o.name.value.as_str())).collect();
    let now = input.context.selection.single();
    let now = now.and_then(|now| names.iter().position(|name| *name == now));
    let next = match now {
        Some(now) => (now as isize + by).rem_euclid(names.len() as isize) as usize,
        None if by > 0 => 0,
        None => names.len().checked_sub(1)?,
    };
    names.get(next).map(|name| (*name).to_owned())
}

fn hear_drag(tools: &mut Tools, input: &ToolInput<'_>, out: &mut Vec<Command>) {
    if let Some(origin) = input.drag_began() {
        tools.drag = begin(&tools.handles, input, origin, out);
    }
    if tools.drag.is_none() {
        return;
    }
    let given_up = input.key(Key::Escape);
    let lost = !input.response.dragged() && !input.drag_ended();
    if given_up || lost {
        if tools.drag.is_move() {
            out.push(Command::EndPreview);
        }
        tools.drag = if lost { Drag::None } else { Drag::Over };
        return;
    }
    let at = input.response.interact_pointer_pos().or(input.pointer);
    let place = at.map(|at| input.view.to_chip(at));
    match &mut tools.drag {
        Drag::Move(moved) => {
            let (by, copied) = (moved.by, moved.copies);
            moved.copies = input.alt();
            input.cursor(match moved.copies {
                true => CursorIcon::Copy,
                false => CursorIcon::Move,
            });
            if let Some(place) = place {
                if input.drag_ended() {
                    // What it meets must not depend on how quickly it is dropped.
                    moved.snapping.now();
                }
                moved.follow(place, input);
            }
            let is_new = moved.by != by || moved.copies != copied;
            if is_new && !input.drag_ended() {
                // What is copied stays where it is.
                out.push(match moved.copies {
                    true => Command::EndPreview,
                    false => Command::PreviewMove(moved.by),
                });
            }
        }
        Drag::Parameter(held) => {
            input.cursor(CursorIcon::Grabbing);
            if let Some(place) = place {
                held.follow(&tools.handles, place, input, out);
            }
        }
        Drag::WayPoint { channel, index, to } => {
            input.cursor(CursorIcon::Grabbing);
            if let Some(place) = place {
                *to = way_point(input, channel, *index, place);
            }
        }
        Drag::None | Drag::Over | Drag::Box { .. } => {}
    }
    if input.drag_ended() {
        let drag = std::mem::take(&mut tools.drag);
        if let Drag::Move(moved) = &drag
            && moved.by != Point::default()
        {
            tools.dropped = Some((moved.clone(), input.context.document.revision));
        }
        end(drag, input, place, out);
    }
}

fn begin(handles: &Handles, input: &ToolInput<'_>, origin: Pos2, out: &mut Vec<Command>) -> Drag {
    let from = input.view.to_chip(origin);
    let selection = input.context.selection;
    match hit_with(handles, input, origin) {
        Some(Hit::Parameter(parameter)) => {
            let held = handles.hold(&parameter, from);
            held.map_or(Drag::Over, Drag::Parameter)
        }
        Some(Hit::WayPoint(channel, index)) => Drag::WayPoint {
            to: way_point(input, &channel, index, from),
            channel,
            index,
        },
        Some(Hit::Item(name)) => {
            let is_selected = selection.items.contains(&name);
            let names: BTreeSet<String> = if is_selected {
                selection.items.clone()
            } else {
                let items = with_group(input, &name);
                let port = None;
                out.push(Command::Select(Selection {
                    items: items.clone(),
                    port,
                }));
                items
            };
            let items: Vec<usize> = names.iter().filter_map(|n| input.scene.item(n)).collect();
            let moving = match input.design() {
                Some(design) => followers(input.scene, design, &items),
                None => items.into_iter().collect(),
            };
            let origin = grabbed_origin(input, &name);
            Drag::Move(Move::new(input, names, moving, from, origin))
        }
        Some(Hit::Port(_) | Hit::Dimension(..)) => Drag::Over,
        None => Drag::Box { from },
    }
}

/// What lands on the grid when an item is dragged: the position that the file says, or nothing but steps where it says none.
fn grabbed_origin(input: &ToolInput<'_>, name: &str) -> Point {
    let components = input.design().map(|d| &d.components);
    let component = components.and_then(|all| all.iter().find(|c| c.name.value == name));
    if let Some(first) = overlay_called(input, name).and_then(|o| o.shape.points().first()) {
        return *first;
    }
    match component.map(|c| &c.placement) {
        Some(Placement::Absolute { at, .. }) => *at,
        Some(Placement::Attached(_)) | None => Point::default(),
    }
}

/// Where a way-point goes: on the grid, and on the axis of the socket that its leg starts or ends at.
fn way_point(input: &ToolInput<'_>, channel: &str, index: usize, place: Point) -> Point {
    let snapped = input.snap(place);
    let channels = input.design().map(|d| &d.channels);
    let Some(channel) = channels.and_then(|all| all.iter().find(|c| c.name.value == channel))
    else {
        return snapped;
    };
    let is_first = index == 0;
    let is_last = index + 1 == channel.via.len() && channel.to.is_some();
    let socket = match (is_first, is_last, &channel.to) {
        (true, false, _) => &channel.from,
        (false, true, Some(to)) => to,
        // Between two sockets there is one place only, or none; in the middle any.
        _ => return snapped,
    };
    let Some(socket) = input.scene.socket(&socket.value) else {
        return snapped;
    };
    let socket = input.scene.layout.sockets[socket].geometry;
    let axis = Point::unit(socket.direction);
    socket.middle + axis * axis.dot(snapped - socket.middle).max(socket.width)
}

fn end(drag: Drag, input: &ToolInput<'_>, place: Option<Point>, out: &mut Vec<Command>) {
    match drag {
        Drag::None | Drag::Over | Drag::Parameter(_) => {}
        Drag::Move(moved) => {
            let is_nothing = moved.by == Point::default();
            out.push(match (is_nothing, moved.copies) {
                (true, _) => Command::EndPreview,
                (false, true) => Command::DuplicateBy(moved.by),
                (false, false) => Command::Move(moved.by),
            });
        }
        Drag::WayPoint { channel, index, to } => {
            if let Some(overlay) = overlay_called(input, &channel) {
                out.push(Command::SetOverlay(with_point(overlay, index, to)));
                return;
            }
            out.push(Command::MoveWayPoint { channel, index, to });
        }
        Drag::Box { from } => {
            let Some(to) = place else {
                return;
            };
            let catch = catch(from, to);
            let within = Bounds::of(from, to);
            let mut items = input.scene.in_box(&within, catch);
            items.extend(overlays::in_box(input, &within, catch));
            let mut selection = Selection { items, port: None };
            if input.shift() || input.ctrl() {
                let kept = input.context.selection.items.iter().cloned();
                selection.items.extend(kept);
            }
            out.push(Command::Select(selection));
        }
    }
}

/// From left to right a box takes what it contains, from right to left what it touches.
fn catch(from: Point, to: Point) -> Catch {
    if to.x >= from.x {
        Catch::Contained
    } else {
        Catch::Touched
    }
}

/// Draws handles, the box, and what a drag would do.
pub fn paint(tools: &Tools, input: &ToolInput<'_>, outlines: &Outlines) {
    let (painter, view, colours) = (input.painter, input.view, input.colours);
    if *input.context.tool == Tool::Select {
        let (name, points) = points(input);
        for (k, point) in points.into_iter().enumerate() {
            let grabbed = match &tools.drag {
                Drag::WayPoint { channel, index, to } if *channel == name && *index == k => {
                    Some(*to)
                }
                _ => None,
            };
            let at = view.to_screen(grabbed.unwrap_or(point));
            let is_hovered = tools.hover == Some(Hit::WayPoint(name.to_owned(), k));
            let fill = if is_hovered || grabbed.is_some() {
                colours.accent
            } else {
                colours.background
            };
            let square = Rect::from_center_size(at, Vec2::splat(2.0 * HANDLE));
            let line = Stroke::new(1.5, colours.accent);
            painter.rect(square, 1.5, fill, line, StrokeKind::Inside);
        }
        if let Drag::WayPoint { index, to, .. } = &tools.drag {
            if let Some(channel) = selected_channel(input) {
                paint_legs(input, channel, *index, *to);
            } else if let Some(overlay) = overlay_called(input, name) {
                let moved = with_point(overlay, *index, *to);
                let usual = input.design().map_or(0.0, |design| design.width.0);
                let ink = overlays::Ink::of(overlay.layer, colours);
                overlays::draw(painter, view, &moved.shape, usual, ink);
                tag(
                    painter,
                    view,
                    view.to_screen(*to),
                    &coordinates(*to),
                    colours,
                );
            }
        }
    }
    match &tools.drag {
        Drag::Box { from } => {
            let Some(to) = input.response.interact_pointer_pos() else {
                return;
            };
            let area = Rect::from_two_pos(view.to_screen(*from), to);
            let touches = catch(*from, view.to_chip(to)) == Catch::Touched;
            painter.rect_filled(area, 0.0, colours.accent_fill.gamma_multiply(0.5));
            let line = Stroke::new(1.0, colours.accent);
            if touches {
                let corners = [
                    area.left_top(),
                    area.right_top(),
                    area.right_bottom(),
                    area.left_bottom(),
                    area.left_top(),
                ];
                painter.extend(eframe::egui::Shape::dashed_line(&corners, line, 5.0, 4.0));
            } else {
                painter.rect_stroke(area, 0.0, line, StrokeKind::Middle);
            }
        }
        Drag::Move(moved) => paint_move(moved, input, outlines),
        Drag::None if tools.dropped.is_some() => {
            let dropped = tools.dropped.iter();
            dropped.for_each(|(moved, _)| paint_move(moved, input, outlines));
        }
        Drag::None | Drag::Over | Drag::WayPoint { .. } | Drag::Parameter(_) => {}
    }
    let hovered = match &tools.hover {
        Some(Hit::Parameter(parameter)) => Some(parameter.as_str()),
        _ => None,
    };
    let held = match &tools.drag {
        Drag::Parameter(held) => Some(held),
        _ => None,
    };
    if *input.context.tool == Tool::Select && !tools.drag.is_move() {
        handles::paint(&tools.handles, input, hovered, held);
    }
}

/// The same with one of its points elsewhere.
fn with_point(overlay: &Overlay, index: usize, to: Point) -> Overlay {
    let mut moved = overlay.clone();
    if let Some(point) = moved.shape.points_mut().get_mut(index) {
        *point = to;
    }
    moved
}

fn paint_legs(input: &ToolInput<'_>, channel: &Channel, index: usize, to: Point) {
    let socket = |name: &str| {
        let socket = input.scene.socket(name)?;
        Some(input.scene.layout.sockets[socket].geometry.middle)
    };
    let via = |k: usize| channel.via.get(k).map(|p| p.value);
    let before = if index == 0 {
        socket(&channel.from.value)
    } else {
        via(index - 1)
    };
    let after = via(index + 1).or_else(|| socket(&channel.to.as_ref()?.value));
    let points = [before, Some(to), after].into_iter().flatten();
    let points: Vec<Pos2> = points.map(|p| input.view.to_screen(p)).collect();
    let line = Stroke::new(1.5, input.colours.accent);
    let dashes = eframe::egui::Shape::dashed_line(&points, line, 6.0, 4.0);
    input.painter.extend(dashes);
    let text = coordinates(to);
    tag(
        input.painter,
        input.view,
        input.view.to_screen(to),
        &text,
        input.colours,
    );
}

/// A place, both coordinates in one unit.
pub fn coordinates(p: Point) -> String {
    let scale = Length.scale_for(p.x.abs().max(p.y.abs()));
    let unit = match scale.unit {
        // Nothing has no size of its own.
        "m" if p == Point::default() => "µm",
        unit => unit,
    };
    // What rounding leaves of nothing is nothing.
    let least = 1e-9 * p.x.abs().max(p.y.abs());
    let number = |x: f64| {
        figures(if x.abs() < least {
            0.0
        } else {
            x * scale.factor
        })
    };
    format!("{} {unit}, {} {unit}", number(p.x), number(p.y))
}
