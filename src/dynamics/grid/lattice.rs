//! How many samples an array has along each axis, and where in memory each is.

use stokeslet_base::parallel;

/// Fewer samples than this are not worth a second thread.
const SHARE: usize = 4096;

/// The extents of an array with `D` axes, the first fastest.
///
/// # Example
/// ```
/// use stokeslet_dynamics::grid::Lattice;
/// let cells = Lattice::new([4, 3]);
/// assert_eq!(cells.index([1, 2]), 9);
/// assert_eq!(cells.coordinates(9), [1, 2]);
/// assert_eq!(cells.faces(0).n, [5, 3]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lattice<const D: usize> {
    /// Samples along each axis.
    pub n: [usize; D],
}

impl<const D: usize> Lattice<D> {
    /// With these extents.
    pub fn new(n: [usize; D]) -> Self {
        Self { n }
    }

    /// The same extent along every axis.
    pub fn cube(n: usize) -> Self {
        Self { n: [n; D] }
    }

    /// How many samples there are.
    pub fn len(&self) -> usize {
        self.n.iter().product()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Distance in memory between neighbours along an axis.
    pub fn stride(&self, axis: usize) -> usize {
        self.n[..axis].iter().product()
    }

    /// Place in memory of the sample at these coordinates.
    pub fn index(&self, c: [usize; D]) -> usize {
        let mut index = 0;
        for a in (0..D).rev() {
            index = index * self.n[a] + c[a];
        }
        index
    }

    /// Coordinates of the sample at this place in memory.
    pub fn coordinates(&self, index: usize) -> [usize; D] {
        let mut rest = index;
        std::array::from_fn(|a| {
            let c = rest % self.n[a];
            rest /= self.n[a];
            c
        })
    }

    /// The faces across an axis of a lattice of cells: one more along that axis.
    pub fn faces(&self, axis: usize) -> Self {
        let mut n = self.n;
        n[axis] += 1;
        Self { n }
    }

    /// The nodes of a lattice of cells: one more along every axis.
    pub fn nodes(&self) -> Self {
        Self {
            n: self.n.map(|n| n + 1),
        }
    }

    /// The lattice of cells twice as wide, if every extent is even.
    pub fn halved(&self) -> Option<Self> {
        self.n
            .iter()
            .all(|n| n % 2 == 0)
            .then(|| Self::new(self.n.map(|n| n / 2)))
    }

    /// Works on every sample, told where it is in memory and its coordinates; in parallel.
    pub fn for_each<T: Send>(
        &self,
        values: &mut [T],
        work: impl Fn(usize, [usize; D], &mut T) + Sync,
    ) {
        let row = self.n[0].max(1);
        let rows = SHARE.div_ceil(row);
        parallel::pieces_mut(values, rows * row, |first, values| {
            for (k, values) in values.chunks_mut(row).enumerate() {
                let first = first + k * row;
                let mut c = self.coordinates(first);
                for (x, value) in values.iter_mut().enumerate() {
                    c[0] = x;
                    work(first + x, c, value);
                }
            }
        });
    }

    /// An array with a value for every sample, found in parallel.
    pub fn map<T: Send + Clone + Default>(
        &self,
        value: impl Fn(usize, [usize; D]) -> T + Sync,
    ) -> Vec<T> {
        let mut values = vec![T::default(); self.len()];
        self.for_each(&mut values, |i, c, v| *v = value(i, c));
        values
    }

    /// What is kept of the samples, in their order; found in parallel.
    pub fn filter_map<T: Send>(
        &self,
        keep: impl Fn(usize, [usize; D]) -> Option<T> + Sync,
    ) -> Vec<T> {
        let row = self.n[0].max(1);
        parallel::spans(self.len() / row, SHARE.div_ceil(row), |rows, out| {
            for k in rows {
                let mut c = self.coordinates(k * row);
                out.extend((0..row).filter_map(|x| {
                    c[0] = x;
                    keep(k * row + x, c)
                }));
            }
        })
    }

    /// Whether the coordinates belong to the outermost layer.
    pub fn is_outermost(&self, c: [usize; D]) -> bool {
        (0..D).any(|a| c[a] == 0 || c[a] + 1 == self.n[a])
    }

    /// The neighbour one step up (`true`) or down an axis, if it is on the lattice.
    pub fn neighbour(&self, c: [usize; D], axis: usize, up: bool) -> Option<[usize; D]> {
        let mut other = c;
        if up {
            other[axis] += 1;
            (other[axis] < self.n[axis]).then_some(other)
        } else {
            other[axis] = other[axis].checked_sub(1)?;
            Some(other)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_coordinates_are_inverse_and_x_is_fastest() {
        let lattice = Lattice::new([3, 4, 5]);
        for i in 0..lattice.len() {
            assert_eq!(lattice.index(lattice.coordinates(i)), i);
        }
        assert_eq!(lattice.coordinates(1), [1, 0, 0]);
        assert_eq!(lattice.stride(2), 12);
    }

    #[test]
    fn arrays_are_filled_and_searched_with_the_right_coordinates() {
        let lattice = Lattice::new([3, 40, 50]);
        let all = lattice.map(|i, c| (i, c));
        assert_eq!(all.len(), lattice.len());
        for (i, found) in all.iter().enumerate() {
            assert_eq!(*found, (i, lattice.coordinates(i)));
        }
        let some = lattice.filter_map(|i, c| (c[0] == 2 && c[1] % 7 == 3).then_some(i));
        let want: Vec<usize> = (0..lattice.len())
            .filter(|i| i % 3 == 2 && i / 3 % 40 % 7 == 3)
            .collect();
        assert_eq!(some, want);
    }

    #[test]
    fn neighbours_stop_at_the_edge() {
        let lattice = Lattice::new([2, 2]);
        assert_eq!(lattice.neighbour([0, 1], 0, false), None);
        assert_eq!(lattice.neighbour([0, 1], 0, true), Some([1, 1]));
        assert_eq!(lattice.neighbour([0, 1], 1, true), None);
    }
}
