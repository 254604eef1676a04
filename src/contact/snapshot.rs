//! A picture's worth of a run: what is where at one time, ready to draw or to write.

use crate::assemble::assemble;
use crate::model::{Kind, Model};
use crate::real::V3;
use crate::simulation::{Simulation, Touch};
use crate::state::State;
use serde::{Deserialize, Serialize};

/// One body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyView {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: Kind,
    /// Whether it is sand.
    pub is_sand: bool,
    /// Vertices of the surface, or material points, m.
    pub points: Vec<V3>,
    /// Velocities of the points, m/s.
    pub velocities: Vec<V3>,
    /// Triangles; none of material points.
    pub triangles: Vec<[u32; 3]>,
}

/// Everything at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Time, s.
    pub time: f64,
    /// Bodies in the order in which they come in, planes left out.
    pub bodies: Vec<BodyView>,
    /// Pairs that touch.
    pub touches: Vec<Touch>,
}

impl Snapshot {
    /// All points of all bodies, in order.
    pub fn n_points(&self) -> usize {
        self.bodies.iter().map(|b| b.points.len()).sum()
    }
    /// All triangles of all bodies.
    pub fn n_triangles(&self) -> usize {
        self.bodies.iter().map(|b| b.triangles.len()).sum()
    }
}

impl Simulation {
    /// What is where now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            time: self.time(),
            bodies: views(self.model(), self.state()),
            touches: self.touches().to_vec(),
        }
    }

    /// Bodies that come in later, where they do.
    pub(crate) fn to_come(&self) -> Vec<BodyView> {
        let (all, planes) = (self.scene().body.len(), self.scene().plane.len());
        if self.model().bodies.len() == planes + all {
            return Vec::new();
        }
        let (model, state) = assemble(self.scene(), all);
        let mut bodies = views(&model, &state);
        bodies.drain(..views(self.model(), self.state()).len());
        bodies
    }
}

fn views(model: &Model, state: &State) -> Vec<BodyView> {
    let view = |body: &crate::model::BodyInfo| {
        let range = body.first..body.first + body.count;
        let (points, velocities) = match body.kind {
            Kind::Fixed => {
                let (x, q) = &body.pose;
                (
                    body.points.iter().map(|p| x + q * p).collect(),
                    vec![V3::zeros(); body.points.len()],
                )
            }
            Kind::Rigid => {
                let r = &state.rigids[body.first];
                let arms: Vec<V3> = body.points.iter().map(|p| r.q * p).collect();
                (
                    arms.iter().map(|a| r.x + a).collect(),
                    arms.iter().map(|a| r.v + r.w.cross(a)).collect(),
                )
            }
            Kind::Deformable | Kind::Cloth => (
                state.nodes.x[range.clone()].to_vec(),
                state.nodes.v[range].to_vec(),
            ),
            Kind::Points => (
                state.points.x[range.clone()].to_vec(),
                state.points.v[range].to_vec(),
            ),
        };
        BodyView {
            name: body.name.clone(),
            kind: body.kind,
            is_sand: body.is_sand,
            points,
            velocities,
            triangles: body.triangles.clone(),
        }
    };
    let drawn = model
        .bodies
        .iter()
        .filter(|b| b.kind != Kind::Fixed || !b.points.is_empty());
    drawn.map(view).collect()
}
