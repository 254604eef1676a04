//! Linear algebra of small systems in double precision, by `faer`, on the caller's thread: the same bits whatever the pool.
//!
//! `faer` is generic over numbers, so each crate that calls it compiles its kernels anew. What several crates need of it, apart from the
//! fronts' own factorisations ([`crate::pivot`]), stands here and is compiled once. Every function leaves the vector registers as
//! [`clear_upper_halves`] does.

use faer::linalg::matmul::matmul;
use faer::linalg::solvers::{DenseSolveCore, PartialPivLu, Solve, SolveLstsq};
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::sparse::linalg::solvers::Llt;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Accum, Mat, MatMut, MatRef, Par, Side};
use stokeslet_base::vectors::clear_upper_halves;

/// An entry of a sparse matrix: row, column, value.
pub type Entry = Triplet<usize, usize, f64>;

/// Systems are solved side by side, never one by many threads.
fn on_this_thread() {
    faer::set_global_parallelism(Par::Seq);
}

/// `a b`.
pub fn product(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    clear_upper_halves();
    out
}

/// Adds `factor a b` to a matrix.
pub fn add_product(to: MatMut<'_, f64>, factor: f64, a: MatRef<'_, f64>, b: MatRef<'_, f64>) {
    matmul(to, Accum::Add, a, b, factor, Par::Seq);
    clear_upper_halves();
}

/// The largest absolute value of an entry.
pub fn norm_max(a: MatRef<'_, f64>) -> f64 {
    let norm = a.norm_max();
    clear_upper_halves();
    norm
}

/// A square matrix as `P^T L U`; a singular one gives values that aren't finite.
#[derive(Clone, Debug)]
pub struct Lu(PartialPivLu<f64>);

impl Lu {
    /// Factorises.
    pub fn new(a: MatRef<'_, f64>) -> Self {
        on_this_thread();
        let factors = a.partial_piv_lu();
        clear_upper_halves();
        Self(factors)
    }

    /// `a^-1 b`.
    pub fn solve(&self, b: MatRef<'_, f64>) -> Mat<f64> {
        on_this_thread();
        let x = self.0.solve(b);
        clear_upper_halves();
        x
    }

    /// `a^-1`.
    pub fn inverse(&self) -> Mat<f64> {
        on_this_thread();
        let inverse = self.0.inverse();
        clear_upper_halves();
        inverse
    }
}

/// `a = u diag(values) v^T`.
#[derive(Clone, Debug)]
pub struct Svd {
    /// Left singular vectors, a column each.
    pub u: Mat<f64>,
    /// Singular values, the largest first.
    pub values: Vec<f64>,
    /// Right singular vectors, a column each.
    pub v: Mat<f64>,
}

/// The thin singular value decomposition; nothing where it doesn't converge.
pub fn thin_svd(a: MatRef<'_, f64>) -> Option<Svd> {
    on_this_thread();
    let svd = a.thin_svd().ok();
    clear_upper_halves();
    let svd = svd?;
    Some(Svd {
        u: svd.U().to_owned(),
        values: svd.S().column_vector().iter().copied().collect(),
        v: svd.V().to_owned(),
    })
}

/// Eigenvalues of a symmetric matrix, of which the lower half is read, ascending, and its eigenvectors, a column each; nothing where they
/// don't converge.
pub fn symmetric_eigen(a: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    on_this_thread();
    let eigen = a.self_adjoint_eigen(Side::Lower).ok();
    clear_upper_halves();
    let eigen = eigen?;
    let values = eigen.S().column_vector().iter().copied().collect();
    Some((values, eigen.U().to_owned()))
}

/// What solves `g y = theta m y`.
#[derive(Clone, Debug)]
pub struct Pencil {
    /// `theta`, ascending.
    pub values: Vec<f64>,
    /// `y`, a column each, with `y^T m y = 1`.
    pub vectors: Mat<f64>,
    /// `m y`, a column each.
    pub duals: Mat<f64>,
}

