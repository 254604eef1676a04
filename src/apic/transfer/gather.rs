//! From faces to particles.

use stokeslet_base::parallel;

use super::Reaches;
use crate::grid::{Faces, GHOST, Grid};
use crate::kernel::Kernel;

/// Fewer particles than this are not worth a second thread.
const SHARE: usize = 1024;

/// What a particle takes from the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gathered<const D: usize> {
    /// Sum of weights times values.
    pub v: [f64; D],
    /// First moments by axis: sum of weights times values times `x_ia - x_p`, m times the values' unit.
    pub b: [[f64; D]; D],
}

/// Weighted sums of the faces around a point.
///
/// # Shapes and units
/// - `field`: with ghosts filled; `x`: in the grid or on its ends, m
/// # Source
/// \[004\] (3.8), (3.9).
#[inline]
#[must_use]
pub fn gather<const D: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    field: &Faces<D>,
    x: [f64; D],
) -> Gathered<D> {
    match kernel {
        Kernel::Linear => of_width::<D, 2>(grid, kernel, field, x),
        Kernel::Quadratic => of_width::<D, 3>(grid, kernel, field, x),
        Kernel::Cubic => of_width::<D, 4>(grid, kernel, field, x),
    }
}

#[expect(
    clippy::needless_range_loop,
    reason = "the node indexes weights and values and is a distance"
)]
#[inline]
fn of_width<const D: usize, const W: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    field: &Faces<D>,
    x: [f64; D],
) -> Gathered<D> {
    let reaches = Reaches::new(kernel, grid.in_cells(x));
    let mut found = Gathered {
        v: [0.0; D],
        b: [[0.0; D]; D],
    };
    for axis in 0..D {
        let lattice = grid.faces(axis);
        let reach = reaches.of(axis);
        let corner = lattice.index(std::array::from_fn(|k| {
            (reach[k].first + GHOST as i64) as usize
        }));
        let field = &field[axis];
        let (mut sum, mut moment) = (0.0, [0.0; D]);
        for line in 0..W.pow(D as u32 - 1) {
            let (mut rest, mut at, mut w) = (line, corner, 1.0);
            let mut r = [0.0; D];
            for k in 1..D {
                let node = rest % W;
                rest /= W;
                at += node * lattice.stride(k);
                w *= reach[k].weights[node];
                r[k] = reach[k].offset + node as f64;
            }
            let values = &field[at..at + W];
            let (mut along, mut first) = (0.0, 0.0);
            for node in 0..W {
                let u = reach[0].weights[node] * values[node];
                along += u;
                first += u * (reach[0].offset + node as f64);
            }
            sum += w * along;
            moment[0] += w * first;
            for k in 1..D {
                moment[k] += w * along * r[k];
            }
        }
        found.v[axis] = sum;
        found.b[axis] = moment.map(|b| b * grid.dx);
    }
    found
}

/// [`gather`] for many particles, in parallel.
#[must_use]
pub fn gather_all<const D: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    field: &Faces<D>,
    x: &[[f64; D]],
) -> Vec<Gathered<D>> {
    parallel::map(x.len(), SHARE, |p| gather(grid, kernel, field, x[p]))
}
