//! Block systems without physics against a dense solver: trees, chains, rings, grids, any graph; repeated leaves, singular
//! connected components, couplings of low rank; cancelled and too large.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use proptest::prelude::*;
use stokeslet::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet::table::Caching;
use stokeslet::table::Table;
use stokeslet::thesis::elimination::order::EliminateSettings;
use stokeslet::thesis::elimination::substitution::{Wanted, solve};
use stokeslet::thesis::elimination::system::LeafRef;
use stokeslet::thesis::elimination::{
    BlockSystem, Elimination, EliminationError, Leaves, RunSettings, Stage, eliminate,
};

#[macro_use]
mod support;

/// A small deterministic generator (splitmix64), so that a failing seed can be run again anywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [-1, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> Mat<f64> {
        Mat::from_fn(rows, columns, |_, _| self.unit())
    }
}

/// A block system whose leaves are held as they are; counts how often they are asked for.
#[derive(Default)]
struct Problem {
    system: BlockSystem,
    leaves: Vec<Mat<f64>>,
    assembled: AtomicUsize,
}

impl Leaves for Problem {
    fn n_leaves(&self) -> usize {
        self.leaves.len()
    }

    fn shape(&self, leaf: u32) -> (u32, u32) {
        let m = &self.leaves[leaf as usize];
        (m.nrows() as u32, m.ncols() as u32)
    }

    fn fingerprint(&self, leaf: u32) -> Fingerprint {
        let m = &self.leaves[leaf as usize];
        let mut hasher = Hasher::new(Domain::Test).word(m.nrows() as u64);
        for j in 0..m.ncols() {
            for i in 0..m.nrows() {
                hasher = hasher.float(m[(i, j)]);
            }
        }
        hasher.finish()
    }

    fn assemble(&self, leaf: u32) -> Mat<f64> {
        self.assembled.fetch_add(1, Ordering::Relaxed);
        self.leaves[leaf as usize].clone()
    }
}

impl Problem {
    /// Rows of these sizes and stages, all marked as one connected component; couplings come later.
    fn new(sizes: &[u32], stages: &[Stage]) -> Self {
        Self {
            system: BlockSystem {
                sizes: sizes.to_vec(),
                stages: stages.to_vec(),
                connected_components: vec![0; sizes.len()],
                singular_connected_components: vec![false],
                ..BlockSystem::default()
            },
            ..Self::default()
        }
    }

    fn leaf(&mut self, m: Mat<f64>) -> u32 {
        self.leaves.push(m);
        self.leaves.len() as u32 - 1
    }

    fn couple(&mut self, i: usize, j: usize, leaf: u32, transposed: bool) {
        let (i, j, transposed) = if i <= j {
            (i, j, transposed)
        } else {
            (j, i, !transposed)
        };
        self.system
            .couplings
            .push((i as u32, j as u32, LeafRef { leaf, transposed }));
    }

    fn offsets(&self) -> Vec<usize> {
        let mut at = 0;
        let step = |n: &u32| {
            at += *n as usize;
            at - *n as usize
        };
        self.system.sizes.iter().map(step).collect()
    }

    /// The whole matrix.
    fn dense(&self) -> Mat<f64> {
        let offsets = self.offsets();
        let n = self.system.sizes.iter().sum::<u32>() as usize;
        let mut a = Mat::zeros(n, n);
        for &(i, j, leaf) in &self.system.couplings {
            let m = &self.leaves[leaf.leaf as usize];
            let m = if leaf.transposed {
                m.transpose()
            } else {
                m.as_ref()
            };
            for c in 0..m.ncols() {
                for r in 0..m.nrows() {
                    a[(offsets[i as usize] + r, offsets[j as usize] + c)] = m[(r, c)];
                    a[(offsets[j as usize] + c, offsets[i as usize] + r)] = m[(r, c)];
                }
            }
        }
        a
    }

    fn eliminated(&self, caching: Caching, table: &Table) -> Elimination {
        self.try_eliminate(caching, table, None, &|| false)
            .expect("a regular system has factors")
    }

