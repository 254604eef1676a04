//! What is left when all groups are joined: one pressure of every island where nothing fixes it, and what is given.

use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::Lu;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, MatMut};

use super::compute::Values;
use super::group::{Class, Root};
use super::plan::NOWHERE;
use super::tree::{Run, gather, scatter};

/// The roots' fronts on kept and given unknowns, the kept ones factorised.
pub struct Network<'a> {
    roots: &'a [Root],
    /// Network number of every boundary unknown of the top slab; `NOWHERE`: given.
    number: Vec<u32>,
    n: usize,
    factors: Option<Lu<usize, f64>>,
}

impl<'a> Network<'a> {
    /// Adds up the groups' fronts and factorises what is kept.
    ///
    /// # Shapes and units
    /// - `classes`: of the top slab's boundary unknowns, kept or given
    /// - `grounds`: one kept unknown of every island with a null vector that is not zero there. A number on its diagonal makes the
    ///   matrix regular, and for data orthogonal to the null vector the solution is exact, with that unknown zero.
    /// # Errors
    /// `None` where the network is singular.
    /// # Accuracy and cost
    /// Sparse LU with partial pivoting in COLAMD order.
    pub fn new(
        values: &Values,
        roots: &'a [Root],
        classes: &[Class],
        grounds: &[u32],
    ) -> Option<Self> {
        let mut number = vec![NOWHERE; classes.len()];
        let mut n = 0_u32;
        for (k, _) in classes.iter().enumerate().filter(|c| *c.1 == Class::Kept) {
            number[k] = n;
            n += 1;
        }
        let n = n as usize;
        let mut triplets: Vec<Triplet<usize, usize, f64>> = Vec::new();
        let mut largest = 0.0_f64;
        for root in roots {
            let places: Vec<(u32, f64)> = root
                .boundary
                .iter()
                .flat_map(|r| (0..r.len).map(|k| (r.start.saturating_add(k), r.factor)))
                .collect();
            let s = values.schur(root.kind);
            for (j, &(q, fq)) in places.iter().enumerate() {
                for (i, &(p, fp)) in places.iter().enumerate() {
                    if p == NOWHERE || q == NOWHERE {
                        continue;
                    }
                    let (a, b) = (number[p as usize], number[q as usize]);
                    if a != NOWHERE && b != NOWHERE {
                        let value = fp * fq * s[(i, j)];
                        largest = largest.max(value.abs());
                        triplets.push(Triplet::new(a as usize, b as usize, value));
                    }
                }
            }
        }
        for &g in grounds {
            let k = number[g as usize] as usize;
            triplets.push(Triplet::new(k, k, largest.max(1.0)));
        }
        let factors = if n == 0 {
            None
        } else {
            let matrix = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &triplets).ok()?;
            Some(matrix.sp_lu().ok()?)
        };
        Some(Self {
            roots,
            number,
            n,
            factors,
        })
    }

    /// `A x` on the boundary of the top slab, given unknowns included.
    fn apply(&self, values: &Values, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for root in self.roots {
            let n: u32 = root.boundary.iter().map(|r: &Run| r.len).sum();
            let mut local = Mat::zeros(n as usize, 1);
            gather(&root.boundary, x, local.col_as_slice_mut(0));
            let y = values.schur(root.kind) * &local;
            scatter(&root.boundary, y.col_as_slice(0), &mut out);
        }
        out
    }

    /// Solves for the kept unknowns.
    ///
    /// # Shapes and units
    /// - `x`: boundary of the top slab: given values are read, kept ones are written
    /// - `loads`: on the same unknowns; returns the reactions `A x - loads`, zero but on given unknowns and for rounding, and the
    ///   relative residual of the kept ones: what rounding left, over the right-hand side
    pub fn solve(&self, values: &Values, x: &mut [f64], loads: &[f64]) -> (Vec<f64>, f64) {
        for (v, &k) in x.iter_mut().zip(&self.number) {
            if k != NOWHERE {
                *v = 0.0;
            }
        }
        let mut size = 0.0_f64;
        if let Some(factors) = &self.factors {
            let from_given = self.apply(values, x);
            let mut rhs = vec![0.0; self.n];
            for (i, &k) in self.number.iter().enumerate().filter(|e| *e.1 != NOWHERE) {
                rhs[k as usize] = loads[i] - from_given[i];
            }
            size = rhs.iter().map(|b| b * b).sum::<f64>().sqrt();
            factors.solve_in_place(MatMut::from_column_major_slice_mut(&mut rhs, self.n, 1));
            for (v, &k) in x.iter_mut().zip(&self.number) {
                if k != NOWHERE {
                    *v = rhs[k as usize];
                }
            }
        }
        let mut reactions = self.apply(values, x);
        reactions.iter_mut().zip(loads).for_each(|(r, b)| *r -= b);
        let kept = reactions
            .iter()
            .zip(&self.number)
            .filter(|e| *e.1 != NOWHERE);
        let left = kept.map(|(r, _)| r * r).sum::<f64>().sqrt();
        (reactions, if size > 0.0 { left / size } else { left })
    }
}

#[cfg(test)]
mod tests;
