//! A box let go under water moves at once as its added mass says, from the first step on: against a Laplace solve by finite elements of our
//! own, in several tanks.
//!
//! Before anything moves the fluid's acceleration is `-grad phi` beside gravity, with `lap phi = 0`, `phi = 0` at the surface, no flux through
//! walls and `-d phi / dn = a . n` on a body that accelerates by `a`.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use stokeslet_particles::{Coupling, Scene, SceneFile, Settings, Simulation, Solver, Start};

const G: f64 = 9.80665;

/// Water in a tank, open above, with a box in it, m.
#[derive(Clone, Copy)]
struct Tank {
    width: f64,
    depth: f64,
    /// Least corner and edges of the box.
    corner: [f64; 2],
    edges: [f64; 2],
}

/// The specification's.
const CENTRED: Tank = Tank {
    width: 1.0,
    depth: 1.0,
    corner: [0.35, 0.35],
    edges: [0.3, 0.3],
};
/// A flat box near a corner of a wide tank: it is pushed sideways and turned too.
const CORNER: Tank = Tank {
    width: 1.6,
    depth: 0.8,
    corner: [0.2, 0.2],
    edges: [0.4, 0.2],
};
/// A tall box in a narrow tank, near its surface: water has to squeeze past.
const NARROW: Tank = Tank {
    width: 0.6,
    depth: 1.0,
    corner: [0.2, 0.4],
    edges: [0.2, 0.4],
};

/// Bilinear elements on squares of side `h`: the matrix `A_jk / rho` of added masses and inertia for motion along x, y and around the box's
/// centre.
fn added(tank: Tank, h: f64) -> [[f64; 3]; 3] {
    let count = |x: f64| (x / h).round() as usize;
    let (nx, ny) = (count(tank.width), count(tank.depth));
    let (low, high) = (
        tank.corner.map(count),
        [0, 1].map(|k| count(tank.corner[k] + tank.edges[k])),
    );
    let is_solid = |i: usize, j: usize| i >= low[0] && i < high[0] && j >= low[1] && j < high[1];
    let id = |i: usize, j: usize| j * (nx + 1) + i;
    let n = (nx + 1) * (ny + 1);
    // The element matrix of -lap on a square, corners counterclockwise.
    let k = |a: usize, b: usize| match (a + 4 - b) % 4 {
        0 => 2.0 / 3.0,
        2 => -1.0 / 3.0,
        _ => -1.0 / 6.0,
    };
    let corners = |i: usize, j: usize| [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
    let mut diagonal = vec![0.0; n];
    let mut cells = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            if !is_solid(i, j) {
                cells.push(corners(i, j));
                corners(i, j).iter().for_each(|v| diagonal[*v] += k(0, 0));
            }
        }
    }
    // Nodes inside the box belong to nothing, those at the surface are 0.
    let is_free = |v: usize| diagonal[v] > 0.0 && v < id(0, ny);
    let multiply = |x: &[f64]| {
        let mut out = vec![0.0; n];
        for c in &cells {
            for a in 0..4 {
                out[c[a]] += (0..4).map(|b| k(a, b) * x[c[b]]).sum::<f64>();
            }
        }
        (0..n).filter(|v| !is_free(*v)).for_each(|v| out[v] = 0.0);
        out
    };
    // Loads: the integral of n_k w over the box's sides, edge by edge.
    let centre = [0, 1].map(|k| tank.corner[k] + 0.5 * tank.edges[k]);
    let mut loads = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
    let mut side = |v: [usize; 2], at: [[f64; 2]; 2], normal: [f64; 2]| {
        let turn = at.map(|p| (p[0] - centre[0]) * normal[1] - (p[1] - centre[1]) * normal[0]);
        for e in 0..2 {
            loads[0][v[e]] += 0.5 * h * normal[0];
            loads[1][v[e]] += 0.5 * h * normal[1];
            loads[2][v[e]] += h * (turn[e] / 3.0 + turn[1 - e] / 6.0);
        }
    };
    let place = |i: usize, j: usize| [i as f64 * h, j as f64 * h];
    for i in low[0]..high[0] {
        for (j, normal) in [(low[1], [0.0, -1.0]), (high[1], [0.0, 1.0])] {
            let ends = [place(i, j), place(i + 1, j)];
            side([id(i, j), id(i + 1, j)], ends, normal);
        }
    }
    for j in low[1]..high[1] {
        for (i, normal) in [(low[0], [-1.0, 0.0]), (high[0], [1.0, 0.0])] {
            let ends = [place(i, j), place(i, j + 1)];
            side([id(i, j), id(i, j + 1)], ends, normal);
        }
    }
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let solve = |b: &[f64]| {
        let (mut x, mut r) = (vec![0.0; n], b.to_vec());
        (0..n).filter(|v| !is_free(*v)).for_each(|v| r[v] = 0.0);
        let mut p = r.clone();
        let mut rho = dot(&r, &r);
        let goal = 1e-22 * rho;
        while rho > goal {
            let kp = multiply(&p);
            let alpha = rho / dot(&p, &kp);
            for v in 0..n {
                x[v] += alpha * p[v];
                r[v] -= alpha * kp[v];
            }
            let next = dot(&r, &r);
            for v in 0..n {
                p[v] = r[v] + next / rho * p[v];
            }
            rho = next;
        }
        x
    };
    let fields = [solve(&loads[0]), solve(&loads[1]), solve(&loads[2])];
    [0, 1, 2].map(|j| [0, 1, 2].map(|k| dot(&loads[j], &fields[k])))
}

