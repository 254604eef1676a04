//! X1, X5 to X9: what holds exactly, as the largest deviation that was found.

use super::TableError;
use crate::field::{Field, Flow};
use crate::grid::{Faces, GHOST, Grid};
use crate::kernel::Kernel;
use crate::particles::Sorted;
use crate::scene::Scene;
use crate::seeding::{Seeding, seed};
use crate::settings::Settings;
use crate::sides::{Condition, Sides};
use crate::solid::{Solid, Surface};
use crate::transfer::{Transfer, gather, gather_all, gradient, mls, scatter, velocities};
use crate::world::World;
use stokeslet_dynamics::grid::{Lattice, Shape};
use stokeslet_dynamics::particles::hash_unit;
use stokeslet_dynamics::report::table::Row;
use stokeslet_dynamics::scene_file::SceneFile as _;

fn row(study: &str, what: impl Into<String>, ours: f64, most: f64) -> Row {
    Row::new(study, what, "0", ours).at_most(most)
}

/// The larger of what was and of how far two numbers are apart.
fn apart(worst: &mut f64, a: f64, b: f64) {
    // What is no number is the worst.
    *worst = match (a - b).abs() {
        d if d <= *worst => *worst,
        d => d,
    };
}

fn grid<const D: usize>() -> Grid<D> {
    Grid {
        cells: Lattice::cube(6),
        low: [-0.4; D],
        dx: 0.25,
    }
}

/// Particles so far inside that no ghost is reached, with hashed velocities, moments and masses.
struct Cloud<const D: usize> {
    x: Vec<[f64; D]>,
    v: Vec<[f64; D]>,
    b: Vec<[[f64; D]; D]>,
    m: Vec<f64>,
}

fn cloud<const D: usize>(grid: &Grid<D>) -> Cloud<D> {
    let high = grid.high();
    let is_far_in = |x: &[f64; D]| {
        (0..D).all(|k| x[k] > grid.low[k] + 2.0 * grid.dx && x[k] < high[k] - 2.0 * grid.dx)
    };
    let all = seed(grid, &Sides::all(Condition::Slip), Seeding::Jittered);
    let x: Vec<[f64; D]> = all.into_iter().filter(is_far_in).collect();
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
    Cloud { x, v, b, m }
}

/// Linear momentum, and angular momentum as an antisymmetric matrix.
type Momenta<const D: usize> = ([f64; D], [[f64; D]; D]);

/// `(sum m v, sum x cross m v)` of particles, with the moments' own part.
fn on_particles<const D: usize>(s: &Cloud<D>) -> Momenta<D> {
    let (mut p, mut l) = ([0.0; D], [[0.0; D]; D]);
    for (i, m) in s.m.iter().enumerate() {
        for (a, p) in p.iter_mut().enumerate() {
            *p += m * s.v[i][a];
            turn(&mut l, a, |k| m * (s.x[i][k] * s.v[i][a] + s.b[i][a][k]));
        }
    }
    (p, l)
}

fn on_grid<const D: usize>(grid: &Grid<D>, q: &Faces<D>) -> Momenta<D> {
    let (mut p, mut l) = ([0.0; D], [[0.0; D]; D]);
    for a in 0..D {
        let faces = grid.faces(a);
        for (i, q) in q[a].iter().enumerate() {
            p[a] += q;
            let x = grid.face(a, faces.coordinates(i));
            turn(&mut l, a, |k| x[k] * q);
        }
    }
    (p, l)
}

/// Adds `x_k q_a` to an antisymmetric matrix.
#[expect(
    clippy::needless_range_loop,
    reason = "both axes index an antisymmetric matrix"
)]
fn turn<const D: usize>(l: &mut [[f64; D]; D], a: usize, part: impl Fn(usize) -> f64) {
    for k in 0..D {
        let part = part(k);
        l[k][a] += part;
        l[a][k] -= part;
    }
}

fn momenta_apart<const D: usize>(worst: &mut f64, a: &Momenta<D>, b: &Momenta<D>) {
    for k in 0..D {
        apart(worst, a.0[k], b.0[k]);
        for i in 0..D {
            apart(worst, a.1[k][i], b.1[k][i]);
        }
    }
}

