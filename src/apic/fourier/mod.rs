//! What a transfer loses, by wavelength.
//!
//! With the same particles in every cell of a torus a round trip is a convolution, so waves are its eigenvectors: how much of a wave of `x`
//! and `y` periods a cell survives is a number `lambda(x, y)`, the Fourier transform of what becomes of a single face. From the grid to
//! particles and back that is [`Response`] (PIC and APIC keep nothing on particles); from particles to the grid, through the pressure, and
//! back it is a small matrix for each wave, [`spectrum`], which FLIP and XPIC can be asked for as well.
//!
//! Source: \[004\] section 3.3.

pub mod image;
pub mod spectrum;

use rustfft::num_complex::Complex;
use stokeslet_dynamics::grid::Lattice;

use crate::grid::{GHOST, Grid};
use crate::kernel::Kernel;
use crate::measure::transform;
use crate::sides::{Condition, Sides, fill, fold};
use crate::transfer::{Transfer, gather_all, gradient, scatter, velocities};

/// `k x k` places in the unit cell, in rows.
#[must_use]
pub fn regular(k: usize) -> Vec<[f64; 2]> {
    let at = |i: usize| (i as f64 + 0.5) / k as f64;
    (0..k * k).map(|i| [at(i % k), at(i / k)]).collect()
}

/// A round trip from the grid to particles and back, on one component.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// What a single face becomes, `[row][column]` with itself in the middle.
    pub column: [[f64; 2 * REACH + 1]; 2 * REACH + 1],
}

/// Faces to every side that a round trip can reach: the cubic kernel's.
const REACH: usize = 3;

impl Response {
    /// Response of PIC or APIC (which are all that have one; others give PIC's).
    ///
    /// # Shapes and units
    /// - `places`: of particles in the unit cell, the same in every cell; component 0 sits at its left and right
    /// # Accuracy and cost
    /// Done with the transfers that simulations use, on a torus of 8 x 8 cells.
    /// # Source
    /// \[004\] section 3.3.1.
    #[must_use]
    pub fn new(kernel: Kernel, transfer: Transfer, places: &[[f64; 2]]) -> Self {
        const N: usize = 8;
        let grid = Grid::<2> {
            cells: Lattice::cube(N),
            low: [0.0; 2],
            dx: 1.0,
        };
        let sides = Sides::all(Condition::Periodic);
        let x: Vec<[f64; 2]> = (0..N * N)
            .flat_map(|i| {
                places
                    .iter()
                    .map(move |p| [(i % N) as f64 + p[0], (i / N) as f64 + p[1]])
            })
            .collect();
        let mass = vec![1.0; x.len()];
        let faces = grid.faces(0);
        let middle = [GHOST + N / 2, GHOST + N / 2];
        let mut u = grid.zeros();
        u[0][faces.index(middle)] = 1.0;
        fill(&grid, &sides, 0.0, &mut u, 1.0);
        let found = gather_all(&grid, kernel, &u, &x);
        let mut sums = scatter(&grid, kernel, &x, &mass, &|p, axis| {
            let c = if transfer == Transfer::Apic {
                gradient(kernel, grid.in_cells(x[p]), axis, found[p].b[axis], 1.0)
            } else {
                [0.0; 2]
            };
            (found[p].v[axis], c)
        });
        fold(&grid, &sides, 0.0, &mut sums.mass, &mut sums.momentum, 1.0);
        let back = velocities(&sums, 1e-12, &grid.zeros());
        Self {
            column: std::array::from_fn(|j| {
                std::array::from_fn(|i| {
                    back[0][faces.index([middle[0] + i - REACH, middle[1] + j - REACH])]
                })
            }),
        }
    }

    /// The part of a wave that survives a round trip: `lambda(x, y)`, \[004\] (3.12).
    ///
    /// # Shapes and units
    /// - `x`, `y`: periods a cell, -1/2 to 1/2
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> f64 {
        let mut sum = 0.0;
        for (j, row) in self.column.iter().enumerate() {
            for (i, c) in row.iter().enumerate() {
                let (u, v) = (i as f64 - REACH as f64, j as f64 - REACH as f64);
                // The column is symmetric about its middle: sines cancel.
                sum += c * (2.0 * std::f64::consts::PI * (x * u + y * v)).cos();
            }
        }
        sum
    }

