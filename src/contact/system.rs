//! One step of backward Euler as a system of equations: residual, derivative, products, in mass-scaled unknowns.
//!
//! Unknowns are changes of velocity: six a rigid body, three a vertex, three a grid node, in this order.
//! ```text
//! g(z) = M z - dt f(x + dt (v + z)) = 0          g~ = S^-1 g,  z~ = S z,  H~ = S^-1 H S^-1,  S = sqrt(M)
//! H    = mass + sum of small dense blocks + the material points' operator (never assembled)
//! ```
//! Forces reach the unknowns through the transpose of the map from velocities to particles, taken at the trial state.

use crate::contact::{Contact, Frozen, Pairs, Slope, slope};
use crate::direct::Factors;
use crate::grid::{Grid, each};
use crate::material::M9;
use crate::model::{Coupling, Frame, Model, Places, Pose, Source};
use crate::newton::Preconditioner;
use crate::real::{M3, V3, left_jacobian, skew};
use crate::state::State;
use nalgebra::UnitQuaternion;

/// Three unknowns in a row, or the velocity of a material point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slot {
    Dof(usize),
    Point(u32),
    /// Never moves.
    Pinned,
}

/// A dense piece of H between a few slots, row by row.
pub(crate) struct Block {
    pub slots: Vec<Slot>,
    pub entries: Vec<f64>,
}

impl Block {
    fn new(slots: Vec<Slot>) -> Block {
        let n = 3 * slots.len();
        Block {
            slots,
            entries: vec![0.0; n * n],
        }
    }
    fn add(&mut self, row: usize, column: usize, m: &M3) {
        let n = 3 * self.slots.len();
        for i in 0..3 {
            for j in 0..3 {
                self.entries[(3 * row + i) * n + 3 * column + j] += m[(i, j)];
            }
        }
    }
    pub(crate) fn part(&self, row: usize, column: usize) -> M3 {
        let n = 3 * self.slots.len();
        M3::from_fn(|i, j| self.entries[(3 * row + i) * n + 3 * column + j])
    }
}

/// The system of one step.
pub(crate) struct System<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub grid: Option<&'a Grid>,
    pub start: &'a Places,
    pub start_particles: &'a [V3],
    pub frozen: Option<&'a Frozen>,
    /// sqrt of the mass of each unknown.
    pub scale: Vec<f64>,
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
}

/// The derivative at a trial.
pub(crate) struct Tangent<'a> {
    system: &'a System<'a>,
    blocks: Vec<Block>,
    points: Vec<M9>,
    /// Inverse 3 x 3 blocks on the diagonal of the scaled matrix; empty without a preconditioner.
    inverse: Vec<M3>,
    /// Factors of all but the grid's unknowns.
    factors: Option<Factors>,
}

fn vec3(z: &[f64], at: usize) -> V3 {
    V3::new(z[at], z[at + 1], z[at + 2])
}

