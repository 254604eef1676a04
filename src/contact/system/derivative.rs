//! The derivative of a step's residual: small dense blocks, and the material points' operator. Products with both are in `linear.rs`.

use crate::contact::{Contact, Slope, slope};
use crate::direct::Factors;
use crate::grid::{Reach, Stiffness};
use crate::loops::{Work, both, each};
use crate::material::{M9, rotation_svd};
use crate::model::{Coupling, Frame, Source};
use crate::newton::Preconditioner;
use crate::real::{M3, V3, left_jacobian, skew};

use super::points::{PointContacts, PointStiffness};
use super::{Slot, System, Trial, gradient_of};

/// A dense piece of H between a few slots.
pub(crate) struct Block {
    pub slots: Vec<Slot>,
    /// Of each pair of slots, row by row.
    parts: Vec<M3>,
}

impl Block {
    fn new(slots: Vec<Slot>) -> Block {
        let parts = vec![M3::zeros(); slots.len() * slots.len()];
        Block { slots, parts }
    }
    fn add(&mut self, row: usize, column: usize, m: &M3) {
        self.parts[row * self.slots.len() + column] += m;
    }
    pub(crate) fn part(&self, row: usize, column: usize) -> &M3 {
        &self.parts[row * self.slots.len() + column]
    }
    /// Three rows of the product with velocities of the slots.
    pub(super) fn force(&self, row: usize, side: Side, velocity: impl Fn(Slot) -> V3) -> V3 {
        let mut sum = V3::zeros();
        for (column, slot) in self.slots.iter().enumerate() {
            let v = velocity(*slot);
            let m = match side {
                Side::Plain => *self.part(row, column),
                Side::Transposed => self.part(column, row).transpose(),
            };
            for (m, v) in m.column_iter().zip(v.iter()) {
                sum += m * *v;
            }
        }
        sum
    }
}

/// The derivative at a trial.
pub(crate) struct Tangent<'a> {
    pub(super) system: &'a System<'a>,
    /// Of rigid and elastic unknowns alone.
    pub(super) blocks: Vec<Block>,
    pub(super) contacts_of_points: PointContacts,
    pub(super) stiffness: PointStiffness,
    /// Points that have any stiffness or contact, and their nodes: on all others H~ is the identity.
    pub(super) reach: Reach,
    /// One over the scale of each coupled unknown.
    pub(super) inverse_scale: Vec<f64>,
    /// Inverse 3 x 3 blocks on the diagonal of the scaled matrix of coupled unknowns, as far as they are used; empty without a preconditioner.
    pub(super) inverse: Vec<M3>,
    /// Factors of all but the grid's unknowns.
    pub(super) factors: Option<Factors>,
}

