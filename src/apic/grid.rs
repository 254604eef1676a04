//! Where faces are: a rectangle of cells with layers of ghosts around it.
//!
//! ```text
//! component a sits on the faces across axis a:   n_a + 1 faces along a, n_k cells along the others, GHOST more at every end
//! ```

use stokeslet_dynamics::grid::Lattice;

/// Layers of ghost faces at every end: what the cubic kernel reaches beyond a wall, and one to spare.
pub const GHOST: usize = 3;

/// A value on every face, ghosts included: component `a` on the lattice [`Grid::faces`]`(a)`.
pub type Faces<const D: usize> = [Vec<f64>; D];

/// A rectangle or box of cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid<const D: usize> {
    /// The cells, without ghosts.
    pub cells: Lattice<D>,
    /// Lower corner, m.
    pub low: [f64; D],
    /// Side of a cell, m.
    pub dx: f64,
}

impl<const D: usize> Grid<D> {
    /// Upper corner, m.
    #[must_use]
    pub fn high(&self) -> [f64; D] {
        std::array::from_fn(|k| self.low[k] + self.cells.n[k] as f64 * self.dx)
    }

    /// The lattice of faces across an axis, ghosts included.
    #[must_use]
    pub fn faces(&self, axis: usize) -> Lattice<D> {
        Lattice::new(std::array::from_fn(|k| {
            self.cells.n[k] + 2 * GHOST + usize::from(k == axis)
        }))
    }

    /// No velocity anywhere.
    #[must_use]
    pub fn zeros(&self) -> Faces<D> {
        std::array::from_fn(|a| vec![0.0; self.faces(a).len()])
    }

    /// Centre of the face with these coordinates (ghosts counted), m.
    #[must_use]
    pub fn face(&self, axis: usize, c: [usize; D]) -> [f64; D] {
        std::array::from_fn(|k| {
            let at = c[k] as f64 - GHOST as f64 + if k == axis { 0.0 } else { 0.5 };
            self.low[k] + at * self.dx
        })
    }

    /// Centre of a cell, m.
    #[must_use]
    pub fn centre(&self, c: [usize; D]) -> [f64; D] {
        std::array::from_fn(|k| self.low[k] + (c[k] as f64 + 0.5) * self.dx)
    }

    /// A point in cells from the lower corner.
    #[inline]
    #[must_use]
    pub fn in_cells(&self, x: [f64; D]) -> [f64; D] {
        std::array::from_fn(|k| (x[k] - self.low[k]) / self.dx)
    }

    /// The cell of a point; the nearest one for points outside.
    #[inline]
    #[must_use]
    pub fn cell_of(&self, x: [f64; D]) -> usize {
        let x = self.in_cells(x);
        self.cells.index(std::array::from_fn(|k| {
            (x[k].max(0.0) as usize).min(self.cells.n[k] - 1)
        }))
    }

    /// Where the lower face of a cell across an axis is in memory.
    #[inline]
    #[must_use]
    pub fn lower_face(&self, axis: usize, cell: [usize; D]) -> usize {
        self.faces(axis).index(cell.map(|c| c + GHOST))
    }

    /// Whether a face (ghosts counted) is none of the ghosts; the faces on the boundary are not.
    #[inline]
    #[must_use]
    pub fn is_inside(&self, axis: usize, c: [usize; D]) -> bool {
        (0..D).all(|k| (GHOST..GHOST + self.cells.n[k] + usize::from(k == axis)).contains(&c[k]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_lies_between_its_faces() {
        let grid = Grid::<2> {
            cells: Lattice::new([5, 4]),
            low: [-1.0, 2.0],
            dx: 0.5,
        };
        let cell = [3, 1];
        let faces = grid.faces(0);
        let low = grid.lower_face(0, cell);
        let (a, b) = (
            grid.face(0, faces.coordinates(low)),
            grid.face(0, faces.coordinates(low + 1)),
        );
        assert_eq!((a, b), ([0.5, 2.75], [1.0, 2.75]));
        assert_eq!(grid.cell_of([0.7, 2.6]), grid.cells.index(cell));
        assert!(grid.is_inside(0, [GHOST + 5, GHOST]) && !grid.is_inside(1, [GHOST + 5, GHOST]));
    }
}
