//! The liquid's level set from its particles.

use stokeslet_base::parallel;

use super::CellList;
use crate::grid::{Lattice, centre_value};

/// Radius of a particle: a little over half the diagonal of a cell, so that a cell with a particle in it has liquid at its centre.
///
/// # Source
/// The public simulator of \[000\]: 1.02 dx / sqrt 2 in two dimensions, 1.01 dx sqrt 3 / 2 in three.
pub fn particle_radius<const D: usize>(dx: f64) -> f64 {
    if D == 2 {
        1.02 * dx / f64::sqrt(2.0)
    } else {
        1.01 * dx * f64::sqrt(3.0) / 2.0
    }
}

/// Distance of every cell's centre to the nearest particle's surface, at most 3 dx; negative in liquid.
///
/// # Shapes and units
/// - returns one value a cell; particles within the neighbouring cells count
pub fn distance_to_particles<const D: usize>(
    cells: &Lattice<D>,
    dx: f64,
    x: &[[f64; D]],
    list: &CellList<D>,
) -> Vec<f64> {
    let radius = particle_radius::<D>(dx);
    let row = cells.n[0];
    let mut distance = vec![3.0 * dx; cells.len()];
    let rows = 4096usize.div_ceil(row);
    parallel::pieces_mut(&mut distance, rows * row, |first, distance| {
        for (k, distance) in distance.chunks_mut(row).enumerate() {
            let mut c = cells.coordinates(first + k * row);
            // Most rows are far from all liquid.
            let rows = rows_around(cells, c, |first| {
                !list.between(first, first + row - 1).is_empty()
            });
            if rows.is_empty() {
                continue;
            }
            for (at, distance) in distance.iter_mut().enumerate() {
                c[0] = at;
                let centre = c.map(|c| (c as f64 + 0.5) * dx);
                let mut nearest = f64::INFINITY;
                for first in &rows {
                    let from = first + at.saturating_sub(1);
                    for p in list.between(from, first + (at + 1).min(row - 1)) {
                        let x = &x[*p as usize];
                        let square: f64 = (0..D).map(|a| (x[a] - centre[a]).powi(2)).sum();
                        nearest = nearest.min(square);
                    }
                }
                *distance = (nearest.sqrt() - radius).min(3.0 * dx);
            }
        }
    });
    distance
}

/// The first cells of the rows beside the row of `c`, and of that row itself, that are wanted.
fn rows_around<const D: usize>(
    cells: &Lattice<D>,
    c: [usize; D],
    wanted: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut rows = Vec::new();
    for k in 0..3usize.pow(D as u32 - 1) {
        let mut beside = c;
        beside[0] = 0;
        let inside = (1..D).all(|a| {
            let at = c[a] + k / 3usize.pow(a as u32 - 1) % 3;
            beside[a] = at.saturating_sub(1);
            (1..=cells.n[a]).contains(&at)
        });
        let first = cells.index(beside);
        if inside && wanted(first) {
            rows.push(first);
        }
    }
    rows
}

/// Continues liquid into the wall it touches, so that cells cut by the wall are unknowns: cells with liquid closer than half a
/// cell and their centre in solid become liquid.
pub fn extend_into_solid<const D: usize>(
    cells: &Lattice<D>,
    dx: f64,
    solid: &[f64],
    liquid: &mut [f64],
) {
    cells.for_each(liquid, |_, c, value| {
        if *value < 0.5 * dx && centre_value(cells, solid, c) < 0.0 {
            *value = -0.5 * dx;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Seeding, seed};

    #[test]
    fn every_cell_with_a_particle_is_liquid_wherever_it_is() {
        let cells = Lattice::<3>::cube(8);
        let x = seed(&cells, 0.125, Seeding::Hashed(1), &|x| x[0] < 0.5);
        let list = CellList::new(cells, 0.125, &x);
        let phi = distance_to_particles(&cells, 0.125, &x, &list);
        for (i, value) in phi.iter().enumerate() {
            if cells.coordinates(i)[0] < 4 {
                assert!(*value < 0.0);
            }
        }
        assert_eq!(phi[cells.index([7, 3, 3])], 0.375, "nothing near");
    }

    #[test]
    fn liquid_is_continued_only_into_solid() {
        let cells = Lattice::<2>::new([2, 1]);
        let mut liquid = vec![0.4, 0.4];
        extend_into_solid(
            &cells,
            1.0,
            &[-1.0, -1.0, 5.0, -1.0, -1.0, 5.0],
            &mut liquid,
        );
        assert_eq!(liquid, vec![-0.5, 0.4]);
    }
}
