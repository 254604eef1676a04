//! Chips that differ little from an eliminated one: a step of refinement with its factors, in place of an elimination.

use super::{Answer, Flow};
use crate::stokes::local_vectors::{ChipVector, IsCancelled, LocalVectors};
use crate::stokes::socket::PortData;
use crate::stokes::system::System;
use std::sync::Arc;
use stokeslet_fronts::{Class, Image, NOWHERE};

impl<const D: usize> Flow<D> {
    /// The first step of refinement of another chip, whose meshes are [images](System::is_image_of) of this one's, from `begin`, which
    /// solves this one; `None` without fields.
    ///
    /// # Accuracy and cost
    /// The other chip's answer but for an error of second order in what moves one chip into the other, the same on either side: it
    /// cancels from differences of second order. Costs one product with the other's leaves and one substitution, no elimination.
    pub fn step_to(
        &self,
        (other, there): (&System<D>, &LocalVectors),
        data: &PortData,
        begin: &ChipVector,
        is_cancelled: IsCancelled<'_>,
    ) -> Option<Answer> {
        let here = self.local_vectors.as_ref()?;
        let is_given = |k: usize| other.class[k] == Class::Given;
        let mut state = ChipVector {
            shared: with_given(other, &begin.shared, data),
            local: transposed(other, (here, &begin.local), there),
        };
        put_boundaries(other, there, &mut state);
        let mut residual = ChipVector {
            shared: data.loads.clone(),
            local: vec![0.0; there.n],
        };
        there.subtract_product(other, &state, &mut residual);
        // What is left where values are given is the force that holds them.
        let mut reactions = vec![0.0; residual.shared.len()];
        for (k, left) in residual.shared.iter_mut().enumerate() {
            if is_given(k) {
                reactions[k] = -std::mem::take(left);
            }
        }
        let residual = ChipVector {
            local: moved(other, (there, residual.local), here),
            shared: residual.shared,
        };
        let none = vec![0.0; data.given.len()];
        let mut more = ChipVector {
            shared: Vec::new(),
            local: vec![0.0; here.n],
        };
        let held = self.step(here, &residual, &none, &mut more, is_cancelled);
        add(&mut state.shared, &more.shared);
        add(
            &mut state.local,
            &transposed(other, (here, &more.local), there),
        );
        add(&mut reactions, &held);
        put_boundaries(other, there, &mut state);
        Some(Answer { state, reactions })
    }

    /// What an answer of this chip to these loads leaves of its equations, which it solves: but for rounding nothing inside of parts, the
    /// loads where unknowns are free, and what holds them where values are given. No product is needed.
    pub fn left_by(&self, answer: &Answer, loads: &[f64]) -> Left {
        let rows = self.system.class.iter().zip(&answer.reactions).zip(loads);
        let own = rows.map(|((class, reaction), load)| match class {
            Class::Given => -reaction - load,
            _ => -load,
        });
        Left {
            own: own.collect(),
            carried: vec![0.0; loads.len()],
        }
    }

    /// As [`Self::step_to`], for shared unknowns and reactions alone; local vectors of the answer are empty. Costs what the parts
    /// that differ cost, and a substitution of shared unknowns.
    ///
    /// # Shapes and units
    /// - `left`: [by `begin`](Self::left_by)
    pub fn step_on_shared(
        &self,
        other: &System<D>,
        data: &PortData,
        (begin, left): (&ChipVector, &Left),
    ) -> Option<Answer> {
        let all = self.local_vectors.as_ref()?;
        let is_given = |k: usize| other.class[k] == Class::Given;
        let shared = with_given(other, &begin.shared, data);
        let differs = self.differs(other, &shared, begin);
        let there = LocalVectors::of(other, |k| differs[k]);
        let same = self.left_by_same(&differs, all, (begin, left));
        let here = LocalVectors::of(&self.system, |k| differs[k]);
        let mut state = ChipVector {
            shared,
            local: transposed(other, (all, &begin.local), &there),
        };
        put_boundaries(other, &there, &mut state);
        let after = self.left((other, &there), &here, &state);
        let mut reactions = vec![0.0; data.loads.len()];
        let mut loads = vec![0.0; data.loads.len()];
        for (k, load) in loads.iter_mut().enumerate() {
            let own = data.loads[k] + same.own[k] + after.own[k];
            *load = same.carried[k] + after.carried[k];
            // What is left where values are given is the force that holds them.
            if is_given(k) {
                reactions[k] = -own;
            } else {
                *load += own;
            }
        }
        let (more, held) = self.solve_one(&loads, &vec![0.0; data.given.len()]);
        add(&mut state.shared, &more);
        add(&mut reactions, &held);
        state.local.clear();
        Some(Answer { state, reactions })
    }

