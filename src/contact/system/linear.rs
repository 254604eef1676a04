//! Products with the derivative, and the linear solve.
//!
//! On a node of the grid that no point with stiffness or contact reaches, H~ is the identity and couples with nothing; of the nodes of `sand_on_sph`
//! at .67 s these are 507 of 1,836. Vectors of *coupled* unknowns leave these out: rigid bodies and vertices, all of them, then the nodes in reach.

use rayon::prelude::*;

use crate::grid::vector;
use crate::krylov::{GmresReport, gmres, norm};
use crate::loops::{FEW, both, each_light};
use crate::real::V3;
use stokeslet_dynamics::linear::Real;

use super::derivative::{Block, Side, Tangent};
use super::points::{PointForces, PointStiffness};
use super::{Slot, vec3};

/// Adds the force on each node times the inverse of the node's scale.
fn add_scaled<T: Real>(nodes: &mut [[T; 3]], inverse_scale: &[f64], force: impl Fn(usize) -> V3) {
    for (i, node) in nodes.iter_mut().enumerate() {
        let force = force(i) * inverse_scale[3 * i];
        for (out, force) in node.iter_mut().zip(force.iter()) {
            *out += T::of(*force);
        }
    }
}

/// Numbers of another precision.
fn rounded<T: Real, U: Real>(u: &[T]) -> Vec<U> {
    u.iter().map(|x| U::of(x.wide())).collect()
}

