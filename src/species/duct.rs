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
//! ceiling and 1/2 at mid-depth with which layers between streams widen, that two lengths are their sum. Not built, so not proven: junctions in three
//! dimensions. Chips of the model `full` are refused with species.

use faer::{Mat, Side};

use crate::SpeciesError;

/// Terms of the profile's series: `1/n^3` falls below 1e-6 of the first.
const TERMS: usize = 50;

/// Velocity over its mean, but for a factor, in a duct of width 1 and depth `a`; `y` from a side wall, `z` from the floor.
fn speed(a: f64, y: f64, z: f64) -> f64 {
    (0..TERMS)
        .map(|k| {
            let n = (2 * k + 1) as f64 * std::f64::consts::PI;
            let (t, h) = (n * (z - 0.5 * a).abs(), n * 0.5 * a);
            // cosh(t)/cosh(h) in exponentials that can't overflow.
            let cosh = ((t - h).exp() + (-t - h).exp()) / (1.0 + (-2.0 * h).exp());
            (1.0 - cosh) / n.powi(3) * (n * y).sin()
        })
        .sum()
}

/// The cross-section of a duct in finite volumes, with its eigenbasis.
#[derive(Clone, Debug)]
pub struct Duct {
    /// Cells across the width, and over half the depth.
    pub cells: [usize; 2],
    /// Flow through every cell over that through half the duct: rows from the floor to the middle, each from the right wall to the left.
    pub flow: Vec<f64>,
    /// Rates of decay a unit of X, ascending, the constant's 0 first.
    pub rates: Vec<f64>,
    /// Shapes of the decaying parts: eigenvectors of S, a column each.
    shapes: Mat<f64>,
}

impl Duct {
    /// Finds the eigenbasis of a section with `depth` over its width.
    ///
    /// # Accuracy and cost
    /// Second order in the cells; a dense symmetric eigenvalue problem of as many unknowns as cells: 0.1 s for 400.
    /// # Errors
    /// [`SpeciesError::Singular`] where the eigenvalues aren't found (a depth that isn't positive, no cells).
    pub fn new(depth: f64, [ny, nz]: [usize; 2]) -> Result<Self, SpeciesError> {
        let fail = SpeciesError::Singular { region: 0 };
        if !(depth > 0.0 && depth.is_finite()) || ny == 0 || nz == 0 {
            return Err(fail);
        }
        let n = ny * nz;
        let (dy, dz) = (1.0 / ny as f64, 0.5 * depth / nz as f64);
        let mut flow: Vec<f64> = (0..n)
            .map(|k| {
                speed(
                    depth,
                    ((k % ny) as f64 + 0.5) * dy,
                    ((k / ny) as f64 + 0.5) * dz,
                )
            })
            .collect();
        let whole: f64 = flow.iter().sum();
        flow.iter_mut().for_each(|w| *w /= whole);
        // Areas over half the section's: W = u A sums to one, T = k / (half the depth).
        let half = 0.5 * depth;
        let mut s = Mat::<f64>::zeros(n, n);
        let mut link = |a: usize, b: usize, k: f64| {
            let k = k / half;
            s[(a, a)] += k / flow[a];
            s[(b, b)] += k / flow[b];
            let off = k / (flow[a] * flow[b]).sqrt();
            s[(a, b)] -= off;
            s[(b, a)] -= off;
        };
        for j in 0..nz {
            for i in 0..ny {
                let at = j * ny + i;
                if i + 1 < ny {
                    link(at, at + 1, dz / dy);
                }
                if j + 1 < nz {
                    link(at, at + ny, dy / dz);
                }
            }
        }
        let eigen = s.self_adjoint_eigen(Side::Lower).map_err(|_| fail)?;
        let rates = eigen
            .S()
            .column_vector()
            .iter()
            .map(|l| l.max(0.0))
            .collect();
        Ok(Self {
            cells: [ny, nz],
            flow,
            rates,
            shapes: eigen.U().to_owned(),
        })
    }

    /// Carries concentrations of all cells along a pipe.
    ///
    /// # Shapes and units
    /// - `c`: one a cell, overwritten; `x`: `L D / (U w^2)`
    pub fn advance(&self, c: &mut [f64], x: f64) {
        let n = self.flow.len();
        let mean: f64 = self.flow.iter().zip(c.iter()).map(|(w, c)| w * c).sum();
        let root: Vec<f64> = self.flow.iter().map(|w| w.sqrt()).collect();
        let rest = Mat::from_fn(n, 1, |i, _| root[i] * (c[i] - mean));
        let parts = self.shapes.transpose() * &rest;
        let decayed = Mat::from_fn(n, 1, |k, _| parts[(k, 0)] * (-self.rates[k] * x).exp());
        let out = &self.shapes * &decayed;
        let drift: f64 = (0..n).map(|i| root[i] * out[(i, 0)]).sum();
        for i in 0..n {
            c[i] = mean + out[(i, 0)] / root[i] - drift;
        }
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
                let ny = d.cells[0];
                let is_odd = |k: &usize| {
                    (d.shapes[(0, *k)] + d.shapes[(ny - 1, *k)]).abs() < 1e-6 && d.rates[*k] > 1.0
                };
                d.rates[(0..d.rates.len()).find(is_odd).unwrap()]
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
                    d.advance(&mut c, x);
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
            duct.advance(&mut c, x);
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
        duct.advance(&mut one, 0.03);
        duct.advance(&mut two, 0.01);
        duct.advance(&mut two, 0.02);
        assert!(one.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-11));
    }
}
