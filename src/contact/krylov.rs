//! One cycle of GMRES for systems that are not symmetric, preconditioned from the right so that its residual is the true one.
//!
//! Scalar products wait for memory: some twenty vectors a cycle. Where products are rounded to single precision anyway the vectors are too, and
//! take half.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use stokeslet_dynamics::linear::{Real, dot};

use crate::loops::each_light;

/// Unknowns that one thread takes at a time; sums are added up in their order, whoever made them.
const CHUNK: usize = 8192;

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// How a cycle went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GmresReport {
    /// Products with the matrix.
    pub iterations: usize,
    /// Residual over right-hand side.
    pub residual: f64,
}

/// Approximates `H u = b` from `u = 0` in one cycle of at most `most` products.
///
/// # Requires
/// `apply` and `precondition` linear.
/// # Accuracy and cost
/// Stops at `|H u - b| <= rel |b|` as it reckons, which is off by the rounding of `apply` and of the vectors, some `T::EPSILON |H| |u|`; `u` itself is
/// not rounded to `T`. Every step has `b . H u = |H u|^2`, so `u` is downhill for `|b|^2` unless the cycle stalls at 0.
/// # Source
/// Saad and Schultz, 1986.
pub fn gmres<T: Real>(
    apply: &dyn Fn(&[T]) -> Vec<T>,
    precondition: &dyn Fn(&[T]) -> Vec<T>,
    b: &[T],
    rel: f64,
    most: usize,
) -> (Vec<f64>, GmresReport) {
    let n = b.len();
    let mut first = b.to_vec();
    let size = subtract(&mut first, &[], &[]);
    if size == 0.0 {
        return (
            vec![0.0; n],
            GmresReport {
                iterations: 0,
                residual: 0.0,
            },
        );
    }
    let over = |w: &[T], length: f64| {
        let inverse = T::of(1.0 / length);
        each_light(n, |i| w[i] * inverse)
    };
    let mut basis = vec![over(&first, size)];
    let mut turned: Vec<Vec<T>> = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    let mut rhs = vec![size];
    for j in 0..most {
        let z = precondition(&basis[j]);
        let mut w = apply(&z);
        turned.push(z);
        let mut column = products(&basis, &w);
        let mut next = subtract(&mut w, &basis, &column);
        let before = column.iter().fold(next, |length, h| length.hypot(*h));
        if next < 0.1 * before {
            // Once more: cancellation has spoilt the right angle.
            let again = products(&basis, &w);
            next = subtract(&mut w, &basis, &again);
            column.iter_mut().zip(again).for_each(|(h, d)| *h += d);
        }
        for (i, &(c, s)) in rotations.iter().enumerate() {
            let (a, d) = (column[i], column[i + 1]);
            (column[i], column[i + 1]) = (c * a + s * d, c * d - s * a);
        }
        let a = column[j];
        let r = a.hypot(next);
        let (c, s) = if r > 0.0 {
            (a / r, next / r)
        } else {
            (1.0, 0.0)
        };
        column[j] = r;
        rotations.push((c, s));
        let last = rhs[j];
        rhs[j] = c * last;
        rhs.push(-s * last);
        columns.push(column);
        let done = rhs[j + 1].abs() <= rel * size || next <= 64.0 * T::EPSILON * before || r == 0.0;
        if done || j + 1 == most {
            break;
        }
        basis.push(over(&w, next));
    }
    let m = columns.len();
    let mut y = vec![0.0; m];
    for i in (0..m).rev() {
        let sum: f64 = (i + 1..m).map(|j| columns[j][i] * y[j]).sum();
        y[i] = if columns[i][i] == 0.0 {
            0.0
        } else {
            (rhs[i] - sum) / columns[i][i]
        };
    }
    let u = combined(&turned, &y, n);
    (
        u,
        GmresReport {
            iterations: m,
            residual: rhs[m].abs() / size,
        },
    )
}

/// Vectors that are taken together, so that the other is read once for all of them.
const TOGETHER: usize = 4;

