//! Particles move with the velocity on the grid and never end up in a wall.

use stokeslet_base::parallel;

use crate::grid::{Lattice, Mac, gradient, sample, trace};

/// Particles that are worth a thread.
const FEW: usize = 512;

/// Moves particles along the field for `dt`.
pub fn move_particles<const D: usize>(mac: &Mac<D>, x: &mut [[f64; D]], dt: f64) {
    parallel::each_mut(x, FEW, |_, x| *x = trace(mac, *x, dt));
}

/// Moves particles that are in solid back to its surface, along the gradient of its level set.
///
/// # Shapes and units
/// - `phi`: the solid's distance on the nodes of `cells`, positive in open space, in the units of `dx`
pub fn move_out_of_solid<const D: usize>(
    cells: &Lattice<D>,
    dx: f64,
    phi: &[f64],
    x: &mut [[f64; D]],
) {
    let nodes = cells.nodes();
    parallel::each_mut(x, FEW, |_, x| {
        let at = x.map(|x| x / dx);
        let distance = sample(&nodes, phi, at);
        if distance < 0.0 {
            let slope = gradient(&nodes, phi, at);
            let length = slope.iter().map(|s| s * s).sum::<f64>().sqrt();
            if length > 0.0 {
                for (x, s) in x.iter_mut().zip(slope) {
                    *x -= distance * s / length;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{Shape, nodal_distance};

    #[test]
    fn a_particle_in_a_wall_is_put_on_its_surface() {
        let cells = Lattice::<2>::cube(32);
        let dx = 1.0 / 32.0;
        let circle = Shape::ball([0.5, 0.5], 0.4);
        let phi = nodal_distance(&cells, dx, &|x| -circle.distance(x));
        let mut x = vec![[0.5, 0.93], [0.5, 0.5]];
        move_out_of_solid(&cells, dx, &phi, &mut x);
        assert!(
            (x[0][1] - 0.9).abs() < 2e-3 && (x[0][0] - 0.5).abs() < 2e-3,
            "{:?}",
            x[0]
        );
        assert_eq!(x[1], [0.5, 0.5]);
    }
}
