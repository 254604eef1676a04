//! One step of backward Euler as a system of equations: residual, derivative, products, in mass-scaled unknowns.
//!
//! Unknowns are changes of velocity: six a rigid body, three a vertex, three a grid node, in this order.
//! ```text
//! g(z) = M z - dt f(x + dt (v + z)) = 0          g~ = S^-1 g,  z~ = S z,  H~ = S^-1 H S^-1,  S = sqrt(M)
//! H    = mass + sum of small dense blocks + the material points' operator (never assembled)
//! ```
//! Forces reach the unknowns through the transpose of the map from velocities to particles, taken at the trial state.

use crate::contact::{Contact, Frozen, Pairs, Start};
use crate::grid::Grid;
use crate::loops::{Work, both, each_light, each_pair};
use crate::material::Svd;
use crate::model::{Coupling, Frame, Model, Places, Pose, Source};
use crate::real::{M3, V3};
use crate::state::State;
use nalgebra::UnitQuaternion;
use std::sync::OnceLock;
use stokeslet_dynamics::awake::Awake;

mod derivative;
mod linear;
mod points;

pub(crate) use derivative::{Precision, Side, Tangent};

/// Three unknowns in a row, or the velocity of a material point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    Dof(usize),
    Point(u32),
    /// Never moves.
    Pinned,
}

/// The system of one step.
pub(crate) struct System<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub grid: Option<&'a Grid>,
    pub start: &'a Start,
    pub frozen: Option<&'a Frozen>,
    /// Seconds that the step takes, or the part of it that is solved.
    pub dt: f64,
    /// sqrt of the mass of each unknown.
    pub scale: Vec<f64>,
    /// One over each of `scale`.
    inverse_scale: Vec<f64>,
    /// Right singular vectors of the points' gradients at the first trial, near to which those of all others lie; the identity where it needed none.
    axes: OnceLock<Vec<M3>>,
    /// For a step's many loops over points and particles.
    awake: &'a Awake,
}

/// The system at a trial.
pub(crate) struct Trial {
    /// Scaled residual.
    pub residual: Vec<f64>,
    pub contacts: Vec<Contact>,
    pub places: Places,
    pub spins: Vec<V3>,
    pub orientations: Vec<UnitQuaternion<f64>>,
    pub velocities: Vec<V3>,
    pub grid_velocities: Vec<V3>,
    /// Deformation gradients of the points on trial, before any return.
    pub gradients: Vec<M3>,
    /// Their singular values and vectors, where stresses needed them.
    pub svds: Vec<Option<Svd>>,
}

fn vec3(z: &[f64], at: usize) -> V3 {
    V3::new(z[at], z[at + 1], z[at + 2])
}

impl<'a> System<'a> {
    pub(crate) fn new(
        model: &'a Model,
        state: &'a State,
        grid: Option<&'a Grid>,
        start: &'a Start,
        frozen: Option<&'a Frozen>,
        dt: f64,
        awake: &'a Awake,
    ) -> System<'a> {
        let mut scale = Vec::new();
        for b in &state.rigids {
            scale.extend([b.mass.sqrt(); 3]);
            scale.extend([(b.inertia.sum() / 3.0).sqrt(); 3]);
        }
        for m in &state.nodes.mass {
            scale.extend([m.sqrt(); 3]);
        }
        if let Some(grid) = grid {
            for m in &grid.mass {
                scale.extend([m.sqrt(); 3]);
            }
        }
        System {
            model,
            state,
            grid,
            start,
            frozen,
            dt,
            inverse_scale: scale.iter().map(|s| 1.0 / s).collect(),
            scale,
            axes: OnceLock::new(),
            awake,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.scale.len()
    }
    fn node_at(&self, i: usize) -> usize {
        6 * self.state.rigids.len() + 3 * i
    }
    fn grid_at(&self, i: usize) -> usize {
        self.node_at(self.state.nodes.x.len()) + 3 * i
    }
    fn slot_of_node(&self, i: u32) -> Slot {
        if self.model.pinned.binary_search(&i).is_ok() {
            Slot::Pinned
        } else {
            Slot::Dof(self.node_at(i as usize))
        }
    }

    /// `dt gravity` on everything free, scaled: the better first guess of a falling body.
    pub(crate) fn falling(&self) -> Vec<f64> {
        let mut z = vec![0.0; self.len()];
        let mut put = |at: usize| {
            for i in 0..3 {
                z[at + i] = self.dt * self.model.gravity[i] * self.scale[at + i];
            }
        };
        for i in 0..self.state.rigids.len() {
            put(6 * i);
        }
        for i in 0..self.state.nodes.x.len() {
            if self.model.pinned.binary_search(&(i as u32)).is_err() {
                put(self.node_at(i));
            }
        }
        for i in 0..self.grid.map_or(0, Grid::n_nodes) {
            put(self.grid_at(i));
        }
        z
    }

