//! The exponential of a tridiagonal M-matrix generator by the best rational approximation of `exp` on the negative axis.
//!
//! ```text
//! W dc/dt = -T c,  t from 0 to 1:     c(1) = sum over poles of 2 Re( r_j (M - z_j)^-1 c(0) ),   M = -W^-1 T
//! ```
//! Degree 14 (seven conjugate pairs), error about 4e-13 uniformly on (-inf, 0]: seven complex tridiagonal solves for any length of time.
//! Source: Trefethen, Weideman, Schmelzer, BIT 46 (2006), Caratheodory-Fejer; poles and residues as in the specification, tested below.

use pulp::{Arch, Simd, WithSimd};

/// Pairs of poles, and one without a residue: eight fill registers.
const N: usize = 8;

/// Poles and residues: real, imaginary, real, imaginary.
const TABLE: [[f64; 4]; N] = [
    [
        5.62317153475742,
        1.1940664287021552,
        -27.87616229117745,
        -102.15000629290988,
    ],
    [
        5.089374564875054,
        3.588816095602845,
        46.93490458700608,
        45.644543838981036,
    ],
    [
        3.993400429650635,
        6.004818060139016,
        -23.498979419090606,
        -5.808219208333075,
    ],
    [
        2.2698165258521406,
        8.461717806877203,
        4.807233308906626,
        -1.321112203148874,
    ],
    [
        -0.20872377764902525,
        10.991232026333313,
        -0.37636336734574377,
        0.33520468313103907,
    ],
    [
        -3.703239160176677,
        13.656333463712498,
        0.009438720567092882,
        -0.01718573631237223,
    ],
    [
        -8.897735413180298,
        16.63093520842446,
        -7.153878179758737e-05,
        0.00014361901788104064,
    ],
    [1.0, 1.0, 0.0, 0.0],
];

/// One complex number a pole: real parts, imaginary parts.
type Poles = [[f64; N]; 2];

/// Scratch of [`Exponential::apply`]; reused between calls.
#[derive(Clone, Debug, Default)]
pub struct Exponential {
    /// By row: the pivots' inverses, and the eliminated upper diagonal over its pivot (with the opposite sign).
    pivot: Vec<Poles>,
    ratio: Vec<Poles>,
    /// By row: right sides, then solutions.
    value: Vec<Poles>,
}

/// [`Exponential::apply`], or [`Exponential::apply_with_square`], with the widest vectors.
struct Applying<'e> {
    scratch: &'e mut Exponential,
    w: &'e [f64],
    k: &'e [f64],
    c: &'e mut [f64],
    square: Option<&'e mut [f64]>,
    source: Option<&'e [f64]>,
}

impl WithSimd for Applying<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self {
            scratch,
            w,
            k,
            c,
            square,
            source,
        } = self;
        scratch.factorise(w, k);
        if let (Some(square), Some(source)) = (square, source) {
            scratch.advance_square(w, k, c, square, source);
            if is_settled(w, c, Some(source)) {
                return;
            }
        }
        scratch.advance(w, k, c, source);
    }
}

impl Exponential {
    /// Advances `c` by `W dc/dt = -T c + s` over the unit of time; `T` is the graph Laplacian of the chain with conductances `k`.
    ///
    /// # Shapes and units
    /// - `w`: n positive weights; `k`: n - 1 conductances, at least 0, in the weights' unit; `c`: n values, overwritten
    /// - `source`: n amounts that enter each entry over the time, or nothing
    /// # Accuracy and cost
    /// 4e-13 of the range of `c`; `sum w c` is kept (plus the sum of the source) to rounding, as are constants. Seven complex solves.
    pub fn apply(&mut self, w: &[f64], k: &[f64], c: &mut [f64], source: Option<&[f64]>) {
        if !is_settled(w, c, source) {
            // Wider vectors, and no other operations: the same bits on every processor.
            Arch::new().dispatch(Applying {
                scratch: self,
                w,
                k,
                c,
                square: None,
                source,
            });
        }
    }