/// \[004\] appendix A, (A.1) to (A.3): mass and momenta to the grid and back, over the mass of all particles.
fn conservation<const D: usize>(kernel: Kernel) -> f64 {
    let grid = grid::<D>();
    let mut s = cloud(&grid);
    if kernel == Kernel::Linear {
        // Moments must lie in the range of D; on general places it is all of space.
        s.b.iter_mut().flatten().flatten().for_each(|b| *b *= 0.01);
    }
    let sums = scatter(&grid, kernel, &s.x, &s.m, &|p, axis| {
        let x = grid.in_cells(s.x[p]);
        let slope = gradient(kernel, x, axis, s.b[p][axis], grid.dx);
        (s.v[p][axis], slope)
    });
    let mass: f64 = s.m.iter().sum();
    let mut worst = 0.0;
    for axis in 0..D {
        apart(&mut worst, sums.mass[axis].iter().sum(), mass);
    }
    let there = on_grid(&grid, &sums.momentum);
    momenta_apart(&mut worst, &on_particles(&s), &there);
    // Back, from velocities that have nothing to do with the particles'.
    let (mut u, mut q) = (grid.zeros(), grid.zeros());
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
    momenta_apart(&mut worst, &on_grid(&grid, &q), &on_particles(&s));
    worst / mass
}

/// How far an affine flow on faces is from what a round trip over particles makes of it: with moments, and without.
fn affine<const D: usize>(kernel: Kernel) -> [f64; 2] {
    let grid = grid::<D>();
    let s = cloud(&grid);
    let a: [[f64; D]; D] =
        std::array::from_fn(|i| std::array::from_fn(|k| hash_unit((7 * i + k) as u32) - 0.5));
    let flow = |axis: usize, x: [f64; D]| {
        0.3 * (axis as f64 + 1.0) + (0..D).map(|k| a[axis][k] * x[k]).sum::<f64>()
    };
    let u: Faces<D> = std::array::from_fn(|axis| {
        let faces = grid.faces(axis);
        faces.map(|_, c| flow(axis, grid.face(axis, c)))
    });
    let found = gather_all(&grid, kernel, &u, &s.x);
    [true, false].map(|with_moments| {
        let sums = scatter(&grid, kernel, &s.x, &s.m, &|p, axis| {
            let slope = match with_moments {
                true => gradient(
                    kernel,
                    grid.in_cells(s.x[p]),
                    axis,
                    found[p].b[axis],
                    grid.dx,
                ),
                false => [0.0; D],
            };
            (found[p].v[axis], slope)
        });
        let back = velocities(&sums, 1e-9, &u);
        let mut worst = 0.0;
        for (a, b) in back.iter().flatten().zip(u.iter().flatten()) {
            apart(&mut worst, *a, *b);
        }
        worst
    })
}

/// \[004\] appendix A, stability: what of velocity and moments of a single particle changes in 100 steps.
fn alone(kernel: Kernel) -> f64 {
    let grid = Grid::<2> {
        cells: Lattice::new([40, 40]),
        low: [0.0; 2],
        dx: 0.1,
    };
    let start = [0.513, 0.377];
    let (v0, b0) = ([0.31, 0.17], [[0.002, -0.003], [0.001, 0.004]]);
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
    let mut worst = 0.0;
    for k in 0..2 {
        apart(&mut worst, v[k], v0[k]);
        apart(&mut worst, x[k] - start[k], 100.0 * dt * v0[k]);
        for a in 0..2 {
            apart(&mut worst, b[a][k], b0[a][k]);
        }
    }
    worst
}

