//! A sparse symmetric matrix on a compressed list of unknowns.

use stokeslet_base::parallel;

use super::{Real, SPLIT_ENTRIES, larger};

/// Rows of a task.
const SHARE: usize = 4096;

/// A symmetric matrix: the diagonal, and the other entries row by row.
///
/// ```text
/// row i:  columns[starts[i] .. starts[i + 1]], ascending, without i;  values beside them;  diagonal[i]
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    /// One a row.
    pub diagonal: Vec<T>,
    /// Where rows begin; one more than rows.
    pub starts: Vec<u32>,
    /// Columns of the entries off the diagonal.
    pub columns: Vec<u32>,
    /// Their values.
    pub values: Vec<T>,
}

impl<T: Real> Matrix<T> {
    /// How many rows.
    pub fn n(&self) -> usize {
        self.diagonal.len()
    }

    /// Entries, those on the diagonal included.
    pub fn nnz(&self) -> usize {
        self.diagonal.len() + self.columns.len()
    }

    /// The entries of a row off the diagonal: columns and values.
    #[inline]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        let (from, to) = (self.starts[i] as usize, self.starts[i + 1] as usize);
        (&self.columns[from..to], &self.values[from..to])
    }

    /// The product of a row's entries off the diagonal with a vector.
    #[inline]
    pub fn off_diagonal(&self, i: usize, x: &[T]) -> T {
        let (columns, values) = self.row(i);
        // Two sums: half the wait of one long chain of additions.
        let mut sums = [T::ZERO; 2];
        let (pairs, value_pairs) = (columns.chunks_exact(2), values.chunks_exact(2));
        if let ([c], [v]) = (pairs.remainder(), value_pairs.remainder()) {
            sums[0] += *v * x[*c as usize];
        }
        for (c, v) in pairs.zip(value_pairs) {
            sums[0] += v[0] * x[c[0] as usize];
            sums[1] += v[1] * x[c[1] as usize];
        }
        sums[0] + sums[1]
    }

    /// A row of `A x`.
    #[inline]
    pub fn row_times(&self, i: usize, x: &[T]) -> T {
        self.diagonal[i] * x[i] + self.off_diagonal(i, x)
    }

    /// `y[i] = f(i, (A x)_i)` for every row, in parallel where that pays.
    pub fn map_rows(&self, x: &[T], y: &mut [T], f: impl Fn(usize, T) -> T + Sync) {
        if self.nnz() < SPLIT_ENTRIES {
            for (i, y) in y.iter_mut().enumerate() {
                *y = f(i, self.row_times(i, x));
            }
        } else {
            parallel::each_mut(y, SHARE, |i, y| *y = f(i, self.row_times(i, x)));
        }
    }

    /// The largest absolute value of `f(i, (A x)_i)` over all rows, NaN if there is one; nothing is stored.
    pub fn largest(&self, x: &[T], f: impl Fn(usize, T) -> T + Sync) -> T {
        let of = |rows: std::ops::Range<usize>| {
            rows.map(|i| f(i, self.row_times(i, x)).magnitude())
                .fold(T::ZERO, larger)
        };
        if self.nnz() < SPLIT_ENTRIES {
            of(0..self.n())
        } else {
            let of = |k: usize| of(k * SHARE..((k + 1) * SHARE).min(self.n()));
            let found = parallel::map(self.n().div_ceil(SHARE), 1, of);
            found.into_iter().fold(T::ZERO, larger)
        }
    }

    /// `y = A x`.
    pub fn times(&self, x: &[T], y: &mut [T]) {
        self.map_rows(x, y, |_, v| v);
    }

    /// The rows and columns that are kept, and where each old row went (`u32::MAX` where it is gone).
    pub fn kept(&self, keep: &[bool]) -> (Self, Vec<u32>) {
        let mut to = vec![u32::MAX; self.n()];
        let mut n = 0;
        for (to, keep) in to.iter_mut().zip(keep) {
            if *keep {
                *to = n;
                n += 1;
            }
        }
        let mut kept = Matrix {
            diagonal: Vec::with_capacity(n as usize),
            starts: Vec::with_capacity(n as usize + 1),
            columns: Vec::with_capacity(self.columns.len()),
            values: Vec::with_capacity(self.values.len()),
        };
        kept.starts.push(0);
        for i in (0..self.n()).filter(|i| keep[*i]) {
            kept.diagonal.push(self.diagonal[i]);
            let (columns, values) = self.row(i);
            for (c, v) in columns.iter().zip(values) {
                if keep[*c as usize] {
                    kept.columns.push(to[*c as usize]);
                    kept.values.push(*v);
                }
            }
            kept.starts.push(kept.columns.len() as u32);
        }
        (kept, to)
    }

    /// The same matrix in other numbers.
    pub fn cast<U: Real>(&self) -> Matrix<U> {
        Matrix {
            diagonal: self.diagonal.iter().map(|v| U::of(v.wide())).collect(),
            starts: self.starts.clone(),
            columns: self.columns.clone(),
            values: self.values.iter().map(|v| U::of(v.wide())).collect(),
        }
    }

    /// The largest difference between entry `(i, j)` and entry `(j, i)`; infinite where one is missing.
    pub fn asymmetry(&self) -> f64 {
        let mut worst = 0.0f64;
        for i in 0..self.n() {
            let (columns, values) = self.row(i);
            for (c, v) in columns.iter().zip(values) {
                let (back, back_values) = self.row(*c as usize);
                worst = worst.max(match back.binary_search(&(i as u32)) {
                    Ok(at) => (back_values[at].wide() - v.wide()).abs(),
                    Err(_) => f64::INFINITY,
                });
            }
        }
        worst
    }
}

