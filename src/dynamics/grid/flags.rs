//! What a cell is, where a method asks for no more than that.

use super::{Lattice, centre_value};

/// What fills a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellFlag {
    /// Liquid: its pressure is unknown.
    Fluid,
    /// Wall: no flow through its faces.
    Solid,
    /// Nothing: pressure 0.
    Air,
}

/// Flags from level sets: solid where the solid's value at the centre is negative, else fluid where the liquid's is.
pub fn flags_of<const D: usize>(
    cells: &Lattice<D>,
    solid: &[f64],
    liquid: &[f64],
) -> Vec<CellFlag> {
    (0..cells.len())
        .map(|i| {
            if centre_value(cells, solid, cells.coordinates(i)) < 0.0 {
                CellFlag::Solid
            } else if liquid[i] < 0.0 {
                CellFlag::Fluid
            } else {
                CellFlag::Air
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::nodal_distance;

    #[test]
    fn solid_goes_before_liquid() {
        let cells = Lattice::<2>::new([3, 1]);
        let solid = nodal_distance(&cells, 1.0, &|x| x[0] - 1.0);
        let flags = flags_of(&cells, &solid, &[-1.0, -1.0, 1.0]);
        assert_eq!(flags, vec![CellFlag::Solid, CellFlag::Fluid, CellFlag::Air]);
    }
}
