//! The same answer by every road: a general sparse solver, no caching, any number of threads, any state of the table.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Col, Mat};
use stokeslet::cancel::CancelToken;
use stokeslet::chip::{Chip, Condition};
use stokeslet::design::DepthModel;
use stokeslet::geometry::Motion;
use stokeslet::session::{
    AssembledSystem, Solution, SolveSettings, UnknownKind, assembled_system, solve,
};
use stokeslet::table::Caching;
use stokeslet::table::Table;

#[macro_use]
mod support;
use support::chips::{Builder, arc, from_file, from_text, lattice, straight, tee};
use support::{at, largest, solved, solved_with};

fn uncached(resolution: u32) -> SolveSettings {
    SolveSettings {
        caching: Caching::Uncached,
        ..at(resolution)
    }
}

fn assembled(chip: &Chip, settings: &SolveSettings) -> AssembledSystem {
    assembled_system(
        chip,
        settings,
        &Table::default(),
        &|_, _| {},
        &CancelToken::new(),
    )
    .unwrap_or_else(|e| panic!("{}: {e}", chip.name))
}

/// Solution of the assembled system by sparse LU and one step of refinement; `pinned` is left at zero.
fn general_solution(system: &AssembledSystem, pinned: Option<usize>) -> Vec<f64> {
    let kept: Vec<usize> = (0..system.n).filter(|k| Some(*k) != pinned).collect();
    let mut place = vec![usize::MAX; system.n];
    kept.iter()
        .enumerate()
        .for_each(|(new, &old)| place[old] = new);
    let mut triplets = Vec::with_capacity(2 * system.lower.len());
    for &(i, j, value) in &system.lower {
        assert!(i >= j, "the lower triangle is given");
        let (row, col) = (place[i as usize], place[j as usize]);
        if row == usize::MAX || col == usize::MAX {
            continue;
        }
        triplets.push(Triplet::new(row, col, value));
        if row != col {
            triplets.push(Triplet::new(col, row, value));
        }
    }
    let a = SparseColMat::<usize, f64>::try_new_from_triplets(kept.len(), kept.len(), &triplets)
        .unwrap();
    let b = Col::from_fn(kept.len(), |k| system.rhs[kept[k]]);
    let lu = a.sp_lu().unwrap();
    let mut x = lu.solve(&b);
    let residual: Mat<f64> = (&b - &a * &x).as_mat().to_owned();
    x += lu.solve(&residual).col(0);
    let mut out = vec![0.0; system.n];
    kept.iter()
        .enumerate()
        .for_each(|(k, &old)| out[old] = x[k]);
    out
}

/// Checks two solutions of one system: velocities and pressures apart, each against its own size.
fn assert_same(system: &AssembledSystem, got: &[f64], want: &[f64], what: &str) {
    for pressure in [false, true] {
        let pick: Vec<usize> = (0..system.n)
            .filter(|&k| (system.unknowns[k].kind == UnknownKind::Pressure) == pressure)
            .collect();
        let scaled = |v: &[f64], k: usize| v[k] * system.unknowns[k].scale;
        let size = largest(pick.iter().map(|&k| scaled(want, k)));
        let off = largest(pick.iter().map(|&k| scaled(got, k) - scaled(want, k)));
        let kind = if pressure { "pressure" } else { "velocity" };
        println!(
            "{what}: {kind} of {} unknowns differs by {:.1e}",
            pick.len(),
            off / size
        );
        assert!(size > 0.0, "{what}: {kind} is not zero everywhere");
        assert_small!(off, size, 1e-9, "{kind}, {what}");
    }
}

const MIXED: [Condition; 3] = [
    Condition::FlowRate(1e-9),
    Condition::Pressure(2.0),
    Condition::TractionFree,
];

fn small_tee() -> Chip {
    tee([4e-4, 3e-4, 5.5e-4], 1e-4, MIXED)
}

