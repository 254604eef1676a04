//! The pressure's gradient taken off the velocity, and what walls do to velocities inside them.

use super::{Separation, Walls};
use crate::grid::{Mac, gradient};
use crate::mg::{Geometry, theta};

/// Which faces have a velocity of their own, per axis.
pub type Faces<const D: usize> = [Vec<bool>; D];

/// Updates the velocity on open faces at liquid by the pressure's gradient; other faces are set to 0 and are not valid.
///
/// ```text
/// u_f -= dt (p_i - p_n) / (dx theta_f),   p = 0 in air, theta_f as in the matrix
/// ```
/// # Shapes and units
/// - `of`, `p`: cells that are unknowns, and their pressures
pub fn project<const D: usize>(
    mac: &mut Mac<D>,
    geometry: &Geometry<D>,
    of: &[u32],
    p: &[f64],
) -> Faces<D> {
    let cells = mac.cells;
    let mut pressure = vec![0.0; cells.len()];
    for (cell, p) in of.iter().zip(p) {
        pressure[*cell as usize] = *p;
    }
    let (liquid, dx, dt) = (&geometry.liquid, geometry.dx, geometry.dt);
    std::array::from_fn(|axis| {
        let faces = cells.faces(axis);
        let stride = cells.stride(axis);
        let open = &geometry.open[axis];
        let u = &mut mac.u[axis];
        let is_known = |i: usize, c: [usize; D]| {
            if c[axis] == 0 || c[axis] == cells.n[axis] || open[i] <= 0.0 {
                return false;
            }
            let high = cells.index(c);
            liquid[high] < 0.0 || liquid[high - stride] < 0.0
        };
        let gradient = |c: [usize; D]| {
            let high = cells.index(c);
            let low = high - stride;
            let theta = match (liquid[low] < 0.0, liquid[high] < 0.0) {
                (true, false) => theta(liquid[low], liquid[high]),
                (false, true) => theta(liquid[high], liquid[low]),
                _ => 1.0,
            };
            (pressure[high] - pressure[low]) / (dx * theta)
        };
        let valid = faces.map(is_known);
        faces.for_each(u, |i, c, u| {
            *u = if valid[i] { *u - dt * gradient(c) } else { 0.0 }
        });
        valid
    })
}

/// Velocities on faces that are closed lose their component through the wall.
///
/// # Shapes and units
/// - `known`: faces that have a velocity, their own or continued; the others are left alone
/// - sticking walls take off the whole normal component relative to the wall; others only what points into it
/// # Source
/// Batty, Bertails, Bridson 2007 for the sticking case.
pub fn constrain<const D: usize>(
    mac: &mut Mac<D>,
    walls: &Walls<D>,
    known: &Faces<D>,
    separation: Separation,
) {
    let nodes = mac.cells.nodes();
    let changed: [Vec<(usize, f64)>; D] = std::array::from_fn(|axis| {
        let of = &*mac;
        of.cells.faces(axis).filter_map(|i, c| {
            if walls.open[axis][i] > 0.0 || !known[axis][i] {
                return None;
            }
            let x = of.face(axis, c);
            let mut normal = gradient(&nodes, &walls.distance, x.map(|x| x / of.dx));
            let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
            if length == 0.0 {
                return None;
            }
            normal = normal.map(|n| n / length);
            let v = of.velocity(x);
            let out: f64 = (0..D).map(|a| normal[a] * (v[a] - walls.velocity[a])).sum();
            if separation == Separation::Sticking || out < 0.0 {
                Some((i, v[axis] - out * normal[axis]))
            } else {
                None
            }
        })
    });
    for (u, changed) in mac.u.iter_mut().zip(changed) {
        for (i, value) in changed {
            u[i] = value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Lattice;

    #[test]
    fn a_wall_takes_off_what_points_into_it_and_sticking_walls_take_off_all() {
        let cells = Lattice::<2>::cube(6);
        // Open above y = 3.
        let walls = Walls::new(&cells, 1.0, &|x| x[1] - 3.0, [0.0; 2]);
        let u = |v: f64, separation| {
            let mut mac = Mac::new(cells, 1.0);
            mac.u[0].fill(2.0);
            mac.u[1].fill(v);
            let known = std::array::from_fn(|a| vec![true; mac.u[a].len()]);
            constrain(&mut mac, &walls, &known, separation);
            let at = [cells.faces(0).index([3, 1]), cells.faces(1).index([3, 1])];
            [mac.u[0][at[0]], mac.u[1][at[1]]]
        };
        assert_eq!(u(-1.0, Separation::Cut), [2.0, 0.0]);
        assert_eq!(u(1.0, Separation::Cut), [2.0, 1.0]);
        assert_eq!(u(1.0, Separation::Sticking), [2.0, 0.0]);
    }
}
