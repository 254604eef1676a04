//! Interpolation from coarse to fine unknowns.

use std::sync::Arc;

use stokeslet_base::parallel;

use crate::grid::{Lattice, sample};
use crate::linear::{Matrix, Real};

/// Which cell every unknown sits in, and where the solid is.
#[derive(Clone, Debug)]
pub struct Places<const D: usize> {
    /// The cells.
    pub cells: Lattice<D>,
    /// The cell of every unknown, ascending.
    pub of: Vec<u32>,
    /// The solid's distance on the nodes of the finest cells, positive in open space; none where there is no solid.
    pub solid: Option<Arc<Vec<f64>>>,
}

impl<const D: usize> Places<D> {
    /// The unknown of every cell, `u32::MAX` where there is none.
    pub fn unknowns(&self) -> Vec<u32> {
        let mut unknown = vec![u32::MAX; self.cells.len()];
        for (i, cell) in self.of.iter().enumerate() {
            unknown[*cell as usize] = i as u32;
        }
        unknown
    }

    /// Unknowns in cells whose coordinates have an even sum, then the others.
    pub fn colours(&self) -> Vec<u32> {
        let odd = |i: &u32| {
            let c = self.cells.coordinates(self.of[*i as usize] as usize);
            c.iter().sum::<usize>() % 2 == 1
        };
        let (odd, mut even): (Vec<u32>, Vec<u32>) = (0..self.of.len() as u32).partition(odd);
        even.extend(odd);
        even
    }
}

/// The weights of interpolation inside a coarse cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// A simplex: parent 1/2 and two neighbours 1/4 in the plane, parent and three neighbours 1/4 in space. \[000\] 5.3.2.
    Barycentric,
    /// (9, 3, 3, 1) / 16 and (27, 9, 9, 9, 3, 3, 3, 1) / 64.
    Trilinear,
    /// The parent alone.
    Constant,
}

/// What becomes of coarse cells that are no unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sides {
    /// Weight of cells centred in solid goes to the others; weight of air is lost.
    OneSided,
    /// As [`Sides::OneSided`], and coarse cells that can't be seen from the fine one, because solid is between, count as solid.
    Visible,
    /// Every missing weight is lost.
    Simple,
    /// Every missing weight goes to the others, also of cells beyond the lattice: for domains that end in walls or repeat themselves.
    Closed,
    /// Only coarse cells whose centre is on the same side of the solid's surface as the fine one; the rest is shared out. The
    /// reading of \[000\] 5.3.3 that doubles the counts.
    CentreSign,
}

/// What interpolation makes of cells beside a free surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surfaces {
    /// Every row of `P` times the share of the cell's diagonal that belongs to other unknowns, which is what a Jacobi sweep makes
    /// of a constant: a cell close to the air is held near 0 whatever its neighbours do. On the finest level.
    Damped,
    /// As everywhere: the paper's. A bubble of one cell then pins a whole coarse cell, and a larger one on each coarser level.
    Plain,
}

/// `P` from one level to the next coarser one, by fine rows and by coarse rows.
#[derive(Clone, Debug)]
pub struct Transfer<T> {
    /// Where the rows of `P` begin.
    pub starts: Vec<u32>,
    /// Coarse unknowns.
    pub coarse: Vec<u32>,
    /// Their weights.
    pub weights: Vec<T>,
    /// The coarse unknown that holds every fine one, `u32::MAX` if it is none.
    pub parent: Vec<u32>,
    /// Where the rows of the transpose begin.
    pub back_starts: Vec<u32>,
    /// Fine unknowns.
    pub fine: Vec<u32>,
    /// Their weights.
    pub back_weights: Vec<T>,
}

/// At most this many coarse cells have a weight.
const MOST: usize = 8;