fn gradient_tree() -> Chip {
    from_text(
        "format = 1\n[fluid]\nviscosity = \"1 mPa s\"\n[chip]\nwidth = \"100 um\"\ndepth = \"50 um\"\nmodel = \"shallow\"\n\
         [components]\nt = { kind = \"gradient_tree\", at = [\"0 m\", \"0 m\"], parameters = { levels = 1, legs = 2 } }\n\
         [ports]\na = { at = \"t.in1\", flow_rate = \"5 uL/min\" }\nb = { at = \"t.in2\", flow_rate = \"4 uL/min\" }\n\
         c = { at = \"t.out1\", pressure = \"0 Pa\" }\nd = { at = \"t.out2\", pressure = \"1 Pa\" }\n\
         e = { at = \"t.out3\", traction_free = true }\n",
        "gradient tree",
    )
}

fn curved() -> Chip {
    let mut b = Builder::new("curved");
    let first = b.place(straight(3e-4, 1e-4), Motion::IDENTITY);
    let bend = b.attach(arc(1.5e-4, 2.0, 1e-4), 0, (first, 1));
    let last = b.attach(straight(2e-4, 1e-4), 0, (bend, 1));
    b.port("in", (first, 0), Condition::Pressure(10.0));
    b.port("out", (last, 1), Condition::Pressure(0.0));
    b.chip
}

#[test]
fn block_elimination_agrees_with_a_general_sparse_solver_with_and_without_caching() {
    let mut shallow = small_tee();
    shallow.model = DepthModel::Shallow;
    shallow.depth = Some(6e-5);
    shallow.name = "shallow tee".into();
    for (chip, r) in [
        (small_tee(), 6),
        (shallow, 5),
        (curved(), 5),
        (gradient_tree(), 4),
        (lattice(4), 4),
        (from_file("voronoi-s15"), 4),
    ] {
        let cached = assembled(&chip, &at(r));
        let plain = assembled(&chip, &uncached(r));
        let what = format!("{} at r = {r}", chip.name);
        assert!(
            cached.lower == plain.lower && cached.rhs == plain.rhs,
            "{what}: caching doesn't touch the system"
        );
        assert_eq!(
            cached.n,
            cached.unknowns.len(),
            "{what}: every unknown is named"
        );
        assert_same(
            &cached,
            &cached.solution,
            &plain.solution,
            &format!("{what}, cached against uncached"),
        );
        let general = general_solution(&cached, None);
        assert_same(
            &cached,
            &cached.solution,
            &general,
            &format!("{what}, against sparse LU"),
        );
    }
}

#[test]
fn a_system_with_a_pressure_null_space_agrees_with_a_general_solver_that_pins_one_pressure() {
    let chip = tee(
        [4e-4, 3e-4, 5.5e-4],
        1e-4,
        [
            Condition::FlowRate(1e-9),
            Condition::FlowRate(-3e-10),
            Condition::FlowRate(-7e-10),
        ],
    );
    let ours = assembled(&chip, &at(5));
    let is_pressure = |k: usize| ours.unknowns[k].kind == UnknownKind::Pressure;
    let pinned = (0..ours.n).rfind(|&k| is_pressure(k)).unwrap();
    let general = general_solution(&ours, Some(pinned));
    // Ours with its own pressure at the pinned vertex taken off everywhere.
    let zero = ours.solution[pinned] * ours.unknowns[pinned].scale;
    let mut shifted = ours.solution.clone();
    for (k, value) in shifted
        .iter_mut()
        .enumerate()
        .filter(|(k, _)| is_pressure(*k))
    {
        *value -= zero / ours.unknowns[k].scale;
    }
    assert_same(&ours, &shifted, &general, "enclosed tee");
}

/// All numbers of a solution, to the last bit.
fn bits(s: &Solution) -> Vec<u64> {
    let fields = s
        .fields
        .velocity
        .iter()
        .flat_map(|v| [v.x, v.y])
        .chain(s.fields.pressure.iter().copied());
    let ports = s.ports.iter().flat_map(|p| [p.flow_rate, p.mean_pressure]);
    let rest = [
        s.report.relative_residual,
        s.max_speed.expect("fields").0,
        s.wall_shear.expect("fields").min,
        s.wall_shear.expect("fields").mean,
        s.wall_shear.expect("fields").max,
    ];
    let conductance = s.conductance.matrix.iter().flatten().copied();
    fields
        .chain(ports)
        .chain(conductance)
        .chain(rest)
        .map(f64::to_bits)
        .collect()
}

