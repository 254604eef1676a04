//! Velocities without divergence: the pressure equation with constant density, on cells cut by bodies and on ends of any kind.
//!
//! ```text
//! (A p)_c = sum over faces of  V_f (p_c - p_n) = - sum over faces of ± V_f u_f        u_f -= p_upper - p_lower
//! ```
//! `p` is the pressure times `dt / (rho dx)`, a velocity. `V_f` is the open part of the face. Nothing passes prescribed ends; at free ones
//! `p = 0` half a cell away. Parts of the liquid without a free end have their pressure pinned at one cell, which changes nothing else.
//!
//! Uses the matrices, multigrid and conjugate gradients of `stokeslet-dynamics`; the rectangle, its ends and the repetition are here.

use std::borrow::Cow;

use stokeslet_base::parallel;
use stokeslet_dynamics::linear::{Builder, Ended, Matrix, conjugate_gradients, inf_norm};
use stokeslet_dynamics::mg::{
    Coarse, Cycle, Hierarchy, Multigrid, Places, Recipe, Sides as MissingCells, Surfaces, Weights,
};
use thiserror::Error;

use crate::grid::{Faces, GHOST, Grid};
use crate::sides::{Condition, Sides};
use crate::solid::Solid;

/// Where a pressure is sought.
#[derive(Clone, Copy)]
pub struct Domain<'a, const D: usize> {
    /// Where faces are.
    pub grid: &'a Grid<D>,
    /// The ends.
    pub sides: &'a Sides<D>,
    /// Bodies, if any.
    pub solid: Option<&'a Solid<D>>,
    /// When the ends are asked, s.
    pub time: f64,
}

/// What is beyond a face of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Beyond {
    Cell(usize),
    Closed,
    Free,
}

/// What a solve did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Iterations of conjugate gradients.
    pub iterations: usize,
    /// Largest net outflow of a cell that is left, in units of a cell's face times m/s.
    pub residual: f64,
}

/// Why there is no pressure.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PressureError {
    /// More flows in than out, and nothing is free.
    #[error(
        "a net flow of {net:.3e} (faces of a cell times m/s) enters liquid that has no free side to leave by; make a side or a patch `free`"
    )]
    NoOutlet {
        /// Net inflow.
        net: f64,
    },
    /// The tolerance wasn't met.
    #[error(
        "the pressure did not converge: {residual:.3e} m/s of divergence left after {iterations} iterations, wanted {wanted:.3e}"
    )]
    NotConverged {
        /// What is left.
        residual: f64,
        /// What was asked for.
        wanted: f64,
        /// Iterations made.
        iterations: usize,
    },
}

/// The pressure equation of a grid, its bodies and its ends, ready to be solved for any velocity.
pub struct Pressure<const D: usize> {
    /// The cell of each unknown.
    of: Vec<u32>,
    unknown: Vec<u32>,
    matrix: Matrix<f64>,
    hierarchy: Hierarchy<'static, f32, D>,
    /// The part of the liquid that each unknown belongs to.
    part: Vec<u32>,
    /// Whether each part has a free end.
    free: Vec<bool>,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Divergence left, over the largest speed.
    pub tolerance: f64,
    /// Iterations.
    pub iterations: usize,
}

