//! Carrying things along a velocity field: points forward, velocities by tracing back.

use super::Mac;

/// Moves a point along the field for `dt` (which may be negative): the midpoint rule.
///
/// # Accuracy and cost
/// Second order in `dt`; two samples of the velocity.
pub fn trace<const D: usize>(mac: &Mac<D>, x: [f64; D], dt: f64) -> [f64; D] {
    let v = mac.velocity(x);
    let middle = std::array::from_fn(|a| x[a] + 0.5 * dt * v[a]);
    let v = mac.velocity(middle);
    std::array::from_fn(|a| x[a] + dt * v[a])
}

/// The field carried along itself for `dt`: every wanted face takes the velocity of the point that arrives at it.
///
/// # Shapes and units
/// - `wanted`: which faces to give a value, by axis and index; the others become 0
/// # Accuracy and cost
/// Semi-Lagrangian, unconditionally stable; first order in `dx` for each step (it smooths).
/// # Source
/// \[000\] section 3.4, equation (3.23).
pub fn advect<const D: usize>(
    mac: &Mac<D>,
    dt: f64,
    wanted: &(dyn Fn(usize, usize, [usize; D]) -> bool + Sync),
) -> [Vec<f64>; D] {
    std::array::from_fn(|axis| {
        let faces = mac.cells.faces(axis);
        faces.map(|i, c| {
            if wanted(axis, i, c) {
                mac.component(axis, trace(mac, mac.face(axis, c), -dt))
            } else {
                0.0
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::Lattice;

    fn turning(n: usize) -> Mac<2> {
        let mut mac = Mac::<2>::new(Lattice::cube(n), 1.0 / n as f64);
        for axis in 0..2 {
            let faces = mac.cells.faces(axis);
            for i in 0..faces.len() {
                let x = mac.face(axis, faces.coordinates(i));
                mac.u[axis][i] = [0.5 - x[1], x[0] - 0.5][axis];
            }
        }
        mac
    }

    #[test]
    fn tracing_is_of_second_order() {
        let mac = turning(16);
        let error = |steps: usize| {
            let dt = 1.0 / steps as f64;
            let x = (0..steps).fold([0.7, 0.5], |x, _| trace(&mac, x, dt));
            let want = [0.5 + 0.2 * f64::cos(1.0), 0.5 + 0.2 * f64::sin(1.0)];
            (x[0] - want[0]).hypot(x[1] - want[1])
        };
        let order = (error(8) / error(16)).log2();
        assert!((order - 2.0).abs() < 0.1, "order {order}");
    }

    #[test]
    fn a_uniform_field_carries_itself_unchanged_and_unwanted_faces_become_zero() {
        let mut mac = Mac::<3>::new(Lattice::cube(6), 0.1);
        for axis in 0..3 {
            mac.u[axis].fill(1.0 + axis as f64);
        }
        let carried = advect(&mac, 0.03, &|axis, _, c| axis != 1 || c[1] > 2);
        assert!(carried[0].iter().all(|v| (v - 1.0).abs() < 1e-14));
        let faces = mac.cells.faces(1);
        for (i, v) in carried[1].iter().enumerate() {
            let want = if faces.coordinates(i)[1] > 2 {
                2.0
            } else {
                0.0
            };
            assert!((v - want).abs() < 1e-14);
        }
    }
}