/// X1: what transfers conserve, and what they give back exactly.
pub(super) fn transfers() -> Vec<Row> {
    let mut rows = Vec::new();
    for kernel in Kernel::ALL {
        let name = kernel.name();
        for (space, off) in [
            ("the plane", conservation::<2>(kernel)),
            ("space", conservation::<3>(kernel)),
        ] {
            let what = format!("{name}: mass, momentum, angular momentum both ways in {space}");
            rows.push(row("X1", what, off, 1e-12));
        }
        for (space, [with, without]) in [
            ("the plane", affine::<2>(kernel)),
            ("space", affine::<3>(kernel)),
        ] {
            let what = format!("{name}: an affine flow in {space}, APIC");
            rows.push(row("X1", what, with, 1e-12));
            let what = format!("{name}: the same, PIC");
            rows.push(Row::new("X1", what, "not 0", without).at_least(1e-2));
        }
    }
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        let what = format!("{}: a particle alone over 100 steps of APIC", kernel.name());
        rows.push(row("X1", what, alone(kernel), 1e-12));
    }
    rows
}

/// Taylor and Green's vortices in a torus of side 2.
fn torus(n: usize) -> Result<Scene, TableError> {
    let sides = ["x_low", "x_high", "y_low", "y_high"];
    let sides = sides.map(|s| format!("[sides.{s}]\nkind = \"periodic\"\n"));
    let text = format!(
        "name = \"torus\"\nlow = [0, 0]\nhigh = [2, 2]\ncells = [{n}, {n}]\nstep_over_cell = 0.5\nduration = 1\ndensity = 3\n\
         [start]\nflow = \"taylor-green\"\nwave = 3.141592653589793\n{}",
        sides.concat()
    );
    let mut scene = Scene::parse(&text)?;
    scene.seeding = Seeding::Jittered;
    Ok(scene)
}

/// X5, \[004\] 3.4.1: a slip wall is the same as a mirror image beyond it, so a quarter of a mirrored torus is a box.
pub(super) fn walls() -> Result<Vec<Row>, TableError> {
    let mut rows = Vec::new();
    for (transfer, order, kernel) in [
        (Transfer::Apic, 1, Kernel::Quadratic),
        (Transfer::Apic, 1, Kernel::Cubic),
        (Transfer::Flip, 1, Kernel::Quadratic),
        (Transfer::Xpic, 3, Kernel::Quadratic),
        (Transfer::Pic, 1, Kernel::Linear),
    ] {
        let settings = Settings {
            transfer,
            order,
            kernel,
            tolerance: 1e-14,
            ..Settings::default()
        };
        let torus = torus(16)?;
        let mut quarter = torus.clone();
        quarter.high = vec![1.0, 1.0];
        quarter.cells = vec![8, 8];
        quarter.sides.clear();
        quarter.validate()?;
        let mut box_ = World::<2>::new(&quarter, &settings);
        let mirrored = box_.particles.x.iter().flat_map(|x| {
            let of = |k: usize, bit: usize| {
                if k & bit == bit {
                    2.0 - x[bit - 1]
                } else {
                    x[bit - 1]
                }
            };
            (0..4).map(move |k| [of(k, 1), of(k, 2)])
        });
        let mirrored = mirrored.collect();
        let mut whole = World::<2>::with_positions(&torus, &settings, mirrored);
        for _ in 0..10 {
            box_.step()?;
            whole.step()?;
        }
        let mut worst = 0.0;
        for axis in 0..2 {
            let (small, large) = (box_.grid.faces(axis), whole.grid.faces(axis));
            for i in 0..small.len() {
                let c = small.coordinates(i);
                if box_.grid.is_inside(axis, c) {
                    apart(
                        &mut worst,
                        box_.after[axis][i],
                        whole.after[axis][large.index(c)],
                    );
                }
            }
        }
        let what = format!(
            "{} {}: a box less a quarter of a mirrored torus, 10 steps, m/s",
            kernel.name(),
            transfer.name()
        );
        rows.push(row("X5", what, worst, 1e-10));
        let fastest = box_.after[0].iter().fold(0.0f64, |m, u| m.max(u.abs()));
        let what = "the fastest of it, m/s".to_owned();
        rows.push(Row::new("X5", what, "about 1", fastest).at_least(0.5));
    }
    Ok(rows)
}

