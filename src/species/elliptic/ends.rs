//! What a pipe's modes are at its ends: matrices on their amplitudes, and amplitudes from what is given there.

use faer::{Mat, MatRef};
use stokeslet_fronts::algebra::Lu;

use super::section::Modes;

/// `a^-1 b`.
pub(super) fn solve(a: &Mat<f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    Lu::new(a.as_ref()).solve(b)
}

/// `a b^-1`.
pub(super) fn over(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let b = b.transpose().to_owned();
    let x = Lu::new(b.as_ref()).solve(a.transpose());
    x.transpose().to_owned()
}

/// Values as a matrix of one column.
pub(super) fn column(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |i, _| values[i])
}

/// `n` values of the first column.
pub(super) fn list(a: &Mat<f64>, from: usize, n: usize) -> Vec<f64> {
    (from..from + n).map(|i| a[(i, 0)]).collect()
}

/// `1 - exp(-mu L)` of the slowest mode that decays upstream, which runs together with the constant where `Pe L` is small: instead of it counts its
/// difference to the constant, over this. Without that, what a pipe of an eighth of a width carries loses half of its digits at Pe 1e-6.
fn apart(m: &Modes, length: f64) -> f64 {
    -(-m.up[0] * length).exp_m1()
}

/// `[a+ exp(-mu+ x), a- exp(-mu- (L - x))]`: a shape or flux of all modes at a distance from the upstream end, as rows on amplitudes told [`apart`].
pub(super) fn at_distance(m: &Modes, length: f64, x: f64, [down, up]: [&Mat<f64>; 2]) -> Mat<f64> {
    let n = m.down.len();
    let mut out = Mat::from_fn(n, 2 * n, |i, j| match j < n {
        true => down[(i, j)] * (-m.down[j] * x).exp(),
        false => up[(i, j - n)] * (-m.up[j - n] * (length - x)).exp(),
    });
    let apart = apart(m, length);
    for i in 0..n {
        out[(i, n)] = (out[(i, n)] - out[(i, 0)]) / apart;
    }
    out
}

/// One above the other.
pub(super) fn stacked(top: &Mat<f64>, bottom: &Mat<f64>) -> Mat<f64> {
    let n = top.nrows();
    Mat::from_fn(2 * n, top.ncols(), |i, j| match i < n {
        true => top[(i, j)],
        false => bottom[(i - n, j)],
    })
}

/// A pipe on both its ends.
pub(super) struct Both {
    /// What is given at the upstream end, and the concentrations at the other: rows on amplitudes told [`apart`].
    pub(super) matrix: Mat<f64>,
    apart: f64,
}

impl Both {
    /// Both ends of a pipe; `upstream`: shapes or fluxes, whichever are given there.
    pub(super) fn new(m: &Modes, length: f64, upstream: [&Mat<f64>; 2]) -> Self {
        let shapes = [&m.down_shape, &m.up_shape];
        let far = at_distance(m, length, length, shapes);
        Self {
            matrix: stacked(&at_distance(m, length, 0.0, upstream), &far),
            apart: apart(m, length),
        }
    }

    /// Amplitudes downstream and upstream.
    pub(super) fn amplitudes(&self, ends: &[f64]) -> [Vec<f64>; 2] {
        let n = ends.len() / 2;
        let mut x = solve(&self.matrix, column(ends).as_ref());
        x[(n, 0)] /= self.apart;
        x[(0, 0)] -= x[(n, 0)];
        [list(&x, 0, n), list(&x, n, n)]
    }
}

#[cfg(test)]
mod tests {
    use super::super::section::Section;
    use super::*;
    use crate::profile::Profile;

    /// What a pipe carries at both ends for values at both ends, over D.
    fn carried(modes: &Modes, length: f64) -> Mat<f64> {
        let shapes = [&modes.down_shape, &modes.up_shape];
        let fluxes = [&modes.down_flux, &modes.up_flux];
        let [above, below] = [0.0, length].map(|x| at_distance(modes, length, x, fluxes));
        over(
            &stacked(&above, &below),
            &Both::new(modes, length, shapes).matrix,
        )
    }

