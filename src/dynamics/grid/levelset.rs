//! Level sets: signed distances on nodes, and what they say of cells.

use super::Lattice;

/// A function on the nodes of a lattice of cells.
pub fn nodal_distance<const D: usize>(
    cells: &Lattice<D>,
    dx: f64,
    distance: &(dyn Fn([f64; D]) -> f64 + Sync),
) -> Vec<f64> {
    cells.nodes().map(|_, c| distance(c.map(|c| c as f64 * dx)))
}

/// The mean of a cell's corners: the value at its centre.
pub fn centre_value<const D: usize>(cells: &Lattice<D>, phi: &[f64], c: [usize; D]) -> f64 {
    let mut sum = 0.0;
    for_corners(cells, c, |node| sum += phi[node]);
    sum / (1usize << D) as f64
}

/// Whether a corner of the cell lies in solid (`phi < 0`).
pub fn corner_is_solid<const D: usize>(cells: &Lattice<D>, phi: &[f64], c: [usize; D]) -> bool {
    let mut any = false;
    for_corners(cells, c, |node| any |= phi[node] < 0.0);
    any
}

fn for_corners<const D: usize>(cells: &Lattice<D>, c: [usize; D], mut visit: impl FnMut(usize)) {
    let nodes = cells.nodes();
    let base = nodes.index(c);
    for corner in 0..1usize << D {
        let mut at = base;
        for a in 0..D {
            at += nodes.stride(a) * (corner >> a & 1);
        }
        visit(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_seen_by_the_cells_it_cuts() {
        let cells = Lattice::<2>::cube(4);
        let phi = nodal_distance(&cells, 1.0, &|x| x[0] - 1.5);
        assert!(corner_is_solid(&cells, &phi, [1, 2]) && !corner_is_solid(&cells, &phi, [2, 2]));
        assert!(centre_value(&cells, &phi, [1, 0]).abs() < 1e-15);
    }
}
