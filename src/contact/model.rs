//! What doesn't change from step to step but when bodies come in: which particles touch which objects, elements, springs, materials.

use crate::loops::{Work, each};
use crate::material::Material;
use crate::mesh::{Boxes, Topology, bounds};
use crate::real::{M3, V3};
use crate::shape::Shape;
use crate::state::State;
use nalgebra::UnitQuaternion;
use std::ops::Range;

/// How contact enters the step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coupling {
    /// Normal force and friction at the end of the step, in one system.
    #[default]
    Coupled,
    /// All contact forces frozen at the start of the step.
    Lagged,
    /// Normal forces in the system, friction frozen at the start of the step.
    LaggedFriction,
}

/// Whose motion moves a contact particle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Rigid { rigid: u32, r: V3 },
    Node(u32),
    Point(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Particle {
    pub source: Source,
    pub body: u32,
    /// Stiffness of its contacts, N/m.
    pub k: f64,
}

/// What an object is fixed to.
pub(crate) enum Frame {
    Fixed {
        x: V3,
        q: UnitQuaternion<f64>,
    },
    Rigid(u32),
    /// Vertices are nodes from this one on.
    Nodes(u32),
}

pub(crate) enum Surface {
    LevelSet(Shape),
    Mesh(Mesh),
}

pub(crate) struct Mesh {
    pub topology: Topology,
    /// Vertices in the object's frame; empty for a deformable one.
    pub points: Vec<V3>,
    /// Boxes of the triangles in the object's frame; none for a deformable one.
    pub boxes: Option<Boxes>,
    pub low: V3,
    pub high: V3,
    /// A sheet pushes out of both sides.
    pub two_sided: bool,
}

impl Mesh {
    pub(crate) fn rigid(points: Vec<V3>, triangles: Vec<[u32; 3]>) -> Mesh {
        let topology = Topology::new(triangles, points.len());
        let boxes = Boxes::new(
            topology
                .triangles
                .iter()
                .map(|t| t.map(|v| points[v as usize]).to_vec()),
        );
        let (low, high) = bounds(&points);
        Mesh {
            topology,
            points,
            boxes: Some(boxes),
            low,
            high,
            two_sided: false,
        }
    }

    pub(crate) fn deformable(triangles: Vec<[u32; 3]>, n_vertices: usize, two_sided: bool) -> Mesh {
        let topology = Topology::new(triangles, n_vertices);
        Mesh {
            topology,
            points: Vec::new(),
            boxes: None,
            low: V3::zeros(),
            high: V3::zeros(),
            two_sided,
        }
    }
}

pub(crate) struct Object {
    pub body: u32,
    pub frame: Frame,
    pub surface: Surface,
    pub self_contact: bool,
}

pub(crate) struct Tet {
    pub nodes: [u32; 4],
    /// Gradients of the shape functions at rest, 1/m.
    pub slopes: [V3; 4],
    pub volume: f64,
    pub material: Material,
}

/// A spring of force `stiffness (l / rest - 1)`, N.
pub(crate) struct Spring {
    pub ends: [u32; 2],
    pub rest: f64,
    pub stiffness: f64,
}

/// Kind of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Moves as a whole.
    Rigid,
    /// Tetrahedra, fixed corotated.
    Deformable,
    /// Springs along the edges of a sheet.
    Cloth,
    /// Material points on the grid.
    Points,
    /// Never moves.
    Fixed,
}

pub(crate) struct BodyInfo {
    pub name: String,
    pub kind: Kind,
    /// Index of the rigid body; first node; first point.
    pub first: usize,
    /// Number of nodes or points.
    pub count: usize,
    /// Drawn vertices in the body's frame (rigid, fixed).
    pub points: Vec<V3>,
    pub triangles: Vec<[u32; 3]>,
    /// Pose of a fixed body, and of a rigid one at the start.
    pub pose: (V3, UnitQuaternion<f64>),
    /// The colour of a material point's kind.
    pub is_sand: bool,
}

/// Everything fixed from step to step.
pub(crate) struct Model {
    pub gravity: V3,
    pub dt: f64,
    pub mu: f64,
    pub dx: f64,
    pub coupling: Coupling,
    pub bodies: Vec<BodyInfo>,
    pub particles: Vec<Particle>,
    /// The particles in runs ([`runs`]).
    pub runs: Vec<Run>,
    pub objects: Vec<Object>,
    pub tets: Vec<Tet>,
    pub springs: Vec<Spring>,
    /// Material of each point, and which grid it lives on.
    pub materials: Vec<Material>,
    pub layers: Vec<u32>,
    /// Nodes that never move, ascending.
    pub pinned: Vec<u32>,
}

/// Particles of a run at most: those of a body follow each other, row by row where it is a lattice.
const RUN: usize = 128;

/// Particles of one body that follow each other.
pub(crate) struct Run {
    pub body: u32,
    pub particles: Range<usize>,
}

/// All particles, in runs.
pub(crate) fn runs(particles: &[Particle]) -> Vec<Run> {
    let mut out = Vec::new();
    let mut first = 0;
    for of_body in particles.chunk_by(|a, b| a.body == b.body) {
        for part in of_body.chunks(RUN) {
            out.push(Run {
                body: part[0].body,
                particles: first..first + part.len(),
            });
            first += part.len();
        }
    }
    out
}

/// Pose of a rigid body.
#[derive(Clone)]
pub(crate) struct Pose {
    pub x: V3,
    pub r: M3,
}

/// Where everything is, at the start of a step or on trial.
#[derive(Clone)]
pub(crate) struct Places {
    pub rigids: Vec<Pose>,
    pub nodes: Vec<V3>,
    pub points: Vec<V3>,
}

impl Places {
    pub(crate) fn of(state: &State) -> Places {
        Places {
            rigids: state
                .rigids
                .iter()
                .map(|b| Pose {
                    x: b.x,
                    r: b.q.to_rotation_matrix().into_inner(),
                })
                .collect(),
            nodes: state.nodes.x.clone(),
            points: state.points.x.clone(),
        }
    }

    /// All contact particles.
    pub(crate) fn particles(&self, model: &Model) -> Vec<V3> {
        each(Work::Usual, model.particles.len(), |p| {
            self.particle(&model.particles[p])
        })
    }

    pub(crate) fn particle(&self, p: &Particle) -> V3 {
        match p.source {
            Source::Rigid { rigid, r } => {
                let pose = &self.rigids[rigid as usize];
                pose.x + pose.r * r
            }
            Source::Node(i) => self.nodes[i as usize],
            Source::Point(i) => self.points[i as usize],
        }
    }

    /// Pose of a fixed or rigid object.
    pub(crate) fn pose(&self, frame: &Frame) -> Pose {
        match frame {
            Frame::Fixed { x, q } => Pose {
                x: *x,
                r: q.to_rotation_matrix().into_inner(),
            },
            Frame::Rigid(i) => self.rigids[*i as usize].clone(),
            Frame::Nodes(_) => Pose {
                x: V3::zeros(),
                r: M3::identity(),
            },
        }
    }
}
