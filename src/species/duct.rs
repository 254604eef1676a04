//! Exact transfer along a duct in three dimensions: the eigenbasis of its cross-section, found once an aspect ratio.
//!
//! ```text
//! u c_X = c_yy + c_zz on (0, 1) x (0, a), no flux through walls, X = x D / (U w^2)        a = depth/width, u of mean 1
//! finite volumes: W dc/dX = -T c;   S = W^-1/2 T W^-1/2 = V L V';   c(X) = W^-1/2 V exp(-L X) V' W^1/2 c(0)
//! ```
//! The lower half of the depth only: what enters is the same above and below the middle. Second order in the cells; constants and the
//! flow of the species are kept to rounding, and the exact exponential of the chain keeps the range.
//!
//! Proven, by the tests of this file: Graetz values and exchange across the middle (row 11 of the specification's table), the exponents 1/3 at floor and
//! ceiling and 1/2 at mid-depth with which layers between streams widen, that two lengths are their sum. Junctions: [`crate::space`].

use faer::Mat;
use stokeslet_fronts::algebra::{product, symmetric_eigen};

use crate::SpeciesError;

/// Terms of the profile's series: `1/n^3` falls below 1e-6 of the first.
const TERMS: usize = 50;

/// Flow through every cell of the lower half of a duct of width 1 and depth `a`, over that through the half: exact integrals of the series, so that
/// the flow of a cell is the sum of those that it is cut into.
pub fn cell_flows(a: f64, [ny, nz]: [usize; 2]) -> Vec<f64> {
    let (dy, dz) = (1.0 / ny as f64, 0.5 * a / nz as f64);
    // By term: integrals over every column, and over every row.
    let terms: Vec<[Vec<f64>; 2]> = (0..TERMS)
        .map(|k| {
            let n = (2 * k + 1) as f64 * std::f64::consts::PI;
            let h = n * 0.5 * a;
            // sinh(t)/cosh(h) in exponentials that can't overflow; t from the middle.
            let sinh = |z: f64| {
                let t = n * (0.5 * a - z);
                ((t - h).exp() - (-t - h).exp()) / (1.0 + (-2.0 * h).exp())
            };
            let cos = |y: f64| (n * y).cos();
            let columns = (0..ny).map(|i| (cos(i as f64 * dy) - cos((i + 1) as f64 * dy)) / n);
            let rows = (0..nz).map(|j| {
                let (from, to) = (j as f64 * dz, (j + 1) as f64 * dz);
                (dz - (sinh(from) - sinh(to)) / n) / n.powi(3)
            });
            [columns.collect(), rows.collect()]
        })
        .collect();
    let mut flow: Vec<f64> = (0..ny * nz)
        .map(|k| {
            // Symmetric to the last bit.
            let i = (k % ny).min(ny - 1 - k % ny);
            terms.iter().map(|[c, r]| c[i] * r[k / ny]).sum()
        })
        .collect();
    let whole: f64 = flow.iter().sum();
    flow.iter_mut().for_each(|w| *w /= whole);
    flow
}

/// The cross-section of a duct in finite volumes, with its eigenbasis.
#[derive(Clone, Debug)]
pub struct Duct {
    /// Cells across the width, an even number, and over half the depth.
    pub cells: [usize; 2],
    /// Depth over width.
    pub depth: f64,
    /// Flow through every cell over that through half the duct: rows from the floor to the middle, each from the right wall to the left.
    pub flow: Vec<f64>,
    /// What is the same on both sides of the middle, and what is opposite there: with each, a basis of half the unknowns.
    parts: [Basis; 2],
}

/// The eigenbasis of what is even or odd across a section, by its right half.
#[derive(Clone, Debug)]
struct Basis {
    /// Rates of decay a unit of X, ascending; those of what is even begin with the constant's 0.
    rates: Vec<f64>,
    /// Eigenvectors of S, a column each.
    shapes: Mat<f64>,
}