impl<const D: usize> Pressure<D> {
    /// The equation and its multigrid hierarchy.
    ///
    /// # Accuracy and cost
    /// About as much as five solves; needed anew only when a patch opens or closes.
    #[must_use]
    pub fn new(domain: &Domain<'_, D>) -> Self {
        let (cells, solid) = (domain.grid.cells, domain.solid);
        let links = |c: [usize; D]| links(domain, c);
        let of: Vec<u32> = cells.filter_map(|i, c| {
            let is_liquid = solid.is_none_or(|s| s.cell[i]);
            let holds = |(beyond, open): &(Beyond, f64)| *beyond != Beyond::Closed && *open > 0.0;
            (is_liquid && links(c)[..2 * D].iter().any(holds)).then_some(i as u32)
        });
        let mut unknown = vec![u32::MAX; cells.len()];
        for (i, cell) in of.iter().enumerate() {
            unknown[*cell as usize] = i as u32;
        }
        let mut builder = Builder::new(of.len());
        let mut is_free = vec![false; of.len()];
        for (i, cell) in of.iter().enumerate() {
            let mut row = [(usize::MAX, 0.0); 6];
            let mut diagonal = 0.0;
            let links = links(cells.coordinates(*cell as usize));
            for (entry, (beyond, open)) in row.iter_mut().zip(&links[..2 * D]) {
                match beyond {
                    Beyond::Cell(other) if unknown[*other] != u32::MAX && *open > 0.0 => {
                        *entry = (unknown[*other] as usize, -open);
                        diagonal += open;
                    }
                    Beyond::Free => {
                        diagonal += 2.0 * open;
                        is_free[i] |= *open > 0.0;
                    }
                    _ => {}
                }
            }
            row.sort_unstable_by_key(|e| e.0);
            for (column, value) in row.iter().filter(|e| e.0 != usize::MAX) {
                builder.entry(*column, *value);
            }
            builder.end_row(diagonal);
        }
        let mut matrix = builder.finish();
        let (part, n_parts) = parts(&matrix);
        let mut free = vec![false; n_parts];
        for (part, is_free) in part.iter().zip(&is_free) {
            free[*part as usize] |= is_free;
        }
        let mut pinned = free.clone();
        for (i, part) in part.iter().enumerate() {
            if !std::mem::replace(&mut pinned[*part as usize], true) {
                matrix.diagonal[i] *= 2.0;
            }
        }
        let places = Places {
            cells,
            of: of.clone(),
            solid: None,
        };
        let hierarchy = Hierarchy::new(
            Cow::Owned(matrix.cast::<f32>()),
            Cow::Owned(places),
            None,
            Recipe {
                weights: Weights::Barycentric,
                sides: MissingCells::Closed,
                surfaces: Surfaces::Plain,
                coarse: Coarse::Galerkin,
            },
        );
        Self {
            of,
            unknown,
            matrix,
            hierarchy,
            part,
            free,
        }
    }

    /// How many pressures.
    #[must_use]
    pub fn n(&self) -> usize {
        self.of.len()
    }

    /// Net outflow of every unknown's cell, in faces of a cell times m/s.
    #[must_use]
    pub fn outflow(&self, domain: &Domain<'_, D>, u: &Faces<D>) -> Vec<f64> {
        let grid = domain.grid;
        parallel::fill(self.of.len(), 4096, |k| {
            let c = grid.cells.coordinates(self.of[k] as usize);
            let mut sum = 0.0;
            for (axis, u) in u.iter().enumerate() {
                let low = grid.lower_face(axis, c);
                let high = low + grid.faces(axis).stride(axis);
                let (a, b) = opens(domain, axis, c);
                sum += b * u[high] - a * u[low];
            }
            sum
        })
    }

    /// Takes the divergence out of a velocity.
    ///
    /// # Shapes and units
    /// - `u`: on faces, m/s; prescribed faces hold their values; ghosts are stale afterwards
    /// - `p`: the first guess, one a cell, and the result; m/s
    /// # Errors
    /// [`PressureError`]; `u` is as it was.
    /// # Accuracy and cost
    /// Conjugate gradients with a symmetric V(2,2) cycle in single precision; 5 to 9 iterations for a tolerance of 1e-6, nearly
    /// independent of the number of cells.
    pub fn project(
        &self,
        domain: &Domain<'_, D>,
        u: &mut Faces<D>,
        p: &mut [f64],
        limits: Limits,
    ) -> Result<Solved, PressureError> {
        let mut b = self.outflow(domain, u);
        b.iter_mut().for_each(|b| *b = -*b);
        let speed = u.iter().map(|u| inf_norm(u)).fold(0.0, f64::max);
        self.balance(&mut b, speed)?;
        let wanted = limits.tolerance * speed;
        let mut x: Vec<f64> = self.of.iter().map(|c| p[*c as usize]).collect();
        let mut multigrid = Multigrid::new(&self.hierarchy, Cycle::SYMMETRIC);
        let run = conjugate_gradients(
            &self.matrix,
            &b,
            &mut x,
            &mut multigrid,
            limits.iterations,
            &mut |r| inf_norm(r) <= wanted,
        );
        if run.ended != Ended::Content {
            return Err(PressureError::NotConverged {
                residual: run.residual,
                wanted,
                iterations: run.iterations,
            });
        }
        for (cell, x) in self.of.iter().zip(&x) {
            p[*cell as usize] = *x;
        }
        self.subtract(domain, u, p);
        Ok(Solved {
            iterations: run.iterations,
            residual: run.residual,
        })
    }