/// X6: which faces a disc cuts off.
pub(super) fn cuts() -> Vec<Row> {
    let grid = Grid::<2> {
        cells: Lattice::cube(64),
        low: [-2.0; 2],
        dx: 0.0625,
    };
    let disc = Shape::ball([0.0; 2], 1.0);
    let Some(solid) = Solid::new(&grid, vec![disc], Surface::Slip) else {
        return Vec::new();
    };
    let (mut outside, mut inside) = (0, 0);
    for axis in 0..2 {
        let faces = grid.faces(axis);
        for i in 0..faces.len() {
            let x = grid.face(axis, faces.coordinates(i));
            let r = x[0].hypot(x[1]);
            outside += usize::from(r > 1.0 && !solid.valid[axis][i]);
            // A face is valid if one of its ends is in the fluid.
            inside += usize::from(r < 1.0 - grid.dx / 2.0 && solid.valid[axis][i]);
        }
    }
    let mut x = [0.3, -0.2];
    solid.push_out(&mut x, grid.dx);
    vec![
        row("X6", "invalid faces outside of a disc", outside as f64, 0.0),
        row(
            "X6",
            "valid faces inside, half a cell deep",
            inside as f64,
            0.0,
        ),
        row(
            "X6",
            "a particle that is pushed out, from the surface, m",
            (x[0].hypot(x[1]) - 1.0).abs(),
            1e-6,
        ),
    ]
}

/// X7: the fit to valid faces where all are valid, and to an affine flow where half are.
pub(super) fn fits() -> Vec<Row> {
    let grid = grid::<2>();
    let s = cloud(&grid);
    let u: Faces<2> = std::array::from_fn(|a| {
        (0..grid.faces(a).len())
            .map(|i| hash_unit((5 * i + a) as u32))
            .collect()
    });
    let flow = |a: usize, x: [f64; 2]| 1.0 + 2.0 * x[0] - 0.5 * x[1] * (a as f64 + 1.0);
    let linear: Faces<2> =
        std::array::from_fn(|a| grid.faces(a).map(|_, c| flow(a, grid.face(a, c))));
    let all: mls::Valid<2> = std::array::from_fn(|a| vec![true; grid.faces(a).len()]);
    let half: mls::Valid<2> =
        std::array::from_fn(|a| grid.faces(a).map(|_, c| grid.face(a, c)[0] > 0.22));
    let mut rows = Vec::new();
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        let (mut same, mut exact) = (0.0, 0.0);
        for &x in &s.x {
            let (plain, fit) = (
                gather(&grid, kernel, &u, x),
                mls::fit(&grid, kernel, &u, &all, x),
            );
            for a in 0..2 {
                apart(&mut same, plain.v[a], fit.v[a]);
                for k in 0..2 {
                    apart(&mut same, plain.b[a][k], fit.b[a][k]);
                }
            }
            if x[0] > 0.3 {
                let fit = mls::fit(&grid, kernel, &linear, &half, x);
                for a in 0..2 {
                    apart(&mut exact, fit.v[a], flow(a, x));
                }
            }
        }
        let name = kernel.name();
        let what = format!("{name}: a fit to all faces less the plain transfer");
        rows.push(row("X7", what, same, 1e-13));
        let what = format!("{name}: a fit to the faces on one side, of an affine flow");
        rows.push(row("X7", what, exact, 1e-9));
    }
    rows
}