    fn try_eliminate(
        &self,
        caching: Caching,
        table: &Table,
        memory_limit: Option<u64>,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Elimination, EliminationError> {
        eliminate(
            &self.system,
            self,
            EliminateSettings {
                caching,
                run: RunSettings {
                    rank_tolerance: 1e-13,
                    table,
                    is_cancelled,
                    progress: &|_, _| {},
                },
                memory_limit,
                planned: &|_| {},
            },
        )
    }

    /// A right-hand side with some rows left out (zero) and some alike.
    fn rhs(&self, random: &mut Random) -> Vec<Option<Vec<f64>>> {
        let of = |random: &mut Random, n: u32| (0..n).map(|_| random.unit()).collect::<Vec<f64>>();
        self.system
            .sizes
            .iter()
            .map(|&n| (n > 0 && random.below(3) > 0).then(|| of(random, n)))
            .collect()
    }

    fn flat(&self, rows: &[Option<Vec<f64>>]) -> Mat<f64> {
        let zero = |n: u32| vec![0.0; n as usize];
        let values: Vec<f64> = rows
            .iter()
            .zip(&self.system.sizes)
            .flat_map(|(row, &n)| row.clone().unwrap_or_else(|| zero(n)))
            .collect();
        Mat::from_fn(values.len(), 1, |i, _| values[i])
    }

    /// Solves by elimination and returns the flat solution of the system's own rows.
    fn solved(
        &self,
        elimination: &Elimination,
        rhs: &[Option<Vec<f64>>],
        caching: Caching,
    ) -> Mat<f64> {
        let (mut rows, _) = solve(elimination, rhs, Wanted::All, caching);
        rows.truncate(self.system.sizes.len());
        let rows: Vec<Option<Vec<f64>>> = rows.into_iter().map(Some).collect();
        self.flat(&rows)
    }

    /// Checks cached and uncached elimination against dense LU.
    fn check(&self, random: &mut Random, rel: f64, what: &str) {
        let a = self.dense();
        let lu = a.partial_piv_lu();
        for caching in [Caching::Cached, Caching::Uncached] {
            let elimination = self.eliminated(caching, &Table::default());
            for _ in 0..2 {
                let rhs = self.rhs(random);
                let want = lu.solve(self.flat(&rhs));
                let got = self.solved(&elimination, &rhs, caching);
                assert_small!(
                    (&got - &want).norm_max(),
                    want.norm_max(),
                    rel,
                    "{what}, {caching:?}"
                );
                let residual = &a * &got - self.flat(&rhs);
                assert_small!(
                    residual.norm_max(),
                    want.norm_max() * a.norm_max(),
                    rel,
                    "residual of {what}, {caching:?}"
                );
            }
            // Wanted rows alone are the same bits, and the others stay empty.
            let rhs = self.rhs(random);
            let (all, _) = solve(&elimination, &rhs, Wanted::All, caching);
            let some: Vec<u32> = (0..self.system.sizes.len() as u32)
                .filter(|_| random.below(4) == 0)
                .collect();
            let (few, _) = solve(&elimination, &rhs, Wanted::Rows(&some), caching);
            for &row in &some {
                assert_eq!(
                    few[row as usize], all[row as usize],
                    "row {row} alone, {what}"
                );
            }
        }
    }
}

/// A symmetric, indefinite matrix with eigenvalues of both signs, all of them around `shift`.
fn indefinite(random: &mut Random, n: usize, shift: f64) -> Mat<f64> {
    let noise = random.matrix(n, n);
    Mat::from_fn(n, n, |i, j| {
        let sign = if i % 3 == 2 { -1.0 } else { 1.0 };
        0.5 * (noise[(i, j)] + noise[(j, i)]) + if i == j { sign * shift } else { 0.0 }
    })
}

/// A graph with a few kinds of diagonals and couplings that repeat, so that caching has copies to find.
///
/// All diagonals dominate, so that pivots of any order are regular.
fn random_problem(
    random: &mut Random,
    n: usize,
    edges: &[(usize, usize)],
    stages: &[Stage],
    kinds: usize,
) -> Problem {
    let size_of: Vec<u32> = (0..kinds).map(|_| 1 + random.below(4) as u32).collect();
    let kind: Vec<usize> = (0..n).map(|_| random.below(kinds)).collect();
    let sizes: Vec<u32> = kind.iter().map(|&k| size_of[k]).collect();
    let mut degree = vec![0; n];
    edges.iter().for_each(|&(i, j)| {
        degree[i] += 1;
        degree[j] += 1;
    });
    let most = degree.iter().max().copied().unwrap_or(0) as f64;
    let mut problem = Problem::new(&sizes, stages);
    let shift = 5.0 + 5.0 * most;
    let diagonals: Vec<u32> = (0..kinds)
        .map(|k| problem.leaf(indefinite(random, size_of[k] as usize, shift)))
        .collect();
    (0..n).for_each(|i| problem.couple(i, i, diagonals[kind[i]], false));
    let mut between = std::collections::BTreeMap::new();
    for &(i, j) in edges {
        let (a, b) = (kind[i].min(kind[j]), kind[i].max(kind[j]));
        let leaf = *between.entry((a, b)).or_insert_with(|| {
            problem.leaf(random.matrix(size_of[a] as usize, size_of[b] as usize))
        });
        // A leaf is a-by-b: transposed where row i has the kind of its columns.
        problem.couple(i, j, leaf, kind[i] != a);
    }
    problem
}

fn chain(n: usize) -> Vec<(usize, usize)> {
    (1..n).map(|k| (k - 1, k)).collect()
}

fn ring(n: usize) -> Vec<(usize, usize)> {
    (0..n).map(|k| (k, (k + 1) % n)).collect()
}

fn tree(n: usize) -> Vec<(usize, usize)> {
    (1..n).map(|k| ((k - 1) / 3, k)).collect()
}

fn grid(n: usize) -> Vec<(usize, usize)> {
    let across = (0..n * n)
        .filter(move |k| k % n + 1 < n)
        .map(|k| (k, k + 1));
    across
        .chain((0..n * (n - 1)).map(move |k| (k, k + n)))
        .collect()
}

const STAGES: [Stage; 4] = [
    Stage::Condense,
    Stage::Component,
    Stage::ComponentLast,
    Stage::Separator,
];

#[test]
fn every_graph_and_stage_agrees_with_a_dense_solver() {
    let mut random = Random(1);
    let graphs = [
        ("chain", 33, chain(33)),
        ("ring", 32, ring(32)),
        ("odd ring", 7, ring(7)),
        ("tree", 40, tree(40)),
        ("grid", 36, grid(6)),
        ("two rows", 2, chain(2)),
        ("one row", 1, vec![]),
    ];
    for (name, n, edges) in graphs {
        for stage in STAGES {
            random_problem(&mut random, n, &edges, &vec![stage; n], 2).check(
                &mut random,
                1e-12,
                &format!("{name}, {stage:?}"),
            );
        }
        let stages: Vec<Stage> = (0..n)
            .map(|k| {
                if k % 5 == 4 {
                    Stage::Separator
                } else {
                    Stage::Component
                }
            })
            .collect();
        random_problem(&mut random, n, &edges, &stages, 3).check(
            &mut random,
            1e-12,
            &format!("{name}, slices and separators"),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_agree_with_a_dense_solver(seed in any::<u64>(), n in 1_usize..28, density in 0_usize..4, kinds in 1_usize..4) {
        let mut random = Random(seed);
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for _ in 0..n * density {
            let (i, j) = (random.below(n), random.below(n));
            if i != j && !edges.contains(&(i, j)) && !edges.contains(&(j, i)) {
                edges.push((i, j));
            }
        }
        // Rows that are condensed couple within one block only; here any order is regular, so any stage will do.
        let stages: Vec<Stage> = (0..n).map(|_| STAGES[random.below(4)]).collect();
        let problem = random_problem(&mut random, n, &edges, &stages, kinds);
        problem.check(&mut random, 1e-11, &format!("seed {seed}"));
    }
}

#[test]
fn copies_are_eliminated_once() {
    let mut random = Random(3);
    let counters = |random: &mut Random, n: usize, caching| {
        let problem = random_problem(random, n, &chain(n), &vec![Stage::Component; n], 1);
        problem.eliminated(caching, &Table::default()).counters
    };
    let of = |random: &mut Random, n: usize| counters(random, n, Caching::Cached).operations;
    let (short, long) = (of(&mut random, 64), of(&mut random, 1024));
    println!("cyclic reduction of equal rows: {short} operations for 64, {long} for 1024");
    // Sixteen times the rows are four more halvings, each a handful of operations.
    assert!(
        long < 2 * short,
        "{long} operations for 1024 equal rows, {short} for 64"
    );
    assert!(
        counters(&mut random, 1024, Caching::Uncached).operations > 20 * long,
        "without caching every row costs"
    );
}

#[test]
fn leaves_are_assembled_once_each_and_zero_rows_are_nothing() {
    let mut random = Random(4);
    let mut problem = random_problem(&mut random, 200, &chain(200), &[Stage::Component; 200], 2);
    problem.eliminated(Caching::Cached, &Table::default());
    let asked = problem.assembled.load(Ordering::Relaxed);
    assert!(
        asked <= problem.leaves.len(),
        "{asked} assemblies of {} leaves",
        problem.leaves.len()
    );
    // A row without unknowns between others.
    problem.system.sizes.push(0);
    problem.system.stages.push(Stage::Component);
    problem.system.connected_components.push(0);
    problem.check(&mut random, 1e-12, "a row of no unknowns");
}

#[test]
fn a_zero_right_hand_side_has_a_zero_solution_and_costs_nothing() {
    let mut random = Random(5);
    let problem = random_problem(&mut random, 30, &tree(30), &[Stage::Separator; 30], 2);
    let elimination = problem.eliminated(Caching::Cached, &Table::default());
    let (rows, operations) = solve(&elimination, &vec![None; 30], Wanted::All, Caching::Cached);
    assert_eq!(operations, 0, "no vector operation");
    for (row, &n) in rows.iter().zip(&problem.system.sizes) {
        assert_eq!(row, &vec![0.0; n as usize], "zero");
    }
}

#[test]
fn couplings_with_the_identity_and_with_zero_are_plain_matrices_too() {
    let mut random = Random(6);
    let n = 12;
    let mut problem = Problem::new(&vec![3; n], &vec![Stage::Separator; n]);
    let diagonal = problem.leaf(indefinite(&mut random, 3, 9.0));
    let identity = problem.leaf(Mat::identity(3, 3));
    let zero = problem.leaf(Mat::zeros(3, 3));
    (0..n).for_each(|i| problem.couple(i, i, diagonal, false));
    for (k, (i, j)) in ring(n).into_iter().enumerate() {
        problem.couple(i, j, if k % 2 == 0 { identity } else { zero }, k % 3 == 0);
    }
    problem.check(&mut random, 1e-12, "identity and zero couplings");
    // And a diagonal that is the identity.
    let mut problem = Problem::new(&[2, 2, 2], &[Stage::Component; 3]);
    let identity = problem.leaf(Mat::identity(2, 2));
    let small = problem.leaf(random.matrix(2, 2) * faer::Scale(0.2));
    (0..3).for_each(|i| problem.couple(i, i, identity, false));
    problem.couple(0, 1, small, false);
    problem.couple(1, 2, small, true);
    problem.check(&mut random, 1e-12, "identity diagonals");
}

#[test]
fn a_sum_may_start_from_a_matrix_that_it_also_multiplies() {
    // A_12 - A_01^T V A_02 with A_12 = A_01: which side's product is used depends on keys, so several are tried. On one thread
    // the order is fixed, and the sum is the last use of the matrix that it starts from.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    for seed in 0..8 {
        let mut random = Random(seed);
        let mut problem = Problem::new(&[3, 3, 3], &[Stage::Condense; 3]);
        let diagonal = problem.leaf(indefinite(&mut random, 3, 12.0));
        let twice = problem.leaf(random.matrix(3, 3));
        let once = problem.leaf(random.matrix(3, 3));
        (0..3).for_each(|i| problem.couple(i, i, diagonal, false));
        problem.couple(0, 1, twice, false);
        problem.couple(0, 2, once, false);
        problem.couple(1, 2, twice, false);
        pool.install(|| problem.check(&mut random, 1e-12, &format!("seed {seed}")));
    }
}

/// A Laplacian on a graph: the constant is its null vector.
fn laplacian(n: usize, edges: &[(usize, usize)], stages: &[Stage]) -> Problem {
    let mut problem = Problem::new(&vec![2; n], stages);
    let mut degree = vec![0.0; n];
    edges.iter().for_each(|&(i, j)| {
        degree[i] += 1.0;
        degree[j] += 1.0;
    });
    // Each row holds two values tied to each other; edges tie like to like.
    for (i, &d) in degree.iter().enumerate() {
        let leaf = problem.leaf(Mat::from_fn(
            2,
            2,
            |r, c| if r == c { 1.0 + d } else { -1.0 },
        ));
        problem.couple(i, i, leaf, false);
    }
    let minus = problem.leaf(Mat::from_fn(2, 2, |r, c| if r == c { -1.0 } else { 0.0 }));
    edges
        .iter()
        .for_each(|&(i, j)| problem.couple(i, j, minus, false));
    problem
}

#[test]
fn a_singular_connected_component_is_solved_for_data_that_fit_it() {
    let mut random = Random(7);
    for (name, n, edges) in [
        ("chain", 17, chain(17)),
        ("ring", 12, ring(12)),
        ("grid", 25, grid(5)),
    ] {
        for stage in STAGES {
            let mut problem = laplacian(n, &edges, &vec![stage; n]);
            problem.system.singular_connected_components = vec![true];
            let a = problem.dense();
            let spectrum = a.self_adjoint_eigenvalues(Side::Lower).unwrap();
            assert!(
                spectrum[0].abs() < 1e-12 && spectrum[1] > 1e-3,
                "one null vector"
            );
            let elimination = problem.eliminated(Caching::Cached, &Table::default());
            let mut rhs: Vec<Option<Vec<f64>>> = (0..n)
                .map(|_| Some(vec![random.unit(), random.unit()]))
                .collect();
            let mean = rhs.iter().flatten().flatten().sum::<f64>() / (2 * n) as f64;
            rhs.iter_mut().flatten().flatten().for_each(|v| *v -= mean);
            let x = problem.solved(&elimination, &rhs, Caching::Cached);
            let residual = &a * &x - problem.flat(&rhs);
            assert_small!(
                residual.norm_max(),
                1.0,
                1e-10,
                "residual of a singular {name}, {stage:?}"
            );
            assert!(
                x.norm_max() < 1e3,
                "{name}, {stage:?}: the constant does not run away: {}",
                x.norm_max()
            );
        }
    }
}

#[test]
fn connected_components_are_eliminated_apart_each_singular_or_not() {
    let mut random = Random(8);
    let mut edges = ring(9);
    edges.extend(chain(8).into_iter().map(|(i, j)| (i + 9, j + 9)));
    let mut problem = laplacian(17, &edges, &[Stage::Separator; 17]);
    problem.system.connected_components = (0..17).map(|k| u32::from(k >= 9)).collect();
    problem.system.singular_connected_components = vec![true, false];
    // The second connected component is held at one row.
    let held = problem.leaf(Mat::from_fn(2, 2, |r, c| if r == c { 5.0 } else { -1.0 }));
    for coupling in problem
        .system
        .couplings
        .iter_mut()
        .filter(|c| c.0 == 12 && c.1 == 12)
    {
        coupling.2.leaf = held;
    }
    let elimination = problem.eliminated(Caching::Cached, &Table::default());
    let mut rhs: Vec<Option<Vec<f64>>> = (0..17)
        .map(|_| Some(vec![random.unit(), random.unit()]))
        .collect();
    let mean = rhs[..9].iter().flatten().flatten().sum::<f64>() / 18.0;
    rhs[..9]
        .iter_mut()
        .flatten()
        .flatten()
        .for_each(|v| *v -= mean);
    let x = problem.solved(&elimination, &rhs, Caching::Cached);
    let residual = problem.dense() * &x - problem.flat(&rhs);
    assert_small!(
        residual.norm_max(),
        x.norm_max(),
        1e-12,
        "both connected components"
    );
}

/// A lattice of separators of size `size` whose links are couplings of rank `rank`, marked as far.
fn far_lattice(random: &mut Random, n: usize, size: usize, rank: usize) -> Problem {
    let edges = grid(n);
    let mut problem = Problem::new(&vec![size as u32; n * n], &vec![Stage::Separator; n * n]);
    let diagonal = problem.leaf(indefinite(random, size, 12.0));
    (0..n * n).for_each(|i| problem.couple(i, i, diagonal, false));
    let links: Vec<u32> = (0..2)
        .map(|_| {
            let (u, v) = (random.matrix(size, rank), random.matrix(rank, size));
            problem.leaf(&u * &v)
        })
        .collect();
    for (i, j) in edges {
        problem.couple(i, j, links[usize::from(j == i + 1)], false);
        problem.system.far_pairs.push((i as u32, j as u32));
    }
    problem
}

#[test]
fn far_couplings_of_low_rank_are_carried_by_their_factors() {
    let mut random = Random(9);
    for rank in [1, 2, 3] {
        let problem = far_lattice(&mut random, 4, 9, rank);
        problem.check(
            &mut random,
            1e-11,
            &format!("lattice with links of rank {rank}"),
        );
        let low = problem.eliminated(Caching::Cached, &Table::default());
        let added = low.sizes.len() - problem.system.sizes.len();
        assert!(added > 0, "links of rank {rank} become rows of their own");
        for &n in &low.sizes[16..] {
            assert_eq!(n, 2 * rank as u32, "a row holds both sides' coefficients");
        }
        let mut plain = far_lattice(&mut random, 4, 9, rank);
        plain.system.far_pairs.clear();
        let full = plain.eliminated(Caching::Cached, &Table::default());
        assert_eq!(full.sizes.len(), 16, "without far pairs nothing is put in");
    }
    // Links of full rank are worth no factors, and a link that is zero needs none.
    let problem = far_lattice(&mut random, 4, 6, 6);
    problem.check(&mut random, 1e-11, "links of full rank");
    let full = problem.eliminated(Caching::Cached, &Table::default());
    assert_eq!(full.sizes.len(), 16, "full rank is not worth it");
    far_lattice(&mut random, 3, 5, 0).check(&mut random, 1e-11, "links of rank zero");
}

#[test]
fn counters_and_bits_are_the_same_in_every_run() {
    let mut random = Random(10);
    let problem = far_lattice(&mut random, 5, 8, 2);
    let rhs = problem.rhs(&mut random);
    let table = Table::with_budget(1 << 26);
    let run = |threads: usize, table: &Table| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let e = problem.eliminated(Caching::Cached, table);
            let x = problem.solved(&e, &rhs, Caching::Cached);
            let bits: Vec<u64> = (0..x.nrows()).map(|i| x[(i, 0)].to_bits()).collect();
            let order: Vec<u32> = e.steps.iter().map(|s| s.row).collect();
            (
                e.counters,
                e.counters_before_network,
                e.rows_by_stage,
                e.estimated_bytes,
                order,
                bits,
            )
        })
    };
    let want = run(1, &Table::default());
    for (threads, table) in [
        (2, &Table::default()),
        (3, &Table::default()),
        (1, &table),
        (2, &table),
    ] {
        assert!(
            run(threads, table) == want,
            "{threads} threads, {} known results",
            table.len()
        );
    }
    assert!(
        want.0.flops > 0 && want.0.bytes > 0 && want.3 > 0,
        "something is counted"
    );
    assert_eq!(
        want.4.len(),
        want.2.iter().sum::<usize>(),
        "every row is eliminated in some stage, once"
    );
}