/// The counters of a report that do not depend on the machine.
fn counters(s: &Solution) -> (usize, usize, usize, usize, u64, u64, u32) {
    let r = &s.report;
    (
        r.unknowns,
        r.tasks,
        r.unique_matrices,
        r.computed_matrices,
        r.flops,
        r.estimated_memory_bytes,
        r.refinement_steps,
    )
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    for (chip, r) in [
        (small_tee(), 6),
        (gradient_tree(), 4),
        (lattice(5), 4),
        (from_file("voronoi-s4"), 4),
    ] {
        let with = |threads: usize, settings: &SolveSettings| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            pool.install(|| solved_with(&chip, settings, &Table::default()))
        };
        let one = with(1, &at(r));
        assert_small!(
            one.report.relative_residual,
            1.0,
            1e-10,
            "residual of {}",
            chip.name
        );
        for threads in [2, 3] {
            let many = with(threads, &at(r));
            assert!(
                bits(&one) == bits(&many),
                "{} with {threads} threads",
                chip.name
            );
            assert_eq!(
                counters(&one),
                counters(&many),
                "{} with {threads} threads",
                chip.name
            );
        }
    }
}

#[test]
fn a_warm_table_gives_the_same_bits_as_a_cold_one() {
    let others = [lattice(3), small_tee(), curved()];
    for (chip, r) in [
        (small_tee(), 4),
        (lattice(4), 4),
        (gradient_tree(), 4),
        (from_file("voronoi-s15"), 4),
    ] {
        let want = bits(&solved(&chip, r));
        let table = Table::with_budget(1 << 30);
        let mut n_results = 0;
        for (k, round) in ["cold", "warm", "warm again"].into_iter().enumerate() {
            assert!(
                bits(&solved_with(&chip, &at(r), &table)) == want,
                "{}, {round} table",
                chip.name
            );
            if k == 0 {
                n_results = table.len();
                assert!(n_results > 0, "{}: the table keeps results", chip.name);
            }
            assert_eq!(
                table.len(),
                n_results,
                "{}, {round} table: nothing new",
                chip.name
            );
        }
        // Warmed by other chips, at this and at another resolution.
        let table = Table::with_budget(1 << 30);
        for other in &others {
            solved_with(other, &at(r), &table);
            solved_with(other, &at(r + 1), &table);
        }
        assert!(
            bits(&solved_with(&chip, &at(r), &table)) == want,
            "{}, table warmed by other chips",
            chip.name
        );
        // With room for a part of the results only: what is known and what is not meet in one plan.
        let table = Table::with_budget(table.bytes() / 20);
        for round in ["first", "second"] {
            assert!(
                bits(&solved_with(&chip, &at(r), &table)) == want,
                "{}, full table, {round} solve",
                chip.name
            );
        }
        assert!(
            table.bytes() > 0,
            "{}: the small table took something in",
            chip.name
        );
    }
}

#[test]
fn what_another_chip_computed_is_reused() {
    let table = Table::with_budget(1 << 30);
    solved_with(&lattice(4), &at(4), &table);
    let before = table.len();
    solved_with(&lattice(5), &at(4), &table);
    let added = table.len() - before;
    let fresh = Table::with_budget(1 << 30);
    solved_with(&lattice(5), &at(4), &fresh);
    println!(
        "lattice 5 after lattice 4: {added} new results of {}",
        fresh.len()
    );
    assert!(
        2 * added < fresh.len(),
        "most of {} results of a lattice are known from a smaller one, not just {}",
        fresh.len(),
        fresh.len() - added
    );
}

#[test]
fn uncached_results_never_enter_cached_solves() {
    let chip = lattice(3);
    let table = Table::with_budget(1 << 30);
    let plain = solved_with(&chip, &uncached(4), &table);
    let cached = solved_with(&chip, &at(4), &table);
    assert!(
        bits(&cached) == bits(&solved(&chip, 4)),
        "an uncached solve leaves nothing that changes others"
    );
    assert!(
        plain.report.flops > cached.report.flops,
        "not caching costs more"
    );
}