    /// Advances `c` as [`Self::apply`] does, and `square` by `W dm/dt = -T m + 2 s c`: the second moment of what `c` is the first of.
    ///
    /// ```text
    /// d/dt (1, c, m) = [[0, 0, 0], [W^-1 s, -A, 0], [0, 2 W^-1 s, -A]] (1, c, m),     A = W^-1 T
    /// ```
    /// One block-triangular matrix, so the same poles do: per pole the solve for `c` gives the right side of that for `m`.
    ///
    /// # Shapes and units
    /// As [`Self::apply`]; `square`: n values, overwritten, in the square of the unit of `c`.
    /// # Accuracy and cost
    /// About 1e-11 of the greatest `square` (seen against closed forms); `sum w m` grows to rounding as it must. One factorisation, three
    /// times the solves.
    pub fn apply_with_square(
        &mut self,
        w: &[f64],
        k: &[f64],
        c: &mut [f64],
        square: &mut [f64],
        source: &[f64],
    ) {
        Arch::new().dispatch(Applying {
            scratch: self,
            w,
            k,
            c,
            square: Some(square),
            source: Some(source),
        });
    }

    /// The square's part of [`Self::apply_with_square`], from values that are still those before.
    #[inline(always)]
    fn advance_square(
        &mut self,
        w: &[f64],
        k: &[f64],
        c: &[f64],
        square: &mut [f64],
        source: &[f64],
    ) {
        let over_z: [[f64; 2]; N] = std::array::from_fn(|j| inverse(pole(j)));
        let factors: [[[f64; 2]; 2]; N] = std::array::from_fn(|j| {
            let r = residue(j);
            [r, times(r, over_z[j])]
        });
        self.value.clear();
        self.value
            .extend(c.iter().zip(w).zip(source).map(|((c, w), s)| {
                let part = |part: usize| {
                    std::array::from_fn(|j| {
                        -(factors[j][0][part] * w * c + factors[j][1][part] * s)
                    })
                };
                [part(0), part(1)]
            }));
        self.solve(k);
        // What the sum of w m becomes is known: by the integral of c over the time (the same solves with residues r/z), its own mean exactly.
        let total: f64 = w.iter().sum();
        let during = |y: &Poles| -> f64 {
            let part = |j: usize| y[0][j] * over_z[j][0] - y[1][j] * over_z[j][1];
            (0..N).map(part).sum()
        };
        let mean = (dot(w, c) + 0.5 * source.iter().sum::<f64>()) / total;
        let (mut of_during, mut carried) = (0.0, 0.0);
        for ((y, w), s) in self.value.iter().zip(w).zip(source) {
            let during = during(y);
            of_during += w * during;
            carried += s * during;
        }
        let drift = mean - of_during / total;
        carried += drift * source.iter().sum::<f64>();
        let sum = dot(w, square) + 2.0 * carried;
        for (i, y) in self.value.iter_mut().enumerate() {
            let (of_source, of_square) = (2.0 * source[i], w[i] * square[i]);
            for part in [0, 1] {
                for j in 0..N {
                    y[part][j] = of_source * y[part][j] - factors[j][0][part] * of_square;
                }
            }
        }
        self.solve(k);
        for (square, y) in square.iter_mut().zip(&self.value) {
            *square = y[0].iter().sum();
        }
        let drift = (sum - dot(w, square)) / total;
        square.iter_mut().for_each(|m| *m += drift);
    }

    /// Eliminates `T + z W` for every pole.
    #[inline(always)]
    fn factorise(&mut self, w: &[f64], k: &[f64]) {
        self.pivot.clear();
        self.ratio.clear();
        let mut last: Poles = [[0.0; N]; 2];
        for (i, w) in w.iter().enumerate() {
            let below = if i > 0 { k[i - 1] } else { 0.0 };
            let above = k.get(i).copied().unwrap_or(0.0);
            let (mut pivot, mut ratio): (Poles, Poles) = ([[0.0; N]; 2], [[0.0; N]; 2]);
            for j in 0..N {
                // Diagonal + below * ratio of the row before (off-diagonals are -k).
                let pr = below + above + TABLE[j][0] * w - below * last[0][j];
                let pi = TABLE[j][1] * w - below * last[1][j];
                let d = 1.0 / (pr * pr + pi * pi);
                (pivot[0][j], pivot[1][j]) = (pr * d, -pi * d);
                (ratio[0][j], ratio[1][j]) = (above * pr * d, -above * pi * d);
            }
            self.pivot.push(pivot);
            self.ratio.push(ratio);
            last = ratio;
        }
    }

