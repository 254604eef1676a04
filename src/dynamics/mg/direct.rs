//! The pressure matrix from open fractions and the liquid's level set; on coarse levels, from averages of both.

use std::sync::Arc;

use stokeslet_base::parallel;

use crate::grid::Lattice;
use crate::linear::{Builder, Matrix, Real};

/// Where the surface crosses between two cells is never taken to be nearer to the liquid's than this part of their distance.
pub const LEAST_THETA: f64 = 0.01;

/// What the pressure matrix is made of.
#[derive(Clone, Debug)]
pub struct Geometry<const D: usize> {
    /// Side of a cell.
    pub dx: f64,
    /// Time step over density.
    pub dt: f64,
    /// Open part of every face.
    pub open: Arc<[Vec<f32>; D]>,
    /// The liquid's level set at cell centres, continued into walls.
    pub liquid: Arc<Vec<f64>>,
}

/// How the surface between liquid and air enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Air {
    /// Pressure 0 where the level set is 0 (ghost fluid).
    Ghost,
    /// Pressure 0 at the centre of the air's cell.
    Centre,
}

/// The distance from a liquid cell's centre to the surface towards an air cell, as a part of their distance.
pub fn theta(liquid: f64, air: f64) -> f64 {
    (liquid / (liquid - air)).max(LEAST_THETA)
}

/// The matrix of `-dt div grad` on liquid cells, and the cells.
///
/// ```text
/// t = V_f dt / dx²;   liquid neighbour: A_ii += t, A_in -= t;   air: A_ii += t / theta
/// ```
/// # Shapes and units
/// - returns the cells that are unknowns (liquid, not in the outermost layer, with an open face), ascending, and `A` on them
/// # Source
/// \[000\] (3.38), (3.40).
pub fn discretise<T: Real, const D: usize>(
    cells: &Lattice<D>,
    geometry: &Geometry<D>,
    air: Air,
) -> (Vec<u32>, Matrix<T>) {
    let liquid = &geometry.liquid;
    let scale = geometry.dt / (geometry.dx * geometry.dx);
    // Per face of a cell: neighbour, and V dt / dx²; the lower faces from the last axis to the first, then the upper ones, so
    // that neighbours ascend.
    let faces = |i: usize, c: [usize; D]| -> [(usize, f64); 6] {
        let mut all = [(usize::MAX, 0.0); 6];
        for a in 0..D {
            let lattice = cells.faces(a);
            let low = lattice.index(c);
            let stride = cells.stride(a);
            all[D - 1 - a] = (i - stride, scale * f64::from(geometry.open[a][low]));
            all[D + a] = (
                i + stride,
                scale * f64::from(geometry.open[a][low + lattice.stride(a)]),
            );
        }
        all
    };
    let of: Vec<u32> = cells.filter_map(|i, c| {
        (liquid[i] < 0.0 && !cells.is_outermost(c) && faces(i, c).iter().any(|f| f.1 > 0.0))
            .then_some(i as u32)
    });
    let mut unknown = vec![u32::MAX; cells.len()];
    for (i, cell) in of.iter().enumerate() {
        unknown[*cell as usize] = i as u32;
    }
    let mut builder = Builder::new(of.len());
    for cell in &of {
        let i = *cell as usize;
        let mut diagonal = 0.0;
        for (n, t) in faces(i, cells.coordinates(i)) {
            if t <= 0.0 {
                continue;
            }
            if liquid[n] < 0.0 {
                diagonal += t;
                if unknown[n] != u32::MAX {
                    builder.entry(unknown[n] as usize, T::of(-t));
                }
            } else if air == Air::Ghost {
                diagonal += t / theta(liquid[i], liquid[n]);
            } else {
                diagonal += t;
            }
        }
        builder.end_row(T::of(diagonal));
    }
    (of, builder.finish())
}

impl<const D: usize> Geometry<D> {
    /// The same on cells twice as wide: means of what they cover.
    ///
    /// # Shapes and units
    /// - `bubbles`: whether a cell whose children disagree takes the mean of the positive ones only, so that air isn't lost
    /// # Source
    /// \[001\] (15) and the two cases below it (its `C` finest levels keep bubbles).
    pub fn coarser(&self, fine: &Lattice<D>, coarse: &Lattice<D>, bubbles: Bubbles) -> Self {
        let children = 1usize << D;
        let child = |c: [usize; D], k: usize| std::array::from_fn(|a| 2 * c[a] + (k >> a & 1));
        let liquid = parallel::fill(coarse.len(), 4096, |i| {
            let c = coarse.coordinates(i);
            let (mut sum, mut air, mut n_air) = (0.0, 0.0, 0);
            for k in 0..children {
                let v = self.liquid[fine.index(child(c, k))];
                sum += v;
                if v > 0.0 {
                    air += v;
                    n_air += 1;
                }
            }
            if bubbles == Bubbles::Kept && n_air > 0 && n_air < children {
                air / n_air as f64
            } else {
                sum / children as f64
            }
        });
        let open = std::array::from_fn(|axis| {
            let (from, to) = (fine.faces(axis), coarse.faces(axis));
            parallel::fill(to.len(), 4096, |i| {
                let c = to.coordinates(i);
                let mut sum = 0.0;
                for k in (0..children).filter(|k| k >> axis & 1 == 0) {
                    sum += self.open[axis][from.index(child(c, k))];
                }
                sum / (children / 2) as f32
            })
        });
        Self {
            dx: 2.0 * self.dx,
            dt: self.dt,
            open: Arc::new(open),
            liquid: Arc::new(liquid),
        }
    }
}

/// What becomes of air smaller than a coarse cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bubbles {
    /// Any air in a cell keeps it air.
    Kept,
    /// The mean decides.
    Averaged,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(n: usize, liquid: impl Fn([usize; 2]) -> f64) -> (Lattice<2>, Geometry<2>) {
        let cells = Lattice::<2>::cube(n);
        let g = Geometry {
            dx: 1.0,
            dt: 1.0,
            open: Arc::new(std::array::from_fn(|a| vec![1.0; cells.faces(a).len()])),
            liquid: Arc::new(
                (0..cells.len())
                    .map(|i| liquid(cells.coordinates(i)))
                    .collect(),
            ),
        };
        (cells, g)
    }

    #[test]
    fn a_flat_surface_gives_the_ghost_fluids_diagonal() {
        // Liquid below y = 3.25 (in cells): theta of the top cells (centre 2.5) is 3/4.
        let (cells, g) = geometry(6, |c| c[1] as f64 + 0.5 - 3.25);
        let (of, a) = discretise::<f64, 2>(&cells, &g, Air::Ghost);
        assert_eq!(of.len(), 8, "two rows of four");
        assert!((a.diagonal[4] - (3.0 + 4.0 / 3.0)).abs() < 1e-14);
        assert_eq!(a.asymmetry(), 0.0);
        let (_, plain) = discretise::<f64, 2>(&cells, &g, Air::Centre);
        assert_eq!(plain.diagonal[4], 4.0);
    }

    #[test]
    fn a_bubble_stays_air_on_coarse_cells_if_asked_to() {
        let (cells, g) = geometry(8, |c| if c == [3, 3] { 0.5 } else { -1.0 });
        let half = Lattice::cube(4);
        let at = half.index([1, 1]);
        assert_eq!(g.coarser(&cells, &half, Bubbles::Kept).liquid[at], 0.5);
        assert_eq!(
            g.coarser(&cells, &half, Bubbles::Averaged).liquid[at],
            -0.625
        );
    }
}