    /// `lambda` for all waves of an `n x n` torus, the constant in the middle.
    #[must_use]
    pub fn map(&self, n: usize) -> Vec<f64> {
        let mut values = vec![Complex::new(0.0, 0.0); n * n];
        for (j, row) in self.column.iter().enumerate() {
            for (i, c) in row.iter().enumerate() {
                let wrap = |k: usize| (k + n * REACH - REACH) % n;
                values[wrap(i) + wrap(j) * n].re += c;
            }
        }
        transform(&mut values, [n, n]);
        centred(&values, n).iter().map(|v| v.re).collect()
    }

    /// At which power of `x` a wave's loss `1 - lambda` begins, along x (`diagonal` false) or the diagonal: fitted between .01 and .02.
    #[must_use]
    pub fn order(&self, direction: Direction) -> f64 {
        let loss = |x: f64| match direction {
            Direction::Along => 1.0 - self.at(x, 0.0),
            Direction::Diagonal => 1.0 - self.at(x, x),
        };
        (loss(0.02) / loss(0.01)).log2()
    }
}

/// Where an order is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `(x, 0)`.
    Along,
    /// `(x, x)`.
    Diagonal,
}

/// Moves wave 0 into the middle of a square of waves.
#[must_use]
pub fn centred<T: Copy>(values: &[T], n: usize) -> Vec<T> {
    let shift = |k: usize| (k + n - n / 2) % n;
    (0..n * n)
        .map(|i| values[shift(i % n) + shift(i / n) * n])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The specification's row of 64 particles a cell, computed from the definitions; those of four, and the orders, are rows of X2
    /// (`table::tests`).
    #[test]
    fn eigenvalues_are_those_of_the_definitions() {
        let response = Response::new(Kernel::Linear, Transfer::Pic, &regular(8));
        for (x, y, want) in [
            (0.05, 0.05, 0.96738643),
            (0.1, 0.1, 0.87579959),
            (0.1, 0.0, 0.93584165),
            (0.5, 0.0, 0.328125),
            (0.5, 0.5, 0.107666),
        ] {
            let found = response.at(x, y);
            assert!(
                (found - want).abs() < 1e-6,
                "({x}, {y}): {found} for {want}"
            );
        }
    }

    #[test]
    fn nothing_is_lost_of_a_constant() {
        for kernel in [Kernel::Linear, Kernel::Quadratic, Kernel::Cubic] {
            for transfer in [Transfer::Pic, Transfer::Apic] {
                let response = Response::new(kernel, transfer, &regular(2));
                assert!((response.at(0.0, 0.0) - 1.0).abs() < 1e-13);
            }
        }
    }

    /// The specification's row of 9 particles a cell counts places from a node, along both axes. A face's centre is half a cell off along
    /// one of them, which matters for an odd number of rows.
    #[test]
    fn an_odd_number_of_rows_is_seen_differently_by_faces_and_nodes() {
        let faces = Response::new(Kernel::Linear, Transfer::Pic, &regular(3));
        let shifted: Vec<[f64; 2]> = regular(3)
            .iter()
            .map(|p| [p[0], (p[1] + 0.5) % 1.0])
            .collect();
        let nodes = Response::new(Kernel::Linear, Transfer::Pic, &shifted);
        assert!((nodes.at(0.05, 0.05) - 0.96585485).abs() < 1e-6);
        assert!((nodes.at(0.1, 0.1) - 0.87012009).abs() < 1e-6);
        assert!((nodes.at(0.5, 0.5) - 0.087791).abs() < 1e-6);
        assert!((faces.at(0.05, 0.05) - 0.968527).abs() < 1e-6);
        assert!(
            (faces.at(0.1, 0.0) - 0.932802).abs() < 1e-6,
            "along its own axis a face is a node"
        );
    }

    #[test]
    fn several_particles_lose_the_mean_of_what_each_does() {
        let places = regular(2);
        let all = Response::new(Kernel::Quadratic, Transfer::Apic, &places);
        for (x, y) in [(0.1, 0.03), (0.4, 0.2)] {
            let mean = places
                .iter()
                .map(|p| Response::new(Kernel::Quadratic, Transfer::Apic, &[*p]).at(x, y))
                .sum::<f64>()
                / 4.0;
            assert!((all.at(x, y) - mean).abs() < 1e-13);
        }
    }

    #[test]
    fn a_map_samples_the_function_with_the_constant_in_the_middle() {
        let response = Response::new(Kernel::Cubic, Transfer::Apic, &regular(2));
        let map = response.map(16);
        for (i, found) in map.iter().enumerate() {
            let wave = |k: usize| k as f64 / 16.0 - 0.5;
            assert!((found - response.at(wave(i % 16), wave(i / 16))).abs() < 1e-13);
        }
        assert!((map[8 * 16 + 8] - 1.0).abs() < 1e-13);
    }
}
