//! What substitution needs of a front: the eliminated unknowns from those of its boundary.

use std::sync::OnceLock;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use stokeslet_base::vectors::clear_upper_halves;

use super::mirror_pair::MirrorPair;
use crate::pivot::Pivot;

/// What substitution needs of a front.
#[derive(Debug)]
pub struct Inside {
    n_boundary: usize,
    n_eliminated: usize,
    way: Way,
}

/// How the eliminated unknowns are found.
#[derive(Debug)]
pub enum Way {
    /// All together.
    Whole(Box<Whole>),
    /// Even and odd ones apart.
    MirrorPair(Box<MirrorPair>),
}

/// What substitution needs of a front that was eliminated as it is.
#[derive(Debug, Default)]
pub struct Whole {
    /// `n_eliminated` x `n_boundary`: the eliminated unknowns for unit boundary unknowns. Of large fronts formed only where
    /// many copies are substituted.
    weights: OnceLock<Mat<f64>>,
    /// `-B^-1 L^-1 P F_eb` of large fronts: half way to the weights.
    half: Option<Mat<f64>>,
    /// Factors of the eliminated block, for loads on it; none where nothing is eliminated.
    pivot: Option<Pivot>,
}

impl Whole {
    /// From the weights themselves.
    pub fn of_weights(weights: Mat<f64>, pivot: Pivot) -> Self {
        Self {
            weights: OnceLock::from(weights),
            half: None,
            pivot: Some(pivot),
        }
    }

    /// From `-B^-1 L^-1 P F_eb`.
    pub fn half_way(half: Mat<f64>, pivot: Pivot) -> Self {
        Self {
            weights: OnceLock::new(),
            half: Some(half),
            pivot: Some(pivot),
        }
    }

    /// The weights, formed now if they weren't before; none where nothing is eliminated.
    fn weights(&self) -> Option<&Mat<f64>> {
        if let (Some(half), Some(pivot)) = (&self.half, &self.pivot) {
            Some(self.weights.get_or_init(|| pivot.upper(half.clone())))
        } else {
            self.weights.get()
        }
    }

    fn substitute(&self, x: &Mat<f64>, copies: usize, n_eliminated: usize) -> Mat<f64> {
        if let (Some(half), Some(pivot)) = (&self.half, &self.pivot)
            && 4 * copies < n_eliminated
        {
            return pivot.upper(half * x);
        }
        let mut out = Mat::zeros(n_eliminated, x.ncols());
        if let Some(weights) = self.weights() {
            matmul(out.as_mut(), Accum::Replace, weights, x, 1.0, Par::Seq);
            clear_upper_halves();
        }
        out
    }

    fn carry(&self, b: &Mat<f64>, n_boundary: usize) -> (Mat<f64>, Mat<f64>) {
        let Some(pivot) = &self.pivot else {
            return (b.clone(), Mat::zeros(n_boundary, b.ncols()));
        };
        let carried = match (&self.half, self.weights.get()) {
            (None, Some(weights)) => weights.transpose() * b,
            (None, None) => Mat::zeros(n_boundary, b.ncols()),
            (Some(half), _) => {
                let mut reduced = pivot.permuted(b);
                pivot.lower(reduced.as_mut());
                half.transpose() * &reduced
            }
        };
        clear_upper_halves();
        (pivot.solve(b), carried)
    }
}

impl Inside {
    /// What substitution needs of a front with so many unknowns that stay and that go.
    pub fn new([n_boundary, n_eliminated]: [usize; 2], way: Way) -> Self {
        Self {
            n_boundary,
            n_eliminated,
            way,
        }
    }

    /// Unknowns that it eliminates.
    pub fn n_eliminated(&self) -> usize {
        self.n_eliminated
    }

    /// Unknowns of its boundary.
    pub fn n_boundary(&self) -> usize {
        self.n_boundary
    }

    /// `W x`; `copies`: columns that there are in all, of which these may be a few. The way depends on that number alone, never
    /// on what was formed before: the bits must not.
    pub fn substitute(&self, x: &Mat<f64>, copies: usize) -> Mat<f64> {
        match &self.way {
            Way::Whole(whole) => whole.substitute(x, copies, self.n_eliminated),
            Way::MirrorPair(pair) => pair.substitute(x, copies),
        }
    }

    /// `(F_ee^-1 b, W^T b)` for loads `b` on the eliminated unknowns.
    pub fn carry(&self, b: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
        match &self.way {
            Way::Whole(whole) => whole.carry(b, self.n_boundary),
            Way::MirrorPair(pair) => pair.carry(b),
        }
    }

    /// Floating-point operations that made it and the Schur complement beside it, a multiplication and an addition being two:
    /// `e^3/3 + e^2 b + e b^2` by `L D L^T`, `2/3 e^3 + 2 e^2 b + e b^2` by LU, and what an attempt at the first cost that
    /// ended in the second; of a mirror-symmetric pair those of both halves. Sums of children aren't counted, nor what is done later, in
    /// substitution.
    pub fn flops(&self) -> u64 {
        let (e, b) = (self.n_eliminated as u64, self.n_boundary as u64);
        match &self.way {
            Way::MirrorPair(pair) => pair.halves().iter().map(|half| half.flops()).sum(),
            Way::Whole(whole) => whole.pivot.as_ref().map_or(0, |pivot| {
                let solves = if pivot.is_symmetric() { 1 } else { 2 };
                pivot.flops() + solves * e * e * b + e * b * b
            }),
        }
    }

    /// Bytes that it holds, or will.
    pub fn bytes(&self) -> u64 {
        let (e, b) = (self.n_eliminated as u64, self.n_boundary as u64);
        match &self.way {
            Way::MirrorPair(pair) => pair.halves().iter().map(|half| half.bytes()).sum(),
            Way::Whole(whole) => 8 * (e * b * if whole.half.is_some() { 2 } else { 1 } + e * e),
        }
    }
}
