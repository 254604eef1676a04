//! One suite for every solver of the table: known solutions built backwards, random problems against enumeration, degenerate
//! liquids, agreement on everything a whole simulation asks.

use std::sync::Arc;

use stokeslet::dynamics::grid::{Lattice, Mac, Shape};
use stokeslet::dynamics::lcp::{Entry, Lcp, LcpError, Purpose, SOLVERS, Status, Watch, solver};
use stokeslet::dynamics::linear::{Builder, Matrix, inf_norm};
use stokeslet::dynamics::mg::Places;
use stokeslet::dynamics::particles::hash_unit;
use stokeslet::dynamics::pressure::{Separation, Walls, assemble};
use stokeslet::dynamics::scenes::{Simulation, scene2, scene3};

/// Solvers that must solve complementarity problems.
fn conforming() -> impl Iterator<Item = &'static Entry> {
    SOLVERS.iter().filter(|e| e.purpose == Purpose::Lcp)
}

/// The pressure of a solver that must converge.
fn pressure<const D: usize>(name: &str, problem: &Lcp<D>) -> Vec<f64> {
    let mut solver = solver::<D>(name).expect("a name of the table");
    let solution = solver
        .solve(problem, Watch::SILENT)
        .expect("a fair problem");
    let residual = problem.residual(solution.best());
    let (p, log) = solution
        .converged()
        .unwrap_or_else(|e| panic!("{e} after {} iterations", e.log.iterations()));
    assert!(
        residual <= 1.1e-6,
        "{name} claims to have converged at {residual:e}"
    );
    assert!(!log.history.is_empty() || problem.n() == 0);
    p
}

fn assert_agrees(name: &str, got: &[f64], want: &[f64], tolerance: f64, what: &str) {
    let worst = got
        .iter()
        .zip(want)
        .fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
    let scale = inf_norm(want);
    assert!(
        worst <= tolerance * scale.max(1e-6),
        "{name} is off by {worst:e} of {scale:e} on {what}"
    );
}

/// The first pressure problem of a scene.
fn first_problem<const D: usize>(mut simulation: Simulation<D>) -> Lcp<D> {
    let mut found = None;
    let mut driver = solver::<D>("pi-pcg").expect("a name of the table");
    simulation
        .frame(&mut *driver, Watch::SILENT, &mut |step| {
            found.get_or_insert_with(|| step.assembled.lcp.clone());
        })
        .expect("converges");
    found.expect("at least one substep")
}

/// Gives a problem a known solution: about half of the cells at walls are off them. Pressures are smooth where they are not 0.
fn backwards<const D: usize>(mut problem: Lcp<D>) -> (Lcp<D>, Vec<f64>) {
    let n = problem.n();
    let mut p = vec![0.0; n];
    let mut slack = vec![0.0; n];
    for i in 0..n {
        let x = problem
            .places
            .cells
            .coordinates(problem.places.of[i] as usize);
        let wave = (0.3 * x[0] as f64).sin() + (0.2 * x[1] as f64).cos();
        if !problem.in_s[i] || wave > 0.4 {
            p[i] = wave;
        } else {
            slack[i] = 0.1 + hash_unit(i as u32);
        }
    }
    let mut ap = vec![0.0; n];
    problem.matrix.times(&p, &mut ap);
    problem.b = slack.iter().zip(&ap).map(|(s, ap)| s - ap).collect();
    (problem, p)
}

#[test]
fn every_solver_finds_solutions_built_backwards_in_the_plane() {
    let scene = scene2("circle").expect("a scene");
    let (problem, want) = backwards(first_problem(Simulation::new(scene, 32, Separation::Cut)));
    let off = (0..want.len())
        .filter(|i| problem.in_s[*i] && want[*i] == 0.0)
        .count();
    assert!(off > 5, "cells off the wall: {off}");
    for entry in conforming() {
        assert_agrees(
            entry.name,
            &pressure(entry.name, &problem),
            &want,
            1e-5,
            "a circle",
        );
    }
}

