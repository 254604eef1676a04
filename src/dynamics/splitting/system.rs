//! The pressure equations of a liquid whose walls are closed or act as air.

use super::{Face, Wetted};
use crate::grid::{CellFlag, Mac};
use crate::linear::{Builder, Matrix};
use crate::mg::Places;
use crate::pressure::{Pocket, close_pockets};

/// No unknown: air, or a wall that acts as it.
const NONE: u32 = u32::MAX;

/// A face that the pressure moves: `u -= p_high - p_low`, 0 where there is no unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The face.
    pub face: Face,
    /// Unknown below; `u32::MAX` for air.
    pub low: u32,
    /// Unknown above.
    pub high: u32,
}

/// `A p = -div u`, cell units.
///
/// ```text
/// A_ii = number of faces that are not closed walls,  A_ij = -1 for neighbours in liquid
/// faces    liquid|liquid: u -= p_b - p_a     liquid|air: p_air = 0     liquid|open wall: as air     liquid|closed wall: u = 0
/// ```
/// # Source
/// \[003\] section 2.1.3.1 and figure 3.2.
#[derive(Clone, Debug)]
pub struct System<const D: usize> {
    /// `A`. In parts of the liquid that touch no air one diagonal entry is doubled, which sets its pressure to 0.
    pub matrix: Matrix<f64>,
    /// Cells of the unknowns: all of the liquid but cells with closed walls all around.
    pub places: Places<D>,
    /// Places of the unknowns in [`Wetted::of`].
    pub wet: Vec<u32>,
    /// Faces that the pressure moves, each once.
    pub moves: Vec<Move>,
    /// Parts of the liquid that touch no air.
    pub pockets: Vec<Pocket>,
    /// Which walls are open, beside [`Wetted::walls`].
    pub open: Vec<bool>,
}

impl<const D: usize> System<D> {
    /// Sets up the equations.
    ///
    /// # Shapes and units
    /// - `open`: beside [`Wetted::walls`], those that act as air
    pub fn new(wetted: &Wetted<D>, flags: &[CellFlag], open: &[bool]) -> Self {
        assert_eq!(open.len(), wetted.walls.len(), "one for each wall face");
        let cells = wetted.cells;
        let mut closed = vec![0u8; wetted.n()];
        let mut is_closed: [Vec<bool>; D] =
            std::array::from_fn(|a| vec![false; cells.faces(a).len()]);
        for (wall, _) in wetted.walls.iter().zip(open).filter(|(_, open)| !**open) {
            closed[wall.fluid as usize] += 1;
            is_closed[wall.face.axis as usize][wall.face.index as usize] = true;
        }
        let wet: Vec<u32> = (0..wetted.n() as u32)
            .filter(|i| usize::from(closed[*i as usize]) < 2 * D)
            .collect();
        let mut unknown = vec![NONE; cells.len()];
        for (k, i) in wet.iter().enumerate() {
            unknown[wetted.of[*i as usize] as usize] = k as u32;
        }
        let mut builder = Builder::new(wet.len());
        let mut moves = Vec::new();
        for (k, i) in wet.iter().enumerate() {
            let cell = wetted.of[*i as usize] as usize;
            for axis in (0..D).rev() {
                let below = unknown[cell - cells.stride(axis)];
                if below != NONE {
                    builder.entry(below as usize, -1.0);
                }
            }
            for (axis, low) in wetted.lower[*i as usize].iter().enumerate() {
                let face = |index| Face {
                    axis: axis as u8,
                    index,
                };
                let (below, above) = (cell - cells.stride(axis), cell + cells.stride(axis));
                if !is_closed[axis][*low as usize] {
                    moves.push(Move {
                        face: face(*low),
                        low: unknown[below],
                        high: k as u32,
                    });
                }
                let high = low + wetted.up[axis];
                if unknown[above] != NONE {
                    builder.entry(unknown[above] as usize, -1.0);
                } else if !is_closed[axis][high as usize] && flags[above] != CellFlag::Fluid {
                    moves.push(Move {
                        face: face(high),
                        low: k as u32,
                        high: NONE,
                    });
                }
            }
            builder.end_row((2 * D) as f64 - f64::from(closed[*i as usize]));
        }
        let mut matrix = builder.finish();
        let n = wet.len();
        let pockets = close_pockets(&mut matrix, &mut vec![0.0; n], &mut vec![false; n]);
        let places = Places {
            cells,
            of: wet.iter().map(|i| wetted.of[*i as usize]).collect(),
            solid: None,
        };
        Self {
            matrix,
            places,
            wet,
            moves,
            pockets,
            open: open.to_vec(),
        }
    }

    /// `u -= grad p`.
    pub fn subtract_gradient(&self, p: &[f64], mac: &mut Mac<D>) {
        let at = |i: u32| if i == NONE { 0.0 } else { p[i as usize] };
        for m in &self.moves {
            *m.face.of_mut(mac) -= at(m.high) - at(m.low);
        }
    }
}
