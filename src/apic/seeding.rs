//! Where particles start.

use serde::{Deserialize, Serialize};
use stokeslet_dynamics::grid::Lattice;
use stokeslet_dynamics::particles::hash_unit;

use crate::grid::Grid;
use crate::sides::Sides;

/// How particles are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seeding {
    /// `2^D` a cell in rows.
    Regular,
    /// As regular, each moved by up to a quarter of its share of the cell.
    #[default]
    Jittered,
    /// No two nearer than a radius (blue noise): about 3.8 a cell in the plane.
    Poisson,
}

/// The least distance of [`Seeding::Poisson`], in cells, by dimension.
#[must_use]
pub fn radius(dimension: usize) -> f64 {
    if dimension == 2 { 0.417 } else { 0.56 }
}

/// Darts thrown at each cell, by dimension. The count grows like one over the root of their number towards that of a full plane (4.0 a
/// cell): 40 give 3.3, 360 give the 3.76 of the specification.
fn darts(dimension: usize) -> u32 {
    if dimension == 2 { 360 } else { 60 }
}

/// Positions of particles in all cells, the same for the same grid.
#[must_use]
pub fn seed<const D: usize>(grid: &Grid<D>, sides: &Sides<D>, how: Seeding) -> Vec<[f64; D]> {
    let cells = grid.cells;
    let in_metres =
        |x: [f64; D]| -> [f64; D] { std::array::from_fn(|k| grid.low[k] + x[k] * grid.dx) };
    match how {
        Seeding::Poisson => poisson(&cells, sides).into_iter().map(in_metres).collect(),
        Seeding::Regular | Seeding::Jittered => {
            let by = if how == Seeding::Regular { 0.0 } else { 0.25 };
            let mut seed = 0u32;
            let mut all = Vec::with_capacity(cells.len() << D);
            for i in 0..cells.len() {
                let c = cells.coordinates(i);
                for part in 0..1usize << D {
                    let x = std::array::from_fn(|k| {
                        seed = seed.wrapping_add(1);
                        let at = (part >> k & 1) as f64 + 0.5 + by * (2.0 * hash_unit(seed) - 1.0);
                        c[k] as f64 + 0.5 * at
                    });
                    all.push(in_metres(x));
                }
            }
            all
        }
    }
}

/// Darts that stick where no other is near; a dart for every cell in turn, so that the set grows evenly.
fn poisson<const D: usize>(cells: &Lattice<D>, sides: &Sides<D>) -> Vec<[f64; D]> {
    let least = radius(D).powi(2);
    let mut of_cell: Vec<Vec<[f64; D]>> = vec![Vec::new(); cells.len()];
    let around = Lattice::<D>::cube(3);
    let mut seed = 0u32;
    for _ in 0..darts(D) {
        for i in 0..cells.len() {
            let c = cells.coordinates(i);
            let x: [f64; D] = std::array::from_fn(|k| {
                seed = seed.wrapping_add(1);
                c[k] as f64 + hash_unit(seed)
            });
            let is_free = (0..around.len()).all(|j| {
                let o = around.coordinates(j);
                let mut shift = [0.0; D];
                let mut other = [0usize; D];
                for k in 0..D {
                    let n = cells.n[k];
                    let at = c[k] + o[k];
                    // Neighbours are counted from -1.
                    if at == 0 || at > n {
                        if !sides.is_periodic(k) {
                            return true;
                        }
                        shift[k] = if at == 0 { -(n as f64) } else { n as f64 };
                    }
                    other[k] = (at + n - 1) % n;
                }
                of_cell[cells.index(other)].iter().all(|p| {
                    let d: f64 = (0..D).map(|k| (p[k] + shift[k] - x[k]).powi(2)).sum();
                    d >= least
                })
            });
            if is_free {
                of_cell[i].push(x);
            }
        }
    }
    of_cell.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sides::Condition;

    #[test]
    fn poisson_discs_keep_their_distance_across_periodic_ends_too() {
        let grid = Grid::<2> {
            cells: Lattice::cube(12),
            low: [0.0; 2],
            dx: 1.0,
        };
        let x = seed(&grid, &Sides::all(Condition::Periodic), Seeding::Poisson);
        let per_cell = x.len() as f64 / 144.0;
        assert!((3.65..3.9).contains(&per_cell), "{per_cell} a cell");
        for (i, a) in x.iter().enumerate() {
            for b in &x[..i] {
                let d: f64 = (0..2)
                    .map(|k| {
                        let d = (a[k] - b[k]).abs();
                        d.min(12.0 - d).powi(2)
                    })
                    .sum();
                assert!(d.sqrt() >= 0.417, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn rows_are_in_the_quarters_of_cells() {
        let grid = Grid::<3> {
            cells: Lattice::cube(2),
            low: [1.0; 3],
            dx: 0.5,
        };
        let x = seed(&grid, &Sides::all(Condition::Slip), Seeding::Regular);
        assert_eq!(x.len(), 64);
        assert_eq!((x[0], x[7]), ([1.125; 3], [1.375; 3]));
    }
}