/// Scalar products of `w` with each of the vectors.
fn products<T: Real>(vectors: &[Vec<T>], w: &[T]) -> Vec<f64> {
    let arch = Arch::new();
    let of_chunk = |(chunk, w): (usize, &[T])| -> Vec<f64> {
        let first = chunk * CHUNK;
        arch.dispatch(Products { vectors, first, w })
    };
    if w.len() <= CHUNK {
        return of_chunk((0, w));
    }
    let parts: Vec<Vec<f64>> = w.par_chunks(CHUNK).enumerate().map(of_chunk).collect();
    let mut sums = vec![0.0; vectors.len()];
    for part in parts {
        sums.iter_mut().zip(part).for_each(|(sum, h)| *sum += h);
    }
    sums
}

/// [`products`] with entries of the vectors from `first` on, compiled for the processor's widest registers, whatever they are to the same bits.
struct Products<'a, T> {
    vectors: &'a [Vec<T>],
    first: usize,
    w: &'a [T],
}

impl<T: Real> WithSimd for Products<'_, T> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f64> {
        let Products { vectors, first, w } = self;
        let here = first..first + w.len();
        let (four, rest) = vectors.as_chunks::<TOGETHER>();
        let mut sums = Vec::with_capacity(vectors.len());
        for four in four {
            sums.extend(dots(four.each_ref().map(|v| &v[here.clone()]), w));
        }
        match rest {
            [a] => sums.extend(dots([&a[here]], w)),
            [a, b] => sums.extend(dots([a, b].map(|v| &v[here.clone()]), w)),
            [a, b, c] => sums.extend(dots([a, b, c].map(|v| &v[here.clone()]), w)),
            _ => {}
        }
        sums
    }
}

/// Entries whose scalar products are added up by themselves, so that rounding grows slowly.
const BLOCK: usize = 1024;

/// Sums of a block's scalar product: as many as a register of single precision holds.
const LANES: usize = 8;

/// Scalar products of several with `w`: block by block, two blocks at a time while there are, so that more sums than one are under way.
#[inline(always)]
fn dots<T: Real, const N: usize>(vectors: [&[T]; N], w: &[T]) -> [f64; N] {
    let mut sums = [0.0; N];
    let (pairs, rest) = w.as_chunks::<{ 2 * BLOCK }>();
    for (pair, w) in pairs.iter().enumerate() {
        let vectors = vectors.map(|v| &v[pair * 2 * BLOCK..][..2 * BLOCK]);
        let [mut first, mut second] = [[[T::ZERO; LANES]; N]; 2];
        let (w, vectors) = (w.as_chunks().0, vectors.map(|v| v.as_chunks().0));
        for i in 0..BLOCK / LANES {
            for (k, v) in vectors.iter().enumerate() {
                add_products(&mut first[k], &v[i], &w[i]);
                add_products(&mut second[k], &v[BLOCK / LANES + i], &w[BLOCK / LANES + i]);
            }
        }
        for lanes in [first, second] {
            for (sum, lanes) in sums.iter_mut().zip(&lanes) {
                *sum += lanes.iter().map(|lane| lane.wide()).sum::<f64>();
            }
        }
    }
    let done = w.len() - rest.len();
    for (b, w) in rest.chunks(BLOCK).enumerate() {
        let vectors = vectors.map(|v| v[done + b * BLOCK..][..w.len()].as_chunks::<LANES>());
        let (whole, rest) = w.as_chunks::<LANES>();
        let mut lanes = [[T::ZERO; LANES]; N];
        for (i, w) in whole.iter().enumerate() {
            for (lanes, (v, _)) in lanes.iter_mut().zip(&vectors) {
                add_products(lanes, &v[i], w);
            }
        }
        for ((sum, lanes), (_, v)) in sums.iter_mut().zip(&lanes).zip(&vectors) {
            let last = v.iter().zip(rest).map(|(v, w)| v.wide() * w.wide());
            *sum += lanes
                .iter()
                .map(|lane| lane.wide())
                .chain(last)
                .sum::<f64>();
        }
    }
    sums
}

#[inline(always)]
fn add_products<T: Real>(sums: &mut [T; LANES], v: &[T; LANES], w: &[T; LANES]) {
    for ((sum, v), w) in sums.iter_mut().zip(v).zip(w) {
        *sum += *v * *w;
    }
}