    /// Friction of the relaxation inside the system.
    fn mu(&self) -> f64 {
        if self.model.coupling == Coupling::LaggedFriction {
            0.0
        } else {
            self.model.mu
        }
    }

    /// Pairs that touch on trial.
    pub(crate) fn pairs(&self) -> Pairs<'_> {
        Pairs {
            model: self.model,
            attachments: &self.state.attachments,
            start: self.start,
            frozen: self.frozen,
        }
    }

    /// Where the scaled unknowns `z` take everything, and the residual there.
    pub(crate) fn at(&self, scaled: &[f64]) -> Trial {
        self.awake.renew();
        let (model, state, dt) = (self.model, self.state, self.dt);
        let z: Vec<f64> = scaled.iter().zip(&self.scale).map(|(z, s)| z / s).collect();
        let mut places = Places {
            rigids: Vec::new(),
            nodes: Vec::new(),
            points: Vec::new(),
        };
        let (mut spins, mut orientations, mut velocities) = (Vec::new(), Vec::new(), Vec::new());
        for (i, b) in state.rigids.iter().enumerate() {
            let (v, w) = (b.v + vec3(&z, 6 * i), b.w + vec3(&z, 6 * i + 3));
            let mut q = UnitQuaternion::from_scaled_axis(w * dt) * b.q;
            q.renormalize();
            places.rigids.push(Pose {
                x: b.x + v * dt,
                r: q.to_rotation_matrix().into_inner(),
            });
            velocities.push(v);
            spins.push(w);
            orientations.push(q);
        }
        let nodes = &state.nodes;
        places.nodes = (0..nodes.x.len())
            .map(|i| nodes.x[i] + (nodes.v[i] + vec3(&z, self.node_at(i))) * dt)
            .collect();
        let first = self.grid_at(0);
        let mut gradients = Vec::new();
        let mut grid_velocities = Vec::new();
        if let Some(grid) = self.grid {
            grid_velocities = each_light(grid.n_nodes(), |i| {
                grid.velocity[i] + vec3(&z, first + 3 * i)
            });
            let velocity = |i: usize| grid_velocities[i];
            (places.points, gradients) = each_pair(Work::Usual, state.points.x.len(), |p| {
                let (v, gradient) = grid.value_and_gradient(p, velocity);
                let x = state.points.x[p] + v * dt;
                let f = (M3::identity() + gradient * dt) * state.points.gradient[p];
                (x, f)
            });
        }
        let particles = places.particles(model);
        let touching = || match model.coupling {
            Coupling::Lagged => self.frozen_contacts(&places, &particles),
            Coupling::Coupled | Coupling::LaggedFriction => {
                self.pairs().touching(&places, &particles, self.mu())
            }
        };
        let stresses = || self.stresses(&gradients);
        let (contacts, (stress, svds)) = both(gradients.len(), touching, stresses);

        let mut g: Vec<f64> = z.iter().zip(&self.scale).map(|(z, s)| z * s * s).collect();
        let mut push = |at: usize, v: V3| {
            for i in 0..3 {
                g[at + i] += v[i];
            }
        };
        for (i, b) in state.rigids.iter().enumerate() {
            push(6 * i, -model.gravity * (b.mass * dt));
            let (r0, r1) = (&self.start.places.rigids[i].r, &places.rigids[i].r);
            let spin = |r: &M3, w: &V3| r * b.inertia.component_mul(&(r.transpose() * w));
            let change = spin(r1, &spins[i]) - spin(r0, &b.w);
            // The mass row put `scale^2 dw` here; the true change of angular momentum replaces it.
            let s2 = self.scale[6 * i + 3].powi(2);
            push(6 * i + 3, change - vec3(&z, 6 * i + 3) * s2);
        }
        for i in 0..nodes.x.len() {
            push(self.node_at(i), -model.gravity * (nodes.mass[i] * dt));
        }
        for tet in &model.tets {
            let f = gradient_of(tet, &places);
            let p = tet.material.stress(&f) * (tet.volume * dt);
            for (a, n) in tet.nodes.iter().enumerate() {
                push(self.node_at(*n as usize), p * tet.slopes[a]);
            }
        }
        for s in &model.springs {
            let [a, b] = s.ends.map(|i| i as usize);
            let d = places.nodes[b] - places.nodes[a];
            let l = d.norm();
            let f = d * (s.stiffness * (l / s.rest - 1.0) / l * dt);
            push(self.node_at(a), -f);
            push(self.node_at(b), f);
        }
        let mut on_points = vec![V3::zeros(); state.points.x.len()];
        for c in &contacts {
            let f = c.force() * dt;
            let arm = |pose: &Pose| (c.z - pose.x).cross(&f);
            match model.particles[c.particle as usize].source {
                Source::Rigid { rigid, .. } => {
                    push(6 * rigid as usize, -f);
                    push(6 * rigid as usize + 3, -arm(&places.rigids[rigid as usize]));
                }
                Source::Node(i) => push(self.node_at(i as usize), -f),
                Source::Point(p) => on_points[p as usize] += f,
            }
            match model.objects[c.object as usize].frame {
                Frame::Fixed { .. } => {}
                Frame::Rigid(i) => {
                    push(6 * i as usize, f);
                    push(6 * i as usize + 3, arm(&places.rigids[i as usize]));
                }
                Frame::Nodes(first) => {
                    if let (
                        crate::model::Surface::Mesh(mesh),
                        crate::contact::Attachment::Mesh {
                            triangle, weights, ..
                        },
                    ) = (&model.objects[c.object as usize].surface, c.moved)
                    {
                        for (v, w) in mesh.topology.triangles[triangle as usize]
                            .iter()
                            .zip(weights)
                        {
                            push(self.node_at((first + v) as usize), f * w);
                        }
                    }
                }
            }
        }
        if let Some(grid) = self.grid {
            for f in &mut on_points {
                *f = -*f;
            }
            for (i, f) in grid.gather(&stress, &on_points).into_iter().enumerate() {
                push(first + 3 * i, f - model.gravity * (grid.mass[i] * dt));
            }
        }
        for &i in &model.pinned {
            g[self.node_at(i as usize)..][..3].fill(0.0);
        }
        let residual = g.iter().zip(&self.scale).map(|(g, s)| g / s).collect();
        Trial {
            residual,
            contacts,
            places,
            spins,
            orientations,
            velocities,
            grid_velocities,
            gradients,
            svds,
        }
    }

    /// Of each point with a gradient on trial, what its stress pulls at its nodes by, over a step: `dt V P F^T`; and the singular values that it was made of.
    fn stresses(&self, gradients: &[M3]) -> (Vec<M3>, Vec<Option<Svd>>) {
        let points = &self.state.points;
        let axes = self.axes.get();
        let (stress, svds) = each_pair(Work::Usual, gradients.len(), |p| {
            let near = axes.map_or_else(M3::identity, |axes| axes[p]);
            let (stress, svd) = self.model.materials[p].stress_and_svd(&gradients[p], &near);
            let stress = stress * points.gradient[p].transpose() * (points.volume[p] * self.dt);
            (stress, svd)
        });
        self.axes.get_or_init(|| {
            let v = |svd: &Option<Svd>| svd.map_or_else(M3::identity, |(_, _, v)| v);
            svds.iter().map(v).collect()
        });
        (stress, svds)
    }

    /// Contacts of a lagged step: the frozen springs, wherever the bodies go.
    fn frozen_contacts(&self, places: &Places, particles: &[V3]) -> Vec<Contact> {
        let mut out = Vec::new();
        let Some(frozen) = self.frozen else {
            return out;
        };
        for (o, list) in frozen.iter().enumerate() {
            let pose = places.pose(&self.model.objects[o].frame);
            for &(p, force) in list {
                let i = self.state.attachments[o]
                    .binary_search_by_key(&p, |e| e.0)
                    .expect("only registered pairs are frozen");
                let start = self.state.attachments[o][i].1;
                let z = particles[p as usize];
                let normal = force.try_normalize(0.0).unwrap_or_else(V3::zeros);
                out.push(Contact {
                    particle: p,
                    object: o as u32,
                    start,
                    fresh: None,
                    moved: start,
                    z,
                    y: if let crate::contact::Attachment::Point(x) = start {
                        pose.x + pose.r * x
                    } else {
                        z
                    },
                    normal,
                    spring: V3::zeros(),
                    frozen: force,
                    stuck: false,
                    states: 0,
                    unfinished: false,
                });
            }
        }
        out
    }
}

fn gradient_of(tet: &crate::model::Tet, places: &Places) -> M3 {
    let mut f = M3::zeros();
    for (n, s) in tet.nodes.iter().zip(&tet.slopes) {
        f += places.nodes[*n as usize] * s.transpose();
    }
    f
}

#[cfg(test)]
mod tests;