impl<'a> System<'a> {
    pub(crate) fn new(
        model: &'a Model,
        state: &'a State,
        grid: Option<&'a Grid>,
        start: &'a Places,
        start_particles: &'a [V3],
        frozen: Option<&'a Frozen>,
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
            start_particles,
            frozen,
            scale,
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
                z[at + i] = self.model.dt * self.model.gravity[i] * self.scale[at + i];
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
            start_particles: self.start_particles,
            frozen: self.frozen,
        }
    }

    /// Where the scaled unknowns `z` take everything, and the residual there.
    pub(crate) fn at(&self, scaled: &[f64]) -> Trial {
        let (model, state, dt) = (self.model, self.state, self.model.dt);
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
        let (mut gradients, mut grid_velocities) = (Vec::new(), Vec::new());
        if let Some(grid) = self.grid {
            grid_velocities = each(grid.n_nodes(), |i| {
                grid.velocity[i] + vec3(&z, first + 3 * i)
            });
            let velocity = |i: usize| grid_velocities[i];
            let moved = each(state.points.x.len(), |p| {
                let x = state.points.x[p] + grid.value_at(p, velocity) * dt;
                let f = (M3::identity() + grid.gradient_at(p, velocity) * dt)
                    * state.points.gradient[p];
                (x, f)
            });
            (places.points, gradients) = moved.into_iter().unzip();
        }
        let particles: Vec<V3> = each(model.particles.len(), |p| {
            places.particle(&model.particles[p])
        });
        let pairs = self.pairs();
        let contacts = if model.coupling == Coupling::Lagged {
            self.frozen_contacts(&places, &particles)
        } else {
            pairs.touching(&places, &particles, self.mu())
        };

        let mut g: Vec<f64> = z.iter().zip(&self.scale).map(|(z, s)| z * s * s).collect();
        let mut push = |at: usize, v: V3| {
            for i in 0..3 {
                g[at + i] += v[i];
            }
        };
        for (i, b) in state.rigids.iter().enumerate() {
            push(6 * i, -model.gravity * (b.mass * dt));
            let (r0, r1) = (&self.start.rigids[i].r, &places.rigids[i].r);
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
            let stress: Vec<M3> = each(gradients.len(), |p| {
                let point = &state.points;
                model.materials[p].stress(&gradients[p])
                    * point.gradient[p].transpose()
                    * (point.volume[p] * dt)
            });
            for f in &mut on_points {
                *f = -*f;
            }
            for (i, f) in grid
                .gather(&stress, Some(&on_points))
                .into_iter()
                .enumerate()
            {
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
        }
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

    /// The derivative of the residual at `trial`, with or without what its preconditioner needs.
    pub(crate) fn tangent(&'a self, trial: &Trial, preconditioner: Preconditioner) -> Tangent<'a> {
        let (model, state, dt) = (self.model, self.state, self.model.dt);
        let mut blocks = Vec::new();
        for (i, b) in state.rigids.iter().enumerate() {
            let r = &trial.places.rigids[i].r;
            let inertia = r * M3::from_diagonal(&b.inertia) * r.transpose();
            let w = &trial.spins[i];
            let turn = left_jacobian(&(w * dt)) * dt;
            let mut block = Block::new(vec![Slot::Dof(6 * i + 3)]);
            let s2 = self.scale[6 * i + 3].powi(2);
            block.add(
                0,
                0,
                &(inertia + (inertia * skew(w) - skew(&(inertia * w))) * turn
                    - M3::identity() * s2),
            );
            blocks.push(block);
        }
        for tet in &model.tets {
            let c =
                tet.material.stiffness(&gradient_of(tet, &trial.places)) * (tet.volume * dt * dt);
            let mut block = Block::new(tet.nodes.iter().map(|&n| self.slot_of_node(n)).collect());
            for a in 0..4 {
                for b in 0..4 {
                    block.add(a, b, &contract(&c, &tet.slopes[a], &tet.slopes[b]));
                }
            }
            blocks.push(block);
        }
        for s in &model.springs {
            let d = trial.places.nodes[s.ends[1] as usize] - trial.places.nodes[s.ends[0] as usize];
            let l = d.norm();
            let e = d / l;
            let along = e * e.transpose();
            let k = (along * (s.stiffness / s.rest)
                + (M3::identity() - along) * (s.stiffness * (l / s.rest - 1.0) / l))
                * (dt * dt);
            let mut block = Block::new(s.ends.iter().map(|&n| self.slot_of_node(n)).collect());
            for a in 0..2 {
                for b in 0..2 {
                    block.add(a, b, &if a == b { k } else { -k });
                }
            }
            blocks.push(block);
        }
        blocks.extend(each(trial.contacts.len(), |i| {
            self.contact_block(&trial.contacts[i], trial)
        }));
        let points = each(trial.gradients.len(), |p| {
            // From velocity gradients to stress times the old gradient: T = dt^2 V P'[G F] F^T.
            let c = model.materials[p].stiffness(&trial.gradients[p])
                * (dt * dt * state.points.volume[p]);
            let f = &state.points.gradient[p];
            M9::from_fn(|ij, kl| {
                let (i, j, k, l) = (ij / 3, ij % 3, kl / 3, kl % 3);
                let mut sum = 0.0;
                for a in 0..3 {
                    for b in 0..3 {
                        sum += c[(3 * i + a, 3 * k + b)] * f[(j, a)] * f[(l, b)];
                    }
                }
                sum
            })
        });
        let mut tangent = Tangent {
            system: self,
            blocks,
            points,
            inverse: Vec::new(),
            factors: None,
        };
        if preconditioner != Preconditioner::None {
            tangent.inverse = tangent
                .diagonal()
                .into_iter()
                .map(|m| m.try_inverse().unwrap_or_else(M3::identity))
                .collect();
        }
        if preconditioner == Preconditioner::Direct && !state.nodes.x.is_empty() {
            tangent.factors = Factors::new(self.grid_at(0), &tangent.entries());
        }
        tangent
    }

    fn contact_block(&self, c: &Contact, trial: &Trial) -> Block {
        struct Column {
            slot: Slot,
            /// Derivatives of the particle, of the object's place and turn, of the arm on the particle's own body.
            z: M3,
            x: M3,
            turn: M3,
            arm: M3,
        }
        let (model, dt) = (self.model, self.model.dt);
        let zero = M3::zeros();
        let eye = M3::identity() * dt;
        let turn_of = |i: usize| left_jacobian(&(trial.spins[i] * dt)) * dt;
        let mut columns = Vec::new();
        let own = match model.particles[c.particle as usize].source {
            Source::Rigid { rigid, .. } => {
                let i = rigid as usize;
                let arm = -skew(&(c.z - trial.places.rigids[i].x)) * turn_of(i);
                columns.push(Column {
                    slot: Slot::Dof(6 * i),
                    z: eye,
                    x: zero,
                    turn: zero,
                    arm: zero,
                });
                columns.push(Column {
                    slot: Slot::Dof(6 * i + 3),
                    z: arm,
                    x: zero,
                    turn: zero,
                    arm,
                });
                Some(c.z - trial.places.rigids[i].x)
            }
            Source::Node(i) => {
                columns.push(Column {
                    slot: self.slot_of_node(i),
                    z: eye,
                    x: zero,
                    turn: zero,
                    arm: zero,
                });
                None
            }
            Source::Point(p) => {
                columns.push(Column {
                    slot: Slot::Point(p),
                    z: eye,
                    x: zero,
                    turn: zero,
                    arm: zero,
                });
                None
            }
        };
        let n_own = columns.len();
        let mut to = V3::zeros();
        if let Frame::Rigid(i) = model.objects[c.object as usize].frame {
            let i = i as usize;
            to = c.z - trial.places.rigids[i].x;
            columns.push(Column {
                slot: Slot::Dof(6 * i),
                z: zero,
                x: eye,
                turn: zero,
                arm: zero,
            });
            columns.push(Column {
                slot: Slot::Dof(6 * i + 3),
                z: zero,
                x: zero,
                turn: turn_of(i),
                arm: zero,
            });
        }
        let lagged = model.coupling == Coupling::Lagged;
        let slope = if lagged {
            Slope::Framed(zero)
        } else {
            slope(&self.pairs(), c, &trial.places, self.mu())
        };
        let force = c.force();
        let (f, f_turn) = (skew(&force), skew(&c.spring));
        let mut rows_of_triangle = Vec::new();
        let mut derivatives = Vec::new();
        match slope {
            Slope::Framed(k) => {
                if let Frame::Fixed { .. } | Frame::Rigid(_) =
                    model.objects[c.object as usize].frame
                {
                    let x = match model.objects[c.object as usize].frame {
                        Frame::Fixed { x, .. } => c.z - x,
                        _ => to,
                    };
                    for q in &columns {
                        derivatives
                            .push((-f_turn * q.turn + k * (q.z - q.x + skew(&x) * q.turn), zero));
                    }
                } else {
                    derivatives.extend(columns.iter().map(|_| (zero, zero)));
                }
            }
            Slope::Free {
                nodes,
                weights,
                inputs,
            } => {
                let first = &inputs[0];
                for q in &columns {
                    derivatives.push(((first.1 * q.z - q.z) * model.k, first.2 * q.z));
                }
                for (node, dy, dw) in &inputs[1..] {
                    let node = node.expect("only the first input is the particle");
                    columns.push(Column {
                        slot: self.slot_of_node(node),
                        z: zero,
                        x: zero,
                        turn: zero,
                        arm: zero,
                    });
                    derivatives.push((dy * (model.k * dt), dw * dt));
                }
                for (a, n) in nodes.iter().enumerate() {
                    let slot = self.slot_of_node(*n);
                    let row = columns
                        .iter()
                        .skip(n_own)
                        .position(|q| q.slot == slot)
                        .map(|r| r + n_own);
                    rows_of_triangle.push((
                        row.expect("the end triangle was visited"),
                        a,
                        weights[a],
                    ));
                }
            }
        }
        let mut block = Block::new(columns.iter().map(|q| q.slot).collect());
        for (j, q) in columns.iter().enumerate() {
            let (df, dw) = &derivatives[j];
            block.add(0, j, &(-df * dt));
            if let Some(arm) = own {
                block.add(1, j, &((f * q.arm - skew(&arm) * df) * dt));
            }
            if let Frame::Rigid(_) = model.objects[c.object as usize].frame {
                block.add(n_own, j, &(df * dt));
                block.add(n_own + 1, j, &((skew(&to) * df - f * (q.z - q.x)) * dt));
            }
            for &(row, a, w) in &rows_of_triangle {
                block.add(row, j, &((df * w + force * dw.row(a)) * dt));
            }
        }
        block
    }
}

fn gradient_of(tet: &crate::model::Tet, places: &Places) -> M3 {
    let mut f = M3::zeros();
    for (n, s) in tet.nodes.iter().zip(&tet.slopes) {
        f += places.nodes[*n as usize] * s.transpose();
    }
    f
}

/// `sum_jl c[(i j), (k l)] a_j b_l`.
fn contract(c: &M9, a: &V3, b: &V3) -> M3 {
    M3::from_fn(|i, k| {
        let mut sum = 0.0;
        for j in 0..3 {
            for l in 0..3 {
                sum += c[(3 * i + j, 3 * k + l)] * a[j] * b[l];
            }
        }
        sum
    })
}

/// Which of the two products.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Plain,
    Transposed,
}

impl Tangent<'_> {
    /// `H~ u`, or `H~^T u`.
    pub(crate) fn times(&self, u: &[f64], side: Side) -> Vec<f64> {
        let system = self.system;
        let z: Vec<f64> = u.iter().zip(&system.scale).map(|(u, s)| u / s).collect();
        let mut out: Vec<f64> = z
            .iter()
            .zip(&system.scale)
            .map(|(z, s)| z * s * s)
            .collect();
        let first = system.grid_at(0);
        let mut on_points = system.grid.map(|_| vec![V3::zeros(); self.points.len()]);
        let mut local: Vec<f64> = Vec::new();
        for block in &self.blocks {
            let n = 3 * block.slots.len();
            local.clear();
            for slot in &block.slots {
                let v = match *slot {
                    Slot::Dof(at) => vec3(&z, at),
                    Slot::Pinned => V3::zeros(),
                    Slot::Point(p) => system.grid.map_or_else(V3::zeros, |g| {
                        g.value_at(p as usize, |i| vec3(&z, first + 3 * i))
                    }),
                };
                local.extend(v.iter());
            }
            for (r, slot) in block.slots.iter().enumerate() {
                let mut v = V3::zeros();
                for i in 0..3 {
                    let row = 3 * r + i;
                    v[i] = if side == Side::Plain {
                        block.entries[row * n..(row + 1) * n]
                            .iter()
                            .zip(&local)
                            .map(|(a, b)| a * b)
                            .sum()
                    } else {
                        (0..n).map(|j| block.entries[j * n + row] * local[j]).sum()
                    };
                }
                match *slot {
                    Slot::Dof(at) => {
                        for i in 0..3 {
                            out[at + i] += v[i];
                        }
                    }
                    Slot::Pinned => {}
                    Slot::Point(p) => {
                        if let Some(f) = &mut on_points {
                            f[p as usize] += v;
                        }
                    }
                }
            }
        }
        if let Some(grid) = system.grid {
            let stress = each(self.points.len(), |p| {
                let g = grid.gradient_at(p, |i| vec3(&z, first + 3 * i));
                let c = &self.points[p];
                let mut t = M3::zeros();
                for i in 0..9 {
                    let sum: f64 = if side == Side::Plain {
                        (0..9).map(|j| c[(i, j)] * g[(j / 3, j % 3)]).sum()
                    } else {
                        (0..9).map(|j| c[(j, i)] * g[(j / 3, j % 3)]).sum()
                    };
                    t[(i / 3, i % 3)] = sum;
                }
                t
            });
            for (i, f) in grid
                .gather(&stress, on_points.as_deref())
                .into_iter()
                .enumerate()
            {
                for j in 0..3 {
                    out[first + 3 * i + j] += f[j];
                }
            }
        }
        for &i in &system.model.pinned {
            out[system.node_at(i as usize)..][..3].fill(0.0);
        }
        for (o, s) in out.iter_mut().zip(&system.scale) {
            *o /= s;
        }
        out
    }

    /// The preconditioned `u`: as it is, or through the inverse diagonal blocks.
    pub(crate) fn precondition(&self, u: &[f64]) -> Vec<f64> {
        if self.inverse.is_empty() {
            return u.to_vec();
        }
        let mut out = Vec::with_capacity(u.len());
        if let Some(factors) = &self.factors {
            out.extend_from_slice(&u[..self.system.grid_at(0)]);
            factors.solve_in_place(&mut out);
        }
        for (i, m) in self.inverse.iter().enumerate().skip(out.len() / 3) {
            out.extend((m * vec3(u, 3 * i)).iter());
        }
        out
    }

    /// Entries of the scaled matrix between rigid and elastic unknowns.
    fn entries(&self) -> Vec<(usize, usize, f64)> {
        let system = self.system;
        let n = system.grid_at(0);
        let mut out: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, 1.0)).collect();
        for block in &self.blocks {
            let width = 3 * block.slots.len();
            for (r, row) in block.slots.iter().enumerate() {
                for (c, column) in block.slots.iter().enumerate() {
                    let (Slot::Dof(i), Slot::Dof(j)) = (*row, *column) else {
                        continue;
                    };
                    for a in 0..3 {
                        for b in 0..3 {
                            let v = block.entries[(3 * r + a) * width + 3 * c + b]
                                / (system.scale[i + a] * system.scale[j + b]);
                            if v != 0.0 {
                                out.push((i + a, j + b, v));
                            }
                        }
                    }
                }
            }
        }
        out
    }

    /// Blocks on the diagonal of the scaled matrix, one for each three unknowns.
    fn diagonal(&self) -> Vec<M3> {
        let system = self.system;
        let n = system.len() / 3;
        let square = |i: usize| M3::from_diagonal_element(system.scale[3 * i].powi(2));
        let mut out: Vec<M3> = (0..n).map(square).collect();
        for block in &self.blocks {
            for (r, slot) in block.slots.iter().enumerate() {
                match *slot {
                    Slot::Dof(at) => out[at / 3] += block.part(r, r),
                    Slot::Pinned => {}
                    Slot::Point(p) => {
                        if let Some(grid) = system.grid {
                            for (k, i) in grid.nodes_of(p as usize).iter().enumerate() {
                                out[system.grid_at(*i as usize) / 3] +=
                                    block.part(r, r) * grid.weight(p as usize, k).powi(2);
                            }
                        }
                    }
                }
            }
        }
        if let Some(grid) = system.grid {
            let first = system.grid_at(0) / 3;
            for (i, d) in each(grid.n_nodes(), |i| grid.diagonal(i, &self.points))
                .into_iter()
                .enumerate()
            {
                out[first + i] += d;
            }
        }
        for (i, m) in out.iter_mut().enumerate() {
            *m /= system.scale[3 * i].powi(2);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SceneFile;
    use crate::scene::Scene;
    use crate::simulation::{Settings, Simulation};
    use crate::testing::{Random, assert_small};

    const MIXED: &str = r#"
name = "mixed"
about = "A rigid ball among soft boxes, points and a cloth."
time_step = 0.005
duration = 1
friction = 0.4
stiffness = 300
grid_spacing = 0.05
plane = [{ normal = [0.1, 0, 1] }]
[[body]]
name = "soft"
kind = "deformable"
mass = 0.05
young = 2e3
shape = { box = { sides = [0.3, 0.3, 0.1], cells = [2, 2, 1] } }
position = [0, 0, 0.05]
[[body]]
name = "ball"
kind = "rigid"
mass = 0.03
shape = { ball = { radius = 0.1, level = 2 } }
position = [0.01, 0.02, 0.198]
angular_velocity = [3, 2, 1]
velocity = [0.5, 0, 0]
[[body]]
name = "second"
kind = "deformable"
mass = 0.01
young = 2e3
shape = { ball = { radius = 0.08, level = 1, shells = 1 } }
position = [-0.11, 0.02, 0.172]
velocity = [0.2, 0.1, 0]
[[body]]
name = "goo"
kind = "points"
mass = 0.02
shape = { box = { sides = [0.1, 0.1, 0.1], cells = [4, 4, 4] } }
position = [0.03, 0.0, 0.335]
velocity = [0.3, 0, -0.2]
[[body]]
name = "sheet"
kind = "cloth"
mass = 0.02
shape = { sheet = { side = 0.5, cells = 6 } }
position = [0.0, 0.0, 0.293]
surface = "level_set"
"#;

    fn derivative_error(text: &str, steps: usize, seed: u64) -> (f64, f64, usize) {
        let scene = Scene::parse(text).unwrap();
        let mut simulation = Simulation::new(&scene, &Settings::default()).unwrap();
        for _ in 0..steps {
            simulation.step();
        }
        simulation.with_system(|system| {
            let mut random = Random::new(seed);
            let z: Vec<f64> = system
                .falling()
                .iter()
                .zip(&system.scale)
                .map(|(f, s)| f + 1e-2 * s * (random.number() - 0.5))
                .collect();
            let trial = system.at(&z);
            let tangent = system.tangent(&trial, Preconditioner::BlockJacobi);
            let pinned = |i: usize| {
                system.model.pinned.iter().any(|&n| {
                    (system.node_at(n as usize)..system.node_at(n as usize) + 3).contains(&i)
                })
            };
            let u: Vec<f64> = (0..system.len())
                .map(|i| {
                    if pinned(i) {
                        0.0
                    } else {
                        system.scale[i] * (random.number() - 0.5)
                    }
                })
                .collect();
            let v: Vec<f64> = (0..system.len())
                .map(|i| system.scale[i] * (random.number() - 0.5))
                .collect();
            let hu = tangent.times(&u, Side::Plain);
            let htv = tangent.times(&v, Side::Transposed);
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let size = dot(&hu, &hu).sqrt();
            assert_small(
                dot(&v, &hu) - dot(&htv, &u),
                dot(&v, &v).sqrt() * size,
                1e-12,
                "the transposed product is the transpose",
            );
            let step = 1e-6;
            let at = |s: f64| {
                system
                    .at(&z.iter().zip(&u).map(|(z, u)| z + s * u).collect::<Vec<_>>())
                    .residual
            };
            let (a, b) = (at(step), at(-step));
            let slope: Vec<f64> = a
                .iter()
                .zip(&b)
                .map(|(a, b)| (a - b) / (2.0 * step))
                .collect();
            let error: Vec<f64> = slope
                .iter()
                .zip(&hu)
                .map(|(s, h)| if s.is_finite() { s - h } else { f64::NAN })
                .collect();
            let skewness = dot(&v, &hu) - dot(&u, &tangent.times(&v, Side::Plain));
            (
                dot(&error, &error).sqrt() / size,
                skewness.abs() / (dot(&v, &v).sqrt() * size),
                trial.contacts.len(),
            )
        })
    }

    #[test]
    fn the_whole_derivative_is_that_of_finite_differences() {
        let mut asymmetry = 0.0f64;
        let mut touching = 0;
        for steps in 0..12 {
            let (error, skewness, contacts) = derivative_error(MIXED, steps, steps as u64);
            assert_small(
                error,
                1.0,
                1e-6,
                &format!("H u against differences after {steps} steps"),
            );
            asymmetry = asymmetry.max(skewness);
            touching = touching.max(contacts);
        }
        assert!(touching > 20, "the bodies touch each other: {touching}");
        assert!(
            asymmetry > 1e-4,
            "friction makes H asymmetric: {asymmetry:e}"
        );
    }
}