impl<'a> System<'a> {
    /// The derivative of the residual at `trial`, with or without what its preconditioner needs; the stiffness of points in this precision.
    pub(crate) fn tangent(
        &'a self,
        trial: &Trial,
        preconditioner: Preconditioner,
        precision: Precision,
    ) -> Tangent<'a> {
        self.awake.renew();
        let (model, state, dt) = (self.model, self.state, self.dt);
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
        let is_apart = each(Work::Usual, trial.gradients.len(), |p| {
            model.materials[p].is_apart(&trial.gradients[p])
        });
        let contacts_and_reach = || {
            let (of_points, others) = self.contact_blocks(trial);
            let contacts = PointContacts::new(is_apart.len(), of_points);
            // Most of what is poured has come apart.
            let multiplied = |p: usize| !is_apart[p] || contacts.has(p);
            let reach = self
                .grid
                .map_or_else(Reach::default, |g| g.reach(multiplied));
            (contacts, others, reach)
        };
        // From velocity gradients to stress times the old gradient: T = dt^2 V P'[G F] F^T.
        let stiffness = |p: usize| {
            let svd = trial.svds[p].unwrap_or_else(|| rotation_svd(&trial.gradients[p]));
            let start = &state.points.gradient[p];
            model.materials[p].stiffness_over(&svd, start) * (dt * dt * state.points.volume[p])
        };
        let stiffnesses = || PointStiffness::new(precision, &is_apart, stiffness);
        let ((contacts_of_points, of_others, reach), stiffness) =
            both(is_apart.len(), contacts_and_reach, stiffnesses);
        blocks.extend(of_others);
        let mut tangent = Tangent {
            system: self,
            blocks,
            contacts_of_points,
            stiffness,
            reach,
            inverse_scale: Vec::new(),
            inverse: Vec::new(),
            factors: None,
        };
        tangent.inverse_scale = tangent.coupled(&self.inverse_scale);
        if preconditioner != Preconditioner::None {
            let is_sand = model.bodies.iter().any(|body| body.is_sand);
            let on_grid = preconditioner == Preconditioner::BlockJacobi || !is_sand;
            let blocks = tangent.diagonal(on_grid);
            let own = self.grid_at(0) / 3;
            let nodes: &[u32] = if on_grid { &tangent.reach.nodes } else { &[] };
            let on_nodes = nodes.iter().map(|i| own + *i as usize);
            let used: Vec<usize> = (0..own).chain(on_nodes).collect();
            tangent.inverse = each(Work::Usual, used.len(), |i| {
                blocks[used[i]].try_inverse().unwrap_or_else(M3::identity)
            });
        }
        if preconditioner == Preconditioner::Direct && !state.nodes.x.is_empty() {
            tangent.factors = Factors::new(self.grid_at(0), &tangent.entries());
        }
        tangent
    }

    /// The derivative for products alone, all in double precision.
    pub(crate) fn exact_tangent(&'a self, trial: &Trial) -> Tangent<'a> {
        self.tangent(trial, Preconditioner::None, Precision::Double)
    }

    /// Blocks of what touches: of material points, with the point, and of all others.
    fn contact_blocks(&self, trial: &Trial) -> (Vec<(u32, Block)>, Vec<Block>) {
        let blocks = each(Work::Heavy, trial.contacts.len(), |i| {
            self.contact_block(&trial.contacts[i], trial)
        });
        let (mut of_points, mut others) = (Vec::new(), Vec::new());
        for block in blocks {
            match block.slots[0] {
                Slot::Point(p) => of_points.push((p, block)),
                Slot::Dof(_) | Slot::Pinned => others.push(block),
            }
        }
        (of_points, others)
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
        let (model, dt) = (self.model, self.dt);
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
                let (first, k) = (&inputs[0], model.particles[c.particle as usize].k);
                for q in &columns {
                    derivatives.push(((first.1 * q.z - q.z) * k, first.2 * q.z));
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
                    derivatives.push((dy * (k * dt), dw * dt));
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

/// What the stiffness of points is held and multiplied in, and their velocities and forces at contacts are rounded to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Precision {
    Double,
    Single,
}

impl Tangent<'_> {
    /// Entries of the scaled matrix between rigid and elastic unknowns.
    pub(super) fn entries(&self) -> Vec<(usize, usize, f64)> {
        let system = self.system;
        let n = system.grid_at(0);
        let mut out: Vec<(usize, usize, f64)> = (0..n).map(|i| (i, i, 1.0)).collect();
        for block in self.blocks.iter().chain(&self.contacts_of_points.blocks) {
            for (r, row) in block.slots.iter().enumerate() {
                for (c, column) in block.slots.iter().enumerate() {
                    let (Slot::Dof(i), Slot::Dof(j)) = (*row, *column) else {
                        continue;
                    };
                    for a in 0..3 {
                        for b in 0..3 {
                            let v = block.part(r, c)[(a, b)]
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

    /// Blocks on the diagonal of the scaled matrix, one for each three unknowns; those of the grid only `on_grid`.
    pub(crate) fn diagonal(&self, on_grid: bool) -> Vec<M3> {
        let system = self.system;
        let n = match on_grid {
            true => system.len() / 3,
            false => system.grid_at(0) / 3,
        };
        let square = |i: usize| M3::from_diagonal_element(system.scale[3 * i].powi(2));
        let mut out: Vec<M3> = (0..n).map(square).collect();
        for block in self.blocks.iter().chain(&self.contacts_of_points.blocks) {
            for (r, slot) in block.slots.iter().enumerate() {
                match *slot {
                    Slot::Dof(at) => out[at / 3] += block.part(r, r),
                    Slot::Pinned => {}
                    Slot::Point(p) => {
                        if let Some(grid) = system.grid.filter(|_| on_grid) {
                            for k in 0..27 {
                                out[system.grid_at(grid.node(p as usize, k)) / 3] +=
                                    block.part(r, r) * grid.weight(p as usize, k).powi(2);
                            }
                        }
                    }
                }
            }
        }
        if let Some(grid) = system.grid.filter(|_| on_grid) {
            let first = system.grid_at(0) / 3;
            let blocks = match &self.stiffness {
                PointStiffness::Single(stiffness) => grid.diagonal(stiffness),
                PointStiffness::Double(all) => {
                    grid.diagonal(&Stiffness::new(&vec![false; all.len()], |p| all[p]))
                }
            };
            for (out, d) in out[first..].iter_mut().zip(blocks) {
                *out += d;
            }
        }
        for (i, m) in out.iter_mut().enumerate() {
            *m /= system.scale[3 * i].powi(2);
        }
        out
    }
}
