//! Added masses of boxes under water by the program's own quadratic elements: what `src/particles/tests/added_mass.rs` holds particles against.
//!
//! `lap phi = 0`, `phi = 0` at the surface, no flux through walls, `-d phi / dn = n_y` on the box: the added mass for upward motion is
//! `rho int phi n_y` over the box.

#![cfg(feature = "dynamics")]
#![expect(clippy::unwrap_used, reason = "a failed helper fails its test")]

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};
use stokeslet::fem::lagrange::cell_point;
use stokeslet::fem::quadrature::simplex;

/// Tank's width and depth, the box's least corner and edges, in any unit.
struct Tank {
    size: [usize; 2],
    corner: [usize; 2],
    edges: [usize; 2],
}

/// Added over displaced mass for upward motion, with so many cells a unit.
fn added(tank: &Tank, cells: usize) -> f64 {
    let h = 1.0 / cells as f64;
    let fine = |pair: [usize; 2]| pair.map(|n| n * cells);
    let ([nx, ny], low, edges) = (fine(tank.size), fine(tank.corner), fine(tank.edges));
    let high = [low[0] + edges[0], low[1] + edges[1]];
    let is_solid =
        |i: usize, j: usize| (low[0]..high[0]).contains(&i) && (low[1]..high[1]).contains(&j);
    // A lattice of half cells has the nodes of quadratic elements.
    let row = 2 * nx + 1;
    let id = |i: usize, j: usize| j * row + i;
    let place = |n: usize| [(n % row) as f64 * 0.5 * h, (n / row) as f64 * 0.5 * h];
    let mut cells = Vec::new();
    for (i, j) in (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j))) {
        if is_solid(i, j) {
            continue;
        }
        let at = |a: usize, b: usize| id(2 * i + a, 2 * j + b);
        cells.push([at(0, 0), at(2, 0), at(2, 2), at(1, 0), at(2, 1), at(1, 1)]);
        cells.push([at(0, 0), at(2, 2), at(0, 2), at(1, 1), at(1, 2), at(0, 1)]);
    }
    let nodes = row * (2 * ny + 1);
    let mut unknown = vec![usize::MAX; nodes];
    let mut count = 0;
    // At the surface phi is 0.
    for &n in cells.iter().flatten().filter(|&&n| n < id(0, 2 * ny)) {
        if unknown[n] == usize::MAX {
            unknown[n] = count;
            count += 1;
        }
    }
    let rule = simplex::<2>(2);
    let mut triplets = Vec::new();
    for cell in &cells {
        let x = cell.map(place);
        for (l, weight) in rule.points.iter().zip(&rule.weights) {
            let point = cell_point::<2>(&x, l);
            let (g, dx) = (&point.gradients, weight * point.det_jacobian);
            for (a, b) in (0..6).flat_map(|a| (0..6).map(move |b| (a, b))) {
                let (i, j) = (unknown[cell[a]], unknown[cell[b]]);
                if i != usize::MAX && j != usize::MAX && i >= j {
                    let value = dx * (g[a][0] * g[b][0] + g[a][1] * g[b][1]);
                    triplets.push(Triplet::new(i, j, value));
                }
            }
        }
    }
    // Simpson's rule along the box's floor and ceiling.
    let mut load = Mat::<f64>::zeros(count, 1);
    for i in low[0]..high[0] {
        for (j, normal) in [(low[1], -1.0), (high[1], 1.0)] {
            for (k, share) in [1.0, 4.0, 1.0].into_iter().enumerate() {
                load[(unknown[id(2 * i + k, 2 * j)], 0)] += normal * share * h / 6.0;
            }
        }
    }
    let matrix = SparseColMat::try_new_from_triplets(count, count, &triplets).unwrap();
    let phi = matrix.sp_cholesky(Side::Lower).unwrap().solve(&load);
    let mass: f64 = (0..count).map(|k| load[(k, 0)] * phi[(k, 0)]).sum();
    mass / ((edges[0] * edges[1]) as f64 * h * h)
}

#[test]
fn added_masses_are_those_that_particles_are_held_against() {
    let tank = |size, corner, edges| Tank {
        size,
        corner,
        edges,
    };
    // The last number: bilinear elements, in the test of particles.
    for (name, tank, bilinear) in [
        ("centred", tank([20, 20], [7, 7], [6, 6]), 1.4343),
        ("corner", tank([16, 8], [2, 2], [4, 2]), 2.7012),
        ("narrow", tank([6, 10], [2, 4], [2, 4]), 0.9962),
    ] {
        let [coarse, fine] = [4, 8].map(|n| added(&tank, n));
        // Corners of 270 degrees: errors of energies fall as h^(4/3).
        let exact = fine + (fine - coarse) / (2f64.powf(4.0 / 3.0) - 1.0);
        println!("{name}: {exact:.5} ({coarse:.5}, {fine:.5})");
        assert!((exact / bilinear - 1.0).abs() < 2e-3, "{name}: {exact}");
    }
}
