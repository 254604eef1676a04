//! Small random systems for the tests of this folder.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use faer::Mat;
use faer::linalg::solvers::Solve;
use rustc_hash::FxHashMap;

use super::compute::{Inside, Schur, Wanted};
use super::tree::ranges;
use super::{FrontRun, Image, KindId, Known, Leaves, NOWHERE, Node, Plan, Tree, Values};
use stokeslet_base::fingerprint::{Domain, Fingerprint, Hasher};
use stokeslet_base::profile::Recorder;

/// Fixed pseudo-random numbers in [-1, 1].
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }

    /// Symmetric and positive definite: sums of such matrices are regular whatever they share.
    pub fn definite(&mut self, n: usize) -> Mat<f64> {
        let m = self.symmetric(n);
        Mat::from_fn(
            n,
            n,
            |i, j| if i == j { m[(i, j)].abs() } else { m[(i, j)] },
        )
    }

    /// Symmetric, with as many negative as positive eigenvalues, each far from zero; so is every principal block.
    pub fn symmetric(&mut self, n: usize) -> Mat<f64> {
        let mut m = Mat::zeros(n, n);
        for j in 0..n {
            for i in j..n {
                let v = self.next();
                m[(i, j)] = v;
                m[(j, i)] = v;
            }
            m[(j, j)] = (2.0 + n as f64) * if j % 2 == 0 { 1.0 } else { -1.0 };
        }
        m
    }
}

/// Leaves by number.
impl Leaves for Vec<Mat<f64>> {
    fn assemble(&self, leaf: u32) -> Mat<f64> {
        self[leaf as usize].clone()
    }
}

/// Keeps everything and counts what it is given.
#[derive(Default)]
pub struct Memory {
    schurs: Mutex<FxHashMap<Fingerprint, Arc<Schur>>>,
    insides: Mutex<FxHashMap<Fingerprint, Arc<Inside>>>,
    kept: AtomicUsize,
}

impl Memory {
    /// Fronts that were computed: each keeps its inside once.
    pub fn n_computed(&self) -> usize {
        self.kept.load(Ordering::Relaxed)
    }
}

impl Known for Memory {
    fn schur(&self, key: Fingerprint) -> Option<Arc<Schur>> {
        self.schurs
            .lock()
            .expect("no test panics here")
            .get(&key)
            .cloned()
    }

    fn keep_schur(&self, key: Fingerprint, schur: &Arc<Schur>) {
        let mut schurs = self.schurs.lock().expect("no test panics here");
        schurs.insert(key, schur.clone());
    }

    fn inside(&self, key: Fingerprint) -> Option<Arc<Inside>> {
        self.insides
            .lock()
            .expect("no test panics here")
            .get(&key)
            .cloned()
    }

    fn keep_inside(&self, key: Fingerprint, inside: &Arc<Inside>) {
        self.kept.fetch_add(1, Ordering::Relaxed);
        let mut insides = self.insides.lock().expect("no test panics here");
        insides.insert(key, inside.clone());
    }
}

static OFF: Recorder = Recorder::off();

/// A run that nobody stops.
pub fn run<'a>(leaves: &'a Vec<Mat<f64>>, known: &'a Memory) -> FrontRun<'a> {
    FrontRun {
        leaves,
        known,
        is_cancelled: &|| false,
        progress: &|_, _| {},
        recorder: &OFF,
    }
}

pub fn key(k: u64) -> Fingerprint {
    Hasher::new(Domain::Test).word(k).finish()
}

/// All kinds of a plan.
pub fn computed(plan: &Plan, leaves: &Vec<Mat<f64>>) -> Values {
    let all: Vec<KindId> = (0..plan.kinds.len() as u32).collect();
    let mut values = Values::default();
    let wanted = Wanted {
        schurs: &all,
        insides: &all,
        deep: true,
    };
    values
        .compute(plan, wanted, run(leaves, &Memory::default()))
        .expect("random blocks are regular");
    values
}

/// The eliminated unknowns of a kind for unit boundary unknowns.
pub fn weights(plan: &Plan, values: &Values, kind: KindId) -> Mat<f64> {
    let (b, e) = (
        plan.kinds[kind as usize].n_boundary,
        plan.kinds[kind as usize].n_eliminated,
    );
    let images: Vec<Image> = (0..b).map(Image::plain).collect();
    let node = Node {
        kind,
        boundary: ranges(images),
        eliminated: b,
        depth: 0,
    };
    let n = (b + e) as usize;
    let tree = Tree::new(b as usize, n, vec![node], |_| e > 0);
    let mut local = vec![0.0; b as usize * n];
    (0..b as usize).for_each(|k| local[k * n + k] = 1.0);
    tree.back(values, &mut local, None);
    Mat::from_fn(e as usize, b as usize, |i, j| local[j * n + b as usize + i])
}

/// `to += P^T s P`: a small matrix on unknowns that are images of others.
pub fn add(to: &mut Mat<f64>, s: &Mat<f64>, images: &[Image]) {
    let placed = |i: &usize| images[*i].to != NOWHERE;
    for j in (0..images.len()).filter(placed) {
        for i in (0..images.len()).filter(placed) {
            let factor = images[i].factor * images[j].factor;
            to[(images[i].to as usize, images[j].to as usize)] += factor * s[(i, j)];
        }
    }
}

/// The rows and columns of `m`.
pub fn part(m: &Mat<f64>, rows: &[usize], columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), columns.len(), |i, j| m[(rows[i], columns[j])])
}

/// `a^-1 b` by dense LU.
pub fn solved(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    a.partial_piv_lu().solve(b)
}

pub fn column(v: &[f64]) -> Mat<f64> {
    Mat::from_fn(v.len(), 1, |i, _| v[i])
}

pub fn assert_near(got: &Mat<f64>, want: &Mat<f64>, what: &str) {
    let off = (got - want).norm_max();
    let size = want.norm_max().max(1e-3);
    assert!(off <= 1e-10 * size, "{what}: {off:.1e} off, of {size:.1e}");
}

pub fn bits(m: &Mat<f64>) -> Vec<u64> {
    (0..m.ncols())
        .flat_map(|j| m.col_as_slice(j).iter().map(|v| v.to_bits()))
        .collect()
}
