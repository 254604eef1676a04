//! One cycle of GMRES for systems that are not symmetric, preconditioned from the right so that its residual is the true one.

use stokeslet_dynamics::linear::dot;

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
    let size = dot(b, b).sqrt();
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
        let before = dot(&w, &w).sqrt();
        let mut column = Vec::with_capacity(j + 2);
        for v in &basis {
            let h = dot(&w, v);
            for (x, y) in w.iter_mut().zip(v) {
                *x -= h * y;
            }
            column.push(h);
        }
        let mut next = dot(&w, &w).sqrt();
        if next < 1e-3 * before {
            // Once more: cancellation has spoilt the right angle.
            for (v, c) in basis.iter().zip(column.iter_mut()) {
                let h = dot(&w, v);
                for (x, y) in w.iter_mut().zip(v) {
                    *x -= h * y;
                }
                *c += h;
            }
            next = dot(&w, &w).sqrt();
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
        basis.push(w.iter().map(|x| x / next).collect());
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
    for (z, y) in turned.iter().zip(&y) {
        for (a, b) in u.iter_mut().zip(z) {
            *a += y * b;
        }
    }
    (
        u,
        GmresReport {
            iterations: m,
            residual: rhs[m].abs() / size,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, assert_small};

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