/// X8: a stream past a disc that is seeded anew, by slip and by holding surfaces.
pub(super) fn seeding_anew(keep_on: &dyn Fn() -> bool) -> Result<Vec<Row>, TableError> {
    let text = r#"
name = "stream"
low = [-1, -1]
high = [3, 1]
cells = [32, 16]
step_over_cell = 0.5
duration = 4
reseed = true
start = { flow = "uniform", velocity = [1, 0] }
sides = { x_low = { kind = "inflow", velocity = [1, 0] }, x_high = { kind = "free" } }
body = [{ centre = [0, 0], radius = 0.25 }]
"#;
    let mut rows = Vec::new();
    for (name, hold) in [("slip", false), ("no slip", true)] {
        let mut scene = Scene::parse(text)?;
        scene.bodies_hold = hold;
        let mut world = World::<2>::new(&scene, &Settings::default());
        let (mut left, mut lost) = (0, 0.0f64);
        for _ in 0..scene.steps() {
            super::check(keep_on)?;
            let changes = world.step()?;
            left += changes.left;
            lost = lost.max(changes.momentum_lost);
        }
        let keys = world.cells_of_particles();
        let sorted = Sorted::new(world.grid.cells.len(), &keys);
        let is_fluid = |c: usize| world.solid.as_ref().is_none_or(|s| s.cell[c]);
        let cells = 0..world.grid.cells.len();
        let empty = cells.filter(|c| is_fluid(*c) && sorted.of(*c).is_empty());
        let nearest = world.particles.x.iter().map(|x| x[0].hypot(x[1]));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        let faces = world.grid.faces(0);
        let c = |row: usize| [GHOST + 28, GHOST + row];
        let flow: f64 = (0..16).map(|r| world.after[0][faces.index(c(r))]).sum();
        let add = |what: &str| format!("{name}: {what}");
        rows.push(row(
            "X8",
            add("largest part of the momentum that thinning takes in a step"),
            lost,
            0.01,
        ));
        // Slivers beside the disc, counted after seeding, before anything moves.
        let empty = empty.count() as f64;
        rows.push(row("X8", add("cells without a particle"), empty, 4.0));
        let ours = Row::new(
            "X8",
            add("nearest particle to the disc's middle, m"),
            "0.25",
            nearest,
        );
        rows.push(ours.at_least(0.25));
        let ours = Row::new(
            "X8",
            add("particles that left, of some 2048"),
            "2048",
            left as f64,
        );
        rows.push(ours.at_least(1500.0));
        let what = add("flow through a section downstream, of what enters, less 1");
        rows.push(row("X8", what, (flow / 16.0 - 1.0).abs(), 1e-4));
    }
    Ok(rows)
}

/// Pressure of the known flows, Pa, at density 3 and wave number 2.
fn pressure(flow: Flow, [x, y]: [f64; 2], t: f64) -> f64 {
    match flow {
        Flow::Square => x * y * (1.0 - x) * (1.0 - y) * (x - x * y + y * y + t),
        Flow::Circle => x - x * y + y * y + t,
        // (cos 2ax + cos 2ay) rho / 4 with a = 2, rho = 3
        _ => 0.75 * ((4.0 * x).cos() + (4.0 * y).cos()),
    }
}

/// X9: gradients and forces of the known flows beside central differences.
pub(super) fn forces() -> Vec<Row> {
    let (h, t, rho) = (1e-5, 0.3, 3.0);
    let mut rows = Vec::new();
    for (name, flow) in [
        ("Taylor and Green", Flow::TaylorGreen),
        ("square", Flow::Square),
        ("circle", Flow::Circle),
    ] {
        let field = Field::<2> {
            flow,
            velocity: Vec::new(),
            wave: 2.0,
        };
        let (mut slopes, mut forces, mut divergence) = (0.0, 0.0, 0.0);
        for k in 0..20 {
            let x = [0.05 + 0.043 * f64::from(k), 0.93 - 0.037 * f64::from(k)];
            let known = field.at(x, t, rho);
            for a in 0..2 {
                let v = |x: [f64; 2], t: f64| field.at(x, t, rho).v[a];
                let mut force = (v(x, t + h) - v(x, t - h)) / (2.0 * h);
                for k in 0..2 {
                    let moved = |by: f64| {
                        let mut x = x;
                        x[k] += by;
                        x
                    };
                    let slope = (v(moved(h), t) - v(moved(-h), t)) / (2.0 * h);
                    apart(&mut slopes, slope, known.grad[a][k]);
                    force += slope * known.v[k];
                    if k == a {
                        let rise = pressure(flow, moved(h), t) - pressure(flow, moved(-h), t);
                        force += rise / (2.0 * h * rho);
                    }
                }
                apart(&mut forces, force, known.force[a]);
            }
            apart(&mut divergence, known.grad[0][0], -known.grad[1][1]);
        }
        let of = |what: &str| format!("{name}: {what} less differences");
        rows.push(row("X9", of("gradient"), slopes, 1e-6));
        rows.push(row("X9", of("force"), forces, 1e-6));
        let what = format!("{name}: divergence, 1/s");
        rows.push(row("X9", what, divergence, 1e-12));
    }
    rows
}
