//! Bodies that stand in the flow, as the grid sees them: distances on nodes, open fractions of faces, which faces and cells are valid.
//!
//! Source: \[004\] section 3.4.2.

use stokeslet_dynamics::grid::{Lattice, Shape, nodal_distance, open_fractions};

use crate::grid::{GHOST, Grid};
use crate::transfer::mls::Valid;

/// How liquid sees a body's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// It slides along: values beside the body are fitted to the valid faces.
    Slip,
    /// It sticks: faces inside are at rest.
    NoSlip,
}

/// All bodies together; they don't move.
#[derive(Clone, Debug)]
pub struct Solid<const D: usize> {
    /// What they are.
    pub shapes: Vec<Shape<D>>,
    /// How liquid sees them.
    pub surface: Surface,
    /// Distance on the nodes of the cells, positive in liquid, m.
    pub distance: Vec<f64>,
    /// Open part of every face of the cells (no ghosts), 0 to 1.
    pub open: [Vec<f32>; D],
    /// Faces, ghosts included, with a node in liquid; ghosts always are.
    pub valid: Valid<D>,
    /// Cells with a node in liquid.
    pub cell: Vec<bool>,
    /// Cells from which the widest kernel reaches a face that isn't valid.
    pub near: Vec<bool>,
}

/// Distance to the nearest of some bodies, negative inside, m; infinite without any.
pub fn distance<const D: usize>(shapes: &[Shape<D>], x: [f64; D]) -> f64 {
    shapes
        .iter()
        .map(|s| s.distance(x))
        .fold(f64::INFINITY, f64::min)
}

impl<const D: usize> Solid<D> {
    /// The solid of these bodies; none if there are none.
    #[must_use]
    pub fn new(grid: &Grid<D>, shapes: Vec<Shape<D>>, surface: Surface) -> Option<Self> {
        if shapes.is_empty() {
            return None;
        }
        let (low, cells) = (grid.low, grid.cells);
        let phi = nodal_distance(&cells, grid.dx, &|x| {
            distance(&shapes, std::array::from_fn(|k| x[k] + low[k]))
        });
        let open = open_fractions(&cells, &phi);
        let nodes = cells.nodes();
        let any_open = |c: [usize; D], axis: Option<usize>| {
            (0..1usize << D).any(|corner| {
                let on_face = axis.is_none_or(|a| corner >> a & 1 == 0);
                let node = std::array::from_fn(|k| c[k] + (corner >> k & 1));
                on_face && phi[nodes.index(node)] >= 0.0
            })
        };
        let valid = std::array::from_fn(|axis| {
            let faces = grid.faces(axis);
            faces.map(|_, c| !grid.is_inside(axis, c) || any_open(c.map(|c| c - GHOST), Some(axis)))
        });
        let cell: Vec<bool> = cells.map(|_, c| any_open(c, None));
        let near = near(grid, &valid);
        Some(Self {
            shapes,
            surface,
            distance: phi,
            open,
            valid,
            cell,
            near,
        })
    }

    /// Moves a point that is inside out on to the surface, and a little further; whether it could.
    pub fn push_out(&self, x: &mut [f64; D], dx: f64) -> bool {
        // A point in a sharp corner may need a second go.
        for _ in 0..8 {
            let d = distance(&self.shapes, *x);
            if d >= 0.0 {
                return true;
            }
            let h = 1e-4 * dx;
            let mut gradient = [0.0; D];
            for k in 0..D {
                let (mut a, mut b) = (*x, *x);
                a[k] -= h;
                b[k] += h;
                gradient[k] = distance(&self.shapes, b) - distance(&self.shapes, a);
            }
            let size = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
            // The centre of a ball has no direction out.
            if size < 1e-9 * h {
                return false;
            }
            for k in 0..D {
                x[k] += (1e-6 * dx - d) * gradient[k] / size;
            }
        }
        distance(&self.shapes, *x) >= 0.0
    }
}

/// Cells within two cells of a face that isn't valid.
fn near<const D: usize>(grid: &Grid<D>, valid: &Valid<D>) -> Vec<bool> {
    let mut near = vec![false; grid.cells.len()];
    for (axis, valid) in valid.iter().enumerate() {
        let faces = grid.faces(axis);
        for i in (0..faces.len()).filter(|i| !valid[*i]) {
            let c = faces.coordinates(i).map(|c| (c - GHOST) as i64);
            let box_of: Lattice<D> = Lattice::cube(5);
            for k in 0..box_of.len() {
                let o = box_of.coordinates(k);
                let at: [i64; D] = std::array::from_fn(|a| c[a] + o[a] as i64 - 2);
                if (0..D).all(|a| at[a] >= 0 && (at[a] as usize) < grid.cells.n[a]) {
                    near[grid.cells.index(at.map(|c| c as usize))] = true;
                }
            }
        }
    }
    near
}