/// The same, with what corners of 270 degrees cost taken out: errors of energies fall as `h^(4/3)`.
fn exact(tank: Tank) -> [[f64; 3]; 3] {
    let (coarse, fine) = (added(tank, 0.025), added(tank, 0.0125));
    let gain = 1.0 / (2f64.powf(4.0 / 3.0) - 1.0);
    [0, 1, 2].map(|j| [0, 1, 2].map(|k| fine[j][k] + gain * (fine[j][k] - coarse[j][k])))
}

/// The acceleration of a box of density ratio `s`: along x, along y over g, and around over g a metre.
fn acceleration(tank: Tank, a: &[[f64; 3]; 3], s: f64) -> [f64; 3] {
    let [w, d] = tank.edges;
    let area = w * d;
    let own = [s * area, s * area, s * area * (w * w + d * d) / 12.0];
    let mut m = *a;
    for k in 0..3 {
        m[k][k] += own[k];
    }
    let mut f = [0.0, (1.0 - s) * area, 0.0];
    for k in 0..3 {
        for row in k + 1..3 {
            let part = m[row][k] / m[k][k];
            let above = m[k];
            for (x, above) in m[row].iter_mut().zip(above) {
                *x -= part * above;
            }
            f[row] -= part * f[k];
        }
    }
    for k in (0..3).rev() {
        for column in k + 1..3 {
            f[k] -= m[k][column] * f[column];
        }
        f[k] /= m[k][k];
    }
    f
}

/// What the particles' first step makes of it, in the same units.
fn first_step(tank: Tank, coupling: Coupling, l: f64, s: f64) -> [f64; 3] {
    let Tank {
        width,
        depth,
        corner: [x, y],
        edges: [w, d],
    } = tank;
    let text = format!(
        "name = 'added-mass'\ndimension = 2\nspacing = {l}\nstep = 0.001\nduration = 1.0\ngravity = [0.0, -{G}]\n\
         [[tank]]\nmin = [0.0, 0.0]\nsize = [{width}, {}]\n[[fluid]]\nboxes = [{{ min = [0.0, 0.0], size = [{width}, {depth}] }}]\n\
         [[body]]\ndensity = {}\nboxes = [{{ min = [{x}, {y}], size = [{w}, {d}] }}]\n",
        depth + 0.2,
        1000.0 * s
    );
    let scene = Scene::parse(&text).unwrap();
    let settings = Settings {
        coupling,
        tolerance: 1e-4,
        max_iterations: 20_000,
        solver: Solver::Subspace,
        start: Start::Cold,
        ..Settings::default()
    };
    let mut simulation = Simulation::new(&scene, &settings).unwrap();
    let log = simulation.constrain().unwrap();
    if !log.status.converged() {
        println!(
            "{coupling:?} l = {l}, s = {s}: residual {:e} of {:e}",
            log.residual, log.scale
        );
    }
    let body = &simulation.snapshot().bodies[0];
    let unit = scene.step * G;
    [body.velocity[0], body.velocity[1], body.spin[2]].map(|v| v / unit)
}

