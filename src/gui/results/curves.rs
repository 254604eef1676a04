//! Streamlines and arrows as shapes of the screen.

use eframe::egui::{Color32, Mesh, Painter, Pos2, Rect, Shape, Stroke, Vec2};

use super::painting::Arrow;
use crate::canvas::View;
use stokeslet_flow::trace::Streamline;

/// Points nearer than this on the screen are one.
const NEAR: f32 = 1.5;
/// Distance of arrow heads along a line.
const HEADS: f32 = 220.0;
/// Streamlines of an inlet are at least so far apart there, points.
const ROOM: f32 = 6.5;
/// Shortest arrow, and the longest as a part of the lattice's distance.
const ARROW: (f32, f32) = (5.0, 0.92);

/// Draws streamlines with arrow heads: a rim, then the line, so that they can be seen on any colour.
pub(super) fn draw_streamlines(
    painter: &Painter,
    view: &View,
    lines: &[Streamline],
    ink: Color32,
    rim: Color32,
) {
    let clip = painter.clip_rect().expand(20.0);
    let mut heads = Mesh::default();
    let mut shapes = Vec::new();
    let distance = view.length(ROOM);
    let shown = |line: &&Streamline| line.rank.is_none_or(|rank| rank.is_shown(distance));
    for line in lines.iter().filter(shown) {
        let mut run: Vec<Pos2> = Vec::new();
        let mut since = 0.5 * HEADS;
        let mut last: Option<Pos2> = None;
        let n = line.points.len();
        for (k, &p) in line.points.iter().enumerate() {
            let p = view.to_screen(p);
            let Some(before) = last else {
                last = Some(p);
                if clip.contains(p) {
                    run.push(p);
                }
                continue;
            };
            let step = p - before;
            let length = step.length();
            if length < NEAR && k + 1 < n {
                continue;
            }
            last = Some(p);
            if !near(clip, before, p) {
                finish(&mut run, &mut shapes);
                continue;
            }
            if run.is_empty() {
                run.push(before);
            }
            run.push(p);
            since += length;
            if since >= HEADS && length > 0.0 {
                since = 0.0;
                triangle(&mut heads, p, step / length, 8.5, 3.6, ink);
            }
        }
        finish(&mut run, &mut shapes);
    }
    let stroke = |points: &Vec<Pos2>, stroke: Stroke| Shape::line(points.clone(), stroke);
    painter.extend(
        shapes
            .iter()
            .map(|s| stroke(s, Stroke::new(2.8, rim)))
            .collect::<Vec<_>>(),
    );
    painter.extend(
        shapes
            .iter()
            .map(|s| stroke(s, Stroke::new(1.2, ink)))
            .collect::<Vec<_>>(),
    );
    painter.add(heads);
}

/// Whether a segment may be seen.
fn near(clip: Rect, a: Pos2, b: Pos2) -> bool {
    clip.intersects(Rect::from_two_pos(a, b))
}

fn finish(run: &mut Vec<Pos2>, shapes: &mut Vec<Vec<Pos2>>) {
    if run.len() > 1 {
        shapes.push(std::mem::take(run));
    } else {
        run.clear();
    }
}

fn triangle(mesh: &mut Mesh, middle: Pos2, along: Vec2, length: f32, half: f32, ink: Color32) {
    let across = along.rot90();
    let n = mesh.vertices.len() as u32;
    mesh.colored_vertex(middle + along * (0.6 * length), ink);
    mesh.colored_vertex(middle - along * (0.4 * length) + across * half, ink);
    mesh.colored_vertex(middle - along * (0.4 * length) - across * half, ink);
    mesh.add_triangle(n, n + 1, n + 2);
}

/// Draws arrows, `gap` points apart: length grows with the root of the speed, so that slow flow has a direction too.
pub(super) fn draw_arrows(
    painter: &Painter,
    view: &View,
    arrows: &[Arrow],
    (gap, fastest): (f32, f64),
    colour: impl Fn(f64) -> Color32,
) {
    let clip = painter.clip_rect().expand(gap);
    let mut mesh = Mesh::default();
    for arrow in arrows {
        let speed = arrow.velocity.norm();
        let middle = view.to_screen(arrow.at);
        if !clip.contains(middle) || speed.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
            continue;
        }
        let part = (speed / fastest.max(f64::MIN_POSITIVE)).min(1.0).sqrt() as f32;
        let length = ARROW.0.max(ARROW.1 * gap * part);
        let v = arrow.velocity * (1.0 / speed);
        let along = Vec2::new(v.x as f32, -v.y as f32);
        let ink = colour(speed);
        let head = (0.45 * length).clamp(4.0, 9.0);
        let (tail, tip) = (
            middle - along * (0.5 * length),
            middle + along * (0.5 * length),
        );
        let neck = tip - along * head;
        let across = along.rot90() * (0.09 * head + 0.35);
        let n = mesh.vertices.len() as u32;
        for p in [tail + across, tail - across, neck - across, neck + across] {
            mesh.colored_vertex(p, ink);
        }
        mesh.add_triangle(n, n + 1, n + 2);
        mesh.add_triangle(n, n + 2, n + 3);
        triangle(
            &mut mesh,
            tip - along * (0.6 * head),
            along,
            head,
            0.38 * head,
            ink,
        );
    }
    painter.add(mesh);
}
