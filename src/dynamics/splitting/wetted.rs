//! Which cells hold liquid, and which of their faces are at walls.

use super::SplitError;
use crate::grid::{CellFlag, Lattice, Mac};

/// A face of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Face {
    /// The axis that it is across.
    pub axis: u8,
    /// Its place on `cells.faces(axis)`.
    pub index: u32,
}

impl Face {
    /// The velocity through it.
    #[inline]
    pub fn of<const D: usize>(self, mac: &Mac<D>) -> f64 {
        mac.u[self.axis as usize][self.index as usize]
    }

    /// The velocity through it, to be changed.
    #[inline]
    pub fn of_mut<const D: usize>(self, mac: &mut Mac<D>) -> &mut f64 {
        &mut mac.u[self.axis as usize][self.index as usize]
    }
}

/// A face between liquid and solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallFace {
    /// The face.
    pub face: Face,
    /// The liquid's place in [`Wetted::of`].
    pub fluid: u32,
    /// The cell on the other side.
    pub solid: u32,
    /// +1 where the liquid is above the wall along the axis, -1 where it is below: times the velocity, that is away from the wall.
    pub away: f64,
}

/// Cells of liquid with their faces.
#[derive(Clone, Debug)]
pub struct Wetted<const D: usize> {
    /// All cells.
    pub cells: Lattice<D>,
    /// The cells of liquid, ascending.
    pub of: Vec<u32>,
    /// Per cell of liquid and axis, its lower face; the upper one is a stride on.
    pub lower: Vec<[u32; D]>,
    /// Faces at walls, by cell of liquid, then axis, the lower first.
    pub walls: Vec<WallFace>,
    /// Stride to the upper face, per axis.
    pub up: [u32; D],
}

impl<const D: usize> Wetted<D> {
    /// From flags.
    ///
    /// # Errors
    /// [`SplitError::Flags`] if there isn't one a cell; [`SplitError::Unwalled`] if liquid touches the edge of the grid, which has to
    /// have a layer of solid (or air) cells around.
    pub fn new(cells: Lattice<D>, flags: &[CellFlag]) -> Result<Self, SplitError> {
        if flags.len() != cells.len() {
            return Err(SplitError::Flags {
                flags: flags.len(),
                cells: cells.len(),
            });
        }
        let faces: [Lattice<D>; D] = std::array::from_fn(|a| cells.faces(a));
        let mut wetted = Self {
            cells,
            of: Vec::new(),
            lower: Vec::new(),
            walls: Vec::new(),
            up: std::array::from_fn(|a| faces[a].stride(a) as u32),
        };
        for cell in (0..cells.len()).filter(|c| flags[*c] == CellFlag::Fluid) {
            let c = cells.coordinates(cell);
            if cells.is_outermost(c) {
                return Err(SplitError::Unwalled { cell });
            }
            let fluid = wetted.of.len() as u32;
            let lower = std::array::from_fn(|a| faces[a].index(c) as u32);
            for (axis, low) in lower.iter().enumerate() {
                let sides = [
                    (cell - cells.stride(axis), *low, 1.0),
                    (cell + cells.stride(axis), low + wetted.up[axis], -1.0),
                ];
                for (solid, index, away) in sides {
                    if flags[solid] == CellFlag::Solid {
                        wetted.walls.push(WallFace {
                            face: Face {
                                axis: axis as u8,
                                index,
                            },
                            fluid,
                            solid: solid as u32,
                            away,
                        });
                    }
                }
            }
            wetted.of.push(cell as u32);
            wetted.lower.push(lower);
        }
        Ok(wetted)
    }

    /// How many cells of liquid.
    pub fn n(&self) -> usize {
        self.of.len()
    }

    /// Net outflow of a cell of liquid, by its place in [`Wetted::of`].
    #[inline]
    pub fn divergence(&self, mac: &Mac<D>, i: usize) -> f64 {
        let mut sum = 0.0;
        for (axis, low) in self.lower[i].iter().enumerate() {
            let u = &mac.u[axis];
            sum += u[(low + self.up[axis]) as usize] - u[*low as usize];
        }
        sum
    }

    /// The largest |div u| of any cell of liquid; NaN if there is one.
    pub fn max_divergence(&self, mac: &Mac<D>) -> f64 {
        largest((0..self.n()).map(|i| self.divergence(mac, i)))
    }

    /// The largest component on any face of liquid; NaN if there is one.
    pub fn max_speed(&self, mac: &Mac<D>) -> f64 {
        largest(self.lower.iter().flat_map(|lower| {
            lower.iter().enumerate().flat_map(|(axis, low)| {
                let u = &mac.u[axis];
                [u[*low as usize], u[(low + self.up[axis]) as usize]]
            })
        }))
    }

    /// Sets the velocity to 0 on the walls that are not open.
    pub fn close(&self, open: &[bool], mac: &mut Mac<D>) {
        for (wall, open) in self.walls.iter().zip(open) {
            if !open {
                *wall.face.of_mut(mac) = 0.0;
            }
        }
    }
}

/// The largest absolute value; NaN if there is one.
fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |m: f64, v| {
        let a = v.abs();
        if a > m || a.is_nan() { a } else { m }
    })
}