/// A fine cell's candidates among coarse cells: coordinates (perhaps off the lattice) and weights, the parent first.
fn candidates<const D: usize>(
    weights: Weights,
    fine: [usize; D],
) -> ([([i64; D], f64); MOST], usize) {
    let parent = fine.map(|c| (c / 2) as i64);
    let side = fine.map(|c| if c % 2 == 1 { 1 } else { -1 });
    let mut all = [(parent, 0.0); MOST];
    let count = match weights {
        Weights::Constant => {
            all[0].1 = 1.0;
            1
        }
        Weights::Barycentric => {
            all[0].1 = if D == 2 { 0.5 } else { 0.25 };
            for a in 0..D {
                all[a + 1].0[a] += side[a];
                all[a + 1].1 = 0.25;
            }
            D + 1
        }
        Weights::Trilinear => {
            for (corner, (c, weight)) in all.iter_mut().enumerate().take(1 << D) {
                *weight = 1.0;
                for a in 0..D {
                    if corner >> a & 1 == 1 {
                        c[a] += side[a];
                        *weight *= 0.25;
                    } else {
                        *weight *= 0.75;
                    }
                }
            }
            1 << D
        }
    };
    (all, count)
}

/// The solid as seen from the cells of a level.
struct Solid<'a, const D: usize> {
    phi: Option<&'a [f64]>,
    /// Nodes of the finest level.
    nodes: Lattice<D>,
    /// Sides of the finest cell in a cell of the fine level.
    width: f64,
}

impl<const D: usize> Solid<'_, D> {
    /// In units of the finest cell.
    fn centre(c: [i64; D], width: f64) -> [f64; D] {
        c.map(|c| (c as f64 + 0.5) * width)
    }

    fn is_solid(&self, x: [f64; D]) -> bool {
        // Centres of coarse cells are nodes: no need to interpolate.
        let is_node =
            (0..D).all(|a| x[a].fract() == 0.0 && (0.0..self.nodes.n[a] as f64).contains(&x[a]));
        self.phi.is_some_and(|phi| {
            if is_node {
                phi[self.nodes.index(x.map(|x| x as usize))] < 0.0
            } else {
                sample(&self.nodes, phi, x) < 0.0
            }
        })
    }

    /// Whether solid lies between two points in open space: sampled every quarter of a finest cell.
    fn is_parted(&self, from: [f64; D], to: [f64; D]) -> bool {
        if self.is_solid(from) || self.is_solid(to) {
            return false;
        }
        let length = (0..D)
            .map(|a| (to[a] - from[a]).powi(2))
            .sum::<f64>()
            .sqrt();
        let steps = (4.0 * length).ceil() as usize;
        (1..steps).any(|k| {
            let t = k as f64 / steps as f64;
            self.is_solid(std::array::from_fn(|a| from[a] + t * (to[a] - from[a])))
        })
    }
}

impl<T: Real> Transfer<T> {
    /// Interpolation between two levels.
    ///
    /// # Shapes and units
    /// - `fine`, `coarse`: the coarse lattice has half the extents of the fine one
    /// - `depth`: how many levels finer than `fine` the solid's nodes are
    pub fn new<const D: usize>(
        fine: &Places<D>,
        coarse: &Places<D>,
        depth: u32,
        weights: Weights,
        sides: Sides,
    ) -> Self {
        let unknown = coarse.unknowns();
        let width = f64::from(1u32 << depth);
        let solid = Solid {
            phi: fine.solid.as_deref().map(Vec::as_slice),
            nodes: Lattice::new(fine.cells.n.map(|n| (n << depth) + 1)),
            width,
        };
        let chunks: Vec<_> = fine
            .of
            .chunks(fine.of.len().div_ceil(16).max(1024))
            .collect();
        let chunks = parallel::each(&chunks, 1, |of| {
            let mut rows = Rows::default();
            for cell in *of {
                let c = fine.cells.coordinates(*cell as usize);
                rows.parent
                    .push(unknown[coarse.cells.index(c.map(|c| c / 2))]);
                let (row, count) = row(&solid, coarse, &unknown, c, weights, sides);
                for (c, w) in &row[..count] {
                    rows.coarse.push(*c);
                    rows.weights.push(T::of(*w));
                }
                rows.lengths.push(count as u8);
            }
            rows
        });
        let mut starts = Vec::with_capacity(fine.of.len() + 1);
        starts.push(0u32);
        let (mut columns, mut values, mut parent) = (Vec::new(), Vec::new(), Vec::new());
        let mut at = 0;
        for rows in chunks {
            for length in rows.lengths {
                at += u32::from(length);
                starts.push(at);
            }
            columns.extend(rows.coarse);
            values.extend(rows.weights);
            parent.extend(rows.parent);
        }
        let (back_starts, fine_of, back_weights) =
            transpose(&starts, &columns, &values, coarse.of.len());
        Self {
            starts,
            coarse: columns,
            weights: values,
            parent,
            back_starts,
            fine: fine_of,
            back_weights,
        }
    }