/// `w -= sum h_k v_k`; what is left of its length.
fn subtract<T: Real>(w: &mut [T], vectors: &[Vec<T>], h: &[f64]) -> f64 {
    let arch = Arch::new();
    let h: Vec<T> = h.iter().map(|h| T::of(*h)).collect();
    let of_chunk = |(chunk, w): (usize, &mut [T])| -> f64 {
        arch.dispatch(Subtract {
            vectors,
            h: &h,
            first: chunk * CHUNK,
            w,
        })
    };
    if w.len() <= CHUNK {
        return of_chunk((0, w)).sqrt();
    }
    let parts: Vec<f64> = w.par_chunks_mut(CHUNK).enumerate().map(of_chunk).collect();
    parts.iter().sum::<f64>().sqrt()
}

/// [`subtract`] with entries of the vectors from `first` on, compiled as [`Products`] are; the square of what is left.
struct Subtract<'a, T> {
    vectors: &'a [Vec<T>],
    h: &'a [T],
    first: usize,
    w: &'a mut [T],
}

impl<T: Real> WithSimd for Subtract<'_, T> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> f64 {
        let here = self.first..self.first + self.w.len();
        let w = self.w;
        let (four, rest) = self.vectors.as_chunks::<TOGETHER>();
        let (h_four, h_rest) = self.h.as_chunks::<TOGETHER>();
        for (vectors, h) in four.iter().zip(h_four) {
            let [a, b, c, d] = vectors.each_ref().map(|v| &v[here.clone()]);
            for ((((x, a), b), c), d) in w.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *x -= (h[0] * *a + h[1] * *b) + (h[2] * *c + h[3] * *d);
            }
        }
        match (rest, h_rest) {
            ([a], [h]) => {
                for (x, a) in w.iter_mut().zip(&a[here]) {
                    *x -= *h * *a;
                }
            }
            ([a, b], [h, i]) => {
                for ((x, a), b) in w.iter_mut().zip(&a[here.clone()]).zip(&b[here]) {
                    *x = (*x - *h * *a) - *i * *b;
                }
            }
            ([a, b, c], [h, i, j]) => {
                let [a, b, c] = [a, b, c].map(|v| &v[here.clone()]);
                for (((x, a), b), c) in w.iter_mut().zip(a).zip(b).zip(c) {
                    *x = ((*x - *h * *a) - *i * *b) - *j * *c;
                }
            }
            _ => {}
        }
        dots([&*w], w)[0]
    }
}