#[test]
fn every_solver_finds_solutions_built_backwards_in_space() {
    for name in ["sphere", "double-sphere"] {
        let scene = scene3(name).expect("a scene");
        let (problem, want) = backwards(first_problem(Simulation::new(scene, 16, Separation::Cut)));
        for entry in conforming() {
            assert_agrees(
                entry.name,
                &pressure(entry.name, &problem),
                &want,
                1e-5,
                name,
            );
        }
    }
}

/// A random symmetric M-matrix on `n` of the cells of a lattice; any two may be coupled.
fn random_problem(side: usize, n: usize, seed: u32) -> Lcp<2> {
    let mut next = seed * 100_003;
    let mut random = || {
        next += 1;
        hash_unit(next)
    };
    let mut dense = vec![vec![0.0; n]; n];
    for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
        if random() < 0.35 {
            let value = -random();
            dense[i][j] = value;
            dense[j][i] = value;
        }
    }
    let mut builder = Builder::new(n);
    for (i, row) in dense.iter().enumerate() {
        for (j, value) in row.iter().enumerate() {
            if *value != 0.0 && i != j {
                builder.entry(j, *value);
            }
        }
        builder.end_row(-row.iter().sum::<f64>() + 0.05 + 0.5 * random());
    }
    let cells = Lattice::cube(side);
    let every = cells.len() / n;
    Lcp {
        matrix: builder.finish(),
        b: (0..n).map(|_| 4.0 * (random() - 0.5)).collect(),
        in_s: (0..n).map(|_| random() < 0.7).collect(),
        places: Places {
            cells,
            of: (0..n).map(|i| (i * every) as u32).collect(),
            solid: None,
        },
        geometry: None,
    }
}

/// Solves `A x = g` on the kept rows, dense, without pivoting (fine for M-matrices).
fn solve_kept(matrix: &Matrix<f64>, b: &[f64], keep: &[bool]) -> Vec<f64> {
    let n = matrix.n();
    let mut a = vec![vec![0.0; n + 1]; n];
    for i in 0..n {
        if !keep[i] {
            a[i][i] = 1.0;
            continue;
        }
        a[i][i] = matrix.diagonal[i];
        let (columns, values) = matrix.row(i);
        for (c, v) in columns.iter().zip(values) {
            if keep[*c as usize] {
                a[i][*c as usize] = *v;
            }
        }
        a[i][n] = -b[i];
    }
    for k in 0..n {
        let pivot = a[k].clone();
        for row in a.iter_mut().skip(k + 1) {
            let factor = row[k] / pivot[k];
            for (v, p) in row.iter_mut().zip(&pivot) {
                *v -= factor * p;
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][n] - known) / a[k][k];
    }
    x
}

/// The solution by trying which cells of `S` are off, all `2^|S|` ways.
fn enumerate(problem: &Lcp<2>) -> Vec<f64> {
    let s: Vec<usize> = (0..problem.n()).filter(|i| problem.in_s[*i]).collect();
    let mut found = Vec::new();
    for choice in 0..1u32 << s.len() {
        let mut keep = vec![true; problem.n()];
        for (k, i) in s.iter().enumerate() {
            keep[*i] = choice >> k & 1 == 1;
        }
        let x = solve_kept(&problem.matrix, &problem.b, &keep);
        let mut y = vec![0.0; x.len()];
        problem.matrix.times(&x, &mut y);
        if s.iter()
            .all(|i| x[*i] >= 0.0 && y[*i] + problem.b[*i] >= -1e-12)
        {
            found.push(x);
        }
    }
    assert_eq!(found.len(), 1, "an M-matrix has exactly one solution");
    found.remove(0)
}

