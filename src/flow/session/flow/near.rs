//! Chips that differ little from an eliminated one: a step of refinement with its factors, in place of an elimination.

use super::{Answer, Flow};
use crate::session::WantedResults;
use crate::stokes::mouth::PortData;
use crate::stokes::slabs::{IsCancelled, Slabs, State};
use crate::stokes::system::System;
use stokeslet_fronts::{Class, NOWHERE};

impl<const D: usize> Flow<D> {
    /// The first step of refinement of another chip, whose meshes are [images](System::is_image_of) of this one's, from `begin`, which
    /// solves this one; `None` without fields. Where only ports are `wanted`, what is inside of slabs isn't solved for.
    ///
    /// # Accuracy and cost
    /// The other chip's answer but for an error of second order in what moves one chip into the other, the same on either side: it
    /// cancels from differences of second order. Costs one product with the other's leaves and one substitution, no elimination.
    pub fn step_to(
        &self,
        (other, there): (&System<D>, &Slabs),
        data: &PortData,
        (begin, wanted): (&State, WantedResults),
        is_cancelled: IsCancelled<'_>,
    ) -> Option<Answer> {
        let here = self.slabs.as_ref()?;
        let is_given = |k: usize| other.class[k] == Class::Given;
        let mut state = State {
            shared: begin.shared.clone(),
            slabs: transposed(other, (here, &begin.slabs), there),
        };
        for (k, value) in state.shared.iter_mut().enumerate() {
            if is_given(k) {
                *value = data.given[k];
            }
        }
        put_boundaries(other, there, &mut state);
        let mut residual = State {
            shared: data.loads.clone(),
            slabs: vec![0.0; there.n],
        };
        there.subtract_product(other, &state, &mut residual);
        // What is left where values are given is the force that holds them.
        let mut reactions = vec![0.0; residual.shared.len()];
        for (k, left) in residual.shared.iter_mut().enumerate() {
            if is_given(k) {
                reactions[k] = -std::mem::take(left);
            }
        }
        let residual = State {
            slabs: transposed(other, (there, &residual.slabs), here),
            shared: residual.shared,
        };
        let add = |x: &mut [f64], d: &[f64]| x.iter_mut().zip(d).for_each(|(x, d)| *x += d);
        let none = vec![0.0; data.given.len()];
        if wanted == WantedResults::PortsOnly {
            let carried = self.carried(here, &residual);
            let (more, held) = self.solve_one(&carried.shared, &none);
            add(&mut state.shared, &more);
            add(&mut reactions, &held);
            return Some(Answer { state, reactions });
        }
        let mut more = State {
            shared: Vec::new(),
            slabs: vec![0.0; here.n],
        };
        let held = self.step(here, &residual, &none, &mut more, is_cancelled);
        add(&mut state.shared, &more.shared);
        add(
            &mut state.slabs,
            &transposed(other, (here, &more.slabs), there),
        );
        add(&mut reactions, &held);
        put_boundaries(other, there, &mut state);
        Some(Answer { state, reactions })
    }
}

/// Slabs of one layout in the order of another: copies of a piece lie together, and which parts are copies may differ.
fn transposed<const D: usize>(
    system: &System<D>,
    (from, values): (&Slabs, &[f64]),
    to: &Slabs,
) -> Vec<f64> {
    let mut out = vec![0.0; to.n];
    for (k, instance) in system.instances.iter().enumerate() {
        let n = system.piece_of(instance).n;
        out[to.first[k]..][..n].copy_from_slice(&values[from.first[k]..][..n]);
    }
    out
}

/// Gives the boundaries of slabs the values of shared unknowns.
fn put_boundaries<const D: usize>(system: &System<D>, slabs: &Slabs, state: &mut State) {
    for (k, instance) in system.instances.iter().enumerate() {
        let slab = &mut state.slabs[slabs.first[k]..][..instance.boundary.len()];
        for (x, image) in slab.iter_mut().zip(&instance.boundary) {
            *x = match image.to {
                NOWHERE => 0.0,
                to => image.factor * state.shared[to as usize],
            };
        }
    }
}
