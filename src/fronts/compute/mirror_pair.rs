//! Joins of mirror-symmetric pairs: what is even across the mirror and what is odd are eliminated apart.
//!
//! ```text
//!  a front | its mirror image      y+ = (x + x') / sqrt 2     even: pressures, velocities along the mirror
//!        x | x'                    y- = (x - x') / sqrt 2     odd:  velocities through it
//!          m                       on the mirror itself an unknown is one of both
//!
//!  F = P^T S P + P'^T S P'  =  F+ on (y+, even m)  +  F- on (y-, odd m),     F+- = Q^T S Q,  Q = 1 for pairs, sqrt 2 on the mirror
//! ```
//! Nothing couples the two, and each is half as wide: a quarter to a third of the operations, half of the memory, and the child is added once
//! instead of twice. Two copies that meet otherwise (a pipe's halves: the end of one is the beginning of the other) aren't such a pair.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use faer::Mat;

use super::front::{self, Part, each_block};
use super::inside::{Inside, Way};
use super::lower::{Lower, Triangle};
use crate::plan::{Child, Image, NOWHERE};

/// Fronts with fewer unknowns are eliminated as they are: two products half as wide take as long.
const LEAST: usize = 256;

/// An unknown of one half, and the factor with which one of the front goes into it and comes out of it; 0: it is none of it.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    at: u32,
    factor: f64,
}

/// Even, then odd unknowns.
#[derive(Clone, Debug, Default)]
struct Half {
    /// Images of one front's unknowns: where they lie in it.
    images: Vec<Image>,
    n_boundary: usize,
    n_eliminated: usize,
}

/// How a front falls into halves.
#[derive(Debug)]
pub struct Mirror {
    halves: [Half; 2],
    shares: Shares,
}

/// The even and the odd share of each unknown, counted apart among those that stay and those that go.
#[derive(Debug)]
struct Shares {
    all: Vec<[Share; 2]>,
    n_boundary: usize,
}

impl Shares {
    fn boundary(&self) -> &[[Share; 2]] {
        &self.all[..self.n_boundary]
    }

    fn eliminated(&self) -> &[[Share; 2]] {
        &self.all[self.n_boundary..]
    }

    /// `None` where the unknown has another mirror image already.
    fn set(&mut self, unknown: u32, half: usize, share: Share) -> Option<()> {
        let of = &mut self.all.get_mut(unknown as usize)?[half];
        let is_new = of.factor == 0.0;
        *of = share;
        is_new.then_some(())
    }
}

impl Mirror {
    /// The mirror between two children of a front with `b` unknowns that stay and `e` that go, if that is what they are.
    pub fn between(children: &[Child], b: usize, e: usize) -> Option<Self> {
        let [one, other] = children else { return None };
        if one.kind != other.kind || b + e < LEAST || e == 0 {
            return None;
        }
        let mut halves = [Half::default(), Half::default()];
        let mut shares = Shares {
            all: vec![[Share::default(); 2]; b + e],
            n_boundary: b,
        };
        let pairs = || one.images.iter().zip(other.images.iter());
        let stays = |image: &Image| (image.to as usize) < b;
        for (x, y) in pairs() {
            let is_wall = x.to == NOWHERE;
            let is_scaled = x.factor.abs() != 1.0 || y.factor.abs() != 1.0;
            if is_scaled || is_wall != (y.to == NOWHERE) || stays(x) != stays(y) {
                return None;
            }
            if is_wall {
                continue;
            }
            if x.to == y.to {
                let half = usize::from(x.factor != y.factor);
                let at = halves[half].next(stays(x));
                let factor = x.factor;
                shares.set(x.to, half, Share { at, factor })?;
                continue;
            }
            for (half, sign) in [1.0, -1.0].into_iter().enumerate() {
                let at = halves[half].next(stays(x));
                for (image, sign) in [(x, 1.0), (y, sign)] {
                    let factor = sign * image.factor * FRAC_1_SQRT_2;
                    shares.set(image.to, half, Share { at, factor })?;
                }
            }
        }
        let is_covered = |shares: &[Share; 2]| shares.iter().any(|share| share.factor != 0.0);
        if !shares.all.iter().all(is_covered) {
            return None;
        }
        for (k, half) in halves.iter_mut().enumerate() {
            let n_boundary = half.n_boundary as u32;
            let image = |(x, y): (&Image, &Image)| {
                let share = shares.all.get(x.to as usize).map(|of| of[k]);
                let Some(share) = share.filter(|share| share.factor != 0.0) else {
                    return Image::plain(NOWHERE);
                };
                Image {
                    to: share.at + if stays(x) { 0 } else { n_boundary },
                    factor: if x.to == y.to { SQRT_2 } else { 1.0 },
                }
            };
            half.images = pairs().map(image).collect();
        }
        Some(Self { halves, shares })
    }
}

