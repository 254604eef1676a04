//! Scenes of other systems on the canvas: fitted, turned, and held by the pointer.

use eframe::egui::{Align2, FontId, Painter, PointerButton, Rect, Response, Stroke, Vec2, vec2};

use super::{MARGIN, Stage};
use crate::command::Command;
use crate::liquids::command::LiquidCommand;
use crate::liquids::settings::AXES;
use crate::liquids::shot::SystemShot;
use crate::liquids::subjects::Group;
use crate::results::legend::Paper;
use stokeslet_base::geometry::Point;
use stokeslet_dynamics::report::shaded::{Camera, extent};
use stokeslet_dynamics::stepped::Hand;
use stokeslet_dynamics::stepped::look::{Look as Figure, Role as Kind};

/// A drag of so many points turns a scene in space by a radian.
const RADIAN: f64 = 160.0;
/// A scene in space is tilted no farther than to be seen from straight above or below, rad.
const STEEPEST: f64 = 1.55;

impl Stage {
    /// The camera that sees a system's scene now.
    pub(super) fn camera(&self, shot: &SystemShot) -> Camera {
        let look = &shot.seen.look;
        look.camera(self.from.unwrap_or(look.from))
    }

    /// Shows a system's scene whole: in space at a size at which it stays whole while it is turned.
    pub(super) fn fit_system(&mut self, shot: &SystemShot) {
        let (look, camera) = (&shot.seen.look, self.camera(shot));
        let [low, high] = look.bounds;
        let room = |length: f32| f64::from((length - 2.0 * MARGIN).max(40.0));
        let [across, up] = [self.view.rect.width(), self.view.rect.height()].map(room);
        let scale = match look.dimension {
            2 => {
                let [least, most] = extent(&camera, look.bounds);
                ((most[0] - least[0]) / across).max((most[1] - least[1]) / up)
            }
            _ => {
                let size = (0..3).map(|k| (high[k] - low[k]).powi(2)).sum::<f64>();
                size.sqrt() / across.min(up)
            }
        };
        if scale > 0.0 && scale.is_finite() {
            self.view.scale = scale;
        }
        self.view.middle = middle(&camera, shot);
    }

    /// Turns a scene in space about its middle, which stays where it is.
    pub(super) fn turn(&mut self, shot: &SystemShot, by: Vec2) {
        let before = middle(&self.camera(shot), shot);
        let [turn, tilt] = self.from.unwrap_or(shot.seen.look.from);
        self.from = Some([
            turn - f64::from(by.x) / RADIAN,
            (tilt + f64::from(by.y) / RADIAN).clamp(-STEEPEST, STEEPEST),
        ]);
        self.view.middle = self.view.middle + (middle(&self.camera(shot), shot) - before);
    }

    /// Lets the pointer hold a body, in space as far from the camera as where it took hold; whether it does.
    pub(super) fn hold(
        &mut self,
        k: usize,
        shot: &SystemShot,
        response: &Response,
        out: &mut Vec<Command>,
    ) -> bool {
        let camera = self.camera(shot);
        if self.held.is_none_or(|(held, ..)| held != k) {
            let pressed = response.ctx.input(|i| i.pointer.press_origin());
            let begins = response.drag_started_by(PointerButton::Primary)
                && Group::System(shot.system).has_hand();
            let Some(at) = pressed.filter(|_| begins) else {
                return false;
            };
            let at = self.view.to_chip(at);
            let Some((Kind::Body(_), near)) = front(&shot.seen.look, &camera, at) else {
                return false;
            };
            self.held = Some((k, camera.place([at.x, at.y, near]), near));
        }
        let now = response.ctx.input(|i| i.pointer.latest_pos());
        let is_over = response.drag_stopped() || !response.dragged_by(PointerButton::Primary);
        let command = match (self.held, now) {
            (Some((_, from, near)), Some(now)) if !is_over => {
                let now = self.view.to_chip(now);
                let to = camera.place([now.x, now.y, near]);
                LiquidCommand::Hold(Some((k, Hand { from, to })))
            }
            _ => {
                self.held = None;
                LiquidCommand::Hold(None)
            }
        };
        out.push(Command::Liquid(command));
        true
    }
}

