//! Points -> the same points sorted by the square cells that hold them: neighbours within one side in constant time.
//!
//! Cells are named by their coordinates, not stored in a grid, so points may be anywhere; a point a million cells away costs nothing.
//! The order is total (cell, then index), hence the same for any number of threads.

use rayon::prelude::*;

/// Numbers of bits of one coordinate in a cell's key.
const BITS: u32 = 21;
const HALF: f64 = (1_i64 << (BITS - 1)) as f64 - 2.0;
/// More points than this are sorted by all threads; fewer are sorted faster by one.
const PARALLEL: usize = 8192;

/// Points sorted by cell.
///
/// ```text
/// keys   [k0        k1     k2 ..]     occupied cells, ascending
/// starts [0         3      5  .. n]   cell c holds order[starts[c] .. starts[c+1]]
/// order  [7  9  12  2  31  ..]        indices of points
/// ```
#[derive(Clone, Debug, Default)]
pub struct CellList {
    side: f64,
    keys: Vec<u64>,
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// The coordinates of a cell, each offset so that none is negative.
pub type CellAt = [u64; 3];

fn key(at: CellAt) -> u64 {
    at[0] | at[1] << BITS | at[2] << (2 * BITS)
}

fn at(key: u64) -> CellAt {
    let mask = (1 << BITS) - 1;
    [key & mask, (key >> BITS) & mask, (key >> (2 * BITS)) & mask]
}

impl CellList {
    /// Sorts points into cells of a side.
    ///
    /// # Requires
    /// Finite points and a positive side. Coordinates beyond a million sides are treated as the last cell's: still correct, only slower.
    #[must_use]
    pub fn new<const D: usize>(points: &[[f64; D]], side: f64) -> CellList {
        let cell = |p: &[f64; D]| {
            let mut at = [0_u64; 3];
            for k in 0..D {
                at[k] = ((p[k] / side).floor().clamp(-HALF, HALF) + HALF + 1.0) as u64;
            }
            key(at)
        };
        let mut pairs: Vec<(u64, u32)> = points
            .iter()
            .enumerate()
            .map(|(i, p)| (cell(p), i as u32))
            .collect();
        if pairs.len() > PARALLEL {
            pairs.par_sort_unstable();
        } else {
            pairs.sort_unstable();
        }
        let (mut keys, mut starts) = (Vec::new(), Vec::new());
        for (s, (k, _)) in pairs.iter().enumerate() {
            if keys.last() != Some(k) {
                keys.push(*k);
                starts.push(s as u32);
            }
        }
        starts.push(pairs.len() as u32);
        CellList {
            side,
            keys,
            starts,
            order: pairs.into_iter().map(|p| p.1).collect(),
        }
    }

    /// Indices of the points in the order of cells.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Number of occupied cells.
    #[must_use]
    pub fn n_cells(&self) -> usize {
        self.keys.len()
    }

    /// Where a cell's points stand in [`CellList::order`].
    #[must_use]
    pub fn range(&self, cell: usize) -> std::ops::Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// A cell's coordinates.
    #[must_use]
    pub fn at(&self, cell: usize) -> CellAt {
        at(self.keys[cell])
    }

    /// The coordinates of the cell that holds a point.
    #[must_use]
    pub fn cell_of<const D: usize>(&self, p: &[f64; D]) -> CellAt {
        let mut at = [0_u64; 3];
        for k in 0..D {
            at[k] = ((p[k] / self.side).floor().clamp(-HALF, HALF) + HALF + 1.0) as u64;
        }
        at
    }

    /// Calls `each` with the ranges of [`CellList::order`] that hold all points of a cell and those around it.
    ///
    /// One call for each row of three cells: 3 in the plane, 9 in space.
    pub fn around<const D: usize>(
        &self,
        cell: CellAt,
        mut each: impl FnMut(std::ops::Range<usize>),
    ) {
        if self.keys.is_empty() {
            return;
        }
        let near = |c: u64, k: usize| if k < D { c - 1..=c + 1 } else { c..=c };
        for z in near(cell[2], 2) {
            for y in near(cell[1], 1) {
                let (low, high) = (key([cell[0] - 1, y, z]), key([cell[0] + 1, y, z]));
                let first = self.keys.partition_point(|k| *k < low);
                let mut last = first;
                while last < self.keys.len() && self.keys[last] <= high {
                    last += 1;
                }
                if last > first {
                    each(self.starts[first] as usize..self.starts[last] as usize);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbours by cells are the neighbours by trying all pairs, in the plane and in space, also for points far off.
    #[test]
    fn cells_find_every_pair() {
        fn compare<const D: usize>() {
            let mut seed = 7_u64;
            let mut random = || {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                (seed >> 33) as f64 / (1_u64 << 31) as f64
            };
            let mut points: Vec<[f64; D]> = (0..400)
                .map(|_| std::array::from_fn(|_| 6.0 * random() - 3.0))
                .collect();
            points.push([1e5; D]);
            points.push([1e5 + 0.1; D]);
            let cells = CellList::new(&points, 0.7);
            for (i, p) in points.iter().enumerate() {
                let close = |q: &[f64; D]| crate::vector::length(&crate::vector::minus(p, q)) < 0.7;
                let brute: Vec<u32> = (0..points.len() as u32)
                    .filter(|j| close(&points[*j as usize]))
                    .collect();
                let mut found = Vec::new();
                cells.around::<D>(cells.cell_of(p), |range| {
                    found.extend(
                        cells.order()[range]
                            .iter()
                            .copied()
                            .filter(|j| close(&points[*j as usize])),
                    );
                });
                found.sort_unstable();
                assert_eq!(brute, found, "neighbours of point {i} in {D}D");
            }
        }
        compare::<2>();
        compare::<3>();
    }
}
