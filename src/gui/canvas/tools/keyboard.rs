//! Drawing by keys alone: a cursor that arrow keys move along the grid, brackets from one free socket to the next, and Enter clicks.

use eframe::egui::{Context, InputState, Key, Modifiers, Painter, Pos2, Stroke, vec2};

use crate::canvas::View;
use crate::canvas::grid::Grid;
use crate::canvas::scene::Scene;
use crate::canvas::theme::Colours;
use crate::context::Tool;
use stokeslet_base::geometry::Point;

/// So far from the edges of the canvas it is kept, points.
const MARGIN: f32 = 24.0;
/// Half the length of its lines, points.
const HALF: f32 = 11.0;

/// Where the keyboard's pointer is; the mouse takes over when it moves.
#[derive(Clone, Debug)]
pub struct Cursor {
    at: Point,
    mouse: Option<Pos2>,
    /// Whether Enter clicked there: another Enter is the tool's.
    is_clicked: bool,
}

/// The cursor in a frame.
#[derive(Clone, Copy, Debug)]
pub struct Keyed {
    /// On the screen.
    pub at: Pos2,
    /// Whether Enter clicks there now.
    pub clicks: bool,
}

/// Hears the keys. `mouse` is where the mouse is, if it is over the canvas; Enter is heard where `clicks`.
pub fn hear(
    cursor: &mut Option<Cursor>,
    ctx: &Context,
    (tool, mouse, clicks): (&Tool, Option<Pos2>, bool),
    view: &mut View,
    scene: &Scene,
) -> Option<Keyed> {
    let by_mouse = ctx.input(|input| input.pointer.any_pressed());
    if *tool == Tool::Select || by_mouse || cursor.as_ref().is_some_and(|c| c.mouse != mouse) {
        *cursor = None;
    }
    if *tool == Tool::Select {
        return None;
    }
    let here = || mouse.map_or(view.middle, |at| view.to_chip(at));
    let grid = Grid::at(view.scale);
    let from = cursor.as_ref().map_or_else(|| grid.snap(here()), |c| c.at);
    let moved = ctx.input_mut(|input| {
        if input.modifiers.command || input.modifiers.alt {
            return None;
        }
        let along = steps(input) * grid.minor;
        let socket = [(Key::CloseBracket, 1), (Key::OpenBracket, -1)];
        let socket = socket.into_iter().find(|(key, _)| pressed(input, *key));
        match socket {
            Some((_, by)) => next_socket(scene, from, by),
            None => (along != Point::default()).then(|| from + along),
        }
    });
    if let Some(at) = moved {
        *cursor = Some(Cursor {
            at,
            mouse,
            is_clicked: false,
        });
        follow(view, at);
    }
    let cursor = cursor.as_mut()?;
    let is_new = clicks && !cursor.is_clicked;
    let clicks = is_new && ctx.input_mut(|input| pressed(input, Key::Enter));
    cursor.is_clicked |= clicks;
    Some(Keyed {
        at: view.to_screen(cursor.at),
        clicks,
    })
}

fn pressed(input: &mut InputState, key: Key) -> bool {
    input.consume_key(Modifiers::SHIFT, key) || input.consume_key(Modifiers::NONE, key)
}

/// How many steps of the grid the arrow keys ask for, ten times as many with Shift.
fn steps(input: &mut InputState) -> Point {
    let far = if input.modifiers.shift { 10.0 } else { 1.0 };
    let mut by = Point::default();
    for (key, x, y) in [
        (Key::ArrowLeft, -1.0, 0.0),
        (Key::ArrowRight, 1.0, 0.0),
        (Key::ArrowUp, 0.0, 1.0),
        (Key::ArrowDown, 0.0, -1.0),
    ] {
        if pressed(input, key) {
            by = by + Point::new(x, y) * far;
        }
    }
    by
}

/// The free socket after the nearest one, or before it; the nearest itself where the cursor isn't on it yet.
fn next_socket(scene: &Scene, from: Point, by: isize) -> Option<Point> {
    let middle = |k: usize| scene.layout.sockets[scene.free[k]].geometry.middle;
    let away = |k: &usize| (middle(*k) - from).norm();
    let n = scene.free.len();
    let near = (0..n).min_by(|a, b| away(a).total_cmp(&away(b)))?;
    if away(&near) > 0.0 {
        return Some(middle(near));
    }
    // Two may lie on each other.
    let others = (1..n as isize).map(|k| (near as isize + k * by).rem_euclid(n as isize) as usize);
    others.map(middle).find(|p| (*p - from).norm() > 0.0)
}

/// Moves the view so that a place is in it.
fn follow(view: &mut View, at: Point) {
    let within = view.rect.shrink(MARGIN);
    let place = view.to_screen(at);
    let off = place - within.clamp(place);
    view.pan(-off);
}

/// Draws the cursor.
pub fn paint(painter: &Painter, at: Pos2, colours: &Colours) {
    let line = Stroke::new(1.5, colours.accent);
    for by in [vec2(HALF, 0.0), vec2(0.0, HALF)] {
        painter.line_segment([at - by, at + by], line);
    }
    painter.circle_stroke(at, 4.0, line);
}