/// Where along a duct: `X = L D / (U w^2)`, and how long fluid of the mean velocity takes to there, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Station {
    /// Length over width over Peclet number.
    pub x: f64,
    /// Source of age: volume over flow, s. 0 for a species.
    pub time: f64,
}

impl Duct {
    /// Finds the eigenbasis of a section with `depth` over its width.
    ///
    /// # Accuracy and cost
    /// Second order in the cells; two dense symmetric eigenvalue problems of half as many unknowns as cells.
    /// # Errors
    /// [`SpeciesError::Singular`] where the eigenvalues aren't found (a depth that isn't positive, no cells, an odd number across).
    pub fn new(depth: f64, [ny, nz]: [usize; 2]) -> Result<Self, SpeciesError> {
        let fail = SpeciesError::Singular { region: 0 };
        if !(depth > 0.0 && depth.is_finite()) || ny == 0 || ny % 2 == 1 || nz == 0 {
            return Err(fail);
        }
        let flow = cell_flows(depth, [ny, nz]);
        let half = ny / 2;
        let (dy, dz) = (1.0 / ny as f64, 0.5 * depth / nz as f64);
        // Areas over half the section's: W = u A sums to one, T = k / (half the depth).
        let [across, up] = [dz / dy, dy / dz].map(|k| k / (0.5 * depth));
        let weight = |at: usize| flow[at / half * ny + at % half];
        let basis = |is_odd: bool| {
            let n = half * nz;
            let mut s = Mat::<f64>::zeros(n, n);
            let mut link = |a: usize, b: usize, k: f64| {
                s[(a, a)] += k / weight(a);
                s[(b, b)] += k / weight(b);
                let off = k / (weight(a) * weight(b)).sqrt();
                s[(a, b)] -= off;
                s[(b, a)] -= off;
            };
            for at in 0..n {
                if at % half + 1 < half {
                    link(at, at + 1, across);
                }
                if at + half < n {
                    link(at, at + half, up);
                }
            }
            // To its own image: no difference, or twice the value.
            for row in 0..if is_odd { nz } else { 0 } {
                let at = row * half + half - 1;
                s[(at, at)] += 2.0 * across / weight(at);
            }
            let (values, shapes) = symmetric_eigen(s.as_ref())?;
            let rates = values.into_iter().map(|l| l.max(0.0)).collect();
            Some(Basis { rates, shapes })
        };
        let (Some(even), Some(odd)) = (basis(false), basis(true)) else {
            return Err(fail);
        };
        Ok(Self {
            cells: [ny, nz],
            depth,
            flow,
            parts: [even, odd],
        })
    }

    /// Carries concentrations of all cells along a pipe.
    ///
    /// # Shapes and units
    /// - `c`: one a cell, overwritten
    pub fn advance(&self, c: &mut [f64], to: Station) {
        if let Some(found) = self.at(c, &[to]).pop() {
            c.copy_from_slice(&found);
        }
    }

