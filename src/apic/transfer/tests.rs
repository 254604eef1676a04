use super::*;
use crate::grid::Grid;
use crate::seeding::{Seeding, seed};
use crate::sides::{Condition, Sides};
use stokeslet_dynamics::grid::Lattice;
use stokeslet_dynamics::particles::hash_unit;

fn grid<const D: usize>() -> Grid<D> {
    Grid {
        cells: Lattice::cube(6),
        low: [-0.4; D],
        dx: 0.25,
    }
}

/// Particles so far inside that no ghost is reached, with hashed velocities, moments and masses.
struct Some_<const D: usize> {
    x: Vec<[f64; D]>,
    v: Vec<[f64; D]>,
    b: Vec<[[f64; D]; D]>,
    m: Vec<f64>,
}

fn some<const D: usize>(grid: &Grid<D>) -> Some_<D> {
    let high = grid.high();
    let x: Vec<[f64; D]> = seed(grid, &Sides::all(Condition::Slip), Seeding::Jittered)
        .into_iter()
        .filter(|x| {
            (0..D).all(|k| x[k] > grid.low[k] + 2.0 * grid.dx && x[k] < high[k] - 2.0 * grid.dx)
        })
        .collect();
    let mut s = 900u32;
    let mut next = || {
        s += 1;
        2.0 * hash_unit(s) - 1.0
    };
    let v = x.iter().map(|_| std::array::from_fn(|_| next())).collect();
    let b = x
        .iter()
        .map(|_| std::array::from_fn(|_| std::array::from_fn(|_| 0.05 * next())))
        .collect();
    let m = x.iter().map(|_| 1.5 + next()).collect();
    Some_ { x, v, b, m }
}

/// `(sum m v, sum x cross m v)` of particles, with the moments' own part; the cross product as an antisymmetric matrix.
#[expect(
    clippy::needless_range_loop,
    reason = "both axes index an antisymmetric matrix"
)]
fn on_particles<const D: usize>(s: &Some_<D>) -> ([f64; D], [[f64; D]; D]) {
    let (mut p, mut l) = ([0.0; D], [[0.0; D]; D]);
    for (i, m) in s.m.iter().enumerate() {
        for a in 0..D {
            p[a] += m * s.v[i][a];
            for k in 0..D {
                let part = m * (s.x[i][k] * s.v[i][a] + s.b[i][a][k]);
                l[k][a] += part;
                l[a][k] -= part;
            }
        }
    }
    (p, l)
}

fn on_grid<const D: usize>(grid: &Grid<D>, q: &crate::grid::Faces<D>) -> ([f64; D], [[f64; D]; D]) {
    let (mut p, mut l) = ([0.0; D], [[0.0; D]; D]);
    for a in 0..D {
        let faces = grid.faces(a);
        for (i, q) in q[a].iter().enumerate() {
            p[a] += q;
            let x = grid.face(a, faces.coordinates(i));
            for k in 0..D {
                l[k][a] += x[k] * q;
                l[a][k] -= x[k] * q;
            }
        }
    }
    (p, l)
}

fn conserved<const D: usize>(kernel: Kernel) {
    let grid = grid::<D>();
    let mut s = some(&grid);
    if kernel == Kernel::Linear {
        // Moments must lie in the range of D; on general places it is all of space.
        s.b.iter_mut().flatten().flatten().for_each(|b| *b *= 0.01);
    }
    let sums = scatter(&grid, kernel, &s.x, &s.m, &|p, axis| {
        let x = grid.in_cells(s.x[p]);
        (
            s.v[p][axis],
            gradient(kernel, x, axis, s.b[p][axis], grid.dx),
        )
    });
    let mass: f64 = s.m.iter().sum();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * mass;
    for axis in 0..D {
        assert!(close(sums.mass[axis].iter().sum(), mass));
    }
    let same = |of: ([f64; D], [[f64; D]; D]), to: ([f64; D], [[f64; D]; D])| {
        for a in 0..D {
            assert!(close(of.0[a], to.0[a]), "{kernel:?} {of:?} {to:?}");
            for k in 0..D {
                assert!(close(of.1[a][k], to.1[a][k]), "{kernel:?} {of:?} {to:?}");
            }
        }
    };
    same(on_particles(&s), on_grid(&grid, &sums.momentum));
    // Back, from velocities that have nothing to do with the particles'.
    let mut u = grid.zeros();
    let mut q = grid.zeros();
    for a in 0..D {
        for i in 0..u[a].len() {
            u[a][i] = hash_unit((i * 3 + a) as u32) - 0.5;
            q[a][i] = sums.mass[a][i] * u[a][i];
        }
    }
    for (p, g) in gather_all(&grid, kernel, &u, &s.x).into_iter().enumerate() {
        s.v[p] = g.v;
        s.b[p] = g.b;
    }
    same(on_grid(&grid, &q), on_particles(&s));
}

/// \[004\] appendix A, (A.1) to (A.3).
#[test]
fn linear_and_angular_momentum_survive_both_ways() {
    for kernel in Kernel::ALL {
        conserved::<2>(kernel);
        conserved::<3>(kernel);
    }
}

