//! Cells that run empty are filled, crowded ones thinned out.
//!
//! Source: \[004\] section 3.4.4.

use stokeslet_dynamics::particles::hash_unit;

use super::{Changes, World};
use crate::particles::Sorted;
use crate::sides::Condition;
use crate::solid::distance;
use crate::transfer::Transfer;

/// A cell has at least so many particles.
const LEAST: usize = 2;
/// Places tried for each new particle; in a cell that a body nearly fills none may do.
const TRIES: usize = 16;

impl<const D: usize> World<D> {
    /// Sees to it that every cell with liquid has at least 2 particles (2^D beside an inflow) and none more than 2^(D+1). New ones take
    /// velocity and gradient from the grid's velocities of the step before. Taking away changes momentum; by how much is told.
    pub(super) fn reseed(&mut self, time: f64, changes: &mut Changes) {
        let keys = self.cells_of_particles();
        let cells = self.grid.cells;
        let sorted = Sorted::new(cells.len(), &keys);
        let most = 2usize << D;
        let mut drop = vec![false; keys.len()];
        let mut new = Vec::new();
        for cell in 0..cells.len() {
            if self.solid.as_ref().is_some_and(|s| !s.cell[cell]) {
                continue;
            }
            let of = sorted.of(cell);
            if of.len() > most {
                let mut left = of.to_vec();
                while left.len() > most {
                    let at = (self.hashed() * left.len() as f64) as usize;
                    drop[left.swap_remove(at.min(left.len() - 1)) as usize] = true;
                }
                continue;
            }
            let wanted = if of.len() < 1 << D && self.is_at_inflow(cell, time) {
                1 << D
            } else {
                LEAST
            };
            for _ in of.len()..wanted {
                new.extend(self.place_in(cell));
            }
        }
        let thinned = drop.iter().filter(|d| **d).count();
        if thinned > 0 {
            changes.momentum_lost = self.momentum_of(&drop);
            let kept: Vec<u32> = (0..keys.len() as u32)
                .filter(|p| !drop[*p as usize])
                .collect();
            self.particles.select(&kept);
        }
        let mass = self.scene.density * self.grid.dx.powi(D as i32) / self.per_cell();
        for x in &new {
            let found = self.value(&self.after, *x);
            let b = if self.settings.transfer == Transfer::Apic {
                found.b
            } else {
                [[0.0; D]; D]
            };
            let id = self.next_id;
            self.next_id = id.wrapping_add(1);
            self.particles.push(*x, found.v, b, mass, id);
        }
        changes.thinned = thinned;
        changes.added = new.len();
    }

    /// Particles that a full cell had at the start.
    fn per_cell(&self) -> f64 {
        let mass = self.particles.mass.first().copied();
        let full = self.scene.density * self.grid.dx.powi(D as i32);
        mass.map_or((1 << D) as f64, |m| full / m)
    }

    fn hashed(&mut self) -> f64 {
        self.seed = self.seed.wrapping_add(1);
        hash_unit(self.seed)
    }

    /// A place in a cell outside of bodies, if one is found.
    fn place_in(&mut self, cell: usize) -> Option<[f64; D]> {
        let c = self.grid.cells.coordinates(cell);
        for _ in 0..TRIES {
            let x = std::array::from_fn(|k| {
                self.grid.low[k] + (c[k] as f64 + self.hashed()) * self.grid.dx
            });
            let is_open = self
                .solid
                .as_ref()
                .is_none_or(|s| distance(&s.shapes, x) >= 0.0);
            if is_open {
                return Some(x);
            }
        }
        None
    }

    fn is_at_inflow(&self, cell: usize, time: f64) -> bool {
        let c = self.grid.cells.coordinates(cell);
        (0..D).any(|dim| {
            (0..2).any(|end| {
                let is_end = c[dim] == [0, self.grid.cells.n[dim] - 1][end];
                is_end
                    && matches!(
                        self.sides.at(dim, end, self.grid.centre(c), time),
                        Condition::Inflow(_)
                    )
            })
        })
    }

    /// Momentum of some particles over the sum of all particles' momenta without regard to direction.
    fn momentum_of(&self, some: &[bool]) -> f64 {
        let (mut lost, mut all) = ([0.0; D], 0.0);
        for (p, some) in some.iter().enumerate() {
            let (m, v) = (self.particles.mass[p], self.particles.v[p]);
            all += m * v.iter().map(|v| v * v).sum::<f64>().sqrt();
            if *some {
                for k in 0..D {
                    lost[k] += m * v[k];
                }
            }
        }
        let lost = lost.iter().map(|l| l * l).sum::<f64>().sqrt();
        if all > 0.0 { lost / all } else { 0.0 }
    }
}