    /// Concentrations of all cells at some stations of a pipe that enter it as `c`, or ages where stations have times.
    ///
    /// # Accuracy and cost
    /// Exact in X; a product of two dense matrices of half the cells for all stations.
    pub fn at(&self, c: &[f64], stations: &[Station]) -> Vec<Vec<f64>> {
        let [ny, nz] = self.cells;
        let half = ny / 2;
        let n = half * nz;
        let mean: f64 = self.flow.iter().zip(c).map(|(w, c)| w * c).sum();
        let place = |k: usize| (k / half * ny + k % half, k / half * ny + ny - 1 - k % half);
        let root: Vec<f64> = (0..n).map(|k| self.flow[place(k).0].sqrt()).collect();
        // Half the section carries half the flow.
        let cell = 0.5 / n as f64;
        let gain = |k: usize| cell / root[k] - root[k];
        let parts: [Mat<f64>; 2] = [0, 1].map(|odd| {
            let Basis { rates, shapes } = &self.parts[odd];
            let start = Mat::from_fn(n, 2, |k, which| {
                let (right, left) = place(k);
                match (odd, which) {
                    (0, 0) => root[k] * (0.5 * (c[right] + c[left]) - mean),
                    (0, _) => gain(k),
                    (_, 0) => root[k] * 0.5 * (c[right] - c[left]),
                    _ => 0.0,
                }
            });
            let modes = product(shapes.transpose(), start.as_ref());
            let there = Mat::from_fn(n, stations.len(), |k, s| {
                let Station { x, time } = stations[s];
                let decay = (-rates[k] * x).exp();
                // phi_1 of -rate x.
                let phi = match rates[k] * x {
                    small if small < 1e-8 => 1.0,
                    z => -(-z).exp_m1() / z,
                };
                modes[(k, 0)] * decay + modes[(k, 1)] * time * phi
            });
            product(shapes.as_ref(), there.as_ref())
        });
        let found = stations.iter().enumerate().map(|(s, station)| {
            let mut out = vec![0.0; 2 * n];
            let drift: f64 = (0..n).map(|k| 2.0 * root[k] * parts[0][(k, s)]).sum();
            let level = mean + station.time - drift;
            for k in 0..n {
                let (right, left) = place(k);
                let (even, odd) = (
                    level + parts[0][(k, s)] / root[k],
                    parts[1][(k, s)] / root[k],
                );
                (out[right], out[left]) = (even + odd, even - odd);
            }
            out
        });
        found.collect()
    }

    /// The cell at a place: from the right wall over the width, from the floor over the depth.
    pub fn cell(&self, eta: f64, height: f64) -> usize {
        let [ny, nz] = self.cells;
        let low = height.min(1.0 - height).max(0.0);
        let i = ((eta.max(0.0) * ny as f64) as usize).min(ny - 1);
        let j = ((2.0 * low * nz as f64) as usize).min(nz - 1);
        j * ny + i
    }

