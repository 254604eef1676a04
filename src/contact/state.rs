//! What moves: bodies, vertices, material points and the attachments between them. The whole of a checkpoint.

use crate::contact::Attachment;
use crate::real::{M3, V3};
use nalgebra::UnitQuaternion;
use serde::{Deserialize, Serialize};

/// A rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rigid {
    /// Centre of mass, m.
    pub x: V3,
    /// Orientation: world from body.
    pub q: UnitQuaternion<f64>,
    /// Velocity, m/s.
    pub v: V3,
    /// Angular velocity in the world, rad/s.
    pub w: V3,
    /// Mass, kg.
    pub mass: f64,
    /// Principal moments of inertia about the body's axes, kg m^2.
    pub inertia: V3,
}

/// Vertices of the deformable bodies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Nodes {
    /// Positions, m.
    pub x: Vec<V3>,
    /// Velocities, m/s.
    pub v: Vec<V3>,
    /// Lumped masses, kg.
    pub mass: Vec<f64>,
}

/// Material points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Points {
    /// Positions, m.
    pub x: Vec<V3>,
    /// Velocities, m/s.
    pub v: Vec<V3>,
    /// Affine velocities (APIC), 1/s.
    pub affine: Vec<M3>,
    /// Deformation gradients.
    pub gradient: Vec<M3>,
    /// Masses, kg.
    pub mass: Vec<f64>,
    /// Reference volumes, m^3.
    pub volume: Vec<f64>,
}

/// Everything that changes from step to step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Steps made.
    pub step: u64,
    /// Rigid bodies.
    pub rigids: Vec<Rigid>,
    /// Vertices of deformable bodies.
    pub nodes: Nodes,
    /// Material points.
    pub points: Points,
    /// Attachments on each object, by particle, ascending.
    pub attachments: Vec<Vec<(u32, Attachment)>>,
}

impl State {
    /// Takes in what a later state of the same lists has beyond the end of this one's: bodies that come in.
    pub(crate) fn take_in(&mut self, later: State) {
        fn extend<T>(list: &mut Vec<T>, later: Vec<T>) {
            let there = list.len();
            list.extend(later.into_iter().skip(there));
        }
        extend(&mut self.rigids, later.rigids);
        let (nodes, points) = (later.nodes, later.points);
        extend(&mut self.nodes.x, nodes.x);
        extend(&mut self.nodes.v, nodes.v);
        extend(&mut self.nodes.mass, nodes.mass);
        extend(&mut self.points.x, points.x);
        extend(&mut self.points.v, points.v);
        extend(&mut self.points.affine, points.affine);
        extend(&mut self.points.gradient, points.gradient);
        extend(&mut self.points.mass, points.mass);
        extend(&mut self.points.volume, points.volume);
        extend(&mut self.attachments, later.attachments);
    }
}