    /// What enters a pipe leaves it, to rounding, however short it is and however slow the flow, and amplitudes say the same.
    #[test]
    fn short_pipes_of_slow_flow_carry_what_enters_them() {
        let shallow = Profile::new(1.0, 48.0);
        let sections = [(8, 3, Profile::PLANAR), (5, 4, shallow), (16, 3, shallow)];
        let cases = sections
            .iter()
            .flat_map(|s| [1e-7, 1e-4, 1.0].map(|pe| (s, pe)));
        for ((cells, order, profile), peclet) in cases {
            let section = Section {
                knots: (0..=*cells)
                    .map(|k| f64::from(k) / f64::from(*cells))
                    .collect(),
                order: *order,
                profile: *profile,
            };
            let n = section.n();
            for length in [0.1, 3.0] {
                let modes = Modes::new(&section, peclet).unwrap();
                let w = carried(&modes, length);
                // One more at the upstream end: what diffuses is not lost in what flows.
                let ends: Vec<f64> = (0..2 * n).map(|i| f64::from(u8::from(i < n))).collect();
                let flux = &w * column(&ends);
                let [enters, leaves] =
                    [0, n].map(|from| (from..from + n).map(|i| flux[(i, 0)]).sum::<f64>());
                let want = peclet / -(-peclet * length).exp_m1();
                assert!((enters - leaves).abs() < 1e-12 * want, "{enters} {leaves}");
                // The shape of the slow mode is known to rounding over Pe; the formula leaves out that the profile isn't even.
                let known = (1e-14 / peclet).max(1e-2 * peclet * peclet);
                assert!((enters / want - 1.0).abs() < known, "{enters} {want}");
                let shapes = [&modes.down_shape, &modes.up_shape];
                let [down, _] = Both::new(&modes, length, shapes).amplitudes(&ends);
                assert!((down[0] * peclet / want - 1.0).abs() < known, "{}", down[0]);
            }
        }
    }

    /// A4: a pipe and another behind it, with what is between them eliminated, are the pipe of both lengths.
    #[test]
    fn a_pipe_of_two_lengths_is_one_of_their_sum() {
        let section = Section {
            knots: (0..=8).map(|k| f64::from(k) / 8.0).collect(),
            order: 4,
            profile: Profile::PLANAR,
        };
        let n = section.n();
        for peclet in [0.1, 3.0, 100.0, 1000.0] {
            let modes = Modes::new(&section, peclet).unwrap();
            for (a, b) in [(0.3, 0.7), (3.0, 4.0)] {
                let [wa, wb, whole] = [a, b, a + b].map(|l| carried(&modes, l));
                let part = |w: &Mat<f64>, i: usize, j: usize| {
                    w.as_ref().submatrix(i * n, j * n, n, n).to_owned()
                };
                // What leaves the first enters the second.
                let between = part(&wa, 1, 1) - part(&wb, 0, 0);
                let of_first = solve(&between, (part(&wa, 1, 0) * faer::Scale(-1.0)).as_ref());
                let of_last = solve(&between, part(&wb, 0, 1).as_ref());
                let joined = [
                    [
                        part(&wa, 0, 0) + part(&wa, 0, 1) * &of_first,
                        part(&wa, 0, 1) * &of_last,
                    ],
                    [
                        part(&wb, 1, 0) * &of_first,
                        part(&wb, 1, 1) + part(&wb, 1, 0) * &of_last,
                    ],
                ];
                let scale = (0..2 * n).map(|i| whole[(i, i)].abs()).fold(0.0, f64::max);
                let mut worst = 0.0_f64;
                for (i, j) in (0..2 * n).flat_map(|i| (0..2 * n).map(move |j| (i, j))) {
                    let got = joined[i / n][j / n][(i % n, j % n)];
                    worst = worst.max((got - whole[(i, j)]).abs() / scale);
                }
                assert!(worst < 1e-9, "Pe {peclet}, {a} and {b}: {worst:e}");
            }
        }
    }
}