/// Collects a matrix row by row.
#[derive(Debug)]
pub struct Builder<T> {
    matrix: Matrix<T>,
}

impl<T: Real> Builder<T> {
    /// For about this many rows.
    pub fn new(rows: usize) -> Self {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        Self {
            matrix: Matrix {
                diagonal: Vec::with_capacity(rows),
                starts,
                columns: Vec::new(),
                values: Vec::new(),
            },
        }
    }

    /// Adds an entry of the row under way; columns must ascend and not be the row itself.
    pub fn entry(&mut self, column: usize, value: T) {
        self.matrix.columns.push(column as u32);
        self.matrix.values.push(value);
    }

    /// Ends the row under way.
    pub fn end_row(&mut self, diagonal: T) {
        self.matrix.diagonal.push(diagonal);
        self.matrix.starts.push(self.matrix.columns.len() as u32);
    }

    /// The matrix.
    pub fn finish(self) -> Matrix<T> {
        self.matrix
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A chain of springs, held at one end.
    pub(crate) fn chain(n: usize) -> Matrix<f64> {
        let mut builder = Builder::new(n);
        for i in 0..n {
            if i > 0 {
                builder.entry(i - 1, -1.0);
            }
            if i + 1 < n {
                builder.entry(i + 1, -1.0);
            }
            builder.end_row(if i + 1 == n { 1.0 } else { 2.0 });
        }
        builder.finish()
    }

    #[test]
    fn products_and_kept_rows_agree_with_the_definition() {
        let a = chain(5);
        let mut y = vec![0.0; 5];
        a.times(&[1.0, 2.0, 3.0, 4.0, 5.0], &mut y);
        assert_eq!(y, vec![0.0, 0.0, 0.0, 0.0, 1.0]);
        let (kept, to) = a.kept(&[true, false, true, true, true]);
        assert_eq!(kept.diagonal, vec![2.0, 2.0, 2.0, 1.0]);
        assert_eq!(to, vec![0, u32::MAX, 1, 2, 3]);
        assert_eq!(kept.row(0).0.len(), 0, "its neighbour is gone");
        assert_eq!(kept.asymmetry(), 0.0);
    }
}