#[test]
fn a_known_table_needs_no_leaves() {
    let mut random = Random(11);
    let problem = random_problem(&mut random, 40, &tree(40), &[Stage::Separator; 40], 2);
    let table = Table::with_budget(1 << 26);
    problem.eliminated(Caching::Cached, &table);
    let asked = problem.assembled.load(Ordering::Relaxed);
    problem.eliminated(Caching::Cached, &table);
    assert_eq!(
        problem.assembled.load(Ordering::Relaxed),
        asked,
        "nothing is assembled for a second run"
    );
}

#[test]
fn a_cancelled_run_says_so() {
    let mut random = Random(12);
    let problem = random_problem(&mut random, 60, &grid(7), &[Stage::Separator; 60], 3);
    let error = problem
        .try_eliminate(Caching::Cached, &Table::default(), None, &|| true)
        .err();
    assert_eq!(
        error,
        Some(EliminationError::Cancelled),
        "cancelled at once"
    );
    let asked = AtomicUsize::new(0);
    let later = || asked.fetch_add(1, Ordering::Relaxed) > 10;
    let error = problem
        .try_eliminate(Caching::Cached, &Table::default(), None, &later)
        .err();
    assert_eq!(
        error,
        Some(EliminationError::Cancelled),
        "cancelled on the way"
    );
}