/// Error of the upward acceleration, %.
fn error(tank: Tank, a: &[[f64; 3]; 3], coupling: Coupling, l: f64, s: f64) -> f64 {
    let ours = first_step(tank, coupling, l, s)[1];
    100.0 * (ours / acceleration(tank, a, s)[1] - 1.0)
}

#[test]
fn the_elements_give_the_specifications_added_mass() {
    // The program's quadratic elements say the same of all three: `tests/added_mass.rs`.
    for (tank, known) in [(CENTRED, 1.4343), (CORNER, 2.7012), (NARROW, 0.9962)] {
        let ratio = exact(tank)[1][1] / (tank.edges[0] * tank.edges[1]);
        println!("added mass over displaced mass {ratio:.5}");
        assert!((ratio / known - 1.0).abs() < 2e-3, "{ratio}");
    }
    let a = exact(CENTRED);
    assert!(a[0][1].abs() < 1e-9 && a[1][2].abs() < 1e-9, "{a:?}");
    // Symmetric and coupled where the tank isn't.
    let a = exact(CORNER);
    assert!(
        (a[1][2] - a[2][1]).abs() < 1e-9 && a[1][2].abs() > 1e-4,
        "{a:?}"
    );
}

/// Coupling B reaches it within 1.3 times the prototype's errors, and closer with finer spacings.
#[test]
fn a_submerged_box_accelerates_as_its_added_mass_says() {
    let a = exact(CENTRED);
    for (s, limits) in [
        (0.1, [18.0, 11.0]),
        (0.5, [14.0, 10.0]),
        (2.0, [11.0, 4.0]),
        (10.0, [3.0, 1.0]),
    ] {
        let [coarse, middle] = [0.05, 0.025].map(|l| error(CENTRED, &a, Coupling::Sums, l, s));
        println!("B s = {s}: {coarse:.1} % at .05, {middle:.1} % at .025");
        assert!(
            coarse.abs() < 1.3 * limits[0] + 0.5 && middle.abs() < 1.3 * limits[1] + 0.5,
            "s = {s}: {coarse} {middle}"
        );
        assert!(middle.abs() < coarse.abs(), "finer is better");
    }
}

/// Other tanks and boxes than the specification's.
#[test]
fn other_boxes_in_other_tanks_do_so_too() {
    for (name, tank) in [("corner", CORNER), ("narrow", NARROW)] {
        let a = exact(tank);
        for s in [0.1, 0.5, 2.0] {
            let [coarse, fine] = [0.05, 0.025].map(|l| error(tank, &a, Coupling::Sums, l, s));
            println!("{name}, B s = {s}: {coarse:.1} % at .05, {fine:.1} % at .025");
            assert!(fine.abs() < 20.0, "{name}, s = {s}: {fine} %");
            assert!(
                fine.abs() < coarse.abs(),
                "{name}, s = {s}: finer is better"
            );
        }
    }
    // A light box near a corner is pushed away from the wall and turned; the sign is that of the elements.
    let exact = acceleration(CORNER, &exact(CORNER), 0.1);
    let ours = first_step(CORNER, Coupling::Sums, 0.025, 0.1);
    println!("exact {exact:?}, ours {ours:?}");
    for k in [0, 2] {
        assert!(
            ours[k] * exact[k] > 0.0,
            "component {k}: {ours:?} against {exact:?}"
        );
    }
}

#[test]
#[ignore = "2 minutes in release"]
fn added_mass_table() {
    for (name, tank) in [("centred", CENTRED), ("corner", CORNER), ("narrow", NARROW)] {
        let a = exact(tank);
        for (coupling, spacings) in [
            (Coupling::Contacts, [0.05, 0.02, 0.01]),
            (Coupling::Sums, [0.05, 0.025, 0.0125]),
        ] {
            for l in spacings {
                let errors: Vec<String> = [0.1, 0.5, 2.0, 10.0]
                    .iter()
                    .map(|s| format!("{:6.1}", error(tank, &a, coupling, l, *s)))
                    .collect();
                println!(
                    "{name}, {coupling:?} l = {l}: error % at s = .1, .5, 2, 10: {}",
                    errors.join(" ")
                );
            }
        }
    }
}
