//! A mixed linear complementarity problem whose unknowns sit in cells.

use crate::linear::Matrix;
use crate::mg::{Geometry, Places};

/// Find `p` with
/// ```text
/// (A p + b)_i = 0                            i not in S
/// 0 <= p_i,  (A p + b)_i >= 0,  one of them 0    i in S
/// ```
#[derive(Clone, Debug)]
pub struct Lcp<const D: usize> {
    /// `A`: symmetric, positive definite, off-diagonal entries not positive. Here `-dt div grad`.
    pub matrix: Matrix<f64>,
    /// `b`: here the divergence before the pressure acts.
    pub b: Vec<f64>,
    /// Which unknowns are in `S`: here those at walls that the liquid may leave.
    pub in_s: Vec<bool>,
    /// Where unknowns sit.
    pub places: Places<D>,
    /// What the matrix was made of, for methods that discretise again on coarse cells.
    pub geometry: Option<Geometry<D>>,
}

impl<const D: usize> Lcp<D> {
    /// How many unknowns.
    pub fn n(&self) -> usize {
        self.b.len()
    }

    /// `min(A p + b, p)` in `S`, `A p + b` elsewhere.
    pub fn minimum_map(&self, p: &[f64]) -> Vec<f64> {
        let mut map = vec![0.0; self.n()];
        self.matrix.map_rows(p, &mut map, |i, ap| {
            let y = ap + self.b[i];
            if self.in_s[i] { y.min(p[i]) } else { y }
        });
        map
    }

    /// The infinity norm of the minimum map: the residual that every solver is judged by.
    pub fn residual(&self, p: &[f64]) -> f64 {
        self.matrix.largest(p, |i, ap| {
            let y = ap + self.b[i];
            if self.in_s[i] { y.min(p[i]) } else { y }
        })
    }

    /// The infinity norm of `A p + b`: the residual of the system without walls to leave.
    pub fn linear_residual(&self, p: &[f64]) -> f64 {
        self.matrix.largest(p, |i, ap| ap + self.b[i])
    }

    /// The lower bound of every unknown: 0 in `S`, none elsewhere.
    pub fn lower_bounds(&self) -> Vec<f64> {
        self.in_s
            .iter()
            .map(|s| if *s { 0.0 } else { f64::NEG_INFINITY })
            .collect()
    }
}