    /// Linear between the middles of cells, constant beyond those at walls.
    pub fn value(&self, c: &[f64], eta: f64, height: f64) -> f64 {
        let [ny, nz] = self.cells;
        let low = height.min(1.0 - height).max(0.0);
        let between = |x: f64, n: usize| {
            let x = (x * n as f64 - 0.5).clamp(0.0, (n - 1) as f64);
            let k = (x as usize).min(n.saturating_sub(2));
            (k, (k + 1).min(n - 1), x - k as f64)
        };
        let ((i, i1, s), (j, j1, t)) = (between(eta, ny), between(2.0 * low, nz));
        let row = |j: usize| c[j * ny + i] * (1.0 - s) + c[j * ny + i1] * s;
        row(j) * (1.0 - t) + row(j1) * t
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Row 11 of the specification's table: first Graetz value, and flow of a species that fills half across the middle.
    #[test]
    fn graetz_values_and_exchange_of_ducts_are_those_of_the_table() {
        for (depth, cells, value, across) in [
            (1.0, [24, 12], 12.7366, [(1e-2, 0.065816), (1e-1, 0.194697)]),
            (0.25, [32, 6], 11.437, [(1e-2, 0.060890), (1e-1, 0.185805)]),
        ] {
            let ducts = [1, 2].map(|f| Duct::new(depth, cells.map(|n| n / 2 * f)).unwrap());
            let both = ducts.each_ref().map(|d| {
                // The first that is odd across the width: the table's.
                d.parts[1].rates[0]
            });
            let best = both[1] + (both[1] - both[0]) / 3.0;
            println!("depth {depth}: first value {both:?}, {best} want {value}");
            assert!((best / value - 1.0).abs() < 3e-3, "{best} against {value}");
            for (x, want) in across {
                let got = ducts.each_ref().map(|d| {
                    let ny = d.cells[0];
                    let mut c: Vec<f64> = (0..d.flow.len())
                        .map(|k| f64::from(u8::from(2 * (k % ny) >= ny)))
                        .collect();
                    let before: f64 = d.flow.iter().zip(&c).map(|(w, c)| w * c).sum();
                    d.advance(&mut c, Station { x, time: 0.0 });
                    let after: f64 = d.flow.iter().zip(&c).map(|(w, c)| w * c).sum();
                    assert!((after - before).abs() < 1e-13, "conservation");
                    assert!(
                        c.iter().all(|c| (-1e-11..=1.0 + 1e-11).contains(c)),
                        "range"
                    );
                    (0..c.len())
                        .filter(|k| 2 * (k % ny) < ny)
                        .map(|k| d.flow[k] * c[k])
                        .sum::<f64>()
                });
                let best = got[1] + (got[1] - got[0]) / 3.0;
                println!("depth {depth}, X {x}: {got:?}, {best} want {want}");
                assert!((best - want).abs() < 3e-4, "X {x}: {best} against {want}");
            }
        }
    }

    /// How fast the layer between two streams widens: like the cube root of the distance at floor and ceiling, like the square root at mid-depth
    /// (Ismagilov et al., Appl. Phys. Lett. 76, 2376, 2000; Salmon, Ajdari, J. Appl. Phys. 101, 074902, 2007).
    #[test]
    fn layers_widen_like_the_cube_root_at_the_floor_and_the_square_root_at_mid_depth() {
        // A wide duct, where u hardly changes across: second differences of y^2 are exact on any cells, so few do across and many over the depth.
        let (depth, ny, nz) = (0.25, 8, 100);
        let duct = Duct::new(depth, [ny, nz]).unwrap();
        // Standard deviation across of where c changes, in one row of cells.
        let spread = |x: f64, row: usize| {
            let mut c: Vec<f64> = (0..ny * nz)
                .map(|k| f64::from(u8::from(2 * (k % ny) >= ny)))
                .collect();
            duct.advance(&mut c, Station { x, time: 0.0 });
            let row = &c[row * ny..(row + 1) * ny];
            let steps = row.windows(2).enumerate();
            let sum: f64 = steps
                .map(|(i, w)| (w[1] - w[0]) * ((i + 1) as f64 / ny as f64 - 0.5).powi(2))
                .sum();
            sum.sqrt()
        };
        let at = |x: f64| x * depth * depth;
        let exponent =
            |row: usize| (spread(at(4e-4), row) / spread(at(1e-4), row)).ln() / 4f64.ln();
        let (floor, middle) = (exponent(0), exponent(nz - 1));
        println!("floor {floor:.4}, mid-depth {middle:.4}");
        assert!((floor - 1.0 / 3.0).abs() < 0.02, "floor {floor}");
        assert!((middle - 0.5).abs() < 0.01, "mid-depth {middle}");
    }

    #[test]
    fn a_pipe_of_two_lengths_is_one_of_their_sum() {
        let duct = Duct::new(0.5, [12, 4]).unwrap();
        let start: Vec<f64> = (0..48).map(|k| f64::from(k % 7)).collect();
        let (mut one, mut two) = (start.clone(), start);
        let station = |x: f64, time: f64| Station { x, time };
        for time in [0.0, 7.0] {
            duct.advance(&mut one, station(0.03, 3.0 * time));
            duct.advance(&mut two, station(0.01, time));
            duct.advance(&mut two, station(0.02, 2.0 * time));
            assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-10));
        }
        // Ages grow by volume over flow in the mean, and fluid at walls is older.
        let mut age = vec![0.0; 48];
        duct.advance(&mut age, station(0.01, 1.0));
        let mean: f64 = duct.flow.iter().zip(&age).map(|(w, a)| w * a).sum();
        assert!((mean - 1.0).abs() < 1e-12, "{mean}");
        assert!(
            age[0] > 2.0 * age[3 * 12 + 6],
            "{} {}",
            age[0],
            age[3 * 12 + 6]
        );
    }
}