    /// [`Surfaces::Damped`] for the matrix of the fine level, whose off-diagonals must not be positive.
    pub fn damp(&mut self, matrix: &Matrix<T>) {
        let ones = vec![T::ONE; matrix.n()];
        let mut shares = vec![T::ONE; matrix.n()];
        matrix.map_rows(&ones, &mut shares, |i, held| {
            let share = T::ONE - held / matrix.diagonal[i];
            // A cell alone is nobody's neighbour, and a coarse cell above it must not be left without an equation.
            if share > T::ZERO { share } else { T::ONE }
        });
        for (i, share) in shares.iter().enumerate() {
            for weight in &mut self.weights[self.starts[i] as usize..self.starts[i + 1] as usize] {
                *weight *= *share;
            }
        }
        for (i, weight) in self.fine.iter().zip(&mut self.back_weights) {
            *weight *= shares[*i as usize];
        }
    }

    /// Non-zero weights.
    pub fn nnz(&self) -> usize {
        self.weights.len()
    }

    /// A row of `P`: coarse unknowns and weights.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let (from, to) = (self.starts[i] as usize, self.starts[i + 1] as usize);
        (&self.coarse[from..to], &self.weights[from..to])
    }

    /// A row of `Pᵀ`: fine unknowns and weights.
    #[inline]
    pub fn column(&self, k: usize) -> (&[u32], &[T]) {
        let (from, to) = (
            self.back_starts[k] as usize,
            self.back_starts[k + 1] as usize,
        );
        (&self.fine[from..to], &self.back_weights[from..to])
    }

    /// `fine += P coarse`.
    pub fn prolong_add(&self, coarse: &[T], fine: &mut [T]) {
        in_parallel(fine, |i, fine| {
            let (columns, weights) = self.row(i);
            for (c, w) in columns.iter().zip(weights) {
                *fine += *w * coarse[*c as usize];
            }
        });
    }

    /// `coarse = scale Pᵀ fine`.
    pub fn restrict(&self, scale: T, fine: &[T], coarse: &mut [T]) {
        in_parallel(coarse, |k, coarse| {
            let (rows, weights) = self.column(k);
            let mut sum = T::ZERO;
            for (i, w) in rows.iter().zip(weights) {
                sum += *w * fine[*i as usize];
            }
            *coarse = scale * sum;
        });
    }
}

/// Every element by itself; on several threads where that pays.
fn in_parallel<T: Send>(values: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    const SHARE: usize = 4096;
    if values.len() < 6 * SHARE {
        for (i, v) in values.iter_mut().enumerate() {
            work(i, v);
        }
    } else {
        parallel::each_mut(values, SHARE, work);
    }
}

/// Some rows of `P`.
#[derive(Default)]
struct Rows<T> {
    lengths: Vec<u8>,
    coarse: Vec<u32>,
    weights: Vec<T>,
    parent: Vec<u32>,
}

