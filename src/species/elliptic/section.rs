//! Finite elements on a developed cross-section, and the exact modes of the pipe behind it.
//!
//! ```text
//! Pe u c_x = c_xx + c_ee          x, e in widths of the pipe, Pe = Q/D, u the developed profile (mean 1)
//! c = phi(e) exp(-mu x):      mu^2 M + mu Pe B - K = 0        M = int v w,  B = int u v w,  K = int v' w'
//! ```
//! Linearised symmetrically with `z = (phi, psi)`, `psi = mu phi`:
//! ```text
//! [K 0]         [Pe B  M]
//! [0 M] z = mu  [M     0] z  =  mu G z
//! ```
//! `mu = 0`, `phi = 1` is taken out first: on its G-orthogonal complement the left side is positive definite, so every `mu` is real. One less
//! than half of the others decay downstream, half upstream. The complement is exactly that of modes which carry nothing, `1'(Pe B phi + M psi) = 0`:
//! whatever rounding does to a mode, species are conserved. The complement's basis holds `(1/Pe, -1)`, so that a Peclet number near zero, where this mode
//! and the constant run together, loses no digits.
//!
//! The profile is the derivative of a cubic on every edge, as the velocity of the regions is: region and pipe see the same flow.

use faer::Mat;
use stokeslet_flow::fem::quadrature::gauss_legendre;
use stokeslet_fronts::algebra::{Lu, Pencil, product, symmetric_pencil};

use crate::profile::Profile;
use crate::stream::Stream;

/// Elements across a developed section.
#[derive(Clone, Debug)]
pub struct Section {
    /// Ends of the elements over eta, from 0 to 1.
    pub knots: Vec<f64>,
    /// Order of the elements.
    pub order: usize,
    /// Developed profile.
    pub profile: Profile,
}

/// Gauss points that are exact for two basis functions of order 5 times a velocity.
const POINTS: usize = 7;

/// Values and slopes of the Lagrange basis on equally spaced nodes of [0, 1].
fn line_basis(order: usize, t: f64) -> (Vec<f64>, Vec<f64>) {
    let at = |j: usize| j as f64 / order as f64;
    let mut values = Vec::with_capacity(order + 1);
    let mut slopes = Vec::with_capacity(order + 1);
    for i in 0..=order {
        let (mut p, mut d) = (1.0, 0.0);
        for j in (0..=order).filter(|&j| j != i) {
            let f = (t - at(j)) / (at(i) - at(j));
            d = d * f + p / (at(i) - at(j));
            p *= f;
        }
        values.push(p);
        slopes.push(d);
    }
    (values, slopes)
}

/// Slope of a polynomial from the slopes of its basis and its values.
fn slope(slopes: &[f64], values: &[f64]) -> f64 {
    slopes.iter().zip(values).map(|(s, v)| s * v).sum()
}

impl Section {
    /// Nodes across.
    pub fn n(&self) -> usize {
        (self.knots.len() - 1) * self.order + 1
    }

    /// The profile's flow at the four nodes of an element's cubic, whose slope is the velocity.
    fn flows(&self, element: usize) -> [f64; 4] {
        let (a, b) = (self.knots[element], self.knots[element + 1]);
        std::array::from_fn(|j| self.profile.flow(a + (b - a) * j as f64 / 3.0))
    }

    /// Velocity over its mean: the slope of the cubic through the profile's flow.
    pub fn speed(&self, element: usize, t: f64) -> f64 {
        let h = self.knots[element + 1] - self.knots[element];
        slope(&line_basis(3, t).1, &self.flows(element)) / h
    }