fn affine<const D: usize>(kernel: Kernel) {
    let grid = grid::<D>();
    let s = some(&grid);
    let a: [[f64; D]; D] =
        std::array::from_fn(|i| std::array::from_fn(|k| hash_unit((7 * i + k) as u32) - 0.5));
    let flow = |axis: usize, x: [f64; D]| {
        0.3 * (axis as f64 + 1.0) + (0..D).map(|k| a[axis][k] * x[k]).sum::<f64>()
    };
    let u = std::array::from_fn(|axis| {
        let faces = grid.faces(axis);
        faces.map(|_, c| flow(axis, grid.face(axis, c)))
    });
    let found = gather_all(&grid, kernel, &u, &s.x);
    let sums = scatter(&grid, kernel, &s.x, &s.m, &|p, axis| {
        let x = grid.in_cells(s.x[p]);
        (
            found[p].v[axis],
            gradient(kernel, x, axis, found[p].b[axis], grid.dx),
        )
    });
    let back = velocities(&sums, 1e-9, &u);
    for (a, b) in back.iter().flatten().zip(u.iter().flatten()) {
        assert!((a - b).abs() < 1e-12, "{kernel:?} {a} {b}");
    }
    // Without moments it isn't.
    let plain = scatter(&grid, kernel, &s.x, &s.m, &|p, axis| {
        (found[p].v[axis], [0.0; D])
    });
    let back = velocities(&plain, 1e-9, &u);
    let worst = back
        .iter()
        .flatten()
        .zip(u.iter().flatten())
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(worst > 1e-2, "PIC returns constants only: {worst}");
}

#[test]
fn affine_flows_come_back_from_particles_unchanged() {
    for kernel in Kernel::ALL {
        affine::<2>(kernel);
        affine::<3>(kernel);
    }
}

/// \[004\] appendix A, stability: a single particle keeps velocity and moments.
#[test]
fn one_particle_flies_on_unchanged() {
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        let grid = Grid::<2> {
            cells: Lattice::new([40, 40]),
            low: [0.0; 2],
            dx: 0.1,
        };
        let (start, v0, b0) = (
            [0.513, 0.377],
            [0.31, 0.17],
            [[0.002, -0.003], [0.001, 0.004]],
        );
        let (mut x, mut v, mut b) = (start, v0, b0);
        let dt = 0.05;
        for _ in 0..100 {
            for k in 0..2 {
                x[k] += dt * v[k];
            }
            let at = grid.in_cells(x);
            let sums = scatter(&grid, kernel, &[x], &[2.0], &|_, axis| {
                (v[axis], gradient(kernel, at, axis, b[axis], grid.dx))
            });
            let u = velocities(&sums, 0.0, &grid.zeros());
            let g = gather(&grid, kernel, &u, x);
            (v, b) = (g.v, g.b);
        }
        for k in 0..2 {
            assert!((v[k] - v0[k]).abs() < 1e-13, "{kernel:?}");
            assert!((x[k] - start[k] - 100.0 * dt * v0[k]).abs() < 1e-12);
            for a in 0..2 {
                assert!((b[a][k] - b0[a][k]).abs() < 1e-13, "{kernel:?}");
            }
        }
    }
}

#[test]
fn a_fit_to_all_faces_is_the_plain_transfer_and_to_few_is_exact_for_affine_flows() {
    let grid = grid::<2>();
    let s = some(&grid);
    let u: crate::grid::Faces<2> = std::array::from_fn(|a| {
        (0..grid.faces(a).len())
            .map(|i| hash_unit((5 * i + a) as u32))
            .collect()
    });
    let all: mls::Valid<2> = std::array::from_fn(|a| vec![true; grid.faces(a).len()]);
    let linear: crate::grid::Faces<2> = std::array::from_fn(|a| {
        grid.faces(a).map(|_, c| {
            let x = grid.face(a, c);
            1.0 + 2.0 * x[0] - 0.5 * x[1] * (a as f64 + 1.0)
        })
    });
    let half: mls::Valid<2> =
        std::array::from_fn(|a| grid.faces(a).map(|_, c| grid.face(a, c)[0] > 0.22));
    for x in s.x {
        for kernel in [Kernel::Quadratic, Kernel::Cubic] {
            let (plain, fit) = (
                gather(&grid, kernel, &u, x),
                mls::fit(&grid, kernel, &u, &all, x),
            );
            for a in 0..2 {
                assert!((plain.v[a] - fit.v[a]).abs() < 1e-13);
                for k in 0..2 {
                    assert!((plain.b[a][k] - fit.b[a][k]).abs() < 1e-13);
                }
            }
            if x[0] > 0.3 {
                let fit = mls::fit(&grid, kernel, &linear, &half, x);
                for a in 0..2 {
                    let want = 1.0 + 2.0 * x[0] - 0.5 * x[1] * (a as f64 + 1.0);
                    assert!((fit.v[a] - want).abs() < 1e-9, "{x:?} {} {want}", fit.v[a]);
                }
            }
        }
    }
}