    /// Solves `(T + z W) y = value` for every pole, in place.
    #[inline(always)]
    fn solve(&mut self, k: &[f64]) {
        let mut last: Poles = [[0.0; N]; 2];
        for (i, (y, pivot)) in self.value.iter_mut().zip(&self.pivot).enumerate() {
            let below = if i > 0 { k[i - 1] } else { 0.0 };
            for j in 0..N {
                let (br, bi) = (y[0][j] + below * last[0][j], y[1][j] + below * last[1][j]);
                let (qr, qi) = (pivot[0][j], pivot[1][j]);
                (y[0][j], y[1][j]) = (br * qr - bi * qi, br * qi + bi * qr);
            }
            last = *y;
        }
        // The last row's ratio is 0.
        let mut next: Poles = [[0.0; N]; 2];
        for (y, ratio) in self.value.iter_mut().zip(&self.ratio).rev() {
            for j in 0..N {
                let (ar, ai) = (next[0][j], next[1][j]);
                y[0][j] += ratio[0][j] * ar - ratio[1][j] * ai;
                y[1][j] += ratio[0][j] * ai + ratio[1][j] * ar;
            }
            next = *y;
        }
    }

    /// [`Self::apply`] with what [`Self::factorise`] left.
    #[inline(always)]
    fn advance(&mut self, w: &[f64], k: &[f64], c: &mut [f64], source: Option<&[f64]>) {
        let total: f64 = w.iter().sum();
        let mean = dot(w, c) / total;
        // Sources whose mean is taken out: what is left decays, the mean is added exactly.
        let gain = source.map_or(0.0, |s| s.iter().sum::<f64>() / total);
        // (T + z W) y = -(r w c + r/z s); the residue multiplies the right side, so that one solve serves both.
        let factors: [[[f64; 2]; 2]; N] = std::array::from_fn(|j| {
            let r = residue(j);
            [r, times(r, inverse(pole(j)))]
        });
        self.value.clear();
        self.value
            .extend(c.iter().zip(w).enumerate().map(|(i, (c, w))| {
                let x = w * (c - mean);
                let s = source.map_or(0.0, |s| s[i] - gain * w);
                let part = |part: usize| {
                    std::array::from_fn(|j| -(factors[j][0][part] * x + factors[j][1][part] * s))
                };
                [part(0), part(1)]
            }));
        self.solve(k);
        for (c, y) in c.iter_mut().zip(&self.value) {
            *c = y[0].iter().sum();
        }
        let drift = dot(w, c) / total;
        let add = mean + gain - drift;
        c.iter_mut().for_each(|x| *x += add);
    }
}

/// Where there is nothing to exchange; what enters a single entry is added.
fn is_settled(w: &[f64], c: &mut [f64], source: Option<&[f64]>) -> bool {
    let n = c.len();
    let total: f64 = w.iter().sum();
    if n < 2 || total <= 0.0 {
        if let (Some(s), 1, true) = (source, n, total > 0.0) {
            c[0] += s[0] / total;
        }
        return true;
    }
    let reference = c[0];
    source.is_none() && c.iter().all(|&x| x == reference)
}

fn pole(j: usize) -> [f64; 2] {
    [TABLE[j][0], TABLE[j][1]]
}

/// For both of a pair.
fn residue(j: usize) -> [f64; 2] {
    [2.0 * TABLE[j][2], 2.0 * TABLE[j][3]]
}

/// Product of complex numbers.
fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

fn inverse(a: [f64; 2]) -> [f64; 2] {
    let d = 1.0 / (a[0] * a[0] + a[1] * a[1]);
    [a[0] * d, -a[1] * d]
}