    /// Makes the equation of parts without a free end solvable: their net outflow is rounding, or there is no solution.
    fn balance(&self, b: &mut [f64], speed: f64) -> Result<(), PressureError> {
        let mut sums = vec![(0.0, 0usize); self.free.len()];
        for (b, part) in b.iter().zip(&self.part) {
            let sum = &mut sums[*part as usize];
            sum.0 += b;
            sum.1 += 1;
        }
        for ((sum, n), free) in sums.iter().zip(&self.free) {
            if !free && sum.abs() > 1e-9 * speed * (*n as f64) {
                return Err(PressureError::NoOutlet { net: *sum });
            }
        }
        for (b, part) in b.iter_mut().zip(&self.part) {
            let (sum, n) = sums[*part as usize];
            if !self.free[*part as usize] {
                *b -= sum / n as f64;
            }
        }
        Ok(())
    }

    /// `u -= grad p` on faces between unknowns and on free ends.
    fn subtract(&self, domain: &Domain<'_, D>, u: &mut Faces<D>, p: &[f64]) {
        let Domain {
            grid, sides, time, ..
        } = *domain;
        for (axis, u) in u.iter_mut().enumerate() {
            let n = grid.cells.n[axis];
            let at = |c: [usize; D]| {
                let cell = grid.cells.index(c);
                (self.unknown[cell] != u32::MAX).then(|| p[cell])
            };
            grid.faces(axis).for_each(u, |_, c, u| {
                if !grid.is_inside(axis, c) {
                    return;
                }
                let mut upper = c.map(|c| c - GHOST);
                let mut lower = upper;
                let end = (upper[axis] == 0)
                    .then_some(0)
                    .or((upper[axis] == n).then_some(1));
                upper[axis] %= n;
                lower[axis] = (lower[axis] + n - 1) % n;
                let condition = end.map(|end| sides.at(axis, end, grid.face(axis, c), time));
                match (condition, end) {
                    (None | Some(Condition::Periodic), _) => {
                        if let (Some(a), Some(b)) = (at(lower), at(upper)) {
                            *u -= b - a;
                        }
                    }
                    (Some(Condition::Free), Some(0)) => *u -= 2.0 * at(upper).unwrap_or(0.0),
                    (Some(Condition::Free), _) => *u += 2.0 * at(lower).unwrap_or(0.0),
                    _ => {}
                }
            });
        }
    }
}

/// The open parts of a cell's two faces across an axis.
fn opens<const D: usize>(domain: &Domain<'_, D>, axis: usize, cell: [usize; D]) -> (f64, f64) {
    domain.solid.map_or((1.0, 1.0), |s| {
        let faces = domain.grid.cells.faces(axis);
        let low = faces.index(cell);
        let high = low + faces.stride(axis);
        (f64::from(s.open[axis][low]), f64::from(s.open[axis][high]))
    })
}

/// What is beyond the faces of a cell, and how much of each is open: lower and upper face by axis.
fn links<const D: usize>(domain: &Domain<'_, D>, cell: [usize; D]) -> [(Beyond, f64); 6] {
    let Domain {
        grid, sides, time, ..
    } = *domain;
    let mut all = [(Beyond::Closed, 0.0); 6];
    for axis in 0..D {
        let open = opens(domain, axis, cell);
        let n = grid.cells.n[axis];
        for end in 0..2 {
            let is_end = cell[axis] == if end == 0 { 0 } else { n - 1 };
            let mut other = cell;
            other[axis] = (cell[axis] + if end == 0 { n - 1 } else { 1 }) % n;
            let beyond = match is_end {
                false => Beyond::Cell(grid.cells.index(other)),
                true => {
                    let mut face = cell.map(|c| c + GHOST);
                    face[axis] += end;
                    match sides.at(axis, end, grid.face(axis, face), time) {
                        Condition::Periodic => Beyond::Cell(grid.cells.index(other)),
                        Condition::Free => Beyond::Free,
                        _ => Beyond::Closed,
                    }
                }
            };
            all[2 * axis + end] = (beyond, if end == 0 { open.0 } else { open.1 });
        }
    }
    all
}

