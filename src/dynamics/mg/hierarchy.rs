//! From a system on cells to ever coarser ones.

use std::borrow::Cow;

use super::direct::Bubbles;
use super::{Air, Geometry, Places, Sides, Surfaces, Transfer, Weights, discretise, galerkin};
use crate::linear::{Matrix, Real, Sweeper};

/// Coarsening ends when a side has this many cells or fewer.
const COARSEST: usize = 4;
/// Direct discretisation keeps bubbles on this many coarse levels (\[001\]'s C).
const BUBBLE_LEVELS: usize = 2;

/// Where coarse matrices come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coarse {
    /// `Pᵀ A P`.
    Galerkin,
    /// The discretisation again, on averaged geometry (\[001\]); Galerkin where there is no geometry.
    Direct,
}

/// How a hierarchy is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Interpolation.
    pub weights: Weights,
    /// At solids.
    pub sides: Sides,
    /// Beside air; direct coarse matrices know the air themselves.
    pub surfaces: Surfaces,
    /// Coarse matrices.
    pub coarse: Coarse,
}

impl Default for Recipe {
    /// Barycentric, one-sided, Galerkin: the paper's, but for damped surfaces.
    fn default() -> Self {
        Self {
            weights: Weights::Barycentric,
            sides: Sides::OneSided,
            surfaces: Surfaces::Damped,
            coarse: Coarse::Galerkin,
        }
    }
}

/// One level.
#[derive(Clone, Debug)]
pub struct Level<'a, T: Real, const D: usize> {
    /// Its cells and unknowns; the finest one's are usually the problem's own.
    pub places: Cow<'a, Places<D>>,
    /// Its matrix; the finest one is usually the problem's own.
    pub matrix: Cow<'a, Matrix<T>>,
    /// From the next coarser level; none on the coarsest.
    pub transfer: Option<Transfer<T>>,
    /// Sweeps over it.
    pub sweeper: Sweeper<T>,
}

/// Levels, the finest first.
#[derive(Clone, Debug)]
pub struct Hierarchy<'a, T: Real, const D: usize> {
    /// The levels.
    pub levels: Vec<Level<'a, T, D>>,
}

impl<'a, T: Real, const D: usize> Hierarchy<'a, T, D> {
    /// Builds all levels under a matrix.
    ///
    /// # Shapes and units
    /// - `geometry`: of the finest level, for [`Coarse::Direct`]
    pub fn new(
        matrix: Cow<'a, Matrix<T>>,
        places: Cow<'a, Places<D>>,
        geometry: Option<&Geometry<D>>,
        recipe: Recipe,
    ) -> Self {
        let mut levels: Vec<Level<'a, T, D>> = Vec::new();
        let mut geometry = match recipe.coarse {
            Coarse::Direct => geometry.cloned(),
            Coarse::Galerkin => None,
        };
        let (mut matrix, mut places) = (matrix, places);
        loop {
            let depth = levels.len() as u32;
            let next = coarser(&places, &matrix, geometry.as_ref(), depth, recipe);
            let (transfer, coarse) = match next {
                Some(c) => (
                    Some(c.transfer),
                    Some((Cow::Owned(c.matrix), Cow::Owned(c.places), c.geometry)),
                ),
                None => (None, None),
            };
            levels.push(Level {
                places,
                sweeper: Sweeper::new(&matrix),
                matrix,
                transfer,
            });
            match coarse {
                Some(coarse) => (matrix, places, geometry) = coarse,
                None => return Self { levels },
            }
        }
    }

    /// Builds only the first coarse level; how many unknowns it has. For timing.
    pub fn first_coarse(
        matrix: &Matrix<T>,
        places: &Places<D>,
        geometry: Option<&Geometry<D>>,
        recipe: Recipe,
    ) -> Option<usize> {
        let geometry = geometry.filter(|_| recipe.coarse == Coarse::Direct);
        coarser(places, matrix, geometry, 0, recipe).map(|c| c.matrix.n())
    }

    /// The scale of restriction: `1 / 2^D`.
    pub fn scale() -> T {
        T::of(1.0 / (1usize << D) as f64)
    }
}

struct Coarser<T, const D: usize> {
    transfer: Transfer<T>,
    matrix: Matrix<T>,
    places: Places<D>,
    geometry: Option<Geometry<D>>,
}

fn coarser<T: Real, const D: usize>(
    places: &Places<D>,
    matrix: &Matrix<T>,
    geometry: Option<&Geometry<D>>,
    depth: u32,
    recipe: Recipe,
) -> Option<Coarser<T, D>> {
    if places.cells.n.iter().any(|n| *n <= COARSEST) {
        return None;
    }
    let cells = places.cells.halved()?;
    let geometry = geometry.map(|g| {
        let bubbles = if (depth as usize) < BUBBLE_LEVELS {
            Bubbles::Kept
        } else {
            Bubbles::Averaged
        };
        g.coarser(&places.cells, &cells, bubbles)
    });
    let direct = geometry
        .as_ref()
        .map(|g| discretise::<T, D>(&cells, g, Air::Ghost));
    let (of, direct) = match direct {
        Some((of, matrix)) => (of, Some(matrix)),
        None => {
            let mut has_child = vec![false; cells.len()];
            for cell in &places.of {
                let c = places.cells.coordinates(*cell as usize);
                has_child[cells.index(c.map(|c| c / 2))] = true;
            }
            let of = (0..cells.len() as u32)
                .filter(|i| has_child[*i as usize])
                .collect();
            (of, None)
        }
    };
    let coarse = Places {
        cells,
        of,
        solid: places.solid.clone(),
    };
    if coarse.of.is_empty() {
        return None;
    }
    let mut transfer = Transfer::new(places, &coarse, depth, recipe.weights, recipe.sides);
    if depth == 0 && direct.is_none() && recipe.surfaces == Surfaces::Damped {
        transfer.damp(matrix);
    }
    let matrix = direct.unwrap_or_else(|| galerkin(matrix, &transfer, Hierarchy::<T, D>::scale()));
    Some(Coarser {
        transfer,
        matrix,
        places: coarse,
        geometry,
    })
}
