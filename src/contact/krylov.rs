//! One cycle of GMRES for systems that are not symmetric, preconditioned from the right so that its residual is the true one.

use rayon::prelude::*;
use stokeslet_dynamics::linear::dot;

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
/// Stops at `|H u - b| <= rel |b|`. Every step has `b . H u = |H u|^2`, so `u` is downhill for `|b|^2` unless the cycle stalls at 0.
/// # Source
/// Saad and Schultz, 1986.
pub fn gmres(
    apply: &dyn Fn(&[f64]) -> Vec<f64>,
    precondition: &dyn Fn(&[f64]) -> Vec<f64>,
    b: &[f64],
    rel: f64,
    most: usize,
) -> (Vec<f64>, GmresReport) {
    let size = norm(b);
    let n = b.len();
    if size == 0.0 {
        return (
            vec![0.0; n],
            GmresReport {
                iterations: 0,
                residual: 0.0,
            },
        );
    }
    let mut basis = vec![b.iter().map(|x| x / size).collect::<Vec<f64>>()];
    let mut turned: Vec<Vec<f64>> = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut rotations: Vec<(f64, f64)> = Vec::new();
    let mut rhs = vec![size];
    for j in 0..most {
        let z = precondition(&basis[j]);
        let mut w = apply(&z);
        turned.push(z);
        let before = norm(&w);
        let mut column = products(&basis, &w);
        let mut next = subtract(&mut w, &basis, &column);
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
        let done = rhs[j + 1].abs() <= rel * size || next <= 1e-14 * before || r == 0.0;
        if done || j + 1 == most {
            break;
        }
        let inverse = 1.0 / next;
        basis.push(each_light(n, |i| w[i] * inverse));
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
    let mut u = vec![0.0; n];
    y.iter_mut().for_each(|y| *y = -*y);
    subtract(&mut u, &turned, &y);
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
fn products(vectors: &[Vec<f64>], w: &[f64]) -> Vec<f64> {
    let of_chunk = |(c, w): (usize, &[f64])| -> Vec<f64> {
        let part = c * CHUNK..c * CHUNK + w.len();
        let (four, rest) = vectors.as_chunks::<TOGETHER>();
        let mut sums = Vec::with_capacity(vectors.len());
        for vectors in four {
            sums.extend(dots(vectors.each_ref().map(|v| &v[part.clone()]), w));
        }
        sums.extend(rest.iter().map(|v| dot(&v[part.clone()], w)));
        sums
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

/// [`dot`] of several with `w`.
fn dots<const N: usize>(vectors: [&[f64]; N], w: &[f64]) -> [f64; N] {
    const BLOCK: usize = 1024;
    let mut sums = [0.0; N];
    for (b, w) in w.chunks(BLOCK).enumerate() {
        let vectors = vectors.map(|v| v[b * BLOCK..][..w.len()].as_chunks::<4>());
        let (whole, rest) = w.as_chunks::<4>();
        let mut lanes = [[0.0; 4]; N];
        for (i, w) in whole.iter().enumerate() {
            for (lanes, (v, _)) in lanes.iter_mut().zip(&vectors) {
                for k in 0..4 {
                    lanes[k] += v[i][k] * w[k];
                }
            }
        }
        for ((sum, lanes), (_, v)) in sums.iter_mut().zip(&lanes).zip(&vectors) {
            let last: f64 = v.iter().zip(rest).map(|(v, w)| v * w).sum();
            *sum += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) + last;
        }
    }
    sums
}

/// `w -= sum h_k v_k`; what is left of its length.
fn subtract(w: &mut [f64], vectors: &[Vec<f64>], h: &[f64]) -> f64 {
    let of_chunk = |(c, w): (usize, &mut [f64])| -> f64 {
        let part = c * CHUNK..c * CHUNK + w.len();
        let (four, rest) = vectors.as_chunks::<TOGETHER>();
        let (h_four, h_rest) = h.as_chunks::<TOGETHER>();
        for (vectors, h) in four.iter().zip(h_four) {
            let [a, b, c, d] = vectors.each_ref().map(|v| &v[part.clone()]);
            for ((((x, a), b), c), d) in w.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                *x -= (h[0] * a + h[1] * b) + (h[2] * c + h[3] * d);
            }
        }
        for (v, h) in rest.iter().zip(h_rest) {
            w.iter_mut()
                .zip(&v[part.clone()])
                .for_each(|(x, y)| *x -= h * y);
        }
        dot(w, w)
    };
    if w.len() <= CHUNK {
        return of_chunk((0, w)).sqrt();
    }
    let parts: Vec<f64> = w.par_chunks_mut(CHUNK).enumerate().map(of_chunk).collect();
    parts.iter().sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

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
        for rel in [1e-1, 1e-3, 1e-10] {
            let (u, report) = gmres(&apply, &|v| v.to_vec(), &b, rel, 30);
            let left: Vec<f64> = apply(&u).iter().zip(&b).map(|(x, y)| x - y).collect();
            let left = (dot(&left, &left) / dot(&b, &b)).sqrt();
            assert!(left <= 1.01 * rel, "{left:e} after {report:?}");
            assert_small(left - report.residual, 1.0, 1e-13, "the true residual");
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