/// Connected parts of a matrix: one number a row, and how many there are.
fn parts(matrix: &Matrix<f64>) -> (Vec<u32>, usize) {
    let mut part = vec![u32::MAX; matrix.n()];
    let mut count = 0;
    let mut open = Vec::new();
    for start in 0..matrix.n() {
        if part[start] != u32::MAX {
            continue;
        }
        part[start] = count;
        open.push(start);
        while let Some(i) = open.pop() {
            for other in matrix.row(i).0 {
                if part[*other as usize] == u32::MAX {
                    part[*other as usize] = count;
                    open.push(*other as usize);
                }
            }
        }
        count += 1;
    }
    (part, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides::fill;
    use crate::solid::Surface;
    use stokeslet_dynamics::grid::{Lattice, Shape};

    fn noise(u: &mut [f64], seed: usize) {
        for (i, u) in u.iter_mut().enumerate() {
            *u = ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.5;
        }
    }

    /// Projects noise; returns the divergence left, the iterations and by how much a second projection changes it.
    fn project<const D: usize>(
        grid: &Grid<D>,
        sides: &Sides<D>,
        solid: Option<&Solid<D>>,
    ) -> (f64, usize, f64) {
        let mut u = grid.zeros();
        for (axis, u) in u.iter_mut().enumerate() {
            noise(u, axis);
        }
        fill(grid, sides, 0.0, &mut u, 1.0);
        let domain = Domain {
            grid,
            sides,
            solid,
            time: 0.0,
        };
        let pressure = Pressure::new(&domain);
        let limits = Limits {
            tolerance: 1e-12,
            iterations: 100,
        };
        let mut p = vec![0.0; grid.cells.len()];
        let solved = pressure.project(&domain, &mut u, &mut p, limits).unwrap();
        let left = inf_norm(&pressure.outflow(&domain, &u));
        let once = u.clone();
        p.fill(0.0);
        pressure.project(&domain, &mut u, &mut p, limits).unwrap();
        let change = once
            .iter()
            .flatten()
            .zip(u.iter().flatten())
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        (left, solved.iterations, change)
    }

    #[test]
    fn noise_loses_its_divergence_whatever_the_ends() {
        let grid = Grid::<2> {
            cells: Lattice::new([32, 16]),
            low: [-2.0, -1.0],
            dx: 0.125,
        };
        let mut tunnel = Sides::all(Condition::Slip);
        tunnel.ends[0] = [Condition::Inflow([1.0, 0.0]), Condition::Free];
        let disc = Solid::new(&grid, vec![Shape::ball([0.0; 2], 0.5)], Surface::Slip);
        for (sides, solid) in [
            (Sides::all(Condition::Periodic), None),
            (Sides::all(Condition::Slip), None),
            (tunnel.clone(), None),
            (tunnel, disc.as_ref()),
        ] {
            let (left, iterations, change) = project(&grid, &sides, solid);
            assert!(left < 1e-11 && change < 1e-10, "{left} {change}");
            assert!(iterations <= 25, "{iterations} iterations");
        }
        let space = Grid::<3> {
            cells: Lattice::cube(8),
            low: [0.0; 3],
            dx: 0.125,
        };
        let (left, iterations, _) = project(&space, &Sides::all(Condition::Periodic), None);
        assert!(left < 1e-11 && iterations <= 25, "{left} {iterations}");
    }

    #[test]
    fn inflow_without_an_outlet_is_an_error() {
        let grid = Grid::<2> {
            cells: Lattice::cube(8),
            low: [0.0; 2],
            dx: 0.125,
        };
        let mut sides = Sides::all(Condition::Slip);
        sides.ends[0][0] = Condition::Inflow([1.0, 0.0]);
        let mut u = grid.zeros();
        fill(&grid, &sides, 0.0, &mut u, 1.0);
        let domain = Domain {
            grid: &grid,
            sides: &sides,
            solid: None,
            time: 0.0,
        };
        let pressure = Pressure::new(&domain);
        let limits = Limits {
            tolerance: 1e-9,
            iterations: 50,
        };
        let error = pressure
            .project(&domain, &mut u, &mut [0.0; 64], limits)
            .unwrap_err();
        assert_eq!(error, PressureError::NoOutlet { net: 8.0 });
    }
}