/// One row of `P`: candidates judged by the rule of the level, ascending, and how many are left.
fn row<const D: usize>(
    solid: &Solid<'_, D>,
    coarse: &Places<D>,
    unknown: &[u32],
    fine: [usize; D],
    weights: Weights,
    sides: Sides,
) -> ([(u32, f64); MOST], usize) {
    let mut row = [(u32::MAX, 0.0); MOST];
    let mut count = 0;
    let (mut kept, mut shared) = (0.0, 0.0);
    let here = || Solid::centre(fine.map(|c| c as i64), solid.width);
    let side = sides == Sides::CentreSign && solid.is_solid(here());
    let (all, n) = candidates(weights, fine);
    for (k, (c, weight)) in all[..n].iter().enumerate() {
        let (c, weight) = (*c, *weight);
        let inside = (0..D).all(|a| c[a] >= 0 && (c[a] as usize) < coarse.cells.n[a]);
        let index = if inside {
            unknown[coarse.cells.index(c.map(|c| c as usize))]
        } else {
            u32::MAX
        };
        let there = Solid::centre(c, 2.0 * solid.width);
        // The parent always counts: a coarse cell that nothing is interpolated from would have no equation.
        let counts = k == 0
            || match sides {
                Sides::CentreSign => solid.is_solid(there) == side,
                Sides::Visible => !solid.is_parted(here(), there),
                _ => true,
            };
        if index != u32::MAX && counts {
            row[count] = (index, weight);
            count += 1;
            kept += weight;
        } else if match sides {
            Sides::Simple => false,
            Sides::Closed => true,
            Sides::CentreSign => !counts,
            Sides::OneSided => inside && solid.is_solid(there),
            Sides::Visible => inside && (!counts || solid.is_solid(there)),
        } {
            shared += weight;
        }
    }
    if shared > 0.0 {
        for (_, weight) in &mut row[..count] {
            *weight *= (kept + shared) / kept;
        }
    }
    row[..count].sort_unstable_by_key(|r| r.0);
    (row, count)
}

