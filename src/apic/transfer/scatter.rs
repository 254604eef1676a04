//! From particles to faces.
//!
//! Particles are dealt with in slabs across the last axis, each into sums of its own, which are then added in order: the result depends
//! neither on the number of threads nor on which of them was faster.

use stokeslet_base::parallel;

use super::Reaches;
use crate::grid::{Faces, GHOST, Grid};
use crate::kernel::Kernel;
use crate::particles::Sorted;

/// Rows of cells in a slab. Thinner slabs share out better, thicker ones add up less.
const SLAB: usize = 8;
/// Rows of faces that particles of a slab may reach beyond it: two below, and two above besides the upper face.
const BELOW: usize = 2;
const ABOVE: usize = 3;
/// Elements that are worth a thread where each takes a nanosecond.
const LIGHT: usize = 8192;

/// What particles give to faces.
#[derive(Clone, Debug)]
pub struct Sums<const D: usize> {
    /// kg
    pub mass: Faces<D>,
    /// kg m/s
    pub momentum: Faces<D>,
}

/// Sums over particles: masses and momenta of all faces, ghosts included and not yet folded.
///
/// # Shapes and units
/// - `x`: inside the grid or on its ends, m; `mass`: kg
/// - `value`: of a particle and an axis, the velocity and its gradient (m/s, 1/s)
/// # Accuracy and cost
/// `D (W^D)` products for each particle, `W` the kernel's nodes an axis. Bitwise equal for any number of threads.
/// # Source
/// \[004\] (3.5), (3.7).
pub fn scatter<const D: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    x: &[[f64; D]],
    mass: &[f64],
    value: &(dyn Fn(usize, usize) -> (f64, [f64; D]) + Sync),
) -> Sums<D> {
    match kernel {
        Kernel::Linear => of_width::<D, 2>(grid, kernel, x, mass, value),
        Kernel::Quadratic => of_width::<D, 3>(grid, kernel, x, mass, value),
        Kernel::Cubic => of_width::<D, 4>(grid, kernel, x, mass, value),
    }
}

fn of_width<const D: usize, const W: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    x: &[[f64; D]],
    mass: &[f64],
    value: &(dyn Fn(usize, usize) -> (f64, [f64; D]) + Sync),
) -> Sums<D> {
    let last = D - 1;
    let n_slabs = grid.cells.n[last].div_ceil(SLAB);
    let keys = parallel::fill(x.len(), LIGHT, |p| {
        let row = ((x[p][last] - grid.low[last]) / grid.dx).max(0.0) as usize;
        (row / SLAB).min(n_slabs - 1) as u32
    });
    let slabs = Sorted::new(n_slabs, &keys);
    let parts = parallel::map(n_slabs, 1, |slab| {
        let mut sums = Sums {
            mass: rows(grid, SLAB + BELOW + ABOVE),
            momentum: rows(grid, SLAB + BELOW + ABOVE),
        };
        // The slab's first row of faces, ghosts counted.
        let from = (slab * SLAB + GHOST - BELOW) as i64;
        for p in slabs.of(slab) {
            let p = *p as usize;
            one::<D, W>(
                grid,
                kernel,
                x[p],
                mass[p],
                &|axis| value(p, axis),
                from,
                &mut sums,
            );
        }
        sums
    });
    let mut sums = Sums {
        mass: grid.zeros(),
        momentum: grid.zeros(),
    };
    for (slab, part) in parts.iter().enumerate() {
        for axis in 0..D {
            let row = grid.faces(axis).stride(last);
            let from = (slab * SLAB + GHOST - BELOW) * row;
            for (to, of) in [
                (&mut sums.mass[axis], &part.mass[axis]),
                (&mut sums.momentum[axis], &part.momentum[axis]),
            ] {
                let to = &mut to[from..];
                let n = to.len().min(of.len());
                for (to, of) in to[..n].iter_mut().zip(of) {
                    *to += *of;
                }
            }
        }
    }
    sums
}

/// So many rows of faces across the last axis.
fn rows<const D: usize>(grid: &Grid<D>, count: usize) -> Faces<D> {
    std::array::from_fn(|axis| vec![0.0; count * grid.faces(axis).stride(D - 1)])
}

#[expect(
    clippy::needless_range_loop,
    reason = "the axis indexes several arrays and a formula"
)]
#[inline]
fn one<const D: usize, const W: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    x: [f64; D],
    mass: f64,
    value: &dyn Fn(usize) -> (f64, [f64; D]),
    from: i64,
    sums: &mut Sums<D>,
) {
    let reaches = Reaches::new(kernel, grid.in_cells(x));
    for axis in 0..D {
        let (v, c) = value(axis);
        let c = c.map(|c| c * grid.dx);
        let lattice = grid.faces(axis);
        let reach = reaches.of(axis);
        let mut corner = 0i64;
        for k in 0..D {
            let first = reach[k].first + GHOST as i64 - if k == D - 1 { from } else { 0 };
            corner += first * lattice.stride(k) as i64;
        }
        let corner = corner as usize;
        let (m, q) = (&mut sums.mass[axis], &mut sums.momentum[axis]);
        for line in 0..W.pow(D as u32 - 1) {
            let (mut rest, mut at, mut w, mut v) = (line, corner, mass, v);
            for k in 1..D {
                let node = rest % W;
                rest /= W;
                at += node * lattice.stride(k);
                w *= reach[k].weights[node];
                v += c[k] * (reach[k].offset + node as f64);
            }
            let (m, q) = (&mut m[at..at + W], &mut q[at..at + W]);
            for node in 0..W {
                let w = w * reach[0].weights[node];
                m[node] += w;
                q[node] += w * (v + c[0] * (reach[0].offset + node as f64));
            }
        }
    }
}

/// Momentum over mass; faces with (nearly) no mass keep what `instead` says.
///
/// # Shapes and units
/// - `least`: masses up to this count as none, kg
pub fn velocities<const D: usize>(sums: &Sums<D>, least: f64, instead: &Faces<D>) -> Faces<D> {
    std::array::from_fn(|axis| {
        let (q, m, instead) = (&sums.momentum[axis], &sums.mass[axis], &instead[axis]);
        let of = |i: usize| {
            if m[i] > least {
                q[i] / m[i]
            } else {
                instead[i]
            }
        };
        parallel::fill(q.len(), LIGHT, of)
    })
}