fn dot(w: &[f64], c: &[f64]) -> f64 {
    w.iter().zip(c).map(|(w, c)| w * c).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two cells of weight 1: the difference decays like exp(-2 k), so x = -2 k is any number wanted.
    fn decay(x: f64) -> f64 {
        let mut c = [1.0, -1.0];
        Exponential::default().apply(&[1.0, 1.0], &[x / 2.0], &mut c, None);
        c[0]
    }

    #[test]
    fn the_table_is_exp_on_the_negative_axis() {
        for x in [0.0, 1e-6, 0.3, 1.0, 10.0, 20.0, 1e3, 1e8] {
            let error = (decay(x) - (-x).exp()).abs();
            assert!(error < 2e-12, "exp(-{x}): {error:e}");
        }
    }

    /// Wide vectors do what narrow ones do, to the bit: results don't depend on the processor.
    #[test]
    fn wide_vectors_change_no_bit() {
        let w: Vec<f64> = (0..37).map(|k| 0.1 + f64::from(k % 7)).collect();
        let k: Vec<f64> = (0..36).map(|k| 3.0 / (1.0 + f64::from(k % 5))).collect();
        let values =
            |seed: i32| -> Vec<f64> { (0..37).map(|k| f64::from(k * seed % 11)).collect() };
        let source = values(5);
        let run = |wide: bool| {
            let (mut scratch, mut c, mut square) = (Exponential::default(), values(3), values(7));
            let applying = Applying {
                scratch: &mut scratch,
                w: &w,
                k: &k,
                c: &mut c,
                square: Some(&mut square),
                source: Some(&source),
            };
            match wide {
                true => Arch::new().dispatch(applying),
                false => applying.with_simd(pulp::Scalar),
            }
            (c, square)
        };
        assert_eq!(run(true), run(false));
        assert_ne!(run(true).0, values(3));
    }

    #[test]
    fn sources_are_phi_one() {
        for x in [1e-3, 1.0, 10.0, 1e3_f64] {
            let mut c = [0.0, 0.0];
            Exponential::default().apply(&[1.0, 1.0], &[x / 2.0], &mut c, Some(&[1.0, -1.0]));
            let want = -(-x).exp_m1() / x;
            assert!(
                (c[0] - want).abs() < 2e-11,
                "phi_1(-{x}): {} against {want}",
                c[0]
            );
            let mut c = [0.2, 0.7];
            Exponential::default().apply(&[1.0, 3.0], &[x], &mut c, Some(&[0.5, 0.1]));
            let sum = c[0] + 3.0 * c[1];
            assert!(
                (sum - (0.2 + 2.1 + 0.6)).abs() < 1e-14,
                "the sum grows by the source"
            );
        }
    }

    /// Two cells that exchange much: both have the mean age `t`, whose square is `t^2`; two that exchange nothing: each its own.
    #[test]
    fn squares_of_ages_are_those_of_closed_forms() {
        let w = [1.0, 3.0];
        for (k, want) in [(1e9, [1.0, 1.0]), (0.0, [4.0, 4.0 / 9.0])] {
            let mut square = [0.0, 0.0];
            let mut c = [0.0, 0.0];
            Exponential::default().apply_with_square(&w, &[k], &mut c, &mut square, &[2.0, 2.0]);
            for (got, want) in square.iter().zip(want) {
                assert!((got - want).abs() < 1e-8, "k {k}: {square:?}");
            }
        }
        // Half the time twice is the whole.
        let (k, s) = ([0.7], [0.5, 1.5]);
        let mut e = Exponential::default();
        let run = |steps: i32, e: &mut Exponential| {
            let part = 1.0 / f64::from(steps);
            let (mut c, mut m) = ([0.1, 0.4], [0.02, 0.3]);
            let (k, s) = (k.map(|k| k * part), s.map(|s| s * part));
            for _ in 0..steps {
                e.apply_with_square(&w, &k, &mut c, &mut m, &s);
            }
            m
        };
        let (one, four) = (run(1, &mut e), run(4, &mut e));
        assert!(
            (one[0] - four[0]).abs() + (one[1] - four[1]).abs() < 1e-10,
            "{one:?} {four:?}"
        );
    }

    #[test]
    fn constants_sums_and_bounds_are_kept_however_stiff() {
        let n = 200;
        let w: Vec<f64> = (0..n)
            .map(|i| 1e-6 + (f64::from(i) / 40.0).sin().powi(2))
            .collect();
        let k: Vec<f64> = (0..n - 1).map(|i| 10f64.powi(i % 9 - 4)).collect();
        let mut c: Vec<f64> = (0..n).map(|i| f64::from(i32::from(i % 37 < 11))).collect();
        let sum = dot(&w, &c);
        let mut e = Exponential::default();
        for _ in 0..5 {
            e.apply(&w, &k, &mut c, None);
            assert!(
                c.iter().all(|x| (-1e-11..=1.0 + 1e-11).contains(x)),
                "the maximum principle"
            );
            assert!((dot(&w, &c) / sum - 1.0).abs() < 1e-13, "conservation");
        }
        let mut c = vec![0.3; n as usize];
        e.apply(&w, &k, &mut c, None);
        assert!(c.iter().all(|&x| x == 0.3), "constants stay to the bit");
    }
}