/// Solves `g y = theta m y` for a symmetric `g` and a positive definite `m`, of which the lower half is read: by `m = L L^T`, as the
/// eigenvalues of `L^-1 g L^-T`. Nothing where `m` is not positive definite.
pub fn symmetric_pencil(g: Mat<f64>, m: MatRef<'_, f64>) -> Option<Pencil> {
    on_this_thread();
    let factor = m.llt(Side::Lower).ok();
    clear_upper_halves();
    let factor = factor?;
    let lower = factor.L();
    let mut half = g;
    solve_lower_triangular_in_place(lower, half.as_mut(), Par::Seq);
    let mut c = half.transpose().to_owned();
    solve_lower_triangular_in_place(lower, c.as_mut(), Par::Seq);
    let n = c.nrows();
    let c = Mat::from_fn(n, n, |i, j| 0.5 * (c[(i, j)] + c[(j, i)]));
    let (values, turned) = symmetric_eigen(c.as_ref())?;
    let mut vectors = turned.clone();
    solve_upper_triangular_in_place(lower.transpose(), vectors.as_mut(), Par::Seq);
    let duals = product(lower, turned.as_ref());
    Some(Pencil {
        values,
        vectors,
        duals,
    })
}

/// The `x` for which `a x - b` has the least norm, for a matrix of at least as many rows as columns whose columns are independent.
pub fn least_squares(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    on_this_thread();
    let x = a.qr().solve_lstsq(b);
    clear_upper_halves();
    x
}

/// A sparse symmetric positive definite matrix as `P^T L L^T P`, in AMD order.
#[derive(Clone, Debug)]
pub struct SparseCholesky(Llt<usize, f64>);