#[test]
fn every_solver_agrees_with_enumeration_on_random_m_matrices() {
    let mut off = 0;
    for seed in 1..=20 {
        let problem = random_problem(4, 8 + seed as usize % 5, seed);
        let want = enumerate(&problem);
        off += (0..want.len())
            .filter(|i| problem.in_s[*i] && want[*i] == 0.0)
            .count();
        for entry in conforming() {
            let got = pressure(entry.name, &problem);
            assert_agrees(entry.name, &got, &want, 1e-4, &format!("seed {seed}"));
        }
    }
    assert!(off > 20, "the bounds matter: {off}");
}

#[test]
fn every_solver_agrees_with_enumeration_where_cells_have_a_coarse_level() {
    for seed in 21..=28 {
        let problem = random_problem(8, 14, seed);
        let want = enumerate(&problem);
        for entry in conforming() {
            let got = pressure(entry.name, &problem);
            assert_agrees(entry.name, &got, &want, 1e-4, &format!("seed {seed}"));
        }
    }
}

/// Liquid in a box; `level` is negative in liquid.
fn boxed(n: usize, level: impl Fn([f64; 2]) -> f64, open: bool) -> Lcp<2> {
    let cells = Lattice::<2>::cube(n);
    let dx = 1.0 / n as f64;
    let mut mac = Mac::new(cells, dx);
    for (i, u) in mac.u[1].iter_mut().enumerate() {
        *u = hash_unit(i as u32) - 0.5;
    }
    let room = Shape::cuboid([0.2, 0.2], [0.8, 0.8]);
    let walls = Walls::new(
        &cells,
        dx,
        &|x| if open { -room.distance(x) } else { -1.0 },
        [0.0; 2],
    );
    let liquid = (0..cells.len())
        .map(|i| level(mac.centre(cells.coordinates(i))))
        .collect();
    assemble(&mac, &walls, Arc::new(liquid), 0.01, Separation::Cut).lcp
}

#[test]
fn liquid_without_air_is_solved_by_all_and_has_the_divergence_of_its_walls_only() {
    let problem = boxed(16, |_| -1.0, true);
    assert!(
        problem.n() > 80 && problem.in_s.iter().all(|s| !s),
        "a full box has no room"
    );
    let want = pressure("pi-mgpcg", &problem);
    for entry in SOLVERS.iter().filter(|e| e.purpose != Purpose::Ablation) {
        assert_agrees(
            entry.name,
            &pressure(entry.name, &problem),
            &want,
            1e-4,
            "a full box",
        );
    }
}

/// The best combination of the last cycles is nearer than the last cycle alone.
#[test]
fn mixing_saves_cycles() {
    let circle = Simulation::new(scene2("circle").expect("a scene"), 64, Separation::Cut);
    let problem = circle.next_problem().lcp;
    let cycles = |name: &str| {
        let solution = solver::<2>(name)
            .expect("a name")
            .solve(&problem, Watch::SILENT);
        let (_, log) = solution
            .expect("a fair problem")
            .converged()
            .expect("converges");
        log.inner
    };
    let (plain, mixed) = (cycles("fas-mg"), cycles("fas-aa"));
    assert!(mixed < plain, "{mixed} instead of {plain}");
}

/// Bubbles of a single cell hold the pressure near 0 around them, which no coarse cell can follow: interpolation has to.
#[test]
fn bubbles_of_a_cell_cost_hardly_a_cycle() {
    let n = 32;
    let cells = Lattice::<3>::cube(n);
    let dx = 1.0 / n as f64;
    let room = Shape::cuboid([0.1; 3], [0.9; 3]);
    let walls = Walls::new(&cells, dx, &|x| -room.distance(x), [0.0; 3]);
    let mut mac = Mac::new(cells, dx);
    mac.u[1].fill(-0.1);
    let cycles = |bubbles: f64, name: &str| {
        let level = |i: usize| {
            let is_air = mac.centre(cells.coordinates(i))[1] > 0.6 || hash_unit(i as u32) < bubbles;
            if is_air { 5.0 * dx } else { -0.5 * dx }
        };
        let liquid = (0..cells.len()).map(level).collect();
        let problem = assemble(&mac, &walls, Arc::new(liquid), 0.01, Separation::Cut).lcp;
        let mut solver = solver::<3>(name).expect("a name");
        let solution = solver.solve(&problem, Watch::SILENT);
        let (_, log) = solution.expect("fair").converged().expect("converges");
        log.inner
    };
    let smooth = cycles(0.0, "fas-mg");
    for bubbles in [0.001, 0.01] {
        let damped = cycles(bubbles, "fas-mg");
        let plain = cycles(bubbles, "fas-plain-surface");
        assert!(damped <= smooth + 1, "{damped} instead of {smooth}");
        assert!(
            plain >= damped + 5,
            "{plain} without damping, {damped} with"
        );
    }
}