    /// `M`, `B` and `K`.
    pub fn matrices(&self) -> [Mat<f64>; 3] {
        let n = self.n();
        let mut out: [Mat<f64>; 3] = std::array::from_fn(|_| Mat::zeros(n, n));
        let points: Vec<_> = gauss_legendre(POINTS)
            .into_iter()
            .map(|(t, w)| (w, line_basis(self.order, t), line_basis(3, t).1))
            .collect();
        for e in 0..self.knots.len() - 1 {
            let h = self.knots[e + 1] - self.knots[e];
            let flows = self.flows(e);
            for (w, (v, s), cubic) in &points {
                let (dx, u) = (w * h, slope(cubic, &flows) / h);
                for i in 0..=self.order {
                    for j in 0..=self.order {
                        let at = (e * self.order + i, e * self.order + j);
                        out[0][at] += dx * v[i] * v[j];
                        out[1][at] += dx * u * v[i] * v[j];
                        out[2][at] += dx * s[i] * s[j] / (h * h);
                    }
                }
            }
        }
        out
    }

    /// Value of nodal values at a place.
    pub fn at(&self, values: &[f64], eta: f64) -> f64 {
        let last = self.knots.len() - 2;
        let e = self
            .knots
            .partition_point(|&k| k <= eta)
            .saturating_sub(1)
            .min(last);
        let t = (eta - self.knots[e]) / (self.knots[e + 1] - self.knots[e]);
        let (v, _) = line_basis(self.order, t.clamp(0.0, 1.0));
        (0..=self.order)
            .map(|i| v[i] * values[e * self.order + i])
            .sum()
    }

    /// `int u c v` over the section for what tubes carry, `Q` times, as functional on the nodes; the sum is the stream's rate.
    pub fn carried(&self, stream: &Stream) -> Vec<f64> {
        let mut out = vec![0.0; self.n()];
        let places = stream.places(self.profile);
        let n = stream.flow.len();
        let edge = |k: usize| places.edge(k);
        let rule = gauss_legendre(6);
        for k in 0..n {
            let mut pieces = Vec::new();
            let mut whole = 0.0;
            self.pieces(edge(k), edge(k + 1), &mut |e, from, to| {
                let h = self.knots[e + 1] - self.knots[e];
                for &(x, w) in &rule {
                    let t = (from + (to - from) * x - self.knots[e]) / h;
                    let share = w * (to - from) * self.speed(e, t).max(0.0);
                    whole += share;
                    pieces.push((e, t, share));
                }
            });
            if pieces.is_empty() || whole <= 0.0 {
                // A tube thinner than rounding: all of it at its place.
                let e = self
                    .knots
                    .partition_point(|&x| x <= edge(k))
                    .saturating_sub(1)
                    .min(self.knots.len() - 2);
                let t = (edge(k) - self.knots[e]) / (self.knots[e + 1] - self.knots[e]);
                pieces = vec![(e, t.clamp(0.0, 1.0), 1.0)];
                whole = 1.0;
            }
            for (e, t, share) in pieces {
                let (v, _) = line_basis(self.order, t);
                for i in 0..=self.order {
                    out[e * self.order + i] +=
                        stream.flow[k] * stream.value[k] * share / whole * v[i];
                }
            }
        }
        out
    }

    /// Parts of a range by the elements that they lie in.
    fn pieces(&self, a: f64, b: f64, then: &mut dyn FnMut(usize, f64, f64)) {
        let first = self.knots.partition_point(|&k| k <= a).saturating_sub(1);
        for e in first..self.knots.len() - 1 {
            let (from, to) = (a.max(self.knots[e]), b.min(self.knots[e + 1]));
            if self.knots[e] >= b {
                break;
            }
            if to > from {
                then(e, from, to);
            }
        }
    }

