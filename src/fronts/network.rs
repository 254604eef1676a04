//! What is left when all groups are joined: one pressure of every connected component where nothing fixes it, and what is given.

use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::{Mat, MatMut};

use super::compute::Values;
use super::group::{Class, Root};
use super::plan::NOWHERE;
use super::tree::{ScaledRange, gather, scatter};

/// The roots' fronts on kept and given unknowns, the kept ones factorised.
pub struct Network {
    roots: Vec<Root>,
    /// Network number of every boundary unknown of the top vector; `NOWHERE`: given.
    number: Vec<u32>,
    n: usize,
    factors: Option<PartialPivLu<f64>>,
}

impl Network {
    /// Adds up the groups' fronts and factorises what is kept.
    ///
    /// # Shapes and units
    /// - `classes`: of the top vector's boundary unknowns, kept or given
    /// - `datums`: one kept unknown of every connected component with a null vector that is not zero there. A number on its diagonal makes the
    ///   matrix regular, and for data orthogonal to the null vector the solution is exact, with that unknown zero.
    /// # Errors
    /// `None` where the network is singular.
    /// # Accuracy and cost
    /// Dense LU with partial pivoting: what is kept is one unknown a connected component.
    pub fn new(
        values: &Values,
        roots: Vec<Root>,
        classes: &[Class],
        datums: &[u32],
    ) -> Option<Self> {
        let mut number = vec![NOWHERE; classes.len()];
        let mut n = 0_u32;
        for (k, _) in classes.iter().enumerate().filter(|c| *c.1 == Class::Kept) {
            number[k] = n;
            n += 1;
        }
        let n = n as usize;
        let mut matrix = Mat::<f64>::zeros(n, n);
        let mut largest = 0.0_f64;
        for root in &roots {
            let kept: Vec<(usize, usize, f64)> = root
                .boundary
                .iter()
                .flat_map(|r| (0..r.len).map(|k| (r.start.saturating_add(k), r.factor)))
                .enumerate()
                .filter(|&(_, (p, _))| p != NOWHERE && number[p as usize] != NOWHERE)
                .map(|(i, (p, f))| (i, number[p as usize] as usize, f))
                .collect();
            let s = values.schur(root.kind);
            for &(j, b, fb) in &kept {
                for &(i, a, fa) in &kept {
                    let value = fa * fb * s[(i, j)];
                    largest = largest.max(value.abs());
                    matrix[(a, b)] += value;
                }
            }
        }
        for &g in datums {
            let k = number[g as usize] as usize;
            matrix[(k, k)] += largest.max(1.0);
        }
        let factors = (n > 0).then(|| matrix.partial_piv_lu());
        if let Some(factors) = &factors
            && (0..n).any(|k| factors.U()[(k, k)] == 0.0)
        {
            return None;
        }
        Some(Self {
            roots,
            number,
            n,
            factors,
        })
    }

    /// `A x` on the boundary of the top vector, given unknowns included.
    fn apply(&self, values: &Values, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for root in &self.roots {
            let n: u32 = root.boundary.iter().map(|r: &ScaledRange| r.len).sum();
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
    /// - `x`: boundary of the top vector: given values are read, kept ones are written
    /// - `loads`: on the same unknowns; returns the reactions `A x - loads`, zero but on given unknowns and for rounding
    pub fn solve(&self, values: &Values, x: &mut [f64], loads: &[f64]) -> Vec<f64> {
        for (v, &k) in x.iter_mut().zip(&self.number) {
            if k != NOWHERE {
                *v = 0.0;
            }
        }
        if let Some(factors) = &self.factors {
            let from_given = self.apply(values, x);
            let mut rhs = vec![0.0; self.n];
            for (i, &k) in self.number.iter().enumerate().filter(|e| *e.1 != NOWHERE) {
                rhs[k as usize] = loads[i] - from_given[i];
            }
            factors.solve_in_place(MatMut::from_column_major_slice_mut(&mut rhs, self.n, 1));
            for (v, &k) in x.iter_mut().zip(&self.number) {
                if k != NOWHERE {
                    *v = rhs[k as usize];
                }
            }
        }
        let mut reactions = self.apply(values, x);
        reactions.iter_mut().zip(loads).for_each(|(r, b)| *r -= b);
        reactions
    }
}

#[cfg(test)]
mod tests;