fn transpose<T: Real>(
    starts: &[u32],
    columns: &[u32],
    values: &[T],
    n_columns: usize,
) -> (Vec<u32>, Vec<u32>, Vec<T>) {
    let mut back = vec![0u32; n_columns + 1];
    for c in columns {
        back[*c as usize + 1] += 1;
    }
    for k in 0..n_columns {
        back[k + 1] += back[k];
    }
    let mut fill = back.clone();
    let mut rows = vec![0u32; columns.len()];
    let mut weights = vec![T::ZERO; columns.len()];
    for i in 0..starts.len() - 1 {
        for k in starts[i] as usize..starts[i + 1] as usize {
            let at = &mut fill[columns[k] as usize];
            rows[*at as usize] = i as u32;
            weights[*at as usize] = values[k];
            *at += 1;
        }
    }
    (back, rows, weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Builder;

    fn full<const D: usize>(n: usize) -> Places<D> {
        let cells = Lattice::<D>::cube(n);
        Places {
            cells,
            of: (0..cells.len() as u32).collect(),
            solid: None,
        }
    }

    fn nnz<const D: usize>(n: usize, weights: Weights) -> usize {
        Transfer::<f64>::new(
            &full::<D>(n),
            &full::<D>(n / 2),
            0,
            weights,
            Sides::OneSided,
        )
        .nnz()
    }

    #[test]
    fn an_empty_box_has_the_weights_that_the_paper_counts() {
        // [000] section 5.3.2: from 8^3 to 4^3, and from 64^3 to 32^3.
        assert_eq!(nnz::<3>(8, Weights::Barycentric), 1664);
        assert_eq!(nnz::<3>(8, Weights::Trilinear), 2744);
        assert_eq!(nnz::<3>(64, Weights::Barycentric), 1_024_000);
        assert_eq!(nnz::<3>(64, Weights::Trilinear), 2_000_376);
    }

    #[test]
    fn linear_functions_are_interpolated_exactly_away_from_walls() {
        for weights in [Weights::Barycentric, Weights::Trilinear] {
            let (fine, coarse) = (full::<3>(8), full::<3>(4));
            let p = Transfer::<f64>::new(&fine, &coarse, 0, weights, Sides::OneSided);
            let f = |c: [usize; 3], h: f64| {
                let x = c.map(|c| (c as f64 + 0.5) * h);
                1.0 + x[0] - 2.0 * x[1] + 3.0 * x[2]
            };
            let coarse_values: Vec<f64> = (0..64)
                .map(|i| f(coarse.cells.coordinates(i), 2.0))
                .collect();
            let mut values = vec![0.0; 512];
            p.prolong_add(&coarse_values, &mut values);
            for (i, value) in values.iter().enumerate() {
                let c = fine.cells.coordinates(i);
                if !fine.cells.is_outermost(c) {
                    assert!((value - f(c, 1.0)).abs() < 1e-13, "{weights:?} at {c:?}");
                }
            }
        }
    }

    #[test]
    fn weight_in_solid_is_shared_and_weight_in_air_is_lost() {
        let cells = Lattice::<2>::cube(8);
        // Open for x > 4; unknowns where x >= 4 and y < 4 (in cells).
        let phi: Vec<f64> = (0..81).map(|i| (i % 9) as f64 - 4.0).collect();
        let keep = |c: [usize; 2], h: usize| c[0] * h >= 4 && c[1] * h < 4;
        let places = |n: usize| {
            let cells = Lattice::<2>::cube(n);
            Places {
                cells,
                of: (0..cells.len() as u32)
                    .filter(|i| keep(cells.coordinates(*i as usize), 8 / n))
                    .collect(),
                solid: Some(Arc::new(phi.clone())),
            }
        };
        let (fine, coarse) = (places(8), places(4));
        let sum = |sides, c: [usize; 2]| {
            let p = Transfer::<f64>::new(&fine, &coarse, 0, Weights::Barycentric, sides);
            let at = fine.unknowns()[cells.index(c)] as usize;
            p.row(at).1.iter().sum::<f64>()
        };
        assert_eq!(
            sum(Sides::OneSided, [4, 2]),
            1.0,
            "its left neighbour is solid"
        );
        assert_eq!(sum(Sides::Simple, [4, 2]), 0.75);
        assert_eq!(sum(Sides::OneSided, [5, 3]), 0.75, "the one above is air");
    }

    #[test]
    fn rows_are_damped_by_what_holds_their_cells() {
        let mut p = Transfer::<f64>::new(
            &full::<2>(8),
            &full::<2>(4),
            0,
            Weights::Barycentric,
            Sides::OneSided,
        );
        let undamped = p.clone();
        // Cells in a row of 64: 0 is held to air, 63 has no neighbour.
        let mut builder = Builder::new(64);
        for i in 0..64usize {
            let neighbours = [i.wrapping_sub(1), i + 1].into_iter();
            let neighbours: Vec<usize> = neighbours.filter(|j| i < 63 && *j < 63).collect();
            neighbours.iter().for_each(|j| builder.entry(*j, -1.0));
            let held = if i == 0 || i == 63 { 3.0 } else { 0.0 };
            builder.end_row(neighbours.len() as f64 + held);
        }
        p.damp(&builder.finish());
        let sum = |p: &Transfer<f64>, i| p.row(i).1.iter().sum::<f64>();
        for i in 0..64 {
            let share = if i == 0 { 0.25 } else { 1.0 };
            assert_eq!(sum(&p, i), share * sum(&undamped, i), "cell {i}");
        }
        for k in 0..16 {
            let (rows, weights) = p.column(k);
            for (i, w) in rows.iter().zip(weights) {
                let (columns, forth) = p.row(*i as usize);
                let at = columns
                    .iter()
                    .position(|c| *c as usize == k)
                    .expect("there");
                assert_eq!(*w, forth[at], "the transpose is damped alike");
            }
        }
    }

    #[test]
    fn restriction_is_the_transpose_of_interpolation() {
        let p = Transfer::<f64>::new(
            &full::<2>(8),
            &full::<2>(4),
            0,
            Weights::Trilinear,
            Sides::Simple,
        );
        let coarse: Vec<f64> = (0..16).map(|i| f64::from(i).sin()).collect();
        let fine: Vec<f64> = (0..64).map(|i| f64::from(i).cos()).collect();
        let (mut up, mut down) = (vec![0.0; 64], vec![0.0; 16]);
        p.prolong_add(&coarse, &mut up);
        p.restrict(1.0, &fine, &mut down);
        let left: f64 = up.iter().zip(&fine).map(|(a, b)| a * b).sum();
        let right: f64 = down.iter().zip(&coarse).map(|(a, b)| a * b).sum();
        assert!((left - right).abs() < 1e-12);
    }
}