    /// Tubes uniform in eta that carry nodal values: each has its flux-weighted mean.
    pub fn tubes(&self, values: &[f64], flow: f64, n: usize) -> Stream {
        let rule = gauss_legendre(6);
        Stream::uniform(flow, self.profile, n, |a, b| {
            let (mut sum, mut whole) = (0.0, 0.0);
            self.pieces(a, b, &mut |e, from, to| {
                let h = self.knots[e + 1] - self.knots[e];
                for &(x, w) in &rule {
                    let t = (from + (to - from) * x - self.knots[e]) / h;
                    let share = w * (to - from) * self.speed(e, t).max(0.0);
                    let (v, _) = line_basis(self.order, t);
                    let c: f64 = (0..=self.order)
                        .map(|i| v[i] * values[e * self.order + i])
                        .sum();
                    sum += share * c;
                    whole += share;
                }
            });
            if whole > 0.0 {
                sum / whole
            } else {
                self.at(values, 0.5 * (a + b))
            }
        })
    }
}

/// Modes of an endless pipe that carries fluid, and what they carry.
#[derive(Clone, Debug)]
pub struct Modes {
    /// Peclet number `Q/D`.
    pub peclet: f64,
    /// Rates of decay downstream a width, ascending, the constant's 0 first.
    pub down: Vec<f64>,
    /// Rates of decay upstream a width, positive, ascending.
    pub up: Vec<f64>,
    /// Shapes of those that decay downstream, a column each.
    pub down_shape: Mat<f64>,
    /// Shapes of those that decay upstream.
    pub up_shape: Mat<f64>,
    /// What they carry over D, as functionals on the nodes: `Pe B phi + M psi`.
    pub down_flux: Mat<f64>,
    /// The same of those that decay upstream.
    pub up_flux: Mat<f64>,
    /// `Pe B`.
    pub carried: Mat<f64>,
}

impl Modes {
    /// Solves for the modes of a pipe with `peclet > 0`.
    ///
    /// `None` where the numbers of modes don't come out as they must (a section without elements, values that aren't numbers).
    pub fn new(section: &Section, peclet: f64) -> Option<Self> {
        let n = section.n();
        let [m, b, k] = section.matrices();
        let row = |a: &Mat<f64>| -> Vec<f64> {
            (0..n).map(|j| (0..n).map(|i| a[(i, j)]).sum()).collect()
        };
        let (m1, b1) = (row(&m), row(&b));
        let whole: f64 = m1.iter().sum();
        // Columns of the complement's basis: shapes without mean, slopes without mean, and (1/Pe, -1) scaled by the mass.
        let size = 2 * n - 1;
        let mut basis = Mat::<f64>::zeros(2 * n, size);
        for j in 0..n - 1 {
            let mean = m1[j] / whole;
            for i in 0..n {
                let unit = f64::from(u8::from(i == j));
                basis[(i, j)] = unit - mean;
                basis[(n + i, n - 1 + j)] = unit - mean;
            }
            let carries: f64 = b1[j] - mean * b1.iter().sum::<f64>();
            for i in 0..n {
                basis[(n + i, j)] = -peclet * carries / whole;
            }
        }
        for i in 0..n {
            basis[(i, size - 1)] = whole / peclet;
            basis[(n + i, size - 1)] = -b1.iter().sum::<f64>();
        }
        let mut left = Mat::<f64>::zeros(2 * n, 2 * n);
        let mut right = Mat::<f64>::zeros(2 * n, 2 * n);
        for i in 0..n {
            for j in 0..n {
                left[(i, j)] = k[(i, j)];
                left[(n + i, n + j)] = m[(i, j)];
                right[(i, j)] = peclet * b[(i, j)];
                right[(n + i, j)] = m[(i, j)];
                right[(i, n + j)] = m[(i, j)];
            }
        }
        // The last column is known exactly: K has no part in it, G only its own entry. Left to rounding, 1/Pe^2 would magnify it.
        let mut plain = basis.clone();
        (0..n).for_each(|i| plain[(i, size - 1)] = 0.0);
        let between = |a: &Mat<f64>, m: &Mat<f64>| {
            product(product(a.transpose(), m.as_ref()).as_ref(), a.as_ref())
        };
        let left = between(&plain, &left);
        let mut right_part = between(&basis, &right);
        for i in 0..size - 1 {
            right_part[(i, size - 1)] = 0.0;
            right_part[(size - 1, i)] = 0.0;
        }
        right_part[(size - 1, size - 1)] = -whole * whole * b1.iter().sum::<f64>() / peclet;
        let Pencil {
            values: theta,
            vectors,
            ..
        } = symmetric_pencil(right_part, left.as_ref())?;
        let z = product(basis.as_ref(), vectors.as_ref());
        let carried = Mat::from_fn(n, n, |i, j| peclet * b[(i, j)]);
        let mut order: Vec<usize> = (0..size).collect();
        // Descending theta: slow modes downstream first; ascending: slow modes upstream first.
        order.sort_by(|&i, &j| theta[j].total_cmp(&theta[i]));
        let positive = order.iter().filter(|&&i| theta[i] > 0.0).count();
        if positive != n - 1 {
            return None;
        }
        let column = |list: &mut dyn Iterator<Item = usize>, with_constant: bool| {
            let mut shape = Mat::<f64>::zeros(n, n);
            let mut slope = Mat::<f64>::zeros(n, n);
            let mut rate = Vec::with_capacity(n);
            if with_constant {
                (0..n).for_each(|i| shape[(i, 0)] = 1.0);
                rate.push(0.0);
            }
            for j in list {
                let at = rate.len();
                // With its sign: the slowest mode upstream then tends to the constant, not to its opposite.
                let by_size = |a: &f64, b: &f64| a.abs().total_cmp(&b.abs());
                let largest = (0..n).map(|i| z[(i, j)]).max_by(by_size).unwrap_or(1.0);
                for i in 0..n {
                    shape[(i, at)] = z[(i, j)] / largest;
                    slope[(i, at)] = z[(n + i, j)] / largest;
                }
                rate.push(1.0 / theta[j].abs());
            }
            let flux =
                product(carried.as_ref(), shape.as_ref()) + product(m.as_ref(), slope.as_ref());
            (rate, shape, flux)
        };
        let (down, down_shape, down_flux) = column(&mut order[..n - 1].iter().copied(), true);
        let (up, up_shape, up_flux) = column(&mut order[n - 1..].iter().rev().copied(), false);
        let finite = down.iter().chain(&up).all(|x| x.is_finite());
        finite.then_some(Self {
            peclet,
            down,
            up,
            down_shape,
            up_shape,
            down_flux,
            up_flux,
            carried,
        })
    }

