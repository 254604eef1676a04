//! Which particles are in which cell: a counting sort.

use crate::grid::Lattice;

/// Particles by cell. Particles outside the lattice count as in its nearest cell.
#[derive(Clone, Debug)]
pub struct CellList<const D: usize> {
    cells: Lattice<D>,
    start: Vec<u32>,
    order: Vec<u32>,
}

impl<const D: usize> CellList<D> {
    /// Sorts particles by cell; within a cell they keep their order.
    pub fn new(cells: Lattice<D>, dx: f64, x: &[[f64; D]]) -> Self {
        let cell_of = |x: &[f64; D]| {
            cells.index(std::array::from_fn(|a| {
                ((x[a] / dx).max(0.0) as usize).min(cells.n[a] - 1)
            }))
        };
        let mut start = vec![0u32; cells.len() + 1];
        let of: Vec<u32> = x.iter().map(|x| cell_of(x) as u32).collect();
        for c in &of {
            start[*c as usize + 1] += 1;
        }
        for i in 0..cells.len() {
            start[i + 1] += start[i];
        }
        let mut fill = start.clone();
        let mut order = vec![0u32; x.len()];
        for (p, c) in of.iter().enumerate() {
            order[fill[*c as usize] as usize] = p as u32;
            fill[*c as usize] += 1;
        }
        Self {
            cells,
            start,
            order,
        }
    }

    /// Indices of the particles in a cell.
    pub fn of(&self, cell: usize) -> &[u32] {
        &self.order[self.start[cell] as usize..self.start[cell + 1] as usize]
    }

    /// Indices of the particles in the cells from `first` to `last` in memory, both included.
    pub fn between(&self, first: usize, last: usize) -> &[u32] {
        &self.order[self.start[first] as usize..self.start[last + 1] as usize]
    }

    /// Visits the particles in the cells from `low` to `high` (both included; cut to the lattice), in a fixed order.
    pub fn visit(&self, low: [i64; D], high: [i64; D], visit: &mut impl FnMut(usize)) {
        let mut from = [0; D];
        let mut to = [0; D];
        for a in 0..D {
            from[a] = low[a].max(0) as usize;
            let last = high[a].min(self.cells.n[a] as i64 - 1);
            if last < from[a] as i64 {
                return;
            }
            to[a] = last as usize;
        }
        let mut c = from;
        loop {
            // Cells along the first axis are neighbours in memory, so are their particles.
            let row = self.cells.index(c);
            let end = self.start[row + to[0] - from[0] + 1] as usize;
            for p in &self.order[self.start[row] as usize..end] {
                visit(*p as usize);
            }
            let mut a = 1;
            loop {
                if a >= D {
                    return;
                }
                c[a] += 1;
                if c[a] <= to[a] {
                    break;
                }
                c[a] = from[a];
                a += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::hash_unit;

    #[test]
    fn every_particle_is_found_where_it_is_and_nowhere_else() {
        let cells = Lattice::<3>::new([4, 5, 6]);
        let x: Vec<[f64; 3]> = (0..500u32)
            .map(|i| std::array::from_fn(|a| hash_unit(3 * i + a as u32) * cells.n[a] as f64))
            .collect();
        let list = CellList::new(cells, 1.0, &x);
        assert_eq!(
            (0..cells.len()).map(|c| list.of(c).len()).sum::<usize>(),
            500
        );
        let mut found = Vec::new();
        list.visit([1, -3, 2], [2, 2, 9], &mut |p| found.push(p));
        found.sort_unstable();
        let want: Vec<usize> = (0..500)
            .filter(|p| (1.0..3.0).contains(&x[*p][0]) && x[*p][1] < 3.0 && x[*p][2] >= 2.0)
            .collect();
        assert_eq!(found, want);
    }
}
