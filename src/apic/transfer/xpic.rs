//! What XPIC takes away from a particle's own velocity: the part that `r` round trips of PIC filter out.
//!
//! ```text
//! u^1 = r v;   u^k = (r - k + 1)/k B A u^(k-1),  k = 2..r;   v^ = sum_k (-1)^(k+1) u^k
//! ```
//! `A` takes the grid to particles as PIC does, `B` back with division by the mass. `v^` is `v` up to what the round trips lose.
//!
//! Source: \[004\] figure 3.1, steps 4a to 4c.

use super::scatter;
use crate::grid::{Faces, Grid};
use crate::kernel::Kernel;
use crate::sides::{Sides, fill, fold};

/// What a round trip needs besides the velocity.
pub struct Trips<'a, const D: usize> {
    /// Where faces are.
    pub grid: &'a Grid<D>,
    /// The ends of the domain.
    pub sides: &'a Sides<D>,
    /// When the ends are asked, s.
    pub time: f64,
    /// The spline.
    pub kernel: Kernel,
    /// Positions, m.
    pub x: &'a [[f64; D]],
    /// Masses, kg.
    pub mass: &'a [f64],
    /// Takes a field to the particles, as the transfer at hand does.
    pub to_particles: &'a dyn Fn(&Faces<D>) -> Vec<[f64; D]>,
    /// Turns folded sums into velocities of faces, with what replaces faces without mass.
    pub to_velocity: &'a dyn Fn(&super::Sums<D>, &Faces<D>) -> Faces<D>,
}

/// `v^` of order `r` from the velocities that particles gave to the grid, ghosts filled.
///
/// # Accuracy and cost
/// `r - 1` round trips; `v^ = v` for order 1. Prescribed velocities of the ends are scaled as `u^k` is.
#[must_use]
pub fn filtered<const D: usize>(trips: &Trips<'_, D>, v: &Faces<D>, order: u32) -> Faces<D> {
    let r = f64::from(order);
    let mut u: Faces<D> = std::array::from_fn(|a| v[a].iter().map(|v| r * v).collect());
    let mut sum = u.clone();
    // Binomial coefficient: how large u^k is for a velocity that survives.
    let mut size = r;
    let mut sign = 1.0;
    for k in 2..=order {
        let factor = (r - f64::from(k) + 1.0) / f64::from(k);
        let on_particles = (trips.to_particles)(&u);
        let mut sums = scatter(trips.grid, trips.kernel, trips.x, trips.mass, &|p, axis| {
            (on_particles[p][axis], [0.0; D])
        });
        let Trips {
            grid, sides, time, ..
        } = trips;
        fold(grid, sides, *time, &mut sums.mass, &mut sums.momentum, size);
        let mut next = (trips.to_velocity)(&sums, &u);
        for next in next.iter_mut().flatten() {
            *next *= factor;
        }
        size *= factor;
        fill(grid, sides, *time, &mut next, size);
        sign = -sign;
        for (sum, next) in sum.iter_mut().flatten().zip(next.iter().flatten()) {
            *sum += sign * next;
        }
        u = next;
    }
    sum
}