/// In the first step the walls let nearly all cells go. Coarse grids that know only bounds lose sight of that.
#[test]
fn full_cycles_stay_few_where_many_cells_let_go_at_once() {
    let circle = Simulation::new(scene2("circle").expect("a scene"), 64, Separation::Cut);
    let problem = circle.next_problem().lcp;
    let cycles = |name: &str| {
        let mut solver = solver::<2>(name).expect("a name");
        let solved = solver.solve(&problem, Watch::SILENT);
        solved.expect("a fair problem").log.inner
    };
    let (star, corrections) = (cycles("fmg-star"), cycles("fmg-galerkin"));
    assert!(star <= 6, "{star} full cycles");
    assert!(corrections > 2 * star, "{corrections} with corrections");
}

#[test]
fn nothing_to_solve_is_solved_by_all() {
    for problem in [boxed(16, |_| 1.0, true), boxed(16, |_| -1.0, false)] {
        assert_eq!(problem.n(), 0, "no liquid, or no open face");
        for entry in SOLVERS {
            assert!(pressure(entry.name, &problem).is_empty());
        }
    }
}

#[test]
fn a_single_cell_is_solved_by_all() {
    let drop = |x: [f64; 2]| {
        if (x[0] - 0.53).hypot(x[1] - 0.53) < 0.04 {
            -0.03
        } else {
            0.03
        }
    };
    let mut problem = boxed(16, drop, true);
    assert_eq!(problem.n(), 1);
    for (in_s, b, want) in [(false, 1.0, -1.0), (true, 1.0, 0.0), (true, -1.0, 1.0)] {
        problem.in_s[0] = in_s;
        problem.b[0] = b;
        for entry in conforming() {
            let p = pressure(entry.name, &problem)[0] * problem.matrix.diagonal[0];
            assert!((p - want).abs() < 1e-5, "{}: {p} for {want}", entry.name);
        }
    }
}

#[test]
fn all_solvers_agree_on_every_system_of_the_circle_at_32() {
    agree_on_circle(32, 100, 150);
}

#[test]
#[ignore = "all systems of the circle at 64, minutes"]
fn all_solvers_agree_on_every_system_of_the_circle_at_64() {
    agree_on_circle(64, 100, 300);
}

fn agree_on_circle(n: usize, frames: usize, at_least: usize) {
    let mut simulation = Simulation::new(scene2("circle").expect("a scene"), n, Separation::Cut);
    let mut driver = solver::<2>("fas-mg").expect("a name");
    // Gauss-Seidel alone takes thousands of sweeps; it has its turn above.
    let mut others: Vec<_> = conforming()
        .filter(|e| !["pgs", "psor"].contains(&e.name))
        .map(|e| solver::<2>(e.name).expect("a name"))
        .collect();
    let mut systems = 0;
    for _ in 0..frames {
        let frame = simulation
            .frame(&mut *driver, Watch::SILENT, &mut |step| {
                systems += 1;
                let problem = &step.assembled.lcp;
                let mut want: Option<Vec<f64>> = None;
                for solver in &mut others {
                    let name = solver.name();
                    let (p, _) = solver
                        .solve(problem, Watch::SILENT)
                        .expect("a fair problem")
                        .converged()
                        .unwrap_or_else(|e| panic!("frame {}: {e}", step.frame));
                    let want = want.get_or_insert_with(|| p.clone());
                    assert_agrees(name, &p, want, 1e-4, &format!("frame {}", step.frame));
                }
            })
            .expect("converges");
        assert!(
            frame.divergence <= 1e-5,
            "divergence after projection: {:e}",
            frame.divergence
        );
    }
    assert!(systems >= at_least, "systems seen: {systems}");
}

