//! Velocities on the faces of cells.

use stokeslet_base::parallel;

use super::{Lattice, sample};

/// Faces that are worth a thread where each takes a nanosecond.
const SHARE: usize = 1 << 15;

/// A staggered velocity field: component `a` sits on the faces across axis `a`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mac<const D: usize> {
    /// The cells.
    pub cells: Lattice<D>,
    /// Side of a cell.
    pub dx: f64,
    /// Component `a` on the lattice `cells.faces(a)`.
    pub u: [Vec<f64>; D],
}

impl<const D: usize> Mac<D> {
    /// At rest.
    pub fn new(cells: Lattice<D>, dx: f64) -> Self {
        Self {
            cells,
            dx,
            u: std::array::from_fn(|a| vec![0.0; cells.faces(a).len()]),
        }
    }

    /// Position of a cell's centre.
    pub fn centre(&self, c: [usize; D]) -> [f64; D] {
        c.map(|c| (c as f64 + 0.5) * self.dx)
    }

    /// Position of a face's centre.
    pub fn face(&self, axis: usize, c: [usize; D]) -> [f64; D] {
        std::array::from_fn(|a| (c[a] as f64 + if a == axis { 0.0 } else { 0.5 }) * self.dx)
    }

    /// Velocity at a point, multilinear between faces.
    #[inline]
    pub fn velocity(&self, x: [f64; D]) -> [f64; D] {
        let x = x.map(|x| x / self.dx);
        std::array::from_fn(|axis| self.at(axis, x))
    }

    /// One component of the velocity at a point.
    #[inline]
    pub fn component(&self, axis: usize, x: [f64; D]) -> f64 {
        self.at(axis, x.map(|x| x / self.dx))
    }

    /// One component at a point in units of cells.
    #[inline]
    fn at(&self, axis: usize, x: [f64; D]) -> f64 {
        let x = std::array::from_fn(|a| if a == axis { x[a] } else { x[a] - 0.5 });
        sample(&self.cells.faces(axis), &self.u[axis], x)
    }

    /// The largest component on any face.
    pub fn max_component(&self) -> f64 {
        self.u
            .iter()
            .flat_map(|u| {
                let chunks: Vec<&[f64]> = u.chunks(SHARE).collect();
                let largest = |u: &&[f64]| u.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
                parallel::each(&chunks, 1, largest)
            })
            .fold(0.0, f64::max)
    }

    /// Adds to one component everywhere: a body force over a step.
    pub fn accelerate(&mut self, axis: usize, change: f64) {
        parallel::each_mut(&mut self.u[axis], SHARE, |_, v| *v += change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_velocity_is_interpolated_exactly() {
        let mut mac = Mac::<2>::new(Lattice::cube(8), 0.125);
        for axis in 0..2 {
            let faces = mac.cells.faces(axis);
            for i in 0..faces.len() {
                let x = mac.face(axis, faces.coordinates(i));
                mac.u[axis][i] = [x[1], -x[0] + 1.0][axis];
            }
        }
        let v = mac.velocity([0.3, 0.6]);
        assert!((v[0] - 0.6).abs() < 1e-14 && (v[1] - 0.7).abs() < 1e-14);
        assert!(
            (mac.max_component() - 0.9375).abs() < 1e-14,
            "half a cell from the edge"
        );
    }
}