impl SparseCholesky {
    /// Factorises a matrix of `n` rows from entries on and below its diagonal, those at one place added up; nothing where it is not
    /// positive definite or an entry lies outside.
    pub fn new(n: usize, entries: &[Entry]) -> Option<Self> {
        on_this_thread();
        let a = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, entries).ok()?;
        let factors = a.sp_cholesky(Side::Lower).ok();
        clear_upper_halves();
        factors.map(Self)
    }

    /// `a^-1 b`.
    pub fn solve(&self, b: &Mat<f64>) -> Mat<f64> {
        on_this_thread();
        let x = self.0.solve(b);
        clear_upper_halves();
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix of rows and columns without an order.
    fn some(rows: usize, columns: usize) -> Mat<f64> {
        Mat::from_fn(rows, columns, |i, j| {
            (1.7 * i as f64 + 0.9 * (j * j) as f64 + 0.6 * (i * j) as f64 + 0.3).sin()
        })
    }

    /// `a^T a + 1`.
    fn definite(n: usize) -> Mat<f64> {
        let a = some(n, n);
        let square = product(a.transpose(), a.as_ref());
        Mat::from_fn(n, n, |i, j| square[(i, j)] + f64::from(u8::from(i == j)))
    }

    /// Without what stands above the diagonal.
    fn lower(m: &Mat<f64>) -> Mat<f64> {
        let n = m.nrows();
        Mat::from_fn(n, n, |i, j| if i < j { f64::NAN } else { m[(i, j)] })
    }

    fn assert_equal(a: &Mat<f64>, b: &Mat<f64>) {
        assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
        let off = norm_max((a - b).as_ref());
        assert!(off < 1e-12 * (1.0 + norm_max(b.as_ref())), "{off}");
    }

    fn diagonal(values: &[f64]) -> Mat<f64> {
        let n = values.len();
        Mat::from_fn(n, n, |i, j| if i == j { values[i] } else { 0.0 })
    }

    #[test]
    fn products_are_sums_over_rows_and_columns() {
        let (a, b) = (some(7, 5), some(5, 6));
        let plain = Mat::from_fn(7, 6, |i, j| {
            (0..5).map(|k| a[(i, k)] * b[(k, j)]).sum::<f64>()
        });
        assert_equal(&product(a.as_ref(), b.as_ref()), &plain);
        let mut sum = some(7, 6);
        add_product(sum.as_mut(), -2.0, a.as_ref(), b.as_ref());
        assert_equal(&sum, &(some(7, 6) - plain * faer::Scale(2.0)));
        let largest = (0..7).flat_map(|i| (0..5).map(move |j| (i, j)));
        let largest = largest.map(|(i, j)| a[(i, j)].abs()).fold(0.0, f64::max);
        assert_eq!(norm_max(a.as_ref()), largest);
    }

    #[test]
    fn nothing_is_added_by_matrices_without_rows_or_columns() {
        let (a, b) = (some(3, 0), some(0, 2));
        assert_equal(&product(a.as_ref(), b.as_ref()), &Mat::zeros(3, 2));
        let mut sum = some(3, 2);
        add_product(sum.as_mut(), 1.0, a.as_ref(), b.as_ref());
        assert_equal(&sum, &some(3, 2));
    }

    #[test]
    fn factors_solve_what_they_are_of() {
        let (a, b) = (definite(9), some(9, 2));
        let lu = Lu::new(a.as_ref());
        assert_equal(&product(a.as_ref(), lu.solve(b.as_ref()).as_ref()), &b);
        let one = product(a.as_ref(), lu.inverse().as_ref());
        assert_equal(&one, &diagonal(&[1.0; 9]));
        let mut entries = Vec::new();
        for j in 0..9 {
            // Halves at one place are added up.
            entries.extend((j..9).flat_map(|i| [Entry::new(i, j, 0.5 * a[(i, j)]); 2]));
        }
        let sparse = SparseCholesky::new(9, &entries).unwrap();
        assert_equal(&product(a.as_ref(), sparse.solve(&b).as_ref()), &b);
        assert!(SparseCholesky::new(8, &entries).is_none(), "row 8 of 8");
        let indefinite = [Entry::new(0, 0, 1.0), Entry::new(1, 1, -1.0)];
        assert!(SparseCholesky::new(2, &indefinite).is_none());
    }

    #[test]
    fn decompositions_make_up_their_matrix() {
        let a = some(8, 5);
        let svd = thin_svd(a.as_ref()).unwrap();
        let scaled = product(svd.u.as_ref(), diagonal(&svd.values).as_ref());
        assert_equal(&product(scaled.as_ref(), svd.v.transpose()), &a);
        assert!(svd.values.is_sorted_by(|a, b| a >= b));
        let m = definite(6);
        let (values, vectors) = symmetric_eigen(m.as_ref()).unwrap();
        let scaled = product(vectors.as_ref(), diagonal(&values).as_ref());
        assert_equal(&product(m.as_ref(), vectors.as_ref()), &scaled);
        assert!(values.is_sorted());
        // The lower half is read alone.
        let (again, _) = symmetric_eigen(lower(&m).as_ref()).unwrap();
        assert_eq!(again, values);
    }

    #[test]
    fn a_pencil_is_solved_by_its_vectors() {
        let (m, g) = (definite(6), some(6, 6));
        let g = &g + g.transpose();
        let found = symmetric_pencil(g.clone(), m.as_ref()).unwrap();
        let m_y = product(m.as_ref(), found.vectors.as_ref());
        assert_equal(&found.duals, &m_y);
        let scaled = product(m_y.as_ref(), diagonal(&found.values).as_ref());
        assert_equal(&product(g.as_ref(), found.vectors.as_ref()), &scaled);
        let one = product(found.vectors.transpose(), m_y.as_ref());
        assert_equal(&one, &diagonal(&[1.0; 6]));
        assert!(found.values.is_sorted() && found.values[0] < 0.0);
        let again = symmetric_pencil(g.clone(), lower(&m).as_ref()).unwrap();
        assert_eq!(again.values, found.values);
        assert!(symmetric_pencil(m, g.as_ref()).is_none(), "indefinite");
    }

    #[test]
    fn least_squares_leave_what_is_orthogonal() {
        let (a, b) = (
            some(9, 4),
            Mat::from_fn(9, 1, |i, _| 1.0 / (1.0 + i as f64)),
        );
        let x = least_squares(a.as_ref(), b.as_ref());
        let mut left = b;
        add_product(left.as_mut(), -1.0, a.as_ref(), x.as_ref());
        let along = product(a.transpose(), left.as_ref());
        assert!(norm_max(along.as_ref()) < 1e-12);
        assert!(norm_max(left.as_ref()) > 0.01, "not solved exactly");
    }
}