#[test]
fn what_is_no_number_is_an_error_that_names_it() {
    let problem = random_problem(4, 9, 3);
    for entry in SOLVERS {
        let mut solver = solver::<2>(entry.name).expect("a name");
        let mut broken = problem.clone();
        broken.b[4] = f64::NAN;
        let error = solver.solve(&broken, Watch::SILENT).expect_err("NaN in");
        assert!(
            matches!(error, LcpError::NotFinite { unknown: 4, .. }),
            "{error}"
        );
        let mut broken = problem.clone();
        broken.matrix.diagonal[2] = -1.0;
        let error = solver
            .solve(&broken, Watch::SILENT)
            .expect_err("not positive");
        assert_eq!(
            error,
            LcpError::Diagonal {
                unknown: 2,
                value: -1.0
            }
        );
    }
}

#[test]
fn every_solver_stops_when_asked_and_says_so() {
    let problem = first_problem(Simulation::new(
        scene2("circle").expect("a scene"),
        32,
        Separation::Cut,
    ));
    let watch = Watch {
        cancelled: &|| true,
        seconds: &|| 0.0,
    };
    for entry in SOLVERS {
        let solution = solver::<2>(entry.name)
            .expect("a name")
            .solve(&problem, watch);
        let log = solution.expect("a fair problem").log;
        assert_eq!(log.status, Status::Cancelled, "{}", entry.name);
    }
}

#[test]
fn the_printed_full_multigrid_does_not_converge_and_admits_it() {
    let problem = first_problem(Simulation::new(
        scene2("circle").expect("a scene"),
        64,
        Separation::Cut,
    ));
    let mut literal = solver::<2>("fmg-literal").expect("a name");
    let error = literal
        .solve(&problem, Watch::SILENT)
        .expect("a fair problem")
        .converged()
        .expect_err("its fixed point is wrong");
    assert_eq!(error.status, Status::Stagnated);
    assert!(
        error.log.history.len() > 50 && error.residual > 1e-3,
        "{error}"
    );
}

#[test]
fn policies_are_remembered_by_cell_and_forgotten_on_request() {
    let problem = first_problem(Simulation::new(
        scene2("circle").expect("a scene"),
        32,
        Separation::Cut,
    ));
    for name in ["pi-pcg", "pi-mg", "pi-mgpcg", "pe-pcg"] {
        let mut solver = solver::<2>(name).expect("a name");
        let mut outer = || {
            solver
                .solve(&problem, Watch::SILENT)
                .expect("fair")
                .log
                .outer
        };
        let cold = outer();
        assert!(
            cold > 1 && outer() == 1,
            "{name}: the second time its policy is right at once"
        );
    }
    let mut solver = solver::<2>("pi-pcg").expect("a name");
    let cold = solver
        .solve(&problem, Watch::SILENT)
        .expect("fair")
        .log
        .outer;
    solver.forget();
    assert_eq!(
        solver
            .solve(&problem, Watch::SILENT)
            .expect("fair")
            .log
            .outer,
        cold
    );
}

#[test]
fn results_are_the_same_bits_for_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .expect("threads");
        pool.install(|| {
            let scene = scene3("dam-box").expect("a scene");
            let mut simulation = Simulation::new(scene, 32, Separation::Cut);
            let mut fas = solver::<3>("fas-mg").expect("a name");
            simulation
                .frame(&mut *fas, Watch::SILENT, &mut |_| {})
                .expect("converges");
            (simulation.x, simulation.mac)
        })
    };
    assert!(run(1) == run(3));
}
