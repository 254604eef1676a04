//! A hand that holds a body: before each step the body gets the velocity that brings what is held to where the hand is.

use super::Simulation;
use crate::mesh::{bounds, nearest_on_triangle};
use crate::model::Kind;
use crate::real::V3;

/// The hand is reached in so many steps, or in [`LEAST`] if that is longer.
const STEPS: f64 = 10.0;
/// s: fast enough to follow a hand, slow enough to be gentle.
const LEAST: f64 = 0.05;
/// What is held is no farther from the body's surface than this part of its diagonal.
const REACH: f64 = 0.1;

/// A hand that holds a body by a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// The body: planes first, then the order in which bodies come in.
    pub body: usize,
    /// The point held: of a rigid body in its own frame, of others from the centre of mass, m.
    pub grip: V3,
    /// Where the hand is, m.
    pub target: V3,
}

impl Simulation {
    /// Holds a body, or lets go; from the next step on. It isn't kept in checkpoints.
    pub fn set_pull(&mut self, pull: Option<Pull>) {
        let is_usable = |p: &Pull| p.grip.iter().chain(p.target.iter()).all(|x| x.is_finite());
        self.pull = pull.filter(is_usable);
    }

    /// The hand that holds a body now.
    pub fn pull(&self) -> Option<Pull> {
        self.pull
    }

    /// The body whose surface is nearest to a point, if one that moves is near, and the point as [`Pull::grip`] has it.
    pub fn body_at(&self, point: V3) -> Option<(usize, V3)> {
        let snapshot = self.snapshot();
        let mut found: Option<(f64, usize)> = None;
        for body in &snapshot.bodies {
            if body.kind == Kind::Fixed || body.points.is_empty() {
                continue;
            }
            let corner = |v: u32| body.points[v as usize];
            let to_triangles = body
                .triangles
                .iter()
                .map(|t| nearest_on_triangle(&point, t.map(corner)).0.sqrt());
            let to_points = body.points.iter().map(|p| (p - point).norm());
            let distance = to_triangles.chain(to_points).fold(f64::INFINITY, f64::min);
            let (low, high) = bounds(&body.points);
            let is_near = distance <= REACH * (high - low).norm();
            if is_near && found.is_none_or(|(least, _)| distance < least) {
                found = self.body_index(&body.name).map(|index| (distance, index));
            }
        }
        let (_, body) = found?;
        let motion = self.motion(body);
        let info = &self.model.bodies[body];
        let arm = point - motion.position;
        let grip = match info.kind {
            Kind::Rigid => self.state.rigids[info.first].q.inverse() * arm,
            _ => arm,
        };
        Some((body, grip))
    }

    /// Gives the body that is held its velocity: of a rigid body by an impulse at the grip, of others as a whole.
    pub(super) fn follow_hand(&mut self) {
        let Some(pull) = self.pull else {
            return;
        };
        let Some(info) = self.model.bodies.get(pull.body) else {
            return;
        };
        let motion = self.motion(pull.body);
        let time = (STEPS * self.model.dt).max(LEAST);
        let range = info.first..info.first + info.count;
        match info.kind {
            Kind::Fixed => {}
            Kind::Rigid => {
                let body = &mut self.state.rigids[info.first];
                let arm = body.q * pull.grip;
                let wanted = (pull.target - body.x - arm) / time;
                let change = wanted - body.v - body.w.cross(&arm);
                let size = change.norm();
                if size > 0.0 {
                    let n = change / size;
                    let turn = |v: V3| body.q * (body.q.inverse() * v).component_div(&body.inertia);
                    let angular = arm.cross(&n);
                    let inverse = 1.0 / body.mass + angular.dot(&turn(angular));
                    let impulse = change / inverse;
                    let spin = turn(arm.cross(&impulse));
                    body.v += impulse / body.mass;
                    body.w += spin;
                }
            }
            Kind::Deformable | Kind::Cloth | Kind::Points => {
                let wanted = (pull.target - motion.position - pull.grip) / time;
                let change = wanted - motion.velocity;
                let all = match info.kind {
                    Kind::Points => &mut self.state.points.v,
                    _ => &mut self.state.nodes.v,
                };
                all[range].iter_mut().for_each(|v| *v += change);
            }
        }
    }
}