impl Half {
    /// The number of one more unknown.
    fn next(&mut self, stays: bool) -> u32 {
        let n = if stays {
            &mut self.n_boundary
        } else {
            &mut self.n_eliminated
        };
        *n += 1;
        *n as u32 - 1
    }
}

/// What substitution needs of a join of a mirror-symmetric pair.
#[derive(Debug)]
pub struct MirrorPair {
    halves: [Inside; 2],
    shares: Shares,
}

impl MirrorPair {
    /// The even and the odd half.
    pub fn halves(&self) -> &[Inside; 2] {
        &self.halves
    }

    /// As of [`Inside::substitute`].
    pub fn substitute(&self, x: &Mat<f64>, copies: usize) -> Mat<f64> {
        let of = |half: usize| {
            let inside = &self.halves[half];
            let x = fold(self.shares.boundary(), half, inside.n_boundary(), x);
            inside.substitute(&x, copies)
        };
        unfold(self.shares.eliminated(), [&of(0), &of(1)])
    }

    /// As of [`Inside::carry`].
    pub fn carry(&self, b: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
        let of = |half: usize| {
            let inside = &self.halves[half];
            inside.carry(&fold(
                self.shares.eliminated(),
                half,
                inside.n_eliminated(),
                b,
            ))
        };
        let (even, odd) = (of(0), of(1));
        (
            unfold(self.shares.eliminated(), [&even.0, &odd.0]),
            unfold(self.shares.boundary(), [&even.1, &odd.1]),
        )
    }
}

/// The even (`half` 0) or odd part of vectors, one a column.
fn fold(shares: &[[Share; 2]], half: usize, n: usize, x: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(n, x.ncols());
    for j in 0..x.ncols() {
        let to = out.col_as_slice_mut(j);
        for (shares, x) in shares.iter().zip(x.col_as_slice(j)) {
            let Share { at, factor } = shares[half];
            if factor != 0.0 {
                to[at as usize] += factor * x;
            }
        }
    }
    out
}

/// Vectors from their even and odd parts.
fn unfold(shares: &[[Share; 2]], halves: [&Mat<f64>; 2]) -> Mat<f64> {
    let mut out = Mat::zeros(shares.len(), halves[0].ncols());
    for j in 0..out.ncols() {
        let from = halves.map(|half| half.col_as_slice(j));
        for (to, shares) in out.col_as_slice_mut(j).iter_mut().zip(shares) {
            *to = both(shares, from);
        }
    }
    out
}

/// A value from its even and odd shares.
fn both(shares: &[Share; 2], from: [&[f64]; 2]) -> f64 {
    let part = |half: usize| match shares[half] {
        Share { factor: 0.0, .. } => 0.0,
        Share { at, factor } => factor * from[half][at as usize],
    };
    part(0) + part(1)
}

/// The join of a front with its mirror image; `None` where a pivot block is singular.
pub fn eliminate(one: Triangle<'_>, mirror: Mirror) -> Option<(Lower, Inside)> {
    let (b, e) = (mirror.shares.n_boundary, mirror.shares.eliminated().len());
    let half = |half: usize| {
        let Half {
            images,
            n_boundary,
            n_eliminated,
        } = &mirror.halves[half];
        let part = Part::new(one, images, *n_boundary);
        front::eliminate(&[part], *n_boundary, *n_eliminated)
    };
    let (even, odd) = rayon::join(|| half(0), || half(1));
    let ((even, even_inside), (odd, odd_inside)) = (even?, odd?);
    let schurs = [even.whole(), odd.whole()];
    let boundary = mirror.shares.boundary();
    let blocks = each_block(b, |[first, last]| {
        let mut block = Mat::zeros(b - first, last - first);
        for j in first..last {
            // Nothing above the diagonal is read.
            let columns = [0, 1].map(|half| {
                let Share { at, factor } = boundary[j][half];
                let is_there = factor != 0.0;
                is_there.then(|| (factor, schurs[half].col_as_slice(at as usize)))
            });
            let to = &mut block.col_as_slice_mut(j - first)[j - first..];
            for (half, column) in columns.into_iter().enumerate() {
                let Some((scale, column)) = column else {
                    continue;
                };
                for (to, shares) in to.iter_mut().zip(&boundary[j..]) {
                    let Share { at, factor } = shares[half];
                    if factor != 0.0 {
                        *to += scale * factor * column[at as usize];
                    }
                }
            }
        }
        Some(block)
    })?;
    let pair = MirrorPair {
        halves: [even_inside, odd_inside],
        shares: mirror.shares,
    };
    let inside = Inside::new([b, e], Way::MirrorPair(Box::new(pair)));
    Some((Lower::new(b, blocks), inside))
}