/// What is nearest to the camera of all that is seen at a place, and how near that is, m.
fn front(look: &Figure, camera: &Camera, at: Point) -> Option<(Kind, f64)> {
    /// Balls leave gaps between them.
    const REACH: f64 = 1.5;
    let mut found: Option<(Kind, f64)> = None;
    let mut take = |role: Kind, near: f64| {
        // In the plane all are as near: what moves is drawn over the rest.
        let is_nearer = |(kind, front): (Kind, f64)| {
            near > front || near == front && !matches!(kind, Kind::Body(_))
        };
        if found.is_none_or(is_nearer) {
            found = Some((role, near));
        }
    };
    for points in &look.points {
        for x in &points.at {
            let [right, up, near] = camera.see(*x);
            if (right - at.x).hypot(up - at.y) < REACH * points.radius {
                take(points.role, near);
            }
        }
    }
    for mesh in &look.meshes {
        let seen: Vec<[f64; 3]> = mesh.points.iter().map(|x| camera.see(*x)).collect();
        for triangle in &mesh.triangles {
            let corners = triangle.map(|v| seen[v as usize]);
            if let Some(near) = depth(corners, at) {
                take(mesh.role, near);
            }
        }
    }
    found
}

/// How near a triangle is to the camera at a place, m, if it is seen there.
fn depth(corners: [[f64; 3]; 3], at: Point) -> Option<f64> {
    let cross =
        |a: [f64; 3], b: [f64; 3]| (a[0] - at.x) * (b[1] - at.y) - (a[1] - at.y) * (b[0] - at.x);
    let parts: [f64; 3] =
        std::array::from_fn(|k| cross(corners[(k + 1) % 3], corners[(k + 2) % 3]));
    let area: f64 = parts.iter().sum();
    let shares = parts.map(|part| part / area);
    // Of one seen from its edge all are infinite or no numbers.
    let is_in = shares.iter().all(|share| (0.0..=1.0).contains(share));
    is_in.then(|| (0..3).map(|k| shares[k] * corners[k][2]).sum())
}

/// The middle of a scene as the camera sees it.
fn middle(camera: &Camera, shot: &SystemShot) -> Point {
    let [low, high] = shot.seen.look.bounds;
    let seen = camera.see(std::array::from_fn(|k| 0.5 * (low[k] + high[k])));
    Point::new(seen[0], seen[1])
}

/// Which way the axes go, in the lower left corner.
pub(super) fn axes(painter: &Painter, rect: Rect, camera: &Camera, paper: &Paper) {
    const LENGTH: f32 = 22.0;
    let from = rect.left_bottom() + vec2(36.0, -36.0);
    for (k, name) in AXES.into_iter().enumerate() {
        let seen = camera.see(std::array::from_fn(|axis| f64::from(u8::from(axis == k))));
        let along = vec2(seen[0] as f32, -seen[1] as f32);
        let to = from + LENGTH * along;
        painter.line_segment([from, to], Stroke::new(1.5, paper.muted));
        let at = to + 8.0 * along;
        let font = FontId::proportional(11.0);
        painter.text(at, Align2::CENTER_CENTER, name, font, paper.ink);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_is_as_near_as_it_is_where_it_is_seen() {
        let corners = [[0.0, 0.0, 1.0], [2.0, 0.0, 3.0], [0.0, 2.0, 5.0]];
        let at = |x, y| depth(corners, Point::new(x, y));
        assert_eq!(at(0.5, 0.5), Some(2.5));
        assert_eq!(at(0.0, 0.0), Some(1.0), "a corner is its own");
        assert_eq!(at(1.5, 1.0), None, "beside it");
        let edge = [[0.0, 0.0, 1.0], [1.0, 0.0, 3.0], [2.0, 0.0, 5.0]];
        assert_eq!(
            depth(edge, Point::new(1.0, 0.0)),
            None,
            "seen from its edge"
        );
    }
}