impl Tangent<'_> {
    /// Of a vector of all unknowns those that are coupled.
    pub(super) fn coupled(&self, u: &[f64]) -> Vec<f64> {
        let (own, nodes) = u.split_at(self.system.grid_at(0));
        let nodes = nodes.as_chunks::<3>().0;
        let mut out = Vec::with_capacity(own.len() + 3 * self.reach.nodes.len());
        out.extend_from_slice(own);
        out.extend(
            self.reach
                .nodes
                .iter()
                .flat_map(|node| nodes[*node as usize]),
        );
        out
    }

    /// `u` with the coupled unknowns in their places.
    fn with_coupled(&self, mut u: Vec<f64>, coupled: &[f64]) -> Vec<f64> {
        let (own, nodes) = u.split_at_mut(self.system.grid_at(0));
        let (coupled_own, coupled_nodes) = coupled.split_at(own.len());
        own.copy_from_slice(coupled_own);
        let nodes = nodes.as_chunks_mut::<3>().0;
        for (node, u) in self
            .reach
            .nodes
            .iter()
            .zip(coupled_nodes.as_chunks::<3>().0)
        {
            nodes[*node as usize] = *u;
        }
        u
    }

    /// `H~ u`, or `H~^T u`.
    pub(crate) fn times(&self, u: &[f64], side: Side) -> Vec<f64> {
        self.with_coupled(u.to_vec(), &self.product(&self.coupled(u), side))
    }

    /// Approximates `H~ u = b` by one cycle of [`gmres`], exactly on nodes out of reach; the residual is that of the whole system.
    ///
    /// # Accuracy
    /// As of the cycle, `b . H~ u = |H~ u|^2`: it holds of coupled unknowns, and of all others, whose part of `H~ u` is that of `b`. The cycle's vectors
    /// are in single precision where the stiffness of points is, unless there are vertices, whose own stiffness may be any, or little is to be left.
    pub(crate) fn solve(&self, b: &[f64], rel: f64, most: usize) -> (Vec<f64>, GmresReport) {
        let coupled = self.coupled(b);
        let (whole, own) = (norm(b), norm(&coupled));
        if own == 0.0 {
            let nothing = GmresReport {
                iterations: 0,
                residual: 0.0,
            };
            return (b.to_vec(), nothing);
        }
        let (part, state) = (own / whole, self.system.state);
        let is_single = matches!(self.stiffness, PointStiffness::Single(_))
            && !state.points.x.is_empty()
            && state.nodes.x.is_empty()
            && rel >= 1e-5;
        // Of length 1: single precision has no squares of what is tiny.
        let unit: Vec<f64> = coupled.iter().map(|b| b / own).collect();
        let (u, mut report) = match is_single {
            true => self.cycle::<f32>(&rounded(&unit), rel / part, most),
            false => self.cycle(&unit, rel / part, most),
        };
        let u: Vec<f64> = u.iter().map(|u| u * own).collect();
        report.residual *= part;
        (self.with_coupled(b.to_vec(), &u), report)
    }

    /// A cycle of [`gmres`] for coupled unknowns.
    fn cycle<T: Real>(&self, b: &[T], rel: f64, most: usize) -> (Vec<f64>, GmresReport) {
        let apply = |x: &[T]| self.product(x, Side::Plain);
        gmres(&apply, &|x| self.precondition(x), b, rel, most)
    }

    /// `H~ u`, or `H~^T u`, of coupled unknowns.
    fn product<T: Real>(&self, u: &[T], side: Side) -> Vec<T> {
        let system = self.system;
        system.awake.renew();
        let first = system.grid_at(0);
        let (inverse, node_inverse) = self.inverse_scale.split_at(first);
        let z: Vec<f64> = u.iter().zip(inverse).map(|(u, s)| u.wide() * s).collect();
        // Masses make u of u; forces come to that.
        let mut out = u.to_vec();
        let (own, on_nodes) = out.split_at_mut(first);
        let n_points = system.state.points.x.len();
        let (forces, others) = both(
            n_points,
            || self.forces_of_blocks(&z, side),
            || self.add_on_grid(&u[first..], &z, side, node_inverse, on_nodes),
        );
        let mut force = vec![0.0; first];
        let mut push = |at: usize, v: &V3| (0..3).for_each(|i| force[at + i] += v[i]);
        let slots = self.blocks.iter().flat_map(|block| &block.slots);
        for (slot, v) in slots.zip(forces.iter().flatten()) {
            if let Slot::Dof(at) = *slot {
                push(at, v);
            }
        }
        others.iter().for_each(|(at, v)| push(*at, v));
        for ((out, force), s) in own.iter_mut().zip(force).zip(inverse) {
            *out += T::of(force * s);
        }
        for &i in &system.model.pinned {
            own[system.node_at(i as usize)..][..3].fill(T::ZERO);
        }
        out
    }

    /// Forces of the blocks that no point is in, slot by slot, by velocities `z`.
    fn forces_of_blocks(&self, z: &[f64], side: Side) -> Vec<Vec<V3>> {
        let velocity = |slot| match slot {
            Slot::Dof(at) => vec3(z, at),
            Slot::Pinned | Slot::Point(_) => V3::zeros(),
        };
        let of_blocks = |blocks: &[Block]| -> Vec<V3> {
            let mut forces = Vec::new();
            for block in blocks {
                let rows = 0..block.slots.len();
                forces.extend(rows.map(|row| block.force(row, side, velocity)));
            }
            forces
        };
        match self.blocks.len() < FEW {
            true => vec![of_blocks(&self.blocks)],
            false => self.blocks.par_chunks(FEW / 2).map(of_blocks).collect(),
        }
    }

    /// Adds what points do to the unknowns `u` of nodes in reach; their forces on other unknowns.
    fn add_on_grid<T: Real>(
        &self,
        u: &[T],
        z: &[f64],
        side: Side,
        inverse_scale: &[f64],
        out: &mut [T],
    ) -> Vec<(usize, V3)> {
        let Some(grid) = self.system.grid else {
            return Vec::new();
        };
        let u = u.as_chunks::<3>().0;
        let field = |i: usize| V3::from(u[i].map(T::wide)) * inverse_scale[3 * i];
        let is_transposed = side == Side::Transposed;
        let contacts = PointForces {
            contacts: &self.contacts_of_points,
            z,
            side,
        };
        let (out, reach) = (out.as_chunks_mut().0, &self.reach);
        match &self.stiffness {
            PointStiffness::Single(stiffness) => {
                let (sums, others) =
                    grid.product(reach, stiffness, is_transposed, field, &contacts);
                add_scaled(out, inverse_scale, |i| vector(sums[i]));
                others
            }
            PointStiffness::Double(stiffness) => {
                let (sums, others) =
                    grid.product_in_double(reach, stiffness, is_transposed, field, &contacts);
                add_scaled(out, inverse_scale, |i| sums[i]);
                others
            }
        }
    }

    /// The preconditioned `u` of coupled unknowns: as it is, or through the inverse diagonal blocks.
    pub(super) fn precondition<T: Real>(&self, u: &[T]) -> Vec<T> {
        if self.inverse.is_empty() {
            return u.to_vec();
        }
        let mut out = Vec::with_capacity(u.len());
        if let Some(factors) = &self.factors {
            let mut own: Vec<f64> = rounded(&u[..self.system.grid_at(0)]);
            factors.solve_in_place(&mut own);
            out.extend(rounded::<_, T>(&own));
        }
        let solved = out.len() / 3;
        let (places, _) = u.as_chunks::<3>();
        let rest = each_light(self.inverse.len() - solved, |i| {
            let v = self.inverse[solved + i] * V3::from(places[solved + i].map(T::wide));
            [v.x, v.y, v.z].map(T::of)
        });
        out.extend(rest.as_flattened());
        out.extend_from_slice(&u[out.len()..]);
        out
    }
}
