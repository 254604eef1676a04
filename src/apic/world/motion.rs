//! Particles move, and what keeps them in the domain and out of bodies.

use rayon::prelude::*;

use super::World;
use crate::sides::Condition;

impl<const D: usize> World<D> {
    /// Moves all particles for a time step; how many left by free ends.
    ///
    /// Beyond walls and inflows a particle is replaced by its mirror image (which the ghosts stand for anyway), beyond periodic ends it
    /// comes in again, from bodies it is moved out by the shortest way. Those that can't be placed are taken away too.
    pub(super) fn advance_particles(&mut self, dt: f64, time: f64) -> usize {
        let (grid, sides, solid) = (&self.grid, &self.sides, self.solid.as_ref());
        let high = grid.high();
        let particles = &mut self.particles;
        let keep: Vec<bool> = particles
            .x
            .par_iter_mut()
            .zip(&mut particles.v)
            .zip(&mut particles.b)
            .zip(&particles.carry)
            .with_min_len(1024)
            .map(|(((x, v), b), carry)| {
                let start = *x;
                for k in 0..D {
                    x[k] += dt * carry[k];
                }
                if let Some(solid) = solid
                    && !solid.push_out(x, grid.dx)
                {
                    return false;
                }
                for dim in 0..D {
                    let end = usize::from(x[dim] > high[dim]);
                    let wall = [grid.low[dim], high[dim]][end];
                    if (grid.low[dim]..=high[dim]).contains(&x[dim]) {
                        continue;
                    }
                    match sides.at(dim, end, *x, time) {
                        Condition::Periodic => {
                            let length = high[dim] - grid.low[dim];
                            x[dim] = grid.low[dim] + (x[dim] - grid.low[dim]).rem_euclid(length);
                        }
                        Condition::Free => return false,
                        condition => {
                            x[dim] = 2.0 * wall - x[dim];
                            for axis in 0..D {
                                let (sign, value) = condition.mirror(axis, dim);
                                v[axis] = sign * v[axis] + (1.0 - sign) * value;
                                for (k, b) in b[axis].iter_mut().enumerate() {
                                    *b *= if k == dim { -sign } else { sign };
                                }
                            }
                        }
                    }
                    // Further out than the domain is wide, or no number: what follows notices.
                    if !(grid.low[dim]..=high[dim]).contains(&x[dim]) {
                        x[dim] = start[dim];
                    }
                }
                true
            })
            .collect();
        let n = keep.len();
        let kept: Vec<u32> = (0..n as u32).filter(|p| keep[*p as usize]).collect();
        let left = n - kept.len();
        if left > 0 {
            particles.select(&kept);
        }
        left
    }
}
