//! Values and gradients beside bodies: a weighted least squares fit to those faces that are valid.
//!
//! ```text
//! [ q  gᵀ ] [ y ]   [ u ]       q = sum s w,    g = sum s w r,  D = sum s w r rᵀ
//! [ g  D  ] [ c ] = [ h ]       u = sum s w v,  h = sum s w r v
//! ```
//! with `s = 1` on valid faces and 0 on others; in the sense of least squares and of the smallest norm where too few are valid. With all
//! valid it is the plain transfer.
//!
//! Source: \[004\] section 3.4.3.

use nalgebra::{Matrix4, SymmetricEigen, Vector4};

use super::{Gathered, Reaches, moments};
use crate::grid::{Faces, GHOST, Grid};
use crate::kernel::Kernel;

/// Eigenvalues below this part of the largest count as none.
const LEAST: f64 = 1e-10;

/// Which faces have a velocity of liquid, ghosts included.
pub type Valid<const D: usize> = [Vec<bool>; D];

/// The fit at a point: `v` its value, `b` its gradient times the full `D`, so that a later [`super::gradient`] gives the gradient back.
///
/// # Shapes and units
/// - `x`: m; a component without any valid face in reach is 0
#[must_use]
pub fn fit<const D: usize>(
    grid: &Grid<D>,
    kernel: Kernel,
    field: &Faces<D>,
    valid: &Valid<D>,
    x: [f64; D],
) -> Gathered<D> {
    let in_cells = grid.in_cells(x);
    let reaches = Reaches::new(kernel, in_cells);
    let width = kernel.width();
    let mut found = Gathered {
        v: [0.0; D],
        b: [[0.0; D]; D],
    };
    for axis in 0..D {
        let lattice = grid.faces(axis);
        let reach = reaches.of(axis);
        // Unknowns: the value, then the gradient times dx; axes that there aren't stay empty.
        let mut matrix = Matrix4::<f64>::zeros();
        let mut right = Vector4::<f64>::zeros();
        for node in 0..width.pow(D as u32) {
            let (mut rest, mut w) = (node, 1.0);
            let mut row = Vector4::<f64>::zeros();
            row[0] = 1.0;
            let c = std::array::from_fn(|k| {
                let node = rest % width;
                rest /= width;
                w *= reach[k].weights[node];
                row[k + 1] = reach[k].offset + node as f64;
                (reach[k].first + GHOST as i64) as usize + node
            });
            let at = lattice.index(c);
            if valid[axis][at] {
                matrix += w * row * row.transpose();
                right += w * field[axis][at] * row;
            }
        }
        let eigen = SymmetricEigen::new(matrix);
        let largest = eigen.eigenvalues.max();
        let mut solution = Vector4::<f64>::zeros();
        for (value, vector) in eigen
            .eigenvalues
            .iter()
            .zip(eigen.eigenvectors.column_iter())
        {
            if *value > LEAST * largest && largest > 0.0 {
                solution += vector * (vector.dot(&right) / value);
            }
        }
        found.v[axis] = solution[0];
        let c = std::array::from_fn(|k| solution[k + 1] / grid.dx);
        found.b[axis] = moments(kernel, in_cells, axis, c, grid.dx);
    }
    found
}