    /// `int u c v` of what tubes carry over `D`, as the nodal values that carry the same.
    pub fn nodal(&self, functional: &[f64]) -> Vec<f64> {
        let rhs = Mat::from_fn(functional.len(), 1, |i, _| functional[i]);
        let x = Lu::new(self.carried.as_ref()).solve(rhs.as_ref());
        (0..functional.len()).map(|i| x[(i, 0)]).collect()
    }
}

/// Conductance of a still pipe of a length in widths between its two ends, over D: functionals on the nodes of both ends for their values;
/// closed at the far end where `far` says so (then only the first block is meant).
pub fn still(section: &Section, length: f64, far_is_closed: bool) -> Option<[Mat<f64>; 2]> {
    let n = section.n();
    let [m, _, k] = section.matrices();
    // Functional of both ends: M Y diag(f) Y' M.
    let Pencil {
        values,
        duals: spread,
        ..
    } = symmetric_pencil(k, m.as_ref())?;
    let slowest = values
        .iter()
        .copied()
        .enumerate()
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |a| a.0);
    let with = |f: &dyn Fn(f64) -> f64, of_constant: f64| {
        let scaled = Mat::from_fn(n, n, |i, j| {
            let value = if j == slowest {
                of_constant
            } else {
                f(values[j].max(0.0).sqrt())
            };
            spread[(i, j)] * value
        });
        &scaled * spread.transpose()
    };
    Some(if far_is_closed {
        [with(&|mu| mu * (mu * length).tanh(), 0.0), Mat::zeros(n, n)]
    } else {
        // mu coth(mu L) and -mu/sinh(mu L), without overflow.
        let near = |mu: f64| mu / (mu * length).tanh();
        let other = |mu: f64| -2.0 * mu * (-mu * length).exp() / -(-2.0 * mu * length).exp_m1();
        [with(&near, 1.0 / length), with(&other, -1.0 / length)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(n: usize, order: usize) -> Section {
        Section {
            knots: (0..=n).map(|k| k as f64 / n as f64).collect(),
            order,
            profile: Profile::PLANAR,
        }
    }

    /// Rows 3 and 4 of the specification's table.
    #[test]
    fn rates_of_modes_are_those_of_the_table() {
        for (peclet, down) in [
            (1.0, 2.810417),
            (3.0, 2.2532191),
            (10.0, 1.1793734),
            (30.0, 0.4463966),
            (100.0, 0.13633),
            (300.0, 0.0455167),
            (1000.0, 0.0136575),
        ] {
            let modes = Modes::new(&section(12, 5), peclet).unwrap();
            assert!(
                (modes.down[1] - down).abs() < 1e-6,
                "Pe {peclet}: {} against {down}",
                modes.down[1]
            );
        }
        // Seen at Pe 100: 24.255758, 1.2e-6 off the table's five decimals.
        for (peclet, up) in [(10.0, [7.14402, 7.22665]), (100.0, [24.25573, 24.25573])] {
            let modes = Modes::new(&section(12, 5), peclet).unwrap();
            for (got, want) in modes.up.iter().zip(up) {
                assert!(
                    (got / want - 1.0).abs() < 2e-6,
                    "Pe {peclet}: {:?} against {up:?}",
                    &modes.up[..2]
                );
            }
        }
    }

    #[test]
    fn modes_carry_nothing_but_the_constant_at_any_peclet_number() {
        for peclet in [1e-9, 1e-6, 1e-2, 1.0, 100.0, 1e4] {
            let modes = Modes::new(&section(8, 4), peclet).unwrap();
            let n = modes.down.len();
            let sum = |a: &Mat<f64>, j: usize| (0..n).map(|i| a[(i, j)]).sum::<f64>();
            assert!((sum(&modes.down_flux, 0) / peclet - 1.0).abs() < 1e-12);
            for j in 0..n {
                let scale = |a: &Mat<f64>| (0..n).map(|i| a[(i, j)].abs()).sum::<f64>();
                if j > 0 {
                    assert!(
                        sum(&modes.down_flux, j).abs() < 1e-10 * scale(&modes.down_flux),
                        "Pe {peclet}, mode {j}"
                    );
                }
                assert!(
                    sum(&modes.up_flux, j).abs() < 1e-10 * scale(&modes.up_flux).max(peclet),
                    "Pe {peclet}, mode {j} upstream"
                );
            }
        }
    }

    #[test]
    fn tubes_and_nodes_carry_the_same() {
        let s = section(8, 4);
        let stream = Stream::uniform(2.0, Profile::PLANAR, 33, |a, b| (3.0 * (a + b)).sin());
        let functional = s.carried(&stream);
        assert!((functional.iter().sum::<f64>() - stream.rate()).abs() < 1e-13);
        let values: Vec<f64> = (0..s.n()).map(|i| (i as f64 / 20.0).cos()).collect();
        let [_, b, ..] = s.matrices();
        let rate: f64 = (0..s.n())
            .flat_map(|i| (0..s.n()).map(move |j| (i, j)))
            .map(|(i, j)| b[(i, j)] * values[j])
            .sum();
        let tubes = s.tubes(&values, 2.0, 37);
        assert!(
            (tubes.rate() - 2.0 * rate).abs() < 1e-11,
            "{} against {}",
            tubes.rate(),
            2.0 * rate
        );
    }
}