    /// What `begin` leaves of this chip's equations in the parts that don't differ, from what all leave or by themselves: whichever
    /// takes fewer unknowns.
    fn left_by_same(
        &self,
        differs: &[bool],
        all: &LocalVectors,
        (begin, left): (&ChipVector, &Left),
    ) -> Left {
        let unknowns = |k: usize| self.system.piece_of(&self.system.instances[k]).n;
        let count = |is: bool| -> usize {
            let those = (0..differs.len()).filter(|&k| differs[k] == is);
            those.map(unknowns).sum()
        };
        let is_less = count(true) < count(false);
        let some = LocalVectors::of(&self.system, |k| differs[k] == is_less);
        let before = ChipVector {
            shared: begin.shared.clone(),
            local: transposed(&self.system, (all, &begin.local), &some),
        };
        let of_some = self.left((&self.system, &some), &some, &before);
        if !is_less {
            return of_some;
        }
        let rest = |all: &[f64], some: &[f64]| all.iter().zip(some).map(|(a, b)| a - b).collect();
        Left {
            own: rest(&left.own, &of_some.own),
            carried: rest(&left.carried, &of_some.carried),
        }
    }

    /// Which parts have other equations, or other values given.
    fn differs(&self, other: &System<D>, shared: &[f64], begin: &ChipVector) -> Vec<bool> {
        let own = &self.system;
        let pairs = own.instances.iter().zip(&other.instances);
        pairs
            .map(|(a, b)| {
                let [p, q] = [(own, a), (other, b)].map(|(s, i)| &s.pieces[i.piece as usize]);
                let is_same = |i: &Image| {
                    i.to == NOWHERE || shared[i.to as usize] == begin.shared[i.to as usize]
                };
                let same =
                    Arc::ptr_eq(p, q) && a.boundary == b.boundary && b.boundary.iter().all(is_same);
                !same
            })
            .collect()
    }

    /// What `x` leaves of the equations of a chip's local vectors; `here` are those of the same parts of this one, whose factors
    /// carry it.
    fn left(
        &self,
        (system, local_vectors): (&System<D>, &LocalVectors),
        here: &LocalVectors,
        x: &ChipVector,
    ) -> Left {
        let zeros = || vec![0.0; system.class.len()];
        let mut left = ChipVector {
            shared: zeros(),
            local: vec![0.0; local_vectors.n],
        };
        local_vectors.subtract_product(system, x, &mut left);
        let mut inside = ChipVector {
            shared: zeros(),
            local: moved(system, (local_vectors, left.local), here),
        };
        here.forward(&self.system, &self.values, &mut inside);
        Left {
            own: left.shared,
            carried: inside.shared,
        }
    }
}

/// Minus the product of a chip's matrix and a state, on shared unknowns.
#[derive(Clone, Debug)]
pub struct Left {
    /// Part of the rows of shared unknowns.
    own: Vec<f64>,
    /// Part of the rows inside of parts, carried there.
    carried: Vec<f64>,
}

fn add(x: &mut [f64], d: &[f64]) {
    x.iter_mut().zip(d).for_each(|(x, d)| *x += d);
}

/// Shared unknowns with the values that are given.
fn with_given<const D: usize>(system: &System<D>, shared: &[f64], data: &PortData) -> Vec<f64> {
    let all = shared.iter().zip(&system.class).zip(&data.given);
    all.map(|((x, class), given)| match class {
        Class::Given => *given,
        _ => *x,
    })
    .collect()
}

/// Local vectors of one layout in the order of another: copies of a piece lie together, and which parts are copies may differ.
fn transposed<const D: usize>(
    system: &System<D>,
    (from, values): (&LocalVectors, &[f64]),
    to: &LocalVectors,
) -> Vec<f64> {
    let mut out = vec![0.0; to.n];
    for (k, instance) in to.instances(system) {
        let n = system.piece_of(instance).n;
        out[to.first[k]..][..n].copy_from_slice(&values[from.first[k]..][..n]);
    }
    out
}

/// As [`transposed`], without a copy where both layouts are the same.
fn moved<const D: usize>(
    system: &System<D>,
    (from, values): (&LocalVectors, Vec<f64>),
    to: &LocalVectors,
) -> Vec<f64> {
    if from.first == to.first && from.n == to.n {
        return values;
    }
    transposed(system, (from, &values), to)
}

/// Gives the boundaries of local vectors the values of shared unknowns.
fn put_boundaries<const D: usize>(
    system: &System<D>,
    local_vectors: &LocalVectors,
    state: &mut ChipVector,
) {
    for (k, instance) in local_vectors.instances(system) {
        let local_vector = &mut state.local[local_vectors.first[k]..][..instance.boundary.len()];
        for (x, image) in local_vector.iter_mut().zip(&instance.boundary) {
            *x = match image.to {
                NOWHERE => 0.0,
                to => image.factor * state.shared[to as usize],
            };
        }
    }
}