/// `sum y_k v_k` of vectors of `n` numbers, in double precision.
fn combined<T: Real>(vectors: &[Vec<T>], y: &[f64], n: usize) -> Vec<f64> {
    let mut sums = vec![0.0; n];
    let of_chunk = |(chunk, sums): (usize, &mut [f64])| {
        let here = chunk * CHUNK..chunk * CHUNK + sums.len();
        for (v, y) in vectors.iter().zip(y) {
            for (sum, v) in sums.iter_mut().zip(&v[here.clone()]) {
                *sum += y * v.wide();
            }
        }
    };
    if n <= CHUNK {
        of_chunk((0, &mut sums));
    } else {
        sums.par_chunks_mut(CHUNK).enumerate().for_each(of_chunk);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

    /// Whatever registers a processor has, and with whatever vectors one is taken together.
    fn same_bits<T: Real>(n: usize, many: usize) {
        let mut random = Random::new(33);
        let mut vector = || -> Vec<T> { (0..n).map(|_| T::of(random.number())).collect() };
        let vectors: Vec<Vec<T>> = (0..many).map(|_| vector()).collect();
        let w = vector();
        let products = || Products {
            vectors: &vectors,
            first: 0,
            w: &w,
        };
        let sums = Arch::new().dispatch(products());
        assert_eq!(sums, products().with_simd(pulp::Scalar), "{n}");
        let alone: Vec<f64> = vectors.iter().map(|v| dots([&v[..]], &w)[0]).collect();
        assert_eq!(sums, alone, "{n}, {many}");
        let h: Vec<T> = sums.iter().map(|sum| T::of(*sum)).collect();
        let [mut plain, mut wide] = [w.clone(), w.clone()];
        let subtract = |w| Subtract {
            vectors: &vectors,
            h: &h,
            first: 0,
            w,
        };
        let left = Arch::new().dispatch(subtract(&mut wide));
        assert_eq!(left, subtract(&mut plain).with_simd(pulp::Scalar), "{n}");
        assert!(plain == wide && plain != w, "{n}");
        for (i, x) in wide.iter().enumerate() {
            let taken = vectors.iter().zip(&h).map(|(v, h)| h.wide() * v[i].wide());
            let exact = w[i].wide() - taken.sum::<f64>();
            let size = h.iter().map(|h| h.wide().abs()).sum::<f64>() + 1.0;
            assert_small(x.wide() - exact, size, 4.0 * T::EPSILON, "w - sum h v");
        }
    }

    #[test]
    fn scalar_products_have_the_same_bits_on_any_processor() {
        for n in [1, 13, 1024, 3001] {
            for many in [5, 6, 7] {
                same_bits::<f32>(n, many);
                same_bits::<f64>(n, many);
            }
        }
    }

    /// More unknowns than one thread takes at a time.
    #[test]
    fn a_cycle_of_many_unknowns_reports_the_residual_that_it_leaves() {
        let mut random = Random::new(32);
        let n = 2 * CHUNK + 77;
        let b: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let apply = |u: &[f64]| -> Vec<f64> {
            let next = |i: usize| 0.3 * u[(i + 1) % n] - 0.2 * u[(i + n - 1) % n];
            (0..n).map(|i| u[i] + next(i)).collect()
        };
        let left = |u: &[f64]| {
            let left: Vec<f64> = apply(u).iter().zip(&b).map(|(x, y)| x - y).collect();
            (dot(&left, &left) / dot(&b, &b)).sqrt()
        };
        for rel in [1e-1, 1e-3, 1e-10] {
            let (u, report) = gmres(&apply, &|v| v.to_vec(), &b, rel, 30);
            let left = left(&u);
            assert!(left <= 1.01 * rel, "{left:e} after {report:?}");
            assert_small(left - report.residual, 1.0, 1e-13, "the true residual");
        }
        // In single precision the same, to its rounding.
        let narrow = |u: &[f64]| -> Vec<f32> { u.iter().map(|x| *x as f32).collect() };
        let wide = |u: &[f32]| -> Vec<f64> { u.iter().map(|x| f64::from(*x)).collect() };
        for rel in [1e-1, 1e-3] {
            let apply = |u: &[f32]| narrow(&apply(&wide(u)));
            let (u, report) = gmres(&apply, &|v| v.to_vec(), &narrow(&b), rel, 30);
            let left = left(&u);
            assert!(left <= 1.01 * rel, "{left:e} after {report:?}");
            assert_small(left - report.residual, 1.0, 1e-6, "in single precision");
        }
    }

    #[test]
    fn a_full_cycle_solves_a_system_that_is_not_symmetric() {
        let mut random = Random::new(31);
        let n = 18;
        let a: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| random.number() - 0.5 + if i == j { 3.0 } else { 0.0 })
                    .collect()
            })
            .collect();
        let b: Vec<f64> = (0..n).map(|_| random.number()).collect();
        let apply = |u: &[f64]| a.iter().map(|row| dot(row, u)).collect::<Vec<f64>>();
        for rel in [1e-3, 1e-12] {
            let (u, report) = gmres(
                &apply,
                &|v| v.iter().map(|x| x / 3.0).collect(),
                &b,
                rel,
                20,
            );
            let error = apply(&u)
                .iter()
                .zip(&b)
                .map(|(x, y)| (x - y).powi(2))
                .sum::<f64>()
                .sqrt();
            assert_small(
                error,
                dot(&b, &b).sqrt(),
                rel * 1.01,
                "stops at what was asked",
            );
            assert_small(
                error / dot(&b, &b).sqrt() - report.residual,
                1.0,
                1e-12,
                "and reports the true residual",
            );
        }
        let (u, report) = gmres(&apply, &|v| v.to_vec(), &b, 1e-12, 3);
        assert_eq!(report.iterations, 3);
        let hu = apply(&u);
        assert_small(
            dot(&b, &hu) - dot(&hu, &hu),
            dot(&hu, &hu),
            1e-12,
            "a short cycle still goes downhill",
        );
    }
}