#[test]
fn a_memory_limit_refuses_before_anything_is_computed() {
    let mut random = Random(13);
    let problem = random_problem(&mut random, 36, &grid(6), &[Stage::Separator; 36], 3);
    let needed = problem
        .eliminated(Caching::Cached, &Table::default())
        .estimated_bytes;
    let before = problem.assembled.load(Ordering::Relaxed);
    let with =
        |limit| problem.try_eliminate(Caching::Cached, &Table::default(), Some(limit), &|| false);
    assert_eq!(
        with(needed - 1).err(),
        Some(EliminationError::OutOfMemory {
            needed,
            allowed: needed - 1
        }),
        "one byte short"
    );
    assert_eq!(
        problem.assembled.load(Ordering::Relaxed),
        before,
        "refused before work begins"
    );
    assert!(with(needed).is_ok(), "the estimate is enough");
}

#[test]
fn the_plan_is_told_before_it_runs() {
    let mut random = Random(14);
    let problem = random_problem(&mut random, 12, &ring(12), &[Stage::Separator; 12], 1);
    let told = Cell::new((0, usize::MAX));
    let table = Table::default();
    let settings = EliminateSettings {
        caching: Caching::Cached,
        run: RunSettings {
            rank_tolerance: 1e-13,
            table: &table,
            is_cancelled: &|| false,
            progress: &|_, _| {},
        },
        memory_limit: None,
        planned: &|bytes| told.set((bytes, problem.assembled.load(Ordering::Relaxed))),
    };
    let elimination = eliminate(&problem.system, &problem, settings).unwrap();
    assert_eq!(
        told.get(),
        (elimination.estimated_bytes, 0),
        "the estimate, before the first leaf"
    );
}

#[test]
fn a_singular_pivot_is_named_by_its_row() {
    let mut random = Random(15);
    let mut problem = Problem::new(&[2, 3, 2], &[Stage::Component; 3]);
    let good = problem.leaf(indefinite(&mut random, 2, 5.0));
    let singular = problem.leaf(Mat::zeros(3, 3));
    problem.couple(0, 0, good, false);
    problem.couple(1, 1, singular, false);
    problem.couple(2, 2, good, false);
    let error = problem
        .try_eliminate(Caching::Cached, &Table::default(), None, &|| false)
        .err();
    assert_eq!(
        error,
        Some(EliminationError::Singular { row: 1 }),
        "a row of zeros, not coupled with any other"
    );
}
