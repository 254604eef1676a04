//! Which walls act as a free surface because the liquid leaves them.

use super::{Face, Marking, Wetted};
use crate::grid::Mac;

/// Walls that the liquid leaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Detached {
    /// Solid cells at them, ascending.
    pub cells: Vec<u32>,
    /// Beside [`Wetted::walls`], those that are opened.
    pub open: Vec<bool>,
}

impl Detached {
    /// None.
    pub fn none<const D: usize>(wetted: &Wetted<D>) -> Self {
        Self {
            cells: Vec::new(),
            open: vec![false; wetted.walls.len()],
        }
    }

    /// From the walls that are left; [`Marking::Cells`] opens all faces of their cells.
    pub fn of<const D: usize>(wetted: &Wetted<D>, left: &[bool], marking: Marking) -> Self {
        let mut cells: Vec<u32> = wetted
            .walls
            .iter()
            .zip(left)
            .filter(|(_, left)| **left)
            .map(|(wall, _)| wall.solid)
            .collect();
        cells.sort_unstable();
        cells.dedup();
        let open = match marking {
            Marking::Faces => left.to_vec(),
            Marking::Cells => wetted
                .walls
                .iter()
                .map(|wall| cells.binary_search(&wall.solid).is_ok())
                .collect(),
        };
        Self { cells, open }
    }

    /// Faces that are opened.
    pub fn faces<const D: usize>(&self, wetted: &Wetted<D>) -> Vec<Face> {
        let open = wetted.walls.iter().zip(&self.open);
        open.filter(|(_, open)| **open)
            .map(|(wall, _)| wall.face)
            .collect()
    }
}

/// Walls that the velocity points away from.
///
/// # Requires
/// `mac` after an update in which the walls acted as air.
/// # Source
/// \[003\] algorithm 3. Decided once a step: deciding anew in every iteration pushes liquid off by a cell and makes corners jitter.
pub fn detached_by_velocity<const D: usize>(
    wetted: &Wetted<D>,
    mac: &Mac<D>,
    marking: Marking,
) -> Detached {
    let left: Vec<bool> = wetted
        .walls
        .iter()
        .map(|wall| wall.away * wall.face.of(mac) > 0.0)
        .collect();
    Detached::of(wetted, &left, marking)
}

/// Walls beside liquid of pressure 0 or less.
///
/// # Shapes and units
/// - `p`: one a cell of liquid, beside [`Wetted::of`]
/// # Source
/// \[003\] section 4.5.
pub fn detached_by_pressure<const D: usize>(
    wetted: &Wetted<D>,
    p: &[f64],
    marking: Marking,
) -> Detached {
    let left: Vec<bool> = wetted
        .walls
        .iter()
        .map(|wall| p[wall.fluid as usize] <= 0.0)
        .collect();
    Detached::of(wetted, &left, marking)
}
