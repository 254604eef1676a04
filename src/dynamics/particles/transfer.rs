//! Velocities between particles and grid: linear weights, PIC and FLIP.

use stokeslet_base::parallel;

use super::CellList;
use crate::grid::Mac;

/// Velocities on faces from those of particles: the mean of those nearer than a cell, weighted multilinearly.
///
/// # Shapes and units
/// - `x`, `v`: one a particle
/// - returns the field and, per axis, which faces heard of a particle; the others are 0
/// # Accuracy and cost
/// Exact for constants; gathered face by face in a fixed order, so bitwise equal for any number of threads.
pub fn particles_to_grid<const D: usize>(
    mac: &Mac<D>,
    x: &[[f64; D]],
    v: &[[f64; D]],
    list: &CellList<D>,
) -> (Mac<D>, [Vec<bool>; D]) {
    let mut out = Mac::new(mac.cells, mac.dx);
    let mut valid: [Vec<bool>; D] = std::array::from_fn(|_| Vec::new());
    for axis in 0..D {
        let faces = mac.cells.faces(axis);
        let gathered = parallel::map(faces.len(), 1024, |i| {
            let c = faces.coordinates(i);
            let at = mac.face(axis, c);
            let (mut weights, mut sum) = (0.0, 0.0);
            let low = std::array::from_fn(|a| c[a] as i64 - 1);
            let high = std::array::from_fn(|a| c[a] as i64 + i64::from(a != axis));
            list.visit(low, high, &mut |p| {
                let weight: f64 = (0..D)
                    .map(|a| (1.0 - (x[p][a] - at[a]).abs() / mac.dx).max(0.0))
                    .product();
                weights += weight;
                sum += weight * v[p][axis];
            });
            if weights > 0.0 {
                (sum / weights, true)
            } else {
                (0.0, false)
            }
        });
        out.u[axis] = gathered.iter().map(|g| g.0).collect();
        valid[axis] = gathered.iter().map(|g| g.1).collect();
    }
    (out, valid)
}

/// Velocities of particles from the grid: a share `flip` of the change since `before` added to what they have, the rest the
/// grid's own velocity (`flip` 0 is PIC, 1 is FLIP).
pub fn grid_to_particles<const D: usize>(
    before: &Mac<D>,
    after: &Mac<D>,
    flip: f64,
    x: &[[f64; D]],
    v: &mut [[f64; D]],
) {
    parallel::each_mut(v, 512, |p, v| {
        let new = after.velocity(x[p]);
        let old = before.velocity(x[p]);
        for a in 0..D {
            v[a] = flip * (v[a] + new[a] - old[a]) + (1.0 - flip) * new[a];
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Lattice;
    use crate::particles::{Seeding, seed};

    #[test]
    fn constants_survive_and_flip_keeps_what_the_grid_cannot_see() {
        let mac = Mac::<2>::new(Lattice::cube(6), 0.5);
        let x = seed(&mac.cells, mac.dx, Seeding::Jittered(2, 0.3), &|x| {
            x[0] < 2.0
        });
        let mut v: Vec<[f64; 2]> = (0..x.len())
            .map(|p| [1.0 + if p % 2 == 0 { 0.25 } else { -0.25 }, -2.0])
            .collect();
        let list = CellList::new(mac.cells, mac.dx, &x);
        let (grid, valid) = particles_to_grid(&mac, &x, &v, &list);
        for (value, valid) in grid.u[1].iter().zip(&valid[1]) {
            assert!((value - if *valid { -2.0 } else { 0.0 }).abs() < 1e-14);
        }
        let before = v.clone();
        grid_to_particles(&grid, &grid, 1.0, &x, &mut v);
        for (v, before) in v.iter().zip(&before) {
            assert!(
                (v[0] - before[0]).abs() < 1e-14,
                "no change on the grid, none on the particles"
            );
        }
        grid_to_particles(&grid, &grid, 0.0, &x, &mut v);
        let spread = v.iter().map(|v| (v[0] - 1.0).abs()).fold(0.0, f64::max);
        assert!(spread < 0.25, "PIC smooths: {spread}");
    }
}