#[test]
fn a_cancelled_solve_says_so_and_leaves_a_sound_table() {
    use stokeslet::session::{SolveError, Stage};
    let chip = lattice(3);
    let want = bits(&solved(&chip, 4));
    let table = Table::with_budget(1 << 30);
    for at_fraction in [0.0, 0.3, 0.8] {
        let token = CancelToken::new();
        let stop = |stage: Stage, done: f64| {
            if stage == Stage::Eliminate && done >= at_fraction {
                token.cancel();
            }
        };
        let stopped = solve(&chip, &at(4), &table, &stop, &token);
        assert!(
            matches!(stopped, Err(SolveError::Cancelled)),
            "stopped at {at_fraction} of the elimination"
        );
    }
    assert!(
        bits(&solved_with(&chip, &at(4), &table)) == want,
        "after cancelled solves"
    );
}

#[test]
fn a_memory_limit_is_kept_by_refusing_and_names_the_figure() {
    use stokeslet::session::SolveError;
    let chip = lattice(3);
    let needed = solved(&chip, 4).report.estimated_memory_bytes;
    let with = |limit: u64| {
        let settings = SolveSettings {
            memory_limit: Some(limit),
            ..at(4)
        };
        solve(
            &chip,
            &settings,
            &Table::default(),
            &|_, _| {},
            &CancelToken::new(),
        )
    };
    assert!(with(needed).is_ok(), "the estimate itself is enough");
    match with(needed / 2) {
        Err(SolveError::OutOfMemory {
            needed: told,
            allowed,
        }) => {
            assert_eq!(allowed, needed / 2, "the limit is named");
            assert!(
                told > allowed && told <= needed,
                "{told} is foretold, {needed} was planned"
            );
        }
        other => panic!("half of the need should not do: {other:?}"),
    }
}

#[test]
fn the_unique_matrices_of_a_lattice_do_not_grow_with_its_size() {
    let reports: Vec<_> = [5, 10, 20]
        .map(|n| (n, solved(&lattice(n), 4).report))
        .into_iter()
        .collect();
    for (n, r) in &reports {
        println!(
            "lattice {n} x {n}: {} unknowns, {} unique matrices, {} canonical blocks, {} computed matrices, {} tasks, {:.2e} flops",
            r.unknowns,
            r.unique_matrices,
            r.canonical_blocks,
            r.computed_matrices,
            r.tasks,
            r.flops as f64
        );
    }
    let (ten, twenty) = (&reports[1].1, &reports[2].1);
    assert_eq!(
        twenty.unique_matrices, ten.unique_matrices,
        "essentially different matrices of the system"
    );
    assert_eq!(
        twenty.canonical_blocks, ten.canonical_blocks,
        "canonical blocks"
    );
    // What the elimination computes does grow, about as the crossings do (1,132, 3,085 and 10,501 at r = 4): the network of
    // separators, a few unknowns a pipe, has no copies inside. It must not grow faster.
    assert!(
        twenty.computed_matrices < 4 * ten.computed_matrices,
        "{} matrices are computed for 20 x 20, {} for 10 x 10",
        twenty.computed_matrices,
        ten.computed_matrices
    );
}

#[test]
fn the_generated_lattice_is_grid20() {
    let (made, read) = (solved(&lattice(20), 2), solved(&from_file("grid20"), 2));
    assert_eq!(made.report.unknowns, read.report.unknowns, "unknowns");
    for (a, b) in made.ports.iter().zip(&read.ports) {
        assert_close!(
            a.flow_rate,
            b.flow_rate,
            1e-9,
            "flow at {} and {}",
            a.id,
            b.id
        );
    }
}

#[test]
fn without_caching_grid20_takes_ten_times_the_work() {
    let chip = from_file("grid20");
    let cached = solved(&chip, 8).report;
    let plain = solved_with(&chip, &uncached(8), &Table::default()).report;
    println!(
        "grid20 at r = 8: {:.3e} flops cached, {:.3e} uncached, {:.1} times; {:.0} and {:.0} MB, {:.1} and {:.1} s eliminating",
        cached.flops as f64,
        plain.flops as f64,
        plain.flops as f64 / cached.flops as f64,
        cached.estimated_memory_bytes as f64 / 1e6,
        plain.estimated_memory_bytes as f64 / 1e6,
        cached.timings.eliminate,
        plain.timings.eliminate
    );
    assert!(
        plain.flops >= 10 * cached.flops,
        "{} flops without caching, {} with",
        plain.flops,
        cached.flops
    );
}
